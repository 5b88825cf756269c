// The implicit stepper for stiff motion.
// Sources of truth: closed forms (pendulum by elliptic functions, linear oscillators), polynomials that collocation
// must reproduce, the order conditions, and the published end point of the Van der Pol problem.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "step/radau.hpp"

namespace thud {
namespace {

using Vector = std::vector<double>;
using RadauStepper = Stepper<RadauMethod>;

// v̇ = a(t, q, v) with its derivatives, and rates of quadratures.
struct Problem {
  int n = 1, total = 2;
  std::function<void(double t, const double* q, const double* v, double* a)> acceleration;
  std::function<void(double t, const double* q, const double* v, double* by_q, double* by_v)> derivatives;
  std::function<void(double t, const double* q, const double* v, double* rate)> rates = {};
  int evaluations = 0, full_evaluations = 0, jacobians = 0;

  void operator()(double t, const double* y, double* slope) {
    ++evaluations;
    std::copy(y + n, y + 2 * n, slope);
    acceleration(t, y, y + n, slope + n);
    if (rates) rates(t, y, y + n, slope + 2 * n);
  }
  void full(double t, const double* y, double* slope) {
    ++full_evaluations;
    (*this)(t, y, slope);
  }
  void jacobian(double t, const double* y, double* by_q, double* by_v) {
    ++jacobians;
    derivatives(t, y, y + n, by_q, by_v);
  }
};

constexpr auto no_probe = [] {};

// A stepper at the start of a run, with the same allowed error for all components.
RadauStepper make_stepper(Problem& f, const Vector& y, double allowed) {
  RadauStepper s;
  s.resize(2 * f.n, f.total);
  s.set_scale(Vector(2 * f.n, 1 / allowed).data());
  f.full(0, y.data(), s.slope(0));
  return s;
}

void accept(RadauStepper& s, Vector& y) {
  std::copy(s.next(), s.next() + y.size(), y.begin());
  std::copy(s.slope(RadauStepper::last), s.slope(RadauStepper::last) + y.size(), s.slope(0));
}

Vector march(Problem& f, Vector y, double end, int count) {
  RadauStepper s = make_stepper(f, y, 1e-12);
  const double h = end / count;
  for (int k = 0; k < count; ++k) {
    s.step(f, no_probe, k * h, y.data(), h);
    EXPECT_TRUE(s.converged()) << k;
    s.finish(f, k * h, h);
    accept(s, y);
  }
  return y;
}

struct Motion {
  Vector y;
  int steps = 0, rejected = 0;
};

// The step control of the solver, with the exponent of this estimate.
Motion integrate(Problem& f, Vector y, double end, const Vector& allowed, double first_step,
                 bool count_fast_velocities = true) {
  RadauStepper s = make_stepper(f, y, 1);
  Vector scale;
  for (double x : allowed) scale.push_back(1 / x);
  s.set_scale(scale.data());
  s.count_fast_velocities(count_fast_velocities);
  Motion run;
  double t = 0, h = first_step;
  while (t < end && run.steps + run.rejected < 20000) {
    h = std::min(h, end - t);
    s.step(f, no_probe, t, y.data(), h);
    const double error = s.error(scale.data(), h);
    const double growth = 0.9 * std::pow(std::max(error, 1e-12), -1.0 / RadauMethod::error_order);
    if (error <= 1) {
      ++run.steps;
      s.finish(f, t, h);
      accept(s, y);
      t = h == end - t ? end : t + h;
      h *= std::clamp(growth, 0.3, 6.0);
    } else {
      ++run.rejected;
      h *= std::isfinite(error) ? std::max(0.2, growth) : 0.25;
    }
  }
  EXPECT_EQ(t, end);
  run.y = y;
  return run;
}
Motion integrate(Problem& f, const Vector& y, double end, double allowed, double first_step,
                 bool count_fast_velocities = true) {
  return integrate(f, y, end, Vector(2 * f.n, allowed), first_step, count_fast_velocities);
}

// log₂ of the ratio of errors when the step is halved.
double observed_order(double coarse, double fine) { return std::log2(coarse / fine); }

// ---- problems --------------------------------------------------------------------------------------------------

// q̈ = −sin q from rest at `angle`: sin(q/2) = k sn(K − t), q̇ = −2 k cn(K − t), k = sin(angle/2).
Problem make_pendulum() {
  return {.acceleration = [](double, const double* q, const double*, double* a) { a[0] = -std::sin(q[0]); },
          .derivatives =
              [](double, const double* q, const double*, double* by_q, double* by_v) {
                by_q[0] = -std::cos(q[0]);
                by_v[0] = 0;
              }};
}
Vector pendulum_at(double t, double angle) {
  const double k = std::sin(angle / 2), u = boost::math::ellint_1(k) - t;
  double cn = 0, dn = 0;
  const double sn = boost::math::jacobi_elliptic(k, u, &cn, &dn);
  return {2 * std::asin(k * sn), -2 * k * cn};
}

// q̈ = p(t), ẇ = p(t) for the monomial t^degree.
Problem make_monomial(int degree) {
  return {.n = 1,
          .total = 3,
          .acceleration = [degree](double t, const double*, const double*,
                                   double* a) { a[0] = std::pow(t, degree); },
          .derivatives = [](double, const double*, const double*, double* by_q,
                            double* by_v) { by_q[0] = by_v[0] = 0; },
          .rates = [degree](double t, const double*, const double*,
                            double* rate) { rate[0] = std::pow(t, degree); }};
}
Vector monomial_at(double t, int degree) {
  const double v = std::pow(t, degree + 1) / (degree + 1);
  return {v * t / (degree + 2), v, v};
}

// A mass on a stiff spring of frequency ω that swings: stretch x beyond the length 1, and angle φ. For ω → ∞ it is the
// pendulum above.
Problem make_spring_pendulum(double omega) {
  return {.n = 2,
          .total = 4,
          .acceleration =
              [omega](double, const double* q, const double* v, double* a) {
                a[0] = (1 + q[0]) * v[1] * v[1] + std::cos(q[1]) - omega * omega * q[0];
                a[1] = -(std::sin(q[1]) + 2 * v[0] * v[1]) / (1 + q[0]);
              },
          .derivatives =
              [omega](double, const double* q, const double* v, double* by_q, double* by_v) {
                const double r = 1 + q[0];
                by_q[0] = v[1] * v[1] - omega * omega;
                by_q[1] = -std::sin(q[1]);
                by_q[2] = (std::sin(q[1]) + 2 * v[0] * v[1]) / (r * r);
                by_q[3] = -std::cos(q[1]) / r;
                by_v[0] = 0;
                by_v[1] = 2 * r * v[1];
                by_v[2] = -2 * v[1] / r;
                by_v[3] = -2 * v[0] / r;
              }};
}

// q̈ = −stiffness (q − cos t) − damping q̇
Problem make_follower(double stiffness, double damping) {
  return {.acceleration = [=](double t, const double* q, const double* v,
                              double* a) { a[0] = -stiffness * (q[0] - std::cos(t)) - damping * v[0]; },
          .derivatives =
              [=](double, const double*, const double*, double* by_q, double* by_v) {
                by_q[0] = -stiffness;
                by_v[0] = -damping;
              }};
}
// The forced motion Re X e^{it}, X = stiffness / (stiffness − 1 + i damping).
Vector follower_at(double t, double stiffness, double damping) {
  const std::complex<double> x =
      stiffness / std::complex<double>(stiffness - 1, damping) * std::exp(std::complex<double>(0, t));
  return {x.real(), -x.imag()};
}

Problem make_van_der_pol(double mu) {
  return {.acceleration = [mu](double, const double* q, const double* v,
                               double* a) { a[0] = mu * (1 - q[0] * q[0]) * v[0] - q[0]; },
          .derivatives =
              [mu](double, const double* q, const double* v, double* by_q, double* by_v) {
                by_q[0] = -2 * mu * q[0] * v[0] - 1;
                by_v[0] = mu * (1 - q[0] * q[0]);
              }};
}

// Masses 1 in a row, tied to each other by springs `stiffness` with a damper each, and the first to the ground by a
// spring 1: for a large stiffness they move as one.
Problem make_chain(int n, double stiffness, double damping) {
  Eigen::MatrixXd tie = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i + 1 < n; ++i) tie.block<2, 2>(i, i) += Eigen::Matrix2d{{1, -1}, {-1, 1}};
  Eigen::MatrixXd by_q = -stiffness * tie, by_v = -damping * tie;
  by_q(0, 0) -= 1;
  const auto force = [](const Eigen::MatrixXd& m, const double* x) -> Eigen::VectorXd {
    return m * Eigen::Map<const Eigen::VectorXd>(x, m.cols());
  };
  const auto copy = [](const Eigen::MatrixXd& m, double* out) {
    for (int i = 0; i < m.rows(); ++i)
      for (int j = 0; j < m.cols(); ++j) *out++ = m(i, j);
  };
  return {
      .n = n,
      .total = 2 * n,
      .acceleration = [=](double, const double* q, const double* v,
                          double* a) { Eigen::Map<Eigen::VectorXd>(a, n) = force(by_q, q) + force(by_v, v); },
      .derivatives =
          [=](double, const double*, const double*, double* out_q, double* out_v) {
            copy(by_q, out_q);
            copy(by_v, out_v);
          }};
}

// q̈ = −sin q − damping q̇, ẇ = damping q̇², the power lost.
Problem make_damped_pendulum(double damping) {
  return {.n = 1,
          .total = 3,
          .acceleration = [damping](double, const double* q, const double* v,
                                    double* a) { a[0] = -std::sin(q[0]) - damping * v[0]; },
          .derivatives =
              [damping](double, const double* q, const double*, double* by_q, double* by_v) {
                by_q[0] = -std::cos(q[0]);
                by_v[0] = -damping;
              },
          .rates = [damping](double, const double*, const double* v,
                             double* rate) { rate[0] = damping * v[0] * v[0]; }};
}
double pendulum_energy(const Vector& y) { return y[1] * y[1] / 2 - std::cos(y[0]); }

double distance(const Vector& a, const Vector& b) {
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// ---- coefficients ----------------------------------------------------------------------------------------------

// Collocation: Σ_j a_ij c_j^{k−1} = c_i^k / k for k ≤ 3, and the Radau rule: Σ b_j c_j^{k−1} = 1/k for k ≤ 5.
TEST(Radau, coefficients_meet_the_order_conditions) {
  for (int i = 0; i < 3; ++i)
    for (int k = 1; k <= 3; ++k) {
      double sum = 0;
      for (int j = 0; j < 3; ++j) sum += radau::a[i][j] * std::pow(radau::c[j], k - 1);
      EXPECT_NEAR(sum, std::pow(radau::c[i], k) / k, 2e-16) << i << k;
    }
  for (int k = 1; k <= 6; ++k) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) sum += radau::b[j] * std::pow(radau::c[j], k - 1);
    if (k <= 5) {
      EXPECT_NEAR(sum, 1.0 / k, 2e-16) << k;
    }
    if (k == 6) {  // no more than order 5
      EXPECT_GT(std::abs(sum - 1.0 / k), 1e-4);
    }
  }
}

