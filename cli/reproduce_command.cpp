// thud reproduce: published tables beside our numbers.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <mutex>

#include "commands.hpp"
#include "console.hpp"
#include "thud/study/reproduce.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::vector<std::string> ids;
  bool list = false, json = false;
  std::string markdown;
  int jobs = 0;
};

// A line on the terminal for what takes longer than a second.
class RowCounter {
 public:
  void show(int done, int total) {
    if (!visible_) return;
    const std::lock_guard lock(mutex_);
    if (Clock::now() < due_ || done <= shown_) return;
    shown_ = done;
    fmt::print(stderr, "\r\x1b[K{} of {} runs  (Ctrl-C stops)", done, total);
    std::fflush(stderr);
  }
  ~RowCounter() {
    if (shown_ > 0) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool visible_ = is_terminal(stderr);
  int shown_ = 0;
  Clock::time_point due_ = Clock::now() + std::chrono::seconds(1);
  std::mutex mutex_;
};

Reproduction reproduce_with_progress(const std::vector<ReferenceTable>& tables, int jobs) {
  const Interrupt interrupt;
  RowCounter counter;
  ReproduceOptions options;
  options.jobs = jobs;
  options.request.cancel = Interrupt::flag();
  options.progress = [&](int done, int total) { counter.show(done, total); };
  return reproduce(tables, options);
}

void write_page(const std::string& file, const std::string& page) {
  try {
    write_file(file, page);
  } catch (const OutputError& e) {
    throw InputError({"--markdown " + file}, e.what());
  }
}

std::string what_failed(const Reproduction& result) {
  if (result.cancelled) return "interrupted";
  std::string out;
  if (result.ok < result.total)
    out =
        fmt::format("{} of {} published numbers are not reproduced", result.total - result.ok, result.total);
  if (result.failed > 0)
    out +=
        fmt::format("{}{} of {} runs of our own failed", out.empty() ? "" : ", ", result.failed, result.runs);
  return out;
}

int reproduce_tables(const Arguments& a) {
  const std::vector<ReferenceTable> tables = select_tables(load_reference(), a.ids);
  if (a.list) return print(a.json ? list_json(tables) : list_text(tables)), 0;
  const Reproduction result = reproduce_with_progress(tables, a.jobs);
  // A page with rows that were never run would be taken for the whole.
  if (!a.markdown.empty() && !result.cancelled) write_page(a.markdown, to_markdown(result));
  print(a.json ? to_json(result) : to_text(result));
  if (!result.all_ok()) complain(what_failed(result));
  return result.all_ok() ? 0 : 1;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_reproduce_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("reproduce", "run published tables and compare with their numbers");
  const auto a = std::make_shared<Arguments>();
  c->add_option("ID", a->ids, "tables, or what their ids begin with (default: all)");
  c->add_flag("--list", a->list, "show the tables there are, and stop");
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_option("--markdown", a->markdown, "also write a page for the documentation")->type_name("FILE");
  c->add_option("--jobs", a->jobs, "number of threads (default: one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  c->footer(
      "Examples:\n"
      "  thud reproduce\n"
      "  thud reproduce lee2009/4.1 marghitu2013\n"
      "  thud reproduce lee2009 --json | jq .ok");
  c->callback([a, &exit_code] { exit_code = reproduce_tables(*a); });
}
