// Measured trajectories as files hand them over: gaps, units, comments, and errors that say where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "study/capture_plane.hpp"
#include "thud/base/error.hpp"
#include "thud/scenario/scenario.hpp"
#include "thud/study/measurement.hpp"

namespace {

using namespace thud;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<NamedObservable>& observables() {
  static const Scenario s = load_scenario("free_link");
  return s.observables;
}

Measurement read(const std::string& text, const MeasurementRules& rules = {}) {
  return read_measurement(text, "run.csv", observables(), rules);
}

// "line:column: message" of what is wrong.
std::string refusal(const std::string& text, const MeasurementRules& rules = {}) {
  try {
    (void)read(text, rules);
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::StartsWith("run.csv"));
    return std::string(e.what()).substr(std::string("run.csv:").size());
  }
  return "accepted";
}

TEST(Measurement, units_become_si) {
  const Measurement m =
      read("time [ms], link.tip.z [mm], link.angle [deg], link.tip.x\n0, 1, 180, 4\n2, 3, -90, 5\n");
  EXPECT_THAT(m.time, ElementsAre(0, 0.002));
  ASSERT_EQ(m.columns.size(), 3u);
  EXPECT_EQ(m.columns[0].what.name, "link.tip.z");
  EXPECT_THAT(m.columns[0].value, ElementsAre(0.001, 0.003));
  EXPECT_THAT(m.columns[1].value, ElementsAre(::testing::DoubleEq(M_PI), ::testing::DoubleEq(-M_PI / 2)));
  EXPECT_THAT(m.columns[2].value, ElementsAre(4, 5));
  EXPECT_EQ(m.count(), 6u);
}

TEST(Measurement, gaps_comments_blank_lines_and_line_ends) {
  const Measurement m = read(
      "\xEF\xBB\xBF# made by hand\r\n\r\n time , link.tip.z [m] ,\"link.tip.x [m]\"\r\n0,1,\r\n"
      "  # a pause\r\n0.5, nan ,+2e0\r\n\r\n0.75,,NaN\r\n1,3,\"4\"");
  EXPECT_THAT(m.time, ElementsAre(0, 0.5, 0.75, 1));
  EXPECT_EQ(m.columns[0].value[0], 1);
  EXPECT_TRUE(std::isnan(m.columns[1].value[0]));
  EXPECT_TRUE(std::isnan(m.columns[0].value[1]));
  EXPECT_EQ(m.columns[1].value[1], 2);
  EXPECT_EQ(m.columns[1].value[3], 4);
  EXPECT_EQ(m.count(), 4u);
}

TEST(Measurement, old_line_ends_semicolons_tabs_and_parentheses) {
  EXPECT_EQ(read("t (s);link.tip.z (mm)\r0;1\r1;2\r").count(), 2u);
  EXPECT_EQ(read("time\tlink.tip.z\n0\t1\n1\t2\n").count(), 2u);
}

TEST(Measurement, times_may_be_unequal_or_repeated_but_not_fall) {
  EXPECT_THAT(read("time,link.tip.z\n0,1\n0.1,2\n0.1,2\n7,3\n").time, ElementsAre(0, 0.1, 0.1, 7));
  EXPECT_EQ(refusal("time,link.tip.z\n0,1\n0.2,2\n0.1,3\n"), "4:1: the time goes back, from 0.2 s to 0.1 s");
  EXPECT_THAT(refusal("time,link.tip.z\n-0.1,1\n"), HasSubstr("2:1: the time -0.1 s lies before the start"));
}

