#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "thud/granular/own_law.hpp"
#include "thud/granular/resistance.hpp"
#include "thud/granular/stress.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace detail {
/// (z/l)^λ, zero above the surface: trial states of a step may stick out a little.
template <class T, class P>
T depth_power(T ratio, P exponent) {
  using portable::pow;
  if constexpr (requires { ratio.is_constant(); })  // a scalar that records
    return pow(positive_part(ratio), T(exponent));
  else if constexpr (std::is_same_v<P, double>)
    return ratio > T(0) ? pow(ratio, exponent) : T(0);
  else
    return ratio > T(0) ? pow(ratio, T(exponent)) : T(0);
}
template <class T>
T positive(T x) {
  return positive_part(x);
}
/// Quadratic resistance c|v|v spread evenly over a length ℓ, turned about its middle: c ℓ³/32 per |ω|ω.
template <class T>
T spread_square(T c, T length) {
  return c * length * length * length * (1.0 / 32);
}
}  // namespace detail

/// Coefficients of the vertical static resistance for one direction of motion.
template <class P>
struct HillCoefficientsOf {
  P eta{};          ///< η_v [-]
  P lambda = P(1);  ///< λ [-]
};
using HillCoefficients = HillCoefficientsOf<double>;

/// Granular resistance of Lee (2009): quadratic drag, Albert's horizontal and Hill's vertical static resistance.
///
///   F_d  = −η_d ρ_g A_r |v_E| v_E                                   (Lee 2009, eqs 3.6, 3.11)
///   F_sh = η_h g ρ_g b (z_T² − z_top²)  for links and blocks        (eq 3.7; Albert et al. 1999)
///        = η_h g ρ_g d² z_T  or  η_h g ρ_g d z_T²  for balls         (eq 3.8, app. A; or eq 4.6)
///   F_sv = η_v (z_T/l)^λ g ρ_g V                                     (eq 3.9; Hill et al. 2005)
///
///   η_d, η_h, η_v, λ  coefficients [-]     ρ_g bulk density [kg/m³]     A_r frontal area [m²]
///   z_T, z_top        depths of the deepest and shallowest immersed point [m]
///   b, l              breadth out of the plane and lateral size [m]     V immersed volume [m³]
///
/// Sign: F_d opposes v_E; F_sh and F_sv are bounds of set-valued forces along the surface and its normal.
/// η_v and λ depend on the sense of motion: plunging or withdrawing.
/// Limits: depth → 0 ⇒ everything vanishes; z_top = 0 gives the papers' z_T².
/// Energy: power = −η_d ρ_g A_r |v_E|³ − F_sh|v_t| − F_sv|v_n| ≤ 0.
/// Beyond the papers (ours, docs/theory/sand.md): z_top; the moment on a wholly immersed part; and skin friction,
/// F_sh + μ F_sv, without which a link that lies flat on a slope would slide for ever. μ = 0 in the papers' media.
template <class P>
struct LeeLawOf {
  P density = P(2500);  ///< ρ_g [kg/m³]
  P eta_d = P(6.5);
  P eta_h = P(8);
  HillCoefficientsOf<P> plunging{P(22), P(1.1)};
  HillCoefficientsOf<P> withdrawing{P(0.5), P(1.1)};
  P friction{};              ///< μ, shear per plunging resistance
  bool ball_square = false;  ///< balls: d z_T² instead of d² z_T

  static constexpr bool needs_speed = false;

  template <class T>
  [[gnu::always_inline]] void evaluate(const Flow<T, P>& flow, Resistance<T>& out) const {
    const Immersed<T>& im = *flow.immersed;
    const PartOf<P>& part = *flow.part;
    const P weight = flow.gravity * density;
    out.drag = eta_d * density * flow.area_speed;
    if (part.is_round())
      out.shear = eta_h * weight * part.width * (ball_square ? im.depth * im.depth : part.width * im.depth);
    else
      out.shear = eta_h * weight * part.breadth * (im.depth * im.depth - im.top * im.top);
    const T ratio = im.depth * flow.inverse_width;
    const T head = weight * im.volume;
    if (flow.plunging || !is_zero(friction))
      out.plunge = plunging.eta * head * detail::depth_power(ratio, plunging.lambda);
    if (!is_zero(friction)) out.shear += friction * out.plunge;
    if (flow.withdrawing)
      out.withdraw = withdrawing.eta * head * detail::depth_power(ratio, withdrawing.lambda);
    if (im.whole)
      out.spin_square = eta_d * density * part.breadth * im.length * detail::spread_square(T(1), im.length);
  }
};
using LeeLaw = LeeLawOf<double>;

