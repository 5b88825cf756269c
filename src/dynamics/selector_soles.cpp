// Soles: faces that their body slides on. Their force has a share of friction, which its row does not know.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dynamics/selector.hpp"
#include "thud/math/portable.hpp"

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

struct Pair {
  double a, b;
};
Pair at_angle(double x) { return {portable::cos(x), portable::sin(x)}; }

// One sole by itself. It is held by the force that balances, if that is in the set. If not, it sets out along a (V, ω) whose
// force lets it: γ̇ is along it.
HullSolution solve_alone(const std::vector<double>& w, const std::vector<double>& offset,
                         const Lowest& lowest) {
  HullSolution out;
  out.converged = true;
  const auto forces = [&](double angle) {
    const Pair e = at_angle(angle);
    const double rate[2] = {e.a, e.b};
    double force[2];
    lowest(rate, force);
    return Pair{force[0], force[1]};
  };
  const auto accelerations = [&](Pair f) {
    return Pair{w[0] * f.a + w[1] * f.b + offset[0], w[2] * f.a + w[3] * f.b + offset[1]};
  };
  constexpr int count = 180;
  constexpr double width = 2 * std::numbers::pi / count;
  if (const double det = w[0] * w[3] - w[1] * w[2]; std::abs(det) > 1e-12 * std::abs(w[0] * w[3])) {
    const Pair held{(w[1] * offset[1] - w[3] * offset[0]) / det, (w[2] * offset[0] - w[0] * offset[1]) / det};
    const auto room = [&](double angle) {
      const Pair e = at_angle(angle), f = forces(angle);
      return e.a * (held.a - f.a) + e.b * (held.b - f.b);
    };
    double best = 0, low = room(0);
    for (int k = 1; k < count; ++k)
      if (const double value = room(k * width); value < low) low = value, best = k * width;
    for (double step = width; step > 1e-9 && low >= 0; step *= 0.5)
      for (double next : {best - step, best + step})
        if (const double value = room(next); value < low) low = value, best = next;
    if (low >= 0) {
      out.force = {held.a, held.b};
      out.rate = {0, 0};
      return out;
    }
  }
  // Of the directions that keep themselves the one that gains most.
  const auto turning = [&](double angle) {
    const Pair e = at_angle(angle), a = accelerations(forces(angle));
    return e.a * a.b - e.b * a.a;
  };
  const auto gain = [&](double angle) {
    const Pair e = at_angle(angle), a = accelerations(forces(angle));
    return e.a * a.a + e.b * a.b;
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
    const bool keeps = side > 0;  // from both sides it turns here
    const double value = gain(from) * (keeps ? 1 : 1e-3);
    if (gain(from) > 0 && value > most) most = value, best = from;
  }
  const Pair f = forces(best), a = accelerations(f);
  out.force = {f.a, f.b};
  out.rate = {a.a, a.b};
  return out;
}

}  // namespace

// In rounds: the friction of the last one.
HullSolution solve_beside(const std::vector<double>& matrix, const std::vector<double>& offset,
                          const std::vector<double>& beside, const Lowest& lowest) {
  if (!beside.empty() && offset.size() == 2) {
    std::vector<double> both = matrix;
    for (std::size_t k = 0; k < both.size(); ++k) both[k] += beside[k];
    return solve_alone(both, offset, lowest);
  }
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
