#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace thud {

// What a measured signal tells without any model. Gaps are NaN.

/// Rows whose value no line through its neighbours comes near: spikes of one or a few frames.
[[nodiscard]] std::vector<std::size_t> find_spikes(const std::vector<double>& value);

/// Numbers that stand there again and again, far from all others, with how often: codes of what was not seen.
[[nodiscard]] std::vector<std::pair<double, int>> find_codes(const std::vector<double>& value);

/// Standard deviation of the noise, from third differences; 0 when there are too few values.
[[nodiscard]] double noise_of(const std::vector<double>& value);

/// The acceleration of a signal over some rows, with its standard error; none when there are too few.
[[nodiscard]] std::optional<std::pair<double, double>> find_acceleration(const std::vector<double>& time,
                                                                         const std::vector<double>& value,
                                                                         std::size_t first, std::size_t last);

/// The row at which the accelerations of all signals jump together; none when one parabola explains them as well.
[[nodiscard]] std::optional<std::size_t> find_touch(const std::vector<double>& time,
                                                    const std::vector<std::vector<double>>& signals);

/// Between when and when signals leave the parabolas of a flight, which they do by the second (a force that is there at
/// once) or the third power of the time (one that grows). `about`: the row found by find_touch.
[[nodiscard]] std::pair<double, double> find_departure(const std::vector<double>& time,
                                                       const std::vector<std::vector<double>>& signals,
                                                       std::size_t about);

}  // namespace thud
