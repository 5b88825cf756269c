#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "thud/math/dual.hpp"

namespace thud {

/// A force as an expression of one variable: of an extension, or of a speed. Between its corners it is smooth; which piece
/// it is on belongs to the mode.
template <class P>
struct CurveOf {
  std::function<double(double)> value;                  ///< empty: there is none
  std::function<Dual<double>(Dual<double>)> with_rate;  ///< the same with its derivative
  std::vector<double> corners{};                        ///< in order

  bool is_given() const { return static_cast<bool>(value); }

  /// On the piece that is so many corners up; beyond its ends it stays what it is there.
  double at(double x, int piece) const { return value(inside(x, piece)); }
  Dual<double> at(Dual<double> x, int piece) const { return with_rate({inside(x.v, piece), x.d}); }

  /// ∫ from 0 to x, exact to rounding between corners.
  double integral(double x) const;
  Dual<double> integral(Dual<double> x) const;

  /// For scalars that it does not know: a plain number comes of it.
  template <class T>
  T at(const T& x, int piece) const {
    return T(at(value_of(x), piece));
  }
  template <class T>
  T integral(const T& x) const {
    return T(integral(value_of(x)));
  }

  /// Calls sink(distance to a corner, number) for both ends of a piece; positive inside.
  template <class T, class Sink>
  void ends(T x, int piece, Sink&& sink) const {
    if (piece > 0) sink(x - corners[piece - 1], 0);
    if (piece < static_cast<int>(corners.size())) sink(corners[piece] - x, 1);
  }
  /// The piece that x lies on; where it is within `small` of a corner, the one that it goes to.
  int piece_at(double now, double later, double small) const {
    int piece = 0;
    for (const double c : corners) piece += std::abs(now - c) > small ? now > c : later > now;
    return piece;
  }

 private:
  // A stage of a step may end a little beyond a corner, where the expression jumps.
  double inside(double x, int piece) const {
    const auto off = [](double c) { return 4e-16 * (2 * std::abs(c) + 1e-9); };
    if (piece > 0) x = std::max(x, corners[piece - 1] + off(corners[piece - 1]));
    if (piece < static_cast<int>(corners.size())) x = std::min(x, corners[piece] - off(corners[piece]));
    return x;
  }
};
using Curve = CurveOf<double>;

}  // namespace thud
