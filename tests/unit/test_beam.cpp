// Bending shapes of uniform beams.
// Sources of truth: published roots; the characteristic equations and shapes as printed, with cosh and sinh, in
// arithmetic of 100 digits (mode 50 needs 70 of them: cosh 157 ≈ 10⁶⁸ cancels to order one); Gauss quadrature;
// element matrices from the textbook; limits of light and heavy tips.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "thud/beam/basis.hpp"

namespace thud {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;
using Eigen::MatrixXd;

constexpr double pi = boost::math::constants::pi<double>();
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr Support supports[] = {Support::free, Support::pinned, Support::clamped};

std::string name(Support s) {
  return s == Support::free ? "free" : s == Support::pinned ? "pinned" : "clamped";
}

constexpr BeamData plain{1, 1, 1, 0, 0};
constexpr BeamData tipped{1, 1, 1, 0.7, 0.05};
// Nothing is one here: a mistake in a unit shows.
constexpr BeamData steel{0.8, 0.37, 5.2, 0.11, 0.004};

// --- the printed formulas, in 100 digits -------------------------------------------------------------------------

struct Products {
  Wide s, c, sh, ch;
  explicit Products(const Wide& x) : s(sin(x)), c(cos(x)), sh(sinh(x)), ch(cosh(x)) {}
};

Wide printed_equation(Support support, const Wide& x, double mass, double inertia) {
  const Products p(x);
  const Wide m = mass * x, j = inertia * x * x * x;
  const Wide difference = p.s * p.ch - p.c * p.sh, sum = p.s * p.ch + p.c * p.sh, cc = p.c * p.ch;
  switch (support) {
    case Support::free: return (1 - cc) + j * sum + m * difference + m * j * (1 + cc);
    case Support::pinned: return difference + 2 * j * cc + 2 * m * p.s * p.sh - m * j * difference;
    case Support::clamped: break;
  }
  return (1 + cc) - j * sum - m * difference + m * j * (1 - cc);
}

/// Root to some 90 digits, by the secant method from the root under test.
Wide refined_root(Support support, double start, double mass = 0, double inertia = 0) {
  Wide a = start, b = a * (1 + Wide(1e-14));
  Wide fa = printed_equation(support, a, mass, inertia), fb = printed_equation(support, b, mass, inertia);
  for (int i = 0; i < 9 && fa != fb; ++i) {
    const Wide next = b - fb * (b - a) / (fb - fa);
    a = b, fa = fb;
    b = next, fb = printed_equation(support, b, mass, inertia);
  }
  return b;
}

/// Ψ and its first two derivatives in ξ = x/L without a tip, in Blevins's form, normalised to Ψ(1) = 2.
class PrintedShape {
 public:
  PrintedShape(Support support, const Wide& root) : support_(support), root_(root) {
    const Products p(root);
    if (support == Support::free) ratio_ = (p.ch - p.c) / (p.sh - p.s);
    if (support == Support::pinned) ratio_ = p.s / p.sh;
    if (support == Support::clamped) ratio_ = (p.sh - p.s) / (p.ch + p.c);
    factor_ = 2 / raw(Wide(1), 0);
  }
  double operator()(double xi, int derivative = 0) const {
    return static_cast<double>(factor_ * raw(Wide(xi), derivative));
  }

 private:
  Wide raw(const Wide& xi, int derivative) const {
    const Products p(root_ * xi);
    const Wide unit = pow(root_, derivative);
    const bool odd = derivative == 1;
    const Wide sign = derivative == 2 ? -1 : 1;
    // cosh, cos, sinh and sin, differentiated.
    const Wide ch = odd ? p.sh : p.ch, sh = odd ? p.ch : p.sh;
    const Wide c = odd ? -p.s : sign * p.c, s = odd ? p.c : sign * p.s;
    if (support_ == Support::free) return unit * (ch + c - ratio_ * (sh + s));
    if (support_ == Support::pinned) return unit * (s + ratio_ * sh);
    return unit * (ch - c - ratio_ * (sh - s));
  }

