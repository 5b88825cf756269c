#pragma once

#include <vector>

#include "thud/dynamics/system.hpp"

namespace thud {

/// Exact derivatives of the accelerations inside a mode, for implicit steps. One per thread.
///
/// Compiled by itself: the right-hand side on dual numbers takes long to compile.
class Differential {
 public:
  explicit Differential(const System& system);

  /// ∂v̇/∂q and ∂v̇/∂v, n × n, row-major: a column for each evaluation.
  void evaluate(double t, const double* y, const Mode& mode, double* by_q, double* by_v);

 private:
  const System& system_;
  Work<Dual<double>> work_;
  std::vector<Dual<double>> state_, slope_;
};

}  // namespace thud
