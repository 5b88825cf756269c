// Poses of a mechanism beside each other, in the bed.
#include "draw/pose_strip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thud/base/format.hpp"
#include "thud/elements/stress_field.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/outline.hpp"

namespace thud {

Pose make_pose(const Scenario& scenario, double time, const double* q, const std::vector<TravelSpan>& spans) {
  const Tree& tree = scenario.system->tree();
  Frames<double> frames;
  frames.resize(tree);
  const std::vector<double> still(static_cast<std::size_t>(tree.dof_count()));
  tree.kinematics(q, still.data(), frames);
  Pose pose{time, {}, {}, {}};
  for (const OutlineLine& line : make_outline(tree, scenario.parts)) {
    PoseLine& posed = pose.lines.emplace_back(PoseLine{{}, line.width, line.closed});
    for (const BodyPoint& p : line.points) posed.points.push_back(frames.position(line.body, p));
  }
  for (int i = 0; i < tree.body_count(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec at = frames.origin[k];
    if (tree.body(i).parent >= 0 && tree.joint_kind(i) == JointKind::pin) pose.pins.push_back(at);
    if (tree.joint_kind(i) != JointKind::slider) continue;
    const Vec line = slider_line(tree, frames, i), seat = at - frames.travel[k] * line;
    const double here = frames.travel[k];
    const TravelSpan span =
        k < spans.size() ? spans[k] : TravelSpan{std::min(0.0, here), std::max(0.0, here)};
    pose.rails.push_back({seat + span.least * line, seat + span.most * line});
  }
  for (const Wall& wall : scenario.system->walls())
    if (wall.on >= 0) {
      const Vec u = frames.u[wall.on], w = frames.w[wall.on];
      const auto turn = [&](Vec v) { return v.x * w + v.z * u; };
      pose.carried.push_back({{frames.origin[wall.on] + turn(wall.plane.point), turn(wall.plane.normal),
                               turn(wall.plane.tangent)},
                              0,
                              true});
    }
  return pose;
}

namespace {

// Over all states, one after the other.
std::vector<TravelSpan> find_spans(const Tree& tree, const std::vector<double>& states) {
  const auto dofs = static_cast<std::size_t>(tree.dof_count());
  std::vector<TravelSpan> out(static_cast<std::size_t>(tree.body_count()));
  for (int i = 0; i < tree.body_count(); ++i) {
    if (tree.joint_kind(i) != JointKind::slider) continue;
    const auto dof = static_cast<std::size_t>(tree.joint_dof(i));
    TravelSpan& s = out[static_cast<std::size_t>(i)] = {states[dof], states[dof]};
    for (std::size_t at = dof; at < states.size(); at += dofs)
      s.least = std::min(s.least, states[at]), s.most = std::max(s.most, states[at]);
  }
  return out;
}

std::vector<Obstacle> find_obstacles(const System& system) {
  std::vector<Obstacle> out;
  for (const Bed& bed : system.beds()) out.push_back({bed.plane, bed.bottom, false});
  for (const Wall& w : system.walls())
    if (w.on < 0) out.push_back({w.plane, 0, true});
  return out;
}

}  // namespace

// Arrows are to end on the outline: of a plate on the side from which it is pushed.
void add_stress(const System& system, const Work<double>& work, Pose& pose) {
  system.each([&]<class E>(const E& e, int k) {
    if constexpr (std::is_same_v<E, SpreadSand> || std::is_same_v<E, LeeSpread>)
      for (const StressStretch& s : list_stretches(e, 12)) {
        const Vec along = work.frames.position(s.body, s.b) - work.frames.position(s.body, s.a);
        const double length = norm(along);
        const Vec across = length > 0 ? (1 / length) * Vec{along.z, -along.x} : Vec{};
        PoseStress out;
        for (const StressCell& cell :
             find_stress(e, s, system.scene(), work.frames, work.of<E>()[static_cast<std::size_t>(k)])
                 .cells) {
          const Vec stress = cell.stress();
          const double side = dot(stress, across) > 0.2 * norm(stress) ? -s.half : s.half;
          out.at.push_back(cell.at + side * across);
          out.stress.push_back(stress);
        }
        if (!out.at.empty()) pose.stress.push_back(std::move(out));
      }
  });
}

PoseStrip make_pose_strip(const Scenario& scenario, const TrajectoryRecorder& trajectory, int count) {
  PoseStrip out;
  std::vector<double> times;
  const auto dofs = static_cast<std::size_t>(scenario.system->dof_count());
  std::vector<double> states;
  trajectory.read_states([&](double t, const double* state) {
    times.push_back(t);
    states.insert(states.end(), state, state + dofs);
  });
  if (times.empty() || count < 1) return out;
  out.obstacles = find_obstacles(*scenario.system);
  const Tree& tree = scenario.system->tree();
  for (int i = 0; i < tree.body_count(); ++i)
    if (tree.body(i).parent < 0 && !tree.body(i).free && tree.joint_kind(i) != JointKind::slider)
      out.anchors.push_back(tree.body(i).anchor);
  const std::vector<TravelSpan> spans = find_spans(tree, states);
  const double begin = times.front(), end = times.back();
  std::size_t last = times.size();
  std::vector<std::size_t> rows;
  for (int k = 0; k < count; ++k) {
    const double wanted = count > 1 ? begin + (end - begin) * k / (count - 1) : end;
    auto row = static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), wanted) - times.begin());
    row = std::min(row, times.size() - 1);
    if (row > 0 && wanted - times[row - 1] < times[row] - wanted) --row;
    if (row == last) continue;  // a run of few rows
    last = row;
    rows.push_back(row);
    out.poses.push_back(make_pose(scenario, times[row], states.data() + row * dofs, spans));
  }
  bool feels = false;
  scenario.system->each([&]<class E>(const E&, int) {
    feels = feels || std::is_same_v<E, SpreadSand> || std::is_same_v<E, LeeSpread>;
  });
  if (feels) {
    std::size_t next = 0;
    trajectory.read_work(rows, [&](double, const Work<double>& work) {
      add_stress(*scenario.system, work, out.poses[next++]);
    });
  }
  return out;
}

