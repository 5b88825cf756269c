#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// A run of a scenario and what was read off it.
struct RunResult {
  Outcome outcome;
  std::vector<ResultValue> results;
  std::vector<double> final_values;  ///< one per Scenario::observables
  /// False when the run did not reach what was asked, with the reason in words.
  bool reached = false;
  std::string reason;

  const ResultValue* find(std::string_view name) const;
};

/// What to do beyond the scenario's own settings.
struct RunRequest {
  bool until_rest = false;           ///< ignore the scenario's stop and go on to final rest
  std::optional<double> time_limit;  ///< [s]
  std::optional<double> tolerance;
  std::optional<Method> method;
  std::optional<double> step;  ///< of fixed-step methods [s]
  const std::atomic<bool>* cancel = nullptr;
  StepObserver* observer = nullptr;
  /// How runs of a sweep go along with others: empty, as this processor does it best; "off", each by itself; or the name of
  /// a set of instructions (lane_kernels()). The results are the same to rounding, and of all sets to the last bit.
  std::string lanes{};
  /// Where runs of a sweep are made besides: empty, nowhere; "gpu", "opencl" or the number of a device (checked_device).
  std::string device{};
};

/// The sets of instructions that lanes can use here, the best one last; none where the program was built without lanes.
[[nodiscard]] std::vector<std::string> lane_kernels();
/// Throws InputError for a RunRequest::lanes that is not to be had.
void check_lanes(const std::string& lanes, const std::string& place);

/// Runs a scenario. Numerical outcomes are reported, never thrown.
[[nodiscard]] RunResult run(const Scenario& scenario, const RunRequest& request = {});

}  // namespace thud
