#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/expression.hpp"

namespace thud::doc {

/// An expression of results or of observables: the language of expression.hpp, with names such as foot@floor.force, and
/// with units. Values may be asked for from several threads at once.
///
/// Numbers count in SI units and take the unit that fits; names of the scenario's parameters have none that is known.
/// Where a sum, a comparison or a choice joins two units that are both known and differ, or a function takes what it
/// cannot, the formula is refused.
class ResultFormula {
 public:
  struct Name {
    std::string_view name, unit;
  };

  /// `what` the names are, for messages: "observable". Throws ExpressionError.
  ResultFormula(std::string_view text, std::span<const Name> names, const SymbolTable& symbols,
                const char* what);

  /// Which of the names it uses, in the order in which values are given.
  [[nodiscard]] const std::vector<std::size_t>& used() const { return used_; }
  /// Of its value; "" where it has none, or none that is known.
  [[nodiscard]] const std::string& unit() const { return unit_; }

  [[nodiscard]] double operator()(std::span<const double> values) const;

 private:
  friend class ResultFormulaParser;

  enum class Code : std::uint8_t {
    number,
    variable,
    negate,
    add,
    subtract,
    multiply,
    divide,
    raise,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    both,
    either,
    choose,
    one,
    two,
    least,
    greatest,
    pulse,
  };
  struct Step {  // of a machine with a stack
    Code code;
    int count = 0;  // of arguments, or which variable
    double value = 0;
    FunctionOfOne one = nullptr;
    FunctionOfTwo two = nullptr;
  };

  std::vector<Step> steps_;
  std::vector<std::size_t> used_;
  std::string unit_;
  std::size_t depth_ = 1;  // of the stack
};

}  // namespace thud::doc
