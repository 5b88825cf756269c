#pragma once
// An independent decision about contacts: all modes are tried.
//
// Of every rigid contact that touches and neither opens nor closes there are four: open, sticking, slipping to either side;
// two where it slips clearly. Each mode of all contacts is a set of linear equations with signs:
//
//   open       λ = 0,                 g̈ ≥ 0
//   sticking   λ in the cone |T| ≤ μN, g̈ = 0, γ̇ = 0       generators n + μt, n − μt
//   slipping   λ = x (n − sμt), x ≥ 0, g̈ = 0, s γ̇ ≥ 0     s: side of the slip; γ̇ is free where it slips clearly
//
// A mode is consistent where nonnegative numbers solve them (Lawson & Hanson 1974), so redundant forces are no trouble.
// The mass matrix comes from the kinetic energy, rows from gap and slip rates of unit velocities, their biases from
// differences along the motion: nothing of the engine's own rows, factors or selection is used.

#include <Eigen/Dense>
#include <string>
#include <vector>

#include "thud/dynamics/system.hpp"

namespace thud::campaign {

struct Decisions {
  std::string why_not;       ///< what the enumeration does not know; empty otherwise
  std::vector<int> closed;   ///< the contacts it is about
  std::vector<double> slip;  ///< of these [m/s]
  long tried = 0;
  struct Mode {
    std::string letters;  ///< of each contact: o open, s sticks, + − slips
    Eigen::VectorXd acceleration;
    std::vector<double> normal;  ///< forces [N]
  };
  std::vector<Mode> consistent;

  std::string text() const;
};

/// Nothing is tried where more than `most` contacts are closed.
Decisions enumerate_modes(const System& system, double t, const std::vector<double>& state, const Mode& mode,
                          std::size_t most = 8);

/// Least |A x − b| over x ≥ 0.
Eigen::VectorXd solve_nonnegative(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace thud::campaign
