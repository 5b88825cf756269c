// In programs whose locale writes decimal commas, as those with windows do: everything is read and written as ever.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <locale>

#include "scenario/curve.hpp"
#include "scenario/expression.hpp"
#include "scenario/units.hpp"
#include "temp_folder.hpp"
#include "thud/report/json.hpp"
#include "thud/scenario/run.hpp"
#include "thud/study/measurement.hpp"

namespace thud {
namespace {

using ::testing::HasSubstr;

struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class WithCommas : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string source = (folder_.path() / "source").string();
    std::ofstream(source) << "escape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                             "grouping 3;3\nEND LC_NUMERIC\n";
    // It complains about all that the locale does not say.
    (void)!std::system(fmt::format("localedef --no-archive -c -i {} -f UTF-8 {} 2>/dev/null", source,
                                   (folder_.path() / "commas").string())
                           .c_str());
    ::setenv("LOCPATH", folder_.path().c_str(), 1);
    ASSERT_NE(std::setlocale(LC_NUMERIC, "commas"), nullptr) << "the package \"locales\" is missing";
    std::locale::global(std::locale(std::locale::classic(), new Commas));
    std::setlocale(LC_NUMERIC, "commas");
    ASSERT_EQ(std::strtod("1,5", nullptr), 1.5);
  }
  static void TearDownTestSuite() {
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, "C");
  }

 private:
  static inline const test::TempFolder folder_{"locale"};
};

// The first of all, since the units are read once.
TEST_F(WithCommas, units_are_known) {
  EXPECT_EQ(doc::parse_quantity("2.5 in", doc::Dimension::length), 0.0635);
  EXPECT_NEAR(doc::parse_quantity("1.5 rpm", doc::Dimension::angular_rate), 0.15707963267948966, 1e-16);
  EXPECT_EQ(doc::to_si(1.0, "m*0.5", doc::Dimension::any), 0.5);
}

TEST_F(WithCommas, numbers_in_expressions_rules_and_tables_have_points) {
  EXPECT_EQ(doc::evaluate("1.5*2.25", {}), 3.375);
  EXPECT_EQ(doc::read_curve("0,1.5\n1,2.5\n", "t.csv", "")(0.5), 2.0);
  const Scenario s = parse_scenario(R"(
[[body]]
name  = "stone"
joint = "free"
shape = { kind = "sphere", diameter = "5.5 mm", mass = 0.125 }
[stop]
when = "stone.z rises through 0.25"
[results]
t = "time when stone.z rises through 0.25"
)",
                                    "stone.toml");
  const RunResult r = run(s);
  ASSERT_TRUE(r.results[0].value);
  EXPECT_NEAR(*r.results[0].value, std::sqrt(2 * 0.25 / 9.81), 1e-12);
  EXPECT_THAT(make_run_json(s, r), HasSubstr("\"stone.z\": 0.25"));
}

TEST_F(WithCommas, measured_values_have_points) {
  const Scenario s = load_scenario("free_link");
  const Measurement m = read_measurement("time [s],link.x [mm]\n0.5,1.5\n0.75,2.5\n", "m.csv", s.observables);
  EXPECT_EQ(m.time[1] - m.time[0], 0.25);
  EXPECT_EQ(m.columns[0].value[0], 0.0015);
}

}  // namespace
}  // namespace thud