  Support support_;
  Wide root_, ratio_, factor_;
};

// --- integrals by Gauss's rule, cell by cell ---------------------------------------------------------------------

struct Integrals {
  MatrixXd mass, stiffness;  // with the tip
  Eigen::VectorXd mean, first;
};

/// Ten points are exact to degree 19; the products of cells have degree 14.
Integrals integrate(const BeamBasis& b) {
  using Gauss = boost::math::quadrature::gauss<double, 10>;
  const BeamData& d = b.data();
  const int n = b.size();
  MatrixXd value(10 * b.cell_count(), n), bend(10 * b.cell_count(), n);
  Eigen::VectorXd weight(10 * b.cell_count()), place(10 * b.cell_count());
  int row = 0;
  for (int c = 0; c < b.cell_count(); ++c)
    for (int i = 0; i < 5; ++i)
      for (const double side : {-1.0, 1.0}) {
        const double x = (c + (1 + side * Gauss::abscissa()[i]) / 2) * b.cell_length();
        weight[row] = Gauss::weights()[i] * b.cell_length() / 2;
        place[row] = x;
        for (int k = 0; k < n; ++k) value(row, k) = b.value(k, x), bend(row, k) = b.value(k, x, 2);
        ++row;
      }
  Eigen::VectorXd tip(n), slope(n);
  for (int k = 0; k < n; ++k) tip[k] = b.value(k, d.length), slope[k] = b.value(k, d.length, 1);
  Integrals out;
  out.mass = d.mass_per_length * value.transpose() * weight.asDiagonal() * value
           + d.tip_mass * tip * tip.transpose() + d.tip_inertia * slope * slope.transpose();
  out.stiffness = d.rigidity * bend.transpose() * weight.asDiagonal() * bend;
  out.mean = d.mass_per_length * value.transpose() * weight + d.tip_mass * tip;
  out.first = d.mass_per_length * value.transpose() * weight.cwiseProduct(place) + d.tip_mass * d.length * tip
            + d.tip_inertia * slope;
  return out;
}

/// Largest deviations from what the class comment promises, in units of ρAL, ρAL ω_k ω_l, ρAL and ρAL².
struct Deviations {
  double mass = 0, stiffness = 0, mean = 0, first = 0;
};

Deviations deviations(const BeamBasis& b) {
  const Integrals in = integrate(b);
  const double m = b.modal_mass();
  Deviations out;
  for (int k = 0; k < b.size(); ++k) {
    for (int l = 0; l < b.size(); ++l) {
      const double delta = k == l ? 1 : 0, w = b.frequency(k) * b.frequency(l);
      out.mass = std::max(out.mass, std::abs(in.mass(k, l) / m - delta));
      out.stiffness = std::max(out.stiffness, std::abs(in.stiffness(k, l) / (m * w) - delta));
    }
    out.mean = std::max(out.mean, std::abs(in.mean[k] - b.mean(k)) / m);
    out.first = std::max(out.first, std::abs(in.first[k] - b.first(k)) / (m * b.data().length));
  }
  return out;
}

// --- roots -------------------------------------------------------------------------------------------------------

// Twelve decimals, as in the tables of Blevins (1979), ch. 8, and Meirovitch (2001), ch. 8, extended.
TEST(BeamRoots, published_digits) {
  const double expected[3][4] = {{4.730040744863, 7.853204624096, 10.995607838002, 14.137165491257},
                                 {3.926602312048, 7.068582745629, 10.210176122813, 13.351768777754},
                                 {1.875104068712, 4.694091132974, 7.854757438238, 10.995540734875}};
  for (int s = 0; s < 3; ++s)
    for (int k = 1; k <= 4; ++k)
      EXPECT_NEAR(beam_root(supports[s], k), expected[s][k - 1], 1e-12) << name(supports[s]) << k;
}

// 1/cosh λ shifts the roots of cos λ by 2e^−λ, tanh λ those of tan λ − 1 by e^−2λ < e^−λ (both to first order;
// 2.2 covers the second). Rounding: two units in the last place of λ.
TEST(BeamRoots, tend_to_multiples_of_pi) {
  for (int k = 1; k <= 50; ++k) {
    const double limit[] = {(2 * k + 1) * pi / 2, (4 * k + 1) * pi / 4, (2 * k - 1) * pi / 2};
    for (int s = 0; s < 3; ++s) {
      const double root = beam_root(supports[s], k);
      EXPECT_NEAR(root, limit[s], 2.2 * std::exp(-root) + 2 * eps * root) << name(supports[s]) << k;
    }
  }
}

// The characteristic equations of Lee (2009) and of every textbook, divided by cosh: slope of order one in λ, so the
// residual is the error of λ, a few roundings.
TEST(BeamRoots, satisfy_the_scaled_equations) {
  for (int k = 1; k <= 50; ++k) {
    const double f = beam_root(Support::free, k), p = beam_root(Support::pinned, k);
    const double c = beam_root(Support::clamped, k);
    EXPECT_NEAR(std::cos(f), 1 / std::cosh(f), 2 * eps * f);
    EXPECT_NEAR(std::sin(p), std::cos(p) * std::tanh(p), 3 * eps * p);
    EXPECT_NEAR(std::cos(c), -1 / std::cosh(c), 2 * eps * c);
  }
}

// In 100 digits the equations as printed change sign within a relative 1e-14 of every root.
// Rounding: the argument of cos λ is off by eps λ/2, the function by a few eps, its slope is of order one.
TEST(BeamRoots, with_tip_change_the_sign_of_the_printed_equation) {
  for (const Support s : supports)
    for (const double mass : {0.0, 1e-3, 1.0, 30.0, 1e4})
      for (const double inertia : {0.0, 1e-4, 0.3, 1e3}) {
        double before = 0;
        for (int k = 1; k <= 50; k += k < 6 ? 1 : 11) {
          const double root = beam_root(s, k, mass, inertia);
          EXPECT_GT(root, before);
          before = root;
          const Wide low = printed_equation(s, Wide(root) * (1 - Wide(1e-14)), mass, inertia);
          const Wide high = printed_equation(s, Wide(root) * (1 + Wide(1e-14)), mass, inertia);
          EXPECT_TRUE((low < 0) != (high < 0)) << name(s) << " μ " << mass << " ι " << inertia << " k " << k;
        }
      }
}

// None is missed and none is counted twice: on a grid much finer than the distance of the roots, the printed
// equation (cosh 160 is 10⁶⁹, double bears it) changes its sign exactly 50 times up to the 50th.
TEST(BeamRoots, are_all_there) {
  const auto equation = [](Support s, double x, double mass, double inertia) {
    const double C = std::cosh(x), S = std::sinh(x), c = std::cos(x), n = std::sin(x);
    const double m = mass * x, j = inertia * x * x * x, d = n * C - c * S, e = n * C + c * S;
    if (s == Support::free) return (1 - c * C) + j * e + m * d + m * j * (1 + c * C);
    if (s == Support::pinned) return -d - 2 * j * c * C - 2 * m * n * S + m * j * d;
    return (1 + c * C) - j * e - m * d + m * j * (1 - c * C);
  };
  for (const Support s : supports)
    for (const double mass : {0.0, 1e-6, 0.01, 0.3, 5.0, 1e2, 1e4})
      for (const double inertia : {0.0, 1e-7, 1e-4, 0.02, 1.0, 1e3}) {
        const double end = beam_root(s, 50, mass, inertia) + 1e-6;
        int changes = 0;
        // From 0.05, below the smallest root (3/(μ + 3ι))^¼ = 0.12, above where rounding drowns the equation.
        double before = equation(s, 0.05, mass, inertia);
        for (double x = 0.05; x < end;) {
          x = std::min(x + 0.01, end);
          const double now = equation(s, x, mass, inertia);
          if ((now < 0) != (before < 0)) ++changes;
          before = now;
        }
        EXPECT_EQ(changes, 50) << name(s) << " μ " << mass << " ι " << inertia;
      }
}

// Blevins (1979), ch. 8, and other tables for a tip mass equal to that of the beam; four decimals.
TEST(BeamRoots, of_a_tip_as_heavy_as_the_beam) {
  const double expected[] = {1.2479, 4.0311, 7.1341, 10.2566};
  for (int k = 1; k <= 4; ++k) EXPECT_NEAR(beam_root(Support::clamped, k, 1), expected[k - 1], 6e-5);
}

// First-order perturbation with Ψ(1) = 2: δ(ω²)/ω² = −4μ, so δλ/λ = −μ. Second order (λμ)² and rounding below 1e-13.
TEST(BeamRoots, of_light_tips_are_those_without) {
  const double mass = 1e-9;
  for (const Support s : supports)
    for (int k = 1; k <= 50; ++k) {
      const double root = beam_root(s, k);
      EXPECT_NEAR(beam_root(s, k, mass) / root, 1 - mass, 1e-13) << name(s) << k;
    }
}

// Light beam, heavy tip: λ⁴ = 3/(μ + 33/140) up to O(μ⁻³) (Rayleigh: the static deflection carries 33/140 of the
// beam's mass), 1e-8 relative for μ = 1e4. The others tend to those of a beam clamped and pinned, from above,
// like 1/(μ λ) times a factor of order one (first-order perturbation in 1/μ).
TEST(BeamRoots, of_a_heavy_tip_mass) {
  for (const double mass : {1e4, 1e6, 1e9}) {
    EXPECT_NEAR(beam_root(Support::clamped, 1, mass) / std::pow(3 / (mass + 33.0 / 140), 0.25), 1,
                0.02 / (mass * mass) + 4 * eps);
    for (int k = 1; k <= 40; ++k) {
      const double excess = beam_root(Support::clamped, k + 1, mass) - beam_root(Support::pinned, k);
      EXPECT_GT(excess, -1e-13);
      EXPECT_LT(excess, 1 / (mass * (4 * k + 1) * pi / 4) + 1e-13) << k;
    }
  }
}

// A massless beam between its pin and a tip: stiffness 3 (Ψ − Ψ')² at the tip, hence λ⁴ = 3 (1/μ + 1/ι).
// Clamped: eigenvalues of the tip's stiffness [12 −6; −6 4] with masses μ and ι. The beam's own mass enters with
// relative 1/μ, 1/ι.
TEST(BeamRoots, of_tips_that_are_heavy_in_both_ways) {
  const double mass = 3e7, inertia = 2e6;
  EXPECT_NEAR(beam_root(Support::pinned, 1, mass, inertia), std::pow(3 / mass + 3 / inertia, 0.25), 1e-7);
  const double a = mass * inertia, b = 4 * mass + 12 * inertia, r = std::sqrt(b * b - 48 * a);
  EXPECT_NEAR(beam_root(Support::clamped, 1, mass, inertia), std::pow(24 / (b + r), 0.25), 1e-7);
  EXPECT_NEAR(beam_root(Support::clamped, 2, mass, inertia), std::pow((b + r) / (2 * a), 0.25), 1e-7);
  EXPECT_NEAR(beam_root(Support::clamped, 3, mass, inertia), beam_root(Support::free, 1), 1e-5);
}

// --- modes -------------------------------------------------------------------------------------------------------

// Hermite interpolation of degree 7 is off by t⁴(1 − t)⁴ h⁸ Ψ⁽⁸⁾/8!. With λh ≤ π/18 and max|Ψ| = 2 that is 1.7e-13 at
// the most, 3.7e-12 λ in the slope and 1.8e-10 λ² in the bend. Rounding stays below 1e-14.
TEST(BeamModes, equal_the_printed_shapes) {
  for (const Support s : supports) {
    const BeamBasis b = make_mode_basis(s, plain, 50);
    for (int k = 0; k < 50; ++k) {
      const double l = b.root(k);
      const Wide root = refined_root(s, l);
      EXPECT_NEAR(static_cast<double>(Wide(l) - root), 0, 2 * eps * l);
      const PrintedShape shape(s, root);
      for (const double xi : {0.0, 0.003, 0.0377, 0.21, 0.5, 0.731, 0.96, 0.9991, 1.0}) {
        EXPECT_NEAR(b.value(k, xi), shape(xi), 2e-13) << name(s) << k << " at " << xi;
        EXPECT_NEAR(b.value(k, xi, 1), shape(xi, 1), 4e-12 * l) << name(s) << k << " at " << xi;
        EXPECT_NEAR(b.value(k, xi, 2), shape(xi, 2), 1.9e-10 * l * l) << name(s) << k << " at " << xi;
      }
    }
  }
}

// Four points inside every cell, for bases of several sizes: the last mode has the longest cells for its waves.
TEST(BeamModes, are_matched_by_their_cells) {
  for (const Support s : supports)
    for (const int count : {1, 2, 9, 50}) {
      const BeamBasis b = make_mode_basis(s, plain, count);
      const PrintedShape shape(s, refined_root(s, b.root(count - 1)));
      double worst = 0;
      for (int c = 0; c < b.cell_count(); c += count == 50 ? 7 : 1)
        for (const double t : {0.21, 0.43, 0.5, 0.77}) {
          const double x = (c + t) * b.cell_length();
          worst = std::max(worst, std::abs(b.value(count - 1, x) - shape(x)));
        }
      EXPECT_LT(worst, 1e-13 * 2) << name(s) << count;  // 2 is the maximum, at the tip
    }
}

// Integrals of the stored polynomials. The cells bring 8e-14; the rest is rounding of the tip's value and slope, some
// 1e-15 and 1e-15 λ with λ ≤ 160, times what multiplies it: √μ and √ι in the mass (normalised shapes have
// √μ |Ψ(1)| ≤ 1), μ and ι in the moments.
TEST(BeamModes, are_orthogonal) {
  for (const Support s : supports)
    for (const BeamData& d : {plain, tipped, steel, BeamData{1, 1, 1, 1e4, 0}, BeamData{1, 1, 1, 1e4, 1e3},
                              BeamData{1, 1, 1, 0, 2}, BeamData{1, 1, 1, 1e8, 1e8}}) {
      const BeamBasis b = make_mode_basis(s, d, 50);
      const Deviations e = deviations(b);
      const double mass = d.tip_mass / b.modal_mass(),
                   inertia = d.tip_inertia / (b.modal_mass() * std::pow(d.length, 2));
      const std::string which = name(s) + " μ " + std::to_string(mass) + " ι " + std::to_string(inertia);
      EXPECT_LT(e.mass, 1e-13 + 1e-15 * std::sqrt(mass) + 1.6e-13 * std::sqrt(inertia)) << which;
      EXPECT_LT(e.stiffness, 1e-13) << which;
      EXPECT_LT(e.mean, 1e-14 + 1e-15 * mass) << which;
      EXPECT_LT(e.first, 1e-14 + 1e-15 * mass + 1.6e-13 * inertia) << which;
    }
}

// 4∫Ψ² = Ψ(1)² for every held or free start when the tip is free; and the signs agreed on.
TEST(BeamModes, have_the_tip_value_two) {
  for (const Support s : supports) {
    const BeamBasis b = make_mode_basis(s, plain, 50), t = make_mode_basis(s, tipped, 50);
    for (int k = 0; k < 50; ++k) {
      EXPECT_NEAR(b.value(k, 1), 2, 1e-14);
      EXPECT_GT(t.value(k, 1), 0);
    }
  }
}

// The conditions at the ends, for exact modes with a tip: EI Ψ'' = ω² J Ψ', EI Ψ''' = −ω² M Ψ, in units of
// EI λ²/L² and EI λ³/L³. Third derivatives of cells are exact at their ends; rounding is some eps/(λh)³ = 1e-13.
TEST(BeamModes, satisfy_the_conditions_at_the_ends) {
  for (const Support s : supports) {
    const BeamBasis b = make_mode_basis(s, steel, 12);
    const double length = steel.length;
    for (int k = 0; k < 12; ++k) {
      const double l = b.root(k) / length, w2 = std::pow(b.frequency(k), 2) / steel.rigidity;
      const auto y = [&](double x, int d) { return b.value(k, x, d) / std::pow(l, d); };
      EXPECT_NEAR(y(length, 2), w2 * steel.tip_inertia * b.value(k, length, 1) / (l * l), 1e-11);
      EXPECT_NEAR(y(length, 3), -w2 * steel.tip_mass * b.value(k, length) / (l * l * l), 1e-11);
      EXPECT_NEAR(s == Support::free ? y(0, 2) : y(0, 0), 0, 1e-14);
      EXPECT_NEAR(s == Support::free ? y(0, 3) : s == Support::pinned ? y(0, 2) : y(0, 1), 0, 1e-14);
    }
  }
}

TEST(BeamModes, moments_vanish_exactly_where_the_frame_takes_them) {
  for (const BeamData& d : {plain, tipped}) {
    for (const BeamBasis& b : {make_mode_basis(Support::free, d, 9), make_element_basis(Support::free, d, 5)})
      for (int k = 0; k < b.size(); ++k) {
        EXPECT_EQ(b.mean(k), 0);
        EXPECT_EQ(b.first(k), 0);
      }
    for (const BeamBasis& b :
         {make_mode_basis(Support::pinned, d, 9), make_element_basis(Support::pinned, d, 5)})
      for (int k = 0; k < b.size(); ++k) {
        EXPECT_NE(b.mean(k), 0);
        EXPECT_EQ(b.first(k), 0);
      }
  }
}

// ω = λ² √(EI/ρA)/L²: the first of a steel ruler, 0.3 m × 25 mm × 1 mm, E = 210 GPa, ρ = 7850 kg/m³, is
// 3.516015 · √(0.4375/0.19625)/0.09 = 58.330 rad/s by hand.
TEST(BeamModes, frequency_of_a_ruler) {
  const BeamData ruler{0.3, 7850 * 0.025 * 0.001, 210e9 * 0.025 * 1e-9 / 12, 0, 0};
  EXPECT_NEAR(make_mode_basis(Support::clamped, ruler, 1).frequency(0), 58.330, 1e-3);
  EXPECT_DOUBLE_EQ(make_mode_basis(Support::clamped, ruler, 1).modal_mass(), 0.05887500000000001);
}

// --- elements ----------------------------------------------------------------------------------------------------

// A cantilever of one element: λ² = 3.533 and 34.81, in every book on finite elements.
TEST(BeamElements, one_element) {
  const BeamBasis b = make_element_basis(Support::clamped, plain, 1);
  EXPECT_NEAR(b.frequency(0), 3.533, 5e-4);
  EXPECT_NEAR(b.frequency(1), 34.81, 5e-3);
}

/// Consistent matrices in (Ψ, Ψ') per node with dimensions, as the textbook has them.
struct Textbook {
  MatrixXd mass, stiffness;
};
Textbook textbook(Support s, const BeamData& d, int n) {
  const double h = d.length / n;
  Eigen::Matrix4d m, k;
  m << 156, 22 * h, 54, -13 * h, 22 * h, 4 * h * h, 13 * h, -3 * h * h, 54, 13 * h, 156, -22 * h, -13 * h,
      -3 * h * h, -22 * h, 4 * h * h;
  k << 12, 6 * h, -12, 6 * h, 6 * h, 4 * h * h, -6 * h, 2 * h * h, -12, -6 * h, 12, -6 * h, 6 * h, 2 * h * h,
      -6 * h, 4 * h * h;
  Textbook out{MatrixXd::Zero(2 * n + 2, 2 * n + 2), MatrixXd::Zero(2 * n + 2, 2 * n + 2)};
  for (int i = 0; i < n; ++i) {
    out.mass.block<4, 4>(2 * i, 2 * i) += d.mass_per_length * h / 420 * m;
    out.stiffness.block<4, 4>(2 * i, 2 * i) += d.rigidity / (h * h * h) * k;
  }
  out.mass(2 * n, 2 * n) += d.tip_mass;
  out.mass(2 * n + 1, 2 * n + 1) += d.tip_inertia;
  const int loose = 2 * n + 2 - (s == Support::free ? 0 : s == Support::pinned ? 1 : 2);
  return {out.mass.bottomRightCorner(loose, loose), out.stiffness.bottomRightCorner(loose, loose)};
}

// Eigenvalues of the textbook's matrices, all of them; its solver is good to rounding of the highest.
TEST(BeamElements, equal_the_eigenvalues_of_the_textbook) {
  for (const Support s : supports)
    for (const BeamData& d : {plain, steel})
      for (const int n : {1, 2, 7}) {
        const Textbook t = textbook(s, d, n);
        const Eigen::VectorXd w2 =
            Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(t.stiffness, t.mass).eigenvalues();
        const BeamBasis b = make_element_basis(s, d, n);
        ASSERT_EQ(b.size(), 2 * n);
        const int rigid = static_cast<int>(w2.size()) - 2 * n;
        for (int k = 0; k < 2 * n; ++k)
          EXPECT_NEAR(std::pow(b.frequency(k), 2), w2[k + rigid], 1e-12 * w2[w2.size() - 1])
              << name(s) << n << k;
      }
}

// 2(N+1) coordinates less two rigid motions; less the pin and one; less the clamp and none.
TEST(BeamElements, number_of_shapes) {
  for (const int n : {1, 3, 20}) {
    EXPECT_EQ(make_element_basis(Support::free, plain, n).size(), 2 * (n + 1) - 2);
    EXPECT_EQ(make_element_basis(Support::pinned, plain, n).size(), 2 * (n + 1) - 1 - 1);
    EXPECT_EQ(make_element_basis(Support::clamped, plain, n).size(), 2 * n);
  }
  EXPECT_EQ(make_element_basis(Support::free, plain, 8, 3).size(), 3);
}

// Order 4 in a two-sided band once an element is shorter than 0.9/λ, errors always from above, against the exact
// modes. The smallest error is 5e-10, the frequencies are good to 1e-14.
TEST(BeamElements, frequencies_converge_with_order_four) {
  for (const Support s : supports)
    for (const BeamData& d : {plain, steel, BeamData{1, 1, 1, 3, 0}}) {
      const BeamBasis exact = make_mode_basis(s, d, 3);
      double before[3] = {};
      for (const int n : {4, 8, 16, 32, 64}) {
        const BeamBasis elements = make_element_basis(s, d, n, 3);
        for (int k = 0; k < 3; ++k) {
          const double error = elements.frequency(k) / exact.frequency(k) - 1;
          EXPECT_GT(error, 0) << name(s) << n << k;
          if (n > 4 && exact.root(k) < 0.9 * n / 2) {
            EXPECT_NEAR(std::log2(before[k] / error), 4, 0.2) << name(s) << n << k;
          }
          before[k] = error;
        }
      }
    }
}

// Down to rounding: by the order the error of λ_1 is 1.6345e-5 (4/100)⁴ = 4.2e-11 for the cantilever of 100 elements,
// where ω_max/ω_1 = 1.7e5 and an eigenvalue problem in ω² would have lost all but six digits.
TEST(BeamElements, low_frequencies_stay_accurate_with_many_elements) {
  const double exact = beam_root(Support::clamped, 1);
  const auto error = [&](int n) {
    return make_element_basis(Support::clamped, plain, n, 1).root(0) / exact - 1;
  };
  const double four = error(4), many = error(100);
  EXPECT_NEAR(std::log2(four / error(8)), 4, 0.2);
  EXPECT_NEAR(many, four * std::pow(4.0 / 100, 4), 0.05 * many + 2e-14);
}

// Every shape, the highest included. Mass: rounding. Bends of cubics are differences of nodes: a rounding of them
// counts ω_max/ω_1 ≈ 15 N² times.
TEST(BeamElements, are_orthogonal) {
  for (const Support s : supports)
    for (const BeamData& d : {plain, tipped, steel, BeamData{1, 1, 1, 1e4, 1e3}})
      for (const int n : {1, 2, 5, 32}) {
        const BeamBasis b = make_element_basis(s, d, n);
        const Deviations e = deviations(b);
        const double inertia = d.tip_inertia / (b.modal_mass() * std::pow(d.length, 2)),
                     mass = d.tip_mass / b.modal_mass();
        const double ratio = b.frequency(b.size() - 1) / b.frequency(0);
        EXPECT_LT(e.mass, 1e-13 + 1e-12 * std::sqrt(inertia)) << name(s) << n;
        EXPECT_LT(e.stiffness, 1e-13 + 1e-14 * ratio) << name(s) << n;
        EXPECT_LT(e.mean, 1e-14 + 1e-14 * mass) << name(s) << n;
        EXPECT_LT(e.first, 1e-14 + 1e-14 * mass + 1e-12 * inertia) << name(s) << n;
      }
}

// Cubics interpolate to h⁴ max|Ψ''''|/384 = (λh)⁴ 2/384, and the eigenvectors are as good.
TEST(BeamElements, shapes_tend_to_the_modes) {
  for (const Support s : supports)
    for (const BeamData& d : {plain, tipped}) {
      const BeamBasis modes = make_mode_basis(s, d, 4), elements = make_element_basis(s, d, 40, 4);
      for (int k = 0; k < 4; ++k)
        for (const double x : {0.0, 0.11, 0.4, 0.713, 0.95, 1.0})
          EXPECT_NEAR(elements.value(k, x), modes.value(k, x), std::pow(modes.root(k) / 40, 4) * 4 / 384)
              << name(s) << k << " at " << x;
    }
}

// Elements know nothing of characteristic equations: that their k-th frequency lies closely above the k-th mode,
// for any tip, shows that no root is skipped. (λh)⁴/1440 is the error of ω without a tip; λ has half of it, and four
// times that is allowed.
RC_GTEST_PROP(BeamElements, lie_closely_above_the_modes_for_any_tip, ()) {
  const auto s = *rc::gen::element(Support::free, Support::pinned, Support::clamped);
  const auto ratio = [](int limit) {  // 10^−6 … 10^limit, or nothing
    const int tenth = *rc::gen::inRange(-61, 10 * limit + 1);
    return tenth == -61 ? 0.0 : std::pow(10.0, tenth / 10.0);
  };
  const BeamData d{1, 1, 1, ratio(4), ratio(3)};
  const BeamBasis elements = make_element_basis(s, d, 24, 9);
  for (int k = 0; k < 9; ++k) {
    const double root = beam_root(s, k + 1, d.tip_mass, d.tip_inertia);
    const double error = elements.root(k) / root - 1;
    RC_ASSERT(error > -1e-13);
    RC_ASSERT(error < std::pow(root / 24, 4) / 720 + 1e-13);
  }
}

// --- both --------------------------------------------------------------------------------------------------------

std::vector<BeamBasis> samples() {
  std::vector<BeamBasis> out;
  for (const Support s : supports)
    for (const BeamData& d : {plain, steel, BeamData{1, 1, 1, 1e4, 0}}) {
      out.push_back(make_mode_basis(s, d, 7));
      out.push_back(make_element_basis(s, d, 1));
      out.push_back(make_element_basis(s, d, 6));
    }
  return out;
}

TEST(BeamBasis, goes_on_straight_beyond_the_ends) {
  for (const BeamBasis& b : samples())
    for (int k = 0; k < b.size(); ++k)
      for (const double end : {0.0, b.data().length}) {
        const double beyond = end == 0 ? -0.3 : end + 0.3, slope = b.value(k, end, 1);
        EXPECT_DOUBLE_EQ(b.value(k, beyond), b.value(k, end) + slope * (beyond - end));
        EXPECT_EQ(b.value(k, beyond, 1), slope);
        EXPECT_EQ(b.value(k, beyond, 2), 0);
        EXPECT_EQ(b.value(k, beyond, 3), 0);
      }
}

// Neighbouring cells meet in value and slope, and in bend and shear for the modes, up to the rounding of the terms.
TEST(BeamBasis, cells_meet) {
  const double binomial[4][8] = {{1, 1, 1, 1, 1, 1, 1, 1},
                                 {0, 1, 2, 3, 4, 5, 6, 7},
                                 {0, 0, 1, 3, 6, 10, 15, 21},
                                 {0, 0, 0, 1, 4, 10, 20, 35}};
  for (const BeamBasis& b : samples()) {
    const int smooth = b.cell_count() > 8 ? 3 : 1;  // modes have more cells than the elements here
    for (int c = 0; c + 1 < b.cell_count(); ++c)
      for (int k = 0; k < b.size(); ++k)
        for (int d = 0; d <= smooth; ++d) {
          double end = 0, size = b.largest(k);
          for (int p = d; p <= BeamBasis::degree; ++p) {
            const double term = binomial[d][p] * b.cell(c)[p * b.size() + k];
            end += term;
            size += std::abs(term);
          }
          EXPECT_NEAR(end, b.cell(c + 1)[d * b.size() + k], 4 * eps * size) << c << k << d;
        }
  }
}

// On 64 points in every cell the bounds hold; and they are tight to two per cent: one from the bound, less than one
// from the points.
TEST(BeamBasis, largest_and_steepest_are_tight_bounds) {
  for (const BeamBasis& b : samples())
    for (int k = 0; k < b.size(); ++k) {
      double value = 0, slope = 0;
      for (int i = 0; i <= 64 * b.cell_count(); ++i) {
        const double x = i / 64.0 * b.cell_length();
        value = std::max(value, std::abs(b.value(k, x)));
        slope = std::max(slope, std::abs(b.value(k, x, 1)));
      }
      EXPECT_GE(b.largest(k), value);
      EXPECT_LE(b.largest(k), 1.02 * value);
      EXPECT_GE(b.steepest(k), slope);
      EXPECT_LE(b.steepest(k), 1.02 * slope);
    }
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

TEST(BeamBasis, refuses_bad_beams) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto with = [](double BeamData::*member, double value) {
    BeamData d = plain;
    d.*member = value;
    return d;
  };
  std::vector<BeamData> bad;
  for (double BeamData::*member : {&BeamData::length, &BeamData::mass_per_length, &BeamData::rigidity})
    for (const double value : {0.0, -1.0, nan, inf}) bad.push_back(with(member, value));
  for (double BeamData::*member : {&BeamData::tip_mass, &BeamData::tip_inertia})
    for (const double value : {-1e-9, nan, inf}) bad.push_back(with(member, value));
  for (const BeamData& d : bad) {
    EXPECT_THROW(make_mode_basis(Support::free, d, 1), std::invalid_argument);
    EXPECT_THROW(make_element_basis(Support::free, d, 1), std::invalid_argument);
  }
  EXPECT_THAT(message_of([&] { make_mode_basis(Support::free, with(&BeamData::length, -2.5), 1); }),
              testing::AllOf(testing::HasSubstr("length"), testing::HasSubstr("-2.5"),
                             testing::HasSubstr("positive")));
}

TEST(BeamBasis, refuses_bad_numbers) {
  using testing::HasSubstr;
  for (const int count : {-1, 0, 51})
    EXPECT_THAT(message_of([&] { make_mode_basis(Support::pinned, plain, count); }),
                testing::AllOf(HasSubstr(std::to_string(count)), HasSubstr("from 1 to 50")));
  for (const int elements : {-1, 0, 201})
    EXPECT_THAT(message_of([&] { make_element_basis(Support::pinned, plain, elements); }),
                testing::AllOf(HasSubstr(std::to_string(elements)), HasSubstr("from 1 to 200")));
  for (const int count : {-1, 9})
    EXPECT_THAT(message_of([&] { make_element_basis(Support::pinned, plain, 4, count); }),
                HasSubstr("from 1 to 8"));
  EXPECT_THROW(beam_root(Support::free, 0), std::invalid_argument);
  EXPECT_THROW(beam_root(Support::free, 1, -1), std::invalid_argument);
  EXPECT_THROW(beam_root(Support::free, 1, 0, std::numeric_limits<double>::infinity()),
               std::invalid_argument);
}

}  // namespace
}  // namespace thud
