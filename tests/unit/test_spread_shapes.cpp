// Blocks and polygons in beds whose laws give a stress: they slide on their soles and rest on them.
// Sources of truth: closed forms; critical slopes of another program, which writes the law with angles and asks a linear
// programme over sampled and refined motions, with all ways that lead to a motion along a face; the energy account.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "thud/base/error.hpp"
#include "thud/granular/sole.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

constexpr double pi = std::numbers::pi, g = 9.81;

RunResult play(const std::string& text, double tolerance = 1e-11) {
  RunRequest request;
  request.tolerance = tolerance;
  return run(parse_scenario(text, "test.toml"), request);
}
double value_in(const std::string& text, const RunResult& r, const std::string& name) {
  const Scenario s = parse_scenario(text, "test.toml");
  for (std::size_t k = 0; k < s.observables.size(); ++k)
    if (s.observables[k].name == name) return r.final_values[k];
  ADD_FAILURE() << "there is no " << name;
  return 0;
}
std::string message_of(const std::string& text) {
  try {
    (void)parse_scenario(text, "test.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

// ---- the set of a sole --------------------------------------------------------------------------------------------

SoleOf<double> flat_sole(double length, double depth, double breadth) {
  SoleOf<double> s{-0.35, 0.5 * length, {}};
  s.faces.push_back({-0.5 * length, 0.5 * length, 0, depth, depth, breadth, true, -2e5, {}});
  return s;
}

// ∫ s(x) σ x^k dx with 0 ≤ s ≤ 1 and a uniform σ: between the parabolas M = ± ½ N (L − N/σ).
TEST(Sole, of_uniform_depth_gives_a_lens_between_two_parabolas) {
  const double length = 0.2, depth = 0.01, breadth = 0.05, most = 2e5 * depth * breadth * length;
  const SoleOf<double> s = flat_sole(length, depth, breadth);
  EXPECT_NEAR(s.capacity(), most, 1e-12 * most);
  EXPECT_TRUE(s.is_held_by_sand());
  for (double share : {0.1, 0.4, 0.5, 0.8})
    for (double side : {1.0, -1.0}) {
      const double n = share * most, edge = side * 0.5 * n * length * (1 - share);
      const auto margin = [&](double part) { return s.margin({-n, part * edge / (0.5 * length)}); };
      EXPECT_NEAR(margin(1), 0, 1e-9) << share;
      EXPECT_GT(margin(0.99), 1e-4) << share;
      EXPECT_LT(margin(1.01), -1e-4) << share;
    }
}

// Of what motions meet none costs less than the one that is said to: friction turns what is beside the middle.
TEST(Sole, finds_the_force_of_least_power_with_friction_that_turns) {
  SoleOf<double> beside = flat_sole(0.2, 0.01, 0.05), both = beside;
  beside.faces[0].y = both.faces[0].y = 0.04;
  beside.faces[0].z1 = both.faces[0].z1 = -0.004;  // and sticks out
  both.faces.push_back({-0.1, 0.06, -0.03, 0.004, 0.002, 0.05, false, -2e5, {}});
  both.in_line = false;
  for (const SoleOf<double>* s : {&beside, &both})
    for (int k = 0; k < 40; ++k) {
      const double v = std::cos(0.157 * k), turn = std::sin(0.157 * k);
      const std::array<double, 2> low = s->lowest(v, turn);
      double least = HUGE_VAL;
      for (int i = 0; i < 7200; ++i) {
        const std::array<double, 2> f = s->meet_at(2 * pi * i / 7200);
        least = std::min(least, v * f[0] + turn * f[1]);
      }
      const double found = v * low[0] + turn * low[1];
      EXPECT_LE(found, least + 1e-9 * s->capacity()) << k;
      EXPECT_GE(found, least - 1e-5 * s->capacity()) << k;
    }
}

// ---- sliding ------------------------------------------------------------------------------------------------------

// A plate-like block on level ground, under the surface by z. Of the sole F_t = (0.136/0.375) N; the front meets
// ζ 10⁶ b z²/2 of 0.370 against the motion and 0.037 upwards; the back does not lead.
TEST(Block, slides_on_its_sole_with_the_closed_form) {
  const double z = 0.004, b = 0.05, m = 0.6, v = 0.8, zeta = 0.7;
  const std::string text = fmt::format(R"([[body]]
name = "block"
shape = {{ kind = "block", length = 0.2, width = 0.02, thickness = {}, mass = {} }}
joint = "free"
[bed]
law = "rft"
zeta = {}
[initial]
"block.angle" = "90 deg"
"block.x" = 0
"block.z" = {}
"block.vx" = {}
[stop]
when = "rest"
time = 10
)",
                                       b, m, zeta, z - 0.01, v);
  const double front = zeta * 1e6 * b * z * z / 2;
  const double a = ((0.136 / 0.375) * (m * g - 0.037 * front) + 0.370 * front) / m;
  const RunResult r = play(text);
  ASSERT_EQ(r.outcome.reason, StopReason::rest) << r.outcome.message;
  EXPECT_NEAR(r.outcome.time, v / a, 1e-7 * v / a);
  EXPECT_NEAR(value_in(text, r, "block.x"), v * v / (2 * a), 1e-9);
  EXPECT_NEAR(value_in(text, r, "block.z"), z - 0.01, 1e-12);
  EXPECT_NEAR(value_in(text, r, "block.angle"), pi / 2, 1e-12);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// ---- rest ---------------------------------------------------------------------------------------------------------

struct SlopeRow {
  const char* name;
  const char* shape;
  double tilt, depth, critical;  // of the mass centre, seen from the surface
};
void PrintTo(const SlopeRow& r, std::ostream* os) { *os << r.name; }
class Slope : public ::testing::TestWithParam<SlopeRow> {};

std::string resting(const SlopeRow& r, double slope, double time) {
  return fmt::format(R"([[body]]
name = "it"
shape = {{ {} }}
joint = "free"
[bed]
law = "rft"
slope = {:.17g}
[initial]
"it.angle" = {:.17g}
"it.x" = {:.17g}
"it.z" = {:.17g}
[stop]
when = "rest"
time = {}
)",
                     r.shape, slope, r.tilt - slope, -r.depth * std::sin(slope), r.depth * std::cos(slope),
                     time);
}

// Held just below the critical slope, on its way just above; and it sets out so that weight gains and sand takes.
TEST_P(Slope, holds_a_shape_up_to_the_critical_one) {
  const SlopeRow& r = GetParam();
  const std::string below = resting(r, r.critical - 1e-6, 0.02);
  const RunResult held = play(below);
  EXPECT_EQ(held.outcome.reason, StopReason::rest) << held.outcome.message;
  EXPECT_EQ(held.outcome.time, 0);
  EXPECT_GT(value_in(below, held, "it.sand.margin"), 0);
  EXPECT_LT(value_in(below, held, "it.sand.margin"), 1e-4);
  const std::string above = resting(r, r.critical + 1e-6, 1e-5);
  const RunResult moves = play(above, 1e-9);
  EXPECT_GT(moves.outcome.time, 0) << moves.outcome.message;
  EXPECT_NE(moves.outcome.reason, StopReason::failed) << moves.outcome.message;
  const double steeper = r.critical + 0.05;
  const std::string far = resting(r, steeper, 0.02);
  const RunResult goes = play(far, 1e-9);
  EXPECT_GT(goes.outcome.time, 0) << goes.outcome.message;
  EXPECT_LT(std::abs(goes.outcome.energy.residual), 1e-8);
  const double way = (value_in(far, goes, "it.z") - r.depth * std::cos(steeper));
  EXPECT_GT(way, 0);  // weight has gained
}

INSTANTIATE_TEST_SUITE_P(
    Another, Slope,
    ::testing::Values(SlopeRow{"block",
                               R"(kind = "block", length = 0.1, width = 0.06, thickness = 0.05, mass = 1.2)",
                               pi / 2, -0.02, 0.4192334088},
                      SlopeRow{"tilted block",
                               R"(kind = "block", length = 0.1, width = 0.06, thickness = 0.05, mass = 2)",
                               80 * pi / 180, -0.008, 0.6772087443},
                      SlopeRow{"L-shaped foot",
                               R"(kind = "polygon", corners = [[0, -0.015], [0.12, -0.015], [0.12, 0.07],)"
                               R"( [0.09, 0.07], [0.09, 0.015], [0, 0.015]], thickness = 0.05, mass = 1.2)",
                               0.1, -0.03, 0.4889796837},
                      SlopeRow{"wedge",
                               R"(kind = "polygon", corners = [[0, -0.04], [0, 0.04], [0.1, 0.01]],)"
                               R"( thickness = 0.05, mass = 0.8)",
                               0.05, -0.03, 0.4063363065},
                      SlopeRow{"bent plates",
                               R"(kind = "polygon", open = true, corners = [[0, 0], [0.08, 0], [0.15, 0.03],)"
                               R"( [0.2, 0.08]], thickness = 0.05, mass = 3.6)",
                               80 * pi / 180, 0.01, 0.7060170238}));

// ---- cuts ---------------------------------------------------------------------------------------------------------

std::string thrown(const std::string& shape, const std::string& law) {
  return fmt::format(R"([[body]]
name = "it"
shape = {}
joint = "free"
[bed]
{}
slope = 0.1
surface = 0.3
[initial]
"it.angle" = 1.1
"it.vx" = 0.4
"it.vz" = 1
"it.rate" = 2
[stop]
when = "rest"
time = 10
)",
                     shape, law);
}
void expect_same(const std::string& a, const std::string& b, const std::string& law) {
  const std::string one = thrown(a, law), other = thrown(b, law);
  const RunResult x = play(one), y = play(other);
  ASSERT_EQ(x.outcome.reason, StopReason::rest) << x.outcome.message;
  ASSERT_EQ(y.outcome.reason, StopReason::rest) << y.outcome.message;
  EXPECT_NEAR(x.outcome.time, y.outcome.time, 1e-9);
  for (const char* name : {"it.x", "it.z", "it.angle"})
    EXPECT_NEAR(value_in(one, x, name), value_in(other, y, name), 1e-9) << name;
}

TEST(Polygon, is_the_block_of_the_same_corners) {
  expect_same(R"({ kind = "block", length = 0.12, width = 0.06, thickness = 0.05, mass = 0.7 })",
              R"({ kind = "polygon", corners = [[0, -0.03], [0.12, -0.03], [0.12, 0.03], [0, 0.03]],)"
              R"( thickness = 0.05, mass = 0.7 })",
              "medium = \"poppy-loose\"");
}

TEST(Polygon, corners_in_line_make_no_difference) {
  expect_same(
      R"({ kind = "polygon", corners = [[0, -0.03], [0, 0.05], [0.12, 0.02]], thickness = 0.05, mass = 0.7 })",
      R"({ kind = "polygon", corners = [[0, -0.03], [0, 0], [0, 0.03], [0, 0.05], [0.06, 0.035], [0.12, 0.02],)"
      R"( [0.06, -0.005]], thickness = 0.05, mass = 0.7 })",
      "law = \"drft\"\nzeta = 0.4");
}

TEST(Polygon, cut_in_two_is_the_same_body) {
  expect_same(R"({ kind = "block", length = 0.12, width = 0.06, thickness = 0.05, density = 2000 })",
              R"({ kind = "stepped", parts = [)"
              R"({ kind = "block", length = 0.05, width = 0.06, thickness = 0.05, density = 2000 },)"
              R"({ kind = "block", length = 0.07, width = 0.06, thickness = 0.05, density = 2000 }] })",
              "medium = \"poppy-close\"");
  // an L, in two ways; the inner faces are of different lengths
  expect_same(
      R"({ kind = "polygon", corners = [[0, -0.015], [0.12, -0.015], [0.12, 0.07], [0.09, 0.07], [0.09, 0.015],)"
      R"( [0, 0.015]], thickness = 0.05, density = 1500 })",
      R"({ kind = "stepped", parts = [)"
      R"({ kind = "block", length = 0.12, width = 0.03, thickness = 0.05, density = 1500 },)"
      R"({ kind = "polygon", corners = [[0.09, 0.015], [0.12, 0.015], [0.12, 0.07], [0.09, 0.07]],)"
      R"( thickness = 0.05, density = 1500 }] })",
      "medium = \"glass-beads\"");
}

// ---- at random ----------------------------------------------------------------------------------------------------

std::string random_case(std::mt19937_64& engine, bool block) {
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * std::generate_canonical<double, 53>(engine);
  };
  std::string shape;
  const double breadth = uniform(0.02, 0.1), density = uniform(800, 5000);
  if (block) {
    const double length = uniform(0.03, 0.2);
    shape = fmt::format(
        "{{ kind = \"block\", length = {:.4f}, width = {:.4f}, thickness = {:.4f}, density = {:.1f} }}",
        length, uniform(0.02, 0.1), breadth, density);
  } else {
    const int n = 3 + static_cast<int>(uniform(0, 4.999));
    const double radius = uniform(0.03, 0.1);
    std::string corners;
    for (int k = 0; k < n; ++k) {
      const double angle = 2 * pi * (k + uniform(-0.3, 0.3)) / n, r = radius * uniform(0.6, 1);
      corners += fmt::format("{}[{:.5f}, {:.5f}]", k ? ", " : "", r * std::cos(angle), r * std::sin(angle));
    }
    shape = fmt::format("{{ kind = \"polygon\", corners = [{}], thickness = {:.4f}, density = {:.1f} }}",
                        corners, breadth, density);
  }
  const std::vector<std::string> media = {"poppy-loose", "poppy-close", "glass-beads", "simulant-soft"};
  const bool dynamic = uniform(0, 1) < 0.2, flat = uniform(0, 1) < 0.3;
  std::string text = fmt::format("[[body]]\nname = \"it\"\nshape = {}\njoint = \"free\"\n[bed]\n", shape);
  text += dynamic ? fmt::format("law = \"drft\"\nzeta = {:.3f}\n", uniform(0.1, 3))
                  : fmt::format("medium = \"{}\"\n", media[static_cast<std::size_t>(uniform(0, 4))]);
  const double slope = uniform(-0.15, 0.15);  // on steeper ones not all are decided (theory)
  text += fmt::format("slope = {:.3f}\nsurface = 0.4\n[initial]\n", flat && slope > 0 ? 0 : slope);
  text += fmt::format("\"it.angle\" = {:.12f}\n\"it.rate\" = {:.3f}\n",
                      flat ? (uniform(0, 1) < 0.5 ? 0 : pi / 2) : uniform(-3, 3), flat ? 0 : uniform(-5, 5));
  text += fmt::format("\"it.vx\" = {:.3f}\n\"it.vz\" = {:.3f}\n", uniform(-1, 1), uniform(0, 2));
  return text + "[stop]\nwhen = \"rest\"\ntime = 60\n";
}

