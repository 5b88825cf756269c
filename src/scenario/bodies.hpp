#pragma once

#include <string>
#include <vector>

#include "scenario/joints.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// One [[body]] with its joint resolved.
struct BodyData {
  Body rigid;
  JointForces forces;
  ShapeData shape;
  double origin = 0;  ///< s of the joint on the body's own axis
  std::vector<std::string> notes;
};

/// Letters, digits, _ and -.
[[nodiscard]] bool is_name(std::string_view name);

/// Reads every [[body]], repeated ones expanded, in an order where parents come first.
[[nodiscard]] std::vector<BodyData> read_bodies(const Table& root);

}  // namespace thud::doc
