// Feet that take grains along. Sources of truth: closed forms of a plate that gathers mass, a pendulum with a foot integrated
// here with a method of its own, and the jumper of Roberts & Koditschek, whose depth and apex another program has to 1e-10
// (Runge-Kutta with steps of 1, 2 and 4 µs, all events by bisection: the same digits).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/elements/added_mass.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

constexpr double g = 9.81, pi = std::numbers::pi;

struct Played {
  Scenario scenario;
  RunResult run;

  double final(const std::string& name) const {
    for (std::size_t k = 0; k < scenario.observables.size(); ++k)
      if (scenario.observables[k].name == name) return run.final_values[k];
    ADD_FAILURE() << "there is no " << name;
    return 0;
  }
  double result(const std::string& name) const {
    const ResultValue* v = run.find(name);
    if (v && v->value) return *v->value;
    ADD_FAILURE() << name << " was not found: " << run.reason << " " << run.outcome.message;
    return 0;
  }
  double residual() const { return std::abs(run.outcome.energy.residual); }
};
Played play_scenario(Scenario scenario, double tolerance = 1e-12) {
  RunRequest request;
  request.tolerance = tolerance;
  Played out{std::move(scenario), {}};
  out.run = run(out.scenario, request);
  return out;
}
Played play(const std::string& text) { return play_scenario(parse_scenario(text, "test.toml")); }
std::string refusal(const std::string& text) {
  try {
    (void)parse_scenario(text, "mine.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

// A plate of 2 kg that falls flat at 3 m/s onto sand whose surface is at z = 0. It gathers 15 kg per metre.
constexpr double mass = 2, speed = 3, area = 0.02, per_depth = 0.5 * 1500 * area;
std::string plate(const std::string& foot, double gravity, const std::string& stop,
                  const std::string& more = "") {
  return "gravity = " + std::to_string(gravity) + R"(
[[body]]
name = "plate"
shape = { kind = "point", mass = 2 }
joint = { kind = "slider", direction = "vertical")"
       + more + R"( }
[[foot]]
name = "sole"
at = "plate.start"
kind = "swept"
area = 0.02
packing = 0.5
density = 1500
)" + foot
       + R"(
[initial]
"plate.travel" = -0.03
"plate.travel.rate" = 3
[stop]
)" + stop;
}

// ---- a plate that gathers mass -----------------------------------------------------------------------------------------

// With b c_g = 1 and no resistance (m + m_a) v is kept.
TEST(AddedMass, momentum_is_kept_while_grains_are_picked_up) {
  const Played p = play(plate("drag = 1\ngrain_drag = 1", 0, "time = 0.31\n"));
  const double t = 0.31 - 0.01;  // since touchdown
  const double z = (std::sqrt(mass * mass + 2 * per_depth * mass * speed * t) - mass) / per_depth;
  const double v = mass * speed / (mass + per_depth * z);
  EXPECT_NEAR(p.final("sole.depth"), z, 1e-11);
  EXPECT_NEAR(p.final("sole.rate"), v, 1e-11);
  EXPECT_NEAR(p.final("sole.added_mass"), per_depth * z, 1e-10);
  const double lost = 0.5 * mass * speed * speed - 0.5 * (mass + per_depth * z) * v * v;
  EXPECT_NEAR(p.final("energy.loss.picked_up"), lost, 1e-10);
  EXPECT_NEAR(p.final("energy.grains"), 0.5 * per_depth * z * v * v, 1e-10);
  EXPECT_NEAR(p.final("energy.loss.foot_drag"), 0, 1e-13);
  // What slows the plate down: the grains' momentum.
  const double deceleration = per_depth * v * v / (mass + per_depth * z);
  EXPECT_NEAR(p.final("sole.force"), mass * deceleration, 1e-9);
  EXPECT_LT(p.residual(), 1e-11);
}

// With drag v falls as (m/(m + m_a))^(b c_g).
TEST(AddedMass, drag_is_what_is_beyond_the_momentum) {
  const double beta = 3;
  const Played p = play(plate("drag = 1.5\ngrain_drag = 2", 0, "when = \"sole.depth rises through 0.2\"\n"));
  const double all = mass + per_depth * 0.2, v = speed * std::pow(mass / all, beta);
  EXPECT_NEAR(p.final("sole.rate"), v, 1e-11);
  const double lost = 0.5 * mass * speed * speed - 0.5 * all * v * v;
  EXPECT_NEAR(p.final("energy.loss.foot_drag") + p.final("energy.loss.picked_up"), lost, 1e-10);
  // The shares of ½ and b c_g − 1 of the same integral.
  EXPECT_NEAR(p.final("energy.loss.foot_drag") / p.final("energy.loss.picked_up"), (beta - 1) / 0.5, 1e-9);
  EXPECT_LT(p.residual(), 1e-11);
}

// p = (m + m_a) v:  p dp/dz = (m + m_a)((m + m_a) g − k A z).
TEST(AddedMass, stops_where_the_closed_form_stops_and_is_held_there) {
  const double k = 8e4 * area, c = per_depth;
  const Played p = play(plate("drag = 1\ngrain_drag = 1\nhardness = 8e4", g, "when = \"rest\"\ntime = 5\n"));
  const double v0 = std::sqrt(speed * speed + 2 * g * 0.03);
  const auto square = [&](double z) {
    const double all = mass + c * z;
    return mass * mass * v0 * v0 + 2 * g * (all * all * all - mass * mass * mass) / (3 * c)
         - 2 * k * (mass * z * z / 2 + c * z * z * z / 3);
  };
  double low = 0, high = 2;
  for (int i = 0; i < 200; ++i) (square(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  EXPECT_NEAR(p.final("sole.depth"), low, 1e-10);
  EXPECT_EQ(p.final("sole.rate"), 0);
  EXPECT_EQ(p.final("sole.added_mass"), 0);
  EXPECT_NEAR(p.final("sole.static_force"), mass * g, 1e-9);
  EXPECT_NEAR(p.final("energy.loss.foot_static"), 0.5 * k * low * low, 1e-9);
  EXPECT_NEAR(p.final("energy.supplied.grain"), 0.5 * c * g * low * low, 1e-9);
  EXPECT_LT(p.residual(), 1e-11);
}

// ---- memory ------------------------------------------------------------------------------------------------------------

// Pulled out and pushed in again: nothing above the deepest point, and only what lies below it is taken along.
TEST(AddedMass, remembers_how_deep_it_has_been) {
  const std::string foot = "drag = 1\ngrain_drag = 1\nhardness = 8e4";
  const std::string force = ", force = \"=t < 0.3 ? 0 : t < 0.5 ? -60 : 100\"";
  const Played out = play(plate(foot, g, "time = 0.45\n", force));
  const Played again = play(plate(foot, g, "when = \"rest\"\ntime = 5\n", force));
  const Played first = play(plate(foot, g, "time = 0.29\n", force));
  const double hole = first.final("sole.depth");
  EXPECT_LT(out.final("sole.depth"), hole);
  EXPECT_EQ(out.final("sole.force"), 0);
  EXPECT_GT(again.final("sole.depth"), hole);
  EXPECT_NEAR(again.final("sole.static_force"), 100 + mass * g, 1e-8);
  EXPECT_LT(again.residual(), 1e-10);
  // Second landing: p = (m + c (z − z₁)) v from the speed of free motion, with the load added.
  const double rise = 0.5 * (60 / mass - g) * 0.04,
               away = (60 / mass - g) * 0.2;  // at 0.5 s above the hole, and speed
  const double a = 100 / mass + g, v1 = std::sqrt(away * away + 2 * a * rise);
  const double c = per_depth, k = 8e4 * area;
  const auto square = [&](double x) {  // x = z − z₁
    const double f = 100;
    const auto integral = [&](double y) {  // of (m + c y)(f + (m + c y) g − k (z₁ + y))
      const double all = mass + c * y;
      return f * (mass * y + c * y * y / 2) + g * (all * all * all - mass * mass * mass) / (3 * c)
           - k * (hole * (mass * y + c * y * y / 2) + mass * y * y / 2 + c * y * y * y / 3);
    };
    return mass * mass * v1 * v1 + 2 * integral(x);
  };
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) (square(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  EXPECT_NEAR(again.final("sole.depth"), hole + low, 1e-9);
}

// ---- cone --------------------------------------------------------------------------------------------------------------

TEST(AddedMass, cone_has_the_geometry_of_the_paper) {
  const Scenario scenario = parse_scenario(R"([[body]]
name = "rod"
shape = { kind = "point", mass = 1 }
joint = { kind = "slider", direction = "vertical" }
[[foot]]
at = "rod.start"
radius = 0.03
)",
                                           "test.toml");
  const AddedMass& foot = scenario.system->of<AddedMass>()[0];
  const double R = 0.03, cot = 1 / std::tan(pi / 3), mu = 2, end = R / (mu * cot);
  for (const double z : {0.001, 0.01, 0.02, 0.05}) {
    const double x = std::min(z, end);
    const double flat = pi * (R * R + std::pow(mu * x * cot, 2) - 2 * R * mu * x * cot);
    const double volume =
        pi * R * R * x - pi * R * mu * x * x * cot + pi * mu * mu * x * x * x * cot * cot / 3;
    const double cone = (pi * R * R + volume) / std::cos(pi / 3);
    double rate, limit;
    EXPECT_NEAR(foot.grains(z, z > end, rate, limit), 0.57 * 1000 * mu * volume + z, 1e-14);
    EXPECT_NEAR(rate, 0.57 * 1000 * mu * flat + 1, 1e-12);
    EXPECT_NEAR(limit, 1600 / (pi * R * R) * volume + 0.12e6 * cone * z, 1e-11);
  }
}

// ---- linkages ----------------------------------------------------------------------------------------------------------

// A rod on a pin swings its foot into sand: the inertia of the grains acts at an arm, along the normal only.
TEST(AddedMass, acts_on_the_tip_of_a_pendulum_as_an_inertia) {
  const double length = 0.4, heavy = 0.6, start = 1.2, level = 0.3, c = 0.5 * 1500 * 0.004, k = 3e4 * 0.004;
  const Played p = play(R"(gravity = 9.81
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.4, diameter = 0.02, mass = 0.6 }
joint = "pin"
[[foot]]
name = "sole"
at = "rod.tip"
kind = "swept"
area = 0.004
packing = 0.5
density = 1500
hardness = 3e4
drag = 2
grain_drag = 1
level = 0.3
[initial]
"rod.angle" = 1.2
[stop]
time = 0.35
)");
  const double inertia = p.scenario.system->tree().body(0).inertia + heavy * 0.04;
  using State = std::array<double, 2>;
  bool in_sand = false;  // drag begins at once
  const auto rates = [&](const State& s) {
    const double z = length * std::cos(s[0]) - level, lever = -length * std::sin(s[0]), v = lever * s[1];
    double turning = -heavy * g * 0.5 * length * std::sin(s[0]), all = inertia;
    if (in_sand) {
      const double force = -k * z - 2 * c * v * v + c * z * g;
      turning += lever * (force + c * z * length * std::cos(s[0]) * s[1] * s[1]);
      all += c * z * lever * lever;
    }
    return State{s[1], turning / all};
  };
  State s{start, 0};
  const auto step = [&](const State& from, double h) {
    const auto add = [](const State& a, const State& b, double x) {
      return State{a[0] + x * b[0], a[1] + x * b[1]};
    };
    const State a = rates(from), b = rates(add(from, a, h / 2)), d = rates(add(from, b, h / 2)),
                e = rates(add(from, d, h));
    State out = from;
    for (int i = 0; i < 2; ++i) out[i] += h / 6 * (a[i] + 2 * b[i] + 2 * d[i] + e[i]);
    return out;
  };
  double t = 0;
  const double h = 1e-5;
  // The step on which the tip touches is cut there.
  while (length * std::cos(step(s, h)[0]) < level) s = step(s, h), t += h;
  double low = 0, high = h;
  for (int i = 0; i < 60; ++i)
    (length * std::cos(step(s, 0.5 * (low + high))[0]) < level ? low : high) = 0.5 * (low + high);
  s = step(s, high), t += high;
  in_sand = true;
  while (t + h < 0.35) s = step(s, h), t += h;
  s = step(s, 0.35 - t);
  ASSERT_GT(length * std::cos(s[0]), level + 0.02);
  ASSERT_LT(s[1], -0.1);
  EXPECT_NEAR(p.final("rod.angle"), s[0], 1e-9);
  EXPECT_NEAR(p.final("rod.rate"), s[1], 1e-8);
  EXPECT_LT(p.residual(), 1e-11);
}

// A chain of three with a foot on a slope: whatever its joints are, the account closes.
TEST(AddedMass, closes_the_account_on_linkages) {
  for (const char* joint : {"\"free\"", "{ kind = \"slider\", direction = \"vertical\" }", "\"pin\""}) {
    const Played p = play(std::string(R"([[body]]
name = "hip"
shape = { kind = "cylinder", length = 0.2, diameter = 0.03, mass = 1 }
joint = )") + joint + R"(
[[body]]
name = "leg"
shape = { kind = "cylinder", length = 0.25, diameter = 0.02, mass = 0.4 }
joint = { to = "hip", at = "tip", friction = 0.01 }
[[body]]
name = "ankle"
shape = { kind = "cylinder", length = 0.05, diameter = 0.02, mass = 0.1 }
joint = { to = "leg", at = "tip", damping = 0.01 }
[[foot]]
name = "sole"
at = "ankle.tip"
radius = 0.04
level = 0.35
slope = "10 deg"
[initial]
"leg.angle" = 0.5
"ankle.angle" = -0.4
"leg.rate" = -6
[stop]
time = 0.6
)");
    EXPECT_LT(p.residual(), 1e-9) << joint;
    EXPECT_GT(p.final("energy.loss.foot_static"), 0) << joint;
    EXPECT_GT(p.final("energy.loss.picked_up"), 0) << joint;
  }
}

// ---- the jumper --------------------------------------------------------------------------------------------------------

struct Jump {
  const char* radius;
  double depth, apex;            // of the facts, to their digits
  double fine_depth, fine_apex;  // of another program
};

TEST(AddedMass, jumper_of_roberts_and_koditschek) {
  for (const Jump& j : {Jump{"30 mm", 0.070756, 0.303335, 0.07075585653, 0.30333357468},
                        Jump{"50 mm", 0.028183, 0.401032, 0.02818229750, 0.40103144977}}) {
    const Played p = play_scenario(load_scenario("sand_hopper", {{"radius", j.radius}}));
    EXPECT_NEAR(p.result("depth"), j.depth, 2e-6) << j.radius;
    EXPECT_NEAR(p.result("apex"), j.apex, 2e-6) << j.radius;
    EXPECT_NEAR(p.result("depth"), j.fine_depth, 1e-9) << j.radius;
    EXPECT_NEAR(p.result("apex"), j.fine_apex, 1e-9) << j.radius;
    EXPECT_LT(p.residual(), 1e-10) << j.radius;
    const Played coarse = play_scenario(load_scenario("sand_hopper", {{"radius", j.radius}}), 1e-9);
    EXPECT_NEAR(coarse.result("depth"), p.result("depth"), 1e-8) << j.radius;
    EXPECT_NEAR(coarse.result("apex"), p.result("apex"), 1e-8) << j.radius;
  }
}

// ---- bad input ---------------------------------------------------------------------------------------------------------

TEST(AddedMass, refuses_what_is_no_foot) {
  const std::string body = R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.2, diameter = 0.02, mass = 1 }
joint = "free"
[[foot]]
name = "sole"
)";
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\n"), HasSubstr("needs the `radius`"));
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\nkind = \"swept\"\n"), HasSubstr("needs the `area`"));
  EXPECT_THAT(refusal(body + "at = [0, 1]\nradius = 0.03\n"), HasSubstr("a point of a body"));
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\nradius = 0.03\nangle = \"95 deg\"\n"), HasSubstr("90 deg"));
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\nradius = 0.03\ndrag = 0.1\n"), HasSubstr("at least 1"));
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\nradius = 0.03\npacking = 1.2\n"), HasSubstr("at most 1"));
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\nradius = -0.03\n"), HasSubstr("mine.toml:8"));
  EXPECT_THAT(refusal(body + "at = \"rod.tip\"\nradiu = 0.03\n"), HasSubstr("radius"));
}

}  // namespace
}  // namespace thud
