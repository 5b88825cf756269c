#pragma once
// Random scenarios by class and seed, as the text of files that a user could have written.

#include <cstdint>
#include <string>
#include <vector>

namespace thud::campaign {

struct ScenarioClass {
  std::string name, about;
  std::string (*make)(std::uint64_t seed);
};

/// All classes, in the order of the table.
const std::vector<ScenarioClass>& classes();

/// A file of the scenario library with its knobs turned within their ranges.
std::string make_turned(std::uint64_t seed);

}  // namespace thud::campaign
