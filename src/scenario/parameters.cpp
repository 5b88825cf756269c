#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace thud::doc {
namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) quoted.push_back("\"" + name + "\"");
  return one_of(quoted);
}

std::string show_in_unit(double si, const std::string& unit) {
  return unit.empty() ? show(si) : show(from_si(si, unit)) + " " + unit;
}

std::string show_range(const Parameter& knob) {
  const auto bound = [&](double x) { return knob.unit.empty() ? x : from_si(x, knob.unit); };
  return Range::between(bound(knob.range->min), bound(knob.range->max)).describe(knob.unit);
}

// Conversions may end an ulp outside: 40 deg is as good as a bound of 40 deg.
bool within(double value, const Interval& range) {
  // Rounding of a conversion of units, no more; each end by its own size.
  return value >= range.min - 1e-12 * std::abs(range.min) && value <= range.max + 1e-12 * std::abs(range.max);
}

void check_name(const Table& table, const std::string& name, const Parameters& so_far) {
  const Place at = table.place_of_key(name);
  if (!is_identifier(name))
    throw InputError(at, fmt::format("\"{}\" cannot be the name of a parameter; use letters, "
                                     "digits and underscores, a letter first",
                                     name));
  const auto& reserved = reserved_names();
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end())
    throw InputError(at, fmt::format("\"{}\" cannot be the name of a parameter; it already "
                                     "has a meaning in formulas",
                                     name));
  if (so_far.find(name) || so_far.symbols.find(name))
    throw InputError(at, fmt::format("\"{}\" is already a parameter", name));
}

// ---- one knob from the file -------------------------------------------------------------------

// The knob together with what its default is computed from.
struct Source {
  Table table;      // where the value stands
  std::string key;  // and under which key
  Quantity quantity;
};

void read_choices(const Table& entry, Parameter& knob) {
  knob.choices = entry.texts_or("choices");
  if (knob.choices.empty()) throw entry.error("choices", "must name at least one text");
  for (const char* key : {"range", "unit", "integer"})
    if (entry.has(key)) throw entry.error(key, "does not go with choices: the parameter is a text");
  knob.default_text = knob.text_value = entry.choice("value", knob.choices);
}

Dimension declared_dimension(const Table& entry, const std::string& key, const std::string& unit) {
  try {
    return unit.empty() ? Dimension::any : dimension_of(unit);
  } catch (const std::invalid_argument& e) {
    throw entry.error(key, e.what());
  }
}

// Without a declared unit, a quantity such as "32 deg" declares its own.
void take_unit_from_value(const Table& entry, const std::string& key, Parameter& knob) {
  if (entry.kind_of(key) != ValueKind::text) return;
  const std::string text = entry.raw_text(key);
  if (text.starts_with('=')) return;
  std::optional<std::string_view> unit;
  try {
    unit = unit_of(text);
  } catch (const std::invalid_argument& e) {
    throw entry.error(key, e.what());
  }
  if (!unit)
    throw entry.error(key, fmt::format("{} is neither a number with a unit nor a formula "
                                       "(\"=...\"); a textual parameter needs choices = [...]",
                                       entry.written(key)));
  knob.unit = std::string(*unit);
  knob.dimension = declared_dimension(entry, key, knob.unit);
}

void check_whole(const Parameter& knob, double value, const Place& at, const std::string& written) {
  if (knob.integer && std::abs(value - std::round(value)) > 1e-9)
    throw InputError(at,
                     fmt::format("parameter \"{}\" must be a whole number; it is {}", knob.name, written));
}

void check_in_range(const Parameter& knob, double value, const Place& at, const std::string& written) {
  if (!knob.range || within(value, *knob.range)) return;
  const std::string shown = show_in_unit(value, knob.unit);
  throw InputError(at, fmt::format("parameter \"{}\" must be {}; it is {}{}", knob.name, show_range(knob),
                                   written, written == shown ? "" : ", that is " + shown));
}

