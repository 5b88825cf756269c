#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "beam/check.hpp"
#include "thud/beam/basis.hpp"
#include "thud/math/portable.hpp"

// Everything in this file is for a beam of unit length, mass and rigidity: ω = λ².

namespace thud {

namespace {

constexpr double pi = boost::math::constants::pi<double>();

// --- roots -------------------------------------------------------------------------------------------------------

/// x^m (a_0 − a_1 x⁴ + …), the series of the products of sin, cos, sinh and cosh: each term is the one before times
/// −4x⁴/((m+1)(m+2)(m+3)(m+4)), m the power of the one before. For x < 2 ten terms are more than enough.
double product_series(double leading, double x, int m) {
  const double x4 = x * x * x * x;
  double term = leading, sum = leading;
  for (int n = 0; n < 10; ++n, m += 4) {
    term *= -4 * x4 / ((m + 1.0) * (m + 2.0) * (m + 3.0) * (m + 4.0));
    sum += term;
  }
  return sum;
}

/// Characteristic functions of a beam with the given support and a tip of one of four classical kinds:
/// two of Ψ, Ψ', Ψ'', Ψ''' vanish at λ-values where the function does. Common positive factors are left out,
/// e^−λ is in, so that they stay of order one for any λ.
struct Classical {
  double clamped;  ///< Ψ = Ψ' = 0
  double pinned;   ///< Ψ = Ψ'' = 0
  double guided;   ///< Ψ' = Ψ''' = 0
  double free;     ///< Ψ'' = Ψ''' = 0
};

Classical classical(Support support, double x) {
  const double e = portable::exp(-x), s = portable::sin(x), c = portable::cos(x);
  const double C = (1 + e * e) / 2, S = -portable::expm1(-2 * x) / 2;  // e^−x cosh x, e^−x sinh x
  // The two differences cancel as x → 0, where heavy tips bring the lowest roots.
  const bool small = x < 2;
  const double one_less = small ? e * product_series(x * x * x * x / 6, x, 4) : e - c * C;
  const double difference = small ? e * product_series(2 * x * x * x / 3, x, 3) : s * C - c * S;
  const double one_more = e + c * C, sum = s * C + c * S;
  switch (support) {
    case Support::free: return {one_more, -difference, -sum, one_less};
    case Support::pinned: return {difference, 2 * s * S, 2 * c * C, -difference};
    case Support::clamped: break;
  }
  return {one_less, difference, sum, one_more};
}

/// The characteristic function of the beam with its tip, and how many roots lie below λ, rigid motions included.
struct Characteristic {
  double value;
  int below;
};

/// How often the characteristic function of the clamped tip vanishes below x: once in every (iπ, (i+1)π), except
/// that held starts have none below π. At iπ it alternates, starting with + for the free start and i = 0, for
/// the others with i = 1.
int count_clamped(Support support, double x, double value) {
  const int i = static_cast<int>(x / pi), none = support == Support::free ? 0 : 1;
  if (i < none) return 0;
  const bool positive_at_start = (i % 2 == 0) == (support == Support::free);
  return i - none + ((value > 0) == positive_at_start ? 0 : 1);
}

/// Starts from the tip held in both ways, whose roots are known, and lets go of the rotation and then of the
/// displacement: each adds one root below λ when the stiffness it meets is negative (Wittrick and Williams 1971).
/// The stiffnesses are ratios of neighbours in the sequence held, turning, loose.
Characteristic characteristic(Support support, TipRatios tip, double x) {
  const Classical f = classical(support, x);
  const double mass = tip.mass * x, inertia = tip.inertia * x * x * x;
  // The weights 1 and μλ, 1 and ιλ³ scaled to a sum of one.
  const double m0 = 1 / (1 + mass), m1 = mass / (1 + mass), j0 = 1 / (1 + inertia),
               j1 = inertia / (1 + inertia);
  const double held = f.clamped;
  const double turning = j0 * f.pinned - j1 * f.clamped;
  const double loose = m0 * (j0 * f.free - j1 * f.guided) - m1 * turning;
  const int negative = ((turning > 0) != (held > 0)) + ((loose > 0) != (turning > 0));
  return {loose, count_clamped(support, x, held) + negative};
}

int rigid_motions(Support support) {
  return support == Support::free ? 2 : support == Support::pinned ? 1 : 0;
}

double find_root(Support support, int k, TipRatios tip) {
  const int target = k + rigid_motions(support);
  const auto below = [&](double x) { return characteristic(support, tip, x).below; };
  // Tips only lower the roots, and without one the k-th lies below (k + 1)π.
  double low = 0, high = (k + 1) * pi;
  while (!(low > 0 && below(low) == target - 1 && below(high) == target)) {
    const double middle = (low + high) / 2;
    if (!(middle > low && middle < high)) return middle;
    (below(middle) >= target ? high : low) = middle;
  }
  // Roots are simple and the count changes by one: the function has opposite signs at the ends.
  std::uintmax_t steps = 200;
  const auto bracket =
      boost::math::tools::toms748_solve([&](double x) { return characteristic(support, tip, x).value; }, low,
                                        high, boost::math::tools::eps_tolerance<double>(52), steps);
  return (bracket.first + bracket.second) / 2;
}

/// What the rounded root lacks. The function is accurate to rounding at the very number given, so that the step is
/// good to some 1e-16 whatever λ; its slope need not be.
double root_rest(Support support, TipRatios tip, double root) {
  const auto value = [&](double x) { return characteristic(support, tip, x).value; };
  const double d = 1e-6 * root;
  return -value(root) * 2 * d / (value(root + d) - value(root - d));
}

// --- shapes ------------------------------------------------------------------------------------------------------

using Four = std::array<double, 4>;

double dot(const Four& a, const Four& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]; }

/// A solution of Ψ'''' = λ⁴ Ψ on 0 ≤ ξ ≤ 1 as a sum of four functions.
///
/// Waves:  Ψ = a_0 cos λξ + a_1 sin λξ + a_2 e^−λξ + a_3 e^−λ(1−ξ). Nothing grows, whatever λ.
/// Series: Ψ = Ψ(0) S_0 + Ψ'(0) S_1 + Ψ''(0) S_2 + Ψ'''(0) S_3 with S_m = Σ_n λ^4n ξ^(4n+m)/(4n+m)!, for the low
///         roots of heavy tips (λ → 0), where the waves all but cancel.
/// Derivatives are taken in units of `unit`: λ for the waves, 1 for the series.
///
/// The phase λξ of mode 50 would be off by 1e-14 from the rounding of λ alone, and with it what a heavy tip all but
/// holds. So the waves know λ to about twice the digits: λ + rest, rest by a Newton step at the rounded λ.
class Shape {
 public:
  Shape(Support support, double root, TipRatios tip);

