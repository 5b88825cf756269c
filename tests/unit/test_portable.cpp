// Functions with the same bits everywhere, against those of the C library in extended precision (64 bits).
#include "thud/math/portable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <tuple>

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

// The largest error of a function of one or two numbers, in units of the last digit, over what `draw` gives.
template <class F, class Truth, class Draw>
double worst_of(F found, Truth truth, Draw draw) {
  double worst = 0;
  for (int k = 0; k < 100000; ++k)
    std::apply(
        [&](auto... x) {
          worst = std::max(worst, units_off(found(x...), truth(static_cast<long double>(x)...)));
        },
        draw());
  return worst;
}

class Draws {
 public:
  double any(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double magnitude(double low, double high) { return std::exp(any(std::log(low), std::log(high))); }
  double either_sign(double low, double high) {
    return any(0, 1) < 0.5 ? -magnitude(low, high) : magnitude(low, high);
  }

 private:
  std::mt19937_64 random_{8};
};

const auto true_pow = [](long double x, long double y) { return std::pow(x, y); };

// With 64 digits in y log x ≤ 690 the truth itself is off by 0.17 units.
TEST(Portable, powers_are_right_within_what_is_stated) {
  Draws d;
  EXPECT_LE(worst_of(pow, true_pow, [&] { return std::tuple(d.any(0, 6), d.any(0.1, 3)); }), 0.52);
  EXPECT_LE(worst_of(pow, true_pow, [&] { return std::tuple(1 + d.any(-0.02, 0.02), d.any(-2000, 2000)); }),
            0.52);
  const auto wide = [&](double x, double most) { return std::tuple(x, d.any(-most, most) / std::log(x)); };
  EXPECT_LE(worst_of(pow, true_pow, [&] { return wide(d.magnitude(1e-300, 1e300), 690); }), 0.7);
  EXPECT_LE(worst_of(pow, true_pow, [&] { return wide(1 + d.either_sign(1e-15, 0.05), 690); }), 0.7);
  EXPECT_LE(
      worst_of(pow, true_pow, [&] { return std::tuple(d.magnitude(1e-320, 1e-308), d.any(-0.9, 0.9)); }),
      0.7);
}

TEST(Portable, powers_of_zeros_infinities_negative_numbers_and_beyond_all_ranges_are_those_of_the_standard) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  const double some[] = {0.0, -0.0,   1,          -1,     2,           -2,      0.5, -0.5,
                         3,   -3,     1e308,      -1e308, 1e-310,      -1e-310, inf, -inf,
                         nan, 0x1p60, 0x1p53 + 2, 1e300,  1 - 0x1p-53, 5e-324};
  for (const double x : some)
    for (const double y : some) {
      const double found = pow(x, y), expected = std::pow(x, y);
      const bool same = (std::isnan(found) && std::isnan(expected)) || found == expected
                     || std::abs(found / expected - 1) < 4e-16;
      EXPECT_TRUE(same) << x << " to the " << y << ": " << found << ", not " << expected;
      if (!std::isnan(found)) {
        EXPECT_EQ(std::signbit(found), std::signbit(expected)) << x << " to the " << y;
      }
    }
  EXPECT_EQ(pow(10, 3), 1000);
  EXPECT_EQ(pow(2, -1074), 5e-324);
}

