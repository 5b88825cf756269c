#include "progress.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "console.hpp"

namespace thud::cli {

using namespace std::chrono_literals;

StatusLine::StatusLine() : visible_(is_terminal(stderr)), begin_(Clock::now()), due_(begin_ + 1s) {}

StatusLine::~StatusLine() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void StatusLine::show(std::string_view text) {
  if (!visible_) return;
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  due_ = now + 100ms;
  shown_ = true;
  fmt::print(stderr, "\r\x1b[K{}  (Ctrl-C stops)", text);
  std::fflush(stderr);
}

double StatusLine::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

FitOptions shown_fit(int jobs, StatusLine& line) {
  FitOptions options;
  options.jobs = jobs;
  options.cancel = Interrupt::flag();
  options.progress = [&line](std::string_view stage, long runs) {
    line.show(fmt::format("{}, {} runs", stage, runs));
  };
  return options;
}

Progress::Progress(StepObserver* next, bool visible)
    : next_(next),
      visible_(visible),
      due_(Clock::now() + 1s) {}

Progress::~Progress() { clear(); }

void Progress::on_step(StepView& step) {
  if (next_) next_->on_step(step);
  if (!visible_) return;
  count_change(step.mode());
  if (++steps_ % 16 != 0) return;
  const Clock::time_point now = Clock::now();
  if (now < due_) return;
  due_ = now + 100ms;
  shown_ = true;
  fmt::print(stderr, "\r\x1b[Kt = {:.6g} s, {} steps, {} mode changes  (Ctrl-C stops)", step.end(), steps_,
             changes_);
  std::fflush(stderr);
}

void Progress::count_change(const Mode& mode) {
  if (mode.elements == mode_.elements) return;
  if (steps_ > 0) ++changes_;
  mode_ = mode;
}

void Progress::clear() {
  if (!shown_) return;
  shown_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace thud::cli
