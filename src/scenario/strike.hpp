#pragma once

#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Reads [strike], a ball against the tip of a beam, into the initial state of the scenario, its constants
/// `strike.contact_time`, `strike.restitution`, `strike.impulse`, `strike.C1` … and the observable `strike.rebound`.
void read_strike(const Table& root, Scenario& scenario);

}  // namespace thud::doc
