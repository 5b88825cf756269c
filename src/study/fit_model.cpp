#include "study/fit_model.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "thud/scenario/knob_text.hpp"

namespace thud {

const NoiseRule* find_noise(const FitStudy& study, const NamedObservable& what) {
  const NoiseRule* found = nullptr;
  for (const NoiseRule& rule : study.noise)
    if (::fnmatch(rule.pattern.c_str(), what.name.c_str(), 0) == 0
        && (rule.unit.empty() || rule.unit == what.unit))
      found = &rule;
  return found;
}

// ---- sampler ---------------------------------------------------------------------------------------------------

Sampler::Sampler(const System& system, const std::vector<double>& times,
                 const std::vector<Observable>& columns)
    : system_(system),
      times_(times),
      columns_(columns),
      y_(static_cast<std::size_t>(system.state_size())),
      slope_(y_.size()) {
  system.prepare(work_);
  values_.reserve(times.size() * columns.size());
}

void Sampler::read(double t, const double* y, const Mode& mode) {
  system_.evaluate(t, y, mode, work_, slope_.data());
  for (const Observable& o : columns_) values_.push_back(observe(system_, o, t, y, work_));
  ++next_;
}

void Sampler::on_step(StepView& step) {
  while (next_ < times_.size() && times_[next_] <= step.end()) {
    step.state(times_[next_], y_.data());
    read(times_[next_], y_.data(), step.mode());
  }
}

void Sampler::finish(const Outcome& outcome) {
  const double last = outcome.time + 1e-12 * std::abs(outcome.time);
  while (next_ < times_.size()) {
    held_ += times_[next_] > last ? 1 : 0;
    read(outcome.time, outcome.state.data(), outcome.mode);
  }
}

// ---- setting up ------------------------------------------------------------------------------------------------

namespace {

std::size_t thread_count(int jobs) {
  return static_cast<std::size_t>(jobs > 0 ? jobs : tbb::info::default_concurrency());
}

double typical_size(const FitKnob& knob, double start) {
  if (start != 0) return std::abs(start);
  if (std::isfinite(knob.high - knob.low)) return 0.1 * (knob.high - knob.low);
  return 1;
}

std::vector<std::string> varied_knobs(const FitStudy& study) {
  std::vector<std::string> out;
  for (const FitKnob& k : study.knobs) out.push_back(k.knob.name);
  for (const LocalKnob& k : study.initial) out.push_back(k.fit.knob.name);
  return out;
}

// A family computes only what it is asked for.
std::vector<std::string> measured_observables(const std::vector<FitData>& data) {
  std::vector<std::string> out;
  for (const FitData& d : data)
    for (const MeasuredColumn& c : d.measurement.columns)
      if (std::find(out.begin(), out.end(), c.what.name) == out.end()) out.push_back(c.what.name);
  return out;
}

}  // namespace

FitModel::FitModel(const FitStudy& study, const std::vector<FitData>& data, const FitOptions& options)
    : study_(study),
      data_(data),
      cancel_(options.cancel),
      varied_(varied_knobs(study)),
      arena_(static_cast<int>(thread_count(options.jobs))),
      measured_names_(measured_observables(data)),
      families_([this] {
        return ScenarioFamily(study_.study.scenario, study_.study.set, varied_, measured_names_);
      }) {
  // More threads than processors only when they were asked for.
  if (options.jobs > tbb::info::default_concurrency())
    threads_.emplace(tbb::global_control::max_allowed_parallelism, thread_count(options.jobs));
  const Scenario& scenario = families_.local().base();
  const double tolerance = study.study.request.tolerance.value_or(scenario.options.tolerance);
  relative_step_ = std::clamp(std::cbrt(tolerance), 1e-4, 1e-2);
  for (std::size_t k = 0; k < study.knobs.size(); ++k) {
    const FitKnob& knob = study.knobs[k];
    parameters_.push_back({&knob, -1, k, knob.start, typical_size(knob, knob.start)});
  }
  std::vector<double> measured;
  for (std::size_t f = 0; f < data.size(); ++f) {
    const Measurement& m = data[f].measurement;
    File file{&data[f], {}, static_cast<Eigen::Index>(measured.size()), 0};
    for (const MeasuredColumn& c : m.columns) {
      file.columns.push_back(c.what.observable);
      auto unit = std::find(units_.begin(), units_.end(), c.what.unit);
      if (unit == units_.end()) unit = units_.insert(units_.end(), c.what.unit);
      for (double x : c.value) {
        if (!std::isfinite(x)) continue;
        measured.push_back(x);
        unit_of_.push_back(static_cast<int>(unit - units_.begin()));
      }
    }
    file.count = static_cast<Eigen::Index>(measured.size()) - file.first;
    files_.push_back(std::move(file));
    for (std::size_t k = 0; k < study.initial.size(); ++k) {
      const LocalKnob& local = study.initial[k];
      if (!local.free) continue;
      const double start = data[f].local[k];
      parameters_.push_back(
          {&local.fit, static_cast<int>(f), study.knobs.size() + k, start, typical_size(local.fit, start)});
    }
  }
  measured_ = Eigen::Map<Eigen::VectorXd>(measured.data(), static_cast<Eigen::Index>(measured.size()));
}

// ---- runs ------------------------------------------------------------------------------------------------------

std::vector<double> FitModel::settings(std::size_t file, const Eigen::VectorXd& parameters) const {
  std::vector<double> values(varied_.size());
  for (std::size_t k = 0; k < study_.initial.size(); ++k)
    values[study_.knobs.size() + k] = data_[file].local[k];
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (parameters_[k].concerns(file)) values[parameters_[k].slot] = parameters[static_cast<Eigen::Index>(k)];
  return values;
}

// No longer than there are measurements.
RunRequest FitModel::request(const File& file) const {
  RunRequest r = study_.study.request;
  const double last = std::max(file.data->measurement.last(), 1e-9);
  r.time_limit = r.time_limit ? std::min(*r.time_limit, last) : last;
  r.cancel = cancel_;
  return r;
}

void FitModel::run_one(Task& task) {
  const File& file = files_[task.file];
  const Measurement& m = file.data->measurement;
  try {
    const Scenario& scenario = families_.local().at(settings(task.file, task.parameters));
    Sampler sampler(*scenario.system, m.time, file.columns);
    RunRequest r = request(file);
    r.observer = &sampler;
    const RunResult result = run(scenario, r);
    const StopReason reason = result.outcome.reason;
    if (reason == StopReason::failed || reason == StopReason::cancelled || result.outcome.state.empty()) {
      task.message = result.reason;
      return;
    }
    sampler.finish(result.outcome);
    task.values.resize(file.count);
    Eigen::Index at = 0;
    for (std::size_t c = 0; c < m.columns.size(); ++c)
      for (std::size_t row = 0; row < m.time.size(); ++row)
        if (std::isfinite(m.columns[c].value[row])) task.values[at++] = sampler.at(row, c);
    task.ok = task.values.allFinite();
    if (!task.ok) task.message = "a measured observable is not a number";
  } catch (const InputError& e) {
    task.message = e.what();
  }
}

// Every task writes to a place of its own, and sums are taken afterwards, in order: the result does not depend on
// which thread does what.
void FitModel::run_all(std::vector<Task>& tasks) {
  arena_.execute([&] {
    tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t k) {
      tasks[k].values.resize(0);
      if (!is_cancelled()) run_one(tasks[k]);
    });
  });
  runs_ += static_cast<long>(tasks.size());
  if (!is_cancelled()) note_failures(tasks);
}

