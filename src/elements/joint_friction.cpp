#include "thud/elements/joint_friction.hpp"

namespace thud {

template <class P>
bool JointFrictionOf<P>::update_clamp(const SceneOf<P>& s, const Frames<double, P>& f, Mode& m) const {
  if (!rule.is_on()) return false;
  constexpr double small = 1e-9;
  const double load = std::abs(load_of(s, f));
  if (m.clamped) {
    m.clamped = load < 1 - small;
    return false;
  }
  if (!(margin(s, f) <= small && load < 1 - 10 * small)) return false;
  m.clamped = true;
  m.slip = slip::stuck;
  return true;
}

template struct JointFrictionOf<double>;

}  // namespace thud
