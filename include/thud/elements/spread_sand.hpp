#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <variant>

#include "thud/elements/element.hpp"
#include "thud/granular/outline_sand.hpp"

namespace thud {

/// What of a body feels a stress: a straight plate, or the rim of a disc.
template <class P>
struct SpreadFaceOf {
  int bed = 0;
  bool round = false;
  BodyPointOf<P> a{}, b{};  ///< ends; the centre of a disc, twice
  P radius{}, breadth{};    ///< breadth: out of the plane [m]
};

/// What holds a body in one pose.
struct SpreadStand final : ForceSet {
  SpreadStand(Vec at, Vec along, MotionHull::Meet meet) : place(at), axis(along), hull(std::move(meet)) {}
  void lowest(const double* rate, double* force, bool roughly) const override {
    roughly ? hull.lowest_on_grid(rate, force) : hull.lowest(rate, force);
  }

  Vec place, axis;
  MotionHull hull;
  double weight = 0;  ///< of the body: what is nothing beside it does not count
};

struct SpreadMode {
  static constexpr int most_levels = 256;
  std::array<std::uint64_t, most_levels / 64> under{};  ///< bit k: level k is under its surface
  std::int8_t state = slip::forward;                    ///< slip::stuck: the sand holds it
  std::array<double, 3> given{};                        ///< the forces it was held with at first
  std::shared_ptr<const SpreadStand> stand;             ///< while it is held
  bool at_bottom = false;
  double still = tolerance::slow;  ///< the speed at which it is asked whether the sand holds it

  bool is_under(int level) const { return under[level / 64] >> (level % 64) & 1u; }
  bool is_immersed() const { return (under[0] | under[1] | under[2] | under[3]) != 0; }
  bool is_held() const { return state == slip::stuck; }
  int count() const {
    int sum = 0;
    for (std::uint64_t bits : under) sum += std::popcount(bits);
    return sum;
  }
  friend bool operator==(const SpreadMode& a, const SpreadMode& b) {
    return a.under == b.under && a.state == b.state && a.given == b.given && a.at_bottom == b.at_bottom
        && a.still == b.still;
  }
};

template <class T>
struct SpreadWork {
  bool is_immersed = false, is_held = false;
  std::vector<T> levels;
  Vec2<T> arm{}, velocity{};  ///< of the point that stands for the body
  T turn{}, speed{};          ///< turning times the size; the speed of the outline
  Vec2<T> resistance{};       ///< while it moves
  T moment{};                 ///< about that point
  std::array<T, 3> given{}, hold{};
  T depth{}, area{};
  std::shared_ptr<const SpreadStand> stand;

  Vec2<T> force() const { return is_held ? Vec2<T>{given[0] + hold[0], given[1] + hold[1]} : resistance; }
};

/// A body against beds whose laws give a stress: resistive force theory, plain and dynamic, on its whole outline.
///
/// Moving: the stress summed over what is under the surface and leads (facets.hpp). It depends on the direction of the motion
/// and not on its speed, so a body stops within a finite time, and at rest the law is a set: the convex hull of what motions
/// could meet. A body that the sand holds takes force and moment out of that set; when they leave it, it starts
/// (docs/theory/spread-sand.md).
///
/// Energy: both lines are losses.
template <class P>
struct SpreadSandOf {
  using Scalar = P;
  int body = 0;
  std::vector<SpreadFaceOf<P>> faces;
  BodyPointOf<P> center{};  ///< of the outline: what the force is counted at
  P size{};                 ///< from there to the farthest point of it

  /// Adds a part of the body; false for kinds that it cannot feel along their surface.
  bool add_part(int bed, const PartOf<P>& part);

  using Mode = SpreadMode;
  template <class T>
  using Work = SpreadWork<T>;
  enum { stress, inertia };  // channels
  static constexpr std::array<ChannelInfo, 2> channels = {{{"stress"}, {"grains"}}};
  /// Held together or not at all; the third is the turning times the size.
  static constexpr std::array<SwitchInfo, 3> switches = {
      {{": rest", stress, false, SwitchClass::hull},
       {": rest along z", stress, false, SwitchClass::hull},
       {": rest of rotation", stress, false, SwitchClass::hull}}};

  std::string name(const SceneOf<P>& s) const { return s.tree.body(body).name; }
  static constexpr const char* left_out_of_modes = "sand";
  bool uses(int channel, const SceneOf<P>& s) const {
    return channel == stress || std::any_of(faces.begin(), faces.end(), [&](const SpreadFaceOf<P>& f) {
             return std::holds_alternative<DrftLawOf<P>>(s.beds[f.bed].law);
           });
  }
  int level_count() const { return 2 * static_cast<int>(faces.size()); }
  template <class T>
  void prepare(const SceneOf<P>&, Work<T>& w) const {
    w.levels.assign(static_cast<std::size_t>(level_count()), T(0));
  }

