#pragma once
// Implicit steps for stiff systems: Radau IIA of order 5 over the state (q, v, quadratures).

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "step/stepper.hpp"
#include "thud/math/portable.hpp"

namespace thud {

/// Coefficients of the three-stage method (Hairer & Wanner, Solving ODEs II, §IV.5 and §IV.8).
namespace radau {

using Complex = std::complex<double>;

inline constexpr double root3 = 1.732050807568877293527446, root6 = 2.449489742783178098197284;
inline constexpr double cube_root3 = 1.442249570307408382321638, cube_root9 = 2.080083823051904114530057;

inline constexpr double c[3] = {(4 - root6) / 10, (4 + root6) / 10, 1};
inline constexpr double a[3][3] = {
    {(88 - 7 * root6) / 360, (296 - 169 * root6) / 1800, (-2 + 3 * root6) / 225},
    {(296 + 169 * root6) / 1800, (88 + 7 * root6) / 360, (-2 - 3 * root6) / 225},
    {(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}};
inline constexpr const double (&b)[3] = a[2];

// The eigenvalues of A: one real, one pair.
inline constexpr double real_root = (6 + 3 * cube_root3 - cube_root9) / 30;
inline constexpr Complex complex_root{(12 - 3 * cube_root3 + cube_root9) / 60,
                                      (3 * cube_root3 + cube_root9) * root3 / 60};

// Their inverses, the eigenvalues of A⁻¹.
inline constexpr double gamma = 1 / real_root;
inline constexpr double complex_root_norm =
    complex_root.real() * complex_root.real() + complex_root.imag() * complex_root.imag();
inline constexpr Complex mu{complex_root.real() / complex_root_norm,
                            -complex_root.imag() / complex_root_norm};

// Weights of the stages in the error estimate, times γ (ibid. §IV.8).
inline constexpr double e[3] = {(-13 - 7 * root6) / 3, (-13 + 7 * root6) / 3, -1.0 / 3};

// Eigenvectors of A that belong to one eigenvalue: left A = λ left, A right = λ right, left · right = 1.
template <class Scalar>
struct Eigenvectors {
  Scalar left[3], right[3];
};

// From the spectral projector Π = (A − λ₂)(A − λ₃) / ((λ − λ₂)(λ − λ₃)) = right ⊗ left: its last row and column.
inline Eigenvectors<Complex> make_eigenvectors(Complex own, Complex second, Complex third) {
  const Complex size = (own - second) * (own - third);
  const auto entry = [&](int i, int j) {
    Complex sum{};
    for (int k = 0; k < 3; ++k)
      sum += (a[i][k] - (i == k ? second : Complex{})) * (a[k][j] - (k == j ? third : Complex{}));
    return sum / size;
  };
  Eigenvectors<Complex> out{};
  for (int k = 0; k < 3; ++k) {
    out.left[k] = entry(2, k);
    out.right[k] = entry(k, 2) / entry(2, 2);
  }
  return out;
}
inline Eigenvectors<double> real_part(const Eigenvectors<Complex>& v) {
  return {{v.left[0].real(), v.left[1].real(), v.left[2].real()},
          {v.right[0].real(), v.right[1].real(), v.right[2].real()}};
}

inline constexpr Complex conjugate_root{complex_root.real(), -complex_root.imag()};
inline const Eigenvectors<double> real_vectors =
    real_part(make_eigenvectors(real_root, complex_root, conjugate_root));
inline const Eigenvectors<Complex> complex_vectors =
    make_eigenvectors(complex_root, real_root, conjugate_root);

}  // namespace radau

/// The matrices g I − J of a step, for J = ∂(v, a)/∂(q, v) = [0 I; A B] and g = γ/h or μ/h.
///
/// The first row gives dq = (r₁ + dv) / g, and what remains is of half the size:
///
///   (g I − B − A/g) dv = r₂ + A r₁ / g
class RadauMatrices {
 public:
  void resize(int n) {
    n_ = n;
    by_q_.setZero(n, n);
    by_v_.setZero(n, n);
    real_ = Lu<double>(n);
    complex_ = Lu<radau::Complex>(n);
    forget();
  }
  void forget() { known_ = false; }
  bool is_known() const { return known_; }

