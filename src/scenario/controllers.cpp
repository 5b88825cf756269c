#include "scenario/controllers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scenario/bodies.hpp"
#include "scenario/own_parts.hpp"
#include "scenario/rules.hpp"
#include "scenario/signals.hpp"
#include "thud/base/law_error.hpp"

namespace thud::doc {

namespace {

bool holds(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Outputs of all states, in the order in which they are met; or as they are listed.
std::vector<std::string> read_outputs(const Table& t, const std::vector<Table>& states) {
  std::vector<std::string> out = t.texts_or("outputs");
  const bool listed = !out.empty();
  for (const Table& s : states) {
    const auto values = s.table_or_none("out");
    if (!values) continue;
    for (const std::string& key : values->keys()) {
      if (holds(out, key)) continue;
      if (listed)
        throw values->error(key, fmt::format("\"{}\" is not among the outputs{} ({})", key,
                                             did_you_mean(key, out), one_of(out)));
      out.push_back(key);
    }
  }
  for (const std::string& name : out) {
    check_name(t, "outputs", name);
    if (name == "state" || name == "time")
      throw t.error("outputs",
                    fmt::format("an output cannot be called \"{}\": every controller has that", name));
  }
  return out;
}

template <class P>
void check_label(const Table& t, const std::string& label, const AssemblyOf<P>& s) {
  check_name(t, "name", label);
  const auto refuse = [&](const char* what) {
    throw t.error("name", fmt::format("\"{}\" is the name of {} already", label, what));
  };
  for (const BodyOf<P>& b : s.system.tree().bodies())
    if (b.name == label) refuse("a body");
  for (const PointOf<P>& p : s.points)
    if (p.name == label) refuse("a point");
  for (const ControllerOf<P>& c : s.system.template of<ControllerOf<P>>())
    if (c.label == label) refuse("a controller");
}

// The expression of an output in a state; zero where it says nothing.
std::string output_text(const Table& state, const std::string& name) {
  const auto values = state.table_or_none("out");
  if (!values || !values->has(name)) return "0";
  if (const auto text = values->formula_text(name)) return *text;
  return fmt::format("{:.17g}", static_cast<double>(values->number(name, Dimension::any)));
}

std::vector<Table> states_of(const Table& controller) { return controller.tables("state"); }

std::vector<std::string> names_of_states(const std::vector<Table>& states) {
  std::vector<std::string> names;
  for (const Table& s : states) {
    names.push_back(s.text("name"));
    check_name(s, "name", names.back());
    if (names.back() == "state" || names.back() == "time")
      throw s.error("name", fmt::format("a state cannot be called \"{}\"", names.back()));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      throw s.error("name", fmt::format("there is a state \"{}\" already", names.back()));
  }
  return names;
}

int find_state(const Table& t, const char* key, const std::string& name,
               const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  throw t.error(key, fmt::format("there is no state \"{}\"{} (states: {})", name, did_you_mean(name, names),
                                 one_of(names)));
}

}  // namespace

template <class P>
void read_controllers(const Table& root, const AssemblyOf<P>& s) {
  for (const Table& t : root.tables("controller")) {
    ControllerOf<P> c;
    c.label = t.filled_text("name");
    check_label(t, c.label, s);
    c.index = static_cast<int>(s.system.template of<ControllerOf<P>>().size());
    c.sampled = t.has("rate");
    const std::vector<Table> states = states_of(t);
    const std::vector<std::string> names = names_of_states(states);
    c.outputs = read_outputs(t, states);
    for (const std::string& name : names)
      if (holds(c.outputs, name))
        throw t.error("outputs", fmt::format("\"{}\" is the name of a state and of an output", name));
    if (states.empty() && !c.sampled)
      throw InputError(t.place(), fmt::format("controller \"{}\" has no [[controller.state]]", c.label));
    if (t.has("start")) c.start = find_state(t, "start", t.text("start"), names);
    for (const std::string& name : names) c.states.push_back({name, {}, false});
    if (states.empty()) c.states.push_back({"", {}, false});
    // Its own state and time may stand in its expressions, and what controllers before it put out.
    SignalListOf<P> known(s);
    SignalOf<P> own;
    own.controller = c.index;
    own.what = SignalOf<P>::What::since;
    known.names.push_back(c.label + ".time");
    known.signals.push_back(own);
    for (std::size_t k = 0; k < states.size(); ++k) {
      for (const Table& way : states[k].tables("go"))
        c.states[k].waits = c.states[k].waits || way.has("after");
      if (c.sampled) continue;
      const auto values = states[k].table_or_none("out");
      for (const std::string& name : c.outputs)
        c.states[k].outputs.push_back(*make_drive(values ? *values : states[k], name,
                                                  output_text(states[k], name), states[k].symbols(), known));
    }
    s.system.add(std::move(c));
  }
}

template void read_controllers(const Table&, const AssemblyOf<double>&);
THUD_WITH_DUALS(template void read_controllers(const Table&, const AssemblyOf<Dual<double>>&);)

// ---- the plan ---------------------------------------------------------------------------------------------------------

namespace {

// A number that a sampled controller computes from observables.
ObservableFunction make_sampled(const Table& state, const std::string& output, const Scenario& s) {
  std::vector<std::string> names;
  for (const NamedObservable& o : s.observables) names.push_back(o.name);
  const auto values = state.table_or_none("out");
  try {
    const SignalText marked = mark_signals(output_text(state, output), names, state.symbols());
    const FormulaOf<double> formula = compile_formula<double>(marked, state.symbols(), Sides::of_value);
    std::vector<Observable> inputs;
    for (int k : marked.signals) inputs.push_back(s.observables[k].observable);
    return [formula, inputs](const Instant& now) {
      std::vector<double> x{now.time()};
      for (const Observable& o : inputs) x.push_back(now.observe(o));
      return formula(x.data(), 0u);
    };
  } catch (const ExpressionError& e) {
    throw values ? values->error_in(output, e) : state.error("out", e.message());
  }
}

void read_ways(const Table& state, int controller, int from, const std::vector<std::string>& names,
               const Scenario& s, ControlPlan& plan) {
  for (const Table& way : state.tables("go")) {
    Transition t;
    t.controller = controller;
    t.from = from;
    t.to = find_state(way, "to", way.text("to"), names);
    if (way.has("when") == way.has("after"))
      throw InputError(way.place(),
                       "a way out of a state has either `when`, a condition, or `after`, a time");
    if (way.has("after"))
      t.after = way.number("after", Dimension::time, Range::non_negative());
    else
      t.when = read_condition(way, "when", s, t.at_once);
    way.finish();
    plan.transitions.push_back(std::move(t));
  }
}

// The contacts that are off in a state.
std::vector<int> read_off(const Table& state, const Scenario& s) {
  std::vector<int> out;
  std::vector<std::string> known;
  for (const ContactForce& c : s.system->contacts()) known.push_back(c.name);
  for (const std::string& name : state.texts_or("off")) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw state.error("off", fmt::format("there is no contact \"{}\"{}{}", name, did_you_mean(name, known),
                                           known.empty() ? "" : " (contacts: " + one_of(known) + ")"));
    out.push_back(static_cast<int>(found - known.begin()));
  }
  return out;
}

// States that no way leads into are mistakes.
void check_reached(const Table& t, const std::vector<Table>& states, const std::vector<std::string>& names,
                   int start, int controller, const ControlPlan& plan) {
  std::set<int> reached{start};
  for (std::size_t round = 0; round < names.size(); ++round)
    for (const Transition& way : plan.transitions)
      if (way.controller == controller && reached.count(way.from) > 0) reached.insert(way.to);
  for (std::size_t k = 0; k < names.size(); ++k)
    if (reached.count(static_cast<int>(k)) == 0)
      throw states[k].error(
          "name", fmt::format("no way leads into state \"{}\" of controller \"{}\" from its start \"{}\"",
                              names[k], t.text("name"), names[start]));
}

const OwnController* find_own(const OwnParts& own, const std::string& name) {
  for (const OwnController& c : own.controllers)
    if (c.name == name) return &c;
  return nullptr;
}

}  // namespace

void read_control_plan(const Table& root, const OwnParts& own, Scenario& s) {
  auto plan = std::make_shared<ControlPlan>();
  int index = 0;
  std::vector<std::string> known;
  for (const Table& t : root.tables("controller")) {
    const Controller& c = s.system->of<Controller>()[index];
    known.push_back(c.label);
    const std::vector<Table> states = states_of(t);
    const std::vector<std::string> names = names_of_states(states);
    plan->off.emplace_back(std::max<std::size_t>(states.size(), 1));
    for (std::size_t k = 0; k < states.size(); ++k) {
      plan->off.back()[k] = read_off(states[k], s);
      read_ways(states[k], index, static_cast<int>(k), names, s, *plan);
      states[k].allow("out");
      states[k].finish();
    }
    if (!names.empty()) check_reached(t, states, names, c.start, index, *plan);
    const OwnController* function = find_own(own, c.label);
    if (function && !c.sampled)
      throw t.error(
          "name", fmt::format("controller \"{}\" has a function of its own, and needs a `rate` to call it at",
                              c.label));
    if (c.sampled) {
      ControlSampling sampling;
      sampling.controller = index;
      sampling.period = 1 / t.number("rate", Dimension::frequency, Range::positive());
      sampling.delay = t.number_or("delay", 0, Dimension::time, Range::non_negative());
      if (function) {
        sampling.memory = function->memory;
        sampling.own = make_control(*function, s);
      } else if (states.empty()) {
        // A program may still bring it; a run without it says what is missing.
        sampling.own = [message = fmt::format(
                            "controller \"{}\" has no [[controller.state]]: what it does is a function "
                            "in C++ or Python (Model::control, model.control)",
                            c.label)](const Instant&, std::span<double>, std::span<double>) {
          throw LawError(message);
        };
      } else {
        for (const Table& state : states) {
          sampling.outputs.emplace_back();
          for (const std::string& output : c.outputs)
            sampling.outputs.back().push_back(make_sampled(state, output, s));
        }
      }
      plan->sampled.push_back(std::move(sampling));
    } else if (t.has("delay")) {
      throw t.error("delay", "only a sampled controller has one: give its `rate` too");
    }
    t.allow("start"), t.allow("outputs"), t.allow("state");
    t.finish();
    ++index;
  }
  for (const OwnController& c : own.controllers)
    if (!holds(known, c.name))
      throw InputError({}, fmt::format("scenario \"{}\" has no controller \"{}\"{}{}", s.name, c.name,
                                       did_you_mean(c.name, known),
                                       known.empty() ? "" : " (controllers: " + one_of(known) + ")"));
  if (index > 0) s.options.control = std::move(plan);
}

}  // namespace thud::doc
