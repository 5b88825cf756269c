// A controller of one's own: the leg of the library that hops on sand, once with the states of its file and once with a
// function that is called at each tick. They hop the same.
//
// Sample output:
//
//   hop  touches [ms]  by the function [ms]  same to 1 ns
//     1       142.784               142.784           yes
//     2       420.919               420.919           yes
//     3       711.340               711.340           yes
// Sample end

#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "thud/thud.hpp"

namespace {

constexpr double landing = 40 * 3.14159265358979323846 / 180, push = 12 * 3.14159265358979323846 / 180;

// memory: the state, since when, and depth of the toe and speed of the carriage at the tick before.
void hop(const thud::Snapshot& now, std::span<double> outputs, std::span<double> memory) {
  constexpr double fall = 0, land = 1, pushing = 2, fly = 3;
  const double depth = now["shank.tip.depth"], speed = now["carriage.travel.rate"], t = now.time();
  double &state = memory[0], &since = memory[1], &depth_before = memory[2], &speed_before = memory[3];
  const auto go = [&](double next) { state = next, since = t; };
  if (t > 0) {
    if (state == fall && depth > 0 && depth_before <= 0)
      go(land);
    else if (state == land && speed < 0 && speed_before >= 0)
      go(pushing);
    else if (state == pushing && ((depth < 0 && depth_before >= 0) || !(since + 0.12 - t > 2e-14)))
      go(fly);
    else if (state == fly && speed > 0 && speed_before <= 0)
      go(fall);
  }
  depth_before = depth, speed_before = speed;
  outputs[0] = state == pushing ? push : landing;
}

std::vector<double> touches(const thud::Result& run) {
  std::vector<double> out;
  for (const auto& e : run.events())
    if (e.kind == "enter") out.push_back(e.time);
  return out;
}

}  // namespace

int main() {
  thud::Model model = thud::load("hopping_leg");
  model.set("time", 1.0);
  const std::vector<double> file = touches(model.run());
  const std::vector<double> own = touches(model.control("hop", hop, 4).run());
  std::printf("hop  touches [ms]  by the function [ms]  same to 1 ns\n");
  for (std::size_t k = 0; k < std::min(file.size(), own.size()); ++k)
    std::printf("%3zu  %12.3f  %20.3f  %12s\n", k + 1, 1e3 * file[k], 1e3 * own[k],
                std::abs(own[k] - file[k]) < 1e-9 ? "yes" : "no");
}
