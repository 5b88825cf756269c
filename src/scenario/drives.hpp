#pragma once

#include "scenario/assembly.hpp"

namespace thud::doc {

/// Reads what reacts to the motion: torques and forces of joints that name signals, [[servo]] and [[motor]]. Bodies, points,
/// and controllers must be known.
template <class P>
void read_drives(const Table& root, const AssemblyOf<P>& into);

}  // namespace thud::doc