TEST(Radau, eigenvectors_take_the_matrix_apart) {
  const auto& real = radau::real_vectors;
  const auto& pair = radau::complex_vectors;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double unit = real.right[i] * real.left[j] + 2 * (pair.right[i] * pair.left[j]).real();
      EXPECT_NEAR(unit, i == j ? 1 : 0, 4e-15) << i << j;
      const double rebuilt = radau::real_root * real.right[i] * real.left[j]
                           + 2 * (radau::complex_root * pair.right[i] * pair.left[j]).real();
      EXPECT_NEAR(rebuilt, radau::a[i][j], 2e-15) << i << j;
    }
  // Digits as printed by Hairer & Wanner.
  EXPECT_NEAR(radau::gamma, 3.637834252744496, 1e-14);
  EXPECT_NEAR(radau::mu.real(), 2.681082873627752, 1e-14);
  EXPECT_NEAR(std::abs(radau::mu.imag()), 3.050430199247411, 1e-14);
}

// The reduced systems against the full ones.
TEST(Radau, half_size_systems_solve_the_full_ones) {
  constexpr int n = 5;
  constexpr double h = 0.1;
  std::srand(1);
  Problem f{.n = n, .total = 2 * n, .acceleration = {}, .derivatives = {}};
  const Eigen::MatrixXd by_q = 100 * Eigen::MatrixXd::Random(n, n), by_v = 10 * Eigen::MatrixXd::Random(n, n);
  f.derivatives = [&](double, const double*, const double*, double* out_q, double* out_v) {
    for (int i = 0; i < n * n; ++i) out_q[i] = by_q(i / n, i % n), out_v[i] = by_v(i / n, i % n);
  };
  RadauMatrices matrices;
  matrices.resize(n);
  matrices.renew(f, 0, Vector(2 * n).data());
  matrices.factor(h);
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  full.topRightCorner(n, n).setIdentity();
  full.bottomLeftCorner(n, n) = by_q;
  full.bottomRightCorner(n, n) = by_v;
  const Eigen::MatrixXcd unit = Eigen::MatrixXcd::Identity(2 * n, 2 * n);

  const Eigen::VectorXd right = Eigen::VectorXd::Random(2 * n);
  Eigen::VectorXd x = right;
  matrices.solve_real(x.data());
  EXPECT_LT((radau::gamma / h * x - full * x - right).norm(), 1e-13);

  const Eigen::VectorXcd complex_right = Eigen::VectorXcd::Random(2 * n);
  Eigen::VectorXcd w = complex_right;
  matrices.solve_complex(w.data());
  EXPECT_LT(((radau::mu / h * unit - full) * w - complex_right).norm(), 1e-13);
}

