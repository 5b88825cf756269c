#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "thud/elements/element.hpp"
#include "thud/elements/keys.hpp"
#include "thud/granular/part.hpp"

namespace thud {

struct FootMode {
  enum Phase : std::uint8_t {
    apart,  ///< above the deepest that it has been: no force
    deep,   ///< as deep as ever: it stands, or goes deeper and takes grains along
  };
  Phase phase = apart;
  std::int8_t slip = slip::forward;  ///< deep: slip::forward while it goes deeper, or slip::stuck
  bool full = false;                 ///< the cone has all its grains
  double deepest = 0;                ///< the deepest that it has been, when the mode was last chosen [m]
  double left = 0;                   ///< the depth from which grains are counted that it takes along [m]

  friend bool operator==(const FootMode&, const FootMode&) = default;
};

/// A flat foot that takes grains along: added mass.
///
///   (m + m_a) z̈ = F + m_a g − F_static(z) − b c_g m_a′(z) ż²        while it goes deeper than ever before,
///   0 ≤ F_sand ≤ F_static(z)                                         while it stands at that depth,
///   F_sand = 0                                                       above it
///
/// cone (Aguilar & Goldman 2016; Roberts & Koditschek 2018): below a disc of radius R a cone of grains grows until
/// z_c = R tan θ/μ; the z of the geometry is at most that,
///
///   A_flat = π (R − μ z cot θ)²                 S_flat = ∫ A_flat dz
///   m_a = φ ρ μ S_flat + C z                    S_cone = (π R² + S_flat)/cos θ
///   F_static = k S_flat/(π R²) + σ S_cone z
///
/// swept: m_a = C_a φ ρ A z,  F_static = k_A A z
///
///   z depth of the sole along the normal of the surface   m what the foot has of the linkage there   g along that normal
///   F the load on the foot   φ packing fraction, ρ density of the grains [kg/m³]   b, c_g drag coefficients [-]
///   θ angle of the cone, μ how fast it grows [-]   k [N/m], σ [N/m³], C [kg/m], k_A [N/m³]   A area of the sole [m²]
///
/// The added mass is an inertia along the normal at the point of the foot: it enters the equations of motion of the whole
/// linkage. Of the force m_a′ ż² gives the grains their speed, and the rest of b c_g m_a′ ż² is drag: b c_g ≥ 1. A foot that
/// stops drops its grains; from there it takes all of them along again. One that lands in its own hole takes along what it
/// meets from there on.
///
/// Sign: the sand only pushes out. Limits: z → 0 ⇒ 0.
/// Energy: stores ½ m_a ż²; losses F_static ż, (b c_g − 1) m_a′ ż³, and ½ m_a′ ż³ for picking grains up; their weight
/// supplies m_a g ż.
template <class P>
struct AddedMassOf {
  using Scalar = P;
  enum Kind { cone, swept };
  std::string label;
  int kind = cone;
  AttachmentOf<P> at;
  P level{}, slope{};
  P radius{}, angle{1.0471975511965976}, growth{2}, stiffness{1600}, strength{0.12e6}, extra{1};
  P area{}, share{1}, hardness{};
  P packing{0.57}, density{1000}, drag{17.2}, grain_drag{2.7};

  using Mode = FootMode;
  template <class T>
  struct Work {
    T depth{}, rate{};
    T mass{}, mass_rate{}, limit{};  ///< m_a, dm_a/dz, F_static
    T drag{}, weight{}, hold{};      ///< forces along the normal
    T inertial{};                    ///< of the grains, m_a z̈
    Vec2<T> arm{};
  };
  enum { sinking, dragging, picking, weighing };  // channels
  static constexpr std::array<ChannelInfo, 4> channels = {
      {{"foot_static"}, {"foot_drag"}, {"picked_up"}, {"grain", true}}};
  static constexpr std::array<SwitchInfo, 1> switches = {{{"", sinking, false}}};
  static constexpr int cut_off_loss = picking;  ///< what grains have that are dropped
  static constexpr const char* store = "grains";
  static constexpr const char* store_about = "kinetic energy of the grains that feet take along";
  static constexpr const char* left_out_of_modes = "feet in sand";

