#pragma once

#include "reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thud::doc {

struct Interval {
  double min = 0.0;
  double max = 0.0;
};

/// A knob of a scenario: a number (in SI units) or, when it has choices, a text.
struct Parameter {
  std::string name;
  double value = 0.0;
  double default_value = 0.0;  ///< what the file alone gives
  std::string unit;            ///< as the file declares it; for showing, values are in SI
  std::string bare_unit;       ///< in which bare numbers count; empty: SI
  Dimension dimension = Dimension::any;
  std::optional<Interval> range;  ///< in SI units
  std::string about;
  bool integer = false;
  std::vector<std::string> choices;
  std::string text_value;
  std::string default_text;
  Place place;
  bool overridden = false;
  double rate = 0;  ///< by the knob that derivatives are taken by

  [[nodiscard]] bool is_text() const { return !choices.empty(); }
};

struct Parameters {
  std::vector<Parameter> list;  ///< in file order
  SymbolTable symbols;          ///< knobs and [define]d constants; textual knobs as texts

  [[nodiscard]] const Parameter* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
};

using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Reads [parameters] and [define] and applies overrides ("--set name=value").
///
///   [parameters]
///   drop   = { value = "0.2 m", unit = "mm", range = [10, 500], about = "height of fall" }
///   speed  = { value = 3, unit = "m/s" }      # with a unit, bare numbers count in that unit
///   tilt   = "32 deg"                         # short for { value = "32 deg", unit = "deg" }
///   links  = { value = 4, integer = true, range = [1, 20] }
///   sand   = { value = "fine", choices = ["fine", "coarse"] }     # used as "$sand"
///
///   [define]
///   half = "=drop/2"                          # derived, in file order; cannot be overridden
///
/// A bare number in an override is always in SI units (radians, metres, ...), whatever unit the
/// knob declares; "40 deg" or "40deg" says otherwise. Throws InputError.
/// `along`: the knob that derivatives are taken by, if any.
[[nodiscard]] Parameters read_parameters(const Document& document, const Overrides& overrides = {},
                                         const std::string& along = {});

/// Replaces $name by the value of a textual knob; see substitute in expression.hpp.
[[nodiscard]] std::string substitute(std::string_view text, const Parameters& parameters);

}  // namespace thud::doc
