#pragma once
// Small dense systems of equations, in place and for any scalar: the held switches of a mode are few.

#include <cmath>
#include <utility>

#include "thud/math/dual.hpp"

namespace thud {

/// Solves (G + ridge) x = x in place, G symmetric k × k (lower triangle given): a Cholesky factorisation.
template <class T, class Ridge>
void solve_hold(T* g, T* x, int k, Ridge ridge) {
  using std::sqrt;
  for (int c = 0; c < k; ++c) {
    T pivot = g[c * k + c] + ridge;
    for (int j = 0; j < c; ++j) pivot -= g[c * k + j] * g[c * k + j];
    const T root = sqrt(pivot > T(0.01 * ridge) ? pivot : T(0.01 * ridge));
    g[c * k + c] = root;
    for (int i = c + 1; i < k; ++i) {
      for (int j = 0; j < c; ++j) g[i * k + c] -= g[i * k + j] * g[c * k + j];
      g[i * k + c] = g[i * k + c] / root;
    }
  }
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= g[i * k + j] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) x[i] -= g[j * k + i] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
}

/// Factors G, symmetric k × k (lower triangle given), row by row. A row that follows from those before it, but for `least` of
/// its own square or of its `size`, is left out: kept is 0 there. `share`: what was left of it.
template <class T>
void factor_independent(T* g, const double* size, int k, double least, char* kept, double* share) {
  using std::sqrt;
  for (int c = 0; c < k; ++c) {
    const double own = value_of(g[c * k + c]) > size[c] ? value_of(g[c * k + c]) : size[c];
    for (int j = 0; j < c; ++j) {
      T& x = g[c * k + j];
      if (!kept[j]) continue;
      for (int i = 0; i < j; ++i)
        if (kept[i]) x -= g[c * k + i] * g[j * k + i];
      x = x / g[j * k + j];
      g[c * k + c] -= x * x;
    }
    share[c] = own > 0 ? value_of(g[c * k + c]) / own : 0;
    kept[c] = share[c] > least;
    if (kept[c]) g[c * k + c] = sqrt(g[c * k + c]);
  }
}

/// Solves G x = x in place with such a factor; x is zero where a row was left out.
template <class T>
void solve_independent(const T* g, const char* kept, T* x, int k) {
  for (int i = 0; i < k; ++i) {
    if (!kept[i]) continue;
    for (int j = 0; j < i; ++j)
      if (kept[j]) x[i] -= g[i * k + j] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
  for (int i = k - 1; i >= 0; --i) {
    if (!kept[i]) {
      x[i] = T(0);
      continue;
    }
    for (int j = i + 1; j < k; ++j)
      if (kept[j]) x[i] -= g[j * k + i] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
}

/// Solves G x = x in place for any G, k × k, by elimination with pivots.
template <class T, class Ridge>
void solve_general(T* g, T* x, int k, Ridge ridge) {
  using std::abs;
  for (int c = 0; c < k; ++c) {
    int best = c;
    for (int i = c + 1; i < k; ++i)
      if (abs(measured(g[i * k + c])) > abs(measured(g[best * k + c]))) best = i;
    if (best != c) {
      for (int j = 0; j < k; ++j) std::swap(g[c * k + j], g[best * k + j]);
      std::swap(x[c], x[best]);
    }
    if (abs(measured(g[c * k + c])) < ridge) g[c * k + c] = T(ridge);
    for (int i = c + 1; i < k; ++i) {
      const T f = g[i * k + c] / g[c * k + c];
      for (int j = c + 1; j < k; ++j) g[i * k + j] -= f * g[c * k + j];
      x[i] -= f * x[c];
    }
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) x[i] -= g[i * k + j] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
}

}  // namespace thud
