#pragma once

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// A straight spring with a damper beside it, between two points of bodies or of the world.
///
///   N = k (ℓ − ℓ₀) + c ℓ̇,   on `from` along e, on `to` along −e;   e = (r_to − r_from)/ℓ
///
///   k stiffness [N/m]   c damping [N s/m]   ℓ₀ length without force [m]   N tension [N]
///
/// Sign: positive N pulls the points together. Limits: ℓ → 0 has no direction; there it exerts no force.
/// Energy: stores ½ k (ℓ − ℓ₀)²; power of the damper −c ℓ̇² ≤ 0.
template <class P>
struct SpringOf {
  using Scalar = P;
  std::string label;
  AttachmentOf<P> from, to;
  P stiffness{}, rest{}, damping{};

  using Mode = NoMode;
  template <class T>
  struct Work {
    T length{}, rate{}, tension{}, stored{};
    Vec2<T> direction{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"spring_damping"}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr bool acts_in_modes = true;
  static constexpr const char* store = "spring";
  static constexpr const char* store_about = "energy stored in springs";

  static constexpr const char* table = "spring";
  static constexpr const char* table_about =
      "A straight spring with a damper beside it, between two points: tension = stiffness (length - rest) + "
      "damping "
      "times the rate of the length.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.place("from", from, "one end");
    k.place("to", to, "the other end");
    k.number("stiffness", stiffness, "N/m", Admits::non_negative, "force per extension");
    k.number("rest", rest, "m", Admits::non_negative, "length without force");
    k.number_or("damping", damping, "N s/m", Admits::non_negative, "force per rate of the length");
  }

  void attach(const TreeOf<P>& tree) {
    if (from.body >= 0) shape_from_ = shapes_at(tree, from.body, from.point.s);
    if (to.body >= 0) shape_to_ = shapes_at(tree, to.body, to.point.s);
  }
  const std::string& subject() const { return label; }
  bool uses(int, const SceneOf<P>&) const { return value_of(damping) > 0; }
  bool ties(int body) const { return from.body == body || to.body == body; }
  double force_size() const { return value_of(stiffness * rest); }

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode&, Work<T>& w) const {
    const Vec2<T> apart = to.position(load.frames) - from.position(load.frames);
    const Vec2<T> speed = to.velocity(load.frames) - from.velocity(load.frames);
    w.length = norm(apart);
    w.direction = w.length > T(0) ? (T(1) / w.length) * apart : Vec2<T>{};
    w.rate = dot(w.direction, speed);
    const T stretch = w.length - rest, damper = damping * w.rate;
    w.tension = stiffness * stretch + damper;
    w.stored = 0.5 * stiffness * stretch * stretch;
    load.power[0] -= damper * w.rate;
    const Vec2<T> pull = w.tension * w.direction;
    if (from.body >= 0) load.push(from.body, from.arm(load.frames), pull, shape_from_);
    if (to.body >= 0) load.push(to.body, to.arm(load.frames), -pull, shape_to_);
  }
  template <class T>
  static T stored(const Work<T>& w) {
    return w.stored;
  }
  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    Vec2<T> sum{};
    if (from.body == body) sum += w.tension * w.direction;
    if (to.body == body) sum -= w.tension * w.direction;
    return sum;
  }

  template <class Put>
  void observables(const SceneOf<P>&, Put&& put) const {
    put(0, label + ".length", "m", "length of " + label);
    put(1, label + ".rate", "m/s", "rate of the length of " + label);
    put(2, label + ".tension", "N", "force of " + label + ", positive when it pulls");
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    const T all[] = {w.length, w.rate, w.tension};
    return all[code];
  }

 private:
  std::vector<P> shape_from_, shape_to_;  // Ψ of the ends on beams
};
using Spring = SpringOf<double>;

}  // namespace thud
