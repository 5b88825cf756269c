#include "scenario/schema.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace thud::doc {

std::optional<std::string> KeySpec::default_value() const {
  double number = 0;
  const char* end = fallback.data() + fallback.size();
  if (std::from_chars(fallback.data(), end, number).ptr == end && !fallback.empty()) return show(number);
  for (const ValueSpec& value : values) {
    const std::vector<std::string> choices = value.all_choices();
    if (std::find(choices.begin(), choices.end(), fallback) != choices.end()) return fallback;
    if (value.form == Form::flag && (fallback == "true" || fallback == "false")) return fallback;
    if (value.form != Form::number) continue;
    try {
      return show(parse_quantity(fallback, value.dimension));
    } catch (const std::invalid_argument&) {
    }
  }
  return std::nullopt;
}

const KeySpec* TableSpec::find(std::string_view key) const {
  const auto in = [&](const std::vector<KeySpec>& list) -> const KeySpec* {
    for (const KeySpec& spec : list)
      if (spec.name == key) return &spec;
    return nullptr;
  };
  if (const KeySpec* found = in(keys)) return found;
  if (more)
    if (const KeySpec* found = in(more())) return found;
  return each ? &*each : nullptr;
}

const TableSpec* TableSpec::variant(std::string_view kind) const {
  for (const TableSpec& spec : variants)
    if (spec.name == kind) return &spec;
  return nullptr;
}

}  // namespace thud::doc
