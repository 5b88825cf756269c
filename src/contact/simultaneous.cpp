// Several contacts all together: Newton's and Poisson's restitution as complementarity problems.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/impact_parts.hpp"
#include "thud/solve/complementarity.hpp"
#include "thud/solve/small_systems.hpp"

namespace thud::impact_parts {

namespace {

// What rounding can make of a velocity or an impulse that is zero, relative to its terms.
constexpr double zero = 1e-9;

// v⁺ = v + W p from one velocity to another, with normal impulses that are no less than `least`, normal velocities that are
// no less than `target`, the one or the other being met, and Coulomb friction that belongs to the velocities v⁺.
template <class Problem>
class Phase {
  using T = ScalarOf<Problem>;

 public:
  Phase(const Problem& p, const std::vector<T>& velocity, const std::vector<T>& target,
        const std::vector<T>& least)
      : p_(p),
        rows_(2 * p.count),
        velocity_(velocity),
        target_(target),
        least_(least) {}

  bool solve() {
    ForceProblem f;
    f.resize(rows_);
    f.matrix = values_of(p_.matrix);
    for (int i = 0; i < p_.count; ++i) {
      f.offset[2 * i] = value_of(velocity_[2 * i]);
      f.normal[2 * i] = 2 * i + 1;
      f.friction[2 * i] = value_of(p_.friction[i]);
      f.offset[2 * i + 1] = value_of(velocity_[2 * i + 1] - target_[i]);
      f.lower[2 * i + 1] = value_of(least_[i]);
      f.upper[2 * i + 1] = std::numeric_limits<double>::infinity();
    }
    const ForceSolution s = solve_forces(f);
    if (!s.solved) return false;
    impulse.assign(s.force.begin(), s.force.end());
    settle(f, s);
    for (int i = 0; i < p_.count; ++i)  // but for roundings
      if (value_of(impulse[2 * i + 1]) < value_of(least_[i])) impulse[2 * i + 1] = least_[i];
    after = velocity_;
    for (int a = 0; a < rows_; ++a)
      for (int b = 0; b < rows_; ++b)
        after[a] += p_.matrix[static_cast<std::size_t>(a) * rows_ + b] * impulse[b];
    return is_met();
  }

  std::vector<T> impulse, after;

 private:
  static std::vector<double> values_of(const std::vector<T>& x) {
    std::vector<double> out;
    for (const T& each : x) out.push_back(value_of(each));
    return out;
  }

  // The equations that the solution meets: what a velocity is where the impulse is free, what the impulse is otherwise.
  void equations(const ForceSolution& s, std::vector<T>& a, std::vector<T>& x) const {
    a.assign(static_cast<std::size_t>(rows_) * rows_, T(0));
    x.assign(static_cast<std::size_t>(rows_), T(0));
    for (int r = 0; r < rows_; ++r) {
      const bool normal = r % 2 == 1;
      if (s.state[r] == BoundState::inside) {
        for (int c = 0; c < rows_; ++c) a[r * rows_ + c] = p_.matrix[r * rows_ + c];
        x[r] = (normal ? target_[r / 2] : T(0)) - velocity_[r];
        continue;
      }
      a[r * rows_ + r] = T(1);
      if (normal)
        x[r] = least_[r / 2];
      else
        a[r * rows_ + r + 1] = s.state[r] == BoundState::upper ? -p_.friction[r / 2] : p_.friction[r / 2];
    }
  }

