// Contacts in the event-driven solver. Sources of truth: closed forms of elementary mechanics, and the converged
// values of errata.md for the double pendulum. Times of events are good to 1e-12 s and states to the tolerance.

#include <gtest/gtest.h>

#include "contact_systems.hpp"

namespace thud {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;

Outcome play(const System& system, std::vector<double> q, std::vector<double> v, double time,
             std::vector<Condition> conditions = {}, double tolerance = 1e-9) {
  Solver solver(system);
  SolverOptions options;
  options.time_limit = time;
  options.tolerance = tolerance;
  Outcome out = solver.run(q, v, conditions, options);
  EXPECT_NE(out.reason, StopReason::failed) << out.message;
  EXPECT_LT(std::abs(out.energy.residual), 1e-8);
  for (std::size_t i = 0; i < out.state.size(); ++i) EXPECT_TRUE(std::isfinite(out.state[i]));
  return out;
}

System ball_over_floor(double restitution, double friction = 0) {
  System system(Tree({disc("ball", 1, 0.1)}), {0, gravity});
  const int floor = system.add_wall(floor_at(0));
  system.add_contact(against(floor, {"ball", 0, {}, 0.1}, rough(friction, restitution)));
  return system;
}

// Falls h, bounces with e: impacts at t₁ (1 + 2e + 2e² + …), the series ends at t₁ (1 + e)/(1 − e).
TEST(Bounce, times_and_the_end_of_infinitely_many) {
  for (double e : {0.3, 0.5, 0.9}) {
    const double h = 1, t1 = std::sqrt(2 * h / gravity);
    const Outcome out = play(ball_over_floor(e), {0, -0.1 - h, 0}, {0, 0, 0}, 100);
    EXPECT_EQ(out.reason, StopReason::rest);
    const std::vector<double> impacts = times(out, EventKind::impact);
    ASSERT_GT(impacts.size(), 8u);
    double t = t1, flight = 2 * t1;
    for (std::size_t k = 0; k < impacts.size(); ++k) {
      EXPECT_NEAR(impacts[k], t, 1e-10) << e << " " << k;
      flight *= e;
      t += flight;
    }
    const std::vector<double> settled = times(out, EventKind::settle);
    ASSERT_EQ(settled.size(), 1u);
    EXPECT_NEAR(settled[0], t1 * (1 + e) / (1 - e), 1e-10);
    EXPECT_NEAR(out.time, settled[0], 1e-12);
    EXPECT_NEAR(out.state[1], -0.1, 1e-12);
  }
}

// Elastic bounces go on for ever, and lose nothing.
TEST(Bounce, elastic) {
  const Outcome out = play(ball_over_floor(1), {0, -1.1, 0}, {0, 0, 0}, 20);
  EXPECT_EQ(out.reason, StopReason::time_limit);
  const double t1 = std::sqrt(2 / gravity);
  const std::vector<double> impacts = times(out, EventKind::impact);
  ASSERT_EQ(impacts.size(), static_cast<std::size_t>((20 / t1 + 1) / 2));
  for (std::size_t k = 0; k < impacts.size(); ++k)
    EXPECT_NEAR(impacts[k], t1 * (1 + 2 * static_cast<double>(k)), 1e-9);
  EXPECT_NEAR(out.energy.final, out.energy.initial, 1e-9);
}

// A disc set down sliding: slides until v = ω r, at t = v₀/(3 μ g), then rolls with ⅔ v₀ (uniform disc).
TEST(Lasting, a_disc_slides_then_rolls) {
  const double mu = 0.2, v0 = 2;
  const Outcome out = play(ball_over_floor(0, mu), {0, -0.1, 0}, {v0, 0, 0}, 2);
  EXPECT_EQ(out.reason, StopReason::time_limit);
  const std::vector<double> stick = times(out, EventKind::stick);
  ASSERT_EQ(stick.size(), 1u);
  EXPECT_NEAR(stick[0], v0 / (3 * mu * gravity), 1e-10);
  EXPECT_NEAR(out.state[3], 2 * v0 / 3, 1e-9);
  EXPECT_NEAR(std::abs(out.state[5]) * 0.1, 2 * v0 / 3, 1e-9);
  EXPECT_NEAR(out.state[1], -0.1, 1e-12);
}

// On a slope φ a uniform disc rolls with a = ⅔ g sin φ when μ ≥ tan φ / 3, else it slides with g (sin φ − μ cos φ).
TEST(Lasting, a_disc_on_a_slope) {
  for (double mu : {0.5, 0.1}) {
    const double slope = 0.5, r = 0.1;
    System system(Tree({disc("ball", 2, r)}), {0, gravity});
    const int wall = system.add_wall(floor_at(0, slope));
    system.add_contact(against(wall, {"ball", 0, {}, r}, rough(mu, 0)));
    const Outcome out = play(system, {std::sin(slope) * r, -std::cos(slope) * r, 0}, {0, 0, 0}, 1);
    const double a = mu >= std::tan(slope) / 3 ? 2.0 / 3 * gravity * std::sin(slope)
                                               : gravity * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR(std::hypot(out.state[3], out.state[4]), a, 1e-9);
    EXPECT_NEAR(system.walls()[0].plane.depth(Vec{out.state[0], out.state[1]}), -r, 1e-12);
  }
}

// A block held by friction stays, with both corners.
TEST(Lasting, a_block_rests_on_two_corners) {
  System system(Tree({free_body("block", 3, 0.02)}), {0, gravity});
  const int floor = system.add_wall(floor_at(0));
  for (double n : {-0.2, 0.2})
    system.add_contact(against(floor, {"corner", 0, {0.1, n}, 0}, rough(0.5, 0.3)));
  const Outcome out = play(system, {0, -0.1, 0}, {0, 0, 0}, 1);
  EXPECT_EQ(out.reason, StopReason::rest);
  EXPECT_EQ(out.time, 0);
  EXPECT_EQ(out.mode.contact[0].touch, Touch::closed);
}

// A block that slides on two corners decelerates with μ g, and its load is on the leading corner: N = m g (½ ± μ h/2b).
TEST(Lasting, a_block_slides_to_rest_on_two_corners) {
  const double mu = 0.3, v0 = 1, b = 0.2, h = 0.1;
  System system(Tree({free_body("block", 3, 0.02)}), {0, gravity});
  const int floor = system.add_wall(floor_at(0));
  for (double n : {-b, b}) system.add_contact(against(floor, {"corner", 0, {h, n}, 0}, rough(mu, 0)));
  const Outcome out = play(system, {0, -h, 0}, {v0, 0, 0}, 2);
  EXPECT_EQ(out.reason, StopReason::rest);
  EXPECT_NEAR(out.time, v0 / (mu * gravity), 1e-10);
  EXPECT_NEAR(out.state[0], v0 * v0 / (2 * mu * gravity), 1e-10);
}

// A disc that rolls off the top of a fixed one leaves it where cos φ = 4/7 (uniform disc; v² = 4/3 g R (1 − cos φ)).
TEST(Lasting, a_disc_rolls_off_another) {
  const double R = 0.5, r = 0.1;
  Body anchor;
  anchor.name = "fixed";
  anchor.mass = 1e9;
  anchor.inertia = 1e9;
  System system(Tree({anchor, disc("ball", 1, r)}), {0, gravity});
  system.add_contact(between({"ball", 1, {}, r}, {"fixed", 0, {}, R}, rough(1e8, 0)));
  const double phi0 = 0.1, a = R + r;
  const Outcome out = play(system, {0, a * std::sin(phi0), -a * std::cos(phi0), 0}, {0, 0, 0, 0}, 1.2);
  const std::vector<double> lift = times(out, EventKind::lift);
  ASSERT_EQ(lift.size(), 1u);
  Condition leaves;
  leaves.what.quantity = Quantity::contact_gap;
  leaves.target = 1e-12;
  // Height at which it leaves: cos φ = (4/7) cos φ₀.
  Solver solver(system);
  SolverOptions options;
  options.time_limit = lift[0];
  const Outcome until =
      solver.run({0, a * std::sin(phi0), -a * std::cos(phi0), 0}, {0, 0, 0, 0}, {}, options);
  EXPECT_NEAR(-until.state[2] / a, 4.0 / 7 * std::cos(phi0), 1e-8);
}

struct Scene {
  std::unique_ptr<System> system;
  std::vector<double> q, v;
};

// Discs above a V of two walls, one above the other and a little to the side.
Scene discs_in_v(int count, double e, double mu, double alpha, double shift = 0.03) {
  Scene out;
  std::vector<Body> bodies;
  for (int i = 0; i < count; ++i)
    bodies.push_back(disc(("disc" + std::to_string(i + 1)).c_str(), 1 + 0.2 * i, 0.1));
  out.system = std::make_unique<System>(Tree(bodies), Vec{0, gravity});
  out.system->set_correlation(alpha);
  const int left = out.system->add_wall({"left", Plane::make({0, 0}, pi / 4)});
  const int right = out.system->add_wall({"right", Plane::make({0, 0}, -pi / 4)});
  for (int i = 0; i < count; ++i) {
    const Feature f{bodies[i].name, i, {}, 0.1};
    for (int wall : {left, right}) out.system->add_contact(against(wall, f, rough(mu, e)));
    for (int j = 0; j < i; ++j)
      out.system->add_contact(between(f, {bodies[j].name, j, {}, 0.1}, rough(mu, e)));
    out.q.insert(out.q.end(), {shift * (i % 2 ? 1 : -0.7), -0.5 - 0.6 * i, 0});
    out.v.insert(out.v.end(), {0, 0, 0});
  }
  return out;
}

void expect_no_overlap(const System& system, const Outcome& out) {
  Work<double> work;
  system.prepare(work);
  std::vector<double> slope(system.state_size());
  system.evaluate(out.time, out.state.data(), out.mode, work, slope.data());
  for (const auto& c : work.contact) EXPECT_GT(c.gap, -1e-10);
}

TEST(Rest, three_discs_in_a_v) {
  for (double e : {0.0, 0.3, 0.6})
    for (double mu : {0.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << "e " << e << " friction " << mu);
      const Scene s = discs_in_v(3, e, mu, 0.1);
      const Outcome out = play(*s.system, s.q, s.v, 60);
      EXPECT_EQ(out.reason, mu > 0 ? StopReason::rest : out.reason);
      for (const ImpactRecord& r : out.impacts) EXPECT_LE(r.energy_after, r.energy_before * (1 + 1e-12));
      expect_no_overlap(*s.system, out);
    }
}

// A block of half-width b and half-height h on a rough floor, tilted by `tilt` about its right corner.
Scene rocking_block(double b, double h, double tilt, double e, double mu, double alpha) {
  Scene out;
  const double m = 2.5;
  out.system =
      std::make_unique<System>(Tree({free_body("block", m, m * (b * b + h * h) / 3)}), Vec{0, gravity});
  out.system->set_correlation(alpha);
  const int floor = out.system->add_wall(floor_at(0));
  for (double n : {-b, b})
    out.system->add_contact(against(floor, {n < 0 ? "left" : "right", 0, {h, n}, 0}, rough(mu, e)));
  // u = (sin q, cos q) points down to the base: the corner (h, b) is at h u + b w.
  const double s = std::sin(tilt), c = std::cos(tilt);
  out.q = {b - (h * s + b * c), -(h * c - b * s), tilt};
  out.v = {0, 0, 0};
  return out;
}

TEST(Rest, a_block_rocks_to_rest) {
  for (double e : {0.0, 0.2, 0.5}) {
    SCOPED_TRACE(e);
    const Scene s = rocking_block(0.1, 0.4, -0.1, e, 0.8, 0);
    const Outcome out = play(*s.system, s.q, s.v, 60);
    EXPECT_EQ(out.reason, StopReason::rest);
    EXPECT_NEAR(out.state[2], 0, 1e-9);
    EXPECT_GT(out.impact_count, 4);
    expect_no_overlap(*s.system, out);
  }
}

TEST(Pendulum, ten_collisions_of_the_rough_obstacle) {
  const auto system = rough_obstacle(rough(0.2, 0.9, RestitutionLaw::poisson));
  const std::vector<double> q{130 * pi / 180, pi / 2}, v{0.6, 0.5};
  const Outcome out = play(*system, q, v, 5.4, {}, 1e-12);
  EXPECT_NEAR(out.energy.initial, 12.58366, 5e-6);
  const std::vector<double> t = times(out, EventKind::impact);
  ASSERT_EQ(t.size(), 10u);
  EXPECT_NEAR(t[0], 0.535693818924, 1e-9);
  EXPECT_NEAR(t[1], 1.301275916037, 1e-9);
  EXPECT_NEAR(t[2], 1.887706546074, 1e-9);
  const double after[] = {2.20371, -2.57946, -6.21199};
  double e = out.energy.initial;
  for (int k = 0; k < 3; ++k) {
    e += out.impacts[k].energy_after - out.impacts[k].energy_before;
    EXPECT_NEAR(e, after[k], 5e-6);
  }
}

TEST(Pendulum, goes_on_through_accumulation_into_lasting_contact) {
  const auto system = rough_obstacle(rough(0.2, 0.9, RestitutionLaw::poisson));
  const Outcome out = play(*system, {130 * pi / 180, pi / 2}, {0.6, 0.5}, 12);
  const std::vector<double> settle = times(out, EventKind::settle);
  ASSERT_GE(settle.size(), 1u);
  EXPECT_NEAR(settle[0], 6.493, 2e-3);
}

}  // namespace
}  // namespace thud
