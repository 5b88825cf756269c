#include "dynamics/selector.hpp"

#include <algorithm>
#include <cmath>

#include "solve/growing_cholesky.hpp"

namespace thud {

namespace {

/// How far the row of a switch is from the span of those that are held: holding them also holds it where that is zero. In
/// units in which every row has length one: rows of forces and of moments differ by orders of magnitude.
class Span {
 public:
  Span(const std::vector<double>& products, int rows) : products_(products), rows_(rows) {}

  /// Square of the distance. `held` may only grow from call to call.
  double distance(int which, const std::vector<int>& held) {
    for (int k = factor_.size(); k < static_cast<int>(held.size()); ++k)
      factor_.add(cosines(held[k], held, k), 1 + ridge, 0.01 * ridge);
    std::vector<double> row = cosines(which, held, static_cast<int>(held.size()));
    factor_.reduce(row);
    double rest = 1;
    for (double c : row) rest -= c * c;
    return rest;
  }

 private:
  static constexpr double ridge = 1e-14;

  // Of a row with the first rows that are held.
  std::vector<double> cosines(int which, const std::vector<int>& held, int count) const {
    std::vector<double> out(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      out[i] = products_[held[i] * rows_ + which]
             / std::sqrt(products_[held[i] * rows_ + held[i]] * products_[which * rows_ + which]);
    return out;
  }

  const std::vector<double>& products_;
  int rows_;
  GrowingCholesky factor_;
};

}  // namespace

ModeSelector::ModeSelector(const System& system) : system_(system) {
  system_.prepare(there_);
  system_.prepare(far_);
  far_state_.resize(system_.state_size());
  ahead_.resize(system_.state_size());
  scratch_.resize(system_.state_size());
}

// Levels, deepest points and compliant contacts. True when one of them has changed.
bool ModeSelector::settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                                   Mode& mode) const {
  bool changed = false;
  system_.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.settle_geometry(here.of<E>()[k], there.of<E>()[k], scales, mode.of<E>()[k]); })
      changed = e.settle_geometry(here.of<E>()[k], there.of<E>()[k], scales, mode.of<E>()[k]) || changed;
  });
  return changed;
}

void ModeSelector::settle_touch(const Work<double>& work, const Scales& scales, Mode& mode) const {
  system_.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.settle_touch(work.of<E>()[k], scales, mode.of<E>()[k]); })
      e.settle_touch(work.of<E>()[k], scales, mode.of<E>()[k]);
  });
}

// Sides of the drag. True when all were clear already `here`.
bool ModeSelector::settle_flow(const Work<double>& here, const Work<double>& there, const Scales& scales,
                               Mode& mode) const {
  bool clear = true;
  const Scene scene = system_.scene();
  system_.each([&]<class E>(const E& e, int k) {
    if constexpr (requires(typename E::Mode & m) {
                    e.settle_flow(scene, here.frames, here.of<E>()[k], there.of<E>()[k], scales, m);
                  })
      clear = e.settle_flow(scene, here.frames, here.of<E>()[k], there.of<E>()[k], scales, mode.of<E>()[k])
           && clear;
  });
  return clear;
}

// Whether loops and prescribed motions alone decide about a switch: no force of its own changes anything.
bool ModeSelector::is_constrained(SwitchRef s, const Work<double>& work) const {
  if (system_.constraints().empty()) return false;
  std::vector<double> x(static_cast<std::size_t>(system_.dof_count()));
  system_.add_switch_row(s, work, x.data());
  system_.solve(work, x.data());
  return std::all_of(x.begin(), x.end(), [](double y) { return y == 0; });
}

