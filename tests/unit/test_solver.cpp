// The event-driven solver, regime by regime.
// Sources of truth: closed-form motions, energy arguments, symmetries. Unless said otherwise a run has the default
// tolerance of 1e-9, whose error over a run stays below 1e-9 of the sizes involved (docs/theory/solver.md).

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "thud/event/solver.hpp"
#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;

struct Ran {
  Scenario scenario;
  RunResult result;

  double operator()(const std::string& name) const {
    const ResultValue* r = result.find(name);
    EXPECT_TRUE(r && r->value) << name;
    return r && r->value ? *r->value : std::nan("");
  }
  /// Times of the events of a kind, in order; of one piece or joint if `index` is given.
  std::vector<double> times(EventKind kind, int index = -1) const {
    std::vector<double> out;
    for (const Event& e : result.outcome.events)
      if (e.kind == kind && (index < 0 || e.which.index == index)) out.push_back(e.time);
    return out;
  }
  StopReason reason() const { return result.outcome.reason; }
};

Ran play(const std::string& text, const RunRequest& request = {}) {
  Ran out{parse_scenario(text, "test.toml"), {}};
  out.result = run(out.scenario, request);
  EXPECT_NE(out.reason(), StopReason::failed) << out.result.outcome.message;
  EXPECT_LT(std::abs(out.result.outcome.energy.residual), 1e-7);
  return out;
}

/// A root of f between a and b, by bisection to the last bit.
double root(const std::function<double(double)>& f, double a, double b) {
  const bool rising = f(b) > f(a);
  for (int k = 0; k < 200; ++k) {
    const double m = (a + b) / 2;
    ((f(m) > 0) == rising ? b : a) = m;
  }
  return (a + b) / 2;
}

std::string ball(const std::string& name, double mass, double diameter = 0.02) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nshape = {{ kind = \"sphere\", diameter = {}, mass = {} }}\njoint = "
      "\"free\"\n",
      name, diameter, mass);
}

std::string rotor(const std::string& name, double inertia, const std::string& joint) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nshape = {{ kind = \"given\", mass = 1, center = 0, inertia = {} }}\njoint = "
      "{{ {} }}\n",
      name, inertia, joint);
}

// --- without sand ------------------------------------------------------------------------------------------------

// z = v₀ t + g t²/2.
TEST(Flight, free_fall) {
  const Ran r = play(ball("a", 0.1) + ball("b", 2) + R"(
[initial]
"a.vz" = -3
"a.vx" = 1
"b.x" = 1
"b.vz" = 2
[stop]
time = 0.7
[results]
xa = "a.x at end"
za = "a.z at end"
zb = "b.z at end"
vb = "b.vz at end"
)");
  EXPECT_EQ(r.reason(), StopReason::time_limit);
  EXPECT_NEAR(r("xa"), 0.7, 1e-12);
  EXPECT_NEAR(r("za"), -3 * 0.7 + g * 0.245, 1e-12);
  EXPECT_NEAR(r("zb"), 2 * 0.7 + g * 0.245, 1e-12);
  EXPECT_NEAR(r("vb"), 2 + g * 0.7, 1e-12);
}

// m v̇ = m g − k v², k = ½ C_d ρ π d²/4: v = v_t tanh(g t/v_t), z = v_t²/g ln cosh(g t/v_t), v_t² = m g/k.
TEST(Flight, air_drag_tends_to_the_terminal_speed) {
  const Ran r = play(ball("a", 0.002, 0.05) + ball("b", 0.0005, 0.08) + R"(
[air]
drag_coefficient = 0.47
density = 1.2
[initial]
"b.x" = 1
[stop]
time = 1.5
[results]
va = "a.vz at end"
za = "a.z at end"
vb = "b.vz at end"
zb = "b.z at end"
)");
  for (const auto& [mass, d, v, z] :
       {std::tuple{0.002, 0.05, r("va"), r("za")}, {0.0005, 0.08, r("vb"), r("zb")}}) {
    const double terminal = std::sqrt(mass * g / (0.5 * 0.47 * 1.2 * pi / 4 * d * d));
    EXPECT_NEAR(v, terminal * std::tanh(g * 1.5 / terminal), 1e-9);
    EXPECT_NEAR(z, terminal * terminal / g * std::log(std::cosh(g * 1.5 / terminal)), 1e-9);
  }
}

