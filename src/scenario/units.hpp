#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thud::doc {

/// What a quantity measures. Angle is a dimension of its own here: "deg" and "rad" are refused
/// where a plain number is expected, and a plain ratio is refused where an angle is expected.
enum class Dimension {
  none,  ///< a plain number
  any,   ///< whatever the unit says
  length,
  mass,
  time,
  angle,
  angular_rate,  ///< rad/s; 1/s is accepted, Hz is not (it would be wrong by 2π)
  speed,
  acceleration,
  density,
  force,
  torque,
  inertia,
  stiffness,             ///< N/m
  rotational_stiffness,  ///< N m/rad, or N m
  damping_torque,        ///< N m s/rad, or N m s
  damping_force,         ///< N s/m
  quadratic_drag,        ///< N s²/m²
  area,
  volume,
  energy,
  frequency,
  pressure,           ///< Pa: a modulus of elasticity
  flexural_rigidity,  ///< E I, N m²
  force_density,      ///< N/m³: resistance per volume
};

/// The unit in which thud computes: "m", "kg", "rad/s", ...; "" for none and any.
[[nodiscard]] const char* si_unit(Dimension dimension);

/// "length", "angular rate", "plain number", ...
[[nodiscard]] const char* name(Dimension dimension);

/// "a length", "an angle", ...
[[nodiscard]] std::string with_article(Dimension dimension);

/// A quantity of this dimension as one would write it in a file: "200 mm", "30 deg", "0.5".
[[nodiscard]] const char* example(Dimension dimension);

/// The value in SI units. Throws std::invalid_argument, with a message fit to print, when the
/// unit is unknown or measures something else, or when the value is not finite.
[[nodiscard]] double to_si(double value, std::string_view unit, Dimension expected);

/// The inverse of to_si, for messages in the user's own unit.
[[nodiscard]] double from_si(double in_si, std::string_view unit);

/// Reads a number followed by a unit, "32 deg" or "32deg"; the result is in SI units.
/// Throws std::invalid_argument like to_si, also when the unit is missing.
[[nodiscard]] double parse_quantity(std::string_view text, Dimension expected);

/// As above, where the dimension is known only as that of another unit.
[[nodiscard]] double parse_quantity_like(std::string_view text, std::string_view model_unit);

/// The unit part of a quantity, "deg" of "32 deg" and "" of "32"; none when the text does not
/// begin with a number.
[[nodiscard]] std::optional<std::string_view> unit_of(std::string_view text);

/// What a unit measures, as well as can be told: Dimension::any when it is none of ours.
/// Throws std::invalid_argument when the unit is unknown.
[[nodiscard]] Dimension dimension_of(std::string_view unit);

/// A number as short as it can be written in six digits: "0.5", "1e+06".
[[nodiscard]] std::string show(double value);

}  // namespace thud::doc
