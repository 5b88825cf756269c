#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contact/impact_parts.hpp"
#include "thud/solve/box_qp.hpp"
#include "thud/solve/complementarity.hpp"

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

struct Event {
  enum Kind : signed char { cross, spent, slip } kind;
  int contact;
  double x;
};

// The unknown rates of a piece: those of contacts that rest, and friction of contacts that do not slip.
struct Unknown {
  int row;      // of W
  int contact;  // whose
  bool normal;
};

class Turns {
 public:
  explicit Turns(const ImpactProblem& p)
      : p_(p),
        n_(p.count),
        v_(p.velocity),
        rho_(2 * n_, 0.0),
        rate_(2 * n_, 0.0),
        noise_(2 * n_, 0.0),
        unit_(2 * n_, 0.0),
        stored_(n_, 0.0),
        share_(n_, 0.0),
        part_(n_, Part::out),
        hopeless_(n_, 0),
        slipped_(n_, 0),
        out_(make_untouched(p)) {
    for (int k = 0; k < 2 * n_; ++k) {
      unit_[k] = std::sqrt(std::max(w(k, k), 0.0));
      if (unit_[k] > 0) speed_ = std::max(speed_, std::abs(v_[k]) / unit_[k]);
    }
  }

  ImpactResult run() {
    int leader = next_leader();
    if (leader < 0) return std::move(out_);
    add_corner(ImpactCorner::start, leader);
    double approach = 0;
    for (; leader >= 0 && out_.turns < most_turns; leader = next_leader()) {
      approach = -v_[normal(leader)] / unit_[normal(leader)];
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
  double w(int a, int b) const { return p_.matrix[static_cast<std::size_t>(a) * 2 * n_ + b]; }
  double small(int row) const { return zero_velocity * speed_ * unit_[row]; }
  double small_energy() const { return zero_velocity * zero_velocity * speed_ * speed_; }
  double friction(int j, double most) const {
    const double ut = unit_[tangent(j)];
    return ut > 0 ? std::min(p_.friction[j], most * unit_[normal(j)] / ut) : std::min(p_.friction[j], 1.0);
  }
  bool is_rough(int j) const { return p_.friction[j] > 0; }

  // The contact that approaches fastest, in units of √W_nn, or the first that does, as the problem says; when none
  // does, one that has energy left to give back.
  int next_leader() const {
    int best = -1;
    double most = 0;
    for (int j = 0; j < n_; ++j) {
      const int k = normal(j);
      if (!(unit_[k] > 0) || hopeless_[j] || !(v_[k] < -small(k))) continue;
      if (p_.leader == LeaderRule::first) return j;
      const double speed = -v_[k] / unit_[k];
      if (best < 0 || speed > most * (1 + 1e-12)) best = j, most = speed;
    }
    if (best >= 0) return best;
    for (int j = 0; j < n_; ++j)
      if (stored_[j] > small_energy() && stored_[j] > most) best = j, most = stored_[j];
    return best;
  }

  void turn() {
    if (out_.turns > 1) renew_velocities();
    assign_parts();
    impulse_ = 0;
    ended_ = false;
    arrived_.clear();
    for (int piece = 0; piece < 100 + 50 * n_ && !ended_; ++piece) {
      find_rates();
      add_slip_corners();
      find_events();
      double x = never;
      for (const Event& event : events_) x = std::min(x, event.x);
      if (x == never) break;
      advance(x);
      for (const Event& event : events_)
        if (event.x - x <= coincidence * impulse_) happen(event);
      for (int k = 0; k < 2 * n_; ++k)  // velocities that vanish together, where W is singular
        if (std::abs(v_[k]) <= 1e-2 * small(k)) v_[k] = 0;
    }
    if (!ended_) give_up();
    stored_[leader_] = 0;
    add_corner(ImpactCorner::end, leader_);
  }

  // Nothing can change any more: friction and the other contacts hold the leader. With W singular only.
  void give_up() {
    const int k = normal(leader_);
    hopeless_[leader_] = v_[k] < 0;
    if (v_[k] < -1e3 * small(k)) {
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
      if (out_.impulse[b] != 0)
        for (int a = 0; a < 2 * n_; ++a) v_[a] += w(a, b) * out_.impulse[b];
  }

  void assign_parts() {
    share_out();
    for (int j = 0; j < n_; ++j) {
      const int k = normal(j);
      if (std::abs(v_[tangent(j)]) <= small(tangent(j))) v_[tangent(j)] = 0;
      if (stored_[j] <= small_energy()) stored_[j] = 0;
      if (std::abs(v_[k]) <= small(k)) v_[k] = 0;
      if (j == leader_) {
        part_[j] = Part::active;
      } else if (!(share_[j] > 0) || !(unit_[k] > 0)) {
        part_[j] = Part::out;
      } else if (v_[k] == 0 && stored_[j] == 0) {
        part_[j] = Part::resting;
      } else {
        part_[j] = v_[k] < 0 || stored_[j] > 0 ? Part::active : Part::out;
      }
    }
  }

  // α^d, with d the number of couplings between a contact and the leader.
  void share_out() {
    std::fill(share_.begin(), share_.end(), 0.0);
    share_[leader_] = 1;
    correlate();
    if (p_.leader == LeaderRule::first) return;
    // Contacts that approach alike lead together: a block that lands flat stays level.
    const double fastest = v_[normal(leader_)] / unit_[normal(leader_)];
    for (int j = 0; j < n_; ++j)
      if (const int k = normal(j);
          fastest < 0 && unit_[k] > 0 && std::abs(v_[k] / unit_[k] - fastest) < -1e-9 * fastest)
        share_[j] = 1;
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
        if (share_[j] == 0 && coupled_[queue_[at] * n_ + j]) {
          share_[j] = p_.correlation_of(j) * share_[queue_[at]];
          if (share_[j] > 0) queue_.push_back(j);
        }
  }

  // rho_: impulses per impulse of the leader; rate_: the changes of the velocities.
  void find_rates() {
    for (;;) {
      std::fill(rho_.begin(), rho_.end(), 0.0);
      unknown_.clear();
      for (int j = 0; j < n_; ++j) {
        if (part_[j] == Part::out) continue;
        if (part_[j] == Part::resting)
          unknown_.push_back({normal(j), j, true});
        else
          rho_[normal(j)] = share_[j];
        if (!is_rough(j)) continue;
        if (v_[tangent(j)] == 0 && unit_[tangent(j)] > 0)
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
  double slip_ratio(int j) const {
    const double s = v_[tangent(j)];
    return s == 0 ? 0 : s > 0 ? -friction(j, rough) : friction(j, rough);
  }

  void multiply(double zero) {
    std::fill(rate_.begin(), rate_.end(), 0.0);
    std::fill(noise_.begin(), noise_.end(), 0.0);
    for (int b = 0; b < 2 * n_; ++b) {
      if (rho_[b] == 0) continue;
      for (int a = 0; a < 2 * n_; ++a) {
        const double term = w(a, b) * rho_[b];
        rate_[a] += term;
        noise_[a] += std::abs(term);
      }
    }
    for (int a = 0; a < 2 * n_; ++a)
      if (std::abs(rate_[a]) <= zero * noise_[a]) rate_[a] = 0;
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
      f.offset[i] = rate_[u.row];
      for (int k = 0; k < m; ++k) f.matrix[i * m + k] = column(u.row, unknown_[k]);
      if (u.normal) {
        f.upper[i] = share_[u.contact];
        if (is_rough(u.contact)) symmetric = false;
      } else if (part_[u.contact] == Part::resting) {
        f.normal[i] = i - 1;  // it comes right after its normal
        f.friction[i] = friction(u.contact, rough_hold);
      } else {
        f.upper[i] = friction(u.contact, rough_hold) * share_[u.contact];
        f.lower[i] = -f.upper[i];
      }
    }
    return symmetric ? solve_box(f) : solve_following(f);
  }

  // Change of velocity a per unknown: friction of a slipping contact that rests goes with its normal impulse.
  double column(int a, const Unknown& u) const {
    double sum = w(a, u.row);
    if (u.normal && is_rough(u.contact)) sum += w(a, tangent(u.contact)) * slip_ratio(u.contact);
    return sum;
  }

  void solve_one() {
    const Unknown& u = unknown_[0];
    const double d = column(u.row, u), wish = -rate_[u.row];
    const double most = u.normal ? share_[u.contact] : friction(u.contact, rough_hold) * share_[u.contact];
    const double least = u.normal ? 0 : -most;
    // Friction can make d ≤ 0 for a contact that slips: then more impulse only draws it in.
    const double force = d > 0 ? std::clamp(wish / d, least, most) : wish > 0 ? most : least;
    set_force(u, force);
  }

  void set_force(const Unknown& u, double force) {
    rho_[u.row] = force;
    if (u.normal && is_rough(u.contact) && v_[tangent(u.contact)] != 0)
      rho_[tangent(u.contact)] = force * slip_ratio(u.contact);
  }

  bool solve_box(const ForceProblem& f) {
    std::vector<double> force;
    if (!solve_polished(f, force)) return stand_back();
    for (int i = 0; i < f.size; ++i) set_force(unknown_[i], force[i]);
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
    for (int i = 0; i < f.size; ++i) set_force(unknown_[i], s.force[i]);
    return true;
  }

  // False, with fewer contacts to solve for. Where only friction is left, a box problem that has a solution, and
  // rounding hides it: true, with no friction where there is no slip.
  bool stand_back() {
    bool any = false;
    for (int j = 0; j < n_; ++j)
      if (part_[j] == Part::resting) part_[j] = Part::out, any = true;
    if (any) return false;
    for (const Unknown& u : unknown_) rho_[u.row] = 0;
    return true;
  }

  // Whether the rates are those that the bounds ask for; makes zero what is meant to be.
  bool is_solution() {
    for (const Unknown& u : unknown_) {
      double& rate = rate_[u.row];
      const double force = rho_[u.row];
      const double most =
          u.normal ? share_[u.contact] : friction(u.contact, rough_hold) * rho_[normal(u.contact)];
      const double least = u.normal ? 0 : -most;
      if (std::abs(rate) <= zero_residual * noise_[u.row])
        rate = 0;
      else if (rate > 0 ? force > least + 1e-9 * most : force < most - 1e-9 * most)
        return false;
    }
    return true;
  }

  // Contacts that do not keep their rest.
  void settle() {
    for (const Unknown& u : unknown_) {
      const double rate = rate_[u.row];
      if (!u.normal) continue;
      const double force = rho_[u.row], most = share_[u.contact];
      if (rate > 0) part_[u.contact] = Part::out;  // lifts off
      if (rate < 0) part_[u.contact] = force > 0 ? Part::active : Part::out;
      if (rate == 0 && force > 0 && force < most * (1 - 1e-9) && most > out_.limited) {
        out_.limited = most;
        limit_ = force;
      }
    }
    for (int j = 0; j < n_; ++j) {
      const double t = rho_[tangent(j)], own = w(normal(j), normal(j)) * rho_[normal(j)];
      if (part_[j] == Part::active && v_[tangent(j)] != 0 && own + w(normal(j), tangent(j)) * t < 0)
        out_.jam = true;
    }
  }

  void find_events() {
    events_.clear();
    for (int j = 0; j < n_; ++j) {
      if (part_[j] == Part::out) continue;
      const double s = v_[tangent(j)], slope = rate_[tangent(j)];
      if (is_rough(j) && s * slope < 0) events_.push_back({Event::slip, j, -s / slope});
      if (part_[j] == Part::active) find_normal_event(j);
    }
  }

  void find_normal_event(int j) {
    const double c = v_[normal(j)], a = rate_[normal(j)], r = rho_[normal(j)], energy = stored_[j] / r;
    if (c < 0) {
      if (a > 0) events_.push_back({Event::cross, j, -c / a});
      return;
    }
    if (c == 0 && a < 0) return;  // goes into compression again
    // Friction and the other contacts hold it, W being singular: what is left of c is rounding.
    if (a == 0 && energy > 0 && c <= 1e4 * small(normal(j))) return;
    const double square = c * c + 2 * a * energy;
    if (square < 0) {
      events_.push_back({Event::cross, j, -c / a});
    } else if (const double root = c + std::sqrt(square); root > 0) {
      events_.push_back({Event::spent, j, 2 * energy / root});
    } else if (energy == 0) {
      events_.push_back({Event::spent, j, 0});
    }
  }

  void advance(double x) {
    impulse_ += x;
    for (int j = 0; j < n_; ++j) {
      const int t = tangent(j), k = normal(j);
      if (part_[j] != Part::out) {
        const double work = rho_[k] * (v_[k] + 0.5 * rate_[k] * x) * x;
        out_.work_normal[j] += work;
        out_.work_friction[j] += rho_[t] * (v_[t] + 0.5 * rate_[t] * x) * x;
        if (part_[j] == Part::active)
          stored_[j] -= work < 0 ? p_.restitution[j] * p_.restitution[j] * work : work;
        stored_[j] = std::max(stored_[j], 0.0);
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
        slipped_[j] = v_[tangent(j)] == 0 ? slipped_[j] : rate_[tangent(j)] < 0 ? 1 : -1;
        v_[tangent(j)] = 0;
        arrived_.push_back(j);
        return;
      case Event::cross:
        v_[k] = 0;
        if (rate_[k] < 0) return;
        add_corner(ImpactCorner::compression, j);
        if (stored_[j] > small_energy()) return;
        stored_[j] = 0;
        if (j == leader_)
          ended_ = true;
        else
          part_[j] = Part::resting;
        return;
      case Event::spent:
        stored_[j] = 0;
        if (j == leader_) {
          ended_ = true;
        } else {
          part_[j] = v_[k] > 0 ? Part::out : Part::resting;
          add_corner(ImpactCorner::spent, j);
        }
        return;
    }
  }

  // Whether a contact whose slip has vanished sticks or slips back is known with the next rates.
  void add_slip_corners() {
    for (int j : arrived_) {
      if (rate_[tangent(j)] == 0)
        add_corner(ImpactCorner::stick, j);
      else if (rate_[tangent(j)] * slipped_[j] < 0)
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
        out_.work_normal[i] += 0.5 * (f.offset[i] + after) * force[i];
        out_.impulse[normal(i)] += force[i];
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
      if (unit_[k] > 0) speed = std::max(speed, std::abs(v_[k]) / unit_[k]);
      f.offset[i] = v_[k];
      for (int j = 0; j < n_; ++j) f.matrix[i * n_ + j] = w(k, normal(j));
    }
    for (int i = 0; i < n_; ++i)
      if (unit_[normal(i)] > 0) f.upper[i] = 1e10 * speed / unit_[normal(i)];  // as good as none
    return f;
  }

  // The fastest approach that these impulses leave.
  double approach_of(const ForceProblem& f, const std::vector<double>& force) const {
    double most = 0;
    for (int i = 0; i < n_; ++i) {
      double v = f.offset[i];
      for (int j = 0; j < n_; ++j) v += f.matrix[i * n_ + j] * force[j];
      if (unit_[normal(i)] > 0) most = std::max(most, -v / unit_[normal(i)]);
    }
    return most;
  }

  void add_corner(ImpactCorner corner, int contact) {
    if (out_.path.size() < most_corners) out_.path.push_back({corner, contact, leader_, out_.impulse, v_});
  }

  void finish() {
    const std::vector<double> followed = v_;
    renew_velocities();
    out_.velocity = v_;
    set_energy(p_, out_);
    for (int k = 0; k < 2 * n_; ++k) {  // what was brought to zero is zero
      const bool approaches = k % 2 == 1 && v_[k] < 0;
      if ((followed[k] == 0 || approaches) && std::abs(v_[k]) <= small(k)) v_[k] = 0;
    }
    out_.velocity = v_;
    if (out_.path.back().impulse != out_.impulse)
      out_.path.push_back({ImpactCorner::end, leader_, leader_, out_.impulse, v_});
    else
      out_.path.back().velocity = v_;
    static constexpr std::array<const char*, 10> counts = {"no",   "one", "two",   "three", "four",
                                                           "five", "six", "seven", "eight", "nine"};
    out_.name = out_.turns < 10 ? counts[static_cast<std::size_t>(out_.turns)] : std::to_string(out_.turns);
    out_.name += out_.turns == 1 ? " turn" : " turns";
    if (out_.limited > 0) add_note(limit_note());
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
        out_.limited, limit_);
  }

  std::string endless_note() const {
    std::string text = "the contacts would take turns for ever, and are closed plastically";
    if (n_ != 2) return text;
    const double e1 = p_.restitution[0], e2 = p_.restitution[1];
    const double coupling = -w(1, 3) / (unit_[1] * unit_[3]);
    const double border = (std::sqrt(e1) + std::sqrt(e2)) / std::sqrt((1 + e1) * (1 + e2));
    if (coupling < border) return text;
    return text + fmt::format(": −G12/√(G11 G22) = {:.4g} is not below", coupling)
         + fmt::format(" (√e1 + √e2)/√((1 + e1)(1 + e2)) = {:.4g}", border);
  }

  const ImpactProblem& p_;
  int n_;
  std::vector<double> v_, rho_, rate_, noise_, unit_, stored_, share_;
  std::vector<Part> part_;
  std::vector<char> hopeless_, coupled_;
  std::vector<signed char> slipped_;  // sign of the slip before it vanished
  std::vector<int> queue_, arrived_;
  std::vector<Unknown> unknown_;
  std::vector<Event> events_;
  int leader_ = 0;
  bool ended_ = false;
  double speed_ = 0, impulse_ = 0, limit_ = 0;
  ImpactResult out_;
};

}  // namespace

ImpactResult solve_correlated(const ImpactProblem& problem) { return Turns(problem).run(); }

}  // namespace thud::impact_parts
