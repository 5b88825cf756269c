#pragma once

#include <string>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/granular/laws.hpp"

namespace thud::doc {

struct BedData {
  Bed bed;
  std::vector<std::string> bodies;  ///< which bodies feel it; empty: all
};

/// What a coefficient of a law measures, by its unit.
[[nodiscard]] Dimension dimension_of_coefficient(const char* unit);

/// Reads [bed] or every [[bed]].
[[nodiscard]] std::vector<BedData> read_beds(const Table& root, const std::vector<std::string>& body_names);

}  // namespace thud::doc
