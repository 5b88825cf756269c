#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

struct StrutMode {
  enum Phase : std::uint8_t {
    apart,  ///< longer than it has been crushed to: no force
    firm,   ///< as long as it has been crushed to: it holds, or is crushed on
    solid,  ///< the stroke is used up; a stop takes over
  };
  Phase phase = apart;
  std::int8_t slip = slip::backward;  ///< firm: slip::stuck, or slip::backward while it is crushed
  double crushed = 0;                 ///< what it remembers while the ends are apart [m]

  friend bool operator==(const StrutMode&, const StrutMode&) = default;
};

/// A crush strut between two points of bodies or of the world: a honeycomb, a crumple zone.
///
///   D = F          while it is shortened beyond the shortest length that it has had,
///   0 ≤ D ≤ F      while it stands at that length,
///   D = 0          where it is longer
///
///   D push between its ends [N]   F plateau [N]
///
/// It is crushed from its length ℓ₀ on. After its stroke the strut is solid: its `companion` stops the ends, plastically.
/// Energy: power D ℓ̇ ≤ 0; F times the stroke in all.
template <class P>
struct StrutOf {
  using Scalar = P;
  std::string label;
  AttachmentOf<P> from, to;
  P plateau{}, length{}, stroke{};

  using Mode = StrutMode;
  template <class T>
  struct Work {
    T distance{}, rate{}, push{}, crushed{};
    Vec2<T> direction{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"strut"}}};
  static constexpr std::array<SwitchInfo, 1> switches = {{{"", 0, false}}};
  static constexpr const char* left_out_of_modes = "crush struts";

  static constexpr const char* table = "strut";
  static constexpr const char* table_about =
      "A crush strut between two points: it resists being shortened with a constant force, and stays short.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.place("from", from, "one end");
    k.place("to", to, "the other end");
    k.number("force", plateau, "N", Admits::positive, "with which it is crushed");
    k.number("length", length, "m", Admits::positive, "distance of its ends before it is crushed");
    k.number("stroke", stroke, "m", Admits::positive,
             "by how much it can be crushed; then it is a rigid stop");
  }
  std::string fault() const {
    return value_of(stroke) < value_of(length) ? ""
                                               : "a strut cannot be crushed by more than its length: "
                                                 "stroke must be less than length";
  }
  /// What stops it when the stroke is used up.
  ContactOf<P> companion() const {
    ContactOf<P> c;
    c.name = label + ".stop";
    c.wall = facing::distance;
    c.limit = length - stroke;
    const AttachmentOf<P>& first = from.body >= 0 ? from : to;
    const AttachmentOf<P>& second = from.body >= 0 ? to : from;
    c.a = {first.name, first.body, first.point, P(0)};
    c.b = {second.name, second.body, second.point, P(0)};
    c.anchor = second.world;
    return c;
  }

  void attach(const TreeOf<P>& tree) {
    if (from.body >= 0) shape_from_ = shapes_at(tree, from.body, from.point.s);
    if (to.body >= 0) shape_to_ = shapes_at(tree, to.body, to.point.s);
  }
  const std::string& subject() const { return label; }
  bool ties(int body) const { return from.body == body || to.body == body; }
  double force_size() const { return value_of(plateau); }

  // ---- forces ----
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    find_length(load.frames, w);
    w.crushed = m.phase == Mode::firm  ? T(length - w.distance)
              : m.phase == Mode::solid ? T(stroke)
                                       : T(m.crushed);
    w.push = T(0);
    if (m.phase != Mode::firm) return;
    w.push = slip::fixed_force(m.slip, T(0), T(plateau));
    load.power[0] += w.push * w.rate;
    const Vec2<T> force = w.push * w.direction;
    if (from.body >= 0) load.push(from.body, from.arm(load.frames), -force, shape_from_);
    if (to.body >= 0) load.push(to.body, to.arm(load.frames), force, shape_to_);
  }
  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    Vec2<T> sum{};
    if (from.body == body) sum -= w.push * w.direction;
    if (to.body == body) sum += w.push * w.direction;
    return sum;
  }

  // ---- the switch: it holds what does not crush it ----
  bool is_active(int, const SceneOf<P>&, const Mode& m) const { return m.phase == Mode::firm; }
  static std::int8_t& state(int, Mode& m) { return m.slip; }
  template <class T>
  static T& force(int, Work<T>& w) {
    return w.push;
  }
  template <class T>
  static T rate(int, const Work<T>& w) {
    return w.rate;
  }
  template <class T>
  void bounds(int, const Work<T>&, T& lower, T& upper) const {
    lower = T(0), upper = T(plateau);
  }
  template <class T>
  void add_row(int, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const {
    if (from.body >= 0) s.tree.add_point_force(frames, from.body, from.point, -w.direction, row);
    if (to.body >= 0) s.tree.add_point_force(frames, to.body, to.point, w.direction, row);
  }
  template <class T>
  T bias(int, const SceneOf<P>&, const Mode&, const Frames<Dual<T>, P>& moving) const {
    Work<Dual<T>> w;
    find_length(moving, w);
    return w.rate.d;
  }

  // ---- events ----
  enum Guard : std::uint8_t { g_gap = guard::first_own };
  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    if (m.phase == Mode::apart) sink(gap(m, w), scales.small_gap(), GuardRole::change, g_gap, 0);
    if (m.phase == Mode::firm) slip_guards(*this, 0, m.slip, w, scales, sink);
  }
  template <class T, class Sink>
  void approaches(const SceneOf<P>&, const Mode& m, const Frames<T, P>&, const Work<T>& w,
                  Sink&& sink) const {
    if (m.phase == Mode::apart) sink(gap(m, w), w.rate);
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const;
  template <class Log>
  void log(const Mode& before, const Mode& after, Log&& log) const {
    if (before.phase != Mode::solid && after.phase == Mode::solid)
      log.push(EventKind::used_up);
    else if (before.phase != after.phase)
      log.push(after.phase == Mode::firm ? EventKind::touch : EventKind::lift);
    else
      log.push_switches();
  }

  template <class Put>
  void observables(const SceneOf<P>&, Put&& put) const {
    put(0, label + ".length", "m", "distance of the ends of " + label);
    put(1, label + ".rate", "m/s", "rate of the length of " + label);
    put(2, label + ".force", "N", "with which " + label + " pushes");
    put(3, label + ".stroke", "m", "by how much " + label + " has been crushed");
    put(4, label + ".left", "m", "what is left of the stroke of " + label);
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    const T all[] = {w.distance, w.rate, w.push, w.crushed, T(stroke - w.crushed)};
    return all[code];
  }

 private:
  template <class T>
  T gap(const Mode& m, const Work<T>& w) const {
    return w.distance - length + m.crushed;
  }
  template <class T>
  void find_length(const Frames<T, P>& frames, Work<T>& w) const {
    const Vec2<T> apart = to.position(frames) - from.position(frames);
    const Vec2<T> speed = to.velocity(frames) - from.velocity(frames);
    w.distance = norm(apart);
    w.direction = w.distance > T(0) ? (T(1) / w.distance) * apart : Vec2<T>{};
    w.rate = dot(w.direction, speed);
  }

  std::vector<P> shape_from_, shape_to_;  // Ψ of the ends on beams
};
using Strut = StrutOf<double>;

}  // namespace thud
