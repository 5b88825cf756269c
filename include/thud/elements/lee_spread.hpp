#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <variant>

#include "thud/elements/element.hpp"
#include "thud/granular/entries.hpp"
#include "thud/granular/line_sand.hpp"
#include "thud/solve/hull.hpp"

namespace thud {

/// A cylinder of the axis of a body.
template <class P>
struct AxisPieceOf {
  P s0{}, s1{}, width{}, breadth{}, section{};
  P face0{}, face1{};  ///< what is bare of its ends [m²]
  BedEntry entry{};    ///< the level of the bed from which on it feels it
};

struct LineMode {
  std::array<std::uint64_t, 4> under{};  ///< bit k: end k of the pieces is under the surface
  /// Of the velocity along the surface, and of that along its normal: forward while it moves, stuck: held all along the axis.
  std::array<std::int8_t, 2> state = {slip::forward, slip::forward};
  std::array<double, 4> given{};  ///< the forces it was held with at first
  bool at_bottom = false;
  std::array<double, 2> still = {tolerance::slow, tolerance::slow};  ///< as in SpreadMode

  bool is_under(int level) const { return under[level / 64] >> (level % 64) & 1u; }
  bool is_immersed() const { return (under[0] | under[1] | under[2] | under[3]) != 0; }
  bool is_held(int hull) const { return state[hull] == slip::stuck; }
  int count() const {
    int sum = 0;
    for (std::uint64_t bits : under) sum += std::popcount(bits);
    return sum;
  }
  friend bool operator==(const LineMode&, const LineMode&) = default;
};

template <class T>
struct LineWork {
  bool is_immersed = false;
  std::array<bool, 2> is_held{};
  std::array<std::uint64_t, 4> under{};  ///< as in the mode
  std::vector<T> levels;
  Vec2<T> arm_a{}, arm_b{};          ///< to the ends of the axis
  Vec2<T> a{}, b{}, va{}, vb{};      ///< the ends and their velocities, in the frame of the bed
  Vec2<T> at_a{}, at_b{};            ///< forces there of what moves
  std::array<T, 4> given{}, hold{};  ///< along the surface at a and b, along its normal at a and b
  T depth{}, length{};

  bool is_under(int level) const { return under[level / 64] >> (level % 64) & 1u; }
  T held(int k) const { return given[k] + hold[k]; }
  T speed(int hull) const {
    const T x = hull == 0 ? va.x : va.z, y = hull == 0 ? vb.x : vb.z, square = x * x + y * y;
    using std::sqrt;
    return square > T(0) ? sqrt(square) : T(0);
  }
};

/// Lee's law along the axis of a body, as densities (line_sand.hpp). Where all of the axis stands still along the surface, or
/// along its normal, the static share of that direction is whatever holds it, out of the set of what motions could meet
/// (docs/theory/spread-sand.md).
///
/// Energy: every line is a loss.
template <class P>
struct LeeSpreadOf {
  using Scalar = P;
  int body = 0;
  int bed = 0;
  std::vector<AxisPieceOf<P>> pieces;
  P s_a{}, s_b{};  ///< ends of the axis

  /// Adds a cylinder; false for other parts.
  bool add_part(const PartOf<P>& part);
  /// Lets every piece feel the layers and the bottom of the bed; once, after all parts.
  void add_levels(const BedOf<P>& bed);

  using Mode = LineMode;
  template <class T>
  using Work = LineWork<T>;
  enum { drag, vertical, horizontal };  // channels
  static constexpr std::array<ChannelInfo, 3> channels = {
      {{"spread_drag"}, {"spread_vertical"}, {"spread_horizontal"}}};
  static constexpr std::array<SwitchInfo, 4> switches = {
      {{": horizontal", horizontal, false, SwitchClass::hull},
       {": horizontal", horizontal, false, SwitchClass::hull},
       {": vertical", vertical, false, SwitchClass::hull},
       {": vertical", vertical, false, SwitchClass::hull}}};
  static constexpr std::array<HullInfo, 2> hulls = {{{0, 2}, {2, 2}}};

  std::string name(const SceneOf<P>& s) const { return s.tree.body(body).name; }
  static constexpr const char* left_out_of_modes = "sand";
  int level_count() const { return 2 * static_cast<int>(pieces.size()); }
  /// How many of them are at the surface; how many points of those are under.
  int surface_count() const {
    return 2 * static_cast<int>(std::count_if(pieces.begin(), pieces.end(), [](const AxisPieceOf<P>& p) {
             return p.entry.is_surface();
           }));
  }
  int count_immersed(const Mode& m) const {
    int sum = 0;
    for (int l = 0; l < level_count(); ++l) sum += pieces[l / 2].entry.is_surface() && m.is_under(l);
    return sum;
  }
  template <class T>
  void prepare(const SceneOf<P>&, Work<T>& w) const {
    w.levels.assign(static_cast<std::size_t>(level_count()), T(0));
  }

