#pragma once

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "thud/beam/basis.hpp"

namespace thud {

/// Both throw std::invalid_argument, naming the value and its range.
inline void check_positive(const char* name, double value) {
  if (!(std::isfinite(value) && value > 0))
    throw std::invalid_argument(fmt::format("{} {} must be positive and finite", name, value));
}
inline void check_not_negative(const char* name, double value) {
  if (!(std::isfinite(value) && value >= 0))
    throw std::invalid_argument(fmt::format("{} {} must be finite and not negative", name, value));
}

inline void check_beam(const BeamData& data) {
  check_positive("beam length [m]", data.length);
  check_positive("beam mass per length [kg/m]", data.mass_per_length);
  check_positive("beam rigidity [N m2]", data.rigidity);
  check_not_negative("tip mass [kg]", data.tip_mass);
  check_not_negative("tip inertia [kg m2]", data.tip_inertia);
}

/// Mass of the tip in units of that of the beam, and its inertia in units of ρAL³.
struct TipRatios {
  double mass = 0, inertia = 0;
};
inline TipRatios tip_ratios(const BeamData& data) {
  const double beam = data.mass_per_length * data.length;
  const TipRatios out{data.tip_mass / beam, data.tip_inertia / (beam * data.length * data.length)};
  check_not_negative("ratio of tip mass to beam mass", out.mass);
  check_not_negative("ratio of tip inertia to beam mass times length squared", out.inertia);
  return out;
}

/// +1 or −1: the factor that makes a shape positive at its tip, or its slope there if the value is but rounding.
inline double tip_sign(double value, double slope) {
  return (std::abs(value) > 1e-13 * std::abs(slope) ? value : slope) < 0 ? -1 : 1;
}

}  // namespace thud
