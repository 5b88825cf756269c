// A double pendulum strikes a rough floor again and again: events, impacts with friction, and what the law of restitution
// makes of them.
//
// Sample output:
//
// Sample end

#include <cstdio>

#include "thud/thud.hpp"

int main() {
  thud::Model model = thud::load("rough_obstacle");
  model.set("duration", "2 s");
  for (const char* law : {"newton", "poisson", "stronge"}) {
    const thud::Result run = model.set("law", law).run();
    std::printf("%s: %zu impacts in 2 s, %.3f J lost\n", law, run.impacts().size(), run["lost"]);
    for (const thud::ImpactInfo& i : run.impacts())
      std::printf("  t = %.6f s  %-28s impulse %7.4f N s along, %7.4f N s across the floor\n", i.time,
                  i.name.c_str(), i.impulse[0], i.impulse[1]);
  }
}
