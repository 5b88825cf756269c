#include "thud/solve/complementarity.hpp"
#include "thud/math/portable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/mode_search.hpp"

namespace thud {

void ForceProblem::resize(int n) {
  size = n;
  const auto s = static_cast<std::size_t>(n);
  matrix.assign(s * s, 0.0);
  offset.assign(s, 0.0);
  lower.assign(s, 0.0);
  upper.assign(s, 0.0);
  normal.assign(s, -1);
  friction.assign(s, 0.0);
}

namespace {

constexpr double tiny = 1e-11;

// w = M z + q,  w, z ≥ 0,  w·z = 0, by Lemke's method: z₀ times a positive covering vector makes q feasible, and
// complementary pivots drive z₀ out. Ties are broken lexicographically, so that it cannot cycle.
class Lemke {
 public:
  explicit Lemke(int n) : n_(n), width_(2 * n + 2), table_(static_cast<std::size_t>(n) * width_, 0.0) {
    basis_.resize(n);
  }

  // Sets row i of w − M z − d z₀ = q.
  void set(int i, const double* m, double q, double cover) {
    double* row = at(i);
    row[i] = 1;
    for (int j = 0; j < n_; ++j) row[n_ + j] = -m[j];
    row[2 * n_] = -cover;
    row[2 * n_ + 1] = q;
    basis_[i] = i;
  }

  bool solve() {
    int leave = -1;
    for (int i = 0; i < n_; ++i)
      if (value(i) < 0 && (leave < 0 || value(i) * at(leave)[2 * n_] < value(leave) * at(i)[2 * n_]))
        leave = i;
    if (leave < 0) return true;
    leave = first_row(2 * n_);
    int entering = 2 * n_;
    for (int pivots = 0; pivots < 60 + 20 * n_; ++pivots) {
      const int left = basis_[leave];
      pivot(leave, entering);
      if (left == 2 * n_) return true;
      entering = left < n_ ? left + n_ : left - n_;
      leave = ratio_row(entering);
      if (leave < 0) break;
    }
    return value_of(2 * n_) < 1e-10;  // nothing is left to cover but rounding
  }

  // Value of z_j, and whether it is in the basis.
  double z(int j) const { return value_of(n_ + j); }
  bool has_z(int j) const { return std::find(basis_.begin(), basis_.end(), n_ + j) != basis_.end(); }
  bool has_w(int j) const { return std::find(basis_.begin(), basis_.end(), j) != basis_.end(); }

 private:
  double* at(int i) { return table_.data() + static_cast<std::size_t>(i) * width_; }
  const double* at(int i) const { return table_.data() + static_cast<std::size_t>(i) * width_; }
  double value(int i) const { return at(i)[2 * n_ + 1]; }
  double value_of(int variable) const {
    for (int i = 0; i < n_; ++i)
      if (basis_[i] == variable) return value(i);
    return 0;
  }

  // True when row a divided by its entry comes before row b: values first, then the columns of the first basis.
  bool comes_before(int a, double pa, int b, double pb) const {
    const double x = value(a) / pa, y = value(b) / pb;
    if (std::abs(x - y) > 1e-13 * (1 + std::abs(x) + std::abs(y))) return x < y;
    for (int j = 0; j < n_; ++j) {
      const double u = at(a)[j] / pa, v = at(b)[j] / pb;
      if (std::abs(u - v) > 1e-12 * (1 + std::abs(u) + std::abs(v))) return u < v;
    }
    return false;
  }

  // The first pivot: after it every value is positive.
  int first_row(int column) const {
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      if (!(value(i) < 0)) continue;
      const double p = -at(i)[column];
      // The most negative ratio; the lexicographically greatest.
      if (best < 0 || comes_before(i, p, best, -at(best)[column])) best = i;
    }
    return best;
  }

  int ratio_row(int column) const {
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      const double p = at(i)[column];
      if (!(p > tiny)) continue;
      const bool covers = basis_[i] == 2 * n_;
      if (best < 0) {
        best = i;
        continue;
      }
      const double q = at(best)[column];
      // z₀ leaves as soon as it can.
      const double x = value(i) / p, y = value(best) / q;
      const bool tie = std::abs(x - y) <= 1e-13 * (1 + std::abs(x) + std::abs(y));
      if (tie && (covers || basis_[best] == 2 * n_))
        best = covers ? i : best;
      else if (comes_before(i, p, best, q))
        best = i;
    }
    return best;
  }

