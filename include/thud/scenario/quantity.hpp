#pragma once

#include <string>
#include <string_view>

namespace thud {

/// Reads "2 ms" or "0.002" as a value in SI. `unit` is an SI unit that says what is measured ("s", "rad", "N m"; ""
/// for a plain number); a bare number counts in it. Throws InputError with `option` as its place.
[[nodiscard]] double read_quantity(std::string_view text, std::string_view unit, const std::string& option);

/// A value in SI expressed in a unit that a scenario declared, such as radians in "deg".
[[nodiscard]] double in_unit(double value, const std::string& unit);

/// The SI unit of what `unit` measures: "rad" for "deg"; "" for plain numbers, `unit` itself for kinds unknown to us.
[[nodiscard]] std::string si_unit_of(const std::string& unit);

}  // namespace thud
