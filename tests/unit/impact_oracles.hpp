#pragma once

// Closed forms of impacts, and the matrices W of the systems they belong to.
//
// Three balls and rocking block: Gharib & Hurmuzlu 2010, equations as corrected in docs/theory/impacts.md.

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "thud/contact/impact.hpp"

namespace thud::oracle {

inline ImpactProblem make_contact(double alpha, double epsilon, double gamma, double s, double c, double mu,
                                  double e, RestitutionLaw law = RestitutionLaw::stronge) {
  ImpactProblem p;
  p.resize(1);
  p.matrix = {alpha, epsilon, epsilon, gamma};
  p.velocity = {s, c};
  p.friction = {mu};
  p.restitution = {e};
  p.law = law;
  return p;
}

/// W = J M⁻¹ Jᵀ, v = J q̇; rows tangent, normal, tangent, …
inline ImpactProblem make_impact(const Eigen::MatrixXd& jacobian, const Eigen::MatrixXd& mass,
                                 const Eigen::VectorXd& rates) {
  ImpactProblem p;
  const int rows = static_cast<int>(jacobian.rows());
  p.resize(rows / 2);
  Eigen::MatrixXd w = jacobian * mass.ldlt().solve(jacobian.transpose());
  w = (0.5 * (w + w.transpose())).eval();
  const Eigen::VectorXd v = jacobian * rates;
  for (int i = 0; i < rows; ++i) {
    p.velocity[i] = v[i];
    for (int j = 0; j < rows; ++j) p.matrix[i * rows + j] = w(i, j);
  }
  return p;
}

/// Balls in a row; contact i is between balls i and i + 1, and opens with v_{i+1} − v_i.
inline ImpactProblem make_balls(const Eigen::VectorXd& masses, const Eigen::VectorXd& velocities) {
  const int n = static_cast<int>(masses.size());
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(2 * (n - 1), n);
  for (int i = 0; i + 1 < n; ++i) {
    j(2 * i + 1, i) = -1;
    j(2 * i + 1, i + 1) = 1;
  }
  return make_impact(j, masses.asDiagonal().toDenseMatrix(), velocities);
}

/// Eqs 11–19, with the factor v₂ − v₃ cancelled, so that v₂ = v₃ is a case like any other:
///   τ₁₂ᶜ = m₁ m₂ (v₁ − v₂) / ((1 − α) m₁ + m₂),   τ₁₂ᶠ = (1 + e₁₂) τ₁₂ᶜ,
///   w = v₂ − v₃ + τ₁₂ᶠ/m₂,   M = m₂ m₃ / (m₂ + m₃),   τ₂₃ᶜ = M w,
///   τ₂₃ᶠ = M w (1 + e₂₃ √(1 − α (m₂/m₃ + 1) (τ₁₂ᶠ / (m₂ w))²)).
struct ThreeBalls {
  double m1 = 1, m2 = 1, m3 = 1;
  double v1 = 1, v2 = 0, v3 = 0;
  double e12 = 1, e23 = 1, alpha = 0;

  double tau12_compression() const { return m1 * m2 * (v1 - v2) / ((1 - alpha) * m1 + m2); }
  double tau12() const { return (1 + e12) * tau12_compression(); }
  double pushed() const { return v2 - v3 + tau12() / m2; }
  double tau23_compression() const { return m2 * m3 / (m2 + m3) * pushed(); }
  double tau23() const {
    const double part = tau12() / (m2 * pushed());
    return tau23_compression() * (1 + e23 * std::sqrt(1 - alpha * (m2 / m3 + 1) * part * part));
  }
  double v1_after() const { return v1 - tau12() / m1; }
  double v2_after() const { return v2 + (tau12() - tau23()) / m2; }
  double v3_after() const { return v3 + tau23() / m3; }