// I ω̇ = −c ω; and two rotors with damping between them only: I₁ω₁ + I₂ω₂ stays, the difference decays with
// c(1/I₁ + 1/I₂).
TEST(Joints, damped_rotors) {
  const Ran one = play("gravity = 0\n" + rotor("r", 0.3, "kind = \"pin\", damping = 0.2") + R"(
[initial]
"r.rate" = 4
[stop]
time = 2
[results]
w = "r.rate at end"
q = "r.angle at end"
)");
  const double left = std::exp(-0.2 * 2 / 0.3);
  EXPECT_NEAR(one("w"), 4 * left, 1e-9);
  EXPECT_NEAR(one("q"), 4 * 0.3 / 0.2 * (1 - left), 1e-9);

  const Ran two = play("gravity = 0\n" + rotor("r", 0.3, "kind = \"pin\"")
                       + rotor("s", 0.1, "to = \"r\", at = 0, damping = 0.2") + R"(
[initial]
"r.rate" = 4
"s.rate" = -1
[stop]
time = 0.5
[results]
wr = "r.rate at end"
ws = "s.rate at end"
)");
  EXPECT_NEAR(0.3 * two("wr") + 0.1 * two("ws"), 0.3 * 4 - 0.1, 1e-9);
  EXPECT_NEAR(two("wr") - two("ws"), 5 * std::exp(-0.2 * (1 / 0.3 + 1 / 0.1) * 0.5), 1e-9);
}

// I q̈ = T cos ωt: q = T(1 − cos ωt)/(Iω²). The work supplied is the kinetic energy.
TEST(Joints, prescribed_torque) {
  const Ran r = play("gravity = 0\n" + rotor("r", 0.3, "kind = \"pin\", torque = \"=2*cos(5*t)\"")
                     + rotor("s", 0.2, "kind = \"pin\", at = [1, 0], torque = \"=-1*cos(3*t)\"") + R"(
[stop]
time = 1.7
[results]
q = "r.angle at end"
w = "r.rate at end"
p = "s.angle at end"
e = "energy.kinetic at end"
s = "energy.supplied.torque at end"
)");
  EXPECT_NEAR(r("q"), 2 / (0.3 * 25) * (1 - std::cos(5 * 1.7)), 1e-9);
  EXPECT_NEAR(r("w"), 2 / (0.3 * 5) * std::sin(5 * 1.7), 1e-9);
  EXPECT_NEAR(r("p"), -1 / (0.2 * 9) * (1 - std::cos(3 * 1.7)), 1e-9);
  EXPECT_NEAR(r("e"), r("s"), 1e-9);
}

// Energy argument: from one turning point to the next m g l Δ(cos q) = T |Δq|. It rests at the first turning point
// where the friction can hold the weight, m g l |sin q| ≤ T. Tolerance: some 30 half swings at 1e-11 each.
TEST(Joints, stick_pendulum_with_dry_friction) {
  const double mgl = 0.5 * g * 0.4, moment = 0.08;
  const Ran r = play(fmt::format(R"(
[[body]]
name = "p"
shape = {{ kind = "point", mass = 0.5, at = 0.4 }}
joint = {{ kind = "pin", friction = {} }}
[initial]
"p.angle" = 1.2
[stop]
when = "rest"
time = 60
[solver]
tolerance = 1e-11
[results]
q = "p.angle at end"
loss = "energy.loss.joint_friction at end"
)",
                                 moment));
  EXPECT_EQ(r.reason(), StopReason::rest);
  double q = 1.2, path = 0;
  int swings = 0;
  while (mgl * std::abs(std::sin(q)) > moment) {
    const double sign = q > 0 ? 1 : -1, from = std::abs(q);
    const double to =
        root([&](double a) { return mgl * (std::cos(a) - std::cos(from)) - moment * (from + a); },
             0 - std::min(0.05, from), from);
    path += from + to;
    q = -sign * to;
    ++swings;
  }
  ASSERT_GE(swings, 8);
  EXPECT_NEAR(r("q"), q, 1e-9);
  EXPECT_NEAR(r("loss"), moment * path, 1e-9);
  EXPECT_EQ(static_cast<int>(r.times(EventKind::reverse).size() + r.times(EventKind::stick).size()), swings);
}