  // ---- forces ----
  template <bool Lean, class T>
  void apply(Load<T, P>& load, const Mode& m, Work<T>& w) const;
  template <class L>
  KernelOn<L> kernel(const SceneOf<P>&, const Mode& m) const {
    return m.is_immersed() ? apply_kernel<LeeSpreadOf, true, L> : nullptr;
  }
  template <class T>
  Vec2<T> force_on(int which, const SceneOf<P>& s, const Frames<T, P>&, const Work<T>& w) const {
    if (which != body || !w.is_immersed) return {};
    const PlaneOf<P>& plane = s.beds[bed].plane;
    Vec2<T> sum = w.at_a + w.at_b;
    if (w.is_held[0]) sum.x += w.held(0) + w.held(1);
    if (w.is_held[1]) sum.z += w.held(2) + w.held(3);
    return sum.x * plane.tangent + sum.z * plane.normal;
  }

  // ---- rest ----
  static bool is_active(int, const SceneOf<P>&, const Mode& m) { return m.is_immersed(); }
  static std::int8_t& state(int sub, Mode& m) { return m.state[sub / 2]; }
  template <class T>
  static T& force(int sub, Work<T>& w) {
    return w.hold[sub];
  }
  template <class T>
  static T rate(int sub, const Work<T>& w) {
    const Vec2<T>& v = sub % 2 == 0 ? w.va : w.vb;
    return sub < 2 ? v.x : v.z;
  }
  template <class T>
  static void bounds(int, const Work<T>&, T& lower, T& upper) {
    lower = upper = T(HUGE_VAL);
  }
  Vec2<P> direction(int sub, const SceneOf<P>& s) const {
    return sub < 2 ? s.beds[bed].plane.tangent : s.beds[bed].plane.normal;
  }
  template <class T>
  void add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const {
    const Vec2<P> e = direction(sub, s);
    s.tree.add_point_force(frames, body, sub % 2 == 0 ? w.arm_a : w.arm_b, Vec2<T>{T(e.x), T(e.z)}, row);
  }
  template <class T>
  void fill_row(int sub, const SceneOf<P>& s, const Work<T>& w, HeldRow<T>& row) const {
    const Vec2<P> e = direction(sub, s);
    row.body = body;
    row.move = {T(e.x), T(e.z)};
    row.turn = moment(sub % 2 == 0 ? w.arm_a : w.arm_b, row.move);
  }
  template <class T>
  T bias(int sub, const SceneOf<P>& s, const Mode&, const Frames<Dual<T>, P>& moving) const {
    return dot(direction(sub, s), moving.velocity(body, BodyPointOf<P>{sub % 2 == 0 ? s_a : s_b, P(0)})).d;
  }
  static bool is_held(int hull, const Mode& m) { return m.is_held(hull); }
  static double speed_of(int hull, const Work<double>& w) { return w.speed(hull); }
  static double& still_of(int hull, Mode& m) { return m.still[hull]; }
  std::shared_ptr<const ForceSet> set_of(int hull, const SceneOf<P>& s, const Frames<double, P>&, const Mode&,
                                         const Work<double>& w) const;
  static void hold(int hull, Mode& m, const double* given) {
    m.state[hull] = slip::stuck;
    m.still[hull] = tolerance::slow;
    std::copy(given, given + 2, m.given.begin() + 2 * hull);
  }
  static void let_go(int hull, Mode& m) {
    m.state[hull] = slip::forward;
    m.given[2 * hull] = m.given[2 * hull + 1] = 0;
  }
  /// How far inside the set of what the sand can hold: 1 without a load, 0 where it starts.
  template <class T>
  T margin(const SceneOf<P>& s, const Work<T>& w, double least) const;

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
  double longest_step(const StepState& s, const Frames<double, P>& f, const Mode& m,
                      const Work<double>& w) const;
  /// The static forces turn with the velocities of their directions: the slower these are, the faster.
  double turning_rate(const SceneOf<P>& s, const Mode& m, const Work<double>& w) const {
    double rate = 0;
    if (!m.is_immersed()) return rate;
    for (int hull : {0, 1})
      if (const double speed = w.speed(hull); !m.is_held(hull) && speed > 0)
        rate = std::max(rate, (hull == 0 ? std::abs(w.at_a.x) + std::abs(w.at_b.x)
                                         : std::abs(w.at_a.z) + std::abs(w.at_b.z))
                                  / speed);
    return rate / value_of(s.tree.body(body).mass);
  }
  bool stops_at_bottom(const SceneOf<P>& s) const { return s.beds[bed].stop_at_bottom; }
  bool reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales, Mode& m) const;

