#pragma once

#include <bit>
#include <cstdint>

namespace thud {

/// Added to a number and taken away again, it leaves the nearest whole one, whose last bits are those of the sum.
constexpr double to_whole = 0x1.8p52;

/// A number and the rounding that it lacks: twice the digits, by sums and products alone, which are the same everywhere.
struct Precise {
  double value = 0, rest = 0;
};

/// a + b with what is lost, where |a| ≥ |b| or a is zero.
constexpr Precise sum_of_ordered(double a, double b) {
  const double s = a + b;
  return {s, (a - s) + b};
}
constexpr Precise precise_sum(double a, double b) {
  const double s = a + b, from_b = s - a;
  return {s, (a - (s - from_b)) + (b - from_b)};
}
constexpr Precise precise_difference(double a, double b) { return precise_sum(a, -b); }

/// The first 26 digits of a number: products of two such are exact. No overflow, unlike Veltkamp's way to it.
constexpr double head_of(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & (~std::uint64_t{0} << 27));
}
constexpr Precise precise_product(double a, double b) {
  const double a1 = head_of(a), a2 = a - a1, b1 = head_of(b), b2 = b - b1;
  const double p = a * b;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr Precise operator-(Precise a) { return {-a.value, -a.rest}; }
constexpr Precise operator+(Precise a, Precise b) {
  const Precise s = precise_sum(a.value, b.value);
  return sum_of_ordered(s.value, s.rest + (a.rest + b.rest));
}
constexpr Precise operator*(Precise a, Precise b) {
  const Precise p = precise_product(a.value, b.value);
  return sum_of_ordered(p.value, p.rest + (a.value * b.rest + a.rest * b.value));
}
constexpr Precise operator/(Precise a, Precise b) {
  const double q = a.value / b.value;
  const Precise p = precise_product(q, b.value);
  return sum_of_ordered(q, (((a.value - p.value) - p.rest) + (a.rest - q * b.rest)) / b.value);
}

}  // namespace thud
