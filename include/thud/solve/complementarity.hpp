#pragma once

#include <vector>

#include "thud/solve/box_qp.hpp"

namespace thud {

/// Forces with bounds, some of which follow another force.
///
/// With rates r = A λ + b, wanted is λ with
///   λ = lower ⇒ r ≥ 0,   λ = upper ⇒ r ≤ 0,   otherwise r = 0,
/// where the bounds of a row are numbers (the upper one may be infinite: a normal force), or ±μ times the force of
/// another row (friction that may stick). Sliding friction has no row of its own: its share goes into the column of
/// its normal force, so A need not be symmetric. Solved by Lemke's method with lexicographic pivots: where A is
/// positive semidefinite up to friction that opposes motion, a solution is found; where none is (Painlevé), that is
/// the outcome.
struct ForceProblem {
  int size = 0;
  std::vector<double> matrix;  ///< A, size × size
  std::vector<double> offset;  ///< b
  std::vector<double> lower, upper;
  std::vector<int> normal;       ///< row whose force bounds this one; −1: lower and upper do
  std::vector<double> friction;  ///< μ, where `normal` is set

  void resize(int n);
};

struct ForceSolution {
  std::vector<double> force;  ///< λ
  std::vector<double> rate;   ///< r = A λ + b
  std::vector<BoundState> state;
  std::vector<char> basic;  ///< solved for; these rows are independent of each other
  bool solved = false;      ///< false: there is no solution on the way that the method takes
};

[[nodiscard]] ForceSolution solve_forces(const ForceProblem& problem);

/// The same where row `held` has r = 0 whatever its force is.
[[nodiscard]] ForceSolution solve_forces_held(const ForceProblem& problem, int held);

}  // namespace thud
