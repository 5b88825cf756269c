#pragma once

#include <vector>

#include "scenario/beams.hpp"
#include "scenario/reader.hpp"
#include "thud/granular/immersion.hpp"

namespace thud::doc {

/// What of a body can touch walls and other bodies: a circle about a point of it, a corner when the radius is zero.
struct ShapeFeature {
  std::string name;  ///< within the body: "tip"; empty: the body itself, a ball or a disc
  BodyPoint point{};
  double radius = 0;
};

/// Mass properties and sand geometry of a body, along its own axis from s = 0.
struct ShapeData {
  double mass = 0;
  BodyPoint center{};
  double inertia = 0;   ///< about the mass centre
  double length = 0;    ///< s of the tip
  double air_area = 0;  ///< for air drag
  std::vector<Part> parts;
  std::vector<ShapeFeature> features;
  std::optional<BeamSpec> beam;  ///< at most one, after all rigid parts
  bool has_rigid_parts = false;
  double weightless = 0, weightless_at = 0;  ///< mass that gravity is not to act on, and its centre
};

/// What a shape may be.
[[nodiscard]] std::vector<std::string> shape_kinds();

/// Reads `shape = { kind = ..., ... }`.
[[nodiscard]] ShapeData read_shape(const Table& table);

}  // namespace thud::doc