// ---- accuracy --------------------------------------------------------------------------------------------------

TEST(Radau, pendulum_converges_with_order_5) {
  Problem f = make_pendulum();
  const Vector exact = pendulum_at(4, 2);
  double coarse = distance(march(f, {2, 0}, 4, 16), exact);
  for (int count : {32, 64, 128}) {
    const double fine = distance(march(f, {2, 0}, 4, count), exact);
    EXPECT_NEAR(observed_order(coarse, fine), 5, 0.25) << count << ": " << fine;
    coarse = fine;
  }
}

// A force of degree 3 in time gives v of degree 4 and q of degree 5, all exact, also between the ends. With degree 4
// q is no longer so (Σ b_i a_ij c_j⁴ is not 1/30), with degree 5 nothing is.
TEST(Radau, forces_up_to_third_degree_in_time_are_exact) {
  for (int degree = 0; degree <= 5; ++degree) {
    Problem f = make_monomial(degree);
    const double t = 0.5, h = 2;
    const Vector y = monomial_at(t, degree), exact = monomial_at(t + h, degree);
    RadauStepper s = make_stepper(f, y, 1e-9);
    f.full(t, y.data(), s.slope(0));
    s.step(f, no_probe, t, y.data(), h);
    ASSERT_TRUE(s.converged());
    s.finish(f, t, h);
    const double rounding = 1e-15 * (1 + exact[0] + exact[1]) * 10;
    const auto error = [&](int i) { return std::abs(s.next()[i] - exact[i]); };
    if (degree <= 3) {
      EXPECT_LT(error(0), rounding) << degree;
    }
    if (degree >= 4) {
      EXPECT_GT(error(0), 1e-3) << degree;
    }
    if (degree <= 4) {
      EXPECT_LT(error(1) + error(2), 2 * rounding) << degree;
    }
    if (degree == 5) {
      EXPECT_GT(std::min(error(1), error(2)), 1e-3);
    }
    if (degree > 3) continue;
    s.make_dense(f, t, y.data(), h);
    Vector inside(3);
    for (double theta : {0.1, 0.37, 0.5, 0.9}) {
      s.dense(theta, y.data(), inside.data());
      EXPECT_LT(distance(inside, monomial_at(t + theta * h, degree)), 4 * rounding) << degree << ' ' << theta;
    }
  }
}

