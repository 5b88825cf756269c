#pragma once

#include <optional>
#include <vector>

#include "scenario/integrals.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// Follows the largest and smallest values of the observables that results ask for.
class Extremes final : public StepObserver {
 public:
  /// Of the results for which `asked` is set.
  Extremes(const Scenario& s, const std::vector<char>& asked);

  bool watches() const { return !watched_.empty(); }
  bool is_needed() const { return watches() || next_ != nullptr; }
  void reset(StepObserver* next);
  void on_step(StepView& step) override;
  double value(std::size_t k) const { return watched_[k].sign * watched_[k].best; }

 private:
  struct Watched {
    static constexpr int parts = 4;
    Observable what;
    double sign, best;
    double value[parts + 1];  // samples of the step, times the sign
  };

  void evaluate(StepView& step, double t);
  double read(const Watched& w, double t) const;
  void follow(Watched& w, StepView& step);

  const Scenario& scenario_;
  StepObserver* next_ = nullptr;
  Work<double> work_;
  std::vector<double> y_, slope_;
  std::vector<Watched> watched_;
};

/// Runs a scenario, again and again if wanted: memory is kept. The scenario's initial state, beds and options may
/// change between runs, its bodies may not.
class Runner {
 public:
  explicit Runner(const Scenario& scenario)
      : Runner(scenario, std::vector<char>(scenario.results.size(), 1)) {}
  /// Only some of the results will be asked for, and those that they are computed from: nobody looks at steps for others.
  Runner(const Scenario& scenario, std::vector<char> asked);

  /// Numerical outcomes are reported, never thrown. Valid until the next run.
  const Outcome& run(const RunRequest& request);
  /// The same in parts, for runs that go on beside others (lanes/team.hpp) and need nobody to look at their steps: begin(),
  /// then end() when the run is done.
  bool watches_steps() const;
  Solver& begin(const RunRequest& request);
  void end();
  const Outcome& outcome() const { return outcome_; }
  Outcome take_outcome() { return std::move(outcome_); }

  /// A result of the last run; none when its instant was never reached.
  std::optional<double> result(std::size_t k);
  /// An observable at the end of the last run; none when there is no end.
  std::optional<double> at_end(const Observable& what);
  /// Whether the last run reached what was asked, and the reason in words when `reason` is wanted.
  bool reached(std::string* reason) const;
  /// The same of a run that ended so (lanes/express.hpp), after prepare().
  bool reached(StopReason how, int condition, double time, std::string* reason) const;

  /// Conditions and options of runs as they are asked for, without making one.
  void prepare(const RunRequest& request) { set_options(request); }
  const std::vector<Condition>& conditions() const { return conditions_; }
  const SolverOptions& options() const { return options_; }

 private:
  void set_options(const RunRequest& request);
  void run_once(StepObserver* observer, std::vector<double> instants);
  std::vector<double> instants_to_come();
  std::optional<double> raw_result(std::size_t k);
  std::optional<double> impact_result(const ResultSpec& r);
  std::optional<double> formula_result(const ResultSpec& r);
  std::optional<double> integral_result(std::size_t k);
  std::optional<double> time_of(const ResultSpec::Bound& bound, double otherwise);
  double of_impacts(const ResultSpec& r, double from, double to) const;
  double read(double t, const std::vector<double>& y, const Mode& mode, const Observable& what);

  const Scenario& scenario_;
  Solver solver_;
  std::vector<char> asked_;  // per result
  Extremes extremes_;
  Integrals integrals_;
  std::vector<std::size_t> extreme_of_;  // per result
  std::vector<Condition> conditions_;
  SolverOptions options_;
  bool until_rest_ = false;
  Outcome outcome_;
  Work<double> work_;
  std::vector<double> slope_;
  double read_time_ = 0;  // what work_ holds
  const std::vector<double>* read_state_ = nullptr;
};

}  // namespace thud
