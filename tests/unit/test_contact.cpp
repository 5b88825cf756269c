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

// Neither a sideways speed, nor spin, nor where the floor is matters to a smooth ball.
TEST(Bounce, end_of_the_series_whatever_else_moves) {
  struct Case {
    double z, vx, spin, e, height, accuracy;
  };
  // Far from the origin positions are rounded: √(ε z/g) of an instant each.
  for (const Case& c : {Case{0, 3, 0, 0.97, 0.1, 1e-9}, Case{0, 0, 1000, 0.9, 0.001, 1e-9},
                        Case{0, 1.5, 0, 0.999, 1.21e-4, 1e-7}, Case{10, 0, 0, 0.97, 0.1, 5e-8},
                        Case{1e5, 0, 0, 0.5, 0.1, 1e-5}}) {
    System system(Tree({disc("ball", 1, 0.1)}), {0, gravity});
    system.add_wall(floor_at(c.z));
    system.add_contact(against(0, {"ball", 0, {}, 0.1}, rough(0, c.e)));
    const double t1 = std::sqrt(2 * c.height / gravity), end = t1 * (1 + c.e) / (1 - c.e);
    Solver solver(system);
    SolverOptions options;
    options.time_limit = 1.1 * end;
    const Outcome out = solver.run({0, c.z - 0.1 - c.height, 0}, {c.vx, 0, c.spin}, {}, options);
    const std::vector<double> settled = times(out, EventKind::settle);
    ASSERT_EQ(settled.size(), 1u) << c.z << " " << c.vx << " " << out.message;
    EXPECT_NEAR(settled[0], end, c.accuracy) << c.z << " " << c.vx;
    EXPECT_LT(out.impact_count, 20'000);
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

// A disc that fits between two vertical walls falls freely, however rough they are: nothing presses it against them.
TEST(Lasting, walls_that_nothing_pushes_against) {
  System system(Tree({disc("ball", 1, 0.1)}), {0, gravity});
  system.add_wall({"left", Plane::make({-0.1, 0}, pi / 2)});
  system.add_wall({"right", Plane::make({0.1, 0}, -pi / 2)});
  for (int wall : {0, 1}) system.add_contact(against(wall, {"ball", 0, {}, 0.1}, rough(1e4, 0)));
  const Outcome out = play(system, {0, 0, 0}, {0, 1, 0}, 0.5);
  EXPECT_NEAR(out.state[4], 1 + 0.5 * gravity, 1e-12);
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
  EXPECT_EQ(out.mode.of<ContactForce>()[0].touch, Touch::closed);
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
  leaves.what.quantity = Quantity::element;
  leaves.what.element = switch_of<ContactForce>(0, 0);  // its gap
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
  for (const auto& c : work.of<ContactForce>()) EXPECT_GT(c.gap, -1e-10);
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

// What lands flat stays level: contacts that approach alike lead together.
TEST(Rest, a_block_that_lands_flat_stays_level) {
  for (double e : {0.5, 0.9})
    for (double mu : {0.0, 0.3}) {
      Scene s = rocking_block(0.1, 0.2, 0, e, mu, 0);
      s.q[1] -= 0.2;
      const Outcome out = play(*s.system, s.q, s.v, 60);
      EXPECT_EQ(out.reason, StopReason::rest);
      EXPECT_NEAR(out.state[2], 0, 1e-9);
      EXPECT_NEAR(out.state[0], 0, 1e-9);
    }
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

// Numbers that overflow are told, not computed with.
TEST(Start, too_large) {
  const System system = ball_over_floor(0.5);
  Solver solver(system);
  const Outcome out = solver.run({0, -1.1, 0}, {0, 1e200, 0}, {}, {});
  EXPECT_EQ(out.reason, StopReason::failed);
  EXPECT_NE(out.message.find("too large"), std::string::npos);
}

// ---- Painlevé ----------------------------------------------------------------------------------------------------

// A slender rod slides on its tip. With γ = (1 + 3 sin²φ)/m and ε = 3 sin φ cos φ/m (φ from the vertical) there is no
// force where μ > γ/|ε|; least for tan φ = ½, where it is 4/3 (Painlevé 1895; Génot & Brogliato 1999).
Scene sliding_rod(double phi, double mu, double speed) {
  Scene out;
  const double l = 1;
  out.system = std::make_unique<System>(Tree({free_body("rod", 1, l * l / 12)}), Vec{0, gravity});
  const int floor = out.system->add_wall(floor_at(0));
  ContactLaw law = rough(mu, 0);
  law.painleve = Painleve::stop;
  out.system->add_contact(against(floor, {"tip", 0, {l / 2, 0}, 0}, law));
  out.q = {-l / 2 * std::sin(phi), -l / 2 * std::cos(phi), phi};
  out.v = {speed, 0, 0};
  return out;
}

TEST(Painleve, a_rod_without_an_answer_is_told) {
  const double worst = std::atan(0.5);
  for (double sense : {1.0, -1.0}) {
    // Leaning back against the motion: friction presses the tip into the floor.
    const Scene jammed = sliding_rod(sense * worst, 1.5, sense);
    Solver solver(*jammed.system);
    const Outcome out = solver.run(jammed.q, jammed.v, {}, {});
    EXPECT_EQ(out.reason, StopReason::painleve) << out.message;
    EXPECT_NE(out.message.find("Painleve configuration of tip@wall1"), std::string::npos);
    // Below 4/3, or sliding the other way, there is one.
    for (const auto& [mu, speed] : {std::pair{1.3, sense}, std::pair{1.5, -sense}}) {
      const Scene s = sliding_rod(sense * worst, mu, speed);
      Solver other(*s.system);
      SolverOptions options;
      options.time_limit = 0.01;
      const Outcome fine = other.run(s.q, s.v, {}, options);
      EXPECT_EQ(fine.reason, StopReason::time_limit) << fine.message;
    }
  }
}

// ---- compliant contacts -------------------------------------------------------------------------------------------

ContactLaw hertz(double stiffness, double friction = 0, double damping = 0) {
  ContactLaw law = rough(friction, 0);
  law.compliant = true;
  law.stiffness = stiffness;
  law.damping = damping;
  return law;
}

// Two bodies, reduced mass m*, closing with v: δ_max = (5/4 m* v²/k)^(2/5), duration 2.943275 δ_max/v (Hertz 1882;
// the constant is ∫ dx/√(1 − x^2.5) over a half, twice).
TEST(Compliant, duration_and_peak_of_hertz) {
  System system(Tree({disc("a", 1, 0.1), disc("b", 3, 0.1)}), {0, 0});
  const double k = 1e7, v = 2, m = 0.75;
  system.add_contact(between({"a", 0, {}, 0.1}, {"b", 1, {}, 0.1}, hertz(k)));
  const Outcome out = play(system, {-0.3, 0, 0, 0, 0, 0}, {v, 0, 0, 0, 0, 0}, 1);
  const double depth = std::pow(1.25 * m * v * v / k, 0.4);
  const std::vector<double> touch = times(out, EventKind::touch), lift = times(out, EventKind::lift);
  ASSERT_EQ(touch.size(), 1u);
  ASSERT_EQ(lift.size(), 1u);
  EXPECT_NEAR(touch[0], 0.05, 1e-12);
  EXPECT_NEAR((lift[0] - touch[0]) / (2.9432750 * depth / v), 1, 1e-6);
  EXPECT_NEAR(out.state[6], v * (1.0 - 3.0) / 4, 1e-8);  // elastic exchange
  EXPECT_NEAR(out.state[9], v * 2.0 / 4, 1e-8);
}

// Hunt & Crossley: the rebound of F = k δ^n (1 + d δ̇) solves d(v − v') + ln((1 + d v... )): u = d v, w = d v',
// u − ln(1 + u) = −w − ln(1 − w).
TEST(Compliant, rebound_of_hunt_and_crossley) {
  for (double d : {0.02, 0.2, 1.0}) {
    System system(Tree({disc("ball", 1, 0.1)}), {0, 0});
    const int floor = system.add_wall(floor_at(0));
    system.add_contact(against(floor, {"ball", 0, {}, 0.1}, hertz(1e6, 0, d)));
    const double v = 1.5;
    const Outcome out = play(system, {0, -0.2, 0}, {0, v, 0}, 1);
    const double u = d * v;
    double a = 0, b = 1;
    for (int i = 0; i < 200; ++i) {
      const double w = (a + b) / 2;
      (-w - std::log(1 - w) < u - std::log(1 + u) ? a : b) = w;
    }
    EXPECT_NEAR(-out.state[4], a / d, 1e-7) << d;
  }
}

// As k grows, a compliant bounce tends to the rigid one with e = 1: the time it lasts goes with k^(−2/5).
TEST(Compliant, stiff_bounces_tend_to_rigid_ones) {
  const Outcome rigid = play(ball_over_floor(1), {0, -1.1, 0}, {0, 0, 0}, 2);
  double last = 0;
  for (double k : {1e6, 1e8, 1e10}) {
    System system(Tree({disc("ball", 1, 0.1)}), {0, gravity});
    const int floor = system.add_wall(floor_at(0));
    system.add_contact(against(floor, {"ball", 0, {}, 0.1}, hertz(k)));
    const Outcome out = play(system, {0, -1.1, 0}, {0, 0, 0}, 2);
    const double apart = std::abs(out.state[1] - rigid.state[1]);
    if (last > 0) {
      EXPECT_NEAR(std::log10(last / apart), 0.8, 0.05);
    }
    last = apart;
  }
  EXPECT_LT(last, 1e-3);  // twice 2.94 δ_max/v at 4.4 m/s
}

// With friction too: an oblique impact of a ball that slips throughout is the same, and one that would stick is not:
// while it sticks, a disc on an elastic normal has nothing that gives back tangentially, so it rolls on.
TEST(Compliant, oblique_impacts_tend_to_rigid_ones) {
  for (double mu : {0.05, 0.8}) {
    const double v = 3, s = 1;
    System soft(Tree({disc("ball", 1, 0.1)}), {0, 0});
    soft.add_wall(floor_at(0));
    soft.add_contact(against(0, {"ball", 0, {}, 0.1}, hertz(1e9, mu)));
    System hard(Tree({disc("ball", 1, 0.1)}), {0, 0});
    hard.add_wall(floor_at(0));
    hard.add_contact(against(0, {"ball", 0, {}, 0.1}, rough(mu, 1)));
    const Outcome a = play(soft, {0, -0.11, 0}, {s, v, 0}, 0.05),
                  b = play(hard, {0, -0.11, 0}, {s, v, 0}, 0.05);
    for (int i = 3; i < 6; ++i)
      EXPECT_NEAR(a.state[i], b.state[i], 1e-6 * (i == 5 ? 10 : 1)) << mu << " " << i;
  }
}

// Three equal balls, the middle and the last at rest in contact. Rigid, one after the other with e = 1: the last leaves
// with everything. Compliant: the ratios of the velocities do not depend on the stiffness at all, and are others.
TEST(Compliant, three_balls_do_not_tend_to_the_rigid_answer) {
  std::vector<std::vector<double>> after;
  for (double k : {1e6, 1e9}) {
    System system(Tree({disc("a", 1, 0.1), disc("b", 1, 0.1), disc("c", 1, 0.1)}), {0, 0});
    system.add_contact(between({"b", 1, {}, 0.1}, {"a", 0, {}, 0.1}, hertz(k)));
    system.add_contact(between({"c", 2, {}, 0.1}, {"b", 1, {}, 0.1}, hertz(k)));
    const Outcome out = play(system, {-0.21, 0, 0, 0, 0, 0, 0.2, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0}, 0.2);
    after.push_back({out.state[9], out.state[12], out.state[15]});
  }
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(after[0][i], after[1][i], 1e-6);
  // First ball thrown back, as Hinch & Saint-Jean 1999 find for Hertz contacts: −0.0710, 0.0766, 0.9944 to four digits
  // for three balls (their chain of three).
  EXPECT_LT(after[0][0], -0.05);
  EXPECT_GT(after[0][2], 0.98);
  EXPECT_LT(after[0][2], 0.999);
  EXPECT_NEAR(after[0][0] + after[0][1] + after[0][2], 1, 1e-9);
}

// ---- pendulum ----------------------------------------------------------------------------------------------------

TEST(Pendulum, ten_collisions_of_the_rough_obstacle) {
  const auto system = rough_obstacle(rough(0.2, 0.9, RestitutionLaw::poisson));
  const std::vector<double> q{130 * pi / 180, pi / 2}, v{0.6, 0.5};
  const Outcome out = play(*system, q, v, 5.4, {}, 1e-12);
  EXPECT_NEAR(out.energy.initial, 12.58366, 5e-6);
  EXPECT_LT(std::abs(out.energy.residual), 1e-10);  // nothing is lost between the impacts
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