// Slip signs that are clear; the others are vanishing and go into the box problem.
void ModeSelector::find_vanishing(const Work<double>& work, const Scales& scales, Mode& mode) {
  system_.active_switches(mode, active_);
  vanishing_.clear();
  // One decision for all that is slow: the force of each depends on the direction in which it moves.
  bool asked = false;
  for (const SwitchRef& s : active_)
    if (system_.switch_class(s) == SwitchClass::hull)
      system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& m, const auto& w) {
        asked = asked
             || (e.hulls[hull].has_zero && !e.is_held(hull, m)
                 && e.speed_of(hull, w) / scales.speed <= 1.5 * e.still_of(hull, m));
      });
  for (const SwitchRef& s : active_) {
    std::int8_t& state = system_.switch_state(s, mode);
    const bool constrained = is_constrained(s, work);
    if (system_.switch_class(s) == SwitchClass::normal) {
      if (constrained)
        state = slip::idle;
      else
        vanishing_.push_back(s);
      continue;
    }
    if (system_.switch_class(s) == SwitchClass::hull) {
      system_.with_hull(s, mode, work, [&](const auto& e, int hull, auto& m, const auto& w) {
        const double speed = e.speed_of(hull, w) / scales.speed;
        if (speed > 100 * tolerance::slow) e.still_of(hull, m) = tolerance::slow;
        const double still = !e.hulls[hull].has_zero ? 1.5 * e.still_of(hull, m)  // soles slide one by one
                           : asked                   ? 1.5 * tolerance::slow
                                                     : 0;
        if (speed <= (e.is_held(hull, m) ? tolerance::held_drift : still))
          vanishing_.push_back(s), speeds_.push_back({s, speed});
        else if (s.sub + 1 == e.hulls[hull].first + e.hulls[hull].count)
          e.let_go(hull, m);
      });
      continue;
    }
    const double rate = system_.switch_rate(s, work);
    // What is held may have drifted by the tolerance of the integration; what is only carried may come loose.
    const double fraction = state == slip::stuck     ? tolerance::held_drift
                          : slip::is_slipping(state) ? tolerance::free_slip
                                                     : tolerance::carried_slip;
    const double small = fraction * (system_.switch_turns(s) ? scales.rate : scales.speed);
    if (std::abs(rate) > small)
      state = rate > 0 ? slip::forward : slip::backward;
    else if (constrained)
      state = slip::idle;
    else
      vanishing_.push_back(s);
  }
}

// Evaluates with the vanishing switches held, for their rows.
void ModeSelector::find_rows(double t, const double* y, const Mode& mode, Work<double>& work, double* slope) {
  struct Rows {
    explicit Rows(bool& flag) : wanted(flag) { wanted = true; }
    ~Rows() { wanted = false; }  // a law may throw
    bool& wanted;
  } rows(work.rows_only);
  system_.evaluate(t, y, mode, work, slope);
}

// W = J M⁻¹ Jᵀ of the vanishing switches, all of which `work` was evaluated with as held.
void ModeSelector::fill_matrix(const Work<double>& work, std::vector<double>& matrix) const {
  const int m = static_cast<int>(vanishing_.size()), n = system_.dof_count();
  matrix.resize(static_cast<std::size_t>(m) * m);
  for (int a = 0; a < m; ++a)
    for (int b = 0; b <= a; ++b) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += work.jacobian[a * n + i] * work.applied[b * n + i];
      matrix[a * m + b] = matrix[b * m + a] = sum;
    }
}

// The same matrix some way along the motion: links that pass through a singular pose are dependent only there,
// parts that lie still remain so.
void ModeSelector::look_far(double t, const double* y, const Scales& scales, const Mode& mode) {
  const int n = system_.dof_count();
  std::copy(y, y + far_state_.size(), far_state_.begin());
  for (int i = 0; i < n; ++i) far_state_[i] += 0.01 * scales.time * y[n + i];
  Mode held = mode;
  for (const SwitchRef& s : vanishing_) system_.switch_state(s, held) = slip::stuck;
  held.stuck = vanishing_;
  find_rows(t, far_state_.data(), held, far_, scratch_.data());
  fill_matrix(far_, far_matrix_);
}

