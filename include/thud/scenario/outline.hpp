#pragma once

#include <vector>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// One line of the picture of a mechanism, in the frame of its body.
struct OutlineLine {
  int body = 0;
  std::vector<BodyPoint> points;
  double width = 0;     ///< of a link drawn along its axis [m]; 0: a thin line
  bool closed = false;  ///< the rim of a ball, a disc or a block
};

/// What a mechanism looks like: links along their axes (beams with enough points to bend), rims of balls, discs and
/// blocks, and a thin line to the joint where a body does not reach it.
[[nodiscard]] std::vector<OutlineLine> make_outline(const Tree& tree, const std::vector<DrawnPart>& parts);

/// Unit vector along the line of a slider, towards positive travel: in the frame of the body, and in the world.
[[nodiscard]] BodyPoint slider_direction(const Body& body);
[[nodiscard]] Vec slider_line(const Tree& tree, const Frames<double>& frames, int body);

}  // namespace thud
