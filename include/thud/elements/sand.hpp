#pragma once

#include <algorithm>
#include <variant>

#include "thud/elements/element.hpp"
#include "thud/granular/immersion.hpp"

namespace thud {

/// Every sign, absolute value and clip of one piece, fixed while a mode lasts.
struct SandMode {
  Immersion immersion;
  std::int8_t cross = 1;     ///< sign of u × v_E; 0: moving along its own axis (AreaRule::side_or_end)
  std::int8_t along = 1;     ///< sign of u · v_E
  std::int8_t end_area = 0;  ///< AreaRule::floor: 1 when the end face is the larger area
  std::int8_t normal = 1, shear = 1, spin = 1;  ///< slip states
  bool at_bottom = false;

  friend bool operator==(const SandMode& a, const SandMode& b) {
    return a.immersion.regime == b.immersion.regime && a.immersion.deepest == b.immersion.deepest
        && a.cross == b.cross && a.along == b.along && a.end_area == b.end_area && a.normal == b.normal
        && a.shear == b.shear && a.spin == b.spin && a.at_bottom == b.at_bottom;
  }
};

/// What a piece does at one instant.
template <class T>
struct SandWork {
  bool is_immersed = false;
  Levels<T> levels;
  Immersed<T> immersed;
  Vec2<T> velocity{};             ///< v_E
  T cross{}, along{};             ///< u × v_E, u · v_E
  T turn{};                       ///< rate of rotation at E
  std::vector<T> shapes, slopes;  ///< of a beam at E
  Resistance<T> resistance;
  T normal_rate{}, shear_rate{};                   ///< γ of the switches
  T normal_force{}, shear_force{}, spin_moment{};  ///< λ of the switches
};

/// One part of a body against one bed: drag at E, and static resistance along the normal and along the surface as
/// set-valued forces; on a wholly immersed part a moment besides (docs/theory/sand.md).
///
/// Energy: every line is a loss.
template <class P>
struct SandPieceOf {
  using Scalar = P;
  int body = 0;
  int bed = 0;
  PartOf<P> part;
  // Kept ready for the right-hand side.
  P inverse_width{}, end_area{}, mass{};

  SandPieceOf() = default;
  SandPieceOf(const TreeOf<P>& tree, int body_, int bed_, const PartOf<P>& part_)
      : body(body_),
        bed(bed_),
        part(part_),
        inverse_width(P(1) / part_.width),
        end_area(part_.end_area()),
        mass(tree.body(body_).mass) {}

  using Mode = SandMode;
  template <class T>
  using Work = SandWork<T>;
  enum { drag, static_normal, static_shear, rotation };  // channels
  enum { normal, shear, spin };                          // switches
  static constexpr std::array<ChannelInfo, 4> channels = {
      {{"drag"}, {"static_vertical"}, {"static_horizontal"}, {"rotation"}}};
  static constexpr std::array<SwitchInfo, 3> switches = {{{": vertical", static_normal, false},
                                                          {": horizontal", static_shear, false},
                                                          {": rotation", rotation, true}}};

  std::string name(const SceneOf<P>& s) const;
  static constexpr const char* left_out_of_modes = "sand";
  bool may_turn(const SceneOf<P>& s) const {
    return !part.is_round() && s.beds[bed].rotation == RotationRule::whole;
  }
  bool uses(int channel, const SceneOf<P>& s) const { return channel != rotation || may_turn(s); }
  template <class T>
  void prepare(const SceneOf<P>& s, Work<T>& w) const;

  // ---- forces ----
  template <bool Lean, class T, class F, class W>
  void apply(LoadOn<T, P, F, W>& load, const Mode& m, Work<T>& w) const;
  /// Straight parts under Lee's law have one for each regime.
  template <class L>
  KernelOn<L> kernel(const SceneOf<P>& s, const Mode& m) const;
  bool acts_on_lone(const SceneOf<P>&) const { return part.kind != PartKind::beam; }

