#include "thud/elements/keys.hpp"

#include <cmath>

#include "thud/elements/signal.hpp"

namespace thud {

template <class P>
bool changes(const TimeFunctionOf<P>& f, double now, double end, double size) {
  if (f.drive) return f.drive->formula.uses(0);
  if (!f.varies) return false;
  for (double edge : f.edges)
    if (edge > now && edge < end) return true;
  constexpr int samples = 2000;
  const double present = value_of(f(now));
  for (int k = 1; k <= samples; ++k)
    if (std::abs(value_of(f(now + (end - now) * k / samples)) - present) > 1e-12 * size) return true;
  return false;
}

template bool changes(const TimeFunctionOf<double>&, double, double, double);
template bool changes(const TimeFunctionOf<Dual<double>>&, double, double, double);

}  // namespace thud
