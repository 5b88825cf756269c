#pragma once

#include "thud/math/timing.hpp"

namespace thud {

/// Whether an expression of time alone surely has one value all the way.
template <class P>
[[nodiscard]] bool is_constant(const FormulaOf<P>& formula, double from, double to);

}  // namespace thud
