#pragma once

#include "thud/event/solver.hpp"

namespace thud {

/// Appends an event for everything that differs between two modes.
void log_changes(const System& system, double time, const Mode& before, const Mode& after,
                 std::vector<Event>& out);

}  // namespace thud
