#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <variant>

#include "thud/elements/element.hpp"
#include "thud/granular/entries.hpp"
#include "thud/granular/outline_sand.hpp"
#include "thud/granular/sole.hpp"

namespace thud {

/// What of a body feels a stress: a straight plate, a face of a block or a polygon, or the rim of a disc.
template <class P>
struct SpreadFaceOf {
  int bed = 0;
  bool round = false;
  BodyPointOf<P> a{}, b{};  ///< ends; the centre of a disc, twice
  P radius{}, breadth{};    ///< breadth: out of the plane [m]
  BedEntry entry{};         ///< the level of the bed from which on it feels it
  bool thin = true;         ///< a plate: it has two faces, and the one that leads counts
};

/// Parallel faces of a body, all that are not thin.
template <class P>
struct SpreadFamilyOf {
  struct Face {
    int face = 0;
    bool outward = true;  ///< outside is where the normal points
  };
  BodyPointOf<P> along{};  ///< a unit vector; the normal is turned(along)
  std::vector<Face> faces;
  bool in_line = true;  ///< on one line, with one outside

  BodyPointOf<P> normal() const { return {-along.n, along.s}; }
};

/// What holds a body in one pose.
struct SpreadStand final : ForceSet {
  SpreadStand(Vec at, Vec along, MotionHull::Meet meet, const std::vector<MotionHull::Brink>& brinks)
      : place(at),
        axis(along),
        hull(std::move(meet), brinks) {}
  void lowest(const double* rate, double* force, bool roughly) const override {
    roughly ? hull.lowest_on_grid(rate, force) : hull.lowest(rate, force);
  }

  Vec place, axis;
  std::array<std::uint64_t, 4> under{};  // as in the mode
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
  // Sliding along faces of one direction, held along their normal.
  std::int8_t slide = slip::forward;  ///< slip::stuck: held
  std::int8_t way = 1;                ///< along their `along`, or against it
  int family = -1;                    ///< that it slides on, or may; −1: none
  std::array<double, 2> pressed{};    ///< the forces it was held with at first
  double slow = tolerance::slow;      ///< the speed along the normal at which that is asked

  bool is_under(int level) const { return under[level / 64] >> (level % 64) & 1u; }
  bool is_immersed() const { return (under[0] | under[1] | under[2] | under[3]) != 0; }
  bool is_held() const { return state == slip::stuck; }
  bool slides() const { return slide == slip::stuck && family >= 0 && !is_held(); }
  int count() const {
    int sum = 0;
    for (std::uint64_t bits : under) sum += std::popcount(bits);
    return sum;
  }
  friend bool operator==(const SpreadMode& a, const SpreadMode& b) {
    return a.under == b.under && a.state == b.state && a.given == b.given && a.at_bottom == b.at_bottom
        && a.still == b.still && a.slow == b.slow && a.slide == b.slide && a.family == b.family
        && a.way == b.way && a.pressed == b.pressed;
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
  // Of each family: the speed along its normal, turning included, and that along it; whether sand can hold it there.
  std::vector<T> across, along;
  std::vector<char> may_slide;
  bool slides = false;
  Vec2<T> normal{}, press{};  ///< of the family it slides on: what is held, and the direction of the force
  std::array<T, 2> pressed{}, pressing{};

  Vec2<T> force() const {
    return is_held ? Vec2<T>{given[0] + hold[0], given[1] + hold[1]}
         : slides  ? resistance + (pressed[0] + pressing[0]) * press
                   : resistance;
  }
};

/// A body against beds whose laws give a stress: resistive force theory, plain and dynamic, on its whole outline.
///
/// Moving: the stress summed over what is under the surface and leads (facets.hpp). It depends on the direction of the motion
/// and not on its speed, so a body stops within a finite time, and at rest the law is a set: the convex hull of what motions
/// could meet. A body that the sand holds takes force and moment out of that set; when they leave it, it starts
/// (docs/theory/spread-sand.md). A body that slides along a face is held along its normal in the same way, with friction that
/// goes with the force (sole.hpp).
///
/// Energy: both lines are losses.
template <class P>
struct SpreadSandOf {
  using Scalar = P;
  int body = 0;
  std::vector<SpreadFaceOf<P>> faces;
  BodyPointOf<P> center{};  ///< of the outline: what the force is counted at
  P size{};                 ///< from there to the farthest point of it