  // ---- sizes, results ----
  double length(const SceneOf<P>&) const {
    return std::max(std::abs(value_of(s_a)), std::abs(value_of(s_b)));
  }
  template <class Put>
  void observables(const SceneOf<P>& s, Put&& put) const {
    const std::string n = s.tree.body(body).name + ".sand" + (bed == 0 ? "" : "." + s.beds[bed].name);
    const std::string& of = s.tree.body(body).name;
    put(0, n + ".moment", "N m", "moment of the sand on " + of + ", about its mass centre");
    put(1, n + ".margin", "",
        "how far inside what the sand can hold the load of " + of
            + " is, 1 without a load; 0 while it moves");
    put(2, n + ".depth", "m", "z_T, depth of the deepest immersed point of " + of);
    put(3, n + ".length", "m", "immersed length of " + of);
  }
  template <class T>
  T observe(int code, const SceneOf<P>& s, const Frames<T, P>& f, const Work<T>& w) const;

 private:
  template <class T>
  LineOf<T> line_of(const AxisPieceOf<P>& piece, const Work<T>& w, Vec2<T> va, Vec2<T> vb) const;
  P ratio(P s) const { return (s - s_a) / (s_b - s_a); }
  // What an axis whose ends move with these velocities meets, all shares or one.
  template <class T>
  LineLoad<T> meet(const SceneOf<P>& s, const Work<T>& w, Vec2<T> va, Vec2<T> vb, LineShares shares) const;
  const LeeSpreadLawOf<P>* law_in(const SceneOf<P>& s, int layer = 0) const {
    return std::get_if<LeeSpreadLawOf<P>>(&BedEntry::law_of(s.beds[bed], layer));
  }
};
using LeeSpread = LeeSpreadOf<double>;

template <class P>
template <class T>
LineOf<T> LeeSpreadOf<P>::line_of(const AxisPieceOf<P>& p, const Work<T>& w, Vec2<T> va, Vec2<T> vb) const {
  const P from = ratio(p.s0), to = ratio(p.s1);
  return {w.a + from * (w.b - w.a),
          w.a + to * (w.b - w.a),
          va + from * (vb - va),
          va + to * (vb - va),
          T(p.width),
          T(p.breadth),
          T(p.section),
          T(p.face0),
          T(p.face1)};
}

template <class P>
template <class T>
LineLoad<T> LeeSpreadOf<P>::meet(const SceneOf<P>& s, const Work<T>& w, Vec2<T> va, Vec2<T> vb,
                                 LineShares shares) const {
  LineLoad<T> sum;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    const AxisPieceOf<P>& p = pieces[k];
    const P from = ratio(p.s0), to = ratio(p.s1);
    const auto add = [&](int layer, double sign, LineShares wanted, const Below<T>* below) {
      const LeeSpreadLawOf<P>* law = law_in(s, layer);
      if (!law) return;
      const LineLoad<T> one = load_line<T, P>(*law, s.gravity_size, line_of(p, w, va, vb), wanted, below);
      sum.at_a += sign * ((P(1) - from) * one.at_a + (P(1) - to) * one.at_b);
      sum.at_b += sign * (from * one.at_a + to * one.at_b);
      sum.drag += sign * one.drag;
      sum.vertical += sign * one.vertical, sum.horizontal += sign * one.horizontal;
      if (!below) sum.length += one.length;
    };
    if (p.entry.is_surface()) {
      add(0, 1, shares, nullptr);
      continue;
    }
    const int level = 2 * static_cast<int>(k);
    if (!w.is_under(level) && !w.is_under(level + 1)) continue;
    const BedOf<P>& b = s.beds[bed];
    const Below<T> below = below_entry<T>(b, p.entry, w.is_under(level), w.is_under(level + 1));
    LineShares wanted = shares;
    if (p.entry.rises) wanted.drag = false;
    add(p.entry.layer, 1, wanted, &below);
    if (p.entry.layer > 0) add(p.entry.layer - 1, -1, wanted, &below);
  }
  return sum;
}

