#pragma once
// Layers and bottoms of beds as what sums over outlines are cut to.

#include "thud/granular/facets.hpp"
#include "thud/granular/laws.hpp"

namespace thud {

/// What an entry of a bed is felt by: of a facet these ends are below its level.
template <class T, class P>
Below<T> below_entry(const BedOf<P>& bed, BedEntry entry, bool a, bool b) {
  Below<T> out{T(entry.level(bed)), a, b};
  if (entry.rises) {
    out.rises = true;
    out.rise = T(bed.rise), out.from = T(bed.rise_start()), out.range = T(bed.rise_range);
  }
  return out;
}

}  // namespace thud
