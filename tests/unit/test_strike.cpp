// Sources of truth: Table II of Chapnik, Heppler & Aplevich (1991), the two-body collision of Hertz, roots of the
// frequency equation, and the scenario reader's own promises.
#include "thud/beam/strike.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using testing::HasSubstr;

BeamData arm_data(double young) { return {0.7652, 0.2022 / 0.7652, young * 35.5185e-12, 0.153, 0}; }
ElasticBeam arm(double young = 6.55e10) {
  return {make_element_basis(Support::clamped, arm_data(young), 15), 0};
}
TipStrike ball(double speed) {
  return {0.0795, speed, 4.0 / 3 * 0.343 / (std::sqrt(42.2 + 104.7) * 20.2e-12), {0.001, 0.003, 0.007}, {}};
}

struct Published {
  double speed, time, e, amplitude[3], rate[3];
};
constexpr Published table[] = {
    {-1.60, 0.18053e-3, 0.763603, {5.799e-5, -4.34599e-5, 3.25244e-5}, {0.701175, -0.27101, 0.192119}},
    {-1.95, 0.17353e-3, 0.763606, {6.41682e-5, -5.04518e-5, 3.7856e-5}, {0.854559, -0.330293, 0.234144}}};

TEST(Strike, table_ii) {
  for (const Published& p : table) {
    const StrikeResult r = strike_by_modes(arm(), ball(p.speed), StrikeModes::published);
    EXPECT_NEAR(r.contact_time, p.time, 1e-3 * p.time);
    EXPECT_NEAR(r.restitution, p.e, 1e-5 * p.e);
    TipStrike timed = ball(p.speed);
    timed.contact_time = p.time;
    const StrikeResult t = strike_by_modes(arm(), timed, StrikeModes::published);
    for (int n = 0; n < 3; ++n) {
      EXPECT_NEAR(r.rate[n], p.rate[n], 1e-5 * std::abs(p.rate[n])) << n;
      EXPECT_NEAR(t.amplitude[n], p.amplitude[n], 1e-4 * std::abs(p.amplitude[n])) << n;
    }
  }
}

// Eqs 28–32. Truth: what the ball loses, and the printed Ċ_n and e with the masses of Table I.
TEST(Strike, energies_of_the_modes) {
  for (const Published& p : table) {
    const StrikeResult r = strike_by_modes(arm(), ball(p.speed), StrikeModes::published);
    ASSERT_EQ(r.bending.size(), 3u);
    double all = 0;
    for (int n = 0; n < 3; ++n) {
      all += r.bending[n] + r.moving[n] + r.moving_tip[n];
      const double tip = r.tip[n] * p.rate[n];
      EXPECT_NEAR(r.moving_tip[n], 0.5 * 0.153 * tip * tip, 2e-5 * r.moving_tip[n]) << n;
      EXPECT_GT(r.bending[n], 0) << n;
    }
    EXPECT_NEAR(all, 0.5 * 0.0795 * p.speed * p.speed * (1 - r.restitution * r.restitution), 1e-12);
    EXPECT_NEAR(r.ratio, (1 - p.e) / (1 + p.e), 1e-5);
    EXPECT_NEAR(all, 0.5 * 0.0795 * p.speed * p.speed * std::pow(1 + r.restitution, 2) * r.ratio, 1e-12);
  }
  EXPECT_TRUE(strike_by_impulse(arm(), ball(-1.6)).bending.empty());
}

TEST(Strike, other_norms_of_the_modes) {
  EXPECT_NEAR(strike_by_modes(arm(), ball(-1.95), StrikeModes::length).restitution, -0.75, 0.01);
  EXPECT_NEAR(strike_by_modes(arm(), ball(-1.95), StrikeModes::tip_mass).restitution, 0.36, 0.005);
}

// What the modes of the route say of the tip must be what the coordinates of the beam say of it.
TEST(Strike, coordinates_of_the_beam_have_the_same_tip) {
  const ElasticBeam beam = arm();
  const StrikeResult r = strike_by_modes(beam, ball(-1.6), StrikeModes::published);
  double tip = 0, by_modes = 0;
  for (int k = 0; k < beam.size(); ++k) tip += beam.end_shapes()[k] * r.eta_rate[k];
  for (int n = 0; n < 3; ++n) by_modes += r.tip[n] * r.rate[n];
  EXPECT_NEAR(tip, by_modes, 2e-5 * std::abs(by_modes));
}

