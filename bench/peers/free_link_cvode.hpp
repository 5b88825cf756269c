#pragma once

#include <memory>

#include "peer_result.hpp"

namespace thud::peers {

/// SUNDIALS CVODE: Adams–Moulton of order 1 to 6 with fixed-point iteration, and
/// CVODE's own root finding on v_Tz. The link is not stiff: at equal stopping-time
/// error BDF with a dense Newton iteration takes longer. One solver object serves
/// any number of runs; it is not to be shared between threads.
class CvodeFreeLink {
 public:
  CvodeFreeLink();
  ~CvodeFreeLink();
  CvodeFreeLink(CvodeFreeLink&&) noexcept;
  CvodeFreeLink& operator=(CvodeFreeLink&&) noexcept;

  /// angle [rad] from the vertical, speed [m/s] downwards; tolerance is both the
  /// absolute and the relative one.
  PeerResult solve(double angle, double speed, double tolerance);

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

/// The same on a solver kept for the calling thread.
PeerResult solve_free_link_cvode(double angle, double speed, double tolerance);

/// The version of SUNDIALS at run time, e.g. "6.4.1".
const char* get_sundials_version();

}  // namespace thud::peers