// Errors of the energy balance are those of the state and of the quadrature: both of order 5.
TEST(Radau, dissipated_energy_is_the_energy_lost) {
  Problem f = make_damped_pendulum(0.3);
  const auto gap = [&](int count) {
    const Vector y = march(f, {2, 0, 0}, 4, count);
    return std::abs(pendulum_energy({2, 0}) - pendulum_energy(y) - y[2]);
  };
  double coarse = gap(16);
  for (int count : {32, 64}) {
    const double fine = gap(count);
    EXPECT_NEAR(observed_order(coarse, fine), 5, 0.4) << count << ": " << fine;
    coarse = fine;
  }
  EXPECT_LT(coarse, 1e-8);
}

// ---- continuous extension --------------------------------------------------------------------------------------

// Of one step from the exact start: q errs by h⁶ as the step itself, v and the quadrature by h⁵, where the polynomial of
// collocation would err by h⁴.
TEST(Radau, continuous_extension_has_its_order) {
  Problem f = make_damped_pendulum(0.3);
  const Vector y = {2, 0.5, 0};
  const auto errors = [&](double h) {
    RadauStepper s = make_stepper(f, y, 1e-13);
    s.step(f, no_probe, 0, y.data(), h);
    s.finish(f, 0, h);
    s.make_dense(f, 0, y.data(), h);
    Vector worst(3), inside(3);
    for (double theta : {0.2, 0.4, 0.6, 0.8}) {
      s.dense(theta, y.data(), inside.data());
      const Vector exact = march(f, y, theta * h, 8);
      for (int i = 0; i < 3; ++i) worst[i] = std::max(worst[i], std::abs(inside[i] - exact[i]));
    }
    return worst;
  };
  const Vector coarse = errors(0.4), fine = errors(0.2);
  EXPECT_NEAR(observed_order(coarse[0], fine[0]), 6, 0.4) << fine[0];
  EXPECT_NEAR(observed_order(coarse[1], fine[1]), 5, 0.4) << fine[1];
  EXPECT_NEAR(observed_order(coarse[2], fine[2]), 5, 0.4) << fine[2];
}