  // Solved once more, for the accuracy; where impulses are redundant, for the smallest of them in units of their √W, which
  // depend on no order. On dual numbers also for the rates.
  void settle(const ForceProblem& f, const ForceSolution& s) {
    std::vector<T> a, x;
    equations(s, a, x);
    std::vector<double> unit(rows_);
    for (int r = 0; r < rows_; ++r) {
      const double own = f.matrix[r * rows_ + r];
      unit[r] = own > 0 ? 1 / std::sqrt(own) : 0;
    }
    Eigen::MatrixXd m(rows_, rows_);
    Eigen::VectorXd b(rows_);
    for (int r = 0; r < rows_; ++r) {
      const double size = s.state[r] == BoundState::inside ? unit[r] : unit[r] > 0 ? 1 / unit[r] : 0;
      b[r] = size * value_of(x[r]);
      for (int c = 0; c < rows_; ++c) m(r, c) = size * value_of(a[r * rows_ + c]) * unit[c];
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(1e-11);
    const Eigen::VectorXd y = solver.compute(m).solve(b);
    std::vector<double> better(rows_);
    for (int r = 0; r < rows_; ++r) better[r] = unit[r] * y[r];
    if (!is_allowed(f, s, better)) return;
    impulse.assign(better.begin(), better.end());
    if constexpr (!std::is_same_v<T, double>) {
      double largest = 0;
      for (int r = 0; r < rows_; ++r) largest = std::max(largest, std::abs(value_of(a[r * rows_ + r])));
      solve_general(a.data(), x.data(), rows_, 1e-14 * largest);
      for (int r = 0; r < rows_; ++r) impulse[r].d = x[r].d;
    }
  }

  // What bodies that are wedged are asked for may be more than any motion has: then what was found is none.
  bool is_met() const {
    double speed = 0;
    for (int r = 0; r < rows_; ++r)
      if (const double own = value_of(p_.matrix[r * rows_ + r]); own > 0)
        speed = std::max(speed, std::abs(value_of(velocity_[r])) / std::sqrt(own));
    for (int i = 0; i < p_.count; ++i) {
      const int r = 2 * i + 1;
      if (!(value_of(after[r] - target_[i])
            >= -3e-10 * speed * std::sqrt(value_of(p_.matrix[r * rows_ + r]))))
        return false;
    }
    return true;
  }

  // Whether impulses keep all bounds, and velocities all signs.
  bool is_allowed(const ForceProblem& f, const ForceSolution& s, const std::vector<double>& impulse) const {
    double largest = 0;
    for (int r = 0; r < rows_; ++r)
      largest = std::max(largest, impulse[r] * impulse[r] * f.matrix[r * rows_ + r]);
    for (int r = 0; r < rows_; ++r) {
      const double own = f.matrix[r * rows_ + r], size = std::sqrt(largest * own);
      const double small = own > 0 ? zero * std::sqrt(largest / own) : 0;
      double rate = f.offset[r];
      for (int c = 0; c < rows_; ++c) rate += f.matrix[r * rows_ + c] * impulse[c];
      if (r % 2 == 1) {
        if (impulse[r] < f.lower[r] - small || rate < -zero * size) return false;
      } else {
        if (std::abs(impulse[r]) > f.friction[r] * impulse[r + 1] + small) return false;
        if (s.state[r] == BoundState::inside && std::abs(rate) > zero * size) return false;
      }
    }
    return true;
  }

  const Problem& p_;
  int rows_;
  const std::vector<T>&velocity_, &target_, &least_;
};

template <class Problem>
class AtOnce {
  using T = ScalarOf<Problem>;

 public:
  explicit AtOnce(const Problem& p) : p_(p), none_(p.count, T(0)), out_(make_untouched(p)) {}

  ResultOf<Problem> run() {
    bool strikes = false;
    for (int i = 0; i < p_.count; ++i) strikes = strikes || value_of(p_.velocity[2 * i + 1]) < 0;
    if (!strikes) return std::move(out_);
    add_corner(ImpactCorner::start);
    const bool solved = p_.law == RestitutionLaw::newton ? by_velocities() : by_impulses();
    if (!solved)
      return take_turns(std::string("no impulses that ") + restitution_law_name(p_.law)
                        + "'s law allows were found");
    add_corner(ImpactCorner::end);
    out_.turns = 1;
    out_.name = std::string(restitution_law_name(p_.law)) + ", all at once";
    set_energy(p_, out_);
    // With friction the expansion may give more than the compression took. Newton's gains are his own, and flagged.
    if (p_.law == RestitutionLaw::poisson && out_.gains())
      return take_turns("by poisson's law the impact would gain energy");
    return std::move(out_);
  }

 private:
  // 0 ≤ F ⊥ c⁺ + e c⁻ ≥ 0 where a contact closes, c⁺ ≥ 0 where it does not.
  bool by_velocities() {
    std::vector<T> target(none_);
    for (int i = 0; i < p_.count; ++i)
      if (value_of(p_.velocity[2 * i + 1]) < 0) target[i] = -p_.restitution[i] * p_.velocity[2 * i + 1];
    return pass(target, none_);
  }

  // Compression to c ≥ 0, then at least e times its impulse again.
  bool by_impulses() {
    if (!pass(none_, none_)) return false;
    add_corner(ImpactCorner::compression);
    std::vector<T> least(none_);
    for (int i = 0; i < p_.count; ++i) least[i] = p_.restitution[i] * out_.impulse[2 * i + 1];
    return pass(none_, least);
  }

  bool pass(const std::vector<T>& target, const std::vector<T>& least) {
    const std::vector<T> before = out_.velocity;
    Phase<Problem> phase(p_, before, target, least);
    if (!phase.solve()) return false;
    out_.velocity = phase.after;
    for (int r = 0; r < 2 * p_.count; ++r) {
      out_.impulse[r] += phase.impulse[r];
      std::vector<T>& work = r % 2 == 0 ? out_.work_friction : out_.work_normal;
      work[r / 2] += 0.5 * (before[r] + phase.after[r]) * phase.impulse[r];
    }
    return true;
  }

  ResultOf<Problem> take_turns(const std::string& reason) {
    ResultOf<Problem> out = solve_correlated(p_);
    if (!out.note.empty()) out.note += "; ";
    out.note += reason + ": the contacts take turns instead";
    return out;
  }

  void add_corner(ImpactCorner corner) { out_.path.push_back({corner, 0, 0, out_.impulse, out_.velocity}); }

  const Problem& p_;
  std::vector<T> none_;
  ResultOf<Problem> out_;
};

}  // namespace

template <class Problem>
ResultOf<Problem> solve_at_once(const Problem& problem) {
  return AtOnce<Problem>(problem).run();
}

template ImpactResult solve_at_once(const ImpactProblem&);
THUD_WITH_DUALS(template ImpactResultOf<Dual<double>> solve_at_once(const ImpactProblemOf<Dual<double>>&);)

}  // namespace thud::impact_parts
