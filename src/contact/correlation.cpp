#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contact/impact_parts.hpp"
#include "thud/solve/box_qp.hpp"
#include "thud/solve/complementarity.hpp"
#include "thud/solve/small_systems.hpp"

namespace thud::impact_parts {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int most_turns = 10000;
constexpr std::size_t most_corners = 400;

// Velocities are measured in √(2 · energy · W_kk): what this fraction of the first ones is, is zero.
constexpr double zero_velocity = 1e-12;
// Events that are this close together, relative to the impulse of the turn, are one.
constexpr double coincidence = 1e-13;
// What rounding can make of a rate that is zero, relative to its terms.
constexpr double zero_sum = 1e-13, zero_rate = 1e-11,
                 zero_residual = 1e-10;  // given impulses, solved ones, wanted
// More friction than this, in units of √(W_nn/W_tt), is no different from infinite friction.
constexpr double rough = 1e12, rough_hold = 1e6;

enum class Part : signed char {
  out,      // gets no impulse in this turn
  active,   // gets α^d per impulse of the leader
  resting,  // v = 0 and no energy: gets no more than α^d, and no more than keeps it closed
};

template <class T>
struct EventOf {
  enum Kind : signed char { cross, spent, slip } kind;
  int contact;
  T x;
};

// The unknown rates of a piece: those of contacts that rest, and friction of contacts that do not slip.
struct Unknown {
  int row;      // of W
  int contact;  // whose
  bool normal;
};

template <class Problem>
class Turns {
  using T = ScalarOf<Problem>;
  using Event = EventOf<T>;

 public:
  explicit Turns(const Problem& p)
      : p_(p),
        n_(p.count),
        v_(p.velocity),
        rho_(2 * n_, T(0)),
        rate_(2 * n_, T(0)),
        noise_(2 * n_, 0.0),
        unit_(2 * n_, T(0)),
        stored_(n_, T(0)),
        share_(n_, T(0)),
        part_(n_, Part::out),
        hopeless_(n_, 0),
        slipped_(n_, 0),
        out_(make_untouched(p)) {
    for (int k = 0; k < 2 * n_; ++k) {
      using std::sqrt;
      unit_[k] = sqrt(std::max(w(k, k), T(0)));
      if (is_positive(unit_[k])) speed_ = std::max(speed_, std::abs(value_of(v_[k])) / value_of(unit_[k]));
    }
  }

  ResultOf<Problem> run() {
    int leader = next_leader();
    if (leader < 0) return std::move(out_);
    add_corner(ImpactCorner::start, leader);
    double approach = 0;
    for (; leader >= 0 && out_.turns < most_turns; leader = next_leader()) {
      approach = -value_of(v_[normal(leader)]) / value_of(unit_[normal(leader)]);
      leader_ = leader;
      ++out_.turns;
      turn();
      if (ended_) std::fill(hopeless_.begin(), hopeless_.end(), '\0');
    }
    out_.endless = leader >= 0 || (out_.turns > 2 * n_ && std::abs(approach) < 1e-9 * speed_);
    if (leader >= 0) close_plastically();
    finish();
    return std::move(out_);
  }

 private:
  static int tangent(int contact) { return 2 * contact; }
  static int normal(int contact) { return 2 * contact + 1; }
  T w(int a, int b) const { return p_.matrix[static_cast<std::size_t>(a) * 2 * n_ + b]; }
  static bool is_positive(const T& x) { return value_of(x) > 0; }
  static bool is_none(const T& x) { return value_of(x) == 0; }
  double small(int row) const { return zero_velocity * speed_ * value_of(unit_[row]); }
  bool is_small(int row, double factor = 1) const {
    return std::abs(value_of(v_[row])) <= factor * small(row);
  }
  double small_energy() const { return zero_velocity * zero_velocity * speed_ * speed_; }
  T friction(int j, double most) const {
    const T ut = unit_[tangent(j)];
    return is_positive(ut) ? std::min(p_.friction[j], most * unit_[normal(j)] / ut)
                           : std::min(p_.friction[j], T(1));
  }
  bool is_rough(int j) const { return is_positive(p_.friction[j]); }

