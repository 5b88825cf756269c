// What is described of scenario files is what the reader reads. Source of truth: the reader itself, which says "unknown
// key" to what it does not know, and which refuses to read what is not described.

#include "thud/scenario/schema.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "scenario/reader.hpp"
#include "scenario/rules.hpp"
#include "scenario/schema.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

using doc::Form;
using doc::KeySpec;
using doc::TableSpec;
using doc::ValueSpec;
using testing::HasSubstr;
using testing::Not;

// Values that a key can have, as written in a file.
std::vector<std::string> samples(const ValueSpec& v) {
  const double low = std::isfinite(v.range.min) ? v.range.min : 0.0;
  const std::string number =
      doc::show(std::isfinite(v.range.max) ? low + 0.5 * (v.range.max - low) : low + 1.0);
  switch (v.form) {
    case Form::number: return {number};
    case Form::whole: return {"2"};
    case Form::flag: return {"true"};
    case Form::text: return {"\"time at end\""};
    case Form::texts: return {"[\"rod\"]"};
    case Form::formula: return {number, fmt::format("\"=0.5 + 0*{}\"", v.variable)};
    case Form::pair: return {"[1, 1]"};
    case Form::pairs: return {"[[0, 0], [1, 0], [0, 1]]"};
    case Form::numbers: return {"[0.1]"};
    case Form::choice: {
      std::vector<std::string> all;
      for (const std::string& c : v.all_choices()) all.push_back('"' + c + '"');
      return all;
    }
    default: return {};  // tables have keys of their own
  }
}

constexpr const char* rod =
    "[[body]]\nname = \"rod\"\nshape = { kind = \"cylinder\", length = 0.2, diameter = 0.01, mass = 0.1 }\n"
    "joint = \"free\"\n";
constexpr const char* balls =
    "[[body]]\nrepeat = 2\nname = \"ball{i}\"\nshape = { kind = \"sphere\", diameter = 0.1, mass = 1 }\n"
    "joint = \"free\"\n[initial]\n\"ball2.x\" = 1\n";

std::string pinned(const std::string& name) {
  return "[[body]]\nname = \"" + name
       + "\"\nshape = { kind = \"cylinder\", length = 0.2, diameter = 0.01, mass = 0.1 }\njoint = \"pin\"\n";
}

// Texts that mean something.
const std::map<std::string, std::string> texts = {
    {"body.name", "\"n\""},
    {"joint.to", "\"base\""},
    {"point.body", "\"rod\""},
    {"wall.name", "\"n\""},
    {"bed.walls", "[-1, 1]"},
    {"rayleigh.ratios", "[0.01, 0.02]"},
    {"strike.body", "\"arm\""},
    {"strike.ball", "\"ball\""},
    {"strike.hertz", "{ qk = 1, A = 1, B = 1, delta1 = 1e-9, delta2 = 1e-9 }"},
    {"strike.damping", "[0.01]"},
    {"parameter.unit", "\"m\""},
    {"wall.touches", "[\"rod.tip\"]"},
    {"stop.when", "\"rest\""},
    {"pair.repeat", "1"},
    {"output.plot", "[\"rod.angle\"]"},
    {"pair.bodies", "[\"ball1\", \"ball2\"]"},
    {"pair.touches", "[\"ball1\", \"ball2\"]"},
    {"scenario.include", "\"part.toml\""},
    {"attached.name", "\"part.toml\""},
    {"attached.text", "\"gravity = 1\""},
    {"spring.name", "\"n\""},
    {"spring.from", "[0, 1]"},
    {"spring.to", "\"rod.tip\""},
    {"wall.on", "\"face\""},
    {"joint_spring.name", "\"n\""},
    {"joint_spring.joint", "\"arm\""},
    {"loop.name", "\"n\""},
    {"loop.a", "\"rod.tip\""},
    {"loop.b", "[0, 0.1]"},
    {"motion.name", "\"n\""},
    {"motion.joint", "\"arm\""},
    {"force.name", "\"n\""},
    {"force.at", "\"rod.tip\""},
    {"servo.name", "\"n\""},
    {"servo.joint", "\"arm\""},
    {"motor.name", "\"n\""},
    {"motor.joint", "\"arm\""},
    {"controller.name", "\"n\""},
    {"controller.start", "\"a\""},
    {"controller.outputs", "[\"f\"]"},
    {"state.name", "\"a\""},
    {"state.off", "[\"rod.tip@wall\"]"},
    {"way.to", "\"a\""},
    {"way.when", "\"rod.x rises through 1\""},
    {"limit.name", "\"n\""},
    {"limit.joint", "\"arm\""},
    {"limit.min", "-1"},
    {"limit.repeat", "1"},
    {"rope.name", "\"n\""},
    {"rope.from", "[0, 1]"},
    {"rope.to", "\"rod.tip\""},
    {"damper.name", "\"n\""},
    {"damper.from", "[0, 1]"},
    {"damper.to", "\"rod.tip\""},
    {"damper.force", "\"=2*v\""},
    {"strut.name", "\"n\""},
    {"strut.from", "[0, 1]"},
    {"strut.to", "\"rod.tip\""},
    {"strut.stroke", "0.2"},
    {"foot.name", "\"n\""},
    {"foot.at", "\"rod.tip\""}};

