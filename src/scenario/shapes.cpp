#include "scenario/shapes.hpp"
#include "thud/math/portable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thud::doc {

namespace {

constexpr double pi = std::numbers::pi;

// One simple solid: mass m with its centre at s on the axis, or n beside it, and moment of inertia about that centre.
template <class P>
struct LumpOf {
  P mass, s, inertia, n{};
};

// mass = ..., or density = ... times the volume.
template <class P>
P read_mass(const Table& t, P volume) {
  const std::optional<P> mass = t.number_or_none("mass", Dimension::mass, Range::positive());
  const std::optional<P> density = t.number_or_none("density", Dimension::density, Range::positive());
  if (mass && density) throw t.error("density", "give either mass or density, not both");
  if (!mass && !density)
    throw InputError(t.place(),
                     "give mass or density for the shape" + (t.path().empty() ? "" : " in " + t.path()));
  if (mass) return *mass;
  if (!(value_of(volume) > 0)) throw t.error("density", "the shape has no volume; give its mass");
  return *density * volume;
}

template <class P>
class ShapeReader {
  using Lump = LumpOf<P>;
  using Part = PartOf<P>;
  using BodyPoint = BodyPointOf<P>;
  using ShapeData = ShapeDataOf<P>;
  using ShapeFeature = ShapeFeatureOf<P>;
  using BeamSpec = BeamSpecOf<P>;

 public:
  void add(const Table& any, bool inside) {
    const std::string kind = any.choice("kind", shape_kinds());
    const Table t = any.variant(kind);
    const std::size_t before = lumps_.size();
    if (kind == "cylinder")
      add_cylinder(t);
    else if (kind == "sphere")
      add_sphere(t);
    else if (kind == "point")
      add_point(t);
    else if (kind == "block")
      add_block(t);
    else if (kind == "polygon")
      add_polygon(t);
    else if (kind == "disc")
      add_disc(t);
    else if (kind == "rod_disc")
      add_rod_disc(t);
    else if (kind == "given")
      add_given(t);
    else if (kind == "beam")
      add_beam(t);
    else if (inside)
      throw t.error("kind", "a part cannot itself be stepped");
    else
      add_parts(t);
    if (kind != "stepped" && t.choice_or("weight", "yes", {"yes", "no"}) == "no")
      for (std::size_t k = before; k < lumps_.size(); ++k) {
        weightless_ += lumps_[k].mass;
        weightless_first_ += lumps_[k].mass * lumps_[k].s;
      }
    t.finish();
  }

  ShapeData result() const {
    ShapeData out;
    BodyPoint first{}, &c = out.center;
    for (const Lump& l : lumps_) out.mass += l.mass, first.s += l.mass * l.s, first.n += l.mass * l.n;
    if (value_of(out.mass) > 0) c = {first.s / out.mass, first.n / out.mass};
    for (const Lump& l : lumps_)
      out.inertia += l.inertia + l.mass * ((l.s - c.s) * (l.s - c.s) + (l.n - c.n) * (l.n - c.n));
    out.length = end_;
    out.air_area = area_;
    out.parts = parts_;
    out.features = list_features();
    out.beam = beam_;
    out.has_rigid_parts = lumps_.size() > (beam_ ? 2 : 0);
    out.weightless = weightless_;
    out.weightless_at = value_of(weightless_) > 0 ? weightless_first_ / weightless_ : P(0);
    check_beam();
    return out;
  }

 private:
  // A ball, a disc or a point: named after the body when it is all there is, otherwise after what it is.
  struct Round {
    std::string kind;
    P s, radius;
  };

