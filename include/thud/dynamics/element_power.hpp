#pragma once

#include "thud/dynamics/system.hpp"

namespace thud {

/// Power of one element on the bodies [W]: of the forces that it exerts in the mode, and of those that hold its switches.
/// `work` holds an evaluation of the state. An impact is no part of it.
[[nodiscard]] double element_power(const System& system, SwitchRef element, double t, const double* y,
                                   const Mode& mode, const Work<double>& work);

/// Elements by the names that `work of NAME` knows them by: their own; those without one by the body they act on and
/// what they are, "shank.sand", "thigh.torque".
struct NamedElement {
  std::string name;
  SwitchRef element;
};
[[nodiscard]] std::vector<NamedElement> list_elements(const System& system);

}  // namespace thud
