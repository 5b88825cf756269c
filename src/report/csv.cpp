#include "thud/report/csv.hpp"

#include <fmt/format.h>

#include <cmath>

#include "thud/report/impacts.hpp"

namespace thud {

namespace {

void append_number(std::string& line, double x) {
  if (std::isfinite(x)) fmt::format_to(std::back_inserter(line), "{}", x + 0.0);  // + 0: no "-0"
}

std::string header_of(const NamedObservable& o) {
  return csv_field(o.unit.empty() ? o.name : fmt::format("{} [{}]", o.name, o.unit));
}

// None for what came after the log was full.
const ImpactRecord* impact_of(const Outcome& outcome, const Event& event) {
  const auto index = static_cast<std::size_t>(event.which.index);
  return event.which.index >= 0 && index < outcome.impacts.size() ? &outcome.impacts[index] : nullptr;
}

}  // namespace

void write_trajectory_csv(const TrajectoryRecorder& trajectory, const std::vector<NamedObservable>& columns,
                          const TextSink& sink) {
  std::vector<NamedObservable> others;
  std::string line = "time [s]";
  for (const NamedObservable& o : columns) {
    if (o.observable.quantity == Quantity::time) continue;
    others.push_back(o);
    line += "," + header_of(o);
  }
  sink(line += "\n");
  trajectory.read(others, [&](double t, const std::vector<double>& values) {
    line.clear();
    append_number(line, t);
    for (double x : values) {
      line += ',';
      append_number(line, x);
    }
    sink(line += '\n');
  });
}

std::string describe_subject(const Scenario& scenario, const Outcome& outcome, const Event& event) {
  if (event.kind == EventKind::condition) return scenario.condition_text[event.which.index];
  if (event.kind == EventKind::impact) {
    const ImpactRecord* impact = impact_of(outcome, event);
    return impact ? impact_subject(*scenario.system, *impact) : "";
  }
  return event_subject(*scenario.system, event);
}

std::string describe_state(const Scenario& scenario, const Outcome& outcome, const Event& event, bool after) {
  const ImpactRecord* impact = event.kind == EventKind::impact ? impact_of(outcome, event) : nullptr;
  return impact && after ? impact->result.name : event_state(*scenario.system, event, after);
}

std::string make_events_csv(const Scenario& scenario, const Outcome& outcome) {
  const bool can_collide = !scenario.system->contacts().empty();
  std::string out = "time [s],kind,subject,before,after";
  if (can_collide) out += make_joint_impulse_header(*scenario.system);
  out += '\n';
  for (const Event& e : outcome.events) {
    append_number(out, e.time);
    out += fmt::format(",{},{},{},{}", csv_field(event_kind_name(e.kind)),
                       csv_field(describe_subject(scenario, outcome, e)),
                       csv_field(describe_state(scenario, outcome, e, false)),
                       csv_field(describe_state(scenario, outcome, e, true)));
    const ImpactRecord* impact = e.kind == EventKind::impact ? impact_of(outcome, e) : nullptr;
    if (can_collide) out += make_joint_impulse_cells(*scenario.system, impact);
    out += '\n';
  }
  return out;
}

}  // namespace thud