  template <class F>
  void renew(F& f, double t, const double* y) {
    f.jacobian(t, y, by_q_.data(), by_v_.data());
    known_ = true;
    factored_h_ = 0;
  }
  void factor(double h) {
    if (h == factored_h_) return;
    real_.factor(by_q_, by_v_, radau::gamma / h);
    complex_.factor(by_q_, by_v_, radau::mu / h);
    factored_h_ = h;
  }
  /// (g I − J)⁻¹ r in place of r = (r₁, r₂).
  void solve_real(double* r) { real_.solve(by_q_, r); }
  void solve_complex(radau::Complex* r) { complex_.solve(by_q_, r); }

  /// Σ_j |A_ij x_j|
  double row_size(int i, const double* x) const {
    double sum = 0;
    for (int j = 0; j < n_; ++j) sum += std::abs(by_q_(i, j) * x[j]);
    return sum;
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  template <class Scalar>
  struct Lu {
    using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

    Lu() = default;
    explicit Lu(int n) : matrix(n, n), lu(n), right(n), out(n) {}

    void factor(const RowMajor& by_q, const RowMajor& by_v, Scalar shift) {
      g = shift;
      const Scalar inverse = Scalar(1) / g;
      for (int i = 0; i < matrix.rows(); ++i)
        for (int j = 0; j < matrix.cols(); ++j)
          matrix(i, j) = (i == j ? g : Scalar(0)) - by_v(i, j) - by_q(i, j) * inverse;
      lu.compute(matrix);
    }
    void solve(const RowMajor& by_q, Scalar* r) {
      const int n = static_cast<int>(right.size());
      const Scalar inverse = Scalar(1) / g;
      for (int i = 0; i < n; ++i) {
        Scalar sum(0);
        for (int j = 0; j < n; ++j) sum += by_q(i, j) * r[j];
        right[i] = r[n + i] + sum * inverse;
      }
      out.noalias() = lu.solve(right);
      for (int i = 0; i < n; ++i) {
        r[n + i] = out[i];
        r[i] = (r[i] + out[i]) * inverse;
      }
    }

    Matrix matrix;
    Eigen::PartialPivLU<Matrix> lu;
    Vector right, out;
    Scalar g{};
  };

  int n_ = 0;
  RowMajor by_q_, by_v_;  // A, B
  Lu<double> real_;
  Lu<radau::Complex> complex_;
  double factored_h_ = 0;
  bool known_ = false;
};

struct RadauMethod {
  static constexpr int order = 5, stages = 3;
  static constexpr int error_order = 4;  ///< the estimate falls like h⁴
  static constexpr int dense_stages = 4, dense_terms = 5;
  static constexpr bool adaptive = true;
  static constexpr bool implicit =
      true;  ///< needs jacobian(), set_scale(), forget_jacobian(); may not converge
};

/// Radau IIA of order 5: three stages, stiffly accurate, L-stable (Hairer & Wanner, Solving ODEs II, §IV.8).
///
/// For y = (q, v, w) with q̇ = v, v̇ = a(t, q, v) and quadratures ẇ = g(t, q, v). With x = (q, v), f = (v, a), the
/// stages x + Z_i and the end of the step (collocation) are
///
///   Z_i = h Σ_j a_ij F_j,   F_j = f(t + c_j h, x + Z_j),   x₁ = x + Z₃,   w₁ = w + h Σ_j b_j g_j
///
/// Newton with a Jacobian J that is kept from step to step, on ξ = ℓ · Z for a left eigenvector ℓ of A, real for the
/// eigenvalue 1/γ and complex for 1/μ; r are the right ones:
///
///   (γ/h − J) δξ = ℓ · F − γ/h ξ,   (μ/h − J) δξ' = ℓ' · F − μ/h ξ',   δZ = r δξ + 2 Re r' δξ'
///
/// It starts from the collocation polynomial of the last step, taken from the same place or beyond its end. With
/// θ = ‖δZ‖ / ‖δZ before‖ it ends when θ/(1 − θ) ‖δZ‖ ≤ `newton_accuracy`, in allowed errors, or at rounding. When
/// θ ≥ 1, or when 7 iterations will not do, it starts again from Z = 0 with a new Jacobian, unless it just did; if that
/// fails, error() is infinite and next() is y. J is renewed at the next new place when θ > `renewal_rate`.
///
/// Error, of order 3 and bounded for stiff components (it falls like h⁴ for small h):
///
///   err = (γ/h − J)⁻¹ (f(t, x) + Σ e_i Z_i / h)
///
/// and where that is > 1 on a first or repeated step, once more with f(t, x + err): it then falls like 1/(hJ), so that
/// a fast transient can be stepped over. Such a step reports `no_growth` at least. What an undamped mode loses thereby
/// is damping of the method and shows in no quadrature. A mode whose amplitude is above the allowed errors, that of v
/// included, is resolved; see count_fast_velocities.
///
/// Continuous extension, θ = (t' − t)/h, with P(θ) = θ (Δ + (1 − θ) R(θ)), Δ = next − y:
///   x  collocation polynomial (error h⁴) + Φ (Hermite − collocation), where Hermite is the quintic of q, q̇, q̈ at both
///      ends, and its derivative for v (errors h⁶, h⁵). Φ = 3 G² − 2 G³, G = (1 − h J/γ)⁻¹, is 1 + O(h²J²) and falls
///      like (hJ)⁻² for stiff components, whose accelerations mean nothing; there the collocation polynomial stays.
///   w  the quartic whose rate agrees with g at 0, c₁, c₂, 1. It ends at w₁, since b is the rule of those nodes.
///
/// The right-hand side f needs f(t, y, slope), f.full(t, y, slope) and f.jacobian(t, y, A, B): row-major n × n,
/// A = ∂a/∂q, B = ∂a/∂v. The quadratures in y are not up to date there; they feed nothing.
template <>
class Stepper<RadauMethod> : public StageMemory {
 public:
  static constexpr int order = RadauMethod::order;
  static constexpr bool adaptive = RadauMethod::adaptive;
  static constexpr int last = RadauMethod::stages;  // slope at the end of the step
  static constexpr int terms = RadauMethod::dense_terms;

