#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "thud/beam/basis.hpp"
#include "thud/math/dual.hpp"

namespace thud {

/// Where the weight of a beam acts.
enum class BeamGravity : std::uint8_t {
  distributed,  ///< along the beam: ∫ρAΨ_k dx
  midspan,      ///< at the deformed mid-span, as in Lee 2009, eqs 5.30 and 5.33: ρAL Ψ_k(L/2)
  none,         ///< nowhere
};

/// The elastic part of a body: a beam along the body's axis, in the body's own frame (the floating frame).
///
/// A point of its axis is at s u + w(s, t) ŵ from the body's origin, with
///
///   w(s, t) = Σ_k Ψ_k(s − s₀) η_k(t),   x = s − s₀ ∈ [0, L]
///
///   Ψ_k  shapes of the basis [-]      η_k  elastic coordinates [m]      s₀  where the beam starts [m]
///
/// Deflections are small against the length: the axis does not shorten as it bends (no geometric stiffening), and the
/// section's own rotary inertia is left out. Everything the dynamics needs is below: integrals, stiffness, damping
/// and values of the shapes. Inertia couplings with the motion of the frame are complete (see Tree).
///
/// Energy: strain ½ Σ k_k η_k²; material damping takes Σ c_k η̇_k² ≥ 0.
template <class P>
class ElasticBeamOf {
 public:
  ElasticBeamOf(BeamBasisOf<P> basis, P start, BeamGravity gravity = BeamGravity::distributed);

  int size() const { return basis_.size(); }
  const BeamBasisOf<P>& basis() const { return basis_; }
  P start() const { return start_; }  ///< s₀ [m]
  P length() const { return basis_.data().length; }
  P end() const { return start_ + length(); }
  P modal_mass() const { return basis_.modal_mass(); }      ///< ∫Ψ_kΨ_l dm = modal_mass δ_kl [kg]
  const std::vector<P>& mean() const { return mean_; }      ///< ∫Ψ_k dm [kg]
  const std::vector<P>& first() const { return first_; }    ///< ∫sΨ_k dm about the body's origin [kg m]
  const std::vector<P>& weight() const { return weight_; }  ///< the same as mean for gravity [kg]
  const std::vector<P>& stiffness() const { return stiffness_; }  ///< k_k [N/m]
  const std::vector<P>& damping() const { return damping_; }      ///< c_k [N s/m]
  /// The same while the joint of the body is held, where that differs: see set_damping_when_held.
  const std::vector<P>& damping_when_held() const { return held_damping_.empty() ? damping_ : held_damping_; }
  bool is_damped() const;
  /// √(k_k/m), what the shape vibrates with by itself [rad/s].
  P frequency(int k) const;

  /// Material damping by a ratio to critical for each shape; the last one given holds for all that follow.
  void set_damping_ratios(const std::vector<P>& ratios);
  /// Rayleigh damping C = α M + β K: ratio α/(2ω) + βω/2.
  void set_rayleigh_damping(P alpha, P beta);
  /// Another Rayleigh damping while the joint of the body is held: papers fit α and β to the frequencies of each state.
  void set_damping_when_held(P alpha, P beta);
  /// Multiplies k_k: for the stiffness of papers that is not that of their shapes.
  void scale_stiffness(int k, P factor);

  /// The same with the plain numbers behind its parameters.
  const ElasticBeamOf<double>& plain() const {
    if constexpr (std::is_same_v<P, double>)
      return *this;
    else
      return *plain_;
  }

  /// w and ∂w/∂s at x; beyond its ends the beam goes on straight.
  template <class T, class X>
  void deflect(X x, const T* eta, T& w, T& slope) const;
  /// Ψ_k(x) and Ψ'_k(x) for all k.
  template <class T>
  void shapes_at(T x, T* value, T* slope) const;

  /// Ψ_k and Ψ'_k at both ends, kept ready.
  const P* start_shapes() const { return ends_.data(); }
  const P* end_shapes() const { return ends_.data() + size(); }

