// Forward-mode differentiation.
// Sources of truth: identities of calculus, and central differences.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thud/math/dual.hpp"
#include "thud/math/vec2.hpp"

namespace thud {
namespace {

using D = Dual<double>;

// Central difference with h = 1e-5: truncation h² |f'''|/6 ≈ 2e-11 |f'''|, rounding 1e-16 |f|/h ≈ 1e-11 |f|.
// With |f|, |f'''| ≤ 100 below: 1e-8.
template <class F>
void expect_derivative(const F& f, double x) {
  const D y = f(D(x, 1.0));
  const double h = 1e-5;
  const double expected = (value_of(f(D(x + h))) - value_of(f(D(x - h)))) / (2 * h);
  EXPECT_DOUBLE_EQ(y.v, value_of(f(D(x))));
  EXPECT_NEAR(y.d, expected, 1e-8 * (1 + std::abs(expected))) << "at " << x;
}

TEST(DualDerivatives, functions_against_central_differences) {
  for (double x : {0.2, 0.45, 0.7, 0.9}) {
    expect_derivative([](D a) { return sin(a); }, x);
    expect_derivative([](D a) { return cos(a); }, x);
    expect_derivative([](D a) { return atan2(a * a, D(1) - a); }, x);
    expect_derivative([](D a) { return sqrt(a); }, x);
    expect_derivative([](D a) { return pow(a, 1.1); }, x);
    expect_derivative([](D a) { return pow(a, 2.5); }, x);
    expect_derivative([](D a) { return 1.0 / a - a / 3.0 + 2 * a * a; }, x);
    expect_derivative([](D a) { return sin(a * a) / sqrt(1 + a) * pow(a, 1.7) - atan2(0.5 * a, cos(a)); }, x);
  }
}

TEST(DualDerivatives, assignments_and_negation) {
  expect_derivative(
      [](D a) {
        D b = a;
        b += a * a;
        b -= 0.3;
        b *= cos(a);
        return -b;
      },
      0.6);
}

// Source of truth: sin² + cos² = 1 and (√a)² = a, (a/b) b = a as functions: value and derivative.
TEST(DualIdentities, hold_in_value_and_derivative) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0.1, 2);
  for (int k = 0; k < 100; ++k) {
    const D a(unit(random), unit(random)), b(unit(random), -unit(random));
    const D one = sin(a) * sin(a) + cos(a) * cos(a);
    EXPECT_NEAR(one.v, 1, 1e-15);
    EXPECT_NEAR(one.d, 0, 1e-15);
    const D root = sqrt(a) * sqrt(a), ratio = a / b * b;
    EXPECT_NEAR(root.v, a.v, 1e-15);
    EXPECT_NEAR(root.d, a.d, 4e-15);
    EXPECT_NEAR(ratio.v, a.v, 1e-15);
    EXPECT_NEAR(ratio.d, a.d, 1e-13);
    const D angle = atan2(sin(a), cos(a));
    EXPECT_NEAR(angle.v, a.v, 1e-15);
    EXPECT_NEAR(angle.d, a.d, 1e-15);
  }
}

// Source of truth: the second derivative by nesting, x³ → 6x.
TEST(DualIdentities, duals_of_duals_give_second_derivatives) {
  const Dual<D> x(D(1.5, 1.0), D(1.0, 0.0));
  const Dual<D> y = x * x * x;
  EXPECT_DOUBLE_EQ(y.d.d, 9.0);
  EXPECT_DOUBLE_EQ(sin(x).d.d, -std::sin(1.5));
  EXPECT_DOUBLE_EQ(value_of(y), 3.375);
}

// Source of truth: the comments of sqrt and pow. v|v| is smooth at rest, so its derivative there is 0, not NaN.
TEST(DualLimits, rest_is_harmless) {
  const D root = sqrt(D(0.0, 1.0));
  EXPECT_EQ(root.v, 0);
  EXPECT_EQ(root.d, 0);
  const Vec2<D> v{D(0.0, 2.0), D(0.0, -1.0)};
  const D drag = norm(v) * v.x;
  EXPECT_EQ(drag.v, 0);
  EXPECT_EQ(drag.d, 0);
  EXPECT_EQ(pow(D(0.0, 1.0), 1.1).d, 0);
}

TEST(DualOrder, compares_values_only) {
  EXPECT_TRUE(D(1, 5) < D(2, -5));
  EXPECT_TRUE(D(2, 0) > D(1, 9));
  EXPECT_TRUE(D(1, 5) <= D(1, -5));
  EXPECT_TRUE(D(1, 5) >= D(1, -5));
}

// Source of truth: geometry of the plane with z down.
TEST(Vectors, moment_and_turning_are_consistent) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < 50; ++k) {
    const Vec r{unit(random), unit(random)}, f{unit(random), unit(random)};
    EXPECT_NEAR(moment(r, f), dot(turned(r), f), 1e-16);  // power per unit rate
    EXPECT_NEAR(moment(r, turned(r)), dot(r, r), 1e-16);
    EXPECT_NEAR(dot(r, turned(r)), 0, 1e-16);
    const double q = unit(random);  // turned() is ∂/∂q of the axis u(q)
    const Vec2<D> u{sin(D(q, 1.0)), cos(D(q, 1.0))};
    EXPECT_DOUBLE_EQ(u.x.d, turned(Vec{std::sin(q), std::cos(q)}).x);
    EXPECT_DOUBLE_EQ(u.z.d, turned(Vec{std::sin(q), std::cos(q)}).z);
  }
}

}  // namespace
}  // namespace thud
