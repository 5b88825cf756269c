#pragma once
// What `list`, `check` and `laws` print with --json.

#include <string>

#include "thud/scenario/scenario.hpp"

namespace thud::cli {

/// The scenarios and studies of the library, with their knobs.
[[nodiscard]] std::string make_list_json();
/// Media and resistance laws with their coefficients.
[[nodiscard]] std::string make_laws_json();
/// Bodies, beds, walls, contacts, knobs, results and stops of a scenario.
[[nodiscard]] std::string make_check_json(const Scenario& scenario);

}  // namespace thud::cli