  static constexpr const char* table = "foot";
  static constexpr const char* table_about =
      "A flat foot in sand that takes grains along: added mass, felt while it goes deeper than ever before.";
  template <class Keys>
  void keys(Keys& k) {
    constexpr bool lists = requires { Keys::lists; };  // all keys, whatever the kind
    k.name(label);
    k.place("at", at, "the middle of the sole, a point of a body");
    k.choice(
        "kind", kind, {"cone", "swept"},
        "`cone`: a disc under which a cone of grains grows; `swept`: grains by the volume that the sole has "
        "gone through");
    k.number_or("level", level, "m", Admits::anything, "z of the surface at x = 0");
    k.number_or("slope", slope, "rad", Admits::anything, "of the surface, falling towards +x");
    if (lists || kind == cone) {
      k.number_or("radius", radius, "m", Admits::positive, "cone: of the disc; needed there");
      k.number_or("angle", angle, "rad", Admits::positive, "cone: θ of its side against the sole");
      k.number_or("growth", growth, "", Admits::positive, "cone: μ, how fast it grows");
      k.number_or("stiffness", stiffness, "N/m", Admits::non_negative, "cone: k of the static resistance");
      k.number_or("strength", strength, "N/m3", Admits::non_negative,
                  "cone: σ of the static resistance, per depth and surface of the cone");
      k.number_or("extra_mass", extra, "kg/m", Admits::non_negative,
                  "cone: C, mass per depth that is taken along besides the cone");
    }
    if (lists || kind == swept) {
      k.number_or("area", area, "m2", Admits::positive, "swept: of the sole; needed there");
      k.number_or("share", share, "", Admits::positive, "swept: C_a, of the grains swept that go along");
      k.number_or("hardness", hardness, "N/m3", Admits::non_negative,
                  "swept: static resistance per area and depth");
    }
    k.number_or("packing", packing, "", Admits::positive, "φ, volume of grains per volume");
    k.number_or("density", density, "kg/m3", Admits::positive, "ρ of the grains themselves");
    k.number_or("drag", drag, "", Admits::positive,
                "b of the drag b c_g dm_a/dz times the square of the speed");
    k.number_or("grain_drag", grain_drag, "", Admits::positive, "c_g of the drag");
  }
  /// What is wrong with it; empty: nothing.
  std::string fault() const;

  void attach(TreeOf<P>& tree) {
    tree.couple(at.body);
    using portable::tan, portable::cos;
    plane_ = PlaneOf<P>::make({P(0), level}, slope);
    if (kind == swept) return;
    cot_ = P(1) / tan(angle);
    secant_ = P(1) / cos(angle);
    full_depth_ = radius / (growth * cot_);
  }
  /// What of its body does not fit it; empty: nothing.
  std::string misfit(const TreeOf<P>& tree) const {
    return tree.body(at.body).beam ? "a foot must be a rigid body: \"" + tree.body(at.body).name + "\" bends"
                                   : "";
  }
  const std::string& subject() const { return label; }
  bool ties(int body) const { return at.body == body; }
  double force_size() const {
    return value_of(kind == cone ? stiffness * radius + strength * radius * radius * radius
                                 : hardness * area * std::sqrt(value_of(area)));
  }
  double length(const SceneOf<P>&) const {
    return kind == cone ? value_of(radius) : std::sqrt(value_of(area));
  }