TEST(Measurement, columns_can_be_renamed_and_left_out_and_times_cut) {
  MeasurementRules rules;
  rules.rename = {{"M1_Z", "link.tip.z"}};
  rules.ignore = {"frame"};
  rules.from = 0.9;
  rules.to = 2.1;
  rules.start = 1;
  EXPECT_THAT(refusal("frame,time [s],M1_Z [mm]\n1,0.95,7\n", rules),
              HasSubstr("before the start of the run at 1 s"));
  rules.from = 1;
  const Measurement m = read("frame,time [s],M1_Z [mm]\n1,0.5,7\nx,1,7\n3,2,8\n4,3,9\n", rules);
  EXPECT_THAT(m.time, ElementsAre(0, 1));
  EXPECT_THAT(m.columns[0].value, ElementsAre(0.007, 0.008));
  EXPECT_EQ(m.left_out, 2);
}

TEST(Measurement, bad_cells_are_named_with_their_place) {
  EXPECT_EQ(refusal("time, link.tip.z\n0, 1\n1,  1.5x\n"),
            "3:5: \"1.5x\" in column \"link.tip.z\" is not a number");
  EXPECT_EQ(refusal("# ä\ntime, link.tip.z\nsoon, 1\n"), "3:1: \"soon\" in column \"time\" is not a number");
  EXPECT_EQ(refusal("time, link.tip.z\n, 1\n"), "2:1: this row has no time");
  EXPECT_EQ(refusal("time, link.tip.z\n0, inf\n"), "2:4: \"inf\" in column \"link.tip.z\" is not a number");
  EXPECT_EQ(refusal("time; link.tip.z\n0; 1,5\n0.5; 1\n"),
            "2:4: \"1,5\" in column \"link.tip.z\" is not a number; decimals are written with a point");
  EXPECT_EQ(refusal("time, link.tip.z\n0, 1, 2\n"), "2:7: 3 values, but the first line names 2 columns");
  EXPECT_EQ(refusal("time, link.tip.z\n0\n"), "2:1: 1 value, but the first line names 2 columns");
  EXPECT_EQ(refusal("time, link.tip.z\n0, \"1\n"), "2:4: a quote that is not closed on its line");
  EXPECT_EQ(refusal("time, link.tip.z\n0, \"1\"2\n"), "2:7: there is text behind the closing quote");
}

// As some systems write them. What stands in a column without a name is not passed over.
TEST(Measurement, lines_may_end_with_a_separator) {
  EXPECT_EQ(read("time;link.tip.z;\n0;1;\n1;2\n").columns.at(0).value, (std::vector<double>{1, 2}));
  EXPECT_EQ(refusal("time;link.tip.z;\n0;1;\n1;2;3\n"), "3:5: \"3\" stands in a column without a name");
}

TEST(Measurement, bad_headings_are_named_with_their_place) {
  EXPECT_THAT(refusal("time, link.tipp.z\n0, 1\n"),
              HasSubstr("1:7: the scenario has no observable \"link.tipp.z\"; "
                        "did you mean \"link.tip.z\"?"));
  EXPECT_THAT(refusal("time, link.tip.z [kg]\n0, 1\n"), HasSubstr("1:7: column \"link.tip.z\": "));
  EXPECT_THAT(refusal("time, link.tip.z, link.tip.z\n0, 1, 2\n"), HasSubstr("1:19: there is a column"));
  EXPECT_THAT(refusal("time, t, link.tip.z\n0, 1, 2\n"), HasSubstr("1:7: there is a time column already"));
  EXPECT_THAT(refusal("0, 1\n0.1, 2\n"), HasSubstr("1:1: the scenario has no observable \"0\""));
  EXPECT_THAT(refusal("link.tip.z\n1\n"), HasSubstr("one of them must be \"time\""));
  EXPECT_THAT(refusal("time\n1\n"), HasSubstr("no column besides the time"));
  EXPECT_THAT(refusal("time,,link.tip.z\n1,2,3\n"), HasSubstr("1:6: a column without a name"));
}

TEST(Measurement, a_file_without_values_is_refused) {
  EXPECT_EQ(refusal(""), " there is nothing in this file");
  EXPECT_EQ(refusal("# only words\n"), " there is nothing in this file");
  EXPECT_EQ(refusal("time, link.tip.z\n0,\n1, nan\n"), " there is not one measured value in this file");
  EXPECT_THROW((void)load_measurement("/no/such/file.csv", observables()), InputError);
  EXPECT_THROW((void)load_measurement("/", observables()), InputError);
}

