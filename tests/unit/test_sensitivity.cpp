// Sensitivity studies: their files, the distributions of knobs, and what is told of the outcome.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "temp_folder.hpp"
#include "thud/study/sensitivity.hpp"

namespace {

using namespace thud;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string library(const std::string& path) { return std::string(THUD_SOURCE_DATA_DIR) + "/" + path; }

class Files : public ::testing::Test {
 protected:
  std::string file(const std::string& text) const {
    const fs::path path = folder / "study.toml";
    std::ofstream(path) << text;
    return path.string();
  }
  std::string free_link(const std::string& rest) const {
    return file("scenario = \"" + library("scenarios/free_link.toml") + "\"\n" + rest);
  }
  std::string refusal(const std::string& rest) const {
    try {
      (void)load_sensitivity(free_link(rest));
    } catch (const InputError& e) {
      return e.what();
    }
    return "not refused";
  }
  const test::TempFolder temporary{"sensitivity"};
  const fs::path folder = temporary.path();
};

using SensitivityFile = Files;
using SensitivityOutcome = Files;

TEST_F(SensitivityFile, section_and_defaults) {
  const SensitivityStudy d = load_sensitivity(free_link("[vary]\nspeed = { uniform = [1, 2] }\n"));
  EXPECT_EQ(d.samples, 4096);
  EXPECT_EQ(d.confidence, 0.95);
  EXPECT_EQ(d.bootstrap, 1000);
  EXPECT_EQ(d.runs(), 3 * 4096);
  const SensitivityStudy s =
      load_sensitivity(free_link("[vary]\nspeed = { uniform = [1, 2] }\n[sensitivity]\nsamples = "
                                 "100\nconfidence = 0.9\nbootstrap = 50\nseed = 7\n"));
  EXPECT_EQ(s.samples, 100);
  EXPECT_EQ(s.confidence, 0.9);
  EXPECT_EQ(s.bootstrap, 50);
  EXPECT_EQ(s.seed, 7u);
}

TEST_F(SensitivityFile, what_is_wrong_is_named_with_its_place) {
  const std::string vary = "[vary]\nspeed = { uniform = [1, 2] }\n[sensitivity]\n";
  EXPECT_THAT(refusal(vary + "sample = 5\n"),
              AllOf(HasSubstr("study.toml:5:1:"), HasSubstr("did you mean \"samples\"")));
  EXPECT_THAT(refusal(vary + "samples = 5\n"), AllOf(HasSubstr("study.toml:5:11:"), HasSubstr("from 16 to")));
  EXPECT_THAT(refusal(vary + "confidence = 95\n"),
              AllOf(HasSubstr("study.toml:5:14:"), HasSubstr("between 0 (excluded) and 1 (excluded)")));
  EXPECT_THAT(refusal("[vary]\nsped = { uniform = [1, 2] }\n"),
              AllOf(HasSubstr("study.toml:3:1:"), HasSubstr("did you mean \"speed\"")));
  EXPECT_THAT(refusal("[set]\nspeed = 1\n"), HasSubstr("nothing varies"));
}

TEST_F(SensitivityFile, runs_are_cut_down_to_a_power_of_two) {
  const SensitivityStudy s = load_sensitivity(free_link("[vary]\nspeed = { uniform = [1, 2] }\n"));
  EXPECT_EQ(samples_for_runs(s, 3 * 64), 64);
  EXPECT_EQ(samples_for_runs(s, 3 * 128 - 1), 64);
  EXPECT_EQ(samples_for_runs(s, 48), 16);
  EXPECT_THROW((void)samples_for_runs(s, 47), InputError);
}

TEST(Quantile, of_each_distribution) {
  VariedKnob v;
  v.distribution.kind = Distribution::Kind::uniform;
  v.distribution.low = 2;
  v.distribution.high = 4;
  EXPECT_DOUBLE_EQ(quantile_of(v, 0.25), 2.5);
  v.distribution.kind = Distribution::Kind::grid;
  v.distribution.count = 3;
  EXPECT_DOUBLE_EQ(quantile_of(v, 0.25), 2.5);
  v.knob.integer = true;
  EXPECT_EQ(quantile_of(v, 0.25), 2);
  EXPECT_EQ(quantile_of(v, 0.5), 3);
  EXPECT_EQ(quantile_of(v, 0.999), 4);
  v.distribution.kind = Distribution::Kind::list;
  v.distribution.list = {7, 1};
  EXPECT_EQ(quantile_of(v, 0.49), 7);
  EXPECT_EQ(quantile_of(v, 0.51), 1);
  v.knob.integer = false;
  v.distribution.kind = Distribution::Kind::normal;
  v.distribution.mean = 5;
  v.distribution.deviation = 2;
  EXPECT_DOUBLE_EQ(quantile_of(v, 0.5), 5);
  EXPECT_NEAR(quantile_of(v, 0.975), 5 + 2 * 1.959963985, 1e-8);
  EXPECT_NEAR(quantile_of(v, 0.025), 5 - 2 * 1.959963985, 1e-8);
}

// The reason of the end is the same in all runs.
constexpr const char* two_knobs =
    "title = \"Free link\"\noutputs = [\"t_z\", \"end.reason\"]\n[vary]\nspeed = { uniform = [1, 2] }\n"
    "angle = { list = [\"30 deg\", \"40 deg\"] }\n[sensitivity]\nsamples = 64\nbootstrap = 50\n";

TEST_F(SensitivityOutcome, speed_decides_the_stopping_time_of_the_free_link) {
  const Sensitivity s = find_sensitivity(load_sensitivity(free_link(two_knobs)));
  EXPECT_EQ(s.indices.runs, 256);
  EXPECT_EQ(s.indices.failed, 0);
  const SobolOutput& t = s.indices.outputs[0];
  EXPECT_GT(t.first[0].value, t.first[1].value);
  EXPECT_NEAR(t.first_sum.value, 1, 0.1);
  EXPECT_TRUE(s.has_results());
  EXPECT_THAT(stands_out(s, 0), HasSubstr("speed explains"));
}

TEST_F(SensitivityOutcome, a_constant_is_said_to_be_one_and_no_nan_is_printed) {
  const Sensitivity s = find_sensitivity(load_sensitivity(free_link(two_knobs)));
  const std::string text = to_text(s, TextStyle{}), json = to_json(s), svg = to_svg(s);
  EXPECT_THAT(text, AllOf(HasSubstr("end.reason  mean 0: it does not vary"), Not(HasSubstr("nan"))));
  EXPECT_THAT(svg, AllOf(HasSubstr("undefined"), Not(HasSubstr("nan"))));
  const auto doc = nlohmann::json::parse(json);
  EXPECT_EQ(doc["outputs"][1]["varies"], false);
  EXPECT_TRUE(doc["outputs"][1]["indices"][0]["first"]["value"].is_null());
  EXPECT_TRUE(doc["outputs"][0]["indices"][1]["total"]["high"].is_number());
  EXPECT_EQ(doc["knobs"][1]["distribution"], "list");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 80u) << line;
}

