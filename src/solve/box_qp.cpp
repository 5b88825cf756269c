#include "thud/solve/box_qp.hpp"

#include <algorithm>
#include <cmath>

#include "solve/growing_cholesky.hpp"

namespace thud {

void BoxQp::resize(int n) {
  size = n;
  matrix.assign(static_cast<std::size_t>(n) * n, 0.0);
  offset.assign(n, 0.0);
  lower.assign(n, 0.0);
  upper.assign(n, 0.0);
}

namespace {

// Relative regularisation of dependent switches: picks the smallest scaled forces among equivalent ones.
constexpr double regularisation = 1e-12;

// The problem in units of the box widths, so that dependent switches share the load in proportion to their bounds.
class ActiveSet {
 public:
  explicit ActiveSet(const BoxQp& p)
      : n_(p.size),
        w_(p.matrix),
        b_(p.offset),
        lo_(n_),
        hi_(n_),
        scale_(n_),
        x_(n_, 0.0) {
    for (int i = 0; i < n_; ++i) {
      scale_[i] = p.upper[i] - p.lower[i];
      if (!(scale_[i] > 0)) scale_[i] = 0;
    }
    for (int i = 0; i < n_; ++i) {
      const double s = scale_[i] > 0 ? scale_[i] : 1;
      lo_[i] = p.lower[i] / s;
      hi_[i] = scale_[i] > 0 ? p.upper[i] / s : lo_[i];
      b_[i] *= s;
      for (int j = 0; j < n_; ++j) w_[i * n_ + j] *= s * (scale_[j] > 0 ? scale_[j] : 1);
    }
    // In proportion to each: bounds, and with them the scales, may differ by many orders of magnitude.
    for (int i = 0; i < n_; ++i) w_[i * n_ + i] *= 1 + regularisation;
    for (int i = 0; i < n_; ++i) x_[i] = std::clamp(0.0, lo_[i], hi_[i]);
  }

  bool run() {
    for (int round = 0; round < 50 * n_ + 100; ++round) {
      const int entering = most_violated();
      if (entering < 0) return true;
      free_.push_back(entering);
      while (!free_.empty() && !step_to_minimum()) {
      }
    }
    return false;
  }

  BoxQpSolution solution(const BoxQp& p) const {
    BoxQpSolution out;
    out.force.resize(n_);
    out.rate.resize(n_);
    out.state.assign(n_, BoundState::inside);
    out.basic.assign(n_, 0);
    for (int i : free_) out.basic[i] = 1;
    for (int i = 0; i < n_; ++i) {
      const bool is_free = std::find(free_.begin(), free_.end(), i) != free_.end();
      if (!is_free)
        out.state[i] =
            x_[i] <= lo_[i] && (scale_[i] > 0 || gradient(i) >= 0) ? BoundState::lower : BoundState::upper;
      if (!is_free && x_[i] > lo_[i] && x_[i] < hi_[i]) out.state[i] = BoundState::inside;
      out.force[i] = scale_[i] > 0 ? x_[i] * scale_[i] : p.lower[i];
      if (out.state[i] == BoundState::lower) out.force[i] = p.lower[i];
      if (out.state[i] == BoundState::upper) out.force[i] = p.upper[i];
    }
    for (int i = 0; i < n_; ++i) {
      double r = p.offset[i];
      for (int j = 0; j < n_; ++j) r += p.matrix[i * n_ + j] * out.force[j];
      out.rate[i] = r;
    }
    return out;
  }

 private:
  double gradient(int i) const {
    double g = b_[i];
    for (int j = 0; j < n_; ++j) g += w_[i * n_ + j] * x_[j];
    return g;
  }

  // What rounding can make of a gradient that is zero.
  double noise(int i) const {
    double sum = std::abs(b_[i]);
    for (int j = 0; j < n_; ++j) sum += std::abs(w_[i * n_ + j] * x_[j]);
    return 1e-11 * sum;
  }

  // The variable whose release lowers the objective most, g²/2w; −1 at the solution.
  int most_violated() const {
    int worst = -1;
    double most = 0;
    for (int i = 0; i < n_; ++i) {
      if (scale_[i] == 0 || std::find(free_.begin(), free_.end(), i) != free_.end()) continue;
      const double g = gradient(i);
      const bool can_move = g < 0 ? x_[i] < hi_[i] : x_[i] > lo_[i];
      if (!can_move || std::abs(g) <= noise(i)) continue;
      const double gain = w_[i * n_ + i] > 0 ? g * g / w_[i * n_ + i] : std::abs(g);
      if (worst < 0 || gain > most) worst = i, most = gain;
    }
    return worst;
  }

  // Moves to the minimum over the free variables, or to the first bound on the way. True at the minimum.
  bool step_to_minimum() {
    const int m = static_cast<int>(free_.size());
    std::vector<double> d(m);
    for (int i = 0; i < m; ++i) d[i] = -gradient(free_[i]);
    solve_free(d);
    double reach = 1;
    int hit = -1;
    for (int i = 0; i < m; ++i) {
      const int k = free_[i];
      const double room = d[i] > 0 ? hi_[k] - x_[k] : lo_[k] - x_[k];
      if (std::abs(d[i]) * reach > std::abs(room)) {
        reach = room / d[i];
        hit = i;
      }
    }
    for (int i = 0; i < m; ++i) x_[free_[i]] += reach * d[i];
    if (hit < 0) return true;
    x_[free_[hit]] = d[hit] > 0 ? hi_[free_[hit]] : lo_[free_[hit]];
    free_.erase(free_.begin() + hit);
    factor_.cut(hit);
    return false;
  }

  // By a Cholesky factor of the free variables, whose rows are kept while the variables before them stay.
  void solve_free(std::vector<double>& x) {
    const int m = static_cast<int>(free_.size());
    for (int k = factor_.size(); k < m; ++k) {
      std::vector<double> row(k);
      for (int i = 0; i < k; ++i) row[i] = w_[free_[k] * n_ + free_[i]];
      const double own = w_[free_[k] * n_ + free_[k]];
      factor_.add(std::move(row), own, 1e-14 * own + 1e-300);  // the ridge keeps the pivots positive
    }
    factor_.solve(x);
  }

  int n_;
  std::vector<double> w_, b_, lo_, hi_, scale_, x_;
  std::vector<int> free_;
  GrowingCholesky factor_;  // of w_ over the free variables
};

}  // namespace

BoxQpSolution solve_box_qp(const BoxQp& problem) {
  ActiveSet set(problem);
  const bool done = set.run();
  BoxQpSolution out = set.solution(problem);
  out.converged = done;
  return out;
}

}  // namespace thud
