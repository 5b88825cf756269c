#include "thud/scenario/quantity.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <stdexcept>

#include "scenario/units.hpp"
#include "thud/base/error.hpp"

namespace thud {

double read_quantity(std::string_view text, std::string_view unit, const std::string& option) {
  const Place at{option, 0, 0};
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  double value = 0;
  const auto [rest, status] = std::from_chars(begin, end, value);
  if (begin != end && rest == end && status == std::errc{}) {
    if (!std::isfinite(value)) throw InputError(at, "must be a finite number");
    return value;
  }
  const doc::Dimension dimension = unit.empty() ? doc::Dimension::none : doc::dimension_of(unit);
  try {
    if (doc::unit_of(text)) return doc::parse_quantity(text, dimension);
  } catch (const std::invalid_argument& e) {
    throw InputError(at, e.what());
  }
  const std::string with =
      unit.empty() ? "" : fmt::format(", or a number with a unit such as \"{}\"", doc::example(dimension));
  throw InputError(at, fmt::format("\"{}\" is not a number{}", text, with));
}

double in_unit(double value, const std::string& unit) {
  return unit.empty() ? value : doc::from_si(value, unit);
}

std::string si_unit_of(const std::string& unit) {
  if (unit.empty()) return {};
  const doc::Dimension dimension = doc::dimension_of(unit);
  return dimension == doc::Dimension::any ? unit : doc::si_unit(dimension);
}

}  // namespace thud
