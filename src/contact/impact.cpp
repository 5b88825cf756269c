#include "thud/contact/impact.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "contact/impact_parts.hpp"
#include "thud/contact/contact.hpp"

namespace thud {

const char* restitution_law_name(RestitutionLaw law) {
  switch (law) {
    case RestitutionLaw::newton: return "newton";
    case RestitutionLaw::poisson: return "poisson";
    case RestitutionLaw::stronge: return "stronge";
  }
  return "";
}

const char* painleve_name(Painleve policy) {
  switch (policy) {
    case Painleve::lift: return "lift";
    case Painleve::slide: return "slide";
    case Painleve::jam: return "jam";
    case Painleve::stop: return "stop";
  }
  return "";
}

const char* leader_rule_name(LeaderRule rule) { return rule == LeaderRule::first ? "first" : "fastest"; }

const char* impact_corner_name(ImpactCorner corner) {
  switch (corner) {
    case ImpactCorner::start: return "start";
    case ImpactCorner::stick: return "stick";
    case ImpactCorner::reversal: return "reversal";
    case ImpactCorner::compression: return "compression";
    case ImpactCorner::spent: return "spent";
    case ImpactCorner::end: return "end";
  }
  return "";
}

namespace {

bool is_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// Contacts that feel each other's impulses, directly or through others, share a number.
std::vector<int> find_groups(const ImpactProblem& p) {
  std::vector<int> group(p.count, -1);
  int groups = 0;
  std::vector<int> stack;
  for (int first = 0; first < p.count; ++first) {
    if (group[first] >= 0) continue;
    stack.assign(1, first);
    group[first] = groups;
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      for (int j = 0; j < p.count; ++j)
        if (group[j] < 0 && impact_parts::are_coupled(p, i, j)) {
          group[j] = groups;
          stack.push_back(j);
        }
    }
    ++groups;
  }
  return group;
}

ImpactProblem take_out(const ImpactProblem& p, const std::vector<int>& members) {
  ImpactProblem part;
  const int n = static_cast<int>(members.size());
  part.resize(n);
  part.law = p.law;
  part.own = p.own;
  part.correlation = p.correlation;
  part.leader = p.leader;
  if (!p.correlation_at.empty())
    for (const int m : members) part.correlation_at.push_back(p.correlation_at[static_cast<std::size_t>(m)]);
  for (int i = 0; i < n; ++i) {
    part.friction[i] = p.friction[members[i]];
    part.restitution[i] = p.restitution[members[i]];
    for (int a = 0; a < 2; ++a) {
      part.velocity[2 * i + a] = p.velocity[2 * members[i] + a];
      for (int j = 0; j < n; ++j)
        for (int b = 0; b < 2; ++b)
          part.matrix[(2 * i + a) * 2 * n + 2 * j + b] =
              p.matrix[(2 * members[i] + a) * 2 * p.count + 2 * members[j] + b];
    }
  }
  return part;
}

ImpactResult solve_one(const ImpactProblem& p) {
  return p.own ? impact_parts::solve_own(p) : impact_parts::solve_single(p);
}

void put_back(const std::vector<double>& part, const std::vector<int>& members, std::vector<double>& whole) {
  for (std::size_t i = 0; i < members.size(); ++i)
    for (int a = 0; a < 2; ++a) whole[2 * members[i] + a] = part[2 * i + a];
}

void join(std::string& text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += "; ";
  text += more;
}

void merge(const ImpactResult& part, const std::vector<int>& members, ImpactResult& out) {
  for (const ImpactPoint& corner : part.path) {
    ImpactPoint point{corner.corner, members[corner.contact], members[corner.leader], out.impulse,
                      out.velocity};
    put_back(corner.impulse, members, point.impulse);
    put_back(corner.velocity, members, point.velocity);
    out.path.push_back(std::move(point));
  }
  put_back(part.impulse, members, out.impulse);
  put_back(part.velocity, members, out.velocity);
  for (std::size_t i = 0; i < members.size(); ++i) {
    out.work_normal[members[i]] = part.work_normal[i];
    out.work_friction[members[i]] = part.work_friction[i];
  }
  out.jam |= part.jam;
  out.limited = std::max(out.limited, part.limited);
  out.endless |= part.endless;
  out.solved &= part.solved;
  out.turns += part.turns;
  if (part.name != "none") join(out.name, part.name);
  join(out.note, part.note);
}

}  // namespace

ImpactResult solve_impact(const ImpactProblem& p) {
  assert(p.matrix.size() == 4 * static_cast<std::size_t>(p.count) * static_cast<std::size_t>(p.count));
  if (!is_finite(p.matrix) || !is_finite(p.velocity)) {
    ImpactResult out = impact_parts::make_untouched(p);
    out.solved = false;
    out.name = "unsolved";
    out.note = "the velocities or the matrix of this impact are not finite";
    return out;
  }
  if (p.jams) return impact_parts::solve_single(p);
  if (p.count == 1) return solve_one(p);
  const std::vector<int> group = find_groups(p);
  const int groups = p.count == 0 ? 0 : *std::max_element(group.begin(), group.end()) + 1;
  if (groups == 1) return impact_parts::solve_several(p);
  ImpactResult out = impact_parts::make_untouched(p);
  out.name.clear();
  for (int g = 0; g < groups; ++g) {
    std::vector<int> members;
    for (int i = 0; i < p.count; ++i)
      if (group[i] == g) members.push_back(i);
    const ImpactProblem part = take_out(p, members);
    merge(members.size() == 1 ? solve_one(part) : impact_parts::solve_several(part), members, out);
  }
  if (out.name.empty()) out.name = "none";
  impact_parts::set_energy(p, out);
  return out;
}

ImpactResultOf<Dual<double>> solve_impact(const ImpactProblemOf<Dual<double>>& p) {
  return p.count == 1 ? impact_parts::solve_single(p) : impact_parts::solve_several(p);
}

}  // namespace thud