  // ---- forces ----
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const;
  template <class L>
  KernelOn<L> kernel(const SceneOf<P>&, const Mode& m) const {
    return m.is_immersed() ? apply_kernel<SpreadSandOf, true, L> : nullptr;
  }
  template <class T>
  Vec2<T> force_on(int which, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    return which == body && w.is_immersed ? w.force() : Vec2<T>{};
  }

  // ---- rest ----
  static bool is_active(int, const SceneOf<P>&, const Mode& m) { return m.is_immersed(); }
  static std::int8_t& state(int, Mode& m) { return m.state; }
  template <class T>
  static T& force(int sub, Work<T>& w) {
    return w.hold[sub];
  }
  template <class T>
  static T rate(int sub, const Work<T>& w) {
    return sub == 0 ? w.velocity.x : sub == 1 ? w.velocity.z : w.turn;
  }
  template <class T>
  static void bounds(int, const Work<T>&, T& lower, T& upper) {
    lower = upper = T(HUGE_VAL);
  }
  template <class T>
  void add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const {
    if (sub == 2) return s.tree.add_moment(body, T(size), row);
    s.tree.add_point_force(frames, body, w.arm, Vec2<T>{T(sub == 0), T(sub == 1)}, row,
                           static_cast<const T*>(nullptr));
  }
  template <class T>
  void fill_row(int sub, const SceneOf<P>&, const Work<T>& w, HeldRow<T>& row) const {
    row.body = body;
    if (sub == 2) return void(row.turn = T(size));
    row.move = {T(sub == 0), T(sub == 1)};
    row.turn = thud::moment(w.arm, row.move);
  }
  template <class T>
  T bias(int sub, const SceneOf<P>&, const Mode&, const Frames<Dual<T>, P>& moving) const {
    if (sub == 2) return (size * moving.rate[body]).d;
    const Vec2<Dual<T>> v = moving.velocity(body, center);
    return (sub == 0 ? v.x : v.z).d;
  }
  static constexpr std::array<HullInfo, 1> hulls = {{{0, 3}}};
  static bool is_held(int, const Mode& m) { return m.is_held(); }
  static double speed_of(int, const Work<double>& w) { return w.speed; }
  static double& still_of(int, Mode& m) { return m.still; }
  /// What holds it in the pose that the frames have.
  std::shared_ptr<const ForceSet> set_of(int, const SceneOf<P>& s, const Frames<double, P>& f, Mode& m,
                                         const Work<double>&) const {
    return m.stand = make_stand(s, f, m.stand);
  }
  /// Takes these forces from now on, and what changes besides.
  static void hold(int, Mode& m, const double* given) {
    m.state = slip::stuck;
    m.still = tolerance::slow;
    std::copy(given, given + 3, m.given.begin());
  }
  static void let_go(int, Mode& m) {
    m.state = slip::forward;
    m.given = {};
    m.stand.reset();
  }
  /// How far inside the set of what the sand can hold: 1 without a load, 0 where it starts. Good to 1e-9 near 0, where it
  /// decides, and to 1e-4 of the rest elsewhere.
  template <class T>
  static T margin(const Work<T>& w);

  // ---- events ----
  enum Guard : std::uint8_t { g_level = guard::first_own, g_still, g_bottom };
  template <class T, class Sink>
  void guards(const SceneOf<P>& s, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const;
  template <class Log>
  void log(const Mode& a, const Mode& b, Log&& log) const;
  static bool starts_rough(const Mode& before, const Mode& after) {
    for (std::size_t k = 0; k < after.under.size(); ++k)
      if (after.under[k] & ~before.under[k]) return true;
    return false;
  }
  template <class T, class Sink>
  void approaches(const SceneOf<P>& s, const Mode& m, const Frames<T, P>& f, const Work<T>& w,
                  Sink&& sink) const;
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const;
  /// Resistance does not fade with the speed: no step goes over the instant of standstill.
  double longest_step(const StepState& s, const Frames<double, P>& f, const Mode& m,
                      const Work<double>& w) const;

  /// Its force turns with the direction of its motion: the slower it is, the faster.
  double turning_rate(const SceneOf<P>& s, const Mode& m, const Work<double>& w) const {
    if (!m.is_immersed() || m.is_held() || !(w.speed > 0)) return 0;
    return (norm(w.resistance) + std::abs(w.moment) / value_of(size))
         / (value_of(s.tree.body(body).mass) * w.speed);
  }

  bool stops_at_bottom(const SceneOf<P>& s) const {
    return std::any_of(faces.begin(), faces.end(),
                       [&](const SpreadFaceOf<P>& f) { return s.beds[f.bed].stop_at_bottom; });
  }
  bool reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales, Mode& m) const;

