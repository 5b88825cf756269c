#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/signal.hpp"

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

/// A torque in the joint that carries a body, prescribed in time or by an expression of the state: T on the body, −T on
/// what carries it (a force along the line of a slider).
/// Energy: supplies T γ.
template <class P>
struct JointTorqueOf {
  using Scalar = P;
  int body = 0;
  TimeFunctionOf<P> torque;  ///< [N m]
  std::string label{};       ///< of a servo or motor

  using Mode = DriveMode;
  template <class T>
  struct Work {
    T moment{};
    DriveWork<T> drive;
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"torque", true}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "prescribed torques";
  const std::string& subject() const { return label; }

  template <class T>
  void prepare(const SceneOf<P>&, Work<T>& w) const {
    if (torque.drive) torque.drive->prepare(w.drive);
  }
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    w.moment =
        torque.drive ? torque.drive->template act<Lean>(load, m, w.drive) : T(torque(value_of(load.time)));
    load.power[0] += w.moment * load.scene.tree.joint_rate(load.frames, body);
    load.scene.tree.add_joint_moment(load.frames, body, w.moment, load.wrenches);
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return which == body ? w.moment : T(0);
  }
  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    if (!torque.drive) return;
    torque.drive->guards(m, w.drive, scales, [&](const T& value, double small, int k) {
      sink(value, small, GuardRole::change, guard::first_own, static_cast<std::int16_t>(k));
    });
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const {
    return torque.drive && torque.drive->settle(here.drive, there.drive, scales, m);
  }
  /// Takes the other side of a corner.
  static bool flip(const GuardId& id, Mode& m) { return m.above ^= 1u << id.sub, true; }
  std::string drive_text(const GuardId&, const Mode&) const { return torque.drive ? torque.drive->text : ""; }
  /// A pulse must not fall between two steps of a motion that stands still.
  void timing(double from, double to, Timing& out) const { torque.tell_timing(from, to, out); }
  /// What stands still now may yet be moved.
  bool is_to_change(double now, double end, const Scales& scales) const {
    return changes(torque, now, end, scales.moment);
  }
  template <class Sink>
  void inputs_at(double t, Sink&& sink) const {
    if (!torque.drive) sink(value_of(torque(t)));
  }
  template <class Put>
  void observables(const SceneOf<P>& s, Put&& put) const {
    if (label.empty()) return;
    const bool slides = s.tree.joint_kind(body) == JointKind::slider;
    put(0, label + (slides ? ".force" : ".torque"), slides ? "N" : "N m",
        (slides ? "force of " : "torque of ") + label);
  }
  template <class T>
  T observe(int, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return w.moment;
  }
};
using JointTorque = JointTorqueOf<double>;

}  // namespace thud