  void pivot(int row, int column) {
    double* r = at(row);
    const double p = 1 / r[column];
    for (int j = 0; j < width_; ++j) r[j] *= p;
    r[column] = 1;
    for (int i = 0; i < n_; ++i) {
      if (i == row) continue;
      double* o = at(i);
      const double f = o[column];
      if (f == 0) continue;
      for (int j = 0; j < width_; ++j) o[j] -= f * r[j];
      o[column] = 0;
      if (o[2 * n_ + 1] < 0 && o[2 * n_ + 1] > -1e-13) o[2 * n_ + 1] = 0;
    }
    basis_[row] = column;
  }

  int n_, width_;
  std::vector<double> table_;
  std::vector<int> basis_;
};

// The problem in units where every row has A_ii = 1 and the largest offset is 1, without rows that cannot move.
class Reduced {
 public:
  explicit Reduced(const ForceProblem& p)
      : p_(p),
        unit_(p.size, 1.0),
        place_(p.size, -1),
        upper_(p.size, -1) {
    for (int i = 0; i < p.size; ++i) {
      const double d = p.matrix[i * p.size + i];
      if (d > 0) unit_[i] = 1 / std::sqrt(d);
      largest_ = std::max(largest_, unit_[i] * std::abs(p.offset[i]));
    }
    if (!(largest_ > 0)) largest_ = 1;
    for (int i = 0; i < p.size; ++i)
      if (!is_fixed(i)) place_[i] = count_++;
    for (int i = 0; i < p.size; ++i)
      if (place_[i] >= 0 && (p.normal[i] >= 0 || std::isfinite(p.upper[i]))) upper_[i] = count_++;
  }

  static bool gives(int attempt) { return attempt >= 4; }

  bool solve(int attempt, ForceSolution& out) const {
    Lemke lemke(count_);
    std::vector<double> m(count_);
    for (int i = 0; i < p_.size; ++i) {
      if (place_[i] < 0) continue;
      std::fill(m.begin(), m.end(), 0.0);
      double q = unit_[i] * p_.offset[i] / largest_;
      for (int j = 0; j < p_.size; ++j) {
        const double a = unit_[i] * p_.matrix[i * p_.size + j] * unit_[j];
        q += a * base(j);
        if (place_[j] >= 0) m[place_[j]] += i == j ? a + ridge(attempt) : a;
        const int n = p_.normal[j];
        if (n >= 0 && place_[n] >= 0) m[place_[n]] -= a * slope(j);
      }
      if (upper_[i] >= 0) m[upper_[i]] += 1;
      lemke.set(place_[i], m.data(), q, cover(place_[i], attempt));
      if (upper_[i] < 0) continue;
      std::fill(m.begin(), m.end(), 0.0);
      m[place_[i]] = -1;
      const int n = p_.normal[i];
      if (n >= 0 && place_[n] >= 0) m[place_[n]] += 2 * slope(i);
      const double room = n >= 0 ? -2 * base(i) : (p_.upper[i] - p_.lower[i]) / (unit_[i] * largest_);
      lemke.set(upper_[i], m.data(), room, cover(upper_[i], attempt));
    }
    if (!lemke.solve()) return false;
    read(lemke, out);
    return true;
  }

 private:
  bool is_fixed(int i) const {
    if (p_.normal[i] >= 0) return !(p_.friction[i] > 0);
    return !(p_.upper[i] > p_.lower[i]);
  }
  // μ in the units of the rows.
  double slope(int i) const { return p_.friction[i] * unit_[p_.normal[i]] / unit_[i]; }
  // The force that x = 0 leaves, without what follows the x of its normal.
  double base(int i) const {
    const int n = p_.normal[i];
    return n < 0 ? p_.lower[i] / (unit_[i] * largest_) : -slope(i) * p_.lower[n] / (unit_[n] * largest_);
  }
  // Contacts that wedge a body hold it with forces of any size; a trace of give makes them definite.
  static double ridge(int attempt) {
    return !gives(attempt) ? 0.0 : 1e-12 * portable::pow(10.0, attempt - 4);
  }
  static double cover(int i, int attempt) { return 1 + 0.37 * attempt * ((i * 7 + attempt * 3) % 5); }

