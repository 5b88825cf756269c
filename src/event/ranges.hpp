#pragma once

#include <vector>

#include "thud/event/solver.hpp"

namespace thud {

/// Whether laws of its beds tell where they were calibrated.
bool has_ranges(const System& system);

/// Notes what is in a bed and beyond the range of its law, in the pose and motion that the frames have.
void note_ranges(const System& system, const Frames<double>& frames, double time, std::vector<RangeUse>& out);

}  // namespace thud
