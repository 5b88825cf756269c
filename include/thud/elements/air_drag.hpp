#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// Air drag −k|v|v at the mass centre of a body, k = ½ C_d ρ A (Lee 2009, §3.3); v is the velocity of the mass centre
/// against the air, which stands still or blows to the right with the speed of the wind, prescribed in time.
/// Energy: power = −k|v| v·v_C; what the wind does to a body is a loss below zero.
template <class P>
struct AirDragOf {
  using Scalar = P;
  int body = 0;
  P k{};                     ///< [kg/m]
  TimeFunctionOf<P> wind{};  ///< [m/s]

  using Mode = NoMode;
  template <class T>
  struct Work {
    Vec2<T> force{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"air"}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "air drag";

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>& w) const {
    const TreeOf<P>& tree = load.scene.tree;
    const Vec2<T> v = tree.center_velocity(load.frames, body);
    Vec2<T> against = v;
    if (wind.f) against.x -= T(wind(value_of(load.time)));
    const Vec2<T> f = (-k * norm(against)) * against;
    w.force = f;
    load.wrenches.add(body, tree.center_arm(load.frames, body), f);
    load.power[0] += dot(f, v);
    const BodyOf<P>& b = tree.body(body);
    if (!b.beam) return;
    const T lateral = dot(f, load.frames.w[body]) * (P(1) / b.mass);  // spread over the mass of the beam
    T* q = load.wrenches.elastic.data() + tree.elastic_begin(body);
    for (int j = 0; j < b.beam->size(); ++j) q[j] += b.beam->mean()[j] * lateral;
  }
  template <class T>
  Vec2<T> force_on(int which, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return which == body ? w.force : Vec2<T>{};
  }
  /// A pulse must not fall between two steps of a motion that stands still.
  void timing(double from, double to, Timing& out) const { wind.tell_timing(from, to, out); }
  bool is_to_change(double now, double end, const Scales& scales) const {
    return changes(wind, now, end, scales.speed);
  }
};
using AirDrag = AirDragOf<double>;

}  // namespace thud
