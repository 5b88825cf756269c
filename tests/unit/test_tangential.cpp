// Tangential restitution: single contacts that give slip back.
// Sources of truth: Garwin 1969, Am. J. Phys. 37 (superball between floor and table: 333/343 of its speed back), Walton's
// sliding and sticking regimes in closed form, the energy account.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "thud/base/error.hpp"
#include "thud/model.hpp"

namespace thud {
namespace {

using testing::HasSubstr;

// A solid ball of 1 kg and 5 cm between a floor and a table, without weight.
Result throw_ball(double speed, double spin, double e, double tangential, double friction, double time,
                  const char* law = "stronge") {
  return parse(fmt::format(R"toml(gravity = 0
[[body]]
name = "ball"
shape = {{ kind = "sphere", diameter = 0.1, mass = 1 }}
joint = "free"
[contact]
law = "{}"
restitution = {}
tangential = {}
friction = {}
[[wall]]
name = "floor"
[[wall]]
name = "table"
at = [0, -1]
slope = "180 deg"
[initial]
"ball.angle" = 0
"ball.x" = 0
"ball.z" = -0.5
"ball.vx" = {}
"ball.vz" = 1
"ball.rate" = {}
[stop]
time = {}
[results]
vx = "ball.vx at end"
vz = "ball.vz at end"
)toml",
                           law, e, tangential, friction, speed, spin, time),
               "ball.toml")
      .run();
}

TEST(Tangential, superball_under_a_table_comes_back) {
  for (const char* law : {"stronge", "poisson"}) {
    const Result r = throw_ball(1, 0, 1, 1, 10, 2.6, law);
    ASSERT_EQ(r.impacts().size(), 3u);
    EXPECT_NEAR(r["vx"], -333.0 / 343, 1e-13);
    EXPECT_NEAR(r["vz"], -1, 1e-13);
    for (const ImpactInfo& hit : r.impacts()) {
      EXPECT_NEAR(hit.velocity_after[0], -hit.velocity_before[0], 1e-13);
      EXPECT_NEAR(hit.energy_after, hit.energy_before, 1e-13);
      EXPECT_THAT(hit.name, HasSubstr("springs back"));
    }
  }
}

// With α = 7/(2m): |T| = min(μ F, (1 + e_t)|s|/α), F = (1 + e) m|c|.
TEST(Tangential, friction_bounds_what_is_given_back) {
  for (const double mu : {0.05, 0.2, 0.28, 0.3, 0.4, 0.6, 2.0})
    for (const double et : {0.0, 0.3, 0.7, 1.0})
      for (const double e : {0.0, 0.5, 1.0})
        for (const double s : {-1.5, 0.8, 3.0}) {
          SCOPED_TRACE(fmt::format("mu {} e_t {} e {} s {}", mu, et, e, s));
          const Result r = throw_ball(s, 0, e, et, mu, 0.6);
          ASSERT_GE(r.impacts().size(), 1u);
          const ImpactInfo& hit = r.impacts()[0];
          const double F = 1 + e, ends = std::abs(s) * 2 / 7;
          const double T = mu * F > ends ? std::min(mu * F, (1 + et) * ends) : mu * F;
          EXPECT_NEAR(hit.impulse[1], F, 1e-12);
          EXPECT_NEAR(hit.impulse[0], s > 0 ? -T : T, 1e-12);
          EXPECT_LE(hit.energy_after, hit.energy_before + 1e-13);
        }
}

TEST(Tangential, what_touches_off_centre_never_gains) {
  std::mt19937 random(7);
  const auto in = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  int sprang = 0;
  for (int n = 0; n < 300; ++n) {
    const double mu = in(0.05, 1.2), e = in(0, 1), et = in(0, 1);
    const char* law = n % 2 ? "stronge" : "poisson";
    const std::string text = fmt::format(
        R"toml(gravity = 0
[[body]]
name = "rod"
shape = {{ kind = "cylinder", length = 1, diameter = 0.01, mass = 1, inertia = "slender" }}
joint = "free"
[[wall]]
name = "floor"
touches = ["rod.tip"]
law = "{}"
restitution = {}
tangential = {}
friction = {}
[initial]
"rod.angle" = {}
"rod.tip.x" = 0
"rod.tip.z" = 0
"rod.tip.vx" = {}
"rod.tip.vz" = {}
"rod.rate" = {}
[stop]
time = 1e-6
)toml",
        law, e, et, mu, in(-1.5, 1.5), in(-2, 2), in(0.1, 2), in(-3, 3));
    SCOPED_TRACE(text);
    const Result r = parse(text, "rod.toml").run();
    ASSERT_GE(r.impacts().size(), 1u);
    const ImpactInfo& hit = r.impacts()[0];
    EXPECT_LE(hit.energy_after, hit.energy_before * (1 + 1e-12));
    EXPECT_LE(std::abs(hit.impulse[0]), mu * hit.impulse[1] * (1 + 1e-12));
    EXPECT_GE(hit.velocity_after[1], -1e-12);
    const bool springs = hit.name.find("springs back") != std::string::npos;
    sprang += springs;
    if (springs) {
      EXPECT_LT(hit.velocity_after[0] * hit.velocity_before[0], 0);
    }
  }
  EXPECT_GT(sprang, 30);
}

TEST(Tangential, several_contacts_at_once_tell_that_there_is_none) {
  const Result r = parse(R"toml(gravity = 0
[[body]]
name = "ball"
shape = { kind = "sphere", diameter = 0.1, mass = 1 }
joint = "free"
[contact]
restitution = 0.5
tangential = 0.8
friction = 0.4
[[wall]]
name = "left"
slope = "40 deg"
[[wall]]
name = "right"
slope = "-40 deg"
[initial]
"ball.angle" = 0
"ball.x" = 0
"ball.z" = -0.5
"ball.vz" = 1
"ball.rate" = 10
[stop]
time = 0.6
)toml",
                         "corner.toml")
                       .run();
  ASSERT_GE(r.impacts().size(), 1u);
  EXPECT_EQ(r.impacts()[0].contacts.size(), 2u);
  EXPECT_THAT(r.impacts()[0].note, HasSubstr("tangential restitution is for one"));
}

std::string refusal(const std::string& contact, const std::string& wall) {
  try {
    (void)parse(
        "[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", diameter = 0.1, mass = 1 }\njoint = "
        "\"free\"\n"
            + contact + "[[wall]]\nname = \"floor\"\n" + wall
            + "[initial]\n\"ball.angle\" = 0\n\"ball.x\" = 0\n\"ball.z\" = -1\n[stop]\ntime = 1\n",
        "ball.toml")
        .run();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Tangential, what_cannot_use_it_is_refused) {
  EXPECT_THAT(refusal("", "tangential = 0.5\n"), HasSubstr("needs friction"));
  EXPECT_THAT(refusal("", "tangential = 0.5\nfriction = 0.5\nlaw = \"newton\"\n"),
              HasSubstr("law = \"newton\""));
  EXPECT_THAT(refusal("", "tangential = 1.5\nfriction = 0.5\n"), HasSubstr("ball.toml:7"));
  EXPECT_EQ(refusal("[contact]\nfriction = 0.5\n", "tangential = 0.5\n"), "");
  // Keys of the other model are read and not used.
  EXPECT_EQ(refusal("", "tangential = 0.5\nmodel = \"hertz\"\nstiffness = 1e6\n"), "");
}

}  // namespace
}  // namespace thud
