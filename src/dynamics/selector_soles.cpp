// Soles: faces that their body slides on. Their force has a share of friction, which its row does not know.

#include <algorithm>
#include <cmath>

#include "dynamics/selector.hpp"

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
