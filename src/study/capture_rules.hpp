#pragma once

#include "scenario/reader.hpp"
#include "thud/study/fit.hpp"

namespace thud {

/// Reads what a study says about the files themselves, [fit.capture] or capture = { ... } of one file, on top of what
/// is known already. Throws InputError.
void read_capture_rules(const doc::Table& table, const std::vector<NamedObservable>& observables,
                        MeasurementRules& rules);

/// Reads [fit.nuisance]: the clocks and axes that are fitted for every file. Throws InputError.
void read_nuisance(const doc::Table& table, FitStudy& study);

}  // namespace thud
