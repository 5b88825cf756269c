// Stops in joints and ropes: impacts, lasting contact, several at once, soft ones, and what is refused.
// Sources of truth: closed forms of one link and of falling masses; impulses from the full mass matrix of a double
// pendulum, written down here; the complementarity problem of two contacts by enumeration; the energy account.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double g = 9.81, pi = std::numbers::pi;

RunResult play(const std::string& text, const KnobSettings& set = {}) {
  RunRequest request;
  request.tolerance = 1e-12;
  return run(parse_scenario(text, "test.toml", set), request);
}
double final_of(const Scenario& s, const RunResult& r, const std::string& name) {
  for (std::size_t k = 0; k < s.observables.size(); ++k)
    if (s.observables[k].name == name) return r.final_values[k];
  ADD_FAILURE() << "there is no " << name;
  return 0;
}
double result(const RunResult& r, const std::string& name) {
  const ResultValue* v = r.find(name);
  if (!v || !v->value) {
    ADD_FAILURE() << name << " was not found: " << r.reason << " " << r.outcome.message;
    return 0;
  }
  return *v->value;
}
std::string refusal(const std::string& text) {
  try {
    (void)parse_scenario(text, "mine.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

// ---- one link -----------------------------------------------------------------------------------------------------------

const std::string rod = R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.6, diameter = "=1e-3*0.6", mass = 0.8, inertia = "slender" }
joint = "pin"
)";

// ω⁻ from energy: ½ I ω² = m g l/2 (cos φ − cos φ₀), I = m l²/3; then ω⁺ = −e ω⁻, and the impulse is I (1 + e) |ω⁻|.
TEST(Limit, throws_one_link_back_with_its_restitution) {
  const std::string text = rod + R"([initial]
"rod.angle" = "80 deg"
[[limit]]
joint = "rod"
min = "-10 deg"
max = "170 deg"
restitution = 0.4
[stop]
time = 1
[results]
before = "rod.rate before impact 1"
after = "rod.rate after impact 1"
impulse = "impulse of rod.min at impact 1"
[solver]
tolerance = 1e-12
)";
  const RunResult r = play(text);
  const double l = 0.6, m = 0.8, inertia = m * l * l / 3;
  const double omega = -std::sqrt(m * g * l * (std::cos(10 * pi / 180) - std::cos(80 * pi / 180)) / inertia);
  EXPECT_NEAR(result(r, "before"), omega, 1e-10);
  EXPECT_NEAR(result(r, "after"), -0.4 * omega, 1e-10);
  EXPECT_NEAR(result(r, "impulse"), -inertia * 1.4 * omega, 1e-10);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-9);
}

// Between two stops until it lies on the lower one: held there by the moment of its weight, m g l/2 sin φ.
TEST(Limit, comes_to_rest_at_the_lower_stop_with_its_reaction) {
  const std::string text = rod + R"([initial]
"rod.angle" = "70 deg"
"rod.rate" = 2
[[limit]]
name = "stops"
joint = "rod"
min = "25 deg"
max = "75 deg"
restitution = 0.5
[stop]
time = 20
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  EXPECT_EQ(r.outcome.reason, StopReason::rest);
  EXPECT_GT(r.outcome.impact_count, 5);
  const double angle = 25 * pi / 180;
  EXPECT_NEAR(final_of(s, r, "rod.angle"), angle, 1e-12);
  EXPECT_NEAR(final_of(s, r, "stops.min.moment"), 0.8 * g * 0.3 * std::sin(angle), 1e-9);
  EXPECT_NEAR(final_of(s, r, "stops.max.gap"), 50 * pi / 180, 1e-12);
  EXPECT_EQ(final_of(s, r, "stops.max.moment"), 0);
  EXPECT_NEAR(final_of(s, r, "rod.joint.torque"), 0.8 * g * 0.3 * std::sin(angle), 1e-9);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// A torque lifts it off the stop where it has grown to the moment of the weight: at t = m g l/2 sin φ / 2.
TEST(Limit, is_left_when_its_reaction_vanishes) {
  const std::string text = R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.6, diameter = "=1e-3*0.6", mass = 0.8, inertia = "slender" }
joint = { kind = "pin", torque = "=2*t" }
[initial]
"rod.angle" = "30 deg"
[[limit]]
joint = "rod"
min = "30 deg"
[stop]
time = 1
[results]
lift = "time of lift 1"
)";
  EXPECT_NEAR(result(play(text), "lift"), 0.8 * g * 0.3 * 0.5 / 2, 1e-10);
}