TEST(Radau, continuous_extension_meets_the_ends) {
  Problem f = make_damped_pendulum(0.3);
  const Vector y = {2, 0.5, 0.1};
  RadauStepper s = make_stepper(f, y, 1e-9);
  s.step(f, no_probe, 0, y.data(), 0.5);
  s.finish(f, 0, 0.5);
  s.make_dense(f, 0, y.data(), 0.5);
  Vector at(3);
  s.dense(0, y.data(), at.data());
  EXPECT_EQ(at, y);
  s.dense(1, y.data(), at.data());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(at[i], s.next()[i], 4e-16);
}

// A fast mode that was stepped over: between the ends it stays of the size of its start, however large ω² x is.
TEST(Radau, continuous_extension_of_a_stiff_mode_is_bounded) {
  for (double omega : {1e4, 1e6, 1e8}) {
    Problem f = make_spring_pendulum(omega);
    const Vector y = {1e-6, 1, 0, 0};
    RadauStepper s = make_stepper(f, y, 1e-6);
    s.step(f, no_probe, 0, y.data(), 0.1);
    ASSERT_TRUE(s.converged());
    s.finish(f, 0, 0.1);
    s.make_dense(f, 0, y.data(), 0.1);
    Vector inside(4);
    for (double theta : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      s.dense(theta, y.data(), inside.data());
      EXPECT_LT(std::abs(inside[0]), 4e-6) << omega << ' ' << theta;
      EXPECT_NEAR(inside[1], pendulum_at(theta * 0.1, 1)[0], 1e-6) << omega << ' ' << theta;
    }
  }
}

// ---- stiffness -------------------------------------------------------------------------------------------------

