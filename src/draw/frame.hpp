#pragma once

#include <span>
#include <string>
#include <vector>

#include "draw/svg.hpp"
#include "thud/draw/figures.hpp"

namespace thud::svg {

/// The values along an axis, as shown, and where they lie on the page.
struct Scale {
  double low = 0, high = 1;   ///< as shown
  double begin = 0, end = 1;  ///< their pixels

  double operator()(double shown) const { return begin + (shown - low) / (high - low) * (end - begin); }
};

struct Range {
  double low = 0, high = 1;
  bool is_empty = true;  ///< there was nothing finite; 0 to 1 then
};
/// The finite values, times a factor; opened where they are all the same.
[[nodiscard]] Range range_of(std::span<const double> values, double factor);
[[nodiscard]] Range united(const Range& a, const Range& b);
/// A little more on both sides, so that nothing touches the frame.
[[nodiscard]] Range padded(const Range& r, double share);
[[nodiscard]] std::vector<double> scaled(std::span<const double> values, double factor);

/// Round values within a range, about `wanted` of them; the middle where there are none.
[[nodiscard]] std::vector<double> ticks_in(double low, double high, int wanted);
/// How they are written: as many decimals as their distance needs, "−" for minus, "2·10⁶".
[[nodiscard]] std::vector<std::string> tick_texts(std::span<const double> ticks);
[[nodiscard]] double longest(std::span<const std::string> texts, double size);

/// Axes on the left and at the bottom of a box.
class PlotFrame {
 public:
  /// `outer`: where axes, ticks and labels have room. The plot takes what they leave. Ticks along y are about
  /// `y_tick_distance` pixels apart.
  PlotFrame(const Box& outer, const FigureAxis& x, const FigureAxis& y, const Range& x_range,
            const Range& y_range, double y_tick_distance = 52);

  const Box& box() const { return box_; }
  const Scale& x() const { return x_scale_; }
  const Scale& y() const { return y_scale_; }
  Point at(double x, double y) const { return {x_scale_(x), y_scale_(y)}; }

  void draw_grid(Canvas& canvas) const;
  /// `closed`: with lines on all four sides; `x_texts`: with numbers and a label along the x axis.
  void draw_axes(Canvas& canvas, bool closed, bool x_texts = true) const;

 private:
  FigureAxis x_axis_, y_axis_;
  Box box_;
  Scale x_scale_, y_scale_;
  std::vector<double> x_ticks_, y_ticks_;
  std::vector<std::string> x_texts_, y_texts_;
  double label_left_ = 0;
};

/// A figure of the given size that says only that there is nothing to show.
[[nodiscard]] std::string empty_figure(double width, double height, std::string_view title,
                                       std::string_view subtitle);

}  // namespace thud::svg
