#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thud/scenario/scenario.hpp"

/// Figures for papers and reports: from data to SVG text. The same data gives the same bytes.
namespace thud {

/// What is measured along an axis, and how it is shown.
struct FigureAxis {
  std::string label{};
  std::string unit{};  ///< in ASCII, as shown: "deg", "mm"; empty for plain numbers
  double factor = 1;   ///< shown = value · factor
};

/// An axis for values in SI, in a unit that suits the largest of them.
[[nodiscard]] FigureAxis suit_axis(std::string label, std::string_view si_unit,
                                   std::span<const double> values);
/// An axis for the values of a knob (SI), in the unit that its scenario declares.
[[nodiscard]] FigureAxis knob_axis(const Knob& knob);

/// z over x and y in colours, with contour lines at round levels.
struct HeatMap {
  std::string title{}, subtitle{};
  FigureAxis x{}, y{}, z{};
  std::vector<double> x_values{}, y_values{};  ///< ascending
  std::vector<double> z_values{};              ///< row by row, z[j·nx + i] at (x_i, y_j); NaN: missing
  std::string missing = "no value";            ///< in the legend, where values are missing
  bool contours = true;
  bool diverging = false;  ///< colours from blue by white to red, white at zero
};
/// Colours between the nodes are interpolated. Throws std::invalid_argument when the sizes do not fit.
[[nodiscard]] std::string heat_map(const HeatMap& map);

/// Heat maps beside each other, under a title of all.
struct MapRow {
  std::string title{}, subtitle{};
  std::vector<HeatMap> maps{};
};
[[nodiscard]] std::string map_row(const MapRow& row);

struct FigureCurve {
  std::string name{};  ///< "25°"
  std::vector<double> x{}, y{};
  std::vector<double> point_x{}, point_y{};  ///< single values beside the curve, such as published ones
};

/// y against x, one curve for each value of a third quantity.
struct CurveFamily {
  std::string title{}, subtitle{};
  FigureAxis x{}, y{};
  std::string by{};  ///< heading of the curves' names
  std::vector<FigureCurve> curves{};
  bool ordered = true;        ///< the names are a scale: colours run from dark to light
  std::string points_name{};  ///< what the single values are
};
/// Curves are named at their ends, and differ in colour and dashes; few points get markers, NaN leaves a gap.
[[nodiscard]] std::string curve_family(const CurveFamily& family);

/// A number with its interval; NaN where there is none.
struct FigureBar {
  double value = 0, low = 0, high = 0;
};
struct BarGroup {
  std::string name{};
  std::vector<FigureBar> bars{};  ///< one per series
};
struct BarPanel {
  std::string title{};
  std::vector<BarGroup> groups{};
  std::string note{};  ///< beside the title, dim
};

/// Bars side by side with error bars, as for first-order and total sensitivities of each knob; a panel per output.
struct BarChart {
  std::string title{}, subtitle{};
  FigureAxis value{};
  std::vector<std::string> series{};
  std::vector<BarPanel> panels{};
};
[[nodiscard]] std::string bar_chart(const BarChart& chart);

struct ScatterSeries {
  std::string name{};
  std::vector<double> x{}, y{};
};

/// Points: residuals, or an output of a random design against one of its knobs.
struct Scatter {
  std::string title{}, subtitle{};
  FigureAxis x{}, y{};
  std::vector<ScatterSeries> series{};
  bool zero_line = false;  ///< y = 0 is drawn and in view, for residuals
  bool mean_line = false;  ///< the mean of y over x: the first-order effect of x
};
[[nodiscard]] std::string scatter(const Scatter& scatter);

}  // namespace thud