// ---- files as laboratories have them ---------------------------------------------------------------------------

MeasurementRules tip_rules() {
  MeasurementRules rules;
  rules.points = {{"link.tip", "M1"}};
  rules.x = FileAxis{1, 1};
  rules.z = FileAxis{2, -1};
  return rules;
}

TEST(Measurement, decimal_commas_and_preambles_are_recognised) {
  const Measurement m =
      read("Messung vom 3. Mai\nKamera; 2\n\nt [ms]; link.tip.z [mm]\n0,0; 1,25\n2,0; -1,5\n4; 7\n");
  EXPECT_THAT(m.time, ElementsAre(0, 0.002, 0.004));
  EXPECT_THAT(m.columns[0].value, ElementsAre(0.00125, -0.0015, 0.007));
  MeasurementRules skipped;
  skipped.skip = 2;
  EXPECT_EQ(read("time, nonsense\n1, 2\ntime, link.tip.z\n0, 5\n", skipped).columns[0].value[0], 5);
  EXPECT_THAT(refusal("time; link.tip.z\n0,5; 1.5\n"), HasSubstr("is not a number"));
}

// As NDI writes them, with its code for a marker that was not seen.
TEST(Measurement, frames_with_a_rate_and_the_code_of_a_missing_marker) {
  const std::string text =
      "Number of frames: 3\nFrequency: 500\nUnits: mm\n\nFrame,M1 x,M1 y,M1 z\n"
      "7,100,200,300\n8,-3.697314E+28,-3.697314E+28,-3.697314E+28\n9,101,203,298\n";
  const Measurement m = read(text, tip_rules());
  EXPECT_THAT(m.time, ElementsAre(0, 0.002, 0.004));
  ASSERT_EQ(m.columns.size(), 2u);
  EXPECT_EQ(m.columns[0].what.name, "link.tip.x");
  EXPECT_EQ(m.columns[0].value[0], 0.2);
  EXPECT_TRUE(std::isnan(m.columns[0].value[1]));
  EXPECT_EQ(m.columns[1].value[2], -0.298);
  EXPECT_EQ(m.count(), 4u);
  ASSERT_EQ(m.notes.size(), 1u);
  EXPECT_EQ(m.notes[0], "3 cells hold -3.697314e+28, the code of something not seen: a gap");
}

// As Vicon writes them: markers on one line, axes on the next, units on a third; the rate stands alone.
TEST(Measurement, markers_axes_and_units_on_lines_of_their_own) {
  MeasurementRules rules = tip_rules();
  rules.points = {{"link.tip", "Link:M1"}};
  rules.ignore = {"Sub Frame", "Link:M2*"};
  const std::string text =
      "Trajectories\n500\n,,Link:M1,,,Link:M2,,\nFrame,Sub Frame,X,Y,Z,X,Y,Z\n,,mm,mm,mm,mm,mm,mm\n"
      "1,0,100,200,300,1,2,3\n2,0,101,203,298,1,2,3\n";
  EXPECT_THAT(refusal(text, rules), HasSubstr("nothing says how many there are in a second"));
  rules.rate = 500;
  const Measurement m = read(text, rules);
  EXPECT_THAT(m.time, ElementsAre(0, 0.002));
  EXPECT_THAT(m.columns[0].value, ElementsAre(0.2, 0.203));
  EXPECT_THAT(m.columns[1].value, ElementsAre(-0.3, -0.298));
  rules.ignore = {"Sub Frame"};
  EXPECT_THAT(refusal(text, rules), HasSubstr("the scenario has no observable \"Link:M2 x\""));
}

