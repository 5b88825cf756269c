// Scenarios in beds whose laws give a stress: resistive force theory, plain and dynamic.
// Sources of truth: closed forms; the wheels of another program; critical slopes of another one, which writes the law with
// angles and maximises the share of the load over all directions; the energy account.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

constexpr double pi = std::numbers::pi, g = 9.81;

RunResult play(const std::string& text, double tolerance = 1e-11, const KnobSettings& set = {}) {
  RunRequest request;
  request.tolerance = tolerance;
  return run(parse_scenario(text, "test.toml", set), request);
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

// ---- motion -------------------------------------------------------------------------------------------------------

// Five forced-slip wheels (another program): sinkage, drawbar pull and torque to the digits that it prints.
struct WheelRow {
  double load, slip, sinkage, drawbar, torque;
};
void PrintTo(const WheelRow& w, std::ostream* os) { *os << w.load << " N, slip " << w.slip; }
class Wheel : public ::testing::TestWithParam<WheelRow> {};

TEST_P(Wheel, settles_at_the_sinkage_of_its_load) {
  const WheelRow& w = GetParam();
  const std::string text = fmt::format(R"([define]
r = 0.13
omega = 0.5
[[body]]
name = "carriage"
shape = {{ kind = "point", mass = 0.001 }}
joint = {{ kind = "slider", direction = "horizontal" }}
[[body]]
name = "fork"
shape = {{ kind = "given", mass = {0}, center = 0, inertia = 0.001 }}
joint = {{ kind = "slider", direction = "along", to = "carriage" }}
[[body]]
name = "wheel"
shape = {{ kind = "disc", diameter = "=2*r", thickness = "=1.23*r", mass = {0} }}
joint = {{ to = "fork" }}
[bed]
medium = "simulant-firm"
surface = "=r"
bodies = ["wheel"]
[[motion]]
joint = "carriage"
position = "=(1 - {1})*omega*r*t"
[[motion]]
joint = "wheel"
position = "=-omega*t"
[initial]
"fork.travel" = 0.005
[stop]
time = 30
)",
                                       w.load / g / 2, w.slip);
  const RunResult r = play(text, 1e-9);
  ASSERT_NE(r.outcome.reason, StopReason::failed) << r.outcome.message;
  EXPECT_NEAR(value_in(text, r, "wheel.resistance.z"), -w.load, 1e-5 * w.load);
  EXPECT_NEAR(1e3 * value_in(text, r, "wheel.sand.depth"), w.sinkage, 1e-4 * w.sinkage);
  EXPECT_NEAR(value_in(text, r, "wheel.resistance.x"), w.drawbar, 1e-4 * std::abs(w.drawbar));
  EXPECT_NEAR(std::abs(value_in(text, r, "wheel.sand.moment")), std::abs(w.torque),
              1e-4 * std::abs(w.torque));
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}
INSTANTIATE_TEST_SUITE_P(Published, Wheel,
                         ::testing::Values(WheelRow{80, -0.7, 9.4802, -26.576, -1.7630},
                                           WheelRow{80, 0, 6.2047, -4.713, 0.5870},
                                           WheelRow{80, 0.3, 8.8971, 11.368, 3.0760},
                                           WheelRow{130, 0.5, 13.3795, 22.248, 5.9721},
                                           WheelRow{190, 0, 11.1196, -15.039, 1.8460}));

// A plate that is driven straight down: F = ζ 10⁶ A z.
TEST(Plate, driven_down_meets_zeta_times_area_times_depth) {
  const std::string text = R"([[body]]
name = "ram"
shape = { kind = "point", mass = 1 }
joint = { kind = "slider", direction = "vertical" }
[[body]]
name = "plate"
shape = { kind = "cylinder", length = 0.1, diameter = 0.05, mass = 1 }
joint = { kind = "weld", to = "ram", own = 0.05, angle = "90 deg" }
[bed]
law = "rft"
zeta = 0.7
[[motion]]
joint = "ram"
position = "=0.01 + 0.05*t"
[stop]
time = 0.4
)";
  const RunResult r = play(text);
  EXPECT_NEAR(value_in(text, r, "plate.resistance.z"), -0.7e6 * 0.1 * 0.05 * 0.03, 1e-9 * 105);
  EXPECT_NEAR(value_in(text, r, "plate.resistance.x"), 0, 1e-9);
  EXPECT_NEAR(value_in(text, r, "plate.sand.moment"), 0, 1e-9);
}

const std::string flat_plate = R"([parameters]
speed = { value = 2, range = [0, 10] }
[[body]]
name = "plate"
shape = { kind = "cylinder", length = 0.1, diameter = 0.05, mass = 0.5 }
joint = "free"
[bed]
law = "drft"
zeta = 0.3
lambda = 1.2
density = 638
[initial]
"plate.angle" = "90 deg"
"plate.x" = 0
"plate.z" = 0.001
"plate.vz" = "=speed"
[stop]
when = "rest"
time = 10
)";

