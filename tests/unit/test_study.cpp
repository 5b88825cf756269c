// Study files: what they say, and what is refused with its place.
#include "temp_folder.hpp"
#include "thud/study/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "study/study_file.hpp"

namespace {

namespace fs = std::filesystem;
using namespace thud;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double degree = std::numbers::pi / 180;

class StudyFile : public ::testing::Test {
 protected:
  StudyFile() { ::setenv("THUD_DATA", THUD_SOURCE_DATA_DIR, 1); }
  std::string file(const std::string& text, const std::string& name = "s.toml") const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  }
  Study read(const std::string& text) const { return load_study(file(text)); }
  // The message after "FILE:".
  std::string refused(const std::string& text) const {
    const std::string path = file(text);
    try {
      (void)load_study(path);
    } catch (const InputError& e) {
      const std::string what = e.what();
      EXPECT_THAT(what, ::testing::StartsWith(path + ":"));
      return what.substr(std::min(what.size(), path.size() + 1));
    }
    ADD_FAILURE() << "not refused: " << text;
    return {};
  }

  const test::TempFolder temporary{"study"};
  const fs::path folder = temporary.path();
};

TEST_F(StudyFile, says_what_is_run) {
  const Study s = read(R"(title = "T"
about = "A"
scenario = "free_link"
outputs = ["z_T", "link.tip.vz", "end.time"]
[vary]
angle = { grid = ["25 deg", 60], count = 8 }
speed = { list = [1, "150 cm/s"] }
[run]
until_rest = true
time_limit = "2 s"
tolerance = 1e-8
method = "dopri5"
[[plot]]
kind = "map"
x = "speed"
y = "angle"
z = "z_T"
)");
  EXPECT_EQ(s.title, "T");
  EXPECT_EQ(s.about, "A");
  EXPECT_EQ(s.name, "s");
  ASSERT_EQ(s.vary.size(), 2u);
  EXPECT_NEAR(s.vary[0].distribution.low, 25 * degree, 1e-15);
  EXPECT_NEAR(s.vary[0].distribution.high, 60 * degree, 1e-15) << "bare numbers count in the knob's unit";
  EXPECT_EQ(s.vary[0].distribution.count, 8);
  EXPECT_THAT(s.vary[1].distribution.list, ::testing::ElementsAre(1, 1.5));
  EXPECT_EQ(s.design.kind, Design::Kind::grid);
  EXPECT_TRUE(s.request.until_rest);
  EXPECT_EQ(s.request.time_limit, 2);
  EXPECT_EQ(s.request.tolerance, 1e-8);
  EXPECT_EQ(s.request.method, Method::dopri5);
  ASSERT_EQ(s.plots.size(), 1u);
  EXPECT_EQ(s.plots[0].z, "z_T");
  EXPECT_THAT(s.scenario_text, HasSubstr("play-sand"));
}

TEST_F(StudyFile, has_defaults) {
  const Study s = read("scenario = \"free_link\"\n[vary]\nspeed = { uniform = [1, 2] }\n");
  EXPECT_THAT(s.outputs, ::testing::ElementsAre("t_z", "z_T"));
  EXPECT_EQ(s.design.kind, Design::Kind::random);
  EXPECT_EQ(s.design.runs, 0);
  EXPECT_EQ(s.design.seed, 1u);
}

TEST_F(StudyFile, knobs_that_stay_are_read_like_those_that_change) {
  const std::string text = "scenario = \"free_link\"\n[set]\nangle = 40\n[vary]\nspeed = { list = [1] }\n";
  const Study s = read(text);
  ASSERT_EQ(s.set.size(), 1u);
  EXPECT_NEAR(std::stod(s.set[0].second), 40 * degree, 1e-15);
  const Study over = load_study(file(text), {{"angle", "0.5"}});
  EXPECT_EQ(over.set[0].second, "0.5") << "on the command line a bare number is in SI units";
}

TEST_F(StudyFile, paths_count_from_the_file) {
  fs::create_directory(folder / "sub");
  file(
      "[[body]]\nname = \"b\"\nshape = { kind = \"sphere\", diameter = 1, mass = 1 }\njoint = \"free\"\n"
      "[parameters]\nkind = { value = \"x\", choices = [\"x\", \"y\"] }\n",
      "sub/mine.toml");
  const Study s = read(
      "scenario = \"sub/mine.toml\"\noutputs = \"end.time\"\n[vary]\nkind = { list = [\"y\", \"x\"] }\n");
  EXPECT_THAT(s.vary[0].distribution.list, ::testing::ElementsAre(1, 0));
}

