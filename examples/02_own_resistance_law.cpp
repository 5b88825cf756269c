// A resistance law of one's own: ten lines, and everything else is there. The law is registered by name, so scenario files
// can set its coefficients, with units and checks like those of the laws of thud.
//
// Sample output:
//
// Sample end

#include <cstdio>
#include <exception>

#include "thud/scenario/register_law.hpp"
#include "thud/thud.hpp"

// Sand that has been shaken firm below z0: k z above it, three times as steep below, and quadratic drag.
struct Layered {
  double k = 500, z0 = 0.01, c = 1;

  template <class T>
  void evaluate(const thud::Flow<T>& flow, thud::Resistance<T>& out) const {
    const T z = flow.immersed->depth;
    out.drag = c * flow.speed;
    out.plunge = k * (z > T(z0) ? 3 * z - 2 * z0 : z);
    out.withdraw = 0.1 * out.plunge;
    out.shear = 0.5 * out.plunge;
  }
};

const char* const scenario = R"(
title = "Ball on layered sand"
[parameters]
firm = { value = "10 mm", unit = "mm", range = [0, 1], about = "where the firm sand begins" }
[[body]]
name  = "ball"
shape = { kind = "sphere", diameter = "1 in", density = 7700 }
joint = "free"
[bed]
law = "layered"
k   = "4 N/cm"
z0  = "=firm"
[initial]
"ball.x"  = 0
"ball.z"  = 0
"ball.vz" = 2
[stop]
when = "ball.vz falls through 0"
[results]
t = "time when ball.vz falls through 0"
z = "ball.depth at t"
)";

int main() {
  thud::register_law(thud::make_law("layered", Layered{},
                                    {{"k", &Layered::k, "N/m", "resistance per depth"},
                                     {"z0", &Layered::z0, "m", "depth of the firm layer"},
                                     {"c", &Layered::c, "N s2/m2", "quadratic drag"}},
                                    "k z, three times as steep below z0, + c v^2"));
  thud::Model model = thud::parse(scenario, "layered.toml");
  for (const char* firm : {"5 mm", "10 mm", "20 mm"}) {
    const thud::Result run = model.set("firm", firm).run();
    std::printf("firm below %-5s  stops after %.3f ms at %.3f mm\n", firm, 1e3 * run["t"], 1e3 * run["z"]);
  }

  // What is wrong with a file is told as for any law.
  std::string text = scenario;
  text.replace(text.find("4 N/cm"), 6, "4 N/cm2");
  try {
    static_cast<void>(thud::parse(text, "layered.toml"));
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
}