  /// Ψ, Ψ'/unit, Ψ''/unit², Ψ'''/unit³ at ξ = part/whole.
  Four at(double part, double whole = 1) const;
  double unit() const { return unit_; }
  double root() const { return root_; }

 private:
  std::array<Four, 4> functions(double part, double whole) const;  // [derivative][function]
  std::array<Four, 4> waves(double part, double whole) const;
  std::array<Four, 4> series(double xi) const;
  std::array<Four, 2> held(Support support) const;
  // What the tip answers, in the same units: −Ψ''' = force Ψ and Ψ'' = moment Ψ' at ξ = 1.
  double tip_force(TipRatios tip) const {
    return tip.mass * portable::pow(root_, 4) / portable::pow(unit_, 3);
  }
  double tip_moment(TipRatios tip) const { return tip.inertia * portable::pow(root_, 4) / unit_; }
  void combine(Support support, TipRatios tip);
  double squared(TipRatios tip) const;

  double root_, rest_ = 0;
  bool series_;
  double unit_;
  Four amount_{};
};

Shape::Shape(Support support, double root, TipRatios tip)
    : root_(root),
      series_(root < 1.5),
      unit_(series_ ? 1 : root) {
  if (!series_) rest_ = root_rest(support, tip, root);
  combine(support, tip);
  // Under a heavy tip the force shows the sign that is lost in the value.
  const Four end = at(1);
  const double sign = tip_sign(tip_force(tip) > 1 ? -end[3] : end[0], end[1]);
  const double factor = sign / std::sqrt(squared(tip));
  for (double& a : amount_) a *= factor;
}

std::array<Four, 4> Shape::functions(double part, double whole) const {
  return series_ ? series(part / whole) : waves(part, whole);
}

std::array<Four, 4> Shape::waves(double part, double whole) const {
  const double product = root_ * part, phase = product / whole;
  const double lost =
      (std::fma(root_, part, -product) + std::fma(-phase, whole, product) + rest_ * part) / whole;
  const double c = portable::cos(phase) - lost * portable::sin(phase),
               s = portable::sin(phase) + lost * portable::cos(phase);
  const double p = portable::exp(-phase), r = portable::exp(-root_ * (whole - part) / whole);
  return {{{c, s, p, r}, {-s, c, -p, r}, {-c, -s, p, r}, {s, -c, -p, r}}};
}

std::array<Four, 4> Shape::series(double xi) const {
  const double l4 = root_ * root_ * root_ * root_;
  Four S;
  double leading = 1;  // ξ^m/m!
  for (int m = 0; m < 4; leading *= xi / (++m)) {
    double term = leading;
    S[m] = leading;
    for (int p = m; p < m + 24; p += 4) {
      term *= l4 * xi * xi * xi * xi / ((p + 1.0) * (p + 2.0) * (p + 3.0) * (p + 4.0));
      S[m] += term;
    }
  }
  std::array<Four, 4> out;
  for (int d = 0; d < 4; ++d)
    for (int m = 0; m < 4; ++m) out[d][m] = m >= d ? S[m - d] : l4 * S[m - d + 4];
  return out;
}

/// Two independent sums that satisfy the conditions at the start.
std::array<Four, 2> Shape::held(Support support) const {
  const double e = portable::exp(-root_);
  switch (support) {
    case Support::free:
      if (series_) return {{{1, 0, 0, 0}, {0, 1, 0, 0}}};
      return {{{1, -1, 1, 0}, {e, e, 0, 1}}};
    case Support::pinned:
      if (series_) return {{{0, 1, 0, 0}, {0, 0, 0, 1}}};
      return {{{0, 1, 0, 0}, {0, 0, -e, 1}}};
    case Support::clamped: break;
  }
  if (series_) return {{{0, 0, 1, 0}, {0, 0, 0, 1}}};
  return {{{-1, 1, 1, 0}, {-e, -e, 0, 1}}};
}

/// The sum of the two that satisfies the conditions at the tip: at a root they agree, so the one with the larger
/// coefficients is taken.
void Shape::combine(Support support, TipRatios tip) {
  const double inertia = tip_moment(tip), mass = tip_force(tip);
  const std::array<Four, 2> start = held(support);
  const std::array<Four, 4> end = functions(1, 1);
  std::array<double, 2> moment, shear;
  for (int i = 0; i < 2; ++i) {
    moment[i] = (dot(end[2], start[i]) - inertia * dot(end[1], start[i])) / (1 + inertia);
    shear[i] = (dot(end[3], start[i]) + mass * dot(end[0], start[i])) / (1 + mass);
  }
  const std::array<double, 2>& row =
      portable::hypot(moment[0], moment[1]) > portable::hypot(shear[0], shear[1]) ? moment : shear;
  for (int i = 0; i < 4; ++i) amount_[i] = row[1] * start[0][i] - row[0] * start[1][i];
}

Four Shape::at(double part, double whole) const {
  const std::array<Four, 4> f = functions(part, whole);
  return {dot(f[0], amount_), dot(f[1], amount_), dot(f[2], amount_), dot(f[3], amount_)};
}

/// ∫Ψ² dξ + μ Ψ(1)² + ι Ψ'(1)². The integral is a sum of values at the ends,
///   4λ⁴ ∫Ψ² = [ξ λ⁴ Ψ² + 3 Ψ Ψ''' − 2 ξ Ψ' Ψ''' − Ψ' Ψ'' + ξ Ψ''²],
/// of which those at the start vanish for every support. The series, smooth, are integrated by Gauss's rule.
double Shape::squared(TipRatios tip) const {
  const Four y = at(1);
  // Where the tip is heavy, what moves it is known better than how little it moves.
  const double force = tip_force(tip), moment = tip_moment(tip);
  const double value = force > 1 ? -y[3] / force : y[0], slope = unit_ * (moment > 1 ? y[2] / moment : y[1]);
  double integral = 0;
  if (series_) {
    const auto square = [&](double xi) { return at(xi)[0] * at(xi)[0]; };
    integral = boost::math::quadrature::gauss<double, 15>::integrate(square, 0.0, 1.0);
  } else {
    integral = (y[0] * y[0] - 2 * y[1] * y[3] + y[2] * y[2] + (3 * y[0] * y[3] - y[1] * y[2]) / root_) / 4;
  }
  return integral + tip.mass * value * value + tip.inertia * slope * slope;
}

// --- cells -------------------------------------------------------------------------------------------------------

/// Coefficients of the polynomial of degree 7 that shares value and three derivatives with Ψ at both ends of a cell,
/// from the Taylor coefficients up to the cubic at its start, t = 0; (λh)⁴ is `wave4`.
std::array<double, 8> hermite(const Four& a, double wave4) {
  // What the cubic leaves at the end, e_j = Σ_{n ≥ 4} C(n, j) h^n Ψ⁽ⁿ⁾/n!, follows from Ψ⁽ⁿ⁾ = λ⁴ Ψ⁽ⁿ⁻⁴⁾: as a
  // difference of values it would carry their rounding, and the bending of long waves in short cells would drown.
  Four e{}, term = a;
  for (int n = 4; n < 20; ++n) {
    double& t = term[n % 4];
    t *= wave4 / (n * (n - 1.0) * (n - 2.0) * (n - 3.0));
    e[0] += t;
    e[1] += n * t;
    e[2] += n * (n - 1.0) / 2 * t;
    e[3] += n * (n - 1.0) * (n - 2.0) / 6 * t;
  }
  // That is t⁴ (b_0 + b_1 s + b_2 s² + b_3 s³) with s = t − 1, and t⁻⁴ = 1 − 4s + 10s² − 20s³ + … .
  const double b0 = e[0], b1 = e[1] - 4 * e[0], b2 = e[2] - 4 * e[1] + 10 * e[0];
  const double b3 = e[3] - 4 * e[2] + 10 * e[1] - 20 * e[0];
  return {a[0], a[1], a[2], a[3], b0 - b1 + b2 - b3, b1 - 2 * b2 + 3 * b3, b2 - 3 * b3, b3};
}

/// The error of the cells is at most (λh)⁸/(2⁸ 8!) of the maximum of Ψ, since Ψ⁽⁸⁾ = λ⁸ Ψ: 8e-14 for λh = π/18.
int needed_cells(double largest_root) { return static_cast<int>(std::ceil(18 * largest_root / pi)); }

void fill_cells(const Shape& shape, int k, int count, int cells, std::vector<double>& out) {
  const double h = shape.unit() / cells;
  for (int c = 0; c < cells; ++c) {
    const Four y = shape.at(c, cells);
    const Four taylor{y[0], y[1] * h, y[2] * h * h / 2, y[3] * h * h * h / 6};
    const std::array<double, 8> p = hermite(taylor, portable::pow(shape.root() / cells, 4));
    for (int i = 0; i < 8; ++i) out[(c * 8 + i) * count + k] = p[i];
  }
}

}  // namespace

