// Trajectories, files, CSV, JSON, plots and the summary of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "temp_folder.hpp"
#include "thud/draw/plot.hpp"
#include "thud/draw/trajectory.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/json.hpp"
#include "thud/report/summary.hpp"
#include "thud/store/file.hpp"

namespace {

using namespace thud;
namespace fs = std::filesystem;
using ::testing::HasSubstr;
using thud::test::content;

Scenario load(const std::string& name, const KnobSettings& set = {}) {
  return load_scenario(std::string(THUD_SOURCE_DATA_DIR) + "/scenarios/" + name + ".toml", set);
}

struct Recorded {
  Scenario scenario;
  std::unique_ptr<TrajectoryRecorder> recorder;
  RunResult result;
};

Recorded record(const std::string& name, Sampling sampling, RunRequest request = {},
                std::size_t max_bytes = std::size_t{512} << 20) {
  Recorded out{load(name), nullptr, {}};
  out.recorder = std::make_unique<TrajectoryRecorder>(*out.scenario.system, sampling, max_bytes);
  request.observer = out.recorder.get();
  out.result = run(out.scenario, request);
  out.recorder->finish(out.result.outcome);
  return out;
}

Trajectory table(const Recorded& r, const std::vector<std::string>& names) {
  std::vector<NamedObservable> columns;
  for (const std::string& n : names) columns.push_back(*r.scenario.find_observable(n));
  return r.recorder->table(columns);
}

// ---- trajectory ------------------------------------------------------------------------------------------------

TEST(Trajectory, automatic_sampling_has_round_times_and_a_moderate_number_of_rows) {
  for (const char* name : {"free_link", "sphere", "double_pendulum", "air_pendulum"}) {
    const Recorded r = record(name, {});
    const Trajectory t = table(r, {"energy.kinetic"});
    EXPECT_GE(t.row_count(), 250u) << name;
    EXPECT_LE(t.row_count(), 1300u) << name;
    EXPECT_EQ(t.time.front(), 0) << name;
    EXPECT_EQ(t.time.back(), r.result.outcome.time) << name;
    const double dt = t.time[1];
    const double mantissa = dt / std::pow(10.0, std::floor(std::log10(dt) + 1e-9));
    EXPECT_NEAR(std::min({std::abs(mantissa - 1), std::abs(mantissa - 2), std::abs(mantissa - 5)}), 0, 1e-9)
        << name;
    for (std::size_t k = 0; k + 1 < t.row_count(); ++k)
      ASSERT_NEAR(t.time[k], static_cast<double>(k) * dt, 4e-16 * t.time.back()) << name;
  }
}

// A run that is stopped at a sampled instant takes other steps to get there, so the two agree to the tolerance of the
// solver: 1e-12 per step, some 30 steps.
TEST(Trajectory, samples_agree_with_runs_that_end_there) {
  RunRequest tight;
  tight.tolerance = 1e-12;
  const Recorded whole = record("free_link", {Sampling::Kind::uniform, 1e-3}, tight);
  const Trajectory t = table(whole, {"link.tip.depth", "link.rate", "link.resistance.z"});
  for (std::size_t row : {3u, 10u, 20u, 25u}) {
    RunRequest request = tight;
    request.time_limit = t.time[row];
    const RunResult part = run(whole.scenario, request);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& all = whole.scenario.observables;
      const auto at =
          std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.name == t.columns[c].name; });
      const double expected = part.final_values[static_cast<std::size_t>(at - all.begin())];
      EXPECT_NEAR(t.at(row, c), expected, 1e-9 * std::max(1.0, std::abs(expected)))
          << t.columns[c].name << " " << row;
    }
  }
}

TEST(Trajectory, last_row_is_the_final_state_to_the_bit) {
  for (const auto kind : {Sampling::Kind::automatic, Sampling::Kind::uniform, Sampling::Kind::steps}) {
    const Recorded r = record("double_pendulum", {kind, 1e-3});
    const Trajectory t = r.recorder->table(r.scenario.observables);
    for (std::size_t c = 0; c < t.columns.size(); ++c)
      EXPECT_EQ(t.at(t.row_count() - 1, c), r.result.final_values[c]) << t.columns[c].name;
  }
}