// As Qualisys writes them: tabs, and names with underscores; and OptiTrack, with a time and rotations.
TEST(Measurement, tabs_times_and_names_of_other_systems) {
  MeasurementRules rules = tip_rules();
  rules.ignore = {"M2*"};
  rules.unit = "mm";
  const Measurement q = read(
      "NO_OF_FRAMES\t2\nFREQUENCY\t500\nMARKER_NAMES\tM1\tM2\nFrame\tTime\tM1_X\tM1_Y\tM1_Z\tM2_X\tM2_Y\tM2_"
      "Z\n"
      "1\t0\t1\t2\t3\t4\t5\t6\n2\t0.002\t1\t2\t3\t4\t5\t6\n",
      rules);
  EXPECT_THAT(q.time, ElementsAre(0, 0.002));
  EXPECT_THAT(q.columns[0].value, ElementsAre(0.002, 0.002));
  MeasurementRules optitrack;
  optitrack.points = {{"link.tip", "M1"}};
  optitrack.x = FileAxis{0, 1};
  optitrack.z = FileAxis{1, -1};
  const Measurement o = read(
      "Format Version,1.23,Capture Frame Rate,240,Length Units,Meters\n\n,Type,Marker,Marker,Marker\n"
      ",Name,M1,M1,M1\n,ID,5,5,5\n,,Position,Position,Position\nFrame,Time (Seconds),X,Y,Z\n"
      "0,0.000000,0.5,1.5,2\n1,0.004167,0.5,1.25,2\n",
      optitrack);
  EXPECT_THAT(o.time, ElementsAre(0, 0.004167));
  EXPECT_THAT(o.columns[1].value, ElementsAre(-1.5, -1.25));
}

TEST(Measurement, blanks_part_cells_too) {
  const Measurement m = read("time [s]  link.tip.z [mm]\n 0.0   1\n 0.5   2\n");
  EXPECT_THAT(m.columns[0].value, ElementsAre(0.001, 0.002));
}

// A circle in a plane that stands askew in the laboratory, with z up: found again to rounding.
TEST(Measurement, points_in_space_are_laid_into_the_plane_of_motion) {
  const double turn = 0.7;  // about the vertical
  std::string text = "time [s],M1 X [mm],M1 Y [mm],M1 Z [mm]\n";
  std::vector<double> x, z;
  for (int i = 0; i < 40; ++i) {
    x.push_back(0.3 * std::cos(0.1 * i) - 0.05);
    z.push_back(0.2 * std::sin(0.1 * i) + 0.1);
    text += std::to_string(0.002 * i) + ","
          + std::to_string(1e3 * (x.back() * std::cos(turn) + 0.4 * std::sin(turn))) + ","
          + std::to_string(1e3 * (x.back() * std::sin(turn) - 0.4 * std::cos(turn))) + ","
          + std::to_string(i == 20 ? 1e9 : -1e3 * z.back()) + "\n";
  }
  MeasurementRules rules;
  rules.points = {{"link.tip", "M1"}};
  rules.find_plane = true;
  const Measurement m = read(text, rules);
  for (std::size_t i = 0; i < 40; ++i) {
    if (i == 20) continue;
    EXPECT_NEAR(m.columns[0].value[i], x[i], 1e-8) << i;
    EXPECT_NEAR(m.columns[1].value[i], z[i], 1e-8) << i;
  }
  ASSERT_EQ(m.notes.size(), 1u);
  EXPECT_THAT(m.notes[0], HasSubstr("the points move within"));
  // With an origin given along the axes of the scenario.
  rules.origin_x = 0.1;
  EXPECT_NEAR(read(text, rules).columns[0].value[3], x[3] - 0.1, 1e-8);
  std::string line = "time [s],M1 X [mm],M1 Y [mm],M1 Z [mm]\n";
  for (int i = 0; i < 9; ++i) line += std::to_string(i) + ",1,2," + std::to_string(i * i) + "\n";
  EXPECT_THAT(refusal(line, rules), HasSubstr("the points move along a line"));
}