// The undamped stretch starts off its equilibrium, by ten allowed errors. Its effect on the swing, through the moment
// of inertia, is of that size; what else is left is the tolerance. The stretch must die out, to the 3/ω² that carries
// the load; the steps are those of the swing.
class FastMode : public testing::TestWithParam<bool> {};

TEST_P(FastMode, does_not_force_small_steps) {
  const bool by_scale = GetParam();
  const double allowed = 1e-7, end = 6, offset = 1e-6;
  const Vector slow = pendulum_at(end, 1);
  const Motion swing = [&] {
    Problem f = make_pendulum();
    return integrate(f, {1, 0}, end, allowed, 0.05);
  }();
  for (double omega : {1e4, 1e6, 1e8}) {
    Problem f = make_spring_pendulum(omega);
    // Its velocity is measured as energy is, ẋ/ω like x; or not measured.
    const Vector scale = {allowed, allowed, by_scale ? omega * allowed : allowed, allowed};
    const Motion run = integrate(f, {offset, 1, 0, 0}, end, scale, 0.05, by_scale);
    EXPECT_NEAR(run.y[1], slow[0], 5 * offset) << omega;
    EXPECT_NEAR(run.y[3], slow[1], 5 * offset) << omega;
    EXPECT_LT(std::abs(run.y[0]), 1e-3 * offset + 3 / (omega * omega)) << omega;
    EXPECT_NEAR(run.steps, swing.steps, 0.2 * swing.steps) << omega;
  }
}
INSTANTIATE_TEST_SUITE_P(Radau, FastMode, testing::Bool(), [](const auto& by_scale) {
  return by_scale.param ? "measured_as_energy" : "not_counted";
});

// Between the extremes: a mode above the tolerance that the steps can follow is followed.
TEST(Radau, excited_mode_is_resolved) {
  Problem f = make_follower(1e4, 0);
  const Motion run = integrate(f, {1.01, 0}, 1, 1e-7, 0.01);
  Vector exact = follower_at(1, 1e4, 0);
  const double amplitude = 1.01 - follower_at(0, 1e4, 0)[0];
  exact[0] += amplitude * std::cos(100.0);
  exact[1] -= 100 * amplitude * std::sin(100.0);
  EXPECT_NEAR(run.y[0], exact[0], 1e-6);
  EXPECT_NEAR(run.y[1], exact[1], 1e-5);
  EXPECT_GT(run.steps, 100);
}

TEST(Radau, damped_stiff_oscillator_follows_its_force) {
  for (double stiffness : {1e4, 1e8, 1e12}) {
    const double damping = 0.2 * std::sqrt(stiffness);
    Problem f = make_follower(stiffness, damping);
    const Motion run = integrate(f, follower_at(0, stiffness, damping), 10, 1e-7, 0.01);
    EXPECT_LT(distance(run.y, follower_at(10, stiffness, damping)), 1e-6) << stiffness;
    EXPECT_LT(run.steps, 1500) << stiffness;
  }
}

// As one mass of 8 on a spring 1: cos(t/√8), less what the ties stretch, 36/stiffness at most. The coordinates mix the
// slow mode with fast ones of up to 2√stiffness. The force on the whole is known to ε stiffness only, which for the
// largest is 2e-6 from step to step, and acts over squares of steps.
TEST(Radau, stiff_chain_moves_as_one) {
  constexpr int n = 8;
  Vector start(2 * n);
  std::fill(start.begin(), start.begin() + n, 1.0);
  const double rate = 1 / std::sqrt(8.0), q = std::cos(10 * rate), v = -rate * std::sin(10 * rate);
  for (const auto& [stiffness, damping] : {std::pair{1e8, 1e4}, {1e9, 0.0}, {1e10, 0.0}, {1e10, 1e5}}) {
    Problem f = make_chain(n, stiffness, damping);
    const Motion run = integrate(f, start, 10, 1e-7, 0.01, false);
    const double close = 36 / stiffness + 3e-7;
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(run.y[i], q, close) << stiffness << ' ' << i;
      EXPECT_NEAR(run.y[n + i], v, close) << stiffness << ' ' << i;
    }
    EXPECT_LT(run.steps, 100) << stiffness;
  }
}

