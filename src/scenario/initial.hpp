#pragma once

#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Reads [initial] and solves for the coordinates and velocities: q and v of the scenario.
/// What is not given is zero where it is free to be. Refuses poses that contradict themselves.
void read_initial(const Table& root, Scenario& scenario);

}  // namespace thud::doc
