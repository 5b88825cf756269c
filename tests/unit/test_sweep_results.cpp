// What a sweep leaves on disk: the journal under damage, and the HDF5 file read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "study/journal.hpp"
#include "study/workers.hpp"
#include "temp_folder.hpp"
#include "thud/report/sweep_plots.hpp"
#include "thud/scenario/family.hpp"
#include "thud/store/file.hpp"
#include "thud/study/design.hpp"
#include "thud/study/sweep_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace thud;
using test::content;
using ::testing::AllOf;
using ::testing::HasSubstr;

SweepChunk make_chunk(std::int64_t first, std::int64_t count) {
  SweepChunk c;
  c.first = first;
  c.width = 2;
  for (std::int64_t i = first; i < first + count; ++i) {
    c.outputs.push_back(static_cast<double>(i));
    c.outputs.push_back(i % 3 == 0 ? std::nan("") : -static_cast<double>(i));
    c.status.push_back(i % 3 == 0 ? SweepStatus::failed : SweepStatus::reached);
    if (i % 3 == 0)
      c.messages.emplace_back(static_cast<std::uint32_t>(i - first), "run " + std::to_string(i));
  }
  c.seconds = 0.25;
  return c;
}

class SweepResults : public ::testing::Test {
 protected:
  SweepResults() { ::setenv("THUD_DATA", THUD_SOURCE_DATA_DIR, 1); }
  void write_journal() const {
    Journal j = Journal::create(path, identity);
    for (const auto& [first, count] : {std::pair{10, 5}, std::pair{0, 4}, std::pair{20, 3}})
      j.append(encode(make_chunk(first, count)), {first, count});
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> missing(Journal& j, std::int64_t size) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (const RunRange& r : j.missing(size)) out.emplace_back(r.first, r.count);
    return out;
  }
  std::string refusal(const SweepIdentity& other) const {
    try {
      (void)Journal::open(path, other);
    } catch (const InputError& e) {
      return e.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
  }

  const test::TempFolder temporary{"sweep-results"};
  const fs::path folder = temporary.path(), path = folder / "a.h5.part";
  SweepIdentity identity{"1.0", "a = 1\n", "line 1\nline 2\nline 3\n", "scenario"};
};

TEST_F(SweepResults, chunks_survive_encoding) {
  const SweepChunk c = make_chunk(7, 9);
  const std::string bytes = encode(c);
  ASSERT_EQ(encoded_size(bytes), bytes.size());
  const SweepChunk d = decode(bytes);
  EXPECT_EQ(d.first, 7);
  EXPECT_EQ(d.status, c.status);
  EXPECT_EQ(d.messages, c.messages);
  EXPECT_EQ(d.seconds, 0.25);
  ASSERT_EQ(d.outputs.size(), c.outputs.size());
  for (std::size_t i = 0; i < c.outputs.size(); ++i)
    EXPECT_TRUE(d.outputs[i] == c.outputs[i] || (std::isnan(d.outputs[i]) && std::isnan(c.outputs[i])));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_EQ(encoded_size(bytes.substr(0, cut)), 0u) << cut;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_EQ(encoded_size(flipped), 0u) << at;
  }
}

TEST_F(SweepResults, a_journal_knows_what_is_missing_and_reads_in_order) {
  write_journal();
  Journal j = Journal::open(path, identity);
  EXPECT_EQ(j.done(), 12);
  EXPECT_EQ(j.dropped(), 0);
  EXPECT_THAT(missing(j, 30), ::testing::ElementsAre(std::pair(4, 6), std::pair(15, 5), std::pair(23, 7)));
  std::vector<std::int64_t> firsts;
  j.read([&](const SweepChunk& c) { firsts.push_back(c.first); });
  EXPECT_THAT(firsts, ::testing::ElementsAre(0, 10, 20));
  EXPECT_THROW((void)j.missing(22), InputError);
}

