#pragma once
// Columns of numbers as JSON, without building a document of them first.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace thud {

/// So many significant digits; null for what is not finite.
inline void append_number(std::string& out, double x, int digits = 7) {
  if (!std::isfinite(x)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{:.{}g}", x + 0.0, digits);
}

inline void append_numbers(std::string& out, const std::vector<double>& values, int digits = 7) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    append_number(out, values[i], digits);
  }
  out += ']';
}

}  // namespace thud
