#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "model/model_impl.hpp"
#include "thud/draw/trajectory.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/frames.hpp"
#include "thud/report/html.hpp"
#include "thud/report/impacts.hpp"
#include "thud/report/json.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/request.hpp"

namespace thud {

namespace {

// Up to here all columns are read off at once, which costs little more than one.
constexpr std::size_t quick_values = std::size_t{4} << 20;

Sampling sampling_of(const RunOptions& o, const Scenario& s) {
  if (o.every_step && o.sample)
    throw InputError({fmt::format("sample={}", *o.sample), 0, 0}, "goes without every_step");
  if (o.every_step) return {Sampling::Kind::steps, 0};
  if (o.sample)
    return {Sampling::Kind::uniform, checked_duration(*o.sample, fmt::format("sample={}", *o.sample))};
  if (s.sample > 0) return {Sampling::Kind::uniform, s.sample};
  return {};
}

class Recorders final : public StepObserver {
 public:
  Recorders(const Scenario& s, Sampling sampling) : trajectory(*s.system, sampling), frames(*s.system) {
    trajectory.begin_at(s.q, s.v);
  }
  void on_step(StepView& step) override {
    trajectory.on_step(step);
    frames.on_step(step);
  }
  void finish(const Outcome& outcome) {
    trajectory.finish(outcome);
    frames.finish(outcome);
  }

  TrajectoryRecorder trajectory;
  FrameRecorder frames;
};

std::vector<EventInfo> describe_events(const Scenario& s, const Outcome& o) {
  std::vector<EventInfo> out;
  for (const Event& e : o.events)
    out.push_back({e.time, event_kind_name(e.kind), describe_subject(s, o, e), describe_state(s, o, e, false),
                   describe_state(s, o, e, true)});
  return out;
}

std::vector<ImpactInfo> describe_impacts(const System& system, const Outcome& o) {
  std::vector<ImpactInfo> out;
  for (const ImpactRecord& r : o.impacts) {
    ImpactInfo i;
    i.time = r.time;
    for (const int k : r.contacts) i.contacts.push_back(system.contacts()[k].name);
    i.law = impact_law_name(r);
    i.name = r.result.name;
    i.impulse = r.result.impulse;
    i.velocity_before = r.problem.velocity;
    i.velocity_after = r.result.velocity;
    i.energy_before = r.energy_before;
    i.energy_after = r.energy_after;
    i.supplied = r.supplied;
    i.note = r.result.note;
    for (const JointImpulse& j : list_joint_impulses(system, r))
      i.joint_impulse.push_back({j.name, {j.impulse.x, j.impulse.z}});
    out.push_back(std::move(i));
  }
  return out;
}

EnergyInfo describe_energy(const System& system, const EnergyAccount& a) {
  return {a.initial, a.final, a.supplied, list_channel_losses(system, a), a.settled, a.residual};
}

}  // namespace

struct Result::Impl {
  Impl(std::shared_ptr<const Scenario> s, Sampling sampling)
      : scenario(std::move(s)),
        recorders(*scenario, sampling) {}

  void run_it(RunRequest request) {
    request.observer = &recorders;
    run = thud::run(*scenario, request);
    recorders.finish(run.outcome);
    events = describe_events(*scenario, run.outcome);
    impacts = describe_impacts(*scenario->system, run.outcome);
    energy = describe_energy(*scenario->system, run.outcome.energy);
    columns.push_back({"time", "s", "time"});
    for (const NamedObservable& o : scenario->observables)
      if (o.name != "time") columns.push_back({o.name, o.unit, o.about}), observables.push_back(o);
    values.resize(columns.size());
  }

