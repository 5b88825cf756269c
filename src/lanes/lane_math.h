// Elementary functions of lanes: plain sums, products and quotients of doubles, so that they have the same bits in packs of
// any width and on any device. In the common part of C++ and OpenCL C, without branches, so that loops over lanes become
// packs.

#ifndef THUD_LANE_MATH
#define THUD_LANE_MATH

#ifdef __OPENCL_VERSION__
#define LANE_FN static
#define LANE_CONSTANT __global const
#else
#include <cstring>
#define LANE_FN [[maybe_unused, gnu::always_inline]] static inline
#define LANE_CONSTANT const
LANE_FN long as_long(double x) {
  long bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
LANE_FN double as_double(long bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#endif

// Added to a number and taken away again, it leaves the nearest whole one, whose last bits are those of the sum.
#define LANE_TO_WHOLE 0x1.8p52

LANE_FN double lane_infinity(void) { return as_double(0x7ff0000000000000L); }
LANE_FN double lane_abs(double x) { return x < 0 ? -x : x; }
LANE_FN double lane_least(double a, double b) { return b < a ? b : a; }
LANE_FN double lane_most(double a, double b) { return a < b ? b : a; }

// ln x of a normal number > 0, within 1e-15 of its value, or for x near 1 of x − 1: x = 2ⁿ m, ln m = 2 artanh((m − 1)/(m + 1)).
LANE_FN double lane_log(double x) {
  const long bits = as_long(x);
  const long n = (long)((unsigned long)bits - 0x3fe6a09e667f3bcdUL) >> 52;  // so that √½ ≤ m < √2
  const double m = as_double((long)((unsigned long)bits - ((unsigned long)n << 52)));
  const double whole = as_double((long)(0x4338000000000000UL + (unsigned long)n)) - LANE_TO_WHOLE;
  const double f = (m - 1) / (m + 1), z = f * f, z2 = z * z, z4 = z2 * z2;
  const double low = (1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9));
  const double middle = (1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17));
  const double high = (1.0 / 19 + z * (1.0 / 21)) + z2 * (1.0 / 23);
  const double series = low + z4 * (middle + z4 * high);
  // ln 2, the first part with 32 bits.
  return whole * 0x1.62e42feep-1 + (whole * 0x1.a39ef35793c76p-33 + 2 * (f + f * (z * series)));
}

// eˣ within 1e-15 of its value; 0 below −708, infinite above 709.
LANE_FN double lane_exp(double x) {
  const double inside = lane_least(lane_most(x, -708.0), 709.0);
  const double shifted = inside * 0x1.71547652b82fep+0 + LANE_TO_WHOLE, n = shifted - LANE_TO_WHOLE;
  const double r = (inside - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  const double r2 = r * r, r4 = r2 * r2;
  const double low = (1 + r) + r2 * (0.5 + r * (1.0 / 6));
  const double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const double high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
  const double top = 1.0 / 479001600 + r * (1.0 / 6227020800);
  const double series = low + r4 * (middle + r4 * (high + r4 * top));
  const double power = as_double((long)(((unsigned long)as_long(shifted) << 52) + 0x3ff0000000000000UL));
  const double y = series * power;
  return x < -708.0 ? 0.0 : x > 709.0 ? lane_infinity() : x == x ? y : x;
}

// x to the power p, of x ≥ 0: a few last bits less than the best, and half the work.
LANE_FN double lane_pow(double x, double p) {
  const double y = lane_exp(p * lane_log(x));
  return x > 0 ? (x < lane_infinity() ? y : x) : (x == 0 ? 0.0 : x - x);
}

// By how much a step of that error may grow: proportional-integral control, as Run::learn_from.
LANE_FN double lane_growth(double error, double last_log_error, double* log_error) {
  *log_error = lane_log(lane_most(error, 1e-12));
  const double growth = 0.9 * lane_exp(0.04 * lane_most(last_log_error, -9.0) - *log_error / 8);
  return lane_least(lane_most(growth, 0.3), 6.0);
}

// As portable::sine_cosine (src/math/portable.cpp), bit by bit, for |x| < 2²⁰.
LANE_FN double lane_quarter_turns(double x, double n, double* rest) {
  const double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
  const double a = x - n * first, b = n * second;
  const double d = a - b, from_b = a - d, lost = (a - (d + from_b)) + (from_b - b);
  const double less = lost - n * third, value = d + less;
  *rest = (d - value) + less;
  return value;
}
LANE_FN double lane_sine_near_zero(double x, double rest) {
  const double z = x * x, z2 = z * z;
  const double low = (1.0 / 120 - z * (1.0 / 5040)) + z2 * (1.0 / 362880 - z * (1.0 / 39916800));
  const double high = (1.0 / 6227020800 - z * (1.0 / 1307674368000)) + z2 * (1.0 / 355687428096000);
  const double series = z * (low + z2 * z2 * high) - 1.0 / 6;
  return x + (z * x * series + rest * (1 - 0.5 * z));
}
LANE_FN double lane_cosine_near_zero(double x, double rest) {
  const double z = x * x, z2 = z * z;
  const double low = (1.0 / 24 - z * (1.0 / 720)) + z2 * (1.0 / 40320 - z * (1.0 / 3628800));
  const double high = (1.0 / 479001600 - z * (1.0 / 87178291200)) + z2 * (1.0 / 20922789888000);
  const double halved = 0.5 * z, head = 1 - halved;
  return head + (((1 - head) - halved) + (z2 * (low + z2 * z2 * high) - x * rest));
}
LANE_FN double lane_sincos(double angle, double* cosine) {
  const double shifted = angle * 0x1.45f306dc9c883p-1 + LANE_TO_WHOLE;
  const long quarter = as_long(shifted);
  double rest;
  const double x = lane_quarter_turns(angle, shifted - LANE_TO_WHOLE, &rest);
  const double s = lane_sine_near_zero(x, rest), c = lane_cosine_near_zero(x, rest);
  const long odd = -(quarter & 1);
  const long sine_bits = (as_long(c) & odd) | (as_long(s) & ~odd);
  const long cosine_bits = (as_long(s) & odd) | (as_long(c) & ~odd);
  *cosine = as_double((long)((unsigned long)cosine_bits ^ ((((unsigned long)quarter + 1UL) & 2UL) << 62)));
  return as_double((long)((unsigned long)sine_bits ^ (((unsigned long)quarter & 2UL) << 62)));
}

#endif
