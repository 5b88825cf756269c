// Families of curves, and scattered points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "draw/frame.hpp"
#include "thud/draw/figures.hpp"

namespace thud {

namespace {

using namespace svg;

constexpr double width = 720, height = 480, name_size = 11.5, line_height = 14;
constexpr std::size_t few_points = 25;
constexpr std::size_t many_curves = 12;  // more are told apart by their colours alone

void check_sizes(std::span<const double> x, std::span<const double> y, const char* who) {
  if (x.size() != y.size()) throw std::invalid_argument(std::string(who) + ": x and y differ in size");
}

const char* dashes(std::size_t k) {
  static const char* patterns[] = {"", "7 3", "2 2.5", "9 3 2 3", "12 4", "5 2 1.5 2 1.5 2"};
  return patterns[k % std::size(patterns)];
}

// --- curves ---

class Family {
 public:
  explicit Family(const CurveFamily& family) : family_(family), frame_(make_frame()) {}

  std::string make() {
    Canvas canvas(width, height, family_.title);
    canvas.header(family_.title, family_.subtitle);
    frame_.draw_grid(canvas);
    for (std::size_t k = 0; k < family_.curves.size(); ++k) draw(canvas, k);
    frame_.draw_axes(canvas, false);
    draw_names(canvas);
    draw_points_name(canvas);
    return std::move(canvas).finish();
  }

 private:
  PlotFrame make_frame() const {
    Range x{}, y{};
    double names =
        std::max(text_length(family_.by, name_size), text_length(family_.points_name, name_size) - 20);
    for (const FigureCurve& c : family_.curves) {
      x = united(united(x, range_of(c.x, family_.x.factor)), range_of(c.point_x, family_.x.factor));
      y = united(united(y, range_of(c.y, family_.y.factor)), range_of(c.point_y, family_.y.factor));
      names = std::max(names, text_length(c.name, name_size));
    }
    const double top = header_height(width, family_.title, family_.subtitle) + (family_.by.empty() ? 24 : 30);
    const Box outer{14, top, width - std::min(names, 220.0) - 58, height - 8};
    return {outer, family_.x, family_.y, x, padded(y, 0.04)};
  }

  std::string colour(std::size_t k) const {
    const double n = static_cast<double>(family_.curves.size());
    // The lightest colours do not show on white.
    return family_.ordered ? viridis(n > 1 ? 0.86 * static_cast<double>(k) / (n - 1) : 0.3).hex()
                           : distinct(k).hex();
  }

  bool is_crowd() const { return family_.curves.size() > many_curves; }

  std::string look(std::size_t k) const {
    const std::string dash = is_crowd() ? "" : dashes(k);
    return fmt::format("stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}", colour(k),
                       is_crowd() ? 1.3 : 1.7,
                       dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
  }

  bool has_markers(const FigureCurve& c) const { return c.x.size() <= few_points && !is_crowd(); }

  // Pieces between missing values.
  std::vector<std::vector<Point>> pieces(const FigureCurve& c) const {
    std::vector<std::vector<Point>> out(1);
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      const Point p = frame_.at(c.x[i] * family_.x.factor, c.y[i] * family_.y.factor);
      if (std::isfinite(p[0]) && std::isfinite(p[1]))
        out.back().push_back(p);
      else if (!out.back().empty())
        out.emplace_back();
    }
    return out;
  }

  void draw(Canvas& canvas, std::size_t k) const {
    const FigureCurve& c = family_.curves[k];
    for (const std::vector<Point>& piece : pieces(c)) {
      canvas.polyline(piece, look(k));
      for (const Point& p : piece)
        if (has_markers(c) || piece.size() == 1) canvas.add(marker(k, p, 7, colour(k)));
    }
    for (std::size_t i = 0; i < c.point_x.size(); ++i)
      canvas.add(marker(k, frame_.at(c.point_x[i] * family_.x.factor, c.point_y[i] * family_.y.factor), 8,
                        colour(k)));
  }

  void draw_points_name(Canvas& canvas) const {
    if (family_.points_name.empty()) return;
    const double x = frame_.box().right + 12, y = frame_.box().bottom + 6;
    canvas.add(marker(0, {x + 4, y - 4}, 8, faint));
    canvas.text(x + 14, y, family_.points_name, {.size = name_size});
  }

  /// A name at the right, as near to the end of its curve as its neighbours let it.
  struct Name {
    std::size_t curve;
    Point end;
    double y;
  };

