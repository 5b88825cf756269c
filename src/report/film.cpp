// The stage of the web page (web/src/stage.ts), drawn as SVG.
#include "thud/report/film.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/svg.hpp"
#include "report/film_scene.hpp"
#include "thud/base/format.hpp"
#include "thud/draw/gif.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {

using svg::Canvas;
using svg::px;
using Spots = std::vector<svg::Point>;

// The colours of the page in its light theme.
constexpr const char *sky = "#fbfaf7", *grid_line = "#e9e5dc", *sand = "#ead2a3", *sand_edge = "#a98245",
                     *wall = "#c5c9cf", *wall_edge = "#6b727c", *edge = "#26323e", *force_tone = "#c8321f",
                     *stress_tone = "#86117a", *trail_tone = "#0b6a7f", *touch_tone = "#b45f06",
                     *dark = "#22262c";
constexpr const char* body_tones[] = {"#5d7389", "#2f8279", "#8460a4", "#a75c4c", "#557f45", "#4067ab"};

constexpr double film_width = 640, least_height = 240, most_height = 640, foot = 30;
constexpr double afterglow = 0.04;  // of the run, in which something that struck is still seen

std::string list(const Spots& points) {
  std::string out;
  for (const svg::Point& p : points)
    out += fmt::format("{}{},{}", out.empty() ? "" : " ", px(p[0]), px(p[1]));
  return out;
}

std::string stroke(const char* tone, double width) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"", tone, px(width));
}

void polygon(Canvas& c, const Spots& points, const std::string& look) {
  c.add(fmt::format("<polygon points=\"{}\" {}/>", list(points), look));
}

void circle(Canvas& c, svg::Point at, double r, const std::string& look) {
  c.add(fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>", px(at[0]), px(at[1]), px(r), look));
}

double round_down(double x) {
  const double power = portable::pow(10, std::floor(portable::log10(x)));
  return (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1) * power;
}

}  // namespace

struct Film::Impl {
  Impl(const Scenario& s, const RunResult& run, const FrameRecorder& frames) : scene(s, run, frames) {
    const film::Box box = scene.view();
    height = std::clamp(film_width * box.height() / box.width(), least_height, most_height);
    scale = std::min(film_width / box.width(), height / box.height());
    offset = {0.5 * (film_width - scale * (box.left + box.right)),
              0.5 * (height - scale * (box.top + box.bottom))};
    find_trail();
    find_longest();
  }

  film::Scene scene;
  double height = 0, scale = 1;
  double longest = 0;  // arrow of the largest force
  svg::Point offset{};
  std::vector<film::Point> trail;

  svg::Point on(film::Point p) const { return {offset[0] + scale * p[0], offset[1] + scale * p[1]}; }

  // ---- what stands still ----

  void draw_grid(Canvas& c) const {
    const double step = round_down(film_width / scale / 8);
    const auto lines = [&](int axis, double length) {
      for (double k = std::ceil(-offset[axis] / scale / step); offset[axis] + scale * step * k < length;
           ++k) {
        const double at = std::round(offset[axis] + scale * step * k) + 0.5;
        if (axis == 0)
          c.line({at, 0}, {at, height}, stroke(grid_line, 1));
        else
          c.line({0, at}, {film_width, at}, stroke(grid_line, 1));
      }
    };
    lines(0, film_width);
    lines(1, height);
  }

  // From a line through the picture down to a depth, in pixels.
  Spots band(const film::Ground& g, double depth) const {
    const double tx = portable::cos(g.slope), ty = portable::sin(g.slope), reach = film_width + height;
    const svg::Point p = on({g.x, g.z});
    const double t = (0.5 * film_width - p[0]) * tx + (0.5 * height - p[1]) * ty;
    const svg::Point at{p[0] + t * tx, p[1] + t * ty};
    const auto corner = [&](double along, double down) {
      return svg::Point{at[0] + along * tx - down * ty, at[1] + along * ty + down * tx};
    };
    return {corner(-reach, 0), corner(reach, 0), corner(reach, depth), corner(-reach, depth)};
  }

