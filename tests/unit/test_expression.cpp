// Source of truth: <cmath>; for rnd, the published splitmix64 constants (pinned values computed apart,
// with Python's integers).
#include "scenario/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "thud/math/portable.hpp"

namespace thud::doc {
namespace {

constexpr double pi = std::numbers::pi;

SymbolTable some_symbols() {
  SymbolTable symbols;
  symbols.set("length", 2.0);
  symbols.set("n", 3.0);
  symbols.set_text("sand", "fine");
  return symbols;
}

struct Refusal {
  std::string message;
  std::size_t offset = 0;
};

Refusal refusal(std::string_view expression) {
  try {
    (void)evaluate(expression, some_symbols());
  } catch (const ExpressionError& e) {
    return {e.message(), e.offset()};
  }
  return {"(accepted)"};
}

#define EXPECT_REFUSED(expression, expected_message, expected_offset) \
  do {                                                                \
    const Refusal r = refusal(expression);                            \
    EXPECT_EQ(r.message, expected_message);                           \
    EXPECT_EQ(r.offset, std::size_t{expected_offset});                \
  } while (false)

TEST(Expression, arithmetic_and_symbols) {
  const SymbolTable s = some_symbols();
  EXPECT_DOUBLE_EQ(evaluate("1 + 2*length^2", s), 9.0);
  EXPECT_DOUBLE_EQ(evaluate("-n^2", s), -9.0);
  EXPECT_DOUBLE_EQ(evaluate(" (1+2)*3 ", s), 9.0);
  EXPECT_DOUBLE_EQ(evaluate("n >= 3 && length != 5 ? 1 : 2", s), 1.0);
  EXPECT_DOUBLE_EQ(evaluate("n == 3 ? length : 0", s), 2.0);
  EXPECT_DOUBLE_EQ(evaluate("1.5e-3", s), 0.0015);
}

// Remembered after the first time; muParser's own ^ would ask the C library.
TEST(Expression, powers_are_ours_however_often_they_are_asked_for) {
  SymbolTable s;
  for (int k = 0; k < 3; ++k)
    for (int i = 1; i < 2000; ++i) {
      s.set("x", 0.001 * i);
      EXPECT_EQ(evaluate("x^1.7", s), portable::pow(0.001 * i, 1.7));
    }
  EXPECT_EQ(evaluate("2^3^2", s), 512);
  EXPECT_EQ(evaluate("-2^-2", s), -0.25);
  EXPECT_REFUSED("2#3", "unexpected \"#\" in \"2#3\"", 1);
  EXPECT_REFUSED("2 ^", "something is missing at the end in \"2 ^\"", 3);
}

TEST(Expression, functions) {
  const SymbolTable s;
  EXPECT_DOUBLE_EQ(evaluate("sin(0.3)", s), std::sin(0.3));
  EXPECT_DOUBLE_EQ(evaluate("cos(0.3)+tan(0.3)", s), std::cos(0.3) + std::tan(0.3));
  EXPECT_DOUBLE_EQ(evaluate("asin(0.3)+acos(0.3)", s), pi / 2);
  EXPECT_DOUBLE_EQ(evaluate("atan(1)*4", s), pi);
  EXPECT_DOUBLE_EQ(evaluate("atan2(1,-1)", s), 3 * pi / 4);
  EXPECT_DOUBLE_EQ(evaluate("sqrt(16)+abs(-2)+hypot(3,4)", s), 11.0);
  EXPECT_DOUBLE_EQ(evaluate("ln(exp(2))+log10(1000)", s), 5.0);
  EXPECT_DOUBLE_EQ(evaluate("min(3,1,2)+max(3,1,2)", s), 4.0);
  EXPECT_DOUBLE_EQ(evaluate("sign(-3)+sign(0)+sign(5)", s), 0.0);
  EXPECT_DOUBLE_EQ(evaluate("floor(-1.5)+ceil(1.2)+round(2.5)", s), 3.0);
  EXPECT_DOUBLE_EQ(evaluate("mod(-1,3)", s), 2.0);
  EXPECT_DOUBLE_EQ(evaluate("mod(7,3)", s), 1.0);
  EXPECT_DOUBLE_EQ(evaluate("step(-0.1)+2*step(0)", s), 2.0);
  EXPECT_DOUBLE_EQ(evaluate("pulse(0,0,1)+pulse(1,0,1)", s), 1.0);
  EXPECT_DOUBLE_EQ(evaluate("deg(180)", s), pi);
  EXPECT_DOUBLE_EQ(evaluate("pi", s), pi);
}

TEST(Expression, rnd_is_the_same_everywhere) {
  EXPECT_EQ(uniform_hash(1, 2), evaluate("rnd(1,2)", {}));
  EXPECT_NE(uniform_hash(1, 2), uniform_hash(2, 1));
  EXPECT_NE(uniform_hash(1, 2), uniform_hash(1, 3));
  // Pinned: a change here changes everybody's results.
  EXPECT_EQ(uniform_hash(0, 0), 0.6524484863740322);
  EXPECT_EQ(uniform_hash(1, 2), 0.04525699773739167);
  EXPECT_EQ(uniform_hash(-7, 12345), 0.22329153065010643);
  EXPECT_GE(uniform_hash(1e300, -1e300), 0.0);
}

TEST(Expression, rnd_is_uniform) {
  constexpr int n = 100000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const double x = uniform_hash(42, i);
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  // Standard deviations of these means: 1/sqrt(12 n) = 9.1e-4 and sqrt(4/45/n) = 9.4e-4.
  EXPECT_NEAR(sum / n, 0.5, 5 * 9.1e-4);
  EXPECT_NEAR(squares / n, 1.0 / 3.0, 5 * 9.4e-4);
}

TEST(Expression, unknown_names) {
  EXPECT_REFUSED("2*lenght", "unknown name \"lenght\" in \"2*lenght\"; did you mean \"length\"?", 2);
  EXPECT_REFUSED("sinn(2)", "unknown name \"sinn\" in \"sinn(2)\"; did you mean \"sin\"?", 0);
  EXPECT_REFUSED("3*m", "unknown name \"m\" in \"3*m\"; known here: length, n", 2);
  EXPECT_REFUSED("t", "unknown name \"t\" in \"t\"; nothing varies with time here", 0);
  EXPECT_REFUSED("sand", "unknown name \"sand\" in \"sand\"; it is a text: write $sand in a string", 0);
  EXPECT_REFUSED("sin 2", "\"sin\" is a function in \"sin 2\"; write sin(...)", 0);
  EXPECT_REFUSED("n ? 1 : nope", "unknown name \"nope\" in \"n ? 1 : nope\"; known here: length, n", 8);
  EXPECT_REFUSED("_pi", "unknown name \"_pi\" in \"_pi\"; did you mean \"pi\"?", 0);
  EXPECT_THROW((void)evaluate("x", {}), ExpressionError);
}

TEST(Expression, syntax_errors) {
  EXPECT_REFUSED("", "the formula is empty", 0);
  EXPECT_REFUSED("  ", "the formula is empty", 0);
  EXPECT_REFUSED("(1+2", "a closing parenthesis is missing in \"(1+2\"", 4);
  EXPECT_REFUSED("1+2)", "unexpected parenthesis \")\" in \"1+2)\"", 3);
  EXPECT_REFUSED("1+", "something is missing at the end in \"1+\"", 2);
  EXPECT_REFUSED("2 n", "unexpected \"n\"; an operator such as * is missing before it in \"2 n\"", 2);
  EXPECT_REFUSED("2**3", "unexpected \"*\" in \"2**3\"", 2);
  EXPECT_REFUSED("1,5", "\"1,5\" is a list; one value is expected (decimals follow a point)", 1);
  EXPECT_REFUSED("n=3", "unexpected \"=\" in \"n=3\"; equality is written ==", 1);
  EXPECT_REFUSED("n>3?1", "\"?\" needs \":\" and a second value in \"n>3?1\"", 3);
  EXPECT_REFUSED("1:2", "\":\" without \"?\" in \"1:2\"", 1);
  EXPECT_REFUSED("1e", "unexpected \"1e\" in \"1e\"", 0);
  EXPECT_REFUSED("é+1", "unexpected \"é\" in \"é+1\"", 0);
  EXPECT_REFUSED("1+é", "unexpected \"é\" in \"1+é\"", 2);
  EXPECT_REFUSED("\"a\"", "a text cannot be part of a formula", 0);
  EXPECT_NE(refusal("sin(1,2)").message, "(accepted)");
  EXPECT_NE(refusal("atan2(1)").message, "(accepted)");
  EXPECT_NE(refusal("max()").message, "(accepted)");
  EXPECT_NE(refusal(std::string(3000, '(')).message, "(accepted)");
  EXPECT_NE(refusal(std::string(1900, '(')).message, "(accepted)");
  EXPECT_NE(refusal(std::string("1\0", 2)).message, "(accepted)");
}

TEST(Expression, deep_parentheses_are_fine) {
  EXPECT_EQ(evaluate(std::string(900, '(') + "1" + std::string(900, ')'), {}), 1.0);
}

TEST(Expression, results_that_are_not_finite) {
  const std::string why = " is not a finite number (a division by zero, or a root of a negative number?)";
  EXPECT_REFUSED("1/0", "\"1/0\"" + why, 0);
  EXPECT_REFUSED("sqrt(-1)", "\"sqrt(-1)\"" + why, 0);
  EXPECT_REFUSED("10^400", "\"10^400\"" + why, 0);
  EXPECT_REFUSED("mod(1,0)", "\"mod(1,0)\"" + why, 0);
}

TEST(Expression, garbage_is_refused_and_nothing_worse) {
  const std::string alphabet = "0123456789.eE+-*/^()<>=!&|?:, nsinlength_\"'{}$%#@~é\\\t";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const int length = 1 + static_cast<int>(uniform_hash(round, -1) * 25);
    for (int i = 0; i < length; ++i)
      text +=
          alphabet[static_cast<std::size_t>(uniform_hash(round, i) * static_cast<double>(alphabet.size()))];
    try {
      EXPECT_TRUE(std::isfinite(evaluate(text, some_symbols()))) << text;
    } catch (const ExpressionError& e) {
      EXPECT_FALSE(e.message().empty());
      EXPECT_LE(e.offset(), text.size()) << text;
    }
  }
}

TEST(SymbolTable, scopes_and_order) {
  SymbolTable outer = some_symbols();
  outer.set("n", 4.0);  // replaces, keeps its place
  SymbolTable inner = outer.child();
  inner.set("i", 1.0);
  inner.set("length", 7.0);
  EXPECT_EQ(inner.find("length"), 7.0);
  EXPECT_EQ(outer.find("length"), 2.0);
  EXPECT_EQ(inner.find("n"), 4.0);
  EXPECT_EQ(inner.find("nope"), std::nullopt);
  EXPECT_EQ(inner.find_text("sand"), "fine");
  EXPECT_EQ(inner.names(), (std::vector<std::string>{"length", "n", "i"}));
  EXPECT_EQ(evaluate("length*n+i", inner), 29.0);
}

TEST(TimeExpression, evaluates_many_times) {
  SymbolTable symbols;
  symbols.set("a", 2.0);
  const TimeExpression f("a*sin(2*pi*t)", symbols);
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.001 * i;
    ASSERT_DOUBLE_EQ(f(t), 2.0 * std::sin(2 * pi * t));
  }
  EXPECT_EQ(f.text(), "a*sin(2*pi*t)");
}

