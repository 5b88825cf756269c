// A picture of a file of measured values: every column against time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/frame.hpp"
#include "thud/study/capture.hpp"

namespace thud {

namespace {

using namespace svg;

constexpr double width = 720, margin = 14, panel = 190, pitch = panel - 24, line_height = 17;
constexpr std::size_t most_points = 1500;

/// The columns of one axis, or those that belong to none.
struct Panel {
  std::string label, unit;
  std::vector<const CaptureColumn*> columns;
};

std::vector<Panel> make_panels(const Capture& c) {
  std::vector<Panel> out;
  for (const CaptureColumn& k : c.columns) {
    const std::string label = k.axis < 0 ? k.name : std::string(1, "XYZ"[k.axis]);
    auto at = std::find_if(out.begin(), out.end(),
                           [&](const Panel& p) { return p.label == label && p.unit == k.unit; });
    if (at == out.end()) at = out.insert(at, {label, k.unit, {}});
    at->columns.push_back(&k);
  }
  return out;
}

std::size_t colour_of(const Capture& c, const CaptureColumn& k) {
  const std::vector<std::string> markers = c.markers();
  const auto at = std::find(markers.begin(), markers.end(), k.marker);
  return at == markers.end() ? 0 : static_cast<std::size_t>(at - markers.begin());
}

FigureAxis time_axis(const Capture& c) {
  return suit_axis(c.rate > 0 ? "time" : "frame", c.rate > 0 ? "s" : "", c.time);
}

PlotFrame make_frame(const Capture& c, const Panel& p, double left, double top) {
  const FigureAxis time = time_axis(c);
  const Range x = range_of(c.time, time.factor);
  Range y{};
  for (const CaptureColumn* k : p.columns) y = united(y, range_of(k->value, 1));
  FigureAxis value;
  value.label = p.label;
  value.unit = p.unit;
  return {{left, top, width - 24, top + panel}, time, value, padded(x, 0.01), padded(y, 0.06), 32};
}

// `axis`: where all panels begin.
void draw_panel(Canvas& canvas, const Capture& c, const Panel& p, double axis, double top, bool is_last) {
  const FigureAxis time = time_axis(c);
  const PlotFrame frame = make_frame(c, p, margin + axis - make_frame(c, p, margin, top).box().left, top);
  frame.draw_grid(canvas);
  if (c.touch) {
    const double at = frame.x()(c.touch->first * time.factor);
    canvas.line({at, frame.box().top}, {at, frame.box().bottom},
                fmt::format("stroke=\"{}\" stroke-width=\"1\" stroke-dasharray=\"5 4\"", faint));
  }
  for (const CaptureColumn* k : p.columns) {
    const std::string colour = distinct(colour_of(c, *k)).hex();
    const std::size_t stride = 1 + k->value.size() / most_points;
    std::vector<Point> points;
    const auto flush = [&] {
      canvas.polyline(points, fmt::format("stroke=\"{}\" stroke-width=\"1.2\"", colour));
      points.clear();
    };
    for (std::size_t i = 0; i < k->value.size(); i += stride) {
      if (!std::isfinite(k->value[i])) {
        flush();
        canvas.line({frame.x()(c.time[i] * time.factor), frame.box().bottom},
                    {frame.x()(c.time[i] * time.factor), frame.box().bottom - 7},
                    fmt::format("stroke=\"{}\" stroke-width=\"1.6\"", colour));
        continue;
      }
      points.push_back(frame.at(c.time[i] * time.factor, k->value[i]));
      if (k->value.size() < 200) canvas.add(marker(colour_of(c, *k), points.back(), 3.5, colour));
    }
    flush();
  }
  frame.draw_axes(canvas, false, is_last);
}

}  // namespace

std::string make_capture_picture(const Capture& c) {
  const std::vector<Panel> panels = make_panels(c);
  const std::string subtitle = fmt::format("{} rows; marks at the bottom: gaps, codes and outliers{}",
                                           c.time.size(), c.touch ? "; dashed: first touch, guessed" : "");
  const double top = header_height(width, c.file, subtitle) + 14;
  const std::vector<std::string> names = c.markers();
  // The numbers along the time axis stand below the last panel only.
  const double height = top + pitch * static_cast<double>(panels.size()) + panel - pitch + 14
                      + line_height * static_cast<double>((names.size() + 3) / 4);
  Canvas canvas(width, height, c.file);
  canvas.header(c.file, subtitle);
  double axis = 0;
  for (const Panel& p : panels) axis = std::max(axis, make_frame(c, p, margin, top).box().left);
  for (std::size_t k = 0; k < panels.size(); ++k)
    draw_panel(canvas, c, panels[k], axis, top + pitch * static_cast<double>(k), k + 1 == panels.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double x = 28 + 0.25 * (width - 40) * static_cast<double>(k % 4);
    const double y = height - line_height * static_cast<double>((names.size() + 3) / 4 - k / 4) + 6;
    canvas.add(marker(k, {x, y - 4}, 7, distinct(k).hex()));
    canvas.text(x + 10, y, names[k], {.size = 11.5});
  }
  return std::move(canvas).finish();
}

}  // namespace thud
