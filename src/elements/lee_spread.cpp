#include "thud/elements/lee_spread.hpp"

namespace thud {

template <class P>
bool LeeSpreadOf<P>::add_part(const PartOf<P>& part) {
  if (part.kind != PartKind::segment || !is_zero(part.n)) return false;
  const P area = part.end_area();
  AxisPieceOf<P> piece{part.s0, part.s1, part.width, part.breadth, area, area, area};
  // Where two cylinders meet the larger one is bare by their difference.
  const double near = 1e-12 * std::abs(value_of(part.s1 - part.s0));
  for (AxisPieceOf<P>& other : pieces)
    for (auto [mine, theirs, face, covered] : {std::tuple{piece.s0, other.s1, &piece.face0, &other.face1},
                                               std::tuple{piece.s1, other.s0, &piece.face1, &other.face0}}) {
      if (std::abs(value_of(mine - theirs)) > near) continue;
      const P common = std::min(piece.section, other.section);
      *face = *face - common;
      *covered = *covered - common;
    }
  s_a = pieces.empty() ? part.s0 : std::min(s_a, part.s0);
  s_b = pieces.empty() ? part.s1 : std::max(s_b, part.s1);
  pieces.push_back(piece);
  return true;
}

template <class P>
void LeeSpreadOf<P>::add_levels(const BedOf<P>& bed) {
  const std::size_t count = pieces.size();
  for (std::size_t k = 0; k < count; ++k)
    for (const BedEntry& entry : bed_entries(bed))
      if (!entry.is_surface()) {
        pieces.push_back(pieces[k]);
        pieces.back().entry = entry;
      }
}

namespace {

/// Forces along one direction at both ends of an axis, by the signs of the velocity along it.
template <class Meet>
struct EndForces final : ForceSet {
  explicit EndForces(Meet m) : meet(std::move(m)) {}
  void lowest(const double* rate, double* force, bool) const override { meet(rate, force); }
  Meet meet;
};

}  // namespace

template <class P>
std::shared_ptr<const ForceSet> LeeSpreadOf<P>::set_of(int hull, const SceneOf<P>& s,
                                                       const Frames<double, P>&, const Mode&,
                                                       const Work<double>& w) const {
  if constexpr (!std::is_same_v<P, double>) {
    return nullptr;  // modes are selected with plain numbers
  } else {
    auto meet_ends = [this, scene = s, w, hull](const double* rate, double* force) {
      const Vec va = hull == 0 ? Vec{rate[0], 0} : Vec{0, rate[0]},
                vb = hull == 0 ? Vec{rate[1], 0} : Vec{0, rate[1]};
      const LineLoad<double> f = meet(scene, w, va, vb, {false, hull == 1, hull == 0});
      force[0] = hull == 0 ? f.at_a.x : f.at_a.z;
      force[1] = hull == 0 ? f.at_b.x : f.at_b.z;
    };
    return std::make_shared<const EndForces<decltype(meet_ends)>>(std::move(meet_ends));
  }
}

template <class P>
bool LeeSpreadOf<P>::settle_geometry(const Work<double>& here, const Work<double>& there,
                                     const Scales& scales, Mode& m) const {
  const double small = tolerance::undecided_length * scales.length;
  const Mode before = m;
  for (int l = 0; l < level_count(); ++l) {
    const double now = here.levels[l], later = there.levels[l];
    bool under = before.is_under(l);
    if (std::abs(now) > small)
      under = now > 0;
    else if (std::abs(later - now) > tolerance::moving_length * scales.length)
      under = later > now || later > small;
    const std::uint64_t bit = std::uint64_t{1} << (l % 64);
    m.under[l / 64] = under ? m.under[l / 64] | bit : m.under[l / 64] & ~bit;
  }
  if (!m.is_immersed()) let_go(0, m), let_go(1, m);
  return m.under != before.under;
}

template <class P>
bool LeeSpreadOf<P>::reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales,
                                  Mode& m) const {
  if (m.at_bottom || !m.is_immersed() || !s.beds[bed].watches_bottom()) return false;
  const double reached = value_of(s.beds[bed].bottom) - tolerance::undecided_length * scales.length;
  for (int l = 0; l < level_count(); ++l)
    if (pieces[l / 2].entry.is_surface() && w.levels[l] >= reached) return m.at_bottom = true;
  return false;
}

// Static resistance does not fade with the speed: no step goes over the instant at which one of its directions stops.
template <class P>
double LeeSpreadOf<P>::longest_step(const StepState& s, const Frames<double, P>& f, const Mode& m,
                                    const Work<double>& w) const {
  double longest = HUGE_VAL;
  if constexpr (std::is_same_v<P, double>) {
    if (!m.is_immersed()) return longest;
    const Vec a = s.scene.tree.acceleration(f, s.a, body, {s_a, 0}),
              b = s.scene.tree.acceleration(f, s.a, body, {s_b, 0});
    for (int hull : {0, 1}) {
      if (m.is_held(hull)) continue;
      const Vec e = direction(2 * hull, s.scene);
      const double speed = w.speed(hull);
      const double change = rate(2 * hull, w) * dot(e, a) + rate(2 * hull + 1, w) * dot(e, b);
      if (change < 0) longest = std::min(longest, 0.8 * speed * speed / -change);
    }
  }
  return longest;
}

template struct LeeSpreadOf<double>;
THUD_WITH_DUALS(template struct LeeSpreadOf<Dual<double>>;)

}  // namespace thud
