#include "draw/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thud/base/format.hpp"
#include "thud/draw/plot.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud::svg {

namespace {

constexpr double tick_size = 11.5, label_size = 12.5, tick_length = 4.5;

std::string with_minus(std::string text) { return text.starts_with('-') ? "−" + text.substr(1) : text; }

// "2e+06" as 2·10⁶.
std::string with_power(const std::string& text) {
  static const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return with_minus(text);
  std::string power;
  for (const char c : std::to_string(std::stoi(text.substr(e + 1))))
    power += c == '-' ? "⁻" : digits[c - '0'];
  return with_minus(text.substr(0, e)) + "·10" + power;
}

double ticks_per(double pixels, double distance) { return std::max(2.0, pixels / distance); }

// The last step from which a label on the x axis would run into its neighbour.
bool have_room(std::span<const std::string> texts, std::span<const double> ticks, const Scale& scale) {
  if (ticks.size() < 2) return true;
  return longest(texts, tick_size) + 8 < std::abs(scale(ticks[1]) - scale(ticks[0]));
}

}  // namespace

Range range_of(std::span<const double> values, double factor) {
  Range r{HUGE_VAL, -HUGE_VAL, true};
  for (const double v : values) {
    const double shown = v * factor;
    if (!std::isfinite(shown)) continue;
    r = {std::min(r.low, shown), std::max(r.high, shown), false};
  }
  if (r.is_empty) return {};
  const double size = std::max(std::abs(r.low), std::abs(r.high));
  if (r.high - r.low > 1e-9 * size) return r;
  const double half = size > 0 ? 0.5 * size : 0.5;
  return {r.low - half, r.high + half, false};
}

Range united(const Range& a, const Range& b) {
  if (a.is_empty) return b;
  if (b.is_empty) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high), false};
}

Range padded(const Range& r, double share) {
  const double more = share * (r.high - r.low);
  return {r.low - more, r.high + more, r.is_empty};
}

std::vector<double> scaled(std::span<const double> values, double factor) {
  std::vector<double> out(values.begin(), values.end());
  for (double& v : out) v *= factor;
  return out;
}

std::vector<double> ticks_in(double low, double high, int wanted) {
  std::vector<double> ticks = nice_ticks(low, high, wanted);
  // One number alone tells no scale.
  for (int more = wanted + 1; ticks.size() < 2 && more < wanted + 6; ++more)
    ticks = nice_ticks(low, high, more);
  if (ticks.empty()) ticks.push_back((low + high) / 2);
  return ticks;
}

std::vector<std::string> tick_texts(std::span<const double> ticks) {
  double largest = 0;
  for (const double t : ticks) largest = std::max(largest, std::abs(t));
  std::vector<std::string> out;
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
  const int decimals =
      step > 0 ? std::max(0, -static_cast<int>(std::floor(portable::log10(step) + 1e-6))) : 0;
  const bool plain = step > 0 && largest < 1e6 && decimals <= 5;
  for (const double t : ticks) {
    const double shown = std::abs(t) < 1e-9 * largest ? 0.0 : t;
    out.push_back(plain ? with_minus(fmt::format("{:.{}f}", shown, decimals))
                        : with_power(show_number(shown, 6)));
  }
  return out;
}

double longest(std::span<const std::string> texts, double size) {
  double most = 0;
  for (const std::string& t : texts) most = std::max(most, text_length(t, size));
  return most;
}

PlotFrame::PlotFrame(const Box& outer, const FigureAxis& x, const FigureAxis& y, const Range& x_range,
                     const Range& y_range, double y_tick_distance)
    : x_axis_(x),
      y_axis_(y),
      box_(outer) {
  box_.bottom -= tick_length + 4 + tick_size + 8 + label_size + 4;
  y_scale_ = {y_range.low, y_range.high, box_.bottom, box_.top};
  y_ticks_ = ticks_in(y_range.low, y_range.high, static_cast<int>(ticks_per(box_.height(), y_tick_distance)));
  y_texts_ = tick_texts(y_ticks_);
  label_left_ = outer.left + label_size;
  box_.left += label_size + 10 + longest(y_texts_, tick_size) + 4 + tick_length;
  x_scale_ = {x_range.low, x_range.high, box_.left, box_.right};
  for (int wanted = static_cast<int>(ticks_per(box_.width(), 66)); wanted >= 1; --wanted) {
    x_ticks_ = ticks_in(x_range.low, x_range.high, wanted);
    x_texts_ = tick_texts(x_ticks_);
    if (have_room(x_texts_, x_ticks_, x_scale_)) break;
  }
}

void PlotFrame::draw_grid(Canvas& canvas) const {
  const std::string look = fmt::format("stroke=\"{}\" stroke-width=\"1\"", grid_colour);
  for (const double t : x_ticks_) canvas.line({x_scale_(t), box_.top}, {x_scale_(t), box_.bottom}, look);
  for (const double t : y_ticks_) canvas.line({box_.left, y_scale_(t)}, {box_.right, y_scale_(t)}, look);
}

void PlotFrame::draw_axes(Canvas& canvas, bool closed, bool x_texts) const {
  const std::string look = fmt::format("stroke=\"{}\" stroke-width=\"1\"", ink);
  const Box& b = box_;
  if (closed) {
    canvas.rect(b, "fill=\"none\" " + look);
  } else {
    canvas.line({b.left, b.top}, {b.left, b.bottom}, look);
    canvas.line({b.left, b.bottom}, {b.right, b.bottom}, look);
  }
  for (std::size_t k = 0; k < x_ticks_.size(); ++k) {
    const double at = x_scale_(x_ticks_[k]);
    canvas.line({at, b.bottom}, {at, b.bottom + tick_length}, look);
    if (x_texts)
      canvas.text(at, b.bottom + tick_length + 4 + 0.8 * tick_size, x_texts_[k],
                  {.size = tick_size, .anchor = "middle"});
  }
  for (std::size_t k = 0; k < y_ticks_.size(); ++k) {
    const double at = y_scale_(y_ticks_[k]);
    canvas.line({b.left - tick_length, at}, {b.left, at}, look);
    canvas.text(b.left - tick_length - 4, at + 0.36 * tick_size, y_texts_[k],
                {.size = tick_size, .anchor = "end"});
  }
  if (x_texts)
    canvas.text((b.left + b.right) / 2, b.bottom + tick_length + 4 + tick_size + 8 + 0.8 * label_size,
                with_unit(x_axis_.label, x_axis_.unit), {.size = label_size, .anchor = "middle"});
  canvas.text(label_left_, (b.top + b.bottom) / 2, with_unit(y_axis_.label, y_axis_.unit),
              {.size = label_size, .anchor = "middle", .angle = -90});
}

std::string empty_figure(double width, double height, std::string_view title, std::string_view subtitle) {
  Canvas canvas(width, height, title);
  canvas.header(title, subtitle);
  canvas.text(width / 2, height / 2, "nothing to show", {.size = 13, .anchor = "middle", .fill = faint});
  return std::move(canvas).finish();
}

}  // namespace thud::svg

namespace thud {

FigureAxis suit_axis(std::string label, std::string_view si_unit, std::span<const double> values) {
  double largest = 0;
  for (const double v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  const ShownUnit unit = suit_unit(largest, si_unit);
  return {std::move(label), unit.unit, unit.factor};
}

FigureAxis knob_axis(const Knob& knob) {
  return {knob.name, knob.unit, in_unit(1, knob.unit) - in_unit(0, knob.unit)};
}

}  // namespace thud
