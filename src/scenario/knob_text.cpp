#include "thud/scenario/knob_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "thud/scenario/quantity.hpp"

namespace thud {

std::string show_knob(const Knob& knob, double value, const TextStyle& style) {
  const std::string number = show_number(in_unit(value, knob.unit));
  const std::string unit = style.unit(knob.unit);
  return number + (unit.empty() || unit == "°" ? "" : " ") + unit;
}

std::string show_knob(const Knob& knob, const TextStyle& style) {
  return knob.choices.empty() ? show_knob(knob, knob.value, style) : knob.text;
}

std::string show_knob_range(const Knob& knob, const TextStyle& style) {
  std::string out;
  for (const std::string& c : knob.choices) out += (out.empty() ? "" : ", ") + c;
  if (!knob.choices.empty() || !knob.range) return out;
  return show_number(in_unit(knob.range->first, knob.unit)) + " to "
       + show_knob(knob, knob.range->second, style);
}

std::string list_knobs(const Scenario& scenario, std::size_t indent, const TextStyle& style) {
  std::size_t name = 0, value = 0, range = 0;
  for (const Knob& k : scenario.knobs) {
    name = std::max(name, text_width(k.name));
    value = std::max(value, text_width(show_knob(k, style)));
    range = std::max(range, text_width(show_knob_range(k, style)));
  }
  std::string out;
  for (const Knob& k : scenario.knobs)
    out +=
        hang(fmt::format("{}{}  {}  {}  ", std::string(indent, ' '), pad_right(k.name, name),
                         pad_right(show_knob(k, style), value), pad_right(show_knob_range(k, style), range)),
             k.about, style);
  return out;
}

}  // namespace thud
