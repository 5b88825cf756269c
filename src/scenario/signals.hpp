#pragma once

#include "scenario/assembly.hpp"
#include "scenario/formula.hpp"

namespace thud::doc {

/// What expressions of the state may name: angles, rates, places, velocities and depths of bodies and points, and what
/// controllers put out.
template <class P>
struct SignalListOf {
  std::vector<std::string> names;
  std::vector<SignalOf<P>> signals;

  explicit SignalListOf(const AssemblyOf<P>& s);
};

/// The drive of an expression; errors are told at the key.
template <class P>
[[nodiscard]] std::shared_ptr<const DriveOf<P>> make_drive(const Table& table, std::string_view key,
                                                           const std::string& text,
                                                           const SymbolTable& symbols,
                                                           const SignalListOf<P>& known);

/// Refuses an expression that has no value at the start.
void check_start(const Table& table, std::string_view key, const TimeExpression& expression);

/// A number or an expression of t. False: the key is absent.
template <class P>
bool read_time_function(const Table& table, std::string_view key, Dimension dimension,
                        TimeFunctionOf<P>& out) {
  auto given = table.time_expression(key, dimension);
  if (!given) return false;
  check_start(table, key, *given);
  out.varies = given->varies();
  if (out.varies) out.timing = timing_of(*given);
  out.f = function_of<P>(std::move(*given));
  return true;
}

/// The same, or an expression of the state.
template <class P>
bool read_function(const Table& table, std::string_view key, Dimension dimension, const AssemblyOf<P>& s,
                   TimeFunctionOf<P>& out);

/// A position as an expression of t, with its derivatives. Refused when it is missing, or jumps.
template <class P>
PathFunctionOf<P> read_path(const Table& table, const char* key, Dimension dimension);

}  // namespace thud::doc
