#pragma once
// What the JSON documents have in common.

#include <nlohmann/json.hpp>

#include <limits>

#include "thud/scenario/scenario.hpp"

namespace thud::json_parts {

using Json = nlohmann::ordered_json;

/// null for what is not finite.
Json number(double x);
/// The document, ending in a line break.
std::string text_of(const Json& json);
/// {name, title, file, knobs}.
Json scenario_json(const Scenario& scenario);
/// The first `most` events of a run.
Json events_json(const Scenario& scenario, const Outcome& outcome,
                 std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace thud::json_parts
