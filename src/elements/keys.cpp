#include "thud/elements/keys.hpp"

#include <cmath>

#include "thud/elements/signal.hpp"

namespace thud {

template <class P>
bool changes(const TimeFunctionOf<P>& f, double now, double end, double size) {
  if (f.drive) return f.drive->formula.uses(0);
  if (!f.varies) return false;
  const double present = value_of(f(now));
  const auto differs = [&](double t) {
    try {
      return std::abs(value_of(f(t)) - present) > 1e-12 * size;
    } catch (const std::exception&) {  // it has no value then, which is another matter
      return true;
    }
  };
  constexpr int samples = 200;
  for (int k = 1; k <= samples; ++k)
    if (differs(now + (end - now) * k / samples)) return true;
  Timing timing;
  f.tell_timing(now, end, timing);
  for (double edge : timing.edges)
    if (edge > now && edge < end) return true;
  double before = now;
  for (double piece : timing.pieces) {
    if (differs(piece) || differs(0.5 * (before + piece))) return true;
    before = piece;
  }
  return false;
}

template bool changes(const TimeFunctionOf<double>&, double, double, double);
THUD_WITH_DUALS(template bool changes(const TimeFunctionOf<Dual<double>>&, double, double, double);)

}  // namespace thud
