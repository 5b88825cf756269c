// Source of truth: the functions below the façade, load_scenario(), run() and ScenarioFamily.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "thud/report/csv.hpp"
#include "thud/report/trajectory.hpp"
#include "thud/scenario/family.hpp"
#include "thud/thud.hpp"

namespace thud {
namespace {

using testing::HasSubstr;

template <class F>
InputError error_of(F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e;
  }
  throw std::logic_error("nothing was refused");
}

TEST(Model, runs_as_the_scenario_does) {
  Model model = load("free_link");
  const Result result = model.set("angle", "40 deg").set("speed", 1.7).run();
  const Scenario scenario = load_scenario("free_link", {{"angle", "40 deg"}, {"speed", "1.7"}});
  TrajectoryRecorder recorder(*scenario.system);
  recorder.begin_at(scenario.q, scenario.v);
  RunRequest request;
  request.observer = &recorder;
  const RunResult plain = run(scenario, request);
  recorder.finish(plain.outcome);

  EXPECT_TRUE(result.reached());
  EXPECT_EQ(result.end_time(), plain.outcome.time);
  ASSERT_EQ(result.results().size(), plain.results.size());
  for (const ResultValue& r : plain.results) EXPECT_EQ(result[r.name], *r.value);
  EXPECT_EQ(result.events().size(), plain.outcome.events.size());
  EXPECT_EQ(result.energy().residual, plain.outcome.energy.residual);
  const Trajectory table = recorder.table(scenario.observables);
  const std::span<const double> depth = result.column("link.tip.depth");
  ASSERT_EQ(depth.size(), table.row_count());
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (std::size_t r = 0; r < table.row_count(); ++r)
      ASSERT_EQ(result.column(table.columns[c].name)[r], table.at(r, c)) << table.columns[c].name;
  std::string csv;
  write_trajectory_csv(recorder, scenario.observables, [&](std::string_view text) { csv += text; });
  EXPECT_EQ(result.csv(), csv);
  EXPECT_THAT(result.html(), HasSubstr("<!doctype html>"));
}

TEST(Model, columns_stay_where_they_are_and_outlive_the_model) {
  std::optional<Result> copy;
  const double* first = nullptr;
  {
    const Result result = load("free_link").run();
    first = result.column("link.angle").data();
    (void)result.column("link.tip.vz");
    copy = result;
  }
  EXPECT_EQ(copy->column("link.angle").data(), first);
  EXPECT_EQ(copy->time().size(), copy->row_count());
  EXPECT_EQ(copy->time().back(), copy->end_time());
}

TEST(Model, refuses_unknown_knobs_and_values_at_once_and_stays_as_it_was) {
  Model model = load("free_link");
  const InputError unknown = error_of([&] { model.set("angel", "40 deg"); });
  EXPECT_THAT(unknown.what(), HasSubstr("did you mean \"angle\"?"));
  EXPECT_THAT(unknown.what(), testing::StartsWith("angel=40 deg: "));
  EXPECT_THROW(model.set("angle", "40 kg"), InputError);
  EXPECT_THROW(model.set({{"speed", "2"}, {"angle", "400 deg"}}), InputError);
  EXPECT_TRUE(model.settings().empty());
  EXPECT_THROW(model.set("speed", std::nan("")), InputError);
  for (const RunOptions& o :
       {RunOptions{.time_limit = -1.0}, RunOptions{.tolerance = 1.0}, RunOptions{.method = "rk5"},
        RunOptions{.step = 1e-5}, RunOptions{.sample = 0.0}})
    EXPECT_THROW((void)model.run(o), InputError);
  const Result result = model.run();
  EXPECT_THAT(error_of([&] { (void)result["t_y"]; }).what(), HasSubstr("did you mean"));
  EXPECT_THAT(error_of([&] { (void)result.column("link.angel"); }).what(), HasSubstr("link.angle"));
}

TEST(Model, errors_in_a_text_have_their_place) {
  const InputError e = error_of([] { (void)parse("title = \"x\"\nbody = 3\n", "mine.toml"); });
  EXPECT_EQ(e.place().file, "mine.toml");
  EXPECT_EQ(e.place().line, 2);
}

TEST(Model, copies_are_independent) {
  Model a = load("free_link");
  Model b = a;
  b.set("speed", 2.0);
  EXPECT_TRUE(a.settings().empty());
  EXPECT_NE(a.run().end_time(), b.run().end_time());
}

TEST(Model, does_not_reach_what_takes_longer) {
  const Result result = load("free_link").run({.time_limit = 1e-3});
  EXPECT_FALSE(result.reached());
  EXPECT_EQ(result.stop(), "time limit");
  EXPECT_TRUE(std::isnan(result["t_z"]));
  EXPECT_FALSE(result.reason().empty());
}

TEST(Sweep, equals_single_runs_for_any_number_of_threads) {
  Model model = load("free_link");
  model.set("angle", "30 deg");  // an axis takes its place
  const std::vector<Axis> axes = {{"angle", {0.5, 0.7, 0.9}}, model.axis("speed", {"1 m/s", "2"})};
  const Sweep one = model.sweep(axes, {"t_z", "link.tip.depth"}, {.run = {}, .jobs = 1});
  const Sweep two = model.sweep(axes, {"t_z", "link.tip.depth"}, {.run = {}, .jobs = 2});
  ASSERT_EQ(one.size(), 6u);
  ScenarioFamily family("free_link", {}, {"angle", "speed"}, {"t_z", "link.tip.depth"});
  for (std::size_t i = 0; i < 6; ++i) {
    double out[2];
    EXPECT_TRUE(family.run(std::vector{axes[0].values[i / 2], axes[1].values[i % 2]}, out).reached);
    EXPECT_EQ(one.column("t_z")[i], out[0]);
    EXPECT_EQ(two.column("t_z")[i], out[0]);
    EXPECT_EQ(two.column("link.tip.depth")[i], out[1]);
    EXPECT_EQ(one.status()[i], 0);
  }
}

TEST(Sweep, refuses_what_makes_no_sense) {
  const Model model = load("free_link");
  EXPECT_THROW((void)model.sweep({}), InputError);
  EXPECT_THROW((void)model.sweep({{"angle", {}}}), InputError);
  EXPECT_THROW((void)model.sweep({{"angel", {0.5}}}), InputError);
  EXPECT_THROW((void)model.sweep({{"angle", {0.5}}, {"angle", {0.6}}}), InputError);
  EXPECT_THROW((void)model.sweep({{"angle", {0.5}}}, {"t_y"}), InputError);
  EXPECT_THAT(error_of([&] { (void)model.sweep({{"angle", {0.5, 40}}}); }).what(), HasSubstr("did you mean"));
}

TEST(Sweep, ends_when_it_is_cancelled) {
  const Model model = load("free_link");
  std::atomic<bool> cancel = false;
  std::vector<double> speeds(2'000'000, 1.5);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    cancel = true;
  });
  const Sweep sweep = model.sweep({{"speed", std::move(speeds)}}, {"t_z"}, {.run = {.cancel = &cancel}});
  other.join();
  EXPECT_TRUE(sweep.cancelled());
  EXPECT_EQ(sweep.status().back(), 5);
}

}  // namespace
}  // namespace thud
