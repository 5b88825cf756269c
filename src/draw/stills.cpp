// From runs to a figure: poses, curves, and what happened when.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "thud/base/format.hpp"
#include "thud/draw/stills.hpp"
#include "thud/scenario/knob_text.hpp"

namespace thud {

namespace {

constexpr std::size_t most_event_marks = 8;

bool is_switch(EventKind kind) {
  return kind == EventKind::stick || kind == EventKind::release || kind == EventKind::reverse
      || kind == EventKind::carry;
}

// Changes of stick and slip: of contacts, or of joints where there are no contacts. A joint that friction holds while
// the mechanism still falls says little, nor does the friction of a wall that is not penetrated.
std::vector<Event> switch_events(const Outcome& outcome) {
  std::vector<Event> contacts, joints;
  for (const Event& e : outcome.events)
    if (is_switch(e.kind) && e.which.type != type_of<ContactForce>)
      (e.which.type == type_of<JointFriction> ? joints : contacts).push_back(e);
  return contacts.empty() ? joints : contacts;
}

std::vector<TimeSpan> merged(std::vector<TimeSpan> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<TimeSpan> out;
  for (const TimeSpan& s : spans) {
    if (s.end <= s.begin) continue;
    if (!out.empty() && s.begin <= out.back().end)
      out.back().end = std::max(out.back().end, s.end);
    else
      out.push_back(s);
  }
  return out;
}

// "held: link1 vertical, link2 vertical"
std::string name_held(const System& system, const Outcome& outcome) {
  std::vector<std::string> names;
  for (const Event& e : switch_events(outcome)) {
    if (e.before != slip::stuck && e.after != slip::stuck) continue;
    const std::string name = event_subject(system, e);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty() || names.size() > 3) return "something is held";
  std::string out = "held (";
  for (std::size_t i = 0; i < names.size(); ++i) out += (i ? "; " : "") + names[i];
  return out + ")";
}

const char* mark_name(EventKind kind) {
  switch (kind) {
    case EventKind::enter: return "enters";
    case EventKind::leave: return "leaves";
    case EventKind::submerge: return "goes under";
    case EventKind::emerge: return "emerges";
    case EventKind::bottom: return "meets the bottom";
    case EventKind::impact: return "impact";
    case EventKind::settle: return "settles";
    case EventKind::touch: return "touches";
    case EventKind::lift: return "lifts off";
    case EventKind::painleve: return "jams";
    default: return nullptr;
  }
}

std::string with_subject(const std::string& subject, const char* verb) {
  return subject.empty() ? verb : fmt::format("{} {}", subject, verb);
}

// Results that are times, and crossings of a surface and impacts unless there are many.
std::vector<TimeMark> find_marks(const StillRun& run) {
  std::vector<TimeMark> out, events;
  const double soon = 1e-6 * run.result.outcome.time;
  for (const ResultSpec& spec : run.scenario.results) {
    const ResultValue* value = run.result.find(spec.name);
    if (spec.kind == ResultSpec::Kind::time_of && value && value->value)
      out.push_back({*value->value, spec.name});
  }
  for (const Event& e : run.result.outcome.events)
    if (const char* name = mark_name(e.kind); name && e.time > soon)
      events.push_back({e.time, with_subject(event_subject(*run.scenario.system, e), name)});
  if (events.size() <= most_event_marks) out.insert(out.end(), events.begin(), events.end());
  return out;
}

// The last row lies behind the event that ended the run: where sand begins to hold, its force jumps there. The curve
// ends before.
void drop_last_jump(std::vector<double>& time, std::vector<double>& value) {
  const std::size_t n = value.size();
  if (n < 10) return;
  const auto [low, high] = std::minmax_element(value.begin(), value.end() - 1);
  const double last = std::abs(value[n - 1] - value[n - 2]), before = std::abs(value[n - 2] - value[n - 3]);
  if (last <= 20 * before + 0.02 * (*high - *low)) return;
  time.pop_back();
  value.pop_back();
}

std::string with_minus(std::string text) { return text.starts_with('-') ? "−" + text.substr(1) : text; }

const Knob* find_knob(const Scenario& scenario, const std::string& name) {
  for (const Knob& k : scenario.knobs)
    if (k.name == name) return &k;
  return nullptr;
}

// The knobs that are the same in all runs; of many only those that were turned.
std::string list_fixed_knobs(const Scenario& scenario, const std::vector<std::string>& varied) {
  constexpr std::size_t few = 5;
  std::string out;
  for (const Knob& k : scenario.knobs) {
    if (std::find(varied.begin(), varied.end(), k.name) != varied.end()) continue;
    const bool is_turned = k.value != k.default_value || k.text != k.default_text;
    if (scenario.knobs.size() > few && !is_turned) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : " · ", k.name, with_minus(show_knob(k, {})));
  }
  return out;
}

std::string caption_of(const PoseStrip& strip, const Scenario& scenario,
                       const std::vector<std::string>& varied) {
  const std::string which = varied.empty()
                              ? ""
                              : fmt::format(" of {} {}", varied.size() == 1 ? varied.front() : "the run with",
                                            name_by_knobs(scenario, varied));
  if (strip.poses.size() < 3) return fmt::format("poses{} to scale", which);
  const double interval =
      (strip.poses.back().time - strip.poses.front().time) / static_cast<double>(strip.poses.size() - 1);
  return fmt::format("poses{} every {}, to scale", which, show_quantity(interval, "s", {}, 3));
}

}  // namespace

