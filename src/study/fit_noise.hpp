#pragma once

#include "study/fit_minimise.hpp"

namespace thud {

// The noise of measured values, one number for every unit of them.

/// Until there is something better: 1 % of the spread of what was measured.
[[nodiscard]] Eigen::VectorXd guess_noise(const FitModel& model, const std::vector<char>& used);

/// From `difference`, model less measured, when so many parameters were fitted; robustly when the loss is robust.
[[nodiscard]] Eigen::VectorXd noise_of_residuals(const FitModel& model, const FitWeights& weights,
                                                 const Eigen::VectorXd& difference, Eigen::Index parameters);

/// Tells the noise, and, where it was stated, whether the residuals are no larger.
void add_noise(const FitModel& model, const FitWeights& weights, const Eigen::VectorXd& difference,
               bool stated, FitResult& result);

}  // namespace thud