// The same sizes in a slider: a falling carriage, v = √(2 g h), and it bounces until it lies on the stop.
TEST(Limit, of_a_slider_is_a_floor) {
  const std::string text = R"([[body]]
name = "car"
shape = { kind = "sphere", mass = 3, diameter = 0.1 }
joint = { kind = "slider", direction = "vertical" }
[[limit]]
joint = "car"
max = "200 mm"
restitution = 0.6
[stop]
time = 10
[results]
before = "car.travel.rate before impact 1"
after = "car.travel.rate after impact 1"
settles = "time of settle 1"
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  const double v = std::sqrt(2 * g * 0.2);
  EXPECT_NEAR(result(r, "before"), v, 1e-10);
  EXPECT_NEAR(result(r, "after"), -0.6 * v, 1e-10);
  EXPECT_NEAR(result(r, "settles"), v / g * (1 + 2 * 0.6 / (1 - 0.6)), 1e-9);
  EXPECT_NEAR(final_of(s, r, "car.max.force"), 3 * g, 1e-9);
  EXPECT_EQ(r.outcome.reason, StopReason::rest);
}

// However small or large the mechanism is.
TEST(Limit, knows_no_size) {
  for (const double size : {1e-4, 1.0, 1e3}) {
    const std::string text = R"([parameters]
size = 1
[[body]]
name = "rod"
shape = { kind = "cylinder", length = "=size", diameter = "=1e-3*size", mass = "=size^3", inertia = "slender" }
joint = "pin"
[initial]
"rod.angle" = "70 deg"
[[limit]]
joint = "rod"
min = "20 deg"
restitution = 0.3
[stop]
time = "=sqrt(size)*60"
)";
    const KnobSettings set = {{"size", std::to_string(size)}};
    const Scenario s = parse_scenario(text, "test.toml", set);
    const RunResult r = play(text, set);
    EXPECT_EQ(r.outcome.reason, StopReason::rest) << size << r.outcome.message;
    EXPECT_NEAR(final_of(s, r, "rod.angle"), 20 * pi / 180, 1e-9) << size;
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8) << size;
  }
}

// ---- chains -------------------------------------------------------------------------------------------------------------

// Mass matrix of a double pendulum of rods, in absolute angles a, b from the vertical.
Eigen::Matrix2d pendulum_mass(double m1, double l1, double m2, double l2, double a, double b) {
  Eigen::Matrix2d mass;
  const double mixed = m2 * l1 * l2 / 2 * std::cos(a - b);
  mass << m1 * l1 * l1 / 3 + m2 * l1 * l1, mixed, mixed, m2 * l2 * l2 / 3;
  return mass;
}

const std::string leg_with = R"([[body]]
name = "thigh"
shape = { kind = "cylinder", length = 0.4, diameter = "=1e-3*0.4", mass = 2, inertia = "slender" }
joint = "pin"
[[body]]
name = "shank"
shape = { kind = "cylinder", length = 0.5, diameter = "=1e-3*0.5", mass = 1.1, inertia = "slender" }
joint = { to = "thigh", at = "tip"INERTIA }
)";
std::string leg_of(const std::string& inertia) {
  std::string out = leg_with;
  return out.replace(out.find("INERTIA"), 7, inertia);
}
const std::string leg = leg_of("");

// Newton's law for the relative rate: J M⁻¹ Jᵀ p = −(1 + e) J v, J = (−1, 1). A gear in the knee adds its inertia G Jᵀ J.
TEST(Limit, in_a_knee_gives_the_impulse_of_the_full_mass_matrix) {
  for (const double gear : {0.0, 0.3}) {
    const std::string text = R"([parameters]
gear = 0
)" + leg_of(", inertia = \"=gear\"")
                           + R"([initial]
