#pragma once

#include <vector>

#include "scenario/beams.hpp"
#include "scenario/reader.hpp"
#include "thud/granular/immersion.hpp"

namespace thud::doc {

/// What of a body can touch walls and other bodies: a circle about a point of it, a corner when the radius is zero.
template <class P>
struct ShapeFeatureOf {
  std::string name;  ///< within the body: "tip"; empty: the body itself, a ball or a disc
  BodyPointOf<P> point{};
  P radius{};
};

/// Mass properties and sand geometry of a body, along its own axis from s = 0.
template <class P>
struct ShapeDataOf {
  P mass{};
  BodyPointOf<P> center{};
  P inertia{};   ///< about the mass centre
  P length{};    ///< s of the tip
  P air_area{};  ///< for air drag
  std::vector<PartOf<P>> parts;
  std::vector<ShapeFeatureOf<P>> features;
  std::optional<BeamSpecOf<P>> beam;  ///< at most one, after all rigid parts
  bool has_rigid_parts = false;
  P weightless{}, weightless_at{};  ///< mass that gravity is not to act on, and its centre
};

/// What a shape may be.
[[nodiscard]] std::vector<std::string> shape_kinds();

/// Reads `shape = { kind = ..., ... }`.
template <class P>
[[nodiscard]] ShapeDataOf<P> read_shape(const Table& table);

}  // namespace thud::doc
