#pragma once

#include <string>
#include <vector>

#include "scenario/joints.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// One [[body]] with its joint resolved.
template <class P>
struct BodyDataOf {
  BodyOf<P> rigid;
  JointForcesOf<P> forces;
  ShapeDataOf<P> shape;
  P origin{};  ///< s of the joint on the body's own axis
  std::vector<std::string> notes;
};

/// Letters, digits, _ and -.
[[nodiscard]] bool is_name(std::string_view name);
/// Refuses, at the key, what is none.
void check_name(const Table& table, const char* key, const std::string& name);

/// The body that a key names by its joint, which must be one in which something moves.
template <class P>
[[nodiscard]] int find_joint(const Table& table, const char* key, const TreeOf<P>& tree);

/// Reads every [[body]], repeated ones expanded, in an order where parents come first.
template <class P>
[[nodiscard]] std::vector<BodyDataOf<P>> read_bodies(const Table& root);

}  // namespace thud::doc
