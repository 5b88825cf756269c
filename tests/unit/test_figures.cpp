// Figures: well-formed, inside their page, the same bytes each time; contours where they belong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "draw/frame.hpp"
#include "svg_reader.hpp"
#include "thud/draw/contours.hpp"
#include "thud/draw/figures.hpp"

namespace {

using namespace thud;
using namespace thud::test;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> spaced(double low, double high, int n) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(n > 1 ? low + (high - low) * i / (n - 1) : low);
  return out;
}

template <class F>
HeatMap map_of(std::vector<double> x, std::vector<double> y, F f) {
  HeatMap m;
  m.title = "Title";
  m.x = {"speed", "m/s"};
  m.y = {"angle", "deg", 180 / std::numbers::pi};
  m.z = {"t_z", "ms", 1e3};
  m.x_values = std::move(x);
  m.y_values = std::move(y);
  for (const double b : m.y_values)
    for (const double a : m.x_values) m.z_values.push_back(f(a, b));
  return m;
}

// ---- contours ----------------------------------------------------------------------------------------------------

// f = x² + y² has |∇f| = 2r and second derivatives 2 along the edges: linear interpolation errs by at most
// h²/4 in f, and so by h²/(8 r) in r.
TEST(Contours, a_circle_is_one_closed_line_on_the_level_set) {
  const int n = 60;
  const std::vector<double> x = spaced(-1, 1, n), y = spaced(-1.2, 1.1, n);
  std::vector<double> z;
  for (const double b : y)
    for (const double a : x) z.push_back(a * a + b * b);
  for (const double r : {0.3, 0.6, 0.95}) {
    const std::vector<ContourLine> lines = contour_lines(x, y, z, r * r);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(lines[0].closed);
    EXPECT_EQ(lines[0].points.front(), lines[0].points.back());
    const double h = 2.3 / (n - 1), bound = h * h / (8 * r);
    double length = 0;
    for (std::size_t k = 0; k < lines[0].points.size(); ++k) {
      const auto& p = lines[0].points[k];
      EXPECT_NEAR(std::hypot(p[0], p[1]), r, bound * 1.05);
      if (k > 0) length += std::hypot(p[0] - lines[0].points[k - 1][0], p[1] - lines[0].points[k - 1][1]);
    }
    // By the radius as above, and by chords of at most √2 h that are shorter than their arcs by (√2 h/r)²/24.
    EXPECT_NEAR(length, 2 * std::numbers::pi * r, 2 * std::numbers::pi * (bound + h * h / (12 * r)));
  }
}

TEST(Contours, open_lines_run_from_edge_to_edge_also_on_uneven_grids) {
  const std::vector<double> x{0, 0.1, 0.5, 0.6, 2}, y{-1, 0, 3};
  std::vector<double> z;
  for (const double b : y)
    for (const double a : x) z.push_back(2 * a + b);  // linear: no error at all
  const std::vector<ContourLine> lines = contour_lines(x, y, z, 1.5);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  for (const auto& p : lines[0].points) EXPECT_NEAR(2 * p[0] + p[1], 1.5, 1e-12);
  EXPECT_EQ(lines[0].points.size(),
            6u);  // the edges that x = (1.5 − y)/2 from (1.25, −1) to (0, 1.5) crosses
}

TEST(Contours, saddles_do_not_cross_and_use_the_mean_of_the_corners) {
  const std::vector<double> x{0, 1}, y{0, 1};
  for (const double level : {0.4, 0.6}) {  // the mean is 0.5
    const std::vector<double> z{1, 0, 0, 1};
    const std::vector<ContourLine> lines = contour_lines(x, y, z, level);
    ASSERT_EQ(lines.size(), 2u);
    // Below the mean the high corners (0,0) and (1,1) hang together: the lines cut off the other two.
    const bool cuts_off_first = level > 0.5;
    for (const ContourLine& l : lines) {
      const double middle = (l.points[0][0] + l.points[1][0]) / 2 - (l.points[0][1] + l.points[1][1]) / 2;
      EXPECT_EQ(std::abs(middle) < 1e-12, cuts_off_first);
    }
  }
}

TEST(Contours, missing_values_interrupt_lines) {
  const std::vector<double> x = spaced(0, 4, 5), y = spaced(0, 2, 3);
  std::vector<double> z;
  for (const double b : y)
    for (std::size_t i = 0; i < x.size(); ++i) z.push_back(b);
  EXPECT_EQ(contour_lines(x, y, z, 0.5).size(), 1u);
  z[2] = nan;
  const std::vector<ContourLine> lines = contour_lines(x, y, z, 0.5);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(contour_lines(x, y, std::vector<double>(15, 3.0), 3).empty());
  EXPECT_THROW((void)contour_lines(x, y, std::vector<double>(3), 0), std::invalid_argument);
}

