#pragma once

#include <vector>

namespace thud {

/// The forces that hold several switches at once.
///
/// With all velocities γ = 0, the accelerations are γ̇ = W λ + b, W = J M⁻¹ Jᵀ symmetric and positive semidefinite.
/// Wanted is λ in its box with
///   λ = lower ⇒ γ̇ ≥ 0,   λ = upper ⇒ γ̇ ≤ 0,   otherwise γ̇ = 0,
/// which are the optimality conditions of  min ½λᵀWλ + bᵀλ  over the box: a solution always exists and γ̇ is
/// unique, even where the forces are not (more switches than freedoms). Solved by an active-set method.
struct BoxQp {
  int size = 0;
  std::vector<double> matrix;  ///< W, size × size
  std::vector<double> offset;  ///< b
  std::vector<double> lower, upper;

  void resize(int n);
};

enum class BoundState : signed char { lower = -1, inside = 0, upper = 1 };

struct BoxQpSolution {
  std::vector<double> force;  ///< λ
  std::vector<double> rate;   ///< γ̇ = W λ + b
  std::vector<BoundState> state;
  std::vector<char> basic;  ///< solved for; these switches are independent of each other
  bool converged = false;
};

[[nodiscard]] BoxQpSolution solve_box_qp(const BoxQp& problem);

}  // namespace thud
