#pragma once

#include <string>
#include <vector>

#include "thud/dynamics/system.hpp"

namespace thud {

/// Keeps the constraints of a system met in position and velocity: what the integration has let them drift is taken away
/// with the smallest change, measured by M.
///
///   q ← q − M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ g,   v ← v − M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ ġ
class Closure {
 public:
  explicit Closure(const System& system);

  bool exists() const { return !system_.constraints().empty(); }

  /// At the start of a run: what gears keep. What is not met there, in words; empty: all is. `work` must hold an
  /// evaluation of y.
  [[nodiscard]] std::string start(double t, const double* y, const Scales& scales, const Work<double>& work);

  /// Takes away the drift. `work` must hold an evaluation of y; its frames are left with the new state. True when y has
  /// changed.
  bool keep(double t, double* y, const Scales& scales, Work<double>& work);
  /// The same for a state that has not been evaluated.
  void keep_sample(double t, double* y, const Mode& mode, const Scales& scales);

  /// What makes steps short where loops are nearly in a toggle position, in words; empty elsewhere.
  [[nodiscard]] std::string toggle(const Work<double>& work) const;

  /// What has been found that cannot be met: prescribed motions that tear a loop apart. Empty: nothing.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  double size_of(std::size_t c, const Scales& scales) const;
  bool close_gaps(double t, double* y, const Scales& scales, Work<double>& work);
  bool stop_closing(double t, double* y, const Scales& scales, Work<double>& work);
  void shift(double* x, const Work<double>& work);
  void look_for_fault(double t, const double* y, const Scales& scales, const Work<double>& work);

  const System& system_;
  std::vector<double> offset_, rest_, slope_;
  Work<double> own_;
  std::string fault_;
};

}  // namespace thud
