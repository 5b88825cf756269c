// Figures of publications as data: all fit their scenarios, some are drawn, files come whole or not at all.
#include "thud/study/paper_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "temp_folder.hpp"
#include "unit/svg_reader.hpp"

namespace {

namespace fs = std::filesystem;
using namespace thud;
using ::testing::HasSubstr;

class Figures : public ::testing::Test {
 protected:
  std::string content(const std::string& name) const { return test::content(folder / name); }

  const test::TempFolder temporary{"figures"};
  const fs::path folder = temporary.path();
  std::vector<ReferenceTable> tables = load_reference();
  std::vector<PaperFigure> all = load_figures(tables);
};

// The figures that the issue of stills names.
TEST_F(Figures, the_main_figures_of_the_papers_are_there) {
  std::set<std::string> known;
  for (const PaperFigure& f : all) known.insert(f.id);
  for (const int n : {2, 3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 17, 18, 19, 20, 22, 23, 24, 25, 28, 29, 30, 31})
    EXPECT_TRUE(known.count("lee2009/figure-4." + std::to_string(n))) << n;
  for (const int n : {3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    EXPECT_TRUE(known.count("lee2009/figure-5." + std::to_string(n))) << n;
  for (const int n : {4, 5, 6, 7, 8})
    EXPECT_TRUE(known.count("marghitu2013/figure-" + std::to_string(n))) << n;
  for (const int n : {4, 5, 6, 7, 8, 9, 10, 11})
    EXPECT_TRUE(known.count("lee2009/figure-6." + std::to_string(n))) << n;
  for (const int n : {3, 4, 5, 6})
    EXPECT_TRUE(known.count("sypniewska2015/figure-" + std::to_string(n))) << n;
  for (const int n : {5, 6}) EXPECT_TRUE(known.count("gharib2010/figure-" + std::to_string(n))) << n;
  for (const int n : {3, 4, 5, 6, 7, 8, 9, 10})
    EXPECT_TRUE(known.count("chapnik1991/figure-" + std::to_string(n))) << n;
}

TEST_F(Figures, all_fit_their_scenarios_and_tables) {
  for (const PaperFigure& f : all) EXPECT_NO_THROW(check_figure(f, tables)) << f.id;
}

TEST_F(Figures, a_few_are_drawn) {
  for (const char* id :
       {"lee2009/figure-4.8", "lee2009/figure-4.11", "lee2009/figure-4.25", "lee2009/figure-5.10"}) {
    const PaperFigure f = select_figures(all, {id}).at(0);
    const DrawnFigure drawn = draw_figure(f, tables);
    EXPECT_TRUE(drawn.failed.empty()) << id;
    std::size_t curves = 0;
    for (const test::Element& e : test::check(drawn.svg))
      curves += e.attribute.count("class") && e.attribute.at("class") == "curve";
    EXPECT_EQ(curves, f.runs.size() * f.panels.size()) << id;
    EXPECT_THAT(drawn.svg, HasSubstr(f.title));
    EXPECT_EQ(draw_figure(f, tables).svg, drawn.svg);
  }
}

struct Circles {
  std::vector<std::pair<double, double>> rings, ends;  ///< published points, and ends of curves
};

// Those of a drawing, without its key.
Circles circles_of(const std::string& svg) {
  Circles out;
  bool in_key = true;
  for (const test::Element& e : test::check(svg)) {
    if (e.name == "polyline") in_key = false;
    if (e.name != "circle" || in_key) continue;
    (test::number(e, "r") == 4 ? out.rings : out.ends)
        .emplace_back(test::number(e, "cx"), test::number(e, "cy"));
  }
  return out;
}

// Truth: Table 4.1. The published time is within 0.02 % of ours, so its ring lies on the end of the curve.
TEST_F(Figures, published_times_lie_on_the_curves) {
  const PaperFigure f = select_figures(all, {"lee2009/figure-4.2"}).at(0);
  const auto [rings, ends] = circles_of(draw_figure(f, tables).svg);
  ASSERT_EQ(rings.size(), 3u);
  ASSERT_EQ(ends.size(), 6u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(rings[k].first, ends[3 + k].first, 0.15);  // 0.02 % of 640 pixels
    EXPECT_NEAR(rings[k].second, ends[3 + k].second, 0.02);
  }
}

// Truth: γ of Table 6.1, (q_E − q_S)/q_E: two rings for each curve, above and below its end.
TEST_F(Figures, measured_ends_lie_on_both_sides_of_the_simulated_one) {
  const PaperFigure f = select_figures(all, {"lee2009/figure-6.5"}).at(0);
  const auto [rings, ends] = circles_of(draw_figure(f, tables).svg);
  ASSERT_EQ(rings.size(), 6u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(rings[2 * k].first, rings[2 * k + 1].first, 0.02);
    EXPECT_LT((rings[2 * k].second - ends[k].second) * (rings[2 * k + 1].second - ends[k].second), 0);
  }
}

// 61.5 deg, -2.70 rad/s: the upper end would lie above the sand, and has no ring.
TEST_F(Figures, impossible_ends_are_not_drawn) {
  const PaperFigure f = select_figures(all, {"lee2009/figure-6.10"}).at(0);
  const auto [rings, ends] = circles_of(draw_figure(f, tables).svg);
  ASSERT_EQ(rings.size(), 5u);
  EXPECT_GT(rings[0].first, rings[1].first + 1);  // the slow one, which stops last
  EXPECT_NEAR(rings[1].first, rings[2].first, 0.02);
  EXPECT_NEAR(rings[3].first, rings[4].first, 0.02);
}

// Truth: the closed forms of the paper, which the table of the figure holds: its markers lie on the computed curve.
TEST_F(Figures, curves_against_a_knob_go_through_the_numbers_of_their_table) {
  PaperFigure f = select_figures(all, {"gharib2010/figure-6"}).at(0);
  f.panels.resize(1);  // the left corner: round markers
  const DrawnFigure drawn = draw_figure(f, tables);
  EXPECT_TRUE(drawn.failed.empty());
  EXPECT_THAT(drawn.svg, AllOf(HasSubstr("left corner, inclined"), HasSubstr("by the paper's equations")));
  std::vector<std::pair<double, double>> curve, marks;
  for (const test::Element& e : test::check(drawn.svg)) {
    if (e.name == "circle") marks.emplace_back(test::number(e, "cx"), test::number(e, "cy"));
    if (e.name != "polyline" || e.attribute.at("points").size() < 500) continue;
    std::istringstream in(e.attribute.at("points"));
    char comma = 0;
    for (double x = 0, y = 0; in >> x >> comma >> y;) curve.emplace_back(x, y);
  }
  ASSERT_EQ(curve.size(), 101u);
  ASSERT_EQ(marks.size(), 8u + 1u);  // and the key
  for (std::size_t k = 0; k < 8; ++k) {
    const auto after = std::find_if(curve.begin() + 1, curve.end(),
                                    [&](auto p) { return p.first >= marks[k].first - 0.01; });
    ASSERT_NE(after, curve.end());
    const auto before = after - 1;
    const double part = (marks[k].first - before->first) / (after->first - before->first);
    EXPECT_NEAR(marks[k].second, before->second + part * (after->second - before->second), 0.3) << k;
  }
}

TEST_F(Figures, five_arrangements_of_the_impulse_plane) {
  const PaperFigure f = select_figures(all, {"sypniewska2015/figure-3"}).at(0);
  ASSERT_EQ(f.impacts.size(), 5u);
  std::set<std::string> cases;
  for (const PaperImpact& i : f.impacts) cases.insert(i.name);
  EXPECT_EQ(cases, (std::set<std::string>{"slip", "slip-stick in compression", "reversal in compression",
                                          "slip-stick in restitution", "reversal in restitution"}));
  const DrawnFigure drawn = draw_figure(f, tables);
  EXPECT_THAT(drawn.failed, ::testing::IsEmpty());
  (void)test::check(drawn.svg);
  PaperFigure wrong = f;
  wrong.impacts[0].name = "stick";
  EXPECT_THAT(draw_figure(wrong, tables).failed,
              ::testing::ElementsAre(HasSubstr("is \"slip\", not \"stick\"")));
}

TEST_F(Figures, are_written_whole_with_a_page_of_all) {
  DrawOptions options;
  int calls = 0;
  options.progress = [&](int done, int total) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(total, 2);
  };
  const auto draw = [&](const std::vector<std::string>& ids) {
    return draw_figures(select_figures(all, ids), all, tables, folder, options);
  };
  EXPECT_EQ(draw({"lee2009/figure-4.2", "lee2009/figure-4.13"}).drawn, 2);
  const std::string first = content("lee2009/figure_4_2.svg");
  EXPECT_THAT(content("index.html"), HasSubstr("lee2009/figure_4_13.svg"));
  options.progress = nullptr;
  EXPECT_EQ(draw({"marghitu2013/figure-4"}).drawn, 1);
  EXPECT_THAT(content("index.html"),
              AllOf(HasSubstr("lee2009/figure_4_2.svg"), HasSubstr("marghitu2013/figure_4.svg")));
  EXPECT_EQ(content("lee2009/figure_4_2.svg"), first);
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    EXPECT_FALSE(entry.path().filename().string().starts_with('.')) << entry.path();
}

TEST_F(Figures, what_is_finished_stays_when_cancelled) {
  std::atomic<bool> cancel{false};
  DrawOptions options;
  options.request.cancel = &cancel;
  options.progress = [&](int done, int) { cancel = done == 2; };
  const DrawnFigures drawn =
      draw_figures(select_figures(all, {"lee2009/figure-4"}), all, tables, folder, options);
  EXPECT_TRUE(drawn.cancelled);
  EXPECT_EQ(drawn.drawn, 2);
  EXPECT_TRUE(fs::exists(folder / "lee2009/figure_4_3.svg"));
  EXPECT_FALSE(fs::exists(folder / "lee2009/figure_4_4.svg"));
  EXPECT_THAT(content("index.html"), HasSubstr("figure_4_3.svg"));
}

TEST_F(Figures, nothing_is_left_when_cancelled_at_once) {
  const std::atomic<bool> cancel{true};
  DrawOptions options;
  options.request.cancel = &cancel;
  EXPECT_EQ(draw_figures(select_figures(all, {"lee2009/figure-4"}), all, tables, folder, options).drawn, 0);
  EXPECT_FALSE(fs::exists(folder / "index.html"));
}

TEST_F(Figures, several_at_once_are_the_same) {
  const std::vector<PaperFigure> some = select_figures(all, {"lee2009/figure-4", "gharib2010"});
  DrawOptions options;
  options.jobs = 4;
  EXPECT_EQ(draw_figures(some, all, tables, folder / "4", options).drawn, static_cast<int>(some.size()));
  (void)draw_figures(some, all, tables, folder / "1");
  for (const PaperFigure& f : some)
    EXPECT_EQ(content("4/" + f.file_name()), content("1/" + f.file_name())) << f.id;
}

TEST_F(Figures, a_folder_that_cannot_be_written_is_refused_before_any_run) {
  std::ofstream(folder / "file") << "x";
  EXPECT_THROW(draw_figures(select_figures(all, {"lee2009/figure-4.2"}), all, tables, folder / "file"),
               InputError);
}

TEST_F(Figures, ids) {
  EXPECT_EQ(select_figures(all, {}).size(), all.size());
  EXPECT_EQ(select_figures(all, {"lee2009/figure-4.2"}).size(), 1u);  // not 4.20, 4.22 …
  EXPECT_EQ(select_figures(all, {"marghitu2013"}).size(), 5u);
  EXPECT_EQ(select_figures(all, {"chapnik1991"}).size(), 8u);
  const auto refusal = [&](const std::string& id) -> std::string {
    try {
      (void)select_figures(all, {id});
    } catch (const InputError& e) {
      return e.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(refusal("4.2"), R"(there is no figure "4.2"; did you mean "lee2009/figure-4.2"?)");
  EXPECT_EQ(refusal("lee2009/4.10"),
            R"(there is no figure "lee2009/4.10"; did you mean "lee2009/figure-4.10"?)");
  EXPECT_EQ(refusal("newton1687"), R"(there is no figure "newton1687"; `thud reproduce --list` shows them)");
}

// ---- the data ------------------------------------------------------------------------------------------------------

class FigureFile : public ::testing::Test {
 protected:
  static std::string entry(const std::string& change_from = "", const std::string& change_to = "") {
    std::string text =
        R"({"figures": [{"id": "own/figure-1", "title": "t", "source": "s", "table": "lee2009/4.3",)"
        R"( "set": {"angle": "32 deg"}, "vary": {"speed": ["1.26 m/s", "1.87 m/s"]},)"
        R"( "panels": [{"observable": "link.tip.vz", "published": "t_z"}]}]})";
    if (!change_from.empty()) {
      const std::size_t at = text.find(change_from);
      EXPECT_NE(at, std::string::npos) << change_from;
      text.replace(at, change_from.size(), change_to);
    }
    return text;
  }
  std::string refusal(const std::string& from, const std::string& to) const {
    try {
      for (const PaperFigure& f : parse_figures(entry(from, to), "own.json", tables)) check_figure(f, tables);
    } catch (const InputError& e) {
      return e.what();
    }
    return "(accepted)";
  }
  std::vector<ReferenceTable> tables = load_reference();
};

TEST_F(FigureFile, scenario_and_settings_may_come_from_the_table) {
  const PaperFigure f = parse_figures(entry(), "own.json", tables).at(0);
  EXPECT_EQ(f.scenario, "free_link");
  EXPECT_EQ(f.file_name(), "own/figure_1.svg");
  EXPECT_EQ(f.varied, std::vector<std::string>{"speed"});
  ASSERT_EQ(f.runs.size(), 2u);
  EXPECT_EQ(f.runs[1], (KnobSettings{{"angle", "32 deg"}, {"speed", "1.87 m/s"}}));
  EXPECT_EQ(refusal("", ""), "(accepted)");
  // Never out of the folder.
  EXPECT_EQ(parse_figures(entry("own/", "../"), "own.json", tables).at(0).file_name(), "__/figure_1.svg");
}

TEST_F(FigureFile, refusals_name_the_figure_and_what_is_wrong) {
  const std::string head = "own.json: figure \"own/figure-1\"";
  EXPECT_THAT(refusal("\"title\": \"t\", ", ""), AllOf(HasSubstr(head), HasSubstr("\"title\" is missing")));
  EXPECT_THAT(refusal("\"title\"", "\"titel\""), HasSubstr("titel"));
  EXPECT_THAT(refusal("own/figure-1", "/figure-1"), HasSubstr("paper/figure"));
  EXPECT_THAT(refusal("lee2009/4.3", "lee2009/4.33"), HasSubstr("did you mean \"lee2009/4.3\"?"));
  EXPECT_THAT(refusal("link.tip.vz", "link.tip.vy"),
              AllOf(HasSubstr(head), HasSubstr("did you mean \"link.tip.v")));
  EXPECT_THAT(refusal("\"speed\"", "\"spede\""),
              AllOf(HasSubstr(head), HasSubstr("did you mean \"speed\"?")));
  EXPECT_THAT(refusal("1.87", "99"), AllOf(HasSubstr(head), HasSubstr("between 0 and 20 m/s")));
  EXPECT_THAT(refusal("1.87", "1.88"),
              HasSubstr("no row of table \"lee2009/4.3\" has the settings of run 2"));
  EXPECT_THAT(refusal("\"t_z\"", "\"t_x\""), HasSubstr("table \"lee2009/4.3\" has no result \"t_x\""));
  EXPECT_THAT(refusal("[\"1.26 m/s\", \"1.87 m/s\"]", "[]"), HasSubstr("is empty"));
  EXPECT_THAT(refusal("\"table\": \"lee2009/4.3\"", "\"scenario\": \"free_link\""),
              HasSubstr("needs a \"table\""));
  EXPECT_THAT(refusal("\"vary\"", "\"until\": \"dawn\", \"vary\""), HasSubstr("the only choice is \"rest\""));
}

}  // namespace
