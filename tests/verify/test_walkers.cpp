// Walkers without a drive. Sources of truth: angular momentum about the new foot (McGeer 1990) for the rimless wheel; for the
// compass gait the published gait (Goswami, Espiau and Keramane 1996), and an independent integration of its two equations
// and of its strike in another language, to 1e-12.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thud/model.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Walkers, rimless_wheel_keeps_its_share_and_settles) {
  for (const double slope : {5.0, 6.0, 9.0}) {
    const Result r = load("rimless_wheel").set("slope", slope * pi / 180).run();
    const double m = 4, l = 0.5, inertia = m * 0.1 * 0.1 / 2, about_foot = inertia + m * l * l;
    const double keeps = (inertia + m * l * l * std::cos(pi / 4)) / about_foot;
    EXPECT_NEAR(r["after"] / r["before"], keeps, 1e-9);
    EXPECT_LT(std::abs(r.energy().residual), 1e-8);
    if (slope != 6) continue;
    // A step goes down by 2 l sin(π/8) sin γ.
    const double gain = 2 * m * 9.81 * 2 * l * std::sin(pi / 8) * std::sin(slope * pi / 180) / about_foot;
    const double steady = keeps * std::sqrt(gain / (1 - keeps * keeps));
    // What is left of the start after twenty strikes: its square shrinks by keeps² at each.
    const double start = std::abs(r["after"] * r["after"] - steady * steady) * std::pow(keeps, 38);
    EXPECT_NEAR(r["steady"] * r["steady"], steady * steady, start + 1e-8);
  }
}

TEST(Walkers, compass_gait_is_the_published_one) {
  const Result r = load("compass_gait").run();
  EXPECT_TRUE(r.reached());
  // Published: 0.734 s, 0.535 m, 0.73 m/s.
  EXPECT_NEAR(r["period"], 0.734, 0.0005);
  EXPECT_NEAR(r["length"], 0.535, 0.0005);
  EXPECT_NEAR(r["speed"], 0.73, 0.001);
  EXPECT_NEAR(r["first"], 0.734346391158384, 1e-8);
  EXPECT_NEAR(r["period"], 0.734346391158384, 1e-7);
  EXPECT_NEAR(r["length"], 0.5354454154299547, 1e-7);
  EXPECT_LT(std::abs(r.energy().residual), 1e-8);
}

}  // namespace
}  // namespace thud
