#include "thud/elements/joint_forces.hpp"

namespace thud {

bool JointTorque::is_to_change(double now, double end, const Scales& scales) const {
  if (!varies) return false;
  constexpr int samples = 2000;
  const double present = torque(now);
  for (int k = 1; k <= samples; ++k)
    if (std::abs(torque(now + (end - now) * k / samples) - present) > 1e-12 * scales.moment) return true;
  return false;
}

}  // namespace thud
