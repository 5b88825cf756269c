// thud reproduce: published tables beside our numbers.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>

#include "commands.hpp"
#include "thud/study/reproduce.hpp"

namespace {

struct Arguments {
  std::vector<std::string> ids;
  bool list = false, json = false;
  std::string markdown;
  int jobs = 0;
};

// A line on the terminal for what takes longer than a second.
class Progress {
 public:
  void show(int done, int total) {
    if (!is_terminal_) return;
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ < std::chrono::seconds(1) || done <= shown_) return;
    shown_ = done;
    fmt::print(stderr, "\r{} of {} rows", done, total);
    std::fflush(stderr);
  }
  void clear() {
    if (shown_ > 0) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int shown_ = 0;
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw thud::InputError({path}, "cannot be written");
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// The exit status: 0 when everything is reproduced, 1 otherwise. Bad input is thrown.
int reproduce_command(const Arguments& a) {
  const auto tables = thud::select_tables(thud::load_reference(), a.ids);
  if (a.list) {
    print(a.json ? thud::list_json(tables) : thud::list_text(tables));
    return 0;
  }
  Progress progress;
  thud::ReproduceOptions options;
  options.jobs = a.jobs;
  options.progress = [&](int done, int total) { progress.show(done, total); };
  const thud::Reproduction result = thud::reproduce(tables, options);
  progress.clear();
  if (!a.markdown.empty()) write_file(a.markdown, thud::to_markdown(result));
  print(a.json ? thud::to_json(result) : thud::to_text(result));
  return result.all_ok() ? 0 : 1;
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("reproduce", "Run published tables and compare with their numbers");
  command->add_option("ID", a->ids,
                      "tables, or what their ids begin with: lee2009/4.1, lee2009 (default: all)");
  command->add_flag("--list", a->list, "show the tables there are and stop");
  command->add_flag("--json", a->json, "write one JSON document");
  command->add_option("--markdown", a->markdown, "also write a page for the documentation")
      ->type_name("FILE");
  command->add_option("--jobs", a->jobs, "number of threads (default: one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->callback([a, &exit_code] {
    try {
      exit_code = reproduce_command(*a);
    } catch (const thud::InputError& e) {
      fmt::print(stderr, "thud: {}\n", e.what());
      exit_code = 2;
    }
  });
}