"thigh.angle" = "20 deg"
"shank.angle" = "-30 deg"
"thigh.rate" = -1
"shank.rate" = 3
[[limit]]
joint = "shank"
max = 0
restitution = 0.35
[stop]
time = 1
[results]
a = "thigh.angle before impact 1"
b = "shank.angle before impact 1"
va = "thigh.rate before impact 1"
vb = "shank.rate before impact 1"
wa = "thigh.rate after impact 1"
wb = "shank.rate after impact 1"
p = "impulse of shank.max at impact 1"
)";
    const RunResult r = play(text, {{"gear", std::to_string(gear)}});
    EXPECT_NEAR(result(r, "a"), result(r, "b"), 1e-12);
    const Eigen::Vector2d before(result(r, "va"), result(r, "vb")), row(-1, 1);
    const Eigen::Matrix2d mass =
        pendulum_mass(2, 0.4, 1.1, 0.5, result(r, "a"), result(r, "b")) + gear * row * row.transpose();
    const Eigen::Vector2d applied = mass.inverse() * row;
    const double p = -1.35 * row.dot(before) / row.dot(applied);
    const Eigen::Vector2d after = before + applied * p;
    EXPECT_NEAR(result(r, "wa"), after[0], 1e-11);
    EXPECT_NEAR(result(r, "wb"), after[1], 1e-11);
    EXPECT_NEAR(result(r, "p"), -p, 1e-11);  // away from the stop
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-9);
  }
}

// A straight leg falls on its foot with the knee at its stop: both contacts at once, plastic. The impulses solve
//   0 ≤ p ⊥ J v + W p ≥ 0,
// of whose four cases the one without contradiction is taken here.
TEST(Limit, strikes_together_with_a_floor) {
  const std::string text = R"([[body]]
name = "thigh"
shape = { kind = "cylinder", length = 0.4, diameter = "=1e-3*0.4", mass = 2, inertia = "slender" }
joint = { kind = "slider", direction = "vertical", angle = "40 deg" }
[[body]]
name = "shank"
shape = { kind = "cylinder", length = 0.5, diameter = "=1e-3*0.5", mass = 1.1, inertia = "slender" }
joint = { to = "thigh", at = "tip" }
[[limit]]
joint = "shank"
min = "-60 deg"
[[wall]]
name = "floor"
at = [0, 1]
touches = ["shank.tip"]
restitution = 0
friction = 0
[initial]
"thigh.travel.rate" = 2
"shank.angle" = "-20 deg"
"shank.rate" = -1
[stop]
time = 1
[results]
t = "time of impact 1"
n = "count of impacts"
)";
  Scenario s = parse_scenario(text, "test.toml");
  // Put the hip so that the foot is on the floor with the knee at its stop.
  const double a = 40 * pi / 180, b = -20 * pi / 180, foot = 0.4 * std::cos(a) + 0.5 * std::cos(b);
  s.q[0] = 1 - foot;
  const RunResult r = run(s, {});
  ASSERT_FALSE(r.outcome.impacts.empty()) << r.outcome.message;
  const ImpactRecord& first = r.outcome.impacts.front();
  ASSERT_EQ(first.contacts.size(), 2u);
  EXPECT_LT(first.time, 1e-9);
  // Coordinates: travel of the hip, angle of the shank. The thigh does not turn.
  const double m2 = 1.1, l2 = 0.5, total = 2 + m2;
  Eigen::Matrix2d mass;
  mass << total, -m2 * l2 / 2 * std::sin(b), -m2 * l2 / 2 * std::sin(b), m2 * l2 * l2 / 3;
  Eigen::Matrix2d rows;  // gap rates: of the stop, and of the floor below the foot
  rows << 0, 1, -1, l2 * std::sin(b);
  const Eigen::Vector2d v(2, -1), gap_rate = rows * v;
  const Eigen::Matrix2d w = rows * mass.inverse() * rows.transpose();
  Eigen::Vector2d p = Eigen::Vector2d::Zero();
  int found = 0;
  for (int active = 0; active < 4; ++active) {
    Eigen::Vector2d x = Eigen::Vector2d::Zero();
    if (active == 3) x = -w.inverse() * gap_rate;
    if (active == 1) x[0] = -gap_rate[0] / w(0, 0);
    if (active == 2) x[1] = -gap_rate[1] / w(1, 1);
    const Eigen::Vector2d after = gap_rate + w * x;
    if (x.minCoeff() < -1e-12 || after.minCoeff() < -1e-12) continue;
    p = x, ++found;
  }
  ASSERT_EQ(found, 1);
  const Eigen::Vector2d after = v + mass.inverse() * rows.transpose() * p;
  const Scenario& c = s;
  const bool stop_first = c.system->contacts()[first.contacts[0]].wall == facing::stop;
  EXPECT_NEAR(first.result.impulse[stop_first ? 1 : 3], p[0], 1e-9);
  EXPECT_NEAR(first.result.impulse[stop_first ? 3 : 1], p[1], 1e-9);
  EXPECT_NEAR(first.energy_after, 0.5 * after.dot(mass * after), 1e-9);
}

