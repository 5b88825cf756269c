// The program as a user meets it: exit status, what goes to which stream, and messages that help.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "cli/program.hpp"
#include "thud/base/format.hpp"

namespace {

namespace fs = std::filesystem;
using namespace thud::test;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

class Cli : public ::testing::Test {
 protected:
  // Starts the program in a UTF-8 locale with its output in files.
  pid_t start(const std::vector<std::string>& arguments, const std::string& out_path = {}) const {
    std::vector<std::string> words = {THUD_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    std::string locale = "LC_ALL=C.UTF-8", path = "PATH=/usr/bin:/bin";
    std::string data = std::string("THUD_DATA=") + THUD_SOURCE_DATA_DIR;
    char* environment[] = {locale.data(), path.data(), data.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string out = out_path.empty() ? (folder / "out").string() : out_path;
    const std::string err = (folder / "err").string();
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, THUD_PROGRAM, &actions, nullptr, argv.data(), environment);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(error, 0);
    return pid;
  }

  Result wait_for(pid_t pid) const {
    int state = 0;
    ::waitpid(pid, &state, 0);
    return {WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state), content(folder / "out"),
            content(folder / "err")};
  }

  Result thud(const std::vector<std::string>& arguments) const { return wait_for(start(arguments)); }

  // Writes a scenario and returns its path.
  std::string file(const std::string& text, const std::string& name = "mine.toml") const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }

  std::string refusal(const std::vector<std::string>& arguments) const { return refusal_in(thud(arguments)); }
  // The message without "thud: FILE:", for a file given as text; run and check must agree.
  std::string refused(const std::string& text) const {
    const std::string path = file(text);
    const std::string message = refusal({"run", path});
    EXPECT_EQ(message, refusal({"check", path}));
    const std::string head = "thud: " + path + ":";
    EXPECT_THAT(message, ::testing::StartsWith(head));
    return message.substr(std::min(head.size(), message.size()));
  }

  const TempFolder temporary{"cli"};
  const fs::path folder = temporary.path();
};

// A sound scenario; the tests below spoil one line of it. Line numbers in their expectations are those of this text.
constexpr const char* sound = R"([parameters]
speed = { value = 1, unit = "m/s", range = [0, 5] }
[[body]]
name  = "link"
shape = { kind = "cylinder", length = 0.2, diameter = "1 cm", mass = 0.1 }
joint = "pin"
[bed]
medium  = "play-sand"
eta_d   = 6.5
surface = 0.15
[initial]
"link.angle" = "60 deg"
"link.rate"  = "=-speed"
[stop]
when = "link.rate rises through 0"
[results]
t = "time when link.rate rises through 0"
)";

std::string spoiled(const std::string& from, const std::string& to) {
  std::string text = sound;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// ---- the good path ---------------------------------------------------------------------------------------------

TEST_F(Cli, every_library_scenario_runs_and_gives_json) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(THUD_SOURCE_DATA_DIR) / "scenarios")) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    const std::string name = entry.path().stem().string();
    const Result r = thud({"run", name, "--json"});
    ASSERT_EQ(r.status, 0) << name << r.err;
    EXPECT_THAT(r.err, IsEmpty()) << name;
    const json j = json::parse(r.out);
    EXPECT_EQ(j["scenario"]["name"], name);
    EXPECT_EQ(j["stop"]["reached"], true) << name;
    EXPECT_LT(std::abs(j["energy"]["residual"].get<double>()), 1e-6) << name;
    for (const auto& [key, value] : j["final"].items()) EXPECT_TRUE(value.is_number()) << name << " " << key;
    EXPECT_EQ(thud({"check", name}).status, 0) << name;
  }
  EXPECT_GE(count, 10);
}

TEST_F(Cli, a_file_of_one_s_own_runs) {
  const Result r = thud({"run", file(sound), "--set", "speed=2 m/s"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("Stopped after"), HasSubstr("speed 2 m/s"),
                           HasSubstr("link.rate rises through 0")));
}

TEST_F(Cli, text_output_fits_80_columns_without_colour_in_a_file) {
  for (const char* name : {"free_link", "n_link_chain", "biped_drop"}) {
    const Result r = thud({"run", name, "--events"});
    EXPECT_EQ(r.out.find('\x1b'), std::string::npos);
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(thud::text_width(line), 80u) << line;
  }
}