/// The same law as densities along the axis of a link (line_sand.hpp).
template <class P>
struct LeeSpreadLawOf : LeeLawOf<P> {
  static constexpr bool is_spread = true;
};
using LeeSpreadLaw = LeeSpreadLawOf<double>;

/// Scalar laws F = F_0 + b v + c v² of the literature, for motion in one direction.
/// Here the constant part bounds the static force along the normal and, times `shear_ratio`, along the surface
/// (each a set-valued switch); the velocity-dependent part opposes v_E. In one direction this is the law as printed.
///
/// Bingham: F = F_0 + b v (Lee 2009, ch. 3; de Bruyn & Walsh 2004).
/// Energy: power = −b|v_E|² − F_0(|v_n| + ratio|v_t|) ≤ 0.
template <class P>
struct BinghamLawOf {
  P yield{};    ///< F_0 [N]
  P viscous{};  ///< b [N s/m]
  P shear_ratio = P(1);

  static constexpr bool needs_speed = false;

  template <class T>
  void evaluate(const Flow<T, P>& flow, Resistance<T>& out) const {
    out.drag = T(viscous);
    out.plunge = out.withdraw = T(yield);
    out.shear = T(shear_ratio * yield);
    out.spin_linear = viscous / 12 * flow.immersed->length * flow.immersed->length;
  }
};
using BinghamLaw = BinghamLawOf<double>;

/// Poncelet: F = F_0 + c v² (Lee 2009, ch. 3; Poncelet 1829).
/// Energy: power = −c|v_E|³ − F_0(|v_n| + ratio|v_t|) ≤ 0.
template <class P>
struct PonceletLawOf {
  P yield{};     ///< F_0 [N]
  P inertial{};  ///< c [N s²/m²]
  P shear_ratio = P(1);

  static constexpr bool needs_speed = true;

  template <class T>
  void evaluate(const Flow<T, P>& flow, Resistance<T>& out) const {
    out.drag = inertial * flow.speed;
    out.plunge = out.withdraw = T(yield);
    out.shear = T(shear_ratio * yield);
    out.spin_square = detail::spread_square(T(inertial), flow.immersed->length);
  }
};
using PonceletLaw = PonceletLawOf<double>;

/// Allen, Mayfield & Morrison: F = A v² + B v + C (Lee 2009, ch. 3; Allen et al. 1957).
/// Energy: power = −A|v_E|³ − B|v_E|² − C(|v_n| + ratio|v_t|) ≤ 0.
template <class P>
struct AllenLawOf {
  P inertial{};  ///< A [N s²/m²]
  P viscous{};   ///< B [N s/m]
  P yield{};     ///< C [N]
  P shear_ratio = P(1);

  static constexpr bool needs_speed = true;

  template <class T>
  void evaluate(const Flow<T, P>& flow, Resistance<T>& out) const {
    const T length = flow.immersed->length;
    out.drag = inertial * flow.speed + viscous;
    out.plunge = out.withdraw = T(yield);
    out.shear = T(shear_ratio * yield);
    out.spin_linear = viscous / 12 * length * length;
    out.spin_square = detail::spread_square(T(inertial), length);
  }
};
using AllenLaw = AllenLawOf<double>;

/// Lohse et al. (2004): F = k z, a static resistance proportional to depth (Lee 2009, ch. 3).
/// Limits: z → 0 ⇒ 0. Energy: power = −k z(|v_n| + ratio|v_t|) ≤ 0.
template <class P>
struct LohseLawOf {
  P stiffness{};  ///< k [N/m]
  P shear_ratio = P(1);

