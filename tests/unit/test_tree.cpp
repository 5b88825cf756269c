// The mechanics of trees, without sand.
// Sources of truth: hand-derived equations of textbook pendulums, conservation laws, and a brute-force formulation
// that knows only where the mass centres are and differentiates that numerically.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "thud/dynamics/observable.hpp"
#include "thud/dynamics/system.hpp"
#include "thud/event/solver.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {
namespace {

using Real = long double;

constexpr double g = 9.81;

Body make_body(double mass, double center, double inertia) {
  Body b;
  b.name = "body";
  b.mass = mass;
  b.center = {center, 0};
  b.inertia = inertia;
  return b;
}

Body make_link(int parent, double length, double mass, double center, double inertia, double attach) {
  Body b = make_body(mass, center, inertia);
  b.parent = parent;
  b.attach = {attach, 0};
  (void)length;
  return b;
}

/// v̇ under gravity alone, and M⁻¹ applied to vectors, by the library.
struct Evaluated {
  Frames<double> frames;
  MassFactor<double> factor;
  std::vector<double> vdot;
};

Evaluated evaluate(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v,
                   const std::vector<Vec>& force, const std::vector<BodyPoint>& at,
                   const std::vector<double>& couple) {
  Evaluated e;
  const auto n = static_cast<std::size_t>(tree.body_count());
  e.frames.resize(n);
  tree.kinematics(q.data(), v.data(), e.frames);
  Wrenches<double> wrenches;
  wrenches.resize(n);
  wrenches.clear();
  for (int i = 0; i < tree.body_count(); ++i) {
    wrenches.add(i, e.frames.arm(i, at[i]), force[i]);
    wrenches.moment[i] += couple[i];
  }
  tree.prepare(e.factor);
  e.vdot.assign(tree.dof_count(), 0.0);
  tree.forward_dynamics(e.frames, wrenches, e.factor, e.vdot.data());
  return e;
}

Evaluated evaluate_gravity(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v,
                           Vec gravity) {
  std::vector<Vec> force;
  std::vector<BodyPoint> at;
  for (const Body& b : tree.bodies()) {
    force.push_back(b.mass * gravity);
    at.push_back(b.center);
  }
  return evaluate(tree, q, v, force, at, std::vector<double>(tree.body_count(), 0.0));
}

// --- brute force -------------------------------------------------------------------------------------------------

struct Place2 {
  Real x = 0, z = 0;
};

/// Position of a body point from the coordinates, written down independently of Frames.
Place2 locate(const Tree& tree, const std::vector<Real>& q, int body, BodyPoint p) {
  Place2 out;
  BodyPoint here = p;
  int i = body;
  for (;;) {
    const Real a = q[tree.angle_dof(i)];
    out.x += here.s * std::sin(a) + here.n * std::cos(a);
    out.z += here.s * std::cos(a) - here.n * std::sin(a);
    const Body& b = tree.body(i);
    if (b.parent < 0) {
      if (b.free) {
        out.x += q[tree.translation_dof(i)];
        out.z += q[tree.translation_dof(i) + 1];
      } else {
        out.x += b.anchor.x;
        out.z += b.anchor.z;
      }
      return out;
    }
    here = b.attach;
    i = b.parent;
  }
}

// Central differences of order 4 in long double with h = 1e-3: truncation h⁴ max|p⁽⁵⁾|/30 ≈ 3e-14 for the first
// derivative; h⁴ |v|⁶ max|p⁽⁶⁾|/90 ≈ 1e-12 and rounding 1e-19/h² ≈ 1e-13 for the second, with |v| ≤ 2.
constexpr Real h = 1e-3L;

template <class F>
Place2 first_derivative(const F& f) {
  const Place2 a = f(-2 * h), b = f(-h), c = f(h), d = f(2 * h);
  return {(a.x - 8 * b.x + 8 * c.x - d.x) / (12 * h), (a.z - 8 * b.z + 8 * c.z - d.z) / (12 * h)};
}
template <class F>
Place2 second_derivative(const F& f) {
  const Place2 a = f(-2 * h), b = f(-h), o = f(0), c = f(h), d = f(2 * h);
  const auto combine = [](Real p, Real r, Real s, Real t, Real u) {
    return (-p + 16 * r - 30 * s + 16 * t - u) / (12 * h * h);
  };
  return {combine(a.x, b.x, o.x, c.x, d.x), combine(a.z, b.z, o.z, c.z, d.z)};
}

struct Brute {
  Eigen::MatrixXd mass;
  Eigen::VectorXd inertia_terms;          // Σ Jᵀ m (J̇ v)
  std::vector<Eigen::MatrixXd> jacobian;  // of the points of force, 2 × n each
};

Brute brute_force(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v,
                  const std::vector<BodyPoint>& at) {
  const int n = tree.dof_count();
  const std::vector<Real> q0(q.begin(), q.end());
  Brute out{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n), {}};
  const auto jacobian_of = [&](int body, BodyPoint p) {
    Eigen::MatrixXd j(2, n);
    for (int k = 0; k < n; ++k) {
      const Place2 d = first_derivative([&](Real s) {
        std::vector<Real> moved = q0;
        moved[k] += s;
        return locate(tree, moved, body, p);
      });
      j(0, k) = static_cast<double>(d.x);
      j(1, k) = static_cast<double>(d.z);
    }
    return j;
  };
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    const Eigen::MatrixXd j = jacobian_of(i, b.center);
    const Place2 bias = second_derivative([&](Real s) {
      std::vector<Real> moved = q0;
      for (int k = 0; k < n; ++k) moved[k] += s * v[k];
      return locate(tree, moved, i, b.center);
    });
    out.mass += b.mass * j.transpose() * j;
    out.mass(tree.angle_dof(i), tree.angle_dof(i)) += b.inertia;
    out.inertia_terms += b.mass * j.transpose() * Eigen::Vector2d(double(bias.x), double(bias.z));
    out.jacobian.push_back(jacobian_of(i, at[i]));
  }
  return out;
}

