// Scenario files in, systems out.
// Sources of truth: docs/guide/scenario-files.md, geometry and unit tables by hand. (The reader, units, expressions and
// parameters have tests of their own.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

using testing::HasSubstr;
constexpr double pi = std::numbers::pi;

const std::string rod = R"([[body]]
name  = "rod"
shape = { kind = "cylinder", length = "200 mm", diameter = "0.5 in", density = "7.7 g/cm3" }
joint = "pin"
)";

/// The error that a text gives, "" if none.
std::string complaint(const std::string& text, const KnobSettings& set = {}) {
  try {
    (void)parse_scenario(text, "bad.toml", set);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// --- units and shapes --------------------------------------------------------------------------------------------

// m = ρ π d² L/4, I = m(L²/12 + d²/16) about the centre. Tolerance: a few roundings.
TEST(Units, lengths_and_densities_become_si) {
  const Scenario s = parse_scenario(rod, "rod.toml");
  const Body& b = s.system->tree().body(0);
  const double d = 0.0127, length = 0.2, mass = 7700 * pi / 4 * d * d * length;
  EXPECT_NEAR(b.mass, mass, 1e-15);
  EXPECT_NEAR(b.center.s, 0.1, 1e-16);
  EXPECT_NEAR(b.inertia, mass * (length * length / 12 + d * d / 16), 1e-17);
  EXPECT_EQ(s.system->gravity().x, 0);
  EXPECT_EQ(s.system->gravity().z, 9.81);
}

TEST(Units, angles_and_rates) {
  const Scenario s =
      parse_scenario(rod + "[initial]\n\"rod.angle\" = \"30 deg\"\n\"rod.rate\" = \"60 rpm\"\n", "rod.toml");
  EXPECT_NEAR(s.q[0], pi / 6, 1e-15);
  EXPECT_NEAR(s.v[0], 2 * pi, 1e-14);
}

TEST(Units, gravity_of_any_direction) {
  const Scenario s = parse_scenario("gravity = [1.5, -2]\n" + rod, "rod.toml");
  EXPECT_EQ(s.system->gravity().x, 1.5);
  EXPECT_EQ(s.system->gravity().z, -2);
}

// Each shape against its textbook mass and moment of inertia.
TEST(Shapes, mass_properties) {
  const auto body = [](const std::string& shape) {
    return parse_scenario("[[body]]\nname = \"b\"\nshape = { " + shape + " }\njoint = \"free\"\n", "b.toml")
        .system->tree()
        .body(0);
  };
  Body b = body("kind = \"sphere\", diameter = 0.2, mass = 3");
  EXPECT_NEAR(b.inertia, 0.4 * 3 * 0.01, 1e-16);
  b = body("kind = \"block\", length = 0.3, width = 0.1, thickness = 0.2, density = 1000");
  EXPECT_NEAR(b.mass, 6, 1e-14);
  EXPECT_NEAR(b.inertia, 6 * (0.09 + 0.01) / 12, 1e-15);
  b = body("kind = \"disc\", diameter = 0.2, thickness = 0.01, mass = 2");
  EXPECT_NEAR(b.inertia, 0.5 * 2 * 0.01, 1e-16);
  b = body("kind = \"cylinder\", length = 0.3, diameter = 0.02, mass = 2, inertia = \"slender\"");
  EXPECT_NEAR(b.inertia, 2 * 0.09 / 12, 1e-16);
  b = body("kind = \"given\", mass = 2, center = 0.1, inertia = 0.3");
  EXPECT_NEAR(b.inertia, 0.3, 1e-16);
  EXPECT_NEAR(b.center.s, 0, 1e-16);  // a free body has its origin at its mass centre
}

// A rod and a disc: the parallel axis theorem by hand.
TEST(Shapes, stepped_bodies_add_up) {
  const Scenario s = parse_scenario(R"([[body]]
name = "b"
joint = "pin"
[body.shape]
kind = "stepped"
parts = [
  { kind = "cylinder", length = 0.2, diameter = 0.02, mass = 0.5, inertia = "slender" },
  { kind = "sphere", at = 0.25, diameter = 0.1, mass = 1.5 },
]
)",
                                    "b.toml");
  const Body& b = s.system->tree().body(0);
  const double c = (0.5 * 0.1 + 1.5 * 0.25) / 2;
  EXPECT_NEAR(b.mass, 2, 1e-15);
  EXPECT_NEAR(b.center.s, c, 1e-15);
  EXPECT_NEAR(
      b.inertia,
      0.5 * 0.04 / 12 + 0.5 * (0.1 - c) * (0.1 - c) + 0.4 * 1.5 * 0.0025 + 1.5 * (0.25 - c) * (0.25 - c),
      1e-15);
}

// --- knobs, definitions, repetition ------------------------------------------------------------------------------

const std::string knobs = R"([parameters]
length = { value = 200, unit = "mm", range = [100, 400], about = "length" }
count  = { value = 3, integer = true, range = [1, 9] }
rule   = { value = "side", choices = ["side", "full"] }
[define]
half = "=length/2"
[[body]]
repeat = "=count"
name  = "rod{i}"
shape = { kind = "cylinder", length = "=length", diameter = 0.01, mass = "=i" }
joint = { kind = "pin", at = ["=i - 1", 0] }
[bed]
area = "$rule"
surface = "=half"
[initial]
repeat = "=count"
"rod{i}.angle" = "=0.1*i"
)";

