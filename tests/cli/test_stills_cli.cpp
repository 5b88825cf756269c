// thud run --svg and thud reproduce --figures as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace {

namespace fs = std::filesystem;
using namespace thud::test;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class StillsCli : public ShellTest {
 protected:
  // Bad input leaves no file.
  std::string refusal(const std::string& arguments) const {
    const std::string message = ShellTest::refusal(arguments);
    EXPECT_FALSE(fs::exists(folder / "a.svg"));
    return message;
  }
};

TEST_F(StillsCli, run_draws_a_figure) {
  const Result r = thud("run free_link --svg a.svg");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, EndsWith("\nWrote a.svg\n"));
  const std::string svg = content(folder / "a.svg");
  EXPECT_THAT(svg, AllOf(StartsWith("<svg "), EndsWith("</svg>\n"), HasSubstr("link.tip.depth (mm)")));
  EXPECT_EQ(thud("run free_link --svg b.svg --quiet").out, "");
  EXPECT_EQ(content(folder / "b.svg"), svg);
}

TEST_F(StillsCli, plots_and_poses_can_be_chosen) {
  EXPECT_EQ(thud("run free_link --quiet --svg a.svg --plot link.angle,energy.total --poses 0").status, 0);
  const std::string svg = content(folder / "a.svg");
  EXPECT_THAT(svg,
              AllOf(HasSubstr("energy.total (mJ)"), HasSubstr("link.angle (°)"), Not(HasSubstr("link.tip"))));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"pose\"")));
}

TEST_F(StillsCli, it_goes_along_with_json_and_files) {
  const Result r = thud("run free_link --svg a.svg --json --out results --sample '5 ms'");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(json::accept(r.out));
  EXPECT_TRUE(fs::exists(folder / "results/trajectory.csv"));
  EXPECT_EQ(thud("run free_link --svg b.svg --quiet").status, 0);
  EXPECT_EQ(content(folder / "a.svg"), content(folder / "b.svg"));  // its sampling is its own
}

TEST_F(StillsCli, several_runs_on_one_axes) {
  const Result r = thud("run free_link --svg a.svg --vary speed=1.26,1.87,'2.33 m/s' --set 'angle=55 deg'");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("1.87 m/s"), HasSubstr("t_z"), EndsWith("\nWrote a.svg\n")));
  EXPECT_THAT(content(folder / "a.svg"),
              AllOf(HasSubstr(">2.33 m/s</text>"), HasSubstr(">angle 55°</text>")));
  EXPECT_EQ(thud("run double_pendulum --svg b.svg --vary rate1=-1,-3 --vary rate2=-2,-4 --quiet").status, 0);
  EXPECT_THAT(content(folder / "b.svg"), HasSubstr("rate1 −3 rad/s, rate2 −4 rad/s"));
}

TEST_F(StillsCli, a_range_is_the_list_of_its_values) {
  const Result list =
      thud("run free_link --svg a.svg --vary 'angle=30 deg,40 deg,50 deg' --vary speed=1,1.5,2");
  const Result range =
      thud("run free_link --svg b.svg --vary 'angle=30 deg:50 deg:10 deg' --vary speed=1:2:0.5");
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(range.status, 0) << range.err;
  EXPECT_EQ(range.out.substr(0, range.out.find("Wrote")), list.out.substr(0, list.out.find("Wrote")));
  EXPECT_EQ(content(folder / "a.svg"), content(folder / "b.svg"));
}

TEST_F(StillsCli, a_run_that_does_not_arrive_is_drawn_and_told) {
  const Result r = thud("run free_link --svg a.svg --vary speed=1,2 --time '5 ms'");
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.err, HasSubstr("free_link, 1 m/s: "));
  EXPECT_TRUE(fs::exists(folder / "a.svg"));
}

