#pragma once

#include "thud/solve/complementarity.hpp"

namespace thud {

/// Largest violation of the conditions, relative to the offsets and in units of |A_ii| = 1.
[[nodiscard]] double violation_of(const ForceProblem& problem, const ForceSolution& solution);

/// Tries the states of all rows, those next to a guess first, each by nonnegative least squares, so that redundant forces are
/// no trouble. It finds answers that Lemke's way misses, and takes long: for where that way ends without one. The guess
/// comes from relaxation (Gauss–Seidel). False when there was none among those that it tries.
[[nodiscard]] bool search_modes(const ForceProblem& problem, ForceSolution& out);

}  // namespace thud
