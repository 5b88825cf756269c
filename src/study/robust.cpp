#include "study/robust.hpp"

#include <algorithm>
#include <utility>

namespace thud {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(at);
  const auto first = values.begin() + below;
  std::nth_element(values.begin(), first, values.end());
  if (first + 1 == values.end()) return *first;
  const double next = *std::min_element(first + 1, values.end());
  return *first + (at - static_cast<double>(below)) * (next - *first);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace thud
