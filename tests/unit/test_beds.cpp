// Beds: layers, bottoms and sides, the ranges in which laws were calibrated, fits of their coefficients.
// Sources of truth: integrals in closed form, or by Boost over pieces that are smooth; the energy account; the scenario that
// measurements were made from.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numbers>

#include "../verify/fit_case.hpp"
#include "thud/base/error.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

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

// A body on a ram that moves straight down, at its start `depth` deep with the point it is welded at.
std::string pressed(const std::string& shape, const std::string& angle, double own, double depth,
                    double speed, const std::string& bed) {
  return fmt::format(R"([[body]]
name = "ram"
shape = {{ kind = "point", mass = 1 }}
joint = {{ kind = "slider", direction = "vertical" }}
[[body]]
name = "foot"
shape = {}
joint = {{ kind = "weld", to = "ram", own = {}, angle = "{}" }}
[[motion]]
joint = "ram"
position = "={} + {}*t"
[stop]
time = 1e-6
[bed]
bodies = ["foot"]
{}
)",
                     shape, own, angle, depth - 1e-6 * speed, speed, bed);
}

const std::string thrown = R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.15, diameter = 0.01, density = 7700 }
joint = "free"
[initial]
"rod.angle" = "32 deg"
"rod.tip.z" = -0.001
"rod.tip.x" = 0
"rod.vz" = 1.5
[stop]
when = "rest"
time = 5
)";

// ---- layers -------------------------------------------------------------------------------------------------------

TEST(Layers, two_of_the_same_medium_are_one) {
  for (const std::string law :
       {"law = \"rft\"\nzeta = 0.3", "law = \"drft\"\nzeta = 0.3", "law = \"lee-spread\""}) {
    const std::string one = thrown + "[bed]\n" + law + "\n", two = one + "[[bed.layer]]\ndepth = 0.01\n";
    const RunResult a = play(one), b = play(two);
    ASSERT_EQ(a.outcome.reason, StopReason::rest) << a.outcome.message;
    for (const char* name : {"rod.tip.x", "rod.tip.z", "rod.angle"})
      EXPECT_NEAR(value_in(one, a, name), value_in(two, b, name), 1e-12) << law;
    EXPECT_NEAR(a.outcome.time, b.outcome.time, 1e-12);
  }
}

// What is summed from the level on is as small as the difference of the media. It ends steps at the level, so that the
// accuracy of the run is that of its steps.
TEST(Layers, nearly_the_same_media_are_nearly_one) {
  const std::string bed = "law = \"rft\"\nzeta = 0.3\n";
  const auto force = [&](const std::string& layers) {
    const std::string text = pressed("{ kind = \"cylinder\", length = 0.1, diameter = 0.05, mass = 1 }",
                                     "60 deg", 0.05, 0.03, 0.05, bed + layers);
    const RunResult r = play(text);
    return std::array{value_in(text, r, "foot.resistance.x"), value_in(text, r, "foot.resistance.z"),
                      value_in(text, r, "foot.sand.moment")};
  };
  const auto one = force(""), two = force("[[bed.layer]]\ndepth = 0.02\nzeta = 0.30000000000003\n");
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(one[i], two[i], 1e-12 * std::abs(one[1]));
}

