#include "thud/report/scene.hpp"

#include <algorithm>
#include <cmath>

#include "report/json_parts.hpp"
#include "thud/math/portable.hpp"
#include "thud/report/json.hpp"
#include "thud/scenario/outline.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

using namespace json_parts;

namespace {

Json rounded(double x) {
  if (!std::isfinite(x)) return nullptr;
  if (x == 0) return 0;
  const double scale = portable::pow(10, 8 - std::ceil(portable::log10(std::abs(x))));
  const double y = std::round(x * scale) / scale;
  return std::isfinite(y) ? Json(y) : Json(x);
}

Json point_json(BodyPoint p) { return {rounded(p.s), rounded(p.n)}; }

// Ψ_k at a place of the axis, for all k.
Json shapes_json(const ElasticBeam& beam, double s) {
  std::vector<double> value(static_cast<std::size_t>(beam.size())), slope(value.size());
  if (s >= beam.start()) beam.shapes_at(s - beam.start(), value.data(), slope.data());
  Json out = Json::array();
  for (const double x : value) out.push_back(rounded(x));
  return out;
}

Json line_json(const OutlineLine& line, const ElasticBeam* beam) {
  Json points = Json::array(), shapes = Json::array();
  for (const BodyPoint& p : line.points) {
    points.push_back(point_json(p));
    if (beam) shapes.push_back(shapes_json(*beam, p.s));
  }
  Json out = {{"points", points}, {"width", rounded(line.width)}, {"closed", line.closed}};
  if (beam) out["shapes"] = shapes;
  return out;
}

Json body_json(const Tree& tree, int i, const std::vector<OutlineLine>& outline) {
  const Body& b = tree.body(i);
  Json lines = Json::array();
  for (const OutlineLine& line : outline)
    if (line.body == i) lines.push_back(line_json(line, b.beam.get()));
  Json out = {{"name", b.name}, {"mass", rounded(b.mass)}, {"parent", b.parent}, {"free", b.free}};
  if (b.parent >= 0) {
    out["attach"] = point_json(b.attach);
    if (const ElasticBeam* beam = tree.body(b.parent).beam.get())
      out["attach_shapes"] = shapes_json(*beam, b.attach.s);
  } else if (!b.free) {
    out["anchor"] = {rounded(b.anchor.x), rounded(b.anchor.z)};
  }
  const JointKind kind = tree.joint_kind(i);
  out["joint"] = kind == JointKind::slider ? "slider"
               : kind == JointKind::weld   ? "weld"
               : b.free                    ? "free"
                                           : "pin";
  if (kind == JointKind::slider) out["line"] = point_json(slider_direction(b));
  out["elastic"] = b.beam ? b.beam->size() : 0;
  if (b.beam) out["beam"] = {{"start", rounded(b.beam->start())}, {"length", rounded(b.beam->length())}};
  out["lines"] = lines;
  return out;
}

Json plane_json(const std::string& name, const Plane& plane) {
  return {{"name", name},
          {"x", rounded(plane.point.x)},
          {"z", rounded(plane.point.z)},
          {"slope", rounded(portable::atan2(plane.tangent.z, plane.tangent.x))}};
}

Json wall_json(const Wall& wall) {
  Json out = plane_json(wall.name, wall.plane);
  if (wall.on >= 0)
    out["body"] = wall.on;  // that carries it: the rest is as if it hung straight down from the origin
  return out;
}

Json bed_json(const Bed& bed) {
  Json out = plane_json(bed.name, bed.plane);
  out["depth"] = bed.bottom > 0 ? rounded(bed.bottom) : Json(nullptr);
  out["law"] = law_card(bed.law).name;
  return out;
}

// Values of a knob in SI and in its own unit, in which sliders count.
Json slider_json(const Knob& k) {
  Json out = {{"name", k.name}, {"about", k.about}, {"unit", k.unit}, {"integer", k.integer}};
  if (!k.choices.empty()) {
    out["choices"] = k.choices;
    out["value"] = k.text;
    out["default"] = k.default_text;
    return out;
  }
  const auto shown = [&](double x) { return rounded(k.unit.empty() ? x : in_unit(x, k.unit)); };
  out["si"] = number(k.value);
  out["value"] = shown(k.value);
  out["default"] = shown(k.default_value);
  out["range"] = k.range ? Json::array({shown(k.range->first), shown(k.range->second)}) : Json(nullptr);
  return out;
}

Json place_json(const Tree& tree, int body, BodyPoint point, Vec world) {
  if (body < 0) return {{"x", rounded(world.x)}, {"z", rounded(world.z)}};
  Json out = {{"body", body}, {"s", rounded(point.s)}, {"n", rounded(point.n)}};
  if (const ElasticBeam* beam = tree.body(body).beam.get()) out["shapes"] = shapes_json(*beam, point.s);
  return out;
}
Json place_json(const Tree& tree, const Attachment& a) { return place_json(tree, a.body, a.point, a.world); }

// Ropes, and stops of joints.
void add_bounds(const System& system, Json& out) {
  for (const ContactForce& c : system.contacts()) {
    const BodyPoint at = c.a.point;
    if (c.wall == facing::stop)
      out.push_back({{"kind", "limit"},
                     {"name", c.name},
                     {"from", place_json(system.tree(), c.a.body, at, {})},
                     {c.sense > 0 ? "min" : "max", rounded(c.limit)}});
    else if (c.wall == facing::distance && c.sense < 0)
      out.push_back({{"kind", "rope"},
                     {"name", c.name},
                     {"from", place_json(system.tree(), c.a.body, at, {})},
                     {"to", place_json(system.tree(), c.b.body, c.b.point, c.anchor)},
                     {"length", rounded(c.limit)}});
  }
}

// What ties points together, or acts at one.
Json connectors_json(const System& system) {
  Json out = Json::array();
  const Tree& tree = system.tree();
  system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { E::table, e.from.body, e.to.body; })
      out.push_back({{"kind", E::table},
                     {"name", e.label},
                     {"from", place_json(tree, e.from)},
                     {"to", place_json(tree, e.to)}});
  });
  for (const PointForce& f : system.of<PointForce>())
    out.push_back({{"kind", "force"}, {"name", f.label}, {"from", place_json(tree, f.at)}});
  for (const Loop& loop : system.of<Loop>())
    if (loop.kind == Loop::pin)
      out.push_back({{"kind", "loop"},
                     {"name", loop.label},
                     {"from", place_json(tree, loop.a)},
                     {"to", place_json(tree, loop.b)}});
  add_bounds(system, out);
  return out;
}

}  // namespace