// A file in which the key stands in its table, with what else the table needs.
class Files {
 public:
  std::string with(const TableSpec& t, const std::string& key, const std::string& sample) const {
    const auto text_value = texts.find(t.name + "." + key);
    const std::string entry = key + " = " + (text_value == texts.end() ? sample : text_value->second);
    if (t.name == "scenario" && key == "include")
      return entry + "\n" + rod + "[[attached]]\nname = \"part.toml\"\ntext = \"gravity = 1\"\n";
    if (t.name == "scenario") return entry + "\n" + rod;
    if (t.name == "layer")
      return std::string(rod) + "[bed]\nlaw = \"rft\"\n[[bed.layer]]\n"
           + (key == "depth" ? "" : "depth = 0.1\n") + entry + "\n";
    if (t.name == "bed_contact")
      return std::string(rod) + "[bed]\ndepth = 1\nat_bottom = \"wall\"\n[bed.contact]\n"
           + (key == "stiffness" ? "" : "stiffness = 1\n") + entry + "\n";
    if (t.name == "body") return body(entry);
    if (t.name == "joint") return rod_named("base") + body("joint = { " + joint(key) + entry + " }");
    if (t.name == "rayleigh")
      return body("shape = "
                      + beam("damping = { " + std::string(key == "fit" ? "ratios = [0.01, 0.02], " : "")
                             + entry + " }"),
                  key == "fit");
    if (t.name == "stick") return arm(", friction = 1, stick = { " + needs(t, key) + entry + " }");
    if (t.name == "strike") return arm("") + ball + "[strike]\n" + strike(key) + entry + "\n" + beside(key);
    if (t.name == "hertz")
      return arm("") + ball + "[strike]\n" + strike("hertz") + "hertz = { " + needs(t, key) + entry + " }\n"
           + beside("");
    if (t.name == "parameter")
      return "[parameters]\np = { " + (key == "value" ? "" : parameter(key)) + entry + " }\n" + rod;
    if (t.name == "controller" || t.name == "state" || t.name == "way") return controller(t.name, key, entry);
    if (t.name == "point") return std::string(rod) + "[points]\np = { " + needs(t, key) + entry + " }\n";
    const std::string list = t.title.starts_with("[[") ? "[[" + t.name + "]]" : "[" + t.name + "]";
    // A spring in a joint wants a body that has one.
    std::string text = (t.name == "pair" ? balls : rod) + (holds_joint(t.name) ? arm("") : std::string())
                     + list + "\n" + entry + "\n";
    for (const KeySpec& k : t.keys) {
      const auto known = texts.find(t.name + "." + k.name);
      if (k.is_required() && k.name != key)
        text += k.name + " = " + (known == texts.end() ? "1" : known->second) + "\n";
    }
    for (const auto& group : t.exactly_one)
      if (std::find(group.begin(), group.end(), key) == group.end()) text += group.front() + " = 1\n";
    if (t.name == "limit" && key != "min" && key != "max") text += "min = -1\n";
    if (t.name == "limit" && key == "damping") text += "stiffness = 1\n";
    if (t.name == "pair" && key != "bodies" && key != "touches") text += "bodies = [\"ball1\", \"ball2\"]\n";
    if (t.name == "wall" && key != "at") text += "at = [0, 1]\n";
    if (t.name == "wall" && key == "repeat") text += "name = \"w{i}\"\n";
    if (t.name == "wall" && key == "mass") text += "slide = 1\n";
    if (t.name == "wall" && key == "on") text = pinned("face") + text;
    if (t.name == "motion" && key == "repeat")  // a joint is moved once
      return rod_named("base") + pinned("other1") + pinned("other2")
           + "[[motion]]\njoint = \"other{i}\"\nposition = 1\n" + entry + "\n";
    if (t.name == "loop" && key == "direction") text += "kind = \"line\"\n";
    if (t.name == "loop" && key == "ratio")
      return arm("") + pinned("other") + "[[loop]]\nkind = \"gear\"\na = \"arm\"\nb = \"other\"\n" + entry
           + "\n";
    if (t.name == "foot") {
      const bool own = key == "area" || key == "share" || key == "hardness";
      const bool swept = own || entry.find("swept") != std::string::npos;
      text += own ? "kind = \"swept\"\n" : "";
      text += key == "radius" || key == "area" ? "" : swept ? "area = 1\n" : "radius = 1\n";
    }
    if (t.name == "bed" && (key == "at_bottom" || key.starts_with("bottom_"))) text += "depth = 1\n";
    if (t.name == "bed" && key == "bottom_range") text += "bottom_rise = 1\n";
    if (t.name == "contact") text += "[[wall]]\nat = [0, 1]\nstiffness = 1\n";
    return text;
  }

