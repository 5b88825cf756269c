// Captures as laboratories have them, each with what went wrong with it: the truth within the interval, or a failure in
// words. Source of truth: the scenario that the measurements were made from, or a closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <sstream>

#include "verify/fit_case.hpp"

namespace {

using namespace thud;
using namespace thud::test;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Status = FitEstimate::Status;

SynthOptions seeded(std::uint64_t seed) {
  SynthOptions o;
  o.seed = seed;
  return o;
}

SynthOptions exact() {
  SynthOptions o;
  o.noise = {{"", 0}};
  return o;
}

// The file of the facts: one drop, two coefficients.
std::string one_drop(const std::string& fit) {
  return "scenario = \"free_link_capture\"\n[fit]\nnoise = \"0.1 mm\"\n" + fit + R"(
[fit.knobs]
eta_d = { start = 5, range = [1, 20] }
eta_h = { start = 5, range = [1, 40] }
[data]
"a.csv" = { angle = "32 deg", speed = 1.87 }
)";
}

// Three standard errors: the interval is 95 %, and these seeds are given once and for all.
void expect_truth(const FitResult& r, const std::string& about) {
  ASSERT_TRUE(r.is_sound()) << about << ": " << r.message << fmt::format("{}", fmt::join(r.failures, "; "));
  EXPECT_LT(std::abs(r.estimates[0].value - 6.5), 3 * *r.estimates[0].error) << about;
  EXPECT_LT(std::abs(r.estimates[1].value - 8), 3 * *r.estimates[1].error) << about;
  EXPECT_LT(*r.estimates[0].error, 0.06) << about;
}

// The text of a measurement with one cell of the given row and column changed.
std::string with_cell(const std::string& csv, int row, int column, const std::string& cell) {
  std::istringstream lines(csv);
  std::string out;
  int n = -1;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] != '#' && ++n == row) {
      std::size_t at = 0;
      for (int k = 0; k < column; ++k) at = line.find(',', at) + 1;
      const std::size_t end = std::min(line.find(',', at), line.size());
      line = line.substr(0, at) + " " + cell + line.substr(end);
    }
    out += line + "\n";
  }
  return out;
}

TEST(FitCaptures, codes_and_outliers_of_any_size_never_decide) {
  for (const char* loss : {"none", "huber", "cauchy"}) {
    const FitCase c(one_drop(fmt::format("loss = \"{}\"\n", loss)));
    const std::string csv = make_synthetic_csv(c.sources[0], seeded(21));
    const FitResult clean =
        fit(c.study, {{"a.csv", read_measurement(csv, "a.csv", c.study.observables), c.local_of(0)}});
    expect_truth(clean, loss);
    for (const char* cell : {"-3.697314E+28", "1e3", "1e4", "-1e5", "1e6", "1e9", "-1e12", "1e14", "1e18",
                             "1e30", "-9999", "20", "-60"}) {
      const std::string bad = with_cell(csv, 13, 2, cell);
      ASSERT_NE(bad, csv);
      const Measurement m = read_measurement(bad, "a.csv", c.study.observables);
      const FitResult r = fit(c.study, {{"a.csv", m, c.local_of(0)}});
      expect_truth(r, fmt::format("{} {}", loss, cell));
      // One value less, and nothing else changes.
      EXPECT_NEAR(r.estimates[0].value, clean.estimates[0].value, *clean.estimates[0].error) << cell;
      // It is told.
      EXPECT_EQ(r.outliers.size() + m.notes.size(), 1u) << cell;
      EXPECT_THAT(to_text(r, {}),
                  ::testing::AnyOf(HasSubstr("Outliers (1 of"), HasSubstr("the code of something")));
    }
  }
}

