// What sand holds by its whole outline: one decision for all that stands still.

#include <algorithm>
#include <cmath>

#include "dynamics/selector.hpp"
#include "thud/solve/hull.hpp"
#include "thud/solve/small_systems.hpp"

namespace thud {

namespace {

/// Rows that are decided together: a body in sand, a switch with bounds of its own, or a contact with its friction.
struct Group {
  int first = 0, count = 1;
  std::shared_ptr<const ForceSet> set;
  double lower = 0, upper = 0;  ///< of a switch
  int friction = -1;            ///< row of the friction of a contact
  double coefficient = 0;
  bool has_zero = true;  ///< of the set
  bool presses = false;  ///< a contact, or its friction, which goes with it
  bool exact = false;    ///< of a set: it seems not to hold
  bool spare = false;    ///< a switch between what is held anyhow
};

// Whether a row follows from others: what holds them holds it.
bool follows(const std::vector<double>& matrix, const std::vector<double>& size, int which,
             const std::vector<int>& others) {
  const int m = static_cast<int>(size.size()), k = static_cast<int>(others.size());
  if (k == 0 || !(size[which] > 0)) return false;
  const auto cosine = [&](int a, int b) {
    return size[a] * size[b] > 0 ? matrix[a * m + b] / (size[a] * size[b]) : 0.0;
  };
  std::vector<double> g(static_cast<std::size_t>(k) * k), x(k);
  for (int a = 0; a < k; ++a) {
    x[a] = cosine(others[a], which);
    for (int b = 0; b < k; ++b) g[a * k + b] = cosine(others[a], others[b]);
  }
  const std::vector<double> right = x;
  solve_hold(g.data(), x.data(), k, 1e-12);
  double left = 1;
  for (int a = 0; a < k; ++a) left -= x[a] * right[a];
  return left < 1e-8;
}

}  // namespace

// With all that stands still held, γ̇ = W λ + b: the forces out of the product of all sets that bring it nearest to zero. Where
// they bring it to zero everything is held.
bool ModeSelector::settle_hulls(const Scales& scales, const Work<double>& work, Mode& mode) {
  const int m = static_cast<int>(vanishing_.size()), n = system_.dof_count();
  std::vector<double> matrix, offset(m), size(m);
  fill_matrix(work, matrix);
  double largest = 1e-3 * scales.speed / scales.time * std::sqrt(system_.tree().total_mass());
  for (int a = 0; a < m; ++a) {
    offset[a] = work.hold_bias[a];
    for (int i = 0; i < n; ++i) offset[a] += work.jacobian[a * n + i] * work.unheld[i];
    size[a] = std::sqrt(std::max(0.0, matrix[a * m + a]));
    if (size[a] > 0) largest = std::max(largest, std::abs(offset[a]) / size[a]);
  }
  std::vector<Group> groups;
  for (int a = 0; a < m; ++a) {
    const SwitchRef s = vanishing_[a];
    Group g;
    g.first = a;
    switch (system_.switch_class(s)) {
      case SwitchClass::hull:
        system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& own, const auto& w) {
          g.set = e.set_of(hull, system_.scene(), work.frames, own, w);
          g.count = e.hulls[hull].count;
          g.has_zero = e.hulls[hull].has_zero;
        });
        a += g.count - 1;
        break;
      case SwitchClass::normal:
        g.presses = true;
        if (a + 1 < m && vanishing_[a + 1].type == s.type && vanishing_[a + 1].index == s.index) {
          g.friction = ++a;
          g.coefficient = system_.friction_coefficient(s);
        }
        break;
      default: {
        double lower, upper;
        system_.switch_bounds(s, work, lower, upper);
        g.lower = -lower, g.upper = upper;
      }
    }
    groups.push_back(std::move(g));
  }
  const double most = 1e3 * scales.force;
  const auto oracle = [&](double share) {
    return [&groups, share, most](const double* rate, double* force) {
      for (const Group& g : groups) {
        if (g.set) {
          g.set->lowest(rate + g.first, force + g.first, !g.exact);
          for (int i = 0; i < g.count && g.has_zero; ++i) force[g.first + i] *= share;
        } else if (g.presses) {
          const double slip = g.friction >= 0 ? rate[g.friction] : 0;
          const bool pushes = !g.spare && rate[g.first] - g.coefficient * std::abs(slip) < 0;
          force[g.first] = pushes ? most : 0;
          if (g.friction >= 0)
            force[g.friction] = pushes ? (slip > 0 ? -1 : slip < 0 ? 1 : 0) * g.coefficient * most : 0;
        } else {
          force[g.first] = rate[g.first] > 0 ? g.lower : g.upper;
        }
      }
    };
  };
  // Where the motion of one set is found by a search, all rates are as good as the square root of what it misses.
  constexpr double nothing = 1e-9;
  double small = nothing * largest;
  const auto moves = [&](const HullSolution& s, int from, int count) {
    for (int a = from; a < from + count; ++a)
      if (std::abs(s.rate[a]) > small * size[a]) return true;
    return false;
  };
  // What a force does beside its row is found in rounds.
  const std::vector<double> beside = find_beside(work);
  const auto* sole = groups.size() == 1 ? dynamic_cast<const SoleForces*>(groups[0].set.get()) : nullptr;
  const auto solve = [&](const Lowest& lowest) {
    return sole ? solve_sole(matrix, offset, beside, *sole) : solve_beside(matrix, offset, beside, lowest);
  };
  HullSolution solution = solve(oracle(1));
  if (moves(solution, 0, m)) {
    for (Group& g : groups) g.exact = g.set && moves(solution, g.first, g.count);
    HullSolution finer = solve(oracle(1));
    if (groups.size() > 1) small = std::max(small, 2 * std::sqrt(std::abs(finer.gap)));
    solution = std::move(finer);
    if (groups.size() == 1 && groups[0].set && !sole && moves(solution, 0, m))
      if (auto held = hold_alone(matrix, offset, oracle(1))) solution = std::move(*held);
  }
  const auto moving = [&](const HullSolution& s) {
    std::vector<bool> out;
    for (const Group& g : groups) out.push_back(moves(s, g.first, g.count));
    return out;
  };
  const std::vector<bool> decided = moving(solution);
  const auto settle_again = [&](double share) {
    HullSolution other = solve(oracle(share));
    const bool same = moving(other) == decided;
    if (same) solution = std::move(other);
    return same;
  };
  // What presses or rubs between bodies that are held anyhow could bear anything: nothing, or where they need it of friction
  // all that it can.
  std::vector<int> rows;
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (int i = 0; i < groups[k].count && groups[k].set && !decided[k]; ++i)
      rows.push_back(groups[k].first + i);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    Group& g = groups[k];
    if (g.set || decided[k] || !follows(matrix, size, g.first, rows)) continue;
    const Group before = g;
    const double force = solution.force[g.first];
    g.spare = true;
    g.lower = g.upper = 0;
    if (settle_again(1)) continue;
    if (!g.presses) {
      g.lower = g.upper = force > 0 ? before.upper : before.lower;
      if (settle_again(1)) continue;
    }
    g = before;
  }
  // Where several can share a load, none shall bear more than it must.
  if (groups.size() > 1 && std::find(decided.begin(), decided.end(), true) == decided.end())
    for (double share : {0.5, 0.7, 0.85, 0.95})
      if (settle_again(share)) break;

  released_.clear();
  for (const Group& g : groups) {
    const SwitchRef s = vanishing_[g.first];
    const bool moves_on = moves(solution, g.first, g.count);
    std::int8_t& state = system_.switch_state(s, mode);
    if (g.set) {
      system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& own, const auto&) {
        moves_on ? e.let_go(hull, own) : e.hold(hull, own, solution.force.data() + g.first);
      });
      for (int i = 0; i < g.count && moves_on; ++i) released_.push_back(vanishing_[g.first + i]);
    } else if (g.presses) {
      state = moves_on || g.spare ? slip::idle : slip::stuck;
      if (moves_on) system_.set_closed(s, false, mode);
      if (g.friction < 0) continue;
      const double slip = solution.rate[g.friction];
      system_.switch_state(vanishing_[g.friction], mode) =
          moves_on || !(solution.force[g.first] > 0) ? slip::idle
          : moves(solution, g.friction, 1)           ? (slip > 0 ? slip::forward : slip::backward)
                                                     : slip::stuck;
    } else if (g.spare && !moves_on) {
      state = !(g.upper != 0) ? slip::idle : g.upper < 0 ? slip::carried_forward : slip::carried_backward;
    } else {
      state = !moves_on ? slip::stuck : solution.rate[g.first] > 0 ? slip::forward : slip::backward;
    }
  }
  find_start(scales, work, matrix, solution.rate);
  system_.list_stuck(mode);
  return true;
}

