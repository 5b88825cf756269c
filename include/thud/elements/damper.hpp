#pragma once

#include "thud/elements/curve.hpp"
#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

struct DamperMode {
  std::int8_t piece = 0;  ///< of the expression

  friend bool operator==(const DamperMode&, const DamperMode&) = default;
};

/// A damper between two points of bodies or of the world.
///
///   N = c ℓ̇,   or   N = f(ℓ̇),   on `from` along e, on `to` along −e;   e = (r_to − r_from)/ℓ
///
/// Sign: positive N pulls the points together. Limits: ℓ → 0 has no direction; there it exerts no force.
/// Energy: power −N ℓ̇ ≤ 0; an expression that drives is refused.
template <class P>
struct DamperOf {
  using Scalar = P;
  std::string label;
  AttachmentOf<P> from, to;
  P damping{};
  CurveOf<P> curve;

  using Mode = DamperMode;
  template <class T>
  struct Work {
    T length{}, rate{}, tension{};
    Vec2<T> direction{};
  };
  static constexpr std::array<ChannelInfo, 1> channels = {{{"damper"}}};
  static constexpr std::array<SwitchInfo, 0> switches = {};
  static constexpr bool acts_in_modes = true;

  static constexpr const char* table = "damper";
  static constexpr const char* table_about =
      "A damper between two points: tension = damping times the rate of the length.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.place("from", from, "one end");
    k.place("to", to, "the other end");
    k.number_unless("force", "damping", damping, "N s/m", Admits::non_negative,
                    "force per rate of the length");
    k.curve("force", curve, "v", "N", "instead of `damping`: tension at the rate `v` of the length");
  }
  std::string fault() const;

  void attach(const TreeOf<P>& tree) {
    if (from.body >= 0) shape_from_ = shapes_at(tree, from.body, from.point.s);
    if (to.body >= 0) shape_to_ = shapes_at(tree, to.body, to.point.s);
  }
  const std::string& subject() const { return label; }
  bool ties(int body) const { return from.body == body || to.body == body; }

  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    const Vec2<T> apart = to.position(load.frames) - from.position(load.frames);
    const Vec2<T> speed = to.velocity(load.frames) - from.velocity(load.frames);
    w.length = norm(apart);
    w.direction = w.length > T(0) ? (T(1) / w.length) * apart : Vec2<T>{};
    w.rate = dot(w.direction, speed);
    w.tension = curve.is_given() ? T(curve.at(w.rate, m.piece)) : T(damping * w.rate);
    load.power[0] -= w.tension * w.rate;
    const Vec2<T> pull = w.tension * w.direction;
    if (from.body >= 0) load.push(from.body, from.arm(load.frames), pull, shape_from_);
    if (to.body >= 0) load.push(to.body, to.arm(load.frames), -pull, shape_to_);
  }
  template <class T>
  Vec2<T> force_on(int body, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    Vec2<T> sum{};
    if (from.body == body) sum += w.tension * w.direction;
    if (to.body == body) sum -= w.tension * w.direction;
    return sum;
  }

  enum Guard : std::uint8_t { g_corner = guard::first_own };
  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    curve.ends(w.rate, m.piece, [&](T inside, int end) {
      sink(inside, tolerance::slip * scales.speed, GuardRole::change, g_corner,
           static_cast<std::int16_t>(end));
    });
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const {
    const Mode before = m;
    m.piece =
        static_cast<std::int8_t>(curve.piece_at(here.rate, there.rate, tolerance::free_slip * scales.speed));
    return !(m == before);
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
using Damper = DamperOf<double>;

}  // namespace thud