template <class P>
template <bool Lean, class T>
void LeeSpreadOf<P>::apply(Load<T, P>& load, const Mode& m, Work<T>& w) const {
  if constexpr (!requires(const T& x) { x.is_constant(); }) {  // not where it is recorded
    const auto& frames = load.frames;
    const PlaneOf<P>& plane = load.scene.beds[bed].plane;
    const auto turn = [&](Vec2<T> r) { return Vec2<T>{dot(plane.tangent, r), dot(plane.normal, r)}; };
    w.is_immersed = m.is_immersed();
    w.is_held = {m.is_held(0), m.is_held(1)};
    w.under = m.under;
    w.arm_a = s_a * frames.u[body];
    w.arm_b = s_b * frames.u[body];
    const Vec2<T> origin{frames.origin[body].x - plane.point.x, frames.origin[body].z - plane.point.z};
    w.a = turn(origin + w.arm_a);
    w.b = turn(origin + w.arm_b);
    if constexpr (!Lean) {
      w.depth = T(0);
      for (std::size_t k = 0; k < pieces.size(); ++k)
        for (int end : {0, 1}) {
          T& level = w.levels[2 * k + end];
          level = w.a.z + ratio(end == 0 ? pieces[k].s0 : pieces[k].s1) * (w.b.z - w.a.z);
          if (level > w.depth) w.depth = level;
          if (!pieces[k].entry.is_surface()) level -= pieces[k].entry.level(load.scene.beds[bed]);
        }
    }
    if (!w.is_immersed) return;
    w.va = turn(frames.origin_rate[body] + frames.rate[body] * turned(w.arm_a));
    w.vb = turn(frames.origin_rate[body] + frames.rate[body] * turned(w.arm_b));
    if (!law_in(load.scene)) return;
    const LineLoad<T> all = meet(load.scene, w, w.va, w.vb, {true, !w.is_held[1], !w.is_held[0]});
    w.at_a = all.at_a, w.at_b = all.at_b;
    w.length = all.length;
    for (int k = 0; k < 4; ++k) w.given[k] = T(m.given[k]), w.hold[k] = T(0);
    const auto push = [&](Vec2<T> arm, Vec2<T> f) {
      load.push(body, arm, f.x * plane.tangent + f.z * plane.normal);
    };
    push(w.arm_a, w.at_a + Vec2<T>{w.given[0], w.given[2]});
    push(w.arm_b, w.at_b + Vec2<T>{w.given[1], w.given[3]});
    load.power[drag] += all.drag;
    load.power[vertical] += all.vertical;
    load.power[horizontal] += all.horizontal;
  }
}

// Of the directions that are held: the set of the forces at both ends, of both directions that of their sum.
template <class P>
template <class T>
T LeeSpreadOf<P>::margin(const SceneOf<P>& s, const Work<T>& w, double least) const {
  if constexpr (!requires(const T& x) { x.is_constant(); }) {
    if (!law_in(s) || !(w.is_held[0] || w.is_held[1])) return T(0);
    const bool both = w.is_held[0] && w.is_held[1];
    const T lever = norm(w.b - w.a);
    const Vec2<T> u = (T(1) / lever) * (w.b - w.a);
    // Force, and moment about the middle per half the length; or the forces at both ends.
    std::array<T, 3> load{};
    if (both)
      load = {w.held(0) + w.held(1), w.held(2) + w.held(3),
              u.z * (w.held(1) - w.held(0)) - u.x * (w.held(3) - w.held(2))};
    else
      load = {w.held(w.is_held[0] ? 0 : 2), w.held(w.is_held[0] ? 1 : 3), T(0)};
    double most = 0;
    std::vector<double> asked;
    for (int k = 0; k < (both ? 3 : 2); ++k) {
      asked.push_back(value_of(load[k]));
      most = std::max(most, std::abs(asked.back()));
    }
    if (most <= least) return T(1);
    const double slack = tolerance::hold * (most + value_of(s.tree.body(body).mass * s.gravity_size));
    const Gauge share = find_gauge(
        asked,
        [&](const double* rate, double* force) {
          Vec2<T> va, vb;
          if (both) {
            va = {T(rate[0] - value_of(u.z) * rate[2]), T(rate[1] + value_of(u.x) * rate[2])};
            vb = {T(rate[0] + value_of(u.z) * rate[2]), T(rate[1] - value_of(u.x) * rate[2])};
          } else {
            va = w.is_held[0] ? Vec2<T>{T(rate[0]), T(0)} : Vec2<T>{T(0), T(rate[0])};
            vb = w.is_held[0] ? Vec2<T>{T(rate[1]), T(0)} : Vec2<T>{T(0), T(rate[1])};
          }
          const LineLoad<T> f = meet(s, w, va, vb, {false, w.is_held[1], w.is_held[0]});
          if (both) {
            force[0] = value_of(f.at_a.x + f.at_b.x), force[1] = value_of(f.at_a.z + f.at_b.z);
            force[2] = value_of(u.z * (f.at_b.x - f.at_a.x) - u.x * (f.at_b.z - f.at_a.z));
          } else {
            force[0] = value_of(w.is_held[0] ? f.at_a.x : f.at_a.z);
            force[1] = value_of(w.is_held[0] ? f.at_b.x : f.at_b.z);
          }
          add_ball(rate, both ? 3 : 2, slack, force);
        },
        1e-10);
    if (!share.converged) return T(-1);
    T sum = T(1);
    for (std::size_t k = 0; k < asked.size(); ++k) sum -= share.normal[k] * load[k];
    return sum;
  } else {
    return T(0);
  }
}

