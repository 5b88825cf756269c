// A leg that hops on sand: torques in hip and knee, written as functions of time in the scenario, push a trunk up; some of
// the work goes into the sand. How high it gets depends on how long the torques last.
//
// Sample output:
//
// Sample end

#include <cstdio>

#include "thud/thud.hpp"

const char* const scenario = R"(
title = "Hopping leg"
[parameters]
torque = { value = 12, unit = "N m", range = [0, 100], about = "in the knee while it pushes" }
push   = { value = "60 ms", unit = "ms", range = [0.001, 1], about = "how long it pushes" }
[define]
bend = "=50*deg"
[[body]]
name  = "trunk"
shape = { kind = "block", length = "80 mm", width = "120 mm", thickness = "60 mm", mass = 2 }
joint = "free"
[[body]]
name  = "thigh"
shape = { kind = "cylinder", length = 0.2, diameter = "30 mm", mass = 0.35 }
joint = { to = "trunk", at = "center", damping = 0.05, torque = "=t < push ? torque/2 : 0" }
[[body]]
name  = "shank"
shape = { kind = "cylinder", length = 0.2, diameter = "24 mm", mass = 0.2 }
joint = { to = "thigh", at = "tip", damping = 0.02, torque = "=t < push ? -torque : 0" }
[bed]
medium = "play-sand"
[initial]
"trunk.angle"     = 0
"thigh.angle"     = "=bend"
"shank.angle"     = "=-bend"
"shank.tip.x"     = 0
"shank.tip.depth" = "5 mm"
[solver]
max_step = "0.5 ms"
[stop]
when = "trunk.vz rises through 0"
time = "0.6 s"
[results]
t_apex = "time when trunk.vz rises through 0"
z_apex = "trunk.z at t_apex"
foot   = "shank.tip.depth at t_apex"
sink   = "max shank.tip.depth"
)";

int main() {
  thud::Model model = thud::parse(scenario, "hopping_leg.toml");
  std::printf(
      "push [ms]  apex after [ms]  trunk rises [mm]  foot above sand [mm]  foot sinks to [mm]  work [J]\n");
  for (const double push : {0.04, 0.05, 0.06}) {
    const thud::Result run = model.set("push", push).run();
    const double start = run.column("trunk.z")[0];
    std::printf("%9.0f  %15.2f  %16.2f  %20.2f  %18.2f  %8.3f\n", 1e3 * push, 1e3 * run["t_apex"],
                1e3 * (start - run["z_apex"]), -1e3 * run["foot"], 1e3 * run["sink"], run.energy().supplied);
  }
}
