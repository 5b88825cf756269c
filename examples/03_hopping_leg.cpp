// A leg that hops: a torque in the knee, written as a function of time in the scenario, pushes a trunk up from a rough
// floor. How high it gets, and whether the foot leaves the floor, depends on how long the torque lasts.
//
// Sample output:
//
//   push [ms]  apex after [ms]  trunk rises [mm]  foot above floor [mm]  work [J]  lost [J]
//          30           136.83             74.00                   0.00     1.760     0.087
//          40           178.55            130.20                  17.23     3.211     0.176
//          50           222.09            202.98                  81.71     5.213     0.324
//          60           265.53            292.92                 215.43     7.940     0.558
// Sample end

#include <cmath>
#include <cstdio>

#include "thud/thud.hpp"

const char* const scenario = R"(
title = "Hopping leg"
[parameters]
torque = { value = 16, unit = "N m", range = [0, 100], about = "in the knee while it pushes" }
push   = { value = "50 ms", unit = "ms", range = ["1 ms", "1 s"], about = "how long it pushes" }
[define]
bend = "50 deg"
[[body]]
name  = "trunk"
shape = { kind = "block", length = "80 mm", width = "120 mm", thickness = "60 mm", mass = 2 }
joint = "free"
[[body]]
name  = "thigh"
shape = { kind = "cylinder", length = 0.2, diameter = "30 mm", mass = 0.35 }
joint = { to = "trunk", at = "center", damping = 0.05 }
[[body]]
name  = "shank"
shape = { kind = "cylinder", length = 0.2, diameter = "24 mm", mass = 0.2 }
joint = { to = "thigh", at = "tip", damping = 0.02, torque = "=t < push ? torque : 0" }
[[wall]]
name     = "floor"
touches  = ["shank.tip"]
friction = 0.8
[initial]
"trunk.angle" = 0
"thigh.angle" = "=bend"
"shank.angle" = "=-bend"
"shank.tip.x" = 0
"shank.tip.z" = 0
[solver]
max_step = "0.5 ms"
[stop]
when = "trunk.vz rises through 0"
time = "0.6 s"
[results]
t_apex = "time when trunk.vz rises through 0"
z_apex = "trunk.z at t_apex"
foot   = "shank.tip.z at t_apex"
)";

int main() {
  thud::Model model = thud::parse(scenario, "hopping_leg.toml");
  std::printf("push [ms]  apex after [ms]  trunk rises [mm]  foot above floor [mm]  work [J]  lost [J]\n");
  for (const double push : {0.03, 0.04, 0.05, 0.06}) {
    const thud::Result run = model.set("push", push).run();
    const double rise = run.column("trunk.z")[0] - run["z_apex"];
    double lost = 0;
    for (const auto& [where, joule] : run.energy().lost) lost += joule;
    std::printf("%9.0f  %15.2f  %16.2f  %21.2f  %8.3f  %8.3f\n", 1e3 * push, 1e3 * run["t_apex"], 1e3 * rise,
                std::abs(1e3 * run["foot"]), run.energy().supplied, lost);
  }
}