// Two markers on a link that falls and turns a little, with the noise of a camera: their plane is found as well as plain
// least squares find it (a lever of 40 mm, 60 places, 0.1 mm: some hundredths of a degree), however the laboratory is
// turned; and a marker in front of the other's plane does not turn it.
TEST(Measurement, the_plane_of_noisy_points) {
  std::normal_distribution<double> scatter(0, 1e-4);
  for (const auto& [front, allowed] : {std::pair{0.0, 0.15}, std::pair{0.02, 0.8}}) {
    for (int seed = 0; seed < 40; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      const double turn = 9 * seed * M_PI / 180;
      std::vector<std::vector<Eigen::Vector3d>> markers(2);
      for (int i = 0; i < 31; ++i) {
        const double t = 0.002 * i, angle = 0.6 + 3 * t;
        for (int m = 0; m < 2; ++m) {
          const double x = (m + 1) * 0.07 * std::sin(angle),
                       z = -2 * t + 15 * t * t - 0.07 * m * std::cos(angle);
          const double y = m * front;
          markers[std::size_t(m)].emplace_back(x * std::cos(turn) - y * std::sin(turn) + scatter(random),
                                               x * std::sin(turn) + y * std::cos(turn) + scatter(random),
                                               z + scatter(random));
        }
      }
      markers[0][7][1] += 0.02;  // a spike, inside of where the marker goes
      markers[1][9].setConstant(NAN);
      const MotionPlane p = find_plane(markers, Eigen::Vector3d::UnitZ());
      const double off = p.x[0] * std::sin(turn) - p.x[1] * std::cos(turn);
      EXPECT_LT(std::abs(off) * 180 / M_PI, allowed) << seed << " " << front;
      EXPECT_NEAR(p.z[2], -1, 1e-3);
      EXPECT_NEAR(p.off, 1e-4, 3e-5);
    }
  }
}

// One that leans by 5° is not taken for an upright one.
TEST(Measurement, a_plane_that_leans) {
  std::vector<std::vector<Eigen::Vector3d>> markers(1);
  std::mt19937 random(5);
  std::normal_distribution<double> scatter(0, 1e-4);
  const double lean = 5 * M_PI / 180;
  for (int i = 0; i < 40; ++i) {
    const double x = 0.2 * std::cos(0.1 * i), z = 0.3 * std::sin(0.1 * i);
    markers[0].emplace_back(x + scatter(random), z * std::sin(lean) + scatter(random),
                            z * std::cos(lean) + scatter(random));
  }
  const MotionPlane p = find_plane(markers, Eigen::Vector3d::UnitZ());
  EXPECT_NEAR(std::asin(std::abs(p.normal[2])), lean, 1e-3);
}

TEST(Measurement, a_code_that_nobody_declared_is_named) {
  std::string text = "time [s],link.tip.z [mm]\n";
  for (int i = 0; i < 30; ++i)
    text += std::to_string(0.01 * i) + "," + (i >= 5 && i < 12 ? "9999" : std::to_string(0.5 * i)) + "\n";
  const Measurement m = read(text);
  ASSERT_EQ(m.notes.size(), 1u);
  EXPECT_THAT(m.notes[0], HasSubstr("7 cells hold 9999"));
  EXPECT_THAT(m.notes[0], HasSubstr("missing = [9999]"));
  MeasurementRules rules;
  rules.missing = {9999};
  EXPECT_THAT(read(text, rules).notes[0], HasSubstr("a gap"));
}

TEST(Measurement, axes_of_columns_are_turned) {
  MeasurementRules rules;
  rules.z = FileAxis{2, -1};
  rules.origin_z = 0.5;
  EXPECT_THAT(read("time, link.tip.z, link.tip.x\n0, 1, 2\n1, 3, 4\n", rules).columns[0].value,
              ElementsAre(-1.5, -3.5));
}

}  // namespace
