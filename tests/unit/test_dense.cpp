// Decompositions behind one interface.
// Source of truth: the equations that they solve, put together from their results; and closed forms.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <stdexcept>

#include "solve/dense.hpp"

namespace thud {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Backward stable methods leave n ε |A|; matrices here are of size 1 and have up to 6 rows.
constexpr double rounding = 1e-13;

Matrix random_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> in(-1, 1);
  Matrix a(rows, columns);
  for (double& x : a.reshaped()) x = in(random);
  return a;
}

Matrix random_symmetric(Index n, unsigned seed) {
  const Matrix a = random_matrix(n, n, seed);
  return a + a.transpose();
}

Matrix random_positive(Index n, unsigned seed) {
  const Matrix a = random_matrix(n, n, seed);
  return a * a.transpose() + Matrix::Identity(n, n);
}

TEST(Dense, symmetric) {
  const Matrix a = random_symmetric(6, 1);
  const SymmetricEigen e = eigen_of_symmetric(a);
  EXPECT_LT((a * e.vectors - e.vectors * e.values.asDiagonal()).norm(), rounding * 10);
  EXPECT_LT((e.vectors.transpose() * e.vectors - Matrix::Identity(6, 6)).norm(), rounding * 10);
  for (Index i = 1; i < 6; ++i) EXPECT_LE(e.values[i - 1], e.values[i]);
}

TEST(Dense, pair) {
  const Matrix k = random_symmetric(6, 2), m = random_positive(6, 3);
  const SymmetricEigen e = eigen_of_pair(k, m);
  EXPECT_LT((k * e.vectors - m * e.vectors * e.values.asDiagonal()).norm(), rounding * 100);
  EXPECT_LT((e.vectors.transpose() * m * e.vectors - Matrix::Identity(6, 6)).norm(), rounding * 100);
  EXPECT_LT((eigenvalues_of_pair(k, m) - e.values).norm(), rounding * 10);
}

TEST(Dense, pair_of_a_chain_of_springs) {  // fixed at both ends: λ = 2 − 2 cos(kπ/(n + 1))
  const Index n = 6;
  Matrix k = 2 * Matrix::Identity(n, n);
  k.diagonal(1).setConstant(-1);
  k.diagonal(-1).setConstant(-1);
  const Vector values = eigenvalues_of_pair(k, 3 * Matrix::Identity(n, n));
  for (Index i = 0; i < n; ++i)
    EXPECT_NEAR(3 * values[i], 2 - 2 * std::cos(static_cast<double>(i + 1) * M_PI / (n + 1)), rounding);
}

TEST(Dense, pair_with_a_mass_that_is_none) {
  Matrix m = Matrix::Identity(2, 2);
  m(1, 1) = -1;
  EXPECT_THROW((void)eigen_of_pair(Matrix::Identity(2, 2), m), std::runtime_error);
}

TEST(Dense, general) {
  const Matrix a = random_matrix(6, 6, 4);
  const GeneralEigen e = eigen_of(a);
  const Eigen::MatrixXcd left = a.cast<std::complex<double>>() * e.vectors;
  EXPECT_LT((left - e.vectors * e.values.asDiagonal()).norm(), rounding * 100);
  for (Index i = 0; i < 6; ++i) EXPECT_NEAR(e.vectors.col(i).norm(), 1, rounding);
}

TEST(Dense, general_of_a_rotation) {
  Matrix a(2, 2);
  a << 0.6, -0.8, 0.8, 0.6;
  const GeneralEigen e = eigen_of(a);
  EXPECT_NEAR(e.values[0].real(), 0.6, rounding);
  EXPECT_NEAR(std::abs(e.values[0].imag()), 0.8, rounding);
  EXPECT_EQ(e.values[1], std::conj(e.values[0]));
}

TEST(Dense, singular_values) {
  const Matrix a = random_matrix(9, 4, 5);
  const SingularValues s = singular_values(a);
  const Vector squares = s.values.cwiseAbs2();
  EXPECT_LT((a.transpose() * a * s.right - s.right * squares.asDiagonal()).norm(), rounding * 10);
  EXPECT_LT((s.right.transpose() * s.right - Matrix::Identity(4, 4)).norm(), rounding * 10);
  for (Index i = 1; i < 4; ++i) EXPECT_GE(s.values[i - 1], s.values[i]);
}

TEST(Dense, least_squares_with_too_many_equations) {  // the rest is orthogonal to the columns
  const Matrix a = random_matrix(9, 4, 6);
  const Vector b = random_matrix(9, 1, 7);
  EXPECT_LT((a.transpose() * (a * least_squares(a, b) - b)).norm(), rounding * 10);
}

TEST(Dense, least_squares_with_too_few_equations) {  // the shortest solution is a sum of rows
  const Matrix a = random_matrix(2, 5, 8);
  const Vector b = random_matrix(2, 1, 9);
  const Vector x = least_squares(a, b);
  EXPECT_LT((a * x - b).norm(), rounding);
  const Vector along = random_matrix(5, 1, 10);
  const Vector other = along - a.transpose() * least_squares(a.transpose(), along);  // in the kernel of A
  EXPECT_GT(other.norm(), 0.1);
  EXPECT_NEAR(x.dot(other), 0, rounding);
}

TEST(Dense, least_squares_leaves_out_what_is_below_the_threshold) {
  Matrix a = Matrix::Identity(2, 2);
  a(1, 1) = 1e-9;
  const Vector b = Vector::Ones(2);
  EXPECT_NEAR(least_squares(a, b)[1], 1e9, 1e-3);
  EXPECT_NEAR(least_squares(a, b, 1e-6)[1], 0, 1e-8);
}

}  // namespace
}  // namespace thud
