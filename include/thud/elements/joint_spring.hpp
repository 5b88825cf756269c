#pragma once

#include "thud/elements/elastic.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// A spring in the joint that carries a body.
///
///   M = −k (φ − φ₀) on the body, the opposite on what carries it;   φ the angle in the joint
///
/// In a slider M is the force along its line, φ the travel. A preload, an expression of φ − φ₀ in the place of
/// k (φ − φ₀), and one-way springs: see ElasticOf, whose force is −M.
///
/// Energy: stores ½ k (φ − φ₀)².
template <class P>
struct JointSpringOf : ElasticOf<P> {
  using Scalar = P;
  std::string label;
  int body = 0;
  P rest{};  ///< [rad]; in a slider [m]

  using ElasticOf<P>::stiffness;  // [N m/rad]; in a slider [N/m]
  using ElasticOf<P>::preload;

  using Mode = ElasticMode;
  template <class T>
  struct Work {
    T angle{}, moment{}, stored{};
    T rate{};  ///< where it is not plain
  };
  static constexpr std::array<ChannelInfo, 0> channels = {};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr bool acts_in_modes = true;
  static constexpr const char* store = "joint_spring";
  static constexpr const char* store_about = "energy stored in springs of joints";

  static constexpr const char* table = "joint_spring";
  static constexpr const char* table_about =
      "A spring in the joint that carries a body: moment = -stiffness (angle in the joint - rest). "
      "The angle in "
      "the joint is that of the body less that of what carries it. In a slider the force along its line is "
      "-stiffness (travel - rest).";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.joint("joint", body, "the body whose joint it acts in");
    k.joint_number_unless("moment", "stiffness", stiffness, "N m/rad", "N/m", Admits::non_negative,
                          "moment per angle; in a slider force per travel");
    k.joint_curve(
        "moment", this->curve, "x", "N m", "N",
        "instead of `stiffness`: moment against the deflection `x` = angle - rest; in a slider force "
        "against travel - rest");
    k.joint_number_or("rest", rest, "rad", "m", Admits::anything,
                      "angle in the joint without moment; in a slider travel without force");
    k.joint_number_or("preload", preload, "N m", "N", Admits::anything,
                      "moment against the angle, at the rest angle");
    k.choice("one_way", this->one_way, {"no", "pull", "push"},
             "`pull`: only beyond `rest`; `push`: only below it");
  }

  const std::string& subject() const { return label; }
  double force_size() const { return value_of(stiffness); }

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    w.angle = load.scene.tree.joint_position(load.frames, load.q, body);
    const T turn = w.angle - rest;
    w.moment = -stiffness * turn;
    w.stored = 0.5 * stiffness * turn * turn;
    if (!this->is_plain()) {
      w.rate = load.scene.tree.joint_rate(load.frames, body);
      this->template find<Lean>(m, turn, w.moment, w.stored);
      w.moment = -w.moment;
    }
    load.scene.tree.add_joint_moment(load.frames, body, w.moment, load.wrenches);
  }
  template <class T>
  static T stored(const Work<T>& w) {
    return w.stored;
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return which == body ? w.moment : T(0);
  }

  template <class T, class Sink>
  void guards(const SceneOf<P>& s, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    const double size = s.tree.joint_kind(body) == JointKind::slider ? scales.length : 1;
    if (!this->is_plain()) ElasticOf<P>::guards(m, T(w.angle - rest), tolerance::level * size, sink);
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales&, Mode& m) const {
    return !this->is_plain()
        && this->settle(here.angle - value_of(rest), there.angle - value_of(rest),
                        tolerance::undecided_length, m);
  }

  /// One way, it must not be passed between two looks.
  double longest_step(const StepState& s, const Mode&, const Work<double>& w) const {
    return this->one_way == 0
             ? std::numeric_limits<double>::infinity()
             : 0.25 * (s.scene.tree.joint_kind(body) == JointKind::slider ? s.scales.length : 1)
                   / (std::abs(w.rate) + 1e-300);
  }

  template <class Put>
  void observables(const SceneOf<P>& s, Put&& put) const {
    const bool slides = s.tree.joint_kind(body) == JointKind::slider;
    put(0, label + (slides ? ".travel" : ".angle"), slides ? "m" : "rad",
        (slides ? "travel" : "angle") + (" in the joint of " + label));
    put(1, label + (slides ? ".force" : ".moment"), slides ? "N" : "N m",
        (slides ? "force" : "moment") + (" of " + label));
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return code == 0 ? w.angle : w.moment;
  }
};
using JointSpring = JointSpringOf<double>;

}  // namespace thud
