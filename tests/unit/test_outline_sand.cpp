// Bodies under resistive force theory: what their whole outline meets, and what holds them at rest.
// Sources of truth: closed forms; the critical slopes of another program, which writes the law with angles and minimises the
// support of the set over all directions by golden sections.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "thud/granular/outline_sand.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;

BodyOutline block() {
  BodyOutline out;
  out.add_polygon({{-0.03, -0.04}, {0.03, -0.04}, {0.03, 0.04}, {-0.03, 0.04}}, 0.05);
  return out;
}
/// A flat sole with a leg, as plates.
BodyOutline foot() {
  BodyOutline out;
  out.add_plates({{-0.05, 0.03}, {0.05, 0.03}}, 0.04);
  out.add_plates({{0, -0.05}, {0, 0.03}}, 0.02);
  return out;
}
BodyOutline bent_beam() {
  BodyOutline out;
  out.add_plates({{-0.06, -0.04}, {-0.02, 0.01}, {0.03, 0.03}, {0.08, 0.02}}, 0.03);
  return out;
}

// Its sole meets ζ 10⁶ A z; its sides, along which it moves, 10⁶ α_z(π/2, π/2) ∫ z dA each, α_z = 0.128 of the generic set.
TEST(Outline, BlockStraightDown) {
  const double z = 0.02, breadth = 0.05;
  const BodyLoad load = load_outline(RftLaw{}, block(), z - 0.04, {0, 0.1}, 0);
  const double sole = 1e6 * 0.06 * breadth * z, side = 1e6 * 0.128 * breadth * z * z / 2;
  EXPECT_NEAR(-load.force.z, sole + 2 * side, 1e-10 * sole);
  EXPECT_NEAR(load.force.x, 0, 1e-12 * sole);
  EXPECT_NEAR(load.moment, 0, 1e-12 * sole);
  // corners in the other sense are the same block
  BodyOutline other;
  other.add_polygon({{-0.03, 0.04}, {0.03, 0.04}, {0.03, -0.04}, {-0.03, -0.04}}, breadth);
  EXPECT_NEAR(load_outline(RftLaw{}, other, z - 0.04, {0, 0.1}, 0).force.z, load.force.z, 1e-10 * sole);
}

TEST(Outline, TurningTheBodyAndItsMotionDoesNotTurnWhatADiscMeets) {
  BodyOutline disc;
  disc.circles.push_back({{0.02, 0.01}, 0.05, 0.03});
  const BodyOutline turned_disc = disc.turned_by(0.7);
  const Vec center{0.02, 0.01}, now = turned_disc.circles[0].center;
  EXPECT_NEAR(norm(now), norm(center), 1e-15);
  // a disc that spins about its centre with v of its centre, described from two origins
  const Vec v{0.3, 0.2};
  const double rate = 2;
  const BodyLoad a = load_outline(RftLaw{}, disc, 0.03 - center.z, v - rate * turned(center), rate);
  const BodyLoad b = load_outline(RftLaw{}, turned_disc, 0.03 - now.z, v - rate * turned(now), rate);
  EXPECT_NEAR(a.force.x, b.force.x, 1e-9);
  EXPECT_NEAR(a.force.z, b.force.z, 1e-9);
  EXPECT_NEAR(a.power, b.power, 1e-9);
  EXPECT_LT(a.power, 0);
}

// Whatever a motion meets can hold.
TEST(OutlineHold, WhatAMotionMeetsLiesInTheSet) {
  std::mt19937_64 engine{17};
  std::normal_distribution<> draw;
  for (const BodyOutline& body : {block(), foot(), bent_beam()}) {
    const OutlineHold hold({}, body, -0.01);
    for (int k = 0; k < 3; ++k) {
      const BodyLoad load =
          load_outline(RftLaw{}, body, -0.01, {draw(engine), draw(engine)}, 15 * draw(engine));
      const Gauge share = hold.share(load.force, load.moment);
      ASSERT_TRUE(share.converged);
      EXPECT_LE(share.value, 1 + 1e-6);
      EXPECT_GT(share.value, 0);
      const Gauge half = hold.share(0.5 * load.force, 0.5 * load.moment);
      EXPECT_NEAR(half.value, 0.5 * share.value, 1e-6);
    }
  }
}

struct Slope {
  const char* name;
  BodyOutline body;
  double depth, weight, critical;
};

// On a bed that falls by β the sand has to give −W (sin β, cos β), without a moment about the centre.
TEST(OutlineHold, CriticalSlopes) {
  const Slope slopes[] = {{"foot", foot(), -0.018, 14, 0.5022226765},
                          {"bent beam", bent_beam(), -0.005, 16, 0.2425478566},
                          {"block", block(), -0.02, 18, 0.4244877592}};
  for (const Slope& s : slopes) {
    const OutlineHold hold({}, s.body, s.depth);
    const auto share = [&](double slope) {
      return hold.share({-s.weight * std::sin(slope), -s.weight * std::cos(slope)}, 0).value;
    };
    EXPECT_LT(share(s.critical - 1e-6), 1) << s.name;
    EXPECT_GT(share(s.critical + 1e-6), 1) << s.name;
  }
}

}  // namespace
}  // namespace thud
