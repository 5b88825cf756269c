#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/shapes.hpp"
#include "thud/dynamics/system.hpp"

namespace thud::doc {

/// The joint of a [[body]], as the file has it.
struct JointData {
  JointKind kind = JointKind::pin;
  std::string parent;  ///< empty: the ground, or nothing
  Vec anchor{};
  double own = 0;  ///< s of the joint on the body's own axis
  double direction = 0, angle = 0;
  JointForces forces;
  std::optional<Table> table;  ///< empty: it is a word

  [[nodiscard]] bool is_free() const { return kind == JointKind::free; }
  [[nodiscard]] bool is_ground_pin() const { return kind == JointKind::pin && parent.empty(); }
};

/// The kinds as files call them.
[[nodiscard]] std::vector<std::string> joint_kinds();
/// What a direction may be besides an angle.
[[nodiscard]] std::vector<std::string> direction_words();

/// Reads `joint` of a body. Its place `at` on the parent waits until that is known.
[[nodiscard]] JointData read_joint(const Table& body, const std::string& name, const ShapeData& shape);

/// Reads `at` on the body that carries the joint.
[[nodiscard]] BodyPoint read_attachment(const JointData& joint, const ShapeData& parent);

}  // namespace thud::doc
