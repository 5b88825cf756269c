#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "thud/math/formula.hpp"

namespace thud {

/// Where what is prescribed in time asks for care between two instants.
struct Timing {
  std::vector<double> edges;   ///< it may jump or have a corner: no step goes over one
  std::vector<double> pieces;  ///< it changes by little from one to the next: no step goes over two
  double longest = std::numeric_limits<double>::infinity();  ///< step, where nothing is known

  /// In order, each once.
  void sort();
};
using TimingFunction = std::function<Timing(double from, double to)>;

/// Adds what a function of time says, or, where it varies and says nothing, a step that is short against the whole.
void add_timing(const TimingFunction& timing, bool varies, double from, double to, Timing& out);

/// Of an expression, by intervals: every zero of what decides its sides is enclosed, none is missed however close two of
/// them are. Of what depends on the state, the sides that the time alone decides.
///
/// An interval over which the enclosure of a deciding value has no zero has no edge; one over which its rate has no zero has at
/// most one, which is located to rounding; others are halved. Pieces are halved until none encloses a change of more than a
/// `share` of all that the value does.
template <class P>
[[nodiscard]] Timing timing_of(const FormulaOf<P>& formula, double from, double to, double share = 0.125);

}  // namespace thud
