#pragma once

#include "thud/elements/element.hpp"

namespace thud {

/// Air drag −k|v_C|v_C at the mass centre of a body, k = ½ C_d ρ A (Lee 2009, §3.3).
/// Energy: power = −k|v_C|³ ≤ 0.
template <class P>
struct AirDragOf {
  using Scalar = P;
  int body = 0;
  P k{};  ///< [kg/m]

  using Mode = NoMode;
  template <class T>
  using Work = NoWork<T>;
  static constexpr std::array<ChannelInfo, 1> channels = {{{"air"}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "air drag";

  template <class T>
  Vec2<T> force(const TreeOf<P>& tree, const Frames<T, P>& frames) const {
    const Vec2<T> v = tree.center_velocity(frames, body);
    return (-k * norm(v)) * v;
  }

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>&) const {
    const TreeOf<P>& tree = load.scene.tree;
    const Vec2<T> v = tree.center_velocity(load.frames, body);
    const Vec2<T> f = (-k * norm(v)) * v;
    load.wrenches.add(body, tree.center_arm(load.frames, body), f);
    load.power[0] += dot(f, v);
    const BodyOf<P>& b = tree.body(body);
    if (!b.beam) return;
    const T lateral = dot(f, load.frames.w[body]) * (P(1) / b.mass);  // spread over the mass of the beam
    T* q = load.wrenches.elastic.data() + tree.elastic_begin(body);
    for (int j = 0; j < b.beam->size(); ++j) q[j] += b.beam->mean()[j] * lateral;
  }
  template <class T>
  Vec2<T> force_on(int which, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>&) const {
    return which == body ? force(s.tree, frames) : Vec2<T>{};
  }
};
using AirDrag = AirDragOf<double>;

}  // namespace thud
