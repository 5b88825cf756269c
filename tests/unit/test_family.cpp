// Source of truth: a scenario read anew from its file for every setting of its knobs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thud/scenario/family.hpp"

namespace thud {
namespace {

using testing::HasSubstr;

struct Setting {
  std::vector<double> values;
  KnobSettings set;
};

// Values within a tenth of the defaults, and in the ranges of the knobs.
Setting turned(const std::vector<Knob>& knobs, std::mt19937& random) {
  Setting s;
  std::uniform_real_distribution<double> part(-0.1, 0.1);
  for (const Knob& k : knobs) {
    double x = k.value * (1 + part(random));
    if (k.range) x = std::clamp(x, k.range->first, k.range->second);
    if (k.integer) x = k.value;
    s.values.push_back(x);
    s.set.emplace_back(k.name, fmt::format("{:.17g}", x));
  }
  return s;
}

std::vector<std::string> numeric_knobs(const Scenario& s) {
  std::vector<std::string> names;
  for (const Knob& k : s.knobs)
    if (k.choices.empty()) names.push_back(k.name);
  return names;
}

class EveryScenario : public testing::TestWithParam<std::string> {};

TEST_P(EveryScenario, gives_the_same_as_read_anew) {
  const Scenario base = load_scenario(GetParam());
  std::vector<std::string> outputs = {"end.time", "energy.residual"};
  for (const ResultSpec& r : base.results) outputs.push_back(r.name);
  for (const std::string& name : {base.system->tree().body(0).name + ".x", std::string("energy.total")})
    outputs.push_back(name);
  ScenarioFamily family(GetParam(), {}, numeric_knobs(base), outputs);
  std::mt19937 random(7);
  RunRequest request;
  request.time_limit = 0.2;
  std::vector<double> out(outputs.size());
  for (int trial = 0; trial < 4; ++trial) {
    const Setting s = turned(family.knobs(), random);
    (void)family.run(s.values, out.data(), request);
    Scenario anew = load_scenario(GetParam(), s.set);
    bool distance = false;  // the family leaves the path length out where nobody asks for it
    for (const ResultSpec& r : anew.results) distance = distance || r.what.quantity == Quantity::distance;
    anew.system->track_distance(distance);
    const RunResult expected = run(anew, request);
    EXPECT_EQ(out[0], expected.outcome.time);
    EXPECT_EQ(out[1], expected.outcome.energy.residual);
    for (std::size_t k = 0; k < anew.results.size(); ++k) {
      const auto value = expected.results[k].value;
      if (value)
        EXPECT_EQ(out[2 + k], *value) << expected.results[k].name;
      else
        EXPECT_TRUE(std::isnan(out[2 + k])) << expected.results[k].name;
    }
  }
}

std::vector<std::string> library() {
  std::vector<std::string> names;
  for (const LibraryEntry& e : list_library()) names.push_back(e.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Family, EveryScenario, testing::ValuesIn(library()),
                         [](const auto& scenario) { return scenario.param; });

std::string refusal(const std::vector<std::string>& varied, const std::vector<std::string>& outputs) {
  try {
    ScenarioFamily family("free_link", {}, varied, outputs);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Family, unknown_names_are_refused_with_a_suggestion) {
  EXPECT_THAT(refusal({"sped"}, {"t_z"}), HasSubstr("did you mean \"speed\""));
  EXPECT_THAT(refusal({"speed"}, {"t_y"}), HasSubstr("did you mean \"t_z\""));
  EXPECT_THAT(refusal({"speed"}, {"link.tip.dept"}), HasSubstr("link.tip.depth"));
}

TEST(Family, values_out_of_range_are_a_run_that_says_so) {
  ScenarioFamily family("free_link", {}, {"speed"}, {"t_z"});
  double out = 0;
  EXPECT_TRUE(family.run(std::vector{1.5}, &out).reached);
  const FamilyRun run = family.run(std::vector{-3.0}, &out);
  EXPECT_FALSE(run.reached);
  EXPECT_THAT(run.message, HasSubstr("speed"));
  EXPECT_TRUE(std::isnan(out));
  // and the next one is as if nothing had been
  EXPECT_TRUE(family.run(std::vector{1.5}, &out).reached);
  EXPECT_GT(out, 0.01);
}

TEST(Family, what_a_setting_does_not_have_is_missing) {
  ScenarioFamily family("n_link_chain", {}, {"links"}, {"link2.z", "end.time"});
  RunRequest request;
  request.time_limit = 0.05;
  double out[2];
  (void)family.run(std::vector{1.0}, out, request);
  EXPECT_TRUE(std::isnan(out[0]));
  (void)family.run(std::vector{3.0}, out, request);
  Scenario anew = load_scenario("n_link_chain", {{"links", "3"}});
  anew.system->track_distance(false);
  const RunResult expected = run(anew, request);
  const NamedObservable* z = anew.find_observable("link2.z");
  EXPECT_EQ(out[0], expected.final_values[static_cast<std::size_t>(z - anew.observables.data())]);
}

TEST(Family, textual_knobs_are_set_by_the_number_of_the_choice) {
  ScenarioFamily family("elastic_free_link", {{"modes", "1"}}, {"gravity"}, {"t_z"});
  double distributed = 0, midspan = 0;
  (void)family.run(std::vector{0.0}, &distributed);
  (void)family.run(std::vector{1.0}, &midspan);
  const RunResult anew = run(load_scenario("elastic_free_link", {{"modes", "1"}, {"gravity", "midspan"}}));
  EXPECT_NEAR(*anew.find("t_z")->value, midspan, 1e-9);  // the path length changes the last steps
  EXPECT_GT(std::abs(distributed - midspan), 1e-8);
}

}  // namespace
}  // namespace thud
