#pragma once

#include <optional>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/beam/beam.hpp"

namespace thud::doc {

/// A part `{ kind = "beam", ... }` of a shape, before it is known how its body is held.
struct BeamSpec {
  explicit BeamSpec(Table t) : table(std::move(t)) {}

  Table table;       ///< for messages
  double at = 0;     ///< where it starts on the body's axis [m]
  double mass = 0;   ///< of the beam alone [kg]
  double width = 0;  ///< across the plane of motion [m]
  double area = 0;   ///< of the section [m²]
  BeamData data;
  std::optional<Support> support;
  bool elements = false;  ///< basis of Hermite elements instead of modes
  int element_count = 0, shape_count = 0;
  BeamGravity gravity = BeamGravity::distributed;
  bool straight = false, lee2009_stiffness = false;
  std::vector<double> ratios;  ///< damping by shape
  std::optional<std::array<double, 2>> rayleigh;
  std::optional<std::array<double, 2>> rayleigh_ratios;  ///< of the first two modes
  bool by_state = false;  ///< those of the hub held and of the hub free, each when it is
  bool small_motion = false;
};

[[nodiscard]] BeamSpec read_beam(const Table& table, double start);

/// How its body holds the beam.
struct BeamMount {
  bool is_free = false;       ///< the body is free
  bool has_moments = false;   ///< torque, friction or damping act in the joint
  bool behind_parts = false;  ///< rigid parts come before it
  bool is_held = false;       ///< by a slider or a weld
  double origin = 0;          ///< s of the body's origin
};

/// The beam in the frame of its body. Throws InputError for supports that do not fit the body.
[[nodiscard]] ElasticBeam make_beam(const BeamSpec& spec, const BeamMount& mount);

}  // namespace thud::doc