TEST_F(Cli, ascii_output_is_ascii) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "n_link_chain", "--ascii"},
        {"check", "biped_drop", "--ascii"},
        {"list", "--ascii"},
        {"laws", "--ascii"}}) {
    const Result r = thud(arguments);
    EXPECT_EQ(r.status, 0);
    for (char c : r.out) ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << arguments[0];
  }
}

TEST_F(Cli, json_is_the_same_bytes_every_time) {
  const auto without_wall_time = [](std::string text) {
    const auto at = text.find("\"wall_time\"");
    return text.erase(at, text.find('\n', at) - at);
  };
  for (const char* name : {"free_link", "biped_drop", "n_link_chain"})
    EXPECT_EQ(without_wall_time(thud({"run", name, "--json"}).out),
              without_wall_time(thud({"run", name, "--json"}).out));
}

TEST_F(Cli, out_writes_three_files) {
  const std::string out = (folder / "a" / "b").string();
  const Result r =
      thud({"run", "free_link", "--out", out, "--sample", "1 ms", "--columns", "link.angle,link.tip.*"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("trajectory.csv"));
  const std::string csv = content(fs::path(out) / "trajectory.csv");
  EXPECT_THAT(csv, ::testing::StartsWith("time [s],link.angle [rad],link.tip.x [m],"));
  EXPECT_THAT(csv, HasSubstr("\n0.003,"));
  EXPECT_THAT(content(fs::path(out) / "events.csv"), HasSubstr("condition,link.tip.vz falls through 0"));
  EXPECT_EQ(json::parse(content(fs::path(out) / "summary.json"))["stop"]["reason"], "condition");
  EXPECT_EQ(std::distance(fs::directory_iterator(out), {}), 3);
}

TEST_F(Cli, steps_and_json_and_out_go_together) {
  const Result r = thud({"run", "sphere", "--out", folder / "o", "--steps", "--json"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(json::accept(r.out));
  EXPECT_TRUE(fs::exists(folder / "o" / "trajectory.csv"));
}

TEST_F(Cli, quiet_prints_nothing) {
  const Result r = thud({"run", "sphere", "--quiet"});
  EXPECT_EQ(r.status, 0);
  EXPECT_THAT(r.out + r.err, IsEmpty());
}

TEST_F(Cli, knobs_take_units_with_and_without_a_blank) {
  const auto angle = [&](const std::string& setting) {
    return json::parse(thud({"run", "free_link", "--json", "--set", setting})
                           .out)["scenario"]["knobs"]["angle"]["value"]
        .get<double>();
  };
  EXPECT_EQ(angle("angle=40 deg"), angle("angle=40deg"));
  EXPECT_DOUBLE_EQ(angle("angle=0.5"), 0.5);
}

TEST_F(Cli, methods_agree) {
  const auto depth = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "free_link", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result r = thud(arguments);
    EXPECT_EQ(r.status, 0) << r.err;
    return json::parse(r.out)["results"]["z_T"].get<double>();
  };
  const double best = depth({"--tolerance", "1e-12"});
  EXPECT_NEAR(depth({"--method", "dopri5"}), best, 1e-8 * best);
  EXPECT_NEAR(depth({"--method", "rk4", "--step", "10 us"}), best, 1e-6 * best);
  EXPECT_NEAR(depth({"--method", "euler", "--step", "10 us"}), best, 1e-2 * best);
}

TEST_F(Cli, until_rest_goes_beyond_the_stop) {
  const json j = json::parse(thud({"run", "free_link", "--until", "rest", "--json"}).out);
  EXPECT_EQ(j["stop"]["reason"], "rest");
  EXPECT_GT(j["stop"]["time"].get<double>(), j["results"]["t_z"].get<double>());
}

TEST_F(Cli, lists) {
  EXPECT_THAT(thud({"list"}).out, AllOf(HasSubstr("free_link"), HasSubstr("speed 1.26 m/s")));
  EXPECT_THAT(thud({"laws"}).out,
              AllOf(HasSubstr("play-sand"), HasSubstr("katsuragi"), HasSubstr("eta_v 22")));
  EXPECT_THAT(thud({"run", "free_link", "--list-knobs"}).out, HasSubstr("0 to 80°"));
  EXPECT_THAT(thud({"run", "free_link", "--list-observables"}).out, HasSubstr("link.resistance.size"));
  EXPECT_THAT(thud({"run", "free_link", "--list-observables"}).out, Not(HasSubstr("At impacts")));
  EXPECT_THAT(
      thud({"run", "rough_obstacle", "--list-observables"}).out,
      AllOf(HasSubstr("\n\nAt impacts, and no curves: to be written as [results]\n"),
            HasSubstr("\nrod2.joint.impulse.x at impact N  N s"), HasSubstr("\nmax rod1.joint.impulse ")));
  const Result plot = thud({"run", "rough_obstacle", "--plot", "rod1.joint.impulse.x"});
  EXPECT_EQ(plot.status, 2);
  EXPECT_THAT(plot.err, HasSubstr("write a result \"rod1.joint.impulse.x at impact 1\""));
  EXPECT_EQ(json::parse(thud({"run", "free_link", "--list-knobs", "--json"}).out).size(), 2u);
  EXPECT_GT(json::parse(thud({"run", "free_link", "--list-observables", "--json"}).out).size(), 20u);
}

TEST_F(Cli, check_tells_what_a_scenario_is) {
  const Result r = thud({"check", file(sound)});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("1 degree"), HasSubstr("pinned to the ground"), HasSubstr("lee2009"),
                           HasSubstr("link.rate rises through 0"), HasSubstr("0 to 5 m/s")));
}

