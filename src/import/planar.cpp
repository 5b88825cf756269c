#include "import/planar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud::imports {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double near = 1e-9;           // points closer than that are the same [m]
constexpr double carrier_share = 1e-9;  // mass of a carrier, of the body that it carries

Vec axis_of(double angle) { return {portable::sin(angle), portable::cos(angle)}; }
Vec side_of(double angle) { return {portable::cos(angle), -portable::sin(angle)}; }
double angle_of(Vec d) { return clean(portable::atan2(d.x, d.z)); }

// The ends of an elongated solid that lies in the plane.
struct Rod {
  Vec a, b;
  double diameter = 0;
};

class Layout {
 public:
  Layout(SpatialModel& m, Names& names) : m_(m), names_(names) {}

  PlanarModel make() {
    out_.plane = find_plane(m_);
    lay_gravity();
    for (std::size_t i = 0; i < m_.links.size(); ++i) add_link(static_cast<int>(i));
    if (out_.bodies.empty())
      throw InputError(m_.links.empty() ? Place{} : m_.links[0].place, "nothing in the model moves");
    for (const GearLoop& g : m_.gears) add_gear(g);
    place_at_start();
    for (const PinLoop& p : m_.pins) add_pin(p);
    add_touches(m_, body_of_link_, out_, names_);
    return std::move(out_);
  }

 private:
  Vec lay(const Vec3& v) const {
    const Vec p = out_.plane.lay(v);
    return {clean(p.x), clean(p.z)};
  }

  void lay_gravity() {
    out_.gravity = lay(m_.gravity);
    const double aside = std::abs(m_.gravity.dot(out_.plane.normal));
    if (aside > 1e-6 * m_.gravity.norm())
      m_.note({},
              fmt::format("the plane of motion is not vertical: {} m/s2 of gravity across it are left out",
                          show_number(aside)));
  }

  // ---- bodies ---------------------------------------------------------------------------------

  void add_link(int i) {
    Link& l = m_.links[i];
    const int parent = l.parent < 0 ? -1 : body_of_link_[l.parent];
    const std::string name = names_.make(l.name, fmt::format("body{}", i + 1));
    PlanarBody b;
    b.name = name;
    b.parent = parent;
    b.place = l.place;
    b.mass = l.mass.mass;
    b.inertia = std::max(0.0, out_.plane.normal.dot(l.mass.inertia * out_.plane.normal));
    b.center = lay(l.mass.center);
    if (l.floats || is_free(l)) {
      b.hold = Hold::free;
      b.parent = -1;
      if (l.floats) tell_free(l);
    } else if (l.joints.empty()) {
      b.hold = Hold::weld;
    } else {
      for (std::size_t k = 0; k + 1 < l.joints.size(); ++k)
        b.parent = add_carrier(l, name, l.joints[k], b.parent);
      take_joint(b, l.joints.back());
    }
    choose_axis(b, l, i);
    set_relative(b);
    give_inertia(b);
    body_of_link_.push_back(static_cast<int>(out_.bodies.size()));
    out_.bodies.push_back(std::move(b));
  }

  // What turns needs inertia; a point in its joint has none.
  void give_inertia(PlanarBody& b) {
    const bool turns = b.hold == Hold::pin || b.hold == Hold::free;
    if (!turns || b.inertia > 0 || (b.hold == Hold::pin && norm(b.center - b.origin) > near)) return;
    b.inertia = carrier_share * b.mass;
    m_.note(b.place, fmt::format("\"{}\" turns and has no inertia: it has {} kg m2 here", b.name,
                                 show_number(b.inertia)));
  }

  void tell_free(const Link& l) {
    for (const Joint& j : l.joints)
      m_.note(j.place, fmt::format("joint \"{}\" of a free body is left out", j.name));
    if (std::abs(m_.gravity.dot(out_.plane.normal)) > 1e-6 * m_.gravity.norm())
      m_.note(l.place,
              fmt::format("\"{}\" is free and would fall out of the plane: here it stays in it", l.name));
  }

  // Two slides and a hinge in which nothing acts.
  bool is_free(const Link& l) const {
    if (l.parent >= 0 || l.joints.size() != 3) return false;
    std::vector<Vec> lines;
    for (const Joint& j : l.joints) {
      if (!j.plain() || is_geared(j)) return false;
      if (j.motion == Motion::slide) lines.push_back(out_.plane.lay(j.axis));
    }
    return lines.size() == 2 && std::abs(moment(lines[0], lines[1])) > 1e-3;
  }

