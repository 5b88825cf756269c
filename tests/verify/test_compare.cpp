// Laws on the same captures: the one that the data were made with wins, and one more parameter that it does not need
// costs what Akaike and Schwarz say. Source of truth: the scenario of the data, and the criteria computed here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "thud/study/compare.hpp"
#include "verify/fit_case.hpp"

namespace {

using namespace thud;
using namespace thud::test;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string ball(const std::string& law, const std::string& knobs, const std::string& coefficients) {
  return fmt::format(R"(title = "Ball into sand"
[parameters]
speed = {{ value = 2, unit = "m/s", range = [0, 20], about = "speed at impact" }}
{}
[[body]]
name = "ball"
shape = {{ kind = "sphere", diameter = "1 in", density = 7700 }}
joint = "free"
[bed]
law = "{}"
{}
[initial]
"ball.x" = 0
"ball.z" = 0
"ball.vz" = "=speed"
[stop]
time = "40 ms"
)",
                     knobs, law, coefficients);
}

std::string study(const std::string& title, const std::string& knobs, const std::string& more = "") {
  return fmt::format(
      "title = \"{}\"\nscenario = \"scenario.toml\"\n[fit]\nnuisance = {{ start = \"known\" }}\n{}\n"
      "[fit.knobs]\n{}\n[data]\n\"a.csv\" = {{ speed = 1 }}\n\"b.csv\" = {{ speed = 2 }}\n\"c.csv\" = "
      "{{ speed = 3 }}\n",
      title, more, knobs);
}

struct Laws {
  FitCase poncelet, bingham, allen;
  explicit Laws(const std::string& more = "")
      : poncelet(
          study("Poncelet", "F0 = { start = 2, range = [0, 20] }\nc = { start = 1, range = [0, 20] }", more),
          ball("poncelet", "F0 = { value = 1.2, range = [0, 50] }\nc = { value = 0.6, range = [0, 50] }",
               "F0 = \"=F0\"\nc = \"=c\"")),
        bingham(
            study("Bingham", "F0 = { start = 2, range = [0, 20] }\nb = { start = 1, range = [0, 20] }", more),
            ball("bingham", "F0 = { value = 1.2, range = [0, 50] }\nb = { value = 1, range = [0, 50] }",
                 "F0 = \"=F0\"\nb = \"=b\"")),
        allen(
            study("Allen",
                  "A = { start = 1, range = [0, 20] }\nB = { start = 0.5, range = [-5, 20] }\nC = { start = "
                  "2, range = [0, 20] }",
                  more),
            ball("allen",
                 "A = { value = 0.6, range = [0, 50] }\nB = { value = 0, range = [-5, 50] }\nC = { value = "
                 "1.2, range "
                 "= [0, 50] }",
                 "A = \"=A\"\nB = \"=B\"\nC = \"=C\"")) {}

  std::vector<RivalFit> rivals(std::uint64_t seed) const {
    SynthOptions options;
    options.seed = seed;
    options.observables = {"ball.z"};
    const std::vector<FitData> data = poncelet.measure(options);
    std::vector<RivalFit> out;
    for (const FitCase* c : {&bingham, &allen, &poncelet}) {
      out.push_back({c->study, data});
      for (std::size_t f = 0; f < data.size(); ++f) out.back().data[f].local = c->local_of(f);
    }
    return out;
  }
};

