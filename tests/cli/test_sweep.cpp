// thud sweep as a user meets it: the same bytes for any number of threads, processes and interruptions, and messages
// that help.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "cli/program.hpp"

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using namespace thud::test;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A ball thrown up, to its highest point: as little to compute as can be.
constexpr const char* ball = R"([parameters]
speed = { value = 1, unit = "m/s", range = [0, 50] }
[[body]]
name  = "ball"
shape = { kind = "sphere", diameter = "1 in", density = 7700 }
joint = "free"
[initial]
"ball.z"  = 0
"ball.vz" = "=-speed"
[stop]
when = "ball.vz rises through 0"
[results]
t = "time when ball.vz rises through 0"
h = "ball.z at t"
)";

class Sweep : public ::testing::Test {
 protected:
  Sweep() { file(ball, "ball.toml"); }

  std::string file(const std::string& text, const std::string& name) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  // Some of its draws are below 0 m/s, which the scenario refuses.
  std::string study(int runs, const std::string& more = {}, const std::string& name = "s.toml") const {
    return file(
        "scenario = \"ball.toml\"\n[vary]\nspeed = { normal = { mean = 4, deviation = 2 } }\n[design]\nruns "
        "= " + std::to_string(runs)
            + "\n" + more,
        name);
  }

  pid_t start_words(std::vector<std::string> words) const {
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables = {"LC_ALL=C.UTF-8",
                                          "PATH=/usr/bin:/bin",
                                          std::string("THUD_DATA=") + THUD_SOURCE_DATA_DIR,
                                          "HOME=" + folder.string(),
                                          "TMPDIR=" + fs::temp_directory_path().string(),
                                          "OMPI_ALLOW_RUN_AS_ROOT=1",
                                          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                          "OMPI_MCA_rmaps_base_oversubscribe=1",
                                          "OMPI_MCA_btl_vader_single_copy_mechanism=none"};
    std::vector<char*> environment;
    for (std::string& v : variables) environment.push_back(v.data());
    environment.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environment.data()), 0);
    posix_spawn_file_actions_destroy(&actions);
    return pid;
  }
  pid_t start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {THUD_PROGRAM, "sweep"});
    return start_words(arguments);
  }
  Result wait_for(pid_t pid) const {
    int state = 0;
    struct rusage usage {};
    ::wait4(pid, &state, 0, &usage);
    return {WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state), content(path("out")),
            content(path("err")), usage.ru_maxrss};
  }
  Result sweep(const std::vector<std::string>& arguments) const { return wait_for(start(arguments)); }
  Result shell(const std::string& command) const { return wait_for(start_words({"/bin/sh", "-c", command})); }

  std::string refusal(const std::vector<std::string>& arguments) const {
    const Result r = sweep(arguments);
    EXPECT_EQ(r.status, 2) << r.err;
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_THAT(r.err, ::testing::StartsWith("thud: "));
    return r.err;
  }

  const TempFolder temporary{"sweep"};
  const fs::path folder = temporary.path();
};

