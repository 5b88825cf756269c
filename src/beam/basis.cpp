#include "thud/beam/basis.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "thud/math/dual.hpp"

namespace thud {

namespace {

constexpr int rows = BeamBasis::degree + 1;
using Row = std::array<double, rows>;

/// Control values of Σ c_p t^p in the Bernstein basis: between them the polynomial lies on 0 ≤ t ≤ 1.
Row bernstein(Row c) {
  constexpr Row choose{1, 7, 21, 35, 35, 21, 7, 1};
  for (int p = 0; p < rows; ++p) c[p] /= choose[p];
  for (int p = 1; p < rows; ++p)
    for (int i = rows - 1; i >= p; --i) c[i] += c[i - 1];
  return c;
}

double largest_control(const Row& b) {
  double out = 0;
  for (const double v : b) out = std::max(out, std::abs(v));
  return out;
}

/// Upper bound of |p| from its control values, refined by halving until within one per cent of `reached`,
/// a value that is attained. `left` bounds the halvings: each takes three quarters off the excess.
double refined_bound(const Row& b, double reached, int left) {
  const double coarse = largest_control(b);
  if (coarse <= 1.01 * reached || left == 0) return coarse;
  Row lower{}, upper = b;
  for (int i = 0; i < rows; ++i) {
    lower[i] = upper[0];
    for (int j = 0; j < rows - 1 - i; ++j) upper[j] = (upper[j] + upper[j + 1]) / 2;
  }
  // What remains in `upper` are the right ends of every row of de Casteljau's triangle.
  const double best = std::max({reached, std::abs(upper[0]), std::abs(b.back())});
  return std::max(refined_bound(lower, best, left - 1), refined_bound(upper, best, left - 1));
}

/// Coefficients of the derivative in t.
Row differentiated(const Row& c) {
  Row out{};
  for (int p = 1; p < rows; ++p) out[p - 1] = p * c[p];
  return out;
}

template <class P>
Row gather(const P* cell, int size, int k) {
  Row c;
  for (int p = 0; p < rows; ++p) c[p] = value_of(cell[p * size + k]);
  return c;
}

}  // namespace

template <class P>
BeamBasisOf<P>::BeamBasisOf(Support support, const BeamDataOf<P>& data, Shapes shapes)
    : support_(support),
      data_(data),
      cell_count_(static_cast<int>(shapes.cells.size() / (rows * shapes.root.size()))),
      root_(std::move(shapes.root)),
      mean_(std::move(shapes.mean)),
      first_(std::move(shapes.first)),
      cells_(std::move(shapes.cells)) {
  for (P& m : mean_) m *= modal_mass();
  for (P& m : first_) m *= modal_mass() * data_.length;
  for (int k = 0; k < size(); ++k) {
    largest_.push_back(bound(k, 0));
    steepest_.push_back(bound(k, 1) / value_of(cell_length()));
  }
}

template <class P>
double BeamBasisOf<P>::bound(int k, int derivative) const {
  std::vector<Row> controls;
  double reached = 0;
  for (int c = 0; c < cell_count_; ++c) {
    Row row = gather(cell(c), size(), k);
    if (derivative == 1) row = differentiated(row);
    controls.push_back(bernstein(row));
    reached = std::max({reached, std::abs(controls.back().front()), std::abs(controls.back().back())});
  }
  double out = 0;
  for (const Row& b : controls) out = std::max(out, refined_bound(b, reached, 10));
  return out * (1 + 1e-12);  // rounding, and the 1e-13 between a mode and its cells
}

template <class P>
P BeamBasisOf<P>::frequency(int k) const {
  using std::sqrt;
  const P wave = root_[k] / data_.length;
  return wave * wave * sqrt(data_.rigidity / data_.mass_per_length);
}

template <class P>
P BeamBasisOf<P>::value(int k, P x, int derivative) const {
  assert(k >= 0 && k < size() && derivative >= 0);
  const double at = value_of(x), end = value_of(data_.length);
  if (!(at >= 0 && at <= end)) {
    if (derivative >= 2) return P(0);
    const P inside = at > end ? data_.length : P(0);
    const P slope = value(k, inside, 1);
    return derivative == 1 ? slope : value(k, inside) + slope * (x - inside);
  }
  const P s = x / data_.length * cell_count_;  // exact at the tip
  const int c = std::min(static_cast<int>(value_of(s)), cell_count_ - 1);
  const P* a = cell(c) + k;
  const P t = s - c;
  P out{}, unit = P(1);
  for (int p = rows - 1; p >= derivative; --p) {
    P term = a[p * size()];
    for (int d = 0; d < derivative; ++d) term = (p - d) * term;
    out = out * t + term;
  }
  for (int d = 0; d < derivative; ++d) unit = unit / cell_length();
  return out * unit;
}

template class BeamBasisOf<double>;
THUD_WITH_DUALS(template class BeamBasisOf<Dual<double>>;)

}  // namespace thud
