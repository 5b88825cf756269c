// Panels of curves against time, below poses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "draw/frame.hpp"
#include "draw/pose_strip.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {

using namespace svg;

constexpr double width = 720, margin = 18, key_size = 11.5, key_line = 19, sample_width = 30;
constexpr double panel_gap = 14, least_high = 212, most_high = 330, mark_size = 11, mark_line = 13;
constexpr double y_tick_distance = 38;
constexpr std::size_t many_curves = 6;
constexpr const char* held_fill = "#f6dcc0";

const char* dashes(std::size_t k) {
  static const char* patterns[] = {"", "8 3.5", "2.2 2.4", "10 3 2 3", "14 4", "5 2 1.5 2 1.5 2"};
  return patterns[k % std::size(patterns)];
}

// Without the points that a line between their neighbours passes within `tolerance` pixels (Douglas & Peucker 1973).
std::vector<Point> simplified(const std::vector<Point>& all, double tolerance) {
  if (all.size() < 3) return all;
  std::vector<bool> keep(all.size(), false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> todo{{0, all.size() - 1}};
  while (!todo.empty()) {
    const auto [a, b] = todo.back();
    todo.pop_back();
    const double dx = all[b][0] - all[a][0], dy = all[b][1] - all[a][1], length = portable::hypot(dx, dy);
    double most = tolerance;
    std::size_t at = a;
    for (std::size_t i = a + 1; i < b; ++i) {
      const double x = all[i][0] - all[a][0], y = all[i][1] - all[a][1];
      const double off = length > 0 ? std::abs(x * dy - y * dx) / length : portable::hypot(x, y);
      if (off > most) most = off, at = i;
    }
    if (at == a) continue;
    keep[at] = true;
    todo.emplace_back(a, at);
    todo.emplace_back(at, b);
  }
  std::vector<Point> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (keep[i]) out.push_back(all[i]);
  return out;
}

void check_sizes(const TimeFigure& figure) {
  for (const TimePanel& p : figure.panels) {
    for (const TimeCurve& c : p.curves)
      if (c.time.size() != c.value.size())
        throw std::invalid_argument("time_figure: time and value differ in size");
    if (!figure.names.empty() && p.curves.size() != figure.names.size())
      throw std::invalid_argument("time_figure: not as many curves as names");
    for (const TimePoint& q : p.points)
      if (q.curve >= p.curves.size()) throw std::invalid_argument("time_figure: a point of no curve");
  }
}

class Sheet {
 public:
  explicit Sheet(const TimeFigure& figure) : figure_(figure) {
    // Beside one another only the curves differ, and names are short: the header has the full width.
    double y = header_height(width, figure.title, figure.subtitle) + 12;
    if (!figure.strip.is_empty()) {
      strip_.emplace(figure.strip, margin, y, width - 2 * margin);
      y += strip_->height() + 10;
    }
    make_key(y);
    place_panels(y);
    place_note(y);
    height_ = y;
  }

  std::string make() {
    Canvas canvas(width, height_, figure_.title);
    canvas.header(figure_.title, figure_.subtitle);
    if (strip_) strip_->draw(canvas);
    draw_key(canvas);
    for (std::size_t i = 0; i < frames_.size(); ++i) draw_panel(canvas, i);
    draw_marks(canvas);
    double y = note_top_;
    for (const std::string& line : note_)
      canvas.text(margin, y += 15, line, {.size = key_size, .fill = faint});
    return std::move(canvas).finish();
  }

 private:
  // ---- curves ----

  std::size_t curve_count() const {
    return figure_.panels.empty() ? 0 : figure_.panels.front().curves.size();
  }
  std::string colour(std::size_t k) const {
    const auto n = static_cast<double>(curve_count());
    return curve_count() <= many_curves ? distinct(k).hex()
                                        : viridis(0.86 * static_cast<double>(k) / (n - 1)).hex();
  }
  std::string look(std::size_t k) const {
    const std::string dash = dashes(k);
    return fmt::format("stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{}", colour(k),
                       dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
  }
  std::string band(std::size_t k) const {
    return fmt::format("stroke=\"{}\" stroke-width=\"7\" stroke-opacity=\"0.25\" stroke-linejoin=\"round\"",
                       colour(k));
  }

  // ---- key ----

  struct KeyEntry {
    enum class Kind : std::uint8_t { heading, curve, held, band, points } kind;
    std::size_t curve;
    std::string text;
    double x, y;
  };

  static double sample_of(const KeyEntry& e) {
    return e.kind == KeyEntry::Kind::heading ? 0 : e.kind == KeyEntry::Kind::points ? 15 : sample_width + 6;
  }

  void make_key(double& y) {
    using Kind = KeyEntry::Kind;
    bool has_points = false, has_bands = false;
    for (const TimePanel& p : figure_.panels) {
      has_points = has_points || !p.points.empty();
      for (const TimeCurve& c : p.curves) has_bands = has_bands || !c.held.empty();
    }
    if (!figure_.by.empty() && !figure_.names.empty()) key_.push_back({Kind::heading, 0, figure_.by, 0, 0});
    for (std::size_t k = 0; k < figure_.names.size(); ++k)
      key_.push_back({Kind::curve, k, figure_.names[k], 0, 0});
    if (!figure_.held.empty()) key_.push_back({Kind::held, 0, figure_.held_name, 0, 0});
    if (has_bands) key_.push_back({Kind::band, 0, figure_.held_name, 0, 0});
    if (has_points) key_.push_back({Kind::points, 0, figure_.points_name, 0, 0});
    double x = margin;
    for (KeyEntry& e : key_) {
      const double bold =
          e.kind == Kind::heading ? 1.25 : 1;  // bold letters are wider, whatever font is there
      const double length = bold * text_length(e.text, key_size) + sample_of(e);
      if (x > margin && x + length > width - margin) x = margin, y += key_line;
      e.x = x, e.y = y + 10;
      x += length + 14;
    }
    if (!key_.empty()) y += key_line + 2;
  }

  void draw_key(Canvas& canvas) const {
    using Kind = KeyEntry::Kind;
    for (const KeyEntry& e : key_) {
      const double middle = e.y - 0.36 * key_size, text = e.x + sample_of(e);
      const Point from{e.x, middle}, to{e.x + sample_width, middle};
      switch (e.kind) {
        case Kind::heading: break;
        case Kind::curve: canvas.line(from, to, look(e.curve)); break;
        case Kind::held:
          canvas.rect({e.x, middle - 5.5, e.x + sample_width, middle + 5.5},
                      fmt::format("fill=\"{}\"", held_fill));
          break;
        case Kind::band:
          canvas.line(from, to,
                      fmt::format("stroke=\"{}\" stroke-width=\"7\" stroke-opacity=\"0.35\"", faint));
          break;
        case Kind::points: canvas.add(ring({e.x + 5, middle}, faint)); break;
      }
      canvas.text(text, e.y, e.text, {.size = key_size, .bold = e.kind == Kind::heading});
    }
  }

  static std::string ring(Point at, const std::string& stroke) {
    return fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"#ffffff\" fill-opacity=\"0.6\" stroke=\"{}\" "
        "stroke-width=\"1.4\"/>",
        px(at[0]), px(at[1]), stroke);
  }

  // ---- panels ----

  void make_axes() {
    std::vector<double> times;
    for (const TimePanel& p : figure_.panels) {
      std::vector<double> values;
      for (const TimeCurve& c : p.curves) {
        values.insert(values.end(), c.value.begin(), c.value.end());
        times.insert(times.end(), c.time.begin(), c.time.end());
      }
      for (const TimePoint& q : p.points) values.push_back(q.value);
      constexpr std::size_t most_letters = 40;  // as many as a high panel has room for
      y_axis_.push_back(suit_axis(shorten(p.label, most_letters, {}), p.unit, values));
      y_range_.push_back(padded(range_of(values, y_axis_.back().factor), 0.05));
    }
    time_ = suit_axis("time", "s", times);
    time_range_ = range_of(times, time_.factor);
    time_range_.high += 0.015 * (time_range_.high - time_range_.low);
  }

  void place_panels(double& y) {
    if (figure_.panels.empty()) return;
    make_axes();
    double high = least_high;
    for (const FigureAxis& a : y_axis_)
      high = std::max(high, text_length(with_unit(a.label, a.unit), 12.5) + 8);
    high = std::min(high, most_high);
    // Frames start alike: first as they come, then moved to the furthest of them.
    const auto make = [&](std::size_t i, double left, double top) {
      const Box outer{left, top, width - margin - 8, top + high + foot_};
      return PlotFrame(outer, time_, y_axis_[i], time_range_, y_range_[i], y_tick_distance);
    };
    foot_ = y + high - make(0, 14, y).box().bottom;  // what the axis of time takes
    double furthest = 0;
    for (std::size_t i = 0; i < y_axis_.size(); ++i) furthest = std::max(furthest, make(i, 14, y).box().left);
    place_marks(make(0, 14 + furthest - make(0, 14, y).box().left, y), y);
    y += 6;
    for (std::size_t i = 0; i < y_axis_.size(); ++i) {
      frames_.push_back(make(i, 14 + furthest - make(i, 14, y).box().left, y));
      y = frames_.back().box().bottom + (i + 1 < y_axis_.size() ? panel_gap : foot_ + 6);
    }
  }

  Point at(std::size_t i, double t, double value) const {
    return frames_[i].at(t * time_.factor, value * y_axis_[i].factor);
  }

  // Pieces between missing values, of the whole curve or of a span of it.
  std::vector<std::vector<Point>> pieces(std::size_t i, const TimeCurve& c, const TimeSpan* span) const {
    std::vector<std::vector<Point>> out(1);
    for (std::size_t r = 0; r < c.time.size(); ++r) {
      if (span && (c.time[r] < span->begin || c.time[r] > span->end)) continue;
      const Point p = at(i, c.time[r], c.value[r]);
      if (std::isfinite(p[0]) && std::isfinite(p[1]))
        out.back().push_back(p);
      else if (!out.back().empty())
        out.emplace_back();
    }
    for (std::vector<Point>& piece : out) piece = simplified(piece, 0.06);
    return out;
  }

  void draw_panel(Canvas& canvas, std::size_t i) const {
    const PlotFrame& frame = frames_[i];
    const Box& box = frame.box();
    for (const TimeSpan& s : figure_.held) {
      const double a = std::max(frame.x()(s.begin * time_.factor), box.left);
      const double b = std::min(frame.x()(s.end * time_.factor), box.right);
      if (b - a > 0.2) canvas.rect({a, box.top, b, box.bottom}, fmt::format("fill=\"{}\"", held_fill));
    }
    frame.draw_grid(canvas);
    if (frame.y().low < 0 && frame.y().high > 0)
      canvas.line({box.left, frame.y()(0)}, {box.right, frame.y()(0)},
                  "stroke=\"#9a9a9a\" stroke-width=\"1\"");
    const std::vector<TimeCurve>& curves = figure_.panels[i].curves;
    for (std::size_t k = 0; k < curves.size(); ++k)
      for (const TimeSpan& s : curves[k].held)
        for (const auto& piece : pieces(i, curves[k], &s)) canvas.polyline(piece, band(k));
    for (std::size_t k = 0; k < curves.size(); ++k) {
      std::vector<Point> last;
      for (const auto& piece : pieces(i, curves[k], nullptr)) {
        canvas.polyline(piece, "class=\"curve\" " + look(k));
        if (!piece.empty()) last = piece;
      }
      if (!last.empty()) canvas.add(marker(0, last.back(), 6, colour(k)));
    }
    for (const TimePoint& q : figure_.panels[i].points)
      canvas.add(ring(at(i, q.time, q.value), colour(q.curve)));
    if (i == 0) draw_pose_times(canvas);
    frame.draw_axes(canvas, false, i + 1 == frames_.size());
  }

  void draw_pose_times(Canvas& canvas) const {
    const std::vector<Pose>& poses = figure_.strip.poses;
    const Box& box = frames_.front().box();
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const double x = frames_.front().x()(poses[k].time * time_.factor);
      if (x < box.left || x > box.right) continue;
      canvas.line({x, box.top}, {x, box.top + 7},
                  fmt::format("stroke=\"{}\" stroke-width=\"2.4\"", StripLayout::colour(k, poses.size())));
    }
  }

  // ---- marks ----

  struct PlacedMark {
    double x;  // of the line
    std::string text;
    double middle, row;
  };

  // Names stand above the first panel, in rows where they would touch.
  void place_marks(const PlotFrame& frame, double& y) {
    std::vector<TimeMark> marks = figure_.marks;
    std::stable_sort(marks.begin(), marks.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    for (const TimeMark& m : marks) {
      const double x = frame.x()(m.time * time_.factor);
      if (!std::isfinite(x) || x < frame.box().left || x > frame.box().right) continue;
      if (!marks_.empty() && x - marks_.back().x < 2)
        marks_.back().text += ", " + m.name;
      else
        marks_.push_back({x, m.name, 0, 0});
    }
    constexpr int most_rows = 3;
    std::vector<double> ends(most_rows, -HUGE_VAL);
    int used = 0;
    for (PlacedMark& m : marks_) {
      const double half = 0.5 * text_length(m.text, mark_size);
      m.middle = std::clamp(m.x, margin + half, std::max(margin + half, width - margin - half));
      int row = 0;
      while (row < most_rows && ends[row] > m.middle - half - 5) ++row;
      if (row == most_rows) {
        m.text.clear();  // no room
        continue;
      }
      ends[row] = m.middle + half;
      m.row = row;
      used = std::max(used, row + 1);
    }
    y += used * mark_line + (used > 0 ? 2 : 0);
  }

  void draw_marks(Canvas& canvas) const {
    if (frames_.empty()) return;
    for (const PlacedMark& m : marks_) {
      const double top = frames_.front().box().top, text = top - 7 - m.row * mark_line;
      canvas.line({m.x, m.text.empty() ? top : text + 4}, {m.x, frames_.back().box().bottom},
                  fmt::format("stroke=\"{}\" stroke-width=\"0.9\" stroke-dasharray=\"3 3\"", faint));
      if (!m.text.empty()) canvas.text(m.middle, text, m.text, {.size = mark_size, .anchor = "middle"});
    }
  }

  void place_note(double& y) {
    note_top_ = y - 4;
    if (figure_.note.empty()) return;
    std::string all =
        wrap(figure_.note, 0, static_cast<std::size_t>((width - 2 * margin) / (0.52 * key_size)));
    while (!all.empty()) {
      const std::size_t end = all.find('\n');
      note_.push_back(all.substr(0, end));
      all.erase(0, end == std::string::npos ? all.size() : end + 1);
      y += 15;
    }
    y += 6;
  }

  const TimeFigure& figure_;
  std::optional<StripLayout> strip_;
  std::vector<KeyEntry> key_;
  FigureAxis time_;
  Range time_range_;
  std::vector<FigureAxis> y_axis_;
  std::vector<Range> y_range_;
  std::vector<PlotFrame> frames_;
  std::vector<PlacedMark> marks_;
  std::vector<std::string> note_;
  double foot_ = 0, height_ = 0, note_top_ = 0;
};

}  // namespace

std::string time_figure(const TimeFigure& figure) {
  check_sizes(figure);
  return Sheet(figure).make();
}

}  // namespace thud
