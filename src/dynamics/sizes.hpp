#pragma once

#include <vector>

#include "thud/dynamics/system.hpp"

namespace thud {

/// Sizes of a system at the start of a run: against them errors are measured, and small is told from zero.
struct Sizes {
  Scales scales;
  std::vector<double> absolute;  ///< per coordinate, then per velocity
  double slowest_bending = 0;    ///< lowest frequency of the beams [rad/s], 0 without any
  double indentation = 0;        ///< of the stiffest compliant contact [m], infinite without any
};

/// `work` must hold an evaluation of the start.
void measure_sizes(const System& system, const Work<double>& work, Sizes& out);

/// The longest step that the elements want: in the mode, and into a mode that has just begun.
double longest_step(const System& system, const Mode& mode, const StepState& state, const Work<double>& work);
double longest_first_step(const System& system, const Mode& before, const Mode& mode, const StepState& state,
                          const Work<double>& work);

}  // namespace thud
