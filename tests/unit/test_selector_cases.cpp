// Which mode a run starts in, and goes on with after an event.
// Source of truth: statics and dynamics by hand of each case; the order of bodies cannot matter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

constexpr double g = 9.81;

struct Ran {
  Scenario scenario;
  RunResult result;
  double operator()(const char* name) const {
    const NamedObservable* o = scenario.find_observable(name);
    for (std::size_t k = 0; o && k < scenario.observables.size(); ++k)
      if (&scenario.observables[k] == o) return result.final_values[k];
    ADD_FAILURE() << name;
    return 0;
  }
};

Ran play(const std::string& text) {
  Ran out{parse_scenario(text, "case.toml"), {}};
  out.result = run(out.scenario);
  EXPECT_NE(out.result.outcome.reason, StopReason::failed) << out.result.outcome.message;
  return out;
}

std::string ball(const std::string& name, double mass) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nshape = {{ kind = \"sphere\", diameter = 0.02, mass = {} }}\njoint = "
      "\"free\"\n",
      name, mass);
}
std::string rotor(const std::string& name, double inertia, const std::string& joint) {
  return fmt::format(
      "[[body]]\nname = \"{}\"\nshape = {{ kind = \"given\", mass = 1, center = 0, inertia = {} }}\njoint = "
      "{{ {} }}\n",
      name, inertia, joint);
}

// k z against m g: above the equilibrium depth a ball at rest plunges, below it is held. One of each.
TEST(AtRest, plunges_or_is_held_by_its_weight) {
  const Ran r = play(ball("up", 0.1) + ball("down", 0.1) + R"(
[bed]
law = "lohse"
k = 50
[initial]
"up.z" = 0.01
"down.x" = 1
"down.z" = 0.03
[stop]
time = 1e-3
)");
  EXPECT_NEAR(r("up.vz"), (g - 50 * 0.01 / 0.1) * 1e-3, 1e-6);
  EXPECT_NEAR(r("down.vz"), 0, 1e-12);
  EXPECT_EQ(r.result.outcome.mode.of<SandPiece>()[0].normal, slip::forward);
  EXPECT_EQ(r.result.outcome.mode.of<SandPiece>()[1].normal, slip::stuck);
}

// With gravity upwards the withdrawing bound counts.
TEST(AtRest, withdraws_against_the_withdrawing_bound) {
  const Ran r = play("gravity = [0, -9.81]\n" + ball("loose", 0.5) + ball("held", 0.001) + R"(
[bed]
medium = "play-sand"
[initial]
"loose.z" = 0.02
"held.x" = 1
"held.z" = 0.02
[stop]
time = 1e-4
)");
  EXPECT_EQ(r.result.outcome.mode.of<SandPiece>()[0].normal, slip::backward);
  EXPECT_EQ(r.result.outcome.mode.of<SandPiece>()[1].normal, slip::stuck);
  EXPECT_LT(r("loose.vz"), 0);
}

// A torque below the friction moves nothing; above it only the rest accelerates. The reaction is carried by the first
// joint if its friction can.
TEST(Joints, friction_carries_torque_and_reaction) {
  const auto text = [](double torque, double outer, double inner) {
    return "gravity = 0\n" + rotor("r", 0.4, fmt::format("kind = \"pin\", friction = {}", inner))
         + rotor("s", 0.2, fmt::format("to = \"r\", at = 0, friction = {}, torque = {}", outer, torque))
         + "[stop]\ntime = 0.1\n";
  };
  const Ran still = play(text(1, 2, 5));
  EXPECT_NEAR(still("s.rate"), 0, 1e-12);
  const Ran outer = play(text(3, 2, 1.5));  // 3 − 2 on s, its reaction 1 < 1.5 held
  EXPECT_NEAR(outer("s.rate"), 1 / 0.2 * 0.1, 1e-9);
  EXPECT_NEAR(outer("r.rate"), 0, 1e-11);
  const Ran both = play(text(3, 2, 0.5));  // r is turned back by 1 − 0.5
  EXPECT_NEAR(both("s.rate"), 1 / 0.2 * 0.1, 1e-9);
  EXPECT_NEAR(both("r.rate"), -0.5 / 0.4 * 0.1, 1e-9);
}

// Unequal bounds: [against negative, against positive] turning.
TEST(Joints, friction_may_depend_on_the_sense) {
  for (double sign : {-1.0, 1.0}) {
    const Ran r = play(
        "gravity = 0\n"
        + rotor("r", 0.4, fmt::format("kind = \"pin\", friction = [0.5, 2], torque = {}", sign))
        + rotor("s", 0.4, fmt::format("kind = \"pin\", at = [1, 0], friction = [2, 0.5], torque = {}", sign))
        + "[stop]\ntime = 0.1\n");
    const double moved = sign * 0.5 / 0.4 * 0.1;
    EXPECT_NEAR(r("r.rate"), sign < 0 ? moved : 0, 1e-10);
    EXPECT_NEAR(r("s.rate"), sign > 0 ? moved : 0, 1e-10);
  }
}

