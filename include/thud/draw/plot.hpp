#pragma once

#include <string>
#include <vector>

#include "thud/base/format.hpp"

namespace thud {

/// One curve against time.
struct PlotCurve {
  std::string name;
  std::string unit;  ///< SI
  std::vector<double> time, value;
};

/// Positions of axis ticks: multiples of 1, 2 or 5 · 10^k inside [low, high], about `wanted` of them.
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, int wanted);

/// A plot of 80 × 16 characters for a terminal: braille dots, or plain characters where the style has no Unicode.
[[nodiscard]] std::string make_plot(const PlotCurve& curve, const TextStyle& style);

}  // namespace thud