// By hand. What is not linear in t has no edges that could be listed.
TEST(TimeExpression, edges_are_where_a_side_changes) {
  using testing::DoubleEq, testing::ElementsAre, testing::IsEmpty;
  SymbolTable symbols;
  symbols.set("w", 0.25);
  const auto edges = [&](const char* text) { return TimeExpression(text, symbols).edges(); };
  EXPECT_THAT(edges("sin(t) + w"), IsEmpty());
  EXPECT_THAT(edges("3*pulse(t, 2, 2 + w)"), ElementsAre(2, 2.25));
  EXPECT_THAT(edges("step(3 - 2*t)"), ElementsAre(1.5));
  EXPECT_THAT(edges("t < w ? t > 7 : 0"), ElementsAre(0.25, 7));
  EXPECT_THAT(edges("abs(t - 1) + min(t, 4*w)"), ElementsAre(1));
  EXPECT_THAT(edges("max(1, t/2, 2 - t)"), ElementsAre(1, DoubleEq(4.0 / 3), 2));
  EXPECT_THAT(edges("step(sin(t)) + floor(t)"), IsEmpty());
}

TEST(TimeExpression, copies_are_independent_and_outlive_their_origin) {
  auto original = std::make_unique<TimeExpression>("t^2 + n", some_symbols());
  TimeExpression copy = *original;
  EXPECT_EQ((*original)(2.0), 7.0);
  EXPECT_EQ(copy(3.0), 12.0);
  original.reset();
  EXPECT_EQ(copy(1.0), 4.0);
  TimeExpression other("0*t", {});
  other = copy;
  EXPECT_EQ(other(1.0), 4.0);
  const TimeExpression moved = std::move(copy);
  EXPECT_EQ(moved(2.0), 7.0);
}

