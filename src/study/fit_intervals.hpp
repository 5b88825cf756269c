#pragma once

#include "study/fit_local.hpp"

namespace thud {

/// What the intervals of a fit are made from: its minimum, and what add_statistics() made of it.
struct FitPlace {
  FitModel& model;
  const FitWeights& weights;
  const Eigen::VectorXd& parameters;
  const Eigen::VectorXd& values;
  const Eigen::MatrixXd& slopes;
  double unit;  ///< by how much the cost rises when a knob is one standard error off
};

/// By how much the cost rises for one standard error: s² without a loss. `residuals` are those that are used.
[[nodiscard]] double cost_unit(const Eigen::VectorXd& residuals, const FitWeights& weights,
                               const FitResult& result);

/// Puts intervals where the cost, with all other knobs at their best, has risen by t² units. Returns a better minimum
/// where one was met on the way.
[[nodiscard]] std::optional<Eigen::VectorXd> add_profile_intervals(const FitPlace& place, FitResult& result);

/// Intervals from refits to resampled residuals: between the 2.5 % and 97.5 % quantiles.
void add_bootstrap_intervals(const FitPlace& place, int samples, std::uint64_t seed, FitResult& result);

}  // namespace thud