TEST(Portable, logarithms_and_exponentials_are_right_within_what_is_stated) {
  Draws d;
  using Long = long double;
  const auto positive = [&] { return std::tuple(d.magnitude(1e-300, 1e300)); };
  const auto near_one = [&] { return std::tuple(1 + d.either_sign(1e-15, 0.5)); };
  EXPECT_LE(worst_of(
                log, [](Long x) { return std::log(x); }, positive),
            0.52);
  EXPECT_LE(worst_of(
                log, [](Long x) { return std::log(x); }, near_one),
            0.52);
  EXPECT_LE(worst_of(
                log10, [](Long x) { return std::log10(x); }, positive),
            0.52);
  EXPECT_LE(worst_of(
                exp, [](Long x) { return std::exp(x); }, [&] { return std::tuple(d.any(-690, 690)); }),
            0.52);
  EXPECT_LE(worst_of(
                exp, [](Long x) { return std::exp(x); }, [&] { return std::tuple(d.any(-1, 1)); }),
            0.52);
  const auto any = [&] { return std::tuple(d.either_sign(1e-9, 300)); };
  EXPECT_LE(worst_of(
                expm1, [](Long x) { return std::expm1(x); }, any),
            3);
  EXPECT_LE(worst_of(
                sinh, [](Long x) { return std::sinh(x); }, any),
            3);
  EXPECT_LE(worst_of(
                cosh, [](Long x) { return std::cosh(x); }, any),
            3);
  EXPECT_LE(worst_of(
                tanh, [](Long x) { return std::tanh(x); }, any),
            3);
  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(exp(0), 1);
  for (int k = -300; k <= 300; ++k) EXPECT_EQ(log10(std::stod("1e" + std::to_string(k))), k);
  EXPECT_EQ(exp(-800), 0);
  EXPECT_TRUE(std::isinf(exp(800)) && std::isinf(log(0)) && std::isnan(log(-1))
              && std::isnan(exp(std::nan(""))));
}

TEST(Portable, angles_and_lengths_are_right_within_what_is_stated) {
  Draws d;
  using Long = long double;
  const auto point = [&] { return std::tuple(d.either_sign(1e-9, 1), d.either_sign(1e-9, 1)); };
  const auto far_point = [&] {
    return std::tuple(d.either_sign(1e-150, 1e150), d.either_sign(1e-150, 1e150));
  };
  const auto part = [&] { return std::tuple(d.any(-1, 1)); };
  EXPECT_LE(worst_of(
                atan2, [](Long y, Long x) { return std::atan2(y, x); }, point),
            0.52);
  EXPECT_LE(worst_of(
                atan2, [](Long y, Long x) { return std::atan2(y, x); }, far_point),
            0.52);
  EXPECT_LE(worst_of(
                hypot, [](Long y, Long x) { return std::hypot(y, x); }, far_point),
            3);
  EXPECT_LE(worst_of(
                asin, [](Long x) { return std::asin(x); }, part),
            3);
  EXPECT_LE(worst_of(
                acos, [](Long x) { return std::acos(x); }, part),
            3);
  EXPECT_LE(worst_of(
                tan, [](Long x) { return std::tan(x); }, [&] { return std::tuple(d.any(-100, 100)); }),
            2.5);
  for (const double x :
       {0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 5e-324, std::numeric_limits<double>::infinity()})
    for (const double y : {0.0, -0.0, 1.0, -1.0, 1e308, 5e-324, -std::numeric_limits<double>::infinity()}) {
      EXPECT_NEAR(atan2(y, x), std::atan2(y, x), 5e-16) << y << ", " << x;
      EXPECT_EQ(std::signbit(atan2(y, x)), std::signbit(std::atan2(y, x))) << y << ", " << x;
      if (const double length = std::hypot(x, y); std::isfinite(length))
        EXPECT_NEAR(hypot(x, y), length, 3e-16 * length) << y << ", " << x;
      else
        EXPECT_EQ(hypot(x, y), length) << y << ", " << x;
    }
  EXPECT_TRUE(std::isnan(asin(1.1)) && std::isnan(acos(-1.1)) && std::isnan(atan2(std::nan(""), 1)));
}

// Three million results, as recorded on x86-64; another processor, compiler or library must not change one of them.
TEST(Portable, bits_are_those_that_were_recorded) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211u; };
  for (int k = -250000; k < 250000; ++k) {
    const SineCosine t = sine_cosine(k * 0.0017);
    add(t.sin), add(t.cos);
    add(exp(k * 1e-3)), add(atan2(k * 1e-3, 17)), add(hypot(k * 1e-3, 17)), add(tanh(k * 1e-5));
    if (k > 0) add(log(k * 1e-3)), add(pow(k * 1e-3, 1.1)), add(pow(k * 1e-3, -k * 1e-4));
  }
  EXPECT_EQ(hash, 11411935480934424297u);
}

}  // namespace
}  // namespace thud::portable