// A ball that bounces twice: t = 0.45 s and 1.05 s at e = 2/3 from 1 m.
constexpr const char* bouncing = R"([[body]]
name  = "ball"
shape = { kind = "sphere", diameter = 0.1, mass = 1 }
joint = "free"
[contact]
restitution = 0.6666666667
[[wall]]
name = "floor"
[initial]
"ball.z" = -1.05
[stop]
time = 1.2
)";

TEST_F(Cli, check_tells_of_walls_and_contacts) {
  const Result r = thud({"check", file(bouncing)});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out,
              AllOf(HasSubstr("Walls (1)"), HasSubstr("floor: through (0, 0) m"), HasSubstr("Contacts (1)"),
                    HasSubstr("ball@floor  stronge, restitution 0.666667, friction 0")));
}

TEST_F(Cli, impacts_in_text_json_files_and_picture) {
  const std::string path = file(bouncing), out = (folder / "o").string(), svg = (folder / "i.svg").string();
  const Result text = thud({"run", path, "--out", out, "--impact-plane", svg, "--impact", "2"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("Impacts (2) of ball@floor"), HasSubstr("impacts.csv")));
  EXPECT_THAT(content(svg), AllOf(HasSubstr("impact 2, frictionless"), HasSubstr("</svg>")));
  const std::string impacts = content(fs::path(out) / "impacts.csv");
  EXPECT_EQ(std::count(impacts.begin(), impacts.end(), '\n'), 3);
  EXPECT_THAT(content(fs::path(out) / "events.csv"), HasSubstr(",impact,ball@floor,,frictionless\n"));
  const json j = json::parse(thud({"run", path, "--json"}).out);
  EXPECT_EQ(j["impact_count"], 2);
  EXPECT_NEAR(j["impacts"][0]["time"].get<double>(), std::sqrt(2 / 9.81), 1e-9);
  EXPECT_EQ(j["impacts"][0]["contacts"], json({"ball@floor"}));
  // Both sides of the impact stand in the trajectory.
  const std::string time = "\n" + fmt::format("{}", j["impacts"][0]["time"].get<double>()) + ",";
  const std::string csv = content(fs::path(out) / "trajectory.csv");
  const auto first = csv.find(time);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(csv.find(time, first + 1), std::string::npos);
}

TEST_F(Cli, pictures_of_impacts_that_cannot_be) {
  const std::string path = file(bouncing), svg = (folder / "i.svg").string();
  EXPECT_THAT(refusal({"run", path, "--impact", "2"}), HasSubstr("--impact-plane FILE"));
  EXPECT_THAT(refusal({"run", path, "--impact-plane", svg, "--impact", "0"}), HasSubstr("from 1 to 10000"));
  EXPECT_THAT(refusal({"run", path, "--impact-plane", svg, "--impact", "1.5"}), HasSubstr("whole number"));
  EXPECT_THAT(refusal({"run", path, "--impact-plane", svg, "--impact", "first"}), HasSubstr("\"first\""));
  EXPECT_THAT(refusal({"run", "free_link", "--impact-plane", svg}), HasSubstr("no walls and no pairs"));
  const Result r = thud({"run", path, "--impact-plane", svg, "--impact", "3"});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("there were 2 impacts"));
  EXPECT_FALSE(fs::exists(svg));
}

