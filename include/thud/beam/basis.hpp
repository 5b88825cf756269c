#pragma once

#include <cstdint>
#include <vector>

#include "thud/math/dual.hpp"

namespace thud {

/// How the start of a beam is held in the frame of its body; the other end is free or carries a tip mass.
///
///   free     Ψ'' = Ψ''' = 0   no hold: the frame floats, and follows the mean motion of the beam
///   pinned   Ψ = Ψ'' = 0      the frame's axis leaves the start towards the mean of the beam
///   clamped  Ψ = Ψ' = 0       the frame's axis is tangent to the beam at the start
enum class Support : std::uint8_t { free, pinned, clamped };

/// A uniform slender beam and the small rigid body it may carry at its end.
template <class P>
struct BeamDataOf {
  P length{};           ///< L [m]
  P mass_per_length{};  ///< ρA [kg/m]
  P rigidity{};         ///< EI [N m²]
  P tip_mass{};         ///< M [kg], at x = L
  P tip_inertia{};      ///< J about the end of the beam [kg m²]
};
using BeamData = BeamDataOf<double>;

/// Bending shapes Ψ_1 … Ψ_n of a uniform Euler–Bernoulli beam in the frame of its body.
///
///   w(x, t) = Σ_k Ψ_k(x) q_k(t),   0 ≤ x ≤ L
///
///   w    deflection [m]                    ρA  mass per length [kg/m]     M  tip mass [kg]
///   Ψ_k  shape [-], k-th from the lowest   EI  bending rigidity [N m²]    J  its inertia about the tip [kg m²]
///   q_k  coordinate [m]                    ω_k natural frequency [rad/s]  λ_k = L (ρA ω_k²/EI)^¼ [-]
///
/// Orthogonal in mass and in stiffness, tip included, each with the mass of the beam:
///
///   ∫ρA Ψ_k Ψ_l dx + M Ψ_k(L) Ψ_l(L) + J Ψ'_k(L) Ψ'_l(L) = ρAL δ_kl
///   ∫EI Ψ''_k Ψ''_l dx                                   = ρAL ω_k² δ_kl
///
/// so that the elastic part of the kinetic energy is ½ ρAL Σ q̇_k² and that of the potential ½ ρAL Σ ω_k² q_k².
/// What couples the shapes to the motion of the frame are the two moments
///
///   mean_k  = ∫ρA Ψ_k dx + M Ψ_k(L)                        [kg]
///   first_k = ∫ρA x Ψ_k dx + M L Ψ_k(L) + J Ψ'_k(L)        [kg m]
///
/// Rigid motions are no part of a basis, the frame has them: the shapes of a free beam are orthogonal to both
/// (mean = first = 0, exactly), those of a pinned one to the rotation about the pin (first = 0).
///
/// Sign: Ψ_k(L) > 0; Ψ'_k(L) > 0 in the exceptional case that a tip inertia makes Ψ_k(L) vanish.
/// Without a tip Ψ_k(L) = 2 for every support and every k of the modes.
///
/// Two bases, one form: make_mode_basis takes the exact modes, make_element_basis those of cubic elements. Both
/// are kept as polynomials of degree 7 on equal cells, with t = x/cell_length() − c in cell c:
///
///   Ψ_k = Σ_p cell(c)[p size() + k] t^p,   0 ≤ t ≤ 1
///
/// which is what makes integrals over any stretch of the beam cheap and exact.
///
/// Limits: small slopes, no shear, no rotary inertia of the sections, no stretching.
/// References: Lee 2009, eqs 5.3–5.11 and 5.44–5.51; Meirovitch, Fundamentals of Vibrations (2001), ch. 8;
/// Blevins, Formulas for Natural Frequency and Mode Shape (1979), ch. 8.
template <class P>
class BeamBasisOf {
 public:
  static constexpr int degree = 7;

  // Shapes of a beam of unit length and mass: λ_k, the two moments and the cells.
  struct Shapes {
    std::vector<P> root, mean, first, cells;
  };
  BeamBasisOf(Support support, const BeamDataOf<P>& data, Shapes shapes);
  /// The plain numbers behind another.
  template <class Q>
  explicit BeamBasisOf(const BeamBasisOf<Q>& o);

