// Springs with a preload, one-way, or with a force of their own; dampers; crush struts; what gears reflect.
// Sources of truth: closed forms of oscillators and of uniformly accelerated masses, energies, the period of Duffing's
// oscillator by quadrature.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double g = 9.81, pi = std::numbers::pi;

struct Played {
  Scenario scenario;
  RunResult run;

  double final(const std::string& name) const {
    for (std::size_t k = 0; k < scenario.observables.size(); ++k)
      if (scenario.observables[k].name == name) return run.final_values[k];
    ADD_FAILURE() << "there is no " << name;
    return 0;
  }
  double result(const std::string& name) const {
    const ResultValue* v = run.find(name);
    if (v && v->value) return *v->value;
    ADD_FAILURE() << name << " was not found: " << run.reason << " " << run.outcome.message;
    return 0;
  }
  double residual() const { return std::abs(run.outcome.energy.residual); }
};
Played play(const std::string& text) {
  RunRequest request;
  request.tolerance = 1e-12;
  Played out{parse_scenario(text, "test.toml"), {}};
  out.run = run(out.scenario, request);
  return out;
}
std::string refusal(const std::string& text) {
  try {
    (void)parse_scenario(text, "mine.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

// A mass of 2 kg that moves up and down; its middle is at z = travel.
std::string car(const std::string& joint = "", double gravity = g) {
  return "gravity = " + std::to_string(gravity) + R"(
[[body]]
name = "car"
shape = { kind = "sphere", mass = 2, diameter = 0.1 }
joint = { kind = "slider", direction = "vertical", own = "center" )"
       + joint + R"( }
[points]
middle = { body = "car", s = 0 }
)";
}

// ---- springs ------------------------------------------------------------------------------------------------------------

TEST(SpringLaw, a_preload_moves_the_equilibrium) {
  const Played p = play(car() + R"([[spring]]
name = "coil"
from = [0, -1]
to = "middle"
stiffness = 200
rest = 1
preload = 5
[initial]
"car.travel" = "=(2*9.81 - 5)/200"
[stop]
time = 1
)");
  EXPECT_NEAR(p.final("car.travel"), (2 * g - 5) / 200, 1e-12);
  EXPECT_NEAR(p.final("coil.tension"), 2 * g, 1e-10);
}

// A bungee: free fall by h, then ½ k x² = m g (h + x) at the lowest point.
TEST(SpringLaw, one_way_it_is_slack_until_its_rest_length) {
  const Played p = play(car() + R"([[spring]]
name = "bungee"
from = [0, -0.1]
to = "middle"
stiffness = 300
rest = 0.5
one_way = "pull"
[stop]
when = "car.travel.rate falls through 0"
time = 5
[results]
touch = "time of touch 1"
)");
  const double h = 0.4, a = 2 * g / 300, x = a + std::sqrt(a * a + 2 * a * h);
  EXPECT_NEAR(p.result("touch"), std::sqrt(2 * h / g), 1e-11);
  EXPECT_NEAR(p.final("car.travel"), h + x, 1e-10);
  EXPECT_NEAR(p.final("energy.spring"), 150 * x * x, 1e-8);
  EXPECT_LT(p.residual(), 1e-9);
}

// A bumper with a preload: ½ m v² = N₀ x + ½ k x², and back as fast as it came.
TEST(SpringLaw, one_way_it_pushes_with_its_preload_from_the_start) {
  const Played p = play(car("", 0) + R"([[spring]]
name = "bumper"
from = [0, 1]
to = "middle"
stiffness = 100
preload = -20
rest = 0.8
one_way = "push"
[initial]
"car.travel.rate" = 3
[stop]
time = 1
[results]
deepest = "max car.travel"
)");
  const double x = (-20 + std::sqrt(400 + 2 * 100 * 9.0)) / 100;
  EXPECT_NEAR(p.result("deepest"), 0.2 + x, 1e-9);
  EXPECT_NEAR(p.final("car.travel.rate"), -3, 1e-9);
  EXPECT_LT(p.residual(), 1e-9);
}

// Duffing: T = 4 ∫ dθ/√((k + ½ k₃ A² (1 + sin² θ))/m) over a quarter turn, by the trapezoidal rule, which is exact for
// periodic functions.
TEST(SpringLaw, an_expression_makes_duffings_oscillator) {
  const double k = 40, cubic = 3000, amplitude = 0.3;
  double period = 0;
  constexpr int n = 200;
  for (int i = 0; i < n; ++i) {
    const double s = std::sin(2 * pi * i / n);
    period += 2 * pi / n / std::sqrt((k + 0.5 * cubic * amplitude * amplitude * (1 + s * s)) / 2);
  }
  for (const bool in_joint : {false, true}) {
    const Played p = play(car("", 0)
                          + (in_joint ? R"([[joint_spring]]
name = "coil"
joint = "car"
moment = "=40*x + 3000*x^3"
)"
                                      : R"([[spring]]
name = "coil"
from = [0, -5]
to = "middle"
rest = 5
force = "=40*x + 3000*x^3"
)") + R"([initial]
"car.travel" = 0.3
[stop]
time = 5
[results]
quarter = "time when car.travel falls through 0"
)");
    EXPECT_NEAR(p.result("quarter"), period / 4, 1e-10);
    EXPECT_LT(p.residual(), 1e-9);
  }
}

// Stiffer from 20 mm on, by a corner: ½ m v² = ½ k x² + ½ K (x − c)².
TEST(SpringLaw, corners_of_an_expression_are_met) {
  const Played p = play(car("", 0) + R"([[spring]]
name = "coil"
from = [0, -5]
to = "middle"
rest = 5
force = "=max(x - 0.02, 0)*4000 + 1000*x"
[initial]
"car.travel.rate" = 2
[stop]
when = "car.travel.rate falls through 0"
time = 5
)");
  const double a = 5000, b = 4000 * 0.02, c = 0.5 * 4000 * 0.02 * 0.02 - 4;  // ½ a x² − b x + c = 0
  EXPECT_NEAR(p.final("car.travel"), (b + std::sqrt(b * b - 2 * a * c)) / a, 1e-10);
  EXPECT_NEAR(p.final("energy.spring"), 4, 1e-9);
  EXPECT_LT(p.residual(), 1e-10);
}

TEST(SpringLaw, refuses_what_makes_no_sense) {
  const std::string ends = "[[spring]]\nfrom = [0, 0]\nto = \"middle\"\nrest = 1\n";
  EXPECT_THAT(refusal(car() + ends + "stiffness = 3\nforce = \"=x\"\n"), HasSubstr("not both"));
  EXPECT_THAT(refusal(car() + ends), HasSubstr("stiffness"));
  EXPECT_THAT(refusal(car() + ends + "force = \"=y\"\n"),
              AllOf(HasSubstr("mine.toml:12:"), HasSubstr("\"y\"")));
  EXPECT_THAT(refusal(car() + ends + "force = \"=1/x\"\n"), HasSubstr("mine.toml:12:"));
  EXPECT_THAT(refusal(car() + ends + "stiffness = 1\none_way = \"pul\"\n"), HasSubstr("pull"));
  EXPECT_THAT(refusal(car() + ends + "stiffness = 1\none_way = \"pull\"\ndamping = 2\n"),
              HasSubstr("a one-way spring has no damper"));
}

// ---- dampers ------------------------------------------------------------------------------------------------------------

TEST(Damper, slows_exponentially_or_by_its_law) {
  const std::string rest = R"([initial]
"car.travel.rate" = 3
[stop]
time = 0.7
)";
  const Played linear =
      play(car("", 0) + "[[damper]]\nname = \"oil\"\nfrom = [0, -5]\nto = \"middle\"\ndamping = 4\n" + rest);
  EXPECT_NEAR(linear.final("car.travel.rate"), 3 * std::exp(-4 * 0.7 / 2), 1e-10);
  EXPECT_NEAR(linear.final("energy.loss.damper"), 9 * (1 - std::exp(-4 * 0.7)), 1e-9);
  const Played square =
      play(car("", 0) + "[[damper]]\nfrom = [0, -5]\nto = \"middle\"\nforce = \"=4*v*abs(v)\"\n" + rest);
  EXPECT_NEAR(square.final("car.travel.rate"), 3 / (1 + 4.0 / 2 * 3 * 0.7), 1e-10);
}

TEST(Damper, refuses_to_drive) {
  const std::string ends = "[[damper]]\nfrom = [0, 0]\nto = \"middle\"\n";
  EXPECT_THAT(refusal(car() + ends + "force = \"=-2*v\"\n"), HasSubstr("against the motion"));
  EXPECT_THAT(refusal(car() + ends + "force = \"=x\"\n"), HasSubstr("\"x\""));
  EXPECT_THAT(refusal(car() + ends), HasSubstr("damping"));
}

// ---- struts -------------------------------------------------------------------------------------------------------------

const std::string strut = R"([[strut]]
name = "crush"
from = [0, 1]
to = "middle"
length = 1
force = 50
stroke = 0.5
)";