  // The contact that approaches fastest, in units of √W_nn, or the first that does, as the problem says; when none
  // does, one that has energy left to give back.
  int next_leader() const {
    int best = -1;
    double most = 0;
    for (int j = 0; j < n_; ++j) {
      const int k = normal(j);
      if (!is_positive(unit_[k]) || hopeless_[j] || !(value_of(v_[k]) < -small(k))) continue;
      if (p_.leader == LeaderRule::first) return j;
      const double speed = -value_of(v_[k]) / value_of(unit_[k]);
      if (best < 0 || speed > most * (1 + 1e-12)) best = j, most = speed;
    }
    if (best >= 0) return best;
    for (int j = 0; j < n_; ++j)
      if (value_of(stored_[j]) > small_energy() && value_of(stored_[j]) > most)
        best = j, most = value_of(stored_[j]);
    return best;
  }

  void turn() {
    if (out_.turns > 1) renew_velocities();
    assign_parts();
    impulse_ = T(0);
    ended_ = false;
    arrived_.clear();
    for (int piece = 0; piece < 100 + 50 * n_ && !ended_; ++piece) {
      find_rates();
      add_slip_corners();
      find_events();
      T x(never);
      for (const Event& event : events_) x = std::min(x, event.x);
      if (value_of(x) == never) break;
      advance(x);
      for (const Event& event : events_)
        if (value_of(event.x) - value_of(x) <= coincidence * value_of(impulse_)) happen(event);
      for (int k = 0; k < 2 * n_; ++k)  // velocities that vanish together, where W is singular
        if (is_small(k, 1e-2)) v_[k] = T(0);
    }
    if (!ended_) give_up();
    stored_[leader_] = T(0);
    add_corner(ImpactCorner::end, leader_);
  }

  // Nothing can change any more: friction and the other contacts hold the leader. With W singular only.
  void give_up() {
    const int k = normal(leader_);
    hopeless_[leader_] = value_of(v_[k]) < 0;
    if (value_of(v_[k]) < -1e3 * small(k)) {
      out_.solved = false;
      out_.note = "no impulse at these contacts can stop their approach";
    } else if (out_.note.empty()) {
      out_.note = "friction holds a contact at its greatest compression: nothing is given back";
    }
  }

  // The velocities of the impulses so far, free of what rounding has gathered on the way.
  void renew_velocities() {
    v_ = p_.velocity;
    for (int b = 0; b < 2 * n_; ++b)
      if (!is_none(out_.impulse[b]))
        for (int a = 0; a < 2 * n_; ++a) v_[a] += w(a, b) * out_.impulse[b];
  }

  void assign_parts() {
    share_out();
    for (int j = 0; j < n_; ++j) {
      const int k = normal(j);
      if (is_small(tangent(j))) v_[tangent(j)] = T(0);
      if (value_of(stored_[j]) <= small_energy()) stored_[j] = T(0);
      if (is_small(k)) v_[k] = T(0);
      if (j == leader_) {
        part_[j] = Part::active;
      } else if (!is_positive(share_[j]) || !is_positive(unit_[k])) {
        part_[j] = Part::out;
      } else if (is_none(v_[k]) && is_none(stored_[j])) {
        part_[j] = Part::resting;
      } else {
        part_[j] = value_of(v_[k]) < 0 || is_positive(stored_[j]) ? Part::active : Part::out;
      }
    }
  }

  // α^d, with d the number of couplings between a contact and the leader.
  void share_out() {
    std::fill(share_.begin(), share_.end(), T(0));
    share_[leader_] = T(1);
    correlate();
    if (p_.leader == LeaderRule::first) return;
    // Contacts that approach alike lead together: a block that lands flat stays level.
    const double fastest = value_of(v_[normal(leader_)]) / value_of(unit_[normal(leader_)]);
    for (int j = 0; j < n_; ++j)
      if (const int k = normal(j);
          fastest < 0 && is_positive(unit_[k])
          && std::abs(value_of(v_[k]) / value_of(unit_[k]) - fastest) < -1e-9 * fastest)
        share_[j] = T(1);
  }

