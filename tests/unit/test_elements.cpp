// Springs and forces: elements that came in as a file each.
// Sources of truth: the harmonic oscillator, damped and not, uniformly accelerated bodies, pendulums in closed form, the
// energy account.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"
#include "thud/scenario/schema.hpp"
#include "thud/study/modes.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

constexpr double g = 9.81;

RunResult play(const std::string& text, const KnobSettings& set = {}) {
  RunRequest request;
  request.tolerance = 1e-12;
  return run(parse_scenario(text, "test.toml", set), request);
}
double final_of(const std::string& text, const std::string& name) {
  const Scenario s = parse_scenario(text, "test.toml");
  const RunResult r = play(text);
  for (std::size_t k = 0; k < s.observables.size(); ++k)
    if (s.observables[k].name == name) return r.final_values[k];
  ADD_FAILURE() << "there is no " << name;
  return 0;
}

const std::string ball = R"([[body]]
name = "ball"
shape = { kind = "sphere", mass = 2, diameter = 0.1 }
joint = "free"
[initial]
"ball.z" = 0.5
[stop]
time = 1.3
[points]
middle = { body = "ball", s = 0 }
)";

// A mass that hangs on a spring: z = z₀ + A cos ωt about z₀ = ℓ₀ + m g/k.
TEST(Spring, carries_a_ball_as_an_oscillator) {
  const std::string text = ball + R"([[spring]]
name = "coil"
from = [0, 0]
to = "middle"
stiffness = 200
rest = "300 mm"
)";
  const double mean = 0.3 + 2 * g / 200, omega = 10;
  const double z = mean + (0.5 - mean) * std::cos(omega * 1.3);
  EXPECT_NEAR(final_of(text, "ball.z"), z, 1e-9);
  EXPECT_NEAR(final_of(text, "coil.length"), z, 1e-9);
  EXPECT_NEAR(final_of(text, "coil.tension"), 200 * (z - 0.3), 2e-7);
  EXPECT_NEAR(final_of(text, "energy.spring"), 100 * (z - 0.3) * (z - 0.3), 1e-8);
  EXPECT_LT(std::abs(play(text).outcome.energy.residual), 1e-9);
}

// m z̈ = m g − k (z − ℓ₀) − c ż, underdamped.
TEST(Spring, damps_as_an_oscillator_and_accounts_for_it) {
  const std::string text = ball + R"([[spring]]
from = [0, 0]
to = "middle"
stiffness = 200
rest = "300 mm"
damping = 4
)";
  const double mean = 0.3 + 2 * g / 200, decay = 1, omega = std::sqrt(100.0 - 1), t = 1.3;
  const double amplitude = 0.5 - mean;
  const double z =
      mean + amplitude * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  EXPECT_NEAR(final_of(text, "ball.z"), z, 1e-9);
  EXPECT_GT(final_of(text, "energy.loss.spring_damping"), 0.1);
  EXPECT_LT(std::abs(play(text).outcome.energy.residual), 1e-9);
}

// Two masses and a spring between them: the mass centre falls freely, the distance swings with k (1/m₁ + 1/m₂).
TEST(Spring, acts_on_both_of_its_bodies) {
  const std::string text = R"([[body]]
name = "ball{i}"
repeat = 2
shape = { kind = "sphere", mass = "=i", diameter = 0.1 }
joint = "free"
[[spring]]
name = "coil"
from = "ball1.start"
to = "ball2.start"
stiffness = 300
rest = 1
[initial]
"ball2.x" = 1.2
[stop]
time = 0.7
)";
  const double omega = std::sqrt(300 * (1 + 0.5));
  EXPECT_NEAR(final_of(text, "coil.length"), 1 + 0.2 * std::cos(omega * 0.7), 1e-9);
  EXPECT_LT(std::abs(play(text).outcome.energy.residual), 1e-9);
}

// A beam pulled at its tip: only the account can know all of it.
TEST(Spring, at_a_beam_closes_the_account) {
  const std::string text = R"([[body]]
name = "arm"
shape = { kind = "beam", length = 0.8, diameter = 0.01, mass = 0.5, rigidity = 20, modes = 3, damping = 0.02 }
joint = "pin"
[[spring]]
from = [0.3, 0.2]
to = "arm.tip"
stiffness = 500
rest = 0.5
damping = 0.3
[initial]
"arm.angle" = "50 deg"
[stop]
time = 0.5
)";
  const RunResult r = play(text);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
  EXPECT_GT(r.outcome.energy.lost.size(), 0u);
}

// (k + m g ℓ)/I of a rod with a torsion spring at its pin.
TEST(JointSpring, stiffens_a_pendulum) {
  const std::string text = R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.6, diameter = 0.001, mass = 1.5, inertia = "slender" }
joint = "pin"
[[joint_spring]]
joint = "rod"
stiffness = 4
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const ModalAnalysis a = analyse_modes(*s.system, {0.0}, {});
  EXPECT_NEAR(a.modes.at(0).omega(), std::sqrt((4 + 1.5 * g * 0.3) / (1.5 * 0.36 / 3)), 1e-9);
}

