#include "thud/elements/spread_sand.hpp"

namespace thud {

template <class P>
bool SpreadSandOf<P>::add_part(int bed, const PartOf<P>& part) {
  const bool round = part.kind == PartKind::disc;
  if (!round && part.kind != PartKind::segment) return false;
  faces.push_back(
      {bed, round, {part.s0, part.n}, {part.s1, part.n}, round ? 0.5 * part.width : P(0), part.breadth});
  const auto reach = [&](auto&& of) {
    P low = P(HUGE_VAL), high = P(-HUGE_VAL);
    for (const SpreadFaceOf<P>& f : faces)
      for (const BodyPointOf<P>& p : {f.a, f.b}) {
        low = std::min(low, P(of(p) - f.radius));
        high = std::max(high, P(of(p) + f.radius));
      }
    return std::pair{low, high};
  };
  const auto along = reach([](const BodyPointOf<P>& p) { return p.s; });
  const auto across = reach([](const BodyPointOf<P>& p) { return p.n; });
  center = {0.5 * (along.first + along.second), 0.5 * (across.first + across.second)};
  size = P(0);
  for (const SpreadFaceOf<P>& f : faces)
    for (const BodyPointOf<P>& p : {f.a, f.b})
      size = std::max(size, P(norm(Vec2<P>{p.s - center.s, p.n - center.n}) + f.radius));
  return true;
}

template <class P>
std::shared_ptr<const SpreadStand> SpreadSandOf<P>::make_stand(
    const SceneOf<P>& s, const Frames<double, P>& f, const std::shared_ptr<const SpreadStand>& known) const {
  if constexpr (!std::is_same_v<P, double>) {
    return known;  // modes are selected with plain numbers
  } else {
    const Vec at = f.position(body, center), axis = f.u[body];
    if (known && norm(known->place - at) <= 1e-12 * size && norm(known->axis - axis) <= 1e-12) return known;
    struct Placed {
      RftLaw law;
      Plane plane;
      Vec a, b;  // from the centre of the outline, in the frame of the bed
      Vec at;    // of that centre
      bool round;
      double radius, breadth;
    };
    std::vector<Placed> placed;
    for (const SpreadFaceOf<P>& face : faces) {
      const Bed& bed = s.beds[face.bed];
      const auto turn = [&](Vec r) { return Vec{dot(bed.plane.tangent, r), dot(bed.plane.normal, r)}; };
      RftLaw law;
      if (const auto* dynamic = std::get_if<DrftLaw>(&bed.law))
        law = *dynamic;
      else if (const auto* plain = std::get_if<RftLaw>(&bed.law))
        law = *plain;
      placed.push_back({law, bed.plane, turn(f.position(body, face.a) - at),
                        turn(f.position(body, face.b) - at), turn(at - bed.plane.point), face.round,
                        face.radius, face.breadth});
    }
    auto meet = [placed, size = this->size](const double* motion, double* force) {
      Vec sum{};
      double turning = 0;
      const double rate = motion[2] / size;
      for (const Placed& p : placed) {
        const Vec v{p.plane.tangent.x * motion[0] + p.plane.tangent.z * motion[1],
                    p.plane.normal.x * motion[0] + p.plane.normal.z * motion[1]};
        Vec total;
        if (p.round) {
          const RimLoad<double> rim =
              load_rim(p.law, RimOf<double>{p.at + p.a, v + rate * turned(p.a), rate, p.radius, p.breadth});
          total = rim.force;
          turning += rim.moment + moment(p.a, rim.force);
        } else {
          const FacetLoad<double> plate =
              load_facet(p.law, FacetOf<double>{p.at + p.a, p.at + p.b, v + rate * turned(p.a),
                                                v + rate * turned(p.b), p.breadth, true});
          total = plate.force();
          turning += moment(p.a, plate.at_a) + moment(p.b, plate.at_b);
        }
        sum += total.x * p.plane.tangent + total.z * p.plane.normal;
      }
      force[0] = sum.x, force[1] = sum.z, force[2] = turning / size;
    };
    auto stand = std::make_shared<SpreadStand>(at, axis, std::move(meet));
    stand->weight = s.tree.body(body).mass * s.gravity_size;
    return stand;
  }
}

template <class P>
bool SpreadSandOf<P>::settle_geometry(const Work<double>& here, const Work<double>& there,
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
  if (!m.is_immersed()) m.state = slip::forward, m.stand.reset();
  return m.under != before.under;
}

template <class P>
bool SpreadSandOf<P>::reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales,
                                   Mode& m) const {
  if (m.at_bottom || !m.is_immersed()) return false;
  for (int l = 0; l < level_count(); ++l)
    if (const double bottom = value_of(s.beds[faces[l / 2].bed].bottom);
        bottom > 0 && w.levels[l] >= bottom - tolerance::undecided_length * scales.length)
      return m.at_bottom = true;
  return false;
}

// v = v₀ − a t stops after v₀/a.
template <class P>
double SpreadSandOf<P>::longest_step(const StepState& s, const Frames<double, P>& f, const Mode& m,
                                     const Work<double>& w) const {
  if constexpr (std::is_same_v<P, double>) {
    if (!m.is_immersed() || m.is_held()) return HUGE_VAL;
    const Vec a = s.scene.tree.acceleration(f, s.a, body, center);
    const double turning = size * s.scene.tree.angle_rate(body, s.a);
    const double change = dot(w.velocity, a) + w.turn * turning;
    return change < 0 ? 0.8 * w.speed * w.speed / -change : HUGE_VAL;
  }
  return HUGE_VAL;
}

template struct SpreadSandOf<double>;
THUD_WITH_DUALS(template struct SpreadSandOf<Dual<double>>;)

}  // namespace thud
