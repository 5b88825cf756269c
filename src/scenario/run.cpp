#include "thud/scenario/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

namespace thud {

const ResultValue* RunResult::find(std::string_view name) const {
  for (const ResultValue& r : results)
    if (r.name == name) return &r;
  return nullptr;
}

namespace {

// Follows the largest and smallest values of observables through the steps.
class Extremes final : public StepObserver {
 public:
  Extremes(const Scenario& s, StepObserver* next) : scenario_(s), next_(next) {
    s.system->prepare(work_);
    y_.resize(s.system->state_size());
    slope_.resize(y_.size());
    for (const ResultSpec& r : s.results) {
      const bool low = r.kind == ResultSpec::Kind::minimum;
      if (low || r.kind == ResultSpec::Kind::maximum)
        watched_.push_back({r.what, low ? -1.0 : 1.0, -HUGE_VAL});
    }
  }

  bool is_needed() const { return !watched_.empty() || next_ != nullptr; }

  void on_step(StepView& step) override {
    for (Watched& w : watched_) follow(w, step);
    if (next_) next_->on_step(step);
  }

  double value(std::size_t k) const { return watched_[k].sign * watched_[k].best; }

 private:
  struct Watched {
    Observable what;
    double sign, best;
  };

  double at(const Watched& w, StepView& step, double t) {
    step.state(t, y_.data());
    scenario_.system->evaluate(t, y_.data(), step.mode(), work_, slope_.data());
    return w.sign * observe(*scenario_.system, w.what, t, y_.data(), work_);
  }

  void follow(Watched& w, StepView& step) {
    constexpr int parts = 4;
    const double h = step.end() - step.begin();
    double value[parts + 1];
    for (int i = 0; i <= parts; ++i) value[i] = at(w, step, step.begin() + h * i / parts);
    const int top = static_cast<int>(std::max_element(value, value + parts + 1) - value);
    double best = value[top];
    // A peak may also hide beside the first or the last sample.
    if (h > 0) {
      const double a = step.begin() + h * std::max(top - 1, 0) / parts;
      const double b = step.begin() + h * std::min(top + 1, parts) / parts;
      best = std::max(
          best,
          -boost::math::tools::brent_find_minima([&](double t) { return -at(w, step, t); }, a, b, 30).second);
    }
    w.best = std::max(w.best, best);
  }

  const Scenario& scenario_;
  StepObserver* next_;
  Work<double> work_;
  std::vector<double> y_, slope_;
  std::vector<Watched> watched_;
};

class Reader {
 public:
  explicit Reader(const Scenario& s) : scenario_(s) {
    s.system->prepare(work_);
    slope_.resize(s.system->state_size());
  }
  void go_to(double t, const std::vector<double>& y, const Mode& mode) {
    t_ = t;
    y_ = &y;
    scenario_.system->evaluate(t, y.data(), mode, work_, slope_.data());
  }
  double read(const Observable& what) const {
    return observe(*scenario_.system, what, t_, y_->data(), work_);
  }

 private:
  const Scenario& scenario_;
  Work<double> work_;
  std::vector<double> slope_;
  double t_ = 0;
  const std::vector<double>* y_ = nullptr;
};

void read_results(const Scenario& s, const Extremes& extremes, RunResult& out) {
  Reader reader(s);
  std::size_t extreme = 0;
  for (const ResultSpec& r : s.results) {
    ResultValue v{r.name, std::nullopt, r.unit, r.rule};
    const Hit* hit = r.condition >= 0 ? &out.outcome.hits[r.condition] : nullptr;
    switch (r.kind) {
      case ResultSpec::Kind::time_of:
        if (hit->found) v.value = hit->time;
        break;
      case ResultSpec::Kind::value_at:
        if (!hit->found) break;
        reader.go_to(hit->time, hit->state, hit->mode);
        v.value = reader.read(r.what);
        break;
      case ResultSpec::Kind::value_at_end:
        if (out.outcome.state.empty()) break;
        reader.go_to(out.outcome.time, out.outcome.state, out.outcome.mode);
        v.value = reader.read(r.what);
        break;
      default:
        v.value = extremes.value(extreme++);
        if (std::isfinite(*v.value)) break;
        // Not one step: the run was at rest from the start, or failed there.
        v.value.reset();
        if (out.outcome.state.empty()) break;
        reader.go_to(out.outcome.time, out.outcome.state, out.outcome.mode);
        v.value = reader.read(r.what);
    }
    out.results.push_back(std::move(v));
  }
  if (out.outcome.state.empty()) return;
  reader.go_to(out.outcome.time, out.outcome.state, out.outcome.mode);
  for (const NamedObservable& o : s.observables) out.final_values.push_back(reader.read(o.observable));
}

// Did the run reach what was asked?
void judge(const Scenario& s, const SolverOptions& options, bool until_rest, RunResult& out) {
  bool has_stop = options.stop_when_all_found || until_rest;
  for (const Condition& c : s.conditions) has_stop = has_stop || c.stops;
  const double t = out.outcome.time;
  switch (out.outcome.reason) {
    case StopReason::condition:
      out.reached = true;
      out.reason = s.condition_text[out.outcome.condition];
      return;
    case StopReason::all_found: out.reached = true, out.reason = "all results found"; return;
    case StopReason::rest:
      out.reached = until_rest || !has_stop || s.rest_is_asked;
      out.reason = out.reached ? "at rest"
                               : fmt::format("came to rest at t = {:.6g} s before the stop was reached", t);
      return;
    case StopReason::time_limit:
      out.reached = !has_stop && !s.stops_at_rest;
      out.reason = out.reached ? "time limit"
                               : fmt::format("the stop was not reached before the time limit of {:.6g} s",
                                             options.time_limit);
      return;
    case StopReason::bottom:
      out.reason = fmt::format("reached the bottom of the bed at t = {:.6g} s", t);
      return;
    case StopReason::cancelled: out.reason = fmt::format("interrupted at t = {:.6g} s", t); return;
    case StopReason::failed: out.reason = out.outcome.message; return;
  }
}

}  // namespace

RunResult run(const Scenario& scenario, const RunRequest& request) {
  SolverOptions options = scenario.options;
  std::vector<Condition> conditions = scenario.conditions;
  if (request.until_rest) {
    options.stop_when_all_found = false;
    options.stop_at_rest = true;
    for (Condition& c : conditions) c.stops = false;
  }
  if (request.time_limit) options.time_limit = *request.time_limit;
  if (request.tolerance) options.tolerance = *request.tolerance;
  if (request.method) options.method = *request.method;
  if (request.step) options.step = *request.step;
  options.cancel = request.cancel;

  Extremes extremes(scenario, request.observer);
  Solver solver(*scenario.system);
  RunResult out;
  try {
    out.outcome =
        solver.run(scenario.q, scenario.v, conditions, options, extremes.is_needed() ? &extremes : nullptr);
  } catch (const std::exception& e) {  // a torque that is not a number at some time
    out.outcome = {};
    out.outcome.message = e.what();
    out.outcome.hits.resize(conditions.size());
  }
  read_results(scenario, extremes, out);
  judge(scenario, options, request.until_rest, out);
  return out;
}

}  // namespace thud
