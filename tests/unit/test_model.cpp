// Source of truth: the functions below the façade, load_scenario(), run() and ScenarioFamily.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "thud/draw/trajectory.hpp"
#include "thud/dynamics/sand_probe.hpp"
#include "thud/granular/own_law.hpp"
#include "thud/report/csv.hpp"
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
    EXPECT_EQ(one.column("t_z")[i], two.column("t_z")[i]);
    EXPECT_EQ(one.column("link.tip.depth")[i], two.column("link.tip.depth")[i]);
    // In lanes other roundings, and the side of the drag changes where it is located to 1e-9 s (docs/theory/lanes.md).
    EXPECT_NEAR(one.column("t_z")[i], out[0], 1e-11);
    EXPECT_NEAR(one.column("link.tip.depth")[i], out[1], 1e-11);
    EXPECT_EQ(one.status()[i], 0);
  }
}

TEST(Model, takes_a_law_of_ones_own_in_runs_and_sweeps) {
  // Bingham's law, as thud has it and as a function.
  const std::string text = load("sphere").text();
  const auto at = text.find("[bed]"), end = text.find("[initial]");
  const std::string bingham =
      text.substr(0, at) + "[bed]\nlaw = \"bingham\"\nF0 = 4\nb = 0.5\n" + text.substr(end);
  Model own = load("sphere");
  own.use_law("bed", make_law("mine", LawFunction([](const Flow<double>&) {
                                Resistance<double> r;
                                r.drag = 0.5;
                                r.plunge = r.withdraw = r.shear = 4;
                                return r;
                              })));
  const Result ours = own.run(), theirs = parse(bingham).run();
  ASSERT_TRUE(ours.reached());
  EXPECT_NEAR(ours["t_z"], theirs["t_z"], 1e-9);
  EXPECT_GT(std::abs(ours["t_z"] - load("sphere").run()["t_z"]), 1e-3);
  const std::vector<Axis> axes = {{"speed", {1, 2}}};
  const Sweep a = own.sweep(axes, {"t_z"}), b = parse(bingham).sweep(axes, {"t_z"});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(a.column("t_z")[i], b.column("t_z")[i], 1e-9);
  EXPECT_THAT(error_of([&] {
                own.use_law(
                    "bde",
                    make_law("x", LawFunction([](const Flow<double>&) { return Resistance<double>{}; })));
              }).what(),
              HasSubstr("did you mean \"bed\"?"));
}

// Source of truth: v⁺ = e(v⁻) v⁻ and the fall in between, t = v/g.
TEST(Model, takes_a_restitution_of_ones_own_in_runs_and_sweeps) {
  const auto e = [](double v) { return 0.9 / (1 + 0.1 * v); };
  Model model = load("bouncing_ball");
  ASSERT_THAT(model.contacts(), testing::ElementsAre("ball@floor"));
  model.use_restitution("ball@floor", e);
  const Result result = model.run();
  ASSERT_TRUE(result.reached()) << result.reason();
  ASSERT_GT(result.impacts().size(), 5U);
  for (const ImpactInfo& i : result.impacts())
    EXPECT_NEAR(i.velocity_after[1], -e(-i.velocity_before[1]) * i.velocity_before[1], 1e-12);
  const Sweep sweep = model.sweep({{"height", {0.5, 1}}}, {"t_rest"});
  // A sweep integrates no path lengths, so its steps are others.
  EXPECT_NEAR(sweep.column("t_rest")[1], result["t_rest"], 1e-9);
  EXPECT_NEAR(sweep.column("t_rest")[0], Model(model).set("height", 0.5).run()["t_rest"], 1e-9);

  const Result lively = model.use_restitution("ball@floor", [](double) { return 1.2; }).run();
  EXPECT_THAT(lively.reason(), HasSubstr("the restitution of ball@floor is 1.2"));
  EXPECT_THAT(error_of([&] { model.use_restitution("ball@flor", e); }).what(),
              HasSubstr("did you mean \"ball@floor\"?"));
  EXPECT_THROW(model.use_restitution("ball@floor", {}), InputError);
  EXPECT_EQ(model.use_restitution("ball@floor", e).run()["t_rest"], result["t_rest"]);
}