  /// The second contact is still in compression when the first one ends, and the first one stays open. The first one
  /// leads: it approaches fastest (ours).
  bool is_valid() const {
    const double g11 = 1 / m1 + 1 / m2, g22 = 1 / m2 + 1 / m3;
    return (v1 - v2) / std::sqrt(g11) > (v2 - v3) / std::sqrt(g22) && v2 >= v3 && limit() >= alpha
        && alpha * tau12() <= tau23_compression() && v2_after() >= v1_after();
  }
  /// α beyond which a second contact at rest (v₂ = v₃) would be pushed open: −G₂₁/G₂₂.
  double limit() const { return v2 == v3 ? m3 / (m2 + m3) : 1; }

  ImpactProblem problem() const {
    ImpactProblem p = make_balls(Eigen::Vector3d(m1, m2, m3), Eigen::Vector3d(v1, v2, v3));
    p.restitution = {e12, e23};
    p.correlation = alpha;
    return p;
  }
};

/// A block of half-sizes b, h that turns with ω₀ about its corner O2, which rests on the plane inclined by θ₂, and
/// strikes the plane inclined by θ₁ with O1. Contact 0 is O1, contact 1 is O2. Eqs 45–48 and 54–68.
struct RockingBlock {
  double m = 2.5, b = 0.1, h = 0.1028115, inertia = 0;
  double theta1 = 0, theta2 = 0, e1 = 0.43, e2 = 0.64, alpha = 0.01, omega0 = 1;

  void make_rectangle() { inertia = m * (b * b + h * h) / 3; }

  double g1() const { return b * inertia * m; }
  double g2() const { return inertia + b * b * m; }
  double g3() const { return h * b * m; }
  double g4() const { return inertia + m * h * h; }
  double g5() const { return inertia - b * b * m; }

  /// dv₂/dτ₁ with no impulse at O2: eq 42, corrected.
  double pull() const {
    return ((2 * inertia / m + h * h - b * b) * std::cos(theta1 + theta2)
            - (h * h + b * b) * std::cos(theta1 - theta2) + 2 * h * b * std::sin(theta1 + theta2))
         / (2 * inertia);
  }
  bool is_simultaneous() const { return pull() < 0; }
  /// θ₁ at which the pull vanishes, for θ₂ = 0.
  double transition() const { return std::atan((b * b - inertia / m) / (b * h)); }

  struct After {
    double tau1 = 0, tau2 = 0, vx = 0, v1y = 0, v2y = 0, v1 = 0, v2 = 0;
  };

  After after() const { return is_simultaneous() ? simultaneous() : single(); }

  /// Eqs 45–49.
  After single() const {
    const double s1 = std::sin(theta1), c1 = std::cos(theta1);
    const double g6 = g2() * c1 * c1 + s1 * (-2 * g3() * c1 + g4() * s1);
    After a;
    a.tau1 = 2 * (1 + e1) * g1() * omega0 * c1 / g6;
    a.vx = 2 * (1 + e1) * b * omega0 * c1 * (-g3() * c1 + g4() * s1) / g6;
    a.v1y = -2 * b * omega0 * (1 - (1 + e1) * c1 * (g2() * c1 - g3() * s1) / g6);
    a.v2y = 2 * (1 + e1) * b * omega0 * c1 * (g5() * c1 + g3() * s1) / g6;
    return with_normal(a);
  }

