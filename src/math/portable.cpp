#include "thud/math/portable.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>

#include "math/precise.hpp"

namespace thud::portable {

namespace {

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
  const Precise d = precise_difference(x - n * first, n * second);
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

double tan(double angle) {
  const SineCosine t = sine_cosine(angle);
  return t.sin / t.cos;
}

namespace {

constexpr Precise quarter_turn{std::numbers::pi / 2, 0x1.1a62633145c07p-54};

/// atan of 0, 1/64, … 1, by Euler's series Σ 2²ⁿ (n!)²/(2n + 1)! t²ⁿ⁺¹/(1 + t²)ⁿ⁺¹.
constexpr int arcs = 64;
constexpr std::array<Precise, arcs + 1> make_arcs() {
  std::array<Precise, arcs + 1> out{};
  for (int i = 1; i <= arcs; ++i) {
    const double t = 1.0 * i / arcs;  // with squares that are exact
    const Precise share = Precise{t * t} / Precise{1 + t * t};
    Precise series{1};
    for (int n = 120; n >= 1; --n)
      series = Precise{1} + share * series * (Precise{2.0 * n} / Precise{2.0 * n + 1});
    out[i] = Precise{t} / Precise{1 + t * t} * series;
  }
  return out;
}
constexpr std::array<Precise, arcs + 1> arc_table = make_arcs();

/// atan(y/x) for 0 ≤ y ≤ x: that of c near y/x, and that of (y − c x)/(x + c y).
Precise arc_in_octant(double y, double x) {
  const int i = static_cast<int>(arcs * (y / x) + 0.5);
  const Precise c{1.0 * i / arcs}, d = Precise{y} + Precise{-x} * c, r = d / (Precise{x} + Precise{y} * c);
  const double z = r.value * r.value;
  const double series = -1.0 / 3 + z * (1.0 / 5 - z * (1.0 / 7 - z * (1.0 / 9)));
  return arc_table[static_cast<std::size_t>(i)] + Precise{r.value, r.rest + r.value * z * series};
}

/// To numbers whose products and quotients stay in range.
double power_to_scale_by(double largest) {
  int n;
  std::frexp(largest, &n);
  return std::ldexp(1.0, -std::clamp(n, -1020, 1020));
}

}  // namespace

double atan2(double y, double x) {
  const double most = std::max(std::abs(x), std::abs(y));
  if (!(most > 0) || std::isinf(most) || std::isnan(x + y) || x == 0 || y == 0)
    return std::atan2(y, x);  // exact
  const double scale = power_to_scale_by(most), a = std::abs(x) * scale, b = std::abs(y) * scale;
  if (x > 0 && b < a * 0x1p-60) return y / x;
  Precise arc = b <= a ? arc_in_octant(b, a) : quarter_turn + -arc_in_octant(a, b);
  if (x < 0) arc = quarter_turn + quarter_turn + -arc;
  return std::copysign(arc.value, y);
}

double atan(double x) { return atan2(x, 1); }
double asin(double x) { return atan2(x, std::sqrt((1 - x) * (1 + x))); }
double acos(double x) { return atan2(std::sqrt((1 - x) * (1 + x)), x); }

double hypot(double x, double y) {
  const double most = std::max(std::abs(x), std::abs(y));
  if (most > 1e-140 && most < 1e140) return std::sqrt(x * x + y * y);
  if (most == 0 || std::isinf(x) || std::isinf(y) || std::isnan(x + y)) return std::hypot(x, y);  // exact
  const double scale = power_to_scale_by(most), a = x * scale, b = y * scale;
  return std::sqrt(a * a + b * b) / scale;
}

}  // namespace thud::portable
