// thud fit and thud synth as a user meets them.
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
#include "thud/base/format.hpp"

namespace {

namespace fs = std::filesystem;
using namespace thud::test;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FitCli : public ShellTest {
 protected:
  int shell(const std::string& command) const {
    return std::system(("cd " + folder.string() + " && " + command).c_str());
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder / name) << text; }

  // The message about a study whose [fit] is given, with one sound file of data.
  std::string refused(const std::string& fit, const std::string& rest = "") const {
    write("study.toml", "scenario = \"free_link_capture\"\n" + rest + "[fit]\n" + fit);
    write("run.csv", "time [s], link.marker1.z [mm]\n0, -116\n0.01, -104\n0.02, -95\n");
    return refusal("fit study.toml --data run.csv");
  }
};

TEST_F(FitCli, two_commands_make_and_fit_measurements) {
  const Result made = thud("synth fit_free_link --out captures/ --time '30 ms'");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("Wrote captures/drop_32_126.csv (16 frames)"));
  const Result r = thud("fit fit_free_link --data captures/*.csv --svg pictures");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_THAT(r.err, IsEmpty());
  EXPECT_THAT(r.out, AllOf(HasSubstr("Estimates"), HasSubstr("eta_d"), HasSubstr("95 % interval"),
                           HasSubstr("drop_55_243.csv speed"), HasSubstr("0.1 mm stated")));
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(thud::text_width(line), 80u) << line;
  EXPECT_TRUE(fs::exists(folder / "pictures" / "link.marker2.x.fit.svg"));

  const json j = json::parse(thud("fit fit_free_link --data captures/*.csv --json").out);
  EXPECT_EQ(j["converged"], true);
  EXPECT_EQ(j["estimates"].size(), 4u + 9u + 9u);  // coefficients, speeds, starts
  EXPECT_EQ(j["estimates"][0]["knob"], "eta_d");
  EXPECT_NEAR(j["estimates"][0]["value"].get<double>(), 6.5, 0.3);
  EXPECT_EQ(thud("fit fit_free_link --data captures/*.csv --jobs 1 --json").out,
            thud("fit fit_free_link --data captures/*.csv --jobs 2 --json").out);
  for (char c : thud("fit fit_free_link --data captures/*.csv --ascii").out)
    ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST_F(FitCli, an_undetermined_knob_is_status_1) {
  ASSERT_EQ(
      thud("synth free_link_capture --set 'angle=0 deg' --observables link.marker1.z --out v.csv").status, 0);
  write("study.toml",
        "scenario = \"free_link_capture\"\nset = { angle = \"0 deg\" }\n[fit]\nknobs = { eta_v = {}, eta_h = "
        "{} }\n");
  const Result r = thud("fit study.toml --data v.csv");
  EXPECT_EQ(r.status, 1);
  EXPECT_THAT(r.out, HasSubstr("eta_h has no effect on any measured value"));
  EXPECT_EQ(r.err, "thud: the data do not determine every knob\n");
}

TEST_F(FitCli, bad_sections_are_refused_with_their_place) {
  EXPECT_THAT(refused("knobs = { eta_b = {} }\n"),
              HasSubstr("study.toml:3:11: the scenario has no knob \"eta_b\"; did you mean \"eta_"));
  EXPECT_THAT(refused("knobs = { eta_d = { start = 30, range = [1, 20] } }\n"),
              HasSubstr("study.toml:3:29: knob \"eta_d\" starts at 30, outside the range of 1 to 20"));
  EXPECT_THAT(refused("knobs = { eta_d = { range = [7, 20] } }\n"),
              HasSubstr("outside the range of 7 to 20; give start"));
  EXPECT_THAT(refused("knobs = { eta_d = { range = [1, 200] } }\n"),
              HasSubstr("beyond the range of the knob itself"));
  EXPECT_THAT(refused("knobs = { eta_d = { range = [20, 1] } }\n"), HasSubstr("the lower bound comes first"));
  EXPECT_THAT(refused("knobs = { eta_d = 5 }\n"), HasSubstr("must be a table"));
  EXPECT_THAT(refused("knobs = {}\n"), HasSubstr("nothing to fit"));
  EXPECT_THAT(refused("loss = \"none\"\n"), HasSubstr("knobs"));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\nlos = \"huber\"\n"), HasSubstr("did you mean \"loss\"?"));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\nloss = \"hubber\"\n"), HasSubstr("\"huber\""));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\nscale = 2\n"), HasSubstr("goes with loss"));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\nnoise = \"1 deg\"\n"),
              HasSubstr("study.toml:4:9: gives no noise for link.marker1.z [m], which run.csv measures"));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\nnoise = \"-1 mm\"\n"), HasSubstr("> 0"));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\ninitial = { speed = \"fre\" }\n"), HasSubstr("\"free\""));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\ninitial = { speed = \"given\" }\n"),
              HasSubstr("wants speed for every file, but there is no [data]"));
  EXPECT_THAT(refused("knobs = { eta_d = {} }\n", "set = { eta_d = 6 }\n"),
              HasSubstr("it can do one of the two"));
  EXPECT_THAT(refused("knobs = { eta_d = {}, eta_h = {}, eta_v = {} }\n"),
              HasSubstr("3 measured values cannot determine 3 knobs and their uncertainty"));
}

