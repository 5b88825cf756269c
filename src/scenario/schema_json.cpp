#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "scenario/schema.hpp"
#include "thud/scenario/schema.hpp"

namespace thud {

namespace {

using doc::Form;
using doc::KeySpec;
using doc::TableSpec;
using doc::ValueSpec;
using Json = nlohmann::ordered_json;

// An expression, or a number with a unit: "=L/2", "200 mm", "32deg".
constexpr const char* quantity_pattern = R"(^\s*(=|[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*[^\s\d.]))";
constexpr const char* formula_pattern = "^=";
constexpr const char* filled_pattern = R"(\$)";  // a textual parameter stands in it

class Writer {
 public:
  std::string write() {
    Json root = {
        {"$schema", "http://json-schema.org/draft-07/schema#"},
        {"title", "thud scenario"},
        {"description", "A scenario of thud: bodies, what they meet, how they start, what is wanted."}};
    root.update(table(doc::scenario_spec()));
    root["definitions"] = definitions_;
    return root.dump(2) + "\n";
  }

 private:
  static Json bare_number(const doc::Range& range, const char* type) {
    Json out = {{"type", type}};
    // A little more than the range: its ends are rounded where they are multiples of pi.
    if (std::isfinite(range.min)) out[range.min_open ? "exclusiveMinimum" : "minimum"] = range.min;
    if (std::isfinite(range.max)) out[range.max_open ? "exclusiveMaximum" : "maximum"] = range.max;
    return out;
  }

  static Json number(const ValueSpec& v) {
    return {{"anyOf", {bare_number(v.range, "number"), {{"type", "string"}, {"pattern", quantity_pattern}}}}};
  }

  static Json choice(const ValueSpec& v) {
    if (v.all_choices().empty()) return {{"type", "string"}};
    return {{"anyOf", {{{"enum", v.all_choices()}}, {{"type", "string"}, {"pattern", filled_pattern}}}}};
  }

  Json reference(const TableSpec& spec) {
    if (!definitions_.contains(spec.name)) {
      definitions_[spec.name] = nullptr;  // shapes hold shapes
      definitions_[spec.name] = table(spec);
    }
    return {{"$ref", "#/definitions/" + spec.name}};
  }

  Json value(const ValueSpec& v) {
    const Json text = {{"type", "string"}};
    switch (v.form) {
      case Form::number: return number(v);
      case Form::whole: {
        Json bare = bare_number(v.range, "number");
        bare["multipleOf"] = 1;
        return {{"anyOf", {bare, {{"type", "string"}, {"pattern", formula_pattern}}}}};
      }
      case Form::flag: return {{"type", "boolean"}};
      case Form::text: return text;
      case Form::choice: return choice(v);
      case Form::texts: return {{"anyOf", {text, {{"type", "array"}, {"items", text}}}}};
      case Form::formula: return number(v);
      case Form::pair: return {{"type", "array"}, {"items", number(v)}, {"minItems", 2}, {"maxItems", 2}};
      case Form::pairs:
        return {{"type", "array"},
                {"items", {{"type", "array"}, {"items", number(v)}, {"minItems", 2}, {"maxItems", 2}}}};
      case Form::numbers: return {{"type", "array"}, {"items", number(v)}};
      case Form::table: return reference(v.table());
      case Form::tables: {
        const Json one = reference(v.table());
        return {{"anyOf", {{{"type", "array"}, {"items", one}}, one}}};
      }
    }
    return {};
  }

  Json key(const KeySpec& spec) {
    Json out = {
        {"description", spec.about + (spec.is_required() ? "" : " (default: " + spec.fallback + ")")}};
    if (spec.values.size() == 1) {
      // Beside a $ref nothing else counts in draft 7.
      Json only = value(spec.values.front());
      if (only.contains("$ref"))
        out["allOf"] = Json::array({only});
      else
        out.update(only);
      return out;
    }
    // Beside a number that has its own range, a formula is an expression and no more.
    for (const ValueSpec& v : spec.values)
      out["anyOf"].push_back(v.form == Form::formula ? Json{{"type", "string"}, {"pattern", formula_pattern}}
                                                     : value(v));
    return out;
  }

  // {"a", "b"}: one of them must be there, both must not.
  static void add_groups(const TableSpec& spec, Json& out) {
    for (const auto& group : spec.exactly_one) {
      Json any = Json::array();
      for (const std::string& name : group) any.push_back({{"required", {name}}});
      out["allOf"].push_back({{"oneOf", any}});
    }
    for (const auto& group : spec.at_most_one) out["allOf"].push_back({{"not", {{"required", group}}}});
  }

  Json table(const TableSpec& spec) {
    Json out = {{"type", "object"}};
    if (spec.name != "scenario") out["description"] = spec.about;
    Json& properties = out["properties"] = Json::object();
    Json required = Json::array();
    const auto add = [&](const KeySpec& k) {
      properties[k.name] = key(k);
      if (k.is_required()) required.push_back(k.name);
    };
    for (const KeySpec& k : spec.keys) add(k);
    if (spec.more)
      for (const KeySpec& k : spec.more()) add(k);
    if (!required.empty()) out["required"] = required;
    if (spec.variants.empty()) out["additionalProperties"] = spec.each ? key(*spec.each) : Json(false);
    for (const TableSpec& v : spec.variants) {
      definitions_[spec.name + "_" + v.name] = table(v);
      out["allOf"].push_back(
          {{"if", {{"properties", {{"kind", {{"const", v.name}}}}}, {"required", {"kind"}}}},
           {"then", {{"$ref", "#/definitions/" + spec.name + "_" + v.name}}}});
    }
    add_groups(spec, out);
    return out;
  }

  Json definitions_ = Json::object();
};

}  // namespace

std::string make_scenario_schema() { return Writer().write(); }

}  // namespace thud