  static constexpr int max_iterations = 7;
  static constexpr double newton_accuracy = 1e-3;
  static constexpr double renewal_rate = 0.03;
  static constexpr double no_growth = 0.65;  // about 0.9⁴: the next step is to be as long as this one

  void resize(int moving, int total) {
    StageMemory::resize(moving, total, RadauMethod::dense_stages, terms);
    n_ = moving / 2;
    matrices_.resize(n_);
    for (std::vector<double>* v : {&scale_, &real_, &real_step_, &error_, &filtered_, &end_})
      v->assign(moving, 0.0);
    std::fill(scale_.begin(), scale_.end(), 1.0);
    complex_.assign(moving, {});
    complex_step_.assign(moving, {});
    z_.assign(3 * static_cast<std::size_t>(moving), 0.0);
    path_.assign(3 * static_cast<std::size_t>(moving), 0.0);
    forget_jacobian();
  }
  /// 1 / (allowed error) of every moving component, for Newton and for the choice of the estimate.
  void set_scale(const double* scale) { std::copy(scale, scale + moving_, scale_.begin()); }

  /// Whether the velocities of modes that are far faster than a step have to be right. Once stepped over, a mode off
  /// its equilibrium by x shows a velocity near 3 x/h, and one that follows a slow load has a velocity that is right to
  /// order 3 only. Neither is passed on. By default they count; where they do not, the error is filtered by G once more
  /// (on a second-order system one filter only turns errors of q into errors of v).
  void count_fast_velocities(bool count) { fast_velocities_count_ = count; }

  /// The right-hand side is another function from here on, or the state has jumped.
  void forget_jacobian() {
    matrices_.forget();
    path_h_ = 0;
    begin_ = std::numeric_limits<double>::quiet_NaN();
    contraction_ = 1;
  }
  /// Whether Newton found the last step.
  bool converged() const { return converged_; }
  int iterations() const { return iterations_; }

  /// Advances from y (slope(0) must hold f(t, y)) into next(). `probe()` runs at the first two stages.
  template <class F, class Probe>
  void step(F& f, Probe&& probe, double t, const double* y, double h) {
    const bool repeated = t == begin_, first = path_h_ == 0;
    begin_ = t;
    if (!matrices_.is_known() || (renewal_due_ && !repeated)) renew_jacobian(f, t, y);
    const bool guessed = guess(t, h);
    converged_ = solve_stages(f, t, y, h);
    if (!converged_ && (guessed || jacobian_time_ != t)) {
      if (jacobian_time_ != t) renew_jacobian(f, t, y);
      std::fill(z_.begin(), z_.end(), 0.0);
      contraction_ = 1;
      converged_ = solve_stages(f, t, y, h);
    }
    if (!converged_) return stay(y);
    estimate_error(f, t, y, h, repeated || first);
    keep_path(t, h);
    complete(f, probe, t, y, h);
  }

