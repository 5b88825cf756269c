#pragma once
// The mechanism as lines in the plane: at rest, and displaced along a mode.

#include <array>
#include <cmath>
#include <vector>

#include "thud/scenario/outline.hpp"
#include "thud/study/modes.hpp"

namespace thud {

struct PosedLine {
  std::vector<Vec> points;
  double width = 0;
  bool closed = false;
};

struct Box {
  double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;
  void add(Vec p);
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

/// Poses of the modes that are shown, all to the same scale.
struct ModePoses {
  std::vector<PosedLine> rest;
  std::vector<std::vector<PosedLine>> plus, minus;  ///< per mode
  std::vector<Vec> ground, pins;                    ///< joints at rest: to the ground, between bodies
  std::vector<std::array<Vec, 2>> rails;            ///< of sliders: where, and their direction
  double amplitude = 0;                             ///< the largest displacement as drawn [m]
  Box box;                                          ///< around everything
};

ModePoses make_mode_poses(const Scenario& scenario, const ModalAnalysis& analysis, std::size_t count);

}  // namespace thud
