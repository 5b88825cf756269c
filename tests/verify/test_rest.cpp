// Source of truth: statics. At rest nothing moves, every static force lies inside its bounds, and together they
// balance gravity, so that nothing begins to move.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "verify/rows.hpp"

namespace thud {
namespace {

using test::Case;
using testing::IsEmpty;

double largest(const double* begin, const double* end) {
  double most = 0;
  for (; begin != end; ++begin) most = std::max(most, std::abs(*begin));
  return most;
}

// What is wrong with a state of rest; "" when nothing is.
std::string unrest(const System& system, const Outcome& outcome) {
  const int n = system.dof_count();
  const double* y = outcome.state.data();
  std::string said;
  if (const double v = largest(y + n, y + 2 * n); !(v <= 1e-8)) said += fmt::format("|v| = {:.2e}; ", v);

  Work<double> work;
  system.prepare(work);
  std::vector<double> slope(system.state_size());
  system.evaluate(outcome.time, y, outcome.mode, work, slope.data());
  std::vector<SwitchRef> switches;
  system.active_switches(outcome.mode, switches);
  for (const SwitchRef s : switches) {
    double lower = 0, upper = 0;
    system.switch_bounds(s, work, lower, upper);
    const double force = system.switch_force(s, work);
    const double slack = 1e-9 * (lower + upper);  // rounding
    if (!(force >= -lower - slack && force <= upper + slack))
      said +=
          fmt::format("{} {:.6g} outside [{:.6g}, {:.6g}]; ", system.switch_name(s), force, -lower, upper);
  }
  // Switches that depend on each other are held with a ridge, which leaves a few parts in 1e7 of gravity. What is left
  // in a beam sets everything swinging with its frequency ω, at speeds a/ω that must be too slow to count as motion.
  double slowest = INFINITY;
  for (int i = 0; i < n; ++i)
    if (system.tree().dof_frequency(i) > 0) slowest = std::min(slowest, system.tree().dof_frequency(i));
  for (int i = 0; i < n; ++i) {
    const double a = std::abs(work.acceleration[i]), own = system.tree().dof_frequency(i);
    const double allowed = std::isinf(slowest) ? 1e-5 : std::max(1e-5, 1e-7 * std::max(own, slowest));
    if (!(a <= allowed)) said += fmt::format("acceleration of {} {:.2e}; ", system.tree().dof_name(i), a);
  }
  return said;
}

std::string rest_complaint(const Case& c, double energy_limit) {
  const Scenario s = load_scenario(c.scenario, c.set);
  RunRequest request;
  request.until_rest = true;
  request.time_limit = 10;  // also where a scenario shows a shorter time
  const RunResult r = run(s, request);
  if (r.outcome.reason != StopReason::rest)
    return fmt::format("{}: {}", stop_reason_name(r.outcome.reason), r.reason);
  std::string said = unrest(*s.system, r.outcome);
  if (!(std::abs(r.outcome.energy.residual) < energy_limit))
    said += fmt::format("energy residual {:.2e}; ", r.outcome.energy.residual);
  return said;
}

bool has_sand(const Case& c) { return !load_scenario(c.scenario, c.set).system->pieces().empty(); }
// What a controller keeps moving does not rest.
bool is_kept_moving(const Case& c) {
  return !load_scenario(c.scenario, c.set).system->of<Controller>().empty();
}

TEST(Rest, every_scenario_with_sand_comes_to_rest) {
  std::vector<Case> cases = test::every_scenario();
  std::erase_if(cases, [](const Case& c) { return !has_sand(c) || is_kept_moving(c); });
  EXPECT_GE(cases.size(), 9u);
  EXPECT_THAT(test::complaints(cases, [](const Case& c) { return rest_complaint(c, 1e-8); }), IsEmpty());
}

TEST(Rest, every_row_with_sand_comes_to_rest) {
  std::vector<Case> cases = test::every_row_damped();
  std::erase_if(cases, [](const Case& c) { return !has_sand(c); });
  EXPECT_GE(cases.size(), 90u);
  EXPECT_THAT(test::complaints(cases, [](const Case& c) { return rest_complaint(c, 1e-8); }), IsEmpty());
}

TEST(Rest, air_alone_does_not_stop_a_pendulum) {
  RunRequest request;
  request.until_rest = true;
  request.time_limit = 3;
  const RunResult r = run(load_scenario("air_pendulum"), request);
  EXPECT_EQ(r.outcome.reason, StopReason::time_limit);
  EXPECT_FALSE(r.reached);
}

// Slopes between −20° and 20°, in no order.
std::vector<Case> chains(int links, int seeds) {
  std::vector<Case> cases;
  for (int seed = 1; seed <= seeds; ++seed) {
    const KnobSettings set{{"links", std::to_string(links)},
                           {"seed", std::to_string(seed)},
                           {"slope", fmt::format("{} deg", (seed * 17) % 41 - 20)}};
    cases.push_back({"n_link_chain", set, test::name_of("n_link_chain", set)});
  }
  return cases;
}

TEST(Rest, chains_of_5_links) {
  EXPECT_THAT(test::complaints(chains(5, 200), [](const Case& c) { return rest_complaint(c, 1e-7); }),
              IsEmpty());
}

TEST(Rest, chains_of_12_links) {
  EXPECT_THAT(test::complaints(chains(12, 200), [](const Case& c) { return rest_complaint(c, 1e-7); }),
              IsEmpty());
}

}  // namespace
}  // namespace thud
