#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "beam/check.hpp"
#include "thud/beam/basis_rates.hpp"
#include "thud/math/portable.hpp"

// A beam of unit length, mass and rigidity: ω = λ². Nodes i = 0 … N have the coordinates Ψ (2i) and hΨ' (2i + 1),
// h = 1/N, with which the element matrices are numbers.

namespace thud {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd make_mass(int elements, TipRatios tip) {
  const double n = elements;
  Eigen::Matrix4d element;
  element << 156, 22, 54, -13, 22, 4, 13, -3, 54, 13, 156, -22, -13, -3, -22, 4;
  MatrixXd mass = MatrixXd::Zero(2 * elements + 2, 2 * elements + 2);
  for (int i = 0; i < elements; ++i) mass.block<4, 4>(2 * i, 2 * i) += element / (420 * n);
  mass(2 * elements, 2 * elements) += tip.mass;
  mass(2 * elements + 1, 2 * elements + 1) += tip.inertia * n * n;
  return mass;
}

/// Translation and rotation about the start.
MatrixXd make_rigid(int elements) {
  MatrixXd rigid = MatrixXd::Zero(2 * elements + 2, 2);
  for (int i = 0; i <= elements; ++i) {
    rigid(2 * i, 0) = 1;
    rigid(2 * i, 1) = i / static_cast<double>(elements);
    rigid(2 * i + 1, 1) = 1.0 / elements;
  }
  return rigid;
}

/// A square root of the flexibility of the beam clamped at its start. Column 2j bends element j alone, as by a shear
/// force without a mean moment, column 2j + 1 as by a constant moment, both with the strain energy ½; all nodes
/// beyond go along. There is no cancellation in it, whereas the inverse of the stiffness matrix loses N⁴ in accuracy.
MatrixXd make_bends(int elements) {
  const double unit =
      portable::pow(elements, -1.5);  // strain energy of an element: ½ N³ (12 (d − φ/2)² + φ²)
  MatrixXd bends = MatrixXd::Zero(2 * elements + 2, 2 * elements);
  for (int j = 0; j < elements; ++j)
    for (int i = j + 1; i <= elements; ++i) {
      bends(2 * i, 2 * j) = unit / std::sqrt(12.0);
      bends(2 * i, 2 * j + 1) = unit * (0.5 + (i - j - 1));
      bends(2 * i + 1, 2 * j + 1) = unit;
    }
  return bends;
}

/// Turns columns i and j so that they become orthogonal. The squares of their lengths are kept up to date.
/// False when they already were.
bool turn_pair(MatrixXd& a, VectorXd& square, int i, int j) {
  const double product = a.col(i).dot(a.col(j));
  if (std::abs(product) <= 1e-15 * std::sqrt(square[i] * square[j])) return false;
  const double ratio = (square[j] - square[i]) / (2 * product);
  const double tangent = (ratio < 0 ? -1 : 1) / (std::abs(ratio) + portable::hypot(1.0, ratio));
  const double cosine = 1 / portable::hypot(1.0, tangent), sine = tangent * cosine;
  for (int r = 0; r < a.rows(); ++r) {
    const double x = a(r, i), y = a(r, j);
    a(r, i) = cosine * x - sine * y;
    a(r, j) = sine * x + cosine * y;
  }
  square[i] -= tangent * product;
  square[j] = std::max(0.0, square[j] + tangent * product);
  return true;
}

/// Turns the columns of a matrix until they are orthogonal, longest first: left singular vectors times singular
/// values. One-sided Jacobi rotations (Hestenes 1958) find small values as accurately as large ones (Demmel and
/// Veselić 1992) and end after about ten sweeps, more only if rounding keeps a pair above the threshold.
void make_orthogonal(MatrixXd& a) {
  const int n = static_cast<int>(a.cols());
  bool turned = true;
  for (int sweep = 0; sweep < 40 && turned; ++sweep) {
    turned = false;
    VectorXd square = a.colwise().squaredNorm();
    for (int i = 0; i < n; ++i) {
      int longest = 0;
      square.tail(n - i).maxCoeff(&longest);
      if (longest != 0) {
        a.col(i).swap(a.col(i + longest));
        std::swap(square[i], square[i + longest]);
      }
      for (int j = i + 1; j < n; ++j) turned = turn_pair(a, square, i, j) || turned;
    }
  }
}

/// Leaves of the columns of `a` what is orthogonal to the vectors, beginning with number `first` of them.
void take_out(MatrixXd vectors, int first, MatrixXd& a) {
  for (int i = first; i < vectors.cols(); ++i) {
    const VectorXd unit = vectors.col(i).normalized();
    a -= unit * (unit.transpose() * a).eval();
    vectors -= unit * (unit.transpose() * vectors).eval();
  }
}

/// λ, and the coordinates of the nodes, one column per shape; lowest first.
struct Eigenshapes {
  VectorXd root;
  MatrixXd nodes;
};

/// With the mass matrix M = C Cᵀ and the bends T, K⁻¹ = T Tᵀ, the singular values of Cᵀ T are the 1/ω. That keeps
/// the low frequencies accurate to rounding (an eigenvalue problem in ω² would lose the square of ω_max/ω_1).
/// Rigid motions the support leaves are projected out, orthogonally in the mass.
Eigenshapes solve(Support support, int elements, TipRatios tip) {
  const int fixed = support == Support::free ? 0 : support == Support::pinned ? 1 : 2;
  const int size = 2 * elements + 2, loose = size - fixed;
  const Eigen::LLT<MatrixXd> mass(make_mass(elements, tip).bottomRightCorner(loose, loose));
  MatrixXd scaled = mass.matrixU() * make_bends(elements).bottomRows(loose);
  const MatrixXd rigid = mass.matrixU() * make_rigid(elements).bottomRows(loose);
  take_out(rigid, fixed, scaled);
  make_orthogonal(scaled);
  const VectorXd singular = scaled.colwise().norm();
  scaled = scaled * singular.cwiseInverse().asDiagonal();
  take_out(rigid, fixed, scaled);  // what rounding left, which the shortest columns show
  Eigenshapes out;
  out.root = singular.cwiseSqrt().cwiseInverse();
  out.nodes = MatrixXd::Zero(size, 2 * elements);
  out.nodes.bottomRows(loose) = mass.matrixU().solve(scaled);
  for (int k = 0; k < out.nodes.cols(); ++k) {
    const double value = out.nodes(size - 2, k), slope = out.nodes(size - 1, k) * elements;
    out.nodes.col(k) *= tip_sign(value * std::sqrt(1 + tip.mass), slope);
  }
  return out;
}

void fill_cells(const MatrixXd& nodes, int count, int elements, std::vector<double>& out) {
  constexpr int rows = BeamBasis::degree + 1;
  out.assign(static_cast<std::size_t>(elements) * rows * count, 0.0);
  for (int c = 0; c < elements; ++c)
    for (int k = 0; k < count; ++k) {
      const double w0 = nodes(2 * c, k), s0 = nodes(2 * c + 1, k);
      const double w1 = nodes(2 * c + 2, k), s1 = nodes(2 * c + 3, k);
      double* cell = out.data() + c * rows * count + k;
      cell[0] = w0;
      cell[count] = s0;
      cell[2 * count] = 3 * (w1 - w0) - 2 * s0 - s1;
      cell[3 * count] = 2 * (w0 - w1) + s0 + s1;
    }
}

}  // namespace