  static constexpr bool needs_speed = false;

  template <class T>
  void evaluate(const Flow<T, P>& flow, Resistance<T>& out) const {
    out.plunge = out.withdraw = stiffness * detail::positive(flow.immersed->depth);
    out.shear = shear_ratio * out.plunge;
  }
};
using LohseLaw = LohseLawOf<double>;

/// Katsuragi & Durian (2007): F = k z + m v²/d₁, m the mass of the body.
/// Closed form of a fall from z = 0 with v_0 (behind the test of this law; derived in docs/theory/sand.md):
///   z_f = m g/k + (d₁/2)(1 + W₀(C)),   C = (2 m v_0²/(k d₁²) − 2 m g/(k d₁) − 1) exp(−1 − 2 m g/(k d₁)).
/// Limits: z → 0 leaves the inertial drag. Energy: power = −m|v_E|³/d₁ − k z(|v_n| + ratio|v_t|) ≤ 0.
template <class P>
struct KatsuragiLawOf {
  P stiffness{};    ///< k [N/m]
  P length = P(1);  ///< d₁ [m]
  P shear_ratio = P(1);

  static constexpr bool needs_speed = true;

  template <class T>
  void evaluate(const Flow<T, P>& flow, Resistance<T>& out) const {
    const P c = flow.mass / length;
    out.drag = c * flow.speed;
    out.plunge = out.withdraw = stiffness * detail::positive(flow.immersed->depth);
    out.shear = shear_ratio * out.plunge;
    out.spin_square = detail::spread_square(T(c), flow.immersed->length);
  }
};
using KatsuragiLaw = KatsuragiLawOf<double>;

/// The laws of thud, and those of its users. A new law is a struct like those above, made into an OwnLaw; or one entry
/// here and one in `law_table()`.
template <class P>
using LawOf = std::variant<LeeLawOf<P>, BinghamLawOf<P>, PonceletLawOf<P>, AllenLawOf<P>, LohseLawOf<P>,
                           KatsuragiLawOf<P>, RftLawOf<P>, DrftLawOf<P>, LeeSpreadLawOf<P>, OwnLaw>;
using Law = LawOf<double>;

/// Laws that act along the outline or the axis of a body instead of at one point of it.
template <class L>
inline constexpr bool is_spread_law = requires {
  L::is_spread;
};
template <class P>
bool is_spread(const LawOf<P>& law) {
  return std::visit([]<class L>(const L&) { return is_spread_law<L>; }, law);
}

/// Frontal area A_r of a cylinder that moves with v_E, angle α between its axis and v_E.
enum class AreaRule : std::uint8_t {
  side,         ///< d ℓ|sin α| (eq 3.11): no area for a link that moves along its axis
  side_or_end,  ///< as `side`, and the end face π d²/4 while the motion is exactly along the axis (Table 4.3, 0°)
  silhouette,  ///< d ℓ|sin α| + (π d²/4)|cos α|: the exact silhouette; the default
  floor,       ///< max(d ℓ|sin α|, π d²/4)
  full,        ///< d ℓ, whatever the direction (eqs 4.54, 5.64)
};

enum class RotationRule : std::uint8_t {
  none,   ///< the force at E only
  whole,  ///< and a moment about E on a part that is wholly immersed (ours)
};

/// Where a law or medium was measured, and who says so. What is not known is left open.
struct CalibratedRange {
  double slowest = 0, fastest = HUGE_VAL;    ///< [m/s]
  double deepest = HUGE_VAL;                 ///< of the deepest point [m]
  double thinnest = 0, thickest = HUGE_VAL;  ///< diameters, widths [m]
  std::string source{};

  bool is_empty() const { return source.empty(); }
};

/// Another medium, from a depth on.
template <class P>
struct LayerOf {
  P depth{};  ///< below the surface of the bed [m]
  LawOf<P> law;
};

