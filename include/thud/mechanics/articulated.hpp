#pragma once
// Small planar quantities of one body, about the origin of its frame.

#include "thud/math/vec2.hpp"

namespace thud::mechanics {

/// Turning and moving of a frame: of its angle, and of its origin.
template <class T>
struct Motion {
  T turn{};
  Vec2<T> move{};
};

/// What acts on a frame: the moment about its origin, and the force.
template <class T>
struct Load {
  T moment{};
  Vec2<T> force{};
};

/// Inertia of a body with all that hangs on it, as its frame feels it:
///
///   moment = turn α + cross · a,     force = cross α + [xx xz; xz zz] a
template <class T>
struct Articulated {
  T turn{};
  Vec2<T> cross{};
  T xx{}, xz{}, zz{};

  Vec2<T> push(Vec2<T> a) const { return {xx * a.x + xz * a.z, xz * a.x + zz * a.z}; }
  Articulated& operator+=(const Articulated& b) {
    turn += b.turn, cross += b.cross;
    xx += b.xx, xz += b.xz, zz += b.zz;
    return *this;
  }
};

/// What solving needs to know of one body; written when it is eliminated.
template <class T>
struct BodyFactor {
  Vec2<T> reach;   ///< to the body's origin from that of its parent
  Vec2<T> gain;    ///< of the joint's coordinate per acceleration of the seat, less the motion with it
  T turn_gain{};   ///< the same per turning of the seat
  T lean{};        ///< free: of z per acceleration of x
  Vec2<T> line;    ///< slider: its direction
  T rotor{};       ///< inertia of the motion in the joint
  Vec2<T> first;   ///< ∫ r dm of the body by itself
  Vec2<T> side;    ///< lateral unit vector, of elastic bodies
  T turning{};     ///< what the deflection adds to the inertia about the origin
  Vec2<T> offset;  ///< to the body's origin from the seat
};

}  // namespace thud::mechanics
