// The program and input, files and signals at their worst: it refuses, ends or goes on as it promises.
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"

namespace thud::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

class Hostile : public ShellTest {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& f : fs::recursive_directory_iterator(folder))
      if (f.is_regular_file() || f.is_symlink()) out.push_back(f.path().filename().string());
    return out;
  }
  // A study of four quick runs.
  void write_study() const {
    write("s.toml", R"(
scenario = "free_link"
outputs = ["t_z"]
[vary]
speed = { grid = [1, 2], count = 4 }
)");
  }
};

// ---- numbers, names, sizes ----

TEST_F(Hostile, sizes_that_overflow_are_refused_at_their_place) {
  const std::string beam = R"(
[[body]]
name  = "link"
joint = "free"
shape = { kind = "beam", length = 0.15, diameter = 1e308, density = 7700, rigidity = 15, modes = 2 }
)";
  write("beam.toml", beam);
  EXPECT_THAT(refusal("run beam.toml"),
              AllOf(HasSubstr("beam.toml:5:"), HasSubstr("1e+60"), HasSubstr("1e308")));
  write("k.toml",
        "[parameters]\nk = 1\n[[body]]\nname = \"b\"\njoint = \"free\"\n"
        "shape = { kind = \"sphere\", diameter = \"=k\", mass = 1 }\n");
  EXPECT_THAT(refusal("run k.toml --set k=1e61"), HasSubstr("\"k\" must not be larger than 1e+60"));
}

// The acceleration is 1e157 m/s², and its square no number.
TEST_F(Hostile, a_run_whose_end_is_no_number_has_not_reached_it) {
  write("far.toml", R"toml(
[[body]]
name  = "b"
joint = { kind = "pin", torque = "=1e153*(1+t)" }
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, density = 1000 }
[stop]
time = 1e-300
)toml");
  const Result r = thud("run far.toml --json");
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("b.a is no number in the end"));
  const nlohmann::json told = nlohmann::json::parse(r.out);
  EXPECT_TRUE(told["final"]["b.a"].is_null());
  EXPECT_FALSE(told["stop"]["reached"]);
}

TEST_F(Hostile, numbers_too_small_to_be_rounded_are_reported) {
  write("den.toml",
        "[parameters]\nk = { value = 1e-310 }\n[[body]]\nname = \"b\"\njoint = \"free\"\n"
        "shape = { kind = \"sphere\", diameter = 0.01, mass = 0.1 }\n[initial]\n\"b.x\" = \"=k\"\n"
        "[stop]\ntime = 0.01\n[results]\nr = \"b.x at end\"\n");
  write("dst.toml", "scenario = \"den.toml\"\noutputs = [\"r\"]\n[vary]\nk = { list = [1e-310, 2e-310] }\n");
  const Result r = thud("sweep dst.toml --report r.html");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, Not(HasSubstr("internal")));
  EXPECT_THAT(content(folder / "r.html"), HasSubstr("1e-310"));
}

TEST_F(Hostile, texts_with_control_characters_command_no_terminal) {
  write("t.toml",
        "title = \"a\\u001b]0;owned\\u0007b\"\n[[body]]\nname = \"b\"\njoint = \"free\"\n"
        "shape = { kind = \"sphere\", diameter = 0.01, mass = 0.1 }\n");
  EXPECT_THAT(refusal("run t.toml"),
              AllOf(HasSubstr("t.toml:1:9"), HasSubstr("\\x1b"), Not(HasSubstr("\x1b"))));
  // Nor do names in messages, wherever they come from.
  for (const char* arguments : {"run $'\\033[31mred'", "run free_link --set $'\\033[31m=3'", "$'\\033[2J'"}) {
    const Result r = thud(arguments);
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, Not(HasSubstr("\x1b"))) << arguments;
  }
}