TEST(Compare, the_law_of_the_data_wins_and_parameters_cost) {
  const Laws laws;
  const Comparison c = compare_fits(laws.rivals(5));
  ASSERT_EQ(c.laws.size(), 3u);
  EXPECT_EQ(c.laws[2].name, "Bingham");
  EXPECT_GT(c.laws[2].aic - c.laws[0].aic, 50);
  EXPECT_EQ(c.values, 63);
  for (const LawScore& s : c.laws) {
    double sum = 0, n = 0;
    for (const FitResidual& r : s.fit.residuals)
      sum += r.rms * r.rms * double(r.time.size()), n += double(r.time.size());
    const double k = double(s.parameters) + 1;  // and the noise
    EXPECT_NEAR(s.aic, n * std::log(sum / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1), 1e-6) << s.name;
    EXPECT_NEAR(s.bic, n * std::log(sum / n) + k * std::log(n), 1e-6) << s.name;
    ASSERT_EQ(s.left_out.size(), 3u);
    ASSERT_TRUE(s.left_out_rms) << s.name;
  }
  // Allen's law holds Poncelet's: no worse a fit, at the price of one parameter.
  const auto& find = [&](const char* name) -> const LawScore& {
    return *std::find_if(c.laws.begin(), c.laws.end(), [&](const LawScore& s) { return s.name == name; });
  };
  EXPECT_LE(find("Allen").rms, find("Poncelet").rms * (1 + 1e-9));
  EXPECT_LT(find("Allen").aic - find("Poncelet").aic, 2.5);
  EXPECT_NEAR(find("Poncelet").rms, 1, 0.1);
  EXPECT_LT(*find("Poncelet").left_out_rms, 1.2);
  EXPECT_GT(*find("Bingham").left_out_rms, 2 * *find("Poncelet").left_out_rms);
  EXPECT_NEAR(c.laws[0].weight + c.laws[1].weight + c.laws[2].weight, 1, 1e-12);
  EXPECT_THAT(to_text(c, {}), HasSubstr("Poncelet: F0 = 1.2"));
  EXPECT_EQ(nlohmann::json::parse(to_json(c))["laws"].size(), 3u);
  EXPECT_THAT(make_comparison_picture(c), ::testing::EndsWith("</svg>\n"));
}

TEST(Compare, outliers_are_the_same_for_all) {
  const Laws laws;
  std::vector<RivalFit> rivals = laws.rivals(6);
  for (RivalFit& r : rivals) r.data[1].measurement.columns[0].value[9] = 0.5;
  const Comparison c = compare_fits(rivals);
  EXPECT_EQ(c.values, 62);
  EXPECT_EQ(c.laws.back().name, "Bingham");
  ASSERT_EQ(c.notes.size(), 1u);
  EXPECT_THAT(c.notes[0], HasSubstr("1 value that the best law calls an outlier is left out"));
}

// A fit that stops early has nothing to say about the file that it leaves out, and says so.
TEST(Compare, left_out_fits_that_stop_early_are_told) {
  const Laws laws;
  std::atomic<bool> cancel{false};
  std::vector<std::string> stages;
  FitOptions options;
  options.cancel = &cancel;
  options.progress = [&](std::string_view stage, long) {
    stages.emplace_back(stage);
    if (stage.starts_with("law 3 of 3: without b.csv: ")) cancel = true;
  };
  const Comparison c = compare_fits(laws.rivals(5), options);
  const auto poncelet =
      std::find_if(c.laws.begin(), c.laws.end(), [](const LawScore& s) { return s.name == "Poncelet"; });
  ASSERT_EQ(poncelet->left_out.size(), 3u);
  EXPECT_TRUE(poncelet->left_out[0].rms);
  EXPECT_FALSE(poncelet->left_out[1].rms);
  EXPECT_EQ(poncelet->left_out[1].message, "interrupted");
  EXPECT_FALSE(poncelet->left_out_rms);
  EXPECT_THAT(c.warnings, Contains("Poncelet: how well it foretells b.csv is not known (interrupted)"));
  EXPECT_THAT(to_json(c), HasSubstr("\"message\": \"interrupted\""));
  EXPECT_THAT(stages, Contains("law 1 of 3: iteration 1"));
  EXPECT_THAT(stages, Contains("law 2 of 3: interval 3 of 3"));
}

TEST(Compare, other_data_noise_or_loss_are_refused) {
  const Laws laws, noise("noise = \"0.1 mm\""), huber("loss = \"huber\"");
  std::vector<RivalFit> rivals = laws.rivals(7);
  const auto refusal = [](const std::vector<RivalFit>& r) -> std::string {
    try {
      (void)compare_fits(r);
    } catch (const InputError& e) {
      return e.message();
    }
    return "accepted";
  };
  rivals[1].study = noise.allen.study;
  EXPECT_THAT(refusal(rivals), HasSubstr("states another noise"));
  rivals[1].study = huber.allen.study;
  EXPECT_THAT(refusal(rivals), HasSubstr("another loss"));
  rivals[1] = laws.rivals(8)[1];
  EXPECT_THAT(refusal(rivals), HasSubstr("the same captures"));
  rivals[1].data.pop_back();
  EXPECT_THAT(refusal(rivals), HasSubstr("reads 2 files"));
}

}  // namespace