// Solves the box problem of the vanishing switches at (t, y) and sets their states.
bool ModeSelector::settle_switches(double t, const double* y, const Scales& scales, Mode& mode,
                                   Work<double>& work, double* slope) {
  const int m = static_cast<int>(vanishing_.size()), n = system_.dof_count();
  if (m == 0) return true;
  // Rows, M⁻¹ rows, biases, both bounds, and the accelerations without holding: all from holding them all.
  for (const SwitchRef& s : vanishing_) {
    system_.switch_state(s, mode) = slip::stuck;
    system_.set_closed(s, true, mode);
    if (system_.switch_class(s) == SwitchClass::hull)
      system_.with_hull(s, mode, work, [](const auto& e, int hull, auto& own, const auto&) {
        constexpr double none[4] = {};
        const double asked = e.still_of(hull, own);
        e.hold(hull, own, none);
        e.still_of(hull, own) = asked;
      });
  }
  mode.stuck = vanishing_;
  find_rows(t, y, mode, work, slope);
  if (has(SwitchClass::hull)) return settle_hulls(scales, work, mode);
  if (has_contacts()) return settle_contacts(work, mode);
  problem_.resize(m);
  fill_matrix(work, problem_.matrix);
  for (int a = 0; a < m; ++a) {
    const double* row = work.jacobian.data() + a * n;
    double rate = work.hold_bias[a];
    for (int i = 0; i < n; ++i) rate += row[i] * work.unheld[i];
    problem_.offset[a] = rate;
    double lower, upper;
    system_.switch_bounds(vanishing_[a], work, lower, upper);
    problem_.lower[a] = -lower;
    problem_.upper[a] = upper;
  }
  if (m == 1) {  // the common case, without the machinery
    const double w = problem_.matrix[0], b = problem_.offset[0];
    std::int8_t& state = system_.switch_state(vanishing_[0], mode);
    if (w * problem_.lower[0] + b > 0)
      state = slip::forward;
    else if (w * problem_.upper[0] + b < 0)
      state = slip::backward;
    system_.list_stuck(mode);
    return true;
  }
  const BoxQpSolution solution = solve_box_qp(problem_);
  // Held are the independent switches; what they carry along has its force fixed at its bound, or none.
  bool far_known = false;
  std::vector<int> held;
  Span span(problem_.matrix, m), far_span(far_matrix_, m);
  // The deflection of a beam turns rows that would be parallel apart, but by no motion that matters.
  const double threshold = system_.tree().has_beams() ? 1e-8 : 1e-11;
  const auto is_carried = [&](int a) {
    if (held.empty() || span.distance(a, held) > threshold) return false;
    if (!far_known) look_far(t, y, scales, mode);
    far_known = true;
    return far_span.distance(a, held) <= threshold;
  };
  for (int a = 0; a < m; ++a)
    if (solution.basic[a]) held.push_back(a);
  for (int a = 0; a < m; ++a)
    if (!solution.basic[a] && solution.state[a] == BoundState::inside && !is_carried(a)) held.push_back(a);
  for (int a = 0; a < m; ++a) {
    std::int8_t& state = system_.switch_state(vanishing_[a], mode);
    if (std::find(held.begin(), held.end(), a) != held.end()) {
      state = slip::stuck;
    } else if (solution.state[a] == BoundState::inside) {
      state = slip::idle;
    } else {
      const bool forward = solution.state[a] == BoundState::lower;
      const bool carried = is_carried(a);
      state = forward ? (carried ? slip::carried_forward : slip::forward)
                      : (carried ? slip::carried_backward : slip::backward);
    }
  }
  system_.list_stuck(mode);
  return solution.converged;
}

bool ModeSelector::has_contacts() const { return has(SwitchClass::normal); }
bool ModeSelector::has(SwitchClass what) const {
  return std::any_of(vanishing_.begin(), vanishing_.end(),
                     [&](const SwitchRef& s) { return system_.switch_class(s) == what; });
}

