// Sources of truth: Table II of Chapnik, Heppler & Aplevich (1991), events of the stated model found by an independent
// program with matrix exponentials, the contact integrated apart, and the order of the methods themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

KnobSettings paper(const std::string& speed) {
  return {{"strike", "paper"}, {"stick_rule", "threshold"}, {"damping", "by-state"}, {"speed", speed}};
}

KnobSettings operator+(KnobSettings a, const KnobSettings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RunResult run_arm(const KnobSettings& set, Method method = Method::exact, double step = 0) {
  RunRequest request;
  request.method = method;
  if (step > 0) request.step = step;
  return run(load_scenario("flexible_arm", set), request);
}

double value(const RunResult& r, const char* name) { return r.find(name)->value.value_or(NAN); }

// Clamps and releases by the rule of the paper, in their order.
std::vector<double> clamp_events(const RunResult& r) {
  std::vector<double> out;
  for (const Event& e : r.outcome.events)
    if (e.kind == EventKind::clamp || e.kind == EventKind::unclamp) out.push_back(e.time);
  return out;
}

TEST(Arm, events_of_the_stated_model) {
  const std::map<std::string, std::vector<double>> converged = {
      {"-1.95 m/s", {0.00080, 2.05561, 2.08502, 2.12892, 2.34608, 2.45867}},
      {"-1.6 m/s", {0.00102, 1.72849, 1.77334, 2.06539}}};
  for (const auto& [speed, times] : converged) {
    const RunResult r =
        run_arm(paper(speed) + KnobSettings{{"duration", speed == "-1.6 m/s" ? "2.08 s" : "2.47 s"}});
    EXPECT_THAT(clamp_events(r), testing::Pointwise(DoubleNear(1e-4), times)) << speed;
    EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
  }
}

// Torn loose for 3 ms, the hub stays slow: of all that clamps it the load is the last to come down.
TEST(Arm, a_hub_that_barely_slips_is_clamped_again) {
  const RunResult r =
      run_arm(paper("-1.95 m/s") + KnobSettings{{"elements", "4"}, {"modes", "3"}, {"duration", "2.6 s"}});
  EXPECT_EQ(r.outcome.reason, StopReason::time_limit) << r.outcome.message;
  const std::vector<double> times = clamp_events(r);
  ASSERT_EQ(times.size(), 8u);
  EXPECT_LT(times[7] - times[6], 0.004);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-12);
}

TEST(Arm, the_exact_and_the_adaptive_path_agree) {
  const KnobSettings set = paper("-1.6 m/s") + KnobSettings{{"duration", "1.78 s"}};
  const RunResult exact = run_arm(set), adaptive = run_arm(set, Method::dop853);
  ASSERT_EQ(exact.outcome.events.size(), adaptive.outcome.events.size());
  for (std::size_t i = 0; i < exact.outcome.events.size(); ++i) {
    EXPECT_EQ(exact.outcome.events[i].kind, adaptive.outcome.events[i].kind);
    EXPECT_NEAR(exact.outcome.events[i].time, adaptive.outcome.events[i].time, 1e-6);
  }
  EXPECT_LT(exact.outcome.stats.evaluations, adaptive.outcome.stats.evaluations / 3);
}

TEST(Arm, paths_agree_through_the_strike_and_what_follows) {
  const KnobSettings set = {{"duration", "60 ms"}};
  const RunResult exact = run_arm(set), adaptive = run_arm(set, Method::dop853),
                  stiff = run_arm(set, Method::radau5);
  for (const char* name : {"e", "T_c", "theta", "w_min", "M_max"}) {
    EXPECT_NEAR(value(exact, name), value(adaptive, name), 2e-8 * std::abs(value(adaptive, name))) << name;
    EXPECT_NEAR(value(stiff, name), value(adaptive, name), 2e-5 * std::abs(value(adaptive, name))) << name;
  }
  EXPECT_LT(std::abs(exact.outcome.energy.residual), 1e-8);
  EXPECT_LT(std::abs(adaptive.outcome.energy.residual), 1e-8);
}

TEST(Arm, direct_contact_settles_as_the_beam_is_refined) {
  std::vector<double> e, time;
  for (const char* elements : {"8", "16", "32"}) {
    const RunResult r = run_arm({{"duration", "0.3 ms"}, {"elements", elements}});
    e.push_back(value(r, "e")), time.push_back(value(r, "T_c"));
  }
  EXPECT_NEAR(e[2], 0.322, 0.005 * 0.322);
  EXPECT_NEAR(time[2], 0.16972e-3, 0.001 * 0.16972e-3);
  EXPECT_LT(std::abs(e[2] - e[1]), 5e-4);
  EXPECT_LT(std::abs(time[2] - time[1]), 1e-7);
}

