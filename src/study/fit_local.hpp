#pragma once

#include <Eigen/Core>
#include <vector>

#include "study/fit_minimise.hpp"

namespace thud {

/// Minima close to a known one, with some parameters held or with other measured values, at the price of a few runs:
/// Gauss-Newton steps within the bounds, with the Jacobian of the known minimum for as long as it serves.
class LocalMinimiser {
 public:
  /// `slopes`: derivatives of the model at `at`; `unit`: a cost that is noise (s²), the measure of what is close enough.
  LocalMinimiser(FitModel& model, const FitWeights& weights, const Eigen::VectorXd& at,
                 const Eigen::VectorXd& values, const Eigen::MatrixXd& slopes, double unit);

  struct Result {
    Eigen::VectorXd parameters;
    double cost = 0;
    bool ok = false;  ///< settled; false also when a run failed
  };
  /// The minimum with the held parameters as they are in `from`.
  Result solve(const Eigen::VectorXd& from, const std::vector<char>& held, const Eigen::VectorXd& measured);

  /// Where the others go, to first order, when the held parameters are as in `from`.
  Eigen::VectorXd follow(const Eigen::VectorXd& from, const std::vector<char>& held) const;

  /// The next Gauss-Newton step from the known minimum, and by how much it would lower the cost.
  struct Step {
    Eigen::VectorXd step;
    double gain = 0;
  };
  Step next_step() const;

 private:
  Step step(const Eigen::MatrixXd& slopes, const Eigen::VectorXd& residuals, const Eigen::VectorXd& from,
            const std::vector<char>& held) const;

  FitModel& model_;
  const FitWeights& weights_;
  Eigen::VectorXd at_, values_;
  Eigen::MatrixXd slopes_;
  double unit_;
};

}  // namespace thud