// A plate at an angle, pressed straight down: α(β, π/2) is the same all along it, and ∫ z dA of each layer closed.
TEST(Layers, inclined_plate_meets_each_layer_between_its_levels) {
  const double length = 0.1, breadth = 0.05, angle = 50 * pi / 180, v = 0.04;  // the axis, from straight down
  const double levels[] = {0, 0.012, 0.021, 1}, zeta[] = {0.4, 2.1, 0.9};
  const std::string bed =
      "law = \"rft\"\nzeta = 0.4\n[[bed.layer]]\ndepth = 0.012\nzeta = 2.1\n[[bed.layer]]\ndepth = "
      "0.021\nzeta = 0.9\n";
  const double rise = length * std::cos(angle);  // from its upper end to its lower one
  for (const double middle : {-0.02, 0.0, 0.004, 0.02, 0.06}) {
    const std::string text = pressed("{ kind = \"cylinder\", length = 0.1, diameter = 0.05, mass = 1 }",
                                     "50 deg", 0.05, middle, v, bed);
    const RunResult r = play(text);
    double sum = 0, moment = 0;  // of ζ z dA, and of that times the distance along the axis from the middle
    for (int k = 0; k < 3; ++k) {
      const double from = std::max(levels[k], middle - rise / 2),
                   to = std::min(levels[k + 1], middle + rise / 2);
      if (!(to > from)) continue;
      const double per = zeta[k] * 1e6 * breadth / std::cos(angle);
      const auto whole = [&](double z) { return z * z / 2; };
      const auto times = [&](double z) { return (z * z * z / 3 - middle * z * z / 2) / std::cos(angle); };
      sum += per * (whole(to) - whole(from));
      moment += per * (times(to) - times(from));
    }
    // The axis goes down and, for a positive angle, to one side: β is the angle of the plate from the level.
    const RftCoefficients a;
    const double beta = pi / 2 - angle;
    const double alpha_z = a.a00 + a.a10 * std::cos(2 * beta) + a.b11 * std::sin(2 * beta + pi / 2) + a.b01
                         + a.bm11 * std::sin(-2 * beta + pi / 2);
    const double alpha_x = a.c11 * std::cos(2 * beta + pi / 2) + a.cm11 * std::cos(-2 * beta + pi / 2)
                         + a.d10 * std::sin(2 * beta);
    EXPECT_NEAR(value_in(text, r, "foot.resistance.z"), -alpha_z * sum, 1e-10 * (1 + sum)) << middle;
    EXPECT_NEAR(std::abs(value_in(text, r, "foot.resistance.x")), std::abs(alpha_x) * sum, 1e-10 * (1 + sum))
        << middle;
    const double lever = std::abs(alpha_z * std::sin(angle)) + std::abs(alpha_x * std::cos(angle));
    const double other = std::abs(std::abs(alpha_z * std::sin(angle)) - std::abs(alpha_x * std::cos(angle)));
    const double met = std::abs(value_in(text, r, "foot.sand.moment"));
    EXPECT_LT(std::min(std::abs(met - lever * std::abs(moment)), std::abs(met - other * std::abs(moment))),
              1e-10 * (1 + std::abs(moment)))
        << middle;
  }
}

// A disc pressed straight down through a level: dF = −ζ α(β, π/2) z r b dφ over its lower half.
TEST(Layers, disc_meets_each_layer_between_its_levels) {
  const double r = 0.05, b = 0.03, level = 0.02, zeta[] = {0.5, 1.7};
  for (const double center : {-0.01, 0.01, 0.019, 0.06}) {
    const std::string text =
        pressed("{ kind = \"disc\", diameter = 0.1, thickness = 0.03, mass = 1 }", "0 deg", 0, center, 0.05,
                "law = \"rft\"\nzeta = 0.5\n[[bed.layer]]\ndepth = 0.02\nzeta = 1.7\n");
    const RunResult run = play(text);
    const RftLaw law;
    const auto density = [&](double phi) {  // the normal is at φ from straight down
      return rft_stress(law, phi, pi / 2).z * 1e6 * (center + r * std::cos(phi)) * r * b;
    };
    // Cut where the surface, the level and the half that leads are.
    const auto reach = [&](double depth) {
      const double c = (depth - center) / r;
      return c >= 1 ? 0.0 : std::min(pi / 2, std::acos(std::max(c, -1.0)));
    };
    const double outer = reach(0), inner = reach(level);
    const auto sum = [&](double from, double to) {
      using boost::math::quadrature::gauss_kronrod;
      return to > from ? gauss_kronrod<double, 31>::integrate(density, from, to, 8, 1e-13)
                             + gauss_kronrod<double, 31>::integrate(density, -to, -from, 8, 1e-13)
                       : 0.0;
    };
    const double expected = zeta[0] * sum(inner, outer) + zeta[1] * sum(0, inner);
    EXPECT_NEAR(value_in(text, run, "foot.resistance.z"), -expected, 1e-10 * (1 + expected)) << center;
    EXPECT_NEAR(value_in(text, run, "foot.resistance.x"), 0, 1e-10 * (1 + expected)) << center;
  }
}