  void correlate() {
    if (coupled_.empty()) {
      coupled_.assign(static_cast<std::size_t>(n_) * n_, 0);
      for (int i = 0; i < n_; ++i)
        for (int j = 0; j < n_; ++j) coupled_[i * n_ + j] = are_coupled(p_, i, j);
    }
    queue_.assign(1, leader_);
    for (std::size_t at = 0; at < queue_.size(); ++at)
      for (int j = 0; j < n_; ++j)
        if (is_none(share_[j]) && coupled_[queue_[at] * n_ + j]) {
          share_[j] = p_.correlation_of(j) * share_[queue_[at]];
          if (is_positive(share_[j])) queue_.push_back(j);
        }
  }

  // rho_: impulses per impulse of the leader; rate_: the changes of the velocities.
  void find_rates() {
    for (;;) {
      std::fill(rho_.begin(), rho_.end(), T(0));
      unknown_.clear();
      for (int j = 0; j < n_; ++j) {
        if (part_[j] == Part::out) continue;
        if (part_[j] == Part::resting)
          unknown_.push_back({normal(j), j, true});
        else
          rho_[normal(j)] = share_[j];
        if (!is_rough(j)) continue;
        if (is_none(v_[tangent(j)]) && is_positive(unit_[tangent(j)]))
          unknown_.push_back({tangent(j), j, false});
        else
          rho_[tangent(j)] = rho_[normal(j)] * slip_ratio(j);
      }
      multiply(zero_sum);
      if (unknown_.empty()) break;
      if (!solve_unknown()) continue;  // with fewer contacts
      multiply(zero_rate);
      if (is_solution()) break;
      if (stand_back()) {
        multiply(zero_rate);
        break;
      }
    }
    settle();
  }

  // Tangential per normal impulse of a contact that slips.
  T slip_ratio(int j) const {
    const T s = v_[tangent(j)];
    return is_none(s) ? T(0) : is_positive(s) ? -friction(j, rough) : friction(j, rough);
  }

  void multiply(double zero) {
    std::fill(rate_.begin(), rate_.end(), T(0));
    std::fill(noise_.begin(), noise_.end(), 0.0);
    for (int b = 0; b < 2 * n_; ++b) {
      if (is_none(rho_[b])) continue;
      for (int a = 0; a < 2 * n_; ++a) {
        const T term = w(a, b) * rho_[b];
        rate_[a] += term;
        noise_[a] += std::abs(value_of(term));
      }
    }
    for (int a = 0; a < 2 * n_; ++a)
      if (std::abs(value_of(rate_[a])) <= zero * noise_[a]) rate_[a] = T(0);
  }

  // False: no solution was found, and the contacts that rest stand back until their own turn.
  bool solve_unknown() {
    const int m = static_cast<int>(unknown_.size());
    if (m == 1) {
      solve_one();
      return true;
    }
    bool symmetric = true;
    ForceProblem f;
    f.resize(m);
    for (int i = 0; i < m; ++i) {
      const Unknown& u = unknown_[i];
      f.offset[i] = value_of(rate_[u.row]);
      for (int k = 0; k < m; ++k) f.matrix[i * m + k] = value_of(column(u.row, unknown_[k]));
      if (u.normal) {
        f.upper[i] = value_of(share_[u.contact]);
        if (is_rough(u.contact)) symmetric = false;
      } else if (part_[u.contact] == Part::resting) {
        f.normal[i] = i - 1;  // it comes right after its normal
        f.friction[i] = value_of(friction(u.contact, rough_hold));
      } else {
        f.upper[i] = value_of(friction(u.contact, rough_hold) * share_[u.contact]);
        f.lower[i] = -f.upper[i];
      }
    }
    return symmetric ? solve_box(f) : solve_following(f);
  }

