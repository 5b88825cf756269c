// A double pendulum strikes a rough floor again and again: events, impacts with friction, and what the law of restitution
// makes of them.
//
// Sample output:
//
//   newton: 3 impacts in 2 s, 17.480 J lost
//     t = 0.535694 s  slip                         impulse  2.7852 N s along, 13.9261 N s across the floor
//     t = 1.301276 s  slip-stick in compression    impulse -3.6148 N s along, 24.5453 N s across the floor
//     t = 1.918120 s  slip-stick in compression    impulse  1.2595 N s along, 25.9831 N s across the floor
//   poisson: 3 impacts in 2 s, 18.796 J lost
//     t = 0.535694 s  slip                         impulse  2.7852 N s along, 13.9261 N s across the floor
//     t = 1.301276 s  slip-stick in compression    impulse -3.5059 N s along, 23.9998 N s across the floor
//     t = 1.887707 s  slip-stick in compression    impulse  0.3790 N s along, 24.0334 N s across the floor
//   stronge: 3 impacts in 2 s, 18.597 J lost
//     t = 0.535694 s  slip                         impulse  2.7852 N s along, 13.9261 N s across the floor
//     t = 1.301276 s  slip-stick in compression    impulse -3.5197 N s along, 24.0689 N s across the floor
//     t = 1.891425 s  slip-stick in compression    impulse  0.4696 N s along, 24.2724 N s across the floor
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
