// Uses what a program of somebody else would: the façade, scenarios of the library, an own law, the solver's own types.
#include <cmath>
#include <cstdio>
#include <exception>

#include "thud/granular/laws.hpp"
#include "thud/scenario/register_law.hpp"
#include "thud/scenario/run.hpp"
#include "thud/thud.hpp"

struct Lohse {
  double k = 100;

  template <class T>
  void evaluate(const thud::Flow<T>& flow, thud::Resistance<T>& out) const {
    const T z = flow.immersed->depth;
    out.plunge = out.withdraw = out.shear = z > T(0) ? k * z : T(0);
  }
};

static double depth_with(const thud::Law& law) {
  const thud::Scenario scenario = thud::load_scenario("sphere");
  thud::Bed bed = scenario.system->beds()[0];
  bed.law = law;
  scenario.system->set_bed(0, bed);
  return thud::run(scenario).find("z_T")->value.value_or(NAN);
}

int main() try {
  std::printf("data: %s\n", thud::data_folder().c_str());
  const thud::Result run = thud::load("free_link").set("angle", "40 deg").run();
  std::printf("t_z = %.6f s, %s\n", run["t_z"], run.reason().c_str());
  const double own = depth_with(thud::make_law("own_lohse", Lohse{50})),
               ours = depth_with(thud::LohseLaw{50});
  std::printf("own law: %.9f m, ours: %.9f m\n", own, ours);
  bool refused = false;
  try {
    thud::register_law(thud::make_law("lohse", Lohse{}));
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  return run.reached() && own == ours && refused ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
