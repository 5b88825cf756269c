#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// A joint whose angle (of a slider: its travel) is prescribed in time, and the moment (force) that it takes.
///
///   φ = f(t),   φ̇ = f'(t),   φ̈ = f''(t)
///
/// f is continuous. Where f' jumps, at an edge of the expression, the motion jolts: an impulse takes the joint along.
///
/// Energy: supplies λ φ̇, of impacts P φ̇, P the impulse in the joint.
template <class P>
struct PrescribedMotionOf {
  using Scalar = P;
  std::string label;
  int body = 0;
  PathFunctionOf<P> position;  ///< [rad], in a slider [m]

  using Mode = NoMode;
  template <class T>
  struct Work {
    T force{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"motion", true}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};

  static constexpr const char* table = "motion";
  static constexpr const char* table_about =
      "Prescribes the angle in a joint, or the travel of a slider, in time: a driven crank, a shaken base.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.joint("joint", body, "the body whose joint is moved");
    k.path("position", position, "rad", "m", "angle in the joint; in a slider the travel");
  }
  const std::string& subject() const { return label; }
  /// What two of them cannot both do; empty: they can.
  std::string clash(const PrescribedMotionOf& other, const TreeOf<P>& tree) const {
    return body != other.body ? ""
                              : "the joint of \"" + tree.body(body).name + "\" is prescribed by \""
                                    + other.label + "\" already";
  }

  template <bool Lean, class T>
  void apply(Load<T, P>&, const Mode&, Work<T>&) const {}
  template <class L>
  static KernelOn<L> kernel(const SceneOf<P>&, const Mode&) {
    return nullptr;
  }

  // ---- constraints, see loop.hpp ----
  int constraint_count() const { return 1; }
  static constexpr bool constraint_varies = true;
  bool keeps_offset() const { return false; }
  bool constraint_turns() const { return turns_; }
  void attach(const TreeOf<P>& tree) { turns_ = tree.joint_kind(body) != JointKind::slider; }

  template <class T>
  T gap(int, double t, const SceneOf<P>& s, const Frames<T, P>& f, const T* q) const {
    return s.tree.joint_position(f, q, body) - position(t)[0];
  }
  template <class T>
  T closing(int, double t, const SceneOf<P>& s, const Frames<T, P>& f) const {
    return s.tree.joint_rate(f, body) - position(t)[1];
  }
  template <class T>
  void add_constraint_row(int, const SceneOf<P>& s, const Frames<T, P>&, T* row) const {
    s.tree.add_joint_moment(body, T(1), row);
  }
  template <class T, class Moving>
  T constraint_bias(int, double t, const SceneOf<P>&, const Frames<T, P>&, Moving&&) const {
    return T(-position(t)[2]);
  }
  template <class T>
  void take_reaction(int, T force, const SceneOf<P>& s, const Frames<T, P>& f, Work<T>& w, T* power) const {
    w.force = force;
    if (power) *power += force * s.tree.joint_rate(f, body);
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return which == body ? w.force : T(0);
  }

  /// A pulse must not fall between two steps of a motion that stands still.
  void timing(double from, double to, Timing& out) const { position.tell_timing(from, to, out); }
  bool is_to_change(double now, double end, const Scales& scales) const {
    return changes(position.value(), now, end, turns_ ? 1.0 : scales.length);
  }
  template <class Sink>
  void inputs_at(double t, Sink&& sink) const {
    sink(value_of(position(t)[2]));
  }

  template <class Put>
  void observables(const SceneOf<P>& s, Put&& put) const {
    const bool slides = s.tree.joint_kind(body) == JointKind::slider;
    put(0, label + (slides ? ".force" : ".moment"), slides ? "N" : "N m",
        (slides ? "force" : "moment") + (" that " + label + " takes"));
  }
  template <class T>
  T observe(int, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return w.force;
  }

 private:
  bool turns_ = true;
};
using PrescribedMotion = PrescribedMotionOf<double>;

}  // namespace thud