template <class P>
template <class T, class Sink>
void LeeSpreadOf<P>::guards(const SceneOf<P>& s, const Mode& m, const Work<T>& w, const Scales& scales,
                            Sink&& sink) const {
  const double small_length = tolerance::level * scales.length;
  for (int l = 0; l < level_count(); ++l)
    sink(m.is_under(l) ? w.levels[l] : -w.levels[l], small_length, GuardRole::change, g_level,
         static_cast<std::int16_t>(l));
  if (!m.is_immersed()) return;
  if (const BedOf<P>& b = s.beds[bed]; b.watches_bottom() && !m.at_bottom)
    for (int l = 0; l < level_count(); ++l)
      if (pieces[l / 2].entry.is_surface())
        sink(b.bottom - w.levels[l], small_length, GuardRole::change, g_bottom, static_cast<std::int16_t>(l));
  if (m.is_held(0) || m.is_held(1))
    sink(margin(s, w, tolerance::bound_force * scales.force), tolerance::bound, GuardRole::change,
         guard::margin, 0);
  for (int hull : {0, 1})
    if (const double still = m.still[hull] * scales.speed; !m.is_held(hull))
      sink(w.speed(hull) - still, 1e-3 * still, GuardRole::change, g_still, static_cast<std::int16_t>(hull));
}

template <class P>
template <class Log>
void LeeSpreadOf<P>::log(const Mode& a, const Mode& b, Log&& log) const {
  const int was = count_immersed(a), is = count_immersed(b), all = surface_count();
  if (was == 0 && is > 0) log.push(EventKind::enter, 0, 1);
  if (was > 0 && is == 0) log.push(EventKind::leave, 1, 0);
  if (was < all && is == all) log.push(EventKind::submerge, 0, 1);
  if (was == all && is < all) log.push(EventKind::emerge, 1, 0);
  if (was == 0 || is == 0) return;
  for (int hull : {0, 1}) log.push_switch(2 * hull, a.state[hull], b.state[hull]);
}

template <class P>
template <class T, class Sink>
void LeeSpreadOf<P>::approaches(const SceneOf<P>& s, const Mode& m, const Frames<T, P>& f, const Work<T>& w,
                                Sink&& sink) const {
  for (int l = 0; l < level_count(); ++l) {
    if (m.is_under(l)) continue;
    const AxisPieceOf<P>& p = pieces[l / 2];
    const BodyPointOf<P> end{l % 2 == 0 ? p.s0 : p.s1, P(0)};
    sink(-w.levels[l], -dot(s.beds[bed].plane.normal, f.velocity(body, end)));
  }
}

template <class P>
template <class T>
T LeeSpreadOf<P>::observe(int code, const SceneOf<P>& s, const Frames<T, P>& f, const Work<T>& w) const {
  if (!w.is_immersed) return T(0);
  if (code == 1) return w.is_held[0] && w.is_held[1] ? margin(s, w, 0) : T(0);
  if (code >= 2) return code == 2 ? w.depth : w.length;
  const PlaneOf<P>& plane = s.beds[bed].plane;
  const Vec2<T> center = s.tree.center_arm(f, body);
  const auto about = [&](Vec2<T> arm, Vec2<T> force) {
    return moment(arm - center, force.x * plane.tangent + force.z * plane.normal);
  };
  const auto held = [&](int k) { return w.is_held[k / 2] ? w.held(k) : T(0); };
  return about(w.arm_a, w.at_a + Vec2<T>{held(0), held(2)})
       + about(w.arm_b, w.at_b + Vec2<T>{held(1), held(3)});
}

}  // namespace thud
