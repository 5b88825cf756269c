#pragma once

#include "scenario/assembly.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Reads [[controller]]: its states and what it puts out. Bodies and points must be known.
template <class P>
void read_controllers(const Table& root, const AssemblyOf<P>& into);

/// How the controllers of a scenario go from state to state, and what sampled ones compute: its observables must be known.
void read_control_plan(const Table& root, const OwnParts& own, Scenario& scenario);

}  // namespace thud::doc