// ---- ropes --------------------------------------------------------------------------------------------------------------

const std::string ball = R"([[body]]
name = "ball"
shape = { kind = "sphere", mass = 2, diameter = 0.1 }
joint = "free"
[points]
middle = { body = "ball", s = 0 }
)";

// It falls √(2 g h) fast into the rope, back with e of it, and hangs in the end.
TEST(Rope, catches_a_falling_mass) {
  const std::string text = ball + R"([[rope]]
name = "line"
from = [0, 0]
to = "middle"
length = 0.5
restitution = 0.3
[initial]
"ball.z" = 0.1
[stop]
time = 10
[results]
before = "ball.vz before impact 1"
after = "ball.vz after impact 1"
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  const double v = std::sqrt(2 * g * 0.4);
  EXPECT_NEAR(result(r, "before"), v, 1e-10);
  EXPECT_NEAR(result(r, "after"), -0.3 * v, 1e-10);
  EXPECT_EQ(r.outcome.reason, StopReason::rest);
  EXPECT_NEAR(final_of(s, r, "ball.z"), 0.5, 1e-12);
  EXPECT_NEAR(final_of(s, r, "line.tension"), 2 * g, 1e-9);
  EXPECT_NEAR(final_of(s, r, "line.slack"), 0, 1e-12);
}

// Taut, it is a pendulum: N = m g cos φ + m v²/L, v² = 2 g L (cos φ − cos φ₀).
TEST(Rope, holds_a_pendulum) {
  const std::string text = ball + R"([[rope]]
name = "line"
from = [0, 0]
to = "middle"
length = 0.5
[initial]
"ball.x" = "=sin(deg(60))*0.5"
"ball.z" = "=cos(deg(60))*0.5"
[stop]
when = "ball.x falls through 0"
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  EXPECT_NEAR(final_of(s, r, "ball.vx"), -std::sqrt(2 * g * 0.5 * 0.5), 1e-9);
  EXPECT_NEAR(final_of(s, r, "line.tension"), 2 * g * (1 + 2 * 0.5), 1e-8);
  EXPECT_LT(std::abs(final_of(s, r, "line.slack")), 1e-11);
}

// Two balls on a rope in weightlessness: momentum is kept, and they part with e of their speed.
TEST(Rope, between_two_bodies_keeps_momentum) {
  const std::string text = R"(gravity = 0
[[body]]
name = "a"
shape = { kind = "sphere", mass = 1, diameter = 0.1 }
joint = "free"
[[body]]
name = "b"
shape = { kind = "sphere", mass = 3, diameter = 0.1 }
joint = "free"
[points]
pa = { body = "a", s = 0 }
pb = { body = "b", s = 0 }
[[rope]]
from = "pa"
to = "pb"
length = 1
restitution = 0.5
[initial]
"b.x" = 0.5
"b.vx" = 2
[stop]
time = 0.5
[results]
a = "a.vx after impact 1"
b = "b.vx after impact 1"
)";
  const RunResult r = play(text);
  EXPECT_NEAR(result(r, "a") + 3 * result(r, "b"), 6, 1e-12);
  EXPECT_NEAR(result(r, "a") - result(r, "b"), 0.5 * 2, 1e-12);
}

// ---- soft limits --------------------------------------------------------------------------------------------------------

// Weightless, into a stop of stiffness k: it stays for half a period, goes in by ω √(I/k), and comes out as fast.
TEST(SoftLimit, gives_back_what_it_takes) {
  const std::string text = "gravity = 0\n" + rod + R"([initial]
"rod.angle" = 0.2
"rod.rate" = -3
[[limit]]
joint = "rod"
min = 0
stiffness = 50
[stop]
time = 1
[results]
deepest = "min rod.angle"
touch = "time of touch 1"
lift = "time of lift 1"
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  const double inertia = 0.8 * 0.36 / 3, omega = std::sqrt(50 / inertia);
  EXPECT_NEAR(result(r, "touch"), 0.2 / 3, 1e-11);
  EXPECT_NEAR(result(r, "lift"), 0.2 / 3 + pi / omega, 1e-10);
  EXPECT_NEAR(result(r, "deepest"), -3 / omega, 1e-9);
  EXPECT_NEAR(final_of(s, r, "rod.rate"), 3, 1e-9);
}

