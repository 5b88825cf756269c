#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// Viscous damping in the joint that carries a body: M = −c γ, γ the relative rate (a force per speed in a slider).
/// Energy: power = −c γ² ≤ 0.
template <class P>
struct JointDampingOf {
  using Scalar = P;
  int body = 0;
  P coefficient{};  ///< [N m s/rad]

  using Mode = NoMode;
  template <class T>
  struct Work {
    T moment{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"joint_damping"}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr bool acts_in_modes = true;

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>& w) const {
    const T rate = load.scene.tree.joint_rate(load.frames, body);
    w.moment = -coefficient * rate;
    load.power[0] += w.moment * rate;
    load.scene.tree.add_joint_moment(load.frames, body, w.moment, load.wrenches);
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return which == body ? w.moment : T(0);
  }
};
using JointDamping = JointDampingOf<double>;

/// A prescribed torque in the joint that carries a body: T(t) on the body, −T(t) on what carries it.
/// Energy: supplies T γ.
template <class P>
struct JointTorqueOf {
  using Scalar = P;
  int body = 0;
  TimeFunctionOf<P> torque;  ///< [N m]

  using Mode = NoMode;
  template <class T>
  struct Work {
    T moment{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"torque", true}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "prescribed torques";

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>& w) const {
    w.moment = T(torque(value_of(load.time)));
    load.power[0] += w.moment * load.scene.tree.joint_rate(load.frames, body);
    load.scene.tree.add_joint_moment(load.frames, body, w.moment, load.wrenches);
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return which == body ? w.moment : T(0);
  }
  /// A pulse must not fall between two steps of a motion that stands still.
  double coarsest_step(double span) const {
    return torque.varies ? span / 1000 : std::numeric_limits<double>::infinity();
  }
  template <class Sink>
  void edges(Sink&& sink) const {
    for (double t : torque.edges) sink(t);
  }
  /// What stands still now may yet be moved.
  bool is_to_change(double now, double end, const Scales& scales) const {
    return changes(torque, now, end, scales.moment);
  }
  template <class Sink>
  void inputs_at(double t, Sink&& sink) const {
    sink(value_of(torque(t)));
  }
};
using JointTorque = JointTorqueOf<double>;

}  // namespace thud