/// A forest of 1 to 8 bodies: free and pinned roots, branches, lateral offsets, point masses.
Tree random_tree(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::uniform_int_distribution<int> count(1, 8);
  const int n = count(random);
  std::vector<Body> bodies;
  for (int i = 0; i < n; ++i) {
    Body b;
    b.name = "b" + std::to_string(i);
    std::uniform_int_distribution<int> parent(-1, i - 1);
    b.parent = parent(random);
    b.free = b.parent < 0 && unit(random) > 0;
    b.anchor = {unit(random), unit(random)};
    b.attach = {unit(random), 0.3 * unit(random)};
    b.mass = 1.1 + unit(random);
    if (!b.free) b.center = {unit(random) + (unit(random) > 0 ? 1.5 : -1.5), 0.2 * unit(random)};
    b.inertia = b.free || unit(random) > 0 ? 0.1 + 0.05 * unit(random) : 0.0;
    bodies.push_back(b);
  }
  return Tree(std::move(bodies));
}

std::vector<double> random_vector(std::mt19937& random, int n, double size) {
  std::uniform_real_distribution<double> unit(-size, size);
  std::vector<double> x(n);
  for (double& value : x) value = unit(random);
  return x;
}

// --- tests -------------------------------------------------------------------------------------------------------

// Source of truth: the equations of the planar double pendulum with point masses, angles from the vertical:
//   (m1 + m2) L1 θ1'' + m2 L2 θ2'' cos Δ + m2 L2 θ2'² sin Δ + (m1 + m2) g sin θ1 = 0
//   L2 θ2'' + L1 θ1'' cos Δ − L1 θ1'² sin Δ + g sin θ2 = 0,       Δ = θ1 − θ2.
// Tolerance: a 2 × 2 solve with condition below 1e3, values below 1e3: 1e3 · 1e3 · 1e-16 = 1e-10.
TEST(DoublePendulum, point_masses_follow_the_textbook_equations) {
  const double m1 = 0.7, m2 = 1.3, l1 = 0.4, l2 = 0.9;
  const Tree tree({make_body(m1, l1, 0), make_link(0, l2, m2, l2, 0, l1)});
  std::mt19937 random(1);
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> q = random_vector(random, 2, 3), v = random_vector(random, 2, 8);
    const double delta = q[0] - q[1], c = std::cos(delta), s = std::sin(delta);
    Eigen::Matrix2d m;
    m << (m1 + m2) * l1, m2 * l2 * c, l1 * c, l2;
    const Eigen::Vector2d rhs(-m2 * l2 * v[1] * v[1] * s - (m1 + m2) * g * std::sin(q[0]),
                              l1 * v[0] * v[0] * s - g * std::sin(q[1]));
    const Eigen::Vector2d expected = m.fullPivLu().solve(rhs);
    const Evaluated e = evaluate_gravity(tree, q, v, {0, g});
    EXPECT_NEAR(e.vdot[0], expected[0], 1e-10 * (1 + std::abs(expected[0])));
    EXPECT_NEAR(e.vdot[1], expected[1], 1e-10 * (1 + std::abs(expected[1])));
  }
}

