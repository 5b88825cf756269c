#pragma once

#include "study/fit_intervals.hpp"

namespace thud {

/// Tells, as failures, what makes the estimates not worth having: axes that are turned round, a minimum that was not
/// reached, clocks and axes that the residuals say are off and that move knobs, knobs at bounds, and residuals far
/// above the noise.
void check_fit(const FitPlace& place, const FitStudy& study, const std::vector<FitData>& data,
               const Eigen::VectorXd& start, FitResult& result);

}  // namespace thud
