// Cases that once went wrong, each with what must hold.

#include <string>

#include "thud/scenario/run.hpp"

namespace thud {
namespace {

int count(const RunResult& r, EventKind kind) {
  int n = 0;
  for (const Event& e : r.outcome.events) n += e.kind == kind;
  return n;
}

std::string arm(const std::string& surface, const std::string& angle, const std::string& more) {
  return "gravity = [0, 0]\n[[body]]\nname = \"arm\"\n"
         "shape = { kind = \"sphere\", at = 0.5, diameter = 0.02, mass = 0.1 }\njoint = \"pin\"\n"
         "[bed]\nlaw = \"bingham\"\nF0 = 1e-3\nsurface = "
       + surface + "\n[initial]\n\"arm.angle\" = " + angle + "\n\"arm.rate\" = 3\n[stop]\ntime = 1.8\n"
       + more;
}

// At the lowest point the vertical velocity of the ball vanishes with its row of the Jacobian: nothing is to stop.
TEST(Regression, pendulum_passes_its_lowest_point_inside_the_sand) {
  const RunResult r = run(parse_scenario(arm("0.4999", "-3", ""), "arm"));
  EXPECT_EQ(r.outcome.reason, StopReason::time_limit);
  EXPECT_EQ(count(r, EventKind::leave), 1);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-9);
}

// Free flight makes long steps; a dip of a micrometre inside one of them is found. Source of truth: a circle of radius
// 0.5 m reaches below 0.499999 m for 2 acos(0.499999/0.5)/3 s.
TEST(Regression, dip_inside_one_step_is_found) {
  const RunResult r = run(parse_scenario(arm("0.499999", "-2", ""), "arm"));
  ASSERT_EQ(count(r, EventKind::enter), 1);
  ASSERT_EQ(count(r, EventKind::leave), 1);
  double enter = 0, leave = 0;
  for (const Event& e : r.outcome.events) {
    if (e.kind == EventKind::enter) enter = e.time;
    if (e.kind == EventKind::leave) leave = e.time;
  }
  EXPECT_NEAR(leave - enter, 2 * std::acos(0.499999 / 0.5) / 3, 1e-6);
}

TEST(Regression, links_at_rest_with_their_tips_on_the_surface_start) {
  const RunResult r = run(parse_scenario(R"toml([[body]]
repeat = 2
name = "l{i}"
shape = { kind = "cylinder", length = 0.15, diameter = 0.01, density = 7700 }
joint = "free"
[bed]
[initial]
repeat = 2
"l{i}.angle" = "=deg(20*i)"
"l{i}.tip.x" = "=i"
"l{i}.tip.z" = 0
[stop]
time = 1e-3
)toml",
                                         "links"));
  EXPECT_EQ(r.outcome.reason, StopReason::time_limit) << r.outcome.message;
}

TEST(Regression, disc_goes_wholly_under) {
  const RunResult r = run(parse_scenario(R"toml([[body]]
name = "d"
shape = { kind = "disc", diameter = 0.08, thickness = 0.02, mass = 1 }
joint = "free"
[bed]
eta_v = 2
[initial]
"d.depth" = -0.05
"d.vz" = 3
)toml",
                                         "disc"));
  EXPECT_EQ(r.outcome.reason, StopReason::rest) << r.outcome.message;
  EXPECT_EQ(count(r, EventKind::submerge), 1);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

const char* pulsed_rod = R"toml(
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.2, diameter = 0.01, mass = 0.1 }
joint = { kind = "pin", friction = 1, torque = "=3*step(t - 0.5)" }
[stop]
when = "rod.angle rises through 1"
)toml";

TEST(Regression, rest_waits_for_a_torque_that_is_to_come) {
  const RunResult r = run(parse_scenario(pulsed_rod, "rod"));
  EXPECT_TRUE(r.reached) << r.reason;
  EXPECT_GT(r.outcome.time, 0.5);
}

TEST(Regression, rest_named_among_the_stops_counts) {
  const RunResult r = run(parse_scenario(R"toml([[body]]
name = "ball"
shape = { kind = "sphere", diameter = 0.02, mass = 0.1 }
joint = "free"
[bed]
[initial]
"ball.vz" = 1
[stop]
when = ["ball.depth rises through 0.5", "rest"]
)toml",
                                         "ball"));
  EXPECT_EQ(r.outcome.reason, StopReason::rest);
  EXPECT_TRUE(r.reached);
}

// A rate that reaches zero at the instant when everything stops has reached it, at any tolerance.
TEST(Regression, stop_at_the_instant_of_rest_is_found) {
  for (double tolerance : {1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    RunRequest request;
    request.tolerance = tolerance;
    const RunResult chain =
        run(load_scenario("two_link_chain", {{"speed", "0"}, {"rate1", "5"}, {"rate2", "-5"}}), request);
    EXPECT_TRUE(chain.reached) << tolerance << ": " << chain.reason;
    const RunResult pendulum = run(load_scenario("double_pendulum"), request);
    EXPECT_TRUE(pendulum.reached) << tolerance << ": " << pendulum.reason;
  }
}

// A pulse is met wherever it lies and however short it is: without gravity a torque of area 0.1 N m s gives a sphere about
// its pin the rate 0.1/J. Rounding of the length of the pulse, two ulps of 9 s over it, and ten tolerances of 1e-9.
TEST(Regression, short_pulses_of_torque_are_not_stepped_over) {
  const double inertia = 0.1 * (0.5 * 0.5 + 0.1 * 0.02 * 0.02);  // m (l² + 2/5 r²)
  for (const char* torque :
       {"pulse(t, t0, t0 + w)", "step(t - t0)*step(t0 + w - t)", "(t >= t0 && t < t0 + w)",
        "0.5*(sign(t - t0) - sign(t - t0 - w))", "max(0, sign(t - t0))*(t < t0 + w)"})
    for (double w : {1e-2, 1e-4, 1e-6, 1e-8})
      for (double t0 : {0.1, 1.0 / 3, 4.137, 9.05}) {
        const RunResult r =
            run(parse_scenario("gravity = [0, 0]\n[parameters]\nt0 = " + std::to_string(t0)
                                   + "\nw = { value = 1e-3, range = [0, 1] }\n"
                                   + "[[body]]\nname = \"arm\"\nshape = { kind = \"sphere\", at = 0.5, "
                                     "diameter = 0.02, mass = 0.1 }\n"
                                   + "joint = { kind = \"pin\", torque = \"=0.1/w*" + torque
                                   + "\" }\n[stop]\ntime = 10\n" + "[results]\nrate = \"arm.rate at end\"\n",
                               "arm", {{"w", std::to_string(w * 1e9) + "e-9"}}));
        ASSERT_TRUE(r.results.size() == 1 && r.results[0].value);
        EXPECT_NEAR(*r.results[0].value * inertia / 0.1, 1, 1e-8 + 4e-15 / w)
            << torque << " " << w << " " << t0;
      }
}

}  // namespace
}  // namespace thud
