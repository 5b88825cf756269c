#pragma once

#include <algorithm>

#include "thud/elements/element.hpp"

namespace thud {

/// When a joint that has turned sticks, after Chapnik, Heppler & Aplevich (1991), §IV: it is clamped when its rate and the
/// kinetic energy of the bending of its beam are below thresholds at the same time, and let go when the moment of the
/// bent beam leaves the band of static friction. Off: Coulomb's rule alone, which needs no thresholds.
struct ClampRule {
  double rate = 0;             ///< |q̇| below which it may be clamped [rad/s]; 0: no such rule
  double energy = 0;           ///< ½ Σ m η̇² of the beam below which it may be clamped [J]
  double static_positive = 0;  ///< moment that holds it against positive turning [N m]
  double static_negative = 0;  ///< and against negative turning [N m]

  bool is_on() const { return rate > 0; }
  bool is_given() const { return energy > 0; }  ///< it may be turned off all the same
};

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
struct JointFriction {
  int body = 0;
  double positive = 0, negative = 0;  ///< a and b [N m]
  ClampRule rule{};

  using Mode = JointFrictionMode;
  template <class T>
  using Work = JointFrictionWork<T>;
  static constexpr std::array<ChannelInfo, 1> channels = {{{"joint_friction"}}};
  static constexpr std::array<SwitchInfo, 1> switches = {{{": joint", 0, true}}};

  static constexpr const char* left_out_of_modes = "dry friction in joints";
  std::string name(const Scene& s) const { return s.tree.body(body).name; }

  template <bool Lean, class T>
  void apply(Load<T>& load, const Mode& m, Work<T>& w) const {
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

  bool is_active(int, const Scene&, const Mode&) const { return true; }
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
  void bounds(int, const Work<T>& w, double& lower, double& upper) const {
    lower = positive, upper = negative;
    // What is clamped holds any moment; its beam tears it loose, see load_of.
    if (w.clamped) lower = upper = 1e9 * (rule.static_positive + rule.static_negative);
  }
  template <class T>
  void add_row(int, const Scene& s, const Frames<T>&, const Work<T>&, T* row) const {
    s.tree.add_joint_moment(body, T(1), row);
  }
  template <class T>
  void fill_row(int, const Scene&, const Work<T>&, HeldRow<T>& row) const {
    row.body = body;
    row.joint = true;
  }
  template <class T>
  T bias(int, const Scene&, const Mode&, const Frames<Dual<T>>&) const {
    return T(0);
  }

  enum Guard : std::uint8_t { g_clamp = guard::first_own };
  template <class Sink>
  void guards(const Scene& s, const Frames<double>& f, const Mode& m, const Work<double>& w,
              const Scales& scales, Sink&& sink) const {
    if (rule.is_on() && m.clamped) {
      sink(1 - std::abs(load_of(s, f)), tolerance::clamp, GuardRole::change, g_clamp, 0);
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
  double load_of(const Scene& s, const Frames<double>& f) const;
  /// Positive while the joint is too fast, or too heavily loaded, to be clamped.
  double margin(const Scene& s, const Frames<double>& f) const;

  /// What stands still at the start is clamped, whatever the bending does.
  void clamp_at_start(const Scene& s, const Frames<double>& f, const Work<double>& w, Mode& m) const {
    if (!rule.is_on() || w.rate != 0 || !(std::abs(load_of(s, f)) < 1)) return;
    m.clamped = true;
    m.slip = slip::stuck;
  }
  /// Lets go what the bent beam has torn loose; true when it has become slow enough to be clamped instead. The rest of
  /// its motion is lost to friction then; the beam bends on as it did.
  bool update_clamp(const Scene& s, const Frames<double>& f, Mode& m) const;
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

}  // namespace thud
