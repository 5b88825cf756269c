// Drives that react to the motion, and controllers, against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "thud/base/error.hpp"
#include "thud/model.hpp"
#include "thud/scenario/rates.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;

// A wheel of inertia 0.02 about its pin, without weight in the way: `more` is what drives it.
std::string wheel(const std::string& joint, const std::string& more) {
  return "gravity = 0\n[[body]]\nname = \"wheel\"\n"
         "shape = { kind = \"given\", mass = 1, center = 0, inertia = 0.02, length = 0.1 }\njoint = { "
       + joint + " }\n[solver]\ntolerance = 1e-12\n[stop]\ntime = 1\n" + more;
}
// A cart of 2 kg on a horizontal line.
std::string cart(const std::string& joint, const std::string& more) {
  return "gravity = 0\n[[body]]\nname = \"cart\"\n"
         "shape = { kind = \"given\", mass = 2, center = 0, inertia = 0.01, length = 0.1 }\n"
         "joint = { kind = \"slider\", direction = \"horizontal\""
       + joint + " }\n[solver]\ntolerance = 1e-12\n[stop]\ntime = 3\n" + more;
}

Result run(const std::string& text) { return parse(text, "test.toml").run(); }

void expect_account(const Result& r) { EXPECT_LT(std::abs(r.energy().residual), 1e-9); }

// ---- torques of the state ---------------------------------------------------------------------------------------------

// I θ̈ = −k θ − c θ̇, underdamped.
TEST(Drives, torque_of_angle_and_rate_is_a_damped_oscillator) {
  const Result r = run(wheel("torque = \"=-3*wheel.angle - 0.05*wheel.rate\"",
                             "[initial]\n\"wheel.angle\" = 1\n[results]\nend = \"wheel.angle at end\"\n"));
  const double inertia = 0.02, k = 3, c = 0.05;
  const double decay = c / (2 * inertia), w = std::sqrt(k / inertia - decay * decay);
  EXPECT_NEAR(r["end"], std::exp(-decay) * (std::cos(w) + decay / w * std::sin(w)), 1e-10);
  expect_account(r);
}

TEST(Drives, work_of_what_a_sampled_controller_drives_is_counted) {
  const Result r = run(wheel("kind = \"pin\"",
                             "[[servo]]\nname = \"s\"\njoint = \"wheel\"\ntarget = \"=c.u\"\nkp = 5\n"
                             "[[controller]]\nname = \"c\"\nrate = \"200 Hz\"\n"
                             "[[controller.state]]\nname = \"a\"\nout = { u = 0.3 }\n"
                             "[results]\nwork = \"work of s\"\nrate = \"wheel.rate at end\"\n"));
  EXPECT_NEAR(r["work"], 0.5 * 0.02 * r["rate"] * r["rate"], 1e-9);  // all that the wheel has
}

TEST(Drives, a_torque_without_a_value_at_the_start_is_refused) {
  try {
    (void)parse(wheel("torque = \"=0.01*ln(t)\"", ""), "test.toml");
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("test.toml:5:20"), std::string::npos) << e.what();
  }
}

// With the moment at its limit the wheel is sped up evenly until the servo comes off it, and swings from there.
TEST(Drives, servo_at_its_limit_is_located) {
  const Result r = run(wheel("kind = \"pin\"",
                             "[[servo]]\njoint = \"wheel\"\ntarget = 1\nkp = 4\nmax = 0.8\n"
                             "[results]\nend = \"wheel.angle at end\"\npeak = \"max servo1.torque\"\n"));
  const double a = 0.8 / 0.02;  // until the error is 0.2
  const double t1 = std::sqrt(2 * 0.8 / a), v1 = a * t1, w = std::sqrt(4 / 0.02);
  // x = error: 0.2 cos − v/w sin, to −0.2 by symmetry, where the limit acts the other way.
  const double amplitude = std::hypot(0.2, v1 / w), phase = std::atan2(v1 / w, 0.2);
  const double through = 2 * (pi / 2 - phase) / w;  // from 0.2 to −0.2
  double t = t1 + through, x = 1.2, v = v1;
  (void)amplitude;
  double left = 1 - t;
  // From here the same again and again: at the limit up to the turn and back, through, and so on, mirrored.
  double side = 1;
  for (;;) {
    const double at_limit = 2 * v / a;
    if (left < at_limit) {
      x = 1 + side * (0.2 + v * left - 0.5 * a * left * left);
      break;
    }
    left -= at_limit;
    if (left < through) {
      x = 1 + side * (0.2 * std::cos(w * left) - v1 / w * std::sin(w * left));
      break;
    }
    left -= through;
    side = -side;
  }
  EXPECT_NEAR(r["end"], x, 1e-9);
  EXPECT_NEAR(r["peak"], 0.8, 1e-12);
  expect_account(r);
}

