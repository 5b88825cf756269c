// A steel rod swings into sand: load a scenario of the library, turn its knobs, run it, read off results and a trajectory.
//
// Sample output:
//
// Sample end

#include <cmath>
#include <cstdio>

#include "thud/thud.hpp"

int main() {
  thud::Model model = thud::load("uniform_pendulum");
  std::printf("%s\n", model.title().c_str());
  std::printf("angle [deg]  stops after [ms]  at a depth of [mm]\n");
  for (const char* angle : {"15 deg", "30 deg", "45 deg", "60 deg"}) {
    model.set("angle", angle).set("rate", -3.0);
    const thud::Result run = model.run();
    std::printf("%11.2s  %16.3f  %18.3f\n", angle, 1e3 * run["t_s"], 1e3 * run["z_T"]);
  }

  const thud::Result run = model.run();
  const auto force = run.column("rod.resistance.size");
  const auto time = run.time();
  std::size_t peak = 0;
  for (std::size_t i = 1; i < force.size(); ++i)
    if (force[i] > force[peak]) peak = i;
  std::printf("At 60 deg the sand pushes with at most %.2f N, %.1f ms after the touch\n", force[peak],
              1e3 * time[peak]);

  const thud::EnergyInfo& energy = run.energy();
  for (const auto& [where, joule] : energy.lost) std::printf("  %-18s %.4f J\n", where.c_str(), joule);
  std::printf("The energy account closes to better than 1e-9: %s\n",
              std::abs(energy.residual) < 1e-9 ? "yes" : "no");
}