TEST_F(Hostile, more_contacts_than_memory_holds_are_refused) {
  write("many_walls.toml", R"(
[[body]]
repeat = 100
name   = "b{i}"
shape  = { kind = "block", length = 0.1, width = 0.1, mass = 0.1 }
joint  = "free"
[[wall]]
repeat = 10000
name   = "w{i}"
at     = [0, "=i"]
)");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(refusal("run many_walls.toml"),
              AllOf(HasSubstr("many_walls.toml:7:"), HasSubstr("more than 4000 contacts")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(Hostile, more_of_a_kind_than_memory_holds_is_refused) {
  std::string bodies;
  for (const char* name : {"a", "b"})
    bodies += fmt::format(
        "[[body]]\nrepeat = 6000\nname = \"{}{{i}}\"\njoint = \"free\"\n"
        "shape = {{ kind = \"sphere\", diameter = 0.01, mass = 0.1 }}\n",
        name);
  write("bodies.toml", bodies);
  EXPECT_THAT(refusal("check bodies.toml"), AllOf(HasSubstr("bodies.toml:6:"), HasSubstr("10000 [[body]]")));
  std::string knobs = "[parameters]\n";
  for (int k = 0; k < 60'000; ++k) knobs += fmt::format("p{} = 1\n", k);
  write("knobs.toml", knobs);
  EXPECT_THAT(refusal("check knobs.toml"), AllOf(HasSubstr("knobs.toml:1:"), HasSubstr("60000 keys")));
}

// Joints that stick are switches, as contacts are.
TEST_F(Hostile, a_run_that_memory_does_not_hold_is_refused_before_it) {
  write("large.toml", R"(
[[body]]
name  = "b0"
joint = "pin"
shape = { kind = "cylinder", length = 0.1, diameter = 0.01, mass = 0.1 }
[[body]]
repeat = 8000
name   = "b{i}"
shape  = { kind = "cylinder", length = 0.1, diameter = 0.01, mass = 0.1 }
joint  = { to = "b0", at = "tip", friction = 0.1 }
)");
  EXPECT_THAT(refusal("run large.toml"),
              AllOf(HasSubstr("large.toml:"), HasSubstr("GB"), HasSubstr("8001 bodies")));
}

TEST_F(Hostile, a_long_chain_of_bodies_takes_no_memory_for_its_order) {
  write("chain.toml", R"(
[[body]]
name  = "b0"
joint = "free"
shape = { kind = "sphere", diameter = 0.01, mass = 0.1 }
[[body]]
repeat = 5000
name   = "b{i}"
shape  = { kind = "sphere", diameter = 0.01, mass = 0.1 }
joint  = { to = "b{i-1}", kind = "weld" }
)");
  const std::string command = fmt::format("cd {} && ulimit -v 1000000 && {} check chain.toml >out 2>err",
                                          folder.string(), THUD_PROGRAM);
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << content(folder / "err");
}

TEST_F(Hostile, a_trajectory_that_was_cut_is_no_success) {
  const Result r = thud("run free_link --out out1 --sample 1e-12 --columns link.x --quiet");
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, AllOf(HasSubstr("no room for more than"), HasSubstr("sample less often")));
}

TEST_F(Hostile, knobs_that_are_whole_numbers_are_marked) {
  const auto knobs = nlohmann::json::parse(thud("run elastic_free_link --list-knobs --json").out);
  std::map<std::string, bool> whole;
  for (const auto& k : knobs) whole[k["name"]] = k["integer"];
  EXPECT_TRUE(whole.at("modes"));
  EXPECT_FALSE(whole.at("speed"));
}

// ---- files ----

TEST_F(Hostile, a_sweep_follows_no_links_to_what_is_not_its_own) {
  write_study();
  write("precious", "precious");
  fs::create_symlink("precious", folder / "s.h5.tmp");
  EXPECT_EQ(thud("sweep s.toml --out s.h5").status, 0);
  EXPECT_EQ(content(folder / "precious"), "precious");
  EXPECT_FALSE(fs::is_symlink(folder / "s.h5.tmp"));
  EXPECT_FALSE(fs::is_symlink(folder / "s.h5"));
  fs::create_symlink("precious", folder / "s.h5.part");
  for (const char* option : {"--restart", "--resume"})
    EXPECT_THAT(refusal(std::string("sweep s.toml --out s.h5 ") + option), HasSubstr("symbolic link"));
  EXPECT_EQ(content(folder / "precious"), "precious");
}

TEST_F(Hostile, what_a_killed_sweep_left_is_in_nobodys_way) {
  write_study();
  write("s.h5.tmp", "half a file");
  EXPECT_EQ(thud("sweep s.toml --out s.h5").status, 0);
  EXPECT_FALSE(fs::exists(folder / "s.h5.tmp"));
  EXPECT_EQ(thud("sweep s.toml --out s.h5 --resume").status, 0);
}

TEST_F(Hostile, every_damaged_file_of_results_is_noticed) {
  write_study();
  ASSERT_EQ(thud("sweep s.toml --out s.h5").status, 0);
  const std::string whole = content(folder / "s.h5");
  const auto resumed = [&](const std::string& bytes) {
    write("s.h5", bytes);
    return thud("sweep s.toml --out s.h5 --resume");
  };
  EXPECT_EQ(resumed(whole).status, 0);
  for (std::size_t k = 0; k < 60; ++k) {
    std::string bytes = whole;
    const std::size_t at = k * 7919 * 13 % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (k % 8)));
    const Result r = resumed(bytes);
    EXPECT_EQ(r.status, 2) << "bit " << k % 8 << " of byte " << at;
    EXPECT_THAT(r.err, HasSubstr("checksum"));
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(resumed(whole.substr(0, size)).status, 2) << size;
  EXPECT_EQ(resumed(whole + "x").status, 2);
  EXPECT_EQ(resumed(whole).status, 0);
}

// ---- signals ----

// The program in the background, in the folder of the test.
class Background {
 public:
  Background(const fs::path& folder, const std::vector<std::string>& arguments) {
    pid_ = ::fork();
    if (pid_ > 0) return;
    if (::chdir(folder.c_str()) != 0 || !std::freopen("out", "w", stdout)
        || !std::freopen("err", "w", stderr))
      ::_exit(99);
    ::setenv("THUD_DATA", THUD_SOURCE_DATA_DIR, 1);
    std::vector<char*> argv = {const_cast<char*>(THUD_PROGRAM)};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    ::execv(THUD_PROGRAM, argv.data());
    ::_exit(99);
  }
  ~Background() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  void signal(int number) const { ::kill(pid_, number); }
  bool is_running() {
    int state = 0;
    if (pid_ > 0 && ::waitpid(pid_, &state, WNOHANG) == pid_) state_ = state, pid_ = -1;
    return pid_ > 0;
  }
  int state() const { return state_; }

 private:
  pid_t pid_ = -1;
  int state_ = 0;
};

TEST_F(Hostile, signals_while_a_file_is_written_leave_no_temporary_files) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    fs::remove_all(folder / "o");
    Background program(
        folder, {"run", "double_pendulum", "--until", "rest", "--out", "o", "--sample", "2e-6", "--quiet"});
    const auto is_writing = [&] {
      std::error_code ec;
      for (const auto& f : fs::directory_iterator(folder / "o", ec))
        if (f.path().extension() == ".tmp") return true;
      return false;
    };
    while (program.is_running() && !is_writing()) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(is_writing()) << content(folder / "err");
    for (int k = 0; k < 1000 && program.is_running(); ++k) {
      if (k % 20 == 0) program.signal(number);
      std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(WIFSIGNALED(program.state())) << "signal " << number;
    EXPECT_FALSE(is_writing()) << "signal " << number;
  }
}

}  // namespace
}  // namespace thud::test
