// What a file says does not depend on where in the file it says it: bodies, walls, pairs and elements in another order are
// the same run.
// Source of truth: the same file in the order in which it was written.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "thud/model.hpp"

namespace thud {
namespace {

std::string read(const std::string& name) {
  std::ifstream file(std::string(THUD_SOURCE_DATA_DIR) + "/scenarios/" + name + ".toml");
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

// A file as its tables, with what stands before the first one.
std::vector<std::string> tables_of(const std::string& text) {
  std::vector<std::string> out(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) out.emplace_back();
    out.back() += line + "\n";
  }
  return out;
}

// Tables of a kind change places with each other; 0: in reverse.
std::string shuffled(const std::string& text, unsigned seed) {
  std::vector<std::string> tables = tables_of(text);
  std::mt19937 random(seed);
  for (const char* kind :
       {"[[body]]", "[[wall]]", "[[pair]]", "[[rope]]", "[[strut]]", "[[limit]]", "[[spring]]"}) {
    std::vector<std::size_t> where;
    for (std::size_t i = 0; i < tables.size(); ++i)
      if (tables[i].starts_with(kind)) where.push_back(i);
    std::vector<std::string> items;
    for (const std::size_t i : where) items.push_back(tables[i]);
    if (seed == 0)
      std::reverse(items.begin(), items.end());
    else
      std::shuffle(items.begin(), items.end(), random);
    for (std::size_t k = 0; k < where.size(); ++k) tables[where[k]] = items[k];
  }
  std::string out;
  for (const std::string& table : tables) out += table;
  return out;
}

void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.stop(), b.stop());
  ASSERT_EQ(a.events().size(), b.events().size());
  for (std::size_t i = 0; i < a.events().size(); ++i) {
    const EventInfo &x = a.events()[i], &y = b.events()[i];
    ASSERT_EQ(x.kind, y.kind) << "event " << i;
    ASSERT_EQ(x.subject, y.subject) << "event " << i;
    ASSERT_EQ(x.after, y.after) << "event " << i;
    ASSERT_NEAR(x.time, y.time, 1e-12) << "event " << i;
  }
  ASSERT_EQ(a.impacts().size(), b.impacts().size());
  for (std::size_t i = 0; i < a.impacts().size(); ++i)
    for (std::size_t k = 0; k < a.impacts()[i].impulse.size(); ++k)
      ASSERT_NEAR(a.impacts()[i].impulse[k], b.impacts()[i].impulse[k], 1e-12);
  for (const ResultValue& r : a.results()) {
    if (!r.value) continue;
    EXPECT_NEAR(*r.value, b[r.name], 1e-12 * std::max(1.0, std::abs(*r.value))) << r.name;
  }
}

class FileOrder : public testing::TestWithParam<const char*> {};

TEST_P(FileOrder, of_a_library_scenario_does_not_matter) {
  const std::string text = read(GetParam());
  const Result base = parse(text, "base.toml").run();
  for (const unsigned seed : {0u, 1u, 2u}) {
    SCOPED_TRACE(seed);
    expect_same(base, parse(shuffled(text, seed), "shuffled.toml").run());
  }
}
INSTANTIATE_TEST_SUITE_P(Library, FileOrder,
                         testing::Values("rocking_block", "block_drop", "biped_drop", "lander", "finger",
                                         "five_bar_leg", "cube", "rocking_block_to_rest", "three_balls",
                                         "discs_in_v"),
                         [](const testing::TestParamInfo<const char*>& it) { return std::string(it.param); });

