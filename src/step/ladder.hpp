#pragma once

#include <Eigen/Dense>
#include <vector>

namespace thud {

/// Exact propagation of v̇ = a, ȧ = B_q v + B_v a, the derivative of an affine system v̇ = f(q, v).
///
/// With w = (v, a), ẇ = A w and x = (q, v), ẋ = w:
///
///   x(h) = x(0) + Φ(h) w(0),   Φ(h) = ∫₀ʰ e^{As} ds,   w(h) = w(0) + A (x(h) − x(0))
///   ∫₀ʰ vᵀ Q v dt = w(0)ᵀ P(h) w(0),   P(h) = ∫₀ʰ e^{Aᵀs} Q̂ e^{As} ds
///
/// Φ and P are kept for h_k = 2ᵏ h₀, where h₀ resolves the fastest mode, by doubling:
///
///   E = I + A Φ(h),   Φ(2h) = Φ(h) + Φ(h) E,   P(2h) = P(h) + Eᵀ P(h) E
///
/// Any h is a sum of some h_k and a rest, for which the series of e^{As} is summed on the vector. Rigid motion and
/// repeated eigenvalues need no care, as they would in modal coordinates.
class Ladder {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;

  /// `forms`: the symmetric Q of every power that is quadratic in v. Rungs up to `longest` [s].
  Ladder(const Matrix& by_q, const Matrix& by_v, const std::vector<Matrix>& forms, double longest);

  /// Advances w by h; adds to `dx` the change of x, and to `works`, if given, the integrals of the forms.
  void advance(double h, Vector& w, Vector& dx, double* works) const;

  double rung(int k) const;
  int rung_count() const { return static_cast<int>(rungs_.size()); }

 private:
  struct Rung {
    Matrix change;              // Φ
    std::vector<Matrix> works;  // P
  };
  void apply(Vector& w, Vector& dx) const;  // w ← w + A dx
  void advance_rest(double h, Vector& w, Vector& dx, double* works) const;
  Vector derivative(const Vector& w) const;

  int n_;
  Matrix by_q_, by_v_;
  std::vector<Matrix> forms_;
  double first_ = 0;  // h₀
  std::vector<Rung> rungs_;
};

}  // namespace thud
