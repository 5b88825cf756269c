// Natural modes of whole systems.
// Sources of truth: pendulums in closed form, the transcendental equations of beams, a finite-element model assembled
// here, the right-hand side of System, central differences.

#include "thud/study/modes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>

#include "thud/report/modes.hpp"

namespace thud {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double g = 9.81;
const Vec down{0, g};

// A uniform rod about its end.
Body rod(double length, double mass, int parent = -1, double attach = 0) {
  Body b;
  b.name = "rod" + std::to_string(parent + 2);
  b.parent = parent;
  b.attach = {attach, 0};
  b.mass = mass;
  b.center = {length / 2, 0};
  b.inertia = mass * length * length / 12;
  return b;
}

const BeamData data{0.8, 0.5, 20, 0, 0};

// A body that is all beam: free about its middle, or pinned at its start.
Body beam_body(const BeamBasis& basis, bool free = false) {
  const BeamData& d = basis.data();
  Body b = rod(d.length, d.mass_per_length * d.length);
  b.name = "beam";
  b.free = free;
  if (free) b.center = {};
  b.beam = std::make_shared<ElasticBeam>(basis, free ? -d.length / 2 : 0);
  return b;
}

System alone(const Body& b, Vec gravity = {}) { return {Tree({b}), gravity}; }

std::vector<double> omegas(const ModalAnalysis& a) {
  std::vector<double> out;
  for (const NaturalMode& m : a.modes) out.push_back(m.omega());
  return out;
}

double root_between(const std::function<double(double)>& f, double a, double b) {
  std::uintmax_t steps = 200;
  const auto r =
      boost::math::tools::toms748_solve(f, a, b, boost::math::tools::eps_tolerance<double>(52), steps);
  return 0.5 * (r.first + r.second);
}

// ---- rigid ------------------------------------------------------------------------------------------------------

TEST(Modes, physical_pendulum) {
  const System s = alone(rod(0.6, 2), down);
  const ModalAnalysis a = analyse_modes(s, {0});
  ASSERT_EQ(a.modes.size(), 1u);
  EXPECT_EQ(a.modes[0].motion, Motion::oscillating);
  EXPECT_NEAR(a.modes[0].omega(), std::sqrt(1.5 * g / 0.6), 1e-13);
  EXPECT_NEAR(a.modes[0].shape[0] * 0.3, 1, 1e-12);  // what is drawn is the line to the mass centre
  EXPECT_TRUE(a.at.is_equilibrium);
  EXPECT_EQ(mode_kind(s.tree(), a.modes[0]), "rigid");
  EXPECT_NEAR(a.modes[0].kinetic[0].translation, 0.75, 1e-12);
  EXPECT_NEAR(a.modes[0].kinetic[0].rotation, 0.25, 1e-12);
}

// K is that of the pose: the torque −m g l sin q has the slope −m g l cos q.
TEST(Modes, pose_out_of_equilibrium_is_held_still) {
  const ModalAnalysis a = analyse_modes(alone(rod(0.6, 2), down), {0.7});
  EXPECT_NEAR(a.modes[0].omega(), std::sqrt(1.5 * g / 0.6 * std::cos(0.7)), 1e-13);
  EXPECT_FALSE(a.at.is_equilibrium);
  EXPECT_NEAR(a.at.force[0], -2 * g * 0.3 * std::sin(0.7), 1e-13);
}

// (k₁ − ω²a)(k₂ − ω²b) = ω⁴c², by the formula for quadratic equations.
TEST(Modes, double_pendulum_in_closed_form) {
  const double l1 = 0.3, l2 = 0.5, m1 = 1.2, m2 = 0.7;
  const System s(Tree({rod(l1, m1), rod(l2, m2, 0, l1)}), down);
  const double a = m1 * l1 * l1 / 3 + m2 * l1 * l1, b = m2 * l2 * l2 / 3, c = m2 * l1 * l2 / 2;
  const double k1 = (m1 / 2 + m2) * g * l1, k2 = m2 * g * l2 / 2;
  const double p = a * b - c * c, h = k1 * b + k2 * a, root = std::sqrt(h * h - 4 * p * k1 * k2);
  const Equilibrium e = find_equilibrium(s, {0.5, 1.3});
  ASSERT_TRUE(e.found) << e.reason;
  EXPECT_NEAR(e.q[0], 0, 1e-12);
  EXPECT_NEAR(e.q[1], 0, 1e-12);
  const ModalAnalysis modes = analyse_modes(s, e.q);
  ASSERT_EQ(modes.modes.size(), 2u);
  EXPECT_NEAR(modes.modes[0].omega(), std::sqrt((h - root) / (2 * p)), 1e-12);
  EXPECT_NEAR(modes.modes[1].omega(), std::sqrt((h + root) / (2 * p)), 1e-12);
  EXPECT_GT(modes.modes[0].shape[0] * modes.modes[0].shape[1], 0);  // in phase, then against each other
  EXPECT_LT(modes.modes[1].shape[0] * modes.modes[1].shape[1], 0);
  EXPECT_NEAR(modes.modes[1].kinetic[0].sum() + modes.modes[1].kinetic[1].sum(), 1, 1e-12);
}

TEST(Modes, inverted_pendulum_grows) {
  const System s = alone(rod(0.6, 2), down);
  const ModalAnalysis a = analyse_modes(s, {std::numbers::pi});
  EXPECT_EQ(a.modes[0].motion, Motion::growing);
  EXPECT_NEAR(a.modes[0].growth(), std::sqrt(1.5 * g / 0.6), 1e-12);
  EXPECT_EQ(a.modes[0].frequency(), 0);
  EXPECT_TRUE(a.at.is_equilibrium);
  const Equilibrium e = find_equilibrium(s, {std::numbers::pi});
  ASSERT_TRUE(e.found) << e.reason;
  EXPECT_NEAR(std::cos(e.q[0]), 1, 1e-12);
}

// I s² + c s − m g l = 0 has one root that grows and one that decays.
TEST(Modes, inverted_pendulum_with_damping) {
  System s = alone(rod(0.6, 2), down);
  s.set_joint(0, {0.5, 0, 0, {}});
  const double inertia = 0.24, fall = 2 * g * 0.3, root = std::sqrt(0.25 + 4 * inertia * fall);
  const ModalAnalysis a = analyse_modes(s, {std::numbers::pi});
  ASSERT_EQ(a.modes.size(), 2u);
  EXPECT_NEAR(a.modes[0].growth(), (-0.5 + root) / (2 * inertia), 1e-12);
  EXPECT_NEAR(a.modes[1].growth(), (-0.5 - root) / (2 * inertia), 1e-12);
}

TEST(Modes, damped_pendulum) {
  const double inertia = 0.24, k = 2 * g * 0.3;
  for (double ratio : {1e-9, 0.03, 0.7, 4.0}) {
    SCOPED_TRACE(ratio);
    System s = alone(rod(0.6, 2), down);
    s.set_joint(0, {2 * ratio * std::sqrt(inertia * k), 0, 0, {}});
    const ModalAnalysis a = analyse_modes(s, {0});
    const double omega = std::sqrt(k / inertia);
    if (ratio < 1) {
      ASSERT_EQ(a.modes.size(), 1u);
      EXPECT_NEAR(a.modes[0].damping_ratio(), ratio, 1e-13 * ratio + 1e-22);
      EXPECT_NEAR(a.modes[0].omega(), omega * std::sqrt(1 - ratio * ratio), 1e-12);
    } else {
      ASSERT_EQ(a.modes.size(), 2u);
      EXPECT_EQ(a.modes[1].motion, Motion::decaying);
      EXPECT_NEAR(a.modes[0].growth() * a.modes[1].growth(), omega * omega, 1e-10);
      EXPECT_NEAR(a.modes[0].growth() + a.modes[1].growth(), -2 * ratio * omega, 1e-11);
    }
  }
}

// Seen from the falling frame nothing acts; the joint only takes the relative motion.
TEST(Modes, falling_chain_is_free) {
  Body first = rod(0.3, 1);
  first.free = true;
  System s(Tree({first, rod(0.3, 1, 0, 0.3)}), down);
  const ModalAnalysis a = analyse_modes(s, {0, 0, 0.4, 1.1});
  EXPECT_TRUE(a.at.falls);
  EXPECT_TRUE(a.at.is_equilibrium);
  EXPECT_EQ(a.count(Motion::free), 4);
  EXPECT_THAT(find_equilibrium(s, {0, 0, 0.4, 1.1}).reason, HasSubstr("\"rod1\" is free and falls"));

  s.set_joint(1, {0.01, 0, 0, {}});
  const ModalAnalysis damped = analyse_modes(s, {0, 0, 0.4, 1.1});
  EXPECT_EQ(damped.count(Motion::free), 3);
  ASSERT_EQ(damped.count(Motion::decaying), 1);
  // Turning as one body is free, about the mass centre.
  const VectorXd& turn = damped.modes[2].shape;
  EXPECT_NEAR(turn[2], turn[3], 1e-9);
}

TEST(Modes, nothing_that_moves) {
  const System s(Tree(std::vector<Body>{}), down);
  EXPECT_TRUE(analyse_modes(s, {}).modes.empty());
  EXPECT_TRUE(find_equilibrium(s, {}).found);
}

// ---- one beam ---------------------------------------------------------------------------------------------------

// cos λ cosh λ = 1, λ near (k + ½)π.
TEST(Modes, free_beam) {
  const System s = alone(beam_body(make_mode_basis(Support::free, data, 12), true), down);
  const ModalAnalysis a = analyse_modes(s, std::vector<double>(15));
  ASSERT_EQ(a.modes.size(), 15u);
  EXPECT_EQ(a.count(Motion::free), 3);
  const double unit = std::sqrt(data.rigidity / data.mass_per_length) / (data.length * data.length);
  for (int k = 1; k <= 12; ++k) {
    const double middle = (k + 0.5) * std::numbers::pi;
    const double lambda =
        root_between([](double x) { return std::cos(x) - 1 / std::cosh(x); }, middle - 0.5, middle + 0.5);
    const NaturalMode& m = a.modes[k + 2];
    EXPECT_NEAR(m.omega() / (lambda * lambda * unit), 1, 1e-10) << k;
    EXPECT_EQ(mode_kind(s.tree(), m), "bends beam");
    EXPECT_NEAR(m.kinetic[0].bending, 1, 1e-9);
    EXPECT_EQ(m.dominant, k + 2);
  }
  // The free motions are those a person would name.
  EXPECT_EQ(a.modes[0].shape[0], 1);
  EXPECT_EQ(a.modes[0].shape.tail(14).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(a.modes[1].shape[1], 1);
  EXPECT_NEAR(a.modes[2].shape[2] * data.length / 2, -1, 1e-12);  // its start goes to the right
}

// tan λ = tanh λ. The same beam in a clamped frame has the turning in other coordinates.
TEST(Modes, pinned_beam_in_two_frames) {
  const double unit = std::sqrt(data.rigidity / data.mass_per_length) / (data.length * data.length);
  const ModalAnalysis pinned =
      analyse_modes(alone(beam_body(make_mode_basis(Support::pinned, data, 6))), std::vector<double>(7));
  const ModalAnalysis clamped =
      analyse_modes(alone(beam_body(make_mode_basis(Support::clamped, data, 50))), std::vector<double>(51));
  EXPECT_EQ(pinned.count(Motion::free), 1);
  EXPECT_EQ(clamped.count(Motion::free), 1);
  for (int k = 1; k <= 6; ++k) {
    const double middle = (k + 0.25) * std::numbers::pi;
    const double lambda = root_between([](double x) { return std::sin(x) - std::cos(x) * std::tanh(x); },
                                       middle - 0.5, middle + 0.5);
    EXPECT_NEAR(pinned.modes[k].omega() / (lambda * lambda * unit), 1, 1e-12) << k;
    EXPECT_NEAR(clamped.modes[k].omega() / (lambda * lambda * unit), 1, 3e-3) << k;  // falls as 1/n
    // What bends does not depend on the frame.
    EXPECT_NEAR(clamped.modes[k].kinetic[0].bending, pinned.modes[k].kinetic[0].bending, 0.02) << k;
    EXPECT_NEAR(clamped.modes[k].kinetic[0].rotation, pinned.modes[k].kinetic[0].rotation, 0.02) << k;
  }
}

TEST(Modes, damping_of_every_shape_is_recovered) {
  ElasticBeam beam(make_mode_basis(Support::free, data, 4), -data.length / 2);
  beam.set_damping_ratios({0.01, 0.2, 1e-6, 0.9});
  Body b = beam_body(beam.basis(), true);
  b.beam = std::make_shared<ElasticBeam>(beam);
  const ModalAnalysis a = analyse_modes(alone(b), std::vector<double>(7));
  ASSERT_EQ(a.modes.size(), 7u);
  for (int k = 0; k < 4; ++k) {
    const double ratio = std::vector{0.01, 0.2, 1e-6, 0.9}[k];
    EXPECT_NEAR(a.modes[3 + k].damping_ratio(), ratio, 1e-11 * ratio) << k;
    EXPECT_NEAR(a.modes[3 + k].natural_frequency() / beam.frequency(k), 1, 1e-12) << k;
  }
}

// ---- hub and beam -----------------------------------------------------------------------------------------------

constexpr double hub_radius = 0.05, hub_inertia = 0.02;

// A hub of inertia J about the pin, with the beam clamped to it at r.
System hub_and_beam(const BeamBasis& basis) {
  const double m = data.mass_per_length * data.length, at = hub_radius + data.length / 2;
  Body b;
  b.name = "arm";
  b.mass = m + 1;  // the mass of the hub is at the pin and does not count
  b.center = {m * at / b.mass, 0};
  b.inertia = hub_inertia + m * (data.length * data.length / 12 + at * at) - b.mass * b.center.s * b.center.s;
  b.beam = std::make_shared<ElasticBeam>(basis, hub_radius);
  return alone(b);
}

// y = a cos βx + b sin βx + c cosh βx + d sinh βx over the beam, with y(0) = rθ, y'(0) = θ, y''(L) = y'''(L) = 0 and
// the balance of the hub, from the stationarity of T − V:  ω²Jθ + EI y''(0) − EI r y'''(0) = 0,  ω² = EI β⁴/ρA.
double hub_determinant(double lambda) {
  const double beta = lambda / data.length, r = hub_radius;
  const double s = std::sin(lambda), c = std::cos(lambda), damp = std::exp(-lambda);
  const double ch = std::cosh(lambda) * damp, sh = std::sinh(lambda) * damp;
  const double j = hub_inertia / data.mass_per_length * std::pow(beta, 2);
  Eigen::Matrix<double, 5, 5> m;
  m << 1, 0, 1, 0, -r,                  //
      0, beta, 0, beta, -1,             //
      -c * damp, -s * damp, ch, sh, 0,  //
      s * damp, -c * damp, sh, ch, 0,   //
      -1, r * beta, 1, -r * beta, j;
  return m.determinant() / damp;
}

std::vector<double> hub_frequencies(int count) {
  std::vector<double> out;
  const double unit = std::sqrt(data.rigidity / data.mass_per_length) / (data.length * data.length);
  double last = 0.2;
  for (double x = last; static_cast<int>(out.size()) < count; last = x, x += 0.02)
    if (hub_determinant(last) * hub_determinant(x) < 0)
      out.push_back(std::pow(root_between(hub_determinant, last, x), 2) * unit);
  return out;
}

TEST(Modes, hub_with_clamped_beam_against_its_exact_equation) {
  const std::vector<double> exact = hub_frequencies(4);
  const auto error = [&](const BeamBasis& basis, int k) {
    const ModalAnalysis a = analyse_modes(hub_and_beam(basis), std::vector<double>(basis.size() + 1));
    EXPECT_EQ(a.count(Motion::free), 1);
    return a.modes[k + 1].omega() / exact[k] - 1;
  };
  for (int k = 0; k < 4; ++k) {
    SCOPED_TRACE(k);
    // From above, with the third power of the number of modes or better (the slope at the hub is exact).
    const double few = error(make_mode_basis(Support::clamped, data, 12), k);
    const double many = error(make_mode_basis(Support::clamped, data, 48), k);
    EXPECT_GT(few, 0);
    EXPECT_GT(many, 0);
    EXPECT_LT(many, few / 40);
    EXPECT_LT(many, 1e-4);
    // Elements converge with the fourth power, here with a fixed number of them.
    EXPECT_LT(std::abs(error(make_element_basis(Support::clamped, data, 60), k)), 1e-6);
  }
}

// Stiffnesses from 10 N m to 10¹³ N/m: the swing keeps its digits.
TEST(Modes, soft_swing_beside_very_stiff_bending) {
  BeamData stiff = data;
  stiff.rigidity = 1e9;
  for (const BeamBasis& basis :
       {make_mode_basis(Support::clamped, stiff, 50), make_element_basis(Support::clamped, stiff, 60)}) {
    const ModalAnalysis a =
        analyse_modes(alone(beam_body(basis), down), std::vector<double>(basis.size() + 1));
    // A rigid rod, up to (ω₁/ω_bending)².
    EXPECT_NEAR(a.modes[0].omega() / std::sqrt(1.5 * g / data.length), 1, 2e-8);
    EXPECT_EQ(a.count(Motion::oscillating), basis.size() + 1);
    EXPECT_EQ(mode_kind(Tree({beam_body(basis)}), a.modes[0]), "rigid");
  }
}

// ---- beam and link against finite elements -------------------------------------------------------------------------

// Deflections y of the whole beam from the vertical and the turning φ of the link at its tip. The frame of the body is
// tangent at the pin, θ = y'(0), and deflections do not shorten the beam, so that gravity has the potential
// ρA g (θ∫y dx − L²θ²/4) + m g (θ y_L − Lθ²/2) + m g l φ²/4.
struct ElementModel {
  MatrixXd mass, stiffness;

  ElementModel(int elements, double link_length, double link_mass) {
    const int n = 2 * (elements + 1) + 1, phi = n - 1, tip = n - 3;
    const double h = data.length / elements, ra = data.mass_per_length, ei = data.rigidity;
    mass.setZero(n, n), stiffness.setZero(n, n);
    Eigen::Matrix4d m, k;
    m << 156, 22 * h, 54, -13 * h, 22 * h, 4 * h * h, 13 * h, -3 * h * h, 54, 13 * h, 156, -22 * h, -13 * h,
        -3 * h * h, -22 * h, 4 * h * h;
    k << 12, 6 * h, -12, 6 * h, 6 * h, 4 * h * h, -6 * h, 2 * h * h, -12, -6 * h, 12, -6 * h, 6 * h,
        2 * h * h, -6 * h, 4 * h * h;
    VectorXd area = VectorXd::Zero(n), theta = VectorXd::Zero(n), end = VectorXd::Zero(n);
    for (int e = 0; e < elements; ++e) {
      mass.block(2 * e, 2 * e, 4, 4) += ra * h / 420 * m;
      stiffness.block(2 * e, 2 * e, 4, 4) += ei / (h * h * h) * k;
      area.segment(2 * e, 4) += Eigen::Vector4d(h / 2, h * h / 12, h / 2, -h * h / 12);
    }
    theta[1] = 1, end[tip] = 1;
    const double l = data.length, m2 = link_mass, c = link_length / 2;
    mass(tip, tip) += m2, mass(tip, phi) += m2 * c, mass(phi, tip) += m2 * c;
    mass(phi, phi) += m2 * link_length * link_length / 3;
    const auto couple = [&](const VectorXd& a, const VectorXd& b, double x) {
      stiffness += x * (a * b.transpose() + b * a.transpose());
    };
    couple(theta, area, ra * g), couple(theta, theta, -ra * g * l * l / 4);
    couple(theta, end, m2 * g), couple(theta, theta, -m2 * g * l / 2);
    stiffness(phi, phi) += m2 * g * c;
    mass = mass.bottomRightCorner(n - 1, n - 1).eval();  // y(0) = 0
    stiffness = stiffness.bottomRightCorner(n - 1, n - 1).eval();
  }
};

TEST(Modes, beam_with_a_link_at_its_tip_against_finite_elements) {
  const double length = 0.35, mass = 0.6;
  const ElementModel model(16, length, mass);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(model.stiffness, model.mass);
  const auto modes_of = [&](const BeamBasis& basis) {
    const System s(Tree({beam_body(basis), rod(length, mass, 0, data.length)}), down);
    return omegas(analyse_modes(s, std::vector<double>(basis.size() + 2)));
  };
  const std::vector<double> elements = modes_of(make_element_basis(Support::clamped, data, 16));
  const std::vector<double> modes = modes_of(make_mode_basis(Support::clamped, data, 40));
  ASSERT_EQ(static_cast<Eigen::Index>(elements.size()), eigen.eigenvalues().size());
  for (std::size_t k = 0; k < 12; ++k) {
    const double expected = std::sqrt(eigen.eigenvalues()[static_cast<Eigen::Index>(k)]);
    // The same shapes in other coordinates. The dense solver here has an error of ε λ_max in λ.
    EXPECT_NEAR(elements[k] / expected, 1,
                1e-9 + 1e-15 * eigen.eigenvalues().tail(1)[0] / (expected * expected))
        << k;
    if (k < 5) {
      EXPECT_NEAR(modes[k] / expected, 1, 2e-3) << k;  // the load at the tip: 1/n³
    }
  }
}

// ---- the linearisation itself -----------------------------------------------------------------------------------------

// A beam with links at its tip and in between, everything damped.
System branched() {
  Body arm = beam_body(make_mode_basis(Support::clamped, {0.8, 0.5, 20, 0.1, 0.002}, 3));
  arm.mass += 0.1;
  arm.center.s = (0.4 * 0.4 + 0.1 * 0.8) / arm.mass;
  arm.inertia = 0.4 * 0.64 / 3 + 0.1 * 0.64 + 0.002 - arm.mass * arm.center.s * arm.center.s;
  auto beam = std::make_shared<ElasticBeam>(*arm.beam);
  beam->set_damping_ratios({0.02});
  arm.beam = beam;
  Body second = rod(0.3, 0.2, 0, 0.8), third = rod(0.2, 0.3, 0, 0.5);
  third.attach.n = 0.05;
  System s(Tree({arm, second, third}), {1.5, 9.6});
  for (int i = 0; i < 3; ++i) s.set_joint(i, {0.01 * (i + 1), 0, 0, {}});
  return s;
}

TEST(Modes, forces_and_mass_are_those_of_the_system) {
  const System s = branched();
  const int n = s.dof_count();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> y(s.state_size(), 0.0), rate(s.state_size());
    for (int i = 0; i < n; ++i) y[i] = s.tree().is_angle(i) ? 3 * unit(random) : 0.02 * unit(random);
    Work<double> work;
    s.prepare(work);
    s.evaluate(0, y.data(), s.make_mode(), work, rate.data());
    const Linearisation a = linearise(s, {y.begin(), y.begin() + n});
    const VectorXd force = a.mass * Eigen::Map<const VectorXd>(rate.data() + n, n);
    EXPECT_LT((force - a.force).norm(), 1e-11 * a.force.norm());
    // ½ vᵀMv is the kinetic energy.
    VectorXd v(n);
    for (int i = 0; i < n; ++i) v[i] = unit(random);
    Frames<double> frames;
    frames.resize(s.tree());
    s.tree().kinematics(y.data(), v.data(), frames);
    EXPECT_NEAR(0.5 * v.dot(a.mass * v) / s.tree().kinetic_energy(frames), 1, 1e-12);
  }
}

TEST(Modes, stiffness_and_damping_are_derivatives) {
  const System s = branched();
  const int n = s.dof_count();
  const std::vector<double> q = {0.4, 0.01, -0.02, 0.005, -0.7, 1.9};
  const Linearisation a = linearise(s, q);
  for (int j = 0; j < n; ++j) {
    std::vector<double> more = q, less = q;
    more[j] += 1e-5, less[j] -= 1e-5;
    const VectorXd slope = (linearise(s, less).force - linearise(s, more).force) / 2e-5;
    EXPECT_LT((slope - a.stiffness.col(j)).norm(), 1e-8 * a.stiffness.norm()) << j;
  }
  // vᵀCv is the power lost in the joints and in the beam.
  const VectorXd v = VectorXd::LinSpaced(n, -1, 2);
  std::vector<double> y(s.state_size(), 0.0), rate(s.state_size());
  std::copy(q.begin(), q.end(), y.begin());
  std::copy(v.begin(), v.end(), y.begin() + n);
  Work<double> work;
  s.prepare(work);
  s.evaluate(0, y.data(), s.make_mode(), work, rate.data());
  double lost = 0;
  for (Channel c : {channel_of<JointDamping>(), channel_of<BeamStrain>()})
    lost -= work.power[static_cast<int>(c)];
  EXPECT_NEAR(v.dot(a.damping * v) / lost, 1, 1e-12);
}

// Every root satisfies (s²M + sC + K)x = 0; with C coupled there is no other way to know.
TEST(Modes, coupled_damping_solves_the_quadratic_problem) {
  const System s = branched();
  const Equilibrium e = find_equilibrium(s, std::vector<double>(6));
  ASSERT_TRUE(e.found) << e.reason;
  const ModalAnalysis a = analyse_modes(s, e.q);
  EXPECT_TRUE(a.at.is_equilibrium);
  EXPECT_EQ(a.count(Motion::growing), 0);
  int roots = 0;
  for (const NaturalMode& m : a.modes) {
    roots += m.motion == Motion::oscillating ? 2 : 1;
    const Eigen::MatrixXcd t = m.root * m.root * a.at.mass.cast<std::complex<double>>()
                             + m.root * a.at.damping.cast<std::complex<double>>() + a.at.stiffness;
    const Eigen::JacobiSVD<Eigen::MatrixXcd> svd(t);
    EXPECT_LT(svd.singularValues()[5], 1e-12 * svd.singularValues()[0]) << m.root;
    double sum = 0;
    for (const NaturalMode::Kinetic& k : m.kinetic) sum += k.sum();
    EXPECT_NEAR(sum, 1, 1e-9);
  }
  EXPECT_EQ(roots, 12);
}

TEST(Modes, equilibrium_has_the_lowest_energy_around) {
  const System s = branched();
  const Equilibrium e = find_equilibrium(s, {2.5, 0, 0, 0, -2, 1});
  ASSERT_TRUE(e.found) << e.reason;
  const Linearisation a = linearise(s, e.q);
  EXPECT_LT(a.force.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(a.stiffness).eigenvalues()[0], 0);
}

// ---- scenarios ------------------------------------------------------------------------------------------------------

TEST(Modes, every_library_scenario) {
  for (const LibraryEntry& entry : list_library()) {
    SCOPED_TRACE(entry.name);
    const Scenario s = load_scenario(entry.path);
    const ModalAnalysis a = analyse_modes(*s.system, s.q, make_outline(s.system->tree(), s.parts));
    EXPECT_GE(static_cast<int>(a.modes.size()),
              s.system->dof_count() - static_cast<int>(s.system->constraints().size()));
    for (const NaturalMode& m : a.modes) EXPECT_TRUE(m.shape.allFinite());
    EXPECT_THAT(make_modes_text(s, a, {}), HasSubstr("Natural modes about the initial pose"));
    EXPECT_TRUE(nlohmann::json::accept(make_modes_json(s, a)));
    const std::string svg = make_modes_svg(s, a);
    EXPECT_THAT(svg, ::testing::StartsWith("<svg "));
    EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
    const ModalAnalysis again = analyse_modes(*s.system, s.q, make_outline(s.system->tree(), s.parts));
    EXPECT_EQ(make_modes_json(s, a), make_modes_json(s, again));
  }
}

TEST(Modes, what_is_left_out) {
  EXPECT_THAT(list_left_out(*load_scenario("air_pendulum").system), ElementsAre("air drag"));
  EXPECT_THAT(list_left_out(*load_scenario("biped_drop").system),
              ElementsAre("sand", "dry friction in joints"));
}

}  // namespace
}  // namespace thud