  template <class T>
  Vec2<T> drag_force(const Work<T>& w) const {
    return w.is_immersed ? -w.resistance.drag * w.velocity : Vec2<T>{};
  }
  template <class T>
  Vec2<T> static_force(const SceneOf<P>& s, const Work<T>& w) const {
    const PlaneOf<P>& plane = s.beds[bed].plane;
    return w.is_immersed ? w.normal_force * plane.normal + w.shear_force * plane.tangent : Vec2<T>{};
  }
  template <class T>
  Vec2<T> force_on(int which, const SceneOf<P>& s, const Frames<T, P>&, const Work<T>& w) const {
    return which == body ? drag_force(w) + static_force(s, w) : Vec2<T>{};
  }

  // ---- switches ----
  bool is_immersed(const Mode& m) const { return thud::is_immersed(part, m.immersion.regime); }
  bool is_active(int sub, const SceneOf<P>& s, const Mode& m) const {
    return is_immersed(m) && (sub != spin || (may_turn(s) && is_whole(part, m.immersion.regime)));
  }
  static std::int8_t& state(int sub, Mode& m) {
    return sub == normal ? m.normal : sub == shear ? m.shear : m.spin;
  }
  template <class T>
  static T& force(int sub, Work<T>& w) {
    return sub == normal ? w.normal_force : sub == shear ? w.shear_force : w.spin_moment;
  }
  template <class T>
  static T rate(int sub, const Work<T>& w) {
    return sub == normal ? w.normal_rate : sub == shear ? w.shear_rate : w.turn;
  }
  template <class T>
  static void bounds(int sub, const Work<T>& w, T& lower, T& upper) {
    const Resistance<T>& r = w.resistance;
    if (sub == normal)
      lower = r.plunge, upper = r.withdraw;
    else
      lower = upper = sub == shear ? r.shear : r.spin_bound;
  }
  template <class T>
  void add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w, T* row) const;
  /// The same row by the accelerations of its rigid body.
  template <class T>
  void fill_row(int sub, const SceneOf<P>& s, const Work<T>& w, HeldRow<T>& row) const {
    row.body = body;
    if (sub == spin) return void(row.turn = T(1));
    const Vec2<P> e = sub == normal ? s.beds[bed].plane.normal : s.beds[bed].plane.tangent;
    row.move = {T(e.x), T(e.z)};
    row.turn = moment(w.immersed.arm, row.move);
  }
  /// dγ/dt at v̇ = 0: E moves along the body as the immersion changes, which the dual numbers see.
  template <class T>
  T bias(int sub, const SceneOf<P>& s, const Mode& m, const Frames<Dual<T>, P>& moving) const;

  // ---- events ----
  enum Guard : std::uint8_t {
    g_level = guard::first_own,
    g_deepest,
    g_cross,
    g_along,
    g_end_area,
    g_aligned,
    g_bottom
  };
  template <class T, class Sink>
  void guards(const SceneOf<P>& s, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const;
  /// Takes the other side of a corner of the drag.
  static bool flip(const GuardId& id, Mode& m);
  template <class Log>
  void log(const Mode& before, const Mode& after, Log&& log) const;
  /// A part has just touched the sand: resistance starts from zero depth, where it is not smooth.
  static bool starts_rough(const Mode& before, const Mode& after) {
    return (after.immersion.regime & ~before.immersion.regime) != 0;
  }
  /// Heights above the surface of what is not immersed, and how fast they change: sink(height, rate).
  template <class T, class Sink>
  void approaches(const SceneOf<P>& s, const Mode& m, const Frames<T, P>& f, const Work<T>& w,
                  Sink&& sink) const;
  bool stops_at_bottom(const SceneOf<P>& s) const { return s.beds[bed].stop_at_bottom; }
  /// Marks a part that has reached the bottom of its bed.
  bool reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales, Mode& m) const;

