#pragma once

#include <algorithm>

#include "thud/elements/element.hpp"

namespace thud {

/// When a joint that has turned sticks, after Chapnik, Heppler & Aplevich (1991), §IV: it is clamped when its rate and the
/// kinetic energy of the bending of its beam are below thresholds at the same time, and let go when the moment of the
/// bent beam leaves the band of static friction. Off: Coulomb's rule alone, which needs no thresholds.
template <class P>
struct ClampRuleOf {
  P rate{};             ///< |q̇| below which it may be clamped [rad/s]; 0: no such rule
  P energy{};           ///< ½ Σ m η̇² of the beam below which it may be clamped [J]
  P static_positive{};  ///< moment that holds it against positive turning [N m]
  P static_negative{};  ///< and against negative turning [N m]

  bool is_on() const { return value_of(rate) > 0; }
  bool is_given() const { return value_of(energy) > 0; }  ///< it may be turned off all the same
};
using ClampRule = ClampRuleOf<double>;

struct JointFrictionMode {
  std::int8_t slip = slip::forward;
  bool clamped = false;  ///< by its ClampRule

  friend bool operator==(const JointFrictionMode&, const JointFrictionMode&) = default;
};

template <class T>
struct JointFrictionWork {
  T rate{}, moment{};
  bool clamped = false;  ///< as the mode has it
};

/// Coulomb friction in the joint that carries a body, a set-valued moment: −a for γ > 0, +b for γ < 0, between them at
/// rest. Energy: power = −a γ or b γ ≤ 0.
template <class P>
struct JointFrictionOf {
  using Scalar = P;
  int body = 0;
  P positive{}, negative{};  ///< a and b [N m]
  ClampRuleOf<P> rule{};

  using Mode = JointFrictionMode;
  template <class T>
  using Work = JointFrictionWork<T>;
  static constexpr std::array<ChannelInfo, 1> channels = {{{"joint_friction"}}};
  static constexpr std::array<SwitchInfo, 1> switches = {{{": joint", 0, true}}};

  static constexpr const char* left_out_of_modes = "dry friction in joints";
  std::string name(const SceneOf<P>& s) const { return s.tree.body(body).name; }

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    w.rate = load.scene.tree.joint_rate(load.frames, body);
    w.clamped = m.clamped;
    load.joint_held[body] = is_held(m);
    w.moment = slip::fixed_force(m.slip, T(positive), T(negative));
    load.power[0] += w.moment * w.rate;
    load.scene.tree.add_joint_moment(load.frames, body, w.moment, load.wrenches);
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    return which == body ? w.moment : T(0);
  }

  bool is_active(int, const SceneOf<P>&, const Mode&) const { return true; }
  static std::int8_t& state(int, Mode& m) { return m.slip; }
  template <class T>
  static T& force(int, Work<T>& w) {
    return w.moment;
  }
  template <class T>
  static T rate(int, const Work<T>& w) {
    return w.rate;
  }
  template <class T>
  void bounds(int, const Work<T>& w, T& lower, T& upper) const {
    lower = T(positive), upper = T(negative);
    // What is clamped holds any moment; its beam tears it loose, see load_of.
    if (w.clamped) lower = upper = T(1e9 * (rule.static_positive + rule.static_negative));
  }
  template <class T>
  void add_row(int, const SceneOf<P>& s, const Frames<T, P>&, const Work<T>&, T* row) const {
    s.tree.add_joint_moment(body, T(1), row);
  }
  template <class T>
  void fill_row(int, const SceneOf<P>&, const Work<T>&, HeldRow<T>& row) const {
    row.body = body;
    row.joint = true;
  }
  template <class T>
  T bias(int, const SceneOf<P>&, const Mode&, const Frames<Dual<T>, P>&) const {
    return T(0);
  }

  template <class T>
  bool plain_bias(int, const Frames<T, P>&, const Work<T>&, T& out) const {
    return out = T(0), true;
  }