// The same with rigid contacts among the vanishing switches: normal forces that only press, and friction that follows
// them. `work` was evaluated with all of them held.
bool ModeSelector::settle_contacts(const Work<double>& work, Mode& mode) {
  const int m = static_cast<int>(vanishing_.size()), n = system_.dof_count();
  std::vector<double> size(m);
  forces_.resize(m);
  bool slides = false;
  for (const SwitchRef& s : vanishing_) slides = slides || system_.sliding_friction(s, mode) != 0;
  const double* drive = slides ? work.drive.data() : work.applied.data();
  double largest = 1e-300;
  for (int a = 0; a < m; ++a) {
    const SwitchRef s = vanishing_[a];
    const double* row = work.jacobian.data() + a * n;
    double rate = work.hold_bias[a], own = 0;
    double length = 0, pull = 0;
    for (int i = 0; i < n; ++i) {
      rate += row[i] * work.unheld[i];
      own += row[i] * work.applied[a * n + i];
      length += row[i] * row[i];
      pull += work.unheld[i] * work.unheld[i];
    }
    // A wall that nothing pushes against does not press, not even by rounding.
    if (std::abs(rate) < 1e-14 * std::sqrt(length * pull)) rate = 0;
    forces_.offset[a] = rate;
    size[a] = std::sqrt(own);
    largest = std::max(largest, std::abs(rate) / size[a]);
    for (int b = 0; b < m; ++b)
      for (int i = 0; i < n; ++i) forces_.matrix[a * m + b] += row[i] * drive[b * n + i];
    if (system_.switch_class(s) == SwitchClass::friction) {
      for (int b = 0; b < m; ++b)
        if (vanishing_[b].type == s.type && vanishing_[b].index == s.index
            && system_.switch_class(vanishing_[b]) == SwitchClass::normal)
          forces_.normal[a] = b;
      forces_.friction[a] = system_.friction_coefficient(s);
      continue;
    }
    double lower, upper;
    system_.switch_bounds(s, work, lower, upper);
    forces_.lower[a] = -lower;
    forces_.upper[a] = upper;
  }
  ForceSolution solution = solve_forces(forces_);
  jammed_ = -1;
  if (!solution.solved) {
    for (int a = 0; a < m; ++a)
      if (system_.sliding_friction(vanishing_[a], mode) != 0)
        if (jammed_ < 0 || forces_.matrix[a * m + a] <= 0) jammed_ = vanishing_[a].index;
    return false;
  }
  if (slides && !choose_answers(mode, solution)) return false;
  for (int a = 0; a < m; ++a) {
    const SwitchRef s = vanishing_[a];
    std::int8_t& state = system_.switch_state(s, mode);
    const bool moves = std::abs(solution.rate[a]) > 1e-10 * largest * size[a];
    if (solution.state[a] == BoundState::inside) {
      state = slip::stuck;
    } else if (system_.switch_class(s) == SwitchClass::normal) {
      state = slip::idle;
      if (moves) system_.set_closed(s, false, mode);
    } else {
      const bool forward = solution.state[a] == BoundState::lower;
      state = forward ? (moves ? slip::forward : slip::carried_forward)
                      : (moves ? slip::backward : slip::carried_backward);
    }
  }
  // Friction without a force to follow: its side is that of the motion to come.
  for (int a = 0; a < m; ++a)
    if (forces_.normal[a] >= 0 && solution.state[forces_.normal[a]] != BoundState::inside)
      system_.switch_state(vanishing_[a], mode) = slip::idle;
  system_.list_stuck(mode);
  return true;
}

std::vector<double> ModeSelector::pulls() const {
  std::vector<double> out(2 * system_.contacts().size(), 0.0);
  for (int a = 0; a < forces_.size; ++a)
    if (vanishing_[a].type == type_of<ContactForce>)
      out[2 * vanishing_[a].index + (vanishing_[a].sub == ContactForce::normal)] = forces_.offset[a];
  return out;
}

// Sliding contacts that their own force would press together (Painlevé) and that open without it have two answers, and by
// an impact a third: the policy of the contact chooses. False: by an impact, or by ending the run.
bool ModeSelector::choose_answers(const Mode& mode, ForceSolution& solution) {
  const int m = forces_.size;
  for (int a = 0; a < m; ++a) {
    const SwitchRef s = vanishing_[a];
    if (system_.sliding_friction(s, mode) == 0 || !(forces_.matrix[a * m + a] < 0)) continue;
    ForceSolution open = solution;
    if (solution.state[a] == BoundState::inside) {
      ForceProblem without = forces_;
      without.upper[a] = without.lower[a];
      open = solve_forces(without);
    }
    if (!open.solved || !(open.rate[a] > 0)) continue;
    two_answers_ = s.index;
    switch (system_.contacts()[s.index].law.painleve) {
      case Painleve::lift: solution = open; break;
      case Painleve::slide:
        if (ForceSolution closed = solve_forces_held(forces_, a); closed.solved && closed.force[a] > 0)
          solution = closed;
        break;
      case Painleve::jam:
      case Painleve::stop: jammed_ = s.index; return false;
    }
  }
  return true;
}

