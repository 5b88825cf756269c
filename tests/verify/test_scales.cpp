// Nothing in the engine is small or large by itself: the same scenario in other units of length, mass and time is the same
// run. Factors that are powers of two change no rounding, so even hundreds of bounces must agree.
// Sources of truth: similarity (lengths L, masses M, times T); closed forms of single motions far from everyday sizes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "thud/model.hpp"

namespace thud {
namespace {

// Quantities are written with L, M and T.
const std::string units = R"toml([parameters]
L = { value = 1, range = [1e-30, 1e30] }
M = { value = 1, range = [1e-30, 1e30] }
T = { value = 1, range = [1e-30, 1e30] }
)toml";

struct Case {
  const char* name;
  const char* text;
};

const Case cases[] = {
    {"bouncing_ball", R"toml([[body]]
name = "ball"
shape = { kind = "sphere", diameter = "=0.0625*L", mass = "=0.1*M" }
joint = "free"
[contact]
law = "poisson"
restitution = 0.75
friction = 0.3
[[wall]]
name = "floor"
slope = 0.1
[initial]
"ball.angle" = 0
"ball.x" = 0
"ball.z" = "=-L"
"ball.vx" = "=0.5*L/T"
"ball.rate" = "=3/T"
[stop]
when = "rest"
time = "=2*T"
)toml"},
    {"block_drop", R"toml([define]
b = "=0.05*L"
h = "=1.028115*b"
tilt = "=-asin(0.045*L/(2*b))"
[[body]]
name = "block"
shape = { kind = "block", length = "=2*h", width = "=2*b", mass = "=2.5*M" }
joint = "free"
[contact]
correlation = 0.01
friction = 0.2
[[wall]]
name = "left"
at = ["=-b", 0]
touches = ["block.corner4"]
restitution = 0.43
[[wall]]
name = "right"
at = ["=b", 0]
touches = ["block.corner3"]
restitution = 0.64
[initial]
"block.angle" = "=tilt"
"block.x" = "=b - b*cos(tilt) - h*sin(tilt)"
"block.z" = "=-h*cos(tilt) - b*abs(sin(tilt))"
[stop]
when = "rest"
time = "=5*T"
)toml"},
    {"rocking_block", R"toml([[body]]
name = "block"
shape = { kind = "block", length = "=0.25*L", width = "=0.1*L", mass = "=5*M" }
joint = "free"
[contact]
restitution = 0.1
friction = 0.8
correlation = 0.05
[[wall]]
name = "floor"
[initial]
"block.angle" = "8 deg"
"block.corner4.x" = "=-0.05*L"
"block.corner4.z" = 0
[stop]
when = "rest"
time = "=20*T"
)toml"},
    {"discs_in_v", R"toml([[body]]
repeat = 3
name = "disc{i}"
shape = { kind = "disc", diameter = "=0.05*L", thickness = "=0.02*L", density = "=2700*M/L^3" }
joint = "free"
[contact]
restitution = 0.3
friction = 0.3
[[wall]]
name = "left"
slope = "=pi/4"
[[wall]]
name = "right"
slope = "=-pi/4"
[[pair]]
bodies = ["disc1", "disc2", "disc3"]
[initial]
repeat = 3
"disc{i}.angle" = 0
"disc{i}.x" = "=L*0.005*(i == 1 ? 1 : i == 2 ? -1 : 0)"
"disc{i}.z" = "=L*(-0.15 - 0.2*i)"
[stop]
when = "rest"
time = "=10*T"
)toml"},
    {"cradle", R"toml([define]
d = "=0.025*L"
[[body]]
repeat = 4
name = "ball{i}"
shape = { kind = "sphere", diameter = "=d", mass = "=0.0625*M", at = "=0.15*L" }
joint = { kind = "pin", at = ["=d*(i-1)", 0] }
[contact]
restitution = 0.9
correlation = 0.02
[[pair]]
repeat = 3
bodies = ["ball{i}", "ball{i+1}"]
[initial]
repeat = 4
"ball{i}.angle" = "=i <= 1 ? -20*pi/180 : 0"
[stop]
time = "=2*T"
)toml"},
    {"three_balls", R"toml([[body]]
name = "ball1"
shape = { kind = "sphere", diameter = "=0.1*L", mass = "=0.46*M" }
joint = "free"
[[body]]
name = "ball2"
shape = { kind = "sphere", diameter = "=0.1*L", mass = "=2.6*M" }
joint = "free"
[[body]]
name = "ball3"
shape = { kind = "sphere", diameter = "=0.1*L", mass = "=0.97*M" }
joint = "free"
[contact]
restitution = 0.9
correlation = 0.02
[[pair]]
repeat = 2
bodies = ["ball{i}", "ball{i+1}"]
[initial]
repeat = 3
"ball{i}.angle" = 0
"ball{i}.x" = "=0.1*L*(i-2)"
"ball{i}.z" = 0
"ball1.vx" = "=L/T"
"ball2.vx" = "=0.54*L/T"
"ball3.vx" = 0
[stop]
time = "=0.05*T"
)toml"},
    {"falling_rod", R"toml([[body]]
name = "rod"
shape = { kind = "cylinder", length = "=0.5*L", diameter = "=0.01*L", mass = "=0.3*M", inertia = "slender" }
joint = "free"
[contact]
restitution = 0.5
friction = 0.3
[[wall]]
name = "floor"
[initial]
"rod.angle" = "30 deg"
"rod.tip.x" = 0
"rod.tip.z" = "=-0.1*L"
"rod.tip.vx" = "=0.3*L/T"
"rod.tip.vz" = "=L/T"
"rod.rate" = "=1/T"
[stop]
when = "rest"
time = "=5*T"
)toml"},
    {"hertz_ball", R"toml([[body]]
name = "ball"
shape = { kind = "sphere", diameter = "=0.0625*L", mass = "=0.1*M" }
joint = "free"
[contact]
model = "hertz"
stiffness = "=1e6*M/T^2/sqrt(L)"
damping = "=0.1*T/L"
friction = 0.3
[[wall]]
name = "floor"
slope = 0.1
[initial]
"ball.angle" = 0
"ball.x" = 0
"ball.z" = "=-0.1*L"
"ball.vx" = "=0.5*L/T"
"ball.rate" = "=3/T"
[stop]
time = "=0.6*T"
)toml"},
    {"double_pendulum_on_floor", R"toml([[body]]
name = "upper"
shape = { kind = "cylinder", length = "=0.5*L", diameter = "=0.03125*L", mass = "=0.5*M" }
joint = { kind = "pin", friction = "=0.01*M*L^2/T^2" }
[[body]]
name = "lower"
shape = { kind = "cylinder", length = "=0.5*L", diameter = "=0.03125*L", mass = "=0.5*M" }
joint = { to = "upper", at = "tip", friction = "=0.01*M*L^2/T^2", damping = "=0.01*M*L^2/T" }
[contact]
restitution = 0.5
friction = 0.4
[[wall]]
name = "floor"
at = [0, "=0.85*L"]
[initial]
"upper.angle" = 1
"lower.angle" = -0.5
"upper.rate" = "=1/T"
"lower.rate" = 0
[stop]
when = "rest"
time = "=20*T"
)toml"},
};

std::string file(const Case& c) {
  const bool weightless = std::string(c.name) == "three_balls";
  return fmt::format("gravity = {}\n", weightless ? "0" : "\"=9.8125*L/T^2\"") + units + c.text;
}

Result run_in(const Case& c, double L, double M, double T) {
  Model model = parse(file(c), "case.toml");
  model.set("L", L).set("M", M).set("T", T);
  return model.run();
}

void expect_same(const Result& base, const Result& r, double L, double M, double T) {
  EXPECT_EQ(r.stop(), base.stop());
  const auto &a = base.events(), &b = r.events();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(b[i].kind, a[i].kind) << "event " << i;
    ASSERT_EQ(b[i].subject, a[i].subject) << "event " << i;
    ASSERT_EQ(b[i].after, a[i].after) << "event " << i;
    ASSERT_NEAR(b[i].time / T, a[i].time, 1e-9) << "event " << i;
  }
  const auto &hits = base.impacts(), &scaled = r.impacts();
  ASSERT_EQ(hits.size(), scaled.size());
  double speed = 0, impulse = 0;
  for (const ImpactInfo& hit : hits) {
    for (const double v : hit.velocity_before) speed = std::max(speed, std::abs(v));
    for (const double p : hit.impulse) impulse = std::max(impulse, std::abs(p));
  }
  for (std::size_t i = 0; i < hits.size(); ++i) {
    ASSERT_EQ(scaled[i].contacts, hits[i].contacts);
    for (std::size_t k = 0; k < hits[i].impulse.size(); ++k) {
      ASSERT_NEAR(scaled[i].impulse[k] * T / (M * L), hits[i].impulse[k], 1e-9 * impulse) << "impact " << i;
      ASSERT_NEAR(scaled[i].velocity_after[k] * T / L, hits[i].velocity_after[k], 1e-9 * speed)
          << "impact " << i;
    }
  }
}

