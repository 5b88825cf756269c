#pragma once

#include <string>

#include "thud/scenario/run.hpp"

namespace thud {

/// One JSON document that holds everything about a run but its trajectory; numbers in SI units.
///
/// Apart from stats.wall_time the same run gives the same bytes. A number that does not exist, such as a result whose
/// instant was never reached, is null.
[[nodiscard]] std::string make_run_json(const Scenario& scenario, const RunResult& run);

/// The knobs of a scenario: [{name, value, default, unit, shown_in, range, choices, about}].
[[nodiscard]] std::string make_knobs_json(const Scenario& scenario);

/// Its observables: [{name, unit, about}].
[[nodiscard]] std::string make_observables_json(const Scenario& scenario);

/// Why a run ended, as a word for machines: "condition", "results", "rest", "time limit", "bottom", "cancelled",
/// "failed".
[[nodiscard]] const char* stop_word(StopReason reason);

}  // namespace thud
