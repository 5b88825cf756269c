#include "scenario/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>

#include "scenario/result_formula.hpp"

namespace thud {

namespace {

// Instants nearer than this are one.
constexpr double event_slack = 2e-12;

bool is_extreme(const ResultSpec& r) {
  return r.kind == ResultSpec::Kind::minimum || r.kind == ResultSpec::Kind::maximum;
}

}  // namespace

Extremes::Extremes(const Scenario& s, const std::vector<char>& asked) : scenario_(s) {
  for (std::size_t k = 0; k < s.results.size(); ++k)
    if (const ResultSpec& r = s.results[k]; asked[k] && is_extreme(r))
      watched_.push_back({r.what, r.kind == ResultSpec::Kind::minimum ? -1.0 : 1.0, -HUGE_VAL, {}});
  if (watched_.empty()) return;
  s.system->prepare(work_);
  y_.resize(s.system->state_size());
  slope_.resize(y_.size());
}

void Extremes::reset(StepObserver* next) {
  next_ = next;
  for (Watched& w : watched_) w.best = -HUGE_VAL;
}

void Extremes::on_step(StepView& step) {
  constexpr int parts = Watched::parts;
  const double h = step.end() - step.begin();
  for (int i = 0; i <= parts && !watched_.empty(); ++i) {
    const double t = step.begin() + h * i / parts;
    evaluate(step, t);
    for (Watched& w : watched_) w.value[i] = read(w, t);
  }
  for (Watched& w : watched_) follow(w, step);
  if (next_) next_->on_step(step);
}

void Extremes::evaluate(StepView& step, double t) {
  step.state(t, y_.data());
  scenario_.system->evaluate(t, y_.data(), step.mode(), work_, slope_.data());
}

double Extremes::read(const Watched& w, double t) const {
  return w.sign * observe_finite(*scenario_.system, w.what, t, y_.data(), work_);
}

void Extremes::follow(Watched& w, StepView& step) {
  constexpr int parts = Watched::parts;
  const double h = step.end() - step.begin();
  const auto [low, high] = std::minmax_element(w.value, w.value + parts + 1);
  const int top = static_cast<int>(high - w.value);
  double best = *high;
  // A peak may also hide beside the first or the last sample; but not one that is higher than all the step's ups and downs
  // added to its highest sample.
  if (h > 0 && best + (*high - *low) > w.best) {
    const double a = step.begin() + h * std::max(top - 1, 0) / parts;
    const double b = step.begin() + h * std::min(top + 1, parts) / parts;
    const auto below = [&](double t) {
      evaluate(step, t);
      return -read(w, t);
    };
    best = std::max(best, -boost::math::tools::brent_find_minima(below, a, b, 30).second);
  }
  w.best = std::max(w.best, best);
}

namespace {

// With those that they are computed from.
std::vector<char> with_operands(const Scenario& s, std::vector<char> asked) {
  for (std::size_t k = s.results.size(); k-- > 0;) {
    const ResultSpec& r = s.results[k];
    if (!asked[k]) continue;
    std::vector<int> others = r.operands;
    others.push_back(r.from.result);
    others.push_back(r.to.result);
    for (const int o : others)
      if (o >= 0 && !asked[o]) {
        asked[o] = 1;
        k = std::max(k, static_cast<std::size_t>(o) + 1);  // it may stand behind
      }
  }
  return asked;
}

}  // namespace

Runner::Runner(const Scenario& scenario, std::vector<char> asked)
    : scenario_(scenario),
      solver_(*scenario.system),
      asked_(with_operands(scenario, std::move(asked))),
      extremes_(scenario, asked_),
      integrals_(scenario, asked_) {
  scenario.system->prepare(work_);
  slope_.resize(scenario.system->state_size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < asked_.size(); ++k)
    extreme_of_.push_back(asked_[k] && is_extreme(scenario.results[k]) ? next++ : 0);
}

const Outcome& Runner::run(const RunRequest& request) {
  set_options(request);
  std::vector<double> instants;
  for (const ResultSpec& r : scenario_.results)
    for (const ResultSpec::Bound& b : {r.from, r.to})
      if (b.time) instants.push_back(*b.time);
  run_once(request.observer, instants);
  // Instants that follow from results, and at which no step ends: once more, now that they are known.
  const std::size_t known = instants.size();
  for (const double t : instants_to_come()) instants.push_back(t);
  if (instants.size() > known) run_once(nullptr, std::move(instants));
  return outcome_;
}

bool Runner::watches_steps() const { return extremes_.watches() || integrals_.is_needed(); }

Solver& Runner::begin(const RunRequest& request) {
  set_options(request);
  read_state_ = nullptr;
  outcome_ = {};
  solver_.begin(scenario_.q, scenario_.v, conditions_, options_, nullptr);
  return solver_;
}

void Runner::end() { outcome_ = solver_.end(); }

void Runner::set_options(const RunRequest& request) {
  options_ = scenario_.options;
  conditions_ = scenario_.conditions;
  until_rest_ = request.until_rest;
  if (until_rest_) {
    options_.stop_when_all_found = false;
    options_.stop_at_rest = true;
    for (Condition& c : conditions_) c.stops = false;
  }
  if (request.time_limit) options_.time_limit = *request.time_limit;
  if (request.tolerance) options_.tolerance = *request.tolerance;
  if (request.method) options_.method = *request.method;
  if (request.step) options_.step = *request.step;
  options_.cancel = request.cancel;
}

void Runner::run_once(StepObserver* observer, std::vector<double> instants) {
  extremes_.reset(observer);
  StepObserver* inner = extremes_.is_needed() ? &extremes_ : nullptr;
  integrals_.reset(inner, options_.start_time, std::move(instants));
  read_state_ = nullptr;
  try {
    outcome_ = solver_.run(scenario_.q, scenario_.v, conditions_, options_,
                           integrals_.is_needed() ? &integrals_ : inner);
  } catch (const std::exception& e) {  // a torque that is not a number at some time
    outcome_ = {};
    outcome_.message = e.what();
    outcome_.hits.resize(conditions_.size());
  }
}

std::vector<double> Runner::instants_to_come() {
  std::vector<double> out;
  if (!integrals_.is_needed()) return out;
  for (const ResultSpec& r : scenario_.results)
    for (const ResultSpec::Bound& b : {r.from, r.to})
      if (b.result >= 0 && scenario_.results[b.result].kind == ResultSpec::Kind::formula)
        if (const auto t = result(b.result);
            t && *t > options_.start_time && *t < outcome_.time && !integrals_.knows(*t))
          out.push_back(*t);
  return out;
}

double Runner::read(double t, const std::vector<double>& y, const Mode& mode, const Observable& what) {
  if (read_state_ != &y || read_time_ != t)
    scenario_.system->evaluate(t, y.data(), mode, work_, slope_.data());
  read_state_ = &y;
  read_time_ = t;
  return observe(*scenario_.system, what, t, y.data(), work_);
}

std::optional<double> Runner::at_end(const Observable& what) {
  if (outcome_.state.empty()) return std::nullopt;
  return read(outcome_.time, outcome_.state, outcome_.mode, what);
}

namespace {

// Of a contact that had no part in the impact: none, 0.
double normal_impulse(const ImpactRecord& impact, int contact) {
  for (std::size_t i = 0; i < impact.contacts.size(); ++i)
    if (impact.contacts[i] == contact) return impact.result.impulse[2 * i + 1];
  return 0;
}

double part_of(Vec p, Component component) {
  return component == Component::x ? p.x : component == Component::z ? p.z : norm(p);
}

double largest_joint_impulse(const Outcome& outcome, int body) {
  double most = 0;
  for (const ImpactRecord& impact : outcome.impacts) most = std::max(most, norm(impact.joints[body]));
  return most;
}

}  // namespace

std::optional<double> Runner::impact_result(const ResultSpec& r) {
  using Kind = ResultSpec::Kind;
  if (r.kind == Kind::count_of_impacts) return static_cast<double>(outcome_.impact_count);
  if (r.kind == Kind::largest_joint_impulse) return largest_joint_impulse(outcome_, r.what.body);
  if (r.kind == Kind::time_of_event) return time_of_event(outcome_.events, {r.event, r.number});
  const auto i = static_cast<std::size_t>(r.number) - 1;
  if (i >= outcome_.impacts.size()) return std::nullopt;
  const ImpactRecord& impact = outcome_.impacts[i];
  if (r.kind == Kind::time_of_impact) return impact.time;
  if (r.kind == Kind::impulse_of_impact) return normal_impulse(impact, r.contact);
  if (r.kind == Kind::joint_impulse) return part_of(impact.joints[r.what.body], r.what.component);
  if (i >= outcome_.around.size()) return std::nullopt;
  const ImpactStates& around = outcome_.around[i];
  return r.kind == Kind::before_impact ? read(impact.time, around.before, around.mode_before, r.what)
                                       : read(impact.time, around.after, around.mode_after, r.what);
}

std::optional<double> Runner::formula_result(const ResultSpec& r) {
  std::vector<double> values;
  for (const int k : r.operands) {
    const auto value = result(static_cast<std::size_t>(k));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return (*r.formula)(values);
}

std::optional<double> Runner::time_of(const ResultSpec::Bound& bound, double otherwise) {
  if (bound.result >= 0) return result(static_cast<std::size_t>(bound.result));
  return bound.time.value_or(otherwise);
}

// What the impacts of a stretch give to a result, those at its ends included.
double Runner::of_impacts(const ResultSpec& r, double from, double to) const {
  const auto is_asked = [&](int contact) {
    if (r.kind == ResultSpec::Kind::impulse_of_contact) return contact == r.contact;
    return std::find(r.elements.begin(), r.elements.end(), switch_of<ContactForce>(contact))
        != r.elements.end();
  };
  const auto [first, last] = std::minmax(from, to);
  double sum = 0;
  for (const ImpactRecord& impact : outcome_.impacts) {
    if (impact.time < first - event_slack || impact.time > last + event_slack) continue;
    for (std::size_t i = 0; i < impact.contacts.size(); ++i)
      if (is_asked(impact.contacts[i]))
        sum += r.kind == ResultSpec::Kind::impulse_of_contact
                 ? impact.result.impulse[2 * i + 1]
                 : impact.result.work_normal[i] + impact.result.work_friction[i];
  }
  return from <= to ? sum : -sum;
}

std::optional<double> Runner::integral_result(std::size_t k) {
  using Kind = ResultSpec::Kind;
  const ResultSpec& r = scenario_.results[k];
  if (outcome_.state.empty()) return std::nullopt;
  const auto from = time_of(r.from, options_.start_time), to = time_of(r.to, outcome_.time);
  if (!from || !to) return std::nullopt;
  const auto sum = integrals_.between(k, *from, *to);
  if (!sum) return std::nullopt;
  if (r.kind == Kind::mean) return *sum / (*to - *from);
  if (r.kind == Kind::rms) return std::sqrt(*sum / (*to - *from));
  if (r.kind == Kind::integral) return sum;
  const auto logged = static_cast<long>(outcome_.impacts.size());
  return outcome_.impact_count > logged ? std::nullopt : std::optional(*sum + of_impacts(r, *from, *to));
}

std::optional<double> Runner::result(std::size_t k) {
  const auto value = raw_result(k);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> Runner::raw_result(std::size_t k) {
  const ResultSpec& r = scenario_.results[k];
  const Hit* hit = r.condition >= 0 ? &outcome_.hits[r.condition] : nullptr;
  switch (r.kind) {
    case ResultSpec::Kind::constant: return r.value;
    case ResultSpec::Kind::time_of: return hit->found ? std::optional(hit->time) : std::nullopt;
    case ResultSpec::Kind::value_at:
      return hit->found ? std::optional(read(hit->time, hit->state, hit->mode, r.what)) : std::nullopt;
    case ResultSpec::Kind::value_at_end: return at_end(r.what);
    case ResultSpec::Kind::maximum:
    case ResultSpec::Kind::minimum: break;
    case ResultSpec::Kind::formula: return formula_result(r);
    case ResultSpec::Kind::integral:
    case ResultSpec::Kind::mean:
    case ResultSpec::Kind::rms:
    case ResultSpec::Kind::impulse_of_contact:
    case ResultSpec::Kind::work_of_elements: return integral_result(k);
    default: return impact_result(r);
  }
  const double extreme = extremes_.value(extreme_of_[k]);
  // Not one step: the run was at rest from the start, or failed there.
  return std::isfinite(extreme) ? std::optional(extreme) : at_end(r.what);
}

bool Runner::reached(std::string* reason) const {
  return reached(outcome_.reason, outcome_.condition, outcome_.time, reason);
}

bool Runner::reached(StopReason how, int condition, double t, std::string* reason) const {
  bool has_stop = options_.stop_when_all_found || until_rest_;
  for (const Condition& c : scenario_.conditions) has_stop = has_stop || c.stops;
  const auto say = [&](bool is_reached, auto&& words) {
    if (reason) *reason = words();
    return is_reached;
  };
  switch (how) {
    case StopReason::condition: return say(true, [&] { return scenario_.condition_text[condition]; });
    case StopReason::all_found: return say(true, [] { return std::string("all results found"); });
    case StopReason::rest:
      if (until_rest_ || !has_stop || scenario_.rest_is_asked)
        return say(true, [] { return std::string("at rest"); });
      return say(false,
                 [&] { return fmt::format("came to rest at t = {:.6g} s before the stop was reached", t); });
    case StopReason::time_limit:
      if (!has_stop && !scenario_.stops_at_rest) return say(true, [] { return std::string("time limit"); });
      return say(false, [&] {
        return fmt::format("the stop was not reached before the time limit of {:.6g} s", options_.time_limit);
      });
    case StopReason::bottom:
      return say(false, [&] { return fmt::format("reached the bottom of the bed at t = {:.6g} s", t); });
    case StopReason::painleve: return say(false, [&] { return outcome_.message; });
    case StopReason::cancelled:
      return say(false, [&] { return fmt::format("interrupted at t = {:.6g} s", t); });
    case StopReason::failed: return say(false, [&] { return outcome_.message; });
  }
  return false;
}

}  // namespace thud