TEST_F(Cli, modes_as_text_json_and_picture) {
  const Result text = thud({"modes", "double_pendulum", "--at", "equilibrium"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("about the equilibrium: stable"), HasSubstr("rad/s"),
                              HasSubstr("Left out, having no linear part: sand.")));
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(thud::text_width(line), 80u) << line;

  const std::string svg = folder / "modes.svg";
  const Result r = thud({"modes", "elastic_free_link", "--json", "-n", "5", "--svg", svg});
  EXPECT_EQ(r.status, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["mode_count"], 7);
  ASSERT_EQ(j["modes"].size(), 5u);
  EXPECT_EQ(j["modes"][0]["motion"], "free");
  EXPECT_EQ(j["modes"][3]["kind"], "bends link");
  EXPECT_NEAR(j["modes"][3]["damping_ratio"].get<double>(), 0.01, 1e-12);
  EXPECT_THAT(content(svg),
              AllOf(HasSubstr("4: 1209 Hz, bends link"), Not(HasSubstr("6: ")), HasSubstr("</svg>")));
  EXPECT_EQ(r.out, thud({"modes", "elastic_free_link", "--json", "-n", "5"}).out);
}

TEST_F(Cli, modes_refuses_what_it_cannot_do) {
  EXPECT_THAT(refusal({"modes", "double_pendulum", "--at", "equilibrum"}),
              AllOf(HasSubstr("initial or equilibrium"), HasSubstr("did you mean \"equilibrium\"")));
  EXPECT_THAT(refusal({"modes", "double_pendulum", "--count", "0"}), HasSubstr("--count"));
  EXPECT_THAT(refusal({"modes", file(spoiled("mass = 0.1", "mass = -0.1"))}), HasSubstr("mine.toml:5:70: "));
  const Result falls = thud({"modes", "free_link", "--at", "equilibrium"});
  EXPECT_EQ(falls.status, 1);
  EXPECT_THAT(falls.err, HasSubstr("is free and falls"));
  const Result blocked = thud({"modes", "sphere", "--svg", folder / "none" / "x.svg"});
  EXPECT_EQ(blocked.status, 1);
  EXPECT_THAT(blocked.err, HasSubstr("x.svg"));
  EXPECT_THAT(blocked.out, HasSubstr("Natural modes"));
}

TEST_F(Cli, help_and_version) {
  EXPECT_THAT(thud({"--version"}).out, MatchesRegex("thud [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"run", "--help"},
                                                    {"check", "-h"},
                                                    {"list", "--help"},
                                                    {"laws", "--help"},
                                                    {"modes", "--help"}}) {
    const Result r = thud(arguments);
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.out, HasSubstr("Usage: thud"));
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

// ---- the computation did not reach what was asked ------------------------------------------------------------------

TEST_F(Cli, stop_never_reached_is_status_1_with_the_reason) {
  const Result r =
      thud({"run", file(spoiled("\"link.rate rises through 0\"", "\"link.tip.z rises through 5\"")), "--time",
            "2"});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("before the stop was reached"));
  EXPECT_THAT(r.out, HasSubstr("Not what was asked"));
}

TEST_F(Cli, time_limit_is_status_1_and_json_is_still_whole) {
  const Result r = thud({"run", "free_link", "--time", "2 ms", "--json"});
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("time limit of 0.002 s"));
  const json j = json::parse(r.out);
  EXPECT_EQ(j["stop"]["reached"], false);
  EXPECT_TRUE(j["results"]["t_z"].is_null());
}

