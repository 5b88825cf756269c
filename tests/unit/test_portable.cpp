// Functions with the same bits everywhere, against those of the C library in extended precision (64 bits).
#include "thud/math/portable.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>

namespace thud::portable {
namespace {

// Of the true value, in units of the last digit of a double.
double units_off(double found, long double truth) {
  int exponent;
  std::frexp(static_cast<double>(truth), &exponent);
  return static_cast<double>(std::abs(found - truth) / std::ldexp(1.0L, exponent - 53));
}

double worst_at(double angle) {
  const SineCosine found = sine_cosine(angle);
  return std::max(units_off(found.sin, std::sin(static_cast<long double>(angle))),
                  units_off(found.cos, std::cos(static_cast<long double>(angle))));
}

TEST(Portable, sine_and_cosine_are_right_within_a_unit_of_the_last_digit) {
  std::mt19937_64 random(7);
  for (const double range : {1e-9, 0.1, 0.8, 4.0, 1e3, 1048575.0}) {
    std::uniform_real_distribution<double> any(-range, range);
    for (int k = 0; k < 50000; ++k) {
      const double angle = any(random);
      ASSERT_LE(worst_at(angle), 0.8) << std::hexfloat << angle;
    }
  }
}

// The number closest to a multiple of π/2 leaves 2⁻⁶⁰ or so: x87 reduces with 66 bits of π, the C library with all of them.
TEST(Portable, sine_and_cosine_are_right_beside_multiples_of_a_quarter_turn) {
  for (int n = 0; n < 600000; n += n < 100 ? 1 : 37) {
    const double near = n * (std::numbers::pi / 2);
    for (const double angle : {near, std::nextafter(near, 0.0), std::nextafter(near, 1e9), -near})
      ASSERT_LE(worst_at(angle), 0.8) << n << " quarters: " << std::hexfloat << angle;
  }
}

TEST(Portable, sine_and_cosine_of_zero_of_the_huge_and_of_no_number) {
  EXPECT_EQ(sin(0.0), 0.0);
  EXPECT_EQ(cos(0.0), 1.0);
  EXPECT_EQ(sin(5e-324), 5e-324);
  EXPECT_EQ(sin(1e22), std::sin(1e22));
  EXPECT_TRUE(std::isnan(sin(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(std::isnan(cos(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Portable, logarithm_and_exponential_are_right_within_what_is_stated) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> any(-700, 700);
  for (int k = 0; k < 50000; ++k) {
    const double x = any(random), y = std::exp(x);
    ASSERT_NEAR(exp(x) / static_cast<double>(std::exp(static_cast<long double>(x))), 1, 1e-15) << x;
    ASSERT_NEAR(log(y), static_cast<double>(std::log(static_cast<long double>(y))),
                4e-16 * std::max(1.0, std::abs(x)))
        << y;
  }
  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(exp(0), 1);
  EXPECT_NEAR(power(1e-9, 0.2), 0.015848931924611134, 2e-16);  // 10^(−9/5)
}

// A million results, as recorded on x86-64; another processor, compiler or library must not change one of them.
TEST(Portable, bits_are_those_that_were_recorded) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211u; };
  for (int k = -250000; k < 250000; ++k) {
    const SineCosine t = sine_cosine(k * 0.0017);
    add(t.sin), add(t.cos);
    if (k > 0) add(log(k * 1e-3));
    add(exp(k * 1e-3));
  }
  EXPECT_EQ(hash, 14643439960545772320u);
}

}  // namespace
}  // namespace thud::portable