  // Ends of the axis, balls and discs, corners of blocks; not what lies within another part or in the same place.
  std::vector<ShapeFeature> list_features() const {
    std::vector<ShapeFeature> all;
    for (const Round& r : rounds_) {
      if (is_composed_ && value_of(r.radius) == 0 && r.s >= axis_begin_ && r.s <= axis_end_) continue;
      const auto same = [&](const Round& other) { return other.kind == r.kind; };
      const auto count = std::count_if(rounds_.begin(), rounds_.end(), same);
      const auto number = std::count_if(rounds_.begin(), rounds_.begin() + (&r - rounds_.data()), same) + 1;
      std::string name = is_composed_ ? r.kind : "";
      if (is_composed_ && count > 1) name += std::to_string(number);
      all.push_back({std::move(name), {r.s, P(0)}, r.radius});
    }
    int corner = 0;
    for (const Part& p : parts_)
      for (int k = 0; p.kind == PartKind::block && k < 4; ++k)
        all.push_back({fmt::format("corner{}", ++corner), corner_point(p, k), P(0)});
    for (const Part& p : parts_)
      for (const BodyPoint& c : p.corners) all.push_back({fmt::format("corner{}", ++corner), c, P(0)});
    const std::size_t before = all.size();
    if (axis_begin_ < axis_end_)
      for (const auto& [name, s] : {std::pair{"start", axis_begin_}, std::pair{"tip", axis_end_}})
        if (!is_covered({s, P(0)}, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before)}))
          all.push_back({name, {s, P(0)}, P(0)});
    return all;
  }

  bool is_covered(BodyPoint p, const std::vector<ShapeFeature>& others) const {
    const double small = 1e-9 * std::max(1.0, std::abs(value_of(end_)));
    for (const ShapeFeature& f : others)
      if (portable::hypot(value_of(f.point.s - p.s), value_of(f.point.n - p.n)) <= value_of(f.radius) + small)
        return true;
    for (const Part& b : parts_)
      if (b.kind == PartKind::block && p.s >= b.s0 - small && p.s <= b.s1 + small) return true;
    return false;
  }

  void reach(P begin, P end) {
    axis_begin_ = std::min({axis_begin_, begin, end});
    axis_end_ = std::max({axis_end_, begin, end});
  }

  P start_of(const Table& t) const { return t.number_or("at", end_, Dimension::length); }

  void add_segment(P start, P length, P diameter) {
    Part p;
    p.kind = PartKind::segment;
    p.s0 = start;
    p.s1 = start + length;
    p.width = p.breadth = diameter;
    if (value_of(diameter) > 0) parts_.push_back(p);
    reach(start, start + length);
    area_ += length * diameter;
    end_ = std::max(end_, start + length);
  }

  void add_cylinder(const Table& t) {
    const P length = t.number("length", Dimension::length, Range::positive());
    const P d = t.number("diameter", Dimension::length, Range::positive());
    const P start = start_of(t);
    const P m = read_mass(t, pi / 4 * d * d * length);
    const bool slender = t.choice_or("inertia", "solid", {"solid", "slender"}) == "slender";
    lumps_.push_back({m, start + length / 2, m * (length * length / 12 + (slender ? P(0) : d * d / 16))});
    add_segment(start, length, d);
  }

  void add_sphere(const Table& t) {
    const P d = t.number("diameter", Dimension::length, Range::positive());
    const P s = start_of(t);
    const P m = read_mass(t, pi / 6 * d * d * d);
    const bool point = t.choice_or("inertia", "solid", {"solid", "point"}) == "point";
    lumps_.push_back({m, s, point ? P(0) : m * d * d / 10});
    Part p;
    p.kind = t.choice_or("immersion", "particle", {"particle", "cap"}) == "cap" ? PartKind::ball
                                                                                : PartKind::particle;
    p.s0 = p.s1 = s;
    p.width = p.breadth = d;
    parts_.push_back(p);
    rounds_.push_back({"ball", s, d / 2});
    area_ += pi / 4 * d * d;
    end_ = std::max(end_, s);
  }

  void add_point(const Table& t) {
    const P s = start_of(t);
    const P m = t.number("mass", Dimension::mass, Range::positive());
    // A size, when given, is that of a small ball to the sand.
    const std::optional<P> d = t.number_or_none("diameter", Dimension::length, Range::positive());
    rounds_.push_back({"point", s, d.value_or(P(0)) / 2});
    const bool cube = t.choice_or("form", "ball", {"ball", "cube"}) == "cube";
    if (cube && !d) throw t.error("form", "a point without a diameter has no form");
    lumps_.push_back({m, s, cube ? m * *d * *d / 6 : P(0)});
    if (d) {
      Part p;
      p.kind = PartKind::particle;
      p.s0 = p.s1 = s;
      p.width = p.breadth = *d;
      p.cubic = cube;
      parts_.push_back(p);
      area_ += (cube ? 1 : pi / 4) * *d * *d;
    }
    end_ = std::max(end_, s);
  }

  void add_block(const Table& t) {
    const P length = t.number("length", Dimension::length, Range::positive());
    const P width = t.number("width", Dimension::length, Range::positive());
    const P thickness = t.number_or("thickness", width, Dimension::length, Range::positive());
    const P start = start_of(t);
    const P m = read_mass(t, length * width * thickness);
    lumps_.push_back({m, start + length / 2, m * (length * length + width * width) / 12});
    Part p;
    p.kind = PartKind::block;
    p.s0 = start;
    p.s1 = start + length;
    p.width = width;
    p.breadth = thickness;
    parts_.push_back(p);
    area_ += length * thickness;
    end_ = std::max(end_, start + length);
  }

  // Of the corners, in either sense: area, centre, and moments of inertia of the area.
  void add_polygon(const Table& t) {
    const P start = t.number_or("at", P(0), Dimension::length);
    const P thickness = t.number("thickness", Dimension::length, Range::positive());
    Part p;
    p.kind = PartKind::polygon;
    p.open = t.flag_or("open", false);
    p.breadth = thickness;
    for (const auto& c : t.points("corners", Dimension::length))
      p.corners.push_back({start + static_cast<P>(c[0]), static_cast<P>(c[1])});
    check_corners(t, p);
    const Lump lump = p.open ? lump_of_plates(p.corners) : lump_of_area(p.corners);
    if (t.choice_or("weight", "yes", {"yes", "no"}) == "no" && !is_zero(lump.n))
      throw t.error("weight", "of a mass beside the axis the weight cannot be taken out");
    if (p.open && t.has("density")) throw t.error("density", "thin plates have no volume; give their mass");
    const P m = read_mass(t, P(p.open ? P(0) : lump.mass * thickness));
    lumps_.push_back({m, lump.s, m * lump.inertia, lump.n});
    P low = p.corners[0].n, high = low;
    p.s0 = p.s1 = p.corners[0].s;
    for (const BodyPoint& c : p.corners) {
      p.s0 = std::min(p.s0, c.s), p.s1 = std::max(p.s1, c.s);
      low = std::min(low, c.n), high = std::max(high, c.n);
    }
    p.n = 0.5 * (low + high);
    p.width = high - low;
    area_ += (p.s1 - p.s0) * thickness;
    end_ = std::max(end_, p.s1);
    parts_.push_back(std::move(p));
  }

  static Lump lump_of_area(const std::vector<BodyPoint>& corners) {
    P area{}, s{}, n{}, second{};
    const BodyPoint o = corners[0];  // sums from here: far from the origin nothing cancels
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const BodyPoint &p = corners[k], &q = corners[(k + 1) % corners.size()];
      const P as = p.s - o.s, an = p.n - o.n, bs = q.s - o.s, bn = q.n - o.n;
      const P twice = as * bn - bs * an;
      area += twice / 2;
      s += twice * (as + bs) / 6, n += twice * (an + bn) / 6;
      second += twice * (as * as + as * bs + bs * bs + an * an + an * bn + bn * bn) / 12;
    }
    s = s / area, n = n / area;
    const P inertia = second / area - s * s - n * n;
    return {value_of(area) < 0 ? -area : area, o.s + s, inertia, o.n + n};
  }

  static Lump lump_of_plates(const std::vector<BodyPoint>& corners) {
    using std::sqrt;
    P length{}, s{}, n{}, second{};
    for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
      const P ds = corners[k + 1].s - corners[k].s, dn = corners[k + 1].n - corners[k].n;
      const P l = sqrt(P(ds * ds + dn * dn));
      const P ms = 0.5 * (corners[k].s + corners[k + 1].s), mn = 0.5 * (corners[k].n + corners[k + 1].n);
      length += l;
      s += l * ms, n += l * mn;
      second += l * (ms * ms + mn * mn + l * l / 12.0);
    }
    s = s / length, n = n / length;
    return {length, s, second / length - s * s - n * n, n};
  }

  static void check_corners(const Table& t, const Part& p) {
    const std::size_t count = p.corners.size(), least = p.open ? 2 : 3;
    if (count < least)
      throw t.error("corners", fmt::format("must have at least {} corners; it has {}", least, count));
    struct Point {
      double s, n;
    };
    std::vector<Point> c;
    double size = 0;
    for (const BodyPoint& at : p.corners) {
      c.push_back({value_of(at.s), value_of(at.n)});
      size = std::max({size, std::abs(c.back().s - c[0].s), std::abs(c.back().n - c[0].n)});
    }
    const std::size_t sides = p.open ? count - 1 : count;
    for (std::size_t k = 0; k < sides; ++k) {
      const Point a = c[k], b = c[(k + 1) % count];
      if (!(portable::hypot(b.s - a.s, b.n - a.n) > 1e-9 * size))
        throw t.error("corners",
                      fmt::format("corners {} and {} are in the same place", k + 1, (k + 1) % count + 1));
    }
    const auto side = [](Point a, Point b, Point x) {
      return (b.s - a.s) * (x.n - a.n) - (b.n - a.n) * (x.s - a.s);
    };
    for (std::size_t i = 0; i < sides; ++i)
      for (std::size_t j = i + 2; j < sides; ++j) {
        if (!p.open && i == 0 && j + 1 == sides) continue;
        const Point a = c[i], b = c[i + 1], d = c[j], e = c[(j + 1) % count];
        if (side(a, b, d) * side(a, b, e) < 0 && side(d, e, a) * side(d, e, b) < 0)
          throw t.error("corners",
                        fmt::format("the faces from corner {} and from corner {} cross", i + 1, j + 1));
      }
    double area = 0;
    for (std::size_t k = 1; k + 1 < count; ++k) area += side(c[0], c[k], c[k + 1]) / 2;
    if (!p.open && !(std::abs(area) > 1e-9 * size * size))
      throw t.error("corners", "they enclose no area; `open = true` makes thin plates of them");
  }

  void add_disc(const Table& t) {
    const P d = t.number("diameter", Dimension::length, Range::positive());
    const P thickness = t.number("thickness", Dimension::length, Range::positive());
    const P s = start_of(t);
    const P m = read_mass(t, pi / 4 * d * d * thickness);
    place_disc(s, d, thickness, m);
  }

  void place_disc(P s, P d, P thickness, P m) {
    lumps_.push_back({m, s, m * d * d / 8});
    Part p;
    p.kind = PartKind::disc;
    p.s0 = p.s1 = s;
    p.width = d;
    p.breadth = thickness;
    parts_.push_back(p);
    rounds_.push_back({"disc", s, d / 2});
    area_ += d * thickness;
    end_ = std::max(end_, s);
  }

  void add_rod_disc(const Table& t) {
    const P length = t.number("length", Dimension::length, Range::positive());
    const P d = t.number("diameter", Dimension::length, Range::positive());
    const P rod = t.number("rod_mass", Dimension::mass, Range::non_negative());
    const P disc = t.number("disc_mass", Dimension::mass, Range::positive());
    const P disc_d = t.number("disc_diameter", Dimension::length, Range::positive());
    const P thickness = t.number_or("disc_thickness", d, Dimension::length, Range::positive());
    const P at = t.number_or("disc_at", length, Dimension::length);
    lumps_.push_back({rod, length / 2, rod * length * length / 12});
    is_composed_ = true;
    add_segment(P(0), length, d);
    place_disc(at, disc_d, thickness, disc);
  }

  // Mass, centre and inertia as measured; a length and a diameter give the sand a cylinder to act on.
  void add_given(const Table& t) {
    const P m = t.number("mass", Dimension::mass, Range::positive());
    const BodyPoint c = read_center(t);
    const P inertia = t.number("inertia", Dimension::inertia, Range::non_negative());
    const P length = t.number_or("length", P(0), Dimension::length, Range::non_negative());
    const P d = t.number_or("diameter", P(0), Dimension::length, Range::non_negative());
    lumps_.push_back({m, c.s, inertia, c.n});
    add_segment(P(0), length, value_of(length) > 0 ? d : P(0));
  }

  // center = s, or [s, n] beside the axis.
  static BodyPoint read_center(const Table& t) {
    if (t.kind_of("center") != ValueKind::array) return {P(t.number("center", Dimension::length)), P(0)};
    const auto both = t.pair("center", Dimension::length);
    if ((*both)[1] != 0 && t.choice_or("weight", "yes", {"yes", "no"}) == "no")
      throw t.error("weight", "of a mass beside the axis the weight cannot be taken out");
    return {P((*both)[0]), P((*both)[1])};
  }

  // A slender cylinder that bends. Its own lump is that of the undeformed axis.
  void add_beam(const Table& t) {
    if (beam_) throw t.error("kind", "a body has one beam at most; pin a second body to this one");
    const BeamSpec b = read_beam<P>(t, end_);
    const P l = b.data.length;
    beam_lump_ = lumps_.size();
    lumps_.push_back({b.mass, b.at + l / 2, b.mass * l * l / 12});
    lumps_.push_back({b.data.tip_mass, b.at + l, b.data.tip_inertia});
    Part p;
    p.kind = PartKind::beam;
    p.s0 = b.at;
    p.s1 = b.at + l;
    p.width = p.breadth = b.width;
    p.section = b.area;
    p.straight = b.straight;
    parts_.push_back(p);
    reach(b.at, b.at + l);
    area_ += l * b.width;
    end_ = std::max(end_, b.at + l);
    beam_ = b;
  }

  // What is beyond the clamp would have to move with the beam.
  void check_beam() const {
    if (!beam_) return;
    P reach = P(-INFINITY);
    for (const Part& p : parts_)
      if (p.kind != PartKind::beam) reach = std::max({reach, p.s0, p.s1});
    for (std::size_t k = 0; k < lumps_.size(); ++k)
      if (k != beam_lump_ && k != beam_lump_ + 1) reach = std::max(reach, lumps_[k].s);
    if (reach > beam_->at + 1e-9 * beam_->data.length)
      throw beam_->table.error(
          "at",
          fmt::format(
              "a rigid part reaches to {:.6g} m, beyond the start of the beam at {:.6g} m; only tip_mass "
              "and bodies pinned to it can be on a beam",
              value_of(reach), value_of(beam_->at)));
  }

  void add_parts(const Table& t) {
    const std::vector<Table> parts = t.tables("parts");
    if (parts.empty()) throw t.error("parts", "a stepped shape needs at least one part");
    is_composed_ = true;
    for (const Table& p : parts) add(p, true);
  }

  std::vector<Lump> lumps_;
  std::vector<Part> parts_;
  std::vector<Round> rounds_;
  bool is_composed_ = false;                              // of more than one simple solid
  P axis_begin_ = P(INFINITY), axis_end_ = P(-INFINITY);  // of what is long and thin
  P end_{}, area_{}, weightless_{}, weightless_first_{};
  std::optional<BeamSpec> beam_;
  std::size_t beam_lump_ = 0;  // its place among the lumps; that of its tip follows
};

}  // namespace

std::vector<std::string> shape_kinds() {
  return {"cylinder", "sphere", "point", "block", "polygon", "disc", "rod_disc", "stepped", "given", "beam"};
}

template <class P>
ShapeDataOf<P> read_shape(const Table& table) {
  ShapeReader<P> reader;
  reader.add(table, false);
  return reader.result();
}

template ShapeDataOf<double> read_shape(const Table&);
THUD_WITH_DUALS(template ShapeDataOf<Dual<double>> read_shape(const Table&);)

}  // namespace thud::doc