TEST(Trajectory, recording_does_not_change_the_run) {
  const Recorded r = record("biped_drop", {Sampling::Kind::uniform, 1e-3});
  const RunResult plain = run(r.scenario);
  EXPECT_EQ(plain.final_values, r.result.final_values);
  EXPECT_EQ(plain.outcome.events.size(), r.result.outcome.events.size());
}

TEST(Trajectory, steps_show_both_sides_of_a_change_of_mode) {
  const Recorded r = record("sphere", {Sampling::Kind::steps, 0});
  const Trajectory t = table(r, {"ball.static.x"});
  // One row per step and the start, and one more for each of the two changes of mode.
  EXPECT_EQ(t.row_count(), static_cast<std::size_t>(r.result.outcome.stats.steps + 1 + 2));
  // The ball sticks horizontally: the static force jumps from its bound to nothing at one instant.
  int jumps = 0;
  for (std::size_t k = 1; k < t.row_count(); ++k)
    if (t.time[k] == t.time[k - 1] && std::abs(t.at(k, 0) - t.at(k - 1, 0)) > 0.01) ++jumps;
  EXPECT_EQ(jumps, 1);
}

TEST(Trajectory, memory_is_bounded_and_a_cut_is_reported) {
  const Recorded r = record("free_link", {Sampling::Kind::uniform, 1e-7}, {}, 100'000);
  EXPECT_TRUE(r.recorder->is_truncated());
  EXPECT_LT(r.recorder->row_count(), 1500u);
  EXPECT_LT(r.recorder->recorded_until(), r.result.outcome.time);
  EXPECT_FALSE(record("free_link", {}, {}, 100'000).recorder->is_truncated());
}

TEST(Trajectory, a_run_that_rests_from_the_start_has_one_row) {
  const std::string text =
      "[[body]]\nname='a'\nshape={kind='cylinder',length=1,diameter=0.1,mass=1}\njoint='pin'\n[stop]\nwhen='"
      "rest'\n";
  Scenario s = parse_scenario(text, "pendulum at rest");
  TrajectoryRecorder recorder(*s.system);
  RunRequest request;
  request.observer = &recorder;
  const RunResult result = run(s, request);
  recorder.finish(result.outcome);
  EXPECT_EQ(result.outcome.reason, StopReason::rest);
  EXPECT_EQ(recorder.row_count(), 1u);
}

TEST(Trajectory, peak_agrees_with_the_solver_s_own_maximum) {
  const Recorded r = record("biped_drop", {});
  // Sampled at 0.1 ms and finer, where the force changes by less than 1e-3 of itself between samples.
  const double exact = *r.result.find("peak_left")->value;
  const auto peaks =
      r.recorder->peaks({r.scenario.find_observable("shank_left.resistance.size")->observable});
  EXPECT_NEAR(peaks.at(0).value, exact, 1e-3 * exact);
}

// ---- CSV -------------------------------------------------------------------------------------------------------

TEST(Csv, fields_are_quoted_as_rfc_4180_says) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, numbers_are_read_back_to_the_bit) {
  const Recorded r = record("free_link", {});
  const Trajectory t = table(r, {"link.angle", "link.tip.vz"});
  std::string csv;
  write_trajectory_csv(*r.recorder, t.columns, [&](std::string_view s) { csv += s; });
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "time [s],link.angle [rad],link.tip.vz [m/s]");
  for (std::size_t row = 0; row < t.row_count(); ++row) {
    ASSERT_TRUE(std::getline(in, line));
    const char* at = line.c_str();
    char* end = nullptr;
    for (double expected : {t.time[row], t.at(row, 0), t.at(row, 1)}) {
      EXPECT_EQ(std::strtod(at, &end), expected) << line;
      at = end + 1;
    }
  }
  EXPECT_FALSE(std::getline(in, line));
}

TEST(Csv, time_is_a_column_only_once) {
  const Recorded r = record("free_link", {Sampling::Kind::uniform, 0.01});
  std::string csv;
  write_trajectory_csv(*r.recorder, r.scenario.observables, [&](std::string_view s) { csv += s; });
  EXPECT_EQ(csv.find("time [s]"), 0u);
  EXPECT_EQ(csv.find("time [s]", 1), std::string::npos);
}

TEST(Csv, events_have_one_line_each) {
  const Recorded r = record("sphere", {});
  const std::string csv = make_events_csv(r.scenario, r.result.outcome);
  EXPECT_EQ(csv.find("time [s],kind,subject,before,after\n"), 0u);
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')),
            r.result.outcome.events.size() + 1);
  EXPECT_THAT(csv, HasSubstr(",condition,ball.vz falls through 0,,\n"));
}