BeamBasis make_element_basis(Support support, const BeamData& data, int elements, int count) {
  check_beam(data);
  if (elements < 1 || elements > 200)
    throw std::invalid_argument(
        fmt::format("{} beam elements asked for; from 1 to 200 are possible", elements));
  if (count < 0 || count > 2 * elements)
    throw std::invalid_argument(fmt::format(
        "{} shapes asked for; {} beam elements have from 1 to {} (0: all)", count, elements, 2 * elements));
  if (count == 0) count = 2 * elements;
  const TipRatios tip = tip_ratios(data);
  const Eigenshapes shapes = solve(support, elements, tip);
  const MatrixXd moments = (make_mass(elements, tip) * make_rigid(elements)).transpose() * shapes.nodes;
  BeamBasis::Shapes out;
  for (int k = 0; k < count; ++k) {
    out.root.push_back(shapes.root[k]);
    out.mean.push_back(support == Support::free ? 0 : moments(0, k));
    out.first.push_back(support == Support::clamped ? moments(1, k) : 0);
  }
  fill_cells(shapes.nodes, count, elements, out.cells);
  return BeamBasis(support, data, std::move(out));
}

namespace {

using Number = Dual<double>;

BeamData plain(const BeamDataOf<Number>& d) {
  return {d.length.v, d.mass_per_length.v, d.rigidity.v, d.tip_mass.v, d.tip_inertia.v};
}

// How the ratios of the tip change.
TipRatios tip_rates(const BeamDataOf<Number>& d) {
  const Number beam = d.mass_per_length * d.length;
  return {(d.tip_mass / beam).d, (d.tip_inertia / (beam * d.length * d.length)).d};
}

bool is_still(TipRatios rates) { return rates.mass == 0 && rates.inertia == 0; }

std::vector<Number> lifted(const std::vector<double>& x) { return {x.begin(), x.end()}; }

// Shapes that do not change in units of the length.
BeamBasisOf<Number> scaled(Support support, const BeamDataOf<Number>& data, const BeamBasis& b) {
  BeamBasisOf<Number>::Shapes out;
  for (int k = 0; k < b.size(); ++k) {
    out.root.emplace_back(b.root(k));
    out.mean.emplace_back(b.mean(k) / b.modal_mass());
    out.first.emplace_back(b.first(k) / (b.modal_mass() * b.data().length));
  }
  out.cells = lifted({b.cell(0), b.cell(b.cell_count())});
  return {support, data, std::move(out)};
}

}  // namespace

