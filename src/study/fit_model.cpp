#include "study/fit_model.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "study/in_parallel.hpp"
#include "study/sampler.hpp"
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

// ---- setting up ------------------------------------------------------------------------------------------------

namespace {

using Kind = FitParameter::Kind;

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
      progress_(options.progress),
      varied_(varied_knobs(study)),
      jobs_(options.jobs),
      measured_names_(measured_observables(data)),
      families_([this] {
        return ScenarioFamily(study_.study.scenario, study_.study.set, varied_, measured_names_);
      }) {
  const Scenario& scenario = families_.local().base();
  const double tolerance = study.study.request.tolerance.value_or(scenario.options.tolerance);
  relative_step_ = std::clamp(std::cbrt(tolerance), 1e-4, 1e-2);
  for (std::size_t k = 0; k < study.knobs.size(); ++k)
    parameters_.push_back(make_parameter(study.knobs[k], -1, k, study.knobs[k].start));
  std::vector<double> measured;
  for (std::size_t f = 0; f < data.size(); ++f) {
    add_file(data[f], measured);
    add_local(data[f], f);
  }
  for (std::size_t f = 0; f < data.size(); ++f) add_nuisance(data[f].measurement, f);
  measured_ = Eigen::Map<Eigen::VectorXd>(measured.data(), static_cast<Eigen::Index>(measured.size()));
  mark_unusable();
}

void FitModel::add_file(const FitData& data, std::vector<double>& measured) {
  const Measurement& m = data.measurement;
  File file{&data, {}, {}, static_cast<Eigen::Index>(measured.size()), 0, 0.01 * std::max(m.frame(), 1e-6)};
  for (std::size_t c = 0; c < m.columns.size(); ++c) {
    const MeasuredColumn& column = m.columns[c];
    file.columns.push_back(column.what.observable);
    file.axes.push_back(axis_of(column.what));
    auto unit = std::find(units_.begin(), units_.end(), column.what.unit);
    if (unit == units_.end()) unit = units_.insert(units_.end(), column.what.unit);
    for (std::size_t row = 0; row < column.value.size(); ++row) {
      if (!std::isfinite(column.value[row])) continue;
      measured.push_back(column.value[row]);
      unit_of_.push_back(static_cast<int>(unit - units_.begin()));
      sources_.push_back({files_.size(), c, row});
    }
  }
  file.count = static_cast<Eigen::Index>(measured.size()) - file.first;
  files_.push_back(std::move(file));
}

void FitModel::add_local(const FitData& data, std::size_t f) {
  for (std::size_t k = 0; k < study_.initial.size(); ++k)
    if (study_.initial[k].free)
      parameters_.push_back(
          make_parameter(study_.initial[k].fit, static_cast<int>(f), study_.knobs.size() + k, data.local[k]));
}

// An instant read off frames is known to a frame at best, so it is fitted unless the study says that it is known.
void FitModel::add_nuisance(const Measurement& m, std::size_t f) {
  constexpr std::size_t enough = 8;  // rows
  const auto is_start = [](const NuisanceKnob& n) { return n.kind == NuisanceKnob::Kind::start; };
  const bool has_start = std::any_of(study_.nuisance.begin(), study_.nuisance.end(), is_start);
  const std::size_t others = study_.knobs.size() + study_.initial.size();
  const bool is_rich = m.time.size() >= enough && m.count() >= 4 * (others + 1) && m.frame() > 0;
  if (!study_.start_known && !has_start && is_rich)
    parameters_.push_back(make_parameter({NuisanceKnob::Kind::start, "", m.frame()}, int(f), m));
  for (const NuisanceKnob& n : study_.nuisance) {
    const FitAxis axis = axis_named(n.axis);
    const std::vector<FitAxis>& axes = files_[f].axes;
    const bool is_seen = axis == FitAxis::none || std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (is_seen) parameters_.push_back(make_parameter(n, static_cast<int>(f), m));
  }
}

// The number of values must not depend on the parameters, so what may lie before the start of a run is left out.
void FitModel::mark_unusable() {
  std::vector<double> latest(files_.size(), 0);
  for (const FitParameter& p : parameters_)
    if (p.kind == Kind::start) latest[static_cast<std::size_t>(p.file)] = p.high - p.start;
  for (const Source& s : sources_)
    usable_.push_back(data_[s.file].measurement.time[s.row] >= latest[s.file] * (1 - 1e-9));
}

void FitModel::set_sign(std::size_t file, FitAxis axis, double sign) {
  files_[file].sign[static_cast<std::size_t>(axis)] = sign;
}

// ---- runs ------------------------------------------------------------------------------------------------------

std::vector<double> FitModel::settings(std::size_t file, const Eigen::VectorXd& parameters) const {
  std::vector<double> values(varied_.size());
  for (std::size_t k = 0; k < study_.initial.size(); ++k)
    values[study_.knobs.size() + k] = data_[file].local[k];
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (parameters_[k].kind == Kind::knob && parameters_[k].concerns(file))
      values[parameters_[k].slot] = parameters[static_cast<Eigen::Index>(k)];
  return values;
}

FitModel::View FitModel::view(std::size_t file, const Eigen::VectorXd& parameters) const {
  View v;
  v.scale = files_[file].sign;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const FitParameter& p = parameters_[k];
    if (p.kind == Kind::knob || !p.concerns(file)) continue;
    const double value = parameters[static_cast<Eigen::Index>(k)];
    const auto axis = static_cast<std::size_t>(p.axis);
    if (p.kind == Kind::start) v.delay = value - files_[file].data->measurement.start;
    if (p.kind == Kind::clock) v.clock = value;
    if (p.kind == Kind::offset) v.offset[axis] = value;
    if (p.kind == Kind::scale) v.scale[axis] *= value;
  }
  return v;
}

