#include "thud/elements/spread_sand.hpp"

namespace thud {

template <class P>
bool SpreadSandOf<P>::add_part(int bed, const PartOf<P>& part) {
  const auto add_face = [&](BodyPointOf<P> a, BodyPointOf<P> b, bool thin) {
    faces.push_back({bed, false, a, b, P(0), part.breadth, BedEntry{}, thin});
  };
  const auto add_polygon = [&](const std::vector<BodyPointOf<P>>& c) {
    double area = 0;
    for (std::size_t k = 0; k < c.size(); ++k) {
      const BodyPointOf<P>&a = c[k], &b = c[(k + 1) % c.size()];
      area += value_of((a.s - c[0].s) * (b.n - c[0].n) - (b.s - c[0].s) * (a.n - c[0].n));
    }
    for (std::size_t k = 0; k < c.size(); ++k) {
      const BodyPointOf<P>&a = c[k], &b = c[(k + 1) % c.size()];
      area < 0 ? add_face(a, b, false) : add_face(b, a, false);  // outside on the left (FacetOf)
    }
  };
  switch (part.kind) {
    case PartKind::segment: add_face({part.s0, part.n}, {part.s1, part.n}, true); break;
    case PartKind::disc:
      faces.push_back({bed, true, {part.s0, part.n}, {part.s0, part.n}, 0.5 * part.width, part.breadth});
      break;
    case PartKind::block:
      add_polygon(
          {corner_point(part, 0), corner_point(part, 1), corner_point(part, 2), corner_point(part, 3)});
      break;
    case PartKind::polygon:
      if (!part.open) {
        add_polygon(part.corners);
        break;
      }
      for (std::size_t k = 0; k + 1 < part.corners.size(); ++k)
        add_face(part.corners[k], part.corners[k + 1], true);
      break;
    default: return false;
  }
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

namespace {

template <class P>
BodyPointOf<P> unit_of(const SpreadFaceOf<P>& f) {
  using std::sqrt;
  const P s = f.b.s - f.a.s, n = f.b.n - f.a.n, l = sqrt(P(s * s + n * n));
  return {s / l, n / l};
}

template <class P>
BodyPointOf<P> point_on(const SpreadFaceOf<P>& f, const P& share) {
  return {f.a.s + share * (f.b.s - f.a.s), f.a.n + share * (f.b.n - f.a.n)};
}

constexpr double parallel = 1e-12;  // of directions, and of places by the size of the body

}  // namespace

// Where two faces lie on each other, back to back, the broader is felt by what it is broader.
template <class P>
void SpreadSandOf<P>::cover_faces() {
  const double small = parallel * value_of(size);
  for (std::size_t i = 0; i < faces.size(); ++i)
    for (std::size_t j = i + 1; j < faces.size(); ++j) {
      const SpreadFaceOf<P> one = faces[i], other = faces[j];
      if (one.thin || other.thin || one.bed != other.bed) continue;
      const BodyPointOf<P> u = unit_of(one), v = unit_of(other);
      if (std::abs(value_of(u.s + v.s)) > parallel || std::abs(value_of(u.n + v.n)) > parallel) continue;
      if (std::abs(value_of((other.a.s - one.a.s) * u.n - (other.a.n - one.a.n) * u.s)) > small) continue;
      const auto along = [&](const BodyPointOf<P>& p) {
        return (p.s - one.a.s) * u.s + (p.n - one.a.n) * u.n;
      };
      const P length = along(one.b), from = std::max(P(0), along(other.b)),
              to = std::min(length, along(other.a));
      if (!(value_of(to - from) > small)) continue;
      faces.erase(faces.begin() + static_cast<std::ptrdiff_t>(j));
      faces.erase(faces.begin() + static_cast<std::ptrdiff_t>(i));
      const auto leave = [&](const SpreadFaceOf<P>& f, P a, P b, P breadth) {
        if (!(value_of(b - a) > small) || !(value_of(breadth) > 1e-12 * value_of(f.breadth))) return;
        SpreadFaceOf<P> rest = f;
        const P l = std::abs(value_of(along(f.b) - along(f.a)));
        rest.a = point_on(f, P(a / l)), rest.b = point_on(f, P(b / l));
        rest.breadth = breadth;
        faces.push_back(rest);
      };
      const P begin = along(other.a), end = along(other.b);  // begin > end
      leave(one, P(0), from, one.breadth);
      leave(one, from, to, one.breadth - other.breadth);
      leave(one, to, length, one.breadth);
      leave(other, P(0), begin - to, other.breadth);
      leave(other, begin - to, begin - from, other.breadth - one.breadth);
      leave(other, begin - from, begin - end, other.breadth);
      return cover_faces();
    }
}

template <class P>
void SpreadSandOf<P>::attach(const TreeOf<P>&) {
  families.clear();
  const double small = parallel * value_of(size);
  for (int k = 0; k < static_cast<int>(faces.size()); ++k) {
    if (faces[k].thin || faces[k].round) continue;
    const BodyPointOf<P> u = unit_of(faces[k]);
    bool found = false;
    for (SpreadFamilyOf<P>& family : families) {
      const double cross = value_of(u.s * family.along.n - u.n * family.along.s);
      if (std::abs(cross) > parallel || faces[k].bed != faces[family.faces[0].face].bed) continue;
      const bool outward = value_of(u.s * family.along.s + u.n * family.along.n) > 0;
      const BodyPointOf<P>&here = faces[k].a, &there = faces[family.faces[0].face].a, n = family.normal();
      const double off = value_of((here.s - there.s) * n.s + (here.n - there.n) * n.n);
      family.in_line = family.in_line && outward && std::abs(off) <= small;
      family.faces.push_back({k, outward});
      found = true;
      break;
    }
    if (!found) families.push_back({u, {{k, true}}, true});
  }
}

template <class P>
void SpreadSandOf<P>::settle_touch(const Work<double>& w, const Scales& scales, Mode& m) const {
  const bool slow = w.speed <= (m.is_held() ? tolerance::held_drift : 1.5 * m.still) * scales.speed;
  const double limit = 1.5 * sliding_speed(m.slow, w, scales);
  int best = -1;
  if (m.is_immersed() && !slow && !m.is_held()) {
    if (m.slides() && speed_of(1, w) <= tolerance::held_drift * scales.speed) return;
    for (int k = 0; k < static_cast<int>(families.size()); ++k)
      if (w.may_slide[k] && w.across[k] <= limit && (best < 0 || w.across[k] < w.across[best])) best = k;
  }
  if (best < 0 && !families.empty()
      && std::all_of(w.across.begin(), w.across.end(), [&](double x) { return x > 100 * limit; }))
    m.slow = tolerance::slow;
  if (best == m.family && best < 0) return;
  m.family = best;
  m.slide = slip::forward;
  m.pressed = {};
  if (best >= 0) m.way = w.along[best] < 0 ? -1 : 1;
}

template <class P>
std::shared_ptr<const ForceSet> SpreadSandOf<P>::set_of(int hull, const SceneOf<P>& s,
                                                        const Frames<double, P>& f, Mode& m,
                                                        const Work<double>&) const {
  if (hull == 0) return m.stand = make_stand(s, f, m);
  if constexpr (std::is_same_v<P, double>)
    return std::make_shared<const SoleForces>(sole(s, f, families[m.family], m.way));
  return nullptr;
}

template <class P>
void SpreadSandOf<P>::add_levels(const std::vector<BedOf<P>>& beds) {
  const std::size_t count = faces.size();
  for (std::size_t k = 0; k < count; ++k)
    for (const BedEntry& entry : bed_entries(beds[faces[k].bed]))
      if (!entry.is_surface()) {
        faces.push_back(faces[k]);
        faces.back().entry = entry;
      }
}

template <class P>
std::shared_ptr<const SpreadStand> SpreadSandOf<P>::make_stand(const SceneOf<P>& s,
                                                               const Frames<double, P>& f,
                                                               const Mode& m) const {
  const std::shared_ptr<const SpreadStand>& known = m.stand;
  if constexpr (!std::is_same_v<P, double>) {
    return known;  // modes are selected with plain numbers
  } else {
    const Vec at = f.position(body, center), axis = f.u[body];
    if (known && norm(known->place - at) <= 1e-12 * size && norm(known->axis - axis) <= 1e-12
        && known->under == m.under)
      return known;
    struct Placed {
      RftLaw law;
      Plane plane;
      Vec a, b;  // from the centre of the outline, in the frame of the bed
      Vec at;    // of that centre
      bool round, thin;
      double radius, breadth;
      bool is_cut;
      Below<double> cut;
    };
    std::vector<Placed> placed;
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const SpreadFaceOf<P>& face = faces[k];
      const Bed& bed = s.beds[face.bed];
      const int first = 2 * static_cast<int>(k);
      if (!face.entry.is_surface() && !m.is_under(first) && !m.is_under(first + 1)) continue;
      const auto turn = [&](Vec r) { return Vec{dot(bed.plane.tangent, r), dot(bed.plane.normal, r)}; };
      const RftLaw law = entry_stress(bed, face.entry);
      placed.push_back({law, bed.plane, turn(f.position(body, face.a) - at),
                        turn(f.position(body, face.b) - at), turn(at - bed.plane.point), face.round,
                        face.thin, face.radius, face.breadth, !face.entry.is_surface(),
                        below<double>(bed, static_cast<int>(k), [&](int l) { return m.is_under(l); })});
    }
    auto meet = [placed, size = this->size](const double* motion, double* force) {
      Vec sum{};
      double turning = 0;
      const double rate = motion[2] / size;
      for (const Placed& p : placed) {
        const Vec v{p.plane.tangent.x * motion[0] + p.plane.tangent.z * motion[1],
                    p.plane.normal.x * motion[0] + p.plane.normal.z * motion[1]};
        const Below<double>* cut = p.is_cut ? &p.cut : nullptr;
        Vec total;
        if (p.round) {
          const RimLoad<double> rim = load_rim(
              p.law, RimOf<double>{p.at + p.a, v + rate * turned(p.a), rate, p.radius, p.breadth}, cut);
          total = rim.force;
          turning += rim.moment + moment(p.a, rim.force);
        } else {
          const FacetLoad<double> plate =
              load_facet(p.law,
                         FacetOf<double>{p.at + p.a, p.at + p.b, v + rate * turned(p.a),
                                         v + rate * turned(p.b), p.breadth, p.thin},
                         cut);
          total = plate.force();
          turning += moment(p.a, plate.at_a) + moment(p.b, plate.at_b);
        }
        sum += total.x * p.plane.tangent + total.z * p.plane.normal;
      }
      force[0] = sum.x, force[1] = sum.z, force[2] = turning / size;
    };
    // Next to a motion along faces what they meet jumps.
    std::vector<MotionHull::Brink> brinks;
    for (const SpreadFamilyOf<P>& family : families) {
      const Vec t = direction(family.along, f), n = direction(family.normal(), f);
      for (double way : {1.0, -1.0})
        brinks.push_back({{way * t.x, way * t.z, 0}, {{{n.x, n.z, 0}, {0, 0, 1}}}});
    }
    const auto stand = std::make_shared<SpreadStand>(at, axis, std::move(meet), brinks);
    stand->under = m.under;
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
  if (!m.is_immersed()) let_go(0, m), let_go(1, m), m.family = -1;
  return m.under != before.under;
}

template <class P>
bool SpreadSandOf<P>::reach_bottom(const SceneOf<P>& s, const Work<double>& w, const Scales& scales,
                                   Mode& m) const {
  if (m.at_bottom || !m.is_immersed()) return false;
  for (int l = 0; l < level_count(); ++l)
    if (const BedOf<P>& bed = s.beds[faces[l / 2].bed];
        faces[l / 2].entry.is_surface() && bed.watches_bottom()
        && w.levels[l] >= value_of(bed.bottom) - tolerance::undecided_length * scales.length)
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
    double longest = change < 0 ? 0.8 * w.speed * w.speed / -change : HUGE_VAL;
    // Nor over that of moving along faces.
    const double rate = s.scene.tree.angle_rate(body, s.v);
    for (std::size_t k = 0; k < families.size() && !m.slides(); ++k) {
      const Vec n = direction(families[k].normal(), f), t = direction(families[k].along, f);
      const double v = dot(n, w.velocity),
                   slower = v * (dot(n, a) - rate * dot(t, w.velocity)) + w.turn * turning;
      if (slower < 0 && w.may_slide[k])
        longest = std::min(longest, 0.8 * w.across[k] * w.across[k] / -slower);
    }
    return longest;
  }
  return HUGE_VAL;
}

template struct SpreadSandOf<double>;
THUD_WITH_DUALS(template struct SpreadSandOf<Dual<double>>;)

}  // namespace thud
