#include "thud/report/json.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/json_format.hpp"
#include "report/json_parts.hpp"
#include "thud/report/csv.hpp"
#include "thud/report/impacts.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

using namespace json_parts;

namespace {

Json knob_json(const Knob& k) {
  Json out;
  if (!k.choices.empty()) {
    out["value"] = k.text;
    out["unit"] = "";
    out["default"] = k.default_text;
  } else if (k.integer && std::abs(k.value) < 1e15 && std::abs(k.default_value) < 1e15) {
    out["value"] = static_cast<long long>(k.value);
    out["unit"] = "";
    out["default"] = static_cast<long long>(k.default_value);
  } else {
    out["value"] = number(k.value);
    out["unit"] = si_unit_of(k.unit);
    out["default"] = number(k.default_value);
  }
  return out;
}

// When the friction of a joint held it.
Json held_json(const Scenario& s, const Outcome& outcome) {
  Json out = Json::array();
  for (const StickInterval& i : stick_intervals(*s.system, outcome, s.options.start_time))
    out.push_back(
        {{"body", s.system->tree().body(i.body).name}, {"from", number(i.from)}, {"to", number(i.to)}});
  return out;
}

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(number(x));
  return out;
}

// Impulses and velocities come in pairs: tangential, normal; one pair per contact.
Json impact_json(const System& system, const ImpactRecord& r) {
  Json contacts = Json::array(), path = Json::array();
  const auto name = [&](int k) {
    return k >= 0 && k < static_cast<int>(r.contacts.size()) ? system.contacts()[r.contacts[k]].name : "";
  };
  for (std::size_t k = 0; k < r.contacts.size(); ++k) contacts.push_back(name(static_cast<int>(k)));
  for (const ImpactPoint& p : r.result.path)
    path.push_back({{"corner", impact_corner_name(p.corner)},
                    {"contact", name(p.contact)},
                    {"leader", name(p.leader)},
                    {"impulse", numbers(p.impulse)},
                    {"velocity", numbers(p.velocity)}});
  Json out;
  out["time"] = number(r.time);
  out["contacts"] = contacts;
  out["law"] = impact_law_name(r);
  out["correlation"] = r.contacts.size() > 1 ? number(r.problem.correlation) : Json(nullptr);
  if (r.contacts.size() > 1 && !r.problem.correlation_at.empty())
    out["correlation_at"] = numbers(r.problem.correlation_at);
  if (r.contacts.size() > 1) out["leader"] = leader_rule_name(r.problem.leader);
  out["friction"] = numbers(r.problem.friction);
  out["restitution"] = numbers(r.problem.restitution);
  out["case"] = r.result.name;
  out["matrix"] = numbers(r.problem.matrix);
  out["velocity_before"] = numbers(r.problem.velocity);
  out["velocity_after"] = numbers(r.result.velocity);
  out["impulse"] = numbers(r.result.impulse);
  Json joints = Json::object();
  for (const JointImpulse& j : list_joint_impulses(system, r))
    joints[j.name] = {number(j.impulse.x), number(j.impulse.z)};
  out["joint_impulse"] = joints;
  out["work_normal"] = numbers(r.result.work_normal);
  out["work_friction"] = numbers(r.result.work_friction);
  out["energy_before"] = number(r.energy_before);
  out["energy_after"] = number(r.energy_after);
  if (r.supplied != 0) out["supplied"] = number(r.supplied);
  out["gain"] = r.result.gains();
  out["note"] = r.result.note;
  out["path"] = path;
  return out;
}

Json impacts_json(const System& system, const Outcome& outcome) {
  Json out = Json::array();
  for (const ImpactRecord& r : outcome.impacts) out.push_back(impact_json(system, r));
  return out;
}

Json energy_json(const System& system, const EnergyAccount& account) {
  Json loss = Json::object();
  for (const auto& [channel, energy] : list_channel_losses(system, account)) loss[channel] = number(energy);
  return {{"initial", number(account.initial)},   {"final", number(account.final)},
          {"supplied", number(account.supplied)}, {"loss", loss},
          {"settled", number(account.settled)},   {"residual", number(account.residual)}};
}

}  // namespace

namespace json_parts {

Json number(double x) { return std::isfinite(x) ? Json(x + 0.0) : Json(nullptr); }  // + 0: no "-0.0"

std::string text_of(const Json& json) {
  // Paths need not be UTF-8, but JSON must.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json scenario_json(const Scenario& s) {
  Json knobs = Json::object();
  for (const Knob& k : s.knobs) knobs[k.name] = knob_json(k);
  return {{"name", s.name}, {"title", s.title}, {"file", s.file}, {"knobs", knobs}};
}

Json events_json(const Scenario& s, const Outcome& outcome, std::size_t most) {
  Json out = Json::array();
  for (const Event& e : std::span(outcome.events).first(std::min(most, outcome.events.size())))
    out.push_back({{"time", number(e.time)},
                   {"kind", event_kind_name(e.kind)},
                   {"subject", describe_subject(s, outcome, e)},
                   {"before", describe_state(s, outcome, e, false)},
                   {"after", describe_state(s, outcome, e, true)}});
  return out;
}

}  // namespace json_parts

const char* stop_word(StopReason reason) {
  return reason == StopReason::bottom ? "bottom" : stop_reason_name(reason);
}

std::string make_run_json(const Scenario& s, const RunResult& run) {
  const Outcome& o = run.outcome;
  Json results = Json::object(), final = Json::object();
  for (const ResultValue& r : run.results) results[r.name] = r.value ? number(*r.value) : Json(nullptr);
  for (std::size_t k = 0; k < run.final_values.size(); ++k)
    final[s.observables[k].name] = number(run.final_values[k]);

  Json out;
  out["thud"] = THUD_VERSION;
  out["format"] = json_format;
  out["scenario"] = scenario_json(s);
  out["stop"] = {{"time", number(o.time)},
                 {"reason", stop_word(o.reason)},
                 {"text", run.reason},
                 {"reached", run.reached}};
  out["results"] = results;
  out["final"] = final;
  out["events"] = events_json(s, o);
  out["held"] = held_json(s, o);
  out["impacts"] = impacts_json(*s.system, o);
  out["impact_count"] = o.impact_count;
  out["energy"] = energy_json(*s.system, o.energy);
  out["notes"] = list_notes(s, run);
  out["stats"] = {{"steps", o.stats.steps},
                  {"rejected", o.stats.rejected},
                  {"evaluations", o.stats.evaluations},
                  {"events", o.stats.events},
                  {"wall_time", number(o.stats.wall_seconds)}};
  return text_of(out);
}

std::string make_knobs_json(const Scenario& s) {
  Json out = Json::array();
  for (const Knob& k : s.knobs) {
    Json knob = {{"name", k.name}};
    knob.update(knob_json(k));
    knob["shown_in"] = k.unit;
    knob["range"] = k.range ? Json::array({number(k.range->first), number(k.range->second)}) : Json(nullptr);
    if (!k.choices.empty()) knob["choices"] = k.choices;
    knob["integer"] = k.integer;
    knob["about"] = k.about;
    out.push_back(knob);
  }
  return text_of(out);
}

std::string make_observables_json(const Scenario& s) {
  Json out = Json::array();
  for (const NamedObservable& o : s.observables)
    out.push_back({{"name", o.name}, {"unit", o.unit}, {"about", o.about}});
  return text_of(out);
}

}  // namespace thud