void read_range(const Table& entry, const Quantity& quantity, Parameter& knob) {
  const auto range = entry.pair("range", quantity);
  if (!range) return;
  if ((*range)[0] > (*range)[1])
    throw entry.error("range", fmt::format("the lower bound comes first: {}", entry.written("range")));
  knob.range = Interval{(*range)[0], (*range)[1]};
}

void set_from_file(const Source& source, const SymbolTable& defaults, const SymbolTable& symbols,
                   Parameter& knob) {
  const auto& [table, key, quantity] = source;
  knob.default_value = table.seen_with(defaults).number(key, quantity);
  const Reading now = table.seen_with(symbols).number(key, quantity);
  knob.value = now.value;
  knob.rate = now.rate;  // where it follows another
  if (knob.integer) {
    check_whole(knob, knob.default_value, table.place_of(key), table.written(key));
    check_whole(knob, knob.value, table.place_of(key), table.written(key));
    knob.default_value = std::round(knob.default_value);
    knob.value = std::round(knob.value);
  }
  check_in_range(knob, knob.default_value, table.place_of(key), table.written(key));
}

Parameter read_full(const Table& entry, const std::string& name, const SymbolTable& defaults,
                    const SymbolTable& symbols) {
  Parameter knob;
  knob.name = name;
  knob.place = entry.place();
  if (entry.has("about")) knob.about = entry.raw_text("about");
  if (entry.has("choices")) {
    read_choices(entry, knob);
    entry.finish();
    return knob;
  }
  knob.integer = entry.flag_or("integer", false);
  const bool has_unit = entry.has("unit");
  if (has_unit) {
    knob.unit = entry.raw_text("unit");
    knob.dimension = declared_dimension(entry, "unit", knob.unit);
  } else {
    take_unit_from_value(entry, "value", knob);
  }
  // A bare number counts in a unit only where that unit was declared for it.
  if (has_unit) knob.bare_unit = knob.unit;
  const Quantity quantity{knob.dimension, {}, knob.bare_unit};
  read_range(entry.seen_with(symbols), quantity, knob);
  set_from_file({entry, "value", quantity}, defaults, symbols, knob);
  entry.finish();
  return knob;
}

Parameter read_short(const Table& table, const std::string& name, const SymbolTable& defaults,
                     const SymbolTable& symbols) {
  Parameter knob;
  knob.name = name;
  knob.place = table.place_of(name);
  take_unit_from_value(table, name, knob);
  set_from_file({table, name, Quantity{knob.dimension}}, defaults, symbols, knob);
  return knob;
}

// ---- overrides ----------------------------------------------------------------------------------

