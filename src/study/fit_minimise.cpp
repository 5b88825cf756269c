#include "study/fit_minimise.hpp"

#include <ceres/ceres.h>
#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace thud {

using Eigen::Index;
using Eigen::VectorXd;

Index FitWeights::count() const { return std::count(used.begin(), used.end(), 1); }

VectorXd FitWeights::residuals(const VectorXd& values, const VectorXd& measured) const {
  VectorXd out(values.size());
  for (Index i = 0; i < values.size(); ++i)
    out[i] = used[std::size_t(i)] ? (values[i] - measured[i]) / deviation[i] : 0;
  return out;
}

double FitWeights::cost(const VectorXd& residuals) const {
  double sum = 0;
  for (double r : residuals) {
    const double x = std::abs(r) / loss_scale;
    switch (loss) {
      case FitLoss::none: sum += r * r; break;
      case FitLoss::huber: sum += loss_scale * loss_scale * (x <= 1 ? x * x : 2 * x - 1); break;
      case FitLoss::cauchy: sum += loss_scale * loss_scale * std::log1p(x * x); break;
    }
  }
  return sum;
}

namespace {

/// Computes all residuals and derivatives at once, in our own threads, before Ceres asks for them one by one.
class Evaluation final : public ceres::EvaluationCallback {
 public:
  Evaluation(FitModel& model, const VectorXd& deviation, const VectorXd& size)
      : model_(model),
        deviation_(deviation),
        size_(size),
        x(VectorXd::Zero(size.size())) {}

  void PrepareForEvaluation(bool evaluate_jacobians, bool new_evaluation_point) override {
    const VectorXd parameters = x.cwiseProduct(size_);
    if (new_evaluation_point || !has_values_) {
      has_values_ = ok_ = model_.predict(parameters, values_);
      has_slopes_ = false;
    }
    if (evaluate_jacobians && ok_ && !has_slopes_)
      ok_ = has_slopes_ = model_.differentiate(parameters, values_, slopes_);
  }

  // Ceres takes a false for a step that leads nowhere, and makes it shorter.
  bool evaluate(Index i, double* residual, double* slope) const {
    if (!ok_) return false;
    *residual = (values_[i] - model_.measured()[i]) / deviation_[i];
    if (slope)
      for (Index k = 0; k < size_.size(); ++k) slope[k] = slopes_(i, k) * size_[k] / deviation_[i];
    return true;
  }

 private:
  FitModel& model_;
  const VectorXd& deviation_;
  const VectorXd& size_;
  VectorXd values_;
  Eigen::MatrixXd slopes_;
  bool has_values_ = false, has_slopes_ = false, ok_ = false;

 public:
  VectorXd x;  // parameters over their typical sizes; Ceres moves them
};

class OneValue final : public ceres::CostFunction {
 public:
  OneValue(const Evaluation& evaluation, Index i, int parameters) : evaluation_(evaluation), i_(i) {
    set_num_residuals(1);
    mutable_parameter_block_sizes()->push_back(parameters);
  }
  bool Evaluate(double const* const*, double* residual, double** jacobian) const override {
    return evaluation_.evaluate(i_, residual, jacobian ? jacobian[0] : nullptr);
  }

 private:
  const Evaluation& evaluation_;
  Index i_;
};

class Watch final : public ceres::IterationCallback {
 public:
  Watch(FitModel& model, int before) : model_(model), before_(before) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    model_.enter(fmt::format("iteration {}", before_ + summary.iteration + 1));
    return model_.is_cancelled() ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }

 private:
  FitModel& model_;
  int before_;
};

// Ceres tells of failed evaluations on standard error; we tell of them ourselves.
void silence_ceres() {
  static const bool silent = [] {
    FLAGS_minloglevel = google::GLOG_FATAL;
    return true;
  }();
  (void)silent;
}

std::unique_ptr<ceres::LossFunction> make_loss(const FitWeights& weights) {
  switch (weights.loss) {
    case FitLoss::none: return nullptr;
    case FitLoss::huber: return std::make_unique<ceres::HuberLoss>(weights.loss_scale);
    case FitLoss::cauchy: return std::make_unique<ceres::CauchyLoss>(weights.loss_scale);
  }
  return nullptr;
}

