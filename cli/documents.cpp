#include "documents.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_format.hpp"
#include "thud/granular/laws.hpp"
#include "thud/math/portable.hpp"
#include "thud/report/json.hpp"
#include "thud/scenario/catalogue.hpp"

namespace thud::cli {

namespace {

using Json = nlohmann::ordered_json;

Json head() { return {{"thud", THUD_VERSION}, {"format", json_format}}; }

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json bodies_json(const System& system) {
  const Tree& tree = system.tree();
  Json out = Json::array();
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    const JointKind kind = tree.joint_kind(i);
    out.push_back({{"name", b.name},
                   {"mass", b.mass},
                   {"joint", b.free                      ? "free"
                             : kind == JointKind::slider ? "slider"
                             : kind == JointKind::weld   ? "weld"
                                                         : "pin"},
                   {"parent", b.parent < 0 ? Json(nullptr) : Json(tree.body(b.parent).name)}});
  }
  return out;
}

Json coefficients_json(const Law& law) {
  Json out = Json::object();
  for (const Coefficient& c : law_card(law).coefficients) out[std::string(c.key)] = c.get(law);
  return out;
}

Json beds_json(const System& system) {
  Json out = Json::array();
  for (const Bed& bed : system.beds())
    out.push_back({{"name", bed.name},
                   {"law", law_card(bed.law).name},
                   {"surface", bed.plane.point.z},
                   {"slope", portable::atan2(bed.plane.tangent.z, bed.plane.tangent.x)},
                   {"depth", bed.bottom > 0 ? Json(bed.bottom) : Json(nullptr)},
                   {"coefficients", coefficients_json(bed.law)}});
  return out;
}

Json start_json(const Scenario& s) {
  Json out = Json::object();
  const Tree& tree = s.system->tree();
  for (int i = 0; i < tree.dof_count(); ++i)
    out[tree.dof_name(i)] = {{"value", s.q[static_cast<std::size_t>(i)]},
                             {"rate", s.v[static_cast<std::size_t>(i)]},
                             {"unit", tree.is_angle(i) ? "rad" : "m"}};
  return out;
}

Json stops_json(const Scenario& s) {
  Json out = Json::array();
  for (std::size_t k = 0; k < s.conditions.size(); ++k)
    if (s.conditions[k].stops) out.push_back(s.condition_text[k]);
  if (s.options.stop_when_all_found) out.push_back("results");
  if (s.stops_at_rest) out.push_back("rest");
  return out;
}

}  // namespace

std::string make_check_json(const Scenario& s) {
  Json out = head();
  out["scenario"] = {{"name", s.name}, {"title", s.title}, {"about", s.about}, {"file", s.file}};
  out["degrees_of_freedom"] = s.system->tree().dof_count();
  out["bodies"] = bodies_json(*s.system);
  out["beds"] = beds_json(*s.system);
  Json walls = Json::array(), contacts = Json::array(), results = Json::array();
  for (const Wall& w : s.system->walls())
    walls.push_back({{"name", w.name},
                     {"at", {w.plane.point.x, w.plane.point.z}},
                     {"slope", portable::atan2(w.plane.tangent.z, w.plane.tangent.x)}});
  for (const Contact& c : s.system->contacts()) contacts.push_back(c.name);
  for (const ResultSpec& r : s.results)
    results.push_back({{"name", r.name}, {"rule", r.rule}, {"unit", r.unit}});
  out["walls"] = walls;
  out["contacts"] = contacts;
  out["knobs"] = Json::parse(make_knobs_json(s));
  out["start"] = start_json(s);
  out["results"] = results;
  out["observables"] = Json::parse(make_observables_json(s));
  out["stop"] = stops_json(s);
  out["time_limit"] = s.options.time_limit;
  out["notes"] = s.notes;
  return text_of(out);
}

std::string make_list_json() {
  Json out = head();
  out["scenarios"] = Json::array();
  for (const LibraryEntry& e : list_library()) {
    Json entry = {{"name", e.name}, {"title", e.title}, {"about", e.about}, {"file", e.path}};
    try {
      entry["knobs"] = Json::parse(make_knobs_json(load_scenario(e.path)));
    } catch (const InputError& error) {
      entry["error"] = error.what();
    }
    out["scenarios"].push_back(entry);
  }
  out["studies"] = Json::array();
  for (const StudyEntry& e : list_studies())
    out["studies"].push_back({{"name", e.name},
                              {"title", e.title},
                              {"about", e.about},
                              {"file", e.path},
                              {"scenario", e.scenario},
                              {"commands", e.commands}});
  return text_of(out);
}

namespace {
Json range_json(const CalibratedRange& range) {
  if (range.is_empty()) return nullptr;
  const auto bound = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  return {{"speed", {range.slowest, bound(range.fastest)}},
          {"depth", {0.0, bound(range.deepest)}},
          {"size", {range.thinnest, bound(range.thickest)}},
          {"source", range.source}};
}
}  // namespace

std::string make_laws_json() {
  Json out = head(), list = Json::array(), laws = Json::array();
  for (const Medium& m : media())
    list.push_back({{"name", m.name},
                    {"about", m.about},
                    {"source", m.source},
                    {"range", range_json(m.range)},
                    {"law", law_card(m.law).name},
                    {"coefficients", coefficients_json(m.law)}});
  for (const LawEntry* e : law_table()) {
    Json coefficients = Json::array();
    for (const Coefficient& c : e->card.coefficients)
      coefficients.push_back({{"name", c.key}, {"unit", c.unit}, {"about", c.about}});
    laws.push_back({{"name", e->card.name},
                    {"about", e->card.about},
                    {"coefficients", coefficients},
                    {"range", range_json(e->card.range)}});
  }
  out["media"] = list;
  out["laws"] = laws;
  return text_of(out);
}

}  // namespace thud::cli