class Similarity : public testing::TestWithParam<Case> {};

TEST_P(Similarity, runs_do_not_depend_on_the_units) {
  const Result base = run_in(GetParam(), 1, 1, 1);
  ASSERT_GE(base.events().size(), 1u);
  const double k = 1024;  // micrometres are 2^-20 m, kilometres 2^10 m; under 9e-18 m/s² for the slowest
  const double factors[][3] = {{1 / (k * k), 1, 1},
                               {k, 1, 1},
                               {k * k * k, 1, 1},
                               {1, 1 / (k * k * k * k), 1},
                               {1, k * k * k * k, 1},
                               {1, 1, 4 * k},
                               {1, 1, 1 / (4 * k)},
                               {1, 1, k * k * k},
                               {1 / (k * k), 1 / (k * k * k * k * k * k), 1 / k},
                               {1 / (k * k), 1 / (k * k * k * k * k * k), 32},
                               {k, k * k * k, 32 * k}};
  for (const auto& [L, M, T] : factors) {
    SCOPED_TRACE(fmt::format("L {:g} M {:g} T {:g}", L, M, T));
    expect_same(base, run_in(GetParam(), L, M, T), L, M, T);
  }
}
INSTANTIATE_TEST_SUITE_P(Contacts, Similarity, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case>& it) { return std::string(it.param.name); });

