#pragma once

#include "thud/study/sweep_file.hpp"

namespace thud {

/// Fills in what the results are like: columns, failures. Memory does not grow with the number of runs.
void summarise(const SweepFile& file, SweepReport& report);

}  // namespace thud