void FitModel::note_failures(const std::vector<Task>& tasks) {
  const TextStyle plain{.unicode = false};
  for (const Task& task : tasks) {
    if (task.ok) continue;
    ++failed_;
    if (!failure_.empty()) continue;
    std::string at;
    for (std::size_t k = 0; k < parameters_.size(); ++k)
      if (parameters_[k].concerns(task.file))
        at += fmt::format(
            "{}{} = {}", at.empty() ? "" : ", ", parameters_[k].knob->knob.name,
            show_knob(parameters_[k].knob->knob, task.parameters[static_cast<Eigen::Index>(k)], plain));
    failure_ = fmt::format("{} at {}: {}", files_[task.file].data->name, at, task.message);
  }
}

bool FitModel::predict(const Eigen::VectorXd& parameters, Eigen::VectorXd& values) {
  std::vector<Task> tasks;
  for (std::size_t f = 0; f < files_.size(); ++f) tasks.push_back({f, parameters, {}});
  run_all(tasks);
  values.resize(value_count());
  for (const Task& task : tasks) {
    if (!task.ok) return false;
    values.segment(files_[task.file].first, files_[task.file].count) = task.values;
  }
  return true;
}

double FitModel::step_of(std::size_t k, double value) const {
  const FitKnob& knob = *parameters_[k].knob;
  const double h = relative_step_ * std::max(std::abs(value), 0.1 * parameters_[k].size);
  return std::min(h, 0.25 * (knob.high - knob.low));
}