// A beam with next to no mass and stiffness leaves two bodies, for which Hertz has the answer: e = (m − M)/(m + M) of the
// ball, T = 2.9432 (5 m*/(4 k))^{2/5} |v|^{−1/5}.
TEST(Strike, two_bodies) {
  const BeamData light{1, 1e-7, 1e-7, 0.2, 0};
  const ElasticBeam beam(make_mode_basis(Support::clamped, light, 1), 0);
  TipStrike s = ball(2);
  s.ball_mass = 0.05;
  const StrikeResult r = strike_by_impulse(beam, s);
  const double reduced = 0.05 * 0.2 / 0.25;
  EXPECT_NEAR(r.restitution, (0.2 - 0.05) / 0.25, 1e-5);
  EXPECT_NEAR(r.contact_time, 2.943275 * std::pow(1.25 * reduced / s.stiffness, 0.4) / std::pow(2, 0.2),
              1e-5 * r.contact_time);
  EXPECT_NEAR(r.impulse, 2 * reduced * 2, 1e-5);
}

TEST(Strike, of_the_arm) {
  for (const auto& [speed, time] : {std::pair{-1.60, 0.17658e-3}, std::pair{-1.95, 0.16972e-3}}) {
    const StrikeResult r = strike_by_impulse(arm(6.5e10), ball(speed));
    EXPECT_NEAR(r.contact_time, time, 1e-3 * time);
    EXPECT_NEAR(r.restitution, 0.322, 0.005 * 0.322);
    EXPECT_NEAR(r.impulse, 0.0795 * speed * (1 + r.restitution), 1e-9);
  }
  EXPECT_THROW(strike_by_impulse(arm(), ball(0)), std::invalid_argument);
}

TEST(Strike, frequencies) {
  const ElasticBeam modes(make_mode_basis(Support::clamped, arm_data(6.5e10), 40), 0);
  const double held[] = {8.76987, 83.1746, 258.300}, free[] = {35.6186, 96.0623, 262.376};
  const double inertia = 0.00587 + 0.2022 * 0.7652 * 0.7652 / 3 + 0.153 * 0.7652 * 0.7652;
  const std::vector<double> on_hub = frequencies_on_hub(modes, inertia);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(modes.frequency(k), held[k], 1e-5 * held[k]);
    EXPECT_NEAR(on_hub[k], free[k], 1e-5 * free[k]);
    EXPECT_LT(arm(6.5e10).frequency(k) / modes.frequency(k) - 1, 3.5e-5);
  }
  EXPECT_LT(frequencies_on_hub(modes, 1e9)[0] / modes.frequency(0) - 1, 1e-8)
      << "a heavy hub is as good as held";
}

TEST(Strike, rayleigh) {
  const Rayleigh r = fit_rayleigh(10, 40, 0.01, 0.03);
  EXPECT_NEAR(r.alpha / 20 + r.beta * 5, 0.01, 1e-15);
  EXPECT_NEAR(r.alpha / 80 + r.beta * 20, 0.03, 1e-15);
  EXPECT_LT(fit_rayleigh(35.6186, 96.0623, 0.001, 0.003).alpha, 0);
}

// ---- scenario files ----------------------------------------------------------------------------------------------