namespace svg {

namespace {

constexpr double gap = 8, label_size = 11, label_height = 18, scale_height = 24, most_high = 350;

struct Shade {
  const char *body, *veil, *edge;
};
constexpr const char* stress_tone = "#86117a";
constexpr Shade sand{"#f3e6c8", "#e3c88f", "#a98a4f"}, wall{"#d9dbde", "#d9dbde", "#55595e"};

double largest_stress(const PoseStrip& strip) {
  double most = 0;
  for (const Pose& pose : strip.poses)
    for (const PoseStress& row : pose.stress)
      for (const Vec& s : row.stress) most = std::max(most, norm(s));
  return most;
}

// What of a polygon lies where depth(p) ≥ 0.
template <class Depth>
std::vector<Point> clipped(const std::vector<Point>& polygon, Depth depth) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double da = depth(a), db = depth(b);
    if (da >= 0) out.push_back(a);
    if ((da >= 0) == (db >= 0)) continue;
    const double u = da / (da - db);
    out.push_back({std::lerp(a[0], b[0], u), std::lerp(a[1], b[1], u)});
  }
  return out;
}

std::string points_text(const std::vector<Point>& points) {
  std::string out, last;
  for (const Point& p : points) {
    std::string corner = px(p[0]) + "," + px(p[1]);
    if (corner == last) continue;
    out += (out.empty() ? "" : " ") + corner;
    last = std::move(corner);
  }
  return out;
}

// 1, 2 or 5 · 10^k, at most `most`.
double round_below(double most) {
  const double power = portable::pow(10, std::floor(portable::log10(most)));
  for (const double digit : {5.0, 2.0})
    if (digit * power <= most) return digit * power;
  return power;
}

}  // namespace

StripLayout::StripLayout(const PoseStrip& strip, double left, double top, double width)
    : strip_(strip),
      left_(left),
      top_(top),
      width_(width),
      padding_(strip.anchors.empty() ? 9 : 17),
      extent_(extent()) {
  choose_grid();
  height_ = static_cast<double>(rows_) * (frame_height_ + label_height + gap) - gap + scale_height;
}

