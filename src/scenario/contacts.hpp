#pragma once

#include <vector>

#include "scenario/assembly.hpp"
#include "scenario/bodies.hpp"
#include "scenario/reader.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud::doc {

/// Reads [contact], every [[wall]] and every [[pair]] into the system. Features that touch something become points of
/// the scenario as well. `points`: the entries of [points], which can be touched too.
template <class P>
void read_contacts(const Table& root, const std::vector<BodyDataOf<P>>& bodies,
                   const std::vector<FeatureOf<P>>& points, const AssemblyOf<P>& into);

/// Refuses a start in which rigid things are inside each other.
void check_start(const Table& root, const Scenario& scenario);

}  // namespace thud::doc
