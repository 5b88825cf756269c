// Random scenarios by class, each run and judged: how often does the program fail?
//
//   campaign [N] [--class NAME] [--seed FIRST] [--jobs J] [--limit SECONDS] [--keep FOLDER] [--no-shrink] [--markdown FILE]
//   campaign --show CLASS SEED     prints a scenario
//   campaign --judge FILE          says what is wrong with one, and shrinks it to standard output
//
// N per class, seeds from FIRST on. Every failure is kept as a file that reproduces it. Same seeds, same table, whatever the
// jobs. docs/reliability.md shows what it found.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "campaign/scenarios.hpp"
#include "campaign/shrink.hpp"
#include "campaign/table.hpp"
#include "campaign/workers.hpp"

namespace {

using namespace thud::campaign;

struct Options {
  long count = 100;
  std::uint64_t first = 1;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Limits limits;
  std::string only, keep, markdown;
  bool shrinks = true;
};

const ScenarioClass* find_class(const std::string& name) {
  for (const ScenarioClass& c : classes())
    if (c.name == name) return &c;
  std::string all;
  for (const ScenarioClass& c : classes()) all += " " + c.name;
  fmt::print(stderr, "there is no class \"{}\"; there are{}\n", name, all);
  return nullptr;
}

std::string read_all(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// The failure as comment lines, then the file.
std::string with_reason(const Judgement& j, const std::string& text, const std::string& origin) {
  std::string reason = fmt::format("{}: {}", verdict_name(j.verdict), j.message);
  for (char& c : reason)
    if (c == '\n') c = ' ';
  const std::string oracle = j.oracle.empty() ? "" : fmt::format("# enumeration: {}\n", j.oracle);
  return fmt::format("# {}\n{}# {}\n{}", reason, oracle, origin, text);
}

void keep(const Options& o, const ScenarioClass& c, std::uint64_t seed, const Judgement& j) {
  if (o.keep.empty()) return;
  const std::string text = c.make(seed), origin = fmt::format("class {}, seed {}", c.name, seed);
  const std::string base = fmt::format("{}/{}-{}", o.keep, c.name, seed);
  std::ofstream(base + ".toml") << with_reason(j, text, origin);
  if (!o.shrinks) return;
  const Shrunk small = shrink(text, j, o.limits, o.jobs);
  std::ofstream(base + ".small.toml") << with_reason(small.judgement, small.text, origin + ", shrunk");
}

Row run_class(const Options& o, const ScenarioClass& c) {
  Row row{c.name, c.about};
  std::map<std::uint64_t, Judgement> failures;
  const auto begun = std::chrono::steady_clock::now();
  judge_all(
      static_cast<std::size_t>(o.count), o.jobs, o.limits, [&](std::size_t k) { return c.make(o.first + k); },
      [&](std::size_t k, const Judgement& j) {
        row.add(j);
        if (j.verdict != Verdict::fine) failures[o.first + k] = j;
      });
  row.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  fmt::print("{}\n", row.line());
  for (const auto& [seed, j] : failures) {
    fmt::print("    {:<5} {}: {}\n", seed, verdict_name(j.verdict),
               j.message.substr(0, j.message.find('\n')));
    std::fflush(stdout);
    if (j.verdict != Verdict::refused || !o.shrinks) keep(o, c, seed, j);
  }
  std::fflush(stdout);
  return row;
}

int judge_file(const Options& o, const std::string& path) {
  const std::string text = read_all(path);
  const Judgement j = judge_apart(text, o.limits);
  fmt::print("# {}: {}\n", verdict_name(j.verdict), j.message);
  if (!j.oracle.empty()) fmt::print("# enumeration: {}\n", j.oracle);
  if (j.verdict == Verdict::fine || !o.shrinks) return j.verdict != Verdict::fine;
  fmt::print("{}", shrink(text, j, o.limits, o.jobs).text);
  return 1;
}

int usage() {
  fmt::print(
      stderr,
      "campaign [N] [--class NAME] [--seed FIRST] [--jobs J] [--limit SECONDS] [--keep FOLDER] [--no-shrink] "
      "[--markdown FILE] | --show CLASS SEED | --judge FILE\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  std::string file;
  for (int k = 1; k < argc; ++k) {
    const std::string a = argv[k];
    const char* next = k + 1 < argc ? argv[k + 1] : nullptr;
    if (a == "--no-shrink") {
      o.shrinks = false;
    } else if (a == "--show" && k + 2 < argc) {
      const ScenarioClass* c = find_class(next);
      if (c) fmt::print("{}", c->make(std::strtoull(argv[k + 2], nullptr, 10)));
      return c ? 0 : 2;
    } else if (a.starts_with("--") && next) {
      ++k;
      if (a == "--class")
        o.only = next;
      else if (a == "--seed")
        o.first = std::strtoull(next, nullptr, 10);
      else if (a == "--jobs")
        o.jobs = std::max(1, std::atoi(next));
      else if (a == "--limit")
        o.limits.seconds = std::atof(next);
      else if (a == "--keep")
        o.keep = next;
      else if (a == "--markdown")
        o.markdown = next;
      else if (a == "--judge")
        file = next;
      else
        return usage();
    } else if (a.starts_with("-") || std::atol(a.c_str()) < 1) {
      return usage();
    } else {
      o.count = std::atol(a.c_str());
    }
  }
  if (!file.empty()) return judge_file(o, file);
  if (!o.only.empty() && !find_class(o.only)) return 2;
  if (!o.keep.empty()) std::filesystem::create_directories(o.keep);
  std::vector<Row> rows;
  fmt::print("{}\n", Row::heading());
  for (const ScenarioClass& c : classes())
    if (o.only.empty() || o.only == c.name) rows.push_back(run_class(o, c));
  rows.push_back(sum(rows));
  fmt::print("{}\n", rows.back().line());
  if (!o.markdown.empty()) std::ofstream(o.markdown) << markdown(rows);
  return rows.back().failures() > 0;
}