TEST_F(Sweep, library_studies_run_and_draw) {
  for (const char* name : {"free_link_map", "figure_6_11"}) {
    const Result r = sweep({name, "--out", path("a.h5"), "--svg", path("pictures"), "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const json j = json::parse(r.out);
    EXPECT_EQ(j["complete"], true);
    EXPECT_EQ(j["unreached"], 0);
    EXPECT_EQ(j["done"], j["runs"]);
    EXPECT_TRUE(fs::exists(folder / "pictures" / (std::string(name) + "_1.svg")));
    EXPECT_FALSE(fs::exists(path("a.h5.part")));
  }
}

TEST_F(Sweep, text_tells_failures_and_where_the_file_is) {
  const Result r = sweep({study(300), "--out", path("a.h5")});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, IsEmpty());
  EXPECT_THAT(
      r.out,
      AllOf(HasSubstr("300 runs in"), HasSubstr("least"), HasSubstr("did not reach what was asked"),
            HasSubstr("parameter \"speed\" must be between 0 and"), HasSubstr("Results in " + path("a.h5"))));
}

TEST_F(Sweep, threads_do_not_change_a_byte) {
  for (const char* more : {"kind = \"random\"\n", "kind = \"latin\"\n", "kind = \"sobol\"\n"}) {
    const std::string s = study(15000, more);
    EXPECT_EQ(sweep({s, "--out", path("a.h5"), "--csv", path("a.csv"), "--jobs", "1"}).status, 0);
    EXPECT_EQ(sweep({s, "--out", path("b.h5"), "--csv", path("b.csv"), "--jobs", "2"}).status, 0);
    EXPECT_EQ(sweep({s, "--out", path("c.h5"), "--jobs", "5"}).status, 0);
    EXPECT_TRUE(content(path("a.h5")) == content(path("b.h5"))) << more;
    EXPECT_TRUE(content(path("a.h5")) == content(path("c.h5"))) << more;
    EXPECT_TRUE(content(path("a.csv")) == content(path("b.csv"))) << more;
  }
}

TEST_F(Sweep, processes_do_not_change_a_byte) {
  if (!fs::exists("/usr/bin/mpirun")
      || !fs::exists(fs::path(THUD_PROGRAM).parent_path() / "../lib/thud/thud_mpi.so"))
    GTEST_SKIP() << "no mpirun, or built without MPI";
  const std::string s = study(30000);
  EXPECT_EQ(sweep({s, "--out", path("a.h5"), "--jobs", "1"}).status, 0);
  for (const char* n : {"1", "2", "4"}) {
    const Result r =
        wait_for(start_words({"/usr/bin/mpirun", "-n", n, THUD_PROGRAM, "sweep", s, "--out", path("m.h5")}));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("30 000 runs in"));
    EXPECT_TRUE(content(path("a.h5")) == content(path("m.h5"))) << n << " processes";
  }
  const Result bad =
      wait_for(start_words({"/usr/bin/mpirun", "-n", "3", THUD_PROGRAM, "sweep", path("none.toml")}));
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("thud: "));
  EXPECT_EQ(bad.err.find("thud: "), bad.err.rfind("thud: ")) << "one process tells: " << bad.err;
}

// The children of mpirun that are thud.
std::vector<pid_t> children_of(pid_t parent) {
  std::istringstream list(
      content("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children"));
  std::vector<pid_t> out;
  for (pid_t child; list >> child;) out.push_back(child);
  return out;
}