// A link upright, pressed down: F = Σ η_v (1 + λ) g ρ A ∫ (z/d)^λ dz of each layer, and the drag on its bare end where that is.
TEST(Layers, upright_link_meets_lees_law_of_each_layer) {
  const double d = 0.02, area = pi * d * d / 4, depth = 0.05, v = 0.3;
  const std::string text =
      pressed("{ kind = \"cylinder\", length = 0.2, diameter = 0.02, mass = 1 }", "0 deg", 0.2, depth, v,
              "law = \"lee-spread\"\n[[bed.layer]]\ndepth = 0.02\neta_v = 7\nlambda = 1.6\n"
              "density = 1800\neta_d = 3\n");
  const RunResult r = play(text);
  const auto share = [&](double eta, double lambda, double density, double from, double to) {
    const auto p = [&](double z) { return d * std::pow(z / d, 1 + lambda); };
    return eta * g * density * area * (p(to) - p(from));
  };
  const double expected =
      share(22, 1.1, 2500, 0, 0.02) + share(7, 1.6, 1800, 0.02, depth) + 3 * 1800 * area * v * v;
  EXPECT_NEAR(value_in(text, r, "foot.resistance.z"), -expected, 1e-10 * expected);
}

// A flat plate changes the medium at once; it still ends where the energy says.
TEST(Layers, flat_plate_stops_where_the_work_is_done) {
  const std::string text = R"([[body]]
name = "plate"
shape = { kind = "cylinder", length = 0.1, diameter = 0.05, mass = 0.5 }
joint = "free"
[bed]
law = "rft"
zeta = 0.1
[[bed.layer]]
depth = 0.02
zeta = 0.9
[initial]
"plate.angle" = "90 deg"
"plate.x" = 0
"plate.z" = 0.001
"plate.vz" = 2
[stop]
when = "rest"
time = 5
)";
  const RunResult r = play(text);
  ASSERT_EQ(r.outcome.reason, StopReason::rest) << r.outcome.message;
  // m v²/2 + m g (z − z₀) = k₁ (H² − z₀²)/2 + k₂ (z² − H²)/2
  const double m = 0.5, k1 = 0.1e6 * 0.005, k2 = 0.9e6 * 0.005, h = 0.02, start = 0.001;
  const double c = m * 4 / 2 - m * g * start - k1 * (h * h - start * start) / 2 + k2 * h * h / 2;
  const double z = (m * g + std::sqrt(m * g * m * g + 2 * k2 * c)) / k2;
  EXPECT_NEAR(value_in(text, r, "plate.sand.depth"), z, 1e-9 * z);
  EXPECT_GT(value_in(text, r, "plate.sand.margin"), 0);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

TEST(Layers, take_energy_as_one_medium_does) {
  for (const std::string law : {"law = \"rft\"\nzeta = 0.2\n[[bed.layer]]\ndepth = 0.01\nmedium = "
                                "\"poppy-close\"\n[[bed.layer]]\ndepth = "
                                "\"25 mm\"\nmedium = \"simulant-soft\"\n",
                                "law = \"drft\"\nzeta = 0.2\n[[bed.layer]]\ndepth = 0.01\ndensity = "
                                "1500\n[[bed.layer]]\ndepth = 0.03\nlaw "
                                "= \"rft\"\n",
                                "law = \"lee-spread\"\neta_v = 10\n[[bed.layer]]\ndepth = 0.01\neta_v = "
                                "40\neta_d = 3\nfriction = 0.1\n"}) {
    const RunResult r = play(thrown + "[bed]\n" + law, 1e-10);
    EXPECT_EQ(r.outcome.reason, StopReason::rest) << law << r.outcome.message;
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8) << law;
    for (const double lost : r.outcome.energy.lost) EXPECT_GE(lost, -1e-12) << law;
  }
}

