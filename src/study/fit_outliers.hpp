#pragma once

#include <Eigen/Core>
#include <vector>

#include "study/fit_minimise.hpp"

namespace thud {

/// Values that cannot be measurements of this run, such as the code of a missing marker: further from the model than
/// three times the extent of their column, and thirty times further than its typical value.
[[nodiscard]] std::vector<char> find_impossible(const FitModel& model, const Eigen::VectorXd& values);

/// Values beyond six standard deviations, of the others or as stated (`stated`). At most a tenth of a column and three successive values of it
/// can be outliers: more than that is a model that misses the data. The impossible ones come on top.
[[nodiscard]] std::vector<char> find_outliers(const FitModel& model, const FitWeights& weights,
                                              const Eigen::VectorXd& values, bool stated);

/// The median of |r|, as the standard deviation that it would be of normal noise; r in standard deviations, of the
/// values that are used.
[[nodiscard]] double robust_scale(const FitWeights& weights, const Eigen::VectorXd& residuals);

/// The noise in a column without any model: from third differences, which motion hardly reaches. Per unit; 0 where too
/// few values tell.
[[nodiscard]] Eigen::VectorXd noise_of_differences(const FitModel& model, const std::vector<FitData>& data,
                                                   const std::vector<char>& used);

}  // namespace thud