  /// Slope at the end. step() has taken it there last; again only where next() was changed.
  template <class F>
  void finish(F& f, double t, double h) {
    if (!std::equal(end_.begin(), end_.end(), next_.begin())) f.full(t + h, next_.data(), slope(last));
  }

  /// Scaled error of the last step; ≤ 1 is good, infinite when Newton failed.
  double error(const double* scale, double /*h*/) const {
    if (!converged_) return std::numeric_limits<double>::infinity();
    return std::max(norm(error_.data(), scale), by_second_ ? no_growth : 0.0);
  }

  /// Continuous extension over the last finished step.
  template <class F>
  void make_dense(F& /*f*/, double /*t*/, const double* y, double h) {
    for (int i = 0; i < total_; ++i) dense_[i] = next_[i] - y[i];
    for (int i = 0; i < n_; ++i) extend_moving(i, y, h);
    filter_moving();
    for (int i = moving_; i < total_; ++i) extend_quadrature(i, h);
  }
  void dense(double theta, const double* y, double* out) const {
    const double* d = dense_.data();
    for (int i = 0; i < total_; ++i) {
      double rest = d[4 * total_ + i];
      for (int k = 3; k >= 1; --k) rest = rest * theta + d[k * total_ + i];
      out[i] = y[i] + theta * (d[i] + (1 - theta) * rest);
    }
  }

 private:
  double* z(int stage) { return z_.data() + stage * moving_; }
  // Δ, then the two coefficients of R in the polynomial of the last step.
  double* path(int k) { return path_.data() + k * moving_; }

  double norm(const double* x, const double* scale) const {
    double sum = 0;
    for (int i = 0; i < moving_; ++i) sum += (x[i] * scale[i]) * (x[i] * scale[i]);
    return std::sqrt(sum / moving_);
  }

  template <class F>
  void renew_jacobian(F& f, double t, const double* y) {
    matrices_.renew(f, t, y);
    jacobian_time_ = t;
    renewal_due_ = false;
    contraction_ = 1;
  }

  // ---- the stages ----------------------------------------------------------------------------------------------

  // Starting values from the polynomial of the last step; false when it says nothing about this one.
  bool guess(double t, double h) {
    const double scale = path_h_ == 0 ? 0 : 1 / path_h_;
    const double from = (t - path_t_) * scale, to = (t + h - path_t_) * scale;
    if (scale == 0 || !(from > -1e-6 && from < 1 + 1e-6 && to < 10)) {
      std::fill(z_.begin(), z_.end(), 0.0);
      contraction_ = 1;
      return false;
    }
    for (int s = 0; s < 3; ++s) {
      const double at = from + radau::c[s] * (to - from);
      for (int i = 0; i < moving_; ++i) z(s)[i] = along_path(i, at) - along_path(i, from);
    }
    return true;
  }
  double along_path(int i, double theta) {
    return theta * (path(0)[i] + (1 - theta) * (path(1)[i] + theta * path(2)[i]));
  }

  template <class F>
  void evaluate_stages(F& f, double t, const double* y, double h) {
    for (int s = 0; s < 3; ++s) {
      place_stage(s, y);
      f(t + radau::c[s] * h, trial_.data(), slope(s + 1));
    }
  }
  void place_stage(int s, const double* y) {
    for (int i = 0; i < moving_; ++i) trial_[i] = y[i] + z(s)[i];
    std::copy(y + moving_, y + total_, trial_.begin() + moving_);
  }

  template <class F>
  bool solve_stages(F& f, double t, const double* y, double h) {
    matrices_.factor(h);
    transform();
    // How much the errors that remain are smaller than a correction; at first as in the last step, with caution.
    double remaining = portable::pow(std::max(contraction_, 1e-15), 0.8), before = 0, rate = 0;
    for (int k = 1; k <= max_iterations; ++k) {
      evaluate_stages(f, t, y, h);
      const double size = correct_stages(h);
      if (!std::isfinite(size)) return false;
      if (k > 1) {
        const double theta = size / before;
        rate = k == 2 ? theta : std::sqrt(theta * rate);
        remaining = rate < 1 ? rate / (1 - rate) : 1;
      }
      iterations_ = k;
      const double enough = std::max(newton_accuracy, rounding(y, h));
      if (remaining * size <= enough) {
        contraction_ = remaining;
        renewal_due_ = rate > renewal_rate;
        return true;
      }
      if (k > 1 && (rate >= 1 || remaining * size * portable::pow(rate, max_iterations - k) > enough))
        return false;
      before = size;
    }
    return false;
  }