  // ---- sizes, results ----
  double length(const SceneOf<P>&) const { return value_of(size); }
  template <class Put>
  void observables(const SceneOf<P>& s, Put&& put) const {
    const std::string& n = s.tree.body(body).name;
    put(0, n + ".sand.moment", "N m", "moment of the sand on " + n + ", about its mass centre");
    put(1, n + ".sand.margin", "",
        "how far inside what the sand can hold the load of " + n + " is, 1 without a load; 0 while it moves");
    put(2, n + ".sand.depth", "m", "z_T, depth of the deepest immersed point of " + n);
    put(3, n + ".sand.area", "m2", "what of " + n + " leads under the surface");
  }
  template <class T>
  T observe(int code, const SceneOf<P>& s, const Frames<T, P>& f, const Work<T>& w) const;

 private:
  // `known`, where that is of this pose.
  std::shared_ptr<const SpreadStand> make_stand(const SceneOf<P>& s, const Frames<double, P>& f,
                                                const std::shared_ptr<const SpreadStand>& known) const;
  template <class T>
  struct Placed {
    Vec2<T> at, velocity;
  };
  template <class T, class F>
  static Placed<T> place(const PlaneOf<P>& plane, const F& frames, int body, BodyPointOf<P> p);
  template <class Law, class T>
  void act(const Law& law, const SpreadFaceOf<P>& face, Load<T, P>& load, Work<T>& w) const;
};
using SpreadSand = SpreadSandOf<double>;

// From the frame of the ground to that of a bed.
template <class P>
template <class T, class F>
auto SpreadSandOf<P>::place(const PlaneOf<P>& plane, const F& frames, int body, BodyPointOf<P> p)
    -> Placed<T> {
  const Vec2<T> arm = p.s * frames.u[body] + p.n * frames.w[body];
  const Vec2<T> at = frames.origin[body] + arm;
  const Vec2<T> v = frames.origin_rate[body] + frames.rate[body] * turned(arm);
  const Vec2<T> away{at.x - plane.point.x, at.z - plane.point.z};
  return {{dot(plane.tangent, away), dot(plane.normal, away)}, {dot(plane.tangent, v), dot(plane.normal, v)}};
}

template <class P>
template <class Law, class T>
void SpreadSandOf<P>::act(const Law& law, const SpreadFaceOf<P>& face, Load<T, P>& load, Work<T>& w) const {
  const PlaneOf<P>& plane = load.scene.beds[face.bed].plane;
  const Placed<T> a = place<T>(plane, load.frames, body, face.a);
  const auto push = [&](BodyPointOf<P> p, Vec2<T> force) {
    const Vec2<T> f = force.x * plane.tangent + force.z * plane.normal;
    w.resistance += f;
    w.moment += moment(load.frames.arm(body, p) - w.arm, f);
  };
  if (face.round) {
    const RimLoad<T> rim =
        load_rim(law, RimOf<T>{a.at, a.velocity, load.frames.rate[body], T(face.radius), T(face.breadth)});
    push(face.a, rim.force);
    w.moment += rim.moment;
    w.area += rim.area;
    load.power[stress] += rim.power;
    if constexpr (Law::has_inertia) load.power[inertia] += rim.inertial;
    return;
  }
  const Placed<T> b = place<T>(plane, load.frames, body, face.b);
  const FacetLoad<T> plate =
      load_facet(law, FacetOf<T>{a.at, b.at, a.velocity, b.velocity, T(face.breadth), true});
  push(face.a, plate.at_a);
  push(face.b, plate.at_b);
  w.area += plate.area;
  load.power[stress] += plate.power;
  if constexpr (Law::has_inertia) load.power[inertia] += plate.inertial;
}

template <class P>
template <bool Lean, class T>
void SpreadSandOf<P>::apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
  if constexpr (!requires(const T& x) { x.is_constant(); }) {  // not where it is recorded
    const auto& frames = load.frames;
    w.is_immersed = m.is_immersed();
    w.is_held = m.is_held();
    if constexpr (!Lean) {
      w.depth = T(0);
      for (std::size_t k = 0; k < faces.size(); ++k) {
        const SpreadFaceOf<P>& f = faces[k];
        const PlaneOf<P>& plane = load.scene.beds[f.bed].plane;
        w.levels[2 * k] = plane.depth(frames.position(body, f.a)) + f.radius;
        w.levels[2 * k + 1] = plane.depth(frames.position(body, f.b)) - f.radius;
        for (int end : {0, 1})
          if (w.levels[2 * k + end] > w.depth) w.depth = w.levels[2 * k + end];
      }
    }
    if (!w.is_immersed) return;
    w.arm = frames.arm(body, center);
    w.velocity = frames.origin_rate[body] + frames.rate[body] * turned(w.arm);
    w.turn = size * frames.rate[body];
    const T square = dot(w.velocity, w.velocity) + w.turn * w.turn;
    using std::sqrt;
    w.speed = value_of(square) > 0 ? sqrt(square) : T(0);
    w.resistance = {};
    w.moment = w.area = T(0);
    if (w.is_held) {
      for (int i = 0; i < 3; ++i) w.given[i] = T(m.given[i]), w.hold[i] = T(0);
      if constexpr (!Lean) w.stand = m.stand;
      load.push(body, w.arm, Vec2<T>{w.given[0], w.given[1]});
      load.wrenches.moment[body] += size * w.given[2];
      return;
    }
    for (const SpreadFaceOf<P>& f : faces) {
      const LawOf<P>& law = load.scene.beds[f.bed].law;
      if (const auto* dynamic = std::get_if<DrftLawOf<P>>(&law))
        act(*dynamic, f, load, w);
      else if (const auto* plain = std::get_if<RftLawOf<P>>(&law))
        act(*plain, f, load, w);
    }
    load.push(body, w.arm, w.resistance);
    load.wrenches.moment[body] += w.moment;
  }
}

