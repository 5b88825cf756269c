#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// A force at a point of a body, prescribed in time: a push in the world's frame, or a thruster in the body's.
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

  using Mode = NoMode;
  template <class T>
  struct Work {
    Vec2<T> force{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"force", true}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr const char* left_out_of_modes = "prescribed forces";

  static constexpr const char* table = "force";
  static constexpr const char* table_about =
      "A force at a point of a body, prescribed in time: a push in the world's frame, or a thruster that "
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

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>& w) const {
    const double t = value_of(load.time);
    const P fx = x(t), fz = z(t);
    const Frames<T, P>& f = load.frames;
    w.force = frame == 0 ? Vec2<T>{T(fx), T(fz)} : fx * f.w[at.body] + fz * f.u[at.body];
    load.power[0] += dot(w.force, at.velocity(f));
    load.push(at.body, at.arm(f), w.force, shape_);
  }
  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return body == at.body ? w.force : Vec2<T>{};
  }
  template <class Sink>
  void inputs_at(double t, Sink&& sink) const {
    sink(value_of(x(t))), sink(value_of(z(t)));
  }
  double coarsest_step(double span) const {
    return x.varies || z.varies ? span / 1000 : std::numeric_limits<double>::infinity();
  }
  template <class Sink>
  void edges(Sink&& sink) const {
    for (double t : x.edges) sink(t);
    for (double t : z.edges) sink(t);
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