TEST(FitCaptures, a_code_in_many_frames_is_declared_or_fails_in_words) {
  const FitCase c(one_drop("")), declared(one_drop("capture = { missing = [-60] }\n"));
  std::string csv = make_synthetic_csv(c.sources[0], seeded(22));
  for (int row = 6; row < 18; ++row) csv = with_cell(csv, row, 2, "-60");
  const auto fitted = [&](const FitCase& k) {
    return fit(k.study,
               {{"a.csv", read_measurement(csv, "a.csv", k.study.observables, k.study.files[0].rules),
                 k.local_of(0)}});
  };
  expect_truth(fitted(declared), "declared");
  const FitResult r = fitted(c);
  EXPECT_FALSE(r.is_sound());
  EXPECT_THAT(r.failures, Not(IsEmpty()));
}

// With z counted upwards, in the second and the fourth column of values.
std::string flipped(const std::string& csv) {
  std::string out = csv;
  const Measurement m = read_measurement(csv, "a.csv", load_scenario("free_link_capture").observables);
  for (std::size_t row = 0; row < m.time.size(); ++row)
    for (int column : {2, 4})
      out = with_cell(out, static_cast<int>(row) + 1, column,
                      fmt::format("{:.4f}", -1e3 * m.columns[std::size_t(column) - 1].value[row]));
  return out;
}

TEST(FitCaptures, a_flipped_axis_fails_in_words_or_is_found) {
  const FitCase plain(one_drop("")), huber(one_drop("loss = \"huber\"\n")),
      found(one_drop("nuisance = { sign = \"find\" }\n")),
      declared(one_drop("capture = { axes = { z = \"-z\" } }\n"));
  const std::string csv = flipped(make_synthetic_csv(plain.sources[0], seeded(23)));
  const auto fitted = [&](const FitCase& c) {
    const Measurement m = read_measurement(csv, "a.csv", c.study.observables, c.study.files[0].rules);
    return fit(c.study, {{"a.csv", m, c.local_of(0)}});
  };
  for (const FitCase* c : {&plain, &huber}) {
    const FitResult r = fitted(*c);
    EXPECT_FALSE(r.is_sound());
    ASSERT_THAT(r.failures, Not(IsEmpty()));
    EXPECT_THAT(r.failures[0],
                HasSubstr("link.marker1.z of a.csv (and 1 other column) runs against the model"));
    EXPECT_THAT(r.failures, Contains(HasSubstr("times the stated noise")));
    EXPECT_THAT(to_text(r, {}), HasSubstr("Not fitted: link.marker1.z"));
  }
  const FitResult r = fitted(found);
  expect_truth(r, "found");
  EXPECT_THAT(r.notes, Contains("the z axis of a.csv is turned round: it runs against the model"));
  expect_truth(fitted(declared), "declared");
}

// Half a millisecond at 500 frames per second, both ways: the clock is fitted unless the study says that it is known.
TEST(FitCaptures, half_a_millisecond_is_fitted_or_fails_in_words) {
  const FitCase fitted(one_drop("")), known(one_drop("nuisance = { start = \"known\" }\n"));
  for (double late : {-1e-3, -5e-4, 5e-4, 1e-3}) {
    std::vector<FitData> data = fitted.measure(seeded(24));
    Measurement& m = data[0].measurement;
    for (double& t : m.time) t += late;
    if (late < 0) {
      m.time.erase(m.time.begin());
      for (MeasuredColumn& c : m.columns) c.value.erase(c.value.begin());
    }
    const FitResult r = fit(fitted.study, data), k = fit(known.study, data);
    expect_truth(r, fmt::format("{}", late));
    ASSERT_EQ(r.estimates.size(), 3u);
    EXPECT_EQ(r.estimates[2].name(), "start (a.csv)");
    EXPECT_NEAR(r.estimates[2].value, late, 3 * *r.estimates[2].error);
    EXPECT_LT(*r.estimates[2].error, 2e-5);
    EXPECT_FALSE(k.is_sound()) << late;
    EXPECT_THAT(k.failures, Contains(HasSubstr(late > 0 ? "later than stated" : "earlier than stated")))
        << late;
    EXPECT_THAT(k.failures, Contains(HasSubstr("[fit.nuisance] start = \"free\" fits it")));
  }
}

