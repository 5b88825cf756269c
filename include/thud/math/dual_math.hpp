#pragma once

#include <cmath>

#include "thud/math/dual.hpp"
#include "thud/math/portable.hpp"

/// \file
/// More functions of dual numbers, for laws of the user's own: exp, log, tanh, tan, abs, min, max.
/// Write `using std::exp;` and call exp(x), as for the others.
namespace thud {

template <class T>
Dual<T> exp(Dual<T> a) {
  using portable::exp;
  const T e = exp(a.v);
  return {e, a.d * e};
}
template <class T>
Dual<T> tanh(Dual<T> a) {
  using portable::tanh;
  const T y = tanh(a.v);
  return {y, a.d * (T(1) - y * y)};
}
template <class T>
Dual<T> tan(Dual<T> a) {
  using portable::tan;
  const T y = tan(a.v);
  return {y, a.d * (T(1) + y * y)};
}
template <class T>
Dual<T> abs(Dual<T> a) {
  return a < Dual<T>(0) ? -a : a;
}
template <class T>
Dual<T> min(Dual<T> a, Dual<T> b) {
  return b < a ? b : a;
}
template <class T>
Dual<T> max(Dual<T> a, Dual<T> b) {
  return a < b ? b : a;
}

}  // namespace thud