// ω = V/(k n) (1 − e^{−t/τ}), τ = I R/(k n)².
TEST(Drives, motor_runs_up_to_its_idle_speed) {
  const Result r =
      run(wheel("kind = \"pin\"",
                "[[motor]]\njoint = \"wheel\"\nvoltage = 12\ntorque_constant = 0.03\nresistance = 0.5\n"
                "gear = 5\n[results]\nend = \"wheel.rate at end\"\n"));
  const double kn = 0.03 * 5, tau = 0.02 * 0.5 / (kn * kn);
  EXPECT_NEAR(r["end"], 12 / kn * (1 - std::exp(-1 / tau)), 1e-9);
  expect_account(r);
}

// A force that begins at x = 0.5: even speed up to there, then speeding up.
TEST(Drives, step_of_a_place_is_located) {
  const Result r =
      run(cart(", force = \"=6*step(cart.travel - 0.5)\"",
               "[initial]\n\"cart.travel.rate\" = 1\n[results]\nend = \"cart.travel at end\"\n"));
  EXPECT_NEAR(r["end"], 0.5 + 2.5 + 0.5 * 3 * 2.5 * 2.5, 1e-9);
  expect_account(r);
}

// F = −k|x| x/|x| … as abs: −k x by two halves; the sign of x changes twice per turn.
TEST(Drives, abs_and_min_of_the_state_have_no_corner_left_unlocated) {
  const Result r =
      run(cart(", force = \"=-8*abs(cart.travel)*sign(cart.travel) + min(0, cart.travel.rate)*0\"",
               "[initial]\n\"cart.travel\" = 0.3\n[results]\nend = \"cart.travel at end\"\n"));
  EXPECT_NEAR(r["end"], 0.3 * std::cos(2 * 3.0), 1e-9);
}

TEST(Drives, a_short_pulse_in_an_expression_of_the_state_is_not_missed) {
  for (const double width : {1e-2, 1e-4, 1e-6}) {
    const Result r = run(cart(", force = \"=" + std::to_string(2 / width) + "*pulse(t, 1.2345, 1.2345 + "
                                  + std::to_string(width) + ") + 0*cart.travel\"",
                              "[results]\nend = \"cart.travel.rate at end\"\n"));
    EXPECT_NEAR(r["end"], std::stod(std::to_string(2 / width)) * std::stod(std::to_string(width)) / 2, 1e-9);
  }
}

TEST(Drives, point_forces_follow_the_motion) {
  const Result r = run(cart("",
                            "[[force]]\nat = \"cart.start\"\nx = \"=-8*cart.x\"\n"
                            "[initial]\n\"cart.travel\" = 0.3\n[results]\nend = \"cart.travel at end\"\n"));
  EXPECT_NEAR(r["end"], 0.3 * std::cos(2 * 3.0), 1e-9);
  expect_account(r);
}

// A cart carried along by the wind: v̇ = k/m (w − v)², so w − v = w/(1 + k w t/m).
TEST(Drives, wind_carries_along) {
  const Result r =
      run("gravity = 0\n[air]\ndrag_coefficient = 1\ndensity = 1.2\nwind = 5\n"
          "[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", diameter = 0.2, mass = 0.05 }\n"
          "joint = { kind = \"slider\", direction = \"horizontal\" }\n"
          "[solver]\ntolerance = 1e-12\n[stop]\ntime = 2\n[results]\nend = \"ball.vx at end\"\n");
  const double k = 0.5 * 1.2 * pi * 0.01 / 0.05;
  EXPECT_NEAR(r["end"], 5 - 5 / (1 + k * 5 * 2), 1e-10);
  expect_account(r);
}

// ---- controllers ------------------------------------------------------------------------------------------------------

const char* const bang_bang =
    "[[controller]]\nname = \"drive\"\n"
    "[[controller.state]]\nname = \"go\"\nout = { force = 8 }\n"
    "go = [{ to = \"brake\", when = \"cart.travel rises through 0.5\" }]\n"
    "[[controller.state]]\nname = \"brake\"\nout = { force = -8 }\n"
    "go = [{ to = \"stay\", when = \"cart.travel.rate falls through 0\" }]\n"
    "[[controller.state]]\nname = \"stay\"\n"
    "[results]\nend = \"cart.travel at end\"\nspeed = \"cart.travel.rate at end\"\n"
    "t_stay = \"time when drive.state rises through 2.5\"\n";

