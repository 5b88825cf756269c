#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace thud::peers {

/// A free steel link that enters sand obliquely, tip first; planar, z down.
///
///   y = (x, z, q, vx, vz, w),  u = (sin q, cos q),  T = C + (L/2) u
///   ℓ = z_T / cos q,  E = C + L_CE u,  L_CE = L/2 − ℓ/2
///   F = −η_d ρ_g d ℓ |u × v_E| v_E                      drag
///       − sign(v_Ex) η_h g ρ_g z_T² d                   static, along x
///       − sign(v_Ez) η_v (z_T/d)^λ g ρ_g (π d²/4) ℓ     static, along z
///   m a = m g + F,  I q̈ = L_CE (cos q F_x − sin q F_z)
///
/// Everything is divided by m once, at compile time: what a run pays for is one
/// sine and cosine, one power and one division per evaluation.
template <typename Scalar>
class FreeLink {
 public:
  using State = std::array<Scalar, 6>;

  static constexpr Scalar length = static_cast<Scalar>(0.1524L);

  /// The immersed part as a state shows it.
  struct Immersion {
    Scalar sin_q, cos_q;
    Scalar tip_depth;        // z_T, never negative
    Scalar immersed_length;  // ℓ
    Scalar arm;              // L_CE
    Scalar v_Ex, v_Ez;
    Scalar cross;  // u × v_E
  };

  /// The three signs that make the law piecewise smooth.
  struct Signs {
    Scalar cross{1}, v_Ex{1}, v_Ez{1};
  };

  /// Link at angle [rad] from the vertical, tip on the surface, falling at speed [m/s].
  static State calc_initial_state(double angle, double speed) {
    const Scalar q{angle};
    return {Scalar{0}, -half_length * std::cos(q), q, Scalar{0}, Scalar{speed}, Scalar{0}};
  }

  /// v_Tz: the job ends where it falls through zero.
  static Scalar calc_tip_velocity(const State& y) { return y[4] - half_length * y[5] * std::sin(y[2]); }

  static Immersion calc_immersion(const State& y) {
    Immersion i;
    i.sin_q = std::sin(y[2]);
    i.cos_q = std::cos(y[2]);
    // Rounding may leave the tip a hair above the surface at the start.
    i.tip_depth = std::max(y[1] + half_length * i.cos_q, Scalar{0});
    i.immersed_length = i.tip_depth / i.cos_q;
    i.arm = half_length - i.immersed_length / 2;
    const Scalar swing = i.arm * y[5];
    i.v_Ex = y[3] + swing * i.cos_q;
    i.v_Ez = y[4] - swing * i.sin_q;
    i.cross = i.sin_q * i.v_Ez - i.cos_q * i.v_Ex;
    return i;
  }

  /// The right-hand side as the peers integrate it. At v_E = 0 a static force
  /// takes the sign of the zero; in this job that happens only at t = 0, where
  /// the force itself is zero.
  void operator()(const State& y, State& dydt, Scalar /*t*/ = Scalar{0}) {
    ++evaluations_;
    const Immersion i = calc_immersion(y);
    assemble(y, i, std::abs(i.cross), std::copysign(calc_horizontal(i), i.v_Ex),
             std::copysign(calc_vertical(i), i.v_Ez), dydt);
  }

  /// The same with the signs held: smooth across the switching surfaces.
  void calc_held(const State& y, const Signs& signs, State& dydt) {
    ++evaluations_;
    const Immersion i = calc_immersion(y);
    assemble(y, i, signs.cross * i.cross, signs.v_Ex * calc_horizontal(i), signs.v_Ez * calc_vertical(i),
             dydt);
  }

  long evaluations() const { return evaluations_; }
  void reset_evaluations() { evaluations_ = 0; }

 private:
  static constexpr Scalar pi = std::numbers::pi_v<Scalar>;
  static constexpr Scalar half_length = length / 2;
  static constexpr Scalar diameter = static_cast<Scalar>(0.00635L);
  static constexpr Scalar steel_density{7700};
  static constexpr Scalar sand_density{2500};
  static constexpr Scalar gravity = static_cast<Scalar>(9.81L);
  static constexpr Scalar eta_d = static_cast<Scalar>(6.5L);
  static constexpr Scalar eta_h{8};
  static constexpr Scalar eta_v{22};
  static constexpr Scalar lambda = static_cast<Scalar>(1.1L);

  static constexpr Scalar section = pi * diameter * diameter / 4;
  static constexpr Scalar mass = steel_density * length * section;
  static constexpr Scalar mass_over_inertia = 12 / (length * length);
  static constexpr Scalar per_diameter = 1 / diameter;
  static constexpr Scalar drag = eta_d * sand_density * diameter / mass;
  static constexpr Scalar horizontal = eta_h * gravity * sand_density * diameter / mass;
  static constexpr Scalar vertical = eta_v * gravity * sand_density * section / mass;

  // Magnitudes of the static resistance per unit mass [m/s²].
  static Scalar calc_horizontal(const Immersion& i) { return horizontal * i.tip_depth * i.tip_depth; }
  static Scalar calc_vertical(const Immersion& i) {
    return vertical * std::pow(i.tip_depth * per_diameter, lambda) * i.immersed_length;
  }

  static void assemble(const State& y, const Immersion& i, Scalar frontal_speed, Scalar static_x,
                       Scalar static_z, State& dydt) {
    const Scalar damping = drag * i.immersed_length * frontal_speed;
    const Scalar f_x = -damping * i.v_Ex - static_x;
    const Scalar f_z = -damping * i.v_Ez - static_z;
    dydt[0] = y[3];
    dydt[1] = y[4];
    dydt[2] = y[5];
    dydt[3] = f_x;
    dydt[4] = gravity + f_z;
    dydt[5] = mass_over_inertia * i.arm * (i.cos_q * f_x - i.sin_q * f_z);
  }

  long evaluations_ = 0;
};

}  // namespace thud::peers