  std::string shape(const TableSpec& t, const std::string& key, const std::string& value) const {
    const bool is_kind = key == "kind";
    const std::string own = is_kind ? "" : ", " + key + " = " + value;
    return body("shape = { kind = \"" + t.name + "\"" + companions(t, key) + own + " }");
  }

 private:
  static bool holds_joint(const std::string& table) {
    return table == "joint_spring" || table == "limit" || table == "servo" || table == "motor"
        || table == "motion";
  }
  static std::string controller(const std::string& table, const std::string& key, const std::string& entry) {
    const std::string own = table == "controller" ? entry + "\n" : "";
    const std::string wall = key == "off" ? "[[wall]]\nat = [0, 1]\n" : "";
    std::string text = std::string(rod) + wall + "[[controller]]\n" + own
                     + (table == "controller" && key == "name" ? "" : "name = \"n\"\n")
                     + (key == "delay" ? "rate = 10\n" : "") + "[[controller.state]]\n"
                     + (table == "state" && key == "name" ? "" : "name = \"a\"\n")
                     + (table == "state" ? entry + "\n" : "");
    if (table == "way")
      text += "go = [{ " + entry + (key == "to" ? "" : ", to = \"a\"") + (key == "to" ? ", after = 1" : "")
            + " }]\n";
    return text;
  }
  static constexpr const char* ball =
      "[[body]]\nname = \"ball\"\njoint = \"free\"\nshape = { kind = \"sphere\", diameter = 0.1, mass = 1 "
      "}\n";
  // On the side that the ball comes from: speeds of samples are positive.
  static std::string beside(const std::string& key) {
    return std::string("[initial]\n\"ball.x\" = ") + (key == "speed" ? "-0.5" : "0.5") + "\n\"ball.z\" = 1\n";
  }
  static std::string arm(const std::string& joint) {
    return "[[body]]\nname = \"arm\"\nshape = " + beam("support = \"clamped\"") + "\njoint = { kind = \"pin\""
         + joint + " }\n";
  }
  static std::string strike(const std::string& key) {
    std::string text;
    for (const auto& [name, value] : {std::pair{"body", "\"arm\""}, {"ball", "\"ball\""}, {"speed", "-1"}})
      if (key != name) text += std::string(name) + " = " + value + "\n";
    return text + (key == "stiffness" || key == "hertz" ? "" : "stiffness = 1e9\n");
  }
  static std::string body(const std::string& entry, bool pinned = false) {
    std::string text = "[[body]]\n" + entry + "\n";
    if (!entry.starts_with("name")) text += "name = \"rod{i}\"\n";
    if (!entry.starts_with("repeat")) text += "repeat = 1\n";
    if (!entry.starts_with("shape")) text += "shape = { kind = \"sphere\", diameter = 0.1, mass = 1 }\n";
    const bool is_point =
        entry.find("\"point\"") != std::string::npos;  // away from a pin, or nothing could turn it
    if (!entry.starts_with("joint ="))
      text += is_point || pinned || entry.starts_with("joint_inertia") ? "joint = \"pin\"\n"
                                                                       : "joint = \"free\"\n";
    return text;
  }
  static std::string rod_named(const std::string& name) {
    std::string text = rod;
    return text.replace(text.find("rod"), 3, name);
  }
  static std::string joint(const std::string& key) {
    if (key == "direction") return "kind = \"slider\", ";
    if (key == "angle" || key == "force") return "kind = \"slider\", direction = \"vertical\", ";
    return key == "to" || key == "kind" ? "" : "kind = \"pin\", ";
  }
  static std::string parameter(const std::string& key) {
    return key == "choices" ? "value = \"rod\", " : "value = 1, ";
  }
  static std::string beam(const std::string& entry) {
    return "{ kind = \"beam\", length = 1, diameter = 0.01, mass = 1, young = 1e9, " + entry + " }";
  }
  static std::string needs(const TableSpec& t, const std::string& key) {
    std::string out;
    for (const KeySpec& k : t.keys)
      if (k.is_required() && k.name != key) out += k.name + (k.name == "body" ? " = \"rod\", " : " = 0.1, ");
    return out;
  }
  static std::string companions(const TableSpec& t, const std::string& key) {
    std::string out;
    for (const KeySpec& k : t.keys) {
      if (!k.is_required() || k.name == key || k.name == "kind") continue;
      out += k.name == "parts"   ? ", parts = [ { kind = \"sphere\", diameter = 1, mass = 1 } ]"
           : k.name == "corners" ? ", corners = [[0, 0], [1, 0], [0, 1]]"
                                 : ", " + k.name + " = 0.1";
    }
    if (t.name == "point" && key != "at") out += ", at = 0.1";
    for (const auto& group : t.exactly_one)
      if (std::find(group.begin(), group.end(), key) == group.end()) out += ", " + group.front() + " = 1";
    if (t.name == "beam" && key == "thickness") out += ", width = 0.01";
    if (t.name == "beam" && key == "width") out += ", thickness = 0.01";
    if (t.name == "beam" && key != "thickness" && key != "width" && key != "diameter")
      out += ", diameter = 0.01";
    return out;
  }
};

