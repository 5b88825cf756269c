#pragma once

#include <array>

#include "thud/mechanics/joints/seat.hpp"

namespace thud::mechanics {

/// No joint: a root with its origin and its angle as coordinates. S is the identity in the order (x, z, angle).
struct FreeJoint {
  static constexpr int size = 3;
  static constexpr bool has_line = false;
  static constexpr bool has_seat = false;
  static constexpr int own_angle = 2;
  static constexpr std::array<Coordinate, 3> coordinates{{{"x", false}, {"z", false}, {"angle", true}}};

  template <class P, class T>
  [[gnu::always_inline]] static Frame<T> place(const JointShapeOf<P>&, const Seat<T>&, const Axis<T>& axis,
                                               const T* q, const T* v, int at) {
    return {axis.u, axis.w, {q[at], q[at + 1]}, {v[at], v[at + 1]}, v[at + 2]};
  }
  template <class X>
  static void project(Vec2<X>, const Load<X>& load, X* x) {
    x[0] += load.force.x;
    x[1] += load.force.z;
    x[2] += load.moment;
  }
  template <class X>
  static void move(Vec2<X>, const X* x, Motion<X>& motion) {
    motion = {x[2], {x[0], x[1]}};
  }

  template <class T>
  static void eliminate(const Articulated<T>& a, BodyFactor<T>& f, T* inverse) {
    inverse[2] = T(1) / a.turn;
    f.gain = inverse[2] * a.cross;
    const T xx = a.xx - a.cross.x * f.gain.x, xz = a.xz - a.cross.x * f.gain.z,
            zz = a.zz - a.cross.z * f.gain.z;
    inverse[1] = T(1) / zz;
    f.lean = xz * inverse[1];
    inverse[0] = T(1) / (xx - xz * f.lean);
  }
  template <class T, class X>
  static void lift(const BodyFactor<T>& f, Load<X>& load, X* x) {
    x[2] += load.moment;
    load.force -= x[2] * f.gain;
    x[1] += load.force.z;
    x[0] += load.force.x - f.lean * x[1];
  }
  template <class T, class X>
  static void lower(const BodyFactor<T>& f, const T* inverse, Motion<X>& motion, X* x) {
    x[0] = x[0] * inverse[0];
    x[1] = x[1] * inverse[1] - f.lean * x[0];
    motion.move = {x[0], x[1]};
    x[2] = x[2] * inverse[2] - dot(f.gain, motion.move);
    motion.turn = x[2];
  }
};

}  // namespace thud::mechanics