template <class P>
template <class T>
T SpreadSandOf<P>::margin(const Work<T>& w) {
  if constexpr (!requires(const T& x) { x.is_constant(); }) {
    if (!w.is_held || !w.stand) return T(0);
    double load[3];
    for (int i = 0; i < 3; ++i) load[i] = value_of(w.given[i] + w.hold[i]);
    const double slack =
        tolerance::hold
        * (w.stand->weight + std::sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2]));
    Gauge share = w.stand->hull.share_on_grid(load, slack);
    if (!share.converged || share.value > 0.95) share = w.stand->hull.share(load, slack);
    T sum = T(share.converged ? 1 : -1);
    for (int i = 0; i < 3 && share.converged; ++i) sum -= share.normal[i] * (w.given[i] + w.hold[i]);
    return sum;
  } else {
    return T(0);
  }
}

template <class P>
template <class T, class Sink>
void SpreadSandOf<P>::guards(const SceneOf<P>& s, const Mode& m, const Work<T>& w, const Scales& scales,
                             Sink&& sink) const {
  const double small_length = tolerance::level * scales.length;
  for (int l = 0; l < level_count(); ++l)
    sink(m.is_under(l) ? w.levels[l] : -w.levels[l], small_length, GuardRole::change, g_level,
         static_cast<std::int16_t>(l));
  if (!m.is_immersed()) return;
  for (int l = 0; l < level_count() && !m.at_bottom; ++l)
    if (const BedOf<P>& bed = s.beds[faces[l / 2].bed]; value_of(bed.bottom) > 0)
      sink(bed.bottom - w.levels[l], small_length, GuardRole::change, g_bottom, static_cast<std::int16_t>(l));
  const double still = m.still * scales.speed;
  if (m.is_held())
    sink(margin(w), tolerance::bound, GuardRole::change, guard::margin, 0);
  else
    sink(w.speed - still, 1e-3 * still, GuardRole::change, g_still, 0);
}

template <class P>
template <class Log>
void SpreadSandOf<P>::log(const Mode& a, const Mode& b, Log&& log) const {
  const int was = a.count(), is = b.count(), all = level_count();
  if (was == 0 && is > 0) log.push(EventKind::enter, 0, 1);
  if (was > 0 && is == 0) log.push(EventKind::leave, 1, 0);
  if (was < all && is == all) log.push(EventKind::submerge, 0, 1);
  if (was == all && is < all) log.push(EventKind::emerge, 1, 0);
  if (was > 0 && is > 0) log.push_switch(0, a.state, b.state);
}

template <class P>
template <class T, class Sink>
void SpreadSandOf<P>::approaches(const SceneOf<P>& s, const Mode& m, const Frames<T, P>& f, const Work<T>& w,
                                 Sink&& sink) const {
  for (int l = 0; l < level_count(); ++l) {
    const SpreadFaceOf<P>& face = faces[l / 2];
    if (m.is_under(l) || (face.round && l % 2 == 1)) continue;
    sink(-w.levels[l], -dot(s.beds[face.bed].plane.normal, f.velocity(body, l % 2 == 0 ? face.a : face.b)));
  }
}

template <class P>
template <class T>
T SpreadSandOf<P>::observe(int code, const SceneOf<P>& s, const Frames<T, P>& f, const Work<T>& w) const {
  if (!w.is_immersed) return T(0);
  if (code == 1) return margin(w);
  if (code >= 2) return code == 2 ? w.depth : w.area;
  const T about_center = w.is_held ? size * (w.given[2] + w.hold[2]) : w.moment;
  return about_center + moment(w.arm - s.tree.center_arm(f, body), w.force());
}

}  // namespace thud
