#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "thud/beam/beam.hpp"
#include "thud/math/vec2.hpp"

namespace thud {

/// A point of a body in the body's own frame: s along its axis u = (sin q, cos q), n along w = (cos q, −sin q).
template <class P>
struct BodyPointOf {
  P s{};
  P n{};
};
using BodyPoint = BodyPointOf<double>;

/// Of the joint that carries a body.
enum class JointKind : std::uint8_t {
  pin,
  free,
  slider,
  weld,
  geared,  ///< inside a tree alone: a pin with an inertia of its own, on another body
};

/// The joint that carries a body, where it is more than a pin. Angles are against the frame of the parent, or, on the
/// ground, against the downward vertical; at a point of a beam against its tangent there.
template <class P>
struct JointOf {
  JointKind kind = JointKind::pin;
  P direction{};  ///< slider: of its line [rad]
  P angle{};      ///< slider, weld: of the body's axis [rad]
  P inertia{};    ///< reflected by a gear, n² J: of the motion in the joint alone [kg m²; slider: kg]

  /// The body slides along a line through `Body::attach` or `Body::anchor`; its coordinate is the travel [m].
  static JointOf slider(P direction, P angle = {}) { return {JointKind::slider, direction, angle, P{}}; }
  /// The body is one with what carries it. No coordinates.
  static JointOf weld(P angle = {}) { return {JointKind::weld, P{}, angle, P{}}; }
};
using Joint = JointOf<double>;

/// One body of a tree, rigid or with an elastic beam. Its frame has its origin at the joint that carries it
/// (at the undeformed mass centre for a free body); all points below are given in that frame.
/// Mass, centre and inertia are those of the whole body, a beam undeformed and with its tip mass.
template <class P>
struct BodyOf {
  std::string name;
  int parent = -1;          ///< index of the body that carries it; −1: the ground, or nothing
  bool free = false;        ///< root with two translations of its own
  JointOf<P> joint;         ///< a pin, but for `free` bodies, unless told otherwise
  Vec2<P> anchor{};         ///< carried by the ground: where [m]
  BodyPointOf<P> attach{};  ///< carried by a body: the point on the parent [m]
  P mass{};                 ///< [kg]
  BodyPointOf<P> center{};  ///< mass centre [m]
  P inertia{};              ///< about the mass centre [kg m²]
  P weightless{};           ///< the part of the mass that gravity is not to act on [kg]
  P weightless_at{};        ///< s of its centre [m]
  std::shared_ptr<const ElasticBeamOf<P>> beam;  ///< empty: rigid
  bool linear = false;  ///< first order in the deflection: of a beam on the ground with nothing on it
};
using Body = BodyOf<double>;

}  // namespace thud
