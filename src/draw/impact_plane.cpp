#include "thud/draw/impact_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "draw/frame.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {

using namespace svg;

constexpr double width = 900, side_width = 232, margin = 18;
constexpr double small_size = 11.5, name_size = 12.5;

const char* corner_words(ImpactCorner corner) {
  switch (corner) {
    case ImpactCorner::start: return "start";
    case ImpactCorner::stick: return "slip ends, stick";
    case ImpactCorner::reversal: return "slip reverses";
    case ImpactCorner::compression: return "greatest compression";
    case ImpactCorner::spent: return "energy given back";
    case ImpactCorner::end: return "end";
  }
  return "";
}

std::string look_of(const std::string& colour, double thickness, const char* dashes = nullptr) {
  std::string look = fmt::format("stroke=\"{}\" stroke-width=\"{}\"", colour, px(thickness));
  if (dashes) look += fmt::format(" stroke-dasharray=\"{}\"", dashes);
  return look;
}

std::string signed_number(double x, int digits = 4) {
  std::string text = show_number(x, digits);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

std::string make_title(const Scenario& s, const ImpactRecord& r, long number, const std::string& given) {
  if (!given.empty()) return given;
  return fmt::format("{}: impact {}, {}", s.title, number, r.result.name);
}

std::string make_subtitle(const Scenario& s, const ImpactRecord& r) {
  const TextStyle style;
  const std::string subject =
      r.contacts.size() <= 4 ? impact_subject(*s.system, r) : fmt::format("{} contacts", r.contacts.size());
  std::string out = fmt::format("{} · t = {} s", subject, show_number(r.time, 7));
  if (r.contacts.size() == 1)
    out += fmt::format(" · {}, e = {}, μ = {}", impact_law_name(r), show_number(r.problem.restitution[0], 4),
                       show_number(r.problem.friction[0], 4));
  else if (r.problem.correlation_at.empty())
    out += fmt::format(" · α = {}", show_number(r.problem.correlation, 4));
  else
    out += " · α of each contact";
  const double lost = r.lost();
  if (std::abs(lost) < 1e-9 * std::max(r.energy_before, r.energy_after)) return out + " · no energy lost";
  out += fmt::format(" · {} {}", show_quantity(std::abs(lost), "J", style, 4), lost < 0 ? "gained" : "lost");
  return out;
}

// Lines with their names, one below the other.
class Legend {
 public:
  Legend(Canvas& canvas, double left, double top) : canvas_(canvas), left_(left), y_(top) {}

  double bottom() const { return y_; }
  void head(std::string_view text) { canvas_.text(left_, y_ += 18, text, {.size = name_size, .bold = true}); }
  void space(double pixels) { y_ += pixels; }
  void entry(const std::string& look, std::string_view name, std::string_view formula = {}) {
    y_ += 20;
    canvas_.line({left_, y_ - 4}, {left_ + 30, y_ - 4}, look);
    canvas_.text(left_ + 40, y_, name, {.size = name_size});
    if (!formula.empty()) canvas_.text(left_ + 40, y_ += 15, formula, {.size = small_size, .fill = faint});
  }
  void row(std::string_view text, std::string_view more) {
    canvas_.text(left_ + 40, y_ += 20, text, {.size = name_size});
    canvas_.text(left_ + 40, y_ += 15, more, {.size = small_size, .fill = faint});
  }
  double left() const { return left_; }

 private:
  Canvas& canvas_;
  double left_, y_;
};

// ---- one contact: the impulse plane --------------------------------------------------------------------------------

// a + b F + c T = 0
struct Line {
  double a, b, c;
};

struct Area {
  double f0, f1, t0, t1;
};

// The part of a line inside an area: its two ends, (F, T).
std::optional<std::array<Point, 2>> cut(const Line& l, const Area& area) {
  std::vector<Point> ends;
  const auto add = [&](double f, double t) {
    const double slack_f = 1e-9 * (area.f1 - area.f0), slack_t = 1e-9 * (area.t1 - area.t0);
    if (!(f >= area.f0 - slack_f && f <= area.f1 + slack_f && t >= area.t0 - slack_t
          && t <= area.t1 + slack_t))
      return;
    for (const Point& p : ends)
      if (std::abs(p[0] - f) <= slack_f && std::abs(p[1] - t) <= slack_t) return;
    ends.push_back({f, t});
  };
  for (const double f : {area.f0, area.f1})
    if (l.c != 0) add(f, -(l.a + l.b * f) / l.c);
  for (const double t : {area.t0, area.t1})
    if (l.b != 0) add(-(l.a + l.c * t) / l.b, t);
  if (ends.size() < 2) return std::nullopt;
  return std::array<Point, 2>{ends[0], ends[1]};
}

class ImpulsePlane {
 public:
  ImpulsePlane(const Scenario& s, const ImpactRecord& r, std::string title)
      : r_(r),
        title_(std::move(title)),
        subtitle_(make_subtitle(s, r)) {
    const ImpactProblem& p = r.problem;
    friction_ = p.friction[0];
    stick_ = {p.velocity[0], p.matrix[1], p.matrix[0]};
    compression_ = {p.velocity[1], p.matrix[3], p.matrix[2]};
    std::vector<double> sizes;
    for (const ImpactPoint& c : r.result.path) {
      path_.push_back({c.impulse[1], c.impulse[0]});
      sizes.insert(sizes.end(), c.impulse.begin(), c.impulse.end());
    }
    unit_ = suit_axis("", "N s", sizes);
  }

  std::string make() const {
    const double top = header_height(width, title_, subtitle_) + 14, height = top + 470;
    Canvas canvas(width, height, title_);
    canvas.header(title_, subtitle_);
    const Area area = find_area();
    FigureAxis x = unit_, y = unit_;
    x.label = "normal impulse F";
    y.label = "tangential impulse T";
    const double k = unit_.factor;
    const PlotFrame frame({margin, top, width - margin - side_width, height - margin}, x, y,
                          {k * area.f0, k * area.f1, false}, {k * area.t0, k * area.t1, false});
    frame.draw_grid(canvas);
    const auto at = [&](Point p) { return frame.at(k * p[0], k * p[1]); };
    const auto draw = [&](const Line& line, const std::string& look) {
      if (const auto ends = cut(line, area)) canvas.line(at((*ends)[0]), at((*ends)[1]), look);
    };
    if (area.t0 < 0 && area.t1 > 0) draw({0, 0, 1}, look_of("#999999", 1));
    if (friction_ > 0) {
      draw({0, -friction_, 1}, look_of(friction_colour(), 1.3, "7 4"));
      draw({0, friction_, 1}, look_of(friction_colour(), 1.3, "7 4"));
    }
    draw(stick_, look_of(stick_colour(), 1.8, "2 3.5"));
    draw(compression_, look_of(compression_colour(), 1.5));
    if (!path_.empty()) draw({-path_.back()[0], 1, 0}, look_of(end_colour(), 1.5, "9 3 2 3"));
    frame.draw_axes(canvas, false);
    draw_path(canvas, at);
    draw_legend(canvas, top);
    return std::move(canvas).finish();
  }

 private:
  static std::string stick_colour() { return distinct(2).hex(); }
  static std::string compression_colour() { return distinct(1).hex(); }
  static std::string friction_colour() { return "#8a8a8a"; }
  static std::string end_colour() { return distinct(3).hex(); }
  static std::string path_colour() { return distinct(0).hex(); }

  Area find_area() const {
    double f = 0, low = 0, high = 0;
    for (const Point& p : path_)
      f = std::max(f, p[0]), low = std::min(low, p[1]), high = std::max(high, p[1]);
    if (!(f > 0)) f = 1;
    f *= 1.16;
    // Both lines of friction are to be seen, and neither may make the way flat.
    const double cone = std::max(std::min(friction_ * f, 2 * std::max(high, -low)), 0.12 * f);
    low = std::min(low, -cone), high = std::max(high, cone);
    const double more = 0.1 * (high - low);
    return {0, f, low - more, high + more};
  }

  template <class At>
  void draw_path(Canvas& canvas, At&& at) const {
    std::vector<Point> points;
    for (const Point& p : path_) points.push_back(at(p));
    canvas.polyline(points,
                    look_of(path_colour(), 3.4) + " stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    std::vector<Point> used;
    for (std::size_t k = 0; k < points.size(); ++k) {
      canvas.add(marker(0, points[k], 10, path_colour()));
      // Above the corner and a little before it, or below where another number is.
      Point label = {points[k][0] + 5, points[k][1] - 11};
      const auto is_near = [&](const Point& o) {
        return portable::hypot(o[0] - label[0], o[1] - label[1]) < 14;
      };
      if (std::any_of(used.begin(), used.end(), is_near)) label = {points[k][0] + 5, points[k][1] + 21};
      if (std::any_of(used.begin(), used.end(), is_near)) label = {points[k][0] + 15, points[k][1] + 5};
      used.push_back(label);
      const std::string number = std::to_string(k + 1);
      canvas.add(
          fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"13\" font-weight=\"600\" fill=\"{}\" "
                      "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
                      px(label[0]), px(label[1]), path_colour(), number));
    }
  }

  void draw_legend(Canvas& canvas, double top) const {
    Legend legend(canvas, width - side_width + 4, top - 4);
    legend.head("Lines");
    legend.entry(look_of(path_colour(), 3.4), "way of the impact");
    legend.entry(look_of(stick_colour(), 1.8, "2 3.5"), "sticking, s = 0");
    legend.entry(look_of(compression_colour(), 1.5), "compression ends, c = 0");
    if (friction_ > 0) legend.entry(look_of(friction_colour(), 1.3, "7 4"), "friction, T = ±μF");
    legend.entry(look_of(end_colour(), 1.5, "9 3 2 3"), "end of the impact");
    legend.space(16);
    legend.head("Corners");
    const TextStyle style;
    for (std::size_t k = 0; k < path_.size(); ++k) {
      const std::vector<double>& v = r_.result.path[k].velocity;
      const double y = legend.bottom() + 20;
      canvas.text(legend.left() + 22, y, std::to_string(k + 1),
                  {.size = 13, .anchor = "end", .fill = path_colour(), .bold = true});
      const double scale = unit_.factor, f = path_[k][0] * scale, t = path_[k][1] * scale;
      std::string more =
          fmt::format("F {}, T {} {}", signed_number(f), signed_number(t), style.unit(unit_.unit));
      legend.row(corner_words(r_.result.path[k].corner), more);
      if (v.size() == 2)
        canvas.text(legend.left() + 40, legend.bottom() + 14,
                    fmt::format("c {}, s {} m/s", rounded(v[1]), rounded(v[0])),
                    {.size = small_size, .fill = faint});
      legend.space(16);
    }
  }

  std::string rounded(double v) const {
    double size = 0;
    for (const double x : r_.problem.velocity) size = std::max(size, std::abs(x));
    return signed_number(std::abs(v) < 1e-9 * size ? 0.0 : v, 3);
  }

  const ImpactRecord& r_;
  std::string title_, subtitle_;
  double friction_ = 0;
  Line stick_{}, compression_{};
  std::vector<Point> path_;  // (F, T)
  FigureAxis unit_;
};

// ---- several contacts: impulses and velocities on the way ----------------------------------------------------------

class ImpactTurns {
 public:
  ImpactTurns(const Scenario& s, const ImpactRecord& r, std::string title)
      : r_(r),
        title_(std::move(title)),
        subtitle_(make_subtitle(s, r)) {
    for (const int k : r.contacts) names_.push_back(s.system->contacts()[k].name);
    // The abscissa: impulse of whoever leads, turn after turn.
    double x = 0;
    const std::vector<ImpactPoint>& path = r.result.path;
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (k > 0) {
        const std::size_t row = 2 * static_cast<std::size_t>(path[k].leader) + 1;
        x += std::abs(path[k].impulse[row] - path[k - 1].impulse[row]);
        if (turns_.empty() || path[k].leader != turns_.back().leader)
          turns_.push_back({path[k].leader, x_.back(), x});
        turns_.back().end = x;
      }
      x_.push_back(x);
    }
  }

  std::string make() const {
    constexpr double panel = 250;
    const double top = header_height(width, title_, subtitle_) + 20, height = top + 2 * panel + 16;
    Canvas canvas(width, height, title_);
    canvas.header(title_, subtitle_);
    const Box upper{margin, top, width - margin - side_width, top + panel};
    const Box lower{margin, top + panel, width - margin - side_width, top + 2 * panel};
    const Panel impulses = make_panel("normal impulse", "N s", true);
    const Panel velocities = make_panel("normal velocity", "m/s", false);
    // Both begin at the same x.
    const double left =
        std::max(frame_of(impulses, upper).box().left, frame_of(velocities, lower).box().left);
    draw_panel(canvas, impulses, upper, left);
    draw_panel(canvas, velocities, lower, left);
    draw_legend(canvas, top);
    return std::move(canvas).finish();
  }

 private:
  struct Turn {
    int leader;
    double begin, end;
  };

  struct Panel {
    FigureAxis x, y;
    std::vector<std::vector<double>> curves;  // per contact
    Range range;
    bool is_first;
  };

  Panel make_panel(const char* label, const char* unit, bool impulses) const {
    Panel p;
    std::vector<double> all;
    p.curves.resize(names_.size());
    for (const ImpactPoint& point : r_.result.path)
      for (std::size_t k = 0; k < names_.size(); ++k) {
        p.curves[k].push_back((impulses ? point.impulse : point.velocity)[2 * k + 1]);
        all.push_back(p.curves[k].back());
      }
    p.y = suit_axis(label, unit, all);
    p.x = suit_axis("impulse of the contact that leads", "N s", x_);
    all.push_back(0);
    p.range = padded(range_of(all, p.y.factor), 0.08);
    p.is_first = impulses;
    return p;
  }

  PlotFrame frame_of(const Panel& p, const Box& box) const {
    return {box, p.x, p.y, range_of(x_, p.x.factor), p.range, 36};
  }

  void draw_panel(Canvas& canvas, const Panel& p, Box box, double left) const {
    box.left += left - frame_of(p, box).box().left;
    const PlotFrame frame = frame_of(p, box);
    const Box& b = frame.box();
    const auto x_of = [&](double x) { return frame.x()(p.x.factor * x); };
    for (std::size_t k = 1; k < turns_.size(); k += 2)
      canvas.rect({x_of(turns_[k].begin), b.top, x_of(turns_[k].end), b.bottom}, "fill=\"#f3f1ec\"");
    frame.draw_grid(canvas);
    for (std::size_t k = 0; k < turns_.size() && p.is_first; ++k)
      if (x_of(turns_[k].end) - x_of(turns_[k].begin) > 14)
        canvas.text((x_of(turns_[k].begin) + x_of(turns_[k].end)) / 2, b.top - 3, std::to_string(k + 1),
                    {.size = small_size, .anchor = "middle", .fill = faint, .bold = true});
    canvas.line({b.left, frame.y()(0)}, {b.right, frame.y()(0)}, look_of("#999999", 1));
    for (std::size_t k = 0; k < names_.size(); ++k) {
      std::vector<Point> points;
      for (std::size_t i = 0; i < x_.size(); ++i)
        points.push_back(frame.at(p.x.factor * x_[i], p.y.factor * p.curves[k][i]));
      canvas.polyline(points, look_of(distinct(k).hex(), 2.2, dashes(k)) + " stroke-linejoin=\"round\"");
      for (std::size_t i = 0; i < points.size() && points.size() <= 40; ++i)
        if (static_cast<std::size_t>(r_.result.path[i].contact) == k || i + 1 == points.size())
          canvas.add(marker(k, points[i], 7, distinct(k).hex()));
    }
    frame.draw_axes(canvas, false);
  }

  const char* dashes(std::size_t k) const {
    static constexpr const char* kinds[] = {nullptr, "8 3", "2 3"};
    return names_.size() > 7 ? kinds[(k / 7) % 3] : nullptr;
  }

  void draw_legend(Canvas& canvas, double top) const {
    Legend legend(canvas, width - side_width + 4, top - 4);
    legend.head("Contacts");
    constexpr std::size_t most = 9;
    const auto more = [&](std::size_t count, double at) {
      canvas.text(legend.left() + 40, at, fmt::format("and {} more", count),
                  {.size = small_size, .fill = faint});
    };
    for (std::size_t k = 0; k < std::min(most, names_.size()); ++k)
      legend.entry(
          look_of(distinct(k).hex(), 2.2, dashes(k)), shorten(names_[k], 26, {}),
          fmt::format("v {} → {} m/s, τ {} N s", rounded(r_.problem.velocity, 2 * k + 1),
                      rounded(r_.result.velocity, 2 * k + 1), rounded(r_.result.impulse, 2 * k + 1)));
    if (names_.size() > most) more(names_.size() - most, legend.bottom() + 18), legend.space(18);
    legend.space(16);
    legend.head("Turns");
    const auto room = static_cast<std::size_t>(std::max(1.0, (canvas.height() - legend.bottom() - 34) / 18));
    for (std::size_t k = 0; k < std::min(room, turns_.size()); ++k) {
      canvas.text(legend.left() + 22, legend.bottom() + 18, std::to_string(k + 1),
                  {.size = name_size, .anchor = "end", .bold = true});
      canvas.text(legend.left() + 40, legend.bottom() + 18,
                  shorten(names_[static_cast<std::size_t>(turns_[k].leader)], 24, {}) + " leads",
                  {.size = name_size});
      legend.space(18);
    }
    if (turns_.size() > room) more(turns_.size() - room, legend.bottom() + 18);
  }

  static std::string rounded(const std::vector<double>& values, std::size_t k) {
    double size = 0;
    for (const double x : values) size = std::max(size, std::abs(x));
    return signed_number(std::abs(values[k]) < 1e-9 * size ? 0.0 : values[k], 3);
  }

  const ImpactRecord& r_;
  std::string title_, subtitle_;
  std::vector<std::string> names_;
  std::vector<double> x_;
  std::vector<Turn> turns_;
};

}  // namespace

std::string impact_subject(const System& system, const ImpactRecord& impact) {
  std::string out;
  for (const int k : impact.contacts) out += (out.empty() ? "" : " + ") + system.contacts()[k].name;
  return out;
}

const char* impact_law_name(const ImpactRecord& impact) {
  if (impact.contacts.size() > 1) return "correlation";
  return impact.problem.own ? "own" : restitution_law_name(impact.problem.law);
}

std::string make_impact_svg(const Scenario& scenario, const ImpactRecord& impact, long number,
                            const std::string& given) {
  const std::string title = make_title(scenario, impact, number, given);
  if (impact.contacts.empty() || impact.result.path.empty()) return empty_figure(width, 300, title, "");
  return impact.contacts.size() == 1 ? ImpulsePlane(scenario, impact, title).make()
                                     : ImpactTurns(scenario, impact, title).make();
}

}  // namespace thud
