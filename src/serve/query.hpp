#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/library.hpp"
#include "thud/scenario/run.hpp"

namespace thud::serve {

/// What a request asks to run.
struct RunQuery {
  std::string name, text;  ///< of the scenario
  KnobSettings set;
  std::vector<std::string> columns;
  RunRequest request;
};

/// One axis of a sweep, in the unit of its knob.
struct SweepAxis {
  std::string knob;
  double low = 0, high = 0;
  int count = 0;

  double value(int i) const { return i + 1 == count ? high : low + (high - low) * i / (count - 1); }
};

struct SweepQuery {
  RunQuery base;
  std::vector<SweepAxis> axes;  ///< the first is the fastest
  std::string output;

  int size() const;
};

inline constexpr int most_sweep_runs = 10'000;

/// From the body of a request. Throws Refusal.
[[nodiscard]] RunQuery read_run_query(const Library& library, const std::string& body);
[[nodiscard]] SweepQuery read_sweep_query(const Library& library, const std::string& body);

/// The scenario of a query. Throws Refusal, with line and column for what is wrong in its text.
/// Throws Cancelled soon after `cancel` is set.
[[nodiscard]] std::shared_ptr<const Scenario> build(const RunQuery& query,
                                                    const std::atomic<bool>* cancel = nullptr);

/// A run that can be given up, and what is left of it as text.
struct RunLimits {
  const std::atomic<bool>* cancel = nullptr;
  const std::string* cancel_reason = nullptr;  ///< read once `cancel` is set
};
[[nodiscard]] std::string answer_run(const Scenario& scenario, const RunQuery& query,
                                     const RunLimits& limits);
[[nodiscard]] std::string answer_report(const Scenario& scenario, const RunQuery& query,
                                        const RunLimits& limits);
/// What a report holds, as JSON: for a page that makes the report itself.
[[nodiscard]] std::string answer_document(const Scenario& scenario, const RunQuery& query,
                                          const RunLimits& limits);
[[nodiscard]] std::string answer_csv(const Scenario& scenario, const RunQuery& query,
                                     const RunLimits& limits);

/// The runs of a sweep: on several threads, or, where there are none, while the next line is waited for.
class SweepJob {
 public:
  /// Throws Refusal when a knob or the output does not exist, Cancelled soon after `cancelled` is set: cancel() sets it.
  explicit SweepJob(SweepQuery query, std::shared_ptr<std::atomic<bool>> cancelled =
                                          std::make_shared<std::atomic<bool>>(false));
  ~SweepJob();
  SweepJob(const SweepJob&) = delete;
  SweepJob& operator=(const SweepJob&) = delete;

  int size() const;
  void cancel();
  /// The next line for the page: what was found since the last one, in order; "" when there is nothing new.
  std::string next_line();
  bool is_told() const;  ///< all of it

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thud::serve