// No longer than there are measurements.
RunRequest FitModel::request(const File& file, const View& view) const {
  RunRequest r = study_.study.request;
  const double last = std::max((file.data->measurement.last() - view.delay) / view.clock, 1e-9);
  r.time_limit = r.time_limit ? std::min(*r.time_limit, last) : last;
  r.cancel = cancel_;
  return r;
}

std::vector<double> FitModel::run_times(const std::vector<double>& times, const View& view) {
  std::vector<double> out = times;
  if (view.delay != 0 || view.clock != 1)
    for (double& t : out) t = std::max(0.0, (t - view.delay) / view.clock);
  return out;
}

void FitModel::run_one(Task& task) {
  const File& file = files_[task.file];
  const Measurement& m = file.data->measurement;
  try {
    const Scenario& scenario = families_.local().at(settings(task.file, task.parameters));
    View seen = view(task.file, task.parameters);
    seen.delay += task.delay;
    const std::vector<double> times = run_times(m.time, seen);
    Sampler sampler(*scenario.system, times, file.columns);
    RunRequest r = request(file, seen);
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
    for (std::size_t c = 0; c < m.columns.size(); ++c) {
      const auto axis = static_cast<std::size_t>(file.axes[c]);
      for (std::size_t row = 0; row < m.time.size(); ++row)
        if (std::isfinite(m.columns[c].value[row]))
          task.values[at++] = seen.offset[axis] + seen.scale[axis] * sampler.at(row, c);
    }
    task.ok = task.values.allFinite();
    if (!task.ok) task.message = "a measured observable is not a number";
  } catch (const InputError& e) {
    task.message = e.what();
  }
}

// Every task writes to a place of its own, and sums are taken afterwards, in order: the result does not depend on
// which thread does what.
void FitModel::run_all(std::vector<Task>& tasks) {
  in_parallel(jobs_, tasks.size(), [&](std::size_t k) {
    tasks[k].values.resize(0);
    if (!is_cancelled()) run_one(tasks[k]);
  });
  runs_ += static_cast<long>(tasks.size());
  if (progress_) progress_(stage_, runs_);
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
        at +=
            fmt::format("{}{} = {}", at.empty() ? "" : ", ", parameters_[k].knob.name,
                        show_knob(parameters_[k].knob, task.parameters[static_cast<Eigen::Index>(k)], plain));
    failure_ = fmt::format("{} at {}: {}", files_[task.file].data->name, at, task.message);
  }
}

bool FitModel::predict(const Eigen::VectorXd& parameters, Eigen::VectorXd& values) {
  std::vector<Task> tasks;
  for (std::size_t f = 0; f < files_.size(); ++f) tasks.push_back({f, parameters});
  run_all(tasks);
  values.resize(value_count());
  for (const Task& task : tasks) {
    if (!task.ok) return false;
    values.segment(files_[task.file].first, files_[task.file].count) = task.values;
  }
  return true;
}

double FitModel::step_of(std::size_t k, double value) const {
  const FitParameter& p = parameters_[k];
  if (p.kind == Kind::start) return files_[static_cast<std::size_t>(p.file)].delay_step;
  const double h = relative_step_ * std::max(std::abs(value), 0.1 * p.size);
  return std::min(h, 0.25 * (p.high - p.low));
}

void FitModel::differentiate_axes(const Eigen::VectorXd& parameters, const Eigen::VectorXd& values,
                                  Eigen::MatrixXd& slopes) const {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const FitParameter& p = parameters_[k];
    if (p.needs_runs()) continue;
    const auto file = static_cast<std::size_t>(p.file);
    const View seen = view(file, parameters);
    for (Eigen::Index i = files_[file].first; i < files_[file].first + files_[file].count; ++i) {
      if (files_[file].axes[sources_[static_cast<std::size_t>(i)].column] != p.axis) continue;
      const double offset = seen.offset[static_cast<std::size_t>(p.axis)];
      slopes(i, static_cast<Eigen::Index>(k)) =
          p.kind == Kind::offset ? 1 : (values[i] - offset) / parameters[static_cast<Eigen::Index>(k)];
    }
  }
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
    const FitParameter& p = parameters_[k];
    if (!p.needs_runs()) continue;
    const auto i = static_cast<Eigen::Index>(k);
    const double h = step_of(k, parameters[i]);
    double a = h, b = -h;
    if (p.kind == Kind::knob && parameters[i] + h > p.high) a = -h, b = -2 * h;
    if (p.kind == Kind::knob && parameters[i] - h < p.low) a = h, b = 2 * h;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      if (!p.concerns(f)) continue;
      columns.push_back({k, f, tasks.size(), a, b});
      for (double offset : {a, b}) {
        tasks.push_back({f, parameters});
        tasks.back().parameters[i] += offset;
      }
    }
  }
  run_all(tasks);
  slopes.setZero(value_count(), static_cast<Eigen::Index>(parameters_.size()));
  differentiate_axes(parameters, values, slopes);
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

bool FitModel::differentiate_starts(const Eigen::VectorXd& parameters, Eigen::VectorXd& slopes) {
  std::vector<Task> tasks;
  for (std::size_t f = 0; f < files_.size(); ++f)
    for (double sign : {1.0, -1.0}) tasks.push_back({f, parameters, sign * files_[f].delay_step});
  run_all(tasks);
  slopes.resize(value_count());
  for (std::size_t f = 0; f < files_.size(); ++f) {
    const Task &later = tasks[2 * f], &earlier = tasks[2 * f + 1];
    if (!later.ok || !earlier.ok) return false;
    slopes.segment(files_[f].first, files_[f].count) =
        (later.values - earlier.values) / (2 * files_[f].delay_step);
  }
  return true;
}

}  // namespace thud