// Katsuragi & Durian's depth in closed form, with k = ζ 10⁶ A and m/d₁ = λ ρ A; from the depth z₀ on it is that from the
// surface with the weight m g − k z₀. It stays there: ζ 10⁶ A z > m g.
TEST(Plate, dropped_flat_stops_at_the_depth_of_katsuragi_and_durian) {
  const double m = 0.5, area = 0.005, k = 0.3e6 * area, d1 = m / (1.2 * 638 * area), v = 2;
  const double start = 0.001, weight = m * g - k * start;
  const double c =
      (2 * m * v * v / (k * d1 * d1) - 2 * weight / (k * d1) - 1) * std::exp(-1 - 2 * weight / (k * d1));
  const double depth = start + weight / k + d1 / 2 * (1 + boost::math::lambert_w0(c));
  const RunResult r = play(flat_plate);
  EXPECT_EQ(r.outcome.reason, StopReason::rest) << r.outcome.message;
  EXPECT_NEAR(value_in(flat_plate, r, "plate.sand.depth"), depth, 1e-9 * depth);
  // at rest it bears its weight, of k z
  EXPECT_NEAR(value_in(flat_plate, r, "plate.resistance.z"), -m * g, 1e-9);
  const double margin = value_in(flat_plate, r, "plate.sand.margin");
  EXPECT_GT(margin, 0);
  EXPECT_LE(margin, 1 - m * g / (k * depth) + 1e-9);  // moving straight down is one of the motions of the set
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// The free link of the papers as n equal cylinders: no cut makes a difference.
TEST(Link, cut_into_parts_is_the_same_link) {
  const auto text = [](int n) {
    std::string parts;
    for (int k = 0; k < n; ++k)
      parts += fmt::format(
          R"({}{{ kind = "cylinder", length = {}, diameter = 0.00635, density = 7700, inertia = "slender" }})",
          k ? ", " : "", 0.1524 / n);
    return fmt::format(R"([[body]]
name = "link"
shape = {{ kind = "stepped", parts = [{}] }}
joint = "free"
[bed]
medium = "poppy-loose"
[initial]
"link.angle" = "32 deg"
"link.tip.x" = 0
"link.tip.z" = 0
"link.vz" = 1.26
[stop]
when = "link.tip.vz falls through 0"
time = 1
)",
                       parts);
  };
  const RunResult whole = play(text(1));
  ASSERT_EQ(whole.outcome.reason, StopReason::condition) << whole.outcome.message;
  for (int n : {2, 5, 16, 64}) {
    const RunResult cut = play(text(n));
    EXPECT_NEAR(cut.outcome.time, whole.outcome.time, 1e-9 * whole.outcome.time) << n;
    const double depth = value_in(text(1), whole, "link.sand.depth");
    EXPECT_NEAR(value_in(text(n), cut, "link.sand.depth"), depth, 1e-9 * depth) << n;
  }
}

// ---- rest ---------------------------------------------------------------------------------------------------------

std::string resting_plate(double tilt, double depth, double slope) {
  return fmt::format(R"([[body]]
name = "plate"
shape = {{ kind = "cylinder", length = 0.2, diameter = 0.03, mass = 0.9 }}
joint = "free"
[bed]
law = "rft"
slope = {2}
[initial]
"plate.angle" = {0}
"plate.x" = {1}
"plate.z" = {3}
[stop]
when = "rest"
time = 0.02
)",
                     tilt - slope, -depth * std::sin(slope), slope, depth * std::cos(slope));
}

// Held just below the critical slope, on its way just above; and it starts downhill.
struct SlopeRow {
  double tilt, depth, critical;
};
void PrintTo(const SlopeRow& r, std::ostream* os) { *os << r.tilt << " deg, " << r.depth << " m"; }
class Slope : public ::testing::TestWithParam<SlopeRow> {};

TEST_P(Slope, holds_a_plate_up_to_the_critical_one) {
  const SlopeRow& r = GetParam();
  const double tilt = r.tilt * pi / 180;
  const std::string below = resting_plate(tilt, r.depth, r.critical - 1e-6);
  const RunResult held = play(below);
  EXPECT_EQ(held.outcome.reason, StopReason::rest) << held.outcome.message;
  EXPECT_EQ(held.outcome.time, 0);
  EXPECT_GT(value_in(below, held, "plate.sand.margin"), 0);
  EXPECT_LT(value_in(below, held, "plate.sand.margin"), 1e-5);
  const std::string above = resting_plate(tilt, r.depth, r.critical + 1e-6);
  const RunResult moves = play(above, 1e-9);
  EXPECT_GT(moves.outcome.time, 0) << moves.outcome.message;
}