// ---- bottoms and sides ---------------------------------------------------------------------------------------------

TEST(Bottom, stress_rises_towards_it) {
  const double h = 0.06, range = 0.025, c = 4, zeta = 0.7, area = 0.005;
  for (const double z : {0.02, 0.04, 0.055}) {
    const std::string text =
        pressed("{ kind = \"cylinder\", length = 0.1, diameter = 0.05, mass = 1 }", "90 deg", 0.05, z, 0.05,
                "law = \"rft\"\nzeta = 0.7\ndepth = 0.06\nbottom_rise = 4\nbottom_range = 0.025\n");
    const double in = std::max(0.0, (z - h + range) / range);
    const double expected = zeta * 1e6 * area * z * (1 + c * in * in);
    EXPECT_NEAR(value_in(text, play(text), "foot.resistance.z"), -expected, 1e-10 * expected) << z;
  }
}

TEST(Bottom, rise_is_felt_along_a_link) {
  const double d = 0.02, area = pi * d * d / 4, depth = 0.055, h = 0.06, range = 0.03, c = 2, lambda = 1.1;
  const std::string text =
      pressed("{ kind = \"cylinder\", length = 0.2, diameter = 0.02, mass = 1 }", "0 deg", 0.2, depth, 0.3,
              "law = \"lee-spread\"\neta_d = 0\ndepth = 0.06\nbottom_rise = 2\nbottom_range = 0.03\n");
  const double head = 22 * g * 2500 * area * (1 + lambda);
  using boost::math::quadrature::gauss_kronrod;
  const double rise = gauss_kronrod<double, 31>::integrate(
      [&](double z) {
        const double in = (z - h + range) / range;
        return head * std::pow(z / d, lambda) * c * in * in;
      },
      h - range, depth, 8, 1e-13);
  const double expected = head * d * std::pow(depth / d, 1 + lambda) / (1 + lambda) + rise;
  EXPECT_NEAR(value_in(text, play(text), "foot.resistance.z"), -expected, 1e-10 * expected);
}

// Laws at one point take the factor of the deepest point.
TEST(Bottom, static_resistance_at_one_point_rises_with_the_tip) {
  const auto force = [](double depth, const std::string& rise) {
    const std::string text = pressed("{ kind = \"cylinder\", length = 0.2, diameter = 0.02, mass = 1 }",
                                     "0 deg", 0.2, depth, 0.3, "eta_d = 0\ndepth = 0.06\n" + rise);
    return value_in(text, play(text), "foot.resistance.z");
  };
  for (const double z : {0.02, 0.05}) {
    const double in = std::max(0.0, (z - 0.06 + 0.04) / 0.04);
    EXPECT_NEAR(force(z, "bottom_rise = 3\nbottom_range = 0.04\n") / force(z, ""), 1 + 3 * in * in, 1e-10)
        << z;
  }
}

std::string ball(const std::string& bed, double vx, double vz, const std::string& more = "") {
  return fmt::format(R"([[body]]
name = "ball"
shape = {{ kind = "disc", diameter = 0.02, thickness = 0.02, mass = 0.1 }}
joint = "free"
[initial]
"ball.x" = 0
"ball.z" = 0
"ball.angle" = 0
"ball.vx" = {}
"ball.vz" = {}
[stop]
when = "rest"
time = 5
[results]
z = "ball.z before impact 1"
x = "ball.x before impact 1"
after = "ball.vx after impact 1"
before = "ball.vx before impact 1"
{}
[bed]
{}
)",
                     vx, vz, more, bed);
}

TEST(Box, bottom_is_struck_at_its_depth) {
  const std::string text = ball("medium = \"poppy-loose\"\ndepth = 0.03\nat_bottom = \"wall\"\n", 0, 4);
  const RunResult r = play(text);
  ASSERT_TRUE(r.find("z"));
  EXPECT_NEAR(r.find("z")->value.value(), 0.03 - 0.01, 1e-9);
  EXPECT_EQ(r.outcome.reason, StopReason::rest) << r.outcome.message;
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
  const Scenario s = parse_scenario(text, "test.toml");
  ASSERT_FALSE(r.outcome.impacts.empty());
  EXPECT_EQ(s.system->contacts()[static_cast<std::size_t>(r.outcome.impacts[0].contacts[0])].name,
            "ball@bed_bottom");
}