// Full force half of the way, and back: there after 2 √(L m/F).
TEST(Controllers, a_machine_of_states_goes_the_quickest_way) {
  const Result r = run(cart(", force = \"=drive.force\"", bang_bang));
  EXPECT_NEAR(r["end"], 1.0, 1e-10);
  EXPECT_NEAR(r["speed"], 0.0, 1e-10);
  std::vector<std::pair<std::string, double>> states;
  for (const auto& e : r.events())
    if (e.kind == "state") states.emplace_back(e.after, e.time);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].first, "brake");
  EXPECT_NEAR(states[0].second, 0.5, 1e-11);
  EXPECT_EQ(states[1].first, "stay");
  EXPECT_NEAR(states[1].second, 1.0, 1e-11);
  expect_account(r);
}

TEST(Controllers, states_last_as_long_as_they_are_told) {
  const Result r =
      run(cart(", force = \"=c.push*4\"",
               "[[controller]]\nname = \"c\"\nstart = \"wait\"\n"
               "[[controller.state]]\nname = \"push\"\ngo = [{ to = \"wait\", after = \"80 ms\" }]\n"
               "[[controller.state]]\nname = \"wait\"\ngo = [{ to = \"push\", after = \"0.3 s\" }]\n"
               "[results]\nend = \"cart.travel.rate at end\"\n"));
  // 3 s: pushes begin at 0.3 + 0.38 k, eight of them; the eighth from 2.96 on.
  EXPECT_NEAR(r["end"], 2 * (7 * 0.08 + 0.04), 1e-10);
  expect_account(r);
}

TEST(Controllers, a_condition_that_holds_already_opens_at_once) {
  const Result r = run(
      cart(", force = \"=c.f\"",
           "[[controller]]\nname = \"c\"\n"
           "[[controller.state]]\nname = \"a\"\ngo = [{ to = \"b\", when = \"cart.travel is above -1\" }]\n"
           "[[controller.state]]\nname = \"b\"\nout = { f = 2 }\n"
           "[results]\nend = \"cart.travel.rate at end\"\n"));
  EXPECT_NEAR(r["end"], 3.0, 1e-11);
}

// Ticks of 10 ms: the exact map of a cart under a held force.
double sampled_cart(double delay_ticks) {
  const double h = 0.01, m = 2, kp = 40, kd = 12;
  double x = 0.3, v = 0, held = 0;
  std::vector<double> queue;
  for (int k = 0; k < 300; ++k) {
    const double u = -kp * x - kd * v;
    if (delay_ticks == 0) {
      held = u;
    } else {
      queue.push_back(u);
      if (static_cast<double>(queue.size()) > delay_ticks)
        held = queue[queue.size() - 1 - static_cast<std::size_t>(delay_ticks)];
    }
    x += h * v + 0.5 * h * h * held / m;
    v += h * held / m;
  }
  return x;
}

const char* const sampled_states =
    "[[controller.state]]\nname = \"on\"\nout = { f = \"=-40*cart.travel - 12*cart.travel.rate\" }\n";

TEST(Controllers, sampled_ones_hold_their_outputs) {
  for (const int delay : {0, 1, 3}) {
    const Result r = run(cart(", force = \"=c.f\"",
                              "[initial]\n\"cart.travel\" = 0.3\n[results]\nend = \"cart.travel at end\"\n"
                              "[[controller]]\nname = \"c\"\nrate = \"100 Hz\"\ndelay = "
                                  + std::to_string(0.01 * delay) + "\n" + sampled_states));
    EXPECT_NEAR(r["end"], sampled_cart(delay), 1e-11) << delay;
    expect_account(r);
  }
}

TEST(Controllers, a_function_is_the_same_as_the_file) {
  const std::string head =
      "[initial]\n\"cart.travel\" = 0.3\n[results]\nend = \"cart.travel at end\"\n"
      "[[controller]]\nname = \"c\"\nrate = \"100 Hz\"\n";
  Model model = parse(cart(", force = \"=c.f\"", head + "outputs = [\"f\"]\n"), "own.toml");
  EXPECT_EQ(model.run().stop(), "failed");
  int ticks = 0;
  model.control(
      "c",
      [&](const Snapshot& now, std::span<double> out, std::span<double> memory) {
        ticks = static_cast<int>(memory[0] += 1);
        out[0] = -40 * now["cart.travel"] - 12 * now["cart.travel.rate"];
      },
      1);
  const Result own = model.run();
  EXPECT_EQ(own["end"], run(cart(", force = \"=c.f\"", head + sampled_states))["end"]);
  EXPECT_EQ(ticks, 300);
  EXPECT_THROW(model.control("d", [](const Snapshot&, std::span<double>, std::span<double>) {}), InputError);
}

