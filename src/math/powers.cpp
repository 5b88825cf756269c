// Logarithms, exponentials and powers. A logarithm is found with some 65 digits, as tables of log c and 2^(i/256) with a short
// series between their points allow (the design of Tang 1990 and of the C libraries), without fused multiply-adds.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "math/precise.hpp"
#include "thud/math/portable.hpp"

namespace thud::portable {

namespace {

using Bits = std::uint64_t;

constexpr int cell_bits = 8, cells = 1 << cell_bits;
constexpr Bits cell_width = Bits{1} << (52 - cell_bits), exponent_mask = Bits{0xfff} << 52;
constexpr Precise ln2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

// ---- logarithm ------------------------------------------------------------------------------

/// Multiples of 2⁻⁴² with few digits: sums of them with whole multiples of `ln2_head` are exact.
constexpr double coarse(double x) { return (x + 0x1.8p10) - 0x1.8p10; }
constexpr double ln2_head = coarse(ln2.value), ln2_tail = (ln2.value - ln2_head) + ln2.rest;

/// Mantissas are taken from about √½ to √2. The first cell begins where 1 lies inside of a cell, as far from its lower end as
/// from its upper: there r = x − 1, and nothing cancels.
constexpr Bits one = std::bit_cast<Bits>(1.0), first_mantissa = one - cell_width * 452 / 3;

/// A cell of mantissas: 1/c with 12 digits, and log c.
struct Cell {
  double inverse, log, rest;
};

/// log(2048/m) = 2 artanh((2048 − m)/(2048 + m)).
constexpr Precise log_of_ratio(int m) {
  const Precise f = Precise{2048.0 - m} / Precise{2048.0 + m}, square = f * f;
  Precise series{};
  for (int k = 41; k >= 1; k -= 2) series = Precise{2} / Precise{1.0 * k} + square * series;
  return f * series;
}

constexpr std::array<Cell, cells> make_cells() {
  std::array<Cell, cells> out{};
  for (int i = 0; i < cells; ++i) {
    const Bits start = first_mantissa + static_cast<Bits>(i) * cell_width;
    const bool holds_one = start <= one && one < start + cell_width;
    const double middle = std::bit_cast<double>(start + cell_width / 2);
    const int m = holds_one ? 2048 : static_cast<int>(2048 / middle + 0.5);
    const Precise log = log_of_ratio(m);
    const double head = coarse(log.value);
    out[i] = {m / 2048.0, head, (log.value - head) + log.rest};
  }
  return out;
}
constexpr std::array<Cell, cells> cell_table = make_cells();

/// log x for the bits of a normal x > 0: x = 2ᵏ z, z = (1 + r)c. The error is below 2⁻⁶⁵ of the value. The rest is below 1e-5 of
/// it, and may reach into its digits.
[[gnu::always_inline]] inline Precise precise_log(Bits x) {
  constexpr double to_20_digits = 0x1.8p32;
  const Bits above = x - first_mantissa;
  const Cell& cell = cell_table[(above >> (52 - cell_bits)) % cells];
  const double k = static_cast<double>(static_cast<std::int64_t>(above) >> 52);
  const double z = std::bit_cast<double>(x - (above & exponent_mask));
  const double z1 = (z + to_20_digits) - to_20_digits;
  const double r1 = z1 * cell.inverse - 1, r2 = (z - z1) * cell.inverse;  // both exact
  const double r = r1 + r2, square = r * r;
  // log(1 + r) = r − r²/2 + r³ (1/3 − …); the square of r1 is exact.
  const double half = r1 * (r1 * -0.5);
  const double straight = (k * ln2_head + cell.log) + r1;  // exact
  const double head = straight + half;
  const double series = (r * -0.25 + 1.0 / 3) + square * ((r * (-1.0 / 6) + 0.2) + square * (1.0 / 7));
  const Precise sum = sum_of_ordered(head, r2);
  return {sum.value, sum.rest + (k * ln2_tail + cell.rest) + ((straight - head) + half)
                         + (r * square * series + r2 * -0.5 * (r + r1))};
}

bool is_normal_and_positive(Bits x) { return x - (Bits{1} << 52) < (Bits{0x7fe} << 52); }

/// The same for any x > 0 that is a number.
Precise log_of_any(double x) {
  if (x >= std::numeric_limits<double>::min()) return precise_log(std::bit_cast<Bits>(x));
  return precise_log(std::bit_cast<Bits>(x * 0x1p52)) + Precise{-52 * ln2_head, -52 * ln2_tail};
}

// ---- exponential ----------------------------------------------------------------------------

/// 2^(i/256) as bits less i times those of 2^(1/256), so that any n/256 times the latter can be added; and what it lacks, as a share.
struct Root {
  Bits bits;
  double rest;
};

constexpr std::array<Root, cells> make_roots() {
  const Precise x = ln2 * Precise{1.0 / cells};
  Precise step{1};
  for (int k = 14; k >= 1; --k) step = Precise{1} + x * step / Precise{1.0 * k};
  std::array<Root, cells> out{};
  Precise root{1};
  for (int i = 0; i < cells; ++i, root = root * step)
    out[i] = {std::bit_cast<Bits>(root.value) - static_cast<Bits>(i) * cell_width, root.rest / root.value};
  return out;
}
constexpr std::array<Root, cells> root_table = make_roots();

/// e^x = 2^(n/256) (1 + share).
struct Scaled {
  Bits root;  ///< as in the table
  double share;
  Bits n;  ///< as the last bits of n + `to_whole`

