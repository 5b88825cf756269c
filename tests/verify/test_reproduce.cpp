// Source of truth: the numbers printed in the papers (reference/); for digits beyond the printed ones, independent
// integrations of the same equations to 1e-12 ("expect_converged" there), and a closed form.
#include "thud/study/reproduce.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/special_functions/ellint_1.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>

namespace thud {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<ReferenceTable>& tables() {
  static const std::vector<ReferenceTable> all = load_reference();
  return all;
}

const Reproduction& all_of_it() {
  static const Reproduction result = reproduce(tables());
  return result;
}

const ReproducedTable& reproduced(const std::string& id) {
  for (const ReproducedTable& t : all_of_it().tables)
    if (t.table.id == id) return t;
  throw std::out_of_range(id);
}

std::vector<std::string> ids_of(const std::vector<ReferenceTable>& list) {
  std::vector<std::string> ids;
  for (const ReferenceTable& t : list) ids.push_back(t.id);
  return ids;
}

TEST(Reproduce, every_published_value_is_there) {
  // Values per table as printed, without the row that Tables 4.5 and 4.6 print twice.
  const std::vector<std::pair<std::string, int>> printed{
      {"lee2009/3.3", 2},  {"lee2009/4.1", 9},  {"lee2009/4.2", 9},  {"lee2009/4.3", 9},
      {"lee2009/4.4", 12}, {"lee2009/4.5", 15}, {"lee2009/4.6", 15}, {"lee2009/4.7", 24},
      {"lee2009/5.2", 6},  {"lee2009/5.4", 9},  {"lee2009/5.5", 12}, {"marghitu2013/1", 9}};
  // 5.2, 5.5 and the paper of 2013 print values of other tables again.
  const std::vector<std::string> repeated{"lee2009/5.2", "lee2009/5.5", "marghitu2013/1"};
  int values = 0, different = 0;
  for (const auto& [id, count] : printed) {
    EXPECT_EQ(reproduced(id).table.value_count(), count) << id;
    values += count;
    if (std::find(repeated.begin(), repeated.end(), id) == repeated.end()) different += count;
  }
  EXPECT_EQ(different, 104);
  EXPECT_GE(all_of_it().total, values);
}

TEST(Reproduce, every_value_is_reproduced) {
  for (const ReproducedTable& t : all_of_it().tables) {
    SCOPED_TRACE(t.table.id);
    const bool is_relative = t.table.comparison == Comparison::relative;
    EXPECT_LE(t.table.tolerance, 2e-4);
    for (const ReproducedRow& row : t.rows) {
      for (const ComparedValue& v : row.values) {
        EXPECT_EQ(v.verdict, Verdict::ok) << v.published.result << " " << v.published.text << " "
                                          << v.computed.value_or(NAN) << " " << row.reason;
        if (is_relative) {
          EXPECT_LE(std::abs(v.relative_difference), 2e-4);
        }
      }
    }
  }
  EXPECT_TRUE(all_of_it().all_ok());
}

TEST(Reproduce, converged_digits) {
  // They are given to 1e-10; a run at the default tolerance is good to a few of these.
  int checked = 0;
  for (const ReproducedTable& t : all_of_it().tables)
    for (std::size_t r = 0; r < t.rows.size(); ++r)
      for (const auto& [name, converged] : t.table.rows[r].converged)
        for (const ComparedValue& v : t.rows[r].values)
          if (v.published.result == name) {
            EXPECT_NEAR(v.computed.value_or(NAN), converged, 1e-9)
                << t.table.id << " row " << r + 1 << " " << name;
            ++checked;
          }
  EXPECT_GE(checked, 12);
}

TEST(Reproduce, a_rod_without_air_takes_a_quarter_of_its_period) {
  // T/4 = √(L'/g) K(sin(q₀/2)), L' = 2L/3 for a slender rod.
  const double k = std::sin(std::numbers::pi / 8);
  const double quarter = std::sqrt(2 * 0.15 / 3 / 9.81) * boost::math::ellint_1(k);
  EXPECT_NEAR(*reproduced("lee2009/3.3").rows[1].values[0].computed, quarter, 1e-9);
}

TEST(Reproduce, the_number_of_threads_does_not_matter) {
  ReproduceOptions options;
  options.jobs = 1;
  const Reproduction one = reproduce(tables(), options);
  for (const int jobs : {2, 5}) {
    options.jobs = jobs;
    const Reproduction many = reproduce(tables(), options);
    EXPECT_EQ(to_markdown(one), to_markdown(many));
    EXPECT_EQ(to_json(one), to_json(many));
    EXPECT_EQ(to_text(one), to_text(many));
  }
}

TEST(Reproduce, the_page_of_results_is_current) {
  std::ifstream in(THUD_SOURCE_DATA_DIR "/docs/results.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(page, to_markdown(all_of_it())) << "write it anew with `make docs`";
}

TEST(Reproduce, json_tells_everything) {
  const auto j = nlohmann::json::parse(to_json(all_of_it()));
  EXPECT_EQ(j["total"], all_of_it().total);
  EXPECT_EQ(j["tables"].size(), tables().size());
  const auto& value = j["tables"][1]["rows"][0]["values"][0];
  EXPECT_EQ(j["tables"][1]["id"], "lee2009/4.1");
  EXPECT_EQ(value["published_text"], "0.0642752");
  EXPECT_EQ(value["unit"], "s");
  EXPECT_EQ(value["verdict"], "ok");
  EXPECT_DOUBLE_EQ(value["difference"].get<double>(), value["computed"].get<double>() - 0.0642752);
}

TEST(Reproduce, text_fits_a_terminal) {
  const std::string text = to_text(all_of_it());
  std::size_t start = 0, longest = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1)
    longest = std::max(longest, end - start);
  EXPECT_LE(longest, 100u);
  EXPECT_THAT(text, HasSubstr("lee2009/4.1     9 of 9 within 0.02 %"));
}

// --- selection ---

TEST(ReproduceSelection, by_id_and_by_what_ids_begin_with) {
  EXPECT_THAT(ids_of(select_tables(tables(), {"lee2009/4.1"})), ElementsAre("lee2009/4.1"));
  EXPECT_THAT(ids_of(select_tables(tables(), {"marghitu2013", "lee2009/5", "lee2009/5.4"})),
              ElementsAre("lee2009/5.2", "lee2009/5.4", "lee2009/5.5", "marghitu2013/1"));
  EXPECT_EQ(select_tables(tables(), {}).size(), tables().size());
}

std::string refusal(const std::string& id) {
  try {
    (void)select_tables(tables(), {id});
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(ReproduceSelection, an_unknown_id_brings_a_suggestion) {
  EXPECT_EQ(refusal("lee2009/4.9"), R"(there is no table "lee2009/4.9"; did you mean "lee2009/4.1"?)");
  EXPECT_EQ(refusal("4.5"), R"(there is no table "4.5"; did you mean "lee2009/4.5"?)");
  EXPECT_EQ(refusal("newton1687"), R"(there is no table "newton1687"; `thud reproduce --list` shows them)");
  EXPECT_EQ(refusal(""), R"(there is no table ""; `thud reproduce --list` shows them)");
}

// --- verdicts ---

ReferenceTable free_link(const std::string& text, Comparison comparison = Comparison::relative) {
  ReferenceTable t{"own/1", "title", "source", "free_link", comparison, 2e-4, "", {}, "own.json"};
  t.rows.push_back({{{"angle", "32 deg"}}, {{"t_z", std::stod(text), text}}, {}, ""});
  return t;
}

Verdict verdict_on(const ReferenceTable& t, const ReproduceOptions& options = {}) {
  return reproduce({t}, options).tables[0].rows[0].values[0].verdict;
}

TEST(ReproduceVerdict, relative) {  // the link needs 0.0275923558 s
  EXPECT_EQ(verdict_on(free_link("0.02759")), Verdict::ok);
  EXPECT_EQ(verdict_on(free_link("0.0276")), Verdict::differs);
}

TEST(ReproduceVerdict, truncated) {
  EXPECT_EQ(verdict_on(free_link("0.027", Comparison::truncated)), Verdict::ok);
  EXPECT_EQ(verdict_on(free_link("0.02759", Comparison::truncated)), Verdict::ok);
  EXPECT_EQ(verdict_on(free_link("0.028", Comparison::truncated)), Verdict::differs);
  EXPECT_EQ(verdict_on(free_link("0", Comparison::truncated)), Verdict::ok);
}

TEST(ReproduceVerdict, not_reached) {
  ReproduceOptions options;
  options.request.time_limit = 1e-3;
  const Reproduction r = reproduce({free_link("0.02759")}, options);
  EXPECT_EQ(r.tables[0].rows[0].values[0].verdict, Verdict::not_reached);
  EXPECT_FALSE(r.all_ok());
  EXPECT_THAT(to_text(r), AllOf(HasSubstr("not reached"), HasSubstr("before the time limit of 0.001 s")));
  EXPECT_THAT(to_json(r), HasSubstr("\"computed\": null"));
}

TEST(ReproduceVerdict, cancelled) {
  const std::atomic<bool> cancel = true;
  ReproduceOptions options;
  options.request.cancel = &cancel;
  const Reproduction r = reproduce({free_link("0.02759")}, options);
  EXPECT_TRUE(r.cancelled);
  EXPECT_FALSE(r.all_ok());
  EXPECT_EQ(r.total, 1);
}

TEST(ReproduceVerdict, the_first_row_that_does_not_fit_its_scenario_is_named) {
  ReferenceTable t = free_link("0.02759");
  for (const char* knob : {"angle", "angel", "speeed"})
    t.rows.push_back({{{knob, "1"}}, t.rows[0].expect, {}, ""});
  t.rows[1].expect[0].result = "t_y";
  for (int i = 0; i < 10; ++i) {
    try {
      (void)reproduce({t});
      FAIL() << "accepted";
    } catch (const InputError& e) {
      EXPECT_STREQ(
          e.what(),
          R"(own.json: table "own/1" > row 2: scenario "free_link" has no result "t_y"; did you mean "t_z"?)");
    }
  }
}

// --- data ---

constexpr const char* good =
    R"({ "tables": [ { "id": "own/1", "title": "a", "source": "b", "scenario": "free_link",
  "tolerance": 1e-3, "rows": [ { "set": { "angle": "32 deg" }, "expect": { "t_z": { "value": 0.02, "text": "0.020" } } } ]
} ] })";