  void draw_ground(Canvas& c) const {
    for (const film::Ground& bed : scene.beds) {
      const Spots region = bed_region(bed);
      polygon(c, region, fmt::format("fill=\"{}\"", sand));
      c.line(region[0], region[1], stroke(sand_edge, 1.5));
    }
    for (const film::Ground& w : scene.walls)
      if (w.body < 0) draw_wall(c, w);
    for (const film::Body& b : scene.bodies)
      if (b.is_anchored && b.joint != "slider") draw_anchor(c, on(b.anchor));
  }

  void draw_wall(Canvas& c, const film::Ground& w) const {
    const Spots region = band(w, 8);
    polygon(c, region, fmt::format("fill=\"{}\"", wall));
    c.line(region[0], region[1], stroke(wall_edge, 1.5));
  }

  void draw_riding_walls(Canvas& c, const std::vector<film::Pose>& poses) const {
    for (const film::Ground& w : scene.walls) {
      if (w.body < 0) continue;
      const film::Pose& pose = poses[static_cast<std::size_t>(w.body)];
      const film::Point at = pose.place(w.z, w.x);
      draw_wall(c, {at[0], at[1], w.slope - portable::atan2(pose.sin, pose.cos), 0, -1});
    }
  }

  Spots bed_region(const film::Ground& bed) const {
    return band(bed, bed.depth > 0 ? scale * bed.depth : 2 * (film_width + height));
  }

  static void draw_anchor(Canvas& c, svg::Point p) {
    polygon(c, {p, {p[0] - 9, p[1] - 14}, {p[0] + 9, p[1] - 14}},
            fmt::format("fill=\"{}\" {}", wall, stroke(wall_edge, 1.25)));
    c.line({p[0] - 14, p[1] - 14}, {p[0] + 14, p[1] - 14}, stroke(wall_edge, 1.25));
  }

  // ---- the mechanism ----

