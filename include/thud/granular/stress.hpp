#pragma once
// Laws that give a stress on every element of a surface: resistive force theory. Vectors are written in the frame of the
// bed, x along its surface and z down into it, so that z of a point is its depth.

#include <cmath>

#include "thud/math/dual.hpp"
#include "thud/math/vec2.hpp"

namespace thud {

/// The nine coefficients of plane resistive force theory [N/cm³] (Li, Zhang & Goldman 2013, Table S1).
template <class P>
struct RftCoefficientsOf {
  P a00 = P(0.206), a10 = P(0.169), b11 = P(0.212), b01 = P(0.358), bm11 = P(0.055);
  P c11 = P(-0.124), c01 = P(0.253), cm11 = P(0.007), d10 = P(0.088);
};
using RftCoefficients = RftCoefficientsOf<double>;

/// The generic set, whose α_z(0, π/2) is 1: that of a medium is ζ times it.
inline constexpr RftCoefficients rft_generic{};
inline constexpr RftCoefficients rft_poppy_loose{0.051, 0.047, 0.053, 0.083, 0.020, -0.026, 0.057, 0, 0.025};
inline constexpr RftCoefficients rft_poppy_close{0.094,  0.092, 0.092, 0.151, 0.035,
                                                 -0.039, 0.086, 0.018, 0.046};

/// Stress per depth on a surface element of one orientation: linear in the direction of motion.
template <class T>
struct RftElement {
  Vec2<T> constant, across, down;

  /// At velocity v, |v| > 0 [N/m³].
  Vec2<T> operator()(Vec2<T> v) const {
    const T inverse = T(1) / norm(v);
    return constant + (v.x * inverse) * across + (v.z * inverse) * down;
  }
};

/// Plane resistive force theory: the stress on a surface element that is under the surface and leads, ν·v ≥ 0.
///
///   dF = ζ 10⁶ (α_x, −α_z) z dA                                                       (Li, Zhang & Goldman 2013)
///   α_z = A00 + A10 cos 2β + B11 sin(2β + γ) + B01 sin γ + B₋₁₁ sin(−2β + γ)
///   α_x = C11 cos(2β + γ) + C01 cos γ + C₋₁₁ cos(−2β + γ) + D10 sin 2β
///
///   β  attack angle, 0: flat; the tangent is (cos β, sin β)     γ  direction of motion, v = |v|(−cos γ, sin γ)
///   z  depth [m]     ζ  scale of the medium [-]     ν  outward normal
///
/// For |γ| > π/2: α_z(β, γ) = α_z(−β, π − γ), α_x(β, γ) = −α_x(−β, π − γ); both are smooth there.
/// Sign: γ = 0 moves to −x and is pushed to +x; α_z > 0 pushes up. It does not depend on the speed, and says nothing at
/// rest. Limits: z → 0 ⇒ 0. Energy: α·v < 0 for every β and γ with the three published sets.
template <class P>
struct RftLawOf {
  P zeta = P(1);
  RftCoefficientsOf<P> alpha{};

  static constexpr bool has_inertia = false, is_spread = true;

  /// Of an element with the outward normal ν; that of its other face is the same. In v_x and v_z of the unit of v the
  /// rule for |γ| > π/2 is no case of its own: cos γ = −v_x and the mirrored signs cancel.
  template <class T>
  RftElement<T> element(Vec2<T> normal) const {
    const T c2 = normal.z * normal.z - normal.x * normal.x;  // cos 2β
    const T s2 = 2.0 * (normal.x * normal.z);                // −sin 2β
    const T k = T(zeta * 1e6);
    const auto& a = alpha;
    RftElement<T> out;
    out.constant = {-k * a.d10 * s2, -k * (a.a00 + a.a10 * c2)};
    out.across = {-k * ((a.c11 + a.cm11) * c2 + a.c01), -k * (a.b11 - a.bm11) * s2};
    out.down = {-k * (a.cm11 - a.c11) * s2, -k * ((a.b11 + a.bm11) * c2 + a.b01)};
    return out;
  }
};
using RftLaw = RftLawOf<double>;

/// Dynamic resistive force theory: besides, on elements that lead, what it takes to set the grains in motion.
///
///   dF = dF_rft − λ ρ (ν·v)² ν dA                                                    (Agarwal et al. 2019; Aguilar & Goldman 2016)
///
///   λ  of the order of 1 [-]     ρ  bulk density [kg/m³]
///
/// A plate that falls flat follows Katsuragi & Durian's law with k = ζ 10⁶ A, m/d₁ = λ ρ A.
/// Energy: the power −λ ρ (ν·v)³ dA is never positive.
template <class P>
struct DrftLawOf : RftLawOf<P> {
  P lambda = P(1), density = P(638);

  static constexpr bool has_inertia = true;
  P inertia() const { return lambda * density; }
};
using DrftLaw = DrftLawOf<double>;

/// (α_x, α_z) [N/cm³] at the angles β and γ, any: what the papers draw.
template <class P>
Vec2<P> rft_stress(const RftLawOf<P>& law, double beta, double gamma) {
  const Vec2<P> normal{P(-portable::sin(beta)), P(portable::cos(beta))};
  const Vec2<P> v{P(-portable::cos(gamma)), P(portable::sin(gamma))};
  const Vec2<P> stress = law.element(normal)(v);
  return {1e-6 * stress.x, -1e-6 * stress.z};
}

}  // namespace thud