  enum Guard : std::uint8_t { g_clamp = guard::first_own };
  template <class T, class Sink>
  void guards(const SceneOf<P>& s, const Frames<T, P>& f, const Mode& m, const Work<T>& w,
              const Scales& scales, Sink&& sink) const {
    if (rule.is_on() && m.clamped) {
      using std::abs;
      sink(1 - abs(load_of(s, f)), tolerance::clamp, GuardRole::change, g_clamp, 0);
      return;
    }
    slip_guards(*this, 0, m.slip, w, scales, sink);
    if (rule.is_on()) sink(margin(s, f), tolerance::clamp, GuardRole::change, g_clamp, 0);
  }
  template <class Log>
  void log(const Mode& before, const Mode& after, Log&& log) const {
    if (before.clamped != after.clamped)
      log.push(after.clamped ? EventKind::clamp : EventKind::unclamp, before.slip, after.slip);
    else
      log.push_switches();
  }

  /// Moment that holds the root of the bent beam, over the static friction that can: beyond ±1 it tears loose.
  template <class T>
  T load_of(const SceneOf<P>& s, const Frames<T, P>& f) const;
  /// Positive while the joint is too fast, or too heavily loaded, to be clamped.
  template <class T>
  T margin(const SceneOf<P>& s, const Frames<T, P>& f) const;

  /// What stands still at the start is clamped, whatever the bending does.
  void clamp_at_start(const SceneOf<P>& s, const Frames<double, P>& f, const Work<double>& w, Mode& m) const {
    if (!rule.is_on() || w.rate != 0 || !(std::abs(load_of(s, f)) < 1)) return;
    m.clamped = true;
    m.slip = slip::stuck;
  }
  /// Lets go what the bent beam has torn loose; true when it has become slow enough to be clamped instead. The rest of
  /// its motion is lost to friction then; the beam bends on as it did.
  bool update_clamp(const SceneOf<P>& s, const Frames<double, P>& f, Mode& m) const;
  /// A rate that passes through zero must be seen while it is below the threshold.
  double longest_step(const StepState& s, const Mode& m, const Work<double>&) const {
    if (!rule.is_on() || m.slip == slip::stuck) return std::numeric_limits<double>::infinity();
    const int dof = s.scene.tree.joint_dof(body);
    const double rate_ = std::abs(s.v[dof]), pull = std::abs(s.a[dof]);
    return pull > 0 ? std::max(rate_ - 0.5 * rule.rate, 0.4 * rule.rate) / pull
                    : std::numeric_limits<double>::infinity();
  }
  /// As far as the material of its beam is concerned.
  bool is_held(const Mode& m) const { return rule.is_on() ? m.clamped : m.slip == slip::stuck; }
};
using JointFriction = JointFrictionOf<double>;

// Held still, the hub needs the moment Σ ∫sΨ_k dm η̈_k; the bending alone gives η̈_k = −ω_k² η_k, without the damping.
template <class P>
template <class T>
T JointFrictionOf<P>::load_of(const SceneOf<P>& s, const Frames<T, P>& f) const {
  const ElasticBeamOf<P>& beam = *s.tree.body(body).beam;
  const T* eta = f.eta.data() + s.tree.elastic_begin(body);
  T moment{};
  for (int k = 0; k < beam.size(); ++k)
    moment -= beam.first()[k] * beam.stiffness()[k] / beam.modal_mass() * eta[k];
  return moment / (moment > T(0) ? rule.static_negative : rule.static_positive);
}

template <class P>
template <class T>
T JointFrictionOf<P>::margin(const SceneOf<P>& s, const Frames<T, P>& f) const {
  using std::abs, std::max;
  const ElasticBeamOf<P>& beam = *s.tree.body(body).beam;
  const T* rate_ = f.eta_rate.data() + s.tree.elastic_begin(body);
  T kinetic{};
  for (int k = 0; k < beam.size(); ++k) kinetic += 0.5 * beam.modal_mass() * rate_[k] * rate_[k];
  // A little inside the band that lets go: where the load is the last to come down, it must be seen to be inside.
  constexpr double inside = 1 + 1e-6;
  const T turning = abs(s.tree.joint_rate(f, body)) / rule.rate, bending = kinetic / rule.energy;
  return max(max(turning, bending), T(inside * abs(load_of(s, f)))) - 1;
}

}  // namespace thud
