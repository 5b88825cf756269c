#pragma once

namespace thud::peers {

/// What every peer hands back for one fall.
struct [[nodiscard]] PeerResult {
  double stop_time = 0.0;  ///< [s]; NaN when the tip never came to its stop
  long evaluations = 0;    ///< calls of the right-hand side, rejected steps included
  long steps = 0;          ///< accepted steps, the overshooting last one included
};

}  // namespace thud::peers