  void read(const Lemke& lemke, ForceSolution& out) const {
    for (int pass = 0; pass < 2; ++pass)  // friction follows its normal
      for (int i = 0; i < p_.size; ++i) {
        const int n = p_.normal[i];
        if ((n >= 0) != (pass == 1)) continue;
        const double x = place_[i] < 0 ? 0 : std::max(0.0, lemke.z(place_[i])) * unit_[i] * largest_;
        const double lower = n < 0 ? p_.lower[i] : -p_.friction[i] * out.force[n];
        out.force[i] = lower + x;
        if (n >= 0) out.force[i] = std::min(out.force[i], -lower);
        if (n < 0) out.force[i] = std::min(out.force[i], p_.upper[i]);
      }
    for (int i = 0; i < p_.size; ++i) {
      double r = p_.offset[i];
      for (int j = 0; j < p_.size; ++j) r += p_.matrix[i * p_.size + j] * out.force[j];
      out.rate[i] = r;
      const bool above = place_[i] >= 0 && lemke.has_z(place_[i]);
      const bool below = place_[i] >= 0 && (upper_[i] < 0 || lemke.has_w(upper_[i]));
      out.basic[i] = above && below;
      if (place_[i] < 0)
        out.state[i] = r < 0 ? BoundState::upper : BoundState::lower;
      else
        out.state[i] = above && below ? BoundState::inside : above ? BoundState::upper : BoundState::lower;
    }
  }

  const ForceProblem& p_;
  std::vector<double> unit_;
  std::vector<int> place_, upper_;  // rows of the complementarity problem
  int count_ = 0;
  double largest_ = 0;
};

}  // namespace

ForceSolution solve_forces(const ForceProblem& problem) {
  ForceSolution out;
  const auto n = static_cast<std::size_t>(problem.size);
  out.force.assign(n, 0.0);
  out.rate.assign(n, 0.0);
  out.state.assign(n, BoundState::lower);
  out.basic.assign(n, 0);
  const Reduced reduced(problem);
  ForceSolution rough;  // with a trace of give, and too much of it
  for (int attempt = 0; attempt < 12 && !out.solved; ++attempt) {
    out.solved = reduced.solve(attempt, out);
    if (!out.solved || !Reduced::gives(attempt) || violation_of(problem, out) < 1e-7) continue;
    if (!rough.solved) rough = out;
    out.solved = false;
  }
  if (out.solved) return out;
  out.solved = search_modes(problem, out);
  return out.solved || !rough.solved ? out : rough;
}

// The row is eliminated: λ_h = −(b_h + Σ A_hj λ_j)/A_hh.
ForceSolution solve_forces_held(const ForceProblem& problem, int held) {
  const int n = problem.size;
  const double own = problem.matrix[held * n + held];
  ForceProblem rest = problem;
  for (int i = 0; i < n; ++i) {
    const double share = problem.matrix[i * n + held] / own;
    for (int j = 0; j < n; ++j)
      rest.matrix[i * n + j] =
          j == held ? 0 : problem.matrix[i * n + j] - share * problem.matrix[held * n + j];
    rest.offset[i] = problem.offset[i] - share * problem.offset[held];
  }
  for (int j = 0; j < n; ++j) rest.matrix[held * n + j] = 0;
  rest.offset[held] = rest.lower[held] = rest.upper[held] = 0;
  ForceSolution out = solve_forces(rest);
  double force = -problem.offset[held];
  for (int j = 0; j < n; ++j)
    if (j != held) force -= problem.matrix[held * n + j] * out.force[j];
  out.force[held] = force / own;
  out.rate[held] = 0;
  out.state[held] = BoundState::inside;
  out.basic[held] = 1;
  return out;
}

}  // namespace thud
