#include "solve/mode_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/dense.hpp"

namespace thud {

namespace {

constexpr double consistent = 1e-9;  // what rounding can make of a force or rate that is zero
constexpr int most_tries = 3000;

// min |A x − b| over x ≥ 0 (Lawson & Hanson 1974).
Eigen::VectorXd solve_nonnegative(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const Eigen::Index n = a.cols();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Index> in;
  const auto solve_in = [&] {
    Eigen::MatrixXd part(a.rows(), static_cast<Eigen::Index>(in.size()));
    for (std::size_t k = 0; k < in.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = a.col(in[k]);
    const Eigen::VectorXd y = least_squares(part, b, 1e-12);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    for (std::size_t k = 0; k < in.size(); ++k) z[in[k]] = y[static_cast<Eigen::Index>(k)];
    return z;
  };
  for (Eigen::Index round = 0; round < 5 * n + 10; ++round) {
    const Eigen::VectorXd pull = a.transpose() * (b - a * x);
    Eigen::Index best = -1;
    for (Eigen::Index k = 0; k < n; ++k)
      if (std::find(in.begin(), in.end(), k) == in.end() && pull[k] > 1e-12
          && (best < 0 || pull[k] > pull[best]))
        best = k;
    if (best < 0) break;
    in.push_back(best);
    for (Eigen::VectorXd z = solve_in();; z = solve_in()) {
      double step = 1;
      for (const Eigen::Index k : in)
        if (z[k] <= 0 && x[k] > z[k]) step = std::min(step, x[k] / (x[k] - z[k]));
      x = step < 1 ? Eigen::VectorXd(x + step * (z - x)) : Eigen::VectorXd(z.cwiseMax(0));
      if (!(step < 1)) break;
      std::erase_if(in, [&](Eigen::Index k) { return x[k] <= 1e-14; });
      for (Eigen::Index k = 0; k < n; ++k)
        if (std::find(in.begin(), in.end(), k) == in.end()) x[k] = 0;
      if (in.empty()) break;
    }
  }
  return x;
}

class ModeSearch {
 public:
  explicit ModeSearch(const ForceProblem& p)
      : p_(p),
        n_(p.size),
        unit_(p.size, 1.0),
        friction_of_(p.size, -1),
        guess_(p.size, BoundState::inside) {
    double largest = 0;
    for (int i = 0; i < n_; ++i) {
      if (const double own = std::abs(p.matrix[i * n_ + i]); own > 0) unit_[i] = 1 / std::sqrt(own);
      largest = std::max(largest, unit_[i] * std::abs(p.offset[i]));
      if (p.normal[i] >= 0) friction_of_[p.normal[i]] = i;
    }
    size_ = largest > 0 ? largest : 1;
  }

  bool run(ForceSolution& out) {
    for (int i = 0; i < n_; ++i)
      if (p_.normal[i] < 0 && !std::isfinite(p_.upper[i]) && p_.lower[i] != 0) return false;
    relax();
    std::vector<BoundState> states = guess_;
    for (int changes = 0; changes <= 4 && changes <= n_; ++changes)
      if (vary(states, 0, changes, out)) return true;
    return false;
  }

 private:
  bool is_normal(int i) const { return p_.normal[i] < 0 && !std::isfinite(p_.upper[i]); }
  bool is_fixed(int i) const {
    return p_.normal[i] >= 0 ? !(p_.friction[i] > 0) : !(p_.upper[i] > p_.lower[i]);
  }
  // In units of the rows.
  double entry(int i, int j) const { return unit_[i] * p_.matrix[i * n_ + j] * unit_[j]; }
  double offset(int i) const { return unit_[i] * p_.offset[i] / size_; }
  double slope(int i) const { return p_.friction[i] * unit_[p_.normal[i]] / unit_[i]; }
  double lower(int i, const Eigen::VectorXd& x) const {
    return p_.normal[i] < 0 ? p_.lower[i] / (unit_[i] * size_) : -slope(i) * x[p_.normal[i]];
  }
  double upper(int i, const Eigen::VectorXd& x) const {
    return p_.normal[i] < 0 ? p_.upper[i] / (unit_[i] * size_) : slope(i) * x[p_.normal[i]];
  }

  void relax() {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n_);
    for (int round = 0; round < 300; ++round)
      for (int i = 0; i < n_; ++i) {
        double rate = offset(i);
        for (int j = 0; j < n_; ++j) rate += entry(i, j) * x[j];
        x[i] = std::min(std::max(x[i] - 0.9 * rate, lower(i, x)), std::min(upper(i, x), 1e6));
      }
    for (int i = 0; i < n_; ++i)
      guess_[i] = is_fixed(i) || x[i] <= lower(i, x) + 1e-7 ? BoundState::lower
                : x[i] >= upper(i, x) - 1e-7                ? BoundState::upper
                                                            : BoundState::inside;
  }

  // All modes with `changes` rows from `first` on that are not as guessed.
  bool vary(std::vector<BoundState>& states, int first, int changes, ForceSolution& out) {
    if (changes == 0) return is_free_of_repeats(states) && tries_++ < most_tries && attempt(states, out);
    for (int i = first; i + changes <= n_; ++i) {
      if (is_fixed(i)) continue;
      for (const BoundState s : {BoundState::lower, BoundState::inside, BoundState::upper}) {
        if (s == guess_[i] || (s == BoundState::upper && is_normal(i))) continue;
        states[i] = s;
        if (vary(states, i + 1, changes - 1, out)) return true;
      }
      states[i] = guess_[i];
      if (tries_ >= most_tries) return false;
    }
    return false;
  }

  // Friction of a contact that is open has one state only.
  bool is_free_of_repeats(const std::vector<BoundState>& states) const {
    for (int i = 0; i < n_; ++i)
      if (p_.normal[i] >= 0 && states[p_.normal[i]] == BoundState::lower && states[i] != guess_[i])
        return false;
    return true;
  }

  bool attempt(const std::vector<BoundState>& states, ForceSolution& out) {
    std::vector<int> held;
    std::vector<Eigen::VectorXd> rays;
    Eigen::VectorXd given = Eigen::VectorXd::Zero(n_);
    const auto ray = [&](int i, double x, int j = 0, double y = 0) {
      Eigen::VectorXd r = Eigen::VectorXd::Zero(n_);
      r[i] += x;
      r[j] += y;
      rays.push_back(r);
    };
    for (int i = 0; i < n_; ++i) {
      if (p_.normal[i] >= 0) {
        if (states[p_.normal[i]] == BoundState::inside && states[i] == BoundState::inside) held.push_back(i);
        continue;
      }
      if (states[i] != BoundState::inside) {
        given[i] = states[i] == BoundState::lower ? lower(i, given) : upper(i, given);
        continue;
      }
      held.push_back(i);
      const int t = friction_of_[i];
      if (!is_normal(i)) {
        ray(i, 1);
        ray(i, -1);
      } else if (t < 0 || is_fixed(t)) {
        ray(i, 1);
      } else {
        if (states[t] != BoundState::upper) ray(i, 1, t, -slope(t));
        if (states[t] != BoundState::lower) ray(i, 1, t, slope(t));
      }
    }
    const auto rate_of = [&](int i, const Eigen::VectorXd& x) {
      double sum = 0;
      for (int j = 0; j < n_; ++j) sum += entry(i, j) * x[j];
      return sum;
    };
    Eigen::VectorXd x = given;
    if (!rays.empty()) {
      Eigen::MatrixXd a(held.size(), rays.size());
      Eigen::VectorXd b(held.size());
      for (Eigen::Index r = 0; r < a.rows(); ++r) {
        b[r] = -offset(held[r]) - rate_of(held[r], given);
        for (Eigen::Index c = 0; c < a.cols(); ++c) a(r, c) = rate_of(held[r], rays[c]);
      }
      const Eigen::VectorXd y = solve_nonnegative(a, b);
      if ((a * y - b).norm() > consistent * (1 + y.norm())) return false;
      for (Eigen::Index c = 0; c < a.cols(); ++c) x += y[c] * rays[c];
    }
    return take(x, out);
  }

  // Whether the forces keep all conditions; the answer, if so.
  bool take(const Eigen::VectorXd& x, ForceSolution& out) const {
    const double small = consistent * (1 + x.norm());
    for (int i = 0; i < n_; ++i) {
      double rate = offset(i);
      for (int j = 0; j < n_; ++j) rate += entry(i, j) * x[j];
      const double above = x[i] - lower(i, x), below = upper(i, x) - x[i];
      if (above < -small || below < -small) return false;
      if ((rate > small && above > small) || (rate < -small && below > small)) return false;
      out.force[i] = x[i] * unit_[i] * size_;
      out.rate[i] = std::abs(rate) > small ? rate * size_ / unit_[i] : 0;
      out.state[i] = is_fixed(i)    ? (rate < -small ? BoundState::upper : BoundState::lower)
                   : above <= small ? BoundState::lower
                   : below <= small ? BoundState::upper
                                    : BoundState::inside;
      out.basic[i] = out.state[i] == BoundState::inside;
    }
    return true;
  }

  const ForceProblem& p_;
  int n_, tries_ = 0;
  std::vector<double> unit_;
  std::vector<int> friction_of_;
  std::vector<BoundState> guess_;
  double size_ = 1;
};

}  // namespace

double violation_of(const ForceProblem& p, const ForceSolution& s) {
  double worst = 0, scale = 1e-300;
  for (int i = 0; i < p.size; ++i) {
    const double own = std::abs(p.matrix[i * p.size + i]), unit = own > 0 ? std::sqrt(own) : 1;
    scale = std::max(scale, std::abs(p.offset[i]) / unit);
    const double lower = p.normal[i] < 0 ? p.lower[i] : -p.friction[i] * s.force[p.normal[i]];
    const double upper = p.normal[i] < 0 ? p.upper[i] : -lower;
    const double above = (s.force[i] - lower) * unit, below = (upper - s.force[i]) * unit;
    worst = std::max({worst, -above, -below});
    if (s.rate[i] > 0) worst = std::max(worst, std::min(s.rate[i] / unit, above));
    if (s.rate[i] < 0) worst = std::max(worst, std::min(-s.rate[i] / unit, below));
  }
  return worst / scale;
}

bool search_modes(const ForceProblem& problem, ForceSolution& out) { return ModeSearch(problem).run(out); }

}  // namespace thud
