#pragma once

#include <optional>
#include <vector>

#include "thud/scenario/scenario.hpp"

namespace thud {

/// Integrals over stretches of the run, for the results that ask for one.
///
/// Every step is integrated along its continuous extension by the Gauss-Kronrod rule of 15 points, halved where it must
/// be; steps end at events, so that no rule goes over one. The sums at their ends are kept, since instants that a stretch
/// begins and ends at are known afterwards only, and are ends of steps.
class Integrals final : public StepObserver {
 public:
  /// Of the results for which `asked` is set.
  Integrals(const Scenario& s, const std::vector<char>& asked);

  bool is_needed() const { return !watched_.empty(); }
  /// `instants` that are no ends of steps, and are to be known.
  void reset(StepObserver* next, double start, std::vector<double> instants);
  void on_step(StepView& step) override;

  /// Whether the sum is known at t; false also outside the run.
  bool knows(double t) const { return find(t).has_value(); }
  /// Of a result, by its number.
  std::optional<double> between(std::size_t result, double from, double to) const;

 private:
  static constexpr int nodes = 15;
  struct Watched {
    const ResultSpec* result;
    std::size_t number;
  };
  struct Rule {  // of a part of a step, per integral
    double gauss, kronrod, size;
  };

  void integrate(StepView& step, double from, double to);
  void apply_rule(StepView& step, double from, double to);
  double read(const Watched& w, double t, const Mode& mode) const;
  std::optional<std::size_t> find(double t) const;

  const Scenario& scenario_;
  StepObserver* next_ = nullptr;
  Work<double> work_;
  std::vector<double> y_, slope_;
  std::vector<Watched> watched_;
  std::vector<Rule> rule_;
  std::vector<double> sum_, size_;    // ∫X and ∫|X| up to now
  std::vector<double> instants_;      // ahead, in order
  std::vector<double> times_, sums_;  // what is kept
  int halvings_ = 0;                  // that the step at hand may still take
};

}  // namespace thud
