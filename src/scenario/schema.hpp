#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/range.hpp"
#include "scenario/units.hpp"

namespace thud::doc {

/// How the value of a key may be written.
enum class Form {
  number,   ///< 0.2, "200 mm" or "=L/2"
  whole,    ///< 3 or "=n-1"
  flag,     ///< true or false
  text,     ///< any text
  choice,   ///< one of a list of texts
  texts,    ///< a text, or an array of texts
  formula,  ///< an expression of a variable: "=2*t"
  pair,     ///< [a, b], each a number
  numbers,  ///< [a, b, ...]
  pairs,    ///< [[a, b], [c, d], ...]
  table,    ///< { ... } or [key]
  tables,   ///< [[key]], or a single [key]
};

struct TableSpec;

/// One way to write a value.
struct ValueSpec {
  Form form = Form::text;
  Dimension dimension = Dimension::none;  ///< of numbers; any: whatever the unit says
  Range range = {};
  std::vector<std::string> choices = {};
  std::vector<std::string> (*list)() = nullptr;  ///< of choices that are known elsewhere
  const TableSpec& (*table)() = nullptr;
  const char* variable = "";  ///< of formulas

  [[nodiscard]] std::vector<std::string> all_choices() const { return list ? list() : choices; }
};

/// A key: what may stand there, what it is without, and what it means.
struct KeySpec {
  std::string name;
  std::vector<ValueSpec> values;
  std::string fallback;  ///< a value as one would write it, or words; empty when required
  std::string about;

  [[nodiscard]] bool is_required() const { return fallback.empty(); }
  /// The fallback where it is a value: a number in SI as show() writes it, or one of the choices. None: it is words.
  [[nodiscard]] std::optional<std::string> default_value() const;
};

/// A table of scenario files. The reader refuses to read a key that is not described here, or not as it is described.
struct TableSpec {
  std::string name;   ///< of its definition: "body"
  std::string title;  ///< as it is written: "[[body]]"
  std::string about;
  std::vector<KeySpec> keys;
  std::optional<KeySpec> each = {};                        ///< every other key, whose names are free
  std::vector<TableSpec> variants = {};                    ///< chosen by `kind`, with their names
  const std::vector<KeySpec>& (*more)() = nullptr;         ///< keys that are known elsewhere
  std::vector<std::vector<std::string>> exactly_one = {};  ///< of each group
  std::vector<std::vector<std::string>> at_most_one = {};

  [[nodiscard]] const KeySpec* find(std::string_view key) const;
  [[nodiscard]] const TableSpec* variant(std::string_view kind) const;
};

/// The whole of a scenario file.
[[nodiscard]] const TableSpec& scenario_spec();

}  // namespace thud::doc
