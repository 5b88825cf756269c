// Forces out of convex sets.
// Sources of truth: the box problem of the same switches, the closed form of ellipsoids, the optimality conditions.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thud/solve/box_qp.hpp"
#include "thud/solve/hull.hpp"

namespace thud {
namespace {

struct Draw {
  std::mt19937_64 engine{17};
  double operator()(double from, double to) { return std::uniform_real_distribution<>(from, to)(engine); }
};

/// W = J Jᵀ of `rank` columns, and b.
BoxQp draw_problem(Draw& draw, int n, int rank) {
  BoxQp p;
  p.resize(n);
  std::vector<double> j(static_cast<std::size_t>(n) * rank);
  for (double& x : j) x = draw(-1, 1);
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      double sum = 0;
      for (int i = 0; i < rank; ++i) sum += j[a * rank + i] * j[b * rank + i];
      p.matrix[a * n + b] = sum;
    }
    // what moves nothing gets no drive either
    p.offset[a] = 0;
    p.lower[a] = -draw(0.1, 2), p.upper[a] = draw(0.1, 2);
  }
  std::vector<double> drive(rank);
  for (double& x : drive) x = draw(-2, 2);
  for (int a = 0; a < n; ++a)
    for (int i = 0; i < rank; ++i) p.offset[a] += j[a * rank + i] * drive[i];
  return p;
}

TEST(Hull, OfABoxIsTheBoxProblem) {
  Draw draw;
  for (int k = 0; k < 400; ++k) {
    const int n = 1 + k % 7;
    const BoxQp p = draw_problem(draw, n, k % 3 ? n : std::max(1, n - 2));
    const BoxQpSolution theirs = solve_box_qp(p);
    ASSERT_TRUE(theirs.converged);
    const HullSolution mine = solve_hull(p.matrix, p.offset, [&](const double* rate, double* force) {
      for (int i = 0; i < n; ++i) force[i] = rate[i] > 0 ? p.lower[i] : p.upper[i];
    });
    ASSERT_TRUE(mine.converged) << k;
    // the box problem has a ridge of 1e-12
    for (int i = 0; i < n; ++i) ASSERT_NEAR(mine.rate[i], theirs.rate[i], 1e-9) << k << ' ' << i;
  }
}

/// The ellipsoid with these half axes, about a centre: zero is inside.
struct Ellipsoid {
  std::vector<double> axis, center;
  void operator()(const double* rate, double* force) const {
    double size = 0;
    for (std::size_t i = 0; i < axis.size(); ++i) size += axis[i] * axis[i] * rate[i] * rate[i];
    for (std::size_t i = 0; i < axis.size(); ++i)
      force[i] = center[i] - (size > 0 ? axis[i] * axis[i] * rate[i] / std::sqrt(size) : 0);
  }
  double gauge(const std::vector<double>& x) const {  // |x/s − c| = 1 in units of the axes
    double a = 0, b = 0, c = -1;
    for (std::size_t i = 0; i < axis.size(); ++i) {
      a += x[i] * x[i] / (axis[i] * axis[i]);
      b -= 2 * x[i] * center[i] / (axis[i] * axis[i]);
      c += center[i] * center[i] / (axis[i] * axis[i]);
    }
    return 2 * a / (-b + std::sqrt(b * b - 4 * a * c));
  }
};

TEST(Hull, GaugeOfAnEllipsoid) {
  Draw draw;
  for (int k = 0; k < 500; ++k) {
    const int n = 1 + k % 3;
    Ellipsoid e;
    std::vector<double> x;
    for (int i = 0; i < n; ++i) {
      e.axis.push_back(std::pow(10, draw(-3, 2)));  // forces and moments differ by orders of magnitude
      e.center.push_back(e.axis[i] * draw(-0.5, 0.5));
      x.push_back(e.axis[i] * draw(-3, 3));
    }
    const Gauge g = find_gauge(x, e);
    ASSERT_TRUE(g.converged) << k;
    ASSERT_NEAR(g.value, e.gauge(x), 1e-11 * g.value) << k;
  }
  EXPECT_EQ(find_gauge({0, 0}, Ellipsoid{{1, 1}, {0, 0}}).value, 0);
}

// What lies inside is balanced; else the rate is along the normal of the ellipsoid where the force is.
TEST(Hull, OfAnEllipsoidIsBalancedOrSlips) {
  Draw draw;
  int held = 0;
  double worst = 0;
  for (int k = 0; k < 500; ++k) {
    const Ellipsoid e{{draw(0.5, 6), draw(0.5, 6), draw(0.5, 6)}, {draw(-0.1, 0.1), 0, 0}};
    const BoxQp p = draw_problem(draw, 3, 3);
    const HullSolution s = solve_hull(p.matrix, p.offset, e);
    ASSERT_TRUE(s.converged) << k;
    double rate = 0;
    for (double x : s.rate) rate += x * x;
    const double gauge = find_gauge(s.force, e).value;
    worst = std::max(worst, s.gap);
    if (std::sqrt(rate) < 1e-9) {
      ++held;
      ASSERT_LT(gauge, 1 + 1e-9);
      continue;
    }
    if (std::sqrt(rate) < 1e-4) continue;  // next to the border
    ASSERT_NEAR(gauge, 1, 1e-6) << k;
    std::vector<double> met(3);
    e(s.rate.data(), met.data());
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(met[i], s.force[i], 1e-4) << k;
  }
  EXPECT_LT(worst, 1e-10);  // so that the rates are good to 1e-5
  EXPECT_GT(held, 50);
  EXPECT_LT(held, 450);
}

}  // namespace
}  // namespace thud
