#pragma once

#include <Eigen/Core>
#include <vector>

#include "thud/study/measurement.hpp"

namespace thud {

// Axes of a file into axes of the scenario.

/// Where each marker was, row by row; NaN for what was not seen.
using MarkerPaths = std::vector<std::vector<Eigen::Vector3d>>;

/// Lays the points of the rules, one path each, into the plane of the scenario and adds them as columns. Throws
/// InputError when they lie in no plane.
void add_points(const MarkerPaths& paths, const MeasurementRules& rules,
                const std::vector<NamedObservable>& observables, const std::string& file, Measurement& out);

/// Of columns that the file names like observables: the sign and the origin.
void turn_columns(const MeasurementRules& rules, Measurement& out);

}  // namespace thud