// Sets the velocities of the vanishing switches to exactly zero. They are of rounding size, and the kinetic energy
// changes by their square. True when one was not.
bool ModeSelector::stop_vanishing(double t, double* y, const Scales& scales, Mode mode, Work<double>& work) {
  const int n = system_.dof_count(), k = static_cast<int>(vanishing_.size());
  bool moving = false;
  for (const SwitchRef& s : vanishing_) moving = moving || system_.switch_rate(s, work) != 0;
  if (!moving) return false;
  for (const SwitchRef& s : vanishing_) system_.switch_state(s, mode) = slip::stuck;
  mode.stuck = vanishing_;
  find_rows(t, y, mode, work, scratch_.data());
  std::vector<double> w;
  fill_matrix(work, w);
  // A velocity may also vanish because its row does, as at the lowest point of a pendulum: there is nothing to stop
  // then, and stopping it would stop the body.
  const double most = 1e-5 * scales.speed * std::sqrt(system_.tree().total_mass());
  std::vector<int> use;
  for (int a = 0; a < k; ++a)
    if (w[a * k + a] > 0
        && std::abs(system_.switch_rate(vanishing_[a], work)) <= most * std::sqrt(w[a * k + a]))
      use.push_back(a);
  const int m = static_cast<int>(use.size());
  std::vector<double> g(static_cast<std::size_t>(m) * m), x(m), size(m), left(m);
  for (int a = 0; a < m; ++a) size[a] = std::sqrt(w[use[a] * k + use[a]]);
  for (int a = 0; a < m; ++a) left[a] = -system_.switch_rate(vanishing_[use[a]], work) / size[a];
  // What is nearly dependent is left alone. The ends of an axis that lies along the surface move along it by next to nothing:
  // stopping that would stop the turning.
  const bool hulls = has(SwitchClass::hull);
  for (int pass = 0; pass < (hulls ? 2 : 1); ++pass) {
    for (int a = 0; a < m; ++a)
      for (int b = 0; b < m; ++b) g[a * m + b] = w[use[a] * k + use[b]] / (size[a] * size[b]);
    x = left;
    solve_hold(g.data(), x.data(), m, hulls ? 1e-4 : 1e-7);
    for (int a = 0; a < m; ++a) {
      for (int i = 0; i < n; ++i) y[n + i] += work.applied[use[a] * n + i] * (x[a] / size[a]);
      for (int b = 0; b < m; ++b) left[a] -= w[use[a] * k + use[b]] / (size[a] * size[b]) * x[b];
    }
  }
  return true;
}

void ModeSelector::go_ahead(const double* y, const Work<double>& work, double ahead) {
  const int n = system_.dof_count();
  for (int i = 0; i < n; ++i) {
    const double a = work.acceleration[i];
    ahead_[i] = y[i] + ahead * (y[n + i] + 0.5 * ahead * a);
    ahead_[n + i] = y[n + i] + ahead * a;
  }
}

// What passes the surface with a clear velocity needs no forces to be decided: this saves a round of the selection.
// True when one was found: `work` is that of the mode before then.
bool ModeSelector::settle_moving_levels(double t, const double* y, const Scales& scales, double ahead,
                                        Mode& mode, Work<double>& work, double* slope) {
  mode.stuck.clear();
  system_.evaluate(t, y, mode, work, slope);
  const int n = system_.dof_count();
  for (int i = 0; i < n; ++i) ahead_[i] = y[i] + ahead * y[n + i];
  system_.tree().kinematics(ahead_.data(), y + n, there_.frames);
  const Scene scene = system_.scene();
  bool moving = false;
  system_.each([&]<class E>(const E& e, int k) {
    if constexpr (requires {
                    e.passes_clearly(scene, there_.frames, work.of<E>()[k], scales, ahead, there_.of<E>()[k]);
                  })
      moving =
          e.passes_clearly(scene, there_.frames, work.of<E>()[k], scales, ahead, there_.of<E>()[k]) || moving;
  });
  if (!moving) return false;
  system_.each([&]<class E>(const E& e, int k) {
    if constexpr (requires {
                    e.passes_clearly(scene, there_.frames, work.of<E>()[k], scales, ahead, there_.of<E>()[k]);
                  })
      e.settle_geometry(work.of<E>()[k], there_.of<E>()[k], scales, mode.of<E>()[k]);
  });
  return true;
}

// Where friction nearly presses a contact together, forces are so large that a clear slip turns within the step ahead.
bool ModeSelector::turns_meanwhile(const Work<double>& work, const Scales& scales, Mode& mode) const {
  const double small = tolerance::free_slip * scales.speed;
  for (std::size_t k = 0; k < system_.contacts().size(); ++k) {
    const ContactMode& m = mode.of<ContactForce>()[k];
    const double here = work.of<ContactForce>()[k].slip_rate, there = there_.of<ContactForce>()[k].slip_rate;
    if (m.touch == Touch::closed && slip::is_slipping(m.slip) && std::abs(here) > small && here * there < 0)
      return true;
  }
  // What is slow in sand turns within a time as small as its speed.
  bool turns = false;
  for (const SwitchRef& s : active_) {
    if (system_.switch_class(s) != SwitchClass::hull) continue;
    const double change = system_.switch_rate(s, there_) - system_.switch_rate(s, work);
    system_.with_hull(s, mode, work, [&](const auto& e, int hull, const auto& m, const auto& w) {
      turns = turns || (!e.is_held(hull, m) && std::abs(change) > 0.3 * e.speed_of(hull, w));
    });
  }
  return turns;
}

