// Runs of a family many at a time: whole ones in lanes, or steps of the engine's together.

#include "scenario/family_impl.hpp"

#ifdef THUD_WITH_LANES

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenario/direct_start.hpp"
#include "scenario/result_formula.hpp"

namespace thud {

using namespace family;

namespace {
constexpr int slots_at_most = 64;
}

// ---- whole runs in lanes --------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t no_report = std::numeric_limits<std::size_t>::max();

std::size_t add_report(lanes::Survey& survey, const Observable& what, int at) {
  survey.reports.push_back(what);
  survey.report_at.push_back(at);
  return survey.reports.size() - 1;
}

StopReason reason_of(int status) {
  switch (status) {
    case lanes::ride_condition: return StopReason::condition;
    case lanes::ride_all_found: return StopReason::all_found;
    case lanes::ride_rest: return StopReason::rest;
    case lanes::ride_time_limit: return StopReason::time_limit;
    default: return StopReason::failed;
  }
}

}  // namespace

// What is read of a run; false where that takes more than states at instants.
bool ScenarioFamily::Impl::list_reports_of(std::size_t k, Journey& out, lanes::Survey& survey) const {
  const ResultSpec& r = current.results[k];
  switch (r.kind) {
    case ResultSpec::Kind::constant:
    case ResultSpec::Kind::time_of: return true;
    case ResultSpec::Kind::value_at:
      out.report_of_result[k] = add_report(survey, r.what, r.condition);
      return true;
    case ResultSpec::Kind::value_at_end:
      out.report_of_result[k] = add_report(survey, r.what, -1);
      return true;
    case ResultSpec::Kind::formula:
      return std::all_of(r.operands.begin(), r.operands.end(),
                         [&](int o) { return list_reports_of(static_cast<std::size_t>(o), out, survey); });
    default: return false;
  }
}

bool ScenarioFamily::Impl::list_reports(Journey& out, lanes::Survey& survey) const {
  out.report_of_result.assign(current.results.size(), no_report);
  for (const Read& r : reads) {
    out.report_of_read.push_back(no_report);
    if (r.source == Source::result && !list_reports_of(r.index, out, survey)) return false;
    if (r.source != Source::observable) continue;
    if (r.index >= current.observables.size()) return false;
    out.report_of_read.back() = add_report(survey, current.observables[r.index].observable, -1);
  }
  return true;
}

lanes::Recording ScenarioFamily::Impl::record_start() {
  using lanes::Traced;
  const auto rule = [&](const std::vector<Traced>& knob_values, lanes::TracedStart& out) {
    std::vector<Traced> values = knob_values, given;
    values.resize(moving.size());
    for (const Formula& f : derived) values[f.place] = f.expression.traced(values);
    for (const doc::InitialEntry& e : entries) given.emplace_back(e.value);
    for (const Formula& f : starts) given[f.place] = f.expression.traced(values);
    for (const BedFormula& f : bed_numbers) out.numbers.push_back(f.expression.traced(values));
    return doc::place_directly(current.system->tree(), entries, given, out.q, out.v);
  };
  std::vector<double> at(moving_values.begin(),
                         moving_values.begin() + static_cast<std::ptrdiff_t>(knobs.size()));
  try {
    return lanes::record_start(*current.system, at, rule);
  } catch (const doc::ExpressionError&) {
    return {};
  }
}

// Points that show which modes runs go through: around the scenario's own values, and all over the ranges of the knobs. They
// follow from the scenario alone, so that what a run gives does not depend on others.
std::vector<std::vector<double>> ScenarioFamily::Impl::scout_points() const {
  constexpr int near = 8, all = 40;
  std::vector<std::vector<double>> out;
  for (int i = 0; i < all; ++i) {
    std::vector<double> point;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const Knob& knob = base.knobs[knob_index[k]];
      const double u = i == 0 ? 0.5 : doc::uniform_hash(static_cast<double>(k + 1), i);
      const double around = knob.value != 0 ? 0.1 * std::abs(knob.value) : 0.1;
      double from = knob.value - around, to = knob.value + around;
      if (i >= near && knob.range && std::isfinite(knob.range->first) && std::isfinite(knob.range->second))
        from = knob.range->first, to = knob.range->second;
      double x = from + (to - from) * u;
      if (knob.integer) x = std::round(x);
      if (knob.range) x = std::clamp(x, knob.range->first, knob.range->second);
      point.push_back(x);
    }
    out.push_back(std::move(point));
  }
  return out;
}