// Where k (φ − φ₀) carries the weight: the equilibrium that `modes --at equilibrium` finds.
TEST(JointSpring, holds_a_rod_up_in_equilibrium) {
  const std::string text = R"([[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.6, diameter = 0.01, mass = 1.5 }
joint = "pin"
[[joint_spring]]
joint = "rod"
stiffness = 30
rest = "90 deg"
)";
  const Scenario s = parse_scenario(text, "test.toml");
  const Equilibrium e = find_equilibrium(*s.system, {1.5});
  ASSERT_TRUE(e.found) << e.reason;
  EXPECT_NEAR(30 * (std::numbers::pi / 2 - e.q[0]), 1.5 * g * 0.3 * std::sin(e.q[0]), 1e-9);
}

// A ball on a spring has one, though it is free; without the spring it falls.
TEST(Spring, gives_a_free_body_an_equilibrium) {
  const Scenario hangs = parse_scenario(ball + R"([[spring]]
from = [0, 0]
to = "middle"
stiffness = 200
rest = "300 mm"
)",
                                        "test.toml");
  const Equilibrium e = find_equilibrium(*hangs.system, hangs.q);
  ASSERT_TRUE(e.found) << e.reason;
  EXPECT_NEAR(e.q[1], 0.3 + 2 * g / 200, 1e-9);
  EXPECT_FALSE(find_equilibrium(*parse_scenario(ball, "test.toml").system, {0, 0.5, 0}).found);
}

// F t²/2m, and F x supplied.
TEST(PointForce, pushes_a_ball_in_the_world) {
  const std::string text = ball + R"([[force]]
name = "push"
at = "middle"
x = 3
)";
  EXPECT_NEAR(final_of(text, "ball.x"), 3 * 1.3 * 1.3 / (2 * 2), 1e-9);
  EXPECT_NEAR(final_of(text, "energy.supplied.force"), 3 * 3 * 1.3 * 1.3 / (2 * 2), 1e-8);
  EXPECT_LT(std::abs(play(text).outcome.energy.residual), 1e-9);
}

// A thruster across a pinned rod turns with it: I α = F ℓ for good.
TEST(PointForce, turns_with_its_body) {
  const std::string text = R"(gravity = 0
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.6, diameter = 0.001, mass = 1.5, inertia = "slender" }
joint = "pin"
[[force]]
at = "rod.tip"
x = "=2 + 0*t"
frame = "body"
[stop]
time = 1
)";
  EXPECT_NEAR(final_of(text, "rod.angle"), 2 * 0.6 / (1.5 * 0.36 / 3) / 2, 1e-9);
}

// ∫F dt of a half sine that is over before the end.
TEST(PointForce, of_time_gives_its_impulse) {
  const std::string text = ball + R"toml([[force]]
at = "middle"
x = "=5*sin(pi*t/0.4)*pulse(t, 0, 0.4)"
)toml";
  EXPECT_NEAR(final_of(text, "ball.vx"), 5 * 2 * 0.4 / std::numbers::pi / 2, 1e-6);
}

std::string refusal(const std::string& table) {
  try {
    (void)parse_scenario(ball + table, "test.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was wrong";
}

TEST(ElementInput, is_refused_with_its_place_and_a_suggestion) {
  EXPECT_THAT(refusal("[[spring]]\nfrom = [0, 0]\nto = \"midle\"\nstiffness = 1\nrest = 1\n"),
              HasSubstr("did you mean \"middle\""));
  EXPECT_THAT(refusal("[[spring]]\nfrom = [0, 0]\nto = \"middle\"\nstiffness = -1\nrest = 1\n"),
              HasSubstr("test.toml:14:13"));
  EXPECT_THAT(refusal("[[spring]]\nfrom = [0, 0]\nto = \"middle\"\nstiffness = \"2 kg\"\nrest = 1\n"),
              HasSubstr("stiffness"));
  EXPECT_THAT(refusal("[[spring]]\nfrom = [0, 0]\nto = \"middle\"\nstiffness = 1\nrest = 1\nslack = 2\n"),
              HasSubstr("slack"));
  EXPECT_THAT(
      refusal("[[spring]]\nname = \"ball\"\nfrom = [0, 0]\nto = \"middle\"\nstiffness = 1\nrest = 1\n"),
      HasSubstr("name of something else"));
  EXPECT_THAT(refusal("[[joint_spring]]\njoint = \"ball\"\nstiffness = 1\n"), HasSubstr("free"));
  EXPECT_THAT(refusal("[[force]]\nat = [1, 2]\nx = 3\n"), HasSubstr("acts on a body"));
}

// What a file may hold, and what the reference says of it, come from the same lines.
TEST(ElementInput, stands_in_schema_and_reference) {
  const std::string schema = make_scenario_schema(), page = make_scenario_reference();
  for (const char* word : {"spring", "joint_spring", "force", "stiffness"}) {
    EXPECT_THAT(schema, HasSubstr(std::string("\"") + word + "\""));
    EXPECT_THAT(page, HasSubstr(word));
  }
}

}  // namespace
}  // namespace thud
