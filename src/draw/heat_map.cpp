// Colour maps with contour lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "draw/frame.hpp"
#include "thud/draw/contours.hpp"
#include "thud/draw/figures.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {

using namespace svg;

constexpr double width = 720, height = 500, bar_width = 16, small = 11.5, contour_size = 10;
constexpr int shades = 64;
constexpr std::uint8_t missing_shade = 255;
constexpr double finest = 3;  // cells this small or smaller are not interpolated into [px]

// --- cells ---

/// A strip of cells along an axis: where it begins and ends, and between which nodes it lies.
struct Strip {
  double begin, end;  // as shown
  std::size_t node;   // the one before it
  double share;       // of the way to the next
};

std::vector<Strip> strips_of(const std::vector<double>& nodes, const Scale& scale) {
  if (nodes.size() == 1) return {{scale.low, scale.high, 0, 0}};
  std::vector<Strip> out;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const double pixels = std::abs(scale(nodes[i + 1]) - scale(nodes[i]));
    // An even number: then every strip has one nearest node.
    const int parts = pixels <= finest ? 1 : 2 * static_cast<int>(std::ceil(pixels / 8));
    for (int k = 0; k < parts; ++k)
      out.push_back({std::lerp(nodes[i], nodes[i + 1], static_cast<double>(k) / parts),
                     std::lerp(nodes[i], nodes[i + 1], static_cast<double>(k + 1) / parts), i,
                     (k + 0.5) / parts});
  }
  return out;
}

/// Bilinear between the four nodes around, of those that exist; none where a nearest node is missing.
double value_at(const std::vector<double>& z, std::size_t nx, std::size_t ny, const Strip& x,
                const Strip& y) {
  double sum = 0, weight = 0;
  for (const bool up : {false, true})
    for (const bool right : {false, true}) {
      const double wx = right ? x.share : 1 - x.share, wy = up ? y.share : 1 - y.share;
      const std::size_t i = std::min(x.node + right, nx - 1), j = std::min(y.node + up, ny - 1);
      const double value = z[j * nx + i];
      const bool is_nearest = wx >= 0.5 && wy >= 0.5;
      if (!std::isfinite(value)) {
        if (is_nearest) return std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      sum += wx * wy * value;
      weight += wx * wy;
    }
  return sum / weight;
}

struct Run {
  std::size_t begin, end;  // columns
  std::uint8_t shade;
  bool operator==(const Run&) const = default;
};

std::vector<Run> runs_of(const std::vector<std::uint8_t>& row) {
  std::vector<Run> out;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (!out.empty() && out.back().shade == row[i])
      out.back().end = i + 1;
    else
      out.push_back({i, i + 1, row[i]});
  return out;
}

/// Rectangles of one colour, gathered into one path per colour: runs along a row, and equal runs of rows above each
/// other.
class Tiles {
 public:
  using Colours = Colour (*)(double);
  Tiles(const std::vector<Strip>& columns, const std::vector<Strip>& rows, const PlotFrame& frame,
        Colours colours)
      : columns_(columns),
        rows_(rows),
        frame_(frame),
        colours_(colours),
        path_(256) {}

  void add_row(std::size_t row, const std::vector<std::uint8_t>& shade_of) {
    std::vector<Open> next;
    for (const Run& run : runs_of(shade_of)) {
      const auto same = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.run == run; });
      next.push_back({run, same == open_.end() ? row : same->first_row});
      if (same != open_.end()) open_.erase(same);
    }
    close(row);
    open_ = std::move(next);
  }

  void draw(Canvas& canvas) {
    close(rows_.size());
    canvas.add("<g shape-rendering=\"crispEdges\">");
    for (std::size_t s = 0; s < path_.size(); ++s)
      if (!path_[s].empty())
        canvas.add(fmt::format(
            "<path d=\"{}\" fill=\"{}\"/>", path_[s],
            s == missing_shade ? "url(#missing)" : colours_((static_cast<double>(s) + 0.5) / shades).hex()));
    canvas.add("</g>");
  }

 private:
  struct Open {
    Run run;
    std::size_t first_row;
  };

  // Those that do not go on into this row.
  void close(std::size_t row) {
    const auto tenth = [](double x) { return px(std::round(10 * x) / 10); };
    for (const Open& o : open_)
      path_[o.run.shade] += fmt::format(
          "M{} {}H{}V{}H{}Z", tenth(frame_.x()(columns_[o.run.begin].begin)),
          tenth(frame_.y()(rows_[o.first_row].begin)), tenth(frame_.x()(columns_[o.run.end - 1].end)),
          tenth(frame_.y()(rows_[row - 1].end)), tenth(frame_.x()(columns_[o.run.begin].begin)));
    open_.clear();
  }

  const std::vector<Strip>&columns_, &rows_;
  const PlotFrame& frame_;
  Colours colours_;
  std::vector<Open> open_;
  std::vector<std::string> path_;
};