// The pendulum whose rate and clock the data can hardly tell apart: 0.5 ms gave η_d 5.93 to 6.29 without a warning.
TEST(FitCaptures, half_a_millisecond_on_one_pendulum_file) {
  Experiment e = compound_pendulum();
  const std::string study = R"(scenario = "scenario.toml"
[fit.knobs]
eta_d = { start = 5, range = [1, 20] }
eta_v = {}
[fit.initial]
rate = "free"
[data]
"a.csv" = { angle = "22 deg", rate = -1.75 }
)";
  const FitCase c(study, e.scenario);
  int held = 0, n = 0;
  for (double late : {-5e-4, 5e-4})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      std::vector<FitData> data = c.measure(seeded(seed));
      for (double& t : data[0].measurement.time) t += late;
      if (late < 0) {
        data[0].measurement.time.erase(data[0].measurement.time.begin());
        for (MeasuredColumn& k : data[0].measurement.columns) k.value.erase(k.value.begin());
      }
      const FitResult r = fit(c.study, data);
      ASSERT_TRUE(r.converged) << r.message;
      ++n;
      held += !r.is_sound() || holds(r.estimates[0], 6.5) ? 1 : 0;
    }
  EXPECT_GE(held, n - 1);  // 95 %
}

// ---- clocks and axes -------------------------------------------------------------------------------------------

TEST(FitCaptures, clock_offset_and_scale_of_every_axis_are_found_again) {
  const FitCase c(free_link("nuisance = { start = { within = \"3 ms\" }, offset = \"free\", scale = { x = "
                            "\"free\", z = { within = 0.2 } } }\n")
                      .study);
  std::vector<FitData> data = c.measure(exact());
  const double offset[2][2] = {{3e-3, -12e-3}, {-40e-3, 7e-3}}, scale[2][2] = {{1.02, 0.97}, {0.9, 1.1}};
  const double late[2] = {1.3e-3, 0.4e-3};
  for (std::size_t f = 0; f < 2; ++f) {
    for (double& t : data[f].measurement.time) t += late[f];
    for (MeasuredColumn& k : data[f].measurement.columns) {
      const int axis = k.what.name.ends_with(".z");
      for (double& x : k.value) x = offset[f][axis] + scale[f][axis] * x;
    }
  }
  const FitResult r = fit(c.study, data);
  ASSERT_TRUE(r.is_sound()) << fmt::format("{}", fmt::join(r.failures, "; "));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(r.estimates[k].value / sand_truth[k], 1, 1e-4);
  ASSERT_EQ(r.estimates.size(), 14u);
  for (std::size_t f = 0; f < 2; ++f) {
    const FitEstimate* e = &r.estimates[4 + 5 * f];
    EXPECT_EQ(e[1].knob.name, "offset.x");
    EXPECT_NEAR(e[0].value, late[f], 1e-7);
    for (int axis = 0; axis < 2; ++axis) {
      EXPECT_NEAR(e[1 + axis].value, offset[f][axis], 1e-6);
      EXPECT_NEAR(e[3 + axis].value, scale[f][axis], 1e-5);
    }
    EXPECT_TRUE(e[0].nuisance);
  }
  EXPECT_THAT(to_text(r, {}), HasSubstr("Clocks and axes, fitted per file"));
}

std::vector<FitData> with_rate(std::vector<FitData> data, std::initializer_list<double> factors) {
  for (std::size_t f = 0; f < data.size(); ++f)
    for (double& t : data[f].measurement.time) t *= factors.begin()[f];
  return data;
}

