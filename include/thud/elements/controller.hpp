#pragma once

#include "thud/elements/signal.hpp"

namespace thud {

/// A controller: a machine of named states, whose outputs torques and forces name in their expressions. It exerts no force
/// itself. In each state every output is an expression of the motion, or, where it is sampled, a number that is held from
/// one tick to the next. The run takes it from state to state (src/event/control.hpp).
template <class P>
struct ControllerOf {
  using Scalar = P;
  struct State {
    std::string name;
    std::vector<DriveOf<P>> outputs;  ///< in the order of `outputs`; of sampled controllers none
    bool waits = false;               ///< goes on after some time
  };
  std::string label;
  std::vector<std::string> outputs;
  std::vector<State> states;
  int start = 0;
  bool sampled = false;

  using Mode = ControlMode;
  template <class T>
  struct Work {
    std::vector<DriveWork<T>> drives;  ///< of the outputs
    std::vector<T> values;
    double state = 0;
    T since{};
  };
  static constexpr std::array<ChannelInfo, 0> channels = {};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "controllers";
  const std::string& subject() const { return label; }

  /// The mode at the start of a run.
  void begin(double t, Mode& m) const { enter(start, t, m); }
  void enter(int state, double t, Mode& m) const {
    m.state = state;
    m.since = t;
    m.sides.assign(sampled ? 0 : outputs.size(), {});
    m.held.resize(sampled ? outputs.size() : 0, 0.0);
  }

  template <class T>
  T output(int k, const Load<T, P>& load) const {
    const Mode& m = load.control[index];
    if (sampled) return T(m.held.empty() ? 0.0 : m.held[k]);
    DriveWork<T> none;
    return states[m.state].outputs[k].template act<true>(load, m.sides[k], none);
  }

  template <class T>
  void prepare(const SceneOf<P>&, Work<T>& w) const {
    w.drives.resize(outputs.size());
    w.values.assign(outputs.size(), T(0));
  }
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    if constexpr (Lean) return;
    w.state = m.state + 1;
    w.since = load.time - T(m.since);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (sampled || m.sides.empty()) {
        w.values[k] = T(m.held.empty() ? 0.0 : m.held[k]);
        continue;
      }
      const DriveOf<P>& drive = states[m.state].outputs[k];
      drive.prepare(w.drives[k]);
      w.values[k] = drive.template act<false>(load, m.sides[k], w.drives[k]);
    }
  }
  template <class L>
  KernelOn<L> kernel(const SceneOf<P>&, const Mode&) const {
    return nullptr;
  }

  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    int before = 0;
    for (std::size_t k = 0; k < m.sides.size(); ++k) {
      const DriveOf<P>& drive = states[m.state].outputs[k];
      drive.guards(m.sides[k], w.drives[k], scales, [&](const T& value, double small, int s) {
        sink(value, small, GuardRole::change, guard::first_own, static_cast<std::int16_t>(before + s));
      });
      before += drive.formula.switch_count;
    }
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const {
    bool changed = false;
    for (std::size_t k = 0; k < m.sides.size(); ++k)
      changed =
          states[m.state].outputs[k].settle(here.drives[k], there.drives[k], scales, m.sides[k]) || changed;
    return changed;
  }
  std::string drive_text(const GuardId& id, const Mode& m) const {
    int before = 0;
    for (const DriveOf<P>& drive : states[m.state].outputs)
      if (id.sub < (before += drive.formula.switch_count)) return drive.text;
    return label;
  }
  void timing(double from, double to, Timing& out) const {
    for (const State& s : states)
      for (const DriveOf<P>& drive : s.outputs) add_timing(drive.timing(), false, from, to, out);
  }
  /// What stands still now may yet be moved.
  bool is_to_change(const Mode& m) const { return sampled || states[m.state].waits; }

  template <class Put>
  void observables(const SceneOf<P>&, Put&& put) const {
    put(0, label + ".state", "", "number of the state of " + label + ", from 1");
    put(1, label + ".time", "s", "time since " + label + " came into its state");
    for (std::size_t k = 0; k < outputs.size(); ++k)
      put(2 + static_cast<int>(k), label + "." + outputs[k], "", "output of " + label);
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return code == 0 ? T(w.state) : code == 1 ? w.since : w.values[code - 2];
  }

  int index = 0;  ///< its place among the controllers
};
using Controller = ControllerOf<double>;

}  // namespace thud