// ½ m v² + m g s = F s, and then it stands: the strut carries the weight.
TEST(Strut, is_crushed_by_energy_over_force) {
  const Played p = play(car() + strut + "[initial]\n\"car.travel.rate\" = 3\n[stop]\ntime = 5\n");
  const double s = 0.5 * 2 * 9 / (50 - 2 * g);
  EXPECT_EQ(p.run.outcome.reason, StopReason::rest);
  EXPECT_NEAR(p.final("car.travel"), s, 1e-10);
  EXPECT_NEAR(p.final("crush.stroke"), s, 1e-10);
  EXPECT_NEAR(p.final("crush.left"), 0.5 - s, 1e-10);
  EXPECT_NEAR(p.final("crush.force"), 2 * g, 1e-9);
  EXPECT_NEAR(p.final("energy.loss.strut"), 50 * s, 1e-9);
  EXPECT_LT(p.residual(), 1e-9);
}

// Crushed by v²/2 m/F, drawn away, and pushed back: no force until it is as short as it was, then on from there.
TEST(Strut, remembers_its_stroke) {
  const std::string drive = ", force = \"=-20*pulse(t, 0.5, 0.7) + 20*step(t - 0.7)\"";
  const std::string text = car(drive, 0) + strut + "[initial]\n\"car.travel.rate\" = 3\n[stop]\ntime = ";
  const double first = 2 * 9.0 / 2 / 50;  // then a = −10 for 0.2 s, and +10 back: v² = 4 + 2·10·0.2
  const Played away = play(text + "0.7\n");
  EXPECT_NEAR(away.final("car.travel"), first - 0.2, 1e-9);
  EXPECT_NEAR(away.final("crush.stroke"), first, 1e-10);
  EXPECT_EQ(away.final("crush.force"), 0);
  const Played back = play(text + "3\n");
  const double second = 0.5 * 2 * (4 + 2 * 10 * 0.2) / (50 - 20);
  EXPECT_NEAR(back.final("car.travel"), first + second, 1e-9);
  EXPECT_NEAR(back.final("crush.force"), 20, 1e-9);
  EXPECT_LT(back.residual(), 1e-9);
}