  int size() const { return static_cast<int>(root_.size()); }
  const BeamDataOf<P>& data() const { return data_; }
  Support support() const { return support_; }

  P frequency(int k) const;  ///< ω_k [rad/s], k from 0
  P root(int k) const { return root_[k]; }
  P modal_mass() const { return data_.mass_per_length * data_.length; }  ///< ρAL [kg]
  P mean(int k) const { return mean_[k]; }
  P first(int k) const { return first_[k]; }
  /// Upper bound of |Ψ_k| over the beam, at most about one per cent above its maximum.
  double largest(int k) const { return largest_[k]; }
  /// Upper bound of |Ψ'_k| over the beam [1/m], as tight.
  double steepest(int k) const { return steepest_[k]; }

  int cell_count() const { return cell_count_; }
  P cell_length() const { return data_.length / cell_count_; }
  /// The (degree + 1) × size() coefficients of a cell; row p holds those of t^p for all shapes.
  const P* cell(int c) const { return cells_.data() + c * (degree + 1) * size(); }

  /// Ψ_k or a derivative of it at x. Beyond the ends the shape goes on straight, with the slope of the end.
  P value(int k, P x, int derivative = 0) const;

 private:
  template <class Q>
  friend class BeamBasisOf;
  double bound(int k, int derivative) const;

  Support support_;
  BeamDataOf<P> data_;
  int cell_count_;
  std::vector<P> root_, mean_, first_;
  std::vector<double> largest_, steepest_;
  std::vector<P> cells_;
};
using BeamBasis = BeamBasisOf<double>;

template <class P>
template <class Q>
BeamBasisOf<P>::BeamBasisOf(const BeamBasisOf<Q>& o)
    : support_(o.support_),
      data_{value_of(o.data_.length), value_of(o.data_.mass_per_length), value_of(o.data_.rigidity),
            value_of(o.data_.tip_mass), value_of(o.data_.tip_inertia)},
      cell_count_(o.cell_count_),
      root_(values_of(o.root_)),
      mean_(values_of(o.mean_)),
      first_(values_of(o.first_)),
      largest_(o.largest_),
      steepest_(o.steepest_),
      cells_(values_of(o.cells_)) {}

/// The `count` lowest exact modes, 1 ≤ count ≤ 50.
///
///   EI Ψ'''' = ρA ω² Ψ;   at x = L:   EI Ψ'' = ω² J Ψ',   EI Ψ''' = −ω² M Ψ
///
/// Cells reproduce every mode to 10⁻¹³ of its maximum. Throws std::invalid_argument on data out of range.
BeamBasis make_mode_basis(Support support, const BeamData& data, int count);

/// The `count` lowest modes (0: all) of a chain of equal cubic Hermite elements, 1 ≤ elements ≤ 200.
///
/// Mass and stiffness are consistent, the tip sits on the last node. Whatever the support, N elements have 2N
/// elastic modes: 2(N+1) coordinates less what the support holds less the rigid motions it leaves. Each cell is
/// one element. Frequencies are upper bounds of the exact ones and converge with the fourth power of the element
/// length. Throws std::invalid_argument on data out of range.
BeamBasis make_element_basis(Support support, const BeamData& data, int elements, int count = 0);

/// Root λ_k of the characteristic equation, k from 1, rigid motions not counted.
///
///   free     (1 − cC) + ιλ³ (sC + cS) + μλ (sC − cS) + μιλ⁴ (1 + cC) = 0
///   pinned   (sC − cS) + 2ιλ³ cC + 2μλ sS − μιλ⁴ (sC − cS) = 0
///   clamped  (1 + cC) − ιλ³ (sC + cS) − μλ (sC − cS) + μιλ⁴ (1 − cC) = 0
///
/// with s, c, S, C = sin λ, cos λ, sinh λ, cosh λ; μ = M/(ρAL); ι = J/(ρAL³). Every root is simple and, being
/// counted before it is refined, none is missed. Without a tip: λ = 4.730 …, 3.927 …, 1.875 … .
/// Throws std::invalid_argument when k < 1 or a ratio is negative or not finite.
double beam_root(Support support, int k, double mass_ratio = 0, double inertia_ratio = 0);

}  // namespace thud
