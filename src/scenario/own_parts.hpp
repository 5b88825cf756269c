#pragma once

#include "thud/scenario/own_parts.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Adds what the user has of his own to a scenario that is complete but for that; laws of beds are there already.
/// Throws InputError for unknown contacts and names, with a suggestion.
void add_own_parts(const OwnParts& own, Scenario& scenario);

/// A controller of the user's own, as a run calls it.
ControlFunction make_control(const OwnController& own, const Scenario& scenario);

}  // namespace thud::doc
