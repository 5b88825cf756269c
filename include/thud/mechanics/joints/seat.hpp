#pragma once

#include <cstdint>

#include "thud/mechanics/articulated.hpp"
#include "thud/mechanics/frames.hpp"

namespace thud {

/// Of the joint that carries a body.
enum class JointKind : std::uint8_t { pin, free };

}  // namespace thud

namespace thud::mechanics {

/// A coordinate of a joint.
struct Coordinate {
  const char* name;
  bool is_angle;
};

/// The place that carries a joint: a point of the parent, or of the ground.
template <class T>
struct Seat {
  Vec2<T> origin, origin_rate, centripetal;
  Vec2<T> reach;  ///< to it from the parent's origin
};

/// Axis and lateral unit vector of a frame.
template <class T>
struct Axis {
  Vec2<T> u, w;
};

inline Axis<double> axis_at(double angle) {
  double s, c;
  __builtin_sincos(angle, &s, &c);
  return {{s, c}, {c, -s}};
}
template <class T>
Axis<T> axis_at(T angle) {
  const T s = sin(angle), c = cos(angle);
  return {{s, c}, {c, -s}};
}

/// Whether what a joint carries turns with the seat, so that moments pass it.
template <class Joint>
inline constexpr bool turns_with_seat = Joint::own_angle < 0;

}  // namespace thud::mechanics