ScenarioFamily::Impl::Journey& ScenarioFamily::Impl::journey_for(const RunRequest& request) {
  const auto text = [](const auto& x) {
    return x ? fmt::format("{:.17g}", static_cast<double>(*x)) : std::string();
  };
  const std::string asked_for = fmt::format("{} {} {} {} {}", request.until_rest, text(request.time_limit),
                                            text(request.tolerance), text(request.method), request.lanes);
  if (journey && journey->asked == asked_for) {
    if (runner) runner->prepare(request);
    return *journey;
  }
  journey = std::make_unique<Journey>();
  journey->asked = asked_for;
  if (!quick || beds_change) return *journey;
  if (!runner) runner = std::make_unique<Runner>(current, asked());
  runner->prepare(request);
  lanes::Survey survey;
  survey.system = current.system.get();
  survey.conditions = runner->conditions();
  survey.options = runner->options();
  const Method method = survey.options.method;
  const bool fine = survey.options.tolerance < 1e-6;
  if (!(method == Method::dop853 || (method == Method::automatic && fine)) || runner->watches_steps()
      || !list_reports(*journey, survey))
    return *journey;
  survey.scouts = scout_points();
  survey.turn = [&](const std::vector<double>& point) { return turn_quickly(point); };
  survey.numbers = [&] {
    std::vector<double> out;
    for (const BedFormula& f : bed_numbers) out.push_back(f.expression(moving_values));
    return out;
  };
  survey.q = [&]() -> const std::vector<double>& { return current.q; };
  survey.v = [&]() -> const std::vector<double>& { return current.v; };
  survey.run = [&](StepObserver& observer) -> const Outcome& {
    RunRequest with_observer = request;
    with_observer.observer = &observer;
    return runner->run(with_observer);
  };
  survey.record_start = [&] { return record_start(); };
  auto itinerary = lanes::survey(survey);
  const lanes::Kernel* kernel = lanes::find_kernel(request.lanes);
  if (!itinerary) return *journey;
  journey->express =
      std::make_unique<lanes::Express>(kernel ? *kernel : lanes::best_kernel(), std::move(itinerary));
  journey->guide = std::make_unique<lanes::Guide>(*current.system);
  return *journey;
}

double ScenarioFamily::Impl::result_of(std::size_t k, const Journey& j, const lanes::Arrival& a) const {
  const ResultSpec& r = current.results[k];
  const bool found = r.condition < 0 || a.found[r.condition];
  double x = none;
  switch (r.kind) {
    case ResultSpec::Kind::constant: x = r.value.value_or(none); break;
    case ResultSpec::Kind::time_of: x = found ? a.hit_times[r.condition] : none; break;
    case ResultSpec::Kind::formula: {
      std::vector<double> values;
      for (const int o : r.operands) values.push_back(result_of(static_cast<std::size_t>(o), j, a));
      const bool known = std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
      x = known ? (*r.formula)(values) : none;
      break;
    }
    default: x = found ? a.reports[j.report_of_result[k]] : none;
  }
  return std::isfinite(x) ? x : none;
}

void ScenarioFamily::Impl::read_arrival(const Journey& j, const lanes::Arrival& a, FamilyRun& run,
                                        double* out) const {
  run.reason = reason_of(a.status);
  for (std::size_t k = 0; k < reads.size(); ++k) switch (reads[k].source) {
      case Source::result: out[k] = result_of(reads[k].index, j, a); break;
      case Source::observable: out[k] = a.reports[j.report_of_read[k]]; break;
      case Source::time: out[k] = a.time; break;
      case Source::reason: out[k] = static_cast<double>(run.reason); break;
      case Source::residual: out[k] = a.residual; break;
    }
  run.reached = runner->reached(run.reason, a.stopped_by, a.time, nullptr);
  if (!run.reached) runner->reached(run.reason, a.stopped_by, a.time, &run.message);
}

bool ScenarioFamily::Impl::is_allowed(std::span<const double> values) const {
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    const Knob& knob = knobs[k];
    if (!std::isfinite(values[k]) || (knob.integer && values[k] != std::round(values[k]))
        || (knob.range && !(values[k] >= knob.range->first && values[k] <= knob.range->second)))
      return false;
  }
  return true;
}

