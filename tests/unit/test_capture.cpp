// A file of measured values, looked at: layout, rate, gaps, codes, outliers, axes, plane and first touch. Source of truth:
// closed forms that the files are written from.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "study/capture_signal.hpp"
#include "thud/base/error.hpp"
#include "thud/study/capture.hpp"

namespace {

using namespace thud;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A fall that begins with 1 m/s, in sand from 40 ms on, where it is braked by 60 m/s²; z up, in a plane turned by 30°.
struct Fall {
  double rate = 500, touch = 0.04, noise = 5e-5;

  std::string text(const std::string& separator = ",", char decimal = '.') const {
    std::mt19937 random(3);
    std::normal_distribution<double> scatter(0, noise);
    std::string out = fmt::format("Frequency{}500\nUnits{}mm\n", separator, separator);
    out += fmt::format("Frame{0}M1 X{0}M1 Y{0}M1 Z{0}M2 X{0}M2 Y{0}M2 Z\n", separator);
    for (int i = 0; i < 50; ++i) {
      const double t = i / rate, after = std::max(0.0, t - touch);
      const double fallen = t + 0.5 * 9.81 * t * t - 0.5 * 60 * after * after;
      out += fmt::format("{}", 100 + i);
      for (double height : {0.5, 0.4}) {
        const double along = 0.2 * t * height;
        for (double x : {along * std::cos(M_PI / 6), along * std::sin(M_PI / 6), height - fallen}) {
          std::string cell = fmt::format("{:.4f}", 1e3 * (x + scatter(random)));
          std::replace(cell.begin(), cell.end(), '.', decimal);
          out += separator + cell;
        }
      }
      out += "\n";
    }
    return out;
  }
};

// A fall of 2.5 mm a frame that is braked at once: spikes from 8 mm to 10 m are seen, and nothing else is.
TEST(Capture, spikes_of_a_fast_motion_are_seen) {
  std::mt19937 random(5);
  std::normal_distribution<double> scatter(0, 1e-4);
  for (const double spike : {0.0, 8e-3, -30e-3, 0.1, -0.5, 10.0})
    for (const std::size_t at : {4u, 11u, 19u}) {
      std::vector<double> y;
      for (int i = 0; i < 30; ++i)
        y.push_back((i < 12 ? 2.5e-3 * i : 0.03 + 0.8e-3 * (i - 12)) + scatter(random));
      y[at] += spike;
      EXPECT_EQ(find_spikes(y), spike == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{at})
          << spike;
    }
}

TEST(Capture, layout_rate_and_columns) {
  for (const auto& [separator, decimal] : {std::pair{",", '.'}, std::pair{";", ','}, std::pair{"\t", '.'}}) {
    const Capture c = view_capture(Fall().text(separator, decimal), "fall.csv");
    EXPECT_EQ(c.preamble, 2);
    EXPECT_EQ(c.header_line, 3);
    EXPECT_EQ(c.separator, separator[0]);
    EXPECT_EQ(c.decimal, decimal);
    EXPECT_EQ(c.clock, "frames");
    EXPECT_EQ(c.rate, 500);
    ASSERT_EQ(c.columns.size(), 6u);
    EXPECT_THAT(c.markers(), ElementsAre("M1", "M2"));
    EXPECT_EQ(c.columns[5].axis, 2);
    EXPECT_EQ(c.columns[5].unit, "mm");
    EXPECT_NEAR(c.columns[5].noise, 0.05, 0.025);
    EXPECT_THAT(c.codes, IsEmpty());
    EXPECT_THAT(c.outliers, IsEmpty());
  }
}

TEST(Capture, first_touch_vertical_and_plane) {
  const Capture c = view_capture(Fall().text(), "fall.csv");
  ASSERT_TRUE(c.touch);
  EXPECT_NEAR(c.touch->first, 0.04, 0.004);
  ASSERT_TRUE(c.vertical);
  EXPECT_EQ(c.vertical->axis, 2);
  EXPECT_TRUE(c.vertical->is_up);
  EXPECT_NEAR(c.vertical->acceleration, -9.81, 4 * c.vertical->error);
  ASSERT_TRUE(c.plane);
  EXPECT_LT(c.plane->off, 1e-4);
  EXPECT_THAT(c.study_lines(), HasSubstr("rate = 500"));
  EXPECT_THAT(c.study_lines(), HasSubstr("\"BODY.M1\" = \"M1\""));
  EXPECT_THAT(c.study_lines(), HasSubstr("start = \""));
}

// A force that is there at once, and one that grows from nothing with the depth: the touch lies within what is said of it,
// and what is advised covers it.
TEST(Capture, the_first_touch_lies_within_its_interval) {
  for (int seed = 1; seed <= 20; ++seed)
    for (const bool grows : {false, true}) {
      std::mt19937 random(static_cast<unsigned>(seed));
      std::normal_distribution<double> scatter(0, 1e-4);
      std::string text = "time [s],M1 X [mm],M1 Z [mm]\n";
      // Below the surface z'' = g − k z, so that z = g/k + sin and cos of √k t.
      const double touch = 0.05, speed = 1.5, k = 1500, w = std::sqrt(k), g = 9.81;
      for (int i = 0; i < 55; ++i) {
        const double t = 0.002 * i - touch;
        const double flight = speed * t + 0.5 * g * t * t;
        const double bed =
            grows ? g / k + speed / w * std::sin(w * t) - g / k * std::cos(w * t) : flight - 0.5 * 30 * t * t;
        text += fmt::format("{},{:.4f},{:.4f}\n", 0.002 * i, 1e3 * scatter(random),
                            1e3 * (scatter(random) - (t < 0 ? flight : bed)));
      }
      const Capture c = view_capture(text, "fall.csv");
      ASSERT_TRUE(c.touch) << seed << grows;
      EXPECT_LT(std::abs(c.touch->first - touch), c.touch->second) << seed << grows;
      EXPECT_LT(c.touch->second, 0.02) << seed << grows;
      ASSERT_TRUE(c.vertical);
      EXPECT_EQ(c.vertical->axis, 2);
      EXPECT_THAT(c.study_lines(), HasSubstr("axes = { x = \"X\", z = \"-Z\" }\n"));
      EXPECT_THAT(c.study_lines(), HasSubstr("start = { within = \""));
    }
}

// A file that begins in the bed: the force along x happens to be near g. No touch, no vertical, and nothing advised that a
// fit would refuse.
TEST(Capture, a_file_that_begins_at_the_touch) {
  for (int seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::normal_distribution<double> scatter(0, 1e-4);
    std::string text = "time [s],link.tip.x [mm],link.tip.z [mm]\n";
    for (int i = 0; i < 40; ++i) {
      const double t = 0.002 * i, w = 30;
      text += fmt::format("{},{:.4f},{:.4f}\n", t, 1e3 * (0.5 * 9.5 * t * t * (1 - 6 * t) + scatter(random)),
                          1e3 * (1.5 / w * std::sin(w * t) + scatter(random)));
    }
    const Capture c = view_capture(text, "bed.csv");
    EXPECT_FALSE(c.vertical) << seed;
    EXPECT_FALSE(c.touch) << seed;
    EXPECT_EQ(c.study_lines().find("axes"), std::string::npos);
    EXPECT_EQ(c.study_lines().find("points"), std::string::npos);  // the columns are observables as they are
    EXPECT_EQ(c.study_lines().find("start"), std::string::npos);
  }
}

// The vertical may be X; then x lies along another axis.
TEST(Capture, no_axis_is_advised_twice) {
  std::mt19937 random(1);
  std::normal_distribution<double> scatter(0, 5e-5);
  std::string text = "time [s],M1 X [mm],M1 Y [mm]\n";
  for (int i = 0; i < 50; ++i) {
    const double t = 0.002 * i, after = std::max(0.0, t - 0.05);
    text += fmt::format("{},{:.4f},{:.4f}\n", t,
                        1e3 * (-t - 0.5 * 9.81 * t * t + 30 * after * after + scatter(random)),
                        1e3 * scatter(random));
  }
  EXPECT_THAT(view_capture(text, "x.csv").study_lines(), HasSubstr("axes = { x = \"Y\", z = \"-X\" }"));
}

// Every number is put where a measured one stood.
std::string with_cell(std::string text, int line, int column, const std::string& cell) {
  std::size_t at = 0;
  for (int k = 1; k < line; ++k) at = text.find('\n', at) + 1;
  for (int k = 0; k < column; ++k) at = text.find(',', at) + 1;
  return text.replace(at, text.find_first_of(",\n", at) - at, cell);
}

TEST(Capture, codes_gaps_and_outliers) {
  std::string text = Fall().text();
  text = with_cell(text, 10, 3, "-3.697314E+28");
  text = with_cell(text, 20, 6, "");
  text = with_cell(text, 21, 6, "nan");
  for (int line : {30, 31, 40}) text = with_cell(text, line, 2, "9999");
  text = with_cell(text, 25, 1, "41.5");
  const Capture c = view_capture(text, "fall.csv");
  ASSERT_EQ(c.codes.size(), 2u);
  EXPECT_EQ(c.codes[0].value, -3.697314e28);
  EXPECT_THAT(c.codes[0].columns, ElementsAre("M1 Z"));
  EXPECT_EQ(c.codes[1].value, 9999);
  EXPECT_EQ(c.codes[1].cells, 3);
  EXPECT_EQ(c.codes[1].first_line, 30);
  ASSERT_EQ(c.outliers.size(), 1u);
  EXPECT_EQ(c.outliers[0].column, "M1 X");
  EXPECT_EQ(c.outliers[0].line, 25);
  EXPECT_EQ(c.columns[5].gaps, 2);
  EXPECT_EQ(c.columns[5].longest_gap, 2);
  EXPECT_THAT(c.study_lines(), HasSubstr("missing = [-3.697314e+28, 9999]"));
  EXPECT_NEAR(c.touch->first, 0.04, 0.004);  // as without them
}

TEST(Capture, zeros_of_a_whole_marker_may_be_a_code) {
  std::string text = Fall().text();
  for (int line : {12, 13, 14})
    for (int column : {4, 5, 6}) text = with_cell(text, line, column, "0");
  const Capture c = view_capture(text, "fall.csv");
  ASSERT_EQ(c.codes.size(), 1u);
  EXPECT_FALSE(c.codes[0].certain);
  EXPECT_EQ(c.codes[0].cells, 9);
  EXPECT_THAT(to_text(c, {}), HasSubstr("missing = [0] declares it"));
}

TEST(Capture, a_kink_is_no_outlier) {
  // A ball that bounces: z = |1 − 2t| has a kink, and not one spike.
  std::string text = "time [s], z [m]\n";
  for (int i = 0; i <= 60; ++i)
    text += fmt::format("{},{:.5f}\n", 0.01 * i, std::abs(0.6 - 0.02 * i) + 1e-4 * (i * 7 % 5));
  EXPECT_THAT(view_capture(text, "bounce.csv").outliers, IsEmpty());
}

TEST(Capture, times_that_are_uneven_and_rates_that_are_unknown) {
  const Capture c = view_capture("time [s],a\n0,1\n0.1,2\n0.2,3\n0.5,4\n0.6,5\n", "x.csv");
  EXPECT_NEAR(c.rate, 10, 1e-9);
  EXPECT_EQ(c.uneven, 1);
  const Capture none = view_capture("frame,a\n1,1\n2,2\n4,3\n", "x.csv");
  EXPECT_EQ(none.rate, 0);
  EXPECT_EQ(none.uneven, 1);
  EXPECT_THAT(to_text(none, {}), HasSubstr("no rate is said"));
  CaptureHints hints;
  hints.rate = 100;
  EXPECT_NEAR(view_capture("frame,a\n1,1\n2,2\n4,3\n", "x.csv", hints).time[2], 0.03, 1e-12);
}

TEST(Capture, what_is_no_table_is_refused_with_its_place) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      (void)view_capture(text, "x.csv");
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(""), "x.csv: there is nothing in this file");
  EXPECT_EQ(refusal("time,a\n0,1\n1,b\n"), "x.csv:3:3: \"b\" in column \"a\" is not a number");
  EXPECT_THAT(refusal("time,a\n0,1\n1,2,3\n"), HasSubstr("x.csv:3:5: 3 values"));
  EXPECT_THAT(refusal("time,a\n"), HasSubstr("not one line of values"));
  EXPECT_THAT(refusal("time,a [parsnip]\n0,1\n"), HasSubstr("x.csv:1:6: column \"a\""));
}

TEST(Capture, reports) {
  const Capture c = view_capture(Fall().text(), "fall.csv");
  const nlohmann::json j = nlohmann::json::parse(to_json(c));
  EXPECT_EQ(j["clock"]["rate"], 500);
  EXPECT_EQ(j["vertical"]["points"], "up");
  EXPECT_EQ(j["columns"].size(), 6u);
  const std::string text = to_text(c, {.unicode = false});
  for (char ch : text) ASSERT_TRUE(ch == '\n' || (ch >= ' ' && ch <= '~'));
  EXPECT_THAT(text, HasSubstr("Z points up"));
  EXPECT_THAT(make_capture_picture(c), ::testing::EndsWith("</svg>\n"));
}

}  // namespace
