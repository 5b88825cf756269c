#pragma once

#include "thud/granular/laws.hpp"

namespace thud {

/// A law whose coefficients are dual numbers, of which none changes yet.
[[nodiscard]] LawOf<Dual<double>> with_rates(const Law& law);

/// Lets a coefficient change, by its number among those of the law's card. False for laws of the user's own, whose
/// coefficients are plain numbers.
[[nodiscard]] bool set_rate(LawOf<Dual<double>>& law, std::size_t coefficient, double rate);

}  // namespace thud