  std::vector<SpreadFamilyOf<P>> families;  ///< by attach()

  /// Adds a part of the body; false for kinds that it cannot feel along their surface.
  bool add_part(int bed, const PartOf<P>& part);
  /// What faces of different parts cover of each other is not felt.
  void cover_faces();
  void attach(const TreeOf<P>& tree);
  /// Lets every face feel the layers and the bottoms of its bed; once, after all parts.
  void add_levels(const std::vector<BedOf<P>>& beds);

  using Mode = SpreadMode;
  template <class T>
  using Work = SpreadWork<T>;
  enum { stress, inertia };  // channels
  static constexpr std::array<ChannelInfo, 2> channels = {{{"stress"}, {"grains"}}};
  /// Held together or not at all; the third is the turning times the size.
  static constexpr std::array<SwitchInfo, 5> switches = {
      {{": rest", stress, false, SwitchClass::hull},
       {": rest along z", stress, false, SwitchClass::hull},
       {": rest of rotation", stress, false, SwitchClass::hull},
       {": sole", stress, false, SwitchClass::hull},
       {": rotation on its sole", stress, false, SwitchClass::hull}}};
  static constexpr int first_slide = 3;       ///< of the switches
  static constexpr double slide_times = 100;  ///< what is slow along faces: in units of what is slow

