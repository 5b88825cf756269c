#pragma once
// Fixed implicit steps of structural dynamics: Newmark-β and generalised-α over the state (q, v, quadratures).

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "step/stepper.hpp"
#include "thud/step/options.hpp"

namespace thud {

struct NewmarkMethod {
  static constexpr int order = 2, stages = 1, dense_stages = 2, dense_terms = 3;
  static constexpr bool adaptive = false;
};

/// Newmark (1959) and generalised-α (Chung & Hulbert 1993) in the form for any mass matrix (Arnold & Brüls 2007).
///
/// With v̇ = f(t, q, v), and a the acceleration that the formulas carry along:
///
///   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀
///   q₁ = q₀ + h v₀ + h² ((½ − β) a₀ + β a₁)
///   v₁ = v₀ + h ((1 − γ) a₀ + γ a₁)
///
///   Newmark         α_m = α_f = 0; β = ¼, γ = ½ neither damps nor gains
///   generalised-α   α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ − α_m + α_f, β = ¼ (γ + ½)², with ρ the spectral
///                   radius at infinite frequency: 1 damps nothing, 0 removes high frequencies in one step
///
/// Order 2 in q and v. After an event a₀ = v̇₀. The unknown v̇₁ is found by Newton's method with the exact Jacobian, kept
/// while it serves. Works are summed by the trapezoidal rule, so that the energy account closes with order 2 as well.
template <>
class Stepper<NewmarkMethod> : public StageMemory {
 public:
  static constexpr int order = NewmarkMethod::order;
  static constexpr bool adaptive = NewmarkMethod::adaptive;
  static constexpr int last = NewmarkMethod::stages;  // slope at the end of the step
  static constexpr int terms = NewmarkMethod::dense_terms;

  void resize(int moving, int total) {
    StageMemory::resize(moving, total, NewmarkMethod::dense_stages, terms);
    n_ = moving / 2;
    by_q_.setZero(n_, n_);
    by_v_.setZero(n_, n_);
    for (Eigen::VectorXd* x : {&carried_, &start_, &unknown_, &residual_}) x->setZero(n_);
    forget_jacobian();
  }
  void set_options(const StepOptions& o) {
    if (o.method == Method::newmark) {
      mass_share_ = force_share_ = 0;
      beta_ = o.newmark_beta;
      gamma_ = o.newmark_gamma;
    } else {
      const double rho = o.spectral_radius;
      mass_share_ = (2 * rho - 1) / (rho + 1);
      force_share_ = rho / (rho + 1);
      gamma_ = 0.5 - mass_share_ + force_share_;
      beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
    }
    forget_jacobian();
  }

  /// The right-hand side is another function from here on, or the state has jumped.
  void forget_jacobian() {
    known_ = false;
    end_ = begin_ = std::numeric_limits<double>::quiet_NaN();
  }
  bool converged() const { return converged_; }

  template <class F, class Probe>
  void step(F& f, Probe&&, double t, const double* y, double h) {
    const double* v0 = y + n_;
    const Eigen::Map<const Eigen::VectorXd> slope0(slope(0) + n_, n_);
    if (t != begin_) start_ = t == end_ ? carried_ : Eigen::VectorXd(slope0);
    begin_ = t;
    end_ = t + h;
    unknown_ = slope0;
    converged_ = solve(f, t, y, v0, h);
    if (!converged_) {  // once more, with the matrix of this place
      known_ = false;
      unknown_ = slope0;
      converged_ = solve(f, t, y, v0, h);
    }
    if (!converged_) std::copy(y, y + total_, next_.begin());
  }

  /// The slope at the end, and the works.
  template <class F>
  void finish(F& f, double t, double h) {
    f.full(t + h, next_.data(), slope(last));
    for (int i = moving_; i < total_; ++i)
      next_[i] = quadrature_start_[i - moving_] + 0.5 * h * (slope(0)[i] + slope(last)[i]);
  }
  double error(const double*, double) const { return 0; }

  template <class F>
  void make_dense(F&, double, const double* y, double h) {
    fill_cubic(y, slope(0), slope(last), h, 0, total_);
  }
  void dense(double theta, const double* y, double* out) const { read_cubic(theta, y, out, 0, total_); }

 private:
  // q₁, v₁ and a₁ for the unknown v̇₁.
  void place(const double* y, const double* v0, double h) {
    const double to_a = 1 / (1 - mass_share_);
    for (int i = 0; i < n_; ++i) {
      const double a0 = start_[i];
      const double a1 =
          to_a * ((1 - force_share_) * unknown_[i] + force_share_ * slope(0)[n_ + i] - mass_share_ * a0);
      carried_[i] = a1;
      next_[i] = y[i] + h * (v0[i] + h * ((0.5 - beta_) * a0 + beta_ * a1));
      next_[n_ + i] = v0[i] + h * ((1 - gamma_) * a0 + gamma_ * a1);
    }
  }

  template <class F>
  bool solve(F& f, double t, const double* y, const double* v0, double h) {
    std::copy(y + moving_, y + total_, next_.begin() + moving_);
    quadrature_start_.assign(y + moving_, y + total_);
    if (!known_) {
      f.jacobian(t, y, by_q_.data(), by_v_.data());
      known_ = true;
      factored_h_ = 0;
    }
    if (h != factored_h_) {
      const double share = (1 - force_share_) / (1 - mass_share_);
      lu_.compute(Eigen::MatrixXd::Identity(n_, n_) - share * (h * h * beta_ * by_q_ + h * gamma_ * by_v_));
      factored_h_ = h;
    }
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < max_iterations; ++k) {
      place(y, v0, h);
      f(t + h, next_.data(), slope(last));
      double size = 1e-300;
      for (int i = 0; i < n_; ++i) {
        residual_[i] = slope(last)[n_ + i] - unknown_[i];
        size = std::max(size, std::abs(unknown_[i]));
      }
      const Eigen::VectorXd change = lu_.solve(residual_);
      const double step = change.lpNorm<Eigen::Infinity>();
      if (!std::isfinite(step) || (k > 2 && step > 0.5 * before && step > 1e-10 * size)) return false;
      unknown_ += change;
      if (step <= 1e-13 * size || (step <= 1e-10 * size && step > 0.5 * before)) {
        place(y, v0, h);
        return true;
      }
      before = step;
    }
    return false;
  }

  static constexpr int max_iterations = 30;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  int n_ = 0;
  double mass_share_ = 0, force_share_ = 0, beta_ = 0.25, gamma_ = 0.5;
  RowMajor by_q_, by_v_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd start_, carried_;  // a₀, a₁
  Eigen::VectorXd unknown_, residual_;
  std::vector<double> quadrature_start_;
  double begin_ = 0, end_ = 0, factored_h_ = 0;
  bool known_ = false, converged_ = true;
};

}  // namespace thud