TEST(FitCaptures, frame_rates_are_found_again) {
  const FitCase c(free_link("nuisance = { start = \"known\", clock = { within = 0.05 } }\n").study);
  const FitResult r = fit(c.study, with_rate(c.measure(exact()), {1.01, 0.97}));
  ASSERT_TRUE(r.is_sound()) << fmt::format("{}", fmt::join(r.failures, "; "));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(r.estimates[k].value / sand_truth[k], 1, 1e-4);
  ASSERT_EQ(r.estimates.size(), 6u);
  EXPECT_EQ(r.estimates[4].knob.name, "clock");
  EXPECT_NEAR(r.estimates[4].value, 1.01, 1e-6);
  EXPECT_NEAR(r.estimates[5].value, 0.97, 1e-6);
}

// With known speeds the residuals tell of a wrong rate; speeds that are fitted follow it, and only a note can warn.
TEST(FitCaptures, a_wrong_frame_rate_fails_in_words_or_is_warned_of) {
  const FitCase known(one_drop(""));
  const FitResult r = fit(known.study, with_rate(known.measure(seeded(41)), {1.03}));
  EXPECT_FALSE(r.is_sound());
  EXPECT_THAT(r.failures, Contains(HasSubstr("the clock goes 2.9")));
  EXPECT_THAT(r.failures, Contains(HasSubstr("[fit.nuisance] clock = \"free\" fits it")));

  const auto text = [](const std::string& fit) {
    return "scenario = \"free_link_capture\"\n[fit]\nnoise = \"0.1 mm\"\n" + fit + R"(
[fit.knobs]
eta_d = { start = 5, range = [1, 20] }
eta_h = { start = 5, range = [1, 40] }
[fit.initial]
angle = "given"
speed = "free"
[data]
"a.csv" = { angle = "32 deg", speed = 1.87 }
"b.csv" = { angle = "55 deg", speed = 2.43 }
)";
  };
  const FitCase free(text("")), fitted(text("nuisance = { clock = \"free\" }\n"));
  const FitResult good = fit(free.study, free.measure(seeded(42)));
  expect_truth(good, "right rate");
  const FitResult bad = fit(free.study, with_rate(free.measure(seeded(42)), {1.01, 1.01}));
  EXPECT_TRUE(bad.is_sound());
  const double moved = 100 * std::abs(bad.estimates[1].value / good.estimates[1].value - 1);
  EXPECT_GT(moved, 1);
  for (const FitResult* x : {&good, &bad}) {
    const auto note = std::find_if(x->notes.begin(), x->notes.end(), [](const std::string& n) {
      return n.starts_with("a frame rate 1 % off would move eta_h by ");
    });
    ASSERT_NE(note, x->notes.end()) << fmt::format("{}", fmt::join(x->notes, "; "));
    EXPECT_NEAR(std::stod(note->substr(41)), moved, 0.15 * moved)
        << *note;  // what it foretells is what happens
  }
  expect_truth(fit(fitted.study, with_rate(fitted.measure(seeded(42)), {1.01, 1.01})), "fitted rate");
}

TEST(FitCaptures, an_axis_that_is_off_and_not_fitted_fails_in_words) {
  const FitCase c(free_link("").study);
  std::vector<FitData> data = c.measure(seeded(31));
  for (MeasuredColumn& k : data[1].measurement.columns)
    if (k.what.name.ends_with(".x"))
      for (double& x : k.value) x += 1e-3;
  const FitResult r = fit(c.study, data);
  EXPECT_FALSE(r.is_sound());
  EXPECT_THAT(r.failures, Contains(HasSubstr("b.csv: the residuals say that its x axis is shifted by 1")));
}

TEST(FitCaptures, a_start_beyond_its_range_fails_in_words) {
  const FitCase c(one_drop(""));
  std::vector<FitData> data = c.measure(seeded(32));
  for (double& t : data[0].measurement.time) t += 5e-3;
  const FitResult r = fit(c.study, data);
  EXPECT_FALSE(r.is_sound());
  EXPECT_THAT(r.failures, Contains(HasSubstr("start (a.csv) ends at its upper bound of 2 ms")));
}

// ---- fits that are none ----------------------------------------------------------------------------------------