TEST_F(Cli, interrupt_keeps_what_was_finished) {
  const pid_t pid =
      start({"run", "sphere", "--method", "euler", "--step", "1e-12", "--out", folder / "o", "--json"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ::kill(pid, SIGINT);
  const Result r = wait_for(pid);
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("interrupted"));
  EXPECT_EQ(json::parse(r.out)["stop"]["reason"], "cancelled");
  EXPECT_EQ(json::parse(content(folder / "o" / "summary.json"))["stop"]["reason"], "cancelled");
  EXPECT_TRUE(fs::exists(folder / "o" / "trajectory.csv"));
}

TEST_F(Cli, output_that_cannot_be_written_is_status_1) {
  const Result full = wait_for(start({"run", "sphere"}, "/dev/full"));
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
  fs::create_directories(folder / "o" / "events.csv");
  const Result blocked = thud({"run", "sphere", "--out", folder / "o"});
  EXPECT_EQ(blocked.status, 1);
  EXPECT_THAT(blocked.err, AllOf(HasSubstr("events.csv"), HasSubstr("Is a directory")));
}

TEST_F(Cli, a_closed_pipe_ends_it_quietly) {
  const std::string command = std::string("THUD_DATA='") + THUD_SOURCE_DATA_DIR + "' '" + THUD_PROGRAM
                            + "' run n_link_chain --json 2>'" + (folder / "err").string() + "' | true";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(content(folder / "err"), IsEmpty());
}

// ---- bad command lines -----------------------------------------------------------------------------------------

TEST_F(Cli, bad_command_lines_are_status_2_with_a_suggestion) {
  EXPECT_THAT(refusal({"rnu", "free_link"}), AllOf(HasSubstr("\"rnu\""), HasSubstr("did you mean \"run\"")));
  EXPECT_THAT(refusal({"frobnicate"}), AllOf(HasSubstr("\"frobnicate\""), HasSubstr("run, check, list")));
  EXPECT_THAT(refusal({"run", "free_link", "--jsn"}),
              AllOf(HasSubstr("\"--jsn\""), HasSubstr("did you mean \"--json\"")));
  EXPECT_THAT(refusal({"--bogus"}), HasSubstr("\"--bogus\""));
  EXPECT_THAT(refusal({"run"}), HasSubstr("FILE"));
  EXPECT_THAT(refusal({"run", "free_link", "more"}), AllOf(HasSubstr("more"), HasSubstr("--report FILE")));
  EXPECT_THAT(refusal({"run", "free_link", "--set"}), HasSubstr("--set needs a value"));
  EXPECT_THAT(refusal({"run", "free_link", "--set", "angle"}), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(refusal({"run", "free_link", "--set", "=3"}), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(refusal({"run", "free_link", "--plot", "link.tip.v", "--json"}), HasSubstr("--json"));
  EXPECT_EQ(thud({}).status, 2);
  EXPECT_THAT(thud({}).err, HasSubstr("Usage: thud"));
}

TEST_F(Cli, bad_values_of_options_name_the_value_and_what_is_allowed) {
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "free_link"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return refusal(arguments);
  };
  EXPECT_THAT(with({"--time", "2 m"}), AllOf(HasSubstr("--time 2 m"), HasSubstr("a time is expected")));
  EXPECT_THAT(with({"--time", "soon"}), AllOf(HasSubstr("\"soon\""), HasSubstr("0.5 s")));
  EXPECT_THAT(with({"--time=-1"}), HasSubstr("longer than 0 s"));
  EXPECT_THAT(with({"--time", "0"}), HasSubstr("longer than 0 s"));
  EXPECT_THAT(with({"--time", "nan"}), HasSubstr("finite"));
  EXPECT_THAT(with({"--tolerance", "1"}), HasSubstr("between 1e-14 and 0.01"));
  EXPECT_THAT(with({"--tolerance", "small"}), HasSubstr("\"small\" is not a number"));
  EXPECT_THAT(with({"--method", "rk5"}), AllOf(HasSubstr("dop853"), HasSubstr("did you mean \"rk4\"")));
  EXPECT_THAT(with({"--step", "1 us"}), HasSubstr("--method rk4, euler, newmark or generalised-alpha"));
  EXPECT_THAT(with({"--until", "end"}), HasSubstr("\"rest\""));
  EXPECT_THAT(with({"--sample", "1 ms"}), HasSubstr("--out"));
  EXPECT_THAT(with({"--plot", "link.tip.dept"}), HasSubstr("did you mean \"link.tip.depth\""));
  EXPECT_THAT(with({"--columns", "link.agnle", "--out", folder / "o"}),
              HasSubstr("did you mean \"link.angle\""));
  EXPECT_THAT(with({"--out", "/dev/null/x"}), HasSubstr("/dev/null/x"));
}

TEST_F(Cli, bad_knobs) {
  EXPECT_THAT(refusal({"run", "free_link", "--set", "agnle=1"}),
              AllOf(HasSubstr("\"agnle\""), HasSubstr("did you mean \"angle\"?"), HasSubstr("speed")));
  EXPECT_THAT(refusal({"run", "free_link", "--set", "angle=40"}),
              AllOf(HasSubstr("between 0 and 80 deg"), HasSubstr("did you mean \"40 deg\"?")));
  EXPECT_THAT(refusal({"run", "free_link", "--set", "speed=1 kg"}), HasSubstr("a speed is expected"));
  EXPECT_THAT(refusal({"run", "free_link", "--set", "speed=nan"}), HasSubstr("finite"));
  EXPECT_THAT(refusal({"run", "free_link", "--set", "speed=fast"}), HasSubstr("\"fast\""));
  EXPECT_THAT(refusal({"run", "n_link_chain", "--set", "links=2.5"}), HasSubstr("whole"));
  EXPECT_THAT(refusal({"check", "free_link", "--set", "speed=-1"}), HasSubstr("between 0 and 20 m/s"));
}

// ---- bad scenarios: place, offending value, what is allowed, suggestion --------------------------------------------

TEST_F(Cli, bad_names_in_scenarios) {
  EXPECT_THAT(refused(spoiled("eta_d  ", "eta_dd")),
              AllOf(HasSubstr("9:1: "), HasSubstr("did you mean \"eta_d\"?")));
  EXPECT_THAT(refused(spoiled("\"play-sand\"", "\"play-snad\"")),
              AllOf(HasSubstr("8:11: "), HasSubstr("play-snad"), HasSubstr("did you mean \"play-sand\"?"),
                    HasSubstr("hill-sand")));
  EXPECT_THAT(refused(spoiled("medium  = \"play-sand\"", "law = \"ponclet\"")),
              AllOf(HasSubstr("8:7: "), HasSubstr("did you mean \"poncelet\"?"), HasSubstr("katsuragi")));
  EXPECT_THAT(refused(spoiled("\"link.angle\"", "\"link.agnle\"")),
              AllOf(HasSubstr("12:1: "), HasSubstr("did you mean \"link.angle\"?")));
  EXPECT_THAT(refused(spoiled("when = \"link.rate", "when = \"link.rat")),
              AllOf(HasSubstr("15:8: "), HasSubstr("did you mean \"link.rate\"?")));
  EXPECT_THAT(refused(spoiled("=-speed", "=-sped")), AllOf(HasSubstr("13:"), HasSubstr("sped")));
  EXPECT_THAT(refused(spoiled("surface", "bodies = [\"lnk\"]\nsurface")),
              AllOf(HasSubstr("10:"), HasSubstr("\"lnk\""), HasSubstr("did you mean \"link\"?")));
  EXPECT_THAT(refused(spoiled("\"cylinder\"", "\"cilinder\"")),
              AllOf(HasSubstr("5:18: "), HasSubstr("did you mean \"cylinder\"?")));
}

TEST_F(Cli, bad_values_in_scenarios) {
  EXPECT_THAT(refused(spoiled("mass = 0.1", "mass = -0.1")),
              AllOf(HasSubstr("5:70: "), HasSubstr("-0.1"), HasSubstr("> 0")));
  EXPECT_THAT(refused(spoiled("6.5", "-6.5")),
              AllOf(HasSubstr("9:11: "), HasSubstr("-6.5"), HasSubstr(">= 0")));
  EXPECT_THAT(refused(spoiled("6.5", "nan")), AllOf(HasSubstr("9:11: "), HasSubstr("finite")));
  EXPECT_THAT(refused(spoiled("6.5", "inf")), AllOf(HasSubstr("9:11: "), HasSubstr("finite")));
  EXPECT_THAT(refused(spoiled("\"1 cm\"", "\"1 kg\"")),
              AllOf(HasSubstr("5:55: "), HasSubstr("kg"), HasSubstr("a length is expected")));
  EXPECT_THAT(refused(spoiled("\"1 cm\"", "\"1 cmm\"")),
              AllOf(HasSubstr("5:55: "), HasSubstr("unknown unit \"cmm\"")));
  EXPECT_THAT(refused(spoiled("value = 1,", "value = 9,")),
              AllOf(HasSubstr("2:19: "), HasSubstr("between 0 and 5 m/s")));
  EXPECT_THAT(refused(spoiled("rises", "jumps")),
              AllOf(HasSubstr("15:8: "), HasSubstr("jumps"), HasSubstr("rises, falls")));
}

TEST_F(Cli, bad_walls_and_pairs) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = bouncing;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(refused(with("0.6666666667", "1.1")), AllOf(HasSubstr("6:15: "), HasSubstr("between 0 and 1")));
  EXPECT_THAT(refused(with("restitution", "restitutoin")), HasSubstr("did you mean \"restitution\"?"));
  EXPECT_THAT(refused(with("name = \"floor\"", "touches = [\"bal\"]")),
              AllOf(HasSubstr("8:11: "), HasSubstr("did you mean \"ball\"?")));
  EXPECT_THAT(refused(with("-1.05", "-0.01")),
              AllOf(HasSubstr("9:"), HasSubstr("by 0.04 m"), HasSubstr("ball@floor")));
  EXPECT_THAT(refused(with("[[wall]]\nname = \"floor\"", "[[pair]]\nbodies = [\"ball\", \"floor\"]")),
              HasSubstr("there is no body \"floor\""));
  EXPECT_THAT(refused(with("restitution = 0.6666666667", "model = \"hertz\"")), HasSubstr("stiffness"));
}

TEST_F(Cli, impossible_mechanisms) {
  EXPECT_THAT(refused(spoiled("[stop]", "\"link.tip.z\" = 0.9\n[stop]")),
              AllOf(MatchesRegex("1[234]:[0-9]+: .*\n"), HasSubstr("contradicts itself"),
                    HasSubstr("nearest possible")));
  EXPECT_THAT(
      refused(spoiled("joint = \"pin\"", "joint = { to = \"lnk\" }")),
      AllOf(HasSubstr("6:16: "), HasSubstr("there is no body \"lnk\""), HasSubstr("did you mean \"link\"?")));
  EXPECT_THAT(refused(spoiled("joint = \"pin\"", "joint = { to = \"link\" }")),
              AllOf(HasSubstr("6:16: "), HasSubstr("loop")));
  EXPECT_THAT(
      refused(spoiled(
          "joint = \"pin\"",
          "joint = { to = \"b\" }\n[[body]]\nname = \"b\"\nshape = { kind = \"cylinder\", length = 1, "
          "diameter = 0.1, mass = 1 }\njoint = { to = \"link\" }")),
      AllOf(HasSubstr("link -> b -> link"), HasSubstr("joined to the ground or free")));
}

TEST_F(Cli, files_that_are_no_scenarios) {
  EXPECT_THAT(refusal({"run", "free_lnk"}),
              AllOf(HasSubstr("did you mean \"free_link\"?"), HasSubstr("sphere")));
  EXPECT_THAT(refusal({"run", folder / "none.toml"}),
              AllOf(HasSubstr("none.toml"), HasSubstr("no such file")));
  EXPECT_THAT(refusal({"run", folder}), HasSubstr("folder"));
  EXPECT_THAT(refusal({"run", file("")}), HasSubstr("mine.toml"));
  EXPECT_THAT(refusal({"run", file("# nothing\n")}), HasSubstr("mine.toml"));
  EXPECT_THAT(refusal({"run", file("a = [1, 2")}), HasSubstr("mine.toml:1:"));
  EXPECT_THAT(refusal({"run", file(std::string(11'000'000, '#'))}),
              AllOf(HasSubstr("mine.toml"), HasSubstr("MB")));
  EXPECT_THAT(refusal({"run", ""}), HasSubstr("no scenario"));
}

TEST_F(Cli, random_bytes_are_refused) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    std::mt19937 random(seed);
    std::string bytes(1 + random() % 4096, '\0');
    for (char& c : bytes) c = static_cast<char>(random() & 0xFF);
    EXPECT_THAT(refusal({"run", file(bytes)}), HasSubstr("mine.toml:")) << seed;
    // The same with printable characters gets further into the parser.
    for (char& c : bytes) c = " \n\"'[]{}=.,#abz019-+_"[static_cast<unsigned char>(c) % 21];
    EXPECT_THAT(refusal({"check", file(bytes)}), HasSubstr("mine.toml")) << seed;
  }
}