  bool is_geared(const Joint& j) const {
    return std::any_of(m_.gears.begin(), m_.gears.end(),
                       [&](const GearLoop& g) { return g.a == j.name || g.b == j.name; });
  }

  int add_carrier(const Link& l, const std::string& name, const Joint& j, int parent) {
    PlanarBody c;
    c.name = names_.make(name + "_" + j.name, name + "_carrier");
    c.parent = parent;
    c.carrier = true;
    c.place = j.place;
    c.mass = carrier_share * l.mass.mass;
    take_joint(c, j);
    c.center = c.origin;
    c.inertia = carrier_share * c.mass;  // for a pin, which turns it
    c.angle = parent < 0 ? 0 : out_.bodies[parent].angle;
    set_relative(c);
    m_.note(j.place,
            fmt::format("\"{}\" has several joints: \"{}\" is a body of its own here, \"{}\", of {} kg",
                        l.name, j.name, c.name, show_number(c.mass)));
    out_.bodies.push_back(std::move(c));
    return static_cast<int>(out_.bodies.size()) - 1;
  }

  void take_joint(PlanarBody& b, const Joint& j) {
    b.joint = j;
    b.hold = j.motion == Motion::slide ? Hold::slider : Hold::pin;
    b.sign = j.motion == Motion::slide || j.axis.dot(out_.plane.normal) > 0 ? 1 : -1;
    b.origin = lay(j.anchor);
    const double away = std::max(j.lower.value_or(j.start) - j.start, j.start - j.upper.value_or(j.start));
    if (away <= 0) return;
    b.joint.start = std::clamp(j.start, j.lower.value_or(j.start), j.upper.value_or(j.start));
    m_.note(j.place, fmt::format("joint \"{}\" would start at {}, outside its limits: it starts at {}",
                                 j.name, show_number(j.start), show_number(b.joint.start)));
  }

  void set_relative(PlanarBody& b) const {
    const double carried = b.parent < 0 ? 0 : out_.bodies[b.parent].angle;
    b.relative = clean(half_turn(b.angle - carried));
    if (b.hold == Hold::slider)
      b.direction = clean(half_turn(angle_of(out_.plane.lay(b.joint.axis)) - carried));
  }

  // ---- where the axis of a body points ----------------------------------------------------------

  std::vector<Rod> rods_of(const Link& l) const {
    std::vector<Rod> rods;
    for (const Solid& s : l.solids) {
      if (s.form != Form::capsule && s.form != Form::cylinder) continue;
      const Vec3 half = s.size.y() * s.pose.turn.col(2);
      if (std::abs(half.dot(out_.plane.normal)) > axis_tolerance * half.norm()) continue;
      rods.push_back({lay(s.pose.at - half), lay(s.pose.at + half), 2 * s.size.x()});
    }
    std::stable_sort(rods.begin(), rods.end(), [](const Rod& p, const Rod& q) {
      return norm(p.b - p.a) > norm(q.b - q.a) * (1 + 1e-12);
    });
    return rods;
  }

  // Where what it carries is attached.
  std::vector<Vec> seats_of(int link) const {
    std::vector<Vec> seats;
    for (const Link& c : m_.links)
      if (c.parent == link && !c.floats)
        seats.push_back(lay(c.joints.empty() ? c.origin : c.joints[0].anchor));
    return seats;
  }

  // From the joint along a rod that begins there; else to the next joint, the farthest solid, the centre of mass; else down.
  void choose_axis(PlanarBody& b, const Link& l, int link) const {
    if (b.hold == Hold::weld || b.hold == Hold::free) b.origin = lay(l.origin);
    const std::vector<Vec> seats = seats_of(link);
    for (const Rod& r : rods_of(l))
      if (lie_along(b, r, seats)) return;
    Vec tip = b.center;
    for (const Solid& s : l.solids)
      if (norm(lay(s.pose.at) - b.origin) > norm(tip - b.origin) + near) tip = lay(s.pose.at);
    for (auto s = seats.rbegin(); s != seats.rend(); ++s)
      if (norm(*s - b.origin) > near) tip = *s;
    b.length = norm(tip - b.origin);
    if (!(b.length > near)) b.length = 0;
    b.angle = b.length > 0 ? angle_of(tip - b.origin) : 0;
  }