// I q̈ = T cos ωt − F sign q̇ from rest with T > F: piecewise q̇ = (T/(Iω))(sin ωt − sin ωt₀) ∓ F(t − t₀)/I.
// At each zero the torque exceeds F, so the motion reverses without a stop.
TEST(Joints, reversal_without_a_stop) {
  const double inertia = 0.3, drive = 2, omega = 5, dry = 0.3;
  const Ran r = play("gravity = 0\n"
                     + rotor("r", inertia, "kind = \"pin\", friction = 0.3, torque = \"=2*cos(5*t)\"") + R"(
[stop]
time = 3
[results]
w = "r.rate at end"
)");
  double start = 0, sign = 1;
  std::vector<double> zeros;
  const auto rate = [&](double t) {
    return drive / (inertia * omega) * (std::sin(omega * t) - std::sin(omega * start))
         - sign * dry / inertia * (t - start);
  };
  for (;;) {
    double end = start + 1e-3;
    while (end < 3 && sign * rate(end) > 0) end += 1e-3;
    if (end >= 3) break;
    const double zero = root([&](double t) { return rate(t); }, end - 1e-3, end);
    ASSERT_GT(std::abs(drive * std::cos(omega * zero)), dry);
    zeros.push_back(zero);
    start = zero;
    sign = -sign;
  }
  ASSERT_GE(zeros.size(), 3u);
  const std::vector<double> found = r.times(EventKind::reverse);
  ASSERT_EQ(found.size(), zeros.size());
  for (std::size_t k = 0; k < zeros.size(); ++k) EXPECT_NEAR(found[k], zeros[k], 1e-9);
  EXPECT_NEAR(r("w"), rate(3), 1e-8);
  EXPECT_TRUE(r.times(EventKind::stick).empty());
}

// --- sand --------------------------------------------------------------------------------------------------------

// Two balls under the surface at rest: the resistance can carry both. Nothing moves, at once.
TEST(Sand, stick_at_rest_from_the_start) {
  const Ran r = play(ball("a", 0.03) + ball("b", 0.05) + R"(
[bed]
medium = "play-sand"
[initial]
"a.z" = 0.05
"b.x" = 1
"b.z" = 0.07
[results]
za = "a.z at end"
zb = "b.z at end"
)");
  EXPECT_EQ(r.reason(), StopReason::rest);
  EXPECT_EQ(r.result.outcome.time, 0);
  EXPECT_DOUBLE_EQ(r("za"), 0.05);
  EXPECT_DOUBLE_EQ(r("zb"), 0.07);
}

// On a slope β with a yield strong along the normal: held along the surface while F_t ≥ m g sin β, otherwise it slides
// with g sin β − F_t/m. One ball of each kind. Tolerance of what is held: the ridge of 1e-12 of the strongest switch
// (docs/theory/switches.md) is (6/1.2)² · 1e-12 of the weaker one: an acceleration of 25e-12 g, 1e-10 m in 0.6 s at most.
TEST(Sand, slip_and_stick_on_a_slope) {
  const double slope = 0.4, yield = 3, ratio = 0.2;
  const Ran r = play(ball("light", 0.1) + ball("heavy", 0.25)
                     + fmt::format(R"(
[bed]
law = "bingham"
F0 = {}
shear_ratio = {}
slope = {}
[initial]
"light.x" = 0
"light.depth" = 0.02
"heavy.x" = 1
"heavy.depth" = 0.03
[stop]
time = 0.6
[results]
xl = "light.x at end"
xh = "heavy.x at end"
dh = "heavy.depth at end"
vh = "heavy.v at end"
)",
                                   yield, ratio, slope));
  ASSERT_GT(ratio * yield, 0.1 * g * std::sin(slope));
  ASSERT_LT(ratio * yield, 0.25 * g * std::sin(slope));
  const double a = g * std::sin(slope) - ratio * yield / 0.25;
  EXPECT_NEAR(r("xl"), 0, 1e-10);
  EXPECT_NEAR(r("xh"), 1 + 0.5 * a * 0.36 * std::cos(slope), 1e-10);
  EXPECT_NEAR(r("dh"), 0.03, 1e-10);
  EXPECT_NEAR(r("vh"), a * 0.6, 1e-10);
}

