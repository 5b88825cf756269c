#pragma once
// What `thud check` tells of a study.

#include <string>

#include "thud/base/format.hpp"
#include "thud/scenario/values.hpp"

namespace thud::cli {

/// Reads a study with the sections of all commands that run it, and tells what they would do. Throws InputError.
[[nodiscard]] std::string make_study_text(const std::string& path, const KnobSettings& set,
                                          const TextStyle& style);
[[nodiscard]] std::string make_study_json(const std::string& path, const KnobSettings& set);

}  // namespace thud::cli