TEST(Arm, the_impulse_of_the_contact_does_as_the_contact) {
  const RunResult direct = run_arm({{"duration", "60 ms"}}),
                  impulse = run_arm({{"duration", "60 ms"}, {"strike", "impulse"}});
  EXPECT_NEAR(value(direct, "e"), value(impulse, "e"), 1e-7);
  EXPECT_NEAR(value(direct, "w_min"), value(impulse, "w_min"), 2e-3 * std::abs(value(direct, "w_min")));
}

// Against the exact path, with no event on the way.
double order_of(Method method, const KnobSettings& set, const char* what, double step) {
  const double truth = value(run_arm(set), what);
  const double coarse = value(run_arm(set, method, step), what),
               fine = value(run_arm(set, method, step / 2), what);
  return std::log2(std::abs((coarse - truth) / (fine - truth)));
}

TEST(Arm, newmark_and_generalised_alpha_have_order_two) {
  const KnobSettings set = {{"strike", "paper"},       {"friction", "0 N m"}, {"friction_back", "0 N m"},
                            {"viscous", "0.05 N m s"}, {"basis", "modes"},    {"modes", "3"},
                            {"duration", "0.1 s"}};
  for (const Method method : {Method::newmark, Method::generalised_alpha})
    for (const char* what : {"theta", "E_end"}) {
      const double order = order_of(method, set, what, 1e-4);
      EXPECT_GT(order, 1.9) << what;
      EXPECT_LT(order, 2.1) << what;
    }
}

// Events are located inside the steps, so friction does not spoil the order.
TEST(Arm, newmark_keeps_its_order_through_stick_and_slip) {
  const KnobSettings set = {{"strike", "paper"}, {"basis", "modes"}, {"modes", "3"}, {"duration", "0.5 s"}};
  const double order = order_of(Method::newmark, set, "theta", 1e-4);
  EXPECT_GT(order, 1.8);
  EXPECT_LT(order, 2.2);
}

TEST(Arm, a_torque_drives_it) {
  const KnobSettings set = {{"strike", "paper"},   {"torque", "0.2 N m"}, {"torque_time", "0.05 s"},
                            {"duration", "0.2 s"}, {"basis", "modes"},    {"modes", "6"}};
  const RunResult exact = run_arm(set), adaptive = run_arm(set, Method::dop853),
                  still = run_arm(set + KnobSettings{{"torque", "0 N m"}});
  EXPECT_NEAR(value(exact, "theta"), value(adaptive, "theta"), 1e-6);
  EXPECT_GT(value(exact, "theta"), value(still, "theta") + 0.003);
  EXPECT_GT(exact.outcome.energy.supplied, 0.001);
}

// The four statements of the paper about friction, section VII.
TEST(Arm, what_the_paper_says_about_friction) {
  const RunResult all = run_arm(paper("-1.95 m/s"));
  const RunResult none = run_arm(paper("-1.95 m/s") + KnobSettings{{"coulomb", "0"}});
  const RunResult viscous = run_arm(paper("-1.95 m/s") + KnobSettings{{"viscous", "0.008 N m s"}});
  const auto drift = [](const RunResult& r) { return value(r, "theta") / value(r, "theta_half"); };
  EXPECT_NEAR(drift(none), 2, 0.05) << "the hub angle grows almost linearly";
  EXPECT_LT(drift(all), 1.2);
  EXPECT_TRUE(std::isnan(value(none, "stick1"))) << "and the hub never clamps";
  EXPECT_FALSE(std::isnan(value(all, "stick1")));
  const auto lopsided = [](const RunResult& r) {
    return std::abs(value(r, "w_max") + value(r, "w_min")) / value(r, "w_max");
  };
  EXPECT_GT(value(none, "w_max"), 1.2 * value(all, "w_max")) << "the vibration is larger";
  EXPECT_LT(lopsided(none), 0.3 * lopsided(all)) << "and more symmetric";
  // The ball flies on with the same energy in both; what is left in the arm decays faster.
  EXPECT_LT(value(viscous, "E_end"), value(all, "E_end"));
  EXPECT_LT(value(viscous, "w_max"), value(all, "w_max"));
  EXPECT_LT(value(viscous, "stick1"), value(all, "stick1"));
}

TEST(Arm, damping_that_turns_negative_is_told) {
  const Scenario s = load_scenario("flexible_arm", paper("-1.95 m/s"));
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_THAT(s.notes[0], HasSubstr("negative while its joint turns: alpha = -0.00928"));
  EXPECT_TRUE(load_scenario("flexible_arm").notes.empty());
}

}  // namespace
}  // namespace thud