// Central differences; at a bound the formula of three points on one side of it. Where one of the runs failed, the
// difference of first order that is left.
bool FitModel::differentiate(const Eigen::VectorXd& parameters, const Eigen::VectorXd& values,
                             Eigen::MatrixXd& slopes) {
  struct Column {
    std::size_t parameter, file, first;  // first of its two tasks
    double a, b;                         // offsets of the two runs
  };
  std::vector<Task> tasks;
  std::vector<Column> columns;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double h = step_of(k, parameters[i]);
    const FitKnob& knob = *parameters_[k].knob;
    double a = h, b = -h;
    if (parameters[i] + h > knob.high) a = -h, b = -2 * h;
    if (parameters[i] - h < knob.low) a = h, b = 2 * h;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      if (!parameters_[k].concerns(f)) continue;
      columns.push_back({k, f, tasks.size(), a, b});
      for (double offset : {a, b}) {
        tasks.push_back({f, parameters, {}});
        tasks.back().parameters[i] += offset;
      }
    }
  }
  run_all(tasks);
  slopes.setZero(value_count(), static_cast<Eigen::Index>(parameters_.size()));
  for (const Column& c : columns) {
    const Task &at_a = tasks[c.first], &at_b = tasks[c.first + 1];
    const File& file = files_[c.file];
    const auto f0 = values.segment(file.first, file.count);
    auto slope = slopes.col(static_cast<Eigen::Index>(c.parameter)).segment(file.first, file.count);
    // The quadratic through f(0), f(a) and f(b), differentiated at 0.
    if (at_a.ok && at_b.ok)
      slope = ((at_a.values - f0) * c.b / c.a - (at_b.values - f0) * c.a / c.b) / (c.b - c.a);
    else if (at_a.ok)
      slope = (at_a.values - f0) / c.a;
    else if (at_b.ok)
      slope = (at_b.values - f0) / c.b;
    else
      return false;
  }
  return true;
}

// ---- what came of it -------------------------------------------------------------------------------------------

namespace {

void finish_residual(FitResidual& r) {
  double sum = 0, product = 0;
  double last = 0;
  const std::size_t n = r.time.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double d = r.measured[i] - r.fitted[i];
    sum += d * d;
    product += i > 0 ? d * last : 0;
    last = d;
  }
  r.rms = n > 0 ? std::sqrt(sum / static_cast<double>(n)) : 0;
  r.lag_one = sum > 0 ? product / sum : 0;
  if (n > 0 && r.measured.back() != 0)
    r.end_error = std::abs((r.measured.back() - r.fitted.back()) / r.measured.back());
}

// The measured instants and 200 others.
std::vector<double> curve_times(const Measurement& m) {
  std::vector<double> out = m.time;
  constexpr int parts = 200;
  for (int i = 0; i <= parts; ++i) out.push_back(m.last() * i / parts);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<FitResidual> FitModel::residuals(const Eigen::VectorXd& parameters,
                                             std::vector<std::string>& notes) {
  std::vector<FitResidual> out;
  Eigen::VectorXd values;
  if (!predict(parameters, values)) return out;
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const File& file = files_[f];
    const Measurement& m = file.data->measurement;
    const Scenario& scenario = families_.local().at(settings(f, parameters));
    const std::vector<double> times = curve_times(m);
    Sampler sampler(*scenario.system, times, file.columns);
    RunRequest r = request(file);
    r.observer = &sampler;
    const RunResult result = run(scenario, r);
    if (result.outcome.state.empty()) return {};
    sampler.finish(result.outcome);
    Eigen::Index at = file.first;
    for (std::size_t c = 0; c < m.columns.size(); ++c) {
      const MeasuredColumn& column = m.columns[c];
      FitResidual x{file.data->name, column.what.name, column.what.unit, {}, {}, {}, 0, {}, 0, times, {}};
      for (std::size_t row = 0; row < m.time.size(); ++row) {
        if (!std::isfinite(column.value[row])) continue;
        x.time.push_back(m.time[row]);
        x.measured.push_back(column.value[row]);
        x.fitted.push_back(values[at++]);
      }
      for (std::size_t i = 0; i < times.size(); ++i) x.curve.push_back(sampler.at(i, c));
      finish_residual(x);
      out.push_back(std::move(x));
    }
    const auto late = std::count_if(m.time.begin(), m.time.end(),
                                    [&](double t) { return t > result.outcome.time * (1 + 1e-12); });
    if (late > 0 && result.outcome.reason != StopReason::rest)
      notes.push_back(
          fmt::format("{}: {} of {} measured instants lie after the end of the run at {} ({}); its final "
                      "state stands for them",
                      file.data->name, late, m.time.size(),
                      show_quantity(result.outcome.time, "s", {.unicode = false}, 4), result.reason));
  }
  return out;
}

}  // namespace thud
