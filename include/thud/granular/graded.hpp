#pragma once
// Integrals along a line on which a velocity may vanish, or nearly so.

#include <algorithm>
#include <array>
#include <cmath>

#include "thud/math/dual.hpp"
#include "thud/math/portable.hpp"

namespace thud {

/// Gauss's rules on [−1, 1]: the positive nodes and their weights, each counted on both sides.
template <int N>
struct GaussRule {
  std::array<double, N / 2> node, weight;
};
inline constexpr GaussRule<2> gauss2{{0.57735026918962576451}, {1.0}};
inline constexpr GaussRule<4> gauss4{{0.33998104358485626480, 0.86113631159405257522},
                                     {0.65214515486254614263, 0.34785484513745385737}};
inline constexpr GaussRule<8> gauss8{
    {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959, 0.96028985649753623168},
    {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054, 0.10122853629037625915}};

/// add(x, weight) at the nodes of [from, to].
template <int N, class T, class Add>
void gauss(const GaussRule<N>& rule, T from, T to, Add&& add) {
  const T middle = 0.5 * (from + to), half = 0.5 * (to - from);
  for (int k = 0; k < N / 2; ++k) {
    add(middle - rule.node[k] * half, rule.weight[k] * half);
    add(middle + rule.node[k] * half, rule.weight[k] * half);
  }
}

/// Where a function along a line is singular: at `at` ± i `off` of the complex plane.
template <class T>
struct Singularity {
  T at{};
  double off = 1e300;
};

/// add(x, weight) at the nodes of panels that get shorter towards a singularity close to the line: each is at least three
/// times its half length away from it, where the rule of 8 nodes is good to 1e-12. No panel is longer than `longest`.
template <class T, class Add>
void graded(T from, T to, const Singularity<T>& s, double longest, Add&& add, int deepest = 48) {
  const double a = value_of(from), b = value_of(to), at = value_of(s.at);
  const double half = 0.5 * (b - a), away = portable::hypot(0.5 * (a + b) - at, s.off);
  if (!(half > 0)) return;
  if (away >= 60 * half && half <= 0.25 * longest) return gauss(gauss4, from, to, add);
  if (away >= 3 * half && half <= 0.5 * longest) return gauss(gauss8, from, to, add);
  // On each side of a velocity that vanishes exactly its direction does not change.
  const bool exact = s.off <= 1e-14 * half;
  const bool inside = at > a + 1e-9 * half && at < b - 1e-9 * half;
  if (deepest == 0 || (exact && !inside && half <= 0.5 * longest)) return gauss(gauss8, from, to, add);
  const T middle = inside ? s.at : T(0.5 * (from + to));
  graded(from, middle, s, longest, add, deepest - 1);
  graded(middle, to, s, longest, add, deepest - 1);
}

}  // namespace thud