// ---- heat maps ---------------------------------------------------------------------------------------------------

TEST(HeatMap, has_axes_a_colour_bar_and_labelled_contours_inside_the_page) {
  const HeatMap m = map_of(spaced(1, 2.5, 30), spaced(0.4, 1, 20),
                           [](double a, double b) { return 0.02 * a + 0.01 * b * b; });
  const std::string svg = heat_map(m);
  const std::vector<Element> all = check(svg);
  EXPECT_THAT(svg, HasSubstr("speed (m/s)"));
  EXPECT_THAT(svg, HasSubstr("angle (°)"));
  EXPECT_THAT(svg, HasSubstr("t_z (ms)"));
  EXPECT_GT(count(all, "polyline"), 4u);
  EXPECT_EQ(svg, heat_map(m));
  EXPECT_THAT(svg, Not(HasSubstr("no value")));
}

TEST(HeatMap, a_large_map_stays_small) {
  const auto f = [](double a, double b) {
    return std::sin(2 * a) * std::cos(3 * b) * std::exp(-0.1 * (a * a + b * b));
  };
  const std::string svg = heat_map(map_of(spaced(-3, 3, 200), spaced(-2, 2, 200), f));
  check(svg);
  EXPECT_LT(svg.size(), 500'000u);
}

TEST(HeatMap, missing_values_are_hatched_and_in_the_legend) {
  HeatMap m = map_of(spaced(0, 1, 12), spaced(0, 1, 9), [](double a, double b) { return a * b; });
  for (std::size_t k : {0u, 1u, 12u, 50u}) m.z_values[k] = nan;
  m.missing = "not reached";
  const std::string svg = heat_map(m);
  check(svg);
  EXPECT_THAT(svg, HasSubstr("fill=\"url(#missing)\""));
  EXPECT_THAT(svg, HasSubstr("not reached"));
}

// One node missing: the area nearest to it, and no more, is hatched.
TEST(HeatMap, a_single_missing_value_shows) {
  HeatMap m = map_of(spaced(0, 1, 11), spaced(0, 1, 11), [](double, double) { return 1.0; });
  m.z_values[5 * 11 + 5] = nan;
  for (const Element& e : check(heat_map(m)))
    if (e.name == "path" && e.attribute.at("fill") == "url(#missing)") {
      double x1, y1, x2, y2;
      ASSERT_EQ(std::sscanf(e.attribute.at("d").c_str(), "M%lf %lfH%lfV%lf", &x1, &y1, &x2, &y2), 4);
      EXPECT_GT(x2 - x1, 30);  // a tenth of a frame some 560 wide and 380 high
      EXPECT_LT(x2 - x1, 70);
      EXPECT_GT(y1 - y2, 25);
      EXPECT_LT(y1 - y2, 50);
      return;
    }
  FAIL() << "nothing hatched";
}

TEST(HeatMap, degenerate_data) {
  const auto zero = [](double, double) { return 0.0; };
  const auto five = [](double, double) { return 5.0; };
  check(heat_map({}));
  check(heat_map(map_of({1}, {1}, five)));
  check(heat_map(map_of({0}, {0}, zero)));
  check(heat_map(map_of(spaced(0, 1, 5), {2}, [](double a, double) { return a; })));
  check(heat_map(map_of(spaced(0, 1, 5), spaced(0, 1, 5), five)));
  check(heat_map(map_of(spaced(0, 1, 5), spaced(0, 1, 5), [](double, double) { return nan; })));
  check(heat_map(
      map_of(spaced(0, 1, 5), spaced(0, 1, 5), [](double a, double b) { return 1e9 * a - 1e-9 * b; })));
  HeatMap bad = map_of({1, 2}, {1, 2}, five);
  bad.z_values.pop_back();
  EXPECT_THROW((void)heat_map(bad), std::invalid_argument);
}

TEST(HeatMap, texts_are_escaped_and_long_titles_wrapped) {
  HeatMap m = map_of({1, 2}, {1, 2}, [](double a, double b) { return a - b; });
  m.title = "a < b & \"c\" " + std::string(70, 'x') + " " + std::string(60, 'y');
  m.subtitle = std::string(300, 'z');
  const std::string svg = heat_map(m);
  check(svg);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
}

// ---- curves, points, bars ----------------------------------------------------------------------------------------

CurveFamily family(int curves, int points) {
  CurveFamily f;
  f.title = "Family";
  f.x = {"speed", "m/s"};
  f.y = {"t_z", "ms", 1e3};
  f.by = "angle";
  for (int k = 0; k < curves; ++k) {
    FigureCurve c{std::to_string(20 + k) + "°", spaced(1, 2, points), {}};
    for (const double x : c.x) c.y.push_back(0.01 * x + 1e-5 * k);
    f.curves.push_back(std::move(c));
  }
  return f;
}

TEST(CurveFamily, curves_are_named_at_their_ends_without_overlap) {
  const std::string svg = curve_family(family(8, 40));
  std::vector<double> heights;
  for (const Element& e : check(svg))
    if (e.name == "text" && e.text.find("°") != std::string::npos) heights.push_back(number(e, "y"));
  ASSERT_EQ(heights.size(), 8u);
  std::sort(heights.begin(), heights.end());
  for (std::size_t k = 1; k < heights.size(); ++k) EXPECT_GE(heights[k] - heights[k - 1], 12);
  EXPECT_EQ(svg, curve_family(family(8, 40)));
}

TEST(CurveFamily, differs_without_colours_and_marks_few_points) {
  const std::string few = curve_family(family(3, 10)), many = curve_family(family(3, 100));
  EXPECT_THAT(many, HasSubstr("stroke-dasharray"));
  EXPECT_EQ(count(check(few), "circle"), 11u);  // the first curve, and beside its name
  EXPECT_EQ(count(check(many), "circle"), 0u);
  check(curve_family(family(60, 50)));
}

TEST(CurveFamily, gaps_and_degenerate_data) {
  CurveFamily f = family(2, 9);
  f.curves[0].y[4] = nan;
  std::size_t lines = 0;
  for (const Element& e : check(curve_family(f))) lines += e.name == "polyline";
  EXPECT_EQ(lines, 3u);
  check(curve_family({}));
  check(curve_family(family(1, 1)));
  CurveFamily none = family(1, 3);
  none.curves[0].y = {nan, nan, nan};
  EXPECT_THAT(curve_family(none), HasSubstr("nothing to show"));
  none.curves[0].y.pop_back();
  EXPECT_THROW((void)curve_family(none), std::invalid_argument);
}

TEST(Scatter, few_points_are_markers_many_are_dots) {
  Scatter s;
  s.x = {"x", ""};
  s.y = {"residual", "mm", 1e3};
  s.zero_line = s.mean_line = true;
  s.series = {{"first", spaced(0, 1, 50), spaced(1e-3, 2e-3, 50)},
              {"second", spaced(0, 1, 5000), spaced(1e-3, 2e-3, 5000)}};
  const std::string svg = scatter(s);
  EXPECT_EQ(count(check(svg), "circle"), 51u);
  EXPECT_LT(svg.size(), 200'000u);
  EXPECT_EQ(svg, scatter(s));
  s.series = {{"", {1, nan}, {nan, 2}}};
  check(scatter(s));
  check(scatter({}));
}

TEST(BarChart, bars_error_bars_and_undefined_values) {
  BarChart b;
  b.title = "Sensitivity";
  b.value = {"share of the variance", ""};
  b.series = {"first order", "total"};
  b.panels = {
      {"t_s",
       {{"angle", {{0.3, 0.2, 0.4}, {0.6, 0.5, 1.3}}}, {"rate", {{-0.01, -0.05, 0.03}, {0.1, nan, nan}}}}},
      {"z_T", {{"a rather long name of a knob", {{nan, nan, nan}, {nan, nan, nan}}}}}};
  const std::string svg = bar_chart(b);
  check(svg);
  EXPECT_THAT(svg, HasSubstr("undefined"));
  EXPECT_EQ(svg, bar_chart(b));
  check(bar_chart({}));
}

TEST(Ticks, are_written_with_the_decimals_of_their_step) {
  using svg::tick_texts;
  EXPECT_THAT(tick_texts(std::vector<double>{1, 1.5, 2}), ::testing::ElementsAre("1.0", "1.5", "2.0"));
  EXPECT_THAT(tick_texts(std::vector<double>{-20, 0, 20}), ::testing::ElementsAre("−20", "0", "20"));
  EXPECT_THAT(tick_texts(std::vector<double>{0, 2e6}), ::testing::ElementsAre("0", "2·10⁶"));
  EXPECT_THAT(tick_texts(std::vector<double>{0.1 * 3, 0.1 * 4}), ::testing::ElementsAre("0.3", "0.4"));
  EXPECT_THAT(tick_texts(std::vector<double>{1e-7, 2e-7}), ::testing::ElementsAre("1·10⁻⁷", "2·10⁻⁷"));
}

}  // namespace