INSTANTIATE_TEST_SUITE_P(Another, Slope,
                         ::testing::Values(SlopeRow{90, 0.004, 0.3781175279},
                                           SlopeRow{75, 0.002, 0.3226646997}));

// Links, thrown at random into sands of all kinds.
std::string random_case(std::mt19937_64& engine, int links) {
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * std::generate_canonical<double, 53>(engine);
  };
  const std::vector<std::string> media = {"poppy-loose", "poppy-close", "glass-beads", "simulant-soft"};
  std::string text;
  std::string initial = "[initial]\n";
  for (int k = 0; k < links; ++k) {
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\nshape = {{ kind = \"cylinder\", length = {:.4f}, diameter = {:.4f}, "
        "density = {:.1f} }}\njoint = {}\n",
        k, uniform(0.05, 0.3), uniform(0.004, 0.03), uniform(1000, 8000),
        k == 0 ? std::string("\"free\"") : fmt::format("{{ to = \"b{}\", at = \"tip\" }}", k - 1));
    initial +=
        fmt::format("\"b{}.angle\" = {:.4f}\n\"b{}.rate\" = {:.3f}\n", k, uniform(-3, 3), k, uniform(-5, 5));
  }
  const bool dynamic = uniform(0, 1) < 0.3;
  text += "[bed]\n";
  text += dynamic ? fmt::format("law = \"drft\"\nzeta = {:.3f}\n", uniform(0.1, 3))
                  : fmt::format("medium = \"{}\"\n", media[static_cast<std::size_t>(uniform(0, 4))]);
  text += fmt::format("slope = {:.3f}\nsurface = 0.4\n", uniform(-0.3, 0.3));
  initial += fmt::format("\"b0.vx\" = {:.3f}\n\"b0.vz\" = {:.3f}\n", uniform(-1, 1), uniform(0, 2));
  return text + initial + "[stop]\nwhen = \"rest\"\ntime = 60\n";
}

TEST(Random, links_come_to_rest) {
  constexpr int cases = 200;
  std::mt19937_64 engine{17};
  for (int k = 0; k < cases; ++k) {
    const std::string text = random_case(engine, 1);
    const RunResult r = play(text, 1e-9);
    EXPECT_EQ(r.outcome.reason, StopReason::rest) << k << ": " << r.outcome.message << "\n" << text;
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8) << k << "\n" << text;
    const Scenario s = parse_scenario(text, "test.toml");
    double least = 1;
    for (std::size_t i = 0; i < s.observables.size(); ++i)
      if (s.observables[i].name.ends_with(".sand.margin")) least = std::min(least, r.final_values[i]);
    EXPECT_GE(least, 0) << k << "\n" << text;
  }
}

// One decision for bodies, joints and what slows down together. THUD_RANDOM_CHAINS=2000 throws more of them; still more kinds
// are the classes rft, lee-spread and spread-walls of `make campaign`.
TEST(Random, chains_come_to_rest) {
  const char* wanted = std::getenv("THUD_RANDOM_CHAINS");
  const int cases = wanted ? std::max(1, std::atoi(wanted)) : 12;
  std::mt19937_64 engine{18};
  for (int k = 0; k < cases; ++k) {
    const std::string text = random_case(engine, 2);
    const RunResult r = play(text, 1e-9);
    EXPECT_EQ(r.outcome.reason, StopReason::rest) << k << ": " << r.outcome.message << "\n" << text;
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8) << k << "\n" << text;
    const Scenario s = parse_scenario(text, "test.toml");
    for (std::size_t i = 0; i < s.observables.size(); ++i) {
      if (!s.observables[i].name.ends_with(".sand.margin")) continue;
      EXPECT_GE(r.final_values[i], 0) << k << "\n" << text;
    }
  }
}

// A pull that only just exceeds what holds a buried plate: slow for long, in the direction that the forces leave it.
TEST(Slow, motion_out_of_rest_takes_few_steps) {
  const RunResult r = run(load_scenario("anchor"), RunRequest{});
  EXPECT_EQ(r.outcome.reason, StopReason::condition) << r.outcome.message;
  EXPECT_LT(r.outcome.stats.steps, 3000);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// ---- Lee's law along the axis ---------------------------------------------------------------------------------------

std::string lee_link(int n, double angle, const std::string& stop) {
  std::string parts;
  for (int k = 0; k < n; ++k)
    parts += fmt::format(
        R"({}{{ kind = "cylinder", length = {}, diameter = 0.00635, density = 7700, inertia = "slender" }})",
        k ? ", " : "", 0.1524 / n);
  return fmt::format(R"([[body]]
name = "link"
shape = {{ kind = "stepped", parts = [{}] }}
joint = "free"
[bed]
law = "lee-spread"
[initial]
"link.angle" = {}
"link.tip.x" = 0
"link.tip.z" = 0
"link.vz" = 1.26
[stop]
when = "{}"
time = 5
)",
                     parts, angle, stop);
}

