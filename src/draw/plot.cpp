#include "thud/draw/plot.hpp"
#include "thud/math/portable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/canvas.hpp"

namespace thud {

namespace {

constexpr int label_width = 9;
constexpr int rows = 13;  // with title, axis and tick labels: 16 lines

struct Range {
  double low = 0, high = 1;
  double place(double x) const { return (x - low) / (high - low); }
};

double nice_step(double span, int wanted) {
  const double rough = span / std::max(1, wanted);
  const double decade = portable::pow(10.0, std::floor(portable::log10(rough)));
  for (double m : {1.0, 2.0, 5.0})
    if (rough <= m * decade * (1 + 1e-9)) return m * decade;
  return 10 * decade;
}

std::vector<double> ticks_every(double step, double low, double high) {
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 50; ++k) ticks.push_back(k * step);
  return ticks;
}

Range range_of(const std::vector<double>& values) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (double x : values)
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  return {low, high};
}

// A curve that does not change is drawn in the middle.
Range opened(Range r) {
  const double size = std::max(std::abs(r.low), std::abs(r.high));
  if (r.high - r.low > 1e-9 * size && r.high > r.low) return r;
  const double margin = size > 0 ? 0.5 * size : 1;
  return {r.low - margin, r.high + margin};
}

void draw(const PlotCurve& curve, const Range& tx, const Range& ty, Canvas& canvas) {
  bool has_last = false;
  int last_x = 0, last_y = 0;
  for (std::size_t i = 0; i < curve.time.size(); ++i) {
    if (!std::isfinite(curve.value[i])) {
      has_last = false;
      continue;
    }
    const int x = static_cast<int>(std::lround(tx.place(curve.time[i]) * (canvas.width() - 1)));
    const int y = static_cast<int>(std::lround((1 - ty.place(curve.value[i])) * (canvas.height() - 1)));
    canvas.line(has_last ? last_x : x, has_last ? last_y : y, x, y);
    last_x = x, last_y = y, has_last = true;
  }
}

// Labels of one axis have one number of decimals.
std::string tick_label(double x, double step) {
  const int decimals = std::max(0, static_cast<int>(-std::floor(portable::log10(step) + 1e-9)));
  if (decimals > 6 || std::abs(x) >= 1e6) return fmt::format("{:.3g}", x + 0.0);
  return fmt::format("{:.{}f}", std::abs(x) < 1e-9 * step ? 0.0 : x, decimals);
}

std::string time_axis(const std::vector<double>& ticks, const Range& t, int columns, const TextStyle& style) {
  std::string axis, labels;
  std::vector<bool> is_tick(columns, false);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : std::max(std::abs(t.high), 1e-300);
  const auto room = static_cast<std::size_t>(label_width + 1 + columns);
  for (double x : ticks) {
    const int column = static_cast<int>(std::lround(t.place(x) * (columns - 1)));
    is_tick[column] = true;
    const std::string label = tick_label(x, step);
    const auto middle = static_cast<std::size_t>(label_width + 1 + column);
    const std::size_t begin = std::min(middle - std::min(middle, label.size() / 2), room - label.size());
    if (!labels.empty() && begin <= labels.size()) continue;
    labels.resize(begin, ' ');
    labels += label;
  }
  for (int c = 0; c < columns; ++c)
    axis += is_tick[c] ? (style.unicode ? "┴" : "+") : (style.unicode ? "─" : "-");
  return std::string(label_width, ' ') + (style.unicode ? "└" : "+") + axis + "\n"
       + style.paint("dim", labels) + "\n";
}

}  // namespace

std::vector<double> nice_ticks(double low, double high, int wanted) {
  if (!(high > low) || !std::isfinite(high - low)) return {};
  return ticks_every(nice_step(high - low, wanted), low, high);
}

std::string make_plot(const PlotCurve& curve, const TextStyle& style) {
  const Range raw_time = range_of(curve.time), raw_value = range_of(curve.value);
  if (!(raw_time.high >= raw_time.low) || !(raw_value.high >= raw_value.low))
    return curve.name + ": nothing to plot\n";
  const ShownUnit time_unit = suit_unit(raw_time.high, "s");
  const ShownUnit unit = suit_unit(std::max(std::abs(raw_value.low), std::abs(raw_value.high)), curve.unit);
  PlotCurve shown = curve;
  for (double& t : shown.time) t *= time_unit.factor;
  for (double& x : shown.value) x *= unit.factor;
  const Range t = opened(range_of(shown.time));
  Range v = opened(range_of(shown.value));
  const double step = nice_step(v.high - v.low, 4);
  v = {std::floor(v.low / step + 1e-9) * step, std::ceil(v.high / step - 1e-9) * step};

  const int columns = style.width - label_width - 1;
  Canvas canvas(columns, rows, style.unicode);
  draw(shown, t, v, canvas);
  std::vector<std::string> label(rows);
  int zero_row = -1;
  for (double x : ticks_every(step, v.low, v.high)) {
    const int row = canvas.row_of(static_cast<int>(std::lround((1 - v.place(x)) * (canvas.height() - 1))));
    label[row] = tick_label(x, step);
    if (std::abs(x) < 1e-9 * step && row > 0 && row < rows - 1) zero_row = row;
  }

  const std::string unit_text = style.unit(unit.unit);
  std::string out = std::string(label_width + 1, ' ') + style.paint("bold", curve.name)
                  + (unit_text.empty() ? "" : " [" + unit_text + "]")
                  + style.paint("dim", " over time [" + style.unit(time_unit.unit) + "]") + "\n";
  for (int r = 0; r < rows; ++r) {
    std::string line, run;
    const auto flush = [&] { line += style.paint("cyan", run), run.clear(); };
    for (int c = 0; c < columns; ++c) {
      const int bits = canvas.cell(r, c);
      if (bits) {
        run += style.unicode ? braille(bits) : "*";
        continue;
      }
      flush();
      line += r == zero_row ? (style.unicode ? "┈" : ".") : " ";
    }
    flush();
    while (line.ends_with(' ')) line.pop_back();
    const char* axis = label[r].empty() ? (style.unicode ? "│" : "|") : (style.unicode ? "┤" : "+");
    out += style.paint("dim", pad_left(label[r] + (label[r].empty() ? "" : " "), label_width)) + axis + line
         + "\n";
  }
  return out + time_axis(nice_ticks(t.low, t.high, 6), t, columns, style);
}

}  // namespace thud