// A constant yield F₀ stops a ball shot along the surface after v₀²/(2F/m), then it stays: slip, then stick.
TEST(Sand, slip_then_stick_along_the_surface) {
  const Ran r = play(ball("a", 0.1) + ball("b", 0.2) + R"(
[bed]
law = "bingham"
F0 = 4
shear_ratio = 0.5
[initial]
"a.z" = 0.02
"a.vx" = 1.5
"b.x" = 1
"b.z" = 0.02
"b.vx" = -0.8
[results]
xa = "a.x at end"
xb = "b.x at end"
t = "time at end"
)");
  EXPECT_EQ(r.reason(), StopReason::rest);
  EXPECT_NEAR(r("xa"), 1.5 * 1.5 / (2 * 20), 1e-10);
  EXPECT_NEAR(r("xb"), 1 - 0.8 * 0.8 / (2 * 10), 1e-10);
  EXPECT_NEAR(r("t"), 0.08, 1e-10);  // the later of 1.5/20 and 0.8/10
  const std::vector<double> sticks = r.times(EventKind::stick);
  ASSERT_EQ(sticks.size(), 2u);
  EXPECT_NEAR(sticks[0], 1.5 / 20, 1e-10);
}

// Exit: thrown up from z₀ with v₀ against a yield F₀: leaves with v₁² = v₀² − 2(g + F₀/m)z₀, is back after 2v₁/g with
// the same speed, and stops at v₁²/(2(F₀/m − g)).
TEST(Sand, exit_flight_and_return) {
  const double yield = 0.8;
  const Ran r = play(ball("a", 0.05) + ball("b", 0.07) + R"(
[bed]
law = "bingham"
F0 = 0.8
[initial]
"a.z" = 0.05
"a.vz" = -2
"b.x" = 1
"b.z" = 0.03
"b.vz" = -1.8
[stop]
time = 5
when = "rest"
[results]
za = "a.z at end"
zb = "b.z at end"
)");
  int index = 0;
  for (const auto& [mass, z0, v0, z] : {std::tuple{0.05, 0.05, 2.0, r("za")}, {0.07, 0.03, 1.8, r("zb")}}) {
    const double up = g + yield / mass, down = yield / mass - g;
    const double v1 = std::sqrt(v0 * v0 - 2 * up * z0), out = (v0 - v1) / up;
    const std::vector<double> left = r.times(EventKind::leave, index),
                              back = r.times(EventKind::enter, index);
    ASSERT_EQ(left.size(), 1u);
    ASSERT_EQ(back.size(), 1u);
    EXPECT_NEAR(left[0], out, 1e-11);
    EXPECT_NEAR(back[0], out + 2 * v1 / g, 1e-11);
    EXPECT_NEAR(z, v1 * v1 / (2 * down), 1e-10);
    ++index;
  }
  EXPECT_EQ(r.reason(), StopReason::rest);
}