std::string StripLayout::colour(std::size_t k, std::size_t count) {
  const double t = count > 1 ? static_cast<double>(k) / static_cast<double>(count - 1) : 1;
  return Colour{std::lerp(0.62, 0.07, t), std::lerp(0.73, 0.20, t), std::lerp(0.83, 0.34, t)}.hex();
}

// Around all poses, with the surface in view where it is not far off, and room for the arrows.
StripLayout::Extent StripLayout::extent() {
  Extent e{HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  const auto add = [&](Vec p, double around) {
    e.left = std::min(e.left, p.x - around), e.right = std::max(e.right, p.x + around);
    e.top = std::min(e.top, p.z - around), e.bottom = std::max(e.bottom, p.z + around);
  };
  for (const Pose& pose : strip_.poses) {
    for (const PoseLine& line : pose.lines)
      for (const Vec& p : line.points) add(p, 0.5 * line.width);
    for (const auto& [begin, end] : pose.rails) add(begin, 0), add(end, 0);
  }
  for (const Vec& p : strip_.anchors) add(p, 0);
  if (!(e.left <= e.right)) e = {-0.5, 0.5, -0.5, 0.5};
  const double size = std::max({e.width(), e.height(), 1e-9});
  std::vector<Obstacle> obstacles = strip_.obstacles;
  for (const Pose& pose : strip_.poses)
    obstacles.insert(obstacles.end(), pose.carried.begin(), pose.carried.end());
  for (const Obstacle& o : obstacles) {
    // The foot of the middle of the scene on the surface.
    const Vec middle{0.5 * (e.left + e.right), 0.5 * (e.top + e.bottom)};
    const double depth = o.plane.depth(middle);
    if (std::abs(depth) < 1.2 * size) add(middle - depth * o.plane.normal, 0.04 * size);
  }
  if (const double most = largest_stress(strip_); most > 0) {
    stress_scale_ = 0.2 * size / most;
    for (const Pose& pose : strip_.poses)
      for (const PoseStress& row : pose.stress)
        for (std::size_t i = 0; i < row.at.size(); ++i) add(row.at[i] - stress_scale_ * row.stress[i], 0);
  }
  const double more = 0.02 * size;
  return {e.left - more, e.right + more, e.top - more, e.bottom + more};
}

// As few rows as let the mechanism be large.
void StripLayout::choose_grid() {
  const std::size_t n = strip_.poses.size();
  double best = 0;
  for (std::size_t across = 1; across <= n; ++across) {
    const std::size_t rows = (n + across - 1) / across;
    const auto c = static_cast<double>(across), r = static_cast<double>(rows);
    const double wide = (width_ - (c - 1) * gap) / c - 2 * padding_;
    const double high = (most_high - (r - 1) * gap) / r - label_height - 2 * padding_;
    if (wide < 24 || high < 16) continue;
    const double scale = std::min(wide / extent_.width(), high / extent_.height());
    const double filled = static_cast<double>(n) / (c * r), flat = rows == 1 ? 1 : 0.8;
    if (scale * filled * flat <= best) continue;
    best = scale * filled * flat;
    scale_ = scale, across_ = across, rows_ = rows;
    frame_width_ = wide + 2 * padding_;
    frame_height_ = scale * extent_.height() + 2 * padding_;
  }
}

Box StripLayout::frame(std::size_t k) const {
  const double x = left_ + static_cast<double>(k % across_) * (frame_width_ + gap);
  const double y = top_ + static_cast<double>(k / across_) * (frame_height_ + label_height + gap);
  return {x, y, x + frame_width_, y + frame_height_};
}

Point StripLayout::place(const Box& f, Vec p) const {
  return {0.5 * (f.left + f.right) + scale_ * (p.x - 0.5 * (extent_.left + extent_.right)),
          f.top + padding_ + scale_ * (p.z - extent_.top)};
}

std::vector<Point> StripLayout::region(const Box& f, const Obstacle& o) const {
  const Point origin = place(f, o.plane.point);
  const auto depth = [&](const Point& p) {
    return (p[0] - origin[0]) * o.plane.normal.x + (p[1] - origin[1]) * o.plane.normal.z;
  };
  std::vector<Point> corners{{f.left, f.top}, {f.right, f.top}, {f.right, f.bottom}, {f.left, f.bottom}};
  corners = clipped(corners, depth);
  if (o.thickness > 0)
    corners = clipped(corners, [&](const Point& p) { return scale_ * o.thickness - depth(p); });
  return corners;
}

// Below the mechanism as a body; over it as a veil, which leaves what is immersed visible.
void StripLayout::draw_obstacles(Canvas& canvas, const Box& f, const std::vector<Obstacle>& obstacles,
                                 bool over) const {
  for (const Obstacle& o : obstacles) {
    const std::vector<Point> corners = region(f, o);
    if (corners.size() < 3) continue;
    const Shade& shade = o.is_wall ? wall : sand;
    if (!over) {
      canvas.add(fmt::format("<polygon points=\"{}\" fill=\"{}\"/>", points_text(corners), shade.body));
      continue;
    }
    if (!o.is_wall)
      canvas.add(fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.45\"/>",
                             points_text(corners), shade.veil));
    const Point origin = place(f, o.plane.point);
    std::vector<Point> surface;
    for (const Point& p : corners)
      if (std::abs((p[0] - origin[0]) * o.plane.normal.x + (p[1] - origin[1]) * o.plane.normal.z) < 1e-6)
        surface.push_back(p);
    if (surface.size() >= 2)
      canvas.line(surface.front(), surface.back(),
                  fmt::format("stroke=\"{}\" stroke-width=\"{}\"", shade.edge, o.is_wall ? "1.6" : "1"));
  }
}

