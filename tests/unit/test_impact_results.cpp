// Results of impacts: times, states on both sides, impulses, counts, ends of infinitely many bounces.
// Source of truth: the ball that falls from a height h, by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thud/scenario/family.hpp"
#include "thud/scenario/observable_hint.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double g = 9.81, height = 1, e = 0.8, mass = 0.1;

std::string bouncing(const std::string& results, const std::string& stop = "when = \"rest\"") {
  return R"(
[[body]]
name = "ball"
shape = { kind = "sphere", diameter = "40 mm", mass = 0.1 }
joint = "free"
[contact]
restitution = 0.8
[[wall]]
name = "floor"
[initial]
"ball.z" = -1.02
[stop]
)" + stop
       + "\n[results]\n" + results;
}

Scenario parse(const std::string& text) { return parse_scenario(text, "mine.toml", {}); }

RunResult run_text(const std::string& text) { return run(parse(text)); }

double value(const RunResult& r, const char* name) { return r.find(name)->value.value_or(NAN); }

std::string refusal(const std::string& results, const std::string& stop = "when = \"rest\"") {
  try {
    (void)parse(bouncing(results, stop));
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(ImpactResults, a_bouncing_ball) {
  const RunResult r = run_text(bouncing(R"(
t1 = "time of impact 1"
t2 = "time of impact 2"
before = "ball.vz before impact 1"
after = "ball.vz after impact 1"
third = "ball.vz before impact 3"
E1 = "energy.total after impact 1"
lost = "energy.loss.impact after impact 2"
p1 = "impulse of ball@floor at impact 1"
n = "count of impacts"
stays = "time of settle 1"
)"));
  const double fall = std::sqrt(2 * height / g), v = g * fall;
  EXPECT_NEAR(value(r, "t1"), fall, 1e-12);
  EXPECT_NEAR(value(r, "t2"), fall * (1 + 2 * e), 1e-12);
  EXPECT_NEAR(value(r, "before"), v, 1e-11);
  EXPECT_NEAR(value(r, "after"), -e * v, 1e-11);
  EXPECT_NEAR(value(r, "third"), e * e * v, 1e-11);
  EXPECT_NEAR(value(r, "lost"), mass * g * height * (1 - std::pow(e, 4)), 1e-11);
  EXPECT_NEAR(value(r, "p1"), mass * (1 + e) * v, 1e-11);
  EXPECT_NEAR(value(r, "stays"), fall * (1 + e) / (1 - e), 1e-10);
  EXPECT_EQ(value(r, "n"), static_cast<double>(r.outcome.impact_count));
  EXPECT_GT(value(r, "n"), 20);
  EXPECT_EQ(r.find("n")->unit, "");
  EXPECT_EQ(r.find("t1")->unit, "s");
  EXPECT_EQ(r.find("p1")->unit, "N s");
  EXPECT_EQ(r.find("after")->unit, "m/s");
}

TEST(ImpactResults, only_the_wanted_states_are_kept) {
  EXPECT_EQ(run_text(bouncing("v = \"ball.vz after impact 3\"\n")).outcome.around.size(), 3u);
  EXPECT_TRUE(run_text(bouncing("n = \"count of impacts\"\n")).outcome.around.empty());
}

TEST(ImpactResults, not_reached) {
  const RunResult r = run_text(bouncing(R"(
t = "time of impact 9999"
v = "ball.vz after impact 9999"
p = "impulse of ball@floor at impact 9999"
s = "time of settle 2"
)"));
  for (const char* name : {"t", "v", "p", "s"}) EXPECT_FALSE(r.find(name)->value) << name;
}

TEST(ImpactResults, a_run_can_stop_with_them) {
  const RunResult r = run_text(bouncing("t = \"time of impact 2\"\n", "when = \"results\""));
  EXPECT_EQ(r.outcome.reason, StopReason::all_found);
  EXPECT_EQ(r.outcome.impact_count, 2);
  EXPECT_EQ(r.outcome.time, value(r, "t"));
  const RunResult s = run_text(bouncing("t = \"time of settle 1\"\n", "when = \"results\""));
  EXPECT_EQ(s.outcome.reason, StopReason::all_found);
  EXPECT_EQ(s.outcome.time, value(s, "t"));
}

// Forces belong to a mode: before the impact the ball flies, after one without restitution it lies on the floor.
TEST(ImpactResults, forces_on_both_sides) {
  std::string text = bouncing(
      "before = \"ball@floor.force before impact 1\"\nafter = \"ball@floor.force after impact 1\"\n");
  text.replace(text.find("0.8"), 3, "0");
  const RunResult r = run_text(text);
  EXPECT_EQ(value(r, "before"), 0);
  EXPECT_NEAR(value(r, "after"), mass * g, 1e-12);
}

// Three balls that touch at the start: contacts without a part in an impact have no impulse.
TEST(ImpactResults, at_the_start_and_of_several_contacts) {
  const auto balls = [](const std::string& z3) {
    return R"(
gravity = 0
[[body]]
repeat = 3
name = "ball{i}"
shape = { kind = "sphere", diameter = 0.1, mass = 1 }
joint = "free"
[contact]
restitution = 1
[[pair]]
repeat = 2
bodies = ["ball{i}", "ball{i+1}"]
[initial]
"ball1.x" = 0
"ball2.x" = 0.1
"ball3.x" = )"
         + z3 + R"(
"ball1.vx" = 1
[stop]
time = 0.01
[results]
v1 = "ball1.vx before impact 1"
u1 = "ball1.vx after impact 1"
u3 = "ball3.vx after impact 1"
p12 = "impulse of ball1@ball2 at impact 1"
p23 = "impulse of ball2@ball3 at impact 1"
n = "count of impacts"
)";
  };
  const RunResult touching = run_text(balls("0.2")), apart = run_text(balls("0.21"));
  EXPECT_NEAR(value(touching, "v1"), 1, 1e-15);
  EXPECT_NEAR(value(touching, "u1"), 0, 1e-12);
  EXPECT_NEAR(value(touching, "u3"), 1, 1e-12);
  EXPECT_NEAR(value(touching, "p12"), 1, 1e-12);
  EXPECT_NEAR(value(touching, "p23"), 1, 1e-12);
  EXPECT_EQ(value(apart, "n"), 1);
  EXPECT_NEAR(value(apart, "p12"), 1, 1e-12);
  EXPECT_EQ(value(apart, "p23"), 0);
}

TEST(ImpactResults, in_a_sweep) {
  ScenarioFamily family("rough_obstacle", {}, {"friction"}, {"t1", "E1", "n", "t2"});
  RunRequest request;
  request.time_limit = 1;
  double out[4];
  (void)family.run(std::vector{0.2}, out, request);
  EXPECT_NEAR(out[0], 0.535693818924, 1e-10);  // independent integration, see reference/sypniewska2015.json
  EXPECT_NEAR(out[1], 2.203712255, 1e-8);
  EXPECT_EQ(out[2], 1);
  EXPECT_TRUE(std::isnan(out[3]));
  (void)family.run(std::vector{0.3}, out, request);
  EXPECT_NEAR(out[0], 0.535693818924, 1e-10);
  EXPECT_LT(out[1], 2.2);
}

// A rod that hangs from a pin swings into a wall with a point at s. Truth: m Δv_C = p + P with Δω = p s/(m L²/3), so
// P = p (3 s/(2 L) − 1) along the wall's normal: p/2 for its tip, nothing at the centre of percussion 2L/3.
std::string swinging(double s, const std::string& results) {
  return fmt::format(R"(
gravity = 0
[[body]]
name = "rod"
shape = {{ kind = "cylinder", length = 0.6, diameter = 0.01, mass = 2, inertia = "slender" }}
joint = "pin"
[points]
hit = {{ body = "rod", s = {} }}
[[wall]]
at = [0, 0]
slope = "90 deg"
touches = ["hit"]
restitution = 0.5
[initial]
"rod.angle" = 0.2
"rod.rate" = -3
[stop]
time = 0.2
[results]
p = "impulse of hit@wall at impact 1"
{})",
                     s, results);
}

TEST(ImpactResults, impulses_in_joints) {
  const std::string rules =
      "Px = \"rod.joint.impulse.x at impact 1\"\nPz = \"rod.joint.impulse.z at impact 1\"\n"
      "P = \"rod.joint.impulse at impact 1\"\nmost = \"max rod.joint.impulse\"\nnone = \"rod.joint.impulse "
      "at impact 2\"\n";
  for (const double s : {0.6, 0.4, 0.3}) {
    const RunResult r = run_text(swinging(s, rules));
    const double p = value(r, "p"), wanted = p * (1.5 * s / 0.6 - 1);
    EXPECT_NEAR(p, 1.5 * 3 * 2 * 0.36 / 3 / s, 1e-9);  // (1 + e) ω I/s
    EXPECT_NEAR(value(r, "Px"), wanted, 1e-9) << s;
    EXPECT_NEAR(value(r, "Pz"), 0, 1e-9) << s;
    EXPECT_NEAR(value(r, "P"), std::abs(wanted), 1e-9);
    EXPECT_EQ(value(r, "most"), value(r, "P"));
    EXPECT_FALSE(r.find("none")->value);
  }
}

TEST(ImpactResults, impulses_in_joints_that_are_refused) {
  const auto refused = [](const std::string& rule) {
    try {
      (void)parse(swinging(0.6, "x = \"" + rule + "\"\n"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_THAT(refused("rodd.joint.impulse.x at impact 1"),
              AllOf(StartsWith("mine.toml:"), HasSubstr("did you mean \"rod\"?")));
  EXPECT_THAT(refused("rod.joint.impulse.y at impact 1"), HasSubstr(".x, .z, .size"));
  EXPECT_THAT(refused("rod.joint.impulse.x at end"), HasSubstr("at impact 1"));
  EXPECT_THAT(refused("rod.joint.impulse.x at impact 0"), HasSubstr("counted 1, 2"));
  EXPECT_THAT(refused("max rod.joint.impulse.x"), HasSubstr("the size"));
  EXPECT_THAT(refusal("t = \"ball.joint.impulse.x at impact 1\"\n"),
              HasSubstr("there is no joint \"ball.joint\""));
}

// They are of an instant: nothing to plot, and a rule says what to write instead.
TEST(ImpactResults, impulses_in_joints_are_no_observables) {
  const Scenario s = parse(swinging(0.6, ""));
  std::vector<std::string> rules;
  for (const NamedObservable& o : list_impact_results(s)) {
    EXPECT_EQ(o.unit, "N s");
    EXPECT_EQ(s.find_observable(o.name), nullptr);
    rules.push_back(o.name);
  }
  EXPECT_THAT(rules, ElementsAre("rod.joint.impulse at impact N", "rod.joint.impulse.x at impact N",
                                 "rod.joint.impulse.z at impact N", "max rod.joint.impulse"));
  // What is listed is understood.
  for (std::string rule : rules) {
    if (const auto at = rule.find('N'); at != std::string::npos) rule[at] = '1';
    EXPECT_NO_THROW((void)parse(swinging(0.6, "x = \"" + rule + "\"\n"))) << rule;
  }
  const std::string hint = "write a result \"rod.joint.impulse.x at impact 1\" or \"max rod.joint.impulse\"";
  EXPECT_THAT(observable_hint(s, "rod.joint.impulse.x"), HasSubstr(hint));
  EXPECT_EQ(observable_hint(s, "rodd.joint.impulse"), "; did you mean \"rod.joint.impulse\"?");
  EXPECT_EQ(observable_hint(s, "rod.joint.impulse.y"), "; did you mean \"rod.joint.impulse.x\"?");
  EXPECT_EQ(observable_hint(s, "rod.angel"), "; did you mean \"rod.angle\"?");
  const auto plotted = [](const char* name) {
    try {
      (void)parse(swinging(0.6, "") + "[output]\nplot = [\"" + name + "\"]\n");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_EQ(plotted("rod.angle"), "(accepted)");
  EXPECT_THAT(plotted("rod.joint.impulse.x"),
              AllOf(StartsWith("mine.toml:"), HasSubstr("there is no observable"), HasSubstr(hint)));
  // Nothing to list without contacts, or without joints.
  EXPECT_TRUE(list_impact_results(load_scenario("compound_pendulum")).empty());
  EXPECT_TRUE(list_impact_results(load_scenario("three_balls")).empty());
}

TEST(ImpactResults, what_is_refused) {
  EXPECT_THAT(refusal("t = \"time of impact 0\"\n"),
              AllOf(StartsWith("mine.toml:"), HasSubstr("\"0\" is not the number of an impact")));
  EXPECT_THAT(refusal("t = \"time of impact one\"\n"), HasSubstr("they are counted 1, 2, ..."));
  EXPECT_THAT(refusal("t = \"time of impact 10001\"\n"), HasSubstr("up to 10000"));
  EXPECT_THAT(refusal("t = \"time of settle x\"\n"), HasSubstr("not the number of a series of impacts"));
  EXPECT_THAT(refusal("t = \"time of bounce 1\"\n"), HasSubstr("there is no event \"bounce\""));
  EXPECT_THAT(refusal("t = \"count of bounces\"\n"), HasSubstr("\"count of impacts\""));
  EXPECT_THAT(refusal("t = \"ball.vy after impact 1\"\n"), HasSubstr("did you mean \"ball.vx\"?"));
  EXPECT_THAT(refusal("t = \"ball.vz after 1\"\n"), HasSubstr("a result of impacts reads like"));
  EXPECT_THAT(refusal("t = \"impulse of ball@flor at impact 1\"\n"),
              HasSubstr("did you mean \"ball@floor\"?"));
  EXPECT_THAT(refusal("t1 = \"time of impact 1\"\nv = \"ball.vz at t1\"\n"),
              HasSubstr("\"ball.vz before impact 1\" and \"ball.vz after impact 1\" are its two sides"));
  EXPECT_THAT(refusal("n = \"count of impacts\"\n", "when = \"results\""), HasSubstr("there is none"));
}

TEST(ImpactResults, need_something_to_strike) {
  std::string text = bouncing("t = \"time of impact 1\"\n");
  const auto from = text.find("[contact]");
  text.erase(from, text.find("[initial]") - from);
  try {
    (void)parse(text);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there are no impacts without a [[wall]] or a [[pair]]"));
  }
}

}  // namespace
}  // namespace thud