  // ---- selection (see ModeSelector) ----
  /// Levels and deepest points. True when the regime has changed.
  bool settle_geometry(const Work<double>& here, const Work<double>& there, const Scales& scales,
                       Mode& m) const;
  /// Sides of the drag: signs of u × v_E and u · v_E, and which area counts. True when all were clear already `here`.
  bool settle_flow(const SceneOf<P>& s, const Frames<double, P>& frames, const Work<double>& here,
                   const Work<double>& there, const Scales& scales, Mode& m) const;
  bool passes_clearly(const SceneOf<P>& s, const Frames<double, P>& later, const Work<double>& here,
                      const Scales& scales, double ahead, Work<double>& there) const;
  /// Where the back of a beam has just come out, or its belly dipped in, E runs along it with a speed without bound, as
  /// the root of the height. That decides at this instant; already a little later it would seem that E can be held.
  bool decides_at_once(const Work<double>& w, const Scales& scales, const Mode& m) const {
    return part.kind == PartKind::beam && (m.immersion.regime & 4)
        && std::abs(w.levels.value[2]) < 1e-6 * scales.length;
  }

  // ---- sizes ----
  double length(const SceneOf<P>&) const {
    return std::max({std::abs(value_of(part.s0)), std::abs(value_of(part.s1)), value_of(part.width)});
  }

 private:
  template <bool Lean, class Case, class ApplyLaw, class L, class T>
  void act(Case known, const BedOf<P>& bed, L& load, const Mode& m, Work<T>& w, ApplyLaw&& apply_law) const;
  template <class T>
  Vec2<T> bend(const Load<T, P>& load, const Immersed<T>& im, Work<T>& w, Vec2<T>& axis, T& rate) const;
  template <std::uint8_t Regime, AreaRule Area, class L>
  static void segment_kernel(const void* piece, L& load, const void* mode, void* work);
  template <class T, class Sink>
  void flow_guards(AreaRule rule, const Mode& m, const Work<T>& w, const Scales& scales, Sink&& sink) const;
  template <class Case, class T>
  T area_speed(Case known, const Mode& m, T side, Vec2<T> velocity, T cross, T along) const;
};
using SandPiece = SandPieceOf<double>;

template <class P>
template <class T>
void SandPieceOf<P>::add_row(int sub, const SceneOf<P>& s, const Frames<T, P>& frames, const Work<T>& w,
                             T* row) const {
  if (sub == spin) {
    s.tree.add_moment(body, T(1), row);
    for (std::size_t j = 0; j < w.slopes.size(); ++j) row[s.tree.elastic_dof(body) + j] += w.slopes[j];
    return;
  }
  const PlaneOf<P>& plane = s.beds[bed].plane;
  const Vec2<P> e = sub == normal ? plane.normal : plane.tangent;
  s.tree.add_point_force(frames, body, w.immersed.arm, Vec2<T>{T(e.x), T(e.z)}, row,
                         w.shapes.empty() ? nullptr : w.shapes.data());
}

template <class P>
template <class T>
T SandPieceOf<P>::bias(int sub, const SceneOf<P>& s, const Mode& m, const Frames<Dual<T>, P>& moving) const {
  const bool beam = part.kind == PartKind::beam;
  if (sub == spin && !beam) return T(0);
  const PlaneOf<P>& plane = s.beds[bed].plane;
  Levels<Dual<T>> lv;
  Immersed<Dual<T>> im;
  survey(part, m.immersion, body, moving, plane, lv, im);
  Vec2<Dual<T>> velocity = moving.velocity(body, im.arm);
  if (beam) {
    Dual<T> lateral, turn;
    s.tree.body(body).beam->deflect(im.at, moving.eta_rate.data() + s.tree.elastic_begin(body), lateral,
                                    turn);
    if (sub == spin) return turn.d;
    velocity += lateral * moving.w[body];
  }
  return dot(sub == normal ? plane.normal : plane.tangent, velocity).d;
}

