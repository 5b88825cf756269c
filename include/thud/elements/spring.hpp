#pragma once

#include "thud/elements/elastic.hpp"
#include "thud/elements/keys.hpp"

namespace thud {

/// A straight spring with a damper beside it, between two points of bodies or of the world.
///
///   N = k (ℓ − ℓ₀) + c ℓ̇,   on `from` along e, on `to` along −e;   e = (r_to − r_from)/ℓ
///
///   k stiffness [N/m]   c damping [N s/m]   ℓ₀ rest length [m]   N tension [N]
///
/// A preload, an expression of the extension in the place of k (ℓ − ℓ₀), and one-way springs: see ElasticOf.
///
/// Sign: positive N pulls the points together. Limits: ℓ → 0 has no direction; there it exerts no force.
/// Energy: stores ½ k (ℓ − ℓ₀)²; power of the damper −c ℓ̇² ≤ 0.
template <class P>
struct SpringOf : ElasticOf<P> {
  using Scalar = P;
  std::string label;
  AttachmentOf<P> from, to;
  P rest{}, damping{};

  using ElasticOf<P>::stiffness;
  using ElasticOf<P>::preload;

  using Mode = ElasticMode;
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
      "A straight spring with a damper beside it, between two points: tension = preload + stiffness (length "
      "- "
      "rest) + damping times the rate of the length.";
  template <class Keys>
  void keys(Keys& k) {
    k.name(label);
    k.place("from", from, "one end");
    k.place("to", to, "the other end");
    k.number_unless("force", "stiffness", stiffness, "N/m", Admits::non_negative, "force per extension");
    k.curve("force", this->curve, "x", "N",
            "instead of `stiffness`: tension at the extension `x` = length - rest");
    k.number("rest", rest, "m", Admits::non_negative, "length without force, but for the preload");
    k.number_or("damping", damping, "N s/m", Admits::non_negative, "force per rate of the length");
    k.number_or("preload", preload, "N", Admits::anything,
                "tension at the rest length; it pushes when negative");
    k.choice("one_way", this->one_way, {"no", "pull", "push"},
             "`pull`: only while longer than `rest`; `push`: only while shorter");
  }
  std::string fault() const {
    if (this->one_way == 0 || !(value_of(damping) > 0)) return "";
    return "a one-way spring has no damper: it would hold on to what it lets go; give damping = 0, and a "
           "[[damper]] where one is";
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
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    const Vec2<T> apart = to.position(load.frames) - from.position(load.frames);
    const Vec2<T> speed = to.velocity(load.frames) - from.velocity(load.frames);
    w.length = norm(apart);
    w.direction = w.length > T(0) ? (T(1) / w.length) * apart : Vec2<T>{};
    w.rate = dot(w.direction, speed);
    const T stretch = w.length - rest, damper = damping * w.rate;
    w.tension = stiffness * stretch + damper;
    w.stored = 0.5 * stiffness * stretch * stretch;
    if (!this->is_plain()) {
      this->template find<Lean>(m, stretch, w.tension, w.stored);
      w.tension += damper;
    }
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

  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    if (!this->is_plain())
      ElasticOf<P>::guards(m, T(w.length - rest), tolerance::level * scales.length, sink);
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const {
    return !this->is_plain()
        && this->settle(here.length - value_of(rest), there.length - value_of(rest),
                        tolerance::undecided_length * scales.length, m);
  }

  /// One way, it must not be passed between two looks.
  double longest_step(const StepState& s, const Mode&, const Work<double>& w) const {
    return this->one_way == 0 ? std::numeric_limits<double>::infinity()
                              : 0.25 * s.scales.length / (std::abs(w.rate) + 1e-300);
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