// On the surface with nothing but its weight: two tips at depth 0, all bounds 0. They must go in.
TEST(OnTheSurface, tips_at_rest_go_in) {
  const Ran r = play(R"toml(
[[body]]
repeat = 2
name = "l{i}"
shape = { kind = "cylinder", length = 0.15, diameter = 0.01, density = 7700 }
joint = "free"
[bed]
medium = "play-sand"
[initial]
repeat = 2
"l{i}.angle" = "=deg(30*i - 20)"
"l{i}.tip.x" = "=i"
"l{i}.tip.z" = 0
[stop]
time = 1e-3
)toml");
  for (const char* name : {"l1.tip.depth", "l2.tip.depth"}) EXPECT_GT(r(name), 1e-6);
  // resistance is still negligible: free fall of the mass centre, (1e-6/0.01)^1.1 η_v ≪ 1
  EXPECT_NEAR(r("l1.vz"), g * 1e-3, 1e-5);
  EXPECT_NEAR(r("l2.vz"), g * 1e-3, 1e-5);
}

// On the surface, moving away: the sand does not pull.
TEST(OnTheSurface, leaving_is_free_flight) {
  const Ran r = play(ball("a", 0.1) + ball("b", 0.2) + R"(
[bed]
law = "bingham"
F0 = 5
[initial]
"a.vz" = -1
"b.x" = 1
"b.vz" = -2
[stop]
time = 0.05
)");
  EXPECT_NEAR(r("a.z"), -0.05 + g * 0.05 * 0.05 / 2, 1e-12);
  EXPECT_NEAR(r("b.z"), -0.1 + g * 0.05 * 0.05 / 2, 1e-12);
}

// A ball at rest on the surface of sand with a yield above and below its weight: held there, or sinks with the rest.
TEST(OnTheSurface, a_yield_holds_or_not) {
  const Ran r = play(ball("light", 0.1) + ball("heavy", 0.4) + R"(
[bed]
law = "bingham"
F0 = 2
[initial]
"light.z" = 1e-9
"heavy.x" = 1
"heavy.z" = 0
[stop]
time = 0.1
)");
  EXPECT_NEAR(r("light.z"), 1e-9, 1e-10);
  EXPECT_NEAR(r("heavy.vz"), (g - 2 / 0.4) * 0.1, 1e-8);
}

// A flat link has no shear but skin friction: on a slope β without friction it slides with g sin β along its axis; with
// μ large enough it stays. Drag of the end face: 6.5 · 2500 · v²/(7700 L) ≈ 2e-4 m/s² at the end.
TEST(Flat, link_on_a_slope_slides_without_skin_friction) {
  for (double friction : {0.0, 0.8}) {
    const Ran r = play(fmt::format(R"(
[[body]]
repeat = 2
name = "l{{i}}"
shape = {{ kind = "cylinder", length = 0.1, diameter = 0.01, density = 7700 }}
joint = "free"
[bed]
medium = "play-sand"
slope = 0.2
friction = {}
[initial]
repeat = 2
"l{{i}}.angle" = "=pi/2 - 0.2"
"l{{i}}.x" = "=i"
"l{{i}}.depth" = "=0.02*i"
[stop]
time = 1e-3
)",
                                   friction));
    for (const char* name : {"l1.v", "l2.v"}) {
      if (friction > 0) {
        EXPECT_NEAR(r(name), 0, 1e-9);
      } else {
        EXPECT_NEAR(r(name), g * std::sin(0.2) * 1e-3, 1e-6);
      }
    }
  }
}

// No order of trying can matter: the same two links and ball in any order of the file.
TEST(Order, of_bodies_does_not_matter) {
  const std::string a = ball("a", 0.06);
  const auto link = [](const char* name, double length) {
    return fmt::format(
        "[[body]]\nname = \"{}\"\nshape = {{ kind = \"cylinder\", length = {}, diameter = 0.02, density = "
        "7700 }}\n"
        "joint = \"free\"\n",
        name, length);
  };
  const std::string rest = R"(
[bed]
medium = "play-sand"
slope = 0.1
[initial]
"a.x" = 3
"a.vz" = 1
"b.angle" = 0.4
"b.tip.x" = 0
"b.tip.depth" = 0
"b.vz" = 1
"c.angle" = 1.2
"c.tip.x" = 1
"c.tip.depth" = 0.01
"c.vz" = 0.5
[stop]
time = 0.2
)";
  const Ran one = play(a + link("b", 0.2) + link("c", 0.3) + rest);
  const Ran two = play(link("c", 0.3) + a + link("b", 0.2) + rest);
  for (const char* name : {"a.z", "b.angle", "b.x", "b.z", "c.angle", "c.x", "c.z"})
    EXPECT_NEAR(one(name), two(name), 1e-8) << name;
}

// More switches than freedoms: a chain of three links lying in the sand, held by everything at once, stays.
TEST(Redundant, buried_chain_stays) {
  const Ran r = play(R"(
[[body]]
name = "l1"
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, density = 7700 }
joint = "free"
[[body]]
repeat = 2
name = "l{i+1}"
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, density = 7700 }
joint = { to = "l{i}", at = "tip", friction = 0.1 }
[bed]
medium = "play-sand"
friction = 0.5
[initial]
"l1.angle" = 1.4
"l2.angle" = 1.7
"l3.angle" = 1.2
"l1.start.x" = 0
"l1.start.z" = 0.1
)");
  EXPECT_EQ(r.result.outcome.reason, StopReason::rest);
  EXPECT_EQ(r.result.outcome.time, 0);
}

}  // namespace
}  // namespace thud