void StripLayout::draw_pose(Canvas& canvas, const Box& f, std::size_t k) const {
  const Pose& pose = strip_.poses[k];
  const std::string ink_of_pose = colour(k, strip_.poses.size());
  for (const auto& [begin, end] : pose.rails) draw_rail(canvas, place(f, begin), place(f, end));
  canvas.add(
      fmt::format("<g class=\"pose\" fill=\"none\" stroke=\"{}\" stroke-linejoin=\"round\">", ink_of_pose));
  for (const PoseLine& line : pose.lines) {
    std::vector<Point> points;
    for (const Vec& p : line.points) points.push_back(place(f, p));
    const double thick = line.width > 0 ? std::max(1.8, scale_ * line.width) : line.closed ? 0.8 : 1.2;
    canvas.add(
        fmt::format("<{} points=\"{}\" stroke-width=\"{}\"{}/>", line.closed ? "polygon" : "polyline",
                    points_text(points), px(thick),
                    line.closed ? fmt::format(" fill=\"{}\" fill-opacity=\"0.75\"", ink_of_pose) : ""));
  }
  canvas.add("</g>");
  for (const Vec& p : pose.pins) {
    const Point at = place(f, p);
    canvas.add(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"1.8\" fill=\"#ffffff\" stroke=\"{}\"/>",
                           px(at[0]), px(at[1]), ink));
  }
}

void StripLayout::draw_stress(Canvas& canvas, const Box& f, const Pose& pose) const {
  for (const PoseStress& row : pose.stress) {
    std::vector<Point> tips, tails;
    for (std::size_t i = 0; i < row.at.size(); ++i) {
      tips.push_back(place(f, row.at[i]));
      tails.push_back(place(f, row.at[i] - stress_scale_ * row.stress[i]));
    }
    const double along = tips.size() > 1
                           ? portable::hypot(tips.back()[0] - tips[0][0], tips.back()[1] - tips[0][1])
                                 / static_cast<double>(tips.size() - 1)
                           : 1e300;
    const auto stride = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::ceil(4 / std::max(along, 1e-6))), 1, tips.size());
    for (std::size_t i = (stride - 1) / 2; i < tips.size(); i += stride) {
      const double dx = tips[i][0] - tails[i][0], dy = tips[i][1] - tails[i][1],
                   length = portable::hypot(dx, dy);
      if (!(length > 1)) continue;
      const double ux = dx / length, uy = dy / length, head = std::min(4.0, 0.6 * length);
      const Point neck{tips[i][0] - ux * head, tips[i][1] - uy * head};
      canvas.line(tails[i], neck, fmt::format("stroke=\"{}\" stroke-width=\"0.9\"", stress_tone));
      canvas.add(fmt::format("<path class=\"stress\" d=\"M{} {}L{} {}L{} {}Z\" fill=\"{}\"/>", px(tips[i][0]),
                             px(tips[i][1]), px(neck[0] - 0.42 * head * uy), px(neck[1] + 0.42 * head * ux),
                             px(neck[0] + 0.42 * head * uy), px(neck[1] - 0.42 * head * ux), stress_tone));
    }
  }
}

