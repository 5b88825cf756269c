// Source of truth: the texts below.
#include "scenario/parameters.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <string>

namespace thud::doc {
namespace {

constexpr double pi = std::numbers::pi;

Parameters read(const std::string& text, const Overrides& overrides = {}) {
  return read_parameters(Document::parse(text, "f.toml"), overrides);
}

std::string refusal(const std::string& text, const Overrides& overrides = {}) {
  try {
    (void)read(text, overrides);
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

const std::string scenario = R"([parameters]
drop  = { value = "0.2 m", unit = "mm", range = [10, 500], about = "height of fall" }
speed = { value = 36, unit = "km/h" }
tilt  = { value = "30 deg", range = ["0 deg", "40 deg"] }
links = { value = 4, integer = true, range = [1, 20] }
sand  = { value = "fine", choices = ["fine", "coarse"] }
ratio = 0.5
spin  = "60 rpm"
twice = { value = "=2*drop", range = [0, 2] }

[define]
half = "=twice/4"
wide = "20 mm"
plain = 3
)";

TEST(Parameters, are_read_in_file_order) {
  const Parameters p = read(scenario);
  EXPECT_EQ(p.names(),
            (std::vector<std::string>{"drop", "speed", "tilt", "links", "sand", "ratio", "spin", "twice"}));
  const Parameter& drop = *p.find("drop");
  EXPECT_EQ(drop.value, 0.2);
  EXPECT_EQ(drop.default_value, 0.2);
  EXPECT_EQ(drop.unit, "mm");
  EXPECT_EQ(drop.dimension, Dimension::length);
  EXPECT_EQ(drop.range->min, 0.01);
  EXPECT_EQ(drop.range->max, 0.5);
  EXPECT_EQ(drop.about, "height of fall");
  EXPECT_EQ(drop.place.line, 2);
  EXPECT_FALSE(drop.overridden);
  EXPECT_EQ(p.find("nope"), nullptr);
}

TEST(Parameters, units) {
  const Parameters p = read(scenario);
  EXPECT_DOUBLE_EQ(p.find("speed")->value, 10.0);
  EXPECT_EQ(p.find("speed")->dimension, Dimension::speed);
  EXPECT_DOUBLE_EQ(p.find("tilt")->value, pi / 6);
  EXPECT_EQ(p.find("tilt")->unit, "deg");
  EXPECT_EQ(p.find("tilt")->dimension, Dimension::angle);
  EXPECT_DOUBLE_EQ(p.find("spin")->value, 2 * pi);
  EXPECT_EQ(p.find("spin")->unit, "rpm");
  EXPECT_EQ(p.find("ratio")->unit, "");
  EXPECT_EQ(p.find("ratio")->dimension, Dimension::any);
  // A unit outside our list of dimensions still guards its own.
  const std::string text = "[parameters]\na = { value = 2, unit = \"rad/s^2\" }\n";
  EXPECT_EQ(read(text, {{"a", "180 deg/s^2"}}).find("a")->value, pi);
  EXPECT_EQ(refusal(text, {{"a", "2 m"}}),
            "--set a=2 m: parameter \"a\": \"m\" does not measure the same as \"rad/s^2\"");
}

TEST(Parameters, texts_and_whole_numbers) {
  const Parameters p = read(scenario);
  EXPECT_TRUE(p.find("links")->integer);
  EXPECT_TRUE(p.find("sand")->is_text());
  EXPECT_EQ(p.find("sand")->text_value, "fine");
  EXPECT_EQ(substitute("grain: $sand", p), "grain: fine");
  EXPECT_EQ(p.symbols.find("sand"), std::nullopt);
}

TEST(Parameters, definitions) {
  const Parameters p = read(scenario);
  EXPECT_DOUBLE_EQ(*p.symbols.find("half"), 0.1);
  EXPECT_EQ(p.symbols.find("wide"), 0.02);
  EXPECT_EQ(p.symbols.find("plain"), 3.0);
  EXPECT_EQ(p.find("half"), nullptr);
}

TEST(Parameters, they_reach_the_tables) {
  const Document document = Document::parse(scenario + "[body]\nx = \"=half\"\nkind = \"$sand\"\n", "f.toml");
  const Parameters p = read_parameters(document, {{"sand", "coarse"}});
  const Table root = document.root().with_symbols(p.symbols);
  EXPECT_DOUBLE_EQ(root.table("body").number("x", Dimension::length), 0.1);
  EXPECT_EQ(root.table("body").choice("kind", {"fine", "coarse"}), "coarse");
  EXPECT_NO_THROW(root.finish());  // parameters and define count as read
}

TEST(Parameters, sub_tables_and_none_at_all) {
  EXPECT_EQ(read("[parameters.a]\nvalue = 3\n").find("a")->value, 3.0);
  EXPECT_TRUE(read("x = 1\n").list.empty());
}

// ---- overrides --------------------------------------------------------------------------------

TEST(Overrides, bare_numbers_are_SI) {
  EXPECT_EQ(read(scenario, {{"drop", "0.3"}}).find("drop")->value, 0.3);
  EXPECT_EQ(read(scenario, {{"tilt", "0.5"}}).find("tilt")->value, 0.5);
  EXPECT_EQ(read(scenario, {{"speed", "+3"}}).find("speed")->value, 3.0);
  EXPECT_EQ(read(scenario, {{"ratio", " -1e-3 "}}).find("ratio")->value, -1e-3);
}

TEST(Overrides, quantities) {
  for (const char* text : {"40 deg", "40deg", "40°"}) {
    const Parameters p = read(scenario, {{"tilt", text}});
    EXPECT_DOUBLE_EQ(p.find("tilt")->value, pi * 40 / 180);  // at the bound of its range
    EXPECT_DOUBLE_EQ(p.find("tilt")->default_value, pi / 6);
    EXPECT_TRUE(p.find("tilt")->overridden);
  }
  EXPECT_EQ(read(scenario, {{"drop", "300 mm"}}).find("drop")->value, 0.3);
  EXPECT_EQ(read(scenario, {{"ratio", "20 mm"}}).find("ratio")->value, 0.02);
}

TEST(Overrides, carry_on_to_what_depends_on_them) {
  const Parameters p = read(scenario, {{"drop", "0.4"}});
  EXPECT_EQ(p.find("twice")->value, 0.8);
  EXPECT_EQ(p.find("twice")->default_value, 0.4);
  EXPECT_DOUBLE_EQ(*p.symbols.find("half"), 0.2);
}

TEST(Overrides, texts_and_the_last_one_wins) {
  EXPECT_EQ(read(scenario, {{"sand", "coarse"}}).find("sand")->text_value, "coarse");
  EXPECT_EQ(read(scenario, {{"sand", "coarse"}}).find("sand")->default_text, "fine");
  EXPECT_EQ(read(scenario, {{"links", "5"}, {"links", "6"}}).find("links")->value, 6.0);
}

TEST(Overrides, refusals) {
  EXPECT_EQ(refusal(scenario, {{"tlit", "3"}}),
            "--set tlit=3: no parameter \"tlit\"; did you mean \"tilt\"? (parameters: drop, speed, tilt, "
            "links, sand, ratio, spin, twice)");
  EXPECT_EQ(refusal("x = 1", {{"a", "3"}}), "--set a=3: no parameter \"a\": this scenario has none");
  EXPECT_EQ(refusal(scenario, {{"half", "3"}}),
            "--set half=3: \"half\" is derived ([define]) and cannot be set");
  EXPECT_EQ(refusal(scenario, {{"tilt", "50 deg"}}),
            "--set tilt=50 deg: parameter \"tilt\" must be between 0 and 40 deg; it is 50 deg");
  EXPECT_EQ(refusal(scenario, {{"tilt", "40"}}),
            "--set tilt=40: parameter \"tilt\" must be between 0 and 40 deg; it is 40, that is 2291.83 "
            "deg (a bare number is in rad; did you mean \"40 deg\"?)");
  EXPECT_EQ(refusal(scenario, {{"tilt", "1 kg"}}),
            "--set tilt=1 kg: parameter \"tilt\": \"kg\" is a mass unit; an angle is expected (deg, rad or "
            "rev)");
  EXPECT_EQ(refusal(scenario, {{"drop", "nan"}}),
            "--set drop=nan: parameter \"drop\" must be a finite number");
  EXPECT_EQ(refusal(scenario, {{"drop", "inf"}}),
            "--set drop=inf: parameter \"drop\" must be a finite number");
  EXPECT_EQ(refusal(scenario, {{"links", "2.5"}}),
            "--set links=2.5: parameter \"links\" must be a whole number; it is 2.5");
  EXPECT_EQ(refusal(scenario, {{"links", "21"}}),
            "--set links=21: parameter \"links\" must be between 1 and 20; it is 21");
  EXPECT_EQ(refusal(scenario, {{"sand", "corse"}}),
            "--set sand=corse: parameter \"sand\" must be \"fine\" or \"coarse\"; did you mean \"coarse\"?");
  EXPECT_EQ(refusal(scenario, {{"drop", "high"}}),
            "--set drop=high: parameter \"drop\": \"high\" is not a number with a unit, such as \"0.2 m\"");
  EXPECT_NE(refusal(scenario, {{"drop", ""}}), "(accepted)");
  EXPECT_NE(refusal(scenario, {{"drop", "=3"}}), "(accepted)");
  EXPECT_NE(refusal(scenario, {{"drop", "1e999"}}), "(accepted)");
  EXPECT_NE(refusal(scenario, {{"", "1"}}), "(accepted)");
  // A knob that follows another may leave its range, too.
  EXPECT_EQ(refusal("[parameters]\na = 1\nb = { value = \"=2*a\", range = [0, 5] }\n", {{"a", "3"}}),
            "f.toml:3:5: parameter \"b\" must be between 0 and 5; it is 6");
}

// ---- mistakes in the file ---------------------------------------------------------------------

TEST(Parameters, bad_names) {
  EXPECT_EQ(refusal("[parameters]\nsin = 1\n"),
            "f.toml:2:1: \"sin\" cannot be the name of a parameter; it already has a meaning in formulas");
  EXPECT_NE(refusal("[parameters]\nt = 1\n"), "(accepted)");
  EXPECT_NE(refusal("[parameters]\npi = 1\n"), "(accepted)");
  EXPECT_EQ(refusal("[parameters]\n  a-b = 1\n"),
            "f.toml:2:3: \"a-b\" cannot be the name of a parameter; use letters, digits and underscores, a "
            "letter first");
  EXPECT_EQ(refusal("[parameters]\na = 1\n[define]\na = 2\n"), "f.toml:4:1: \"a\" is already a parameter");
}

TEST(Parameters, bad_values) {
  EXPECT_EQ(refusal("[parameters]\na = \"soft\"\n"),
            "f.toml:2:5: \"a\" in parameters: \"soft\" is neither a number with a unit nor a formula "
            "(\"=...\"); a textual parameter needs choices = [...]");
  EXPECT_EQ(refusal("[parameters]\na = [1]\n"),
            "f.toml:2:5: \"a\" in parameters must be a number; it is an array: [1]");
  EXPECT_EQ(refusal("[parameters]\na = nan\n"),
            "f.toml:2:5: \"a\" in parameters must be a finite number; it is nan");
  EXPECT_EQ(refusal("[parameters]\na = \"5\"\n"),
            "f.toml:2:5: \"a\" in parameters: \"5\" is text; drop the quotes to make it a number");
  EXPECT_EQ(refusal("[parameters]\na = { value = 1, unit = \"metr\" }\n"),
            "f.toml:2:25: \"unit\" in parameters > a: unknown unit \"metr\"; did you mean \"metre\"?");
  EXPECT_EQ(
      refusal("[parameters]\na = { value = \"1 kg\", unit = \"m\" }\n"),
      "f.toml:2:15: \"value\" in parameters > a: \"kg\" is a mass unit; a length is expected (m, mm, in, "
      "...)");
  EXPECT_EQ(refusal("[parameters]\na = { value = 700, unit = \"mm\", range = [0, 500] }\n"),
            "f.toml:2:15: parameter \"a\" must be between 0 and 500 mm; it is 700, that is 700 mm");
  EXPECT_EQ(refusal("[parameters]\na = { unit = \"mm\" }\n"),
            "f.toml:2:5: \"value\" in parameters > a is missing; give a length, e.g. value = \"200 mm\"");
  EXPECT_EQ(refusal("[parameters]\na = { value = 1.5, integer = true }\n"),
            "f.toml:2:15: parameter \"a\" must be a whole number; it is 1.5");
  EXPECT_EQ(refusal("[parameters]\na = { value = 1, rnage = [0, 2] }\n"),
            "f.toml:2:18: unknown key \"rnage\" in parameters > a; did you mean \"range\"? (known: about, "
            "choices, integer, unit, value, range)");
  EXPECT_EQ(refusal("[parameters]\na = { value = 1, range = [2, 0] }\n"),
            "f.toml:2:26: \"range\" in parameters > a: the lower bound comes first: [2, 0]");
  EXPECT_EQ(refusal("parameters = 3\n"), "f.toml:1:14: \"parameters\" must be one table; it is a number: 3");
}

TEST(Parameters, bad_choices) {
  EXPECT_EQ(refusal("[parameters]\na = { value = \"corse\", choices = [\"fine\", \"coarse\"] }\n"),
            "f.toml:2:15: \"value\" in parameters > a must be fine or coarse; it is \"corse\"; did you mean "
            "\"coarse\"?");
  EXPECT_EQ(refusal("[parameters]\na = { value = \"x\", choices = [] }\n"),
            "f.toml:2:30: \"choices\" in parameters > a: must name at least one text");
  EXPECT_EQ(refusal("[parameters]\na = { value = \"x\", choices = [\"x\"], range = [0, 1] }\n"),
            "f.toml:2:45: \"range\" in parameters > a: does not go with choices: the parameter is a text");
}

TEST(Parameters, only_earlier_ones_are_known) {
  EXPECT_EQ(refusal("[parameters]\nb = \"=a\"\na = 1\n"),
            "f.toml:2:7: \"b\" in parameters: unknown name \"a\" in \"a\"; no parameter is defined here");
  EXPECT_EQ(refusal("[define]\nlong = 1\nb = \"=lnog\"\n"),
            "f.toml:3:7: \"b\" in define: unknown name \"lnog\" in \"lnog\"; did you mean \"long\"?");
}

}  // namespace
}  // namespace thud::doc