TEST(TimeExpression, copies_in_threads) {
  const TimeExpression f("sin(t) + n", some_symbols());
  std::vector<std::thread> threads;
  std::vector<double> sums(4);
  for (double& sum : sums)
    threads.emplace_back([copy = f, &sum] {
      for (int i = 0; i < 10000; ++i) sum += copy(i * 1e-3);
    });
  for (auto& thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
}

TEST(TimeExpression, several_variables) {
  const TimeExpression f("t + 10*x", {}, {"t", "x"});
  EXPECT_EQ(f(std::vector<double>{1.0, 2.0}), 21.0);
}

TEST(TimeExpression, refuses_at_the_time_it_stops_being_finite) {
  const TimeExpression f("1/(t-1)", {});
  EXPECT_EQ(f(2.0), 1.0);
  try {
    (void)f(1.0);
    FAIL();
  } catch (const ExpressionError& e) {
    EXPECT_EQ(e.message(),
              "\"1/(t-1)\" is not a finite number at t = 1 (a division by zero, or a "
              "root of a negative number?)");
  }
  EXPECT_EQ(f(3.0), 0.5);
  EXPECT_THROW(TimeExpression("tt", {}), ExpressionError);
}

TEST(Fill, holes) {
  const SymbolTable s = some_symbols();
  EXPECT_EQ(fill("link{n}", s), "link3");
  EXPECT_EQ(fill("{n-1}_{n+1}", s), "2_4");
  EXPECT_EQ(fill("{{n}}", s), "{n}");
  EXPECT_EQ(fill("plain é", s), "plain é");
  const auto offset = [&](std::string_view text) -> std::pair<std::string, std::size_t> {
    try {
      (void)fill(text, s);
    } catch (const ExpressionError& e) {
      return {e.message(), e.offset()};
    }
    return {};
  };
  EXPECT_EQ(offset("é{q}"),
            std::pair(std::string("unknown name \"q\" in \"q\"; known here: length, n"), std::size_t{2}));
  EXPECT_EQ(offset("a{n/2}"), std::pair(std::string("{n/2}: 1.5 is not a whole number"), std::size_t{2}));
  EXPECT_EQ(offset("a{n"), std::pair(std::string("\"{\" without \"}\" in \"a{n\""), std::size_t{1}));
  EXPECT_EQ(offset("a}n"), std::pair(std::string("\"}\" without \"{\" in \"a}n\""), std::size_t{1}));
  EXPECT_EQ(offset("a{}"), std::pair(std::string("the formula is empty"), std::size_t{2}));
}

TEST(Substitute, texts) {
  const SymbolTable s = some_symbols();
  EXPECT_EQ(substitute("$sand", s), "fine");
  EXPECT_EQ(substitute("a ${sand}r $sand.", s), "a finer fine.");
  EXPECT_EQ(substitute("$$sand $5 $", s), "$sand $5 $");
  const auto message = [&](std::string_view text) -> std::string {
    try {
      (void)substitute(text, s);
    } catch (const ExpressionError& e) {
      return e.message();
    }
    return "(accepted)";
  };
  EXPECT_EQ(message("$sandd"), "unknown text \"$sandd\"; did you mean \"sand\"?");
  EXPECT_EQ(message("$n"), "unknown text \"$n\"; it is a number: write \"=n\" for its value");
  EXPECT_EQ(message("$colour"), "unknown text \"$colour\"; known: sand");
  EXPECT_EQ(message("${sand"), "\"${\" needs a name and \"}\" in \"${sand\"");
}

TEST(Names, identifiers) {
  for (const char* good : {"a", "_a", "A1_b"}) EXPECT_TRUE(is_identifier(good)) << good;
  for (const char* bad : {"", "1a", "a-b", "é", "a b"}) EXPECT_FALSE(is_identifier(bad)) << bad;
}

}  // namespace
}  // namespace thud::doc