// Test Set for IVP Solvers (Mazzia & Magherini), problem VDPOL: ε = 1e-6, y(0) = (2, 0), y(2) = (1.706167732170483,
// −0.8928097010247975). There time runs in units of μ = 1000.
TEST(Radau, van_der_pol_ends_where_published) {
  Problem f = make_van_der_pol(1000);
  const Motion run = integrate(f, {2, 0}, 2000, {1e-9, 1e-7}, 1e-4);
  EXPECT_NEAR(run.y[0], 1.706167732170483, 1e-7);
  EXPECT_NEAR(1000 * run.y[1], -0.8928097010247975, 1e-7);
  EXPECT_LT(run.steps, 3000);
}

// ---- step control ----------------------------------------------------------------------------------------------

// The estimate is that of a formula of order 3: it falls like h⁴ and lies above the error of the step, which falls
// like h⁶.
TEST(Radau, estimate_falls_like_h4_and_bounds_the_error) {
  Problem f = make_pendulum();
  const Vector unit(2, 1.0);
  const auto estimate = [&](double h, double& actual) {
    Vector y = {2, 0.5};
    RadauStepper s = make_stepper(f, y, 1e-12);
    s.step(f, no_probe, -1e-3, y.data(), 1e-3);  // a first step has an estimate of its own
    accept(s, y);
    s.step(f, no_probe, 0, y.data(), h);
    actual = distance(march(f, y, h, 16), {s.next()[0], s.next()[1]});
    return s.error(unit.data(), h);
  };
  double actual = 0, finer = 0;
  const double coarse = estimate(0.2, actual), fine = estimate(0.1, finer);
  EXPECT_NEAR(observed_order(coarse, fine), 4, 0.3);
  EXPECT_NEAR(observed_order(actual, finer), 6, 0.5);
  EXPECT_GT(coarse, actual);
  EXPECT_GT(fine, finer);
  EXPECT_LT(coarse, 1e4 * actual);
}

// Over some 20 to 600 steps the error stays within a few allowed errors of a step, and is not absurdly small.
TEST(Radau, step_control_keeps_the_tolerance) {
  for (double allowed : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    Problem f = make_pendulum();
    const Motion run = integrate(f, {2, 0}, 8, allowed, 0.01);
    const double error = distance(run.y, pendulum_at(8, 2));
    EXPECT_LT(error, 10 * allowed) << run.steps;
    EXPECT_LE(run.rejected, run.steps / 5 + 2) << allowed;
  }
}

TEST(Radau, newton_failure_is_an_infinite_error) {
  Problem f = make_pendulum();  // q̈ = eᵠ instead, which escapes to infinity at t = π/√2
  f.acceleration = [](double, const double* q, const double*, double* a) { a[0] = std::exp(q[0]); };
  f.derivatives = [](double, const double* q, const double*, double* by_q, double* by_v) {
    by_q[0] = std::exp(q[0]);
    by_v[0] = 0;
  };
  const Vector y = {0, 0}, unit(2, 1.0);
  RadauStepper s = make_stepper(f, y, 1e-6);
  s.step(f, no_probe, 0, y.data(), 100);
  EXPECT_FALSE(s.converged());
  EXPECT_EQ(s.error(unit.data(), 100), std::numeric_limits<double>::infinity());
  s.finish(f, 0, 100);
  EXPECT_EQ(s.next()[0], y[0]);
  EXPECT_EQ(s.next()[1], y[1]);
  s.step(f, no_probe, 0, y.data(), 0.5);  // and the same stepper goes on
  EXPECT_TRUE(s.converged());
  // q = −2 log cos(t/√2)
  EXPECT_NEAR(s.next()[0], -2 * std::log(std::cos(0.5 / std::sqrt(2.0))), 1e-5);
}