template <class P>
template <class T, class Sink>
void SandPieceOf<P>::guards(const SceneOf<P>& s, const Mode& m, const Work<T>& w, const Scales& scales,
                            Sink&& sink) const {
  const double small_length = tolerance::level * scales.length;
  const std::uint8_t regime = m.immersion.regime;
  for (std::int16_t l = 0; l < w.levels.count; ++l)
    sink(regime >> l & 1 ? w.levels.value[l] : -w.levels.value[l], small_length, GuardRole::change, g_level,
         l);
  if (!is_immersed(m)) return;
  const BedOf<P>& b = s.beds[bed];
  const bool block = part.kind == PartKind::block;
  if ((part.kind == PartKind::segment || part.kind == PartKind::beam) && (regime & 3) == 3)
    sink(m.immersion.deepest * (w.levels.value[1] - w.levels.value[0]), small_length, GuardRole::change,
         g_deepest, 0);
  if (block)
    for (int side : {1, 3}) {
      const int other = (m.immersion.deepest + side) % 4;
      sink(w.levels.value[m.immersion.deepest] - w.levels.value[other], small_length, GuardRole::change,
           g_deepest, static_cast<std::int16_t>(other));
    }
  if (b.watches_bottom() && !m.at_bottom)
    sink(b.bottom - w.immersed.depth, small_length, GuardRole::change, g_bottom, 0);
  if (!part.is_round() && (slip::is_slipping(m.normal) || slip::is_slipping(m.shear)))
    flow_guards(b.area, m, w, scales, sink);
  slip_guards(*this, normal, m.normal, w, scales, sink);
  slip_guards(*this, shear, m.shear, w, scales, sink);
  if (is_active(spin, s, m)) slip_guards(*this, spin, m.spin, w, scales, sink);
}

template <class P>
template <class T, class Sink>
void SandPieceOf<P>::flow_guards(AreaRule rule, const Mode& m, const Work<T>& w, const Scales& scales,
                                 Sink&& sink) const {
  using std::abs;
  const double small_flow = tolerance::flow * scales.speed;
  const bool block = part.kind == PartKind::block;
  if (rule == AreaRule::side_or_end && m.cross == 0 && !block) {
    sink(tolerance::aligned * small_flow - abs(w.cross), 0.0, GuardRole::change, g_aligned, 0);
    sink(m.along * w.along, small_flow, GuardRole::flow, g_along, 0);
  } else {
    if (block || (rule != AreaRule::full && !(rule == AreaRule::floor && m.end_area)))
      sink(m.cross * w.cross, small_flow, GuardRole::flow, g_cross, 0);
    if (block || rule == AreaRule::silhouette)
      sink(m.along * w.along, small_flow, GuardRole::flow, g_along, 0);
  }
  if (rule == AreaRule::floor && !block) {
    const T excess = part.end_area() * norm(w.velocity) - w.immersed.side * abs(w.cross);
    sink(m.end_area ? excess : -excess, tolerance::slip * scales.speed * value_of(part.end_area()),
         GuardRole::change, g_end_area, 0);
  }
}

template <class P>
template <class Log>
void SandPieceOf<P>::log(const Mode& a, const Mode& b, Log&& log) const {
  if (a == b) return;
  const bool was = is_immersed(a), is = is_immersed(b);
  const bool was_whole = is_whole(part, a.immersion.regime), is_whole_ = is_whole(part, b.immersion.regime);
  const auto from = static_cast<std::int8_t>(a.immersion.regime),
             to = static_cast<std::int8_t>(b.immersion.regime);
  if (!was && is) log.push(EventKind::enter, from, to);
  if (was && !is) log.push(EventKind::leave, from, to);
  if (!was_whole && is_whole_ && part.kind != PartKind::particle) log.push(EventKind::submerge, from, to);
  if (was_whole && !is_whole_ && part.kind != PartKind::particle) log.push(EventKind::emerge, from, to);
  if (!was || !is) return;
  if (a.immersion.deepest != b.immersion.deepest)
    log.push(EventKind::deepest, a.immersion.deepest, b.immersion.deepest);
  if (a.cross != b.cross)
    log.push(EventKind::flow, a.cross, b.cross);
  else if (a.along != b.along)
    log.push(EventKind::flow, a.along, b.along);
  log.push_switches();
}

template <class P>
template <class T, class Sink>
void SandPieceOf<P>::approaches(const SceneOf<P>& s, const Mode& m, const Frames<T, P>& f, const Work<T>& w,
                                Sink&& sink) const {
  if (is_immersed(m)) return;
  const Vec2<P> normal_ = s.beds[bed].plane.normal;
  for (int l = 0; l < part.point_level_count(); ++l)
    sink(-w.levels.value[l], -dot(normal_, f.velocity(body, level_point(part, l))));
}

}  // namespace thud

#include "thud/elements/sand_forces.hpp"
