#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "thud/math/dual.hpp"

namespace thud {

/// What ends the restitution of an impact (docs/theory/impacts.md).
///
///   newton   c⁺ = −e c⁻             velocities; with friction it can gain energy, which is reported
///   poisson  F_r = e F_c            impulses of the two phases
///   stronge  W_r = −e² W_c          work of the normal force in the two phases; never gains
enum class RestitutionLaw : std::uint8_t { newton, poisson, stronge };
const char* restitution_law_name(RestitutionLaw law);

/// Which of several contacts that approach leads the next turn of an impact.
///
///   fastest  the one with the fastest approach in units of √W_nn; equals lead together
///   first    the first in the order of the contacts, alone: Gharib & Hurmuzlu 2010 lead with ball 1 on ball 2
enum class LeaderRule : std::uint8_t { fastest, first };
const char* leader_rule_name(LeaderRule rule);

/// What one contact gives to the system in an impact.
struct ContactImpulse {
  double tangent = 0;  ///< [N s]
  double normal = 0;   ///< ≥ 0 [N s]
};

template <class T>
struct ImpactProblemOf;
using ImpactProblem = ImpactProblemOf<double>;
/// An impact law of the user's own: the impulse of a single contact, from the problem. It is checked: the impulse must
/// not pull, must stop the approach, and must not gain energy.
using ImpulseLaw = std::function<ContactImpulse(const ImpactProblem&)>;

/// An impact of one or several contacts, in the coordinates of the contacts alone.
///
/// Rows come in pairs: 2i the tangent, 2i + 1 the normal of contact i. With p the impulses on the system
///   Δv = W p,   W = J M⁻¹ Jᵀ
/// and normal velocities are positive when the contact opens. On dual numbers every branch is taken by values; what is
/// zero or rests there does so whatever the rates are.
template <class T>
struct ImpactProblemOf {
  int count = 0;                                 ///< contacts
  std::vector<T> matrix;                         ///< W, 2 count × 2 count
  std::vector<T> velocity;                       ///< before
  std::vector<T> friction, restitution;          ///< per contact
  RestitutionLaw law = RestitutionLaw::stronge;  ///< of several: stronge takes turns, the others act at once
  ImpulseLaw own;                                ///< in the place of `law`, on plain numbers
  /// α of several contacts: impulse at a contact that rests, per impulse of its neighbour.
  T correlation{};
  std::vector<T> correlation_at{};  ///< α contact by contact; empty: `correlation` for all
  LeaderRule leader = LeaderRule::fastest;
  /// An impact without collision: a single contact that does not approach, where friction presses it together.
  bool jams = false;

  T correlation_of(int contact) const {
    return correlation_at.empty() ? correlation : correlation_at[static_cast<std::size_t>(contact)];
  }
  void resize(int contacts) {
    const auto n = static_cast<std::size_t>(contacts);
    count = contacts;
    matrix.assign(4 * n * n, T(0));
    velocity.assign(2 * n, T(0));
    friction.assign(n, T(0));
    restitution.assign(n, T(0));
  }
};

/// What happens at a corner of the way through the impulse plane.
enum class ImpactCorner : std::uint8_t {
  start,
  stick,        ///< slip vanishes, and stays so
  reversal,     ///< slip vanishes and changes its sign
  compression,  ///< the normal velocity of the contact vanishes: greatest compression
  spent,        ///< a contact that does not lead has given back its energy
  end,          ///< of the impact, or of the turn of the contact that leads
};
const char* impact_corner_name(ImpactCorner corner);

/// A corner of the way: everything runs straight in between.
template <class T>
struct ImpactPointOf {
  ImpactCorner corner = ImpactCorner::start;
  int contact = 0;          ///< where it happens
  int leader = 0;           ///< contact whose impulse leads
  std::vector<T> impulse;   ///< 2 count
  std::vector<T> velocity;  ///< 2 count
};
using ImpactPoint = ImpactPointOf<double>;

template <class T>
struct ImpactResultOf {
  std::vector<T> impulse, velocity;  ///< after, as in the problem
  std::vector<ImpactPointOf<T>> path;
  std::string name;  ///< the case: "slip", "slip-stick in compression", "three turns", …
  std::vector<T> work_normal, work_friction;  ///< per contact [J]
  T energy_change{};                          ///< ½ (v⁻ + v⁺)·p
  bool jam = false;  ///< γ − μ|ε| < 0: sliding alone could never end the compression
  T limited{};       ///< largest α^d that had to be cut back to its limit (the note tells it), 0: none had
  bool endless =
      false;  ///< the contacts would take turns for ever: ended by closing what was left plastically
  bool solved = true;
  std::string note;  ///< what a user should know of this impact; empty: nothing

  int turns = 0;            ///< of several contacts: how often one of them led
  double energy_scale = 0;  ///< ½ (|v⁻| + |v⁺|)·|p|: the sum behind energy_change, without its cancellation

  bool gains() const { return value_of(energy_change) > 1e-12 * energy_scale; }  ///< energy, beyond rounding
};
using ImpactResult = ImpactResultOf<double>;

/// One contact: Routh's impulse plane, exactly from corner to corner. Several: newton and poisson all at once, stronge by
/// impulse correlation with energetic restitution, leader after leader, until all contacts open.
[[nodiscard]] ImpactResult solve_impact(const ImpactProblem& problem);
/// The same with rates, of contacts that are all coupled.
[[nodiscard]] ImpactResultOf<Dual<double>> solve_impact(const ImpactProblemOf<Dual<double>>& problem);

}  // namespace thud