TEST(Radau, forces_that_are_not_numbers_are_an_infinite_error) {
  Problem f = make_pendulum();
  f.acceleration = [](double t, const double*, const double*, double* a) { a[0] = std::sqrt(0.5 - t); };
  const Vector y = {2, 0}, unit(2, 1.0);
  RadauStepper s = make_stepper(f, y, 1e-6);
  s.step(f, no_probe, 0, y.data(), 1);
  EXPECT_EQ(s.error(unit.data(), 1), std::numeric_limits<double>::infinity());
}

// ---- what is kept from step to step --------------------------------------------------------------------------------

TEST(Radau, jacobian_is_kept_while_newton_converges) {
  Problem f = make_follower(100, 2);
  const auto linear = f.acceleration;
  f.acceleration = [linear](double t, const double* q, const double* v, double* a) {
    linear(t, q, v, a);
    a[0] -= 0.1 * q[0] * q[0] * q[0];
  };
  const Motion run = integrate(f, {1, 0}, 20, 1e-7, 0.01);
  EXPECT_GT(run.steps, 100);
  EXPECT_LT(f.jacobians, run.steps / 10);
}

TEST(Radau, forgotten_jacobian_is_taken_anew) {
  Problem f = make_follower(100, 2);
  Vector y = {1, 0};
  RadauStepper s = make_stepper(f, y, 1e-6);
  for (int k = 0; k < 4; ++k) {
    s.step(f, no_probe, 0.01 * k, y.data(), 0.01);
    accept(s, y);
  }
  EXPECT_EQ(f.jacobians, 1);
  s.forget_jacobian();
  s.step(f, no_probe, 0.04, y.data(), 0.01);
  EXPECT_EQ(f.jacobians, 2);
}

// As the solver does to end at an event: the same start, less far. The stages come from the polynomial of the longer
// step, the Jacobian stays, and the result is that of a stepper that only ever took the short step.
TEST(Radau, step_repeated_with_a_shorter_h_agrees_with_a_first_one) {
  Problem f = make_damped_pendulum(0.3);
  const Vector y = {2, 0.5, 0};
  RadauStepper s = make_stepper(f, y, 1e-12), direct = make_stepper(f, y, 1e-12);
  f.jacobians = 0;
  s.step(f, no_probe, 0, y.data(), 0.2);
  const int iterations = s.iterations();
  s.step(f, no_probe, 0, y.data(), 0.123);
  EXPECT_EQ(f.jacobians, 1);
  EXPECT_LE(s.iterations(), iterations);
  direct.step(f, no_probe, 0, y.data(), 0.123);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.next()[i], direct.next()[i], 1e-14);
}

// The solver looks at guards at inner stages, and after step() and finish() at the end: the last evaluation is there.
TEST(Radau, probes_and_ends_see_full_evaluations) {
  Problem f = make_damped_pendulum(0.3);
  Vector y = {2, 0.5, 0}, last_seen;
  double last_time = -1;
  const auto inner = f.acceleration;
  f.acceleration = [&](double t, const double* q, const double* v, double* a) {
    last_time = t;
    last_seen = {q[0], v[0]};
    inner(t, q, v, a);
  };
  RadauStepper s = make_stepper(f, y, 1e-9);
  f.full_evaluations = 0;
  std::vector<double> probed;
  s.step(
      f, [&] { probed.push_back(last_time); }, 1, y.data(), 0.1);
  s.finish(f, 1, 0.1);
  ASSERT_EQ(probed.size(), 2u);
  EXPECT_DOUBLE_EQ(probed[0], 1 + 0.1 * radau::c[0]);
  EXPECT_DOUBLE_EQ(probed[1], 1 + 0.1 * radau::c[1]);
  EXPECT_EQ(f.full_evaluations, 3);
  EXPECT_DOUBLE_EQ(last_time, 1.1);
  EXPECT_EQ(last_seen, Vector({s.next()[0], s.next()[1]}));
  s.next()[0] += 1e-3;  // moved by the solver: the slope must follow
  s.finish(f, 1, 0.1);
  EXPECT_EQ(f.full_evaluations, 4);
  EXPECT_NEAR(s.slope(RadauStepper::last)[1], -std::sin(s.next()[0]) - 0.3 * s.next()[1], 1e-15);
}

}  // namespace
}  // namespace thud
