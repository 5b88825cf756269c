#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

#ifdef THUD_WITH_LANES
#include "lanes/traced.hpp"
#endif
#include "scenario/curve.hpp"
#include "scenario/expression.hpp"
#include "thud/math/dual_math.hpp"
#include "thud/math/portable.hpp"

// Derivatives of expressions. Their language is that of expression.hpp, and the text has been compiled before: what is
// wrong with it has been said. Values are those of the compiled expression; here they only choose sides.

namespace thud::doc {

namespace {

// Number: duals, nested for higher derivatives. Of a symbol, its rate is the innermost derivative.
template <class Number>
class RateParser {
  using Inner = decltype(Number::v);
#ifdef THUD_WITH_LANES
  static constexpr bool is_recorded = std::is_same_v<Inner, lanes::Traced>;  // its derivatives mean nothing
#else
  static constexpr bool is_recorded = false;
#endif

 public:
  RateParser(std::string_view text, const SymbolTable& symbols, const std::vector<std::string>& variables,
             std::span<const Number> values)
      : text_(text),
        symbols_(symbols),
        variables_(variables),
        values_(values) {}

  Number parse() {
    const Number out = choice();
    skip();
    if (at_ != text_.size()) fail();
    return out;
  }
  /// What was compared with zero on the way.
  const std::vector<double>& switches() const { return switches_; }
  /// Tables that were looked at, and where.
  const std::vector<std::pair<const Curve*, double>>& tables() const { return tables_; }

 private:
  static Number step_of(bool on) { return Number(on ? 1.0 : 0.0); }
  static bool is_on(const Number& x) { return value_of(x) != 0; }

