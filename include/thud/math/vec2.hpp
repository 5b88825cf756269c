#pragma once

#include <cmath>

namespace thud {

/// A vector of the plane of motion. x points right, z points **down** (docs/notation.md).
template <class T>
struct Vec2 {
  T x{};
  T z{};

  friend constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.z + b.z}; }
  friend constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.z - b.z}; }
  friend constexpr Vec2 operator-(Vec2 a) { return {-a.x, -a.z}; }
  constexpr Vec2& operator+=(Vec2 b) {
    x += b.x;
    z += b.z;
    return *this;
  }
  constexpr Vec2& operator-=(Vec2 b) {
    x -= b.x;
    z -= b.z;
    return *this;
  }
};

template <class S, class T>
constexpr auto operator*(S s, Vec2<T> a) -> Vec2<decltype(s * a.x)> {
  return {s * a.x, s * a.z};
}

/// a · b; the operands may have different scalars (a constant direction and a dual vector, say).
template <class S, class T>
constexpr auto dot(Vec2<S> a, Vec2<T> b) {
  return a.x * b.x + a.z * b.z;
}

/// (r × F)_y = r_z F_x − r_x F_z, the moment of F at r about the y axis.
template <class S, class T>
constexpr auto moment(Vec2<S> r, Vec2<T> f) {
  return r.z * f.x - r.x * f.z;
}

/// ∂r/∂q of a vector r that turns with the angle q: the velocity of its head per unit rate.
template <class T>
constexpr Vec2<T> turned(Vec2<T> r) {
  return {r.z, -r.x};
}

template <class T>
T norm(Vec2<T> a) {
  using std::sqrt;
  return sqrt(a.x * a.x + a.z * a.z);
}

using Vec = Vec2<double>;

}  // namespace thud
