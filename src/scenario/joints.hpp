#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/shapes.hpp"
#include "thud/dynamics/system.hpp"

namespace thud::doc {

/// The joint of a [[body]], as the file has it.
template <class P>
struct JointDataOf {
  JointKind kind = JointKind::pin;
  std::string parent;  ///< empty: the ground, or nothing
  Vec2<P> anchor{};
  P own{};  ///< s of the joint on the body's own axis
  P direction{}, angle{}, inertia{};
  JointForcesOf<P> forces;
  bool is_driven = false;      ///< by what follows the motion
  std::optional<Table> table;  ///< empty: it is a word

  [[nodiscard]] bool is_free() const { return kind == JointKind::free; }
  [[nodiscard]] bool is_ground_pin() const { return kind == JointKind::pin && parent.empty(); }
};

/// The kinds as files call them.
[[nodiscard]] std::vector<std::string> joint_kinds();
/// What a direction may be besides an angle.
[[nodiscard]] std::vector<std::string> direction_words();

/// Reads `joint` of a body. Its place `at` on the parent waits until that is known.
template <class P>
[[nodiscard]] JointDataOf<P> read_joint(const Table& body, const std::string& name,
                                        const ShapeDataOf<P>& shape);

/// Reads `at` on the body that carries the joint.
template <class P>
[[nodiscard]] BodyPointOf<P> read_attachment(const JointDataOf<P>& joint, const ShapeDataOf<P>& parent);

}  // namespace thud::doc