// A plain number in SI, or a quantity.
double parse_override(const Parameter& knob, const std::string& text, const Place& at) {
  const char* end = text.data() + text.size();
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0.0;
  const auto [rest, status] = std::from_chars(begin, end, value);
  if (rest == end && begin != end && status == std::errc{}) {
    if (!std::isfinite(value))
      throw InputError(at, fmt::format("parameter \"{}\" must be a finite number", knob.name));
    return value;
  }
  try {
    if (knob.dimension == Dimension::any && !knob.unit.empty()) return parse_quantity_like(text, knob.unit);
    return parse_quantity(text, knob.dimension);
  } catch (const std::invalid_argument& e) {
    throw InputError(at, fmt::format("parameter \"{}\": {}", knob.name, e.what()));
  }
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The likeliest slip with a value out of range: a bare number meant in the knob's unit.
std::string unit_hint(const Parameter& knob, const std::string& text) {
  const std::string si = si_unit(knob.dimension);
  if (knob.unit.empty() || knob.unit == si || !unit_of(text).value_or("").empty()) return {};
  return fmt::format(" (a bare number is in {}; did you mean \"{} {}\"?)", si.empty() ? "SI units" : si, text,
                     knob.unit);
}

void apply_override(const std::string& given, Parameter& knob) {
  const Place at{fmt::format("--set {}={}", knob.name, given), 0, 0};
  const std::string text = trimmed(given);
  knob.overridden = true;
  knob.rate = 0;
  if (knob.is_text()) {
    if (std::find(knob.choices.begin(), knob.choices.end(), text) == knob.choices.end())
      throw InputError(at, fmt::format("parameter \"{}\" must be {}{}", knob.name, quoted_list(knob.choices),
                                       did_you_mean(text, knob.choices)));
    knob.text_value = text;
    return;
  }
  const double value = parse_override(knob, text, at);
  if (std::abs(value) > largest_number)
    throw InputError(at, fmt::format("parameter \"{}\" must not be larger than {}; it is {}", knob.name,
                                     show(largest_number), text));
  check_whole(knob, value, at, text);
  knob.value = knob.integer ? std::round(value) : value;
  try {
    check_in_range(knob, knob.value, at, text);
  } catch (const InputError& e) {
    throw InputError(at, e.message() + unit_hint(knob, text));
  }
}

void check_override_names(const Parameters& parameters, const std::vector<std::string>& defined,
                          const Overrides& overrides) {
  const std::vector<std::string> known = parameters.names();
  for (const auto& [name, text] : overrides) {
    if (parameters.find(name)) continue;
    const Place at{fmt::format("--set {}={}", name, text), 0, 0};
    if (std::find(defined.begin(), defined.end(), name) != defined.end())
      throw InputError(at, fmt::format("\"{}\" is derived ([define]) and cannot be set", name));
    if (known.empty()) throw InputError(at, fmt::format("no parameter \"{}\": this scenario has none", name));
    throw InputError(at, fmt::format("no parameter \"{}\"{} (parameters: {})", name,
                                     did_you_mean(name, known), fmt::join(known, ", ")));
  }
}

const std::string* override_for(const std::string& name, const Overrides& overrides) {
  // The last one wins, as on any command line.
  for (auto it = overrides.rbegin(); it != overrides.rend(); ++it)
    if (it->first == name) return &it->second;
  return nullptr;
}

void read_knobs(const Table& table, const Overrides& overrides, const std::string& along,
                Parameters& result) {
  SymbolTable defaults;
  for (const std::string& name : table.keys()) {
    check_name(table, name, result);
    const bool full = table.kind_of(name) == ValueKind::table;
    Parameter knob = full ? read_full(table.table(name), name, defaults, result.symbols)
                          : read_short(table, name, defaults, result.symbols);
    if (const std::string* text = override_for(name, overrides))
      apply_override(*text, knob);
    else
      check_in_range(knob, knob.value, knob.place, show_in_unit(knob.value, knob.unit));
    if (knob.is_text()) {
      result.symbols.set_text(name, knob.text_value);
    } else {
      defaults.set(name, knob.default_value);
      if (name == along) knob.rate = 1;
      result.symbols.set(name, Reading{knob.value, knob.rate});
    }
    result.list.push_back(std::move(knob));
  }
}

void read_definitions(const Table& table, Parameters& result) {
  for (const std::string& name : table.keys()) {
    check_name(table, name, result);
    const Reading value = table.seen_with(result.symbols).number(name, Dimension::any);
    result.symbols.set(name, value);
  }
}

}  // namespace

const Parameter* Parameters::find(std::string_view name) const {
  for (const Parameter& parameter : list)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> result;
  for (const Parameter& parameter : list) result.push_back(parameter.name);
  return result;
}

Parameters read_parameters(const Document& document, const Overrides& overrides, const std::string& along) {
  Parameters result;
  result.symbols.set_files(document.files());
  const Table root = document.root(&scenario_spec());
  const auto knobs = root.table_or_none("parameters");
  const auto definitions = root.table_or_none("define");
  if (knobs) read_knobs(*knobs, overrides, along, result);
  check_override_names(result, definitions ? definitions->keys() : std::vector<std::string>{}, overrides);
  if (definitions) read_definitions(*definitions, result);
  return result;
}

std::string substitute(std::string_view text, const Parameters& parameters) {
  return substitute(text, parameters.symbols);
}

}  // namespace thud::doc