  // ---- what the grains do ----
  /// m_a at a depth; `rate`: dm_a/dz, `limit`: F_static.
  template <class T>
  T grains(T z, bool full, T& rate, T& limit) const {
    if (kind == swept) {
      const P per_depth = share * packing * density * area;
      rate = T(per_depth);
      limit = hardness * area * z;
      return per_depth * z;
    }
    const P disc = std::numbers::pi * radius * radius, solid = packing * density * growth;
    const T inner = full ? T(full_depth_) : z;
    const T x = (growth * cot_ / radius) * inner;
    const T flat = full ? T(0) : T(disc * (T(1) - x) * (T(1) - x));
    const T volume = disc * inner * (T(1) - x + x * x * (1.0 / 3));
    rate = solid * flat + extra;
    limit = (stiffness / disc) * volume + (strength * secant_) * (disc + volume) * z;
    return solid * volume + extra * z;
  }

  // ---- forces ----
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
    find_depth(load.frames, w);
    w.mass = w.mass_rate = w.limit = w.drag = w.weight = w.hold = w.inertial = T(0);
    if (m.phase != Mode::deep) return;
    const T all = grains(w.depth, m.full, w.mass_rate, w.limit);
    w.hold = slip::fixed_force(m.slip, w.limit, T(0));
    const Vec2<P> n = plane_.normal;
    if (m.slip == slip::forward) {
      P unused_rate, unused_limit;
      w.mass = all - grains(P(m.left), m.left >= value_of(full_depth_), unused_rate, unused_limit);
      const T flow = w.mass_rate * w.rate * w.rate;
      const P part = drag * grain_drag;
      w.drag = -part * flow;
      w.weight = dot(n, load.scene.gravity) * w.mass;
      load.power[dragging] -= (part - 1) * flow * w.rate;
      load.power[picking] -= 0.5 * flow * w.rate;
      load.power[weighing] += w.weight * w.rate;
      if (load.added) carry(load, w);
    }
    load.power[sinking] += w.hold * w.rate;
    load.push(at.body, w.arm, (w.hold + w.drag + w.weight) * Vec2<T>{T(n.x), T(n.z)});
  }
  template <class L>
  static KernelOn<L> kernel(const SceneOf<P>&, const Mode& m) {
    return m.phase == Mode::deep ? apply_kernel<AddedMassOf, true, L> : nullptr;
  }
  /// After the accelerations are known.
  template <class T>
  void take_acceleration(const SceneOf<P>& s, const Frames<T, P>& f, const T* vdot, Work<T>& w) const {
    const Vec2<P> n = plane_.normal;
    w.inertial = w.mass * dot(Vec2<T>{T(n.x), T(n.z)}, s.tree.acceleration(f, vdot, at.body, at.point));
  }
  template <class T>
  static T stored(const Work<T>& w) {
    return 0.5 * w.mass * w.rate * w.rate;
  }
  /// Of everything on the foot, along the normal.
  template <class T>
  static T force_of(const Work<T>& w) {
    return w.hold + w.drag + w.weight - w.inertial;
  }
  template <class T>
  Vec2<T> force_on(int which, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    if (which != at.body) return {};
    const Vec2<P> n = plane_.normal;
    return force_of(w) * Vec2<T>{T(n.x), T(n.z)};
  }

  // ---- the switch: the sand holds what does not push it deeper ----
  bool is_active(int, const SceneOf<P>&, const Mode& m) const { return m.phase == Mode::deep; }
  static std::int8_t& state(int, Mode& m) { return m.slip; }
  template <class T>
  static T& force(int, Work<T>& w) {
    return w.hold;
  }
  template <class T>
  static T rate(int, const Work<T>& w) {
    return w.rate;
  }
  template <class T>
  static void bounds(int, const Work<T>& w, T& lower, T& upper) {
    lower = w.limit, upper = T(0);
  }
  template <class T>
  void add_row(int, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>&, T* row) const {
    const Vec2<P> n = plane_.normal;
    s.tree.add_point_force(frames, at.body, at.point, Vec2<T>{T(n.x), T(n.z)}, row);
  }
  template <class T>
  T bias(int, const SceneOf<P>&, const Mode&, const Frames<Dual<T>, P>& moving) const {
    return dot(plane_.normal, moving.velocity(at.body, at.point)).d;
  }

