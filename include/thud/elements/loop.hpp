#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// Closes a loop of bodies: conditions on the motion that always hold, and the forces that they take.
///
///   pin    r_a − r_b = 0                        a point of one body stays on a point of another, or of the world
///   line   n̂ · (r_a − r_b) = 0                  it stays on a line through b that turns with b's body;
///                                               n̂ is across the line, which is at `direction` against the body's axis
///   gear   φ_b − ρ φ_a = what it is at the start     positions in two joints; ρ ratio
///
/// Forces: those of docs/theory/loops.md, with their rows of the Jacobian. λ of a pin is the force on a, of a line the force
/// on a along n̂, of a gear the moment in joint b (−ρ λ acts in joint a).
///
/// Energy: none is stored, lost or supplied.
template <class P>
struct LoopOf {
  using Scalar = P;
  enum Kind { pin, line, gear };
  std::string label;
  int kind = pin;
  AttachmentOf<P> a, b;
  P direction{};  ///< of the line, against the axis of b's body, or the downward vertical [rad]
  int joint_a = -1, joint_b = -1;  ///< bodies whose joints a gear couples
  P ratio{1};                      ///< rate in joint b per rate in joint a

  using Mode = NoMode;
  template <class T>
  struct Work {
    std::array<T, 2> force{};
  };
  static constexpr std::array<ChannelInfo, 0> channels = {};
  static constexpr std::array<SwitchInfo, 0> switches = {};

  static constexpr const char* table = "loop";
  static constexpr const char* table_about =
      "Closes a loop of bodies: two points pinned together, a point that stays on a line of another body or "
      "of "
      "the world, or a gear between two joints.";
  template <class Keys>
  void keys(Keys& k) {
    constexpr bool lists = requires { Keys::lists; };  // all keys, whatever the kind
    k.name(label);
    k.choice("kind", kind, {"pin", "line", "gear"}, "what is closed");
    if (kind == gear) {
      k.joint("a", joint_a, "");
      k.joint("b", joint_b, "");
    } else {
      k.place(
          "a", a,
          "pin: one of the two points; line: the point that stays on it; gear: the body of the first joint");
      k.place(
          "b", b,
          "pin: the other point; line: a point that it passes through; gear: the body of the second joint");
    }
    if (lists || kind == line)
      k.number_or(
          "direction", direction, "rad", Admits::anything,
          "of a line: its angle against the axis of b's body; of the world, from the downward vertical");
    if (lists || kind == gear)
      k.number_or("ratio", ratio, "", Admits::anything,
                  "of a gear: rate in joint b over rate in joint a; negative: it turns the other way");
  }
  /// What is wrong with it; empty: nothing.
  std::string fault() const {
    if (kind == gear) {
      if (joint_a == joint_b) return "a gear couples two joints: `a` and `b` name the same one";
      return is_zero(ratio) ? "the ratio of a gear must not be zero" : "";
    }
    if (kind == line && a.body < 0) return "`a` must name a point of a body: it is what stays on the line";
    if (a.body == b.body)
      return a.body < 0
               ? "both points are in the world: there is no body to hold"
               : "both points are on the same body: a loop joins two bodies, or a body and the world";
    return "";
  }

  void attach(const TreeOf<P>& tree) {
    if (kind == gear) return;
    if (a.body >= 0) shape_a_ = shapes_at(tree, a.body, a.point.s);
    if (b.body >= 0 && kind == pin) shape_b_ = shapes_at(tree, b.body, b.point.s);
  }
  const std::string& subject() const { return label; }
  bool ties(int body) const { return kind != gear && (a.body == body || b.body == body); }

  // Nothing but what holds it.
  template <bool Lean, class T>
  void apply(Load<T, P>&, const Mode&, Work<T>&) const {}
  template <class L>
  static KernelOn<L> kernel(const SceneOf<P>&, const Mode&) {
    return nullptr;
  }

  // ---- constraints ----
  int constraint_count() const { return kind == pin ? 2 : 1; }
  static constexpr bool constraint_varies = false;  ///< with time
  bool keeps_offset() const { return kind == gear; }
  bool constraint_turns() const { return kind == gear; }

