#pragma once

#include <cmath>

#include "thud/contact/impact.hpp"
#include "thud/math/dual_math.hpp"

/// The solvers are templates on the problem: on plain numbers, or on dual ones.
namespace thud::impact_parts {

template <class Problem>
using ScalarOf = typename decltype(Problem::matrix)::value_type;
template <class Problem>
using ResultOf = ImpactResultOf<ScalarOf<Problem>>;

/// One contact: the way through Routh's impulse plane, with the law of the problem.
template <class Problem>
ResultOf<Problem> solve_single(const Problem& problem);

/// One contact, with the law of the user. What it may not give leaves the problem unsolved, and the note says why.
ImpactResult solve_own(const ImpactProblem& problem);

/// Contacts that are all coupled, directly or through others: turn after turn, energetic restitution.
template <class Problem>
ResultOf<Problem> solve_correlated(const Problem& problem);

/// The same contacts all at once, by Newton's or Poisson's law as the problem says.
template <class Problem>
ResultOf<Problem> solve_at_once(const Problem& problem);

/// Coupled contacts by the law of the problem.
template <class Problem>
ResultOf<Problem> solve_several(const Problem& problem) {
  return problem.law == RestitutionLaw::stronge ? solve_correlated(problem) : solve_at_once(problem);
}

/// Whether an impulse at one contact is felt at the other.
template <class Problem>
bool are_coupled(const Problem& p, int i, int j) {
  const int n = 2 * p.count;
  for (int a = 2 * i; a < 2 * i + 2; ++a)
    for (int b = 2 * j; b < 2 * j + 2; ++b)
      if (std::abs(value_of(p.matrix[a * n + b]))
          > 1e-12 * std::sqrt(value_of(p.matrix[a * n + a]) * value_of(p.matrix[b * n + b])))
        return true;
  return false;
}

/// A result in which nothing has happened yet.
template <class Problem>
ResultOf<Problem> make_untouched(const Problem& problem) {
  using T = ScalarOf<Problem>;
  const auto n = static_cast<std::size_t>(problem.count);
  ResultOf<Problem> out;
  out.impulse.assign(2 * n, T(0));
  out.velocity = problem.velocity;
  out.work_normal.assign(n, T(0));
  out.work_friction.assign(n, T(0));
  out.name = "none";
  return out;
}

/// energy_change and energy_scale from the impulses and both velocities.
template <class Problem>
void set_energy(const Problem& problem, ResultOf<Problem>& result) {
  using T = ScalarOf<Problem>;
  result.energy_change = T(0);
  result.energy_scale = 0;
  for (std::size_t i = 0; i < result.impulse.size(); ++i) {
    const T before = problem.velocity[i], after = result.velocity[i], p = result.impulse[i];
    result.energy_change += 0.5 * (before + after) * p;
    result.energy_scale +=
        0.5 * (std::abs(value_of(before)) + std::abs(value_of(after))) * std::abs(value_of(p));
  }
}

}  // namespace thud::impact_parts
