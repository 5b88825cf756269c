#include "thud/scenario/register_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "scenario/schema.hpp"
#include "scenario/units.hpp"
#include "thud/granular/laws.hpp"

namespace thud {

namespace {

// Whether [bed] says something else by this key, beside the coefficients of its law.
bool is_taken(const std::string& key) {
  const std::vector<doc::KeySpec>& keys = doc::scenario_spec().find("bed")->values.front().table().keys;
  return std::any_of(keys.begin(), keys.end(), [&](const doc::KeySpec& k) { return k.name == key; });
}

// What is wrong with a coefficient; empty: nothing.
std::string fault_of(const Coefficient& c, double value) {
  if (is_taken(c.key)) return "[bed] has a key of that name already";
  try {
    if (!c.unit.empty() && doc::to_si(1, c.unit, doc::Dimension::any) != 1)
      return fmt::format("its unit \"{}\" is not SI", c.unit);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  if (!std::isfinite(value) || (c.positive ? value <= 0 : value < 0))
    return fmt::format("it starts at {}, and must be {} 0", value, c.positive ? "above" : "at least");
  return {};
}

}  // namespace

void register_law(const OwnLaw& law) {
  for (const LawEntry* e : law_table())
    if (e->card.name == law.name() && !std::holds_alternative<OwnLaw>(e->prototype))
      throw std::invalid_argument(
          fmt::format("\"{}\" is a law of thud; give your own another name", law.name()));
  for (const Coefficient& c : law.card().coefficients)
    if (const std::string fault = fault_of(c, c.get(law)); !fault.empty())
      throw std::invalid_argument(
          fmt::format("law \"{}\", coefficient \"{}\": {}", law.name(), c.key, fault));
  detail::add_to_law_table(law);
}

}  // namespace thud
