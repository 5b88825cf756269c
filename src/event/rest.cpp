#include "event/rest.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

bool is_slow(const RunState& s, double share) {
  for (int i = 0; i < s.n; ++i)
    if (std::abs(s.y[s.n + i]) > share * s.sizes.absolute[s.n + i]) return false;
  return true;
}

bool is_at_rest(const RunState& s) {
  if (!is_slow(s, 1e-8)) return false;
  // What is left of the bending makes everything swing with the frequency of the beam.
  for (int i = 0; i < s.n; ++i) {
    const double swing = std::max(2e-9 * s.sizes.slowest_bending, 3e-8 * s.system.tree().dof_frequency(i));
    if (std::abs(s.work.acceleration[i])
        > s.sizes.absolute[s.n + i] * std::max(1e-7 / s.scales().time, swing))
      return false;
  }
  return true;
}

bool stops_by_itself(const RunState& s) {
  bool any = false;
  s.system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { E::hulls; })
      for (std::size_t hull = 0; hull < E::hulls.size(); ++hull) {
        const auto& m = s.mode.of<E>()[k];
        any = any || (m.is_immersed() && !e.is_held(static_cast<int>(hull), m));
      }
  });
  return any;
}

bool is_to_be_moved(const RunState& s, double end) {
  bool moved = false;
  s.system.each([&]<class E>(const E& e, [[maybe_unused]] int k) {
    if constexpr (requires { e.is_to_change(s.t, end, s.scales()); })
      moved = moved || e.is_to_change(s.t, end, s.scales());
    else if constexpr (requires { e.is_to_change(s.mode.of<E>()[k]); })
      moved = moved || e.is_to_change(s.mode.of<E>()[k]);
  });
  return moved;
}

}  // namespace thud
