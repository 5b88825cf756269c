// The box problem behind the selection of a mode.
// Source of truth: its Karush–Kuhn–Tucker conditions, which are the complementarity conditions of the switches.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "thud/solve/box_qp.hpp"

namespace thud {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

BoxQp make_problem(const Matrix& w, const Vector& b, const Vector& lower, const Vector& upper) {
  BoxQp p;
  const int n = static_cast<int>(b.size());
  p.resize(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) p.matrix[i * n + j] = w(i, j);
    p.offset[i] = b[i];
    p.lower[i] = lower[i];
    p.upper[i] = upper[i];
  }
  return p;
}

// The problem is regularised by 1e-12 in units of the widths of the boxes (docs/theory/switches.md), so a rate is
// off by up to 1e-12 times the largest force and entry of W; 1e-9 leaves room for the condition of what is free.
void expect_kkt(const BoxQp& p, const BoxQpSolution& s, double tolerance) {
  ASSERT_TRUE(s.converged);
  const int n = p.size;
  double size = 0;
  for (int i = 0; i < n; ++i) {
    size = std::max(size, std::abs(p.offset[i]));
    for (int j = 0; j < n; ++j)
      size = std::max(size,
                      std::abs(p.matrix[i * n + j]) * std::max(std::abs(p.lower[j]), std::abs(p.upper[j])));
  }
  const double small = tolerance * (1 + size);
  for (int i = 0; i < n; ++i) {
    double rate = p.offset[i];
    for (int j = 0; j < n; ++j) rate += p.matrix[i * n + j] * s.force[j];
    EXPECT_NEAR(s.rate[i], rate, small) << i;
    EXPECT_GE(s.force[i], p.lower[i] - 1e-12 * (1 + std::abs(p.lower[i]))) << i;
    EXPECT_LE(s.force[i], p.upper[i] + 1e-12 * (1 + std::abs(p.upper[i]))) << i;
    const double width = p.upper[i] - p.lower[i];
    const bool low = s.force[i] <= p.lower[i] + 1e-9 * width, high = s.force[i] >= p.upper[i] - 1e-9 * width;
    if (!low) {  // could still be pushed down
      EXPECT_LE(rate, small) << i;
    }
    if (!high) {  // could still be pushed up
      EXPECT_GE(rate, -small) << i;
    }
    if (s.state[i] == BoundState::lower) {
      EXPECT_DOUBLE_EQ(s.force[i], p.lower[i]) << i;
    }
    if (s.state[i] == BoundState::upper) {
      EXPECT_DOUBLE_EQ(s.force[i], p.upper[i]) << i;
    }
  }
}

struct Drawn {
  Matrix w;
  Vector b, lower, upper;
};

/// J M⁻¹ Jᵀ of the given rank; b in the range of J as for real accelerations.
Drawn draw(std::mt19937& random, int n, int rank, double zero_width) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  const Matrix j = Matrix::NullaryExpr(n, rank, [&] { return normal(random); });
  Drawn d;
  d.w = j * j.transpose();
  d.b = j * Vector::NullaryExpr(rank, [&] { return 3 * normal(random); });
  d.lower = Vector::NullaryExpr(n, [&] { return -2 * unit(random); });
  d.upper = Vector::NullaryExpr(n, [&] { return 2 * unit(random); });
  for (int i = 0; i < n; ++i)
    if (unit(random) < zero_width) d.lower[i] = d.upper[i] = 0;
  return d;
}

TEST(Optimality, definite_problems) {
  std::mt19937 random(1);
  for (int n = 1; n <= 20; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(testing::Message() << "n " << n << " trial " << trial);
      const Drawn d = draw(random, n, n + 2, 0);
      const BoxQp p = make_problem(d.w, d.b, d.lower, d.upper);
      expect_kkt(p, solve_box_qp(p), 1e-9);
    }
}

TEST(Optimality, more_switches_than_freedoms) {
  std::mt19937 random(2);
  for (int n = 2; n <= 20; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(testing::Message() << "n " << n << " trial " << trial);
      const Drawn d = draw(random, n, 1 + trial % n, 0);
      const BoxQp p = make_problem(d.w, d.b, d.lower, d.upper);
      expect_kkt(p, solve_box_qp(p), 1e-8);
    }
}

TEST(Optimality, boxes_without_width) {
  std::mt19937 random(3);
  for (int n = 1; n <= 20; ++n)
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(testing::Message() << "n " << n << " trial " << trial);
      const Drawn d = draw(random, n, 1 + (trial * 7) % (n + 3), 0.4);
      const BoxQp p = make_problem(d.w, d.b, d.lower, d.upper);
      expect_kkt(p, solve_box_qp(p), 1e-8);
    }
}

