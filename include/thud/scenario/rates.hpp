#pragma once

#include <memory>
#include <string>

#include "thud/dynamics/system.hpp"
#include "thud/scenario/values.hpp"

namespace thud {

/// The system of a scenario with dual numbers for parameters: their values, and their exact derivatives by one knob.
/// Its right-hand side, guards and resets on dual numbers differentiate those of the scenario (docs/theory/derivatives.md).
/// Modes and states are those of the plain system.
///
/// Throws InputError for a knob that is not there, is a text or a whole number, and where there is no derivative: an
/// element that only appears once the knob is turned, exact modes of a beam whose tip changes, laws of the user's own.
[[nodiscard]] std::unique_ptr<SystemOf<Dual<double>>> load_system_with_rates(const std::string& name_or_path,
                                                                             const KnobSettings& set,
                                                                             const std::string& knob);

}  // namespace thud
