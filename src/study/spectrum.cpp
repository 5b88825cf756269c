#include "study/spectrum.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solve/dense.hpp"

namespace thud {

namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double eps = std::numeric_limits<double>::epsilon();

// |φ|ᵀ|A||φ|: what φᵀAφ would be without cancellation.
double gross(const VectorXd& phi, const MatrixXd& a) {
  return phi.cwiseAbs().dot(a.cwiseAbs() * phi.cwiseAbs());
}

// Makes A diagonal by rotations, V ← V J. A dense solver has errors of ε λ_max everywhere; rotations that look at
// √(a_pp a_qq) instead leave every eigenvalue of a graded matrix with its own relative error (Demmel & Veselić 1992).
void rotate_to_diagonal(MatrixXd& a, MatrixXd& v) {
  const Index n = a.rows();
  const double floor = eps * eps * a.diagonal().cwiseAbs().maxCoeff();
  for (int sweep = 0; sweep < 30; ++sweep) {
    bool is_done = true;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        const double small = eps * std::sqrt(std::abs(a(p, p) * a(q, q))) + floor;
        if (std::abs(a(p, q)) <= small) continue;
        is_done = false;
        Eigen::JacobiRotation<double> turn;
        turn.makeJacobi(a, p, q);
        a.applyOnTheLeft(p, q, turn.adjoint());
        a.applyOnTheRight(p, q, turn);
        v.applyOnTheRight(p, q, turn);
        a(p, q) = a(q, p) = 0;
      }
    if (is_done) return;
  }
}

// The same space of free motions in vectors that read well: translations first, then turning about the mass centre.
MatrixXd tidied(MatrixXd u, const MatrixXd& mass) {
  Index done = 0;
  for (Index row = 0; row < u.rows() && done < u.cols(); ++row) {
    Index best = 0;
    const double pivot = u.row(row).tail(u.cols() - done).cwiseAbs().maxCoeff(&best);
    if (!(pivot > 1e-8 * u.rightCols(u.cols() - done).cwiseAbs().maxCoeff())) continue;
    u.col(done).swap(u.col(done + best));
    u.col(done) /= u(row, done);
    for (Index c = 0; c < u.cols(); ++c)
      if (c != done) u.col(c) -= u(row, c) * u.col(done);
    ++done;
  }
  for (Index c = 0; c < u.cols(); ++c) {
    const double small = 1e-12 * u.col(c).cwiseAbs().maxCoeff();
    u.col(c) = (u.col(c).array().abs() < small).select(0, u.col(c));
    for (Index b = 0; b < c; ++b) u.col(c) -= u.col(b).dot(mass * u.col(c)) * u.col(b);
    u.col(c) /= std::sqrt(u.col(c).dot(mass * u.col(c)));
  }
  return u;
}

}  // namespace

Spectrum find_spectrum(const MatrixXd& stiffness, const MatrixXd& mass) {
  const Index n = mass.rows();
  Spectrum out;
  if (n == 0) return out;
  out.shapes = eigen_of_pair(stiffness, mass).vectors;
  MatrixXd a = out.shapes.transpose() * stiffness * out.shapes;
  a = 0.5 * (a + a.transpose()).eval();
  rotate_to_diagonal(a, out.shapes);

  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return a(i, i) < a(j, j); });
  const MatrixXd shapes = out.shapes;
  const double lost = 1e4 * eps * eps * static_cast<double>(n) * a.diagonal().cwiseAbs().maxCoeff();
  out.values.resize(n);
  for (Index i = 0; i < n; ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    out.shapes.col(i) = shapes.col(from);
    const double value = a(from, from);
    const bool is_zero = std::abs(value) <= 1e-12 * gross(out.shapes.col(i), stiffness) + lost;
    out.values[i] = is_zero ? 0 : value;
    out.motion.push_back(is_zero ? 0 : value < 0 ? -1 : 1);
  }
  return out;
}

