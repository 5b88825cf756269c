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

/// How deep a compliant contact is pressed by all that moves: k δⁿ⁺¹/(n + 1) = ½ m v².
double indentation(const System& system, const ContactLaw& law, double speed);

/// The longest step for damped contacts: their loss is a quadrature that the control of errors does not see, and towards
/// the end of a contact it is not smooth either.
double step_in_damped_contacts(const System& system, const Mode& mode, const Scales& scales,
                               const Work<double>& work);
/// The longest step into contacts that were open before: their force starts like δ^1.5, which no order of a method sees.
double step_into_contacts(const System& system, const Mode& before, const Mode& mode, const Scales& scales,
                          const Work<double>& work);

}  // namespace thud