// What is slow and cannot be held goes on as it does, and is asked again when it is ten times slower. True when something is.
bool ModeSelector::give_time(Mode& mode, const Work<double>& work) const {
  bool any = false;
  for (const SwitchRef& s : released_)
    system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& own, const auto&) {
      if (s.sub != e.hulls[hull].first) return;
      const auto known =
          std::find_if(speeds_.begin(), speeds_.end(), [&](const auto& x) { return x.first == s; });
      if (known == speeds_.end() || !(known->second > tolerance::still)) return;
      double& still = e.still_of(hull, own);
      any = any || known->second <= 1.5 * still;
      still = std::min(still, 0.1 * known->second);
    });
  return any;
}

// What has just been let go is not asked again before it has become faster, or slower than it set out.
void ModeSelector::ask_slower(const Scales& scales, const Work<double>& work, Mode& mode) const {
  for (const SwitchRef& s : released_)
    system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& own, const auto& w) {
      if (!e.hulls[hull].has_zero) return;
      double& still = e.still_of(hull, own);
      still = std::min(still, 0.1 * e.speed_of(hull, w) / scales.speed);
    });
}

// What is no longer held sets out the way that its forces let it: they depend on the direction of its motion, which must be
// there. At a speed that is as good as none, and nothing else is moved by more than has to be.
void ModeSelector::find_start(const Scales& scales, const Work<double>& work, std::vector<double> matrix,
                              const std::vector<double>& rate) {
  const int m = static_cast<int>(vanishing_.size()), n = system_.dof_count();
  start_.clear();
  std::vector<double> x(m), size(m, 1);
  double square = 0, speed = tolerance::slow * scales.speed;
  for (int a = 0; a < m; ++a) {
    if (std::find(released_.begin(), released_.end(), vanishing_[a]) == released_.end()) continue;
    x[a] = rate[a];
    speed = start_speed(vanishing_[a], work, scales, speed);
    square += rate[a] * rate[a];
  }
  if (!(square > 0)) return;
  for (int a = 0; a < m; ++a)
    if (matrix[a * m + a] > 0) size[a] = std::sqrt(matrix[a * m + a]);
  for (int a = 0; a < m; ++a) {
    x[a] *= speed / std::sqrt(square) / size[a];
    for (int b = 0; b < m; ++b) matrix[a * m + b] /= size[a] * size[b];
  }
  // What hardly moves with all of it is left alone: the ends of an axis that lies along the surface.
  solve_hold(matrix.data(), x.data(), m, 1e-4);
  start_.assign(n, 0);
  for (int a = 0; a < m; ++a)
    for (int i = 0; i < n; ++i) start_[i] += work.applied[a * n + i] * (x[a] / size[a]);
}

bool ModeSelector::start_released(double* y) const {
  if (start_.empty() || released_.empty()) return false;
  const int n = system_.dof_count();
  for (int i = 0; i < n; ++i) y[n + i] += start_[i];
  return true;
}

}  // namespace thud