  void transform() {
    for (int i = 0; i < moving_; ++i) {
      real_[i] = 0;
      complex_[i] = 0;
      for (int s = 0; s < 3; ++s) {
        real_[i] += radau::real_vectors.left[s] * z(s)[i];
        complex_[i] += radau::complex_vectors.left[s] * z(s)[i];
      }
    }
  }

  // One Newton correction; its size in allowed errors.
  double correct_stages(double h) {
    for (int i = 0; i < moving_; ++i) {
      real_step_[i] = -radau::gamma / h * real_[i];
      complex_step_[i] = -radau::mu / h * complex_[i];
      for (int s = 0; s < 3; ++s) {
        real_step_[i] += radau::real_vectors.left[s] * slope(s + 1)[i];
        complex_step_[i] += radau::complex_vectors.left[s] * slope(s + 1)[i];
      }
    }
    matrices_.solve_real(real_step_.data());
    matrices_.solve_complex(complex_step_.data());
    double sum = 0;
    for (int i = 0; i < moving_; ++i) {
      real_[i] += real_step_[i];
      complex_[i] += complex_step_[i];
      for (int s = 0; s < 3; ++s) {
        const double dz = radau::real_vectors.right[s] * real_step_[i]
                        + 2 * (radau::complex_vectors.right[s] * complex_step_[i]).real();
        z(s)[i] += dz;
        sum += (dz * scale_[i]) * (dz * scale_[i]);
      }
    }
    return std::sqrt(sum / (3 * moving_));
  }

  // What rounding makes of a correction: that of q and v themselves, and in v that of the forces of q, which are
  // ε A q and come through the matrix as h/γ ε A q where it is small, as γ/h ε q where it is stiff.
  double rounding(const double* y, double h) const {
    constexpr double epsilon = 4 * std::numeric_limits<double>::epsilon();
    double largest = 0, sum = 0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(y[i]));
    const double stiff = largest * radau::gamma / h;
    for (int i = 0; i < n_; ++i) {
      const double force = std::min(stiff, matrices_.row_size(i, y) * h / radau::gamma);
      const double q = std::abs(y[i]) * scale_[i];
      const double v = (std::abs(y[n_ + i]) + force) * scale_[n_ + i];
      sum += q * q + v * v;
    }
    return epsilon * std::sqrt(sum / moving_);
  }

  // ---- the end of a step -----------------------------------------------------------------------------------------

  template <class F>
  void estimate_error(F& f, double t, const double* y, double h, bool careful) {
    filter_defect(slope(0), h);
    by_second_ = careful && norm(error_.data(), scale_.data()) > 1;
    if (!by_second_) return;
    for (int i = 0; i < moving_; ++i) trial_[i] = y[i] + filtered_[i];
    f(t, trial_.data(), slope(1));
    filter_defect(slope(1), h);
  }
  // The defect, filtered once and then as often as asked for.
  void filter_defect(const double* start, double h) {
    for (int i = 0; i < moving_; ++i)
      filtered_[i] = start[i] + (radau::e[0] * z(0)[i] + radau::e[1] * z(1)[i] + radau::e[2] * z(2)[i]) / h;
    matrices_.solve_real(filtered_.data());
    error_ = filtered_;
    if (!fast_velocities_count_) filter(error_.data(), h);
  }
  // G = (1 − h J/γ)⁻¹
  void filter(double* x, double h) {
    for (int i = 0; i < moving_; ++i) x[i] *= radau::gamma / h;
    matrices_.solve_real(x);
  }

  // The collocation polynomial is known by its values at c₁, c₂, 1.
  void keep_path(double t, double h) {
    path_t_ = t;
    path_h_ = h;
    constexpr double c1 = radau::c[0], c2 = radau::c[1];
    for (int i = 0; i < moving_; ++i) {
      const double delta = z(2)[i];
      const double r1 = (z(0)[i] / c1 - delta) / (1 - c1), r2 = (z(1)[i] / c2 - delta) / (1 - c2);
      path(0)[i] = delta;
      path(2)[i] = (r2 - r1) / (c2 - c1);
      path(1)[i] = r1 - path(2)[i] * c1;
    }
  }