// Whether the reader takes the file. It may refuse the value, but must know the key.
bool loads(const std::string& text, const std::string& what) {
  try {
    (void)parse_scenario(text, "sample", {});
    return true;
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), Not(HasSubstr("unknown key"))) << what << "\n" << text;
  } catch (const std::logic_error& e) {
    ADD_FAILURE() << what << ": " << e.what() << "\n" << text;
  }
  return false;
}

template <class F>
void each_table(const TableSpec& table, F&& f, std::set<std::string>& seen) {
  if (!seen.insert(table.name).second) return;
  f(table);
  const auto below = [&](const KeySpec& k) {
    for (const ValueSpec& v : k.values)
      if (v.table) each_table(v.table(), f, seen);
  };
  for (const KeySpec& k : table.keys) below(k);
  if (table.each) below(*table.each);
  for (const TableSpec& variant : table.variants)
    for (const KeySpec& k : variant.keys) below(k);
}

TEST(Schema, every_key_that_is_described_is_read) {
  const Files files;
  int count = 0;
  // At least one value of every key makes a file that loads, so that no other error hides an unknown key.
  const auto expect_read = [&](const KeySpec& k, const std::string& title, auto&& file) {
    int tried = 0, loaded = 0;
    for (const ValueSpec& v : k.values)
      for (const std::string& value : samples(v)) ++tried, loaded += loads(file(value), title + " " + k.name);
    EXPECT_TRUE(loaded > 0 || tried == 0) << title << " " << k.name;
    count += loaded;
  };
  std::set<std::string> seen;
  each_table(
      doc::scenario_spec(),
      [&](const TableSpec& t) {
        if (t.variants.empty())
          for (const KeySpec& k : t.keys)
            expect_read(k, t.title, [&](const std::string& value) { return files.with(t, k.name, value); });
        for (const TableSpec& variant : t.variants)
          for (const KeySpec& k : variant.keys)
            expect_read(k, variant.title,
                        [&](const std::string& value) { return files.shape(variant, k.name, value); });
      },
      seen);
  EXPECT_GT(count, 100);
}

