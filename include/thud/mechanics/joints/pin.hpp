#pragma once

#include <array>

#include "thud/mechanics/joints/seat.hpp"

namespace thud::mechanics {

/// A pin: one point in common. Its coordinate is the **absolute** angle, so the seat's turning does not matter to it,
/// and what it feels of the body is a mass of 2 × 2.
///
///   S = (1, 0),   M' = M − cross crossᵀ / turn
struct PinJoint {
  static constexpr int size = 1;
  static constexpr bool has_line = false;
  static constexpr bool has_seat = true;
  static constexpr int own_angle = 0;
  static constexpr std::array<Coordinate, 1> coordinates{{{"angle", true}}};

  template <class P, class T>
  [[gnu::always_inline]] static Frame<T> place(const JointShapeOf<P>&, const Seat<T>& seat,
                                               const Axis<T>& axis, const T*, const T* v, int at) {
    return {axis.u, axis.w, seat.origin, seat.origin_rate, v[at]};
  }
  template <class X>
  static void project(Vec2<X>, const Load<X>& load, X* x) {
    x[0] += load.moment;
  }
  template <class X>
  static void move(Vec2<X>, const X* x, Motion<X>& motion) {
    motion.turn = x[0];
  }

  template <class T>
  static void eliminate(Articulated<T>& a, BodyFactor<T>& f, T* inverse) {
    inverse[0] = T(1) / a.turn;
    f.gain = inverse[0] * a.cross;
    a.xx -= a.cross.x * f.gain.x;
    a.xz -= a.cross.x * f.gain.z;
    a.zz -= a.cross.z * f.gain.z;
  }
  template <class T, class X>
  static void lift(const BodyFactor<T>& f, Load<X>& load, X* x) {
    x[0] += load.moment;
    load.force -= x[0] * f.gain;
  }
  template <class T, class X>
  static void lower(const BodyFactor<T>& f, const T* inverse, Motion<X>& motion, X* x) {
    x[0] = x[0] * inverse[0] - dot(f.gain, motion.move);
    motion.turn = x[0];
  }
};

/// A pin on another body with an inertia J of the turning between the two, as a gear reflects it.
///
///   D = turn + J,   A' = (J turn/D, J cross/D, M − cross crossᵀ/D)
///
/// On the ground J is part of the body's own inertia, and a plain pin does.
struct GearedPinJoint : PinJoint {
  static constexpr bool is_geared = true;

  template <class T>
  static void eliminate(Articulated<T>& a, BodyFactor<T>& f, T* inverse) {
    inverse[0] = T(1) / (a.turn + f.rotor);
    f.gain = inverse[0] * a.cross;
    f.turn_gain = -f.rotor * inverse[0];
    a.xx -= a.cross.x * f.gain.x;
    a.xz -= a.cross.x * f.gain.z;
    a.zz -= a.cross.z * f.gain.z;
    a.cross = -f.turn_gain * a.cross;
    a.turn = -f.turn_gain * a.turn;
  }
  template <class T, class X>
  static void lift(const BodyFactor<T>& f, Load<X>& load, X* x) {
    x[0] += load.moment;
    load.force -= x[0] * f.gain;
    load.moment = -x[0] * f.turn_gain;
  }
  template <class T, class X>
  static void lower(const BodyFactor<T>& f, const T* inverse, Motion<X>& motion, X* x) {
    x[0] = x[0] * inverse[0] - motion.turn * f.turn_gain - dot(f.gain, motion.move);
    motion.turn = x[0];
  }
};

}  // namespace thud::mechanics