ceres::Solver::Options solver_options(int iterations, Watch& watch) {
  ceres::Solver::Options o;
  o.minimizer_type = ceres::TRUST_REGION;
  o.trust_region_strategy_type = ceres::LEVENBERG_MARQUARDT;
  o.linear_solver_type = ceres::DENSE_QR;
  o.num_threads = 1;  // the threads are in the evaluation
  o.max_num_iterations = iterations;
  o.function_tolerance = 1e-10;
  o.parameter_tolerance = 1e-10;
  o.gradient_tolerance = 1e-14;
  o.max_num_consecutive_invalid_steps = 30;
  o.logging_type = ceres::SILENT;
  o.callbacks.push_back(&watch);
  return o;
}

// Nothing to fit: what the model says is all there is.
FitMinimum without_parameters(FitModel& model, const FitWeights& weights) {
  FitMinimum out{VectorXd(0), HUGE_VAL, false, {}, 0};
  VectorXd values;
  out.converged = model.predict(out.parameters, values);
  if (out.converged)
    out.cost = weights.cost(weights.residuals(values, model.measured()));
  else
    out.message = "runs failed, " + model.failure();
  return out;
}

}  // namespace

FitMinimum minimise(FitModel& model, const FitWeights& weights, const VectorXd& from, int iterations,
                    int before) {
  silence_ceres();
  const std::vector<FitParameter>& all = model.parameters();
  const int p = static_cast<int>(all.size());
  if (p == 0) return without_parameters(model, weights);
  VectorXd size(p);
  for (int k = 0; k < p; ++k) size[k] = all[std::size_t(k)].size;
  Evaluation evaluation(model, weights.deviation, size);
  evaluation.x = from.cwiseQuotient(size);
  const std::unique_ptr<ceres::LossFunction> loss = make_loss(weights);
  ceres::Problem::Options owned;
  owned.cost_function_ownership = ceres::TAKE_OWNERSHIP;
  owned.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  owned.evaluation_callback = &evaluation;
  ceres::Problem problem(owned);
  double* x = evaluation.x.data();
  problem.AddParameterBlock(x, p);
  for (int k = 0; k < p; ++k) {
    if (std::isfinite(all[std::size_t(k)].low))
      problem.SetParameterLowerBound(x, k, all[std::size_t(k)].low / size[k]);
    if (std::isfinite(all[std::size_t(k)].high))
      problem.SetParameterUpperBound(x, k, all[std::size_t(k)].high / size[k]);
  }
  for (Index i = 0; i < model.value_count(); ++i)
    if (weights.used[std::size_t(i)]) problem.AddResidualBlock(new OneValue(evaluation, i, p), loss.get(), x);

  model.enter(fmt::format("iteration {}", before));
  Watch watch(model, before);
  ceres::Solver::Summary summary;
  ceres::Solve(solver_options(iterations, watch), &problem, &summary);

  FitMinimum out{evaluation.x.cwiseProduct(size), HUGE_VAL, false, {}, 0};
  out.iterations = std::max(0, static_cast<int>(summary.iterations.size()) - 1);
  for (int k = 0; k < p; ++k)  // the quotient may end an ulp outside
    out.parameters[k] = std::clamp(out.parameters[k], all[std::size_t(k)].low, all[std::size_t(k)].high);
  out.converged = summary.termination_type == ceres::CONVERGENCE;
  if (summary.IsSolutionUsable() || !summary.iterations.empty()) out.cost = summary.final_cost;
  if (summary.termination_type == ceres::NO_CONVERGENCE)
    out.message = fmt::format("the fit did not settle within {} iterations", iterations);
  else if (!out.converged && !model.failure().empty())
    out.message = "runs failed, " + model.failure();
  else if (!out.converged)
    out.message = summary.message;
  return out;
}

// Starts beyond the first lie anywhere in the ranges, one in each of equal parts of every range.
std::vector<VectorXd> make_starts(const FitModel& model, const VectorXd& first, int count,
                                  std::uint64_t seed) {
  std::vector<VectorXd> starts(std::size_t(count), first);
  std::mt19937_64 random(seed);
  const auto unit_random = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const std::size_t others = starts.size() - 1;
  for (Index k = 0; k < first.size() && others > 0; ++k) {
    const FitParameter& knob = model.parameters()[std::size_t(k)];
    if (!std::isfinite(knob.high - knob.low)) continue;
    std::vector<std::size_t> part(others);
    for (std::size_t i = 0; i < others; ++i) part[i] = i;
    for (std::size_t i = others; i > 1; --i)
      std::swap(part[i - 1], part[std::size_t(unit_random() * static_cast<double>(i))]);
    for (std::size_t i = 0; i < others; ++i)
      starts[i + 1][k] = knob.low
                       + (knob.high - knob.low) * (static_cast<double>(part[i]) + unit_random())
                             / static_cast<double>(others);
  }
  return starts;
}

}  // namespace thud
