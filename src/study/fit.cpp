#include "thud/study/fit.hpp"

#include <ceres/ceres.h>
#include <fmt/format.h>
#include <glog/logging.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "study/fit_model.hpp"
#include "study/fit_statistics.hpp"

namespace thud {

std::string FitEstimate::name() const {
  return file.empty() ? knob.name : fmt::format("{} ({})", knob.name, file);
}

const char* fit_status_name(FitEstimate::Status status) {
  switch (status) {
    case FitEstimate::Status::determined: return "determined";
    case FitEstimate::Status::at_bound: return "at bound";
    case FitEstimate::Status::undetermined: return "undetermined";
    case FitEstimate::Status::no_effect: return "no effect";
  }
  return "";
}

namespace {

using Eigen::Index;
using Eigen::VectorXd;

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
  Watch(const FitModel& model, const FitOptions& options, int before)
      : model_(model),
        options_(options),
        before_(before) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (options_.progress) options_.progress(before_ + summary.iteration, model_.runs());
    return model_.is_cancelled() ? ceres::SOLVER_ABORT : ceres::SOLVER_CONTINUE;
  }

 private:
  const FitModel& model_;
  const FitOptions& options_;
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

std::unique_ptr<ceres::LossFunction> make_loss(const FitStudy& study) {
  switch (study.loss) {
    case FitLoss::none: return nullptr;
    case FitLoss::huber: return std::make_unique<ceres::HuberLoss>(study.loss_scale);
    case FitLoss::cauchy: return std::make_unique<ceres::CauchyLoss>(study.loss_scale);
  }
  return nullptr;
}

struct Minimum {
  VectorXd parameters;
  double cost = HUGE_VAL;
  bool converged = false;
  std::string message;
};

class Fitter {
 public:
  Fitter(const FitStudy& study, const std::vector<FitData>& data, const FitOptions& options)
      : study_(study),
        data_(data),
        options_(options),
        model_(study, data, options) {
    const auto p = Index(model_.parameters().size());
    size_.resize(p);
    start_.resize(p);
    for (Index k = 0; k < p; ++k) {
      size_[k] = model_.parameters()[std::size_t(k)].size;
      start_[k] = model_.parameters()[std::size_t(k)].start;
    }
  }

  FitResult run() {
    FitResult out;
    out.title = study_.study.title;
    out.scenario = study_.study.scenario;
    out.file = study_.study.file;
    out.loss = study_.loss == FitLoss::none ? "none" : study_.loss == FitLoss::huber ? "huber" : "cauchy";
    out.values = model_.value_count();
    guess_noise();
    Minimum best = search(out);
    if (has_values(best)) best = settle_noise(best);
    out.converged = best.converged;
    out.message = best.message;
    out.cancelled = model_.is_cancelled();
    if (out.cancelled) out.converged = false, out.message = "interrupted";
    for (Index k = 0; k < size_.size(); ++k) out.estimates.push_back(make_estimate(k, best.parameters[k]));
    if (has_values(best) && !out.cancelled) describe(best, out);
    out.iterations = iterations_;
    out.runs = model_.runs();
    out.failed_runs = model_.failed_runs();
    out.failure = model_.failure();
    return out;
  }

 private:
  static bool has_values(const Minimum& m) { return std::isfinite(m.cost); }

  // ---- noise --------------------------------------------------------------------------------------------------

  // The spread of what was measured in each unit; 1 % of it stands for the noise until there is something better.
  void guess_noise() {
    const VectorXd& y = model_.measured();
    const std::size_t units = model_.units().size();
    std::vector<double> sum(units), squares(units), count(units);
    for (Index i = 0; i < y.size(); ++i) sum[unit(i)] += y[i], ++count[unit(i)];
    for (Index i = 0; i < y.size(); ++i)
      squares[unit(i)] += std::pow(y[i] - sum[unit(i)] / count[unit(i)], 2);
    noise_.resize(Index(units));
    for (std::size_t u = 0; u < units; ++u) {
      const double mean = sum[u] / count[u], spread = std::sqrt(squares[u] / count[u]);
      noise_[Index(u)] = 0.01 * (spread > 0 ? spread : mean != 0 ? std::abs(mean) : 1);
    }
    smallest_noise_ = 1e-9 * noise_;
    deviation_.resize(y.size());
    for (Index i = 0; i < y.size(); ++i) deviation_[i] = noise_[Index(unit(i))];
    if (study_.noise.empty()) return;
    Index i = 0;
    for (const FitData& d : data_)
      for (const MeasuredColumn& c : d.measurement.columns) {
        const double given = find_noise(study_, c.what)->deviation;
        for (double x : c.value)
          if (std::isfinite(x)) deviation_[i++] = given;
      }
  }

  std::size_t unit(Index i) const { return std::size_t(model_.unit_of()[std::size_t(i)]); }