// ---- JSON ------------------------------------------------------------------------------------------------------

TEST(Json, holds_what_the_run_gave) {
  const Scenario s = load("free_link", {{"angle", "40 deg"}});
  const RunResult r = run(s);
  const auto j = nlohmann::json::parse(make_run_json(s, r));
  EXPECT_EQ(j["thud"], THUD_VERSION);
  EXPECT_EQ(j["scenario"]["name"], "free_link");
  EXPECT_EQ(j["scenario"]["knobs"]["angle"]["unit"], "rad");
  EXPECT_EQ(j["scenario"]["knobs"]["angle"]["value"].get<double>(), s.knobs[0].value);
  EXPECT_EQ(j["scenario"]["knobs"]["angle"]["default"].get<double>(), s.knobs[0].default_value);
  EXPECT_EQ(j["stop"]["reason"], "condition");
  EXPECT_EQ(j["stop"]["reached"], true);
  EXPECT_EQ(j["stop"]["text"], "link.tip.vz falls through 0");
  EXPECT_EQ(j["stop"]["time"].get<double>(), r.outcome.time);
  EXPECT_EQ(j["results"]["z_T"].get<double>(), *r.find("z_T")->value);
  EXPECT_EQ(j["final"].size(), s.observables.size());
  for (std::size_t k = 0; k < s.observables.size(); ++k)
    EXPECT_EQ(j["final"][s.observables[k].name].get<double>(), r.final_values[k]);
  EXPECT_EQ(j["events"].size(), r.outcome.events.size());
  EXPECT_EQ(j["events"].back()["kind"], "condition");
  EXPECT_EQ(j["events"].back()["subject"], "link.tip.vz falls through 0");
  double lost = 0;
  for (const auto& [name, x] : j["energy"]["loss"].items()) lost += x.get<double>();
  // The account: rounding of a handful of sums of 0.05 J, plus the error of the run itself.
  EXPECT_NEAR(j["energy"]["initial"].get<double>() - j["energy"]["final"].get<double>(), lost, 1e-10);
  EXPECT_EQ(j["stats"]["steps"].get<long>(), r.outcome.stats.steps);
}

TEST(Json, is_the_same_bytes_every_time_but_for_the_wall_time) {
  const Scenario s = load("biped_drop");
  RunResult a = run(s), b = run(s);
  a.outcome.stats.wall_seconds = b.outcome.stats.wall_seconds = 0;
  EXPECT_EQ(make_run_json(s, a), make_run_json(s, b));
}

TEST(Json, what_does_not_exist_is_null) {
  const Scenario s = load("free_link");
  RunRequest request;
  request.time_limit = 1e-3;
  RunResult r = run(s, request);
  r.final_values[1] = std::numeric_limits<double>::quiet_NaN();
  r.outcome.energy.residual = std::numeric_limits<double>::infinity();
  const std::string text = make_run_json(s, r);
  const auto j = nlohmann::json::parse(text);
  EXPECT_TRUE(j["results"]["t_z"].is_null());
  EXPECT_TRUE(j["final"]["link.angle"].is_null());
  EXPECT_TRUE(j["energy"]["residual"].is_null());
  EXPECT_EQ(j["stop"]["reason"], "time limit");
  EXPECT_EQ(j["stop"]["reached"], false);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Json, a_name_that_is_not_utf_8_does_not_break_it) {
  Scenario s = load("free_link");
  s.file = "\xff\xfe.toml";
  EXPECT_TRUE(nlohmann::json::accept(make_run_json(s, run(s))));
}

TEST(Json, stop_words) {
  EXPECT_STREQ(stop_word(StopReason::condition), "condition");
  EXPECT_STREQ(stop_word(StopReason::all_found), "results");
  EXPECT_STREQ(stop_word(StopReason::rest), "rest");
  EXPECT_STREQ(stop_word(StopReason::time_limit), "time limit");
  EXPECT_STREQ(stop_word(StopReason::bottom), "bottom");
  EXPECT_STREQ(stop_word(StopReason::cancelled), "cancelled");
  EXPECT_STREQ(stop_word(StopReason::failed), "failed");
}