TEST_F(SweepResults, a_torn_end_is_dropped_wherever_it_was_torn) {
  write_journal();
  const std::string whole = content(path);
  const std::size_t head = encode(identity).size();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    write_file(path, whole.substr(0, size));
    Journal j = Journal::open(path, identity);
    EXPECT_TRUE(j.done() == 0 || j.done() == 5 || j.done() == 9) << size;
    EXPECT_TRUE(size >= head || j.done() == 0);
    // And it can be gone on with.
    const std::int64_t before = j.done();
    j.append(encode(make_chunk(25, 2)), {25, 2});
    EXPECT_EQ(j.done(), before + 2);
  }
  EXPECT_EQ(Journal::open(path, identity).dropped(), 0) << "the torn end was cut off";
}

TEST_F(SweepResults, a_flipped_byte_costs_the_runs_from_there_on) {
  write_journal();
  std::string bytes = content(path);
  const std::size_t head = encode(identity).size(), first = encode(make_chunk(10, 5)).size();
  bytes[head + first + 60] = static_cast<char>(bytes[head + first + 60] ^ 1);
  write_file(path, bytes);
  Journal j = Journal::open(path, identity);
  EXPECT_EQ(j.done(), 5);
  EXPECT_GT(j.dropped(), 0);
}

TEST_F(SweepResults, another_study_is_refused_with_the_difference) {
  write_journal();
  SweepIdentity other = identity;
  other.study = "line 1\nline two\nline 3\n";
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("study, from line 2"), HasSubstr("- line 2"),
                                    HasSubstr("+ line two"), HasSubstr("--restart")));
  other = identity;
  other.settings = "";
  EXPECT_THAT(refusal(other), HasSubstr("- a = 1"));
  other = identity;
  other.version = "2.0";
  EXPECT_THAT(refusal(other), HasSubstr("version 1.0"));
  write_file(path, "something else entirely");
  EXPECT_THAT(refusal(identity), HasSubstr("not the journal of a sweep"));
}

TEST_F(SweepResults, only_one_at_a_time) {
  Journal j = Journal::create(path, identity);
  EXPECT_THAT(refusal(identity), HasSubstr("another sweep"));
}

TEST_F(SweepResults, pieces_are_handed_out_once_and_in_order) {
  RunQueue queue({{0, 10}, {20, 1}, {30, 5000}}, 2);
  std::int64_t at = 0, sum = 0;
  while (queue.left() > 0) {
    const RunRange r = queue.next();
    EXPECT_GE(r.first, at);
    EXPECT_GE(r.count, 1);
    EXPECT_LE(r.count, 4096);
    at = r.end();
    sum += r.count;
    queue.learn(r.count, 1e-6 * static_cast<double>(r.count));
  }
  EXPECT_EQ(sum, 5011);
  EXPECT_EQ(at, 5030);
}

