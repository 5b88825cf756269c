#pragma once
// Random numbers for files: the same on every machine, and short enough to be read.

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace thud::campaign {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double a, double b) { return a + (b - a) * unit(); }
  /// As likely between 1 and 10 as between 10 and 100.
  double spread(double a, double b) { return a * std::pow(b / a, unit()); }
  int whole(int a, int b) { return a + static_cast<int>(unit() * (b - a + 1)); }
  bool coin(double p = 0.5) { return unit() < p; }
  template <class T>
  T pick(const std::vector<T>& of) {
    return of[static_cast<std::size_t>(whole(0, static_cast<int>(of.size()) - 1))];
  }

 private:
  // Distributions of the standard library differ between libraries; its engines do not.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  std::mt19937_64 engine_;
};

/// What a file will hold of a number, so that poses can be followed with it.
inline double rounded(double x, int digits = 4) { return std::stod(fmt::format("{:.{}g}", x, digits)); }

}  // namespace thud::campaign