TEST(FitCaptures, knobs_at_bounds_and_residuals_above_the_noise_are_failures) {
  const FitCase bound(one_drop("").replace(one_drop("").find("[1, 20]"), 7, "[1, 5]"));
  const FitResult r = fit(bound.study, bound.measure(seeded(33)));
  EXPECT_EQ(r.estimates[0].status, Status::at_bound);
  EXPECT_FALSE(r.is_sound());
  EXPECT_THAT(r.failures, Contains(HasSubstr("eta_d ends at its upper bound of 5")));
  // Without a stated noise, the scatter of the values themselves tells that the model misses them.
  const std::string text =
      "scenario = \"free_link_capture\"\nset = { eta_v = 60 }\n[fit.knobs]\neta_h = {}\n[data]\n\"a.csv\" = "
      "{ angle = "
      "\"32 deg\", speed = 1.87 }\n";
  const FitCase wrong(text), truth(one_drop(""));
  const FitResult w =
      fit(wrong.study, {{"a.csv", truth.measure(seeded(34))[0].measurement, wrong.local_of(0)}});
  EXPECT_FALSE(w.is_sound());
  EXPECT_THAT(w.failures, Contains(HasSubstr("times the noise of the measured values")));
}

TEST(FitCaptures, a_fit_that_does_not_move_is_a_failure) {
  // What once returned the start values: a code among the values that nothing leaves out.
  const FitCase c(one_drop("outliers = \"keep\"\n"));
  std::vector<FitData> data = c.measure(seeded(35));
  data[0].measurement.columns[1].value[12] = -3.697314e25;
  const FitResult r = fit(c.study, data);
  EXPECT_FALSE(r.is_sound());
  EXPECT_THAT(r.failures, Contains("the fit did not move from its start values"));
}

// ---- intervals -------------------------------------------------------------------------------------------------

// A ball flies without sand: x = v t. With v = exp(k), the interval of k by its profile is the logarithm of that of v,
// whose model is linear: profiles do not depend on how a knob is written.
std::string flight(const std::string& knob, const std::string& speed) {
  return fmt::format(R"(title = "flight"
[parameters]
{} = {{ value = 1, range = [-10, 10], about = "speed" }}
[[body]]
name = "ball"
shape = {{ kind = "sphere", diameter = "1 in", density = 7700 }}
joint = "free"
[initial]
"ball.x" = 0
"ball.z" = 0
"ball.vx" = "={}"
[stop]
time = "50 ms"
)",
                     knob, speed);
}

TEST(FitIntervals, a_profile_does_not_depend_on_how_a_knob_is_written) {
  const auto study = [](const char* knob, const char* more) {
    return fmt::format(
        "scenario = \"scenario.toml\"\n[fit]\nnuisance = {{ start = \"known\" }}\n{}\n[fit.knobs]\n{} = "
        "{{ start = 0.5, range = [-5, 5] }}\n[data]\n\"a.csv\" = {{}}\n",
        more, knob);
  };
  const FitCase v(study("v", ""), flight("v", "v")), k(study("k", ""), flight("k", "exp(k)")),
      linear(study("k", "intervals = \"linear\""), flight("k", "exp(k)"));
  SynthOptions options = seeded(41);
  options.noise = {{"m", 0.02}};  // as large as the path, so that the model is far from linear
  options.observables = {"ball.x"};
  const std::vector<FitData> data = v.measure(options);
  const FitResult rv = fit(v.study, data), rk = fit(k.study, data), rl = fit(linear.study, data);
  const auto [low, high] = *rv.estimates[0].interval;
  ASSERT_GT(low, 0);
  EXPECT_NEAR(rk.estimates[0].value, std::log(rv.estimates[0].value), 1e-4);
  EXPECT_NEAR(rk.estimates[0].interval->first, std::log(low), 0.01 * (std::log(high) - std::log(low)));
  EXPECT_NEAR(rk.estimates[0].interval->second, std::log(high), 0.01 * (std::log(high) - std::log(low)));
  // The linear model's own: Student's t, 25 degrees of freedom: 2.0595 (any table).
  EXPECT_NEAR((high - rv.estimates[0].value) / *rv.estimates[0].error, 2.0595, 0.02);
  // The linearised interval is another.
  EXPECT_GT(std::abs(rl.estimates[0].interval->first - std::log(low)),
            0.05 * (std::log(high) - std::log(low)));
}