TEST(Box, sides_are_struck_where_they_are_and_with_the_contact_of_the_bed) {
  const std::string box =
      "medium = \"poppy-loose\"\nslope = \"10 deg\"\nwalls = [-0.05, 0.04]\ncontact = { restitution "
      "= 0.5, friction = 0 }\n";
  for (const double vx : {4.0, -4.0}) {
    std::string text = ball(box, vx, 0);
    const std::string stop = "when = \"rest\"\ntime = 5";
    text.replace(text.find(stop), stop.size(), "time = 0.05");
    const RunResult r = play(text);
    ASSERT_TRUE(r.find("x"));
    // Along the surface.
    const double c = std::cos(10 * pi / 180), s = std::sin(10 * pi / 180);
    const double along = c * r.find("x")->value.value() + s * r.find("z")->value.value();
    EXPECT_NEAR(along, vx > 0 ? 0.04 - 0.01 : -0.05 + 0.01, 1e-9);
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
    ASSERT_FALSE(r.outcome.impacts.empty());
    const ImpactRecord& impact = r.outcome.impacts[0];
    const Scenario scenario = parse_scenario(text, "test.toml");
    EXPECT_EQ(scenario.system->contacts()[static_cast<std::size_t>(impact.contacts[0])].name,
              vx > 0 ? "ball@bed_right" : "ball@bed_left");
    EXPECT_LT(r.find("after")->value.value() / r.find("before")->value.value(), 0);
  }
}

TEST(Box, contact_settings_of_the_file_hold_for_it) {
  EXPECT_EQ(
      message_of(ball("medium = \"poppy-loose\"\nwalls = [-1, 1]\n", 0, 0, "[contact]\nrestitution = 0.4\n")),
      "accepted");
  EXPECT_THAT(message_of(ball("medium = \"poppy-loose\"\n", 0, 0, "[contact]\nrestitution = 0.4\n")),
              HasSubstr("there is no [[wall]]"));
}

// ---- what is refused -----------------------------------------------------------------------------------------------