// --- labels along contours ---

struct Label {
  double from = 0, to = 0;  // arc length that it covers
  Point at{};
  double angle = 0;
};

/// A contour on the page, by its arc length.
class Path {
 public:
  Path(const ContourLine& line, const PlotFrame& frame) {
    for (const Point& p : line.points) points_.push_back(frame.at(p[0], p[1]));
    for (std::size_t k = 0; k < points_.size(); ++k)
      arc_.push_back(k == 0 ? 0 : arc_[k - 1] + distance(points_[k - 1], points_[k]));
  }
  static double distance(Point a, Point b) { return portable::hypot(a[0] - b[0], a[1] - b[1]); }

  double length() const { return arc_.back(); }
  Point at(double s) const {
    const auto above = std::lower_bound(arc_.begin() + 1, arc_.end() - 1, s);
    const auto k = static_cast<std::size_t>(above - arc_.begin());
    const double piece = arc_[k] - arc_[k - 1],
                 u = piece > 0 ? std::clamp((s - arc_[k - 1]) / piece, 0.0, 1.0) : 0;
    return {std::lerp(points_[k - 1][0], points_[k][0], u), std::lerp(points_[k - 1][1], points_[k][1], u)};
  }
  std::vector<Point> part(double from, double to) const {
    std::vector<Point> out{at(from)};
    for (std::size_t k = 0; k < points_.size(); ++k)
      if (arc_[k] > from && arc_[k] < to) out.push_back(points_[k]);
    out.push_back(at(to));
    return out;
  }

 private:
  std::vector<Point> points_;
  std::vector<double> arc_;
};

/// Finds room for labels: on the straightest piece of a contour, inside the frame and apart from other labels.
class Labeller {
 public:
  explicit Labeller(const Box& frame) : frame_(frame) {}

  bool place(const Path& path, double label_length, Label& best) {
    const double half = label_length / 2 + 3;
    if (path.length() < 5 * half) return false;
    double best_score = 0.92;  // chord over arc, less what speaks against the place
    bool found = false;
    constexpr int tries = 48;
    for (int k = 1; k < tries; ++k) {
      const double s = path.length() * k / tries;
      if (s < 1.5 * half || s > path.length() - 1.5 * half) continue;
      const Point a = path.at(s - half), b = path.at(s + half), m = path.at(s);
      const double score = Path::distance(a, b) / (2 * half) - 0.06 * std::abs(2.0 * k / tries - 1);
      if (score <= best_score || !is_free(m, half)) continue;
      best_score = score;
      double angle = portable::atan2(b[1] - a[1], b[0] - a[0]) * 180 / M_PI;
      // Upright; what is nearly vertical reads upwards everywhere.
      if (angle > 80) angle -= 180;
      if (angle <= -100) angle += 180;
      best = {s - half, s + half, m, angle};
      found = true;
    }
    if (found) taken_.push_back({best.at, half});
    return found;
  }

 private:
  struct Taken {
    Point at;
    double half;
  };

