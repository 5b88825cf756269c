#pragma once

#include <array>

#include "thud/mechanics/joints/seat.hpp"

namespace thud::mechanics {

/// A weld: the body is one with its seat, at an angle. No coordinates; the seat feels all of the body.
struct WeldJoint {
  static constexpr int size = 0;
  static constexpr int own_angle = -1;
  static constexpr bool has_seat = true;
  static constexpr bool has_line = false;
  static constexpr std::array<Coordinate, 0> coordinates{};

  template <class P, class T>
  static Frame<T> place(const JointShapeOf<P>& shape, const Seat<T>& seat, const Axis<T>&, const T*, const T*,
                        int) {
    const Axis<T> own = rotated(seat.axis, shape.cosine, shape.sine);
    return {own.u, own.w, seat.origin, seat.origin_rate, seat.rate};
  }
  template <class X>
  static void project(Vec2<X>, const Load<X>&, X*) {}
  template <class X>
  static void move(Vec2<X>, const X*, Motion<X>&) {}

  template <class T>
  static void eliminate(const Articulated<T>&, const BodyFactor<T>&, T*) {}
  template <class T, class X>
  static void lift(const BodyFactor<T>&, const Load<X>&, X*) {}
  template <class T, class X>
  static void lower(const BodyFactor<T>&, const T*, const Motion<X>&, X*) {}
};

}  // namespace thud::mechanics
