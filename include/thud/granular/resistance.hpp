#pragma once

#include "thud/granular/immersion.hpp"

namespace thud {

/// What a resistance law gives for an immersed part that moves with v_E:
/// a drag force −drag · v_E, the bounds of the static force along the surface's normal (plunging, withdrawing)
/// and along the surface (shear), and a moment −(spin_linear + spin_square|ω|) ω on a wholly immersed part.
template <class T>
struct Resistance {
  T drag{};         ///< [N s/m]
  T plunge{};       ///< [N]
  T withdraw{};     ///< [N]
  T shear{};        ///< [N]
  T spin_linear{};  ///< [N m s/rad]
  T spin_square{};  ///< [N m s²/rad²]
  T spin_bound{};   ///< bound of the static moment, filled by the system [N m]
};

/// What a law may use. P: scalar of the parameters.
template <class T, class P = double>
struct Flow {
  const Immersed<T>* immersed;
  const PartOf<P>* part;
  P inverse_width{};        ///< 1/part->width, kept ready [1/m]
  T area_speed{};           ///< A_r |v_E|, with the area rule of the bed [m³/s]
  T speed{};                ///< |v_E|, filled when the law asks for it (`needs_speed`) [m/s]
  P mass{};                 ///< of the body [kg]
  P gravity{};              ///< magnitude of gravity [m/s²]
  bool plunging = true;     ///< the plunging bound is wanted
  bool withdrawing = true;  ///< the withdrawing bound is wanted
  T cross{};                ///< u × v_E, across the axis; filled for laws of the user's own [m/s]
  T along{};                ///< u · v_E, along the axis; likewise [m/s]
  T normal_rate{};          ///< v_E · n, positive into the bed; likewise [m/s]
  T shear_rate{};           ///< v_E · t, along the surface; likewise [m/s]
};

}  // namespace thud