// The same with the law of the papers, little withdrawing resistance and the shape of a link: it must come out again.
TEST(Sand, exit_of_a_link_and_a_ball_leaves_in_order) {
  const Ran r = play(ball("a", 0.05) + R"(
[[body]]
name = "link"
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, density = 7700 }
joint = "free"
[bed]
medium = "play-sand"
eta_d = 0.01
eta_v_up = 0.001
[initial]
"a.x" = 1
"a.z" = 0.04
"a.vz" = -3
"link.angle" = 0.2
"link.tip.x" = 0
"link.tip.z" = 0.15
"link.vz" = -4
[stop]
when = "rest"
time = 5
)");
  EXPECT_EQ(r.reason(), StopReason::rest);
  EXPECT_GE(r.times(EventKind::leave).size(), 2u);
  EXPECT_GE(r.times(EventKind::enter).size(), 2u);
  EXPECT_EQ(r.times(EventKind::emerge).size(), 1u);
  EXPECT_LT(r.times(EventKind::emerge)[0], r.times(EventKind::leave)[0] + 1);
}

// A layer of thickness D is passed with v² = v₀² + 2(g − F₀/m)D: the run ends there, or reports it and goes on.
TEST(Sand, bottom_of_the_bed) {
  const std::string text = ball("a", 0.1) + ball("b", 0.5) + R"(
[bed]
law = "bingham"
F0 = 0.5
depth = 0.2
at_bottom = "$how"
[parameters]
how = { value = "stop", choices = ["stop", "report"] }
[initial]
"a.z" = 0
"a.vz" = 2
"b.x" = 1
"b.z" = -1
[stop]
time = 0.3
)";
  const double a = g - 5, t = (-2 + std::sqrt(4 + 2 * a * 0.2)) / a;
  Ran stop = play(text);
  EXPECT_EQ(stop.reason(), StopReason::bottom);
  EXPECT_NEAR(stop.result.outcome.time, t, 1e-11);
  Scenario s = parse_scenario(text, "test.toml", {{"how", "report"}});
  const RunResult through = run(s);
  EXPECT_EQ(through.outcome.reason, StopReason::time_limit);
  int reports = 0;
  for (const Event& e : through.outcome.events)
    if (e.kind == EventKind::bottom) {
      ++reports;
      EXPECT_NEAR(e.time, t, 1e-11);
    }
  EXPECT_EQ(reports, 1);
}

// Two beds above each other: v² falls by 2(F/m − g) per metre, F the sum of what is felt. Ball b feels the first only.
TEST(Sand, several_beds_add_up) {
  const Ran r = play(ball("a", 0.1) + ball("b", 0.1) + R"(
[[bed]]
law = "bingham"
F0 = 2
[[bed]]
name = "deep"
law = "bingham"
F0 = 5
surface = 0.05
bodies = ["a"]
adds = true
[initial]
"a.z" = 0
"a.vz" = 1.5
"b.x" = 1
"b.z" = 0
"b.vz" = 1.5
[results]
za = "a.depth at end"
da = "a.depth.deep at end"
zb = "b.depth at end"
)");
  EXPECT_EQ(r.reason(), StopReason::rest);
  const double first = 2 / 0.1 - g, both = 7 / 0.1 - g, left = 1.5 * 1.5 - 2 * first * 0.05;
  EXPECT_NEAR(r("za"), 0.05 + left / (2 * both), 1e-10);
  EXPECT_NEAR(r("da"), left / (2 * both), 1e-10);
  EXPECT_NEAR(r("zb"), 1.5 * 1.5 / (2 * first), 1e-10);
}