  template <class T>
  T gap(int sub, double, const SceneOf<P>& s, const Frames<T, P>& f, const T* q) const {
    if (kind == gear)
      return s.tree.joint_position(f, q, joint_b) - ratio * s.tree.joint_position(f, q, joint_a);
    const Vec2<T> apart = a.position(f) - (kind == line ? through(f) : b.position(f));
    if (kind == line) return dot(across(f), apart);
    return sub == 0 ? apart.x : apart.z;
  }
  /// Rate of the gap.
  template <class T>
  T closing(int sub, double, const SceneOf<P>& s, const Frames<T, P>& f) const {
    if (kind == gear) return s.tree.joint_rate(f, joint_b) - ratio * s.tree.joint_rate(f, joint_a);
    Vec2<T> speed = a.velocity(f);
    if (kind == pin) speed = speed - b.velocity(f);
    if (kind == line) {
      if (b.body >= 0) speed = speed - f.velocity(b.body, arm_on_line(f));
      return dot(across(f), speed);
    }
    return sub == 0 ? speed.x : speed.z;
  }
  template <class T>
  void add_constraint_row(int sub, const SceneOf<P>& s, const Frames<T, P>& f, T* row) const {
    if (kind == gear) {
      s.tree.add_joint_moment(joint_b, T(1), row);
      s.tree.add_joint_moment(joint_a, T(-ratio), row);
      return;
    }
    const Vec2<T> push = push_on_a(sub, f);
    if (a.body >= 0) add_push(s, f, a.body, a.arm(f), push, shape_a_, row);
    if (b.body >= 0) add_push(s, f, b.body, kind == line ? arm_on_line(f) : b.arm(f), -push, shape_b_, row);
  }
  /// d(closing)/dt at v̇ = 0; `moving()` gives frames that move along, on dual numbers.
  template <class T, class Moving>
  T constraint_bias(int sub, double t, const SceneOf<P>& s, const Frames<T, P>& f, Moving&& moving) const {
    if (kind == gear) return T(0);
    if (kind == pin && !is_bent(f, a) && !is_bent(f, b)) {
      const Vec2<T> pull = centripetal(f, a) - centripetal(f, b);
      return sub == 0 ? pull.x : pull.z;
    }
    return closing(sub, t, s, moving()).d;
  }
  template <class T>
  void take_reaction(int sub, T force, const SceneOf<P>&, const Frames<T, P>&, Work<T>& w, T*) const {
    w.force[sub] = force;
  }

  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>& f, const Work<T>& w) const {
    if (kind == gear || (a.body != body && b.body != body)) return {};
    Vec2<T> push = w.force[0] * push_on_a(0, f);
    if (kind == pin) push += w.force[1] * push_on_a(1, f);
    return a.body == body ? push : -push;
  }
  template <class T>
  T joint_moment(int which, const Work<T>& w) const {
    if (kind != gear) return T(0);
    return which == joint_b ? w.force[0] : which == joint_a ? -ratio * w.force[0] : T(0);
  }

  template <class Put>
  void observables(const SceneOf<P>& s, Put&& put) const {
    if (kind == pin) {
      put(0, label + ".x", "N", "force of " + label + " on " + name_of(a) + ", to the right");
      put(1, label + ".z", "N", "force of " + label + " on " + name_of(a) + ", downwards");
    } else if (kind == line) {
      put(0, label + ".force", "N", "force of " + label + " on " + name_of(a) + ", across its line");
    } else {
      const bool slides = s.tree.joint_kind(joint_b) == JointKind::slider;
      put(0, label + (slides ? ".force" : ".moment"), slides ? "N" : "N m",
          (slides ? "force of " : "moment of ") + label + " in the joint of " + s.tree.body(joint_b).name);
    }
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return w.force[code];
  }

 private:
  static std::string name_of(const AttachmentOf<P>& at) { return at.body < 0 ? "the world" : at.name; }
  template <class T>
  static bool is_bent(const Frames<T, P>& f, const AttachmentOf<P>& at) {
    return at.body >= 0 && f.beam[at.body];
  }
  template <class T>
  static Vec2<T> centripetal(const Frames<T, P>& f, const AttachmentOf<P>& at) {
    if (at.body < 0) return {};
    return f.centripetal[at.body] - f.rate[at.body] * f.rate[at.body] * at.arm(f);
  }
  // A line belongs to the frame of its body, also where that bends.
  template <class T>
  Vec2<T> through(const Frames<T, P>& f) const {
    if (b.body < 0) return b.position(f);
    return f.origin[b.body] + b.point.s * f.u[b.body] + b.point.n * f.w[b.body];
  }
  template <class T>
  Vec2<T> arm_on_line(const Frames<T, P>& f) const {
    return a.position(f) - f.origin[b.body];
  }
  template <class T>
  Vec2<T> across(const Frames<T, P>& f) const {
    using portable::cos, portable::sin;
    const P c = cos(direction), d = sin(direction);
    if (b.body < 0) return {T(c), T(-d)};
    return c * f.w[b.body] - d * f.u[b.body];
  }
  template <class T>
  Vec2<T> push_on_a(int sub, const Frames<T, P>& f) const {
    if (kind == line) return across(f);
    return sub == 0 ? Vec2<T>{T(1), T(0)} : Vec2<T>{T(0), T(1)};
  }
  template <class T>
  static void add_push(const SceneOf<P>& s, const Frames<T, P>& f, int body, Vec2<T> arm, Vec2<T> push,
                       const std::vector<P>& shapes, T* row) {
    s.tree.add_point_force(f, body, arm, push, row);
    if (shapes.empty()) return;
    const T lateral = dot(f.w[body], push);
    T* elastic = row + s.tree.elastic_dof(body);
    for (std::size_t k = 0; k < shapes.size(); ++k) elastic[k] += shapes[k] * lateral;
  }

  std::vector<P> shape_a_, shape_b_;  // Ψ of the points on beams
};
using Loop = LoopOf<double>;

}  // namespace thud
