#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "import/planar.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud::imports {

namespace {

// A box of the ground at least as long as this is taken as an endless floor [m].
constexpr double endless = 10;

struct Spot {
  Vec at;  // in the reference pose
  double radius = 0;
};

class Touches {
 public:
  Touches(SpatialModel& m, const std::vector<int>& body_of_link, PlanarModel& out, Names& names)
      : m_(m),
        body_of_link_(body_of_link),
        out_(out),
        names_(names) {}

  void run() {
    for (const Solid& s : m_.ground) add_floor(s);
    bool any = false;
    for (const Floor& f : m_.floors) {
      const double aside = f.normal.dot(out_.plane.normal);
      if (std::abs(aside) > axis_tolerance)
        m_.note(f.place, fmt::format("floor \"{}\" is not across the plane of motion: left out", f.name));
      else
        add_walls(f), any = true;
    }
    if (any) return;
    for (const Link& l : m_.links)
      for (const Solid& s : l.solids) {
        if (s.touch.type == 0 && s.touch.affinity == 0) continue;
        m_.note(s.place, "there is no floor, so what could touch one is left out; --floor HEIGHT adds one");
        return;
      }
  }

 private:
  Vec lay(const Vec3& v) const {
    const Vec p = out_.plane.lay(v);
    return {clean(p.x), clean(p.z)};
  }

  // The upper side of a long box.
  void add_floor(const Solid& s) {
    const Vec3 up = -out_.plane.down;
    int top = -1, along = -1;
    for (int k = 0; k < 3; ++k) {
      if (std::abs(s.pose.turn.col(k).dot(up)) > 0.7) top = k;
      if (std::abs(s.pose.turn.col(k).dot(out_.plane.right)) > 0.7) along = k;
    }
    if (s.form != Form::box || top < 0 || along < 0 || top == along || 2 * s.size[along] < endless) {
      m_.note(s.place, fmt::format("\"{}\" of the ground is not an endless plane: left out", s.name));
      return;
    }
    const double side = s.pose.turn.col(top).dot(up) > 0 ? 1 : -1;
    const Vec3 normal = side * s.pose.turn.col(top);
    m_.floors.push_back({s.name, s.pose.at + s.size[top] * normal, normal, s.touch, s.place});
    m_.note(s.place, fmt::format("the upper side of \"{}\" is an endless floor here", s.name));
  }

  bool is_across(const Vec3& axis) const {
    return std::abs(axis.dot(out_.plane.normal)) > 1 - axis_tolerance;
  }
  bool is_within(const Vec3& axis) const { return std::abs(axis.dot(out_.plane.normal)) < axis_tolerance; }

  // Where a solid can touch a plane; none: it cannot be said.
  std::vector<Spot> spots_of(const Solid& s) const {
    const Vec c = lay(s.pose.at);
    const auto half = [&](int axis, double size) { return lay(size * s.pose.turn.col(axis)); };
    if (s.form == Form::sphere) return {{c, s.size.x()}};
    if (s.form == Form::capsule || s.form == Form::cylinder) {
      const Vec3 axis = s.pose.turn.col(2);
      if (is_across(axis)) return {{c, s.size.x()}};
      const Vec h = half(2, s.size.y());
      if (s.form == Form::capsule) return {{c - h, s.size.x()}, {c + h, s.size.x()}};
      if (!is_within(axis)) return {};
      const Vec w = (s.size.x() / norm(h)) * turned(h);
      return {{c - h - w}, {c - h + w}, {c + h + w}, {c + h - w}};
    }
    if (s.form != Form::box) return {};
    for (int k = 0; k < 3; ++k)
      if (is_across(s.pose.turn.col(k))) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const Vec p = half(a, s.size[a]), q = half(b, s.size[b]);
        return {{c - p - q}, {c - p + q}, {c + p + q}, {c + p - q}};
      }
    return {};
  }