std::string complaint(const std::string& text) {
  try {
    (void)parse_reference(text, "own.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

// The good file with one thing changed.
std::string complaint_with(const std::string& what, const std::string& instead) {
  std::string text = good;
  const std::size_t at = text.find(what);
  if (at == std::string::npos) return "(no such text)";
  return complaint(text.replace(at, what.size(), instead));
}

TEST(ReferenceData, well_formed) { EXPECT_EQ(complaint(good), "(accepted)"); }

TEST(ReferenceData, not_json) {
  EXPECT_EQ(complaint("{\n  \"tables\": [,]\n}"), "own.json:2:14: not valid JSON");
  EXPECT_EQ(complaint(""), "own.json:1:1: not valid JSON");
  EXPECT_EQ(complaint("[]"), "own.json: expected an object, found an array");
  EXPECT_EQ(complaint("{}"), "own.json: \"tables\" is missing");
  EXPECT_EQ(complaint("{\"tables\": []}"), "own.json: \"tables\": is empty");
}

TEST(ReferenceData, malformed_is_refused_with_its_place) {
  EXPECT_EQ(complaint_with(R"("title": "a",)", ""), R"(own.json: table "own/1": "title" is missing)");
  EXPECT_EQ(complaint_with("title", "titel"),
            R"(own.json: table "own/1": unknown key "titel"; did you mean "title"?)");
  EXPECT_EQ(
      complaint_with("own/1", "Own 1"),
      R"(own.json: "tables" > table 1 > "id": "Own 1" has characters other than a-z, 0-9, '.', '-', '_', '/')");
  EXPECT_EQ(complaint_with("1e-3", "\"small\""),
            R"(own.json: table "own/1" > "tolerance": expected a number, found a text)");
  EXPECT_EQ(complaint_with("1e-3", "0"),
            R"(own.json: table "own/1" > "tolerance": 0 is not between 0 and 1)");
  EXPECT_EQ(complaint_with("\"32 deg\"", "32"),
            R"(own.json: table "own/1" > "rows" > row 1 > "set" > "angle": expected a text, found a number)");
  EXPECT_EQ(complaint_with(R"("value": 0.02,)", ""),
            R"(own.json: table "own/1" > "rows" > row 1 > "expect" > "t_z": "value" is missing)");
  EXPECT_EQ(complaint_with("0.020", "0.021"),
            R"(own.json: table "own/1" > "rows" > row 1 > "expect" > "t_z": )"
            R"(the value 0.02 is not what the text "0.021" says)");
  EXPECT_EQ(complaint_with("0.020", "2e-2"),
            R"(own.json: table "own/1" > "rows" > row 1 > "expect" > "t_z": )"
            R"(the text "2e-2" is not a decimal number)");
  EXPECT_EQ(
      complaint_with(R"("title": "a",)", R"("title": "a", "compare": "truncate",)"),
      R"(own.json: table "own/1" > "compare": "truncate" is not relative or truncated; did you mean "truncated"?)");
  EXPECT_EQ(complaint_with(R"("title": "a",)", R"("title": "a", "compare": "truncated",)"),
            R"(own.json: table "own/1" > "tolerance": truncated numbers are compared exactly)");
  EXPECT_EQ(complaint_with(R"("title": "a",)", R"("title": "a", "title": "b",)"),
            R"(own.json: key "title" stands twice in one object)");
}

TEST(ReferenceData, no_two_tables_have_the_same_id) {
  const std::string one = std::string(good).substr(std::string("{ \"tables\": [ ").size());
  const std::string table = one.substr(0, one.rfind('}', one.size() - 4) + 1);
  EXPECT_EQ(complaint("{ \"tables\": [ " + table + ", " + table + " ] }"),
            R"(own.json: there is another table "own/1")");
}

}  // namespace
}  // namespace thud