  // Change of velocity a per unknown: friction of a slipping contact that rests goes with its normal impulse.
  T column(int a, const Unknown& u) const {
    T sum = w(a, u.row);
    if (u.normal && is_rough(u.contact)) sum += w(a, tangent(u.contact)) * slip_ratio(u.contact);
    return sum;
  }

  void solve_one() {
    const Unknown& u = unknown_[0];
    const T d = column(u.row, u), wish = -rate_[u.row];
    const T most = u.normal ? share_[u.contact] : friction(u.contact, rough_hold) * share_[u.contact];
    const T least = u.normal ? T(0) : -most;
    // Friction can make d ≤ 0 for a contact that slips: then more impulse only draws it in.
    const T force = is_positive(d) ? std::clamp(wish / d, least, most) : is_positive(wish) ? most : least;
    set_force(u, force);
  }

  void set_force(const Unknown& u, T force) {
    rho_[u.row] = force;
    if (u.normal && is_rough(u.contact) && !is_none(v_[tangent(u.contact)]))
      rho_[tangent(u.contact)] = force * slip_ratio(u.contact);
  }

  bool solve_box(const ForceProblem& f) {
    std::vector<double> force;
    if (!solve_polished(f, force)) return stand_back();
    set_forces(f, force);
    return true;
  }