  // The slopes at the stages in full, the state at the end.
  template <class F, class Probe>
  void complete(F& f, Probe&& probe, double t, const double* y, double h) {
    for (int s = 0; s < 2; ++s) {
      place_stage(s, y);
      f.full(t + radau::c[s] * h, trial_.data(), slope(s + 1));
      probe();
    }
    place_stage(2, y);
    f.full(t + h, trial_.data(), slope(last));
    std::copy(trial_.begin(), trial_.end(), next_.begin());
    for (int i = moving_; i < total_; ++i)
      next_[i] += h * (radau::b[0] * slope(1)[i] + radau::b[1] * slope(2)[i] + radau::b[2] * slope(3)[i]);
    std::copy(next_.begin(), next_.begin() + moving_, end_.begin());
  }

  void stay(const double* y) {
    std::copy(y, y + total_, next_.begin());
    std::copy(y, y + moving_, end_.begin());
    std::copy(slope(0), slope(0) + total_, slope(last));
  }

  // ---- continuous extension --------------------------------------------------------------------------------------

  double* rest(int k) { return dense_.data() + (k + 1) * total_; }  // coefficients of R

  // R of the Hermite polynomials of q_i and v_i, less that of the collocation polynomial.
  void extend_moving(int i, const double* y, double h) {
    const int j = n_ + i;
    const double dq = dense_[i], dv = dense_[j];
    const double v0 = y[j], v1 = next_[j], a0 = slope(0)[j], a1 = slope(last)[j];

    const double r0 = h * v0 - dq, r1 = dq - h * v1;  // from q̇ at the ends, and from q̈ the slopes of R
    const double s0 = r0 + h * h * a0 / 2, s1 = -r1 - h * h * a1 / 2;
    rest(0)[i] = r0 - path(1)[i];
    rest(1)[i] = s0 - path(2)[i];
    rest(2)[i] = 3 * (r1 - r0) - 2 * s0 - s1;
    rest(3)[i] = 2 * (r0 - r1) + s0 + s1;

    const double u0 = h * a0 - dv, u1 = dv - h * a1;  // from v̇ at the ends, and from ∫v
    const double bend = 30 * (dq / h - v0 - dv / 2 - (u0 + u1) / 12);
    rest(0)[j] = u0 - path(1)[j];
    rest(1)[j] = u1 - u0 + bend - path(2)[j];
    rest(2)[j] = -bend;
    rest(3)[j] = 0;
  }

  // Applies Φ to the differences and adds the collocation polynomial.
  void filter_moving() {
    for (int k = 0; k < 4; ++k) {
      double* r = rest(k);
      std::copy(r, r + moving_, filtered_.begin());
      for (int power = 1; power <= 3; ++power) {
        filter(filtered_.data(), path_h_);
        const double weight = power == 2 ? 3 : power == 3 ? -2 : 0;
        for (int i = 0; i < moving_; ++i) r[i] = (power == 1 ? 0 : r[i]) + weight * filtered_[i];
      }
      if (k >= 2) continue;
      for (int i = 0; i < moving_; ++i) r[i] += path(k + 1)[i];
    }
  }

  void extend_quadrature(int i, double h) {
    constexpr double c1 = radau::c[0];
    const double delta = dense_[i];
    const double r0 = h * slope(0)[i] - delta, r1 = delta - h * slope(last)[i];
    const double bend = (h * slope(1)[i] - delta - (1 - 2 * c1) * r0 - (2 * c1 - 3 * c1 * c1) * (r1 - r0))
                      / (2 * c1 * (1 - c1) * (1 - 2 * c1));
    rest(0)[i] = r0;
    rest(1)[i] = r1 - r0 + bend;
    rest(2)[i] = -bend;
    rest(3)[i] = 0;
  }

  int n_ = 0;
  RadauMatrices matrices_;
  double jacobian_time_ = 0;
  bool renewal_due_ = false, fast_velocities_count_ = true;

  std::vector<double> scale_;
  std::vector<double> z_;                               // Z₁, Z₂, Z₃
  std::vector<double> real_, real_step_;                // ℓ₁ · Z and its correction
  std::vector<radau::Complex> complex_, complex_step_;  // ℓ · Z
  double contraction_ = 1;
  int iterations_ = 0;
  bool converged_ = false, by_second_ = false;

  std::vector<double> path_;  // collocation polynomial of the last step that converged
  double path_t_ = 0, path_h_ = 0, begin_ = 0;
  std::vector<double> error_, end_, filtered_;
};

}  // namespace thud