  // The tip of the last body.
  void find_trail() {
    std::size_t last = 0;
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      const bool has_child = std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const film::Body& b) {
        return b.parent == static_cast<int>(i);
      });
      if (!has_child) last = i;
    }
    film::Point tip{};
    std::vector<double> shapes;
    for (const film::Line& line : scene.bodies[last].lines)
      for (std::size_t k = 0; k < line.points.size() && !line.closed; ++k)
        if (std::abs(line.points[k][0]) >= std::abs(tip[0]) && line.points[k][0] >= tip[0]) {
          tip = line.points[k];
          shapes = k < line.shapes.size() ? line.shapes[k] : std::vector<double>{};
        }
    for (const double t : scene.time) trail.push_back(scene.poses(t)[last].place(tip[0], tip[1], shapes));
  }

  void draw_trail(Canvas& c, double t) const {
    Spots points;
    for (std::size_t k = 0; k < trail.size() && scene.time[k] <= t; ++k) {
      const svg::Point p = on(trail[k]);
      const bool is_new =
          points.empty() || portable::hypot(p[0] - points.back()[0], p[1] - points.back()[1]) > 1;
      if (is_new) points.push_back(p);
    }
    c.polyline(points, stroke(trail_tone, 1.5) + " stroke-dasharray=\"3 4\"");
  }

  const char* tone_of(std::size_t body) const { return body_tones[body % std::size(body_tones)]; }

  void draw_bodies(Canvas& c, const std::vector<film::Pose>& poses) const {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      for (const film::Line& line : scene.bodies[i].lines) {
        Spots points;
        for (std::size_t k = 0; k < line.points.size(); ++k)
          points.push_back(
              on(poses[i].place(line.points[k][0], line.points[k][1],
                                k < line.shapes.size() ? line.shapes[k] : std::vector<double>{})));
        draw_line(c, points, line, tone_of(i));
      }
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      if (scene.bodies[i].joint == "pin")
        circle(c, on({poses[i].x, poses[i].z}), 3.5, "fill=\"#ffffff\" " + stroke(edge, 1.5));
  }

  void draw_line(Canvas& c, const Spots& points, const film::Line& line, const char* tone) const {
    const std::string round = " stroke-linejoin=\"round\"";
    if (line.closed) {
      polygon(c, points, fmt::format("fill=\"{}\" {}{}", tone, stroke(edge, 1.5), round));
      return;
    }
    const double wide = line.width > 0 ? std::max(scale * line.width, 4.0) : 2;
    c.polyline(points, stroke(edge, wide) + round);
    if (wide >= 4) c.polyline(points, stroke(tone, std::max(wide - 2.5, 1.5)) + round);
  }

  // What is immersed shows through.
  void draw_veils(Canvas& c) const {
    for (const film::Ground& bed : scene.beds)
      polygon(c, bed_region(bed), fmt::format("fill=\"{}\" fill-opacity=\"0.5\"", sand));
  }

  void draw_connectors(Canvas& c, const std::vector<film::Pose>& poses) const {
    const std::string look = stroke(edge, 1.5) + " stroke-linejoin=\"round\"";
    for (const film::Connector& k : scene.connectors) {
      const svg::Point a = on(scene.where(k.from, poses)), b = on(scene.where(k.to, poses));
      const double dx = b[0] - a[0], dy = b[1] - a[1], length = portable::hypot(dx, dy);
      const auto at = [&](double share, double side) {
        return svg::Point{a[0] + share * dx - side * dy / length, a[1] + share * dy + side * dx / length};
      };
      if (k.kind == "loop") {
        circle(c, a, 3.5, "fill=\"#ffffff\" " + stroke(edge, 1.5));
      } else if (!(length > 1)) {
        continue;
      } else if (k.kind == "spring") {
        Spots zigzag{a, at(0.15, 0)};
        for (int turn = 1; turn < 14; ++turn) zigzag.push_back(at(0.15 + 0.05 * turn, turn % 2 ? 6 : -6));
        zigzag.insert(zigzag.end(), {at(0.85, 0), b});
        c.polyline(zigzag, look);
      } else if (k.kind == "rope") {
        const double slack = std::max(0.0, scale * k.length - length),
                     sag = std::sqrt(0.375 * length * slack);
        Spots rope;
        for (int i = 0; i <= 16; ++i)
          rope.push_back({a[0] + dx * i / 16, a[1] + dy * i / 16 + 4 * sag * i / 16 * (16 - i) / 16});
        c.polyline(rope, look);
      } else {  // a damper, or a strut that can be crushed
        const Spots cylinder{at(0.65, 5), at(0.25, 5), at(0.25, -5), at(0.65, -5)};
        if (k.kind == "strut") polygon(c, cylinder, fmt::format("fill=\"{}\"", sand));
        c.polyline(cylinder, look);
        for (const auto& [from, to] : {std::pair{a, at(0.25, 0)}, {at(0.5, 4), at(0.5, -4)}, {at(0.5, 0), b}})
          c.line(from, to, look);
      }
    }
  }

  // ---- what happens ----

  void label(Canvas& c, svg::Point at, const std::string& text, const char* tone) const {
    const double half = 0.5 * svg::text_length(text, 12);
    const double x = std::clamp(at[0], half + 4, film_width - half - 4);
    const double y = std::clamp(at[1], 16.0, height - 8);
    const std::string place = fmt::format(
        "x=\"{}\" y=\"{}\" font-size=\"12\" font-weight=\"600\" text-anchor=\"middle\"", px(x), px(y));
    c.add(fmt::format("<text {} fill=\"none\" {} stroke-linejoin=\"round\">{}</text>", place,
                      stroke(sky, 3.5), svg::escape(text)));
    c.add(fmt::format("<text {} fill=\"{}\">{}</text>", place, tone, svg::escape(text)));
  }

  void draw_impacts(Canvas& c, double t) const {
    const double span = afterglow * scene.end;
    const double most = *std::max_element(scene.impacts.size.begin(), scene.impacts.size.end());
    std::size_t hardest = scene.impacts.size.size();
    for (std::size_t k = 0; k < scene.impacts.size.size(); ++k) {
      const double age = (t - scene.impacts.time[k]) / span;
      if (age < -1e-9 || age > 1) continue;
      const svg::Point at = on({scene.impacts.x[k], scene.impacts.z[k]});
      const double r = 5 + 9 * std::sqrt(scene.impacts.size[k] / most);
      circle(c, at, r * (1 - 0.6 * age),
             fmt::format("fill=\"{}\" fill-opacity=\"{}\"", touch_tone, px(0.7 * (1 - age))));
      for (int ray = 0; ray < 8; ++ray) {
        const double x = portable::cos(0.7854 * ray), y = portable::sin(0.7854 * ray), from = r * (1.1 + age);
        c.line({at[0] + x * from, at[1] + y * from},
               {at[0] + x * (from + 0.4 * r), at[1] + y * (from + 0.4 * r)},
               fmt::format("{} stroke-opacity=\"{}\"", stroke(touch_tone, 2), px(1 - age)));
      }
      if (hardest == scene.impacts.size.size() || scene.impacts.size[k] > scene.impacts.size[hardest])
        hardest = k;
    }
    if (hardest == scene.impacts.size.size()) return;
    const svg::Point at = on({scene.impacts.x[hardest], scene.impacts.z[hardest]});
    // Beside the arrow of a force that goes on there.
    const std::string text = show_quantity(scene.impacts.size[hardest], "N s", {}, 3);
    label(c, {at[0] + 20 + 0.5 * svg::text_length(text, 12), at[1] - 14}, text, touch_tone);
  }

  // A quarter of the picture, or less where arrows of the run would leave it.
  void find_longest() {
    constexpr double rim = 8;
    const double size = std::min(film_width, height);
    longest = 0.26 * size;
    for (const film::Force& f : scene.forces)
      for (std::size_t k = 0; k < f.fx.size(); ++k) {
        const double force = portable::hypot(f.fx[k], f.fz[k]);
        if (!(force >= 0.05 * scene.largest_force) || !(force > 0)) continue;
        const svg::Point p = on({f.x[k], f.z[k]});
        const double ux = f.fx[k] / force, uy = f.fz[k] / force;
        const double across = ux > 0 ? (film_width - rim - p[0]) / ux : ux < 0 ? (rim - p[0]) / ux : HUGE_VAL;
        const double down = uy > 0 ? (height - rim - p[1]) / uy : uy < 0 ? (rim - p[1]) / uy : HUGE_VAL;
        const double room = std::min(across, down);
        if (room > 0) longest = std::min(longest, room * scene.largest_force / force);
      }
    longest = std::max(longest, 0.1 * size);
  }

  void draw_forces(Canvas& c, double t) const {
    if (!(scene.largest_force > 0)) return;
    double most = 0;
    svg::Point tip{};
    for (const film::Force& f : scene.forces) {
      const double fx = scene.at(f.fx, t), fz = scene.at(f.fz, t), size = portable::hypot(fx, fz);
      const double length = longest * size / scene.largest_force;
      if (!(length > 1.5)) continue;
      const svg::Point from = on({scene.at(f.x, t), scene.at(f.z, t)});
      const double ux = fx / size, uy = fz / size, head = std::min(10.0, 0.6 * length);
      const svg::Point to{from[0] + ux * length, from[1] + uy * length};
      const svg::Point neck{to[0] - ux * head, to[1] - uy * head};
      c.line(from, neck, stroke(sky, 5));
      c.line(from, neck, stroke(force_tone, 2.5));
      polygon(c,
              {to,
               {neck[0] - 0.45 * head * uy, neck[1] + 0.45 * head * ux},
               {neck[0] + 0.45 * head * uy, neck[1] - 0.45 * head * ux}},
              fmt::format("fill=\"{}\"", force_tone));
      if (size > most) most = size, tip = {to[0] + 10 * ux, to[1] + 10 * uy + (uy > 0 ? 10 : -2)};
    }
    if (most > 0.25 * scene.largest_force) label(c, tip, show_quantity(most, "N", {}, 3), force_tone);
  }

  // ---- stress along what is immersed: web/src/stress.ts ----

  double longest_stress() const { return 0.16 * std::min(film_width, height); }

  void draw_stress(Canvas& c, double t, const std::vector<film::Pose>& poses) const {
    if (!(scene.largest_stress > 0)) return;
    for (const film::Stress& s : scene.stress) {
      const double from = scene.at(s.from, t), to = scene.at(s.to, t);
      if (!std::isfinite(from + to)) continue;
      const film::Pose& pose = poses[static_cast<std::size_t>(s.body)];
      const film::Point a = pose.place(s.a[0], s.a[1]), b = s.round ? a : pose.place(s.b[0], s.b[1]);
      const double dx = b[0] - a[0], dz = b[1] - a[1], length = portable::hypot(dx, dz);
      const std::size_t n = s.sx.size();
      Spots tips, tails;
      double pushed = 0, all = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double x = std::lerp(from, to, (static_cast<double>(k) + 0.5) / static_cast<double>(n));
        const double sx = scene.at(s.sx[k], t), sz = scene.at(s.sz[k], t), size = portable::hypot(sx, sz);
        film::Point at{a[0] + x * dx, a[1] + x * dz}, across{0, 0};
        if (s.round) {
          across = {portable::sin(x), portable::cos(x)};
          at = {a[0] + s.radius * across[0], a[1] + s.radius * across[1]};
        } else if (length > 0) {
          across = {dz / length, -dx / length};
        }
        const double push = sx * across[0] + sz * across[1];
        const double side = push > 0.2 * size ? -s.half : s.half;  // from which a plate is pushed
        pushed += std::abs(push), all += size;
        tips.push_back(on({at[0] + side * across[0], at[1] + side * across[1]}));
        const double scaled = longest_stress() / scene.largest_stress;
        tails.push_back({tips.back()[0] - scaled * sx, tips.back()[1] - scaled * sz});
      }
      if (n > 2 && pushed > 0.4 * all) {
        Spots area = tails;
        area.insert(area.end(), tips.rbegin(), tips.rend());
        polygon(c, area, fmt::format("fill=\"{}\" fill-opacity=\"0.16\"", stress_tone));
        c.polyline(tails, stroke(stress_tone, 1));
      }
      const double along = n > 1 ? portable::hypot(tips.back()[0] - tips[0][0], tips.back()[1] - tips[0][1])
                                       / static_cast<double>(n - 1)
                                 : HUGE_VAL;
      const std::size_t stride =
          std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(6 / std::max(along, 1e-6))), 1, n);
      for (std::size_t k = (stride - 1) / 2; k < n; k += stride) draw_stress_arrow(c, tails[k], tips[k]);
    }
  }

  static void draw_stress_arrow(Canvas& c, svg::Point tail, svg::Point tip) {
    const double dx = tip[0] - tail[0], dy = tip[1] - tail[1], length = portable::hypot(dx, dy);
    if (!(length > 1.5)) return;
    const double ux = dx / length, uy = dy / length, head = std::min(6.0, 0.6 * length);
    const svg::Point neck{tip[0] - ux * head, tip[1] - uy * head};
    c.line(tail, neck, stroke(stress_tone, 1.4));
    polygon(c,
            {tip,
             {neck[0] - 0.42 * head * uy, neck[1] + 0.42 * head * ux},
             {neck[0] + 0.42 * head * uy, neck[1] - 0.42 * head * ux}},
            fmt::format("fill=\"{}\"", stress_tone));
  }

  /// The sand holds a body whose stress is shown while it moves: then only the resultant is known.
  bool is_held(double t) const {
    return std::any_of(scene.stress.begin(), scene.stress.end(), [&](const film::Stress& s) {
      for (const film::Stress& o : scene.stress)
        if (o.body == s.body && std::isfinite(scene.at(o.from, t))) return false;
      return std::any_of(scene.forces.begin(), scene.forces.end(), [&](const film::Force& f) {
        return f.body == s.body && f.bed == s.bed
            && portable::hypot(scene.at(f.fx, t), scene.at(f.fz, t)) > 0;
      });
    });
  }

  // What a length means, at the top.
  void draw_stress_scale(Canvas& c, double t) const {
    if (!(scene.largest_stress > 0)) return;
    const double value = round_down(scene.largest_stress),
                 wide = longest_stress() * value / scene.largest_stress;
    const std::string text = show_quantity(value, "Pa", {}, 3) + " of stress",
                      note = "at rest: resultant only";
    const bool held = is_held(t);
    const double words = svg::text_length(held ? note : text, 12);
    c.rect({6, 6, 6 + wide + 22 + words, held ? 46.0 : 30.0}, fmt::format("fill=\"{}\"", sky));
    draw_stress_arrow(c, {12, 18}, {12 + wide, 18});
    c.text(20 + wide, 22, text, {.size = 12, .fill = stress_tone});
    if (held) c.text(20 + wide, 38, note, {.size = 12, .fill = stress_tone});
  }

  // ---- below the picture ----

  void draw_foot(Canvas& c, double t, double speed) const {
    const double y = height + foot - 10;
    const double length = round_down(140 / scale), right = 12 + scale * length;
    c.polyline(Spots{{12, y - 5}, {12, y}, {right, y}, {right, y - 5}}, stroke(dark, 1.5));
    c.text(right + 8, y, show_quantity(length, "m", {}, 3), {.size = 12, .fill = dark});
    const ShownUnit unit = suit_unit(scene.end, "s");
    const int decimals =
        std::clamp(2 - static_cast<int>(std::floor(portable::log10(scene.end * unit.factor))), 0, 6);
    std::string text = fmt::format("{:.{}f} {}", t * unit.factor, decimals, TextStyle{}.unit(unit.unit));
    if (speed != 1)
      text += speed < 1 ? fmt::format(", slowed {} times", show_number(1 / speed, 3))
                        : fmt::format(", {} times as fast", show_number(speed, 3));
    if (scene.is_elastic)
      text += scene.magnification == 1 ? ", deflection to scale"
                                       : fmt::format(", deflection × {}", scene.magnification);
    c.text(film_width - 12, y, text, {.size = 12, .anchor = "end", .fill = dark});
  }
};