TEST_F(FitCli, bad_data_are_refused_with_their_place) {
  const std::string head = "scenario = \"free_link_capture\"\n[fit]\nknobs = { eta_d = {} }\n";
  write("study.toml", head + "[data]\n\"a.csv\" = { speed = 1.5 }\n");
  write("a.csv", "time [s], link.marker1.z [mm]\n0, -116\n0.01, x\n");
  EXPECT_THAT(refusal("fit study.toml"),
              HasSubstr("a.csv:3:7: \"x\" in column \"link.marker1.z\" is not a number"));
  write("a.csv", "time [s], link.marker3.z [mm]\n0, -116\n");
  EXPECT_THAT(refusal("fit study.toml"), HasSubstr("did you mean \"link.marker"));
  EXPECT_THAT(
      refusal("fit study.toml --data b.csv"),
      HasSubstr("--data b.csv: [data] of the study says nothing about \"b.csv\"; did you mean \"a.csv\"?"));
  write("a.csv", "time [s], link.marker1.z [mm]\n0, -116\n0.01, -100\n");
  EXPECT_THAT(refusal("fit study.toml --data a.csv ./a.csv"), HasSubstr("this file is given twice"));
  write("study.toml", head);
  EXPECT_THAT(refusal("fit study.toml"), HasSubstr("there are no data: give --data FILE.csv"));
  EXPECT_THAT(refusal("fit study.toml --data none.csv"), HasSubstr("none.csv: there is no such file"));
  write("study.toml", head + "[data]\n\"a.csv\" = { sped = 1.5 }\n");
  EXPECT_THAT(refusal("fit study.toml"),
              HasSubstr("study.toml:5:13: the scenario has no knob \"sped\"; did you mean \"speed\"?"));
  write("study.toml", head + "[data]\n\"a.csv\" = { eta_d = 1.5 }\n");
  EXPECT_THAT(refusal("fit study.toml"), HasSubstr("fitted for all files together"));
  write("study.toml", "scenario = \"free_link_capture\"\n");
  EXPECT_THAT(refusal("fit study.toml --data a.csv"), HasSubstr("no [fit] section"));
  EXPECT_THAT(refusal("fit fit_fre_link"), HasSubstr("did you mean \"fit_free_link\"?"));
}

TEST_F(FitCli, synth_writes_whole_files_or_none) {
  ASSERT_EQ(
      thud("synth free_link --observables link.tip.z,link.angle --noise '0.2 deg' --rate '1 kHz' --out a.csv")
          .status,
      0);
  EXPECT_THAT(
      content(folder / "a.csv"),
      AllOf(HasSubstr("# Synthetic measurements made by thud"), HasSubstr("# link.tip.z: without noise"),
            HasSubstr("# link.angle: normal noise of 0.2 deg"),
            HasSubstr("time [s], link.tip.z [mm], link.angle [deg]\n0, ")));
  ASSERT_EQ(thud("synth free_link_capture --count 3 --out b.csv").status, 0);
  EXPECT_FALSE(fs::exists(folder / "b.csv"));
  EXPECT_NE(content(folder / "b-1.csv"), content(folder / "b-3.csv"));
  for (const auto& file : fs::directory_iterator(folder))
    EXPECT_NE(file.path().extension(), ".tmp") << file.path();
  EXPECT_THAT(refusal("synth free_link --out c.csv"), HasSubstr("declares no [points]"));
  EXPECT_THAT(refusal("synth free_link_capture --observables link.tipp.z --out c.csv"),
              HasSubstr("did you mean \"link.tip.z\"?"));
  EXPECT_THAT(refusal("synth free_link_capture --noise 0.1 --out c.csv"), HasSubstr("needs a unit"));
  EXPECT_THAT(refusal("synth free_link_capture --noise '-1 mm' --out c.csv"),
              HasSubstr("must not be negative"));
  EXPECT_THAT(refusal("synth free_link_capture --rate 0 --out c.csv"), HasSubstr("must be positive"));
  EXPECT_THAT(refusal("synth free_link_capture --set sped=1 --out c.csv"),
              HasSubstr("did you mean \"speed\"?"));
  EXPECT_THAT(refusal("synth fit_free_link --out c.csv"),
              HasSubstr("the study has several files: give a folder"));
  EXPECT_FALSE(fs::exists(folder / "c.csv"));
}

