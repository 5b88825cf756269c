#pragma once

#include <limits>
#include <string>
#include <string_view>

namespace thud::doc {

/// In SI units. What is computed from a number, such as the fifth power of a length, is still one.
inline constexpr double largest_number = 1e60;

/// The admissible values of a number, in SI units.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_open = false;
  bool max_open = false;

  static Range positive() { return {.min = 0.0, .min_open = true}; }
  static Range non_negative() { return {.min = 0.0}; }
  static Range at_least(double min) { return {.min = min}; }
  static Range at_most(double max) { return {.max = max}; }
  static Range between(double min, double max) { return {.min = min, .max = max}; }
  static Range fraction() { return between(0.0, 1.0); }

  [[nodiscard]] bool contains(double value) const;

  /// "> 0", ">= 2 m", "between 0 and 1"; "" when everything is admissible.
  [[nodiscard]] std::string describe(std::string_view unit = "") const;

  bool operator==(const Range&) const = default;
};

}  // namespace thud::doc