// Discs of all sizes in a groove, every body and every pair a table of its own.
std::string pile(unsigned seed, int count, bool symmetric, double side = 1) {
  std::mt19937 random(seed);
  const auto in = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const double friction = symmetric ? 0.4 : in(0, 0.8), e = symmetric ? 0.2 : in(0, 0.6);
  std::string out = fmt::format("[contact]\nrestitution = {}\nfriction = {}\n", e, friction);
  out += fmt::format(
      "[[wall]]\nname = \"left\"\nslope = \"{} deg\"\n[[wall]]\nname = \"right\"\nslope = \"{} deg\"\n",
      45 * side, -45 * side);
  std::string start = "[initial]\n";
  for (int i = 1; i <= count; ++i) {
    out += fmt::format(
        "[[body]]\nname = \"d{}\"\nshape = {{ kind = \"disc\", diameter = {}, thickness = 0.02, density = "
        "2700 }}\n"
        "joint = \"free\"\n",
        i, symmetric ? 0.05 : in(0.03, 0.06));
    for (int j = 1; j < i; ++j) out += fmt::format("[[pair]]\nbodies = [\"d{}\", \"d{}\"]\n", j, i);
    // Symmetric: two and two, side by side.
    const double x = side * (symmetric ? (i % 2 ? 0.04 : -0.04) : in(-0.02, 0.02));
    start += fmt::format("\"d{0}.angle\" = 0\n\"d{0}.x\" = {1}\n\"d{0}.z\" = {2}\n", i, x,
                         symmetric ? -0.15 - 0.1 * ((i + 1) / 2) : -0.1 - 0.08 * i);
  }
  return out + start + "[stop]\nwhen = \"rest\"\ntime = 3\n[results]\nx = \"d1.x at end\"\nz = \"d"
       + std::to_string(count) + ".z at end\"\n";
}

TEST(FileOrderOfPiles, does_not_matter) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = pile(seed, 3 + static_cast<int>(seed % 3), seed % 4 == 0);
    const Result base = parse(text, "base.toml").run();
    for (const unsigned other : {0u, seed + 100})
      expect_same(base, parse(shuffled(text, other), "other.toml").run());
  }
}

// The mirror image of a pile is the mirror image of its run: nothing prefers a side. Bodies and walls keep their names.
TEST(FileOrderOfPiles, sides_are_alike) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const int count = 3 + static_cast<int>(seed % 3);
    const Result a = parse(pile(seed, count, seed % 4 == 0), "pile.toml").run();
    const Result b = parse(pile(seed, count, seed % 4 == 0, -1), "mirrored.toml").run();
    EXPECT_EQ(a.stop(), b.stop());
    ASSERT_EQ(a.events().size(), b.events().size());
    for (std::size_t i = 0; i < a.events().size(); ++i) {
      ASSERT_EQ(a.events()[i].kind, b.events()[i].kind) << "event " << i;
      ASSERT_EQ(a.events()[i].subject, b.events()[i].subject) << "event " << i;
      ASSERT_NEAR(a.events()[i].time, b.events()[i].time, 1e-12) << "event " << i;
    }
    EXPECT_NEAR(a["x"], -b["x"], 1e-12);
    EXPECT_NEAR(a["z"], b["z"], 1e-12);
  }
}

// "first" goes by the file, and by nothing else.
TEST(FileOrderOfLeaders, first_means_first_in_the_file) {
  const auto run = [](const char* first, const char* second) {
    std::string text = "gravity = 0\n[contact]\nrestitution = 0.9\ncorrelation = 0.02\nleader = \"first\"\n";
    for (const auto& [name, mass] : {std::pair{"a", 0.46}, {"b", 2.6}, {"c", 0.97}})
      text += fmt::format(
          "[[body]]\nname = \"{}\"\nshape = {{ kind = \"sphere\", diameter = 0.1, mass = {} }}\n"
          "joint = \"free\"\n",
          name, mass);
    text += fmt::format("[[pair]]\nbodies = [{}]\n[[pair]]\nbodies = [{}]\n", first, second);
    text +=
        "[initial]\n\"a.angle\" = 0\n\"b.angle\" = 0\n\"c.angle\" = 0\n\"a.x\" = -0.1\n\"b.x\" = 0\n\"c.x\" "
        "= 0.1\n"
        "\"a.z\" = 0\n\"b.z\" = 0\n\"c.z\" = 0\n\"a.vx\" = 1\n\"b.vx\" = 0.54\n[stop]\ntime = "
        "0.05\n[results]\n"
        "u = \"a.vx at end\"\n";
    return parse(text, "balls.toml").run()["u"];
  };
  // Of Gharib & Hurmuzlu's eqs 4-19, and by the fastest approach (docs/theory/impacts.md).
  EXPECT_NEAR(run("\"a\", \"b\"", "\"b\", \"c\""), 0.2551, 1e-4);
  EXPECT_NEAR(run("\"b\", \"c\"", "\"a\", \"b\""), -0.1897, 1e-4);
}

}  // namespace
}  // namespace thud
