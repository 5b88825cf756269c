// Experiments of the papers, from synthetic measurements to coefficients.
// Source of truth: the scenario that the measurements were made from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace {

using namespace thud::test;
using nlohmann::json;

class PapersCli : public ShellTest {
 protected:
  // What a study finds in measurements that it has made itself.
  json fit_own(const std::string& study, const std::string& options) const {
    EXPECT_EQ(thud("synth " + study + " " + options + " --out captures/").status, 0);
    const Result r = thud("fit " + study + " --data captures/*.csv --json");
    EXPECT_EQ(r.status, 0) << r.err;
    return json::parse(r.out);
  }
  // Within four standard errors, 15 000 to 1 for a right program; and known to a tenth or so.
  static void expect_found(const json& fit, const std::string& knob, double truth) {
    for (const json& e : fit["estimates"]) {
      if (e["knob"] != knob) continue;
      const double error = e["standard_error"].get<double>();
      EXPECT_NEAR(e["value"].get<double>(), truth, 4 * error) << knob;
      EXPECT_LT(error, 0.12 * truth) << knob;
      return;
    }
    ADD_FAILURE() << knob << " was not fitted";
  }
};

// Lee 2009, section 6.2.2.
TEST_F(PapersCli, coefficients_of_sand_from_the_compound_pendulum) {
  const json fit = fit_own("fit_compound_pendulum", "");
  EXPECT_EQ(fit["estimates"].size(), 4u + 12u + 12u);  // coefficients, rates, starts
  expect_found(fit, "eta_d", 6.5);
  expect_found(fit, "eta_h", 8);
  expect_found(fit, "eta_v", 21);
  expect_found(fit, "lambda", 1.1);
}

// Gharib & Hurmuzlu 2010, section 6.
TEST_F(PapersCli, impulse_correlation_from_the_rebound) {
  expect_found(fit_own("fit_block_rebound", "--rate 1000"), "alpha", 0.01);
  const json other = fit_own("fit_block_rebound", "--rate 1000 --set alpha=0.08");
  expect_found(other, "alpha", 0.08);
}

}  // namespace
