#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenario/reading.hpp"

namespace thud::lanes {
class Traced;
}

namespace thud::doc {

class Curve;
class Files;

/// An expression is wrong; offset counts characters from its beginning.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t offset)
      : std::runtime_error(message),
        offset_(offset) {}

  [[nodiscard]] std::string message() const { return what(); }
  [[nodiscard]] std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

/// The names an expression may use, in the order in which they were set. A name stands for a
/// number, usable in expressions, or for a text, usable as $name in strings.
class SymbolTable {
 public:
  /// Sets or replaces a name in this scope.
  void set(const std::string& name, double value);
  /// The same for what changes with the knob that derivatives are taken by.
  void set(const std::string& name, Reading reading);
  void set_text(const std::string& name, std::string text);

  [[nodiscard]] std::optional<double> find(std::string_view name) const;
  /// How fast a name changes; 0 of most.
  [[nodiscard]] double rate(std::string_view name) const;
  /// Whether any name changes.
  [[nodiscard]] bool moves() const { return moves_; }
  [[nodiscard]] std::optional<std::string> find_text(std::string_view name) const;

  /// All names for numbers, those of outer scopes first; shadowed ones once.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<std::string> text_names() const;

  /// The files that formulas may name, and the folder, relative to the scenario, that their names start from.
  void set_files(std::shared_ptr<Files> files, std::string folder = {});
  [[nodiscard]] const std::shared_ptr<Files>& files() const { return files_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Tables that replace_tables has read.
  void add_curve(std::string name, std::shared_ptr<const Curve> curve);
  [[nodiscard]] const std::vector<std::pair<std::string, std::shared_ptr<const Curve>>>& curves() const {
    return curves_;
  }

  /// An inner scope: sees all names of this one as they are now, and may shadow them.
  [[nodiscard]] SymbolTable child() const;

 private:
  bool moves_ = false;
  std::vector<std::pair<std::string, Reading>> numbers_;
  std::vector<std::pair<std::string, std::string>> texts_;
  std::shared_ptr<const SymbolTable> parent_;
  std::shared_ptr<Files> files_;
  std::string folder_;
  std::vector<std::pair<std::string, std::shared_ptr<const Curve>>> curves_;
};

/// interp(x, "file.csv") or interp(x, "file.csv", "column") in a formula.
struct TableCall {
  std::size_t begin;         ///< of the word
  std::size_t comma, close;  ///< behind x, and the parenthesis at the end
  std::string file, column;
};
[[nodiscard]] std::vector<TableCall> table_calls(std::string_view text);
/// The text with functions of x in the place of tables, as long as before; their curves are added to the symbols. Throws
/// ExpressionError for what cannot be read.
[[nodiscard]] std::string replace_tables(std::string_view text, SymbolTable& symbols);

/// The value of an expression in plain numbers (SI by convention; there are no units in here).
///
/// Operators: + - * / ^  < <= > >= == !=  && ||  and  condition ? a : b.
/// Functions: sin cos tan asin acos atan atan2 sqrt abs exp ln log10 hypot floor ceil round sign,
/// min and max of any number of values, deg(x) = x π/180, and
///
///   mod(a, b)           a − b ⌊a/b⌋, with the sign of b
///   step(x)             1 for x ≥ 0, else 0
///   pulse(t, t0, t1)    1 for t0 ≤ t < t1, else 0
///   rnd(seed, index)    uniform in [0, 1), the same on every machine (see uniform_hash)
///   interp(x, "file.csv", "column")     a table, straight between its rows, held at its ends (see curve.hpp)
///
/// Constant: pi. Throws ExpressionError; a result that is not finite is an error.
[[nodiscard]] double evaluate(std::string_view expression, const SymbolTable& symbols);

/// The same with its derivative, by what the symbols change with.
[[nodiscard]] Reading read(std::string_view expression, const SymbolTable& symbols);
/// The derivative alone, of an expression with that value; `values` of its variables. Throws ExpressionError.
[[nodiscard]] double expression_rate(std::string_view text, const SymbolTable& symbols, double value,
                                     const std::vector<std::string>& variables = {},
                                     std::span<const Dual<double>> values = {});

/// Value, first and second derivative by the first variable, at t. Throws ExpressionError.
template <class P>
[[nodiscard]] std::array<P, 3> expression_jet(std::string_view text, const SymbolTable& symbols,
                                              const std::vector<std::string>& variables, double t);

/// What the sides of an expression depend on: it switches where one of these goes through zero. Of the first variable at t.
[[nodiscard]] std::vector<double> expression_switches(std::string_view text, const SymbolTable& symbols,
                                                      const std::vector<std::string>& variables, double t);

/// The tables of an expression and their arguments, of the first variable at t.
[[nodiscard]] std::vector<std::pair<const Curve*, double>> expression_tables(
    std::string_view text, const SymbolTable& symbols, const std::vector<std::string>& variables, double t);

/// An expression of time, compiled once and cheap to evaluate. A copy owns its own parser; one
/// object must not be evaluated from two threads at once, two copies may.
class TimeExpression {
 public:
  /// The symbols' values are fixed now; the variables are free. Throws ExpressionError.
  TimeExpression(std::string_view expression, const SymbolTable& symbols,
                 std::vector<std::string> variables = {"t"});
  TimeExpression(const TimeExpression& other);
  TimeExpression& operator=(const TimeExpression& other);
  TimeExpression(TimeExpression&&) noexcept;
  TimeExpression& operator=(TimeExpression&&) noexcept;
  ~TimeExpression();