std::string make_scene_json(const Scenario& s) {
  const Tree& tree = s.system->tree();
  Json out = {{"name", s.name}, {"title", s.title}, {"about", s.about}, {"text", s.text}};
  out["knobs"] = Json::array();
  for (const Knob& k : s.knobs) out["knobs"].push_back(slider_json(k));
  out["gravity"] = {rounded(s.system->gravity().x), rounded(s.system->gravity().z)};
  const std::vector<OutlineLine> outline = make_outline(tree, s.parts);
  out["bodies"] = Json::array();
  for (int i = 0; i < tree.body_count(); ++i) out["bodies"].push_back(body_json(tree, i, outline));
  out["beds"] = Json::array();
  for (const Bed& bed : s.system->beds()) out["beds"].push_back(bed_json(bed));
  out["walls"] = Json::array();
  for (const Wall& wall : s.system->walls()) out["walls"].push_back(wall_json(wall));
  out["connectors"] = connectors_json(*s.system);
  out["observables"] = Json::array();
  for (const NamedObservable& o : s.observables)
    out["observables"].push_back({{"name", o.name}, {"unit", o.unit}, {"about", o.about}});
  out["results"] = Json::array();
  for (const ResultSpec& r : s.results)
    out["results"].push_back({{"name", r.name}, {"unit", r.unit}, {"rule", r.rule}});
  out["plot"] = s.plot;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace thud