TEST(Knobs, defaults_and_settings) {
  const Scenario plain = parse_scenario(knobs, "k.toml");
  EXPECT_EQ(plain.system->tree().body_count(), 3);
  EXPECT_NEAR(plain.system->tree().body(1).center.s, 0.1, 1e-16);
  EXPECT_NEAR(plain.system->beds()[0].plane.point.z, 0.1, 1e-16);
  EXPECT_EQ(plain.system->beds()[0].area, AreaRule::side);
  const Scenario set =
      parse_scenario(knobs, "k.toml", {{"length", "30 cm"}, {"count", "5"}, {"rule", "full"}});
  EXPECT_EQ(set.system->tree().body_count(), 5);
  EXPECT_NEAR(set.system->tree().body(1).center.s, 0.15, 1e-16);
  EXPECT_EQ(set.system->beds()[0].area, AreaRule::full);
  ASSERT_EQ(set.knobs.size(), 3u);
  EXPECT_NEAR(set.knobs[0].value, 0.3, 1e-16);
  EXPECT_NEAR(set.knobs[0].default_value, 0.2, 1e-16);
  EXPECT_EQ(set.knobs[2].text, "full");
}

TEST(Knobs, out_of_range_or_unknown_is_refused) {
  EXPECT_THAT(complaint(knobs, {{"length", "2 m"}}), HasSubstr("length"));
  EXPECT_THAT(complaint(knobs, {{"count", "2.5"}}), HasSubstr("count"));
  EXPECT_THAT(complaint(knobs, {{"rule", "fuller"}}), HasSubstr("full"));
  EXPECT_THAT(complaint(knobs, {{"lenght", "0.3"}}), HasSubstr("length"));
  EXPECT_THAT(complaint(knobs, {{"length", "3 kg"}}), HasSubstr("length"));
}

TEST(Repeat, names_places_and_initial_values) {
  const Scenario s = parse_scenario(knobs, "k.toml");
  for (int i = 0; i < 3; ++i) {
    const Body& b = s.system->tree().body(i);
    EXPECT_EQ(b.name, "rod" + std::to_string(i + 1));
    EXPECT_DOUBLE_EQ(b.mass, i + 1);
    EXPECT_DOUBLE_EQ(b.anchor.x, i);
    EXPECT_NEAR(s.q[i], 0.1 * (i + 1), 1e-16);
  }
}

// --- initial pose ------------------------------------------------------------------------------------------------

// The tip of a rod of 0.2 m at (0.12, 0.16): the angle is atan2(0.12, 0.16).
TEST(Initial, pose_from_the_position_of_a_tip) {
  const Scenario s =
      parse_scenario(rod + "[initial]\n\"rod.tip.x\" = 0.12\n\"rod.tip.z\" = 0.16\n", "rod.toml");
  EXPECT_NEAR(s.q[0], std::atan2(0.12, 0.16), 1e-12);
}