// Faster than it can take: what is left strikes a stop, plastically, and the log tells it.
TEST(Strut, tells_when_it_is_used_up) {
  const Played p = play(car("", 0) + strut + "[initial]\n\"car.travel.rate\" = 10\n[stop]\ntime = 1\n");
  ASSERT_EQ(p.run.outcome.impacts.size(), 1u);
  const ImpactRecord& hit = p.run.outcome.impacts[0];
  EXPECT_NEAR(hit.time, 2 * (10 - std::sqrt(100 - 50 * 0.5)) / 50, 1e-10);
  EXPECT_NEAR(hit.energy_before, 75, 1e-8);
  EXPECT_NEAR(hit.energy_after, 0, 1e-8);
  EXPECT_NEAR(p.final("crush.left"), 0, 1e-10);
  bool told = false;
  for (const Event& e : p.run.outcome.events) told = told || e.kind == EventKind::used_up;
  EXPECT_TRUE(told);
  EXPECT_NEAR(p.final("energy.loss.strut"), 25, 1e-9);
}

TEST(Strut, refuses_a_stroke_longer_than_itself) {
  EXPECT_THAT(
      refusal(car() + "[[strut]]\nfrom = [0, 1]\nto = \"middle\"\nlength = 1\nforce = 5\nstroke = 2\n"),
      AllOf(HasSubstr("mine.toml:8:"), HasSubstr("stroke must be less than length")));
}

// ---- what gears reflect -------------------------------------------------------------------------------------------------

// n² J with n = 20, J = 1e-4: a weightless rod on a spring swings with ω² = k/(I + n² J).
TEST(Gear, adds_its_inertia_to_the_joint) {
  const auto text = [](const std::string& inertia) {
    return R"(gravity = 0
[[body]]
name = "rod"
shape = { kind = "cylinder", length = 0.6, diameter = 0.001, mass = 0.8, inertia = "slender" }
joint = { kind = "pin")"
         + inertia + R"( }
[[joint_spring]]
joint = "rod"
stiffness = 5
[initial]
"rod.angle" = 0.4
[stop]
time = 5
[results]
quarter = "time when rod.angle falls through 0"
)";
  };
  const double own = 0.8 * 0.36 / 3;
  for (const double gear : {0.0, 400e-4}) {
    const Played p = play(text(gear > 0 ? ", inertia = \"=20^2*1e-4\"" : ""));
    EXPECT_NEAR(p.result("quarter"), pi / 2 * std::sqrt((own + gear) / 5), 1e-10);
    EXPECT_LT(p.residual(), 1e-10);
  }
}

TEST(Gear, adds_its_mass_to_a_slider) {
  const Played p = play(car(", inertia = 3") + "[stop]\ntime = 0.5\n");
  EXPECT_NEAR(p.final("car.travel"), 0.5 * g * 2 / 5 * 0.25, 1e-11);
  EXPECT_LT(p.residual(), 1e-11);
}

TEST(Gear, refuses_joints_that_do_not_move) {
  const auto body = [](const std::string& rest) {
    return refusal("[[body]]\nname = \"b\"\nshape = { kind = \"sphere\", mass = 2, diameter = 0.1 }\n"
                   + rest);
  };
  EXPECT_THAT(body("joint = \"free\"\njoint_inertia = 1\n"), HasSubstr("mine.toml:5:"));
  EXPECT_THAT(body("joint = { kind = \"pin\", inertia = -1 }\n"), HasSubstr("-1"));
  EXPECT_THAT(body("joint = { kind = \"pin\", inertia = 1 }\njoint_inertia = 1\n"), HasSubstr("one of them"));
  EXPECT_THAT(body("joint = { kind = \"pin\", inertia = \"1 kg\" }\n"), HasSubstr("kg"));
}

}  // namespace
}  // namespace thud