  /// Points along the beam that resolve the highest shape; Ψ'_k there in rows of size().
  int station_count() const { return station_count_; }
  P station(int j) const { return length() * j / (station_count_ - 1); }
  const P* station_slopes(int j) const {
    return station_slopes_.data() + static_cast<std::size_t>(j) * size();
  }
  /// The cell of the basis that x is in.
  int cell_of(double x) const {
    return std::clamp(static_cast<int>(x / value_of(basis_.cell_length())), 0, basis_.cell_count() - 1);
  }

 private:
  BeamBasisOf<P> basis_;
  P start_;
  std::vector<P> mean_, first_, weight_, stiffness_, damping_, held_damping_, ends_;
  int station_count_ = 0;
  std::vector<P> station_slopes_;

  template <class Q>
  friend class ElasticBeamOf;
  template <class Q>
  explicit ElasticBeamOf(const ElasticBeamOf<Q>& other);
  void keep_plain();
  std::shared_ptr<const ElasticBeamOf<double>> plain_;  // of other scalars
};
using ElasticBeam = ElasticBeamOf<double>;

/// w and ∂w/∂s of a beam at one place after the other, for fixed elastic coordinates: the sum over the shapes is made once
/// for a cell.
template <class T, class P = double>
class Deflection {
 public:
  Deflection(const ElasticBeamOf<P>& beam, const T* eta) : beam_(beam), eta_(eta) {}

  template <class X>
  void at(X x, T& w, T& slope) {
    const double place = value_of(x), end = value_of(beam_.length());
    const bool beyond = !(place >= 0 && place <= end);
    const P inside = place > end ? beam_.length() : P(0);  // where it goes on straight
    const P h = beam_.basis().cell_length();
    const int c = beam_.cell_of(beyond ? value_of(inside) : place);
    if (c != cell_) enter(c);
    if (beyond) {
      horner(inside / h - c, h, w, slope);
      w += slope * (x - inside);
    } else {
      horner(x * (1 / h) - double(c), h, w, slope);
    }
  }

 private:
  static constexpr int degree = BeamBasisOf<P>::degree;

  void enter(int cell) {
    cell_ = cell;
    const int n = beam_.size();
    const P* row = beam_.basis().cell(cell);
    for (int p = 0; p <= degree; ++p, row += n) {
      T s{};
      for (int k = 0; k < n; ++k) s += row[k] * eta_[k];
      sum_[p] = s;
    }
  }
  template <class X>
  void horner(X t, P h, T& w, T& slope) const {
    w = sum_[degree];
    slope = T(0);
    for (int p = degree - 1; p >= 0; --p) {
      slope = slope * t + w;
      w = w * t + sum_[p];
    }
    slope = slope * (1 / h);
  }

  const ElasticBeamOf<P>& beam_;
  const T* eta_;
  int cell_ = -1;
  T sum_[degree + 1];
};

template <class P>
template <class T, class X>
void ElasticBeamOf<P>::deflect(X x, const T* eta, T& w, T& slope) const {
  Deflection<T, P>(*this, eta).at(x, w, slope);
}

template <class P>
template <class T>
void ElasticBeamOf<P>::shapes_at(T x, T* value, T* slope) const {
  constexpr int degree = BeamBasisOf<P>::degree;
  const int n = size();
  const double at = value_of(x), end = value_of(length());
  const bool beyond = !(at >= 0 && at <= end);
  const P inside = at > end ? length() : P(0);  // where it goes on straight
  const P h = basis_.cell_length();
  const int c = cell_of(beyond ? value_of(inside) : at);
  const T t = beyond ? T(inside / h - c) : T(x * (1 / h) - double(c));
  const P* a = basis_.cell(c);
  for (int k = 0; k < n; ++k) {
    T w = T(a[degree * n + k]), d{};
    for (int p = degree - 1; p >= 0; --p) {
      d = d * t + w;
      w = w * t + a[p * n + k];
    }
    slope[k] = d * (1 / h);
    value[k] = w;
    if (beyond) value[k] += slope[k] * (x - inside);
  }
}

}  // namespace thud
