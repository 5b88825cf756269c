#include "thud/math/portable.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

namespace thud::portable {

namespace {

/// Added to a number and taken away again, it leaves the nearest whole one, whose last bits are those of the sum.
constexpr double to_whole = 0x1.8p52;

/// A number and the rounding that it lacks.
struct Precise {
  double value, rest;
};

Precise difference(double a, double b) {
  const double d = a - b, from_b = a - d;
  return {d, (a - (d + from_b)) + (from_b - b)};
}

// Taylor's series on |x| ≤ π/4: what they leave out is below 2e-19. A tree of sums is quicker than Horner's chain.
double sine_near_zero(Precise x) {
  const double z = x.value * x.value, z2 = z * z;
  const double low = (1.0 / 120 - z * (1.0 / 5040)) + z2 * (1.0 / 362880 - z * (1.0 / 39916800));
  const double high = (1.0 / 6227020800 - z * (1.0 / 1307674368000)) + z2 * (1.0 / 355687428096000);
  const double series = z * (low + z2 * z2 * high) - 1.0 / 6;
  return x.value + (z * x.value * series + x.rest * (1 - 0.5 * z));
}

double cosine_near_zero(Precise x) {
  const double z = x.value * x.value, z2 = z * z;
  const double low = (1.0 / 24 - z * (1.0 / 720)) + z2 * (1.0 / 40320 - z * (1.0 / 3628800));
  const double high = (1.0 / 479001600 - z * (1.0 / 87178291200)) + z2 * (1.0 / 20922789888000);
  const double half = 0.5 * z, head = 1 - half;
  return head + (((1 - head) - half) + (z2 * (low + z2 * z2 * high) - x.value * x.rest));
}

// x − n π/2. The first two parts of π/2 have 33 bits each: their products with n < 2²⁰ are exact.
Precise less_quarter_turns(double x, double n) {
  constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
  const Precise d = difference(x - n * first, n * second);
  const double rest = d.rest - n * third, value = d.value + rest;
  return {value, (d.value - value) + rest};
}

}  // namespace

SineCosine sine_cosine(double angle) {
  constexpr double most = 1 << 20;
  if (!(std::abs(angle) < most)) return {std::sin(angle), std::cos(angle)};
  const double shifted = angle * (2 * std::numbers::inv_pi) + to_whole;
  std::uint64_t quarter;  // in its last bits
  std::memcpy(&quarter, &shifted, sizeof quarter);
  const Precise x = less_quarter_turns(angle, shifted - to_whole);
  const double s = sine_near_zero(x), c = cosine_near_zero(x);
  const double sine = quarter & 1 ? c : s, cosine = quarter & 1 ? s : c;
  return {quarter & 2 ? -sine : sine, (quarter + 1) & 2 ? -cosine : cosine};
}

// x = 2ⁿ m with m near 1; ln m = 2 artanh((m − 1)/(m + 1)).
double log(double x) {
  int n;
  double m = std::frexp(x, &n);
  if (m < 0.5 * std::numbers::sqrt2) m *= 2, --n;
  const double f = (m - 1) / (m + 1), z = f * f;
  constexpr double terms[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                              1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3};
  double series = 0;
  for (const double term : terms) series = z * (term + series);
  return n * std::numbers::ln2 + 2 * (f + f * series);
}

// x = n ln 2 + r with |r| ≤ ln 2 / 2.
double exp(double x) {
  const double n = (x * std::numbers::log2e + to_whole) - to_whole;
  constexpr double first = 0x1.62e42feep-1, second = 0x1.a39ef35793c76p-33;  // ln 2, the first with 32 bits
  const double r = (x - n * first) - n * second;
  constexpr double terms[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};
  double series = 0;
  for (const double term : terms) series = term + r * series;
  return std::ldexp(series, static_cast<int>(n));
}

}  // namespace thud::portable