std::string file(const std::string& joint, const std::string& beam, const std::string& rest = "") {
  return "gravity = 0\n[[body]]\nname = \"arm\"\njoint = { kind = \"pin\"" + joint
       + " }\nshape = { kind = \"beam\", length = 1, diameter = 0.01, density = 2700, young = \"70 GPa\", "
         "support = \"clamped\""
       + beam
       + " }\n[[body]]\nname = \"ball\"\njoint = \"free\"\nshape = { kind = \"sphere\", diameter = 0.02, "
         "mass = 0.1 }\n"
       + rest + "[initial]\n\"ball.x\" = 0.5\n\"ball.z\" = 1\n[stop]\ntime = 0.1\n";
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_scenario(text, "arm.toml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(StrikeFile, refusals) {
  const std::string good = ", friction = [0.2, 0.1], stick = { rate = 1e-3, energy = 1e-5 }";
  EXPECT_EQ(refusal(file(good, "")), "accepted");
  EXPECT_THAT(refusal(file(", stick = { rate = 1e-3, energy = 1e-5 }", "")),
              HasSubstr("friction in both directions"));
  EXPECT_THAT(refusal(file(", friction = 0.1, stick = { rate = 0, energy = 1e-5 }", "")), HasSubstr("rate"));
  EXPECT_THAT(refusal(file(", friction = 0.1, stick = { rate = 1e-3, enrgy = 1e-5 }", "")),
              HasSubstr("energy"));
  EXPECT_THAT(refusal(file("", ", damping = { ratios = [0.01] }")), HasSubstr("first two modes"));
  EXPECT_THAT(refusal(file("", ", damping = { ratios = [0.01, 0.02], mass = 1 }")),
              HasSubstr("either ratios"));
  EXPECT_THAT(refusal(file("", ", damping = { ratios = [0.01, 0.02], fit = \"by-stat\" }")),
              HasSubstr("by-state"));
  EXPECT_THAT(refusal(file("", ", motion = \"smal\"")), HasSubstr("did you mean \"small\""));
  const std::string strike = "[strike]\nbody = \"arm\"\nball = \"ball\"\nspeed = -1\nstiffness = 1e9\n";
  EXPECT_EQ(refusal(file("", "", strike)), "accepted");
  EXPECT_EQ(refusal(file("", "", strike + "route = \"impulse\"\n")), "accepted");
  EXPECT_EQ(refusal(file("", "", strike + "route = \"paper\"\n")), "accepted");
  EXPECT_THAT(refusal(file("", "", strike + "route = \"papr\"\n")), HasSubstr("did you mean \"paper\""));
  EXPECT_THAT(refusal(file("", "", strike + "route = \"paper\"\ndamping = [0.1, 0.1, 0.1, 0.1]\n")),
              HasSubstr("1 to 3"));
  EXPECT_THAT(
      refusal(file("", "", "[strike]\nbody = \"arm\"\nball = \"bal\"\nspeed = -1\nstiffness = 1e9\n")),
      HasSubstr("did you mean \"ball\""));
  EXPECT_THAT(
      refusal(file("", "", "[strike]\nbody = \"ball\"\nball = \"arm\"\nspeed = -1\nstiffness = 1e9\n")),
      HasSubstr("clamped to a hub"));
  EXPECT_THAT(
      refusal(file("", "", "[strike]\nbody = \"arm\"\nball = \"ball\"\nspeed = 0\nstiffness = 1e9\n")),
      HasSubstr("without speed"));
  EXPECT_THAT(refusal(file("", "", "[strike]\nbody = \"arm\"\nball = \"ball\"\nspeed = 1\n")),
              HasSubstr("stiffness of the contact"));
  EXPECT_THAT(refusal(file(", friction = 0.1", "", "[results]\nt = \"time of clamp 1\"\n")),
              HasSubstr("do not clamp"));
  EXPECT_THAT(refusal(file("", "", "[results]\nt = \"time of stick 1\"\n")), HasSubstr("without a friction"));
  EXPECT_THAT(refusal(file(good, "", "[results]\nt = \"time of clmp 1\"\n")),
              HasSubstr("did you mean \"clamp\""));
}

TEST(StrikeFile, the_ball_has_to_be_beside_the_tip) {
  const std::string strike = "[strike]\nbody = \"arm\"\nball = \"ball\"\nspeed = -1\nstiffness = 1e9\n";
  std::string text = file("", "", strike);
  text.replace(text.find("\"ball.z\" = 1"), 12, "\"ball.z\" = 0.3");
  EXPECT_THAT(refusal(text), HasSubstr("-0.7 m along the arm from its tip"));
  text = file("", "", strike);
  text.replace(text.find("speed = -1"), 10, "speed = 1");
  EXPECT_THAT(refusal(text), HasSubstr("moves away from the arm"));
}

// Steps that a fixed-step method cannot do: an end with a reason, no numbers without bound.
TEST(StrikeFile, steps_that_are_too_long) {
  const Scenario s = load_scenario("flexible_arm", {{"duration", "0.1 s"}, {"strike", "impulse"}});
  RunRequest request;
  request.method = Method::newmark;
  request.step = 0.05;
  EXPECT_THAT(run(s, request).reason, HasSubstr("too long for a run of 0.1 s"));
  request.method = Method::rk4;
  request.step = 1e-4;
  const RunResult r = run(s, request);
  EXPECT_FALSE(r.reached);
  EXPECT_THAT(r.reason, HasSubstr("grew without bound"));
  // A hundred times longer than the fastest vibration, an implicit step is inaccurate but bounded, friction and all.
  request.method = Method::newmark;
  request.step = 5e-3;
  const RunResult bounded = run(s, request);
  EXPECT_TRUE(bounded.reached);
  EXPECT_LT(bounded.outcome.energy.final, 1.05 * bounded.outcome.energy.initial);
}

TEST(StrikeFile, small_motion_is_for_grounded_beams) {
  const std::string text = file("", ", motion = \"small\"");
  EXPECT_EQ(refusal(text), "accepted");
  std::string carried = text;
  carried.insert(carried.find("[initial]"),
                 "[[body]]\nname = \"more\"\njoint = { to = \"arm\" }\nshape = { kind = \"cylinder\", "
                 "length = 0.1, diameter = 0.01, density = 1000 }\n");
  EXPECT_THAT(refusal(carried), HasSubstr("nothing can be pinned to it"));
}

}  // namespace
}  // namespace thud
