#include "study/sampler.hpp"

#include <cmath>

namespace thud {

Sampler::Sampler(const System& system, const std::vector<double>& times,
                 const std::vector<Observable>& columns)
    : system_(system),
      times_(times),
      columns_(columns),
      y_(static_cast<std::size_t>(system.state_size())),
      slope_(y_.size()) {
  system.prepare(work_);
  values_.reserve(times.size() * columns.size());
}

void Sampler::read(double t, const double* y, const Mode& mode) {
  system_.evaluate(t, y, mode, work_, slope_.data());
  for (const Observable& o : columns_) values_.push_back(observe(system_, o, t, y, work_));
  ++next_;
}

void Sampler::on_step(StepView& step) {
  while (next_ < times_.size() && times_[next_] <= step.end()) {
    step.state(times_[next_], y_.data());
    read(times_[next_], y_.data(), step.mode());
  }
}

void Sampler::finish(const Outcome& outcome) {
  const double last = outcome.time + 1e-12 * std::abs(outcome.time);
  while (next_ < times_.size()) {
    held_ += times_[next_] > last ? 1 : 0;
    read(outcome.time, outcome.state.data(), outcome.mode);
  }
}

}  // namespace thud
