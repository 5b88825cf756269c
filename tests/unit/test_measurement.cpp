// Measured trajectories as files hand them over: gaps, units, comments, and errors that say where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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
  EXPECT_EQ(refusal("time; link.tip.z\n0; 1,5\n"),
            "2:4: \"1,5\" in column \"link.tip.z\" is not a number; decimals are written with a point");
  EXPECT_EQ(refusal("time, link.tip.z\n0, 1, 2\n"), "2:7: 3 values, but the first line names 2 columns");
  EXPECT_EQ(refusal("time, link.tip.z\n0\n"), "2:1: 1 value, but the first line names 2 columns");
  EXPECT_EQ(refusal("time, link.tip.z\n0, \"1\n"), "2:4: a quote that is not closed on its line");
  EXPECT_EQ(refusal("time, link.tip.z\n0, \"1\"2\n"), "2:7: there is text behind the closing quote");
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

}  // namespace