// One of them finds no decision (2026-11-18). Lower it as the engine gets better; never raise it.
TEST(Random, blocks_and_polygons_come_to_rest) {
  constexpr int cases = 300, undecided = 1;
  std::string failures;
  int failed = 0;
  std::mt19937_64 engine{171};
  for (int k = 0; k < cases; ++k) {
    const std::string text = random_case(engine, k % 2 == 0);
    const RunResult r = play(text, 1e-9);
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8) << k << "\n" << text;
    EXPECT_GE(value_in(text, r, "it.sand.margin"), 0) << k << "\n" << text;
    if (r.outcome.reason == StopReason::rest) continue;
    ++failed;
    failures += fmt::format("{}: {}\n{}", k, r.outcome.message, text);
  }
  EXPECT_LE(failed, undecided) << failures;
}

// ---- input --------------------------------------------------------------------------------------------------------

std::string with_shape(const std::string& shape, const std::string& law = "rft") {
  return "[[body]]\nname = \"it\"\njoint = \"free\"\nshape = { " + shape + " }\n[bed]\nlaw = \"" + law
       + "\"\n";
}

TEST(PolygonInput, is_refused_where_it_is_none) {
  const std::string rest = ", thickness = 0.1, mass = 1";
  const auto corners = [&](const std::string& c) {
    return message_of(with_shape("kind = \"polygon\", corners = " + c + rest));
  };
  EXPECT_EQ(corners("[[0, 0], [1, 0], [0, 1]]"), "accepted");
  EXPECT_THAT(corners("[[0, 0], [1, 0]]"), HasSubstr("must have at least 3 corners; it has 2"));
  EXPECT_THAT(corners("[[0, 0], [1, 0], [1, 0], [0, 1]]"),
              HasSubstr("corners 2 and 3 are in the same place"));
  EXPECT_THAT(corners("[[0, 0], [1, 0], [2, 0]]"), HasSubstr("they enclose no area"));
  EXPECT_THAT(corners("[[0, 0], [1, 1], [1, 0], [0, 1]]"),
              HasSubstr("from corner 1 and from corner 3 cross"));
  EXPECT_THAT(corners("[[0, 0], [1, 0, 2], [0, 1]]"), HasSubstr("two numbers in brackets"));
  EXPECT_THAT(
      message_of(with_shape("kind = \"polygon\", corners = [[0, 0], [1, 0], [0, 1]]" + rest, "lee2009")),
      HasSubstr("acts at one point of what is immersed, and \"it\" has a polygon"));
  EXPECT_THAT(message_of(with_shape("kind = \"sphere\", diameter = 0.1, mass = 1")),
              HasSubstr("is a plane one, and \"it\" has a ball"));
}

}  // namespace
}  // namespace thud
