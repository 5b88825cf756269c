#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "thud/base/law_error.hpp"
#include "thud/contact/impact.hpp"
#include "thud/dynamics/system.hpp"

namespace thud {

/// What is discrete about an impact: its contacts, and which of their velocities count as zero (tangent and normal in
/// turn). With it the reset is a smooth function of state and parameters.
struct ImpactMode {
  std::vector<int> contacts;
  std::vector<char> still;
};

/// The mode of an impact at a state: what has rested on another body or wall rests exactly.
inline ImpactMode impact_mode(const System& system, std::vector<int> contacts, const Work<double>& work,
                              const Scales& scales) {
  ImpactMode out{std::move(contacts), {}};
  for (const int k : out.contacts) {
    const Touching<double>& w = work.of<ContactForce>()[k];
    out.still.push_back(std::abs(w.slip_rate) < 1e-12 * scales.speed);
    out.still.push_back(std::abs(w.gap_rate) < 1e-11 * scales.speed * system.contacts()[k].unit(scales));
  }
  return out;
}

template <class P>
P restitution_of(const ContactOf<P>& c, P speed) {
  const P e = c.law.restitution_of(speed);
  if (value_of(e) >= 0 && value_of(e) <= 1) return e;
  throw LawError(fmt::format("the restitution of {} is {} at {:.6g} m/s; it must be between 0 and 1", c.name,
                             value_of(e), value_of(speed)));
}

/// Velocities and laws of the contacts of an impact. The matrix is left to the caller.
template <class Problem, class P, class T>
void fill_contacts(const SystemOf<P>& system, const ImpactMode& mode, const Work<T, P>& work, Problem& p) {
  const int count = p.count = static_cast<int>(mode.contacts.size());
  const auto touching = [&](int i) -> const Touching<T>& {
    return work.template of<ContactForceOf<P>>()[mode.contacts[i]];
  };
  T fastest{};
  for (int i = 0; i < count; ++i) fastest = std::max(fastest, -touching(i).gap_rate);
  bool own_correlation = false;
  for (int i = 0; i < count; ++i) {
    const Touching<T>& w = touching(i);
    const ContactForceOf<P>& c = system.contacts()[mode.contacts[i]];
    p.velocity.push_back(mode.still[2 * i] ? T(0) : w.slip_rate);
    p.velocity.push_back(mode.still[2 * i + 1] ? T(0) : w.gap_rate);
    p.friction.push_back(c.law.friction);
    const T speed = -w.gap_rate > 1e-9 * fastest ? -w.gap_rate : fastest;
    p.restitution.push_back(restitution_of<P>(c, speed));
    p.law = i == 0 || p.law == c.law.law ? c.law.law : RestitutionLaw::stronge;
    own_correlation = own_correlation || c.law.correlation.has_value();
  }
  p.correlation = system.correlation();
  p.leader = system.leader();
  if (own_correlation)
    for (const int k : mode.contacts)
      p.correlation_at.push_back(system.contacts()[k].law.correlation.value_or(p.correlation));
}

/// The reset of an impact whose contacts are all coupled: velocities after it, and what it loses on its line of the
/// energy account. `work` must hold an evaluation of y. T is double, or P.
template <class P, class T>
void strike_contacts(const SystemOf<P>& system, const ImpactMode& mode, T* y, const Work<T, P>& work) {
  const int n = system.dof_count();
  ImpactProblemOf<T> p;
  fill_contacts(system, mode, work, p);
  const int rows = 2 * p.count;
  std::vector<std::vector<T>> row(rows, std::vector<T>(n, T(0))), applied;
  for (int a = 0; a < rows; ++a)
    system.add_switch_row(switch_of<ContactForceOf<P>>(mode.contacts[a / 2], a % 2 == 0), work,
                          row[a].data());
  applied = row;
  const std::size_t held = system.constraints().size();
  std::vector<T> reaction(held), impulse(held);
  std::vector<std::vector<T>> response;
  for (auto& x : applied) {
    system.solve(work, x.data(), reaction.data());
    response.push_back(reaction);
  }
  p.matrix.assign(static_cast<std::size_t>(rows) * rows, T(0));
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < rows; ++b)
      for (int i = 0; i < n; ++i) p.matrix[a * rows + b] += row[a][i] * applied[b][i];
  const auto result = solve_impact(p);
  for (int a = 0; a < rows; ++a)
    for (int i = 0; i < n; ++i) y[n + i] += applied[a][i] * result.impulse[a];
  // Prescribed motions go on while they are struck, and work.
  T supplied{};
  for (std::size_t c = 0; c < held; ++c) {
    for (int a = 0; a < rows; ++a) impulse[c] += response[a][c] * result.impulse[a];
    if (!system.constraint_varies(system.constraints()[c])) continue;
    for (int i = 0; i < n; ++i) supplied += impulse[c] * work.constrained.rows[c * n + i] * y[n + i];
  }
  if (const int slot = system.channel_slot(channel_of<PrescribedMotionOf<P>>()); slot >= 0)
    y[slot] += supplied;
  if (const int slot = system.channel_slot(channel_of<ContactForceOf<P>>(ContactForceOf<P>::impact_loss));
      slot >= 0) {
    Frames<T, P> after = work.frames;
    system.tree().kinematics(y, y + n, after);
    y[slot] += system.tree().kinetic_energy(after) - system.tree().kinetic_energy(work.frames) - supplied;
  }
}

}  // namespace thud
