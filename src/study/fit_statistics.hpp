#pragma once

#include <Eigen/Core>

#include "thud/study/fit.hpp"

namespace thud {

/// ψ(r) = ½ dρ/dr of a loss and its derivative, r in standard deviations.
struct LossSlope {
  double psi, slope;
};
[[nodiscard]] LossSlope loss_slope(FitLoss loss, double scale, double r);

/// The 97.5 % quantile of Student's t.
[[nodiscard]] double t_quantile(long degrees);

/// Standard errors, intervals, correlations and what the data leave open, from the Jacobian at the minimum.
///
/// `jacobian`: derivatives of the weighted residuals, one column per estimate; `residuals`: model − measured, in
/// standard deviations. Fills estimates (their values and bounds are there), correlation, condition, scale, degrees,
/// undetermined and warnings.
void add_statistics(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residuals, FitLoss loss,
                    double loss_scale, FitResult& result);

}  // namespace thud