// Widths from 1e-5 to 1e2: the ridge is 1e-12 of the strongest switch, and is felt more by a weak one: 1e-8.
TEST(Optimality, boxes_of_very_different_widths) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    Drawn d = draw(random, 8, 8, 0);
    for (int i = 0; i < 8; ++i) {
      const double scale = std::pow(10.0, i - 5);
      d.lower[i] *= scale, d.upper[i] *= scale;
    }
    const BoxQp p = make_problem(d.w, d.b, d.lower, d.upper);
    expect_kkt(p, solve_box_qp(p), 1e-8);
  }
}

// Source of truth: γ̇ is unique even where λ is not. The same problem with its switches in another order, and a slow
// projected Gauss–Seidel iteration that shares nothing with the solver, give the same rates.
TEST(Uniqueness, of_the_rate) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const int n = 2 + trial % 10, rank = 1 + trial % 4;
    const Drawn d = draw(random, n, rank, 0.1);
    const BoxQpSolution s = solve_box_qp(make_problem(d.w, d.b, d.lower, d.upper));
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    Drawn m = d;
    for (int i = 0; i < n; ++i) {
      m.b[i] = d.b[order[i]], m.lower[i] = d.lower[order[i]], m.upper[i] = d.upper[order[i]];
      for (int k = 0; k < n; ++k) m.w(i, k) = d.w(order[i], order[k]);
    }
    const BoxQpSolution t = solve_box_qp(make_problem(m.w, m.b, m.lower, m.upper));
    for (int i = 0; i < n; ++i) EXPECT_NEAR(t.rate[i], s.rate[order[i]], 1e-8);
    Vector x = Vector::Zero(n);
    for (int sweep = 0; sweep < 20000; ++sweep)
      for (int i = 0; i < n; ++i) {
        const double rate = d.w.row(i).dot(x) + d.b[i];
        x[i] = std::clamp(x[i] - rate / d.w(i, i), d.lower[i], d.upper[i]);
      }
    const Vector rate = d.w * x + d.b;  // converges linearly; 20000 sweeps leave about 1e-6 at worst
    for (int i = 0; i < n; ++i) EXPECT_NEAR(s.rate[i], rate[i], 1e-5);
  }
}

// Source of truth: by hand. A block on a table pushed with 3 N: held below the bound, slipping with the rest above it.
TEST(ByHand, stick_and_slip) {
  Matrix w(1, 1);
  w << 0.5;  // 1/m
  for (double push : {-7.0, -3.0, 0.0, 3.0, 7.0}) {
    Vector b(1), f(1);
    b << 0.5 * push;
    f << 4;
    const BoxQpSolution s = solve_box_qp(make_problem(w, b, -f, f));
    const double held = std::clamp(-push, -4.0, 4.0);
    EXPECT_NEAR(s.force[0], held, 1e-10);
    EXPECT_NEAR(s.rate[0], 0.5 * (push + held), 1e-10);
    EXPECT_EQ(s.state[0], push > 4 ? BoundState::lower : push < -4 ? BoundState::upper : BoundState::inside);
  }
}

TEST(ByHand, nothing_to_decide) {
  const BoxQpSolution s = solve_box_qp(make_problem(Matrix(0, 0), Vector(0), Vector(0), Vector(0)));
  EXPECT_TRUE(s.converged);
  EXPECT_TRUE(s.force.empty());
}

// Source of truth: symmetry. Two equal switches on one freedom share the load by their strength.
TEST(ByHand, redundant_switches_share_the_load) {
  const Matrix w = Matrix::Ones(2, 2);
  Vector b(2), f(2);
  b << 3, 3;
  f << 1, 5;
  const BoxQpSolution s = solve_box_qp(make_problem(w, b, -f, f));
  EXPECT_NEAR(s.force[0] + s.force[1], -3, 1e-9);
  EXPECT_NEAR(s.rate[0], 0, 1e-9);
  EXPECT_NEAR(s.rate[1], 0, 1e-9);
  f << 1, 1;
  const BoxQpSolution overloaded = solve_box_qp(make_problem(w, b, -f, f));
  EXPECT_NEAR(overloaded.rate[0], 1, 1e-9);
  EXPECT_NEAR(overloaded.force[0], -1, 1e-12);
  EXPECT_NEAR(overloaded.force[1], -1, 1e-12);
}

}  // namespace
}  // namespace thud