TEST(BedFile, what_is_wrong_is_named_with_its_place) {
  const std::string body =
      "[[body]]\nname = \"rod\"\nshape = { kind = \"cylinder\", length = 0.1, diameter = 0.01, "
      "mass = 1 }\njoint = \"free\"\n[bed]\n";  // the bed is line 5
  const auto refused = [&](const std::string& bed) { return message_of(body + bed); };
  EXPECT_THAT(refused("[[bed.layer]]\ndepth = 0.1\n"),
              AllOf(HasSubstr("test.toml:6:"), HasSubstr("lee2009"), HasSubstr("rft, drft, lee-spread")));
  EXPECT_THAT(refused("law = \"rft\"\n[[bed.layer]]\nzeta = 2\n"), HasSubstr("depth"));
  EXPECT_THAT(refused("law = \"rft\"\n[[bed.layer]]\ndepth = 0.1\n[[bed.layer]]\ndepth = 0.05\n"),
              AllOf(HasSubstr("test.toml:10:"), HasSubstr("downwards")));
  EXPECT_THAT(refused("law = \"rft\"\ndepth = 0.1\n[[bed.layer]]\ndepth = 0.2\n"),
              AllOf(HasSubstr("test.toml:9:"), HasSubstr("ends at its depth of 0.1 m")));
  EXPECT_THAT(refused("law = \"rft\"\n[[bed.layer]]\ndepth = 0.1\nlaw = \"lee-spread\"\n"),
              AllOf(HasSubstr("test.toml:9:"), HasSubstr("rft or drft")));
  EXPECT_THAT(refused("law = \"rft\"\n[[bed.layer]]\ndepth = 0.1\nmedium = \"poppy-clos\"\n"),
              AllOf(HasSubstr("test.toml:9:"), HasSubstr("poppy-close")));
  EXPECT_THAT(refused("law = \"rft\"\n[[bed.layer]]\ndepth = 0.1\nzeto = 2\n"),
              AllOf(HasSubstr("test.toml:9:"), HasSubstr("zeta")));
  EXPECT_THAT(refused("law = \"rft\"\n[[bed.layer]]\ndepth = 0.1\nB01 = -3\n"),
              AllOf(HasSubstr("test.toml:9:"), HasSubstr("push what moves")));
  EXPECT_THAT(refused("at_bottom = \"wall\"\n"),
              AllOf(HasSubstr("test.toml:6:"), HasSubstr("give its depth")));
  EXPECT_THAT(refused("bottom_rise = 2\n"), AllOf(HasSubstr("test.toml:6:"), HasSubstr("give its depth")));
  EXPECT_THAT(refused("depth = 0.1\nbottom_range = 0.05\n"),
              AllOf(HasSubstr("test.toml:7:"), HasSubstr("give bottom_rise")));
  EXPECT_THAT(refused("depth = 0.1\nbottom_rise = 2\nbottom_range = 0.2\n"),
              AllOf(HasSubstr("test.toml:8:"), HasSubstr("0.1 m deep")));
  EXPECT_THAT(refused("walls = [0.2, -0.2]\n"),
              AllOf(HasSubstr("test.toml:6:"), HasSubstr("[x_left, x_right]")));
  EXPECT_THAT(refused("contact = { friction = 0.2 }\n"),
              AllOf(HasSubstr("test.toml:6:"), HasSubstr("nothing of this bed can be struck")));
  EXPECT_THAT(refused("walls = [-1, 1]\ncontact = { frition = 0.2 }\n"),
              AllOf(HasSubstr("test.toml:7:"), HasSubstr("friction")));
}

TEST(BedFile, beds_that_share_a_body_are_refused_unless_they_add) {
  const std::string bodies =
      "[[body]]\nname = \"a\"\nshape = { kind = \"cylinder\", length = 0.1, diameter = 0.01, "
      "mass = 1 }\njoint = \"free\"\n[[body]]\nname = \"b\"\nshape = { kind = \"cylinder\", "
      "length = 0.1, diameter = 0.01, mass = 1 }\njoint = \"free\"\n";
  const std::string upper =
      "[[bed]]\nlaw = \"rft\"\nbodies = [\"a\"]\n[[bed.layer]]\ndepth = 0.02\nzeta = 2\n";
  const std::string lower = "[[bed]]\nmedium = \"poppy-loose\"\nsurface = 0.1\n";
  EXPECT_THAT(message_of(bodies + upper + lower),
              AllOf(HasSubstr("\"a\" would feel"), HasSubstr("layers of one bed")));
  EXPECT_EQ(message_of(bodies + upper + lower + "bodies = [\"b\"]\n"), "accepted");
  EXPECT_EQ(message_of(bodies + upper + lower + "adds = true\n"), "accepted");
}

// Two beds that add are both felt, layers and all.
TEST(BedFile, beds_that_add_give_the_sum) {
  const std::string shape = "{ kind = \"cylinder\", length = 0.1, diameter = 0.05, mass = 1 }";
  const std::string text = pressed(shape, "90 deg", 0.05, 0.03, 0.05,
                                   "law = \"rft\"\nzeta = 0.5\n[[bed.layer]]\ndepth = 0.01\nzeta = 0.8\n");
  std::string both = text;
  both.replace(both.find("[bed]"), 5, "[[bed]]");
  both += "[[bed]]\nlaw = \"rft\"\nzeta = 0.2\nsurface = 0.01\nbodies = [\"foot\"]\nadds = true\n";
  const double expected = 0.8e6 * 0.005 * 0.03 + 0.2e6 * 0.005 * 0.02;
  EXPECT_NEAR(value_in(both, play(both), "foot.resistance.z"), -expected, 1e-10 * expected);
}