  void add_walls(const Floor& f) {
    const Vec normal = lay(f.normal);
    PlanarWall base;
    base.at = lay(f.point);
    base.slope = clean(portable::atan2(normal.x, -normal.z));
    base.place = f.place;
    std::vector<PlanarWall> walls;
    for (std::size_t i = 0; i < m_.links.size(); ++i)
      for (const Solid& s : m_.links[i].solids) {
        if (!s.touch.meets(f.touch)) continue;
        const bool rough = std::max(s.touch.dimensions, f.touch.dimensions) > 1;
        const double friction = rough ? std::max(s.touch.friction, f.touch.friction) : 0.0;
        auto wall = std::find_if(walls.begin(), walls.end(),
                                 [&](const PlanarWall& w) { return w.friction == friction; });
        if (wall == walls.end()) {
          walls.push_back(base);
          walls.back().friction = friction;
          wall = walls.end() - 1;
        }
        add_solid(s, body_of_link_[i], normal, *wall);
      }
    for (PlanarWall& w : walls) {
      w.name = names_.make(f.name, "floor");
      if (!w.touches.empty()) out_.walls.push_back(std::move(w));
    }
  }

  void add_solid(const Solid& s, int body, Vec normal, PlanarWall& wall) {
    const std::vector<Spot> spots = spots_of(s);
    if (spots.empty())
      m_.note(
          s.place,
          fmt::format("\"{}\" cannot touch here: only spheres, capsules, and cylinders and boxes that lie "
                      "along the plane can",
                      s.name));
    int number = 0;
    for (const Spot& spot : spots) {
      PlanarPoint p;
      p.body = body;
      p.at = out_.bodies[body].local(spot.at);
      p.radius = spot.radius;
      if (!clear(s, p, normal, wall)) continue;
      const std::string wanted = spots.size() > 1 ? fmt::format("{}_{}", s.name, ++number) : s.name;
      p.name = point_for(p, wanted);
      wall.touches.push_back(p.name);
    }
  }

  // The same point for several walls.
  std::string point_for(const PlanarPoint& p, const std::string& wanted) {
    for (const PlanarPoint& had : out_.points)
      if (had.body == p.body && had.at.x == p.at.x && had.at.z == p.at.z && had.radius == p.radius)
        return had.name;
    out_.points.push_back(p);
    out_.points.back().name = names_.make(wanted, "point");
    return out_.points.back().name;
  }

  // Nothing may start inside a wall: a free mechanism is lifted out, else the contact is left out.
  bool clear(const Solid& s, const PlanarPoint& p, Vec normal, const PlanarWall& wall) {
    const double gap = dot(out_.bodies[p.body].at_start(p.at) - wall.at, normal) - p.radius;
    if (gap >= -1e-12) return true;
    int root = p.body;
    while (out_.bodies[root].parent >= 0) root = out_.bodies[root].parent;
    if (out_.bodies[root].hold != Hold::free) {
      m_.note(
          s.place,
          fmt::format("\"{}\" starts {} m inside the floor and cannot be lifted: this contact is left out",
                      s.name, show_number(-gap)));
      return false;
    }
    for (std::size_t k = 0; k < out_.bodies.size(); ++k) {
      int top = static_cast<int>(k);
      while (out_.bodies[top].parent >= 0) top = out_.bodies[top].parent;
      if (top == root) out_.bodies[k].start -= gap * normal;
    }
    m_.note(s.place, fmt::format("\"{}\" starts {} m inside the floor: the model is lifted out of it", s.name,
                                 show_number(-gap)));
    return true;
  }

  SpatialModel& m_;
  const std::vector<int>& body_of_link_;
  PlanarModel& out_;
  Names& names_;
};

}  // namespace

void add_touches(SpatialModel& model, const std::vector<int>& body_of_link, PlanarModel& out, Names& names) {
  Touches(model, body_of_link, out, names).run();
}

}  // namespace thud::imports