// A bed that falls by β is a level bed seen by somebody who leans: angles grow by β and gravity leans. Exact but for
// rounding, which two contacts amplify a little: 1e-9.
TEST(Sand, sloped_bed_is_a_level_bed_with_tilted_gravity) {
  const double slope = 0.3, s = std::sin(slope), c = std::cos(slope);
  const std::string bodies = R"(
[[body]]
name = "a"
shape = { kind = "cylinder", length = 0.2, diameter = 0.02, density = 7700 }
joint = "free"
[[body]]
name = "b"
shape = { kind = "block", length = 0.15, width = 0.03, density = 2700 }
joint = { to = "a", at = "tip", friction = 0.05 }
[[body]]
name = "c"
shape = { kind = "rod_disc", length = 0.1, diameter = 0.01, rod_mass = 0.05, disc_mass = 0.3, disc_diameter = 0.06 }
joint = { to = "a", at = "start", damping = 0.01 }
)";
  const std::string stop = "[stop]\ntime = 0.5\n";
  const std::string sloped = bodies
                           + fmt::format(
                                 "[bed]\nmedium = \"play-sand\"\nfriction = 0.3\nslope = {}\n[initial]\n"
                                 "\"a.angle\" = 0.5\n\"b.angle\" = -0.4\n\"c.angle\" = 2\n\"a.x\" = 0\n"
                                 "\"a.z\" = -0.35\n\"a.vx\" = 0.7\n\"a.vz\" = 1.2\n",
                                 slope)
                           + stop;
  const double x = -0.35 * s, z = -0.35 * c, vx = 0.7 * c + 1.2 * s, vz = -0.7 * s + 1.2 * c;
  const std::string level =
      fmt::format("gravity = [{:.17g}, {:.17g}]\n", g * s, g * c) + bodies
      + fmt::format(
          "[bed]\nmedium = \"play-sand\"\nfriction = 0.3\n[initial]\n\"a.angle\" = {:.17g}\n"
          "\"b.angle\" = {:.17g}\n\"c.angle\" = {:.17g}\n\"a.x\" = {:.17g}\n\"a.z\" = {:.17g}\n"
          "\"a.vx\" = {:.17g}\n\"a.vz\" = {:.17g}\n",
          0.5 + slope, -0.4 + slope, 2 + slope, x, z, vx, vz)
      + stop;
  const Ran one = play(sloped), two = play(level);
  const std::vector<double>&p = one.result.outcome.state, &q = two.result.outcome.state;
  ASSERT_EQ(p.size(), q.size());
  const auto enters = one.times(EventKind::enter);
  ASSERT_GE(enters.size(), 2u);
  ASSERT_EQ(one.result.outcome.events.size(), two.result.outcome.events.size());
  EXPECT_NEAR(p[0] * c + p[1] * s, q[0], 1e-9);
  EXPECT_NEAR(-p[0] * s + p[1] * c, q[1], 1e-9);
  for (int k = 2; k < 5; ++k) EXPECT_NEAR(p[k] + slope, q[k], 1e-8);
  EXPECT_NEAR(p[5] * c + p[6] * s, q[5], 1e-8);
  EXPECT_NEAR(-p[5] * s + p[6] * c, q[6], 1e-8);
  for (int k = 7; k < 10; ++k) EXPECT_NEAR(p[k], q[k], 1e-7);
}

// Simultaneous: two equal balls, and the two feet of a chain that is its own mirror image, touch down, stick and stop at
// the same instants.
TEST(Sand, simultaneous_balls) {
  const Ran r = play(ball("a", 0.05) + ball("b", 0.05) + R"(
[bed]
medium = "play-sand"
[initial]
"a.z" = -0.1
"a.vx" = 0.4
"b.x" = 1
"b.z" = -0.1
"b.vx" = -0.4
[results]
xa = "a.x at end"
xb = "b.x at end"
za = "a.z at end"
zb = "b.z at end"
)");
  EXPECT_EQ(r.reason(), StopReason::rest);
  EXPECT_NEAR(r("xa"), 1 - r("xb"), 1e-12);
  EXPECT_NEAR(r("za"), r("zb"), 1e-12);
  const std::vector<double> a = r.times(EventKind::enter, 0), b = r.times(EventKind::enter, 1);
  ASSERT_EQ(a.size(), 1u);
  ASSERT_EQ(b.size(), 1u);
  EXPECT_NEAR(a[0], std::sqrt(0.2 / g), 1e-12);
  EXPECT_NEAR(b[0], a[0], 1e-13);
}