TEST(Schema, every_coefficient_of_every_law_is_described_and_read) {
  for (const LawEntry* law : law_table())
    for (const Coefficient& c : law->card.coefficients) {
      // those of resistive force theory must resist every motion
      const double value = c.any_sign ? 0.999 * c.get(law->prototype) : 1;
      const std::string text =
          fmt::format("{}[bed]\nlaw = \"{}\"\n{} = {}\n", rod, law->card.name, c.key, value);
      EXPECT_NO_THROW((void)parse_scenario(text, "sample", {})) << text;
    }
}

TEST(Schema, every_key_has_a_meaning) {
  std::set<std::string> seen;
  each_table(
      doc::scenario_spec(),
      [&](const TableSpec& t) {
        EXPECT_FALSE(t.about.empty()) << t.title;
        for (const KeySpec& k : t.keys) EXPECT_FALSE(k.about.empty()) << t.title << " " << k.name;
      },
      seen);
}

TEST(Schema, every_form_of_a_result_is_read) {
  const std::string
      start = std::string(rod)
            + "[[wall]]\nname = \"floor\"\nat = [0, 1]\n[bed]\nsurface = 2\n[results]\nt_z = \"time when "
              "rod.tip.vz falls through 0\"\n";
  for (const doc::ResultForm& f : doc::result_forms()) {
    std::string example = f.example;
    // Of joints with friction and of beams.
    const std::string held =
        "[[body]]\nname = \"arm\"\nshape = { kind = \"beam\", length = 1, diameter = 0.01, mass = 1, young = "
        "1e9 }\njoint = { "
        "kind = \"pin\", friction = 1 }\n[[wall]]\nname = \"stop\"\nat = [0, 2]\n[results]\n";
    for (std::size_t at = example.find("thigh"); at != std::string::npos; at = example.find("thigh"))
      example.replace(at, 5, "arm");
    if (example.find("arm.") != std::string::npos || example == "time of stick 1") {
      EXPECT_NO_THROW((void)parse_scenario(held + "r = \"" + example + "\"\n", "sample", {})) << f.form;
      continue;
    }
    for (std::size_t at = example.find("link"); at != std::string::npos; at = example.find("link"))
      example.replace(at, 4, "rod");
    EXPECT_NO_THROW((void)parse_scenario(start + "r = \"" + example + "\"\n", "sample", {})) << f.form;
  }
  for (const std::string& verb : doc::condition_verbs())
    EXPECT_NO_THROW((void)parse_scenario(start + "r = \"time when rod.vz " + verb + " 1\"\n", "sample", {}));
}