TEST_F(StudyFile, own_sections_are_read_and_those_of_others_passed_over) {
  const std::string path = file(
      "scenario = \"free_link\"\n[vary]\nspeed = { list = [1] }\n[fit]\nfoo = 3\n[sensitivity]\nbar = 2\n");
  double foo = 0;
  (void)read_study(
      path, [&](const OpenStudy& open) { foo = open.root.table("fit").number("foo", doc::Dimension::none); });
  EXPECT_EQ(foo, 3);
  EXPECT_NO_THROW((void)load_study(path));
}

TEST_F(StudyFile, refuses_with_place_and_suggestion) {
  const std::string head = "scenario = \"free_link\"\n[vary]\n";
  EXPECT_THAT(refused(head + "angel = { list = [1] }\n"),
              AllOf(HasSubstr("3:1:"), HasSubstr("did you mean \"angle\"")));
  EXPECT_THAT(refused(head + "angle = { lst = [1] }\n"),
              AllOf(HasSubstr("3:"), HasSubstr("did you mean \"list\"")));
  EXPECT_THAT(refused(head + "angle = 3\n"), AllOf(HasSubstr("3:9:"), HasSubstr("[set]")));
  EXPECT_THAT(refused(head + "angle = { list = [] }\n"),
              AllOf(HasSubstr("3:18:"), HasSubstr("at least one")));
  EXPECT_THAT(refused(head + "angle = { list = [95] }\n"),
              HasSubstr("between 0 deg and 80 deg; 95 deg is not"));
  EXPECT_THAT(refused(head + "angle = { grid = [1, 2], count = 0 }\n"), HasSubstr("from 1 to"));
  EXPECT_THAT(refused(head + "angle = { grid = [1, 2], count = 2.5 }\n"), HasSubstr("whole number"));
  EXPECT_THAT(refused(head + "angle = { grid = [1, 2] }\n"), HasSubstr("count"));
  EXPECT_THAT(refused(head + "angle = { uniform = [2, 1] }\n"), HasSubstr("lower bound"));
  EXPECT_THAT(refused(head + "angle = { normal = { mean = 1, deviation = 0 } }\n"), HasSubstr("positive"));
  EXPECT_THAT(refused(head + "angle = { uniform = [1, 2] }\n[design]\nkind = \"grid\"\n"), HasSubstr("5:8:"));
  EXPECT_THAT(refused(head + "angle = { uniform = [1, 2] }\n[design]\nruns = 0\n"), HasSubstr("5:8:"));
  EXPECT_THAT(refused(head + "angle = { list = [1] }\n[design]\nruns = 5\n"), HasSubstr("as many runs"));
  EXPECT_THAT(refused(head + "angle = { list = [1] }\n[set]\nangle = 1\n"), HasSubstr("one of the two"));
  EXPECT_THAT(refused(head + "angle = { list = [1] }\n[desing]\n"), HasSubstr("did you mean \"design\""));
  EXPECT_THAT(refused("scenario = \"free_lnik\"\n"), AllOf(HasSubstr("1:12:"), HasSubstr("\"free_link\"")));
  EXPECT_THAT(refused("scenario = \"free_link\"\noutputs = [\"t_x\"]\n"),
              AllOf(HasSubstr("2:11:"), HasSubstr("did you mean \"t_z\"")));
  EXPECT_THAT(refused("scenario = \"free_link\"\noutputs = [\"t_z\", \"t_z\"]\n"), HasSubstr("twice"));
  EXPECT_THAT(
      refused(head + "angle = { list = [1] }\n[[plot]]\nkind = \"curves\"\nx = \"angel\"\ny = \"t_z\"\n"),
      AllOf(HasSubstr("6:5:"), HasSubstr("did you mean \"angle\"")));
}

TEST_F(StudyFile, the_library_has_studies_that_can_be_read) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(THUD_SOURCE_DATA_DIR) / "studies")) {
    if (entry.path().extension() != ".toml") continue;
    ++count;
    EXPECT_FALSE(load_study(entry.path().stem().string()).title.empty());
  }
  EXPECT_GE(count, 2);
  try {
    (void)load_study("free_link_mpa");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean \"free_link_map\""));
  }
}

}  // namespace
