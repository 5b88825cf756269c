#pragma once

/// Functions that give the same bits on every machine: the C library's differ between processors, its versions, and
/// browsers. They are what files and runs call; sums, products and square roots are the same everywhere anyway.
namespace thud::portable {

struct SineCosine {
  double sin, cos;
};

/// Both within 0.8 units of the last digit, for |angle| < 2²⁰; beyond, those of the C library.
SineCosine sine_cosine(double angle);
inline double sin(double angle) { return sine_cosine(angle).sin; }
inline double cos(double angle) { return sine_cosine(angle).cos; }

double tan(double angle);  ///< within 2.5 units

// As those of <cmath> everywhere. Within 0.52 units; 0.8 below 1e-300, and for huge powers of numbers next to 1:
double exp(double x);
double log(double x);
double log10(double x);
double pow(double base, double exponent);
double atan2(double y, double x);
double atan(double x);
// Within 3 units:
double hypot(double x, double y);
double asin(double x);
double acos(double x);
double expm1(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);

}  // namespace thud::portable