// On a device, as far as that goes; the others are left.
bool ScenarioFamily::Impl::run_device([[maybe_unused]] std::int64_t first, std::int64_t count,
                                      [[maybe_unused]] const FillPoint& point,
                                      [[maybe_unused]] const TakeRun& take, const RunRequest& request,
                                      std::vector<std::int64_t>& left) {
  Journey& j = journey_for(request);
  std::int64_t next = first;
#ifdef THUD_WITH_OPENCL
  if (!request.device.empty() && j.express && device_notice.empty()) try {
      if (!j.device) j.device = std::make_unique<lanes::DeviceRuns>(request.device, j.express->itinerary());
      const lanes::DeviceProgram& program = j.device->program();
      const std::size_t n = knobs.size(), width = static_cast<std::size_t>(program.results());
      const auto conditions = static_cast<std::size_t>(program.conditions);
      std::vector<double> values, results, out(outputs.size());
      std::vector<int> states, found(conditions);
      std::vector<char> allowed;
      std::int64_t batch = 8192;
      while (next < count) {
        if (request.cancel && *request.cancel) return false;
        const std::int64_t many = std::min(batch, count - next);
        values.resize(static_cast<std::size_t>(many) * n);
        allowed.resize(static_cast<std::size_t>(many));
        for (std::int64_t i = 0; i < many; ++i) {
          const std::span<double> one(values.data() + static_cast<std::size_t>(i) * n, n);
          point(next + i, one);
          allowed[static_cast<std::size_t>(i)] = is_allowed(one);
        }
        const double before = j.device->kernel_seconds();
        j.device->run(values, static_cast<int>(many), results, states);
        const double taken = j.device->kernel_seconds() - before;
        device_seconds += taken;
        for (std::int64_t i = 0; i < many; ++i) {
          const double* r = results.data() + static_cast<std::size_t>(i) * width;
          const int* s = states.data() + static_cast<std::size_t>(i) * 4;
          if (s[0] == lanes::ride_left || !allowed[static_cast<std::size_t>(i)]) {
            left.push_back(next + i);
            continue;
          }
          for (std::size_t c = 0; c < conditions; ++c) found[c] = s[2] >> c & 1;
          const lanes::Arrival a{s[0], s[1], r[0], r[1], s[3], found.data(), r + 2, r + 2 + conditions};
          counts.lanes += s[3];
          counts.device += s[3];
          FamilyRun run;
          read_arrival(j, a, run, out.data());
          if (!take(next + i, run, out.data())) return false;
        }
        next += many;
        if (taken < 0.1) batch = std::min<std::int64_t>(4 * batch, 1 << 22);
      }
      return true;
    } catch (const lanes::DeviceError& e) {
      device_notice = e.what();  // the processor goes on
    }
#else
  (void)j;
#endif
  for (; next < count; ++next) left.push_back(next);
  return true;
}

// Those that are not for lanes, or not to the end, are left.
bool ScenarioFamily::Impl::run_express(const std::vector<std::int64_t>& todo, const FillPoint& point,
                                       const TakeRun& take, const RunRequest& request,
                                       std::vector<std::int64_t>& left) {
  Journey& j = journey_for(request);
  if (!j.express) {
    left = todo;
    return true;
  }
  std::vector<double> out(outputs.size()), knobs_of(knobs.size());
  std::vector<char> refused(todo.size(), 0);
  const auto fill = [&](std::int64_t i, std::span<double> values) {
    point(todo[static_cast<std::size_t>(i)], values);
    refused[static_cast<std::size_t>(i)] = !is_allowed(values);
  };
  const long before = j.express->steps();
  const bool done = j.express->run(
      static_cast<std::int64_t>(todo.size()), fill,
      [&](std::int64_t i, const lanes::Arrival& a) {
        const std::int64_t index = todo[static_cast<std::size_t>(i)];
        if (a.status == lanes::ride_left || refused[static_cast<std::size_t>(i)])
          return left.push_back(index), true;
        FamilyRun run;
        read_arrival(j, a, run, out.data());
        return take(index, run, out.data());
      },
      [&](std::int64_t i, lanes::Ride& ride) {
        point(todo[static_cast<std::size_t>(i)], knobs_of);
        if (turn_quickly(knobs_of))
          j.guide->help(j.express->itinerary(), ride);
        else
          lanes::ride_take_help(&ride, -1, 0);
      },
      request.cancel);
  counts.lanes += j.express->steps() - before;
  std::sort(left.begin(), left.end());
  return done;
}