  // From the residuals, robustly when the loss is robust.
  VectorXd noise_from(const VectorXd& difference) const {
    const auto units = Index(model_.units().size());
    const double n = static_cast<double>(difference.size()), p = static_cast<double>(size_.size());
    VectorXd out(units);
    for (Index u = 0; u < units; ++u) {
      std::vector<double> sizes;
      for (Index i = 0; i < difference.size(); ++i)
        if (Index(unit(i)) == u) sizes.push_back(std::abs(difference[i]));
      double level = 0;
      if (study_.loss == FitLoss::none) {
        for (double x : sizes) level += x * x;
        level = std::sqrt(level / static_cast<double>(sizes.size()));
      } else {
        std::sort(sizes.begin(), sizes.end());
        level = 1.4826 * sizes[sizes.size() / 2];
      }
      out[u] = level * std::sqrt(n / (n - p));
    }
    return out;
  }

  // Weights that depend on the residuals they give: fitted again until they agree.
  Minimum settle_noise(Minimum best) {
    const bool is_known =
        !study_.noise.empty() || (model_.units().size() == 1 && study_.loss == FitLoss::none);
    if (is_known) return best;
    for (int round = 0; round < 20 && best.converged; ++round) {
      VectorXd values;
      if (!model_.predict(best.parameters, values)) break;
      const VectorXd next = noise_from(values - model_.measured()).cwiseMax(smallest_noise_);
      const double change = (next.cwiseQuotient(noise_).array() - 1).abs().maxCoeff();
      if (change < 1e-3) break;
      noise_ = next;
      for (Index i = 0; i < deviation_.size(); ++i) deviation_[i] = noise_[Index(unit(i))];
      best = minimise(best.parameters);
    }
    return best;
  }

  // ---- minima -------------------------------------------------------------------------------------------------

  Minimum minimise(const VectorXd& from) {
    Evaluation evaluation(model_, deviation_, size_);
    evaluation.x = from.cwiseQuotient(size_);
    const std::unique_ptr<ceres::LossFunction> loss = make_loss(study_);
    ceres::Problem::Options owned;
    owned.cost_function_ownership = ceres::TAKE_OWNERSHIP;
    owned.loss_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
    owned.evaluation_callback = &evaluation;
    ceres::Problem problem(owned);
    const int p = static_cast<int>(size_.size());
    double* x = evaluation.x.data();
    problem.AddParameterBlock(x, p);
    for (int k = 0; k < p; ++k) {
      const FitKnob& knob = *model_.parameters()[std::size_t(k)].knob;
      if (std::isfinite(knob.low)) problem.SetParameterLowerBound(x, k, knob.low / size_[k]);
      if (std::isfinite(knob.high)) problem.SetParameterUpperBound(x, k, knob.high / size_[k]);
    }
    for (Index i = 0; i < model_.value_count(); ++i)
      problem.AddResidualBlock(new OneValue(evaluation, i, p), loss.get(), x);

    Watch watch(model_, options_, iterations_);
    ceres::Solver::Options o;
    o.minimizer_type = ceres::TRUST_REGION;
    o.trust_region_strategy_type = ceres::LEVENBERG_MARQUARDT;
    o.linear_solver_type = ceres::DENSE_QR;
    o.num_threads = 1;  // the threads are in the evaluation
    o.max_num_iterations = study_.iterations;
    o.function_tolerance = 1e-10;
    o.parameter_tolerance = 1e-10;
    o.gradient_tolerance = 1e-14;
    o.max_num_consecutive_invalid_steps = 30;
    o.logging_type = ceres::SILENT;
    o.callbacks.push_back(&watch);
    ceres::Solver::Summary summary;
    ceres::Solve(o, &problem, &summary);
    iterations_ += std::max(0, static_cast<int>(summary.iterations.size()) - 1);

    Minimum out{evaluation.x.cwiseProduct(size_), HUGE_VAL, false, {}};
    for (int k = 0; k < p; ++k) {  // the quotient may end an ulp outside
      const FitKnob& knob = *model_.parameters()[std::size_t(k)].knob;
      out.parameters[k] = std::clamp(out.parameters[k], knob.low, knob.high);
    }
    out.converged = summary.termination_type == ceres::CONVERGENCE;
    if (summary.IsSolutionUsable() || !summary.iterations.empty()) out.cost = summary.final_cost;
    if (summary.termination_type == ceres::NO_CONVERGENCE)
      out.message = fmt::format("the fit did not settle within {} iterations", study_.iterations);
    else if (!out.converged && !model_.failure().empty())
      out.message = "runs failed, " + model_.failure();
    else if (!out.converged)
      out.message = summary.message;
    return out;
  }

