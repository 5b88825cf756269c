#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thud::doc {

/// A table: straight between its rows, held at its ends.
class Curve {
 public:
  /// At least two points; x increases.
  Curve(std::vector<double> x, std::vector<double> y) : x_(std::move(x)), y_(std::move(y)) {}

  [[nodiscard]] double operator()(double x) const;
  [[nodiscard]] double slope(double x) const;
  /// Where it has corners.
  [[nodiscard]] const std::vector<double>& knots() const { return x_; }

 private:
  [[nodiscard]] std::size_t right_of(double x) const;

  std::vector<double> x_, y_;
};

/// Reads a column over the first one. Columns are separated by commas, semicolons, tabs or blanks; lines that begin with #
/// are left out; a first line of names is optional, and a name may end with a unit in brackets, as in "torque [mN m]",
/// else values are in SI units. Without a name of a column there must be two. Throws std::invalid_argument, with file and
/// line.
[[nodiscard]] Curve read_curve(std::string_view text, const std::string& file, std::string_view column);

}  // namespace thud::doc
