#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/signal.hpp"

namespace thud {

struct PointForceMode {
  DriveMode x, z;

  friend bool operator==(const PointForceMode&, const PointForceMode&) = default;
};

/// A force at a point of a body, prescribed in time or by an expression of the state: a push in the world's frame, or
/// a thruster in the body's.
///
///   F = (X(t), Z(t)) in the world;   F = X(t) ŵ + Z(t) u in the body's frame (Z along its axis)
///
/// Energy: supplies F · v of the point.
template <class P>
struct PointForceOf {
  using Scalar = P;
  std::string label;
  AttachmentOf<P> at;
  TimeFunctionOf<P> x, z;
  int frame = 0;  ///< 0: world, 1: body

  using Mode = PointForceMode;
  template <class T>
  struct Work {
    Vec2<T> force{};
    DriveWork<T> x, z;
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"force", true}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "prescribed forces";

  static constexpr const char* table = "force";
  static constexpr const char* table_about =
      "A force at a point of a body, prescribed in time or by the motion: a push in the world's frame, or a "
      "thruster that "
      "turns with the "
      "body.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.place("at", at, "where it acts; a point of a body");
    k.function("x", x, "N", "to the right; in the body's frame across its axis");
    k.function("z", z, "N", "downwards; in the body's frame along its axis, away from its joint");
    k.choice("frame", frame, {"world", "body"}, "whether its direction stays, or turns with the body");
  }
  /// What is wrong with it; empty: nothing.
  std::string fault() const {
    return at.body < 0 ? "a force acts on a body: `at` must name a point of one" : "";
  }

  void attach(const TreeOf<P>& tree) { shape_ = shapes_at(tree, at.body, at.point.s); }
  const std::string& subject() const { return label; }

  template <class T>
  void prepare(const SceneOf<P>&, Work<T>& w) const {
    if (x.drive) x.drive->prepare(w.x);
    if (z.drive) z.drive->prepare(w.z);
  }
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    const double t = value_of(load.time);
    const T fx = x.drive ? x.drive->template act<Lean>(load, m.x, w.x) : T(x(t));
    const T fz = z.drive ? z.drive->template act<Lean>(load, m.z, w.z) : T(z(t));
    const Frames<T, P>& f = load.frames;
    w.force = frame == 0 ? Vec2<T>{fx, fz} : fx * f.w[at.body] + fz * f.u[at.body];
    load.power[0] += dot(w.force, at.velocity(f));
    load.push(at.body, at.arm(f), w.force, shape_);
  }
  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return body == at.body ? w.force : Vec2<T>{};
  }
  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    const auto put = [&](const TimeFunctionOf<P>& f, DriveMode mode, const DriveWork<T>& work, int code) {
      if (!f.drive) return;
      f.drive->guards(mode, work, scales, [&](const T& value, double small, int k) {
        sink(value, small, GuardRole::change, static_cast<std::uint8_t>(guard::first_own + code),
             static_cast<std::int16_t>(k));
      });
    };
    put(x, m.x, w.x, 0);
    put(z, m.z, w.z, 1);
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const {
    const bool changed = x.drive && x.drive->settle(here.x, there.x, scales, m.x);
    return (z.drive && z.drive->settle(here.z, there.z, scales, m.z)) || changed;
  }
  /// Takes the other side of a corner.
  static bool flip(const GuardId& id, Mode& m) {
    (id.code == guard::first_own ? m.x : m.z).above ^= 1u << id.sub;
    return true;
  }
  std::string drive_text(const GuardId& id, const Mode&) const {
    const TimeFunctionOf<P>& f = id.code == guard::first_own ? x : z;
    return f.drive ? f.drive->text : "";
  }
  template <class Sink>
  void inputs_at(double t, Sink&& sink) const {
    if (!x.drive) sink(value_of(x(t)));
    if (!z.drive) sink(value_of(z(t)));
  }
  void timing(double from, double to, Timing& out) const {
    x.tell_timing(from, to, out);
    z.tell_timing(from, to, out);
  }
  bool is_to_change(double now, double end, const Scales& scales) const {
    return changes(x, now, end, scales.force) || changes(z, now, end, scales.force);
  }

  template <class Put>
  void observables(const SceneOf<P>&, Put&& put) const {
    put(0, label + ".x", "N", "force of " + label + ", to the right");
    put(1, label + ".z", "N", "force of " + label + ", downwards");
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return code == 0 ? w.force.x : w.force.z;
  }

 private:
  std::vector<P> shape_;  // Ψ where it acts on a beam
};
using PointForce = PointForceOf<double>;

}  // namespace thud
