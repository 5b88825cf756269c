#pragma once

#include "thud/contact/impact.hpp"
#include "thud/math/dual.hpp"

namespace thud {

/// ImpactProblem and ImpactResult on dual numbers. Every branch is taken by values, as on plain numbers; what is zero or
/// rests there does so whatever the rates are.
struct ImpactProblemWithRates {
  using T = Dual<double>;
  int count = 0;
  std::vector<T> matrix, velocity, friction, restitution;
  RestitutionLaw law = RestitutionLaw::stronge;
  T correlation{};
  std::vector<T> correlation_at{};
  LeaderRule leader = LeaderRule::fastest;

  T correlation_of(int contact) const {
    return correlation_at.empty() ? correlation : correlation_at[static_cast<std::size_t>(contact)];
  }
};

struct ImpactResultWithRates {
  using T = Dual<double>;
  struct Point {
    ImpactCorner corner = ImpactCorner::start;
    int contact = 0, leader = 0;
    std::vector<T> impulse, velocity;
  };
  std::vector<T> impulse, velocity;
  std::vector<Point> path;
  std::string name;
  std::vector<T> work_normal, work_friction;
  T energy_change{};
  bool jam = false;
  T limited{};
  bool endless = false, solved = true;
  std::string note;
  int turns = 0;
  double energy_scale = 0;

  bool gains() const { return energy_change.v > 1e-12 * energy_scale; }
};

/// One impact, of contacts that are all coupled; laws of the user's own have no rates and are not for it.
[[nodiscard]] ImpactResultWithRates solve_impact(const ImpactProblemWithRates& problem);

}  // namespace thud
