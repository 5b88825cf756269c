// Runs in lanes against runs by themselves: the same engine, step by step, but for elementary functions, whose last bit
// may differ.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thud/scenario/family.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

struct Spread {
  double worst = 0;
  std::string where;
  ScenarioFamily::StepCounts counts;
};

// Random knobs of a scenario, within their ranges or a tenth around their values.
std::vector<std::vector<double>> random_points(const Scenario& base, const std::vector<std::string>& names,
                                               int count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::vector<double>> out(count);
  for (auto& point : out)
    for (const std::string& name : names)
      for (const Knob& k : base.knobs)
        if (k.name == name) {
          double from = 0.9 * k.value, to = 1.1 * k.value;
          if (k.range)
            from = std::max(std::min(from, to), k.range->first),
            to = std::min(std::max(0.9 * k.value, 1.1 * k.value), k.range->second);
          point.push_back(from + (to - from) * unit(random));
        }
  return out;
}

Spread compare(const std::string& scenario, const std::vector<std::string>& varied, int count,
               const RunRequest& request = {}) {
  std::vector<std::string> outputs = {"end.time", "energy.residual"};
  {
    const ScenarioFamily look(scenario, {}, varied, {});
    for (const ResultSpec& r : look.base().results) outputs.push_back(r.name);
  }
  ScenarioFamily together(scenario, {}, varied, outputs), alone(scenario, {}, varied, outputs);
  const auto points = random_points(alone.base(), varied, count, 7);
  std::vector<std::vector<double>> got(count);
  std::vector<StopReason> reasons(count);
  EXPECT_TRUE(together.run_many(
      count,
      [&](std::int64_t i, std::span<double> values) {
        std::copy(points[i].begin(), points[i].end(), values.begin());
      },
      [&](std::int64_t i, const FamilyRun& run, const double* out) {
        got[i].assign(out, out + outputs.size());
        reasons[i] = run.reason;
        return true;
      },
      request));
  Spread spread;
  std::vector<double> expected(outputs.size()), shifted(outputs.size());
  for (int i = 0; i < count; ++i) {
    const FamilyRun run = alone.run(points[i], expected.data(), request);
    // What a change of the knobs by their last bits grows to: a pile of discs may end otherwise.
    std::vector<double> beside = points[i];
    for (double& x : beside) x *= 1 - 4e-16;
    const FamilyRun other = alone.run(beside, shifted.data(), request);
    if (other.reason == run.reason) {
      EXPECT_EQ(run.reason, reasons[i]) << scenario << " " << i << " " << run.message;
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k] == "energy.residual") {
        EXPECT_LT(std::abs(got[i][k]), std::max(1e-7, 2 * std::abs(expected[k]))) << scenario << " " << i;
        continue;
      }
      if (std::isnan(expected[k]) && std::isnan(got[i][k])) continue;
      const double size = std::max(std::abs(expected[k]), 1e-3);
      const double grown = 100 * std::abs(shifted[k] - expected[k]) / size;
      const double off = std::abs(got[i][k] - expected[k]) / size;
      if (off < grown || std::isnan(shifted[k])) continue;
      if (!(off <= spread.worst))
        spread.worst = off, spread.where = outputs[k] + " of run " + std::to_string(i);
    }
  }
  spread.counts = together.step_counts();
  return spread;
}

TEST(Lanes, free_link_as_alone) {
  const Spread s = compare("free_link", {"angle", "speed"}, 200);
  // The side of the drag changes where it is zero: that instant is located to 1e-8 of the time scale, and steps before and
  // after it err by the tolerance of 1e-9 in sum.
  EXPECT_LT(s.worst, 1e-10) << s.where;
  EXPECT_EQ(s.counts.single, 0);
  EXPECT_GT(s.counts.lanes, 1000);
}

// From the start to rest in lanes, through switches that hold and let go. What each run may be off by follows from its
// tolerance of 1e-9 and grows with every switch.
TEST(Lanes, whole_runs_as_alone) {
  RunRequest to_rest;
  to_rest.until_rest = true;
  const struct {
    const char* scenario;
    std::vector<std::string> knobs;
    RunRequest request;
  } cases[] = {
      {"compound_pendulum", {"angle", "rate"}, {}},       {"compound_pendulum", {"angle", "rate"}, to_rest},
      {"double_pendulum", {"angle1", "angle2"}, to_rest}, {"two_link_chain", {"rate1", "rate2"}, to_rest},
      {"free_link", {"angle", "speed"}, to_rest},         {"n_link_chain", {"speed"}, to_rest}};
  for (const auto& c : cases) {
    const Spread s = compare(c.scenario, c.knobs, 60, c.request);
    EXPECT_LT(s.worst, 2e-8) << c.scenario << ": " << s.where;
    EXPECT_GT(s.counts.lanes, 5 * s.counts.single) << c.scenario;
  }
}

// Whatever the processor, and whatever others a run goes along with.
TEST(Lanes, same_bytes_for_all_sets_of_instructions_and_company) {
  const auto points =
      random_points(ScenarioFamily("double_pendulum", {}, {}, {}).base(), {"angle1", "angle2"}, 40, 3);
  const auto run = [&](const std::string& lanes, int from, int to) {
    ScenarioFamily family("double_pendulum", {}, {"angle1", "angle2"}, {"end.time", "energy.residual"});
    RunRequest request;
    request.lanes = lanes;
    request.until_rest = true;
    std::vector<double> out(2 * points.size(), 0.0);
    EXPECT_TRUE(family.run_many(
        to - from,
        [&](std::int64_t i, std::span<double> values) {
          std::copy(points[from + i].begin(), points[from + i].end(), values.begin());
        },
        [&](std::int64_t i, const FamilyRun&, const double* x) {
          std::copy_n(x, 2, out.begin() + 2 * (from + i));
          return true;
        },
        request));
    return out;
  };
  const std::vector<double> all = run("", 0, 40);
  for (const std::string& name : lane_kernels()) EXPECT_EQ(run(name, 0, 40), all) << name;
  const std::vector<double> late = run("", 11, 24);
  for (std::size_t k = 2 * 11; k < 2 * 24; ++k) EXPECT_EQ(late[k], all[k]) << k;
}

// The scenarios of the library, each with all knobs that are numbers.
TEST(Lanes, library_as_alone) {
  for (const LibraryEntry& e : list_library()) {
    std::vector<std::string> varied;
    const ScenarioFamily look(e.name, {}, {}, {});
    for (const Knob& k : look.base().knobs)
      if (k.choices.empty() && !k.integer) varied.push_back(k.name);
    if (varied.empty()) continue;
    const Spread s = compare(e.name, varied, 8);
    std::printf("%-28s worst %.1e (%s), %ld steps in lanes, %ld single\n", e.name.c_str(), s.worst,
                s.where.c_str(), static_cast<long>(s.counts.lanes), static_cast<long>(s.counts.single));
    EXPECT_LT(s.worst, 1e-8) << e.name << ": " << s.where;
  }
}

}  // namespace
}  // namespace thud
