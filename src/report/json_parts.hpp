#pragma once
// What the JSON documents have in common.

#include <nlohmann/json.hpp>

#include "thud/scenario/scenario.hpp"

namespace thud::json_parts {

using Json = nlohmann::ordered_json;

/// null for what is not finite.
Json number(double x);
/// The document, ending in a line break.
std::string text_of(const Json& json);
/// {name, title, file, knobs}.
Json scenario_json(const Scenario& scenario);

}  // namespace thud::json_parts
