#include "thud/study/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/fit_checks.hpp"
#include "study/fit_noise.hpp"
#include "study/fit_outliers.hpp"
#include "study/fit_statistics.hpp"
#include "study/fit_views.hpp"

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

const char* fit_intervals_name(FitIntervals intervals) {
  switch (intervals) {
    case FitIntervals::linear: return "linear";
    case FitIntervals::profile: return "profile";
    case FitIntervals::bootstrap: return "bootstrap";
  }
  return "";
}

namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The rows that are used, of something that has one per measured value.
template <class Matrix>
Matrix used_rows(const Matrix& all, const std::vector<char>& used) {
  Matrix out(Index(std::count(used.begin(), used.end(), 1)), all.cols());
  Index row = 0;
  for (Index i = 0; i < all.rows(); ++i)
    if (used[std::size_t(i)]) out.row(row++) = all.row(i);
  return out;
}

class Fitter {
 public:
  Fitter(const FitStudy& study, const std::vector<FitData>& data, const FitOptions& options)
      : study_(study),
        data_(data),
        model_(study, data, options) {
    const auto p = Index(model_.parameters().size());
    start_.resize(p);
    for (Index k = 0; k < p; ++k) start_[k] = model_.parameters()[std::size_t(k)].start;
    weights_.loss = study.loss;
    weights_.loss_scale = study.loss_scale;
    for (Index i = 0; i < model_.value_count(); ++i) weights_.used.push_back(model_.is_usable(i));
  }

  FitResult run() {
    FitResult out;
    out.title = study_.study.title;
    out.scenario = study_.study.scenario;
    out.file = study_.study.file;
    out.loss = study_.loss == FitLoss::none ? "none" : study_.loss == FitLoss::huber ? "huber" : "cauchy";
    out.values = model_.value_count();
    for (const FitData& d : data_)
      for (const std::string& note : d.measurement.notes) out.notes.push_back(d.name + ": " + note);
    look_at_start(out);
    set_noise();
    FitMinimum best = search(out);
    if (best.has_values()) best = settle(best);
    out.converged = best.converged;
    out.message = best.message;
    if (best.has_values() && !model_.is_cancelled()) best = describe(best, out);
    out.cancelled = model_.is_cancelled();
    if (out.cancelled) out.converged = false, out.message = "interrupted";
    if (out.estimates.empty()) add_estimates(best, out);
    out.iterations = iterations_;
    out.runs = model_.runs();
    out.failed_runs = model_.failed_runs();
    out.failure = model_.failure();
    return out;
  }

 private:
  FitMinimum minimise_from(const VectorXd& from) {
    FitMinimum m = minimise(model_, weights_, from, study_.iterations, iterations_);
    iterations_ += m.iterations;
    return m;
  }

  // ---- before the first step --------------------------------------------------------------------------------------

  // What the run with the start values tells: signs of axes, and values that cannot be measurements.
  void look_at_start(FitResult& out) {
    note_unusable(out);
    VectorXd values;
    if (!model_.predict(start_, values)) return;
    if (study_.find_signs) {
      find_signs(values, out);
      if (!model_.predict(start_, values)) return;
    }
    if (!study_.keep_outliers) leave_out(find_impossible(model_, values));
  }

  void note_unusable(FitResult& out) const {
    const auto n = std::count(weights_.used.begin(), weights_.used.end(), 0);
    if (n > 0)
      out.notes.push_back(
          fmt::format("{} value{} may lie before the start of a run, which is fitted, and {} left out", n,
                      n == 1 ? "" : "s", n == 1 ? "is" : "are"));
  }

