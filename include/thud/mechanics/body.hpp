#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "thud/beam/beam.hpp"
#include "thud/math/vec2.hpp"

namespace thud {

/// A point of a body in the body's own frame: s along its axis u = (sin q, cos q), n along w = (cos q, −sin q).
struct BodyPoint {
  double s = 0;
  double n = 0;
};

/// Of the joint that carries a body.
enum class JointKind : std::uint8_t { pin, free, slider, weld };

/// The joint that carries a body, where it is more than a pin. Angles are against the frame of the parent, or, on the
/// ground, against the downward vertical; at a point of a beam against its tangent there.
struct Joint {
  JointKind kind = JointKind::pin;
  double direction = 0;  ///< slider: of its line [rad]
  double angle = 0;      ///< slider, weld: of the body's axis [rad]

  /// The body slides along a line through `Body::attach` or `Body::anchor`; its coordinate is the travel [m].
  static Joint slider(double direction, double angle = 0) { return {JointKind::slider, direction, angle}; }
  /// The body is one with what carries it. No coordinates.
  static Joint weld(double angle = 0) { return {JointKind::weld, 0, angle}; }
};

/// One body of a tree, rigid or with an elastic beam. Its frame has its origin at the joint that carries it
/// (at the undeformed mass centre for a free body); all points below are given in that frame.
/// Mass, centre and inertia are those of the whole body, a beam undeformed and with its tip mass.
struct Body {
  std::string name;
  int parent = -1;           ///< index of the body that carries it; −1: the ground, or nothing
  bool free = false;         ///< root with two translations of its own
  Joint joint;               ///< a pin, but for `free` bodies, unless told otherwise
  Vec anchor{};              ///< carried by the ground: where [m]
  BodyPoint attach{};        ///< carried by a body: the point on the parent [m]
  double mass = 0;           ///< [kg]
  BodyPoint center{};        ///< mass centre [m]
  double inertia = 0;        ///< about the mass centre [kg m²]
  double weightless = 0;     ///< the part of the mass that gravity is not to act on [kg]
  double weightless_at = 0;  ///< s of its centre [m]
  std::shared_ptr<const ElasticBeam> beam;  ///< empty: rigid
  bool linear = false;  ///< first order in the deflection: of a beam on the ground with nothing on it
};

}  // namespace thud
