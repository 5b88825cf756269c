// Sources of truth: closed forms of a damped oscillator and of free flight, and the series of the matrix exponential,
// scaled and squared.
#include "step/ladder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace thud {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// One form; a list in braces would be copied from a temporary, which gcc 12 warns of in vain.
std::vector<Matrix> form(const Matrix& m) { return std::vector<Matrix>(1, m); }

Matrix exponential(Matrix a) {
  constexpr int squarings = 16;
  a /= std::ldexp(1.0, squarings);
  Matrix sum = Matrix::Identity(a.rows(), a.cols()), term = sum, next = sum;
  for (int k = 1; k < 30; ++k) {
    next.noalias() = term * a;
    term = next / k;
    sum += term;
  }
  for (int k = 0; k < squarings; ++k) {
    next.noalias() = sum * sum;
    sum = next;
  }
  return sum;
}

TEST(Ladder, damped_oscillator) {
  const double omega = 300, ratio = 0.05, decay = ratio * omega,
               damped = omega * std::sqrt(1 - ratio * ratio);
  const Matrix by_q = Matrix::Constant(1, 1, -omega * omega), by_v = Matrix::Constant(1, 1, -2 * decay);
  const Ladder ladder(by_q, by_v, form(Matrix::Constant(1, 1, 1.0)), 0.02);
  const double v0 = 1.5;  // from q = 0
  for (const double t : {1e-7, 1e-4, 0.0123, 0.02, 0.037}) {
    Vector w(2), dx = Vector::Zero(2);
    w << v0, -2 * decay * v0;
    double work = 0;
    ladder.advance(t, w, dx, &work);
    const double q = v0 / damped * std::exp(-decay * t) * std::sin(damped * t);
    const double v =
        v0 * std::exp(-decay * t) * (std::cos(damped * t) - decay / damped * std::sin(damped * t));
    EXPECT_NEAR(dx[0], q, 1e-14 * v0 / omega + 1e-13 * std::abs(q)) << t;
    EXPECT_NEAR(v0 + dx[1], v, 1e-13 * v0) << t;
    EXPECT_NEAR(w[0], v, 1e-13 * v0) << t;
    // 2 ξω ∫v² dt is what the energy has lost.
    const double lost = 0.5 * (v0 * v0 - v * v - omega * omega * q * q);
    EXPECT_NEAR(2 * decay * work, lost, 1e-13 * v0 * v0) << t;
  }
}

TEST(Ladder, free_flight_and_constant_acceleration) {
  const Ladder ladder(Matrix::Zero(2, 2), Matrix::Zero(2, 2), form(Matrix::Identity(2, 2)), 1.0);
  Vector w(4), dx = Vector::Zero(4);
  w << 3, -1, 0, 9.81;
  double work = 0;
  ladder.advance(0.7, w, dx, &work);
  EXPECT_NEAR(dx[0], 2.1, 1e-14);
  EXPECT_NEAR(dx[1], -0.7 + 0.5 * 9.81 * 0.49, 1e-14);
  EXPECT_NEAR(w[1], -1 + 9.81 * 0.7, 1e-13);
  // ∫(9 + (−1 + 9.81 t)²)dt
  EXPECT_NEAR(work, 6.3 + 0.7 - 9.81 * 0.49 + 9.81 * 9.81 * 0.343 / 3, 1e-12);
}

TEST(Ladder, random_systems_against_the_matrix_exponential) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int pass = 0; pass < 20; ++pass) {
    const int n = 1 + pass % 5;
    const auto some = [&](int rows, int columns) {
      Matrix m(rows, columns);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) m(i, j) = normal(random);
      return m;
    };
    const Matrix root = some(n, n);
    Matrix by_q = Matrix::Zero(n, n);
    by_q.noalias() = -1e3 * root * root.transpose();
    const Matrix by_v = some(n, n) - 3 * Matrix::Identity(n, n);
    const Ladder ladder(by_q, by_v, {}, 0.3);
    Matrix a = Matrix::Zero(2 * n, 2 * n);
    a.topRightCorner(n, n).setIdentity();
    a.bottomLeftCorner(n, n) = by_q;
    a.bottomRightCorner(n, n) = by_v;
    const double t = 0.05 + 0.2 * std::abs(std::sin(pass));
    const Vector start = some(2 * n, 1), expected = exponential(a * t) * start;
    Vector w = start, dx = Vector::Zero(2 * n);
    ladder.advance(t, w, dx, nullptr);
    EXPECT_LT((w - expected).norm(), 1e-10 * (expected.norm() + start.norm()) * std::sqrt(by_q.norm()))
        << pass;
  }
}

// In one go, and in pieces that fit no rung.
TEST(Ladder, pieces_add_up) {
  Matrix by_q(2, 2), by_v(2, 2);
  by_q << -4e6, 1e5, 1e5, -900;
  by_v << -50, 1, 1, -2;
  const Ladder ladder(by_q, by_v, form(by_v), 0.01);
  Vector w(4), once = Vector::Zero(4), pieces = Vector::Zero(4);
  w << 1, 2, 3, 4;
  Vector again = w;
  double work = 0, sum = 0;
  ladder.advance(0.01, w, once, &work);
  for (const double part : {0.3, 0.0001, 0.4999, 0.2}) ladder.advance(0.01 * part, again, pieces, &sum);
  EXPECT_LT((once - pieces).norm(), 1e-12 * once.norm());
  EXPECT_NEAR(work, sum, 1e-11 * std::abs(work));
}

}  // namespace
}  // namespace thud