// Damped: x = −v/ω_d e^{−δt} sin ω_d t until its force vanishes, where tan(ω_d t) = −2 δ ω_d/(ω² − 2δ²). Beyond that it
// would pull.
TEST(SoftLimit, damped_lets_go_where_it_would_pull) {
  const std::string text = "gravity = 0\n" + rod + R"([initial]
"rod.angle" = 0.2
"rod.rate" = -3
[[limit]]
joint = "rod"
min = 0
stiffness = 50
damping = 0.6
[stop]
time = 1
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  const double inertia = 0.8 * 0.36 / 3, square = 50 / inertia, delta = 0.6 / inertia / 2;
  const double damped = std::sqrt(square - delta * delta);
  const double t = (pi - std::atan2(2 * delta * damped, square - 2 * delta * delta)) / damped;
  const double rate =
      3 * std::exp(-delta * t) * (std::cos(damped * t) - delta / damped * std::sin(damped * t));
  EXPECT_NEAR(final_of(s, r, "rod.rate"), -rate, 1e-9);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// ---- bad input ----------------------------------------------------------------------------------------------------------

TEST(Limit, refuses_what_makes_no_sense) {
  const auto with = [](const std::string& keys) { return refusal(leg + "[[limit]]\n" + keys); };
  EXPECT_THAT(with("joint = \"shank\"\n"),
              AllOf(HasSubstr("mine.toml:9:"), HasSubstr("give min, max or both")));
  EXPECT_THAT(with("joint = \"shank\"\nmin = 1\nmax = \"10 deg\"\n"), HasSubstr("min must be less than max"));
  EXPECT_THAT(with("joint = \"shnak\"\nmin = 1\n"), AllOf(HasSubstr("mine.toml:10:"), HasSubstr("shank")));
  EXPECT_THAT(with("joint = \"shank\"\nmin = \"1 m\"\n"), HasSubstr("angle"));
  EXPECT_THAT(with("joint = \"shank\"\nmin = -1\nrestitution = 1.5\n"), HasSubstr("1.5"));
  EXPECT_THAT(with("joint = \"shank\"\nmin = -1\nrestitution = 0.5\nstiffness = 3\n"), HasSubstr("soft"));
  EXPECT_THAT(with("joint = \"shank\"\nmin = -1\ndamping = 3\n"), HasSubstr("stiffness"));
  EXPECT_THAT(
      with("joint = \"shank\"\nmin = \"10 deg\"\n"),
      AllOf(HasSubstr("mine.toml:9:"), HasSubstr("is 0 deg, below its limit \"shank.min\" of 10 deg")));
  EXPECT_THAT(with("joint = \"shank\"\nmin = -1\n[[limit]]\njoint = \"shank\"\nmin = -2\n"),
              HasSubstr("shank.min"));
  EXPECT_THAT(with("joint = \"shank\"\nmin = -1\nstifness = 2\n"), HasSubstr("stiffness"));
  EXPECT_THAT(refusal(ball + "[[limit]]\njoint = \"ball\"\nmin = 0\n"), HasSubstr("is free"));
  EXPECT_THAT(refusal(leg + R"([[body]]
name = "toe"
shape = { kind = "cylinder", length = 0.1, diameter = "=1e-3*0.1", mass = 1, inertia = "slender" }
joint = { kind = "weld", to = "shank", at = "tip" }
[[limit]]
joint = "toe"
min = 0
)"),
              HasSubstr("welded"));
}

TEST(Rope, refuses_what_makes_no_sense) {
  const auto with = [](const std::string& keys) { return refusal(ball + "[[rope]]\n" + keys); };
  EXPECT_THAT(with("from = [0, 0]\nto = [1, 0]\nlength = 2\n"), HasSubstr("point of one"));
  EXPECT_THAT(with("from = \"middle\"\nto = \"ball.tip\"\nlength = 2\n"), HasSubstr("same body"));
  EXPECT_THAT(with("from = [0, 0]\nto = \"midle\"\nlength = 2\n"), HasSubstr("middle"));
  EXPECT_THAT(with("from = [0, 1]\nto = \"middle\"\nlength = 0.5\n"),
              AllOf(HasSubstr("mine.toml"), HasSubstr("1 m apart, more than its length of 0.5 m")));
  EXPECT_THAT(with("from = [0, 0]\nto = \"middle\"\nlength = 0\n"), HasSubstr("length"));
}

}  // namespace
}  // namespace thud