std::vector<TimeSpan> find_held(const Outcome& outcome) {
  using Key = std::tuple<int, int, int>;
  std::map<Key, double> begun;  // switches that are held now, and since when
  std::map<Key, bool> seen;
  std::vector<TimeSpan> spans;
  for (const Event& e : switch_events(outcome)) {
    const Key which{e.which.type, e.which.sub, e.which.index};
    if (!seen[which] && e.before == slip::stuck) begun[which] = 0;
    seen[which] = true;
    if (const auto found = begun.find(which); found != begun.end() && e.after != slip::stuck) {
      spans.push_back({found->second, e.time});
      begun.erase(found);
    } else if (found == begun.end() && e.after == slip::stuck) {
      begun[which] = e.time;
    }
  }
  for (const auto& [which, since] : begun) spans.push_back({since, outcome.time});
  return merged(std::move(spans));
}

TimeCurve make_time_curve(const StillRun& run, const NamedObservable& what) {
  Trajectory t = run.trajectory.table({what});
  drop_last_jump(t.time, t.values);
  return {std::move(t.time), std::move(t.values), {}};
}

std::string name_by_knobs(const Scenario& scenario, const std::vector<std::string>& knobs) {
  std::string out;
  for (const std::string& name : knobs) {
    const Knob* knob = find_knob(scenario, name);
    if (!knob) continue;
    const std::string value = with_minus(show_knob(*knob, {}));
    out += (out.empty() ? "" : ", ") + (knobs.size() > 1 ? fmt::format("{} {}", name, value) : value);
  }
  return out;
}

TimeFigure make_still(std::span<const StillRun> runs, const StillOptions& options) {
  TimeFigure out;
  const StillRun& first = runs.front();
  out.title = first.scenario.title;
  out.subtitle = list_fixed_knobs(first.scenario, options.varied);
  if (options.poses > 0) {
    out.strip = make_pose_strip(first.scenario, first.trajectory, options.poses);
    out.strip.caption = caption_of(out.strip, first.scenario, options.varied);
  }
  const bool is_family = runs.size() > 1;
  std::vector<std::vector<TimeSpan>> held;
  for (const StillRun& run : runs) {
    held.push_back(find_held(run.result.outcome));
    if (is_family) out.names.push_back(name_by_knobs(run.scenario, options.varied));
  }
  if (is_family && options.varied.size() == 1) out.by = options.varied.front();
  if (!is_family) {
    out.marks = find_marks(first);
    out.held = held.front();
    out.held_name = name_held(*first.scenario.system, first.result.outcome);
  }
  for (const std::string& name : options.plots) {
    TimePanel& panel = out.panels.emplace_back(TimePanel{name, find_quantity(first.scenario, name).unit, {}});
    for (std::size_t k = 0; k < runs.size(); ++k) {
      // Observables are found anew: knobs may change what a system has.
      try {
        panel.curves.push_back(make_time_curve(runs[k], find_quantity(runs[k].scenario, name)));
      } catch (const InputError&) {
        panel.curves.emplace_back();
      }
      if (is_family) panel.curves.back().held = held[k];
    }
  }
  return out;
}

}  // namespace thud
