// Names of stops and events, for logs and reports.

#include <fmt/format.h>

#include "thud/event/solver.hpp"

namespace thud {

const char* stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::condition: return "condition";
    case StopReason::all_found: return "results";
    case StopReason::rest: return "rest";
    case StopReason::time_limit: return "time limit";
    case StopReason::bottom: return "bottom of the bed";
    case StopReason::painleve: return "painleve";
    case StopReason::cancelled: return "cancelled";
    case StopReason::failed: return "failed";
  }
  return "";
}

const char* event_kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::enter: return "enter";
    case EventKind::leave: return "leave";
    case EventKind::submerge: return "submerge";
    case EventKind::emerge: return "emerge";
    case EventKind::deepest: return "deepest";
    case EventKind::flow: return "flow";
    case EventKind::stick: return "stick";
    case EventKind::release: return "release";
    case EventKind::reverse: return "reverse";
    case EventKind::carry: return "carry";
    case EventKind::bottom: return "bottom";
    case EventKind::impact: return "impact";
    case EventKind::settle: return "settle";
    case EventKind::touch: return "touch";
    case EventKind::lift: return "lift";
    case EventKind::painleve: return "painleve";
    case EventKind::clamp: return "clamp";
    case EventKind::unclamp: return "unclamp";
    case EventKind::state: return "state";
    case EventKind::condition: return "condition";
    case EventKind::rest: return "rest";
    case EventKind::start: return "start";
    case EventKind::used_up: return "used up";
  }
  return "";
}

std::optional<double> time_of_event(const std::vector<Event>& events, EventCount which) {
  const bool switches = which.kind == EventKind::stick || which.kind == EventKind::release;
  for (const Event& e : events) {
    if (e.kind != which.kind || (switches && e.which.type != type_of<JointFriction>)) continue;
    if (--which.number == 0) return e.time;
  }
  return std::nullopt;
}

std::vector<StickInterval> stick_intervals(const System& system, const Outcome& outcome, double start) {
  std::vector<StickInterval> out;
  for (int k = 0; k < static_cast<int>(system.of<JointFriction>().size()); ++k) {
    const int body = system.of<JointFriction>()[k].body;
    double since = start;
    bool known = false, held = false;
    for (const Event& e : outcome.events) {
      const bool of_joint = e.kind == EventKind::stick || e.kind == EventKind::release
                         || e.kind == EventKind::reverse || e.kind == EventKind::carry
                         || e.kind == EventKind::clamp || e.kind == EventKind::unclamp;
      if (!of_joint || !(e.which == switch_of<JointFriction>(k))) continue;
      if (!known) held = e.before == slip::stuck;
      known = true;
      const bool after = e.after == slip::stuck;
      if (held && !after) out.push_back({body, since, e.time});
      if (!held && after) since = e.time;
      held = after;
    }
    const auto& last = outcome.mode.of<JointFriction>();
    if (!known) held = !last.empty() && last[k].slip == slip::stuck;
    if (held) out.push_back({body, since, outcome.time});
  }
  return out;
}

std::string event_subject(const System& system, const Event& event) {
  switch (event.kind) {
    case EventKind::stick:
    case EventKind::release:
    case EventKind::reverse:
    case EventKind::clamp:
    case EventKind::unclamp:
    case EventKind::carry: return system.switch_name(event.which);
    case EventKind::condition:
    case EventKind::impact:  // its contacts stand in Outcome::impacts
    case EventKind::rest:
    case EventKind::start: return "";
    default: return system.element_name(event.which);
  }
}

std::string event_state(const System& system, const Event& event, bool after) {
  const std::int8_t s = after ? event.after : event.before;
  switch (event.kind) {
    case EventKind::clamp:
    case EventKind::unclamp:
      if ((event.kind == EventKind::clamp) == after) return "clamped";
      [[fallthrough]];
    case EventKind::stick:
    case EventKind::release:
    case EventKind::reverse:
    case EventKind::carry:
      if (s == slip::stuck) return "held";
      if (s == slip::forward) return "slipping +";
      if (s == slip::backward) return "slipping -";
      if (s == slip::idle) return "idle";
      return s > 0 ? "carried +" : "carried -";
    case EventKind::enter: return after ? "in" : "out";
    case EventKind::leave: return after ? "out" : "in";
    case EventKind::submerge: return after ? "whole" : "part";
    case EventKind::emerge: return after ? "part" : "whole";
    case EventKind::flow: return s > 0 ? "+" : s < 0 ? "-" : "along";
    case EventKind::deepest: return fmt::format("{}", s);
    case EventKind::settle: return after ? "closed" : "bouncing";
    case EventKind::touch: return after ? "closed" : "open";
    case EventKind::lift: return after ? "open" : "closed";
    case EventKind::painleve: return after ? painleve_name(static_cast<Painleve>(s)) : "sliding";
    case EventKind::state: return system.of<Controller>()[event.which.index].states[s].name;
    default: return "";
  }
}

}  // namespace thud