// Two links reach a point: law of cosines. The angles given first pick the branch.
TEST(Initial, two_links_reach_for_a_point) {
  const std::string text = R"([[body]]
name = "a"
shape = { kind = "cylinder", length = 0.3, diameter = 0.02, mass = 1 }
joint = "pin"
[[body]]
name = "b"
shape = { kind = "cylinder", length = 0.4, diameter = 0.02, mass = 1 }
joint = { to = "a", at = "tip" }
[initial]
"b.tip.x" = 0.5
"b.tip.z" = 0
"b.tip.vx" = 0.2
"b.tip.vz" = -0.1
)";
  const Scenario s = parse_scenario(text, "t.toml");
  // a right triangle 3-4-5
  EXPECT_NEAR(std::cos(s.q[0] - s.q[1]), 0, 1e-12);
  EXPECT_NEAR(0.3 * std::sin(s.q[0]) + 0.4 * std::sin(s.q[1]), 0.5, 1e-12);
  EXPECT_NEAR(0.3 * std::cos(s.q[0]) * s.v[0] + 0.4 * std::cos(s.q[1]) * s.v[1], 0.2, 1e-12);
  EXPECT_NEAR(-0.3 * std::sin(s.q[0]) * s.v[0] - 0.4 * std::sin(s.q[1]) * s.v[1], -0.1, 1e-12);
}

// A depth on a slope: δ = (P − P₀)·n.
TEST(Initial, depth_below_a_slope) {
  const Scenario s = parse_scenario(R"([[body]]
name = "l"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, mass = 1 }
joint = "free"
[bed]
slope = 0.3
[initial]
"l.angle" = 0.5
"l.tip.x" = 0.7
"l.tip.depth" = "20 mm"
)",
                                    "l.toml");
  const double x = s.q[0] + 0.1 * std::sin(s.q[2]), z = s.q[1] + 0.1 * std::cos(s.q[2]);
  EXPECT_NEAR(s.q[2], 0.5, 1e-12);
  EXPECT_NEAR(x, 0.7, 1e-12);
  EXPECT_NEAR(-x * std::sin(0.3) + z * std::cos(0.3), 0.02, 1e-12);
}

TEST(Initial, contradictory_pose_names_the_nearest) {
  const std::string said = complaint(rod + "[initial]\n\"rod.tip.z\" = 0.5\n");
  EXPECT_THAT(said, HasSubstr("bad.toml:6:"));
  EXPECT_THAT(said, HasSubstr("rod.tip.z"));
  EXPECT_THAT(said, HasSubstr("0.2"));
  EXPECT_THAT(complaint(rod + "[initial]\n\"rod.angle\" = 0.1\n\"rod.tip.x\" = 0.1\n"),
              HasSubstr("contradicts"));
  EXPECT_THAT(complaint(rod + "[initial]\n\"rod.rate\" = 1\n\"rod.tip.vx\" = 1\n"), HasSubstr("contradicts"));
}

// --- joints ------------------------------------------------------------------------------------------------------

TEST(Joints, places_on_both_bodies) {
  const Scenario s = parse_scenario(R"([[body]]
name = "child"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, mass = 1 }
joint = { to = "parent", at = "center", own = "50 mm", friction = [0.1, 0.3], damping = 0.2 }
[[body]]
name = "parent"
shape = { kind = "cylinder", length = 0.4, diameter = 0.01, mass = 1 }
joint = { kind = "pin", at = [1, 2] }
)",
                                    "j.toml");
  const Tree& tree = s.system->tree();
  EXPECT_EQ(tree.body(0).name, "parent");  // parents first, in any order of the file
  EXPECT_EQ(tree.body(1).parent, 0);
  EXPECT_DOUBLE_EQ(tree.body(1).attach.s, 0.2);
  EXPECT_DOUBLE_EQ(tree.body(1).center.s, 0.05);
  EXPECT_DOUBLE_EQ(tree.body(0).anchor.z, 2);
  EXPECT_EQ(s.system->joint(1).friction_negative, 0.1);
  EXPECT_EQ(s.system->joint(1).friction_positive, 0.3);
  EXPECT_EQ(s.system->joint(1).damping, 0.2);
}

// --- errors with a place -----------------------------------------------------------------------------------------