namespace {

// The modal form ẍ + C'ẋ + Λx = 0 with the free motions sorted out.
struct ModalForm {
  MatrixXd shapes;   // of the coordinates that remain
  VectorXd values;   // λ
  MatrixXd damping;  // C'
  VectorXd size;     // |φ|ᵀ|C||φ|, to tell small from zero
  MatrixXd free;     // motions that neither K nor C knows
};

// Splits the space of λ = 0 into motions that are damped and motions that are free.
void split_free(const MatrixXd& mass, const MatrixXd& damping, MatrixXd& zero, MatrixXd& free) {
  const MatrixXd c = zero.transpose() * damping * zero;
  const SymmetricEigen eigen = eigen_of_symmetric(c);
  const MatrixXd turned = zero * eigen.vectors;
  Index count = 0;
  while (count < c.rows()
         && eigen.values[count] <= 1e-12 * gross(turned.col(count), damping) + 1e-14 * c.trace())
    ++count;
  free = tidied(turned.leftCols(count), mass);
  zero = turned.rightCols(c.rows() - count);
}

ModalForm make_modal_form(const MatrixXd& mass, const MatrixXd& damping, const MatrixXd& stiffness) {
  const Spectrum s = find_spectrum(stiffness, mass);
  const Index n = s.values.size();
  ModalForm out;
  const Index zeros = (s.values.array() == 0).count();
  const Index negative = (s.values.array() < 0).count();
  MatrixXd zero = s.shapes.middleCols(negative, zeros);
  if (zeros > 0) split_free(mass, damping, zero, out.free);
  const Index kept = n - zeros + zero.cols();
  out.shapes.resize(n, kept);
  out.shapes << s.shapes.leftCols(negative), zero, s.shapes.rightCols(n - negative - zeros);
  out.values.setZero(kept);
  out.values.head(negative) = s.values.head(negative);
  out.values.tail(n - negative - zeros) = s.values.tail(n - negative - zeros);
  out.damping = out.shapes.transpose() * damping * out.shapes;
  out.size.resize(kept);
  for (Index i = 0; i < kept; ++i) out.size[i] = gross(out.shapes.col(i), damping);
  return out;
}

// Coordinates that damping couples, directly or through others.
std::vector<std::vector<Index>> find_blocks(const ModalForm& form) {
  const Index n = form.values.size();
  std::vector<std::vector<Index>> blocks;
  std::vector<char> seen(static_cast<std::size_t>(n));
  for (Index first = 0; first < n; ++first) {
    if (seen[static_cast<std::size_t>(first)]) continue;
    seen[static_cast<std::size_t>(first)] = 1;
    std::vector<Index> block = {first};
    for (std::size_t k = 0; k < block.size(); ++k)
      for (Index j = 0; j < n; ++j) {
        const double small = 1e-14 * std::sqrt(form.size[block[k]] * form.size[j]);
        if (seen[static_cast<std::size_t>(j)] || !(std::abs(form.damping(block[k], j)) > small)) continue;
        seen[static_cast<std::size_t>(j)] = 1;
        block.push_back(j);
      }
    std::sort(block.begin(), block.end());
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// The root of xᵀ(s² + s C' + Λ)x = 0 next to s: its error is the square of that of x.
Complex polished(Complex s, const Eigen::VectorXcd& x, const VectorXd& values, const MatrixXd& damping) {
  const Complex a = (x.transpose() * x)(0), b = (x.transpose() * damping.cast<Complex>() * x)(0);
  const Complex c = (x.transpose() * values.cast<Complex>().asDiagonal() * x)(0);
  if (std::abs(a) < 1e-3 * x.squaredNorm()) return s;  // near a double root
  Complex root = std::sqrt(b * b - 4.0 * a * c);
  if (std::abs(-b + root - 2.0 * a * s) > std::abs(-b - root - 2.0 * a * s)) root = -root;
  // The form that does not cancel.
  const Complex sum = -b + root, difference = -b - root;
  const Complex better = std::abs(sum) >= std::abs(difference) ? sum / (2.0 * a) : 2.0 * c / difference;
  if (!(std::abs(better - s) < 1e-3 * std::abs(s))) return s;
  return s.imag() == 0 ? Complex(better.real()) : better;
}

// State (z, v) with z = √|λ| x, so that the matrix is nearly skew; where λ = 0 there is no z.
void solve_block(const ModalForm& form, const std::vector<Index>& block, std::vector<DampedRoot>& out) {
  const auto m = static_cast<Index>(block.size());
  std::vector<Index> held;
  for (Index i = 0; i < m; ++i)
    if (form.values[block[static_cast<std::size_t>(i)]] != 0) held.push_back(i);
  const auto h = static_cast<Index>(held.size());
  MatrixXd a = MatrixXd::Zero(h + m, h + m), damping(m, m);
  VectorXd values(m);
  MatrixXd shapes(form.shapes.rows(), m);
  for (Index i = 0; i < m; ++i) {
    const Index from = block[static_cast<std::size_t>(i)];
    values[i] = form.values[from];
    shapes.col(i) = form.shapes.col(from);
    for (Index j = 0; j < m; ++j) damping(i, j) = form.damping(from, block[static_cast<std::size_t>(j)]);
  }
  a.bottomRightCorner(m, m) = -damping;
  for (Index k = 0; k < h; ++k) {
    const Index i = held[static_cast<std::size_t>(k)];
    const double omega = std::sqrt(std::abs(values[i]));
    a(k, h + i) = omega;
    a(h + i, k) = std::copysign(omega, -values[i]);
  }
  const GeneralEigen eigen = eigen_of(a);
  for (Index k = 0; k < h + m; ++k) {
    const Complex s = eigen.values[k];
    if (s.imag() < 0) continue;
    const Eigen::VectorXcd x = eigen.vectors.col(k).tail(m);
    out.push_back({polished(s, x, values, damping), shapes.cast<Complex>() * x});
  }
}

}  // namespace

std::vector<DampedRoot> find_roots(const MatrixXd& mass, const MatrixXd& damping, const MatrixXd& stiffness) {
  std::vector<DampedRoot> out;
  if (mass.rows() == 0) return out;
  const ModalForm form = make_modal_form(mass, damping, stiffness);
  for (Index i = 0; i < form.free.cols(); ++i) out.push_back({0, form.free.col(i).cast<Complex>()});
  for (const std::vector<Index>& block : find_blocks(form)) {
    const Index i = block.front();
    if (block.size() > 1 || form.damping(i, i) > 0) {
      solve_block(form, block, out);
      continue;
    }
    const double omega = std::sqrt(std::abs(form.values[i]));
    out.push_back(
        {form.values[i] > 0 ? Complex(0, omega) : Complex(omega), form.shapes.col(i).cast<Complex>()});
  }
  return out;
}

}  // namespace thud