  // Starts beyond the first lie anywhere in the ranges, one in each of equal parts of every range.
  std::vector<VectorXd> make_starts() const {
    std::vector<VectorXd> starts(std::size_t(study_.starts), start_);
    std::mt19937_64 random(study_.seed);
    const auto unit_random = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    const std::size_t others = starts.size() - 1;
    for (Index k = 0; k < size_.size() && others > 0; ++k) {
      const FitKnob& knob = *model_.parameters()[std::size_t(k)].knob;
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

  Minimum search(FitResult& out) {
    Minimum best;
    best.parameters = start_;
    for (const VectorXd& start : make_starts()) {
      if (model_.is_cancelled()) break;
      const Minimum m = minimise(start);
      const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
      if (study_.starts > 1) out.starts.push_back({list(start), list(m.parameters), m.cost, m.converged});
      const bool better = m.converged != best.converged ? m.converged : m.cost < best.cost;
      if (better || best.message.empty()) best = m;
    }
    return best;
  }

  // ---- what came of it ----------------------------------------------------------------------------------------

  FitEstimate make_estimate(Index k, double value) const {
    const FitParameter& p = model_.parameters()[std::size_t(k)];
    FitEstimate e;
    e.knob = p.knob->knob;
    if (p.file >= 0) e.file = data_[std::size_t(p.file)].name;
    e.value = value;
    e.start = p.start;
    e.low = p.knob->low;
    e.high = p.knob->high;
    return e;
  }

  void describe(const Minimum& best, FitResult& out) {
    VectorXd values;
    Eigen::MatrixXd slopes;
    if (!model_.predict(best.parameters, values) || !model_.differentiate(best.parameters, values, slopes)) {
      out.converged = false;
      out.message = "no uncertainties: runs failed around the estimate, " + model_.failure();
      return;
    }
    const VectorXd difference = values - model_.measured();
    const VectorXd residuals = difference.cwiseQuotient(deviation_);
    add_statistics(deviation_.cwiseInverse().asDiagonal() * slopes, residuals, study_.loss, study_.loss_scale,
                   out);
    add_noise(difference, residuals, out);
    out.residuals = model_.residuals(best.parameters, out.warnings);
    drop_small_ends(out);
    warn_of_pattern(out);
    if (out.failed_runs = model_.failed_runs(); out.failed_runs > 0)
      out.warnings.push_back(fmt::format("{} of {} runs failed and were backed away from; the first: {}",
                                         out.failed_runs, model_.runs(), model_.failure()));
  }

  void add_noise(const VectorXd& difference, const VectorXd& residuals, FitResult& out) const {
    const VectorXd found = noise_from(difference);
    for (Index u = 0; u < found.size(); ++u)
      out.noise.push_back({model_.units()[std::size_t(u)], std::nullopt, found[u]});
    if (study_.noise.empty()) return;
    for (Index i = 0; i < residuals.size(); ++i) {
      std::optional<double>& given = out.noise[unit(i)].given;
      given = given ? std::max(*given, deviation_[i]) : deviation_[i];
    }
    if (study_.loss != FitLoss::none || out.degrees < 1) return;
    out.chi_square = residuals.squaredNorm();
    const boost::math::chi_squared law(static_cast<double>(out.degrees));
    out.chi_square_probability = boost::math::cdf(boost::math::complement(law, *out.chi_square));
    if (*out.chi_square_probability < 1e-3)
      out.warnings.push_back(fmt::format(
          "the residuals are {:.3g} times the stated noise, more than chance explains: the model misses "
          "something, or the noise is larger; the intervals follow the residuals",
          out.scale));
  }

  // A relative error means nothing where the measured value is hardly larger than the noise.
  static void drop_small_ends(FitResult& out) {
    for (FitResidual& r : out.residuals)
      for (const FitNoise& n : out.noise)
        if (r.end_error && n.unit == r.unit && std::abs(r.measured.back()) < 20 * n.found)
          r.end_error.reset();
  }

  // Successive residuals that resemble each other are no noise.
  static void warn_of_pattern(FitResult& out) {
    std::vector<std::string> columns;
    for (const FitResidual& r : out.residuals) {
      const double n = static_cast<double>(r.time.size());
      if (n >= 10 && r.lag_one > 4 / std::sqrt(n))
        columns.push_back(fmt::format("{} of {}", r.observable, r.file));
    }
    if (columns.empty()) return;
    const std::size_t more = columns.size() - 1;
    out.warnings.push_back(fmt::format(
        "residuals follow a pattern instead of scattering ({}{}): the model misses something, and the "
        "intervals "
        "are too narrow",
        columns.front(), more > 0 ? fmt::format(" and {} other column{}", more, more == 1 ? "" : "s") : ""));
  }

  const FitStudy& study_;
  const std::vector<FitData>& data_;
  const FitOptions& options_;
  FitModel model_;
  VectorXd size_, start_, noise_, smallest_noise_, deviation_;
  int iterations_ = 0;
};

}  // namespace

FitResult fit(const FitStudy& study, const std::vector<FitData>& data, const FitOptions& options) {
  silence_ceres();
  return Fitter(study, data, options).run();
}

}  // namespace thud