  // ---- events ----
  enum Guard : std::uint8_t { g_gap = guard::first_own, g_full };
  template <class T, class Sink>
  void guards(const SceneOf<P>&, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const {
    if (is_off(m)) return sink(m.deepest - w.depth, scales.small_gap(), GuardRole::change, g_gap, 0);
    slip_guards(*this, 0, m.slip, w, scales, sink);
    if (kind == cone && !m.full && m.slip == slip::forward)
      sink(full_depth_ - w.depth, tolerance::level * scales.length, GuardRole::change, g_full, 0);
  }
  template <class T, class Sink>
  void approaches(const SceneOf<P>&, const Mode& m, const Frames<T, P>&, const Work<T>& w,
                  Sink&& sink) const {
    if (is_off(m)) sink(m.deepest - w.depth, -w.rate);
  }
  /// What was found to leave a step ahead is above its deepest from then on.
  static void settle_touch(const Work<double>& w, const Scales&, Mode& m) {
    if (m.phase == Mode::apart || !is_off(m)) return;
    const double deepest = std::max(m.deepest, w.depth);
    m = {};
    m.deepest = deepest;
  }
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const;
  /// Drag starts at once, and grows from zero depth.
  static bool starts_rough(const Mode& before, const Mode& after) {
    return before.phase != Mode::deep && after.phase == Mode::deep;
  }
  template <class Log>
  void log(const Mode& before, const Mode& after, Log&& log) const {
    if (before.phase != after.phase)
      log.push(after.phase == Mode::deep ? EventKind::enter : EventKind::leave, before.phase, after.phase);
    else
      log.push_switches();
  }
  /// Any; that it is asked keeps it out of lanes.
  double longest_step(const StepState&, const Mode&, const Work<double>&) const {
    return std::numeric_limits<double>::infinity();
  }

  template <class Put>
  void observables(const SceneOf<P>&, Put&& put) const {
    put(0, label + ".depth", "m", "of " + label + " under the surface");
    put(1, label + ".rate", "m/s", "speed of " + label + " into the sand");
    put(2, label + ".force", "N", "with which the sand pushes " + label + " out");
    put(3, label + ".added_mass", "kg", "grains that " + label + " takes along");
    put(4, label + ".static_force", "N", "static resistance on " + label);
    put(5, label + ".drag_force", "N", "drag on " + label);
  }
  template <class T>
  T observe(int code, const SceneOf<P>&, const Frames<T, P>&, const Work<T>& w) const {
    const T all[] = {w.depth, w.rate, T(-force_of(w)), w.mass, T(-w.hold), T(-w.drag)};
    return all[code];
  }

 private:
  static bool is_off(const Mode& m) { return m.phase == Mode::apart || m.slip == slip::backward; }
  template <class T>
  void find_depth(const Frames<T, P>& frames, Work<T>& w) const {
    w.arm = at.arm(frames);
    w.depth = plane_.depth(frames.origin[at.body] + w.arm);
    w.rate = dot(plane_.normal, frames.velocity(at.body, at.point));
  }
  // Their inertia, and what they need to follow the point on its circle.
  template <class T>
  void carry(Load<T, P>& load, const Work<T>& w) const {
    const Vec2<T> n{T(plane_.normal.x), T(plane_.normal.z)};
    const T lever = moment(w.arm, n), turning = load.frames.rate[at.body];
    const Vec2<T> along = load.frames.centripetal[at.body] - turning * turning * w.arm;
    load.push(at.body, w.arm, (-w.mass * dot(n, along)) * n);
    mechanics::Articulated<T>& a = load.added[at.body];
    a.turn += w.mass * lever * lever;
    a.cross += (w.mass * lever) * n;
    a.xx += w.mass * n.x * n.x;
    a.xz += w.mass * n.x * n.z;
    a.zz += w.mass * n.z * n.z;
  }

  PlaneOf<P> plane_{};
  P cot_{}, secant_{}, full_depth_{};
};
using AddedMass = AddedMassOf<double>;

}  // namespace thud