bool ModeSelector::decides_at_once(const Work<double>& work, const Scales& scales, const Mode& mode) const {
  bool at_once = false;
  system_.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.decides_at_once(work.of<E>()[k], scales, mode.of<E>()[k]); })
      at_once = at_once || e.decides_at_once(work.of<E>()[k], scales, mode.of<E>()[k]);
  });
  return at_once;
}

bool ModeSelector::select(double t, double* y, const Scales& scales, double ahead, Mode& mode,
                          Work<double>& work, double* slope) {
  bool ok = true, started = false;
  jammed_ = two_answers_ = -1;
  start_.clear();
  released_.clear();
  const std::vector<double> kept(y + system_.dof_count(), y + 2 * system_.dof_count());
  bool evaluated = !settle_moving_levels(t, y, scales, ahead, mode, work, slope);
  for (int round = 0; round < 4; ++round) {
    mode.stuck.clear();
    speeds_.clear();
    if (!evaluated) system_.evaluate(t, y, mode, work, slope);
    evaluated = false;
    const bool flow_is_clear = settle_flow(work, work, scales, mode);
    settle_touch(work, scales, mode);
    find_vanishing(work, scales, mode);
    // What is stopped may stop others too: a disc in a corner, by the one wall and by the other.
    for (int stops = 0; stops < 4 && stop_vanishing(t, y, scales, mode, work); ++stops) {
      if (vanishing_.size() == active_.size() || !has_contacts()) break;
      const std::size_t before = vanishing_.size();
      mode.stuck.clear();
      system_.evaluate(t, y, mode, work, slope);
      find_vanishing(work, scales, mode);
      if (vanishing_.size() == before) break;
    }
    ok = settle_switches(t, y, scales, mode, work, slope);
    if (give_time(mode, work)) {  // it was not held, and goes on as it was
      std::copy(kept.begin(), kept.end(), y + system_.dof_count());
      --round;
      continue;
    }
    started = start_released(y);
    system_.evaluate(t, y, mode, work, slope);
    if (started) ask_slower(scales, work, mode);
    decided_ = mode;

    go_ahead(y, work, ahead);
    system_.evaluate(t + ahead, ahead_.data(), mode, there_, scratch_.data());
    for (int nearer = 0; nearer < 4 && turns_meanwhile(work, scales, mode); ++nearer) {
      ahead *= 0.01;
      go_ahead(y, work, ahead);
      system_.evaluate(t + ahead, ahead_.data(), mode, there_, scratch_.data());
    }
    if (settle_geometry(work, there_, scales, mode))
      continue;  // other parts are in the sand now: start again
    // What the sand holds is known at once; a step ahead the forces of what is slow would be others.
    if (!has(SwitchClass::hull) && !decides_at_once(work, scales, mode)
        && !settle_switches(t + ahead, ahead_.data(), scales, mode, there_, scratch_.data())) {
      // What was found for the state itself stands: a slip that ends within the step ahead needs an answer later.
      if (ok && has_contacts())
        mode = decided_, jammed_ = -1;
      else
        ok = false;
    }
    if (flow_is_clear) break;
    // The flow starts with the accelerations of the mode just found.
    system_.list_stuck(mode);
    if (!(mode == decided_)) system_.evaluate(t, y, mode, work, slope);
    decided_ = mode;
    go_ahead(y, work, ahead);
    system_.evaluate(t + ahead, ahead_.data(), mode, there_, scratch_.data());
    settle_flow(work, there_, scales, mode);
    break;
  }
  system_.list_stuck(mode);
  if (started && !again_ && starts_sliding(t, y, scales, mode, work, slope)) {
    again_ = true;
    ok = select(t, y, scales, ahead, mode, work, slope);
    again_ = false;
    return ok;
  }
  if (!(mode == decided_)) system_.evaluate(t, y, mode, work, slope);
  return ok;
}

}  // namespace thud