TEST(Errors, name_file_line_and_column) {
  // "kg" where a length is wanted: line 3, the value of length
  std::string text = rod;
  text.replace(text.find("200 mm"), 6, "200 kg");
  EXPECT_THAT(complaint(text), HasSubstr("bad.toml:3:39: "));
  EXPECT_THAT(complaint(text), HasSubstr("length"));
  // an unknown observable in the results: line 6
  EXPECT_THAT(complaint(rod + "[results]\nt = \"rod.tip.vy at end\"\n"), HasSubstr("bad.toml:6:"));
  EXPECT_THAT(complaint(rod + "[results]\nt = \"rod.tip.vy at end\"\n"), HasSubstr("did you mean"));
}

TEST(Errors, unknown_things_are_refused_with_the_nearest_name) {
  EXPECT_THAT(complaint(rod + "[bed]\nslop = 0.1\n"), HasSubstr("slope"));
  EXPECT_THAT(complaint(rod + "[bed]\nmedium = \"play-sad\"\n"), HasSubstr("play-sand"));
  EXPECT_THAT(complaint(rod + "[bed]\nbodies = [\"rodd\"]\n"), HasSubstr("rod"));
  EXPECT_THAT(complaint(rod + "[initial]\n\"rod.angel\" = 0.1\n"), HasSubstr("rod.angle"));
  EXPECT_THAT(complaint(rod + "[bed]\nlaw = \"bingham\"\nF0 = 1\neta_d = 3\n"), HasSubstr("bad.toml:8:1"));
  EXPECT_THAT(complaint(rod + "[sovler]\nmethod = \"rk4\"\n"), HasSubstr("solver"));
}

TEST(Errors, what_makes_no_sense) {
  EXPECT_NE(complaint("title = \"nothing\"\n"), "");
  EXPECT_NE(complaint(rod + rod), "");                                 // twice the same name
  EXPECT_NE(complaint(rod + "[bed]\nlaw = \"lohse\"\nk = -1\n"), "");  // below zero
  EXPECT_NE(complaint(rod + "[bed]\nmedium = \"play-sand\"\nlaw = \"lohse\"\n"), "");
  EXPECT_NE(complaint(rod + "[solver]\ntolerance = 1\n"), "");
  EXPECT_NE(complaint(rod + "[initial]\n\"rod.angle\" = nan\n"), "");
  EXPECT_NE(complaint(rod + "[stop]\ntime = -1\n"), "");
  std::string loop = R"([[body]]
name = "a"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, mass = 1 }
joint = { to = "b", at = "tip" }
[[body]]
name = "b"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, mass = 1 }
joint = { to = "a", at = "tip" }
)";
  EXPECT_THAT(complaint(loop), HasSubstr("loop"));
  std::string point = "[[body]]\nname = \"p\"\nshape = { kind = \"point\", mass = 1 }\njoint = \"pin\"\n";
  EXPECT_THAT(complaint(point), HasSubstr("inertia"));
}

// --- stops and results -------------------------------------------------------------------------------------------

// A pendulum released at rest: the rod swings to the vertical; speed there by energy, ω² = 3 g(1 − cos q)/L, slender.
TEST(Results, of_every_form) {
  const Scenario s = parse_scenario(R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.3, diameter = 0.01, mass = 1, inertia = "slender" }
joint = "pin"
[initial]
"rod.angle" = "40 deg"
[stop]
when = "rod.angle falls through -10 deg"
[results]
t = "time when rod.angle falls through 0"
w = "rod.rate at t"
v = "rod.tip.v when rod.angle falls through 0"
fastest = "min rod.rate"
last = "rod.angle at end"
never = "time when rod.angle rises through 2"
)",
                                    "r.toml");
  const RunResult r = run(s);
  EXPECT_TRUE(r.reached);
  EXPECT_EQ(r.outcome.reason, StopReason::condition);
  const double w = -std::sqrt(3 * 9.81 * (1 - std::cos(40 * pi / 180)) / 0.3);
  EXPECT_NEAR(*r.find("w")->value, w, 1e-8);
  EXPECT_NEAR(*r.find("v")->value, -0.3 * w, 1e-8);
  EXPECT_NEAR(*r.find("fastest")->value, w, 1e-8);
  EXPECT_NEAR(*r.find("last")->value, -10 * pi / 180, 1e-10);
  EXPECT_FALSE(r.find("never")->value.has_value());
  EXPECT_EQ(r.find("nothing"), nullptr);
}

}  // namespace
}  // namespace thud
