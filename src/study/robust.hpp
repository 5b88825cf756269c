#pragma once

#include <vector>

namespace thud {

// Statistics that a few wild values do not move.

/// The value below which a share of all lie, between neighbours along a straight line; 0 of nothing.
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] double median(std::vector<double> values);

/// Standard deviation of normal noise over the median of its size.
inline constexpr double deviation_per_median = 1.4826;

}  // namespace thud
