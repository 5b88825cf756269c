// Files that a scenario names: included parts, and tables in formulas.
// Source of truth: the same scenario written in one file, and motions under forces that are linear in time, by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temp_folder.hpp"
#include "thud/scenario/family.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Parts : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string refusal(const std::string& path) const {
    try {
      (void)load_scenario(path);
    } catch (const InputError& e) {
      std::string text = e.what();  // without the folder, which has another name every time
      const std::string folder = folder_.path().string() + "/";
      for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
        text.erase(at, folder.size());
      return text;
    }
    return "(accepted)";
  }

  test::TempFolder folder_{"parts"};
};

double value(const RunResult& r, const char* name) { return r.find(name)->value.value_or(NAN); }

// ---- tables ----

const std::string sled = R"(gravity = 0
[[body]]
name = "sled"
shape = { kind = "sphere", diameter = "40 mm", mass = 2 }
joint = { kind = "slider", direction = "horizontal", force = 'FORCE' }
[stop]
time = 2
[results]
v = "sled.vx at end"
work = "work of sled.torque"
kinetic = "energy.kinetic at end"
)";

std::string with_force(const std::string& force) {
  std::string out = sled;
  return out.replace(out.find("FORCE"), 5, force);
}

TEST_F(Parts, a_table_drives_a_sled) {
  write("push.csv", "time [ms],push [kN]\n# a ramp, and back\n0,0\n500,0.004\n1000,0\n");
  const RunResult r = run(load_scenario(write("a.toml", with_force("=interp(t, \"push.csv\")"))));
  // ∫F dt = 2 N s; held at 0 afterwards.
  EXPECT_NEAR(value(r, "v"), 1, 1e-12);
  EXPECT_NEAR(value(r, "work"), 1, 1e-11);
}

TEST_F(Parts, a_kink_of_a_microsecond_is_not_stepped_over) {
  write("kick.csv", "0 0\n1.234567 0\n1.2345675 2e6\n1.234568 0\n");
  const RunResult r = run(load_scenario(write("a.toml", with_force("=2*interp(t - 0.1, \"kick.csv\")"))));
  EXPECT_NEAR(value(r, "v"), 1, 1e-9);  // ∫ = 2 · ½ · 1 µs · 2 MN
}

TEST_F(Parts, one_column_of_several) {
  write("data/log.csv", "t;left;right [mN]\n0;1;3000\n4;1;3000\n");
  const RunResult s =
      run(load_scenario(write("b.toml", with_force("=interp(t, \"data/log.csv\", \"right\")"))));
  EXPECT_NEAR(value(s, "v"), 3, 1e-12);
}

TEST_F(Parts, tables_that_are_wrong) {
  const auto of = [&](const std::string& csv, const std::string& call = "=interp(t, \"x.csv\")") {
    write("x.csv", csv);
    return refusal(write("a.toml", with_force(call)));
  };
  EXPECT_THAT(of("0,1\n2,1\n1,1\n"),
              HasSubstr("a.toml:5:64: \"force\" in body \"sled\" > joint: x.csv:3: the first "
                        "column must increase: 1 does not come after the 2 before it"));
  EXPECT_THAT(of("0,1\n1,nan\n"), HasSubstr("x.csv:2: \"nan\" is not a number"));
  EXPECT_THAT(of("0,1\n1,\n"), HasSubstr("x.csv:2: 1 values, where the first line has 2"));
  EXPECT_THAT(of("0,1\n"), HasSubstr("x.csv: a table needs at least two rows of numbers; it has 1"));
  EXPECT_THAT(of("t,a,b\n0,1,2\n1,2,3\n"), HasSubstr("x.csv:1: the table has 3 columns: name the one"));
  EXPECT_THAT(
      of("t,left,right\n0,1,2\n1,2,3\n", "=interp(t, \"x.csv\", \"lft\")"),
      HasSubstr("x.csv:1: there is no column \"lft\"; did you mean \"left\"? (known: left or right)"));
  EXPECT_THAT(of("t [s],f [furlong^2 x]\n0,1\n1,2\n"), HasSubstr("x.csv:1: "));
  EXPECT_THAT(of("0,1\n1,2\n", "=interp(t, \"y.csv\")"),
              HasSubstr("there is no file \"y.csv\"; did you mean \"x.csv\"?"));
  EXPECT_THAT(of("0,1\n1,2\n", "=interp(t)"), HasSubstr("interp takes an argument and a file"));
  EXPECT_THAT(of("0,1\n1,2\n", "=interp(t, \"x.csv\""), HasSubstr("interp takes an argument and a file"));
}

TEST_F(Parts, a_text_carries_its_files) {
  write("push.csv", "0,4\n9,4\n");
  const Scenario s = load_scenario(write("a.toml", with_force("=interp(t, \"push.csv\")")));
  std::filesystem::remove(folder_.path() / "push.csv");
  const Scenario again = parse_scenario(s.text, "elsewhere.toml", {});
  EXPECT_EQ(value(run(again), "v"), value(run(s), "v"));
  EXPECT_EQ(again.text, s.text);
}

TEST_F(Parts, texts_without_a_folder_read_no_files) {
  const std::string path = write("secret.csv", "0,4\n9,4\n");
  for (const std::string& name :
       {path, std::string("secret.csv"), std::string("../../../../../etc/passwd")}) {
    try {
      (void)parse_scenario(with_force("=interp(t, \"" + name + "\")"), folder_.path() / "a.toml", {});
      ADD_FAILURE() << "read";
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr("this text has no folder"), Not(HasSubstr("root:"))));
    }
    EXPECT_THROW((void)parse_scenario("include = '" + name + "'\n" + sled, folder_.path() / "a.toml", {}),
                 InputError);
  }
}

