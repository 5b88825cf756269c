// Where expressions of time have edges, and how finely they must be followed.
// Sources of truth: roots in closed form.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenario/formula.hpp"

namespace thud {
namespace {

using testing::IsEmpty;
using testing::Pointwise;
constexpr double pi = std::numbers::pi;

Timing timing(const char* text, double from, double to) {
  return doc::timing_of(doc::TimeExpression(text, {}))(from, to);
}
std::vector<double> edges(const char* text, double from = 0, double to = 10) {
  return timing(text, from, to).edges;
}

MATCHER_P(Within, tolerance, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= tolerance; }

TEST(Timing, smooth_functions_have_no_edges) {
  EXPECT_THAT(edges("sin(3*t)^2 + exp(-t)*t^3 - sqrt(1 + t)/(2 + cos(t))"), IsEmpty());
  EXPECT_THAT(edges("abs(2 + sin(t)) + max(-2, cos(t)) + step(t + 1)"), IsEmpty());
}

TEST(Timing, roots_of_what_is_not_linear_are_edges) {
  std::vector<double> half_periods;
  for (int k = 1; k * pi / 50 < 10; ++k) half_periods.push_back(k * pi / 50);
  std::vector<double> found = edges("sign(sin(50*t))", 1e-3, 10);
  EXPECT_THAT(found, Pointwise(Within(1e-14), half_periods));
  EXPECT_THAT(edges("max(t^2, 2)"), Pointwise(Within(1e-15), std::vector{std::sqrt(2.0)}));
  EXPECT_THAT(edges("exp(t) > 3 ? t : 0"), Pointwise(Within(1e-15), std::vector{std::log(3.0)}));
  EXPECT_THAT(edges("abs(t^3 - 6*t^2 + 11*t - 6)"), Pointwise(Within(1e-13), std::vector{1.0, 2.0, 3.0}));
  EXPECT_THAT(edges("pulse(t^2, 4, 9)"), Pointwise(Within(1e-15), std::vector{2.0, 3.0}));
}

// Two roots 2e-8 apart, where samples of any sensible number see none.
TEST(Timing, roots_that_nearly_meet_are_both_found) {
  const double half = std::sqrt(1e-16);
  EXPECT_THAT(edges("step(1e-16 - (t - 3)^2)"), Pointwise(Within(1e-14), std::vector{3 - half, 3 + half}));
}

TEST(Timing, what_is_cut_to_whole_numbers_jumps_there) {
  EXPECT_THAT(edges("floor(t/2)", 0.5, 7), Pointwise(Within(0), std::vector{2.0, 4.0, 6.0}));
  EXPECT_THAT(edges("round(t)", 0, 3), Pointwise(Within(1e-15), std::vector{0.5, 1.5, 2.5}));
  EXPECT_THAT(edges("mod(t, 0.25)", 0.1, 1.1), Pointwise(Within(1e-15), std::vector{0.25, 0.5, 0.75, 1.0}));
  EXPECT_THAT(edges("ceil(t^2)", 0.5, 1.9),
              Pointwise(Within(1e-15), std::vector{1.0, std::sqrt(2.0), std::sqrt(3.0)}));
}

// As long an expression as formulas may be.
TEST(Timing, many_jumps_of_one_expression_are_all_found) {
  std::string text = "mod(t, 0.5)";
  for (int k = 0; k < 29; ++k) text += " + mod(t, 0.5)";
  EXPECT_THAT(edges(text.c_str(), 0.1, 1.1), Pointwise(Within(0), std::vector{0.5, 1.0}));
}

// Between two pieces in turn the value changes by no more than an eighth of all that it does.
TEST(Timing, pieces_follow_what_is_narrow) {
  for (const char* text : {"exp(-((t - 7.3)/1e-4)^2)", "sin(2*pi*8*t)", "1/(1 + (1e5*(t - 2))^2)"}) {
    const doc::TimeExpression e(text, {});
    const std::vector<double> pieces = timing(text, 0, 10).pieces;
    ASSERT_GT(pieces.size(), 10u) << text;
    ASSERT_LT(pieces.size(), 4000u) << text;
    double before = 0, most = 0;
    for (const double end : pieces) {
      double least = HUGE_VAL, highest = -HUGE_VAL;
      for (int k = 0; k <= 40; ++k) {
        const double value = e(before + (end - before) * k / 40);
        least = std::min(least, value), highest = std::max(highest, value);
      }
      most = std::max(most, highest - least);
      before = end;
    }
    EXPECT_EQ(before, 10) << text;
    EXPECT_LE(most, text[0] == 's' ? 0.2501 : 0.1251) << text;
  }
}

// Underflow makes it zero to the last bit wherever one would look.
TEST(Timing, narrow_kicks_vary) {
  for (const char* text :
       {"exp(-((t - 7.1234567)/1e-3)^2)", "2^(-((t - 5)/1e-6)^2)", "exp(-((t^2 - 50)/1e-4)^2)"}) {
    EXPECT_TRUE(doc::TimeExpression(text, {}).varies()) << text;
    EXPECT_GT(timing(text, 0, 10).pieces.size(), 20u) << text;
  }
  EXPECT_FALSE(doc::TimeExpression("0*cos(3*t) + 2", {}).varies());
}

TEST(Timing, angles_of_quotients_are_followed_all_round) {
  const double w = 1e-6;
  EXPECT_THAT(edges("step(1e-6 - abs(atan2(sin(t - 4), cos(t - 4))))", 3, 6),
              testing::IsSupersetOf({testing::DoubleNear(4 - w, 1e-12), testing::DoubleNear(4 + w, 1e-12)}));
}

TEST(Timing, equality_of_whole_numbers_lasts) {
  EXPECT_THAT(edges("floor(10*t) == 3", 0.05, 1),
              testing::IsSupersetOf({testing::DoubleNear(0.3, 1e-15), testing::DoubleNear(0.4, 1e-15)}));
}

// Nothing is known of random numbers and of what has no end of edges: a thousandth of the whole, as ever.
TEST(Timing, what_cannot_be_followed_is_sampled) {
  EXPECT_EQ(timing("rnd(1, t)", 0, 10).longest, 0.01);
  EXPECT_EQ(timing("sign(sin(1e9*t))", 0, 10).longest, 0.01);
  EXPECT_EQ(timing("sign(sin(t))", 0, 10).longest, HUGE_VAL);
}

}  // namespace
}  // namespace thud
