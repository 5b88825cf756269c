#pragma once
// What drives that react to the motion go by: signals, and expressions of them.

#include "thud/base/law_error.hpp"
#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"
#include "thud/math/timing.hpp"

namespace thud {

/// A number that the motion, the time or a controller gives, with any scalar: what an expression of the state is of.
template <class P>
struct SignalOf {
  enum class What : std::uint8_t {
    time,
    angle,
    rate,  // of a body
    joint_position,
    joint_rate,  // in the joint that carries it
    x,
    z,
    vx,
    vz,
    speed,
    depth,   // of a point of it, or of its mass centre
    output,  // of a controller: `index`
    state,   // the number of its state, from 1
    in_state,
    since,  // time since it came into its state
  };
  What what = What::time;
  int body = 0;
  bool center = false;  ///< the mass centre instead of `point`
  BodyPointOf<P> point{};
  int bed = 0;
  int controller = 0, index = 0;

  template <class T>
  T read(const Load<T, P>& load) const {
    const Frames<T, P>& f = load.frames;
    const TreeOf<P>& tree = load.scene.tree;
    switch (what) {
      case What::time: return load.time;
      case What::angle: return tree.angle(body, load.q);
      case What::rate: return f.rate[body];
      case What::joint_position: return tree.joint_position(f, load.q, body);
      case What::joint_rate: return tree.joint_rate(f, body);
      case What::x: return place(load).x;
      case What::z: return place(load).z;
      case What::vx: return velocity(load).x;
      case What::vz: return velocity(load).z;
      case What::speed: return norm(velocity(load));
      case What::depth: return load.scene.beds[bed].plane.depth(place(load));
      case What::output: return (*load.scene.controllers)[controller].output(index, load);
      case What::state: return T(load.control[controller].state + 1.0);
      case What::in_state: return T(load.control[controller].state == index ? 1.0 : 0.0);
      case What::since: return load.time - T(load.control[controller].since);
    }
    return T(0);
  }

  /// What cannot be told from zero of it. Speeds of what is held are zero only to what a step leaves.
  double small(const Scales& s) const { return (is_speed() ? tolerance::flow : tolerance::drive) * scale(s); }

 private:
  bool is_speed() const {
    return what == What::rate || what == What::joint_rate || what == What::vx || what == What::vz
        || what == What::speed;
  }
  double scale(const Scales& s) const {  // what counts as one of it
    switch (what) {
      case What::time:
      case What::since: return s.time;
      case What::rate:
      case What::joint_rate: return s.rate;
      case What::x:
      case What::z:
      case What::depth: return s.length;
      case What::vx:
      case What::vz:
      case What::speed: return s.speed;
      case What::joint_position: return std::max(1.0, s.length);
      default: return 1;
    }
  }
  template <class T>
  Vec2<T> place(const Load<T, P>& load) const {
    return load.frames.origin[body]
         + (center ? load.scene.tree.center_arm(load.frames, body) : load.frames.arm(body, point));
  }
  template <class T>
  Vec2<T> velocity(const Load<T, P>& load) const {
    return center ? load.scene.tree.center_velocity(load.frames, body) : load.frames.velocity(body, point);
  }
};

/// Sides of the switches of an expression (FormulaOf), fixed while a mode lasts. At zero they count as above.
struct DriveMode {
  std::uint32_t above = ~0u;

  friend bool operator==(const DriveMode&, const DriveMode&) = default;
};

/// What an evaluation of an expression finds out.
template <class T>
struct DriveWork {
  std::vector<T> switches;
  std::vector<double> inputs;
};

/// An expression of signals.
template <class P>
struct DriveOf {
  std::string text;  ///< as it is written, for messages
  FormulaOf<P> formula;
  std::vector<SignalOf<P>> inputs;  ///< of the formula; the first is the time

  template <class T>
  void prepare(DriveWork<T>& w) const {
    w.switches.assign(formula.switch_count, T(0));
    w.inputs.assign(inputs.size(), 0.0);
  }

  /// Lean: `w` is not filled.
  template <bool Lean, class T>
  T act(const Load<T, P>& load, DriveMode m, DriveWork<T>& w) const {
    T x[FormulaOf<P>::most_inputs];
    for (std::size_t k = 0; k < inputs.size(); ++k) x[k] = inputs[k].read(load);
    T* switches = nullptr;
    if constexpr (!Lean) {
      switches = w.switches.data();
      for (std::size_t k = 0; k < inputs.size(); ++k) w.inputs[k] = value_of(x[k]);
    }
    const T out = formula(x, m.above, switches);
    if (!std::isfinite(value_of(out)))
      throw LawError("\"" + text
                     + "\" is not a finite number (a division by zero, or a root of a negative number?)");
    return out;
  }

  /// Calls sink(value, tolerance, k): positive while the side of switch k is right.
  template <class T, class Sink>
  void guards(DriveMode m, const DriveWork<T>& w, const Scales& scales, Sink&& sink) const {
    for (int k = 0; k < formula.switch_count; ++k) {
      const bool above = m.above >> k & 1u;
      const T value = above ? w.switches[k] : -w.switches[k];
      sink(value, value_of(value) < 0 ? small(k, m, w.inputs, scales) : 0.0, k);
    }
  }

  /// Sides for a state `here`; what is zero there is told by the state a moment later. True when one has changed.
  bool settle(const DriveWork<double>& here, const DriveWork<double>& there, const Scales& scales,
              DriveMode& m) const {
    const DriveMode before = m;
    for (int k = 0; k < formula.switch_count; ++k) {
      const double least = small(k, m, here.inputs, scales);
      double value = here.switches[k];
      if (std::abs(value) <= least) value = there.switches[k];
      if (std::abs(value) <= 1e-9 * least) continue;  // it stays: as it was
      const std::uint32_t bit = 1u << k;
      m.above = value > 0 ? m.above | bit : m.above & ~bit;
    }
    return !(m == before);
  }

  /// Instants at which it may jump, of its own accord.
  TimingFunction timing() const {
    if (!formula.uses(0)) return {};
    return [f = formula](double from, double to) { return timing_of(f, from, to); };
  }

 private:
  // What cannot be told from zero of a switch: how it changes with each input, times what is small of that.
  double small(int k, DriveMode m, const std::vector<double>& at, const Scales& scales) const {
    Dual<double> x[FormulaOf<P>::most_inputs], switches[FormulaOf<P>::most_switches];
    for (std::size_t i = 0; i < at.size(); ++i) x[i] = at[i];
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      x[i].d = 1;
      plain()(x, m.above, switches);
      x[i].d = 0;
      sum += std::abs(switches[k].d) * (inputs[i].small(scales) + 1e-3 * tolerance::drive * std::abs(at[i]));
    }
    return sum;
  }
  const FormulaOf<double>& plain() const {
    if constexpr (std::is_same_v<P, double>)
      return formula;
    else
      return plain_;
  }

 public:
  FormulaOf<double> plain_{};  // of parameters that are dual numbers: their values
};
using Drive = DriveOf<double>;

/// What is discrete about a controller: its state, when it came into it, and what it puts out where it is sampled.
struct ControlMode {
  int state = 0;
  double since = 0;
  std::vector<DriveMode> sides;  ///< of the expressions of its outputs in this state
  std::vector<double> held;      ///< sampled outputs, as they act now

  friend bool operator==(const ControlMode&, const ControlMode&) = default;
};

}  // namespace thud