BeamBasisOf<Number> make_mode_basis(Support support, const BeamDataOf<Number>& data, int count) {
  const BeamBasis basis = make_mode_basis(support, plain(data), count);
  if (!is_still(tip_rates(data)))
    throw std::invalid_argument(
        "the exact modes of a beam have no derivatives by its tip against its own mass; Hermite elements "
        "have");
  return scaled(support, data, basis);
}

BeamBasisOf<Number> make_element_basis(Support support, const BeamDataOf<Number>& data, int elements,
                                       int count) {
  const BeamBasis basis = make_element_basis(support, plain(data), elements, count);
  const TipRatios rates = tip_rates(data);
  if (is_still(rates)) return scaled(support, data, basis);
  if (support != Support::clamped)
    throw std::invalid_argument(
        "only the shapes of a clamped beam have derivatives by its tip against its own mass");
  const TipRatios tip = tip_ratios(plain(data));
  const Eigenshapes shapes = solve(support, elements, tip);
  const MatrixXd& nodes = shapes.nodes;
  const int all = static_cast<int>(nodes.cols()), size = static_cast<int>(nodes.rows());
  MatrixXd change = MatrixXd::Zero(size, size);
  change(size - 2, size - 2) = rates.mass;
  change(size - 1, size - 1) = rates.inertia * elements * elements;
  const MatrixXd felt = nodes.transpose() * change * nodes;
  const VectorXd square = shapes.root.array().square().square();
  MatrixXd share(all, all);
  for (int k = 0; k < all; ++k)
    for (int l = 0; l < all; ++l)
      share(l, k) = l == k ? -0.5 * felt(k, k) : square[k] / (square[l] - square[k]) * felt(l, k);
  const MatrixXd moved = nodes * share;
  const MatrixXd rigid = make_rigid(elements), mass = make_mass(elements, tip);
  const MatrixXd moments = (mass * rigid).transpose() * nodes;
  const MatrixXd moments_moved = (change * rigid).transpose() * nodes + (mass * rigid).transpose() * moved;
  std::vector<double> values, slopes;
  fill_cells(nodes, basis.size(), elements, values);
  fill_cells(moved, basis.size(), elements, slopes);
  BeamBasisOf<Number>::Shapes out;
  for (int k = 0; k < basis.size(); ++k) {
    // dω²/ω² = −φᵀ dM φ, and λ = √ω
    out.root.emplace_back(shapes.root[k], -0.25 * felt(k, k) * shapes.root[k]);
    out.mean.emplace_back(moments(0, k), moments_moved(0, k));
    out.first.emplace_back(moments(1, k), moments_moved(1, k));
  }
  for (std::size_t i = 0; i < values.size(); ++i) out.cells.emplace_back(values[i], slopes[i]);
  return {support, data, std::move(out)};
}

}  // namespace thud