// A sweep with rows of every kind, against the same runs one by one.
TEST_F(SweepResults, the_file_holds_every_run) {
  write_file(folder / "s.toml", R"(title = "T"
scenario = "free_link"
outputs = ["t_z", "link.tip.vx"]
[set]
angle = "40 deg"
[vary]
speed = { normal = { mean = 1, deviation = 1 } }
[design]
runs = 60
[[plot]]
kind = "curves"
x = "speed"
y = "t_z"
)");
  Study study = load_study((folder / "s.toml").string());
  study.request.lanes = "off";  // so that rows are those of single runs to the last bit
  SweepOptions options;
  options.out = (folder / "s.h5").string();
  options.csv = (folder / "s.csv").string();
  options.jobs = 2;
  const SweepReport report = run_sweep(study, options);
  EXPECT_EQ(report.runs, 60);
  EXPECT_GT(report.unreached, 2) << "16 % of the draws are below zero";
  EXPECT_FALSE(fs::exists(report.journal));

  const SweepFile file(options.out);
  ASSERT_EQ(file.runs(), 60);
  ASSERT_EQ(file.columns().size(), 3u);
  EXPECT_EQ(file.columns()[0].name, "speed");
  EXPECT_EQ(file.columns()[0].unit, "m/s");
  EXPECT_EQ(file.columns()[1].unit, "s");
  EXPECT_EQ(file.text("study"), study.text);
  EXPECT_THAT(file.text("settings"), HasSubstr("angle = 0.69"));
  std::vector<double> speed(60), time(60), vx(60);
  file.read(0, 0, speed);
  file.read(1, 0, time);
  file.read(2, 0, vx);
  std::vector<SweepStatus> status(60);
  file.read_status(0, status);
  std::map<std::int64_t, std::string> messages;
  file.read_messages([&](std::int64_t run, const std::string& text) { messages[run] = text; });
  EXPECT_EQ(static_cast<std::int64_t>(messages.size()), report.unreached);

  ScenarioFamily family(study.scenario, study.set, study.varied_names(), study.outputs);
  DesignPoints points(study);
  for (int i = 0; i < 60; ++i) {
    double value = 0, out[2];
    points.get(i, {&value, 1});
    const FamilyRun run = family.run({&value, 1}, out, study.request);
    EXPECT_EQ(speed[i], value);
    EXPECT_EQ(status[i] == SweepStatus::reached, run.reached);
    EXPECT_THAT(run.message, ::testing::EndsWith(messages.contains(i) ? messages[i] : ""));
    EXPECT_EQ(messages.contains(i), !run.reached);
    EXPECT_TRUE(time[i] == out[0] || (std::isnan(time[i]) && std::isnan(out[0])));
    EXPECT_TRUE(vx[i] == out[1] || (std::isnan(vx[i]) && std::isnan(out[1])));
  }
  const std::string csv = content(options.csv);
  EXPECT_THAT(csv, ::testing::StartsWith("run,speed [m/s],t_z [s],link.tip.vx [m/s],status,message\n0,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 61);
  EXPECT_THAT(csv, HasSubstr(",failed,"));

  std::vector<double> sorted;
  for (const double t : time)
    if (!std::isnan(t)) sorted.push_back(t);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  ASSERT_EQ(report.columns[0].name, "t_z");
  EXPECT_EQ(report.columns[0].count, static_cast<std::int64_t>(n));
  EXPECT_EQ(report.columns[0].least, sorted.front());
  EXPECT_EQ(report.columns[0].largest, sorted.back());
  EXPECT_EQ(report.columns[0].median, n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]));
  EXPECT_NO_THROW(check_plots(study));
  const std::vector<std::string> pictures = write_plots(study, file, (folder / "pictures").string());
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_THAT(content(pictures[0]), HasSubstr("<svg"));
}

TEST_F(SweepResults, maps_have_their_values_in_place) {
  write_file(folder / "s.toml", R"(scenario = "free_link"
outputs = ["t_z"]
[vary]
angle = { list = [50, 30, 40] }
speed = { grid = [2, 1], count = 2 }
[[plot]]
kind = "map"
x = "speed"
y = "angle"
z = "t_z"
)");
  const Study study = load_study((folder / "s.toml").string());
  SweepOptions options;
  options.out = (folder / "s.h5").string();
  (void)run_sweep(study, options);
  const SweepFile file(options.out);
  const HeatMap map = make_heat_map(study, study.plots[0], file);
  EXPECT_THAT(map.x_values, ::testing::ElementsAre(1, 2));
  ASSERT_EQ(map.y_values.size(), 3u);
  std::vector<double> t(6);
  file.read(2 - 0, 0, t);
  // Runs: 50° at 2 and 1, 30° at 2 and 1, 40° at 2 and 1 m/s.
  EXPECT_THAT(map.z_values, ::testing::ElementsAre(t[3], t[2], t[5], t[4], t[1], t[0]));
}

TEST_F(SweepResults, other_files_are_refused) {
  EXPECT_THROW(SweepFile(folder / "none.h5"), InputError);
  write_file(folder / "text.h5", "hello");
  EXPECT_THROW(SweepFile(folder / "text.h5"), InputError);
}

}  // namespace
