#pragma once

#include <string>

namespace thud {

/// The JSON Schema (draft 7) of scenario files, for editors that complete and check TOML with one.
///
/// Like the reference below it is made of the description that the reader of scenarios is held to. What hangs on
/// values, such as units and names of bodies, is for load_scenario alone to check.
[[nodiscard]] std::string make_scenario_schema();

/// The reference of scenario files as a page of Markdown: tables, keys, laws, rules and quantities.
[[nodiscard]] std::string make_scenario_reference();

}  // namespace thud