// Source of truth: Lagrange's mass matrix of two uniform rods,
//   M11 = (m1/3 + m2) L1², M12 = m2 L1 L2 cos Δ/2, M22 = m2 L2²/3; M⁻¹ applied to unit vectors.
TEST(DoublePendulum, mass_matrix_of_uniform_rods) {
  const double m1 = 0.7, m2 = 1.3, l1 = 0.4, l2 = 0.9;
  const Tree tree(
      {make_body(m1, l1 / 2, m1 * l1 * l1 / 12), make_link(0, l2, m2, l2 / 2, m2 * l2 * l2 / 12, l1)});
  for (double delta : {-2.0, -0.5, 0.0, 0.3, 1.5707, 3.1}) {
    Eigen::Matrix2d m;
    m << (m1 / 3 + m2) * l1 * l1, 0.5 * m2 * l1 * l2 * std::cos(delta), 0.5 * m2 * l1 * l2 * std::cos(delta),
        m2 * l2 * l2 / 3;
    const Evaluated e = evaluate_gravity(tree, {0.4 + delta, 0.4}, {0, 0}, {0, 0});
    for (int k = 0; k < 2; ++k) {
      double x[2] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0};
      tree.solve(e.factor, x);
      const Eigen::Vector2d back = m * Eigen::Vector2d(x[0], x[1]);
      EXPECT_NEAR(back[0], k == 0, 1e-13);
      EXPECT_NEAR(back[1], k == 1, 1e-13);
    }
  }
}

// Source of truth: M = Σ Jᵀ m J + I, h = Σ Jᵀ m J̇v and Q = Σ Jᵀ F + couples, with J and J̇v by numerical
// differentiation of positions; dense LU of Eigen.
// Tolerance: differentiation is good to 1e-12 (above), times the condition of M (below 1e5 here): 1e-7 at worst;
// compared as residuals of M v̇ + h = Q, which do not see the condition: 1e-10 of the sizes of the terms.
TEST(RandomTrees, forward_dynamics_agrees_with_brute_force) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Tree tree = random_tree(random);
    const int n = tree.dof_count();
    const std::vector<double> q = random_vector(random, n, 3), v = random_vector(random, n, 2);
    std::vector<Vec> force;
    std::vector<BodyPoint> at;
    for (int i = 0; i < tree.body_count(); ++i) {
      const std::vector<double> r = random_vector(random, 4, 5);
      force.push_back({r[0], r[1]});
      at.push_back({0.2 * r[2], 0.2 * r[3]});
    }
    const std::vector<double> couple = random_vector(random, tree.body_count(), 3);
    const Brute brute = brute_force(tree, q, v, at);
    Eigen::VectorXd generalised = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < tree.body_count(); ++i) {
      generalised += brute.jacobian[i].transpose() * Eigen::Vector2d(force[i].x, force[i].z);
      generalised[tree.angle_dof(i)] += couple[i];
    }
    const Evaluated e = evaluate(tree, q, v, force, at, couple);
    const Eigen::Map<const Eigen::VectorXd> vdot(e.vdot.data(), n);
    const Eigen::VectorXd residual = brute.mass * vdot + brute.inertia_terms - generalised;
    const double size = 1 + generalised.norm() + brute.inertia_terms.norm() + brute.mass.norm() * vdot.norm();
    EXPECT_LT(residual.norm() / size, 1e-10) << "trial " << trial;
  }
}