TEST_F(FitCli, what_is_no_fit_is_status_1_in_words) {
  ASSERT_EQ(thud("synth free_link_capture --set 'angle=32 deg' --set speed=1.87 --out a.csv").status, 0);
  const std::string study = "scenario = \"free_link_capture\"\n[fit]\nloss = \"huber\"\nnoise = \"0.1 mm\"\n";
  const std::string knobs =
      "[fit.knobs]\neta_d = { start = 5, range = [1, 20] }\neta_h = { start = 5, range = [1, 40] }\n"
      "[data]\n\"a.csv\" = { angle = \"32 deg\", speed = 1.87 }\n";
  write("study.toml", study + knobs);
  EXPECT_EQ(thud("fit study.toml --data a.csv").status, 0);
  // The code of a missing marker: told, and no more.
  ASSERT_EQ(shell("sed -i '15s/, -[0-9.]*, /, -3.697314E+28, /' a.csv"), 0);
  ASSERT_THAT(content(folder / "a.csv"), HasSubstr("E+28"));
  const Result code = thud("fit study.toml --data a.csv --json");
  EXPECT_EQ(code.status, 0) << code.err;
  const json j = json::parse(code.out);
  EXPECT_EQ(j["sound"], true);
  EXPECT_NEAR(j["estimates"][0]["value"].get<double>(), 6.5, 0.2);
  EXPECT_THAT(j["notes"].dump(), HasSubstr("the code of something not seen"));
  // z counted upwards.
  ASSERT_EQ(
      shell("awk -F', ' 'BEGIN { OFS = \", \" } /^[#t]/ { print; next } { $3 = -$3; $5 = -$5; print }' a.csv "
            "> up.csv && mv up.csv a.csv"),
      0);
  const Result flipped = thud("fit study.toml --data a.csv");
  EXPECT_EQ(flipped.status, 1);
  EXPECT_THAT(flipped.err, HasSubstr("runs against the model"));
  EXPECT_THAT(flipped.out, HasSubstr("Not fitted: "));
}

TEST_F(FitCli, bad_captures_and_nuisances_are_refused_with_their_place) {
  const std::string k = "knobs = { eta_d = {} }\n";
  EXPECT_THAT(refused(k + "nuisance = { start = \"fre\" }\n"),
              HasSubstr("study.toml:4:22: \"start\" in fit > nuisance: must be \"free\", \"known\" or { "
                        "within = \"1 ms\""));
  EXPECT_THAT(refused(k + "nuisance = { clock = 1.01 }\n"),
              HasSubstr("must be \"free\" or { within = 0.02 }; it is 1.01"));
  EXPECT_THAT(refused(k + "nuisance = { clock = { within = 1 } }\n"),
              HasSubstr("must be below 1, so that the clock stays positive"));
  EXPECT_THAT(refused(k + "nuisance = { offset = { y = \"free\" } }\n"), HasSubstr("\"y\""));
  EXPECT_THAT(refused(k + "nuisance = { scale = { within = 2 } }\n"), HasSubstr("must be below 1"));
  EXPECT_THAT(refused(k + "nuisance = { offset = { within = \"-1 mm\" } }\n"), HasSubstr("> 0"));
  EXPECT_THAT(refused(k + "capture = { axes = { z = \"down\" } }\n"),
              HasSubstr("must be an axis of the file"));
  EXPECT_THAT(refused(k + "capture = { axes = { z = \"y\" } }\n"), HasSubstr("needs points"));
  EXPECT_THAT(refused(k + "capture = { plane = \"find\" }\n"), HasSubstr("needs points"));
  EXPECT_THAT(refused(k + "capture = { points = { \"link.marker9\" = \"M1\" } }\n"),
              HasSubstr("the scenario has no point \"link.marker9\"; did you mean"));
  EXPECT_THAT(refused(k + "capture = { points = { \"link.marker1\" = \"M1\" } }\n"), HasSubstr("needs axes"));
  EXPECT_THAT(refused(k + "capture = { unit = \"s\" }\n"), HasSubstr("unit"));
  EXPECT_THAT(refused(k + "capture = { rate = 0 }\n"), HasSubstr("> 0"));
  EXPECT_THAT(refused(k + "capture = { decimal = \";\" }\n"), HasSubstr("must be . or ,"));
  EXPECT_THAT(refused(k + "capture = { rat = 5 }\n"), HasSubstr("did you mean \"rate\"?"));
  EXPECT_THAT(refused(k + "intervals = \"profil\"\n"), HasSubstr("\"profile\""));
  EXPECT_THAT(refused(k + "samples = 100\n"), HasSubstr("goes with intervals = \"bootstrap\""));
  EXPECT_THAT(refused(k + "outliers = \"maybe\"\n"), HasSubstr("must be drop or keep"));
}