  std::size_t find(std::string_view name) const {
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].name == name) return k;
    std::vector<std::string> known;
    for (const ColumnInfo& c : columns) known.push_back(c.name);
    throw InputError({}, fmt::format("the trajectory of \"{}\" has no column \"{}\"{}", scenario->name, name,
                                     did_you_mean(name, known)));
  }

  // May be slow, and may throw: read off only where it is asked for.
  bool is_own(std::size_t k) const {
    return k > 0 && observables[k - 1].observable.quantity == Quantity::own;
  }

  // Column 0 is the time; what is read off once stays where it is.
  std::span<const double> column(std::size_t k) const {
    const std::lock_guard lock(mutex);
    if (!values[k]) {
      const bool all = recorders.trajectory.row_count() * columns.size() <= quick_values;
      std::vector<std::size_t> wanted;
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (c == k || (all && !values[c] && !is_own(c))) wanted.push_back(c);
      read_off(wanted);
    }
    return *values[k];
  }

  void read_off(const std::vector<std::size_t>& wanted) const {
    std::vector<NamedObservable> what;
    std::vector<std::vector<double>> out(wanted.size());
    for (std::vector<double>& column : out) column.reserve(recorders.trajectory.row_count());
    for (const std::size_t c : wanted)
      if (c > 0) what.push_back(observables[c - 1]);
    recorders.trajectory.read(what, [&](double t, const std::vector<double>& row) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i) out[i].push_back(wanted[i] == 0 ? t : row[next++]);
    });
    for (std::size_t i = 0; i < wanted.size(); ++i)
      values[wanted[i]] = std::make_unique<const std::vector<double>>(std::move(out[i]));
  }

  std::shared_ptr<const Scenario> scenario;
  Recorders recorders;
  RunResult run;
  std::vector<EventInfo> events;
  std::vector<ImpactInfo> impacts;
  EnergyInfo energy;
  std::vector<ColumnInfo> columns;
  std::vector<NamedObservable> observables;  // of the columns after the first
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<const std::vector<double>>> values;
};

Result Model::run(const RunOptions& options) const {
  const std::shared_ptr<const Scenario> s = impl_->scenario();
  const RunRequest request = make_request(options, *s);
  const auto impl = std::make_shared<Result::Impl>(s, sampling_of(options, *s));
  impl->run_it(request);
  return Result(impl);
}

Result::Result(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

std::string Result::name() const { return impl_->scenario->name; }
std::string Result::title() const { return impl_->scenario->title; }
std::vector<Knob> Result::knobs() const { return impl_->scenario->knobs; }
bool Result::reached() const { return impl_->run.reached; }
std::string Result::reason() const { return impl_->run.reason; }
std::string Result::stop() const { return stop_word(impl_->run.outcome.reason); }
double Result::end_time() const { return impl_->run.outcome.time; }
std::vector<std::string> Result::notes() const { return list_notes(*impl_->scenario, impl_->run); }

double Result::operator[](std::string_view result) const {
  if (const ResultValue* r = impl_->run.find(result))
    return r->value.value_or(std::numeric_limits<double>::quiet_NaN());
  std::vector<std::string> known;
  for (const ResultValue& r : results()) known.push_back(r.name);
  throw InputError(
      {}, fmt::format("scenario \"{}\" has no result \"{}\"{}{}", name(), result, did_you_mean(result, known),
                      known.empty() ? "" : " (results: " + one_of(known) + ")"));
}

const std::vector<ResultValue>& Result::results() const { return impl_->run.results; }
const std::vector<EventInfo>& Result::events() const { return impl_->events; }
const std::vector<ImpactInfo>& Result::impacts() const { return impl_->impacts; }
const EnergyInfo& Result::energy() const { return impl_->energy; }

const std::vector<ColumnInfo>& Result::columns() const { return impl_->columns; }
std::size_t Result::row_count() const { return impl_->column(0).size(); }
bool Result::is_truncated() const { return impl_->recorders.trajectory.is_truncated(); }
std::span<const double> Result::time() const { return impl_->column(0); }
std::span<const double> Result::column(std::string_view name) const {
  return impl_->column(impl_->find(name));
}
std::vector<std::string> Result::plotted() const { return impl_->scenario->plot; }

std::string Result::summary() const {
  return make_summary(*impl_->scenario, impl_->run, {}, {false, &impl_->recorders.trajectory});
}
std::string Result::json() const { return make_run_json(*impl_->scenario, impl_->run); }
std::string Result::csv() const {
  std::string out;
  write_trajectory_csv(impl_->recorders.trajectory, impl_->scenario->observables,
                       [&](std::string_view text) { out += text; });
  return out;
}
std::string Result::html() const {
  return make_run_report(*impl_->scenario, impl_->run, impl_->recorders.frames);
}

}  // namespace thud
