#pragma once

#include "study/fit_intervals.hpp"

namespace thud {

// How files see the scenario: their clocks and axes, where these are not fitted.

/// Tells, as a failure, which clock or axis the residuals say is off, when that moves a knob.
void check_views(const FitPlace& place, const std::vector<FitData>& data, FitResult& result);

/// Tells, as a failure, that a column runs against the model, as it does when z points up in the file. True when it does.
bool check_signs(const FitPlace& place, const std::vector<FitData>& data, FitResult& result);

/// The sign of an axis of a file that goes with the model; 0 when nothing tells.
[[nodiscard]] double find_sign(const FitModel& model, const Eigen::VectorXd& values,
                               const std::vector<char>& used, std::size_t file, FitAxis axis);

}  // namespace thud
