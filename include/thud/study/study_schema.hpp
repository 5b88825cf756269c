#pragma once

#include <string>

namespace thud {

/// The JSON Schema (draft 7) of study files. What depends on the scenario, such as names of knobs, is for the program to check.
[[nodiscard]] std::string make_study_schema();

}  // namespace thud
