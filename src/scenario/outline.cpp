#include "thud/scenario/outline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "thud/math/portable.hpp"

namespace thud {

namespace {

OutlineLine make_axis(int body, const Part& part, int points) {
  OutlineLine line{body, {}, part.width, false};
  for (int k = 0; k < points; ++k)
    line.points.push_back({part.s0 + (part.s1 - part.s0) * k / (points - 1), part.n});
  return line;
}

OutlineLine make_rim(int body, const Part& part) {
  if (part.kind == PartKind::polygon) return {body, part.corners, 0, !part.open};
  OutlineLine line{body, {}, 0, true};
  if (part.kind == PartKind::block) {
    for (int k = 0; k < 4; ++k) line.points.push_back(corner_point(part, k));
    return line;
  }
  if (part.cubic) {
    const double half = 0.5 * part.width;
    for (const auto& [s, n] : {std::pair{-half, -half}, {half, -half}, {half, half}, {-half, half}})
      line.points.push_back({part.s0 + s, part.n + n});
    return line;
  }
  constexpr int points = 48;
  line.points.push_back({part.s0, part.n});  // a spoke shows how it turns
  for (int k = 0; k <= points; ++k) {
    const double a = 2 * std::numbers::pi * k / points;
    line.points.push_back(
        {part.s0 + 0.5 * part.width * portable::cos(a), part.n + 0.5 * part.width * portable::sin(a)});
  }
  return line;
}

OutlineLine make_line(const Tree& tree, const DrawnPart& drawn) {
  switch (drawn.part.kind) {
    case PartKind::segment: return make_axis(drawn.body, drawn.part, 2);
    case PartKind::beam:
      return make_axis(drawn.body, drawn.part, 33 + 4 * tree.body(drawn.body).beam->size());
    default: return make_rim(drawn.body, drawn.part);
  }
}

// Whether a part reaches the place of the joint.
bool reaches(const Part& part, BodyPoint p) {
  const double small = 0.5 * part.width + 1e-9;
  if (part.is_round()) return portable::hypot(part.s0 - p.s, part.n - p.n) <= small;
  return p.s >= std::min(part.s0, part.s1) - small && p.s <= std::max(part.s0, part.s1) + small;
}

bool is_same(BodyPoint a, BodyPoint b) { return a.s == b.s && a.n == b.n; }

}  // namespace

BodyPoint slider_direction(const Body& body) {
  const double turn = body.joint.direction - body.joint.angle;
  return {portable::cos(turn), portable::sin(turn)};
}

Vec slider_line(const Tree& tree, const Frames<double>& frames, int body) {
  const BodyPoint d = slider_direction(tree.body(body));
  const auto i = static_cast<std::size_t>(body);
  return d.s * frames.u[i] + d.n * frames.w[i];
}

std::vector<OutlineLine> make_outline(const Tree& tree, const std::vector<DrawnPart>& parts) {
  std::vector<OutlineLine> out;
  // The joints of a body that nothing drawn reaches get a line to its mass centre.
  const auto connect = [&](int body, BodyPoint joint) {
    for (const DrawnPart& d : parts)
      if (d.body == body && reaches(d.part, joint)) return;
    const BodyPoint center = tree.body(body).center;
    if (!is_same(joint, center)) out.push_back({body, {joint, center}, 0, false});
  };
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    if (!b.free) connect(i, {});
    if (b.parent >= 0) connect(b.parent, b.attach);
  }
  for (const DrawnPart& d : parts) out.push_back(make_line(tree, d));
  for (int i = 0; i < tree.body_count(); ++i) {
    const ElasticBeam* beam = tree.body(i).beam.get();
    const bool is_drawn = std::any_of(parts.begin(), parts.end(), [&](const DrawnPart& d) {
      return d.body == i && d.part.kind == PartKind::beam;
    });
    if (!beam || is_drawn) continue;
    DrawnPart along{i, {}};
    along.part.kind = PartKind::beam;
    along.part.s0 = beam->start();
    along.part.s1 = beam->end();
    out.push_back(make_line(tree, along));
  }
  return out;
}

}  // namespace thud
