#pragma once

#include <chrono>
#include <mutex>
#include <string_view>

#include "thud/event/solver.hpp"
#include "thud/study/fit.hpp"

namespace thud::cli {

/// A line on the terminal for what takes longer than a second; it is gone at the end. May be called from any thread.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text);
  /// Since it was made.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool visible_, shown_ = false;
  Clock::time_point begin_, due_;
  std::mutex mutex_;
};

/// Options of a fit that tells its stages on a line, and that Interrupt ends.
FitOptions shown_fit(int jobs, StatusLine& line);

/// Shows on the terminal how far a run has come once it takes longer than a second; passes the steps on.
class Progress final : public StepObserver {
 public:
  explicit Progress(StepObserver* next, bool visible);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void on_step(StepView& step) override;
  /// Removes what it has shown.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  void count_change(const Mode& mode);

  StepObserver* next_;
  bool visible_, shown_ = false;
  long steps_ = 0, changes_ = 0;
  Mode mode_;
  Clock::time_point due_;
};

}  // namespace thud::cli
