#pragma once

#include "import/xml.hpp"

namespace thud::imports {

/// Reads <robot>. Throws InputError.
SpatialModel read_urdf(const XmlFile& file, const ImportOptions& options);
/// Reads <mujoco>. Throws InputError.
SpatialModel read_mjcf(const XmlFile& file);

}  // namespace thud::imports