TEST(Sand, simultaneous_feet_of_a_mirror_symmetric_chain) {
  const Ran r = play(R"(
[[body]]
name = "l"
shape = { kind = "cylinder", length = 0.3, diameter = 0.0254, density = 7700 }
joint = "free"
[[body]]
name = "r"
shape = { kind = "cylinder", length = 0.3, diameter = 0.0254, density = 7700 }
joint = { to = "l", at = "start" }
[bed]
medium = "play-sand"
[initial]
"l.angle" = -0.5
"r.angle" = 0.5
"l.start.x" = 0
"l.tip.z" = 0
"l.start.vx" = 0
"l.start.vz" = 1.5
"l.rate" = 0
"r.rate" = 0
[stop]
time = 0.3
[results]
ql = "l.angle at end"
qr = "r.angle at end"
x = "l.start.x at end"
)");
  EXPECT_NEAR(r("ql"), -r("qr"), 1e-8);
  EXPECT_NEAR(r("x"), 0, 1e-8);
}

// With gravity upwards a ball flies a parabola into the sand, which hardly resists, and out again. From z₀ with v₀ it is
// at depth 0 at t = (v₀ ∓ √(v₀² − 2g|z₀|))/g. Here it dips in by 0.1 mm for 9 ms, with steps of 20 ms at most.
TEST(Crossings, in_and_out_within_one_step) {
  const double dip = 1e-4, height = 0.1, speed = std::sqrt(2 * g * (height + dip));
  const Ran r = play("gravity = [0, -9.81]\n" + ball("a", 0.1) + ball("b", 0.2)
                     + fmt::format(R"(
[bed]
law = "bingham"
F0 = 1e-12
[initial]
"a.z" = -0.1
"a.vz" = {:.17g}
"b.x" = 1
"b.z" = -0.1
"b.vx" = 2
"b.vz" = {:.17g}
[stop]
time = 0.28
[solver]
max_step = 0.02
)",
                                   speed, speed));
  const double half = std::sqrt(2 * dip / g);
  for (int k = 0; k < 2; ++k) {
    const std::vector<double> in = r.times(EventKind::enter, k), out = r.times(EventKind::leave, k);
    ASSERT_EQ(in.size(), 1u);
    ASSERT_EQ(out.size(), 1u);
    // at the surface it moves with √(2g δ) = 0.04 m/s: an error of 1e-12 m is one of 3e-11 s
    EXPECT_NEAR(in[0], speed / g - half, 1e-9);
    EXPECT_NEAR(out[0], speed / g + half, 1e-9);
  }
}

std::string circling(double surface, double rate, double time) {
  return fmt::format(R"(
gravity = [0, 0]
[[body]]
name = "arm"
shape = {{ kind = "sphere", at = 0.5, diameter = 0.02, mass = 0.1 }}
joint = "pin"
[[body]]
name = "other"
shape = {{ kind = "sphere", at = 0.5, diameter = 0.02, mass = 0.1 }}
joint = {{ kind = "pin", at = [2, 0] }}
[bed]
law = "bingham"
F0 = 1
surface = {:.17g}
[initial]
"arm.angle" = -3
"arm.rate" = {}
"other.angle" = -2
"other.rate" = {}
[stop]
time = {}
)",
                     surface, rate, rate, time);
}

// Grazing: the lowest point of the circle is the surface itself, or misses it by 1e-9. Nothing is lost, nothing fails.
TEST(Crossings, grazing_from_above) {
  for (double gap : {0.0, 1e-9}) {
    const Ran r = play(circling(0.5 + gap, 3, 1.8));
    EXPECT_EQ(r.reason(), StopReason::time_limit);
    EXPECT_NEAR(r.result.outcome.state[0], -3 + 3 * 1.8, 1e-9);
    EXPECT_NEAR(r.result.outcome.state[1], -2 + 3 * 1.8, 1e-9);
  }
}

// --- the run itself ----------------------------------------------------------------------------------------------

class Recorder : public StepObserver {
 public:
  void on_step(StepView& step) override {
    std::vector<double> y(64);
    for (int k = 0; k <= 4; ++k) step.state(step.begin() + (step.end() - step.begin()) * k / 4, y.data());
    ++steps;
    EXPECT_GE(step.begin(), last);
    EXPECT_GE(step.end(), step.begin());
    last = step.begin();
  }
  long steps = 0;
  double last = 0;
};