double beam_root(Support support, int k, double mass_ratio, double inertia_ratio) {
  if (k < 1) throw std::invalid_argument(fmt::format("root {} of a beam: roots are counted from 1", k));
  check_not_negative("tip mass ratio", mass_ratio);
  check_not_negative("tip inertia ratio", inertia_ratio);
  return find_root(support, k, {mass_ratio, inertia_ratio});
}

BeamBasis make_mode_basis(Support support, const BeamData& data, int count) {
  check_beam(data);
  if (count < 1 || count > 50)
    throw std::invalid_argument(fmt::format("{} beam modes asked for; from 1 to 50 are possible", count));
  const TipRatios tip = tip_ratios(data);
  BeamBasis::Shapes out;
  for (int k = 1; k <= count; ++k) out.root.push_back(find_root(support, k, tip));
  const int cells = needed_cells(out.root.back());
  out.cells.resize(static_cast<std::size_t>(cells) * 8 * count);
  for (int k = 0; k < count; ++k) {
    const Shape shape(support, out.root[k], tip);
    // ∫Ψ + μΨ(1) = −Ψ'''(0)/λ⁴ and ∫ξΨ + μΨ(1) + ιΨ'(1) = Ψ''(0)/λ⁴, by Ψ = Ψ''''/λ⁴ and the tip's conditions.
    const Four y = shape.at(0);
    const double u = shape.unit(), l4 = portable::pow(shape.root(), 4);
    out.mean.push_back(support == Support::free ? 0 : -y[3] * u * u * u / l4);
    out.first.push_back(support == Support::clamped ? y[2] * u * u / l4 : 0);
    fill_cells(shape, k, count, cells, out.cells);
  }
  return BeamBasis(support, data, std::move(out));
}

}  // namespace thud