  std::vector<Name> names() const {
    std::vector<Name> out;
    for (std::size_t k = 0; k < family_.curves.size(); ++k) {
      std::vector<Point> all;
      for (const auto& piece : pieces(family_.curves[k])) all.insert(all.end(), piece.begin(), piece.end());
      if (all.empty()) continue;
      const Point end =
          *std::max_element(all.begin(), all.end(), [](Point a, Point b) { return a[0] < b[0]; });
      out.push_back({k, end, end[1]});
    }
    if (is_crowd()) thin_out(out);
    std::stable_sort(out.begin(), out.end(), [](const Name& a, const Name& b) { return a.y < b.y; });
    spread(out);
    return out;
  }

  // Of a crowd a few are named, the first and the last among them.
  static void thin_out(std::vector<Name>& names) {
    constexpr std::size_t wanted = 9;
    if (names.size() <= wanted) return;
    std::vector<Name> kept;
    for (std::size_t k = 0; k < wanted; ++k)
      kept.push_back(names[(k * (names.size() - 1) + (wanted - 1) / 2) / (wanted - 1)]);
    names = std::move(kept);
  }

  // Groups of names that touch are laid out around the mean of their ends.
  void spread(std::vector<Name>& names) const {
    struct Group {
      std::size_t first, count;
      double middle;
      double half() const { return 0.5 * line_height * static_cast<double>(count); }
    };
    const double top = frame_.box().top, bottom = frame_.box().bottom;
    std::vector<Group> groups;
    for (std::size_t k = 0; k < names.size(); ++k) {
      groups.push_back({k, 1, names[k].y});
      for (bool again = true; again;) {
        Group& g = groups.back();
        g.middle =
            std::clamp(g.middle, top + g.half() - 6, std::max(top + g.half() - 6, bottom - g.half() + 6));
        again = groups.size() > 1
             && groups[groups.size() - 2].middle + groups[groups.size() - 2].half() > g.middle - g.half();
        if (!again) break;
        Group& before = groups[groups.size() - 2];
        const double n = static_cast<double>(before.count), m = static_cast<double>(g.count);
        before.middle = (before.middle * n + g.middle * m) / (n + m);
        before.count += g.count;
        groups.pop_back();
      }
    }
    for (const Group& g : groups)
      for (std::size_t i = 0; i < g.count; ++i)
        names[g.first + i].y = g.middle - g.half() + line_height * (static_cast<double>(i) + 0.5);
  }

  void draw_names(Canvas& canvas) const {
    const double right = frame_.box().right, left = right + 40;
    if (!family_.by.empty())
      canvas.text(right + 12, frame_.box().top - 14, family_.by, {.size = name_size, .bold = true});
    for (const Name& n : names()) {
      const FigureCurve& c = family_.curves[n.curve];
      const Point bend{right + 12, n.y};
      canvas.line({std::min(n.end[0] + 5, right), n.end[1]}, bend,
                  fmt::format("stroke=\"{}\" stroke-width=\"0.6\" stroke-opacity=\"0.6\"", colour(n.curve)));
      canvas.line(bend, {left - 4, n.y}, look(n.curve));
      if (has_markers(c)) canvas.add(marker(n.curve, {(bend[0] + left - 4) / 2, n.y}, 7, colour(n.curve)));
      canvas.text(left, n.y + 0.36 * name_size, c.name, {.size = name_size});
    }
  }

  const CurveFamily& family_;
  PlotFrame frame_;
};

// --- points ---

class Points {
 public:
  explicit Points(const Scatter& s) : scatter_(s), frame_(make_frame()) {}

  std::string make() {
    Canvas canvas(width, height, scatter_.title);
    canvas.header(scatter_.title, scatter_.subtitle);
    frame_.draw_grid(canvas);
    if (scatter_.zero_line)
      canvas.line({frame_.box().left, frame_.y()(0)}, {frame_.box().right, frame_.y()(0)},
                  fmt::format("stroke=\"{}\" stroke-width=\"1\"", faint));
    for (std::size_t k = 0; k < scatter_.series.size(); ++k) draw(canvas, k);
    if (scatter_.mean_line)
      for (std::size_t k = 0; k < scatter_.series.size(); ++k) draw_mean(canvas, k);
    frame_.draw_axes(canvas, false);
    draw_legend(canvas);
    return std::move(canvas).finish();
  }

 private:
  PlotFrame make_frame() const {
    Range x{}, y{};
    for (const ScatterSeries& s : scatter_.series) {
      x = united(x, range_of(s.x, scatter_.x.factor));
      y = united(y, range_of(s.y, scatter_.y.factor));
    }
    if (scatter_.zero_line) y = united(y, {0, 0, false});
    const double legend = has_legend() ? 20 : 0;
    const double top = header_height(width, scatter_.title, scatter_.subtitle) + 14 + legend;
    return {{14, top, width - 24, height - 8}, scatter_.x, scatter_.y, padded(x, 0.02), padded(y, 0.04)};
  }

