#include "thud/elements/sand.hpp"

#include <fmt/format.h>

namespace thud {

template <class P>
std::string SandPieceOf<P>::name(const SceneOf<P>& s) const {
  const std::string& own = s.tree.body(body).name;
  return s.beds.size() > 1 ? fmt::format("{} in {}", own, s.beds[bed].name) : own;
}

template <class P>
bool SandPieceOf<P>::flip(const GuardId& id, Mode& m) {
  const auto flipped = [](std::int8_t side) { return static_cast<std::int8_t>(-side); };
  switch (id.code) {
    case g_cross: m.cross = flipped(m.cross); return true;
    case g_along: m.along = flipped(m.along); return true;
    case g_end_area: m.end_area = !m.end_area; return true;
    default: return false;
  }
}

template <class P>
bool SandPieceOf<P>::reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales,
                                  Mode& m) const {
  const BedOf<P>& b = s.beds[bed];
  if (!b.watches_bottom() || m.at_bottom || !is_immersed(m)) return false;
  if (w.immersed.depth < b.bottom - tolerance::undecided_length * scales.length) return false;
  return m.at_bottom = true;
}

namespace {

// The sign of what is zero now is that of its change.
struct IsPositive {
  const Scales& scales;
  bool operator()(double now, double later, bool before) const {
    const double small = tolerance::undecided_length * scales.length;
    if (std::abs(now) > small) return now > 0;
    if (std::abs(later - now) > tolerance::moving_length * scales.length) return later > now || later > small;
    return before;
  }
};

}  // namespace

template <class P>
bool SandPieceOf<P>::settle_geometry(const Work<double>& here, const Work<double>& there,
                                     const Scales& scales, Mode& m) const {
  const IsPositive is_positive{scales};
  Immersion& im = m.immersion;
  const auto &now = here.levels.value, &later = there.levels.value;
  std::uint8_t regime = 0;
  for (int l = 0; l < part.level_count(); ++l)
    if (is_positive(now[l], later[l], im.regime >> l & 1))
      regime = static_cast<std::uint8_t>(regime | 1 << l);
  const bool changed = regime != im.regime;
  im.regime = regime;
  if (part.kind == PartKind::segment || part.kind == PartKind::beam) {
    im.deepest = is_positive(now[1] - now[0], later[1] - later[0], im.deepest > 0) ? 1 : -1;
  } else if (part.kind == PartKind::block) {
    if (im.deepest < 0 || im.deepest > 3) im.deepest = 0;
    int best = im.deepest;
    for (int c = 0; c < 4; ++c)
      if (c != best && is_positive(now[c] - now[best], later[c] - later[best], false)) best = c;
    im.deepest = static_cast<std::int8_t>(best);
  }
  return changed;
}

template <class P>
bool SandPieceOf<P>::settle_flow(const SceneOf<P>& s, const Frames<double, P>& frames,
                                 const Work<double>& here, const Work<double>& there, const Scales& scales,
                                 Mode& m) const {
  if (!is_immersed(m) || part.is_round()) return true;
  if (!slip::is_slipping(m.normal) && !slip::is_slipping(m.shear))
    return true;  // E is held: there is no flow
  const double small = tolerance::undecided_flow * scales.speed;
  struct Motion {
    Vec velocity;
    double cross, along, side;
  };
  Motion now{here.velocity, here.cross, here.along, here.immersed.side};
  Motion later{there.velocity, there.cross, there.along, there.immersed.side};
  const AreaRule rule = s.beds[bed].area;
  const bool clear = std::abs(now.cross) > small && std::abs(now.along) > small && rule != AreaRule::floor;
  if (norm(now.velocity) < small) {
    // E starts from rest: its direction is that of the switches that let go.
    const PlaneOf<P>& plane = s.beds[bed].plane;
    const auto start = [](std::int8_t state, double rate) {
      if (!slip::is_slipping(state)) return 0.0;
      return state * rate > 0 ? rate : 1e-3 * state * std::abs(rate) + 1e-300 * state;
    };
    const double a = start(m.normal, there.normal_rate), b = start(m.shear, there.shear_rate);
    const double size = std::max(std::abs(a), std::abs(b));
    later.velocity = (a / size) * plane.normal + (b / size) * plane.tangent;
    const Vec u = frames.u[body];
    later.cross = scales.speed * (u.x * later.velocity.z - u.z * later.velocity.x);
    later.along = scales.speed * dot(u, later.velocity);
    now.cross = now.along = 0;
  }
  const auto side = [&](double a, double b, std::int8_t before) -> std::int8_t {
    if (std::abs(a) > small) return a > 0 ? 1 : -1;
    if (std::abs(b) > tolerance::moving_flow * scales.speed) return b > 0 ? 1 : -1;
    return before == 0 ? std::int8_t{1} : before;
  };
  const bool aligned = rule == AreaRule::side_or_end && part.kind != PartKind::block
                    && std::abs(now.cross) < small && std::abs(later.cross) < small;
  m.cross = aligned ? std::int8_t{0} : side(now.cross, later.cross, m.cross);
  m.along = side(now.along, later.along, m.along);
  if (rule == AreaRule::floor) {
    const auto excess = [&](const Motion& w) {
      return part.end_area() * norm(w.velocity) - w.side * std::abs(w.cross);
    };
    const double e0 = excess(now), e1 = excess(later);
    m.end_area = (std::abs(e0) > small * part.end_area() ? e0 : e1) > 0;
  }
  return clear;
}

// What passes the surface with a clear velocity needs no forces to be decided.
template <class P>
bool SandPieceOf<P>::passes_clearly(const SceneOf<P>& s, const Frames<double, P>& later,
                                    const Work<double>& here, const Scales& scales, double ahead,
                                    Work<double>& there) const {
  levels(part, body, later, s.beds[bed].plane, there.levels);
  bool moving = false;
  for (int l = 0; l < part.level_count(); ++l) {
    const double now = here.levels.value[l], then = there.levels.value[l];
    moving = moving
          || (std::abs(now) <= tolerance::undecided_length * scales.length
              && std::abs(then - now) > 1e-6 * ahead * scales.speed);
  }
  return moving;
}

template struct SandPieceOf<double>;
THUD_WITH_DUALS(template std::string SandPieceOf<Dual<double>>::name(const SceneOf<Dual<double>>&) const;)

}  // namespace thud