  std::string name(const SceneOf<P>& s) const { return s.tree.body(body).name; }
  static constexpr const char* left_out_of_modes = "sand";
  bool uses(int channel, const SceneOf<P>& s) const {
    return channel == stress || std::any_of(faces.begin(), faces.end(), [&](const SpreadFaceOf<P>& f) {
             const BedOf<P>& bed = s.beds[f.bed];
             return std::holds_alternative<DrftLawOf<P>>(BedEntry::law_of(bed, f.entry.layer));
           });
  }
  int level_count() const { return 2 * static_cast<int>(faces.size()); }
  /// How many of them are surfaces; how many points of those are under.
  int surface_count() const {
    return 2 * static_cast<int>(std::count_if(faces.begin(), faces.end(), [](const SpreadFaceOf<P>& f) {
             return f.entry.is_surface();
           }));
  }
  int count_immersed(const Mode& m) const {
    int sum = 0;
    for (int l = 0; l < level_count(); ++l) sum += faces[l / 2].entry.is_surface() && m.is_under(l);
    return sum;
  }
  template <class T>
  void prepare(const SceneOf<P>&, Work<T>& w) const {
    w.levels.assign(static_cast<std::size_t>(level_count()), T(0));
    w.across.assign(families.size(), T(0));
    w.along.assign(families.size(), T(0));
    w.may_slide.assign(families.size(), 0);
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
  static bool is_active(int sub, const SceneOf<P>&, const Mode& m) {
    return m.is_immersed() && (sub < first_slide || m.family >= 0);
  }
  static std::int8_t& state(int sub, Mode& m) { return sub < first_slide ? m.state : m.slide; }
  template <class T>
  static T& force(int sub, Work<T>& w) {
    return sub < first_slide ? w.hold[sub] : w.pressing[sub - first_slide];
  }
  template <class T>
  static T rate(int sub, const Work<T>& w) {
    return sub == 0           ? w.velocity.x
         : sub == 1           ? w.velocity.z
         : sub == first_slide ? dot(w.normal, w.velocity)
                              : w.turn;
  }
  template <class T>
  static void bounds(int, const Work<T>&, T& lower, T& upper) {
    lower = upper = T(HUGE_VAL);
  }
  static constexpr bool turns(int sub) { return sub == 2 || sub == first_slide + 1; }
  template <class T>
  void add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const {
    if (turns(sub)) return s.tree.add_moment(body, T(size), row);
    s.tree.add_point_force(frames, body, w.arm,
                           sub == first_slide ? w.normal : Vec2<T>{T(sub == 0), T(sub == 1)}, row,
                           static_cast<const T*>(nullptr));
  }
  /// The force of a switch that is not along its row: of a sole, friction goes with it.
  static constexpr bool has_own_force(int sub) { return sub == first_slide; }
  template <class T>
  void add_own_force(int, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const {
    s.tree.add_point_force(frames, body, w.arm, w.press, row, static_cast<const T*>(nullptr));
  }
  template <class T>
  static T own_force_rate(int, const Work<T>& w) {
    return dot(w.press, w.velocity);
  }
  template <class T>
  void fill_row(int sub, const SceneOf<P>&, const Work<T>& w, HeldRow<T>& row) const {
    row.body = body;
    if (turns(sub)) return void(row.turn = T(size));
    row.move = {T(sub == 0), T(sub == 1)};
    row.turn = thud::moment(w.arm, row.move);
  }
  template <class T>
  T bias(int sub, const SceneOf<P>&, const Mode& m, const Frames<Dual<T>, P>& moving) const {
    if (turns(sub)) return (size * moving.rate[body]).d;
    const Vec2<Dual<T>> v = moving.velocity(body, center);
    if (sub == first_slide) return dot(direction(families[m.family].normal(), moving), v).d;
    return (sub == 0 ? v.x : v.z).d;
  }
  static constexpr std::array<HullInfo, 2> hulls = {{{0, 3}, {first_slide, 2, false}}};
  static bool is_held(int hull, const Mode& m) { return hull == 0 ? m.is_held() : m.is_held() || m.slides(); }
  static double speed_of(int hull, const Work<double>& w) {
    if (hull == 0) return w.speed;
    const double v = dot(w.normal, w.velocity);
    return std::sqrt(v * v + w.turn * w.turn) / slide_times;
  }
  static double& still_of(int hull, Mode& m) { return hull == 0 ? m.still : m.slow; }
  /// What holds it in the pose that the frames have.
  std::shared_ptr<const ForceSet> set_of(int hull, const SceneOf<P>& s, const Frames<double, P>& f, Mode& m,
                                         const Work<double>&) const;
  /// Takes these forces from now on, and what changes besides.
  static void hold(int hull, Mode& m, const double* given) {
    if (hull == 0) {
      m.state = slip::stuck;
      m.still = tolerance::slow;
      std::copy(given, given + 3, m.given.begin());
    } else {
      m.slide = slip::stuck;
      m.slow = tolerance::slow;
      std::copy(given, given + 2, m.pressed.begin());
    }
  }
  static void let_go(int hull, Mode& m) {
    if (hull == 0) {
      m.state = slip::forward;
      m.given = {};
      m.stand.reset();
    } else {
      m.slide = slip::forward;
      m.pressed = {};
    }
  }
  /// Which faces it slides on, or may.
  void settle_touch(const Work<double>& w, const Scales& scales, Mode& m) const;
  /// The speed along the normal of faces below which it is asked whether the sand holds it there: above what steps leave, and
  /// of what is slow a part.
  template <class T>
  static T sliding_speed(double slow, const Work<T>& w, const Scales& scales) {
    constexpr double part = 1e3;
    const T most = T(part) * w.speed;
    return slide_times * slow * (value_of(most) < scales.speed ? most : T(scales.speed));
  }
  /// With which it sets out when it is let go.
  static double start_speed(const Work<double>& w, const Scales& scales) {
    return 3 * sliding_speed(tolerance::still, w, scales);
  }
  /// How far inside the set of what the sand can hold: 1 without a load, 0 where it starts. Good to 1e-9 near 0, where it
  /// decides, and to 1e-4 of the rest elsewhere.
  template <class T>
  static T margin(const Work<T>& w);
  /// The same of the faces that it slides on.
  template <class T>
  T slide_margin(const SceneOf<P>& s, const Frames<T, P>& f, const Mode& m, const Work<T>& w) const;

  // ---- events ----
  enum Guard : std::uint8_t { g_level = guard::first_own, g_still, g_bottom, g_slide };
  template <class T, class Sink>
  void guards(const SceneOf<P>& s, const Frames<T, P>& f, const Mode& m, const Work<T>& w,
              const Scales& scales, Sink&& sink) const;
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
  template <class T>
  static Vec2<T> direction(BodyPointOf<P> p, int body, const Frames<T, P>& f) {
    return p.s * f.u[body] + p.n * f.w[body];
  }
  template <class T>
  Vec2<T> direction(BodyPointOf<P> p, const Frames<T, P>& f) const {
    return direction(p, body, f);
  }
  // The set of faces of a family, moving along them in one way.
  static bool is_in(const SpreadFamilyOf<P>& family, int face) {
    return std::any_of(family.faces.begin(), family.faces.end(),
                       [&](const auto& f) { return f.face == face; });
  }
  template <class T>
  SoleOf<T> sole(const SceneOf<P>& s, const Frames<T, P>& f, const SpreadFamilyOf<P>& family, int way) const;
  // That of the mode, where it is of this pose.
  std::shared_ptr<const SpreadStand> make_stand(const SceneOf<P>& s, const Frames<double, P>& f,
                                                const Mode& m) const;
  template <class T>
  struct Placed {
    Vec2<T> at, velocity;
  };
  template <class T, class F>
  static Placed<T> place(const PlaneOf<P>& plane, const F& frames, int body, BodyPointOf<P> p);
  template <class Law, class T>
  void act(const Law& law, const SpreadFaceOf<P>& face, Load<T, P>& load, Work<T>& w,
           const Below<T>* below = nullptr) const;
  template <class T, class Under>
  Below<T> below(const BedOf<P>& bed, int face, Under&& is_under) const {
    return below_entry<T>(bed, faces[face].entry, is_under(2 * face), is_under(2 * face + 1));
  }
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
void SpreadSandOf<P>::act(const Law& law, const SpreadFaceOf<P>& face, Load<T, P>& load, Work<T>& w,
                          const Below<T>* below) const {
  const PlaneOf<P>& plane = load.scene.beds[face.bed].plane;
  const Placed<T> a = place<T>(plane, load.frames, body, face.a);
  const auto push = [&](BodyPointOf<P> p, Vec2<T> force) {
    const Vec2<T> f = force.x * plane.tangent + force.z * plane.normal;
    w.resistance += f;
    w.moment += moment(load.frames.arm(body, p) - w.arm, f);
  };
  if (face.round) {
    const RimLoad<T> rim = load_rim(
        law, RimOf<T>{a.at, a.velocity, load.frames.rate[body], T(face.radius), T(face.breadth)}, below);
    push(face.a, rim.force);
    w.moment += rim.moment;
    if (!below) w.area += rim.area;
    load.power[stress] += rim.power;
    if constexpr (Law::has_inertia) load.power[inertia] += rim.inertial;
    return;
  }
  const Placed<T> b = place<T>(plane, load.frames, body, face.b);
  const FacetLoad<T> plate =
      load_facet(law, FacetOf<T>{a.at, b.at, a.velocity, b.velocity, T(face.breadth), face.thin}, below);
  push(face.a, plate.at_a);
  push(face.b, plate.at_b);
  if (!below) w.area += plate.area;
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
        for (int end : {0, 1}) {
          if (w.levels[2 * k + end] > w.depth) w.depth = w.levels[2 * k + end];
          if (!f.entry.is_surface()) w.levels[2 * k + end] -= f.entry.level(load.scene.beds[f.bed]);
        }
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
    w.slides = m.slides();
    if constexpr (!Lean)
      for (std::size_t k = 0; k < families.size() && !w.is_held; ++k) {
        const T v = dot(direction(families[k].normal(), frames), w.velocity), sum = v * v + w.turn * w.turn;
        w.across[k] = value_of(sum) > 0 ? sqrt(sum) : T(0);
        w.along[k] = dot(direction(families[k].along, frames), w.velocity);
        const bool near = value_of(w.across[k]) < 1e-3 * value_of(w.speed);
        w.may_slide[k] =
            !near
            || sole(load.scene, frames, families[k], value_of(w.along[k]) < 0 ? -1 : 1).is_held_by_sand();
      }
    for (T& x : w.pressing) x = T(0);
    if (m.family >= 0) {
      const SpreadFamilyOf<P>& on = families[m.family];
      const SoleOf<T> set = sole(load.scene, frames, on, m.way);
      w.normal = direction(on.normal(), frames);
      w.press = w.normal + set.slope * direction(on.along, frames);
      for (int i = 0; i < 2; ++i) w.pressed[i] = T(m.pressed[i]);
    }
    if (w.is_held) {
      for (int i = 0; i < 3; ++i) w.given[i] = T(m.given[i]), w.hold[i] = T(0);
      if constexpr (!Lean) w.stand = m.stand;
      load.push(body, w.arm, Vec2<T>{w.given[0], w.given[1]});
      load.wrenches.moment[body] += size * w.given[2];
      return;
    }
    if (w.slides) {
      load.push(body, w.arm, w.pressed[0] * w.press);
      load.wrenches.moment[body] += size * w.pressed[1];
      load.power[stress] += w.pressed[0] * dot(w.press, w.velocity) + w.pressed[1] * w.turn;
    }
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const SpreadFaceOf<P>& f = faces[k];
      if (w.slides && is_in(families[m.family], static_cast<int>(k))) continue;
      const BedOf<P>& bed = load.scene.beds[f.bed];
      const LawOf<P>& law = bed.law;
      if (!f.entry.is_surface()) {
        const int face = static_cast<int>(k);
        if (!m.is_under(2 * face) && !m.is_under(2 * face + 1)) continue;
        const DrftLawOf<P> change = entry_stress(bed, f.entry);
        const Below<T> cut = below<T>(bed, face, [&](int l) { return m.is_under(l); });
        if (is_zero(change.lambda))
          act(static_cast<const RftLawOf<P>&>(change), f, load, w, &cut);
        else
          act(change, f, load, w, &cut);
      } else if (const auto* dynamic = std::get_if<DrftLawOf<P>>(&law))
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
template <class T>
SoleOf<T> SpreadSandOf<P>::sole(const SceneOf<P>& s, const Frames<T, P>& f, const SpreadFamilyOf<P>& family,
                                int way) const {
  const BedOf<P>& bed = s.beds[faces[family.faces[0].face].bed];
  const PlaneOf<P>& plane = bed.plane;
  const auto turn = [&](Vec2<T> r) { return Vec2<T>{dot(plane.tangent, r), dot(plane.normal, r)}; };
  const Vec2<T> normal = turn(direction(family.normal(), f)), along = turn(direction(family.along, f));
  const auto stress_in = [&](BedEntry entry) {
    return entry_stress(bed, entry).element(normal)(double(way) * along);
  };
  const Vec2<T> stress = stress_in({});
  SoleOf<T> out;
  out.slope = dot(stress, along) / dot(stress, normal);
  out.size = T(size);
  out.in_line = family.in_line;
  const T depth = plane.depth(f.position(body, center));
  for (const auto& [index, outward] : family.faces) {
    const SpreadFaceOf<P>& face = faces[index];
    const auto place = [&](BodyPointOf<P> p) {
      const BodyPointOf<P> r{p.s - center.s, p.n - center.n}, n = family.normal();
      return std::pair<P, P>{r.s * family.along.s + r.n * family.along.n, r.s * n.s + r.n * n.n};
    };
    auto from = place(face.a), to = place(face.b);
    if (from.first > to.first) std::swap(from, to);
    const auto level = [&](const std::pair<P, P>& p) {
      return depth + p.first * along.z + p.second * normal.z;
    };
    const bool whole = face.entry.is_surface();
    out.faces.push_back({T(from.first), T(to.first), T(from.second), level(from), level(to), T(face.breadth),
                         outward, dot(whole ? stress : stress_in(face.entry), normal),
                         whole ? Below<T>{} : below<T>(bed, index, [](int) { return true; })});
  }
  return out;
}

template <class P>
template <class T>
T SpreadSandOf<P>::slide_margin(const SceneOf<P>& s, const Frames<T, P>& f, const Mode& m,
                                const Work<T>& w) const {
  return sole(s, f, families[m.family], m.way)
      .margin({w.pressed[0] + w.pressing[0], w.pressed[1] + w.pressing[1]});
}

template <class P>
template <class T, class Sink>
void SpreadSandOf<P>::guards(const SceneOf<P>& s, const Frames<T, P>& f, const Mode& m, const Work<T>& w,
                             const Scales& scales, Sink&& sink) const {
  const double small_length = tolerance::level * scales.length;
  for (int l = 0; l < level_count(); ++l)
    sink(m.is_under(l) ? w.levels[l] : -w.levels[l], small_length, GuardRole::change, g_level,
         static_cast<std::int16_t>(l));
  if (!m.is_immersed()) return;
  for (int l = 0; l < level_count() && !m.at_bottom; ++l)
    if (const BedOf<P>& bed = s.beds[faces[l / 2].bed];
        faces[l / 2].entry.is_surface() && bed.watches_bottom())
      sink(bed.bottom - w.levels[l], small_length, GuardRole::change, g_bottom, static_cast<std::int16_t>(l));
  const double still = m.still * scales.speed;
  if (m.is_held())
    sink(margin(w), tolerance::bound, GuardRole::change, guard::margin, 0);
  else
    sink(w.speed - still, 1e-3 * still, GuardRole::change, g_still, 0);
  if (m.slides())
    sink(slide_margin(s, f, m, w), tolerance::bound, GuardRole::change, guard::margin, 1);
  else if (!m.is_held())
    for (std::size_t k = 0; k < families.size(); ++k) {
      const T slow = sliding_speed(m.slow, w, scales);
      sink(w.may_slide[k] ? w.across[k] - slow : w.across[k] + slow, 1e-3 * value_of(slow), GuardRole::change,
           g_slide, static_cast<std::int16_t>(k));
    }
}

template <class P>
template <class Log>
void SpreadSandOf<P>::log(const Mode& a, const Mode& b, Log&& log) const {
  const int was = count_immersed(a), is = count_immersed(b), all = surface_count();
  if (was == 0 && is > 0) log.push(EventKind::enter, 0, 1);
  if (was > 0 && is == 0) log.push(EventKind::leave, 1, 0);
  if (was < all && is == all) log.push(EventKind::submerge, 0, 1);
  if (was == all && is < all) log.push(EventKind::emerge, 1, 0);
  if (was > 0 && is > 0) log.push_switch(0, a.state, b.state);
  if (was > 0 && is > 0 && !a.is_held() && !b.is_held()) log.push_switch(first_slide, a.slide, b.slide);
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
  const T about_center = w.is_held ? size * (w.given[2] + w.hold[2])
                       : w.slides  ? w.moment + size * (w.pressed[1] + w.pressing[1])
                                   : w.moment;
  return about_center + moment(w.arm - s.tree.center_arm(f, body), w.force());
}

}  // namespace thud
