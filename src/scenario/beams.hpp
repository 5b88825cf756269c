#pragma once

#include <optional>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/beam/beam.hpp"

namespace thud::doc {

/// A part `{ kind = "beam", ... }` of a shape, before it is known how its body is held.
template <class P>
struct BeamSpecOf {
  explicit BeamSpecOf(Table t) : table(std::move(t)) {}

  Table table;  ///< for messages
  P at{};       ///< where it starts on the body's axis [m]
  P mass{};     ///< of the beam alone [kg]
  P width{};    ///< across the plane of motion [m]
  P area{};     ///< of the section [m²]
  BeamDataOf<P> data;
  std::optional<Support> support;
  bool elements = false;  ///< basis of Hermite elements instead of modes
  int element_count = 0, shape_count = 0;
  BeamGravity gravity = BeamGravity::distributed;
  bool straight = false, lee2009_stiffness = false;
  std::vector<P> ratios;  ///< damping by shape
  std::optional<std::array<P, 2>> rayleigh;
  std::optional<std::array<P, 2>> rayleigh_ratios;  ///< of the first two modes
  bool by_state = false;  ///< those of the hub held and of the hub free, each when it is
  bool small_motion = false;
};

template <class P>
[[nodiscard]] BeamSpecOf<P> read_beam(const Table& table, P start);

/// How its body holds the beam.
template <class P>
struct BeamMountOf {
  bool is_free = false;       ///< the body is free
  bool has_moments = false;   ///< torque, friction or damping act in the joint
  bool behind_parts = false;  ///< rigid parts come before it
  bool is_held = false;       ///< by a slider or a weld
  P origin{};                 ///< s of the body's origin
};

/// The beam in the frame of its body. Throws InputError for supports that do not fit the body.
template <class P>
[[nodiscard]] ElasticBeamOf<P> make_beam(const BeamSpecOf<P>& spec, const BeamMountOf<P>& mount);

}  // namespace thud::doc
