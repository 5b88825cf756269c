#pragma once

#include "thud/math/portable.hpp"
#include "thud/mechanics/articulated.hpp"
#include "thud/mechanics/frames.hpp"

namespace thud::mechanics {

/// A coordinate of a joint.
struct Coordinate {
  const char* name;
  bool is_angle;
};

/// Axis and lateral unit vector of a frame.
template <class T>
struct Axis {
  Vec2<T> u, w;
};

inline Axis<double> axis_at(double angle) {
  const auto [s, c] = portable::sine_cosine(angle);
  return {{s, c}, {c, -s}};
}
template <class T>
Axis<T> axis_at(T angle) {
  const T s = sin(angle), c = cos(angle);
  return {{s, c}, {c, -s}};
}
/// Further by the angle of the given cosine and sine.
template <class S, class T>
Axis<T> rotated(const Axis<T>& a, S cosine, S sine) {
  return {cosine * a.u + sine * a.w, cosine * a.w - sine * a.u};
}

/// Constants of a joint: see Joint.
template <class P>
struct JointShapeOf {
  P cosine = P(1), sine{};   ///< of the body's axis against the seat's
  P along = P(1), across{};  ///< the line of a slider in the frame of the body
  P ahead{};                 ///< of the angle that turns the body [rad]
};

/// The place that carries a joint: a point of the parent, or of the ground. A joint moves it on to the body's origin.
template <class T>
struct Seat {
  Vec2<T> origin, origin_rate, centripetal;
  Vec2<T> reach;  ///< to it from the parent's origin
  // Where the body turns with it:
  Axis<T> axis;
  T rate{};
  T travel{}, travel_rate{};  ///< of a slider, for Frames
};

/// Whether what a joint carries turns with the seat, so that moments pass it.
template <class Joint>
inline constexpr bool turns_with_seat = Joint::own_angle < 0;
/// Whether the seat feels a moment once the coordinates are eliminated: also where a gear is in between.
template <class Joint>
inline constexpr bool hands_on_moments = turns_with_seat<Joint> || requires {
  Joint::is_geared;
};

}  // namespace thud::mechanics
