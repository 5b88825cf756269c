#pragma once

#include <string>

#include "thud/base/format.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {

/// The value of a knob in its own unit: "32 deg", "5", "coarse".
[[nodiscard]] std::string show_knob(const Knob& knob, double value, const TextStyle& style);
[[nodiscard]] std::string show_knob(const Knob& knob, const TextStyle& style);
/// "0 to 80 deg", or the choices of a textual knob; "" when anything goes.
[[nodiscard]] std::string show_knob_range(const Knob& knob, const TextStyle& style);
/// A table of the knobs: name, value, range, meaning.
[[nodiscard]] std::string list_knobs(const Scenario& scenario, std::size_t indent, const TextStyle& style);

}  // namespace thud
