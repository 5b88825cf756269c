#pragma once

#include "scenario/assembly.hpp"
#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Reads the tables of all elements that have one of their own ([[spring]], [[force]], ...) into the system. The named
/// points of the scenario must be known.
template <class P>
void read_elements(const Table& root, const AssemblyOf<P>& into);

/// Their keys in the root of a scenario file, for the schema and the reference.
[[nodiscard]] std::vector<KeySpec> element_keys();

}  // namespace thud::doc
