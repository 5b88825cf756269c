#pragma once

#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Reads [stop] and [results] into the scenario's conditions, results and options.
///
///   [stop]                                           [results]
///   when = "link.tip.vz falls through 0"             t_z = "time when link.tip.vz falls through 0"
///   when = "rest" | "results" | [several]            z_T = "link.tip.depth at t_z"
///   time = "2 s"                                     peak = "max link.resistance.size"
void read_rules(const Table& root, Scenario& scenario);

}  // namespace thud::doc
