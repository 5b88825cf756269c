#pragma once

/// Functions that give the same bits on every machine: the C library's differ between processors, its versions, and
/// browsers. They are what runs call in every step; sums and products are the same everywhere anyway.
namespace thud::portable {

struct SineCosine {
  double sin, cos;
};

/// Both within 0.8 units of the last digit, for |angle| < 2²⁰; beyond, those of the C library.
SineCosine sine_cosine(double angle);
inline double sin(double angle) { return sine_cosine(angle).sin; }
inline double cos(double angle) { return sine_cosine(angle).cos; }

/// For the control of steps: within 4e-16 of the value, or for small ones of 1.
double log(double x);  ///< of a normal number > 0
/// Within 1e-15 of the value, for |x| ≤ 700.
double exp(double x);
inline double power(double base, double exponent) { return exp(exponent * log(base)); }

}  // namespace thud::portable