TEST(FitIntervals, a_bootstrap_agrees_with_a_linear_model) {
  const FitCase v(
      "scenario = \"scenario.toml\"\n[fit]\nnuisance = { start = \"known\" }\nintervals = "
      "\"bootstrap\"\nsamples = 1000\n[fit.knobs]\nv = { start = 0.5 }\n[data]\n\"a.csv\" = {}\n",
      flight("v", "v"));
  SynthOptions options = seeded(42);
  options.noise = {{"m", 1e-3}};
  options.observables = {"ball.x"};
  options.rate = 4000;  // 201 values
  const FitResult r = fit(v.study, v.measure(options)), again = fit(v.study, v.measure(options));
  EXPECT_EQ(r.intervals, FitIntervals::bootstrap);
  // ± 1.97 standard errors; quantiles of 1000 samples scatter by about 6 % of that.
  EXPECT_NEAR((r.estimates[0].interval->second - r.estimates[0].value) / *r.estimates[0].error, 1.97, 0.3);
  EXPECT_NEAR((r.estimates[0].value - r.estimates[0].interval->first) / *r.estimates[0].error, 1.97, 0.3);
  EXPECT_EQ(r.estimates[0].interval, again.estimates[0].interval);
}

// The residuals of a line through the origin have a mean, which must not shift the refits: over data sets the middle of
// the interval stays at the estimate. A quantile of 1000 samples scatters by 0.084 standard errors, the middle of two by
// about 0.06; a mean left in would shift it by √3/2 = 0.87 standard errors of the mean residual, some half of one error.
TEST(FitIntervals, a_bootstrap_is_centred) {
  const FitCase v(
      "scenario = \"scenario.toml\"\n[fit]\nnuisance = { start = \"known\" }\nintervals = "
      "\"bootstrap\"\nsamples = 1000\n[fit.knobs]\nv = { start = 0.5 }\n[data]\n\"a.csv\" = {}\n",
      flight("v", "v"));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SynthOptions options = seeded(seed);
    options.noise = {{"m", 1e-3}};
    options.observables = {"ball.x"};
    const FitEstimate e = fit(v.study, v.measure(options)).estimates[0];
    EXPECT_LT(std::abs(0.5 * (e.interval->first + e.interval->second) - e.value), 0.25 * *e.error) << seed;
  }
}

// A short form of the campaign (campaign_fit), which counts the same with many more sets. 95 % within chance: the
// two-sided binomial test at 1e-3 per knob.
TEST(FitIntervals, those_of_the_compound_pendulum_cover_the_truth) {
  constexpr int sets = 60;
  const Experiment e = compound_pendulum();
  const FitCase c(e.study, e.scenario);
  std::vector<FitResult> results(sets);
  tbb::parallel_for(0, sets, [&](int k) {
    results[std::size_t(k)] =
        fit(c.study, c.measure(seeded(std::uint64_t(k) + 1)), {.jobs = 1, .cancel = nullptr, .progress = {}});
  });
  const boost::math::binomial law(sets, 0.95);
  for (std::size_t k = 0; k < 4; ++k) {
    int hits = 0;
    for (const FitResult& r : results) hits += holds(r.estimates[k], sand_truth[k]) ? 1 : 0;
    EXPECT_GT(boost::math::cdf(law, hits), 5e-4) << results[0].estimates[k].name() << ": " << hits;
    RecordProperty(results[0].estimates[k].name(), hits);
  }
}

}  // namespace
