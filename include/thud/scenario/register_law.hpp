#pragma once

#include "thud/granular/own_law.hpp"
#include "thud/math/dual_math.hpp"

namespace thud {

/// Lets scenario files say law = "name" in [bed], with the coefficients of the law as further keys, as for the laws of
/// thud. An own law that was registered under this name before is replaced, for files that are read from now on.
/// Throws std::invalid_argument for the name of a law of thud, for a coefficient whose key [bed] has already, for a unit
/// that is unknown or not SI, and for a coefficient that starts outside of what it may be.
void register_law(const OwnLaw& law);

}  // namespace thud