// ---- ranges -----------------------------------------------------------------------------------------------------------

TEST(Range, what_is_left_is_told_once_for_each_quantity) {
  const auto notes_of = [](double diameter, double speed) {
    const std::string text = fmt::format(R"([[body]]
name = "rod"
shape = {{ kind = "cylinder", length = 0.2, diameter = {}, density = 7700 }}
joint = "free"
[bed]
medium = "play-sand"
[initial]
"rod.angle" = "20 deg"
"rod.tip.z" = -0.001
"rod.tip.x" = 0
"rod.vz" = {}
[stop]
when = "rod.tip.vz falls through 0"
time = 1
)",
                                         diameter, speed);
    const Scenario s = parse_scenario(text, "test.toml");
    return list_notes(s, run(s));
  };
  EXPECT_THAT(notes_of(0.0127, 0.5), SizeIs(0));
  const std::vector<std::string> fast = notes_of(0.0127, 7);
  ASSERT_THAT(fast, SizeIs(2));
  EXPECT_THAT(fast[0], AllOf(HasSubstr("in bed \"bed\" rod moves at up to 7 m/s"),
                             HasSubstr("5 m/s (Lee 2009)"), HasSubstr("from 0.000142")));
  EXPECT_THAT(fast[1], AllOf(HasSubstr("gets as deep as"), HasSubstr("39 mm (Lee 2009)")));
  const std::vector<std::string> thick = notes_of(0.026, 0.05);
  ASSERT_THAT(thick, SizeIs(1));
  EXPECT_THAT(thick[0], AllOf(HasSubstr("rod has a width of 26 mm"), HasSubstr("25.4 mm")));
}

TEST(Media, say_where_they_are_from) {
  for (const Medium& m : media()) EXPECT_FALSE(std::string(m.source).empty()) << m.name;
  for (const LawEntry* e : law_table())
    if (!e->card.range.is_empty()) {
      EXPECT_GT(e->card.range.fastest, 0) << e->card.name;
    }
}

// ---- fits ---------------------------------------------------------------------------------------------------------

const std::string fitted = R"([parameters]
zeta  = { value = 0.3, range = [0.05, 2], about = "scale of the medium" }
A00   = { value = 0.206, range = [0.15, 0.4], about = "of the stress along the normal" }
lower = { value = 0.6, range = [0.05, 4], about = "zeta of the lower layer" }
speed = { value = 2, range = [0.1, 5], about = "at the start" }
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.15, diameter = 0.02, density = 2700 }
joint = "free"
[points]
"rod.low" = { body = "rod", s = 0.1 }
"rod.high" = { body = "rod", s = 0.02 }
[bed]
law = "drft"
zeta = "=zeta"
A00 = "=A00"
[[bed.layer]]
depth = "15 mm"
zeta = "=lower"
[initial]
"rod.angle" = "50 deg"
"rod.tip.z" = 0
"rod.tip.x" = 0
"rod.vz" = "=speed"
[stop]
time = 0.04
)";

TEST(Fit, finds_the_coefficients_of_a_spread_law) {
  const test::FitCase c(R"(scenario = "scenario.toml"
[fit]
nuisance = { start = "known" }
[fit.knobs]
zeta = { start = 0.2, range = [0.05, 2] }
A00 = { start = 0.25, range = [0.15, 0.4] }
lower = { start = 1, range = [0.05, 4] }
[data]
"a.csv" = { speed = 2 }
"b.csv" = { speed = 1.2 }
)",
                        fitted);
  SynthOptions exact;
  exact.noise = {{"", 0}};
  const FitResult r = fit(c.study, c.measure(exact));
  ASSERT_TRUE(r.converged) << r.message;
  EXPECT_NEAR(r.estimates[0].value, 0.3, 1e-6);
  EXPECT_NEAR(r.estimates[1].value, 0.206, 1e-6);
  EXPECT_NEAR(r.estimates[2].value, 0.6, 1e-6);
}

}  // namespace
}  // namespace thud
