#pragma once

#include <array>
#include <span>
#include <vector>

namespace thud {

/// A piece of a level line: corners in order; a closed one ends where it began.
struct ContourLine {
  std::vector<std::array<double, 2>> points;
  bool closed = false;
};

/// The lines on which a function given at the nodes of a grid takes the value `level`.
///
/// Marching squares: linear interpolation along the edges of the grid, saddles decided by the mean of the four corners,
/// segments joined into polylines. `z` holds the values row by row, z[j·nx + i] at (x_i, y_j); x and y ascend. A cell
/// with a corner that is not finite has no line. With spacing h the lines lie within max|f″| h²/8 / |∇f| of the true ones.
[[nodiscard]] std::vector<ContourLine> contour_lines(std::span<const double> x, std::span<const double> y,
                                                     std::span<const double> z, double level);

}  // namespace thud
