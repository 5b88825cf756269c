#pragma once

#include "thud/beam/basis.hpp"

namespace thud {

/// The bases of basis.hpp with their derivatives, by what the data changes with.
///
/// Shapes in units of the length depend on the ratios of the tip to the beam alone, so that without a tip everything
/// scales. Where the ratios change, those of clamped elements follow by perturbation: with Kφ_k = ω_k² M φ_k and all
/// shapes of the elements known,
///
///   dφ_k = −½ (φ_kᵀ dM φ_k) φ_k + Σ_l≠k ω_k²/(ω_l² − ω_k²) (φ_lᵀ dM φ_k) φ_l
///
/// Other bases throw std::invalid_argument there.
[[nodiscard]] BeamBasisOf<Dual<double>> make_mode_basis(Support support, const BeamDataOf<Dual<double>>& data,
                                                        int count);
[[nodiscard]] BeamBasisOf<Dual<double>> make_element_basis(Support support,
                                                           const BeamDataOf<Dual<double>>& data, int elements,
                                                           int count = 0);

}  // namespace thud
