// Bars with error bars, in panels above each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/frame.hpp"
#include "thud/draw/figures.hpp"

namespace thud {

namespace {

using namespace svg;

constexpr double width = 720, bar = 11, group_gap = 12, panel_gap = 22, panel_title = 24, name_size = 12,
                 margin = 18;

class Bars {
 public:
  explicit Bars(const BarChart& chart) : chart_(chart) {
    Range values{0, 1, false};
    double names = 0;
    for (const BarPanel& p : chart.panels)
      for (const BarGroup& g : p.groups) {
        names = std::max(names, text_length(g.name, name_size));
        for (const FigureBar& b : g.bars)
          for (const double v : {b.value, b.low, b.high})
            if (std::isfinite(v)) values = {std::min(values.low, v), std::max(values.high, v), false};
      }
    const double left = margin + std::min(names, 260.0) + 10;
    const double factor = chart.value.factor;
    if (values.high > 1) values.high += 0.02 * (values.high - values.low);
    scale_ = {values.low * factor, values.high * factor, left, width - 30};
    top_ = header_height(width, chart.title, chart.subtitle) + 14 + 22;
  }

  std::string make() {
    double height = top_;
    for (const BarPanel& p : chart_.panels) height += panel_title + panel_height(p) + panel_gap;
    height += 44 - panel_gap;
    Canvas canvas(width, height, chart_.title);
    canvas.header(chart_.title, chart_.subtitle);
    define_hatching(canvas);
    draw_legend(canvas);
    double y = top_;
    for (const BarPanel& p : chart_.panels) {
      draw_panel(canvas, p, y);
      y += panel_title + panel_height(p) + panel_gap;
    }
    draw_axis(canvas, y - panel_gap);
    return std::move(canvas).finish();
  }

 private:
  double group_height() const {
    return bar * static_cast<double>(std::max<std::size_t>(1, chart_.series.size()));
  }
  double panel_height(const BarPanel& p) const {
    return group_gap + static_cast<double>(p.groups.size()) * (group_height() + group_gap);
  }
  std::vector<double> ticks() const { return ticks_in(scale_.low, scale_.high, 6); }

  // The first series is solid, the second hatched, so that they differ without colours too.
  std::string fill(std::size_t k) const {
    return k % 2 == 0 ? distinct(k).hex() : fmt::format("url(#bar{})", k);
  }

  void define_hatching(Canvas& canvas) const {
    for (std::size_t k = 1; k < chart_.series.size(); k += 2)
      canvas.add(
          fmt::format("<defs><pattern id=\"bar{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                      "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" "
                      "fill=\"#fbe3d3\"/><rect width=\"1.6\" "
                      "height=\"5\" fill=\"{}\"/></pattern></defs>",
                      k, distinct(k).hex()));
  }
  std::string look(std::size_t k) const {
    return fmt::format("fill=\"{}\" stroke=\"{}\" stroke-width=\"0.8\"", fill(k), distinct(k).hex());
  }

  void draw_legend(Canvas& canvas) const {
    double x = scale_.begin;
    const double y = top_ - 14;
    for (std::size_t k = 0; k < chart_.series.size(); ++k) {
      canvas.rect({x, y - 9, x + 16, y}, look(k));
      canvas.text(x + 22, y, chart_.series[k], {.size = name_size});
      x += 22 + text_length(chart_.series[k], name_size) + 22;
    }
  }

  void draw_panel(Canvas& canvas, const BarPanel& panel, double y) const {
    canvas.text(margin, y + 15, panel.title, {.size = 13, .bold = true});
    if (!panel.note.empty())
      canvas.text(scale_.end, y + 15, panel.note, {.size = 11, .anchor = "end", .fill = faint});
    const double top = y + panel_title, bottom = top + panel_height(panel);
    for (const double t : ticks())
      canvas.line({scale_(t), top}, {scale_(t), bottom},
                  fmt::format("stroke=\"{}\" stroke-width=\"1\"", grid_colour));
    double at = top + group_gap;
    for (const BarGroup& g : panel.groups) {
      canvas.text(scale_.begin - 8, at + group_height() / 2 + 0.36 * name_size, g.name,
                  {.size = name_size, .anchor = "end"});
      for (std::size_t k = 0; k < g.bars.size() && k < chart_.series.size(); ++k)
        draw_bar(canvas, g.bars[k], k, at + bar * static_cast<double>(k));
      at += group_height() + group_gap;
    }
    const double zero = scale_(0);
    canvas.line({zero, top}, {zero, bottom}, fmt::format("stroke=\"{}\" stroke-width=\"1\"", ink));
  }

  void draw_bar(Canvas& canvas, const FigureBar& b, std::size_t k, double top) const {
    const double factor = chart_.value.factor, zero = scale_(0), middle = top + bar / 2;
    if (!std::isfinite(b.value))
      return canvas.text(zero + 6, middle + 3.5, "undefined", {.size = 10, .fill = faint});
    const double end = scale_(b.value * factor);
    canvas.rect({std::min(zero, end), top + 0.5, std::max(zero, end), top + bar - 0.5}, look(k));
    if (!std::isfinite(b.low) || !std::isfinite(b.high)) return;
    const double low = scale_(b.low * factor), high = scale_(b.high * factor);
    // Light under dark: an error bar shows inside its bar as well as beyond it.
    for (const char* style :
         {"stroke=\"#ffffff\" stroke-width=\"2.6\"", "stroke=\"#222222\" stroke-width=\"1.1\""}) {
      canvas.line({low, middle}, {high, middle}, style);
      for (const double x : {low, high}) canvas.line({x, middle - 2.8}, {x, middle + 2.8}, style);
    }
  }

  void draw_axis(Canvas& canvas, double y) const {
    const std::string look = fmt::format("stroke=\"{}\" stroke-width=\"1\"", ink);
    canvas.line({scale_.begin, y}, {scale_.end, y}, look);
    const std::vector<double> at = ticks();
    const std::vector<std::string> texts = tick_texts(at);
    for (std::size_t k = 0; k < at.size(); ++k) {
      canvas.line({scale_(at[k]), y}, {scale_(at[k]), y + 4.5}, look);
      canvas.text(scale_(at[k]), y + 17, texts[k], {.size = 11.5, .anchor = "middle"});
    }
    canvas.text((scale_.begin + scale_.end) / 2, y + 35, with_unit(chart_.value.label, chart_.value.unit),
                {.size = 12.5, .anchor = "middle"});
  }

  const BarChart& chart_;
  Scale scale_;
  double top_ = 0;
};

}  // namespace

std::string bar_chart(const BarChart& chart) {
  const auto is_empty = [](const BarPanel& p) { return p.groups.empty(); };
  if (std::all_of(chart.panels.begin(), chart.panels.end(), is_empty))
    return empty_figure(width, 240, chart.title, chart.subtitle);
  return Bars(chart).make();
}

}  // namespace thud
