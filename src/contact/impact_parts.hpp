#pragma once

#include "thud/contact/impact.hpp"

namespace thud::impact_parts {

/// One contact: the way through Routh's impulse plane, with the law of the problem.
ImpactResult solve_single(const ImpactProblem& problem);

/// One contact, with the law of the user. What it may not give leaves the problem unsolved, and the note says why.
ImpactResult solve_own(const ImpactProblem& problem);

/// Contacts that are all coupled, directly or through others: turn after turn, energetic restitution.
ImpactResult solve_correlated(const ImpactProblem& problem);

/// Whether an impulse at one contact is felt at the other.
bool are_coupled(const ImpactProblem& problem, int i, int j);

/// A result in which nothing has happened yet.
ImpactResult make_untouched(const ImpactProblem& problem);

/// energy_change and energy_scale from the impulses and both velocities.
void set_energy(const ImpactProblem& problem, ImpactResult& result);

}  // namespace thud::impact_parts