  void find_signs(const VectorXd& values, FitResult& out) {
    std::vector<char> used = weights_.used;
    const std::vector<char> impossible = find_impossible_either_way(values);
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] && !impossible[i];
    for (std::size_t f = 0; f < data_.size(); ++f)
      for (FitAxis axis : {FitAxis::x, FitAxis::z, FitAxis::angle}) {
        if (find_sign(model_, values, used, f, axis) >= 0) continue;
        model_.set_sign(f, axis, -1);
        out.notes.push_back(fmt::format("the {} axis of {} is turned round: it runs against the model",
                                        fit_axis_names[std::size_t(axis)], data_[f].name));
      }
  }

  // Before the sign is known, only what is out of the question for both.
  std::vector<char> find_impossible_either_way(const VectorXd& values) const {
    std::vector<char> a = find_impossible(model_, values);
    const std::vector<char> b = find_impossible(model_, -values);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] && b[i];
    return a;
  }

  bool leave_out(const std::vector<char>& outliers) {
    bool changed = false;
    for (std::size_t i = 0; i < outliers.size(); ++i) {
      const char used = model_.is_usable(Index(i)) && !outliers[i];
      changed = changed || used != weights_.used[i];
      weights_.used[i] = used;
    }
    return changed;
  }

  // ---- noise --------------------------------------------------------------------------------------------------

  void set_noise() {
    noise_ = guess_noise(model_, weights_.used);
    smallest_noise_ = 1e-9 * noise_;
    weights_.deviation.resize(model_.value_count());
    use_noise();
    if (study_.noise.empty()) return;
    for (Index i = 0; i < weights_.deviation.size(); ++i)
      weights_.deviation[i] =
          find_noise(study_, model_.column(model_.sources()[std::size_t(i)]).what)->deviation;
  }

  void use_noise() {
    for (Index i = 0; i < weights_.deviation.size(); ++i)
      weights_.deviation[i] = noise_[Index(model_.unit_of()[std::size_t(i)])];
  }

  bool is_noise_needed() const {
    return study_.noise.empty() && (model_.units().size() > 1 || study_.loss != FitLoss::none);
  }

  // Weights that depend on the residuals they give: fitted again until they agree.
  FitMinimum settle_noise(FitMinimum best) {
    if (!is_noise_needed()) return best;
    for (int round = 0; round < 20 && best.converged; ++round) {
      VectorXd values;
      if (!model_.predict(best.parameters, values)) break;
      const VectorXd next = noise_of_residuals(model_, weights_, values - model_.measured(), start_.size())
                                .cwiseMax(smallest_noise_);
      const double change = (next.cwiseQuotient(noise_).array() - 1).abs().maxCoeff();
      if (change < 1e-3) break;
      noise_ = next;
      use_noise();
      best = minimise_from(best.parameters);
    }
    return best;
  }

  // ---- outliers -----------------------------------------------------------------------------------------------

  // Once outliers show, a fit that hardly feels them tells which they are; the fit proper then does without them.
  FitMinimum settle(FitMinimum best) {
    best = settle_noise(best);
    if (study_.keep_outliers) return best;
    for (int round = 0; round < 6 && best.converged && !model_.is_cancelled(); ++round) {
      VectorXd values;
      if (!model_.predict(best.parameters, values)) break;
      std::vector<char> outliers = find_outliers(model_, weights_, values, !study_.noise.empty());
      if (!differs(outliers)) break;
      if (round == 0) {
        const FitMinimum robust = minimise_robustly(best.parameters, values);
        if (robust.converged && model_.predict(robust.parameters, values)) {
          outliers = find_outliers(model_, weights_, values, !study_.noise.empty());
          best = robust;
        }
      }
      leave_out(outliers);
      if (weights_.count() <= start_.size()) break;
      best = settle_noise(minimise_from(best.parameters));
    }
    return best;
  }

  bool differs(const std::vector<char>& outliers) const {
    for (std::size_t i = 0; i < outliers.size(); ++i)
      if (weights_.used[i] != (model_.is_usable(Index(i)) && !outliers[i])) return true;
    return false;
  }

  FitMinimum minimise_robustly(const VectorXd& from, const VectorXd& values) {
    const double scale = robust_scale(weights_, weights_.residuals(values, model_.measured()));
    const FitWeights proper = weights_;
    weights_.loss = FitLoss::cauchy;
    weights_.loss_scale = 2.385 * std::max(scale, 1e-12);
    const FitMinimum m = minimise_from(from);
    weights_ = proper;
    return m;
  }

  // ---- minima -------------------------------------------------------------------------------------------------

  FitMinimum search(FitResult& out) {
    FitMinimum best;
    best.parameters = start_;
    for (const VectorXd& start : make_starts(model_, start_, study_.starts, study_.seed)) {
      if (model_.is_cancelled()) break;
      const FitMinimum m = minimise_from(start);
      const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
      if (study_.starts > 1) out.starts.push_back({list(start), list(m.parameters), m.cost, m.converged});
      const bool better = m.converged != best.converged ? m.converged : m.cost < best.cost;
      if (better || best.message.empty()) best = m;
    }
    return best;
  }

  // ---- what came of it ----------------------------------------------------------------------------------------

  void add_estimates(const FitMinimum& best, FitResult& out) const {
    out.estimates.clear();
    for (Index k = 0; k < start_.size(); ++k) {
      const FitParameter& p = model_.parameters()[std::size_t(k)];
      FitEstimate e;
      e.knob = p.knob;
      if (p.file >= 0) e.file = data_[std::size_t(p.file)].name;
      e.nuisance = p.kind != FitParameter::Kind::knob;
      e.value = best.parameters[k];
      e.start = p.start;
      e.low = p.low;
      e.high = p.high;
      e.size = p.size;
      out.estimates.push_back(std::move(e));
    }
  }

  // A profile may meet a better minimum than the search did; then everything is told of that one.
  FitMinimum describe(FitMinimum best, FitResult& out) {
    const FitResult before = out;
    constexpr int last = 3;
    for (int round = 0;; ++round) {
      out = before;
      out.converged = best.converged;
      out.message = best.message;
      add_estimates(best, out);
      const auto better = describe_once(best, round == last, out);
      if (!better || model_.is_cancelled()) return best;
      best = settle(minimise_from(*better));
    }
  }

  std::optional<VectorXd> describe_once(const FitMinimum& best, bool is_last, FitResult& out) {
    VectorXd values;
    Eigen::MatrixXd slopes;
    if (!model_.predict(best.parameters, values) || !model_.differentiate(best.parameters, values, slopes)) {
      out.converged = false;
      out.message = "no uncertainties: runs failed around the estimate, " + model_.failure();
      return std::nullopt;
    }
    const VectorXd difference = values - model_.measured();
    out.intervals = study_.intervals;
    const VectorXd residuals =
        used_rows<VectorXd>(difference.cwiseQuotient(weights_.deviation), weights_.used);
    add_statistics(
        used_rows<Eigen::MatrixXd>(weights_.deviation.cwiseInverse().asDiagonal() * slopes, weights_.used),
        residuals, study_.loss, study_.loss_scale, out);
    add_noise(model_, weights_, difference, !study_.noise.empty(), out);
    const FitPlace place{model_, weights_, best.parameters,
                         values, slopes,   cost_unit(residuals, weights_, out)};
    const auto better = add_intervals(place, out);
    if (better && !is_last) return better;
    out.residuals = model_.residuals(best.parameters, weights_.used, out.warnings);
    drop_small_ends(out);
    add_outliers(values, out);
    check_fit(place, study_, data_, start_, out);
    if (better)
      out.failures.push_back("the fit did not settle: beside the minimum that it found there are lower ones");
    if (out.failed_runs = model_.failed_runs(); out.failed_runs > 0)
      out.warnings.push_back(fmt::format("{} of {} runs failed and were backed away from; the first: {}",
                                         out.failed_runs, model_.runs(), model_.failure()));
    return std::nullopt;
  }

  std::optional<VectorXd> add_intervals(const FitPlace& place, FitResult& out) {
    if (!(place.unit > 0) || !out.converged) return std::nullopt;
    if (study_.intervals == FitIntervals::profile) return add_profile_intervals(place, out);
    if (study_.intervals == FitIntervals::bootstrap)
      add_bootstrap_intervals(place, study_.samples, study_.seed, out);
    return std::nullopt;
  }

  void add_outliers(const VectorXd& values, FitResult& out) const {
    for (Index i = 0; i < values.size(); ++i) {
      if (weights_.used[std::size_t(i)] || !model_.is_usable(i)) continue;
      const FitModel::Source& s = model_.sources()[std::size_t(i)];
      const MeasuredColumn& c = model_.column(s);
      out.outliers.push_back({data_[s.file].name, c.what.name, c.what.unit,
                              data_[s.file].measurement.time[s.row], model_.measured()[i], values[i]});
    }
  }

  // A relative error means nothing where the measured value is hardly larger than the noise.
  static void drop_small_ends(FitResult& out) {
    for (FitResidual& r : out.residuals)
      for (const FitNoise& n : out.noise)
        if (r.end_error && n.unit == r.unit && !(std::abs(r.end_value) >= 20 * n.found)) r.end_error.reset();
  }

  const FitStudy& study_;
  const std::vector<FitData>& data_;
  FitModel model_;
  FitWeights weights_;
  VectorXd start_, noise_, smallest_noise_;
  int iterations_ = 0;
};

}  // namespace

FitResult fit(const FitStudy& study, const std::vector<FitData>& data, const FitOptions& options) {
  FitResult out = Fitter(study, data, options).run();
  const auto is_start = [](const NuisanceKnob& n) { return n.kind == NuisanceKnob::Kind::start; };
  const bool is_asked = std::any_of(study.nuisance.begin(), study.nuisance.end(), is_start);
  if (out.undetermined.empty() || study.start_known || is_asked || out.cancelled) return out;
  // Where initial conditions are fitted too, they may do all that a start can do: then it is taken as known.
  FitStudy known = study;
  known.start_known = true;
  FitResult second = Fitter(known, data, options).run();
  if (second.undetermined.size() >= out.undetermined.size()) return out;
  second.notes.push_back("the starts are taken as known: the data cannot tell them from what else is fitted");
  return second;
}

}  // namespace thud