TEST(Model, takes_an_impact_law_of_ones_own) {
  const ImpulseLaw newton = [](const ImpactProblem& p) {
    return ContactImpulse{0, -1.8 * p.velocity[1] / p.matrix[3]};
  };
  Model plain = load("bouncing_ball");  // e = 0.8, without friction
  const Model own = Model(plain).use_impact("ball@floor", newton);
  EXPECT_NEAR(own.run()["t_rest"], plain.run()["t_rest"], 1e-9);
  EXPECT_EQ(own.run().impacts()[0].law, "own");
  EXPECT_NE(plain.run().impacts()[0].law, "own");
}

TEST(Model, takes_observables_and_results_of_ones_own) {
  Model model = load("sphere");
  const auto count = model.observables().size();
  model.add_observable("twice", "m", [](const Snapshot& now) { return 2 * now["ball.distance"]; });
  model.add_observable("again", "m/s",
                       [](const Snapshot& now) { return now["twice"] + now.v()[1] - now.v()[1]; });
  model.add_result("most", "max again").add_result("last", "twice at t_z");
  EXPECT_EQ(model.observables().size(), count + 2);
  const Result result = model.run();
  const std::span<const double> twice = result.column("twice"), distance = result.column("ball.distance");
  for (std::size_t i = 0; i < twice.size(); ++i) ASSERT_EQ(twice[i], 2 * distance[i]);
  EXPECT_EQ(result["last"], 2 * result["d_p"]);
  EXPECT_NEAR(result["most"], 2 * result["d_p"], 1e-9);
  EXPECT_THAT(result.csv(), HasSubstr("again"));
  // Where nobody else asks for it, a sweep does not integrate the distance.
  const Sweep sweep = model.sweep({{"speed", {1, 2}}}, {"last", "twice"});
  EXPECT_NEAR(sweep.column("last")[0], result["last"], 1e-12);
  EXPECT_EQ(sweep.column("twice")[0], sweep.column("last")[0]);

  EXPECT_THAT(error_of([&] { model.add_observable("twice", "", [](const Snapshot&) { return 0.; }); }).what(),
              HasSubstr("there is one of that name"));
  EXPECT_THAT(error_of([&] { model.add_result("x", "max agian"); }).what(), HasSubstr("again"));
  EXPECT_THROW(model.add_observable("empty", "", {}), InputError);
  EXPECT_EQ(model.run()["last"], result["last"]);
  model.add_observable("wrong", "", [](const Snapshot& now) { return now["ball.distanze"]; });
  EXPECT_THAT(error_of([&] { (void)model.run(); }).what(), HasSubstr("did you mean \"ball.distance\"?"));
}

// Source of truth: the acceleration that the run itself shows.
TEST(Model, gives_the_force_of_its_sand) {
  const Model model = load("sphere").set("angle", "60 deg");
  SandProbe probe = model.make_sand_probe();
  const Result run = model.run();
  const std::size_t i = run.row_count() / 2;
  const auto at = [&](const char* name) { return run.column(name)[i]; };
  const SandProbe::Answer sand = probe.at({at("ball.x"), at("ball.z")}, at("ball.angle"),
                                          {at("ball.vx"), at("ball.vz")}, at("ball.rate"));
  EXPECT_TRUE(sand.immersed);
  EXPECT_NEAR(sand.force.z / probe.body().mass + probe.gravity().z, at("ball.az"),
              1e-9 * std::abs(at("ball.az")));
  EXPECT_NEAR(sand.force.x / probe.body().mass, at("ball.ax"), 1e-9 * std::abs(at("ball.ax")));
  EXPECT_THAT(error_of([&] { (void)model.make_sand_probe("bal"); }).what(),
              HasSubstr("did you mean \"ball\"?"));
  EXPECT_THROW((void)load("bouncing_ball").make_sand_probe(), InputError);
  EXPECT_THROW((void)load("elastic_free_link").make_sand_probe(), InputError);
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
