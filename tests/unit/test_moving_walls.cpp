// Walls that move, and walls on bodies.
// Sources of truth: closed forms, by hand.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/model.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

using testing::HasSubstr;
constexpr double g = 9.81, pi = std::numbers::pi;

const std::string ball = R"toml(gravity = 9.81
[[body]]
name = "ball"
shape = { kind = "sphere", diameter = "2 cm", mass = 0.1 }
joint = "free"
)toml";
const std::string block = R"toml(gravity = 9.81
[[body]]
name = "block"
shape = { kind = "block", length = "50 mm", width = "50 mm", mass = 2 }
joint = "free"
)toml";

Result run(const std::string& text) {
  return parse(text + "[solver]\ntolerance = 1e-12\n", "test.toml").run();
}

std::string refused(const std::string& text) {
  try {
    (void)parse_scenario(text, "test.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

// In the frame of a table that rises evenly it stands still: v' = e v + (1 + e) w.
TEST(MovingWall, that_rises_evenly_sends_a_ball_back_faster) {
  const double e = 0.7, w = 0.4, h = 0.3;
  const Result r =
      run(ball + "[[wall]]\nname = \"table\"\nmotion = \"=0.4*t\"\nrestitution = 0.7\nlaw = \"newton\"\n"
          + "[initial]\n\"ball.x\" = 0\n\"ball.z\" = -0.31\n[stop]\ntime = 0.4\n");
  ASSERT_GE(r.impacts().size(), 1u);
  const ImpactInfo& hit = r.impacts()[0];
  // h = w t + g t²/2
  const double t = (-w + std::sqrt(w * w + 2 * g * h)) / g, v = g * t;
  EXPECT_NEAR(hit.time, t, 1e-11);
  EXPECT_NEAR(-hit.velocity_before[1], v + w, 1e-10);
  EXPECT_NEAR(hit.velocity_after[1], e * (v + w), 1e-10);
  // What the table gives: the impulse times its speed.
  const double impulse = 0.1 * (1 + e) * (v + w);
  EXPECT_NEAR(hit.supplied, impulse * w, 1e-10);
  EXPECT_NEAR(hit.energy_before + hit.supplied - hit.energy_after,
              0.5 * 0.1 * (1 - e * e) * (v + w) * (v + w), 1e-10);
  EXPECT_LT(std::abs(r.energy().residual), 1e-11);
}

// A fixed point of v' = e v + (1 + e) w: flights of one period each, v = g T/2, struck at the phase with w = v (1 − e)/(1 + e).
// It is stable where the slope of the table at the strike is right (Holmes 1982), and then any start nearby ends in it.
TEST(MovingWall, that_swings_keeps_a_ball_bouncing_in_step) {
  const double e = 0.8, period = 0.1, v = g * period / 2, w = v * (1 - e) / (1 + e), omega = 2 * pi / period;
  const double amplitude = 0.0015, phase = std::acos(w / (amplitude * omega));
  // From the top of a flight, half a period before the strike.
  const Result r =
      run(ball
          + fmt::format("[[wall]]\nname = \"table\"\nmotion = \"={:.17g}*sin({:.17g}*t + {:.17g})\"\n",
                        amplitude, omega, phase - pi)
          + "restitution = 0.8\nlaw = \"newton\"\n"
          + fmt::format("[initial]\n\"ball.x\" = 0\n\"ball.z\" = {:.17g}\n[stop]\ntime = 3\n",
                        -0.0101 - amplitude * std::sin(phase) - v * v / (2 * g)));
  ASSERT_GE(r.impacts().size(), 18u);
  const std::vector<ImpactInfo>& hits = r.impacts();
  const ImpactInfo& last = hits.back();
  EXPECT_NEAR(last.time - hits[hits.size() - 2].time, period, 1e-6);
  EXPECT_NEAR(last.velocity_after[1] + w, v, 1e-5);
  EXPECT_LT(std::abs(r.energy().residual), 1e-9);
}

// Slides until it has the speed of the belt: t = v/(μ g); the belt gives twice what the block has in the end.
TEST(MovingWall, belt_takes_a_block_along) {
  const double mu = 0.4, v = 0.3;
  const Result r = run(block + "[[wall]]\nname = \"belt\"\nslide = \"=0.3*t\"\nfriction = 0.4\n"
                       + "[initial]\n\"block.x\" = 0\n\"block.z\" = -0.025\n[stop]\ntime = 1\n"
                       + "[results]\nx = \"block.x at end\"\nwork = \"energy.supplied.motion at end\"\n"
                       + "push = \"min belt.force\"\n");
  EXPECT_NEAR(r["x"], v - v * v / (2 * mu * g), 1e-12);
  EXPECT_NEAR(r["work"], 2 * v * v, 1e-12);
  EXPECT_NEAR(std::abs(r["push"]), 0.0, 1e-9);  // it is never held back
  EXPECT_LT(std::abs(r.energy().residual), 1e-12);
}

// Rests on a table while that falls slower than free: lifts where A ω² sin = g, leaving with the speed of the table.
TEST(MovingWall, leaves_what_lies_on_it_when_it_falls_faster) {
  const double a = 0.01, omega = 40;  // a ω² = 16
  const Result r =
      run(ball + "[[wall]]\nname = \"table\"\nmotion = \"=0.01*sin(40*t)\"\nrestitution = 0\n"
          + "[initial]\n\"ball.x\" = 0\n\"ball.z\" = -0.01\n\"ball.vz\" = -0.4\n[stop]\ntime = 0.03\n"
          + "[results]\nlift = \"time of lift 1\"\nup = \"min ball.vz\"\n");
  EXPECT_NEAR(r["lift"], std::asin(g / (a * omega * omega)) / omega, 1e-10);
}

// A block on a wedge that slides without friction: its wedge goes back with m g sin α cos α/(M + m sin² α).
TEST(WallOnBody, wedge_is_pushed_away_by_what_slides_down_on_it) {
  const double m = 2, big = 5, alpha = 25 * pi / 180;
  const Result r = run(R"toml(gravity = 9.81
[[body]]
name = "wedge"
shape = { kind = "given", mass = 5, center = 0, inertia = 1, length = 0.1 }
joint = { kind = "slider", direction = "horizontal" }
[[body]]
name = "ball"
shape = { kind = "sphere", diameter = "2 cm", mass = 2 }
joint = "free"
[[wall]]
name = "face"
on = "wedge"
slope = "25 deg"
bodies = ["ball"]
[initial]
"ball.x" = "=0.01*sin(deg(25))"
"ball.z" = "=-0.01*cos(deg(25))"
[stop]
time = 0.5
[results]
back = "wedge.travel at end"
force = "ball@face.force at end"
)toml");
  const double s = std::sin(alpha), c = std::cos(alpha), back = m * g * s * c / (big + m * s * s);
  EXPECT_NEAR(r["back"], -0.5 * back * 0.25, 1e-11);
  EXPECT_NEAR(r["force"], m * g * c * big / (big + m * s * s), 1e-9);
  EXPECT_LT(std::abs(r.energy().residual), 1e-12);
}

// A ball strikes a plank that is pinned at its middle: v' from 1/m + a²/I, and both have what the impulse gives.
TEST(WallOnBody, plank_turns_when_it_is_struck) {
  const double m = 0.1, inertia = 0.05, a = 0.3, e = 0.6, v = 2;
  const Result r = run(R"toml(gravity = 0
[[body]]
name = "plank"
shape = { kind = "given", mass = 1, center = 0, inertia = 0.05, length = 1 }
joint = { at = [0, 0], own = "center" }
[[body]]
name = "ball"
shape = { kind = "sphere", diameter = "2 cm", mass = 0.1 }
joint = "free"
[[wall]]
name = "face"
on = "plank"
slope = "90 deg"
bodies = ["ball"]
restitution = 0.6
law = "newton"
[initial]
"plank.angle" = 1.5707963267948966
"ball.x" = 0.3
"ball.z" = -0.2
"ball.vz" = 2
[stop]
time = 0.11
[results]
rate = "plank.rate at end"
up = "ball.vz at end"
)toml");
  const double impulse = (1 + e) * v / (1 / m + a * a / inertia);
  EXPECT_NEAR(std::abs(r["rate"]), a * impulse / inertia, 1e-10);
  EXPECT_NEAR(r["up"], v - impulse / m, 1e-10);
}

// A table of positions: straight between its rows, with a jolt at each of them.
TEST(MovingWall, follows_a_table) {
  const Result r = run(ball + "[[wall]]\nname = \"table\"\nmotion = \"=interp(t, 'lift.csv')\"\nrestitution = 0\n"
                       + "[initial]\n\"ball.x\" = 0\n\"ball.z\" = -0.01\n[stop]\ntime = 0.4\n"
                       + "[results]\nwhere = \"table.travel at end\"\nball = \"ball.z at end\"\nwork = \"energy.supplied.motion at end\"\n"
                       + "[[attached]]\nname = \"lift.csv\"\ntext = \"t,x\\n0,0\\n0.2,0.04\\n1,0.12\\n\"\n");
  EXPECT_NEAR(r["where"], 0.04 + 0.2 * 0.1, 1e-12);
  EXPECT_LT(std::abs(r.energy().residual), 1e-9);
  EXPECT_LE(r["ball"], -0.01 - r["where"] + 1e-9);
}

TEST(WallInput, is_refused_with_its_place) {
  const std::string start = "[initial]\n\"ball.x\" = 0\n\"ball.z\" = -1\n";
  EXPECT_THAT(refused(ball + "[[wall]]\non = \"bal\"\n" + start), HasSubstr("did you mean \"ball\""));
  EXPECT_THAT(refused(ball + "[[wall]]\nmotion = \"=t\"\nslide = \"=t\"\n" + start),
              HasSubstr("either motion or slide"));
  EXPECT_THAT(refused(ball + "[[wall]]\nmass = 2\n" + start), HasSubstr("test.toml:7:8"));
  EXPECT_THAT(refused(ball + "[[wall]]\nname = \"ball\"\nslide = \"=t\"\n" + start),
              HasSubstr("there is a body \"ball\""));
  EXPECT_THAT(refused(ball + "[[wall]]\nmotion = \"=step(t - 1)\"\n" + start),
              HasSubstr("it jumps by 1 at t = 1 s"));
  EXPECT_THAT(refused(ball + "[[wall]]\non = \"ball\"\nbodies = [\"ball\"]\n" + start),
              HasSubstr("carries this wall"));
}

}  // namespace
}  // namespace thud