  bool is_free(Point at, double half) const {
    const double room = half + 4;
    if (at[0] < frame_.left + room || at[0] > frame_.right - room || at[1] < frame_.top + room
        || at[1] > frame_.bottom - room)
      return false;
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Taken& t) { return Path::distance(t.at, at) < t.half + half + 6; });
  }

  Box frame_;
  std::vector<Taken> taken_;
};

// --- the map ---

// Round, and enough of them to show the shape.
std::vector<double> levels_in(const Range& z) {
  if (z.is_empty) return {};
  std::vector<double> levels;
  for (int wanted = 8; wanted <= 16 && levels.size() < 6; wanted += 2)
    levels = ticks_in(z.low, z.high, wanted);
  return levels;
}

Range about_zero(Range r) {
  const double most = std::max(std::abs(r.low), std::abs(r.high));
  return {-most, most, r.is_empty};
}

class Map {
 public:
  explicit Map(const HeatMap& map)
      : map_(map),
        x_(scaled(map.x_values, map.x.factor)),
        y_(scaled(map.y_values, map.y.factor)),
        z_(scaled(map.z_values, map.z.factor)),
        colours_(map.diverging ? blue_to_red : viridis),
        z_range_(map.diverging ? about_zero(range_of(z_, 1)) : range_of(z_, 1)),
        levels_(levels_in(z_range_)),
        texts_(tick_texts(levels_)),
        has_missing_(std::any_of(z_.begin(), z_.end(), [](double z) { return !std::isfinite(z); })),
        frame_(outer_box(), map.x, map.y, range_of(x_, 1), range_of(y_, 1)) {}

  std::string make() {
    Canvas canvas(width, height, map_.title);
    canvas.header(map_.title, map_.subtitle);
    if (has_missing_) define_hatching(canvas);
    draw_cells(canvas);
    if (map_.contours) draw_contours(canvas);
    frame_.draw_axes(canvas, true);
    if (!z_range_.is_empty) draw_colour_bar(canvas);
    if (has_missing_) draw_missing_key(canvas);
    return std::move(canvas).finish();
  }

 private:
  Box outer_box() const {
    const double right = 18 + bar_width + 8 + longest(texts_, small) + 8 + 14 + 12;
    return {14, header_height(width, map_.title, map_.subtitle) + 14, width - right, height - 8};
  }

  std::uint8_t shade(double z) const {
    if (!std::isfinite(z)) return missing_shade;
    const double t = (z - z_range_.low) / (z_range_.high - z_range_.low);
    return static_cast<std::uint8_t>(std::clamp(static_cast<int>(t * shades), 0, shades - 1));
  }

  static void define_hatching(Canvas& canvas) {
    canvas.add(
        "<defs><pattern id=\"missing\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#e6e6e6\"/><rect "
        "width=\"1.4\" "
        "height=\"6\" fill=\"#9a9a9a\"/></pattern></defs>");
  }

  void draw_cells(Canvas& canvas) const {
    const std::vector<Strip> columns = strips_of(x_, frame_.x()), rows = strips_of(y_, frame_.y());
    Tiles tiles(columns, rows, frame_, colours_);
    std::vector<std::uint8_t> row(columns.size());
    for (std::size_t j = 0; j < rows.size(); ++j) {
      for (std::size_t i = 0; i < columns.size(); ++i)
        row[i] = shade(value_at(z_, x_.size(), y_.size(), columns[i], rows[j]));
      tiles.add_row(j, row);
    }
    tiles.draw(canvas);
  }

