#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "thud/math/portable.hpp"

namespace thud {

/// All values between two bounds.
struct Interval {
  double lo = 0, hi = 0;

  Interval() = default;
  Interval(double x) : lo(x), hi(x) {}
  Interval(double a, double b) : lo(a), hi(b) {}

  static Interval everything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  double width() const { return hi - lo; }
  bool has(double x) const { return lo <= x && x <= hi; }
  bool is_finite() const { return std::isfinite(lo) && std::isfinite(hi); }
  bool is_one() const { return lo == hi; }
};

namespace interval {

/// Outwards by more than rounding; what is exactly zero stays so. Bounds that are no numbers know nothing.
inline Interval wide(double lo, double hi) {
  if (std::isnan(lo) || std::isnan(hi)) return Interval::everything();
  constexpr double slack = 8 * std::numeric_limits<double>::epsilon();
  return {std::isinf(lo) ? lo : lo - slack * std::abs(lo), std::isinf(hi) ? hi : hi + slack * std::abs(hi)};
}
inline Interval hull(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

inline Interval operator-(Interval a) { return {-a.hi, -a.lo}; }
inline Interval operator+(Interval a, Interval b) { return wide(a.lo + b.lo, a.hi + b.hi); }
inline Interval operator-(Interval a, Interval b) { return wide(a.lo - b.hi, a.hi - b.lo); }
inline Interval operator*(Interval a, Interval b) {
  const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0.0 : x * y; };
  const double p[] = {times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)};
  return wide(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}
inline Interval inverse(Interval a) { return a.has(0) ? Interval::everything() : wide(1 / a.hi, 1 / a.lo); }
inline Interval operator/(Interval a, Interval b) { return a * inverse(b); }

/// Of a function that rises.
template <class F>
Interval rising(Interval a, F&& f) {
  return wide(f(a.lo), f(a.hi));
}
inline Interval square(Interval a) {
  const double p = a.lo * a.lo, q = a.hi * a.hi;
  return wide(a.has(0) ? 0.0 : std::min(p, q), std::max(p, q));
}
/// Largest where the phase is a whole number of turns.
inline Interval cosine(Interval a) {
  constexpr double turn = 2 * std::numbers::pi;
  if (!a.is_finite() || a.width() >= turn || std::max(-a.lo, a.hi) > 1e15) return {-1, 1};
  const auto passes = [&](double phase) {
    return std::floor((a.hi - phase) / turn) >= (a.lo - phase) / turn;
  };
  const double p = portable::cos(a.lo), q = portable::cos(a.hi);
  const Interval ends = wide(std::min(p, q), std::max(p, q));
  return {passes(std::numbers::pi) ? -1 : std::max(ends.lo, -1.0), passes(0) ? 1 : std::min(ends.hi, 1.0)};
}
inline Interval sine(Interval a) {
  constexpr double quarter = std::numbers::pi / 2;
  return cosine({a.lo - quarter, a.hi - quarter});
}

}  // namespace interval

}  // namespace thud
