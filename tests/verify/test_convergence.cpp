// Source of truth: convergence itself. What is computed must not depend on how it was integrated, and the energy
// account must close.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "verify/rows.hpp"

namespace thud {
namespace {

using test::Case;
using testing::IsEmpty;

TEST(Convergence, results_do_not_depend_on_the_tolerance) {
  // At 1e-9 relative, errors of time (0.01 to 0.5 s) and depth (below 0.1 m) are to stay below 1e-8.
  EXPECT_THAT(test::complaints(test::every_row(),
                               [](const Case& c) -> std::string {
                                 const Scenario s = load_scenario(c.scenario, c.set);
                                 RunRequest usual, fine;
                                 usual.tolerance = 1e-9;
                                 fine.tolerance = 1e-12;
                                 const RunResult a = run(s, usual), b = run(s, fine);
                                 std::string said;
                                 for (std::size_t i = 0; i < a.results.size(); ++i) {
                                   const double x = a.results[i].value.value_or(NAN);
                                   const double y = b.results[i].value.value_or(NAN);
                                   if (!(std::abs(x - y) <= 1e-8))
                                     said +=
                                         fmt::format("{} {:.12g} against {:.12g}; ", a.results[i].name, x, y);
                                 }
                                 return said.empty() ? said : said + b.reason;
                               }),
              IsEmpty());
}

std::string energy_complaint(const Case& c, bool until_rest) {
  RunRequest request;
  request.until_rest = until_rest;
  const RunResult r = run(load_scenario(c.scenario, c.set), request);
  const double residual = r.outcome.energy.residual;
  return std::abs(residual) < 1e-8 ? "" : fmt::format("residual {:.2e}, {}", residual, r.reason);
}

TEST(Convergence, energy_account_closes) {
  std::vector<Case> cases = test::every_row();
  for (const Case& c : test::every_scenario()) cases.push_back(c);
  EXPECT_THAT(test::complaints(cases, [](const Case& c) { return energy_complaint(c, false); }), IsEmpty());
}

TEST(Convergence, energy_account_closes_until_rest) {
  std::vector<Case> cases = test::every_row();
  for (const Case& c : test::every_scenario()) cases.push_back(c);
  EXPECT_THAT(test::complaints(cases, [](const Case& c) { return energy_complaint(c, true); }), IsEmpty());
}

// Errors of a result for steps that are halved.
std::vector<double> errors(const Scenario& s, const std::string& result, Method method, double step,
                           int count) {
  RunRequest request;
  request.tolerance = 1e-13;
  const double exact = *run(s, request).find(result)->value;
  request.method = method;
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    request.step = step / (1 << i);
    out.push_back(std::abs(run(s, request).find(result)->value.value_or(NAN) - exact));
  }
  return out;
}

void PrintOrders(const std::vector<double>& e) {
  for (std::size_t i = 0; i < e.size(); ++i)
    fmt::print("{:.4e} {}\n", e[i], i ? std::log2(e[i - 1] / e[i]) : 0.0);
}
TEST(X, probe) {
  const Scenario s = load_scenario("free_link", {{"angle", "55 deg"}, {"speed", "1.45"}});
  PrintOrders(errors(s, "t_z", Method::euler, 1e-4, 8));
  PrintOrders(errors(s, "t_z", Method::rk4, 1e-3, 9));
  const Scenario a = load_scenario("air_pendulum");
  PrintOrders(errors(a, "t_0", Method::euler, 1e-3, 8));
  PrintOrders(errors(a, "t_0", Method::rk4, 1.6e-2, 8));
}

}  // namespace
}  // namespace thud