Film::Film(const Scenario& s, const RunResult& run, const FrameRecorder& frames)
    : impl_(std::make_unique<const Impl>(s, run, frames)) {}
Film::~Film() = default;

double Film::duration() const { return impl_->scene.end; }

double Film::speed() const {
  constexpr double seconds = 5;
  for (const double slow : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000})
    if (1 / slow <= 1.2 * duration() / seconds)
      return duration() > 4 * seconds ? round_down(duration() / seconds) : 1 / slow;
  return 1e-5;
}

std::string Film::frame(double t) const {
  const Impl& f = *impl_;
  Canvas c(film_width, f.height + foot, f.scene.title);
  c.rect({0, 0, film_width, f.height}, fmt::format("fill=\"{}\"", sky));
  c.add(fmt::format(
      "<clipPath id=\"stage\"><rect width=\"{}\" height=\"{}\"/></clipPath><g clip-path=\"url(#stage)\">",
      px(film_width), px(f.height)));
  f.draw_grid(c);
  f.draw_ground(c);
  f.draw_trail(c, t);
  const std::vector<film::Pose> poses = f.scene.poses(t);
  f.draw_riding_walls(c, poses);
  f.draw_bodies(c, poses);
  f.draw_connectors(c, poses);
  f.draw_veils(c);
  f.draw_stress(c, t, poses);
  f.draw_forces(c, t);
  f.draw_stress_scale(c, t);
  if (!f.scene.impacts.size.empty()) f.draw_impacts(c, t);
  c.add("</g>");
  f.draw_foot(c, t, speed());
  return std::move(c).finish();
}

std::string make_gif(const Film& film) {
  constexpr int rate = 20, most_frames = 240, last_stays = 100;
  const SvgRaster raster;
  const double seconds = film.duration() / film.speed();
  const int count = std::clamp(static_cast<int>(std::lround(seconds * rate)), 2, most_frames);
  const auto [width, height] = svg_size(film.frame(0));
  const auto draw = [&, w = width, h = height](double share) {
    return raster.pixels(film.frame(share * film.duration()), w, h, 1);
  };
  std::vector<Pixels> samples;
  for (int k = 0; k < 6; ++k) samples.push_back(draw(k / 5.0));
  GifWriter gif(samples);
  const int delay = std::max(2, static_cast<int>(std::lround(100 * seconds / (count - 1))));
  for (int k = 0; k < count; ++k)
    gif.add(draw(static_cast<double>(k) / (count - 1)), k + 1 == count ? last_stays : delay);
  return std::move(gif).finish();
}

}  // namespace thud
