// A reproduction, and the list of tables, as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_format.hpp"
#include "reproduce_count.hpp"

namespace thud {

using Json = nlohmann::ordered_json;

namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json settings_json(const KnobSettings& set) {
  Json out = Json::object();
  for (const auto& [name, value] : set) out[name] = value;
  return out;
}

const char* comparison_name(Comparison comparison) {
  switch (comparison) {
    case Comparison::relative: return "relative";
    case Comparison::truncated: return "truncated";
    case Comparison::digits: return "digits";
    case Comparison::measured: return "measured";
  }
  return "";
}

Json published_json(const ComparedValue& v, bool with_right) {
  Json j{{"result", v.published.result},
         {"unit", v.unit},
         {"published", v.published.value},
         {"published_text", v.published.text}};
  if (!v.published.correction.empty()) j["misprint"] = v.published.correction;
  j["computed"] = or_null(v.computed);
  j["difference"] = v.computed ? Json(v.difference) : Json();
  j["relative_difference"] = v.computed ? Json(v.relative_difference) : Json();
  j["verdict"] = verdict_name(v.verdict);
  if (v.effect_published) {
    j["effect_published"] = *v.effect_published;
    j["effect_computed"] = or_null(v.effect_computed);
  }
  if (!v.reason.empty()) j["reason"] = v.reason;
  if (v.verdict == Verdict::measured) {
    j.erase("difference");
    j.erase("relative_difference");
    j["implied"] = implied_measurements(*v.computed, v.published.value / 100);
    for (const double q : implied_measurements(*v.computed, v.published.value / 100))
      if (!is_possible_measurement(q, *v.computed, v.start)) j["impossible"].push_back(q);
  }
  if (!with_right) return j;
  j["right"] = or_null(v.right);
  j["right_relative_difference"] = v.right ? Json(v.right_relative_difference) : Json();
  return j;
}

Json own_json(const OwnValue& v) {
  return {{"result", v.result},
          {"unit", v.unit},
          {"computed", or_null(v.computed)},
          {"difference", or_null(v.difference)},
          {"relative_difference", or_null(v.relative_difference)},
          {"verdict", verdict_name(v.verdict)}};
}

Json row_json(const ReproducedTable& t, std::size_t r) {
  const ReferenceRow& reference = t.table.rows[r];
  const ReproducedRow& row = t.rows[r];
  Json out{{"set", settings_json(reference.set)}};
  if (!reference.group.empty()) out["group"] = reference.group;
  if (!reference.label.empty()) out["label"] = reference.label;
  if (t.table.own && r == t.table.reference_row()) out["reference"] = true;
  if (reference.within) out["within"] = *reference.within;
  out["values"] = Json::array();
  for (const ComparedValue& v : row.values)
    out["values"].push_back(published_json(v, t.table.right.has_value()));
  for (const OwnValue& v : row.own) out["values"].push_back(own_json(v));
  out["stop"] = stop_reason_name(row.stop);
  out["reason"] = row.reason;
  out["energy_residual"] = row.energy_residual;
  if (t.table.right) {
    out["right_reason"] = row.right_reason;
    out["right_energy_residual"] = row.right_energy_residual;
  }
  if (!reference.note.empty()) out["note"] = reference.note;
  return out;
}

Json table_head(const ReferenceTable& t) {
  Json out{{"id", t.id}, {"title", t.title}};
  if (!t.own) out["source"] = t.source;
  out["scenario"] = t.scenario;
  if (t.own) {
    out["own"] = true;
    out["results"] = t.results;
  } else {
    out["compare"] = comparison_name(t.comparison);
    if (t.comparison == Comparison::relative) out["tolerance"] = t.tolerance;
    if (t.derived) out["derived"] = true;
    if (t.without) out["without"] = t.without->id;
    if (!t.not_reproduced.empty()) out["not_reproduced"] = t.not_reproduced;
  }
  if (t.trend != Trend::none) {
    out["source"] = t.source;
    out["trend"] = t.trend == Trend::falling ? "falling" : "rising";
  }
  if (t.right) {
    out["right_set"] = settings_json(t.right->set);
    out["why"] = t.right->why;
  }
  if (!t.note.empty()) out["note"] = t.note;
  return out;
}

Json table_json(const ReproducedTable& t) {
  Json out = table_head(t.table);
  out["rows"] = Json::array();
  for (std::size_t r = 0; r < t.rows.size(); ++r) out["rows"].push_back(row_json(t, r));
  if (t.table.own) {
    out["runs"] = t.runs;
    out["failed"] = t.failed;
  } else {
    out["ok"] = t.ok;
    out["total"] = t.total;
    if (t.not_reproduced > 0) out["not_reproduced_count"] = t.not_reproduced;
    if (t.measured > 0) out["measured"] = t.measured;
    out["worst_relative_difference"] = t.worst_difference;
  }
  if (t.not_run > 0) out["not_run"] = t.not_run;
  out["worst_energy_residual"] = t.worst_residual;
  return out;
}

}  // namespace

std::string to_json(const Reproduction& all) {
  Json tables = Json::array();
  for (const ReproducedTable& t : all.tables) tables.push_back(table_json(t));
  Json out{{"thud", THUD_VERSION},
           {"format", json_format},
           {"tables", std::move(tables)},
           {"ok", all.ok},
           {"total", all.total}};
  Json count = Json::object();
  for (const CountGroup& g : count_groups(all)) {
    Json entries = Json::array();
    for (const CountGroup::Entry& e : g.entries)
      entries.push_back({{"table", e.id}, {"count", e.count}, {"about", e.about}, {"rows", e.rows}});
    std::string key = g.name;
    std::replace(key.begin(), key.end(), ' ', '_');
    count[key] = {{"count", g.count}, {"tables", std::move(entries)}};
  }
  out["count"] = std::move(count);
  out["derived_ok"] = all.derived_ok;
  out["derived_total"] = all.derived_total;
  out["own_runs"] = all.runs;
  out["own_failed"] = all.failed;
  if (all.cancelled) out["cancelled"] = true;
  return out.dump(2) + "\n";
}

std::string list_json(const std::vector<ReferenceTable>& tables) {
  Json list = Json::array();
  for (const ReferenceTable& t : tables) {
    Json j = table_head(t);
    if (t.own)
      j["runs"] = t.rows.size();
    else
      j["values"] = t.value_count();
    list.push_back(std::move(j));
  }
  return Json{{"thud", THUD_VERSION}, {"format", json_format}, {"tables", std::move(list)}}.dump(2) + "\n";
}

}  // namespace thud
