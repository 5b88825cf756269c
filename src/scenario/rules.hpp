#pragma once

#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// One way to write a result, for messages and for the reference.
struct ResultForm {
  const char* form;     ///< "time when CONDITION"
  const char* example;  ///< "time when link.tip.vz falls through 0"
  const char* about;
  bool of_impacts;
};
[[nodiscard]] const std::vector<ResultForm>& result_forms();

/// The verbs of conditions.
[[nodiscard]] const std::vector<std::string>& condition_verbs();

/// "foot.depth rises through 0"; or "foot.depth is above 0", which holds where it is so already (`at_once`).
[[nodiscard]] Condition read_condition(const Table& table, const char* key, const Scenario& scenario,
                                       bool& at_once);

/// Reads [stop] and [results] into the scenario's conditions, results and options.
///
///   [stop]                                           [results]
///   when = "link.tip.vz falls through 0"             t_z = "time when link.tip.vz falls through 0"
///   when = "rest" | "results" | [several]            z_T = "link.tip.depth at t_z"
///   time = "2 s"                                     peak = "max link.resistance.size"
void read_rules(const Table& root, Scenario& scenario);

}  // namespace thud::doc