// ---- include ----

const std::string leg = R"([parameters]
length = { value = "0.3 m", unit = "m", range = [0.1, 1], about = "of the leg" }
[define]
half = "=length/2"
[[body]]
name = "leg"
shape = { kind = "cylinder", length = "=length", diameter = "20 mm", mass = 1 }
joint = "pin"
[results]
angle = "leg.angle at end"
)";

TEST_F(Parts, a_part_is_as_if_it_stood_there) {
  write("parts/leg.toml", leg);
  const std::string rest = "[initial]\n\"leg.angle\" = \"=half*4\"\n[stop]\ntime = 1\n";
  const Scenario parted = load_scenario(write("a.toml", "include = [\"parts/leg.toml\"]\n" + rest));
  const Scenario whole = load_scenario(write("b.toml", leg + rest));
  EXPECT_EQ(value(run(parted), "angle"), value(run(whole), "angle"));
  ASSERT_EQ(parted.knobs.size(), 1u);
  // The text is complete: without the folder, with knobs, in a sweep.
  std::filesystem::remove_all(folder_.path() / "parts");
  const Scenario again = parse_scenario(parted.text, "a.toml", {{"length", "0.5"}});
  const Scenario longer = load_scenario(write("b.toml", leg + rest), {{"length", "0.5"}});
  EXPECT_EQ(value(run(again), "angle"), value(run(longer), "angle"));
  ScenarioFamily family = ScenarioFamily::parse(parted.text, "a.toml", {}, {"length"}, {"angle"});
  double length = 0.5, angle = 0;
  (void)family.run({&length, 1}, &angle);
  EXPECT_EQ(angle, value(run(longer), "angle"));
}

TEST_F(Parts, parts_of_parts_and_tables_of_parts_lie_beside_them) {
  write("parts/push.csv", "0,1\n9,1\n");
  write("parts/sled.toml", "include = \"more/world.toml\"\n"
                               + with_force("=interp(t, \"push.csv\")").substr(sled.find("[[body]]")));
  write("parts/more/world.toml", "gravity = 0\n");
  const RunResult r = run(load_scenario(write("a.toml", "include = \"parts/sled.toml\"\n")));
  EXPECT_NEAR(value(r, "v"), 1, 1e-12);
}

TEST_F(Parts, values_of_parameters_are_replaced_where_the_file_says_so) {
  write("leg.toml", leg);
  const Scenario s =
      load_scenario(write("a.toml", "include = \"leg.toml\"\n[replace]\nlength = \"400 mm\"\n"));
  EXPECT_EQ(s.knobs[0].value, 0.4);
  EXPECT_EQ(s.knobs[0].default_value, 0.4);
  EXPECT_EQ(s.knobs[0].about, "of the leg");
  EXPECT_THAT(refusal(write("b.toml", "include = \"leg.toml\"\n[parameters]\nlength = 0.4\n")),
              AllOf(HasSubstr("b.toml:3:1: \"length\" in parameters is given twice; first at leg.toml:2:1"),
                    HasSubstr("[replace]")));
  EXPECT_THAT(
      refusal(write("c.toml", "include = \"leg.toml\"\n[replace]\nlenth = 0.4\n")),
      HasSubstr("c.toml:3:1: \"lenth\" in replace: no included file has such a parameter; did you mean "
                "\"length\"?"));
  EXPECT_THAT(refusal(write("d.toml", "include = \"leg.toml\"\n[replace]\nlength = \"4 m\"\n")),
              HasSubstr("d.toml:3:"));
}

TEST_F(Parts, what_is_wrong_with_includes) {
  write("leg.toml", leg);
  EXPECT_THAT(
      refusal(write("a.toml", "include = [\"log.toml\"]\n" + sled)),
      HasSubstr("a.toml:1:12: \"include\": there is no file \"log.toml\"; did you mean \"leg.toml\"?"));
  write("bad.toml",
        "[[body]]\nname = \"b\"\nshape = { kind = \"cylinder\", length = \"2 kg\", diameter = 0.1, mass = 1 "
        "}\n");
  EXPECT_THAT(refusal(write("a.toml", "include = \"bad.toml\"\n")),
              HasSubstr("bad.toml:3:39: \"length\" in body \"b\" > shape: \"kg\" is a mass unit"));
  write("broken.toml", "[[body]\n");
  EXPECT_THAT(refusal(write("a.toml", "include = \"broken.toml\"\n")), HasSubstr("broken.toml:1:"));
  EXPECT_THAT(refusal(write("a.toml", "include = \"leg.toml\"\n[[body]]\nname = \"leg\"\n")),
              HasSubstr("a.toml:3:8: there are two body called \"leg\"; the other is at leg.toml:6:8"));
  EXPECT_THAT(refusal(write("a.toml", "include = \"leg.toml\"\n[results]\nangle = \"leg.angle at end\"\n")),
              HasSubstr("a.toml:3:1: \"angle\" in results is given twice; first at leg.toml:10:1"));
  write("one.toml", "include = \"two.toml\"\n");
  write("two.toml", "include = \"one.toml\"\n");
  EXPECT_THAT(refusal((folder_.path() / "one.toml").string()),
              HasSubstr("two.toml:1:11: \"one.toml\" includes itself: one.toml -> two.toml -> one.toml"));
  EXPECT_THAT(refusal(write("a.toml", "include = [\"leg.toml\", \"leg.toml\"]\n")),
              HasSubstr("is included twice"));
  EXPECT_THAT(refusal(write("a.toml", "include = 3\n")),
              HasSubstr("a.toml:1:11: \"include\" must be the name"));
}

}  // namespace
}  // namespace thud