// ---- the reader is held to the description ----

class HeldTo : public testing::Test {
 protected:
  const TableSpec spec{
      .name = "t",
      .title = "[t]",
      .about = "",
      .keys = {{"length", {{Form::number, doc::Dimension::length, doc::Range::positive()}}, "2 m", ""},
               {"kind", {{Form::choice, doc::Dimension::none, {}, {"a", "b"}}}, "a", ""},
               {"count", {{Form::whole, doc::Dimension::none, doc::Range::between(0, 9)}}, "3", ""},
               {"mass", {{Form::number, doc::Dimension::mass}}, "", ""}}};
  const doc::Document document =
      doc::Document::parse("length = 1\nkind = \"a\"\ncount = 1\nmass = 1\nother = 1\n", "f");
  const doc::Table table = document.root(&spec);

  template <class F>
  static std::string complaint(F&& f) {
    try {
      f();
    } catch (const std::logic_error& e) {
      return e.what();
    }
    return "none";
  }
};

TEST_F(HeldTo, what_is_described_is_read) {
  EXPECT_EQ(table.number_or("length", 2, doc::Dimension::length, doc::Range::positive()), 1);
  EXPECT_EQ(table.choice_or("kind", "a", {"a", "b"}), "a");
  EXPECT_EQ(table.integer_or("count", 3, doc::Range::between(0, 9)), 1);
  EXPECT_EQ(table.number("mass", doc::Dimension::mass), 1);
}

TEST_F(HeldTo, what_is_not_described_is_named) {
  const auto said = complaint([&] { (void)table.has("other"); });
  EXPECT_THAT(said, HasSubstr("the key \"other\" of [t] is read but not described"));
  EXPECT_THAT(said, HasSubstr("schema_tables.cpp"));
}

TEST_F(HeldTo, another_dimension_range_default_choice_or_form_is_named) {
  using doc::Dimension;
  using doc::Range;
  EXPECT_THAT(complaint([&] { (void)table.number("length", Dimension::mass, Range::positive()); }),
              HasSubstr("is read as a mass"));
  EXPECT_THAT(complaint([&] { (void)table.number("length", Dimension::length); }), HasSubstr("> 0"));
  EXPECT_THAT(complaint([&] { (void)table.number_or("length", 3, Dimension::length, Range::positive()); }),
              HasSubstr("is 3 where it is not given, and described as 2 m"));
  EXPECT_THAT(complaint([&] { (void)table.number_or("mass", 3, Dimension::mass); }),
              HasSubstr("described as required"));
  EXPECT_THAT(complaint([&] { (void)table.choice("kind", {"a", "c"}); }), HasSubstr("can be a or c"));
  EXPECT_THAT(complaint([&] { (void)table.choice_or("kind", "b", {"a", "b"}); }), HasSubstr("is b where"));
  EXPECT_THAT(complaint([&] { (void)table.integer_or("count", 4, Range::between(0, 9)); }),
              HasSubstr("is 4 where"));
  EXPECT_THAT(complaint([&] { (void)table.flag_or("count", true); }), HasSubstr("form"));
}

TEST(Schema, json_has_every_table_and_shape) {
  const auto schema = nlohmann::json::parse(make_scenario_schema());
  const auto& definitions = schema.at("definitions");
  for (const char* name :
       {"body", "joint", "shape", "shape_beam", "bed", "wall", "pair", "parameter", "stop"})
    EXPECT_TRUE(definitions.contains(name)) << name;
  for (const LawEntry* law : law_table())
    for (const Coefficient& c : law->card.coefficients)
      EXPECT_TRUE(definitions.at("bed").at("properties").contains(c.key)) << law->card.name << " " << c.key;
}

}  // namespace
}  // namespace thud