// Source of truth: a dense Cholesky solve of Eigen with the brute-force mass matrix. Tolerance as above.
TEST(RandomTrees, solve_applies_the_inverse_mass_matrix) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Tree tree = random_tree(random);
    const int n = tree.dof_count();
    const std::vector<double> q = random_vector(random, n, 3), zero(n, 0.0);
    const std::vector<BodyPoint> at(tree.body_count());
    const Brute brute = brute_force(tree, q, zero, at);
    const Evaluated e = evaluate_gravity(tree, q, zero, {0, g});
    const std::vector<double> b = random_vector(random, n, 1);
    std::vector<double> x = b;
    tree.solve(e.factor, x.data());
    const Eigen::VectorXd rhs = Eigen::Map<const Eigen::VectorXd>(b.data(), n);
    const Eigen::VectorXd expected = brute.mass.ldlt().solve(rhs);
    const double condition = brute.mass.norm() * brute.mass.inverse().norm();
    EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), n) - expected).norm(),
              1e-12 * condition * expected.norm() + 1e-13)
        << "trial " << trial;
  }
}

// Source of truth: virtual power. Q of a force at a point is Jᵀ f with J from positions.
TEST(RandomTrees, point_forces_do_virtual_power) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Tree tree = random_tree(random);
    const int n = tree.dof_count();
    const std::vector<double> q = random_vector(random, n, 3), v = random_vector(random, n, 2);
    std::vector<BodyPoint> at;
    for (int i = 0; i < tree.body_count(); ++i) {
      const std::vector<double> r = random_vector(random, 2, 1);
      at.push_back({r[0], r[1]});
    }
    const Brute brute = brute_force(tree, q, v, at);
    const Evaluated e = evaluate_gravity(tree, q, v, {0, g});
    for (int i = 0; i < tree.body_count(); ++i) {
      const std::vector<double> f = random_vector(random, 2, 1);
      std::vector<double> generalised(n, 0.0);
      tree.add_point_force(e.frames, i, e.frames.arm(i, at[i]), Vec{f[0], f[1]}, generalised.data());
      const Eigen::VectorXd expected = brute.jacobian[i].transpose() * Eigen::Vector2d(f[0], f[1]);
      double power = 0;
      for (int k = 0; k < n; ++k) {
        EXPECT_NEAR(generalised[k], expected[k], 1e-11);
        power += generalised[k] * v[k];
      }
      const Vec speed = e.frames.velocity(i, at[i]);
      EXPECT_NEAR(power, dot(Vec{f[0], f[1]}, speed), 1e-12);
    }
  }
}

// Source of truth: kinetic energy ½ vᵀ M v with the brute-force M; positions, velocities and accelerations of points
// by differentiating q(t) = q + v t + v̇ t²/2 numerically.
TEST(RandomTrees, energies_and_point_motion) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    const Tree tree = random_tree(random);
    const int n = tree.dof_count();
    const std::vector<double> q = random_vector(random, n, 3), v = random_vector(random, n, 2);
    const std::vector<BodyPoint> at(tree.body_count());
    const Brute brute = brute_force(tree, q, v, at);
    const Vec gravity{1.5, 9.0};
    const Evaluated e = evaluate_gravity(tree, q, v, gravity);
    const Eigen::VectorXd rate = Eigen::Map<const Eigen::VectorXd>(v.data(), n);
    const double kinetic = 0.5 * rate.dot(brute.mass * rate);
    EXPECT_NEAR(tree.kinetic_energy(e.frames), kinetic, 1e-11 * (1 + kinetic));
    double potential = 0;
    const std::vector<double> a = random_vector(random, n, 4);
    for (int i = 0; i < tree.body_count(); ++i) {
      const Body& b = tree.body(i);
      const auto path = [&](Real t) {
        std::vector<Real> moved(n);
        for (int k = 0; k < n; ++k) moved[k] = q[k] + t * (v[k] + t * a[k] / 2);
        return locate(tree, moved, i, b.center);
      };
      const Place2 p = path(0), dp = first_derivative(path), ddp = second_derivative(path);
      potential -= b.mass * (gravity.x * double(p.x) + gravity.z * double(p.z));
      const Vec arm = e.frames.arm(i, b.center);
      EXPECT_NEAR(e.frames.position(i, b.center).x, double(p.x), 1e-13);
      EXPECT_NEAR(e.frames.position(i, b.center).z, double(p.z), 1e-13);
      EXPECT_NEAR(e.frames.velocity(i, arm).x, double(dp.x), 1e-9);
      EXPECT_NEAR(e.frames.velocity(i, arm).z, double(dp.z), 1e-9);
      const Vec acceleration = tree.acceleration(e.frames, a.data(), i, b.center);
      // here p⁽⁶⁾ contains v̇³ and v⁶: up to 1e4, 1e4 h⁴/90 ≈ 1e-10 per joint
      EXPECT_NEAR(acceleration.x, double(ddp.x), 1e-7);
      EXPECT_NEAR(acceleration.z, double(ddp.z), 1e-7);
    }
    EXPECT_NEAR(tree.potential_energy(e.frames, gravity), potential, 1e-12 * (1 + std::abs(potential)));
  }
}