TEST_F(FitCli, compare_looks_where_its_picture_goes_before_it_fits) {
  ASSERT_EQ(thud("synth fit_free_link --out d/").status, 0);
  for (const std::string file : {"none/r.svg", "d/drop_00_153.csv"}) {
    const std::string e = refusal("compare fit_free_link fit_free_link --data d/*.csv --svg " + file);
    EXPECT_THAT(e, HasSubstr("--svg " + file + ": "));
  }
  EXPECT_THAT(content(folder / "d/drop_00_153.csv"), Not(HasSubstr("svg")));
}

TEST_F(FitCli, captures_of_a_laboratory_are_looked_at_and_fitted) {
  ASSERT_EQ(thud("synth free_link_capture --set 'angle=32 deg' --set speed=1.87 --out a.csv").status, 0);
  // Frames with decimal commas and z up, behind a preamble.
  ASSERT_EQ(shell("(echo 'Drop 7'; echo 'Frequency;500'; echo 'Frame;M1 X;M1 Z;M2 X;M2 Z'; grep -v '^[#t]' "
                  "a.csv | awk "
                  "-F', ' '{ s = sprintf(\"%d;%s;%s;%s;%s\", NR, $2, -$3, $4, -$5); gsub(/\\./, \",\", s); "
                  "print s }') > "
                  "lab.csv"),
            0);
  const Result seen = thud("capture lab.csv --unit mm --svg lab.svg");
  EXPECT_EQ(seen.status, 0) << seen.err;
  EXPECT_THAT(seen.out, AllOf(HasSubstr("headings on line 3 after 2 lines of preamble"),
                              HasSubstr("decimals with \",\""), HasSubstr("500 per second"),
                              HasSubstr("[fit.capture]")));
  EXPECT_THAT(content(folder / "lab.svg"), HasSubstr("</svg>"));
  const std::string before = content(folder / "lab.csv");
  EXPECT_THAT(refusal("capture lab.csv --svg lab.csv"),
              HasSubstr("--svg lab.csv: is the same file as lab.csv"));
  EXPECT_THAT(refusal("capture lab.csv --svg none/lab.svg"), HasSubstr("--svg none/lab.svg: "));
  EXPECT_EQ(content(folder / "lab.csv"), before);
  EXPECT_EQ(json::parse(thud("capture lab.csv --json").out)["clock"]["rate"], 500);
  write("study.toml",
        "scenario = \"free_link_capture\"\n[fit]\nnoise = \"0.1 mm\"\n[fit.knobs]\neta_d = { start = 5 "
        "}\neta_h = { start "
        "= 5 }\n[fit.capture]\nunit = \"mm\"\npoints = { \"link.marker1\" = \"M1\", \"link.marker2\" = "
        "\"M2\" }\naxes = { x = "
        "\"X\", z = \"-Z\" }\n[data]\n\"lab.csv\" = { angle = \"32 deg\", speed = 1.87 }\n");
  const Result r = thud("fit study.toml --data lab.csv --json");
  EXPECT_EQ(r.status, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_NEAR(j["estimates"][0]["value"].get<double>(), 6.5,
              3 * j["estimates"][0]["standard_error"].get<double>());
  EXPECT_THAT(refusal("capture none.csv"), HasSubstr("there is no such file"));
  EXPECT_THAT(refusal("capture lab.csv --rate 0"), HasSubstr("must be positive"));
  EXPECT_THAT(refusal("capture lab.csv --unit kg"), HasSubstr("--unit kg"));
  EXPECT_THAT(refusal("compare study.toml --data lab.csv"), HasSubstr("at least two studies"));
}

}  // namespace