TEST(LeeSpread, no_cut_of_a_link_makes_a_difference) {
  const double angle = 32 * pi / 180;
  const std::string one = lee_link(1, angle, "link.tip.vz falls through 0");
  const RunResult whole = play(one);
  ASSERT_EQ(whole.outcome.reason, StopReason::condition) << whole.outcome.message;
  const double depth = value_in(one, whole, "link.sand.depth");
  for (int n : {2, 4, 8, 16, 32, 64}) {
    const std::string text = lee_link(n, angle, "link.tip.vz falls through 0");
    const RunResult cut = play(text);
    EXPECT_NEAR(cut.outcome.time, whole.outcome.time, 1e-9 * whole.outcome.time) << n;
    EXPECT_NEAR(value_in(text, cut, "link.sand.depth"), depth, 1e-9 * depth) << n;
  }
}

// Straight down, and held sideways by symmetry: the depth is that of the lumped law with the area `silhouette`.
TEST(LeeSpread, upright_link_is_stopped_as_by_the_lumped_law) {
  const std::string spread = lee_link(1, 0, "link.tip.vz falls through 0");
  std::string lumped = spread;
  lumped.replace(lumped.find("law = \"lee-spread\""), 18, "law = \"lee2009\"");
  const RunResult a = play(spread), b = play(lumped);
  ASSERT_EQ(a.outcome.reason, StopReason::condition) << a.outcome.message;
  // What is slower than 1e-8 of the scale of speeds stands: earlier by √2 · 1.3e-8 m/s over a deceleration of 60 m/s².
  EXPECT_NEAR(a.outcome.time, b.outcome.time, 4e-10);
  EXPECT_NEAR(value_in(spread, a, "link.sand.depth"), value_in(lumped, b, "link.sand.depth"), 1e-10);
}

TEST(LeeSpread, rod_dropped_at_a_thousandth_of_a_degree_stays_upright) {
  const double angle = 0.001 * pi / 180;
  const std::string text = lee_link(1, angle, "rest");
  const RunResult r = play(text);
  ASSERT_EQ(r.outcome.reason, StopReason::rest) << r.outcome.message;
  EXPECT_LT(std::abs(value_in(text, r, "link.angle")), 10 * angle);
  EXPECT_GT(value_in(text, r, "link.sand.margin"), 0.5);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// ---- input --------------------------------------------------------------------------------------------------------

TEST(SpreadInput, refuses_beds_that_overlap_unless_they_say_so) {
  const std::string two = R"([[body]]
name = "it"
shape = { kind = "sphere", diameter = 0.1, mass = 1 }
joint = "free"
[[bed]]
medium = "play-sand"
[[bed]]
medium = "play-sand"
)";
  EXPECT_THAT(message_of(two), HasSubstr("every body would feel bed \"bed\" and bed \"bed2\" at once"));
  EXPECT_EQ(message_of(two + "adds = true\n"), "accepted");
  EXPECT_THAT(message_of(two + "bodies = [\"it\"]\n"), HasSubstr("\"it\" would feel"));
}

TEST(SpreadInput, refuses_parts_it_cannot_feel_and_coefficients_that_push) {
  const std::string head = R"([[body]]
name = "it"
joint = "free"
)";
  EXPECT_THAT(
      message_of(head + "shape = { kind = \"sphere\", diameter = 0.1, mass = 1 }\n[bed]\nlaw = \"rft\"\n"),
      HasSubstr("\"it\" has a ball"));
  EXPECT_THAT(message_of(head
                         + "shape = { kind = \"block\", length = 0.1, width = 0.1, mass = 1 }\n[bed]\nlaw = "
                           "\"lee-spread\"\n"),
              HasSubstr("\"it\" has a block"));
  EXPECT_THAT(message_of(head
                         + "shape = { kind = \"disc\", diameter = 0.1, thickness = 0.1, mass = 1 }\n"
                           "[bed]\nlaw = \"rft\"\nA00 = -0.9\n"),
              HasSubstr("push what moves"));
  EXPECT_EQ(message_of(head
                       + "shape = { kind = \"disc\", diameter = 0.1, thickness = 0.1, mass = 1 }\n"
                         "[bed]\nlaw = \"rft\"\nC11 = -0.13\n"),
            "accepted");
  EXPECT_THAT(message_of(head
                         + "shape = { kind = \"disc\", diameter = 0.1, thickness = 0.1, mass = 1 }\n"
                           "[bed]\nlaw = \"rft\"\nzeta = 0\n"),
              HasSubstr("> 0"));
}

}  // namespace
}  // namespace thud
