#include "step/differential.hpp"

namespace thud {

Differential::Differential(const System& system)
    : system_(system),
      state_(system.state_size()),
      slope_(system.state_size()) {
  system_.prepare(work_);
}

void Differential::evaluate(double t, const double* y, const Mode& mode, double* by_q, double* by_v) {
  const int n = system_.dof_count();
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = Dual<double>(y[i]);
  for (int j = 0; j < 2 * n; ++j) {
    state_[j].d = 1;
    system_.evaluate(t, state_.data(), mode, work_, slope_.data());
    state_[j].d = 0;
    double* column = j < n ? by_q + j : by_v + (j - n);
    for (int i = 0; i < n; ++i) column[i * n] = slope_[n + i].d;
  }
}

}  // namespace thud
