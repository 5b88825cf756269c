// What sand holds by its whole outline: one decision for all that stands still.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "dynamics/selector.hpp"
#include "thud/solve/hull.hpp"

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
};

}  // namespace

namespace {
constexpr double stopped = 1e-11;  // of a speed: what cannot be held but is slower starts anew
}

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
  const auto oracle = [&](bool exact, double share) {
    return [&groups, exact, share, most](const double* rate, double* force) {
      for (const Group& g : groups) {
        if (g.set) {
          g.set->lowest(rate + g.first, force + g.first, !exact);
          for (int i = 0; i < g.count && g.has_zero; ++i) force[g.first + i] *= share;
        } else if (g.presses) {
          const double slip = g.friction >= 0 ? rate[g.friction] : 0;
          const bool pushes = rate[g.first] - g.coefficient * std::abs(slip) < 0;
          force[g.first] = pushes ? most : 0;
          if (g.friction >= 0)
            force[g.friction] = pushes ? (slip > 0 ? -1 : slip < 0 ? 1 : 0) * g.coefficient * most : 0;
        } else {
          force[g.first] = rate[g.first] > 0 ? g.lower : g.upper;
        }
      }
    };
  };
  constexpr double nothing = 1e-9;
  const auto moves = [&](const HullSolution& s, int from, int count) {
    for (int a = from; a < from + count; ++a)
      if (std::abs(s.rate[a]) > nothing * largest * size[a]) return true;
    return false;
  };
  // What a force does beside its row is found in rounds.
  const std::vector<double> beside = find_beside(work);
  const auto* sole = groups.size() == 1 ? dynamic_cast<const SoleForces*>(groups[0].set.get()) : nullptr;
  const auto solve = [&](const Lowest& lowest) {
    return sole ? solve_sole(matrix, offset, beside, *sole) : solve_beside(matrix, offset, beside, lowest);
  };
  HullSolution solution = solve(oracle(false, 1));
  if (moves(solution, 0, m)) solution = solve(oracle(true, 1));
  if (groups.size() == 1 && groups[0].set && !sole && moves(solution, 0, m))
    if (auto held = hold_alone(matrix, offset, oracle(true, 1))) solution = std::move(*held);
  // Where several can share a load, none shall bear more than it must.
  if (!moves(solution, 0, m) && groups.size() > 1)
    for (double share : {0.5, 0.7, 0.85, 0.95})
      if (HullSolution eased = solve(oracle(false, share)); !moves(eased, 0, m)) {
        solution = std::move(eased);
        break;
      }

  if (std::getenv("DBG")) {
    std::fprintf(stderr, "hulls m=%d conv=%d gap=%g largest=%g\n", m, solution.converged, solution.gap, largest);
    for (const Group& g : groups) {
      const SwitchRef s = vanishing_[g.first];
      std::fprintf(stderr, "  type %d idx %d sub %d %s:", s.type, s.index, s.sub, g.set ? "hull" : g.presses ? "contact" : "switch");
      for (int i = 0; i < g.count + (g.friction >= 0); ++i)
        std::fprintf(stderr, " [v=%.3g b=%.3g r=%.3g f=%.3g sz=%.3g]", system_.switch_rate(vanishing_[g.first + i], work), offset[g.first + i], solution.rate[g.first + i], solution.force[g.first + i], size[g.first + i]);
      std::fprintf(stderr, " moves=%d\n", moves(solution, g.first, g.count));
    }
  }
  released_.clear();
  for (const Group& g : groups) {
    const SwitchRef s = vanishing_[g.first];
    const bool moving = moves(solution, g.first, g.count);
    std::int8_t& state = system_.switch_state(s, mode);
    if (g.set) {
      system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& own, const auto&) {
        moving ? e.let_go(hull, own) : e.hold(hull, own, solution.force.data() + g.first);
      });
      for (int i = 0; i < g.count && moving; ++i) released_.push_back(vanishing_[g.first + i]);
    } else if (g.presses) {
      state = moving ? slip::idle : slip::stuck;
      if (moving) system_.set_closed(s, false, mode);
      if (g.friction < 0) continue;
      const double slip = solution.rate[g.friction];
      system_.switch_state(vanishing_[g.friction], mode) =
          moving || !(solution.force[g.first] > 0) ? slip::idle
          : moves(solution, g.friction, 1)         ? (slip > 0 ? slip::forward : slip::backward)
                                                   : slip::stuck;
    } else {
      state = !moving ? slip::stuck : solution.rate[g.first] > 0 ? slip::forward : slip::backward;
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
      const auto known = std::find_if(speeds_.begin(), speeds_.end(), [&](const auto& x) { return x.first == s; });
      if (known == speeds_.end() || !(known->second > stopped)) return;
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