// Source of truth: turning gravity by a turns every solution by a. Pinned chains only (anchors stay at the origin).
TEST(Gravity, any_direction_is_a_turned_problem) {
  const Tree tree({make_body(0.7, 0.3, 0.02), make_link(0, 0.5, 1.1, 0.2, 0.01, 0.6)});
  for (double turn : {-2.5, -1.0, 0.4, 1.5707963267948966, 3.0}) {
    const std::vector<double> q{0.3, -0.8}, v{1.5, -2.0};
    const Evaluated upright = evaluate_gravity(tree, q, v, {0, g});
    const Evaluated turned_ =
        evaluate_gravity(tree, {q[0] + turn, q[1] + turn}, v, {g * std::sin(turn), g * std::cos(turn)});
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(turned_.vdot[k], upright.vdot[k], 1e-12 * (1 + std::abs(upright.vdot[k])));
  }
}

double observe_reaction(const System& system, int body, Component c, const std::vector<double>& q,
                        const std::vector<double>& v) {
  Work<double> work;
  system.prepare(work);
  std::vector<double> y(system.state_size(), 0.0), rate(system.state_size(), 0.0);
  std::copy(q.begin(), q.end(), y.begin());
  std::copy(v.begin(), v.end(), y.begin() + system.dof_count());
  const Mode mode = system.make_mode();
  system.evaluate(0, y.data(), mode, work, rate.data());
  Observable o;
  o.quantity = Quantity::reaction;
  o.body = body;
  o.component = c;
  return observe(system, o, 0, y.data(), work);
}

// Source of truth: Newton for a swinging mass, S = m(g cos q + L q̇²) along the rod, nothing across it;
// for a uniform rod m(g cos q + L q̇²/2) along and m g sin q/4 across. Tolerance: rounding of values below 100.
TEST(Reaction, swinging_pendulums) {
  const double m = 0.8, length = 0.5;
  const System ball(Tree({make_body(m, length, 0)}), {0, g});
  const System rod(Tree({make_body(m, length / 2, m * length * length / 12)}), {0, g});
  for (double q : {-2.0, -0.4, 0.0, 0.7, 1.6}) {
    for (double rate : {-3.0, 0.0, 5.0}) {
      const double s = std::sin(q), c = std::cos(q);
      const double pull = m * (g * c + length * rate * rate);
      EXPECT_NEAR(observe_reaction(ball, 0, Component::x, {q}, {rate}), -pull * s, 1e-12);
      EXPECT_NEAR(observe_reaction(ball, 0, Component::z, {q}, {rate}), -pull * c, 1e-12);
      EXPECT_NEAR(observe_reaction(ball, 0, Component::size, {q}, {rate}), std::abs(pull), 1e-12);
      const double along = -m * (g * c + 0.5 * length * rate * rate), across = 0.25 * m * g * s;
      EXPECT_NEAR(observe_reaction(rod, 0, Component::x, {q}, {rate}), along * s + across * c, 1e-12);
      EXPECT_NEAR(observe_reaction(rod, 0, Component::z, {q}, {rate}), along * c - across * s, 1e-12);
    }
  }
}