// ---- closed forms far from everyday sizes ----

struct Drop {
  double gravity, height, radius, mass;
};

// Falls from `height` and bounces with e: √(2h/g) (1 + e)/(1 − e) until it rests.
TEST(Extremes, ball_comes_to_rest_when_it_must) {
  for (const Drop& d :
       {Drop{1e-6, 1, 0.1, 1}, Drop{1e-6, 1e-6, 1e-6, 1e-15}, Drop{9.81, 1e-6, 1e-6, 1e-15},
        Drop{9.81, 1e4, 1e3, 1e13}, Drop{274, 1e-9, 1e-9, 1e-24}, Drop{1e-12, 1e3, 1e3, 1e13}}) {
    SCOPED_TRACE(fmt::format("g {} h {} r {} m {}", d.gravity, d.height, d.radius, d.mass));
    const double e = 0.5, rest = std::sqrt(2 * d.height / d.gravity) * (1 + e) / (1 - e);
    const Result r = parse(fmt::format(R"toml(gravity = {}
[[body]]
name = "ball"
shape = {{ kind = "sphere", diameter = {}, mass = {} }}
joint = "free"
[[wall]]
name = "floor"
restitution = {}
[initial]
"ball.angle" = 0
"ball.x" = 0
"ball.z" = {:.17g}
[stop]
when = "rest"
time = {}
[results]
rest = "time at end"
)toml",
                                       d.gravity, 2 * d.radius, d.mass, e, -d.height - d.radius, 3 * rest),
                           "ball.toml")
                         .run();
    EXPECT_EQ(r.stop(), "rest");
    EXPECT_NEAR(r["rest"] / rest, 1, 1e-9);
  }
}

// A nanometre a second, and less.
TEST(Extremes, slow_strikes_are_impacts) {
  for (const double v : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15}) {
    SCOPED_TRACE(v);
    const Result r = parse(fmt::format(R"toml(gravity = 0
[[body]]
name = "ball"
shape = {{ kind = "sphere", diameter = 0.1, mass = 1 }}
joint = "free"
[[wall]]
name = "floor"
restitution = 0.6
[initial]
"ball.angle" = 0
"ball.x" = 0
"ball.z" = -0.1
"ball.vx" = {0}
"ball.vz" = {0}
[stop]
time = {1}
[results]
t = "time of impact 1"
v = "ball.vz at end"
)toml",
                                       v, 0.1 / v),
                           "slow.toml")
                         .run();
    EXPECT_NEAR(r["t"] * v, 0.05, 1e-10);
    EXPECT_NEAR(r["v"] / v, -0.6, 1e-12);
    EXPECT_EQ(r.impacts().size(), 1u);
  }
}