  double value() const {
    const double scale = std::bit_cast<double>(root + n * cell_width);
    return scale + scale * share;
  }
  /// The same where it may be too large or too small for a normal number.
  double careful_value() const {
    const Bits whole = n - std::bit_cast<Bits>(to_whole), part = whole % cells;
    const double near_one = Scaled{root, share, part}.value();
    return std::ldexp(near_one, static_cast<int>(static_cast<std::int64_t>(whole - part) / cells));
  }
};

constexpr double exponent_limit = 690;  ///< below, e^x and what is added to it are normal numbers

/// x.value has to be below 800, and x.rest may reach into its digits.
[[gnu::always_inline]] inline Scaled precise_exp(Precise x) {
  constexpr double step_head = 0x1.62e42feep-9,
                   step_tail = 0x1.a39ef35793c76p-41;  // ln 2/256, the first with 32 digits
  const double shifted = (x.value + x.rest) * (cells * std::numbers::log2e) + to_whole,
               n = shifted - to_whole;
  const double r = ((x.value - n * step_head) - n * step_tail) + x.rest, square = r * r;
  const Bits bits = std::bit_cast<Bits>(shifted);
  const Root& root = root_table[bits % cells];
  const double series = (r * (1.0 / 6) + 0.5) + square * (r * (1.0 / 120) + 1.0 / 24);
  return {root.bits, root.rest + r + square * series, bits};
}

double exp_of_any(Precise x) {
  if (x.value > 710) return std::numeric_limits<double>::infinity();
  if (x.value < -750) return 0;
  return precise_exp(x).careful_value();
}

// ---- power ----------------------------------------------------------------------------------

/// y log x; the first part is exact.
[[gnu::always_inline]] inline Precise multiple(double y, Precise log) {
  const double y1 = head_of(y), log1 = head_of(log.value), log2 = (log.value - log1) + log.rest;
  return {y1 * log1, (y - y1) * log1 + y * log2};
}

// Zeros, infinities, negative bases, numbers that are hardly any, results out of range.
[[gnu::noinline]] double pow_of_any(double x, double y) {
  const bool is_plain = std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0 && x != 1;
  const bool is_whole = y == std::floor(y);
  if (!is_plain || (x < 0 && !is_whole)) return std::pow(x, y);  // exact, or no number
  const bool is_odd = is_whole && std::abs(y) < 0x1p53 && std::fmod(y, 2) != 0;
  const double sign = x < 0 && is_odd ? -1 : 1;
  // Where y alone decides, its product with a logarithm would be infinite.
  const double bounded = std::abs(y) > 0x1p64 ? std::copysign(0x1p64, y) : y;
  return sign * exp_of_any(multiple(bounded, log_of_any(std::abs(x))));
}

}  // namespace

double log(double x) {
  if (x == 1) return 0;
  if (!(x > 0) || std::isinf(x)) return std::log(x);
  const Precise out = log_of_any(x);
  return out.value + out.rest;
}

double log10(double x) {
  constexpr Precise log10e{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  if (x == 1) return 0;
  if (!(x > 0) || std::isinf(x)) return std::log10(x);
  return (log_of_any(x) * log10e).value;
}

double exp(double x) {
  if (std::abs(x) < exponent_limit) return precise_exp({x, 0}).value();
  return std::isnan(x) ? x : exp_of_any({x, 0});
}

double pow(double x, double y) {
  const Bits bits = std::bit_cast<Bits>(x);
  if (is_normal_and_positive(bits)) {
    const Precise e = multiple(y, precise_log(bits));
    if (std::abs(e.value) < exponent_limit) return precise_exp(e).value();
  }
  return pow_of_any(x, y);
}

// ---- hyperbolic functions -------------------------------------------------------------------

namespace {

/// Σ x^k/k! over k = first, first + step, … up to 22, for |x| ≤ 1.
double series(double x, int first, int step) {
  const double factor = step == 1 ? x : x * x;
  double sum = 1;
  for (int k = 22; k > first; --k)
    if ((k - first) % step == 0) sum = 1 + factor * sum / (step == 1 ? k : k * (k - 1.0));
  return first == 1 ? x * sum : sum;
}

}  // namespace

double expm1(double x) { return std::abs(x) < 0.5 ? series(x, 1, 1) : exp(x) - 1; }
double sinh(double x) {
  if (std::abs(x) < 1) return series(x, 1, 2);
  const double e = exp(std::abs(x));
  return std::copysign(0.5 * e - 0.5 / e, x);
}
double cosh(double x) {
  const double e = exp(std::abs(x));
  return 0.5 * e + 0.5 / e;
}
double tanh(double x) {
  const double e = expm1(-2 * std::abs(x));
  return std::copysign(-e / (2 + e), x);
}

}  // namespace thud::portable
