#pragma once

#include <array>

#include "thud/mechanics/joints/seat.hpp"

namespace thud::mechanics {

/// A slider: the body moves along a line of its seat and turns with it. With d the direction of the line and s the
/// travel, the body's origin is s d from the seat, and
///
///   S = (0, d),   gain = (cross·d, M d)/D,   D = dᵀ M d + J,   A' = A − (cross·d, M d) gainᵀ
///   acceleration of the origin at v̇ = 0: that of the seat − rate² s d + 2 rate ṡ turned(d)
///
/// On the ground the body does not turn at all.
struct SliderJoint {
  static constexpr int size = 1;
  static constexpr int own_angle = -1;
  static constexpr bool has_seat = true;
  static constexpr bool has_line = true;
  static constexpr std::array<Coordinate, 1> coordinates{{{"travel", false}}};

  template <class P, class T>
  static Frame<T> place(const JointShapeOf<P>& shape, Seat<T>& seat, const Axis<T>&, const T* q, const T* v,
                        int at) {
    const Axis<T> own = rotated(seat.axis, shape.cosine, shape.sine);
    const Vec2<T> line = shape.along * own.u + shape.across * own.w, offset = q[at] * line;
    seat.travel = q[at];
    seat.travel_rate = v[at];
    seat.reach += offset;
    seat.origin += offset;
    seat.origin_rate += seat.rate * turned(offset) + v[at] * line;
    seat.centripetal += T(2) * seat.rate * v[at] * turned(line) - seat.rate * seat.rate * offset;
    return {own.u, own.w, seat.origin, seat.origin_rate, seat.rate};
  }
  template <class X>
  static void project(Vec2<X> line, const Load<X>& load, X* x) {
    x[0] += dot(line, load.force);
  }
  template <class X>
  static void move(Vec2<X> line, const X* x, Motion<X>& motion) {
    motion.move += x[0] * line;
  }

  template <class T>
  static void eliminate(Articulated<T>& a, BodyFactor<T>& f, T* inverse) {
    const T turn = dot(a.cross, f.line);
    const Vec2<T> push = a.push(f.line);
    inverse[0] = T(1) / (dot(f.line, push) + f.rotor);
    f.gain = inverse[0] * push;
    f.turn_gain = inverse[0] * turn;
    a.turn -= turn * f.turn_gain;
    a.cross -= f.turn_gain * push;
    a.xx -= push.x * f.gain.x;
    a.xz -= push.x * f.gain.z;
    a.zz -= push.z * f.gain.z;
  }
  template <class T, class X>
  static void lift(const BodyFactor<T>& f, Load<X>& load, X* x) {
    x[0] += dot(f.line, load.force);
    load.moment -= x[0] * f.turn_gain;
    load.force -= x[0] * f.gain;
  }
  template <class T, class X>
  static void lower(const BodyFactor<T>& f, const T* inverse, Motion<X>& motion, X* x) {
    x[0] = x[0] * inverse[0] - motion.turn * f.turn_gain - dot(f.gain, motion.move);
    motion.move += x[0] * f.line;
  }
};

}  // namespace thud::mechanics
