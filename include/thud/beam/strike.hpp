#pragma once

#include <optional>
#include <vector>

#include "thud/beam/beam.hpp"

namespace thud {

/// A ball that strikes the tip of a beam whose start is clamped, across it. Velocities count along the positive
/// deflection, so that a ball that comes from that side has a negative one.
struct TipStrike {
  double ball_mass = 0;                ///< m [kg]
  double speed = 0;                    ///< v₀ of the ball [m/s]
  double stiffness = 0;                ///< k₂ of Hertz' F = k₂ δ^{3/2} [N/m^{3/2}]
  std::vector<double> ratios;          ///< ξ_n, damping of the modes that take part; one for each
  std::optional<double> contact_time;  ///< T_MH, instead of that of eq 24 [s]
};

/// What is left when the ball has parted.
struct StrikeResult {
  double contact_time = 0;        ///< of Hertz, T_MH [s], or that of the contact itself
  double restitution = 0;         ///< e: the ball leaves with −e v₀
  double impulse = 0;             ///< m v₀ (1 + e) [N s]
  std::vector<double> amplitude;  ///< C_n(T) [m^{3/2}], of the modes of the route
  std::vector<double> rate;       ///< Ċ_n(T) [m^{3/2}/s]
  std::vector<double> tip;        ///< u_n(L) [m^{−1/2}]
  /// Energies of the modes at T, eq 28: of bending, of the moving beam, of the moving tip mass [J].
  std::vector<double> bending, moving, moving_tip;
  double ratio = 0;  ///< R: all of it over ½ m v₀² (1 + e)², eq 30; 0 where the route has no modes
  std::vector<double> eta, eta_rate;  ///< the same in the coordinates of the beam [m, m/s]
};

/// Constants Q_n of the mode shapes u_n = Q_n Ψ_n in the route of Chapnik et al.
enum class StrikeModes : std::uint8_t {
  published,  ///< those that their Table II implies: 0.741736, 0.831155, 0.947125 (no derivation is known)
  length,     ///< ∫u_n² dx = 1, their eq 18, which leaves the tip mass out
  tip_mass,   ///< ∫u_n² dx + (M/ρA) u_n(L)² = 1: orthogonal with the tip mass, as eq 21 needs
};

/// The route of Chapnik, Heppler & Aplevich (1991), eqs 17–33, with three modes of the clamped beam:
///
///   u_n = Q_n (cos β_n x − cosh β_n x − α_n (sin β_n x − sinh β_n x)),   β_n = (ω_n² ρA/EI)^{1/4}         (19)
///   1/M_e = 1/m + u₁(L)²/ρA,   M = ρAL + M_tip,   k₁ = (M_e + M)/(M_e M)                                 (23)
///   T_MH = 2.9432 |v₀|^{−1/5} (5/(4 k₁ k₂))^{2/5},   T = 1.0873 T_MH                                      (24)
///   F(t) = m v₀ (1 + e) (1 − cos 2πt/T)/T,   0 ≤ t ≤ T                                                    (25)
///   C_n(T) = m v₀ (1 + e) B_n,   B_n = u_n(L) p² (K₁ ω_d T − K₂)/(ρA ω_n² d₁ d₂),   p = 2π/T               (27)
///   e = (1 − R)/(1 + R),   R = m Σ_n (EI ∫u_n″² dx B_n² + (ρA ∫u_n² dx + M_tip u_n(L)²) Ḃ_n²)              (28–32)
///
/// with K₁, K₂, d₁, d₂ as printed there, ω_d² = ω_n²(1 − ξ_n²), and eq 27 for small angles ω_d T, which is how the table
/// was computed. ω_n are those of the beam's own basis. Limits: T → 0 leaves Ċ_n = m v₀ (1 + e) u_n(L)/ρA.
/// Throws std::invalid_argument when the beam has fewer modes than there are ratios.
[[nodiscard]] StrikeResult strike_by_modes(const ElasticBeam& beam, const TipStrike& strike,
                                           StrikeModes modes);

/// The impulse of the contact itself, given to the beam at once. The contact is integrated through:
///
///   m_k (η̈_k + 2 ξ_k ω_k η̇_k + ω_k² η_k) = Ψ_k(L) F,   m ẍ = −F,   F = k₂ max(0, x_tip − x …)^{3/2}
///
/// in all coordinates of the beam, its start held; then η̇_k = Ψ_k(L) ∫F dt/m_k.
[[nodiscard]] StrikeResult strike_by_impulse(const ElasticBeam& beam, const TipStrike& strike);

/// Frequencies of a beam on a hub that is free to turn, inertia J about it included: roots of
/// det(K − ω² M) over (q, η), without the zero one [rad/s].
[[nodiscard]] std::vector<double> frequencies_on_hub(const ElasticBeam& beam, double inertia);

/// α and β of Rayleigh damping that give two modes their ratios to critical (Chapnik et al. 1991, eq 14):
///
///   α = 2 ω₁ω₂ (ξ₁ω₂ − ξ₂ω₁)/(ω₂² − ω₁²),   β = 2 (ξ₂ω₂ − ξ₁ω₁)/(ω₂² − ω₁²)
///
/// Either may be negative: then some modes are driven, not damped.
struct Rayleigh {
  double alpha = 0, beta = 0;
};
[[nodiscard]] Rayleigh fit_rayleigh(double frequency1, double frequency2, double ratio1, double ratio2);

}  // namespace thud
