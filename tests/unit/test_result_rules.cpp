// Results made of others: expressions, means, integrals, impulses and works.
// Source of truth: motions that are known in closed form, and balances of momentum and energy, by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "thud/scenario/family.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using std::numbers::pi;
using testing::HasSubstr;

constexpr double g = 9.81;

RunResult run_text(const std::string& text) { return run(parse_scenario(text, "mine.toml", {})); }

double value(const RunResult& r, const char* name) {
  const ResultValue* found = r.find(name);
  return found ? found->value.value_or(std::numeric_limits<double>::quiet_NaN())
               : std::numeric_limits<double>::quiet_NaN();
}
std::string unit(const RunResult& r, const char* name) { return r.find(name)->unit; }

// 1e-9 of the value, as is promised.
void expect_close(double got, double wanted) { EXPECT_NEAR(got, wanted, 1e-9 * std::abs(wanted)); }

std::string refusal(const std::string& text) {
  try {
    (void)parse_scenario(text, "mine.toml", {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

// A stone that falls from rest for a second.
std::string falling(const std::string& results, const std::string& stop = "time = 1") {
  return R"T([[body]]
name = "stone"
shape = { kind = "sphere", diameter = "40 mm", mass = 2 }
joint = "free"
[initial]
"stone.z" = -3
"stone.vx" = 0.5
[stop]
)T" + stop
       + "\n[results]\n" + results;
}

TEST(ResultRules, a_fall) {
  const RunResult r = run_text(falling(R"T(
mean = "mean stone.vz"
rms = "rms stone.vz"
path = "integral stone.vz"
weight = "impulse of (2*stone.az)"
part = "integral stone.vz from 0.25 to 500 ms"
back = "integral stone.vz from 0.5 s to 0.25 s"
later = "mean stone.z from t_1"
t_1 = "time when stone.vz rises through 2"
early = "rms (stone.z + 3) to t_1"
half = "integral stone.vz to t_half"
t_half = "=t_1/2"
)T"));
  expect_close(value(r, "mean"), g / 2);
  expect_close(value(r, "rms"), g / std::sqrt(3.0));
  expect_close(value(r, "path"), g / 2);
  expect_close(value(r, "part"), g / 2 * (0.25 - 0.0625));
  expect_close(value(r, "back"), -g / 2 * (0.25 - 0.0625));
  const double t1 = 2 / g;
  expect_close(value(r, "later"), (-3 * (1 - t1) + g / 6 * (1 - t1 * t1 * t1)) / (1 - t1));
  expect_close(value(r, "early"), g / 2 * t1 * t1 / std::sqrt(5.0));  // √(∫(gt²/2)²dt / t₁)
  expect_close(value(r, "half"), g / 8 * t1 * t1);
  expect_close(value(r, "weight"), 2 * g);  // the impulse of its weight
  EXPECT_EQ(unit(r, "mean"), "m/s");
  EXPECT_EQ(unit(r, "path"), "m");
  EXPECT_EQ(unit(r, "t_half"), "s");
}

TEST(ResultRules, expressions_of_results_in_any_order) {
  const RunResult r = run_text(falling(R"T(
gain = "=end - start"
start = "stone.z when stone.vz rises through 1"
end = "stone.z at end"
speed = "=gain/(1 - t_1)"
t_1 = "time when stone.vz rises through 1"
energy = "=peak^2*2/2"
peak = "max stone.vz"
none = "=1/(end - end)"
)T"));
  expect_close(value(r, "gain"), g / 2 - 1 / (2 * g));
  expect_close(value(r, "speed"), (g / 2 - 1 / (2 * g)) / (1 - 1 / g));
  expect_close(value(r, "energy"), g * g);
  EXPECT_EQ(unit(r, "gain"), "m");
  EXPECT_EQ(unit(r, "speed"), "m/s");
  EXPECT_EQ(unit(r, "energy"), "m2/s2");
  EXPECT_FALSE(r.find("none")->value);  // not a number, and not passed off as one
}

TEST(ResultRules, expressions_of_observables) {
  const RunResult r = run_text(falling(R"T(
top = "max stone.vz - 4*stone.vx"
low = "min (stone.z*stone.z)"
t = "time when stone.vz - stone.vx rises through 1.5"
z = "stone.z + 3 at end"
x = "stone.x + 0 when (stone.vz - stone.vx) rises through 150 cm/s"
)T",
                                       "when = \"stone.vz*stone.vz - 1 rises through 24\""));
  EXPECT_NEAR(value(r, "top"), 5 - 2, 1e-10);
  expect_close(value(r, "t"), 2 / g);
  const double end = 5 / g;
  expect_close(r.outcome.time, end);
  expect_close(value(r, "z"), g / 2 * end * end);
  expect_close(value(r, "low"), std::pow(3 - g / 2 * end * end, 2));
  expect_close(value(r, "x"), 0.5 * 2 / g);
  EXPECT_EQ(unit(r, "low"), "m2");
}

// At the default tolerance the motion between the ends of long steps is known to 1e-8 only.
// A mass on a spring along a rail, from an extension of 0.1 m at rest: x = 0.1 cos ωt.
std::string swinging(const std::string& results, const std::string& end) {
  return fmt::format(R"T(gravity = 0
[[body]]
name = "mass"
shape = {{ kind = "sphere", diameter = "40 mm", mass = 2 }}
joint = {{ kind = "slider", direction = "horizontal" }}
[[spring]]
name = "coil"
from = [-1, 0]
to = "mass.tip"
stiffness = 50
rest = 1
[initial]
"mass.travel" = 0.1
[solver]
tolerance = 1e-12
[stop]
time = {}
[results]
)T",
                     end)
       + results;
}

TEST(ResultRules, a_linear_spring) {
  const double w = 5, period = 2 * pi / w;
  const RunResult r = run_text(swinging(R"T(
work = "work of coil"
quarter = "work of coil to t_0"
t_0 = "time when mass.x falls through 0"
push = "impulse of coil to t_0"
rms = "rms mass.x"
power = "mean (coil.tension*coil.rate) to t_0"
)T",
                                        fmt::format("{:.17g}", period)));
  // ½ k A² goes into the mass within a quarter, and all comes back.
  expect_close(value(r, "quarter"), 0.5 * 50 * 0.01);
  EXPECT_NEAR(value(r, "work"), 0, 1e-10);
  expect_close(value(r, "push"), 2 * 0.1 * w);  // m Δv
  expect_close(value(r, "rms"), 0.1 / std::sqrt(2.0));
  expect_close(value(r, "power"), -0.25 / (period / 4));
  EXPECT_EQ(unit(r, "work"), "J");
  EXPECT_EQ(unit(r, "push"), "N s");
  EXPECT_EQ(unit(r, "power"), "W");
}

TEST(ResultRules, bounces_are_part_of_impulse_and_work) {
  const double e = 0.8, h = 1, m = 0.1, fall = std::sqrt(2 * h / g), v = g * fall;
  const std::string text = R"T([[body]]
name = "ball"
shape = { kind = "sphere", diameter = "40 mm", mass = 0.1 }
joint = "free"
[contact]
restitution = 0.8
[[wall]]
name = "floor"
[initial]
"ball.z" = -1.02
[stop]
when = "ball.vz - 0 rises through 100"
time = 1.5
[results]
impulse = "impulse of ball@floor"
work = "work of ball@floor"
first = "impulse of ball@floor to t1"
t1 = "time of impact 1"
t2 = "time of impact 2"
flight = "mean ball.vz from t1 to t2"
way = "integral ball.vz"
size = "integral abs(ball.vz) to t2"
n = "count of impacts"
vz = "ball.vz at end"
z = "ball.z at end"
)T";
  const RunResult r = run_text(text);
  ASSERT_GT(value(r, "n"), 1);
  // Momentum: weight less floor.
  expect_close(value(r, "impulse"), m * g * 1.5 - m * value(r, "vz"));
  expect_close(value(r, "first"), m * (1 + e) * v);
  double lost = 0;
  for (int k = 0; k < static_cast<int>(value(r, "n")); ++k)
    lost += m * g * h * (1 - e * e) * std::pow(e, 2 * k);
  expect_close(value(r, "work"), -lost);
  EXPECT_NEAR(value(r, "flight"), 0, 1e-12);
  expect_close(value(r, "way"), value(r, "z") + 1.02);
  expect_close(value(r, "size"), h + 2 * e * e * h);  // a corner inside the flight
}

TEST(ResultRules, sand_takes_what_is_lost) {
  const RunResult r = run_text(R"T([[body]]
name = "ball"
shape = { kind = "sphere", diameter = "40 mm", mass = 0.1 }
joint = "free"
[bed]
[initial]
"ball.z" = -0.02
"ball.vz" = 2
"ball.vx" = 1
[stop]
when = "ball.vz falls through 0"
[solver]
tolerance = 1e-12
[results]
work = "work of ball.sand"
kinetic = "energy.kinetic at end"
potential = "energy.potential at end"
impulse = "impulse of ball.resistance.z"
t = "time at end"
)T");
  const double given = 0.5 * 0.1 * 5;  // the energy of the start, of which the potential is that at −0.02
  const double start = given - 0.1 * g * -0.02;
  EXPECT_NEAR(value(r, "work"), value(r, "kinetic") + value(r, "potential") - start, 1e-9 * given);
  expect_close(value(r, "impulse"), -0.1 * 2 - 0.1 * g * value(r, "t"));
}

TEST(ResultRules, a_torque_and_what_resists_it) {
  const RunResult r = run_text(R"T(gravity = 0
[[body]]
name = "wheel"
shape = { kind = "sphere", diameter = "0.2 m", mass = 5 }
joint = { kind = "pin", torque = "=pulse(t, 0.1, 0.3)*2", damping = 0.1, friction = 0.05 }
[stop]
time = 0.5
[results]
work = "work of wheel.torque"
supplied = "energy.supplied.torque at end"
damped = "work of wheel.joint_damping"
rubbed = "work of wheel.joint_friction"
lost = "energy.loss.joint_damping at end"
dry = "energy.loss.joint_friction at end"
impulse = "impulse of wheel.joint.torque from 0.1 to 0.3"
)T");
  ASSERT_GT(value(r, "work"), 0);
  expect_close(value(r, "work"), value(r, "supplied"));
  expect_close(value(r, "damped"), -value(r, "lost"));
  expect_close(value(r, "rubbed"), -value(r, "dry"));
  EXPECT_EQ(unit(r, "impulse"), "N m s");
}

// First it slides, then it rolls: the floor carries the weight all the time, and friction takes what is lost.
TEST(ResultRules, a_contact_that_lasts) {
  const RunResult r = run_text(R"T([[body]]
name = "ball"
shape = { kind = "sphere", diameter = "0.2 m", mass = 1 }
joint = "free"
[contact]
restitution = 0
friction = 0.2
[[wall]]
name = "floor"
[initial]
"ball.z" = -0.1
"ball.vx" = 2
[stop]
time = 1
[results]
impulse = "impulse of ball@floor"
work = "work of ball@floor"
push = "impulse of ball@floor.friction"
vx = "ball.vx at end"
)T");
  expect_close(value(r, "impulse"), g);
  expect_close(std::abs(value(r, "vx")), 2 * 5.0 / 7);  // rolling, from the angular momentum about the floor
  expect_close(std::abs(value(r, "push")), 2 * 2.0 / 7);
  expect_close(value(r, "work"), -0.5 * 4 * 2 / 7);  // of ½mv² two sevenths are lost
}

TEST(ResultRules, sweeps_give_the_same_on_any_thread) {
  const std::string text =
      "[parameters]\nspeed = { value = 1, range = [0, 9] }\n"
      + falling("a = \"mean (stone.vz*stone.vx)\"\nb = \"=2*a - c\"\nc = \"rms stone.z\"\n")
      + "[output]\nplot = [\"stone.vz - stone.vx\"]\n";
  const std::string turned = [&] {
    std::string out = text;
    out.replace(out.find("\"stone.vx\" = 0.5"), 16, "\"stone.vx\" = \"=speed\"");
    return out;
  }();
  const auto all = [&] {
    ScenarioFamily family = ScenarioFamily::parse(turned, "mine.toml", {}, {"speed"}, {"a", "b"});
    std::vector<double> out;
    for (double speed : {0.25, 1.0, 3.0}) {
      double values[2];
      (void)family.run({&speed, 1}, values);
      out.insert(out.end(), values, values + 2);
    }
    return out;
  };
  const std::vector<double> one = all();
  expect_close(one[0], g / 2 * 0.25);
  expect_close(one[4], g / 2 * 3);
  std::vector<std::vector<double>> many(4);
  std::vector<std::thread> threads;
  for (auto& m : many) threads.emplace_back([&] { m = all(); });
  for (std::thread& t : threads) t.join();
  for (const auto& m : many) EXPECT_EQ(m, one);
  // One scenario, several threads.
  const Scenario s = parse_scenario(turned, "mine.toml", {});
  std::vector<double> at_once(4);
  threads.clear();
  for (double& x : at_once) threads.emplace_back([&] { x = run(s).find("b")->value.value_or(0); });
  for (std::thread& t : threads) t.join();
  for (double x : at_once) EXPECT_EQ(x, at_once[0]);
}

TEST(ResultRules, a_program_adds_them_too) {
  Scenario s = parse_scenario(falling("z = \"stone.z at end\"\n"), "mine.toml", {});
  add_result(s, "twice", "=2*z");
  add_result(s, "mean", "mean stone.vz from 0.5");
  EXPECT_THROW(add_result(s, "bad", "=2*y"), InputError);
  const RunResult r = run(s);
  expect_close(value(r, "twice"), 2 * (g / 2 - 3));
  expect_close(value(r, "mean"), 0.75 * g);
  EXPECT_EQ(r.results.size(), 3u);
}

TEST(ResultRules, what_is_wrong_is_told_with_its_place) {
  const auto of = [](const std::string& results) { return refusal(falling(results)); };
  EXPECT_THAT(
      of("a = \"=b + 1\"\nbb = \"stone.z at end\"\n"),
      HasSubstr(
          "mine.toml:11:7: \"a\" in results: there is no result \"b\" in \"b + 1\"; did you mean \"bb\"?"));
  EXPECT_THAT(of("a = \"=stone.z + 1\"\n"), HasSubstr("stone.z is an observable: name a result of it first"));
  EXPECT_THAT(of("a = \"=b\"\nb = \"=2*c\"\nc = \"=a\"\n"),
              HasSubstr("mine.toml:11:5: \"a\" in results: it depends on itself: a -> b -> c -> a"));
  EXPECT_THAT(of("a = \"mean stone.z from a\"\n"), HasSubstr("\"a\" is not a time: it is in m"));
  EXPECT_THAT(of("a = \"max stone.z - stone.vx\"\n"),
              HasSubstr("mine.toml:11:18: \"a\" in results: a difference joins m and m/s"));
  EXPECT_THAT(of("a = \"max (stone.z - stone.vu)\"\n"),
              HasSubstr("mine.toml:11:21: \"a\" in results: there is no observable \"stone.vu\" in "
                        "\"(stone.z - stone.vu)\"; did you mean"));
  EXPECT_THAT(of("a = \"max sin(stone.z)\"\n"), HasSubstr("sin takes an angle, not m"));
  EXPECT_THAT(of("a = \"mean stone.z from t_9 to 1\"\n"),
              HasSubstr("\"t_9\" is neither a time nor the name of a result that is one"));
  EXPECT_THAT(of("a = \"mean stone.z from 3 kg\"\n"), HasSubstr("\"3 kg\" is not a time"));
  EXPECT_THAT(of("a = \"mean stone.z to 1 from 0\"\n"), HasSubstr("reads like \"from t_1 to t_2\""));
  EXPECT_THAT(of("a = \"mean\"\n"), HasSubstr("a result reads like"));
  EXPECT_THAT(of("a = \"mean from 1\"\n"), HasSubstr("An observable is missing"));
  EXPECT_THAT(of("a = \"work of stome\"\n"), HasSubstr("there is no element \"stome\""));
  EXPECT_THAT(of("a = \"impulse of stone.z\"\n"),
              HasSubstr("an impulse is of a force or a moment; stone.z is in m"));
  EXPECT_THAT(of("a = \"max (stone.z\"\n"), HasSubstr("a closing parenthesis is missing"));
  EXPECT_THAT(of("a = \"=\"\n"), HasSubstr("the formula is empty"));
  EXPECT_THAT(of("a = \"time when stone.z + 1 fals 2\"\n"), HasSubstr("verb"));
}

// Binding as in other expressions, and every function of theirs.
TEST(ResultRules, the_language_is_that_of_all_expressions) {
  const RunResult r = run_text(falling(R"T(
k = "=-2^2 + 2^-1*4 - 7/2/7 + (1 < 2 ? 3 : 4) + (1 > 2 || 2 >= 2 && 3 != 3)"
f = "=min(3, 1, 2) + max(1, 5) + hypot(3, 4) + mod(7, 4) + pulse(2, 1, 3) + step(0) + sign(-2) + floor(1.5) + deg(180)/pi"
z = "=2^3^0*z0*0"
z0 = "stone.z at end"
)T"));
  EXPECT_DOUBLE_EQ(value(r, "k"), -4 + 2 - 0.5 + 3 + 0);
  EXPECT_DOUBLE_EQ(value(r, "f"), 1 + 5 + 5 + 3 + 1 + 1 - 1 + 1 + 1);
}

}  // namespace
}  // namespace thud