TEST_F(SensitivityOutcome, the_same_bytes_for_one_thread_and_for_two) {
  const SensitivityStudy study = load_sensitivity(free_link(two_knobs));
  SensitivityOptions one, two;
  one.jobs = 1;
  two.jobs = 2;
  EXPECT_EQ(to_json(find_sensitivity(study, one)), to_json(find_sensitivity(study, two)));
}

// A normal speed of 2 ± 1 m/s is below 0, where the knob ends, in 2.3 % of the draws.
TEST_F(SensitivityOutcome, draws_outside_the_range_of_a_knob_fail_and_are_warned_about) {
  const Sensitivity s =
      find_sensitivity(load_sensitivity(free_link("[vary]\nspeed = { normal = { mean = 2, deviation = 1 } "
                                                  "}\n[sensitivity]\nsamples = 128\nbootstrap = 20\n")));
  EXPECT_NEAR(s.failed_share(), 0.023, 0.015);
  EXPECT_LT(s.indices.outputs[0].used, 128);
  EXPECT_EQ(s.indices.outputs[0].used, s.indices.outputs[1].used);
  EXPECT_THAT(to_text(s, TextStyle{}),
              AllOf(HasSubstr("warning: "), HasSubstr("runs failed"), HasSubstr("speed")));
}

// A made-up outcome, to see the words for it.
TEST(StandsOut, names_the_main_knob_interactions_and_idle_knobs) {
  Sensitivity s;
  for (const char* name : {"speed", "angle", "colour"}) {
    VariedKnob v;
    v.knob.name = name;
    s.study.study.vary.push_back(v);
  }
  s.outputs = {{"t_z", "s", ""}};
  SobolOutput o;
  o.varies = true;
  o.used = 100;
  o.first = {{0.83, 0.8, 0.86}, {0.02, 0, 0.04}, {0, -0.001, 0.001}};
  o.total = {{0.95, 0.93, 0.97}, {0.15, 0.12, 0.18}, {0.001, 0, 0.002}};
  o.first_sum = {0.85, 0.82, 0.88};
  s.indices.outputs = {o};
  EXPECT_EQ(stands_out(s, 0),
            "speed explains 83 % of the variance of t_z; angle acts mostly through interactions (2 % alone, "
            "15 % in "
            "all); interactions make up about 15 %; colour hardly matters (below 1 % in all)");
  s.indices.outputs[0].first[0] = {0.4, 0.35, 0.45};
  EXPECT_THAT(stands_out(s, 0), HasSubstr("no knob alone explains half of the variance of t_z: speed 40 %"));
}

// The file of the library names what its scenario offers, and without changes it is the published pendulum.
TEST(Library, the_pendulum_with_free_coefficients_is_the_published_one) {
  const SensitivityStudy s = load_sensitivity(library("studies/sensitivity_compound_pendulum.toml"));
  EXPECT_EQ(s.study.vary.size(), 6u);
  const RunResult published = run(load_scenario(library("scenarios/compound_pendulum.toml")));
  const RunResult free = run(load_scenario(s.study.scenario));
  EXPECT_EQ(*published.find("t_s")->value, *free.find("t_s")->value);
  EXPECT_EQ(*published.find("z_T")->value, *free.find("z_T")->value);
}

}  // namespace
