#pragma once

#include <string>

#include "thud/scenario/run.hpp"

/// Impacts by name and as pictures.
namespace thud {

/// The contacts of an impact: "rod.tip@floor", "ball1@ball2 + ball2@ball3".
[[nodiscard]] std::string impact_subject(const System& system, const ImpactRecord& impact);

/// "newton", "poisson" or "stronge", "own" for a law of the user; "correlation" for several contacts.
[[nodiscard]] const char* impact_law_name(const ImpactRecord& impact);

/// A picture of an impact. Of one contact: its way through the impulse plane, with the lines of sticking, of greatest
/// compression and of friction (Routh; Sypniewska-Kamińska et al., fig. 3). Of several: impulses and normal velocities
/// of all contacts on the way. `number`: which impact of the run, from 1, for the title, unless one is given.
[[nodiscard]] std::string make_impact_svg(const Scenario& scenario, const ImpactRecord& impact, long number,
                                          const std::string& title = "");

}  // namespace thud
