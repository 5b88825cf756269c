// A sweep over two knobs on all processors, drawn as a heat map: how deep a link plunges, by angle and speed. Writes
// plunge.svg; another name may be given.
//
// Sample output:
//
//   425 runs: the link plunges 8.92 to 51.73 mm
//   Wrote plunge.svg
// Sample end

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "thud/draw/figures.hpp"
#include "thud/thud.hpp"

int main(int argc, char** argv) {
  const thud::Model model = thud::load("free_link");
  thud::Axis angle{"angle", {}}, speed{"speed", {}};
  for (int i = 0; i < 25; ++i) angle.values.push_back(i * 0.05);
  for (int j = 0; j < 17; ++j) speed.values.push_back(1 + 0.125 * j);
  const thud::Sweep sweep = model.sweep({speed, angle}, {"z_T"});  // the last axis is the fastest
  const auto depth = sweep.column("z_T");
  const auto [least, most] = std::minmax_element(depth.begin(), depth.end());
  std::printf("%zu runs: the link plunges %.2f to %.2f mm\n", sweep.size(), 1e3 * *least, 1e3 * *most);

  thud::HeatMap map;
  map.title = "How deep a link plunges";
  map.x = thud::knob_axis(sweep.knobs()[1]);
  map.y = thud::knob_axis(sweep.knobs()[0]);
  map.z = thud::suit_axis("depth of the tip", "m", depth);
  map.x_values = angle.values;
  map.y_values = speed.values;
  map.z_values.assign(depth.begin(), depth.end());
  const std::string svg = thud::heat_map(map);
  const char* file = argc > 1 ? argv[1] : "plunge.svg";
  std::ofstream(file) << svg;
  std::printf("%s %s\n", svg.starts_with("<svg") ? "Wrote" : "Could not draw", file);
}
