#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "study/fit_model.hpp"

namespace thud {

/// Which values count in a fit, and how much.
struct FitWeights {
  Eigen::VectorXd deviation;  ///< the noise of every value
  std::vector<char> used;     ///< of every value
  FitLoss loss = FitLoss::none;
  double loss_scale = 1;

  Eigen::Index count() const;
  /// Residuals in standard deviations, 0 where the value is not used.
  Eigen::VectorXd residuals(const Eigen::VectorXd& values, const Eigen::VectorXd& measured) const;
  /// The sum of all ρ(r).
  double cost(const Eigen::VectorXd& residuals) const;
};

struct FitMinimum {
  Eigen::VectorXd parameters;
  double cost = HUGE_VAL;
  bool converged = false;
  std::string message;  ///< why not
  int iterations = 0;

  bool has_values() const { return std::isfinite(cost); }
};

/// The minimum that is reached from somewhere, by Levenberg and Marquardt within the bounds.
/// `before`: iterations made already, for the progress.
[[nodiscard]] FitMinimum minimise(FitModel& model, const FitWeights& weights, const Eigen::VectorXd& from,
                                  int iterations, int before);

/// Places to start from: the given one, and others anywhere in the ranges.
[[nodiscard]] std::vector<Eigen::VectorXd> make_starts(const FitModel& model, const Eigen::VectorXd& first,
                                                       int count, std::uint64_t seed);

}  // namespace thud