  /// The value with the first variable set to t. Throws ExpressionError when it is not finite.
  double operator()(double t) const;

  /// The value with all variables set, in the order in which they were named.
  double operator()(std::span<const double> values) const;

  /// The value with its first two derivatives by the first variable.
  template <class P>
  std::array<P, 3> jet_at(double t) const {
    return expression_jet<P>(code(), symbols(), variables(), t);
  }
  [[nodiscard]] const SymbolTable& symbols() const;
  [[nodiscard]] const std::vector<std::string>& variables() const;

  /// The value with its derivative by what symbols and variable change with.
  Dual<double> rate_at(Dual<double> t) const;

  /// The same written down (lanes/traced.hpp), with all variables set. Throws ExpressionError.
  [[nodiscard]] lanes::Traced traced(std::span<const lanes::Traced> values) const;

  [[nodiscard]] const std::string& text() const;
  /// The text with functions in the place of tables.
  [[nodiscard]] const std::string& code() const;

  /// False when it surely has one value, whatever its variable is: a number, or a smooth expression that the values of the
  /// symbols make constant, such as a cosine with an amplitude of zero.
  [[nodiscard]] bool varies() const;

  /// The instants at which a step, pulse, sign, comparison, corner of abs, min or max in it switches, in order: of those
  /// whose argument is linear in its variable. Rows of tables likewise.
  [[nodiscard]] std::vector<double> edges() const;

 private:
  void add_rows(std::vector<double>& edges) const;

  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// An expression as the function that equations call: of a plain t, with the derivative where P has one.
template <class P>
[[nodiscard]] std::function<P(double)> function_of(TimeExpression expression) {
  if constexpr (std::is_same_v<P, double>)
    return expression;
  else
    return [e = std::move(expression)](double t) { return e.rate_at(P(t)); };
}

/// The generator behind rnd: both arguments, rounded to integers, go through splitmix64
/// (Steele, Lea and Flood 2014); the upper 53 bits make the result.
[[nodiscard]] double uniform_hash(double seed, double index);

/// The functions of one value and of two, by their names; null where there is none.
using FunctionOfOne = double (*)(double);
using FunctionOfTwo = double (*)(double, double);
[[nodiscard]] FunctionOfOne function_of_one(std::string_view name);
[[nodiscard]] FunctionOfTwo function_of_two(std::string_view name);

/// Functions, constants and t: what a parameter cannot be called.
[[nodiscard]] const std::vector<std::string>& reserved_names();

/// The words of a text that could be names, each once.
[[nodiscard]] std::vector<std::string> words_in(std::string_view text);

/// Letters, digits and underscores, not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view name);

/// Replaces each {expression} by its whole-number value: "link{i+1}" becomes "link3".
/// "{{" and "}}" stand for the braces themselves. Throws ExpressionError.
[[nodiscard]] std::string fill(std::string_view text, const SymbolTable& symbols);

/// Replaces $name and ${name} by the text of that name; "$$" stands for "$", and a "$" before
/// anything but a letter, underscore or brace for itself. Throws ExpressionError.
[[nodiscard]] std::string substitute(std::string_view text, const SymbolTable& symbols);

/// The whole number nearest to the value. Throws ExpressionError when it is off by more than 1e-9.
[[nodiscard]] long long whole_number(double value);

}  // namespace thud::doc
