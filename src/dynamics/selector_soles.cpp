// Soles: faces that their body slides on. Their force has a share of friction, which its row does not know.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dynamics/selector.hpp"
#include "thud/math/portable.hpp"
#include "thud/solve/small_systems.hpp"

namespace thud {

// J M⁻¹ (B − J)ᵀ, where the forces of the vanishing switches are along B; empty where that is J.
std::vector<double> ModeSelector::find_beside(const Work<double>& work) const {
  const int m = static_cast<int>(vanishing_.size()), n = system_.dof_count();
  if (std::none_of(vanishing_.begin(), vanishing_.end(),
                   [&](const SwitchRef& s) { return system_.has_own_force(s); }))
    return {};
  std::vector<double> out(static_cast<std::size_t>(m) * m);
  for (int a = 0; a < m; ++a)
    for (int b = 0; b < m; ++b) {
      if (!system_.has_own_force(vanishing_[b])) continue;
      for (int i = 0; i < n; ++i)
        out[a * m + b] += work.jacobian[a * n + i] * (work.drive[b * n + i] - work.applied[b * n + i]);
    }
  return out;
}

namespace {

using Pair = std::array<double, 2>;
double product(Pair a, Pair b) { return a[0] * b[0] + a[1] * b[1]; }

}  // namespace

// It is held by the force that balances, if that is in the set. If not, it sets out along a (V, ω) whose force lets it: γ̇ is
// along it.
HullSolution solve_sole(const std::vector<double>& matrix, const std::vector<double>& offset,
                        const std::vector<double>& beside, const SoleForces& set) {
  std::vector<double> w = matrix;
  for (std::size_t k = 0; k < beside.size(); ++k) w[k] += beside[k];
  HullSolution out;
  out.converged = true;
  if (const double det = w[0] * w[3] - w[1] * w[2]; std::abs(det) > 1e-12 * std::abs(w[0] * w[3])) {
    const Pair held{(w[1] * offset[1] - w[3] * offset[0]) / det, (w[2] * offset[0] - w[0] * offset[1]) / det};
    if (set.sole.margin(held) >= 0) {
      out.force = {held[0], held[1]};
      out.rate = {0, 0};
      return out;
    }
  }
  // Of the directions that keep themselves the one that gains most.
  constexpr int count = 360;
  constexpr double width = 2 * std::numbers::pi / count;
  const auto way = [](double angle) { return Pair{portable::cos(angle), portable::sin(angle)}; };
  const auto acceleration = [&](double angle) {
    const Pair f = set.sole.meet_at(angle);
    return Pair{w[0] * f[0] + w[1] * f[1] + offset[0], w[2] * f[0] + w[3] * f[1] + offset[1]};
  };
  const auto turning = [&](double angle) {
    const Pair e = way(angle), a = acceleration(angle);
    return e[0] * a[1] - e[1] * a[0];
  };
  double best = 0, most = -HUGE_VAL;
  for (int k = 0; k < count; ++k) {
    double from = k * width, to = from + width;
    const double side = turning(from);
    if (side * turning(to) > 0) continue;
    for (int round = 0; round < 40; ++round) {
      const double mid = 0.5 * (from + to);
      (side * turning(mid) > 0 ? from : to) = mid;
    }
    const double gain = product(way(from), acceleration(from));
    const double value = side > 0 ? gain : 1e-3 * gain;  // from both sides it turns there, or away
    if (gain > 0 && value > most) most = value, best = from;
  }
  const Pair f = set.sole.meet_at(best), a = acceleration(best);
  out.force = {f[0], f[1]};
  out.rate = {a[0], a[1]};
  return out;
}

// Where the set is all but flat, rounds of points come near to what is held but not to it: then it is asked directly.
std::optional<HullSolution> hold_alone(const std::vector<double>& matrix, const std::vector<double>& offset,
                                       const Lowest& lowest) {
  const int m = static_cast<int>(offset.size());
  std::vector<double> g = matrix;
  HullSolution out;
  for (double b : offset) out.force.push_back(-b);
  solve_general(g.data(), out.force.data(), m, 0);
  double size = 0, off = 0;
  for (int a = 0; a < m; ++a) {
    double sum = offset[a];
    for (int b = 0; b < m; ++b) sum += matrix[a * m + b] * out.force[b];
    off = std::max(off, std::abs(sum));
    size = std::max(size, std::abs(offset[a]));
  }
  if (!(off <= 1e-10 * size)) return {};
  const Gauge share = find_gauge(out.force, lowest, 1e-9);
  if (!share.converged || !(share.value < 1)) return {};
  out.rate.assign(offset.size(), 0);
  out.converged = true;
  return out;
}

// In rounds: the friction of the last one.
HullSolution solve_beside(const std::vector<double>& matrix, const std::vector<double>& offset,
                          const std::vector<double>& beside, const Lowest& lowest) {
  HullSolution out = solve_hull(matrix, offset, lowest);
  if (beside.empty()) return out;
  const std::size_t m = offset.size();
  constexpr int most = 100;
  for (int round = 0; round < most; ++round) {
    std::vector<double> shifted = offset;
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) shifted[a] += beside[a * m + b] * out.force[b];
    HullSolution next = solve_hull(matrix, shifted, lowest);
    double change = 0, size = 0;
    for (std::size_t a = 0; a < m; ++a) {
      change = std::max(change, std::abs(next.force[a] - out.force[a]));
      size = std::max(size, std::abs(next.force[a]));
    }
    out = std::move(next);
    if (change <= 1e-12 * size) break;
  }
  return out;
}

double ModeSelector::start_speed(SwitchRef s, const Work<double>& work, const Scales& scales,
                                 double usual) const {
  if (s.type == type_of<SpreadSand> && s.sub >= SpreadSand::first_slide)
    return SpreadSand::start_speed(work.of<SpreadSand>()[s.index], scales);
  return usual;
}

// What has just set out along its faces is held by them at once.
bool ModeSelector::starts_sliding(double t, const double* y, const Scales& scales, Mode& mode,
                                  Work<double>& work, double* slope) const {
  if (system_.of<SpreadSand>().empty()) return false;
  for (const SwitchRef& s : released_)
    if (s.type == type_of<SpreadSand> && s.sub >= SpreadSand::first_slide)
      return false;  // that has been seen
  system_.evaluate(t, y, mode, work, slope);
  bool any = false;
  for (std::size_t k = 0; k < system_.of<SpreadSand>().size(); ++k) {
    const SpreadSand& e = system_.of<SpreadSand>()[k];
    SpreadMode m = mode.of<SpreadSand>()[k];
    if (m.is_held() || m.slides()) continue;
    e.settle_touch(work.of<SpreadSand>()[k], scales, m);
    any = any || m.family >= 0;
  }
  return any;
}

}  // namespace thud