// ---- files -----------------------------------------------------------------------------------------------------

TEST(File, appears_whole_with_ordinary_permissions) {
  const test::TempFolder folder{"report"};
  const mode_t mask = ::umask(022);
  write_file(folder.path() / "a.txt", "one");
  write_file(folder.path() / "a.txt", "two");
  ::umask(mask);
  EXPECT_EQ(content(folder.path() / "a.txt"), "two");
  EXPECT_EQ(fs::status(folder.path() / "a.txt").permissions(), fs::perms(0644));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(File, without_commit_the_old_one_stays) {
  const test::TempFolder folder{"report"};
  write_file(folder.path() / "a.txt", "old");
  {
    AtomicFile file(folder.path() / "a.txt");
    file.write(std::string(100'000, 'x'));
  }
  EXPECT_EQ(content(folder.path() / "a.txt"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(File, failure_names_file_and_reason_and_leaves_the_old_one) {
  const test::TempFolder folder{"report"};
  const auto message = [](const fs::path& path) -> std::string {
    try {
      write_file(path, "x");
    } catch (const OutputError& e) {
      return e.what();
    }
    return "written";
  };
  EXPECT_THAT(message(folder.path() / "no" / "a.txt"), HasSubstr("a.txt: No such file or directory"));
  EXPECT_THAT(message(folder.path()), HasSubstr("Is a directory"));
  write_file(folder.path() / "old.txt", "old");
  EXPECT_THAT(message(folder.path() / "old.txt" / "a.txt"), HasSubstr("Not a directory"));
  EXPECT_THAT(message("/dev/full"), HasSubstr("/dev/full: No space left on device"));
  if (::geteuid() != 0) {  // nothing is forbidden to root
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THAT(message(folder.path() / "old.txt"), HasSubstr("Permission denied"));
  }
  EXPECT_EQ(content(folder.path() / "old.txt"), "old");
}

TEST(File, a_link_is_followed) {
  const test::TempFolder folder{"report"};
  write_file(folder.path() / "real.txt", "old");
  fs::create_symlink("real.txt", folder.path() / "link.txt");
  write_file(folder.path() / "link.txt", "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.txt"));
  EXPECT_EQ(content(folder.path() / "real.txt"), "new");
}

TEST(File, folders_are_made_with_their_parents) {
  const test::TempFolder folder{"report"};
  make_folder(folder.path() / "a" / "b" / "");
  make_folder(folder.path() / "a" / "b");
  EXPECT_TRUE(fs::is_directory(folder.path() / "a" / "b"));
  write_file(folder.path() / "f", "");
  EXPECT_THROW(make_folder(folder.path() / "f"), OutputError);
  EXPECT_THROW(make_folder(folder.path() / "f" / "g"), OutputError);
}

// ---- plot ------------------------------------------------------------------------------------------------------

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

PlotCurve sine(double size, const char* unit = "m") {
  PlotCurve c{"x", unit, {}, {}};
  for (int i = 0; i <= 200; ++i) c.time.push_back(i * 0.005), c.value.push_back(size * std::sin(i * 0.0314));
  return c;
}

TEST(Plot, fits_80_by_16) {
  for (const bool unicode : {true, false})
    for (double size : {1e-9, 1e-3, 1.0, 123.0, 4.5e7}) {
      const auto lines = lines_of(make_plot(sine(size), {unicode, false, 80}));
      EXPECT_EQ(lines.size(), 16u);
      for (const std::string& line : lines) EXPECT_LE(text_width(line), 80u) << line;
    }
}

TEST(Plot, plain_text_is_ascii_and_rises_and_falls_where_the_curve_does) {
  const std::string text = make_plot(sine(1), {false, false, 80});
  for (char c : text) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  const auto lines = lines_of(text);
  EXPECT_THAT(lines[0], HasSubstr("x [m] over time [s]"));
  // Title, then rows from the top: a sine has its top in the first half and its bottom in the second.
  EXPECT_LT(lines[1].find('*'), 45u);
  EXPECT_GT(lines[13].find('*'), 45u);
  EXPECT_THAT(lines[1], HasSubstr("1.0 +"));
  EXPECT_THAT(lines[13], HasSubstr("-1.0 +"));
}

TEST(Plot, odd_curves_do_not_break_it) {
  const TextStyle style{true, false, 80};
  EXPECT_THAT(make_plot({"x", "", {}, {}}, style), HasSubstr("nothing to plot"));
  EXPECT_EQ(lines_of(make_plot({"x", "", {0, 1}, {2, 2}}, style)).size(), 16u);
  EXPECT_EQ(lines_of(make_plot({"x", "", {0, 1}, {0, 0}}, style)).size(), 16u);
  EXPECT_EQ(lines_of(make_plot({"x", "", {0}, {1}}, style)).size(), 16u);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(lines_of(make_plot({"x", "", {0, 1, 2, 3}, {1, nan, inf, 2}}, style)).size(), 16u);
  EXPECT_EQ(lines_of(make_plot({"x", "", {0, 1}, {1e300, -1e300}}, style)).size(), 16u);
  EXPECT_EQ(lines_of(make_plot({"x", "", {0, 1}, {5, std::nextafter(5, 6)}}, style)).size(), 16u);
}

TEST(Plot, ticks_are_round) {
  EXPECT_THAT(nice_ticks(0, 1, 5),
              ::testing::Pointwise(::testing::DoubleEq(), std::vector{0.0, 0.2, 0.4, 0.6, 0.8, 1.0}));
  EXPECT_THAT(nice_ticks(-3, 17, 4), ::testing::ElementsAre(0, 5, 10, 15));
  EXPECT_TRUE(nice_ticks(1, 1, 4).empty());
}

// ---- summary ---------------------------------------------------------------------------------------------------

TEST(Format, units_suit_the_size) {
  const TextStyle ascii{false, false, 80}, unicode{true, false, 80};
  EXPECT_EQ(show_quantity(0.0412, "s", ascii), "41.2 ms");
  EXPECT_EQ(show_quantity(1.5, "s", ascii), "1.5 s");
  EXPECT_EQ(show_quantity(2e-6, "s", unicode), "2 µs");
  EXPECT_EQ(show_quantity(0, "s", ascii), "0 s");
  EXPECT_EQ(show_quantity(-0.02, "m", ascii), "-20 mm");
  EXPECT_EQ(show_quantity(M_PI, "rad", ascii), "180 deg");
  EXPECT_EQ(show_quantity(2, "m/s2", unicode), "2 m/s²");
  EXPECT_EQ(show_quantity(-0.0, "", ascii), "0");
}

TEST(Summary, fits_80_columns_and_says_what_happened) {
  const Recorded r = record("biped_drop", {});
  for (const bool unicode : {true, false}) {
    const std::string text =
        make_summary(r.scenario, r.result, {unicode, false, 80}, {true, r.recorder.get()});
    for (const std::string& line : lines_of(text)) {
      EXPECT_LE(text_width(line), 80u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_THAT(text, HasSubstr("Came to rest"));
    EXPECT_THAT(text, HasSubstr("the account closes"));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    for (char c : text) ASSERT_TRUE(unicode || c == '\n' || (c >= ' ' && c <= '~')) << text;
  }
}

TEST(Summary, long_lists_of_events_are_cut) {
  const Recorded r = record("biped_drop", {});
  ASSERT_GT(r.result.outcome.events.size(), 13u);
  const std::string more = std::to_string(r.result.outcome.events.size() - 12) + " more (--events)";
  EXPECT_THAT(make_summary(r.scenario, r.result, {false, false, 80}), HasSubstr(more));
  EXPECT_EQ(make_summary(r.scenario, r.result, {false, false, 80}, {true, nullptr}).find("--events"),
            std::string::npos);
}

TEST(Summary, warns_when_the_account_does_not_close) {
  const Scenario s = load("free_link");
  RunResult r = run(s);
  r.outcome.energy.residual = -3e-5;
  EXPECT_THAT(make_summary(s, r, {false, false, 80}), HasSubstr("warning: the account does not close"));
}

TEST(Summary, colour_only_when_asked_for) {
  const Scenario s = load("free_link");
  EXPECT_THAT(make_summary(s, run(s), {true, true, 80}), HasSubstr("\x1b["));
}

}  // namespace