// ---- steps of the engine's runs together --------------------------------------------------------------------------------

bool ScenarioFamily::Impl::begin_run(Slot& slot, std::span<const double> values, const RunRequest& request) {
  Impl& f = slot.own ? *slot.own : *this;
  if (!slot.own) {
    if (!turn_quickly(values)) return false;
    if (!slot.shared) slot.shared = std::make_unique<Runner>(current, asked());
  } else {
    if (f.is_current) team->forget(*f.current.system);
    FamilyRun refused;
    if (!f.turn(values, refused)) return false;
    if (!f.runner) f.runner = std::make_unique<Runner>(f.current, f.asked());
  }
  team->add(slot.runner().begin(request), static_cast<int>(&slot - slots.data()));
  return true;
}

bool ScenarioFamily::Impl::run_together(std::int64_t next, std::int64_t count, const FillPoint& point,
                                        const TakeRun& take, const RunRequest& request) {
  const bool shares_system = quick && !beds_change && bed_numbers.empty();
  std::vector<double> values(knobs.size()), out(outputs.size());
  if (!team || team_name != request.lanes) {
    const lanes::Kernel* kernel =
        request.lanes.empty() ? &lanes::best_kernel() : lanes::find_kernel(request.lanes);
    team = std::make_unique<lanes::Team>(kernel ? *kernel : lanes::best_kernel());
    team_name = request.lanes;
  }
  if (!runner) runner = std::make_unique<Runner>(current, asked());
  if (runner->watches_steps()) return run_each(next, count, point, take, request);
  std::vector<std::int64_t> off_device, todo;
  if (!run_device(next, count, point, take, request, off_device)
      || !run_express(off_device, point, take, request, todo))
    return false;
  if (todo.empty()) return true;
  const auto run_spare = [&](std::int64_t i) {
    point(i, values);
    if (!spare) spare = make(document, fixed, names(knobs), names(outputs), own);
    const std::int64_t before = spare->counts.single;
    const FamilyRun run = spare->run_alone(values, out.data(), request);
    counts.single += spare->counts.single - before;
    return run.reason != StopReason::cancelled && take(i, run, out.data());
  };
  // What is left of them the engine makes one by one: the same whatever others there are.
  if (journey->express) return std::all_of(todo.begin(), todo.end(), run_spare);
  next = 0;
  count = static_cast<std::int64_t>(todo.size());
  slots.resize(std::min<std::int64_t>(slots_at_most, std::max<std::int64_t>(slots.size(), count - next)));
  std::vector<int> idle;
  for (int k = static_cast<int>(slots.size()); k-- > 0;) idle.push_back(k);
  const lanes::Team::Counts before = team->counts();
  bool cancelled = false;
  while (!cancelled && (next < count || team->size() > 0)) {
    for (; next < count && !idle.empty() && !cancelled; ++next) {
      point(todo[next], values);
      Slot& slot = slots[idle.back()];
      if (!shares_system && !slot.own) slot.own = make(document, fixed, names(knobs), names(outputs), own);
      slot.index = todo[next];
      if (!begin_run(slot, values, request))
        cancelled = !run_spare(todo[next]);  // what the quick way does not take
      else
        idle.pop_back();
      cancelled = cancelled || (request.cancel && *request.cancel);
    }
    team->go_on([&](int tag) {
      Slot& slot = slots[tag];
      idle.push_back(tag);
      slot.runner().end();
      FamilyRun run;
      std::fill(out.begin(), out.end(), none);
      (slot.own ? *slot.own : *this).read_run(slot.runner(), run, out.data());
      cancelled = cancelled || run.reason == StopReason::cancelled || !take(slot.index, run, out.data());
    });
  }
  team->clear();
  counts.lanes += team->counts().lane_steps - before.lane_steps;
  counts.single += team->counts().own_steps - before.own_steps;
  return !cancelled;
}

}  // namespace thud

#endif
