#include "study/fit_local.hpp"

#include <algorithm>
#include <cmath>

#include "solve/dense.hpp"
#include "study/fit_statistics.hpp"

namespace thud {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double close_enough = 1e-4;  // of a unit of cost
constexpr int most_steps = 25, most_halvings = 6;

// The step that minimises |A δ + b|, in the directions that A shows.
VectorXd solve_least_squares(MatrixXd a, const VectorXd& b) {
  VectorXd length(a.cols());
  for (Index k = 0; k < a.cols(); ++k) {
    length[k] = a.col(k).norm();
    if (length[k] > 0) a.col(k) /= length[k];
  }
  VectorXd out = least_squares(a, -b, 1e-4);
  for (Index k = 0; k < out.size(); ++k) out[k] = length[k] > 0 ? out[k] / length[k] : 0;
  return out;
}

}  // namespace

LocalMinimiser::LocalMinimiser(FitModel& model, const FitWeights& weights, const VectorXd& at,
                               const VectorXd& values, const MatrixXd& slopes, double unit)
    : model_(model),
      weights_(weights),
      at_(at),
      values_(values),
      slopes_(slopes),
      unit_(unit) {}

// A parameter that would leave its range goes to the bound, and the others make the best of that.
LocalMinimiser::Step LocalMinimiser::step(const MatrixXd& slopes, const VectorXd& residuals,
                                          const VectorXd& from, const std::vector<char>& held) const {
  const Index n = residuals.size(), p = from.size();
  VectorXd b(n), root(n);
  for (Index i = 0; i < n; ++i) {
    const bool used = weights_.used[std::size_t(i)];
    const double r = residuals[i];
    const double psi = loss_slope(weights_.loss, weights_.loss_scale, r).psi;
    root[i] = !used ? 0 : std::sqrt(r != 0 ? psi / r : 1);
    b[i] = root[i] * r;
    root[i] /= weights_.deviation[i];
  }
  std::vector<char> fixed = held;
  Step out{VectorXd::Zero(p), 0};
  VectorXd rest = b;
  for (bool again = true; again;) {
    again = false;
    std::vector<Index> free;
    for (Index k = 0; k < p; ++k)
      if (!fixed[std::size_t(k)]) free.push_back(k);
    if (free.empty()) break;
    MatrixXd a(n, Index(free.size()));
    for (std::size_t k = 0; k < free.size(); ++k) a.col(Index(k)) = root.cwiseProduct(slopes.col(free[k]));
    const VectorXd delta = solve_least_squares(std::move(a), rest);
    for (std::size_t k = 0; k < free.size(); ++k) {
      const FitParameter& q = model_.parameters()[std::size_t(free[k])];
      const double wanted = from[free[k]] + delta[Index(k)];
      const double allowed = std::clamp(wanted, q.low, q.high);
      out.step[free[k]] = allowed - from[free[k]];
      if (allowed == wanted) continue;
      fixed[std::size_t(free[k])] = 1;
      rest += root.cwiseProduct(slopes.col(free[k])) * out.step[free[k]];
      again = true;
    }
  }
  VectorXd after = b;
  for (Index k = 0; k < p; ++k)
    if (out.step[k] != 0) after += root.cwiseProduct(slopes.col(k)) * out.step[k];
  out.gain = b.squaredNorm() - after.squaredNorm();
  return out;
}

LocalMinimiser::Step LocalMinimiser::next_step() const {
  return step(slopes_, weights_.residuals(values_, model_.measured()), at_,
              std::vector<char>(std::size_t(at_.size()), 0));
}

VectorXd LocalMinimiser::follow(const VectorXd& from, const std::vector<char>& held) const {
  VectorXd start = at_;
  for (Index k = 0; k < at_.size(); ++k)
    if (held[std::size_t(k)]) start[k] = from[k];
  const VectorXd values = values_ + slopes_ * (start - at_);
  return start + step(slopes_, weights_.residuals(values, model_.measured()), start, held).step;
}

LocalMinimiser::Result LocalMinimiser::solve(const VectorXd& from, const std::vector<char>& held,
                                             const VectorXd& measured) {
  Result out{from, HUGE_VAL, false};
  VectorXd values, trial_values;
  if (!model_.predict(from, values)) return out;
  VectorXd residuals = weights_.residuals(values, measured);
  out.cost = weights_.cost(residuals);
  MatrixXd own;        // once the slopes of the known minimum serve no more
  bool fresh = false;  // they are those of where we are
  double last_gain = HUGE_VAL;
  for (int i = 0; i < most_steps && !model_.is_cancelled(); ++i) {
    const Step s = step(own.size() > 0 ? own : slopes_, residuals, out.parameters, held);
    if (s.gain < close_enough * unit_) {
      out.ok = true;
      return out;
    }
    const bool is_slow = !fresh && s.gain > 0.2 * last_gain;
    last_gain = s.gain;
    double share = 1, cost = HUGE_VAL;
    VectorXd trial;
    for (int halving = 0; halving < most_halvings; ++halving, share *= 0.5) {
      trial = out.parameters + share * s.step;
      if (!model_.predict(trial, trial_values)) continue;
      cost = weights_.cost(weights_.residuals(trial_values, measured));
      if (cost < out.cost || is_slow) break;
    }
    const bool is_better = cost < out.cost;
    if (is_better) {
      out.parameters = trial;
      out.cost = cost;
      values = trial_values;
      residuals = weights_.residuals(values, measured);
    }
    if (!is_better && fresh) {  // as low as rounding lets it come
      out.ok = s.gain < 100 * close_enough * unit_;
      return out;
    }
    fresh = !is_better && fresh;
    if (is_better && !is_slow && share == 1) continue;
    if (!model_.differentiate(out.parameters, values, own)) return out;
    fresh = true;
    last_gain = HUGE_VAL;
  }
  return out;
}

}  // namespace thud