TEST_F(StillsCli, bad_options_are_refused_before_any_run) {
  const std::string run = "run free_link --svg a.svg ";
  EXPECT_THAT(refusal(run + "--vary spede=1,2"), HasSubstr("did you mean \"speed\"?"));
  EXPECT_THAT(refusal(run + "--vary speed=1,99"), HasSubstr("--vary speed=99: "));
  EXPECT_THAT(refusal(run + "--vary speed=1,,2"), HasSubstr("a value is empty"));
  EXPECT_THAT(refusal(run + "--vary speed"), HasSubstr("NAME=A,B,..."));
  EXPECT_THAT(refusal(run + "--vary speed=1:3"), HasSubstr("expected NAME=FROM:TO:STEP"));
  EXPECT_THAT(refusal(run + "--vary speed=1:3:0.7"), HasSubstr("must be a whole number"));
  EXPECT_THAT(refusal(run + "--vary speed=3:1:0.5"), HasSubstr("does not lead from"));
  EXPECT_THAT(refusal(run + "--vary speed=1:99:1"), HasSubstr("--vary speed=1:99:1: "));
  EXPECT_THAT(refusal(run + "--vary speed=1:3:0.1"), HasSubstr("21 values; a figure has room for 12"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2 --set speed=1"), HasSubstr("fixed by --set"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2 --vary speed=1,2"), HasSubstr("varied twice"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2 --vary angle=0.1"), HasSubstr("go along"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2,3,4,5,6,7,8,9,10,11,12,13"), HasSubstr("room for 12"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2 --json"), HasSubstr("--vary"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2 --out d"), HasSubstr("--vary"));
  EXPECT_THAT(refusal(run + "--vary speed=1,2 --events"), HasSubstr("single run"));
  EXPECT_THAT(refusal(run + "--plot link.tip.dept"), HasSubstr("did you mean \"link.tip.depth\"?"));
  EXPECT_THAT(refusal(run + "--plot 'link.*'"), HasSubstr("room for 8"));
  EXPECT_THAT(refusal(run + "--poses 99"), HasSubstr("24"));
  EXPECT_THAT(refusal("run free_link --svg no/such/a.svg"), HasSubstr("cannot write no/such/a.svg"));
  EXPECT_THAT(refusal("run free_link --svg ."), HasSubstr("cannot write"));
  EXPECT_THAT(refusal("run free_link --vary speed=1,2"), HasSubstr("give --svg FILE"));
  EXPECT_THAT(refusal("run free_link --poses 3"), HasSubstr("give --svg FILE"));
}

TEST_F(StillsCli, reproduce_redraws_figures) {
  const Result r = thud("reproduce --figures d lee2009/figure-4.2 marghitu2013/figure-5");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.out, "Wrote 2 figures and index.html to d\n");
  EXPECT_THAT(content(folder / "d/lee2009/figure_4_2.svg"), HasSubstr("Lee 2009, Fig. 4.2"));
  EXPECT_TRUE(fs::exists(folder / "d/marghitu2013/figure_5.svg"));
}

TEST_F(StillsCli, reproduce_lists_figures) {
  EXPECT_THAT(thud("reproduce --list").out,
              AllOf(HasSubstr("lee2009/4.1 "), HasSubstr("lee2009/figure-4.31 ")));
  EXPECT_THAT(
      thud("reproduce --list marghitu2013").out,
      AllOf(HasSubstr("marghitu2013/1 "), HasSubstr("marghitu2013/figure-4 "), Not(HasSubstr("lee2009"))));
  const std::string one = thud("reproduce --list lee2009/figure-4.2").out;
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1);
  const json j = json::parse(thud("reproduce --list --json").out);
  EXPECT_GT(j["tables"].size(), 10u);
  EXPECT_GT(j["figures"].size(), 40u);
  EXPECT_EQ(j["figures"][0]["file"], "chapnik1991/figure_3.svg");
}

TEST_F(StillsCli, bad_figures_are_refused) {
  EXPECT_THAT(refusal("reproduce --figures d 4.2"), HasSubstr("did you mean \"lee2009/figure-4.2\"?"));
  EXPECT_THAT(refusal("reproduce lee2009/figure-4.2"), HasSubstr("--figures DIR draws it"));
  // Not 4.10 to 4.19.
  for (const char* command : {"reproduce ", "reproduce --list ", "reproduce --figures d "})
    EXPECT_THAT(refusal(command + std::string("lee2009/figure-4.1")), HasSubstr("is a drawing"));
  EXPECT_THAT(refusal("reproduce --list newton"), HasSubstr("there is no table"));
  EXPECT_THAT(refusal("reproduce --figures d --json"), HasSubstr("--figures"));
  std::ofstream(folder / "f") << "x";
  EXPECT_THAT(refusal("reproduce --figures f lee2009/figure-4.2"), StartsWith("thud: --figures f: cannot "));
}

}  // namespace