TEST(Controllers, sampled_ones_may_follow_forces) {
  // The force of the contact is the weight once it rests: what is held then is 2 × 9.81.
  const Result r =
      run("[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", diameter = 0.1, mass = 2 }\n"
          "joint = \"free\"\n[[wall]]\nname = \"floor\"\ntouches = [\"ball\"]\n"
          "[initial]\n\"ball.z\" = -0.05\n[stop]\ntime = 0.5\n"
          "[[controller]]\nname = \"c\"\nrate = \"10 Hz\"\n"
          "[[controller.state]]\nname = \"on\"\nout = { f = \"=ball@floor.force\" }\n"
          "[results]\nf = \"c.f at end\"\n");
  EXPECT_NEAR(r["f"], 2 * 9.81, 1e-9);
}

// ---- what is refused --------------------------------------------------------------------------------------------------

std::string refusal(const std::string& text) {
  try {
    (void)parse(text, "bad.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "taken";
}
void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  const std::string said = refusal(text);
  for (const char* w : words) EXPECT_NE(said.find(w), std::string::npos) << w << " is not in: " << said;
}

TEST(DrivesRefused, names_places_and_suggestions) {
  expect_words(wheel("torque = \"=-3*whel.angle\"", ""), {"bad.toml:5", "whel.angle", "wheel.angle"});
  expect_words(wheel("torque = \"=-3*wheel.angle +\"", ""), {"bad.toml:5", "wheel.angle"});
  expect_words(wheel("torque = \"=floor(wheel.angle)\"", ""), {"floor()", "sampled"});
  expect_words(wheel("torque = \"=wheel.angle == 1\"", ""), {"=="});
  expect_words(wheel("torque = \"=wheel.joint.torque\"", ""), {"wheel.joint.torque", "sampled"});
  expect_words(wheel("kind = \"pin\"", "[[servo]]\njoint = \"weel\"\ntarget = 1\nkp = 4\n"),
               {"weel", "wheel"});
  expect_words(wheel("kind = \"pin\"", "[[servo]]\njoint = \"wheel\"\nkp = 4\n"), {"target"});
  expect_words(wheel("kind = \"pin\"", "[[servo]]\njoint = \"wheel\"\ntarget = 1\nkp = 4\nki = 4\n"), {"ki"});
}

TEST(ControllersRefused, ways_states_and_outputs) {
  const std::string head = "[[controller]]\nname = \"c\"\n";
  const std::string a = "[[controller.state]]\nname = \"a\"\n", b = "[[controller.state]]\nname = \"b\"\n";
  expect_words(wheel("kind = \"pin\"", head), {"bad.toml:10", "state"});
  expect_words(wheel("kind = \"pin\"", head + a + b), {"no way leads into state \"b\""});
  expect_words(wheel("kind = \"pin\"", head + a + "go = [{ to = \"bb\", after = 1 }]\n" + b),
               {"\"bb\"", "\"b\""});
  expect_words(wheel("kind = \"pin\"", head + a + "go = [{ to = \"a\" }]\n"), {"when", "after"});
  expect_words(
      wheel("kind = \"pin\"", head + a + "go = [{ to = \"a\", when = \"wheel.rat rises through 1\" }]\n"),
      {"wheel.rat", "wheel.rate"});
  expect_words(wheel("torque = \"=c.m\"", head + a + "out = { n = 1 }\n"), {"c.m"});
  expect_words(wheel("kind = \"pin\"", head + "start = \"z\"\n" + a), {"\"z\""});
  expect_words(wheel("kind = \"pin\"", head + a + a), {"already"});
  expect_words(wheel("kind = \"pin\"", head + "delay = 1\n" + a), {"delay", "rate"});
  expect_words(wheel("kind = \"pin\"", head + a + "out = { m = \"=wheel.angel\" }\n"),
               {"wheel.angel", "wheel.angle"});
}

// A torque against the sign of the rate is friction, not a drive: it would switch without end.
TEST(DrivesRefused, switching_without_end_is_told) {
  const Result r = run(wheel("torque = \"=-2*sign(wheel.rate)\"", "[initial]\n\"wheel.rate\" = 1\n"));
  EXPECT_EQ(r.stop(), "failed");
  EXPECT_NE(r.reason().find("sign(wheel.rate)"), std::string::npos) << r.reason();
}

}  // namespace
}  // namespace thud
