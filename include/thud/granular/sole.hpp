#pragma once
// Faces of one direction while their body moves along them. A face leads while it goes outwards by however little, and does not
// while it goes inwards: what sliding soles give is a set (docs/theory/spread-sand.md).

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "thud/granular/facets.hpp"
#include "thud/math/portable.hpp"
#include "thud/solve/hull.hpp"

namespace thud {

/// A face of it: x along the motion, y along the normal of the family, both from the centre; depths at its ends.
template <class T>
struct SoleFaceOf {
  T x0, x1, y, z0, z1, breadth;
  bool outward;      ///< outside is where the normal points
  T normal;          ///< S along the normal of the family [N/m³]
  Below<T> below{};  ///< what of it is felt
};

/// Parallel faces of a body that moves along all of them.
///
/// The stress is S z, with one direction of S for all (layers differ by a factor): of what leads the force is S A, the moment
/// about the centre ∫ z b (x Sₙ − y Sₜ) dx. A motion vₙ = V + ω x next to that along the faces says what leads; the set is the
/// convex hull over all of them. Its forces are two numbers: along the normal, with Sₜ/Sₙ of it along the motion, and the
/// moment per `size`.
template <class T>
struct SoleOf {
  T slope;  ///< Sₜ/Sₙ
  T size;
  std::vector<SoleFaceOf<T>> faces;
  bool in_line = true;  ///< one line, one outside
  std::array<T, 2> meet(double v, double turn) const {
    T pressing{}, turning{};
    for (const SoleFaceOf<T>& f : faces) {
      const double side = f.outward ? 1 : -1;
      const T steep = (f.z1 - f.z0) / (f.x1 - f.x0);
      T from = f.x0, to = f.x1;
      const auto cut = [&](T zero, double rise) {
        if (rise > 0)
          from = from > zero ? from : zero;
        else if (rise < 0)
          to = to < zero ? to : zero;
      };
      const double d0 = value_of(f.z0 - f.below.level), d1 = value_of(f.z1 - f.below.level);
      if (d0 <= 0 && d1 <= 0) continue;
      if (d0 < 0 || d1 < 0) cut(f.x0 + (f.below.level - f.z0) / steep, value_of(steep));
      const double rate = side * turn / value_of(size), at = side * v;
      const double a = at + rate * value_of(f.x0), b = at + rate * value_of(f.x1);
      if (a <= 0 && b <= 0) continue;
      if (a < 0 || b < 0) cut(T(-at / rate), rate);
      if (!(to > from)) continue;
      const T z = f.z0 + (from - f.x0) * steep, l = to - from;
      T first{}, second{};  // of z b, and of x z b with x from `from` on
      if (f.below.rises) {  // a polynomial of the fourth degree
        gauss(gauss4, T(0), l, [&](T x, T weight) {
          const T depth = z + x * steep, share = weight * depth * f.below.weight(depth);
          first += share;
          second += share * x;
        });
      } else {
        first = l * (z + 0.5 * l * steep);
        second = l * l * (0.5 * z + l * steep / 3.0);
      }
      const T force = f.normal * f.breadth;
      pressing += force * first;
      turning += force * (first * (from - f.y * slope) + second);
    }
    return {pressing, turning / size};
  }
  std::array<T, 2> meet_at(double angle) const { return meet(portable::cos(angle), portable::sin(angle)); }

  /// What both sides of the family could give, along its normal.
  T capacity() const {
    const T a = meet(1, 0)[0], b = meet(-1, 0)[0];
    return (value_of(a) < 0 ? -a : a) + (value_of(b) < 0 ? -b : b);
  }
  /// It goes back to the surface of sliding when it leaves it: going outwards meets more than going inwards.
  bool is_held_by_sand() const {
    const double out = value_of(meet(1, 0)[0]), in = value_of(meet(-1, 0)[0]);
    return in - out > 1e-9 * value_of(capacity());
  }

  /// The angle of the motion that meets the force of the least power for this rate.
  double lowest_angle(double v, double turn) const {
    // In line: what leads about the point where friction and pressure together do not turn it.
    const double off = faces.empty() ? 0 : value_of(faces[0].y * slope / size);
    const double own = portable::atan2(turn, v - turn * off);
    if (in_line) return own;
    const auto power = [&](double angle) {
      const std::array<T, 2> f = meet_at(angle);
      return v * value_of(f[0]) + turn * value_of(f[1]);
    };
    return least(power, own);
  }
  std::array<double, 2> lowest(double v, double turn) const {
    const std::array<T, 2> f = meet_at(lowest_angle(v, turn));
    return {value_of(f[0]), value_of(f[1])};
  }

  /// How far inside the set a force is, by its capacity; below zero outside.
  T margin(const std::array<T, 2>& force) const {
    const double x = value_of(force[0]), y = value_of(force[1]);
    const auto room = [&](double angle) {
      const double c = portable::cos(angle), s = portable::sin(angle);
      const std::array<double, 2> f = lowest(c, s);
      return c * (x - f[0]) + s * (y - f[1]);
    };
    const double angle = least(room, 0);
    const double c = portable::cos(angle), s = portable::sin(angle);
    const std::array<T, 2> f = meet_at(lowest_angle(c, s));
    return (c * (force[0] - f[0]) + s * (force[1] - f[1])) / capacity();
  }

 private:
  // The least of a function of an angle: the best of many, and then downhill.
  template <class F>
  static double least(F&& f, double first) {
    constexpr int count = 72;
    constexpr double width = 2 * std::numbers::pi / count;
    double best = first, low = f(first);
    for (int k = 1; k < count; ++k)
      if (const double value = f(first + k * width); value < low) low = value, best = first + k * width;
    constexpr double golden = 0.3819660112501051;
    double from = best - width, to = best + width, mid = best;
    for (int round = 0; round < 60 && to - from > 1e-9; ++round) {
      const bool right = to - mid > mid - from;
      const double next = right ? mid + golden * (to - mid) : mid - golden * (mid - from);
      const double value = f(next);
      if (value < low) {
        (right ? from : to) = mid;
        mid = next, low = value;
      } else {
        (right ? to : from) = next;
      }
    }
    return mid;
  }
};

/// What the faces that a body slides on can give.
struct SoleForces final : ForceSet {
  explicit SoleForces(SoleOf<double> s) : sole(std::move(s)) {}
  void lowest(const double* rate, double* force, bool) const override {
    const std::array<double, 2> f = sole.lowest(rate[0], rate[1]);
    force[0] = f[0], force[1] = f[1];
  }
  SoleOf<double> sole;
};

}  // namespace thud
