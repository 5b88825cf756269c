// What emscripten's C++ library lacks. Included before every source.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

// The standard one for numbers with a point: decimal, no sign but a minus, no spaces before it.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* at = first;
  const auto digits = [&] {
    const char* const from = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - from;
  };
  if (at != last && *at == '-') ++at;
  auto count = digits();
  if (at != last && *at == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return {first, errc::invalid_argument};
  if (at != last && (*at == 'e' || *at == 'E')) {
    const char* const before = at++;
    if (at != last && (*at == '+' || *at == '-')) ++at;
    if (digits() == 0) at = before;
  }
  const string text(first, at);
  const double x = strtod(text.c_str(), nullptr);
  // Too large or too small: the value stays as it was.
  if (!isfinite(x) || (x == 0 && text.find_first_of("123456789") < text.find_first_of("eE")))
    return {at, errc::result_out_of_range};
  value = x;
  return {at, errc{}};
}

}  // namespace std

// Eigen's hints to gcc about registers of x86: empty assembler.
#define __asm__(...)
