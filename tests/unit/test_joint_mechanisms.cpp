// Mechanisms with sliders and welds.
// Sources of truth: closed forms of textbooks, one rigid body in place of welded ones, shapes of beams with tip masses,
// conservation of energy by the masses of joint_models.hpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "joint_models.hpp"
#include "thud/dynamics/system.hpp"
#include "thud/event/solver.hpp"

namespace thud {
namespace {

constexpr double g = 9.81;
constexpr double pi = std::numbers::pi;

// --- closed forms -----------------------------------------------------------------------------------------------------

Body make_body(double mass, BodyPoint center, double inertia, int parent = -1) {
  Body b;
  b.name = "body";
  b.mass = mass;
  b.center = center;
  b.inertia = inertia;
  b.parent = parent;
  return b;
}

std::vector<double> fall(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v) {
  Evaluated<double> e(tree, q, v);
  for (int i = 0; i < tree.body_count(); ++i)
    e.wrenches.add(i, e.frames.arm(i, tree.body(i).center), tree.body(i).mass * Vec{0, g});
  std::vector<double> out(tree.dof_count());
  tree.forward_dynamics(e.frames, e.wrenches, e.factor, out.data());
  return out;
}

// Source of truth: textbook. A block on a slope that is itself free to slide on level ground: with the mass M of the wedge
// and the slope β, its acceleration is m g sin β cos β/(M + m sin²β) backwards, that of the block along the slope
// (M + m) g sin β/(M + m sin²β).
TEST(Slider, block_on_a_sliding_wedge) {
  const double wedge = 1.7, block = 0.6;
  for (const double slope : {0.2, 0.7, 1.2}) {
    std::vector<Body> bodies{make_body(wedge, {0.1, 0.3}, 0), make_body(block, {0.02, -0.05}, 0.01, 0)};
    bodies[0].joint =
        Joint::slider(pi / 2, 0.4);  // to the right; the wedge stands at 0.4 rad, whatever that is
    bodies[1].joint = Joint::slider(pi / 2 - slope - 0.4, 1.1);
    bodies[1].attach = {0.2, 0.1};
    const std::vector<double> a = fall(Tree(bodies), {0.3, -0.8}, {2, -3});
    const double s = std::sin(slope), c = std::cos(slope), bottom = wedge + block * s * s;
    EXPECT_NEAR(a[0], -block * g * s * c / bottom, 1e-13);
    EXPECT_NEAR(a[1], (wedge + block) * g * s / bottom, 1e-13);
  }
}

// Source of truth: a fixed slope: g times the sine of the slope, whatever the mass and its place.
TEST(Slider, fixed_slope) {
  Body b = make_body(0.7, {0.3, -0.2}, 0.05);
  b.joint = Joint::slider(0.9, -0.3);
  b.anchor = {1, 2};
  const Tree tree({b});
  EXPECT_EQ(tree.dof_count(), 1);
  EXPECT_EQ(tree.angle_dof(0), -1);
  EXPECT_EQ(tree.dof_name(0), "body.travel");
  EXPECT_FALSE(tree.is_angle(0));
  EXPECT_NEAR(fall(tree, {2.0}, {1.0})[0], g * std::cos(0.9), 1e-14);
}

// Source of truth: Lagrange's equations of a pendulum (m, L, I about its end) on a cart of mass M, x to the right:
//   (M + m) x″ + m L/2 (q″ cos q − q'² sin q) = 0,   m L/2 x″ cos q + I q″ = −m g L/2 sin q.
// About the vertical the frequency is ω² = m g (L/2) (M + m)/(I (M + m) − (m L/2)²); for a point mass (M + m) g/(M L).
TEST(Slider, pendulum_on_a_cart) {
  const double cart = 0.9, m = 0.4, half = 0.35, inertia = m * half * half * 4 / 3;
  std::vector<Body> bodies{make_body(cart, {}, 0), make_body(m, {half, 0}, inertia - m * half * half, 0)};
  bodies[0].joint = Joint::slider(pi / 2);
  const Tree tree(bodies);
  for (const double q : {-2.0, 0.3, 1.4}) {
    const double rate = 3.0, c = std::cos(q), s = std::sin(q);
    Eigen::Matrix2d mass;
    mass << cart + m, m * half * c, m * half * c, inertia;
    const Eigen::Vector2d expected =
        mass.lu().solve(Eigen::Vector2d(m * half * rate * rate * s, -m * g * half * s));
    const std::vector<double> a = fall(tree, {0.5, q}, {-1, rate});
    EXPECT_NEAR(a[0], expected[0], 1e-12);
    EXPECT_NEAR(a[1], expected[1], 1e-12);
  }
  // d(q″)/dq at the vertical by duals
  using D = Dual<double>;
  std::vector<D> q{D(0), D(0, 1)}, zero(2), out(2);
  Evaluated<D> e(tree, q, zero);
  for (int i = 0; i < 2; ++i)
    e.wrenches.add(i, e.frames.arm(i, tree.body(i).center), Vec2<D>{D(0), D(tree.body(i).mass * g)});
  tree.forward_dynamics(e.frames, e.wrenches, e.factor, out.data());
  const double square = m * g * half * (cart + m) / (inertia * (cart + m) - m * half * m * half);
  EXPECT_NEAR(-out[1].d, square, 1e-12 * square);
}

// Source of truth: a bead on a rod that turns about a pin, s from the pin: s″ = s q'² + g cos q,
// (I + m s²) q″ = −2 m s s' q' − m g s sin q (the rod balanced about its pin).
TEST(Slider, bead_on_a_turning_rod) {
  const double inertia = 0.2, m = 0.5;
  std::vector<Body> bodies{make_body(1, {}, inertia), make_body(m, {}, 0, 0)};
  bodies[1].joint = Joint::slider(0);
  const Tree tree(bodies);
  const double q = 0.8, rate = 2.5, s = 0.6, speed = -1.5;
  const std::vector<double> a = fall(tree, {q, s}, {rate, speed});
  EXPECT_NEAR(a[0], -(2 * m * s * speed * rate + m * g * s * std::sin(q)) / (inertia + m * s * s), 1e-13);
  EXPECT_NEAR(a[1], s * rate * rate + g * std::cos(q), 1e-13);
}

// Source of truth: one rigid body is one rigid body, however many pieces it is welded of (parallel axes).
TEST(Weld, l_shape_is_one_body) {
  const double length = 0.5, m1 = 0.6, m2 = 0.4;
  std::vector<Body> parts{make_body(m1, {length / 2, 0}, m1 * length * length / 12),
                          make_body(m2, {length / 2, 0}, m2 * length * length / 12, 0)};
  parts[1].joint = Joint::weld(pi / 2);  // along ŵ of the first
  parts[1].attach = {length, 0};
  const Tree welded(parts);
  const BodyPoint center{(m1 * length / 2 + m2 * length) / (m1 + m2), m2 * length / 2 / (m1 + m2)};
  const double about = m1 * length * length / 3 + m2 * (length * length + length * length / 3);
  const Tree one(
      {make_body(m1 + m2, center, about - (m1 + m2) * (center.s * center.s + center.n * center.n))});
  EXPECT_EQ(welded.dof_count(), 1);
  EXPECT_EQ(welded.angle_dof(1), 0);
  for (const double q : {-1.0, 0.4, 2.0}) {
    EXPECT_NEAR(fall(welded, {q}, {3.0})[0], fall(one, {q}, {3.0})[0], 1e-13);
    const double at[1] = {q};
    EXPECT_NEAR(welded.angle(1, at), q + pi / 2, 1e-15);
  }
  // The same thrown freely, with a pin on the second leg.
  parts[0].free = true;
  parts.push_back(make_body(0.3, {0.2, 0.05}, 0.01, 1));
  parts[2].attach = {length, 0};
  Body whole = one.body(0);
  whole.free = true;
  Body last = parts[2];
  last.parent = 0;
  last.attach = {length, length};
  const std::vector<double> q{0.1, 0.2, 0.7, -1.1}, v{0.5, -0.4, 3, 2};
  const std::vector<double> a = fall(Tree(parts), q, v), b = fall(Tree({whole, last}), q, v);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(a[k], b[k], 1e-12) << k;
}

// Source of truth: a body welded to the tip is a tip mass with rotary inertia. The shapes with such a tip are exact
// (characteristic equation of basis.hpp); cubic elements without one come from above, to (λ/N)⁴/1440 for N elements.
TEST(Weld, a_body_on_the_tip_is_a_tip_mass_with_inertia) {
  BeamData d{0.6, 0.7, 5, 0, 0};
  const double mass = 0.3, inertia = 0.004;
  const auto lowest = [](const Tree& tree) {
    const int n = tree.dof_count();
    const std::vector<double> zero(n, 0.0);
    Evaluated<double> e(tree, zero, zero);
    tree.factor(e.frames, e.factor);
    MatrixXd m = MatrixXd::Identity(n, n), k = MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) tree.multiply(e.factor, m.col(i).data());
    for (int i = 0; i < tree.body(0).beam->size(); ++i) k(i, i) = tree.body(0).beam->stiffness()[i];
    return std::sqrt(Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(k, m).eigenvalues()[0]);
  };
  const auto clamp = [](const BeamBasis& basis) {
    Body b = make_beam_body(std::make_shared<ElasticBeam>(basis, 0), {});
    b.joint = Joint::weld(0.3);  // to the ground
    return b;
  };
  const BeamBasis bare = make_element_basis(Support::clamped, d, 16, 32);
  Body tip = make_body(mass, {}, inertia, 0);
  tip.attach = {d.length, 0};
  tip.joint = Joint::weld(-1.0);
  const double together = lowest(Tree({clamp(bare), tip}));
  d.tip_mass = mass;
  d.tip_inertia = inertia;
  const double exact = lowest(Tree({clamp(make_mode_basis(Support::clamped, d, 1))}));
  EXPECT_GT(together / exact, 1 - 1e-12);
  EXPECT_LT(together / exact, 1 + 1e-7);
}

// --- energy -----------------------------------------------------------------------------------------------------------

// Source of truth: conservation of energy, by the masses. Tolerance: 1e-12 per step of the solver, thousands of steps.
void expect_energy_kept(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const Tree& tree = *model.tree;
  const System system(tree, {0, g});
  SolverOptions options;
  options.tolerance = 1e-12;
  options.time_limit = 3;
  options.stop_at_rest = false;
  Solver solver(system);
  const Outcome out = solver.run(q, v, {}, options);
  ASSERT_EQ(out.reason, StopReason::time_limit) << out.message;
  const auto energy = [&](const double* y) {
    const std::vector<double> at(y, y + tree.dof_count()),
        rate(y + tree.dof_count(), y + 2 * tree.dof_count());
    double sum = 0;
    for (int i = 0; i < tree.body_count(); ++i)
      for (const Mass& m : model.masses(i)) {
        const Eigen::Vector3d motion = jacobian_of(tree, at, m.point) * map(rate);
        sum += 0.5 * m.mass * motion.head(2).squaredNorm() + 0.5 * m.inertia * motion[2] * motion[2]
             - m.mass * g * pose_of(tree, at, m.point).z;
      }
    return sum + tree.strain_energy(Evaluated<double>(tree, at, rate).frames);
  };
  std::vector<double> y(q);
  y.insert(y.end(), v.begin(), v.end());
  EXPECT_NEAR(energy(out.state.data()), energy(y.data()), 1e-8 * (1 + std::abs(energy(y.data()))));
  EXPECT_LT(std::abs(out.energy.residual), 1e-8);
}

TEST(Energy, double_pendulum_on_a_sloping_rail) {
  std::vector<Body> bodies{make_body(0.8, {0.1, 0.05}, 0.01), make_body(0.5, {0.2, 0.03}, 0.01, 0),
                           make_body(0.3, {0.15, -0.02}, 0.004, 1)};
  bodies[0].joint = Joint::slider(1.4, 0.2);
  bodies[1].attach = {0.2, 0.1};
  bodies[2].attach = {0.4, 0};
  expect_energy_kept(make_model(bodies), {0, 0.5, 1.5}, {1, -2, 4});
}

TEST(Energy, slider_on_a_turning_arm_with_a_welded_leg) {
  std::vector<Body> bodies{make_body(0.8, {0.3, 0.05}, 0.1), make_body(0.5, {0.02, 0.03}, 0.01, 0),
                           make_body(0.3, {0.15, -0.02}, 0.004, 1), make_body(0.2, {0.1, 0}, 0.002, 2)};
  bodies[1].joint = Joint::slider(0.4, -0.5);
  bodies[1].attach = {0.1, 0.02};
  bodies[2].joint = Joint::weld(1.2);
  bodies[2].attach = {0.05, 0};
  bodies[3].attach = {0.3, 0};
  expect_energy_kept(make_model(bodies), {0.5, 0.1, -0.4}, {3, 0.5, 1});
}

TEST(Energy, carriage_with_a_pendulum_on_an_elastic_rail) {
  const BeamData d{0.8, 0.5, 6, 0, 0};
  Body rail = make_beam_body(std::make_shared<ElasticBeam>(make_mode_basis(Support::clamped, d, 3), 0), {});
  rail.name = "rail";
  rail.joint = Joint::weld(pi / 2);
  std::vector<Body> bodies{rail, make_body(0.2, {0.02, 0.01}, 0.001, 0), make_body(0.1, {0.1, 0}, 0.0005, 1)};
  bodies[1].joint = Joint::slider(0.1, 0.3);
  bodies[1].attach = {0.6, 0.02};
  bodies[2].attach = {0.03, 0};
  Model model = make_model(bodies);
  model.rigid[0] = {};
  expect_energy_kept(model, {0.01, 0, 0, 0.05, 0.8}, {0, 0.05, 0, 0.2, 1});
}

// --- input --------------------------------------------------------------------------------------------------------------

template <class Make>
std::string refusal(const Make& make) {
  try {
    (void)make();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(JointInput, refuses_what_cannot_be) {
  using ::testing::HasSubstr;
  Body massless = make_body(0, {}, 0.1);
  massless.joint = Joint::slider(0);
  EXPECT_THAT(refusal([&] { return Tree({massless}); }), HasSubstr("has no mass"));
  Body both = make_body(1, {}, 0.1);
  both.free = true;
  both.joint = Joint::weld();
  EXPECT_THAT(refusal([&] { return Tree({both}); }), HasSubstr("one of them only"));
  Body nowhere = make_body(1, {}, 0.1);
  nowhere.joint = Joint::slider(NAN);
  EXPECT_THAT(refusal([&] { return Tree({nowhere}); }), HasSubstr("must be finite"));
  Body bent = make_beam_body(
      std::make_shared<ElasticBeam>(make_mode_basis(Support::pinned, {0.6, 0.7, 5, 0, 0}, 2), 0), {});
  bent.joint = Joint::weld();
  EXPECT_THAT(refusal([&] { return Tree({bent}); }), HasSubstr("must be clamped"));
  // A carrier without inertia of its own, and what is welded to it at its pin has none about it either.
  Body point = make_body(1, {}, 0, 0);
  point.joint = Joint::weld();
  EXPECT_THAT(refusal([&] { return Tree({make_body(0, {}, 0), point}); }), HasSubstr("no inertia"));
  point.attach = {0.1, 0};
  EXPECT_EQ(refusal([&] { return Tree({make_body(0, {}, 0), point}); }), "");
}

}  // namespace
}  // namespace thud