  bool has_legend() const { return scatter_.series.size() > 1 || scatter_.mean_line; }
  static std::string colour(std::size_t k) { return distinct(k).hex(); }

  std::vector<Point> finite_points(const ScatterSeries& s) const {
    std::vector<Point> out;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      const Point p{s.x[i] * scatter_.x.factor, s.y[i] * scatter_.y.factor};
      if (std::isfinite(p[0]) && std::isfinite(p[1])) out.push_back(p);
    }
    return out;
  }

  // Few points are markers. Many are dots, in several paths: what overlaps within one path does not get darker.
  void draw(Canvas& canvas, std::size_t k) const {
    const std::vector<Point> points = finite_points(scatter_.series[k]);
    if (points.size() <= 300) {
      for (const Point& p : points) canvas.add(marker(k, frame_.at(p[0], p[1]), 6.5, colour(k)));
      return;
    }
    const double size = points.size() <= 2000 ? 3.5 : 2.4;
    const std::size_t paths = 1 + points.size() / 60;
    for (std::size_t j = 0; j < paths; ++j) {
      std::string d;
      for (std::size_t i = j; i < points.size(); i += paths) {
        const Point p = frame_.at(points[i][0], points[i][1]);
        d += fmt::format("M{0:.1f} {1:.1f}H{0:.1f}", p[0], p[1]);
      }
      canvas.add(
          fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-opacity=\"0.45\" stroke-width=\"{}\" "
                      "stroke-linecap=\"round\" fill=\"none\"/>",
                      d, colour(k), px(size)));
    }
  }

  // Means over parts with equally many points.
  void draw_mean(Canvas& canvas, std::size_t k) const {
    std::vector<Point> points = finite_points(scatter_.series[k]);
    if (points.size() < 8) return;
    std::stable_sort(points.begin(), points.end(), [](Point a, Point b) { return a[0] < b[0]; });
    const std::size_t parts = std::clamp<std::size_t>(points.size() / 25, 4, 24);
    std::vector<Point> line;
    for (std::size_t j = 0; j < parts; ++j) {
      const std::size_t from = j * points.size() / parts, to = (j + 1) * points.size() / parts;
      Point sum{};
      for (std::size_t i = from; i < to; ++i) sum = {sum[0] + points[i][0], sum[1] + points[i][1]};
      const double n = static_cast<double>(to - from);
      line.push_back(frame_.at(sum[0] / n, sum[1] / n));
    }
    canvas.polyline(line, "stroke=\"#ffffff\" stroke-width=\"5\" stroke-linejoin=\"round\"");
    canvas.polyline(
        line, fmt::format("stroke=\"{}\" stroke-width=\"2.2\" stroke-linejoin=\"round\"", mean_colour(k)));
  }
  std::string mean_colour(std::size_t k) const {
    return scatter_.series.size() == 1 ? distinct(1).hex() : colour(k);
  }

  void draw_legend(Canvas& canvas) const {
    if (!has_legend()) return;
    const double y = frame_.box().top - 14;
    double x = frame_.box().left + 4;
    for (std::size_t k = 0; k < scatter_.series.size(); ++k) {
      if (scatter_.series[k].name.empty()) continue;
      canvas.add(marker(k, {x, y - 4}, 7, colour(k)));
      canvas.text(x + 9, y, scatter_.series[k].name, {.size = name_size});
      x += 9 + text_length(scatter_.series[k].name, name_size) + 22;
    }
    if (!scatter_.mean_line) return;
    canvas.line({x, y - 4}, {x + 20, y - 4},
                fmt::format("stroke=\"{}\" stroke-width=\"2.2\"",
                            scatter_.series.size() == 1 ? mean_colour(0) : std::string(faint)));
    canvas.text(x + 26, y, "mean", {.size = name_size});
  }

  const Scatter& scatter_;
  PlotFrame frame_;
};

}  // namespace

std::string curve_family(const CurveFamily& family) {
  bool has_any = false;
  for (const FigureCurve& c : family.curves) {
    check_sizes(c.x, c.y, "curve_family");
    check_sizes(c.point_x, c.point_y, "curve_family");
    has_any = has_any || !(range_of(c.x, 1).is_empty || range_of(c.y, 1).is_empty);
  }
  if (!has_any) return empty_figure(width, height, family.title, family.subtitle);
  return Family(family).make();
}

std::string scatter(const Scatter& scatter) {
  bool has_any = false;
  for (const ScatterSeries& s : scatter.series) {
    check_sizes(s.x, s.y, "scatter");
    has_any = has_any || !(range_of(s.x, 1).is_empty || range_of(s.y, 1).is_empty);
  }
  if (!has_any) return empty_figure(width, height, scatter.title, scatter.subtitle);
  return Points(scatter).make();
}

}  // namespace thud
