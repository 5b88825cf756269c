#pragma once

#include "scenario/expression.hpp"
#include "thud/math/timing.hpp"

namespace thud::doc {

/// An expression in which the names of signals ("thigh.angle", "foot@floor.force") have become names that expressions know,
/// of the same length.
struct SignalText {
  std::string text;
  std::vector<std::string> variables;  ///< "t", and one for each signal in it
  std::vector<int> signals;            ///< which of the known signals; one for each variable after "t"
  std::vector<std::string> names;      ///< of these, as they are written

  /// A message about `text`, in the words of who wrote it.
  [[nodiscard]] std::string as_written(std::string message) const;
};

/// Whether a dotted name stands in it.
[[nodiscard]] bool has_signals(std::string_view text);

/// Throws ExpressionError for a dotted name that is not known, with a suggestion; `besides`: what more to say then.
[[nodiscard]] SignalText mark_signals(std::string_view text, const std::vector<std::string>& known,
                                      const SymbolTable& symbols, const std::string& besides = {});

/// Who decides on which side of a corner or a jump an expression is.
enum class Sides {
  of_mode,   ///< the mode: each is a switch of the formula
  of_value,  ///< the value itself, where it is evaluated from time to time
};

/// The formula of an expression. Throws ExpressionError for what is wrong with it, and for what cannot be located: ==, !=, and
/// floor, ceil, round, mod, rnd of something that is not of the time alone.
template <class P>
[[nodiscard]] FormulaOf<P> compile_formula(const SignalText& text, const SymbolTable& symbols,
                                           Sides sides = Sides::of_mode);

/// Whether an expression of time has more than one value; nothing where that cannot be told.
[[nodiscard]] std::optional<bool> varies_in_time(const TimeExpression& expression);

/// Where an expression of time has edges, and how fast it changes.
[[nodiscard]] TimingFunction timing_of(const TimeExpression& expression, double share = 0.125);

}  // namespace thud::doc