// Balls of m1 and m2 one after the other: conservation and restitution.
TEST(Extremes, masses_apart_by_1e12_collide) {
  for (const double ratio : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    SCOPED_TRACE(ratio);
    const double e = 0.5;
    const Result r = parse(fmt::format(R"toml(gravity = 0
[[body]]
name = "one"
shape = {{ kind = "sphere", diameter = 0.1, mass = {} }}
joint = "free"
[[body]]
name = "two"
shape = {{ kind = "sphere", diameter = 0.1, mass = 1 }}
joint = "free"
[contact]
restitution = {}
friction = 0.2
[[pair]]
bodies = ["one", "two"]
[initial]
"one.angle" = 0
"one.x" = -0.2
"one.z" = 0
"one.vx" = 1
"two.angle" = 0
"two.x" = 0
"two.z" = 0
[stop]
time = 0.2
[results]
one = "one.vx at end"
two = "two.vx at end"
)toml",
                                       ratio, e),
                           "two.toml")
                         .run();
    EXPECT_NEAR(r["one"], (ratio - e) / (1 + ratio), 1e-12);
    EXPECT_NEAR(r["two"], (1 + e) * ratio / (1 + ratio), 1e-12);
  }
}

// One ball lies on the other on the floor: N = m g above and (m + M) g below. A heavy one on a light one is a question of
// another kind: J M⁻¹ Jᵀ is singular to their ratio, and the force is known to 1e-11 of it, here and in any other units.
TEST(Extremes, light_bodies_lie_on_heavy_ones) {
  for (const auto& [lower, upper] : {std::pair{1.0, 1e-12}, {1.0, 1e-6}, {1.0, 1.0}, {1.0, 100.0}}) {
    SCOPED_TRACE(fmt::format("{} below {}", lower, upper));
    const Result r = parse(fmt::format(R"toml(gravity = 10
[[body]]
name = "lower"
shape = {{ kind = "sphere", diameter = 0.1, mass = {} }}
joint = "free"
[[body]]
name = "upper"
shape = {{ kind = "sphere", diameter = 0.1, mass = {} }}
joint = "free"
[contact]
friction = 0.2
[[wall]]
name = "floor"
bodies = ["lower"]
[[pair]]
bodies = ["upper", "lower"]
[initial]
"lower.angle" = 0
"lower.x" = 0
"lower.z" = -0.05
"upper.angle" = 0
"upper.x" = 0
"upper.z" = -0.15
[stop]
time = 0.01
[results]
below = "lower@floor.force at end"
above = "upper@lower.force at end"
)toml",
                                       lower, upper),
                           "pile.toml")
                         .run();
    // The ridge of 1e-12 beside rows that are raised to 1e-3 of the largest, in two rows.
    EXPECT_NEAR(r["above"] / (10 * upper), 1, 2e-9);
    EXPECT_NEAR(r["below"] / (10 * (upper + lower)), 1, 2e-9);
  }
}

// A ball is pulled up with 2 m g t beside one that is heavier by far: it leaves the floor at t = 1/2 s, not later.
TEST(Extremes, light_bodies_lift_beside_heavy_ones) {
  for (const double heavy : {1.0, 1e6, 1e9}) {
    SCOPED_TRACE(heavy);
    const Result r = parse(fmt::format(R"toml(gravity = 10
[[body]]
name = "light"
shape = {{ kind = "sphere", diameter = 0.1, mass = 1 }}
joint = "free"
[[body]]
name = "stone"
shape = {{ kind = "sphere", diameter = 0.1, mass = {} }}
joint = "free"
[[wall]]
name = "floor"
friction = 0.2
[points]
hook = {{ body = "light", s = 0 }}
[[force]]
name = "pull"
at = "hook"
z = "=-20*t"
[initial]
"light.angle" = 0
"light.x" = 0
"light.z" = -0.05
"stone.angle" = 0
"stone.x" = 1
"stone.z" = -0.05
[stop]
time = 0.6
)toml",
                                       heavy),
                           "lift.toml")
                         .run();
    double lift = 0;
    for (const EventInfo& e : r.events())
      if (e.kind == "lift") lift = e.time;
    EXPECT_NEAR(lift, 0.5, 1e-9);
  }
}

}  // namespace
}  // namespace thud