TEST_F(Cli, a_scenario_cut_short_anywhere_does_not_crash) {
  const std::string text = sound;
  for (std::size_t length = 0; length < text.size(); length += 7) {
    const Result r = thud({"check", file(text.substr(0, length))});
    EXPECT_TRUE(r.status == 0 || r.status == 2) << length << ": " << r.err;
    EXPECT_THAT(r.err, Not(HasSubstr("internal error"))) << length;
  }
}

// ---- sensitivity -------------------------------------------------------------------------------------------------

constexpr const char* sensitivity_study = R"(scenario = "free_link"
outputs  = ["t_z"]
[vary]
speed = { uniform = [1, 2] }
angle = { uniform = ["30 deg", "50 deg"] }
[sensitivity]
samples   = 32
bootstrap = 20
)";

TEST_F(Cli, sensitivity_prints_a_table_and_writes_a_picture) {
  const Result r = thud({"sensitivity", file(sensitivity_study), "--svg", folder / "s.svg", "--jobs", "2"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, IsEmpty());
  EXPECT_THAT(r.out, AllOf(HasSubstr("32 samples of 2 knobs · 128 runs"), HasSubstr("first order"),
                           HasSubstr("explains"), Not(HasSubstr("nan"))));
  EXPECT_THAT(content(folder / "s.svg"), AllOf(HasSubstr("<svg "), HasSubstr("angle"), HasSubstr("</svg>")));
}

TEST_F(Cli, sensitivity_json_does_not_depend_on_threads) {
  const std::string path = file(sensitivity_study);
  const Result one = thud({"sensitivity", path, "--json", "--jobs", "1"});
  const Result two = thud({"sensitivity", path, "--json", "--jobs", "2"});
  EXPECT_EQ(one.out, two.out);
  const json j = json::parse(one.out);
  EXPECT_EQ(j["runs"], 128);
  EXPECT_EQ(j["outputs"][0]["indices"][1]["knob"], "angle");
  EXPECT_EQ(json::parse(thud({"sensitivity", path, "--json", "--runs", "100"}).out)["runs"], 64);
}

TEST_F(Cli, sensitivity_refuses_bad_studies_with_place_and_suggestion) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = sensitivity_study;
    text.replace(text.find(from), from.size(), to);
    return refusal({"sensitivity", file(text)});
  };
  EXPECT_THAT(with("angle =", "angel ="),
              AllOf(HasSubstr("mine.toml:5:1:"), HasSubstr("did you mean \"angle\"")));
  EXPECT_THAT(with("\"t_z\"", "\"tz\""),
              AllOf(HasSubstr("mine.toml:2:12:"), HasSubstr("did you mean \"t_z\"")));
  EXPECT_THAT(with("samples ", "sampels "),
              AllOf(HasSubstr("mine.toml:7:1:"), HasSubstr("did you mean \"samples\"")));
  EXPECT_THAT(with("= 32", "= 3"), AllOf(HasSubstr("mine.toml:7:13:"), HasSubstr("from 16 to")));
  EXPECT_THAT(with("\"50 deg\"", "\"150 deg\""),
              AllOf(HasSubstr("mine.toml:5:"), HasSubstr("between 0 deg and 80 deg")));
  EXPECT_THAT(with("free_link", "free_lnk"),
              AllOf(HasSubstr("mine.toml:1:12:"), HasSubstr("did you mean \"free_link\"")));
  EXPECT_THAT(refusal({"sensitivity", file(sensitivity_study), "--runs", "10"}),
              HasSubstr("at least 64 runs"));
  EXPECT_THAT(refusal({"sensitivity", file(sensitivity_study), "--svg", "/nowhere/s.svg"}),
              HasSubstr("--svg"));
  EXPECT_THAT(refusal({"sensitivity", "sensitivity_compound_pendulm"}),
              HasSubstr("sensitivity_compound_pendulum"));
}

TEST_F(Cli, sensitivity_tells_what_was_done_before_an_interrupt) {
  std::string text = sensitivity_study;
  text.replace(text.find("= 32"), 4, "= 1048576");
  const pid_t pid = start({"sensitivity", file(text), "--json", "--svg", folder / "s.svg"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ::kill(pid, SIGINT);
  const Result r = wait_for(pid);
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, AllOf(HasSubstr("interrupted after"), HasSubstr("no picture was written")));
  const json j = json::parse(r.out);
  EXPECT_EQ(j["cancelled"], true);
  EXPECT_LT(j["samples"], 1048576);
  EXPECT_FALSE(fs::exists(folder / "s.svg"));
}

}  // namespace