const char* const chain = R"(
[[body]]
name = "a"
shape = { kind = "cylinder", length = 0.2, diameter = 0.02, density = 7700 }
joint = "free"
[[body]]
name = "b"
shape = { kind = "cylinder", length = 0.15, diameter = 0.02, density = 7700 }
joint = { to = "a", at = "tip", friction = 0.02 }
[bed]
medium = "play-sand"
slope = 0.1
[initial]
"a.angle" = 0.6
"b.angle" = -0.3
"a.z" = -0.3
"a.vx" = 0.5
[stop]
time = 0.8
)";

bool same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(Determinism, same_bytes_twice) {
  const Ran one = play(chain), two = play(chain);
  EXPECT_TRUE(same_bytes(one.result.outcome.state, two.result.outcome.state));
  EXPECT_EQ(one.result.outcome.time, two.result.outcome.time);
  ASSERT_EQ(one.result.outcome.events.size(), two.result.outcome.events.size());
  for (std::size_t k = 0; k < one.result.outcome.events.size(); ++k)
    EXPECT_EQ(one.result.outcome.events[k].time, two.result.outcome.events[k].time);
}

TEST(Determinism, a_solver_can_be_used_again) {
  const Scenario s = parse_scenario(chain, "test.toml");
  Solver solver(*s.system);
  const Outcome one = solver.run(s.q, s.v, s.conditions, s.options);
  const Outcome two = solver.run(s.q, s.v, s.conditions, s.options);
  EXPECT_TRUE(same_bytes(one.state, two.state));
}

TEST(Determinism, recording_does_not_change_the_run) {
  const Ran plain = play(chain);
  Recorder recorder;
  RunRequest request;
  request.observer = &recorder;
  const Ran recorded = play(chain, request);
  EXPECT_TRUE(same_bytes(plain.result.outcome.state, recorded.result.outcome.state));
  EXPECT_EQ(plain.result.outcome.events.size(), recorded.result.outcome.events.size());
  EXPECT_GT(recorder.steps, 10);
}

TEST(Reports, cancelled_and_out_of_time) {
  std::atomic<bool> cancel{true};
  RunRequest request;
  request.cancel = &cancel;
  EXPECT_EQ(play(chain, request).reason(), StopReason::cancelled);
  request = {};
  request.time_limit = 0.01;
  const Ran brief = play(chain, request);
  EXPECT_EQ(brief.reason(), StopReason::time_limit);
  EXPECT_DOUBLE_EQ(brief.result.outcome.time, 0.01);
}

// Every method agrees with the sharpest one within its own accuracy.
TEST(Methods, agree_on_a_plunge) {
  const std::string text = ball("a", 0.05) + ball("b", 0.08) + R"(
[bed]
medium = "play-sand"
[initial]
"a.z" = -0.01
"a.vz" = 1
"b.x" = 1
"b.z" = 0
"b.vz" = 0.7
"b.vx" = 0.5
[results]
za = "a.z at end"
xb = "b.x at end"
)";
  RunRequest sharp;
  sharp.tolerance = 1e-12;
  const Ran reference = play(text, sharp);
  const auto check = [&](Method method, double step, double tolerance) {
    RunRequest request;
    request.method = method;
    request.step = step;
    Ran r{parse_scenario(text, "test.toml"), {}};
    r.result = run(r.scenario, request);
    EXPECT_EQ(r.reason(), StopReason::rest);
    EXPECT_NEAR(r("za"), reference("za"), tolerance);
    EXPECT_NEAR(r("xb"), reference("xb"), tolerance);
  };
  check(Method::dop853, 0, 1e-10);
  check(Method::dopri5, 0, 1e-10);
  check(Method::rk4, 1e-5, 1e-9);
  check(Method::euler, 1e-6, 1e-6);
}

}  // namespace
}  // namespace thud