// Source of truth: statics. Two bodies hanging at rest: each joint carries what is below it.
TEST(Reaction, hanging_chain_carries_what_is_below) {
  const System chain(Tree({make_body(0.5, 0.2, 0.01), make_link(0, 1, 0.3, 0.1, 0.01, 0.4),
                           make_link(0, 1, 0.2, 0.1, 0.01, 0.4)}),
                     {0, g});
  const std::vector<double> zero(3, 0.0);
  EXPECT_NEAR(observe_reaction(chain, 0, Component::z, zero, zero), -1.0 * g, 1e-12);
  EXPECT_NEAR(observe_reaction(chain, 1, Component::z, zero, zero), -0.3 * g, 1e-12);
  EXPECT_NEAR(observe_reaction(chain, 2, Component::z, zero, zero), -0.2 * g, 1e-12);
}

// Source of truth: conservation of energy, momentum and moment of momentum without outer forces.
// Tolerance: asked for with a solver tolerance of 1e-12 over 3 s of a chain that turns about once a second.
TEST(FreeChain, conserves_energy_and_momenta) {
  std::vector<Body> bodies{make_body(1.2, 0, 0.03)};
  bodies[0].free = true;
  bodies.push_back(make_link(0, 0.4, 0.6, 0.2, 0.008, 0.25));
  bodies.push_back(make_link(1, 0.4, 0.5, 0.2, 0.007, 0.4));
  bodies.push_back(make_link(0, 0.3, 0.9, 0.15, 0.01, -0.25));
  const Tree tree(bodies);
  const System system(tree, {0, 0});
  const std::vector<double> q{0.1, -0.2, 0.3, 1.0, -0.7, 2.0}, v{0.4, -0.3, 2.0, -5.0, 3.0, 1.0};
  const auto invariants = [&](const double* y) {
    Frames<double> f;
    f.resize(tree.body_count());
    tree.kinematics(y, y + tree.dof_count(), f);
    Vec momentum{};
    double spin = 0;
    for (int i = 0; i < tree.body_count(); ++i) {
      const Body& b = tree.body(i);
      const Vec speed = f.velocity(i, b.center);
      momentum += b.mass * speed;
      spin += b.inertia * f.rate[i] + b.mass * moment(f.position(i, b.center), speed);
    }
    return std::vector<double>{tree.kinetic_energy(f), momentum.x, momentum.z, spin};
  };
  SolverOptions options;
  options.tolerance = 1e-12;
  options.time_limit = 3;
  Solver solver(system);
  const Outcome out = solver.run(q, v, {}, options);
  ASSERT_EQ(out.reason, StopReason::time_limit) << out.message;
  std::vector<double> y(q);
  y.insert(y.end(), v.begin(), v.end());
  const std::vector<double> before = invariants(y.data()), after = invariants(out.state.data());
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(after[k], before[k], 1e-9) << k;
}

// Source of truth: the class comment. Refused at construction.
TEST(TreeInput, refuses_what_cannot_move) {
  EXPECT_THROW(Tree({make_body(1, 0, 0)}), std::invalid_argument);           // no inertia about its joint
  EXPECT_THROW(Tree({make_body(-1, 0.1, 1)}), std::invalid_argument);        // negative mass
  EXPECT_THROW(Tree({make_link(0, 1, 1, 1, 1, 1)}), std::invalid_argument);  // its own parent
  EXPECT_NO_THROW(Tree({make_body(1, 0.1, 0)}));
}

TEST(TreeInput, degrees_of_freedom_are_numbered_from_the_roots) {
  std::vector<Body> bodies{make_body(1, 0, 1), make_link(0, 1, 1, 0.5, 0.1, 1), make_body(1, 1, 0)};
  bodies[0].free = true;
  const Tree tree(bodies);
  EXPECT_EQ(tree.dof_count(), 5);
  EXPECT_EQ(tree.translation_dof(0), 0);
  EXPECT_EQ(tree.angle_dof(0), 2);
  EXPECT_EQ(tree.angle_dof(1), 3);
  EXPECT_EQ(tree.translation_dof(1), -1);
  EXPECT_EQ(tree.angle_dof(2), 4);
  EXPECT_FALSE(tree.is_angle(1));
  EXPECT_TRUE(tree.is_angle(4));
  EXPECT_DOUBLE_EQ(tree.total_mass(), 3);
}

}  // namespace
}  // namespace thud
