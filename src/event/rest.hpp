#pragma once

#include "event/run_state.hpp"

namespace thud {

/// All velocities below a share of their sizes.
bool is_slow(const RunState& s, double share);

/// Everything stands still and nothing pushes: `work` must hold an evaluation of the state.
bool is_at_rest(const RunState& s);

/// What stands still now may yet be moved by what is prescribed, until `end`.
bool is_to_be_moved(const RunState& s, double end);

/// Something is in sand that stops it within a finite time, and decides itself when.
bool stops_by_itself(const RunState& s);

/// Between events the motion may die out slowly (viscous joints): slow enough to try whether it would stay if it stood
/// still.
inline bool creeps(const RunState& s) { return is_slow(s, 1e-7) && !stops_by_itself(s); }

}  // namespace thud
