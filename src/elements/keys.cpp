#include "thud/elements/keys.hpp"

#include <cmath>

namespace thud {

bool changes(const TimeFunction& f, double now, double end, double size) {
  if (!f.varies) return false;
  constexpr int samples = 2000;
  const double present = f(now);
  for (int k = 1; k <= samples; ++k)
    if (std::abs(f(now + (end - now) * k / samples) - present) > 1e-12 * size) return true;
  return false;
}

}  // namespace thud
