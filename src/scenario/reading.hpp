#pragma once

#include "thud/math/dual.hpp"

namespace thud::doc {

/// A number from a file, and how fast it changes with the knob that derivatives are taken by (SymbolTable::set).
/// It becomes what its reader works with: a plain number, or a dual one.
struct Reading {
  double value = 0, rate = 0;

  operator double() const { return value; }                // NOLINT
  operator Dual<double>() const { return {value, rate}; }  // NOLINT
};

inline Reading reading_of(double x) { return {x, 0}; }
inline Reading reading_of(Dual<double> x) { return {x.v, x.d}; }

}  // namespace thud::doc