// A double line, a little longer than what is used of it.
void StripLayout::draw_rail(Canvas& canvas, Point begin, Point end) {
  const double dx = end[0] - begin[0], dy = end[1] - begin[1], length = portable::hypot(dx, dy);
  if (!(length > 0)) return;
  const double ux = dx / length, uy = dy / length;
  for (const double side : {-2.5, 2.5})
    canvas.line({begin[0] - 4 * ux - side * uy, begin[1] - 4 * uy + side * ux},
                {end[0] + 4 * ux - side * uy, end[1] + 4 * uy + side * ux},
                fmt::format("stroke=\"{}\" stroke-width=\"0.9\"", faint));
}

void StripLayout::draw_anchors(Canvas& canvas, const Box& f) const {
  for (const Vec& p : strip_.anchors) {
    const Point at = place(f, p);
    canvas.add(
        fmt::format("<path d=\"M{0} {1}L{2} {3}L{4} {3}Z\" fill=\"#ffffff\" stroke=\"{5}\" "
                    "stroke-linejoin=\"round\"/>",
                    px(at[0]), px(at[1]), px(at[0] - 5.5), px(at[1] - 9), px(at[0] + 5.5), faint));
    canvas.line({at[0] - 9, at[1] - 9}, {at[0] + 9, at[1] - 9},
                fmt::format("stroke=\"{}\" stroke-width=\"1.4\"", faint));
    canvas.add(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"2\" fill=\"#ffffff\" stroke=\"{}\"/>", px(at[0]),
                           px(at[1]), ink));
  }
}

void StripLayout::draw_scale(Canvas& canvas) const {
  const double length = round_below(110 / scale_);
  const double y = top_ + height_ - 9, right = left_ + scale_ * length;
  const std::string look = fmt::format("stroke=\"{}\" stroke-width=\"1.2\"", ink);
  canvas.line({left_, y}, {right, y}, look);
  for (const double x : {left_, right}) canvas.line({x, y - 3.5}, {x, y + 3.5}, look);
  std::string text = show_quantity(length, "m", {}, 3);
  if (!strip_.caption.empty()) text += "; " + strip_.caption;
  if (const double most = largest_stress(strip_); most > 0)
    text += "; arrows: stress of the sand, at most " + show_quantity(most, "Pa", {}, 3);
  canvas.text(right + 8, y + 0.36 * label_size, text, {.size = label_size, .fill = faint});
}

void StripLayout::draw(Canvas& canvas) const {
  const double longest = strip_.poses.back().time;
  const ShownUnit unit = suit_unit(longest, "s");
  for (std::size_t k = 0; k < strip_.poses.size(); ++k) {
    const Box f = frame(k);
    canvas.rect(f, "fill=\"#fbfcfd\"");
    const std::vector<Obstacle>& carried = strip_.poses[k].carried;
    for (const auto* list : {&strip_.obstacles, &carried}) draw_obstacles(canvas, f, *list, false);
    draw_pose(canvas, f, k);
    for (const auto* list : {&strip_.obstacles, &carried}) draw_obstacles(canvas, f, *list, true);
    draw_stress(canvas, f, strip_.poses[k]);
    draw_anchors(canvas, f);
    canvas.rect(f, "fill=\"none\" stroke=\"#c9ccd0\" stroke-width=\"0.8\"");
    canvas.text(
        0.5 * (f.left + f.right), f.bottom + 13,
        fmt::format("{} {}", show_number(strip_.poses[k].time * unit.factor, 3), TextStyle{}.unit(unit.unit)),
        {.size = label_size, .anchor = "middle"});
  }
  draw_scale(canvas);
}

}  // namespace svg

}  // namespace thud
