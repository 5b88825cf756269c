#pragma once

#include <vector>

#include "lanes/kernel.hpp"
#include "step/tableau.hpp"

namespace thud::lanes {

using Pair = tableau::Dop853;

/// The rows of its tableau, by the stage that they lead to.
const std::vector<Term>& stage_terms(int stage);
/// Of its error estimates, of order 5 or 3.
const std::vector<Term>& error_terms(bool of_order_5);
/// Of its continuous extension, beyond the cubic.
const std::vector<Term>& dense_terms(int term);

}  // namespace thud::lanes