  void draw_contours(Canvas& canvas) const {
    Labeller labeller(frame_.box());
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const double t = (levels_[k] - z_range_.low) / (z_range_.high - z_range_.low);
      const std::string colour = colours_(t).lightness() < 0.3 ? "#ffffff" : ink;
      const std::string look = fmt::format(
          "stroke=\"{}\" stroke-width=\"1\" stroke-linejoin=\"round\" stroke-opacity=\"0.85\"", colour);
      for (const ContourLine& line : contour_lines(x_, y_, z_, levels_[k])) {
        const Path path(line, frame_);
        Label label;
        if (!labeller.place(path, text_length(texts_[k], contour_size), label)) {
          canvas.polyline(path.part(0, path.length()), look);
          continue;
        }
        canvas.polyline(path.part(0, label.from), look);
        canvas.polyline(path.part(label.to, path.length()), look);
        // The middle of the letters on the line, also when it is steep.
        const double down = 0.36 * contour_size, turn = label.angle * M_PI / 180;
        canvas.text(label.at[0] - down * portable::sin(turn), label.at[1] + down * portable::cos(turn),
                    texts_[k],
                    {.size = contour_size, .anchor = "middle", .fill = colour, .angle = label.angle});
      }
    }
  }

  double bar_left() const { return frame_.box().right + 18; }

  void draw_colour_bar(Canvas& canvas) const {
    const Box bar{bar_left(), frame_.box().top, bar_left() + bar_width,
                  frame_.box().bottom - (has_missing_ ? 32 : 0)};
    std::string stops;
    for (int k = 0; k <= 8; ++k)
      stops += fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>", k / 8.0, colours_(k / 8.0).hex());
    canvas.add(fmt::format(
        "<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">{}</linearGradient></defs>",
        stops));
    canvas.rect(bar, fmt::format("fill=\"url(#scale)\" stroke=\"{}\" stroke-width=\"1\"", ink));
    const Scale scale{z_range_.low, z_range_.high, bar.bottom, bar.top};
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      const double y = scale(levels_[k]);
      canvas.line({bar.right, y}, {bar.right + 4, y}, fmt::format("stroke=\"{}\" stroke-width=\"1\"", ink));
      canvas.text(bar.right + 7, y + 0.36 * small, texts_[k], {.size = small});
    }
    canvas.text(bar.right + 7 + longest(texts_, small) + 8 + 11, (bar.top + bar.bottom) / 2,
                with_unit(map_.z.label, map_.z.unit), {.size = 12.5, .anchor = "middle", .angle = -90});
  }

  void draw_missing_key(Canvas& canvas) const {
    const double bottom = frame_.box().bottom;
    canvas.rect({bar_left(), bottom - 13, bar_left() + bar_width, bottom},
                fmt::format("fill=\"url(#missing)\" stroke=\"{}\" stroke-width=\"1\"", ink));
    const double room = width - bar_left() - bar_width - 10;
    std::string text = map_.missing;
    const bool fits = text_length(text, 10.5) <= room;
    canvas.text(fits ? bar_left() + bar_width + 5 : width - 6, fits ? bottom - 3 : bottom + 12, text,
                {.size = 10.5, .anchor = fits ? "start" : "end"});
  }

  const HeatMap& map_;
  std::vector<double> x_, y_, z_;
  Tiles::Colours colours_;
  Range z_range_;
  std::vector<double> levels_;
  std::vector<std::string> texts_;
  bool has_missing_;
  PlotFrame frame_;
};

}  // namespace

std::string map_row(const MapRow& row) {
  const double top = header_height(width, row.title, row.subtitle) + 6;
  Canvas canvas(width * static_cast<double>(row.maps.size()), top + height, row.title);
  canvas.header(row.title, row.subtitle);
  for (std::size_t k = 0; k < row.maps.size(); ++k)
    canvas.add(fmt::format("<g transform=\"translate({} {})\">{}</g>", px(width * static_cast<double>(k)),
                           px(top), heat_map(row.maps[k])));
  return std::move(canvas).finish();
}

std::string heat_map(const HeatMap& map) {
  if (map.z_values.size() != map.x_values.size() * map.y_values.size())
    throw std::invalid_argument("heat_map: z does not fit x and y");
  if (map.z_values.empty()) return empty_figure(width, height, map.title, map.subtitle);
  return Map(map).make();
}

}  // namespace thud
