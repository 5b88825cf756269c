#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "thud/math/portable.hpp"

/// Around explicit instantiations that only derivatives with respect to knobs need: the program of `make first` has none.
#ifdef THUD_WITHOUT_DUALS
#define THUD_WITH_DUALS(...)
#else
#define THUD_WITH_DUALS(...) __VA_ARGS__
#endif

namespace thud {

/// A number and its derivative along one direction: forward-mode differentiation.
/// The right-hand side of a mode is written once, templated on its scalar; on `Dual` it gives exact rates.
template <class T>
struct Dual {
  T v{};  // value
  T d{};  // derivative

  constexpr Dual() = default;
  constexpr Dual(T value) : v(value) {}  // NOLINT: constants mix freely with duals
  template <class A, std::enable_if_t<std::is_arithmetic_v<A> && !std::is_same_v<A, T>, int> = 0>
  constexpr Dual(A value) : v(static_cast<T>(value)) {}  // NOLINT
  constexpr Dual(T value, T derivative) : v(value), d(derivative) {}

  friend constexpr Dual operator+(Dual a, Dual b) { return {a.v + b.v, a.d + b.d}; }
  friend constexpr Dual operator-(Dual a, Dual b) { return {a.v - b.v, a.d - b.d}; }
  friend constexpr Dual operator-(Dual a) { return {-a.v, -a.d}; }
  friend constexpr Dual operator*(Dual a, Dual b) { return {a.v * b.v, a.d * b.v + a.v * b.d}; }
  friend constexpr Dual operator/(Dual a, Dual b) {
    const T q = a.v / b.v;
    return {q, (a.d - q * b.d) / b.v};
  }
  constexpr Dual& operator+=(Dual b) { return *this = *this + b; }
  constexpr Dual& operator-=(Dual b) { return *this = *this - b; }
  constexpr Dual& operator*=(Dual b) { return *this = *this * b; }
  constexpr Dual& operator/=(Dual b) { return *this = *this / b; }

  friend constexpr bool operator<(Dual a, Dual b) { return a.v < b.v; }
  friend constexpr bool operator>(Dual a, Dual b) { return a.v > b.v; }
  friend constexpr bool operator<=(Dual a, Dual b) { return a.v <= b.v; }
  friend constexpr bool operator>=(Dual a, Dual b) { return a.v >= b.v; }
};

template <class T>
Dual<T> sin(Dual<T> a) {
  using portable::cos, portable::sin;
  return {sin(a.v), a.d * cos(a.v)};
}
template <class T>
Dual<T> cos(Dual<T> a) {
  using portable::cos, portable::sin;
  return {cos(a.v), -a.d * sin(a.v)};
}
template <class T>
Dual<T> log(Dual<T> a) {
  using portable::log;
  return {log(a.v), a.d / a.v};
}
template <class T>
Dual<T> acos(Dual<T> a) {
  using portable::acos, std::sqrt;
  return {acos(a.v), -a.d / sqrt(T(1) - a.v * a.v)};
}
template <class T>
Dual<T> atan2(Dual<T> y, Dual<T> x) {
  using portable::atan2;
  return {atan2(y.v, x.v), (x.v * y.d - y.v * x.d) / (x.v * x.v + y.v * y.v)};
}
/// At zero the derivative is taken as zero: speeds |v| meet this point at rest, where v|v| is smooth.
template <class T>
Dual<T> sqrt(Dual<T> a) {
  using std::sqrt;
  const T r = sqrt(a.v);
  return {r, r > T(0) ? a.d / (T(2) * r) : T(0)};
}
/// Power with a constant exponent > 1; zero at zero.
template <class T>
Dual<T> pow(Dual<T> a, double p) {
  using portable::pow;
  return {pow(a.v, p), a.d * p * pow(a.v, p - 1)};
}

/// The same with an exponent that changes too.
template <class T>
Dual<T> pow(Dual<T> a, Dual<T> p) {
  using portable::log, portable::pow;
  const T power = pow(a.v, p.v), along = a.d * p.v * pow(a.v, p.v - T(1));
  return {power, a.v > T(0) ? along + p.d * power * log(a.v) : along};
}

/// The plain number behind a scalar.
inline double value_of(double x) { return x; }
template <class T>
double value_of(Dual<T> x) {
  return value_of(x.v);
}

/// The same where it is only compared. A scalar that records what is done with it keeps itself (lanes/traced.hpp).
inline double measured(double x) { return x; }
template <class T>
auto measured(Dual<T> x) {
  return measured(x.v);
}

/// The same for the tolerance of a guard, which may be that of another instant.
inline double roughly(double x) { return x; }
template <class T>
double roughly(Dual<T> x) {
  return roughly(x.v);
}

/// x, zero where it is negative. A scalar that records has its own: a branch would be valid on one side only.
template <class T>
T positive_part(T x) {
  return x > T(0) ? x : T(0);
}

template <class T>
std::vector<double> values_of(const std::vector<T>& x) {
  std::vector<double> out;
  out.reserve(x.size());
  for (const T& one : x) out.push_back(value_of(one));
  return out;
}

/// Nothing at all: not even a change with it.
inline bool is_zero(double x) { return x == 0; }
template <class T>
bool is_zero(const Dual<T>& x) {
  return is_zero(x.v) && is_zero(x.d);
}

}  // namespace thud