/// A bed of granular matter below a plane.
///
/// Near a bottom at the depth H the static resistance is 1 + c ((z − H + r)/r)² times what it is without one, from H − r on
/// (ours, not calibrated): c its rise, r the range. Limits: c → 0 ⇒ no bottom. Energy: as the law, c ≥ 0.
template <class P>
struct BedOf {
  std::string name = "bed";
  PlaneOf<P> plane{};
  P bottom{};  ///< thickness of the layer along the normal [m]; 0: endless
  LawOf<P> law = LeeLawOf<P>{};
  AreaRule area = AreaRule::silhouette;
  RotationRule rotation = RotationRule::whole;
  bool stop_at_bottom = true;
  bool has_box = false;              ///< what reaches the bottom strikes a wall there
  std::vector<LayerOf<P>> layers{};  ///< below the first medium, downwards; for laws along the body
  P rise{}, rise_range{};            ///< c [-] and r [m]
  CalibratedRange range{};           ///< of the first medium

  /// Whether it is told when something reaches the bottom.
  bool watches_bottom() const { return value_of(bottom) > 0 && !has_box; }
  bool rises() const { return !is_zero(rise) && !is_zero(bottom); }
  P rise_start() const { return bottom - rise_range; }
  /// 1 + c ((z − H + r)/r)².
  template <class T>
  T bottom_factor(T depth) const {
    const T in = positive_part(T((depth - rise_start()) / rise_range));
    return T(1) + rise * (in * in);
  }
  int entry_count() const { return (1 + static_cast<int>(layers.size())) * (rises() ? 2 : 1); }
};
using Bed = BedOf<double>;

/// What a law that acts along a body is summed over: from a level on, with the law there less that above. The first is from
/// the surface on; near a bottom each once more, with the weight of the rise.
///
/// Σ ∫_{z > H_k} (law_k − law_{k−1}) is each law between its levels; every term is cut at one level.
struct BedEntry {
  std::int16_t layer = 0;
  bool rises = false;

  bool is_surface() const { return layer == 0 && !rises; }
  template <class P>
  P level(const BedOf<P>& bed) const {
    P level = layer == 0 ? P(0) : bed.layers[static_cast<std::size_t>(layer) - 1].depth;
    if (rises && value_of(bed.rise_start()) > value_of(level)) level = bed.rise_start();
    return level;
  }
  template <class P>
  static const LawOf<P>& law_of(const BedOf<P>& bed, int layer) {
    return layer == 0 ? bed.law : bed.layers[static_cast<std::size_t>(layer) - 1].law;
  }
};
/// The entries of a bed; two equal media one above the other are one.
template <class P>
std::vector<BedEntry> bed_entries(const BedOf<P>& bed);
/// The stress of an entry, where the laws of the bed give one.
template <class P>
DrftLawOf<P> entry_stress(const BedOf<P>& bed, BedEntry entry);

/// A coefficient of a law: its key in scenario files, unit and meaning.
struct Coefficient {
  std::string key;
  std::string unit;  ///< SI; "" for a plain number
  std::string about;
  std::function<double(const Law&)> get;
  std::function<void(Law&, double)> set;
  bool positive = false;  ///< must be > 0, not only ≥ 0
  bool any_sign = false;  ///< may be negative
};

/// What is known of a law: its name in scenario files, its formula in words, its coefficients.
struct LawCard {
  std::string name;
  std::string about;
  std::vector<Coefficient> coefficients;
  CalibratedRange range{};
};

/// A law that scenario files can name, with the coefficients it starts from.
struct LawEntry {
  LawCard card;
  Law prototype;
};

/// Every law with its coefficients: what the scenario reader, the reports and the documentation know. The laws of thud
/// first, then the registered ones; entries stay valid for good.
std::vector<const LawEntry*> law_table();
/// Valid as long as the law, or a copy of it.
const LawCard& law_card(const Law& law);

namespace detail {
/// Puts a law into the table, in the place of an earlier own one of the same name. Use `register_law`.
void add_to_law_table(const OwnLaw& law);
}  // namespace detail

/// A named medium: a law with coefficients and their source.
struct Medium {
  const char* name;
  const char* about;
  const char* source;
  Law law;
  CalibratedRange range{};
};
const std::vector<Medium>& media();

}  // namespace thud