  [[noreturn]] void fail() const {
    throw ExpressionError(fmt::format("\"{}\" has no derivative that could be found", text_), at_);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool next_is(std::string_view word) {
    skip();
    return text_.substr(at_, word.size()) == word;
  }

  Number choice() {
    const Number condition = either();
    if (!take("?")) return condition;
    const Number yes = choice();
    if (!take(":")) fail();
    const Number no = choice();
    return is_on(condition) ? yes : no;
  }
  Number either() {
    Number a = both();
    while (take("||")) {
      const Number b = both();
      a = step_of(is_on(a) || is_on(b));
    }
    return a;
  }
  Number both() {
    Number a = comparison();
    while (take("&&")) {
      const Number b = comparison();
      a = step_of(is_on(a) && is_on(b));
    }
    return a;
  }
  Number comparison() {
    Number a = sum();
    const auto over = [&] {  // how far it is over what follows
      switches_.push_back(value_of(a) - value_of(sum()));
      return switches_.back();
    };
    for (;;) {
      if (take("<=")) {
        a = step_of(over() <= 0);
      } else if (take(">=")) {
        a = step_of(over() >= 0);
      } else if (take("==")) {
        a = step_of(over() == 0);
      } else if (take("!=")) {
        a = step_of(over() != 0);
      } else if (take("<")) {
        a = step_of(over() < 0);
      } else if (take(">")) {
        a = step_of(over() > 0);
      } else {
        return a;
      }
    }
  }
  Number sum() {
    Number a = product();
    for (;;) {
      if (take("+"))
        a += product();
      else if (take("-"))
        a -= product();
      else
        return a;
    }
  }
  Number product() {
    Number a = signed_power();
    for (;;) {
      if (take("*"))
        a *= signed_power();
      else if (take("/"))
        a /= signed_power();
      else
        return a;
    }
  }
  // A sign binds less than ^: -2^2 is -4.
  Number signed_power() {
    if (take("-")) return -signed_power();
    if (take("+")) return signed_power();
    return power();
  }
  Number power() {
    const Number base = primary();
    if (!take("^")) return base;
    const Number exponent = next_is("-") || next_is("+") ? signed_power() : power();
    return raise(base, exponent);
  }
  Number raise(Number a, Number p) const {
    if (!is_zero(p - Number(value_of(p)))) return pow(a, p);
    return power_of(a, value_of(p));
  }

  // A constant exponent; at zero, where a power may have no derivative, whole ones are products.
  static Number power_of(Number a, double p) {
    if (p == 0) return Number(1.0);
    if (std::is_same_v<Inner, double>) return pow(a, p);
    if (p == 1) return a;
    if (p == std::round(p) && p > 0 && p <= 16) {
      const Number half = power_of(a, std::floor(p / 2));
      return std::fmod(p, 2) == 0 ? half * half : half * half * a;
    }
    return pow(a, p);
  }

  Number primary() {
    skip();
    if (take("(")) {
      const Number inside = choice();
      if (!take(")")) fail();
      return inside;
    }
    if (at_ < text_.size()
        && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.')) {
      double x = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
      if (status != std::errc{}) fail();
      at_ = static_cast<std::size_t>(end - text_.data());
      return Number(x);
    }
    return named();
  }

  Number named() {
    std::size_t end = at_;
    while (end < text_.size()
           && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    const std::string name(text_.substr(at_, end - at_));
    if (name.empty()) fail();
    at_ = end;
    if (take("(")) {
      std::vector<Number> a{choice()};
      while (take(",")) a.push_back(choice());
      if (!take(")")) fail();
      return call(name, a);
    }
    for (std::size_t i = 0; i < variables_.size() && i < values_.size(); ++i)
      if (variables_[i] == name) return values_[i];
    if (const auto value = symbols_.find(name)) return symbol(*value, symbols_.rate(name));
    if (name == "pi") return Number(std::numbers::pi);
    fail();
  }

  static Number symbol(double value, double rate) {
    if constexpr (std::is_same_v<Number, Dual<double>>)
      return {value, rate};
    else if constexpr (is_recorded)
      return Number(Inner(value));
    else
      return Number(RateParser<Inner>::symbol(value, rate));
  }
  template <class>
  friend class RateParser;

  // Arguments that a function compares.
  void note_switches(const std::string& name, const std::vector<Number>& a) {
    if (name == "step" || name == "sign" || name == "abs") switches_.push_back(value_of(a[0]));
    if (name == "pulse" || name == "min" || name == "max")
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = i + 1; j < a.size(); ++j)
          if (name != "pulse" || i == 0) switches_.push_back(value_of(a[i]) - value_of(a[j]));
  }

  static Number asin_of(Number x) {
    if constexpr (std::is_same_v<Inner, double>)
      return {portable::asin(x.v), x.d / std::sqrt(1 - x.v * x.v)};
    else if constexpr (is_recorded)
      return Number(Inner(0.5 * std::numbers::pi) - acos(x.v));
    else
      return {RateParser<Inner>::asin_of(x.v), x.d / sqrt(Inner(1) - x.v * x.v)};
  }
  static Number atan_of(Number x) {
    if constexpr (std::is_same_v<Inner, double>)
      return {portable::atan(x.v), x.d / (1 + x.v * x.v)};
    else if constexpr (is_recorded)
      return Number(atan2(x.v, Inner(1)));
    else
      return {RateParser<Inner>::atan_of(x.v), x.d / (Inner(1) + x.v * x.v)};
  }

  Number call(const std::string& name, const std::vector<Number>& a) {
    const Number x = a[0];
    note_switches(name, a);
    if (a.size() == 1) {
      if (name == "sin") return sin(x);
      if (name == "cos") return cos(x);
      if (name == "tan") return tan(x);
      if (name == "asin") return asin_of(x);
      if (name == "acos") return acos(x);
      if (name == "atan") return atan_of(x);
      if (name == "sqrt") return sqrt(x);
      if (name == "abs") return abs(x);
      if (name == "exp") return exp(x);
      if (name == "ln") return log(x);
      if (name == "log10") return log(x) / Number(std::numbers::ln10);
      if (name == "deg") return x * Number(std::numbers::pi) / Number(180.0);
      if (name == "floor") return Number(std::floor(value_of(x)));
      if (name == "ceil") return Number(std::ceil(value_of(x)));
      if (name == "round") return Number(std::round(value_of(x)));
      if (name == "sign") return Number(value_of(x) > 0 ? 1.0 : value_of(x) < 0 ? -1.0 : 0.0);
      if (name == "step") return step_of(value_of(x) >= 0);
    }
    if (name == "min") return *std::min_element(a.begin(), a.end());
    if (name == "max") return *std::max_element(a.begin(), a.end());
    if (a.size() == 2) {
      if (name == "atan2") return atan2(x, a[1]);
      if (name == "hypot") return sqrt(x * x + a[1] * a[1]);
      if (name == "mod") return x - a[1] * Number(std::floor(value_of(x) / value_of(a[1])));
      if (name == "rnd") return Number(uniform_hash(value_of(x), value_of(a[1])));
    }
    for (const auto& [table, curve] : symbols_.curves())
      if (table == name && a.size() == 1) {
        const double at = value_of(x);
        tables_.emplace_back(curve.get(), at);
        return Number((*curve)(at)) + Number(curve->slope(at)) * (x - Number(at));
      }
    if (name == "pulse" && a.size() == 3) return step_of(x >= a[1] && x < a[2]);
    fail();
  }

  std::string_view text_;
  const SymbolTable& symbols_;
  const std::vector<std::string>& variables_;
  std::span<const Number> values_;
  std::size_t at_ = 0;
  std::vector<double> switches_;
  std::vector<std::pair<const Curve*, double>> tables_;
};

}  // namespace

std::vector<double> expression_switches(std::string_view text, const SymbolTable& symbols,
                                        const std::vector<std::string>& variables, double t) {
  const Dual<double> at(t);
  RateParser<Dual<double>> parser(text, symbols, variables, {&at, 1});
  (void)parser.parse();
  return parser.switches();
}

std::vector<std::pair<const Curve*, double>> expression_tables(std::string_view text,
                                                               const SymbolTable& symbols,
                                                               const std::vector<std::string>& variables,
                                                               double t) {
  const Dual<double> at(t);
  RateParser<Dual<double>> parser(text, symbols, variables, {&at, 1});
  (void)parser.parse();
  return parser.tables();
}

double expression_rate(std::string_view text, const SymbolTable& symbols, double value,
                       const std::vector<std::string>& variables, std::span<const Dual<double>> values) {
  const Dual<double> found = RateParser<Dual<double>>(text, symbols, variables, values).parse();
  // Both ways must mean the same.
  if (!(std::abs(found.v - value) <= 1e-12 * std::max(std::abs(value), 1e-300)) || !std::isfinite(found.d))
    throw ExpressionError(fmt::format("\"{}\" has no derivative that could be found", text), 0);
  return found.d;
}

#ifdef THUD_WITH_LANES
lanes::Traced TimeExpression::traced(std::span<const lanes::Traced> values) const {
  using Number = Dual<lanes::Traced>;
  std::vector<Number> numbers;
  for (const lanes::Traced& x : values) numbers.emplace_back(x);
  return RateParser<Number>(code(), symbols(), variables(), numbers).parse().v;
}
#endif

template <class P>
std::array<P, 3> expression_jet(std::string_view text, const SymbolTable& symbols,
                                const std::vector<std::string>& variables, double t) {
  // The outer duals count in time, the innermost in what the symbols change with.
  using Knob = Dual<double>;
  using Number = Dual<Dual<Knob>>;
  const Number at{{Knob(t), Knob(1)}, {Knob(1), Knob(0)}};
  const Number found = RateParser<Number>(text, symbols, variables, {&at, 1}).parse();
  const auto pick = [](const Knob& x) {
    if constexpr (std::is_same_v<P, double>)
      return x.v;
    else
      return x;
  };
  const std::array<P, 3> out = {pick(found.v.v), pick(found.v.d), pick(found.d.d)};
  for (const P& x : out)
    if (!std::isfinite(value_of(x)))
      throw ExpressionError(
          fmt::format("\"{}\" or one of its first two derivatives is not finite at t = {:.6g}", text, t), 0);
  return out;
}
template std::array<double, 3> expression_jet<double>(std::string_view, const SymbolTable&,
                                                      const std::vector<std::string>&, double);
THUD_WITH_DUALS(template std::array<Dual<double>, 3> expression_jet<Dual<double>>(
                    std::string_view, const SymbolTable&, const std::vector<std::string>&, double);)

Reading read(std::string_view expression, const SymbolTable& symbols) {
  const double value = evaluate(expression, symbols);
  if (!symbols.moves()) return {value, 0};
  SymbolTable with_curves = symbols;
  const std::string code = replace_tables(expression, with_curves);
  return {value, expression_rate(code, with_curves, value)};
}

}  // namespace thud::doc