  bool lie_along(PlanarBody& b, const Rod& r, const std::vector<Vec>& seats) const {
    Vec a = r.a, e = r.b;
    if (b.hold
        == Hold::free) {  // from the end that is farther from what it carries; from the upper one if nothing
      const double down = a.z - e.z;
      if (seats.empty() ? down > 0 : norm(a - seats[0]) < norm(e - seats[0])) std::swap(a, e);
      b.origin = a;
    } else if (norm(a - b.origin) > norm(e - b.origin)) {
      std::swap(a, e);
    }
    const Vec d = e - a;
    const double long_way = norm(d), begins = dot(a - b.origin, d) / long_way;
    const bool on_line = std::abs(moment(a - b.origin, d)) < near * long_way;
    if (!on_line || std::abs(begins) > r.diameter / 2 + near) return false;
    b.length = norm(e - b.origin);
    b.diameter = r.diameter;
    b.angle = angle_of(e - b.origin);
    return true;
  }

  // ---- loops ----------------------------------------------------------------------------------

  void add_gear(const GearLoop& g) {
    int a = -1, b = -1;
    for (std::size_t k = 0; k < out_.bodies.size(); ++k) {
      if (out_.bodies[k].joint.name.empty() || out_.bodies[k].hold == Hold::weld) continue;
      if (out_.bodies[k].joint.name == g.a) a = static_cast<int>(k);
      if (out_.bodies[k].joint.name == g.b) b = static_cast<int>(k);
    }
    if (a < 0 || b < 0 || g.ratio == 0) {
      m_.note(g.place, fmt::format("the gear between joints \"{}\" and \"{}\" is left out: {}", g.a, g.b,
                                   g.ratio == 0 ? "its ratio is zero" : "one of them does not move here"));
      return;
    }
    PlanarBody &driven = out_.bodies[a], &driver = out_.bodies[b];
    const double start = g.ratio * driver.joint.start + g.offset;
    if (std::abs(start - driven.joint.start) > 1e-12) {
      m_.note(g.place, fmt::format("joint \"{}\" starts at {}, where joint \"{}\" has it", g.a,
                                   show_number(start), g.b));
      driven.joint.start = start;
    }
    PlanarLoop loop;
    loop.name = names_.make(g.name, "gear");
    loop.gear = true;
    loop.a.body = b;
    loop.b.body = a;
    loop.ratio = g.ratio * driven.sign * driver.sign;
    loop.place = g.place;
    out_.loops.push_back(std::move(loop));
  }

  void add_pin(const PinLoop& p) {
    PlanarLoop loop;
    loop.name = names_.make(p.name, "loop");
    loop.place = p.place;
    const Vec at = lay(p.point);
    const auto end = [&](int link, const char* suffix) {
      PlanarPoint out;
      out.body = link < 0 ? -1 : body_of_link_[link];
      out.at = out.body < 0 ? at : out_.bodies[out.body].local(at);
      if (out.body >= 0) out.name = names_.make(loop.name + suffix, "point");
      return out;
    };
    if (p.a == p.b) {
      m_.note(p.place, fmt::format("loop \"{}\" joins a body to itself: left out", p.name));
      return;
    }
    loop.a = end(p.a, "_a");
    loop.b = end(p.b, "_b");
    out_.loops.push_back(std::move(loop));
  }

  // ---- the start --------------------------------------------------------------------------------

  void place_at_start() {
    for (PlanarBody& b : out_.bodies) {
      b.start = b.origin;
      b.start_angle = b.angle;
      if (b.hold == Hold::free) continue;
      const PlanarBody* p = b.parent < 0 ? nullptr : &out_.bodies[b.parent];
      const double carried = p ? p->start_angle : 0;
      if (p) b.start = p->at_start(p->local(b.origin));
      b.start_angle = carried + (b.hold == Hold::pin ? b.joint_angle(b.joint.start) : b.relative);
      if (b.hold == Hold::slider)
        b.start += (b.joint.start - b.joint.reference) * axis_of(carried + b.direction);
    }
  }

  SpatialModel& m_;
  Names& names_;
  PlanarModel out_;
  std::vector<int> body_of_link_;
};

}  // namespace

double half_turn(double angle) {
  double out = std::remainder(angle, 2 * pi);
  return out <= -pi + 1e-12 ? out + 2 * pi : out;
}

Vec PlanarBody::local(Vec p) const {
  return {clean(dot(p - origin, axis_of(angle))), clean(dot(p - origin, side_of(angle)))};
}

Vec PlanarBody::at_start(Vec local) const {
  return start + local.x * axis_of(start_angle) + local.z * side_of(start_angle);
}

PlanarModel lay_out(SpatialModel& model, Names& names) { return Layout(model, names).make(); }

}  // namespace thud::imports