TEST_F(Sweep, a_lost_process_costs_nothing_that_was_finished) {
  if (!fs::exists("/usr/bin/mpirun")
      || !fs::exists(fs::path(THUD_PROGRAM).parent_path() / "../lib/thud/thud_mpi.so"))
    GTEST_SKIP() << "no mpirun, or built without MPI";
  const std::string s = study(600000);
  const pid_t mpirun =
      start_words({"/usr/bin/mpirun", "-n", "3", THUD_PROGRAM, "sweep", s, "--out", path("a.h5")});
  for (int i = 0; i < 800 && (!fs::exists(path("a.h5.part")) || fs::file_size(path("a.h5.part")) < 20000);
       ++i)
    std::this_thread::sleep_for(5ms);
  const std::vector<pid_t> processes = children_of(mpirun);
  ASSERT_EQ(processes.size(), 3u);
  ::kill(processes.back(), SIGKILL);
  const Result r = wait_for(mpirun);
  EXPECT_NE(r.status, 0);
  ASSERT_TRUE(fs::exists(path("a.h5.part")));
  const Result again = sweep({s, "--out", path("a.h5"), "--resume", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_LT(json::parse(again.out)["computed"], 600000);
  EXPECT_EQ(sweep({s, "--out", path("b.h5")}).status, 0);
  EXPECT_TRUE(content(path("a.h5")) == content(path("b.h5")));
}

TEST_F(Sweep, killed_at_any_moment_it_goes_on_to_the_same_bytes) {
  const std::string s = study(60000);
  ASSERT_EQ(sweep({s, "--out", path("whole.h5"), "--jobs", "2"}).status, 0);
  const std::string whole = content(path("whole.h5"));
  std::minstd_rand random(7);
  int kills = 0, finished = 0;
  while (kills < 20) {
    const pid_t pid = start({s, "--out", path("a.h5"), "--resume", "--jobs", kills % 2 ? "1" : "2"});
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + random() % 200));
    ::kill(pid, SIGKILL);
    const Result r = wait_for(pid);
    ASSERT_TRUE(r.status == -SIGKILL || r.status == 0) << r.err;
    if (r.status == -SIGKILL) ++kills;
    if (r.status != 0) continue;
    ++finished;
    ASSERT_TRUE(content(path("a.h5")) == whole);
    fs::remove(path("a.h5"));
  }
  const Result r = sweep({s, "--out", path("a.h5"), "--resume"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(content(path("a.h5")) == whole) << "finished in between: " << finished;
  EXPECT_FALSE(fs::exists(path("a.h5.part")));
}

TEST_F(Sweep, ctrl_c_keeps_what_is_done_and_says_how_to_go_on) {
  const std::string s = study(3000000);
  const pid_t pid = start({s, "--out", path("a.h5")});
  for (int i = 0; i < 200 && (!fs::exists(path("a.h5.part")) || fs::file_size(path("a.h5.part")) < 5000); ++i)
    std::this_thread::sleep_for(10ms);
  ::kill(pid, SIGINT);
  const auto start_time = std::chrono::steady_clock::now();
  const Result r = wait_for(pid);
  EXPECT_LT(std::chrono::steady_clock::now() - start_time, 3s);
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.out, IsEmpty());
  EXPECT_THAT(r.err,
              AllOf(HasSubstr("interrupted"), HasSubstr("of 3000000 runs are kept"), HasSubstr("--resume")));
  EXPECT_TRUE(fs::exists(path("a.h5.part")));
  EXPECT_FALSE(fs::exists(path("a.h5")));
}

TEST_F(Sweep, an_unfinished_sweep_is_not_thrown_away_unasked) {
  const std::string s = study(200000);
  const pid_t pid = start({s, "--out", path("a.h5")});
  std::error_code none;  // the journal has begun, and says what it is of
  const auto has_begun = [&] {
    return fs::exists(path("a.h5.part")) && fs::file_size(path("a.h5.part"), none) > 1000;
  };
  for (int i = 0; i < 20'000 && !has_begun(); ++i) std::this_thread::sleep_for(1ms);
  ::kill(pid, SIGKILL);
  (void)wait_for(pid);
  ASSERT_TRUE(fs::exists(path("a.h5.part")));
  EXPECT_THAT(refusal({s, "--out", path("a.h5")}), AllOf(HasSubstr("--resume"), HasSubstr("--restart")));
  study(200001);
  EXPECT_THAT(refusal({s, "--out", path("a.h5"), "--resume"}),
              AllOf(HasSubstr("another sweep"), HasSubstr("- runs = 200000"), HasSubstr("+ runs = 200001")));
  study(200000);
  EXPECT_THAT(refusal({s, "--out", path("a.h5"), "--resume", "--set", "speed=3"}), HasSubstr("speed"));
  EXPECT_EQ(sweep({s, "--out", path("a.h5"), "--restart"}).status, 0);
  const Result done = sweep({s, "--out", path("a.h5"), "--resume", "--csv", path("a.csv")});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("done before"));
  EXPECT_TRUE(fs::exists(path("a.csv")));
}

// A limit on the size of files stands for a full disk.
TEST_F(Sweep, a_full_disk_keeps_the_old_file_and_the_journal) {
  const std::string s = study(6000);
  ASSERT_EQ(sweep({s, "--out", path("whole.h5")}).status, 0);
  const std::string whole = content(path("whole.h5"));
  file("old", "a.h5");
  const std::string first = std::string(THUD_PROGRAM) + " sweep " + s + " --out " + path("a.h5");
  const std::string command = first + " --resume";
  EXPECT_EQ(shell(command).status, 2);  // there is nothing to resume, and the old file is not for the taking
  EXPECT_EQ(content(path("a.h5")), "old");
  for (const char* blocks : {"100", "280"}) {  // of 512 bytes: too few for the journal, too few for the file
    const Result r = shell(std::string("trap '' XFSZ; ulimit -f ") + blocks + "; exec "
                           + (fs::exists(path("a.h5.part")) ? command : first));
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_THAT(r.err, AllOf(HasSubstr("cannot write"), HasSubstr("too large"), HasSubstr("--resume")));
    EXPECT_EQ(content(path("a.h5")), "old");
    EXPECT_TRUE(fs::exists(path("a.h5.part")));
    EXPECT_FALSE(fs::exists(path("a.h5.tmp")));
  }
  EXPECT_EQ(shell(command).status, 0);
  EXPECT_TRUE(content(path("a.h5")) == whole);
}

TEST_F(Sweep, files_that_are_read_or_are_no_files_are_not_replaced) {
  const std::string s = study(4);
  const std::string text = content(s);
  EXPECT_THAT(refusal({s, "--out", s}), HasSubstr("would be replaced"));
  EXPECT_THAT(refusal({s, "--out", path("a.h5"), "--csv", s}), HasSubstr("would be replaced"));
  EXPECT_THAT(refusal({s, "--out", path("a.h5"), "--csv", path("a.h5")}), HasSubstr("name of its own"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal({s, "--out", path("pipe")}), HasSubstr("not a regular file"));
  EXPECT_EQ(content(s), text);
}

TEST_F(Sweep, memory_does_not_grow_with_the_number_of_runs) {
  const Result few = sweep({study(500), "--out", path("a.h5"), "--jobs", "2"});
  const Result many = sweep({study(200000), "--out", path("b.h5"), "--jobs", "2"});
  EXPECT_EQ(few.status, 0);
  EXPECT_EQ(many.status, 0);
  EXPECT_LT(many.memory, few.memory + 30000) << "KB";
  EXPECT_LT(many.memory, 200000) << "KB";
}

TEST_F(Sweep, refuses_bad_input) {
  const std::string good = study(10);
  EXPECT_THAT(refusal({good, "--jobs", "0"}), HasSubstr("--jobs"));
  EXPECT_THAT(refusal({good, "--out", folder.string()}), HasSubstr("folder"));
  EXPECT_THAT(refusal({good, "--out", path("no/such/a.h5")}), HasSubstr("there is no folder"));
  EXPECT_THAT(refusal({good, "--csv", path("no/such/a.csv"), "--out", path("a.h5")}),
              HasSubstr("there is no folder"));
  EXPECT_THAT(refusal({good, "--out", path("a.h5"), "--set", "spead=3"}),
              HasSubstr("did you mean \"speed\""));
  EXPECT_THAT(refusal({path("none.toml")}), HasSubstr("none.toml"));
  EXPECT_THAT(refusal({file("scenario = \"ball.toml\"\n", "x.toml"), "--out", path("a.h5")}),
              HasSubstr("[vary]"));
  EXPECT_THAT(refusal({file("scenario = \"ball.toml\"\n[vary]\nspeed = { uniform = [1, 2] }\n", "x.toml"),
                       "--out", path("a.h5")}),
              HasSubstr("runs"));
  EXPECT_THAT(refusal({study(0), "--out", path("a.h5")}), HasSubstr("s.toml:5:8:"));
  EXPECT_THAT(refusal({study(10, "[[plot]]\nkind = \"map\"\nx = \"speed\"\ny = \"h\"\nz = \"t\"\n"), "--svg",
                       path("p"), "--out", path("a.h5")}),
              HasSubstr("a map needs a grid"));
  EXPECT_FALSE(fs::exists(path("a.h5")));
  EXPECT_FALSE(fs::exists(path("a.h5.part")));
}

TEST_F(Sweep, a_sweep_of_which_nothing_came_says_so) {
  const std::string s =
      file("scenario = \"ball.toml\"\n[vary]\nspeed = { list = [1, 2] }\n[run]\ntime_limit = \"1 ms\"\n",
           "x.toml");
  const Result r = sweep({s, "--out", path("a.h5")});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.out, AllOf(HasSubstr("time limit"), HasSubstr("Results in")));
  EXPECT_THAT(r.err, HasSubstr("no run reached"));
}

}  // namespace
