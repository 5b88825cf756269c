#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thud/scenario/own_parts.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// Something a run can be asked for: a result of the scenario, an observable (its value at the end of the run), or one
/// of "end.time", "end.reason", "energy.residual".
struct FamilyOutput {
  std::string name, unit, about;
};

/// How one run of a family went.
struct FamilyRun {
  StopReason reason = StopReason::failed;
  bool reached = false;  ///< the run reached what its scenario asks for
  std::string message;   ///< why not; empty when it did
};

/// A scenario whose knobs are turned again and again: its file is read once, and memory is kept from run to run.
/// One per thread.
class ScenarioFamily {
 public:
  /// `varied`: the knobs that at() and run() set, in this order; `outputs`: what run() reads off, in this order.
  /// Throws InputError for unknown names, with a suggestion.
  ScenarioFamily(const std::string& name_or_path, const KnobSettings& fixed, std::vector<std::string> varied,
                 std::vector<std::string> outputs);
  /// The same from text; `file` is for messages. Throws Cancelled soon after `cancel` is set.
  static ScenarioFamily parse(const std::string& text, const std::string& file, const KnobSettings& fixed,
                              std::vector<std::string> varied, std::vector<std::string> outputs,
                              const OwnParts& own = {}, const std::atomic<bool>* cancel = nullptr);
  ~ScenarioFamily();
  ScenarioFamily(ScenarioFamily&&) noexcept;
  ScenarioFamily& operator=(ScenarioFamily&&) noexcept;

  /// The scenario as its file and the fixed settings have it.
  const Scenario& base() const;
  /// The varied knobs, with their units, ranges and meanings.
  const std::vector<Knob>& knobs() const;
  const std::vector<FamilyOutput>& outputs() const;

  /// The scenario with these values (SI; of a textual knob the index of the choice), one per varied knob. Valid until
  /// the next call. Throws InputError when a value is out of its knob's range or the scenario cannot be built from it.
  const Scenario& at(std::span<const double> values);

  /// Runs it there. `out` has room for every output: NaN for what was not reached. Never throws for a value that the
  /// scenario refuses: the message says why.
  FamilyRun run(std::span<const double> values, double* out, const RunRequest& request = {});

  /// Runs it at `count` points, many at a time where their motion is computed alike (docs/theory/lanes.md). `point` fills
  /// the values of the i-th; `take` gets its outputs, in any order, and may say that it is enough. What a run gives does not
  /// depend on the others. False when not all were run.
  using FillPoint = std::function<void(std::int64_t i, std::span<double> values)>;
  using TakeRun = std::function<bool(std::int64_t i, const FamilyRun& run, const double* out)>;
  bool run_many(std::int64_t count, const FillPoint& point, const TakeRun& take,
                const RunRequest& request = {});
  /// How many steps run_many() has made in lanes so far, and how many by single runs.
  struct StepCounts {
    std::int64_t lanes = 0, single = 0, device = 0;  ///< device: of those in lanes, on a device
  };
  StepCounts step_counts() const;
  /// Seconds that a device has computed, and what went wrong there; "" when nothing did.
  double device_seconds() const;
  const std::string& device_notice() const;

 private:
  struct Impl;
  explicit ScenarioFamily(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace thud
