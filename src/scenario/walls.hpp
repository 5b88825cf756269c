#pragma once

#include <string>

#include "scenario/bodies.hpp"
#include "scenario/reader.hpp"

namespace thud::doc {

/// The name of a [[wall]], given or by its number.
[[nodiscard]] std::string wall_name(const Table& wall, std::size_t number);

/// Where it is, or is at the start.
template <class P>
[[nodiscard]] PlaneOf<P> wall_plane(const Table& wall);

/// Adds the body that carries every [[wall]] with a motion of its own: it slides along the normal out of the wall, or along
/// the surface, and has no weight.
template <class P>
void add_wall_carriers(const Table& root, std::vector<BodyDataOf<P>>& bodies);

/// Whether a [[wall]] has a motion of its own.
[[nodiscard]] bool moves_wall(const Table& wall);

}  // namespace thud::doc
