#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thud::doc {

/// A unit as powers of metre, kilogram, second and radian.
struct UnitPowers {
  int metre = 0, kilogram = 0, second = 0, radian = 0;

  bool operator==(const UnitPowers&) const = default;
};

/// Of a unit such as "N m"; none for what is no unit of mechanics.
[[nodiscard]] std::optional<UnitPowers> powers_of(std::string_view unit);

/// The SI unit with these powers, as observables write theirs: "N s", "m/s2", "kg m2/s".
[[nodiscard]] std::string unit_with(const UnitPowers& powers);

}  // namespace thud::doc
