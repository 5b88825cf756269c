#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thud/scenario/run.hpp"

namespace thud {

/// "auto", "dop853", …, in the order of Method.
[[nodiscard]] const std::vector<std::string>& method_names();
[[nodiscard]] std::optional<Method> find_method(std::string_view name);

// What may be asked of a run. Each throws InputError with `place`, such as "--tolerance 5".

[[nodiscard]] Method read_method(const std::string& name, const std::string& place);
/// A time limit, a step or an interval [s]: above 0.
[[nodiscard]] double checked_duration(double seconds, const std::string& place);
[[nodiscard]] double checked_tolerance(double tolerance, const std::string& place);
/// Only methods with a fixed step have one; `how` says how to choose them.
void check_step(const RunRequest& request, const Scenario& scenario, const std::string& place,
                const std::string& how);

}  // namespace thud
