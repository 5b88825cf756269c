#pragma once

#include "thud/elements/element.hpp"

namespace thud {

/// Strain and material damping of the beam of a body: −k η − d η̇ on each of its coordinates.
/// Energy: stores ½ k η²; power of the damping −d η̇² ≤ 0 (unless Rayleigh damping was fitted to be negative).
template <class P>
struct BeamStrainOf {
  using Scalar = P;
  int body = 0;

  using Mode = NoMode;
  template <class T>
  using Work = NoWork<T>;
  static constexpr std::array<ChannelInfo, 1> channels = {{{"material_damping"}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr bool acts_in_modes = true;

  bool uses(int, const SceneOf<P>& s) const { return s.tree.body(body).beam->is_damped(); }

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>&) const {
    const ElasticBeamOf<P>& beam = *load.scene.tree.body(body).beam;
    const int begin = load.scene.tree.elastic_begin(body);
    const T *eta = load.frames.eta.data() + begin, *rate = load.frames.eta_rate.data() + begin;
    T* q = load.wrenches.elastic.data() + begin;
    // The material may be damped otherwise while the joint is held.
    const std::vector<P>& damping = load.joint_held[body] ? beam.damping_when_held() : beam.damping();
    const std::vector<P>& stiffness = beam.stiffness();
    T power{};
    for (int k = 0; k < beam.size(); ++k) {
      q[k] -= stiffness[k] * eta[k] + damping[k] * rate[k];
      power -= damping[k] * rate[k] * rate[k];
    }
    load.power[0] += power;
  }
};
using BeamStrain = BeamStrainOf<double>;

}  // namespace thud
