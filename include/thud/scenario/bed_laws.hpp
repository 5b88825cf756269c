#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thud/granular/own_law.hpp"

namespace thud {

/// Laws of the user's own in the place of those of a scenario's file, by the names of their beds. The coefficients that
/// the file gives belong to its own law, and go with it.
using BedLaws = std::vector<std::pair<std::string, OwnLaw>>;

}  // namespace thud
