// Impacts without collision: where friction presses sliding contacts together (Painlevé).

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/impact_parts.hpp"
#include "event/collider.hpp"
#include "thud/solve/complementarity.hpp"

namespace thud {

namespace {
// Slips that change by less, in units of the speed of the system, are not recorded.
constexpr double creeping = 1e-3;
}  // namespace

bool Collider::jam(double t, int contact, const std::vector<double>& pulls, double* y, const Scales& scales,
                   Work<double>& work, Outcome& out) {
  find_touching(work, scales);
  fill_rows(touching_, true, work);
  std::vector<std::vector<int>> groups = find_groups();
  // That of the contact first; where several slide, another may be the one that cannot.
  std::stable_partition(groups.begin(), groups.end(), [&](const std::vector<int>& members) {
    return std::any_of(members.begin(), members.end(), [&](int i) { return touching_[i] == contact; });
  });
  for (const std::vector<int>& members : groups) {
    ImpactRecord record = make_record(t, members, work, scales);
    if (!stop_slip(record, pulls, tolerance::free_slip * scales.speed)) continue;
    double most = 0;  // change of a slip
    for (std::size_t a = 0; a < record.problem.velocity.size(); a += 2)
      most = std::max(most, std::abs(record.result.velocity[a] - record.problem.velocity[a]));
    if (most < creeping * scales.speed) {
      give(members, record.result.impulse, y + system_.dof_count());
      book(y, work);
      return true;
    }
    record.result.jam = true;
    record.result.note =
        "an impact without collision: friction presses a sliding contact together, and stops it (Painlevé)";
    take_effect(members, y, work, out, std::move(record));
    return true;
  }
  return hold_creep(contact, y, scales, work);
}

// Where no impulses end the slips: those that only creep are wedged, and stand still. Of all velocities without them those
// that are nearest.
bool Collider::hold_creep(int contact, double* y, const Scales& scales, Work<double>& work) {
  find_touching(work, scales);
  fill_rows(touching_, true, work);
  const std::vector<std::vector<int>> groups = find_groups();
  const auto has = [&](const std::vector<int>& members) {
    return std::any_of(members.begin(), members.end(), [&](int i) { return touching_[i] == contact; });
  };
  const auto group = std::find_if(groups.begin(), groups.end(), has);
  if (group == groups.end()) return false;
  rows_.clear();
  std::fill(held_.begin(), held_.end(), 0.0);
  std::vector<double> target;
  double most = 0;
  for (const int i : *group) {
    const int k = touching_[i];
    const Touching<double>& w = work.of<ContactForce>()[k];
    if (w.gap_rate > tolerance::held_drift * scales.speed * unit(k, scales)) continue;
    add_row(k, ContactForce::normal, work);
    target.push_back(-w.gap_rate);
    if (!(system_.contacts()[k].law.friction > 0 && std::abs(w.slip_rate) < creeping * scales.speed))
      continue;
    add_row(k, ContactForce::shear, work);
    target.push_back(-w.slip_rate);
    most = std::max(most, std::abs(w.slip_rate));
  }
  if (!(most > tolerance::free_slip * scales.speed)) return false;
  shift(y + system_.dof_count(), target);
  book(y, work);
  return true;
}

// One contact: through the impulse plane, with its restitution.
bool Collider::stop_slip(ImpactRecord& record, const std::vector<double>& pulls, double small) {
  ImpactProblem& problem = record.problem;
  if (problem.count > 1) {
    // Slips that are much faster than the slowest go on meanwhile. What only creeps is held, however rough.
    for (const Attempt a : {Attempt{1e3, 1}, {HUGE_VAL, 1}, {10, 1}, {1e3, 100}, {HUGE_VAL, 1e4}})
      if (stop_slips(record, pulls, small, a)) return true;
    return false;
  }
  problem.jams = true;
  problem.velocity[1] = 0;
  record.result = solve_impact(problem);
  return record.result.solved && std::abs(problem.velocity[0]) > small
      && record.result.velocity[0] * problem.velocity[0] <= 0;
}

// Several contacts: what the other forces do in next to no time leads to impulses that end the slips which cannot go on,
// all together, without restitution.
bool Collider::stop_slips(ImpactRecord& record, const std::vector<double>& pulls, double small,
                          const Attempt& attempt) {
  const ImpactProblem& problem = record.problem;
  const int m = 2 * problem.count;
  const auto pull = [&](int a) { return pulls[2 * record.contacts[a / 2] + a % 2]; };
  double slowest = HUGE_VAL, strongest = 0;
  for (int a = 0; a < m; ++a) {
    strongest = std::max(strongest, std::abs(pull(a)));
    if (a % 2 == 0 && std::abs(problem.velocity[a]) > small)
      slowest = std::min(slowest, std::abs(problem.velocity[a]));
  }
  if (!(std::isfinite(slowest) && strongest > 0)) return false;
  const auto slides = [&](int a) { return std::abs(problem.velocity[a]) > attempt.faster * slowest; };
  const auto friction = [&](int a) { return std::copysign(problem.friction[a / 2], -problem.velocity[a]); };
  ForceProblem p;
  p.resize(m);
  p.matrix = problem.matrix;
  for (int a = 0; a < m; ++a) {
    p.offset[a] = (std::abs(problem.velocity[a]) > small ? problem.velocity[a] : 0)
                + 1e-6 * slowest * pull(a) / strongest;
    if (a % 2 == 1) {
      p.upper[a] = std::numeric_limits<double>::infinity();
    } else if (!slides(a)) {
      p.normal[a] = a + 1;
      p.friction[a] = attempt.rougher * problem.friction[a / 2];
    } else {
      p.offset[a] = 0;
      for (int i = 0; i < m; ++i) p.matrix[i * m + a + 1] += friction(a) * p.matrix[i * m + a];
    }
  }
  ForceSolution s = solve_forces(p);
  if (!s.solved) return false;
  for (int a = 0; a < m; a += 2)
    if (slides(a)) s.force[a] = friction(a) * s.force[a + 1];
  end_approaches(problem, s.force);
  ImpactResult& result = record.result;
  result = impact_parts::make_untouched(problem);
  result.name = "jam";
  result.impulse = s.force;
  bool stops = false;
  double most = 0;
  for (int a = 0; a < m; ++a) {
    double change = 0;
    for (int b = 0; b < m; ++b) change += problem.matrix[a * m + b] * s.force[b];
    const double before = problem.velocity[a], after = before + change;
    if (a % 2 == 0) {
      stops = stops || (std::abs(before) > small && !(after * before > 1e-3 * before * before));
      most = std::max(most, std::abs(change));
    }
    result.velocity[a] = after;
    (a % 2 == 0 ? result.work_friction : result.work_normal)[a / 2] = 0.5 * (before + after) * s.force[a];
  }
  impact_parts::set_energy(problem, result);
  return stops && (attempt.rougher == 1 || most < creeping / tolerance::free_slip * small);
}

// Normal impulses that take away the approaches which are left.
void Collider::end_approaches(const ImpactProblem& problem, std::vector<double>& impulse) {
  const int n = problem.count, m = 2 * n;
  ForceProblem p;
  p.resize(n);
  bool any = false;
  for (int i = 0; i < n; ++i) {
    p.offset[i] = problem.velocity[2 * i + 1];
    for (int b = 0; b < m; ++b) p.offset[i] += problem.matrix[(2 * i + 1) * m + b] * impulse[b];
    for (int j = 0; j < n; ++j) p.matrix[i * n + j] = problem.matrix[(2 * i + 1) * m + 2 * j + 1];
    p.upper[i] = std::numeric_limits<double>::infinity();
    any = any || p.offset[i] < 0;
  }
  if (!any) return;
  const ForceSolution s = solve_forces(p);
  if (s.solved)
    for (int i = 0; i < n; ++i) impulse[2 * i + 1] += s.force[i];
}

}  // namespace thud