  /// Eqs 51, 52, 54–64, 68–72.
  After simultaneous() const {
    const double s1 = std::sin(theta1), c1 = std::cos(theta1), s2 = std::sin(theta2), c2 = std::cos(theta2);
    const double g7 = b / g1() * (g3() * (alpha * s2 - s1) + g2() * c1 + g5() * alpha * c2);
    const double g8 = b / g1() * (g3() * (alpha * c2 - c1) + g4() * (s1 - alpha * s2));
    const double g9 = g2() * c1 * c1 + s1 * (g3() * alpha * c2 + g4() * (s1 - alpha * s2));
    const double g10 = c1 * (g5() * alpha * c2 + g3() * (-2 * s1 + alpha * s2));
    const double g11 = b / g1() * (g3() * (s1 - alpha * s2) + g2() * alpha * c2 + g5() * c1);
    After a;
    a.tau1 = 2 * (1 + e1) * g1() * omega0 * c1 / (g9 + g10);
    const double vx = a.tau1 * g8;
    const double v1y = 2 * b * omega0 * (-1 + (1 + e1) * inertia * m * g7 * c1 / (g9 + g10));
    const double v2y = a.tau1 * g11;
    const double g14 =
        (-g4() - g5()) * std::cos(theta1 + theta2)
        + m * ((h * h + b * b) * std::cos(theta1 - theta2) - 2 * h * b * std::sin(theta1 + theta2));
    const double g15 = (1 + e1) * omega0 * c1;
    const double g16 =
        ((g5() - g4()) * std::cos(theta1 - theta2) + (g4() + g5()) * std::cos(theta1 + theta2)
         + 2 * g3() * std::sin(theta1 + theta2))
        * (-g2() - g4() - (g2() - g4()) * std::cos(2 * theta2) + 2 * g3() * std::sin(2 * theta2));
    const double g17 = g9 + g10;
    a.tau2 = g1() * g15 / (g17 * (g2() * c2 * c2 + g4() * s2 * s2 - g3() * std::sin(2 * theta2)))
           * (g14 + e2 * std::sqrt(-g16 * alpha + g14 * g14));
    const double more = (a.tau2 - alpha * a.tau1) * b / g1();
    a.vx = vx + more * (g3() * c2 - g4() * s2);
    a.v1y = v1y + more * (g5() * c2 + g3() * s2);
    a.v2y = v2y + more * (g2() * c2 - g3() * s2);
    return with_normal(a);
  }

  /// J of (x, y, angle), with r₁ = (−b, −h), r₂ = (b, −h), normals (sin θ₁, cos θ₁), (−sin θ₂, cos θ₂).
  Eigen::MatrixXd jacobian() const {
    const double s1 = std::sin(theta1), c1 = std::cos(theta1), s2 = std::sin(theta2), c2 = std::cos(theta2);
    Eigen::MatrixXd point1(2, 3), point2(2, 3), frame1(2, 2), frame2(2, 2), j(4, 3);
    point1 << 1, 0, h, 0, 1, -b;
    point2 << 1, 0, h, 0, 1, b;
    frame1 << c1, -s1, s1, c1;
    frame2 << c2, s2, -s2, c2;
    j << frame1 * point1, frame2 * point2;
    return j;
  }

  ImpactProblem problem() const {
    const Eigen::Vector3d rates = omega0 * Eigen::Vector3d(-h, -b, 1);
    ImpactProblem p =
        make_impact(jacobian(), Eigen::Vector3d(m, m, inertia).asDiagonal().toDenseMatrix(), rates);
    p.restitution = {e1, e2};
    p.correlation = alpha;
    return p;
  }

  /// The same seen in a mirror: strikes with the corner that has θ₂ and e₂, rests on the other.
  RockingBlock mirrored() const {
    RockingBlock r = *this;
    std::swap(r.theta1, r.theta2);
    std::swap(r.e1, r.e2);
    return r;
  }

 private:
  After with_normal(After a) const {  // eqs 40, 41
    a.v1 = a.vx * std::sin(theta1) + a.v1y * std::cos(theta1);
    a.v2 = -a.vx * std::sin(theta2) + a.v2y * std::cos(theta2);
    return a;
  }
};

/// Housner 1963: a rectangle that rocks from one corner to the other and does not bounce keeps this part of ω.
inline double housner_ratio(double b, double h) {
  const double sine = b / std::hypot(b, h);
  return 1 - 1.5 * sine * sine;
}

}  // namespace thud::oracle
