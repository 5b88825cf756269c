#pragma once

#include <vector>

#include "thud/scenario/run.hpp"

namespace thud {

/// Reads observables off a run at given instants. After the end of the run its final state stands.
class Sampler final : public StepObserver {
 public:
  /// `times` must not fall; `columns[k]` is wanted at all of them.
  Sampler(const System& system, const std::vector<double>& times, const std::vector<Observable>& columns);

  void on_step(StepView& step) override;
  void finish(const Outcome& outcome);
  double at(std::size_t row, std::size_t column) const { return values_[row * columns_.size() + column]; }
  /// How many instants lie after the end of the run.
  std::size_t held() const { return held_; }

 private:
  void read(double t, const double* y, const Mode& mode);

  const System& system_;
  const std::vector<double>& times_;
  const std::vector<Observable>& columns_;
  Work<double> work_;
  std::vector<double> y_, slope_, values_;
  std::size_t next_ = 0, held_ = 0;
};

}  // namespace thud
