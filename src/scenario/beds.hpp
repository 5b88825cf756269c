#pragma once

#include <string>
#include <vector>

#include "scenario/reader.hpp"
#include "thud/granular/laws.hpp"
#include "thud/scenario/own_parts.hpp"

namespace thud::doc {

template <class P>
struct BedDataOf {
  BedOf<P> bed;
  std::vector<std::string> bodies;  ///< which bodies feel it; empty: all
  Place place;
};

/// How a coefficient of a law is read.
[[nodiscard]] Quantity quantity_of(const Coefficient& coefficient);

/// Reads [bed] or every [[bed]]; laws of the user's own take the places of those of their beds.
template <class P>
[[nodiscard]] std::vector<BedDataOf<P>> read_beds(const Table& root,
                                                  const std::vector<std::string>& body_names,
                                                  const OwnParts& own = {});

}  // namespace thud::doc