  // The box problem is regularised: the rates of what is inside are made zero once more.
  bool solve_polished(const ForceProblem& f, std::vector<double>& force) {
    const int m = f.size;
    const BoxQpSolution s = solve_box_qp({m, f.matrix, f.offset, f.lower, f.upper});
    if (!s.converged) return false;
    force = s.force;
    std::vector<int> inside;
    for (int i = 0; i < m; ++i)
      if (s.state[i] == BoundState::inside) inside.push_back(i);
    const int k = static_cast<int>(inside.size());
    if (k == 0) return true;
    Eigen::MatrixXd a(k, k);
    Eigen::VectorXd b(k);
    for (int i = 0; i < k; ++i) {
      b[i] = -s.rate[inside[i]];
      for (int j = 0; j < k; ++j) a(i, j) = f.matrix[inside[i] * m + inside[j]];
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(1e-12);
    const Eigen::VectorXd correction = solver.compute(a).solve(b);
    for (int i = 0; i < k; ++i)
      force[inside[i]] = std::clamp(force[inside[i]] + correction[i], f.lower[inside[i]], f.upper[inside[i]]);
    return true;
  }

  bool solve_following(const ForceProblem& f) {
    const ForceSolution s = solve_forces(f);
    if (!s.solved) return stand_back();
    set_forces(f, s.force);
    return true;
  }

  // On dual numbers the forces that stand at no bound follow from the rates that they make zero.
  void set_forces(const ForceProblem& f, const std::vector<double>& force) {
    if constexpr (std::is_same_v<T, double>) {
      for (int i = 0; i < f.size; ++i) set_force(unknown_[i], force[i]);
    } else {
      set_forces_with_rates(f, force);
    }
  }
  void set_forces_with_rates(const ForceProblem& f, const std::vector<double>& force) {
    const int m = f.size;
    std::vector<T> a(static_cast<std::size_t>(m) * m, T(0)), x(m, T(0));
    double largest = 0;
    for (int i = 0; i < m; ++i) {
      const Unknown& u = unknown_[i];
      const bool follows = !u.normal && part_[u.contact] == Part::resting;
      const T most = u.normal ? share_[u.contact]
                   : follows  ? friction(u.contact, rough_hold)
                              : friction(u.contact, rough_hold) * share_[u.contact];
      const double bound = follows ? value_of(most) * force[i - 1] : value_of(most);
      const int side = std::abs(force[i] - bound) <= 1e-9 * bound                   ? 1
                     : std::abs(force[i] - (u.normal ? 0 : -bound)) <= 1e-9 * bound ? -1
                                                                                    : 0;
      if (side == 0) {
        for (int k = 0; k < m; ++k) a[i * m + k] = column(u.row, unknown_[k]);
        x[i] = -rate_[u.row];
      } else {
        a[i * m + i] = T(1);
        if (follows)
          a[i * m + i - 1] = T(-side) * most;
        else
          x[i] = side > 0 ? most : u.normal ? T(0) : -most;
      }
      largest = std::max(largest, std::abs(value_of(a[i * m + i])));
    }
    solve_general(a.data(), x.data(), m, 1e-14 * largest);
    for (int i = 0; i < m; ++i) set_force(unknown_[i], T{force[i], x[i].d});
  }

  // False, with fewer contacts to solve for. Where only friction is left, a box problem that has a solution, and
  // rounding hides it: true, with no friction where there is no slip.
  bool stand_back() {
    bool any = false;
    for (int j = 0; j < n_; ++j)
      if (part_[j] == Part::resting) part_[j] = Part::out, any = true;
    if (any) return false;
    for (const Unknown& u : unknown_) rho_[u.row] = T(0);
    return true;
  }

  // Whether the rates are those that the bounds ask for; makes zero what is meant to be.
  bool is_solution() {
    for (const Unknown& u : unknown_) {
      T& rate = rate_[u.row];
      const double force = value_of(rho_[u.row]);
      const double most =
          value_of(u.normal ? share_[u.contact] : friction(u.contact, rough_hold) * rho_[normal(u.contact)]);
      const double least = u.normal ? 0 : -most;
      if (std::abs(value_of(rate)) <= zero_residual * noise_[u.row])
        rate = T(0);
      else if (is_positive(rate) ? force > least + 1e-9 * most : force < most - 1e-9 * most)
        return false;
    }
    return true;
  }

  // Contacts that do not keep their rest.
  void settle() {
    for (const Unknown& u : unknown_) {
      const double rate = value_of(rate_[u.row]);
      if (!u.normal) continue;
      const double force = value_of(rho_[u.row]), most = value_of(share_[u.contact]);
      if (rate > 0) part_[u.contact] = Part::out;  // lifts off
      if (rate < 0) part_[u.contact] = force > 0 ? Part::active : Part::out;
      if (rate == 0 && force > 0 && force < most * (1 - 1e-9) && most > value_of(out_.limited)) {
        out_.limited = T(most);
        limit_ = force;
      }
    }
    for (int j = 0; j < n_; ++j) {
      const T t = rho_[tangent(j)], own = w(normal(j), normal(j)) * rho_[normal(j)];
      if (part_[j] == Part::active && !is_none(v_[tangent(j)])
          && value_of(own + w(normal(j), tangent(j)) * t) < 0)
        out_.jam = true;
    }
  }

  void find_events() {
    events_.clear();
    for (int j = 0; j < n_; ++j) {
      if (part_[j] == Part::out) continue;
      const T s = v_[tangent(j)], slope = rate_[tangent(j)];
      if (is_rough(j) && value_of(s * slope) < 0) events_.push_back({Event::slip, j, -s / slope});
      if (part_[j] == Part::active) find_normal_event(j);
    }
  }

  void find_normal_event(int j) {
    const T c = v_[normal(j)], a = rate_[normal(j)], r = rho_[normal(j)], energy = stored_[j] / r;
    if (value_of(c) < 0) {
      if (is_positive(a)) events_.push_back({Event::cross, j, -c / a});
      return;
    }
    if (is_none(c) && value_of(a) < 0) return;  // goes into compression again
    // Friction and the other contacts hold it, W being singular: what is left of c is rounding.
    if (is_none(a) && is_positive(energy) && value_of(c) <= 1e4 * small(normal(j))) return;
    const T square = c * c + 2 * a * energy;
    using std::sqrt;
    if (value_of(square) < 0) {
      events_.push_back({Event::cross, j, -c / a});
    } else if (const T root = c + sqrt(square); is_positive(root)) {
      events_.push_back({Event::spent, j, 2 * energy / root});
    } else if (is_none(energy)) {
      events_.push_back({Event::spent, j, T(0)});
    }
  }

  void advance(T x) {
    impulse_ += x;
    for (int j = 0; j < n_; ++j) {
      const int t = tangent(j), k = normal(j);
      if (part_[j] != Part::out) {
        const T work = rho_[k] * (v_[k] + 0.5 * rate_[k] * x) * x;
        out_.work_normal[j] += work;
        out_.work_friction[j] += rho_[t] * (v_[t] + 0.5 * rate_[t] * x) * x;
        if (part_[j] == Part::active)
          stored_[j] -= value_of(work) < 0 ? p_.restitution[j] * p_.restitution[j] * work : work;
        stored_[j] = std::max(stored_[j], T(0));
      }
      for (int row : {t, k}) {
        out_.impulse[row] += rho_[row] * x;
        v_[row] += rate_[row] * x;
      }
    }
  }

  void happen(const Event& event) {
    const int j = event.contact, k = normal(j);
    switch (event.kind) {
      case Event::slip:
        slipped_[j] = is_none(v_[tangent(j)]) ? slipped_[j] : value_of(rate_[tangent(j)]) < 0 ? 1 : -1;
        v_[tangent(j)] = T(0);
        arrived_.push_back(j);
        return;
      case Event::cross:
        v_[k] = T(0);
        if (value_of(rate_[k]) < 0) return;
        add_corner(ImpactCorner::compression, j);
        if (value_of(stored_[j]) > small_energy()) return;
        stored_[j] = T(0);
        if (j == leader_)
          ended_ = true;
        else
          part_[j] = Part::resting;
        return;
      case Event::spent:
        stored_[j] = T(0);
        if (j == leader_) {
          ended_ = true;
        } else {
          part_[j] = is_positive(v_[k]) ? Part::out : Part::resting;
          add_corner(ImpactCorner::spent, j);
        }
        return;
    }
  }

  // Whether a contact whose slip has vanished sticks or slips back is known with the next rates.
  void add_slip_corners() {
    for (int j : arrived_) {
      if (is_none(rate_[tangent(j)]))
        add_corner(ImpactCorner::stick, j);
      else if (value_of(rate_[tangent(j)]) * slipped_[j] < 0)
        add_corner(ImpactCorner::reversal, j);
    }
    arrived_.clear();
  }

  // What is left after the most turns: p ≥ 0, v ≥ 0, p·v = 0. Once more for what rounding leaves of it.
  void close_plastically() {
    for (int round = 0; round < 10; ++round) {
      renew_velocities();
      const ForceProblem f = normal_problem();
      std::vector<double> force(n_, 0.0);
      if (approach_of(f, force) <= zero_velocity * speed_) return;
      if (!solve_polished(f, force)) {
        out_.solved = false;
        return;
      }
      for (int i = 0; i < n_; ++i) {
        double after = f.offset[i];
        for (int j = 0; j < n_; ++j) after += f.matrix[i * n_ + j] * force[j];
        out_.work_normal[i] += T(0.5 * (f.offset[i] + after) * force[i]);
        out_.impulse[normal(i)] += T(force[i]);
      }
    }
    renew_velocities();
  }

  ForceProblem normal_problem() const {
    ForceProblem f;
    f.resize(n_);
    double speed = 0;
    for (int i = 0; i < n_; ++i) {
      const int k = normal(i);
      if (is_positive(unit_[k])) speed = std::max(speed, std::abs(value_of(v_[k])) / value_of(unit_[k]));
      f.offset[i] = value_of(v_[k]);
      for (int j = 0; j < n_; ++j) f.matrix[i * n_ + j] = value_of(w(k, normal(j)));
    }
    for (int i = 0; i < n_; ++i)
      if (is_positive(unit_[normal(i)]))
        f.upper[i] = 1e10 * speed / value_of(unit_[normal(i)]);  // as good as none
    return f;
  }

  // The fastest approach that these impulses leave.
  double approach_of(const ForceProblem& f, const std::vector<double>& force) const {
    double most = 0;
    for (int i = 0; i < n_; ++i) {
      double v = f.offset[i];
      for (int j = 0; j < n_; ++j) v += f.matrix[i * n_ + j] * force[j];
      if (is_positive(unit_[normal(i)])) most = std::max(most, -v / value_of(unit_[normal(i)]));
    }
    return most;
  }

  void add_corner(ImpactCorner corner, int contact) {
    if (out_.path.size() < most_corners) out_.path.push_back({corner, contact, leader_, out_.impulse, v_});
  }

  void finish() {
    const std::vector<T> followed = v_;
    renew_velocities();
    out_.velocity = v_;
    set_energy(p_, out_);
    for (int k = 0; k < 2 * n_; ++k) {  // what was brought to zero is zero
      const bool approaches = k % 2 == 1 && value_of(v_[k]) < 0;
      if ((is_none(followed[k]) || approaches) && is_small(k)) v_[k] = T(0);
    }
    out_.velocity = v_;
    if (values_of(out_.path.back().impulse) != values_of(out_.impulse))
      out_.path.push_back({ImpactCorner::end, leader_, leader_, out_.impulse, v_});
    else
      out_.path.back().velocity = v_;
    static constexpr std::array<const char*, 10> counts = {"no",   "one", "two",   "three", "four",
                                                           "five", "six", "seven", "eight", "nine"};
    out_.name = out_.turns < 10 ? counts[static_cast<std::size_t>(out_.turns)] : std::to_string(out_.turns);
    out_.name += out_.turns == 1 ? " turn" : " turns";
    if (is_positive(out_.limited)) add_note(limit_note());
    if (out_.endless) add_note(endless_note());
  }

  void add_note(const std::string& text) {
    if (!out_.note.empty()) out_.note += "; ";
    out_.note += text;
  }

  std::string limit_note() const {
    return fmt::format(
        "the impulse correlation {:.4g} is cut back to its limit {:.4g}, since more would push a resting "
        "contact open",
        value_of(out_.limited), limit_);
  }

  std::string endless_note() const {
    std::string text = "the contacts would take turns for ever, and are closed plastically";
    if (n_ != 2) return text;
    const double e1 = value_of(p_.restitution[0]), e2 = value_of(p_.restitution[1]);
    const double coupling = -value_of(w(1, 3)) / value_of(unit_[1] * unit_[3]);
    const double border = (std::sqrt(e1) + std::sqrt(e2)) / std::sqrt((1 + e1) * (1 + e2));
    if (coupling < border) return text;
    return text + fmt::format(": −G12/√(G11 G22) = {:.4g} is not below", coupling)
         + fmt::format(" (√e1 + √e2)/√((1 + e1)(1 + e2)) = {:.4g}", border);
  }

  const Problem& p_;
  int n_;
  std::vector<T> v_, rho_, rate_;
  std::vector<double> noise_;
  std::vector<T> unit_, stored_, share_;
  std::vector<Part> part_;
  std::vector<char> hopeless_, coupled_;
  std::vector<signed char> slipped_;  // sign of the slip before it vanished
  std::vector<int> queue_, arrived_;
  std::vector<Unknown> unknown_;
  std::vector<Event> events_;
  int leader_ = 0;
  bool ended_ = false;
  double speed_ = 0, limit_ = 0;
  T impulse_{};
  ResultOf<Problem> out_;
};

}  // namespace

template <class Problem>
ResultOf<Problem> solve_correlated(const Problem& problem) {
  return Turns<Problem>(problem).run();
}

template ImpactResult solve_correlated(const ImpactProblem&);
THUD_WITH_DUALS(template ImpactResultOf<Dual<double>> solve_correlated(const ImpactProblemOf<Dual<double>>&);)

}  // namespace thud::impact_parts
