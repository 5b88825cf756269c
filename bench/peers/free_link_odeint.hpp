#pragma once

#include "peer_result.hpp"

namespace thud::peers {

/// Boost.Odeint: Dormand–Prince 5(4) with dense output, step by step until v_Tz
/// has changed sign, then the root of the interpolant to 1e-13 s.
///
/// angle [rad] from the vertical, speed [m/s] downwards; tolerance is both the
/// absolute and the relative one.
PeerResult solve_free_link_odeint(double angle, double speed, double tolerance);

}  // namespace thud::peers
