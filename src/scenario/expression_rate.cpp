#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>

#include "scenario/curve.hpp"
#include "scenario/expression.hpp"
#include "thud/math/dual_math.hpp"

// Derivatives of expressions. Their language is that of expression.hpp, and the text has been compiled before: what is
// wrong with it has been said. Values are those of the compiled expression; here they only choose sides.

namespace thud::doc {

namespace {

using Number = Dual<double>;

Number step_of(bool on) { return Number(on ? 1.0 : 0.0); }

class RateParser {
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
    return condition.v != 0 ? yes : no;
  }
  Number either() {
    Number a = both();
    while (take("||")) {
      const Number b = both();
      a = step_of(a.v != 0 || b.v != 0);
    }
    return a;
  }
  Number both() {
    Number a = comparison();
    while (take("&&")) {
      const Number b = comparison();
      a = step_of(a.v != 0 && b.v != 0);
    }
    return a;
  }
  Number comparison() {
    Number a = sum();
    const auto over = [&] {  // how far it is over what follows
      switches_.push_back(a.v - sum().v);
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
    if (p.d != 0) return pow(a, p);
    if (p.v == 0) return Number(1.0);
    return pow(a, p.v);
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
    if (const auto value = symbols_.find(name)) return {*value, symbols_.rate(name)};
    if (name == "pi") return Number(std::numbers::pi);
    fail();
  }

  // Arguments that a function compares.
  void note_switches(const std::string& name, const std::vector<Number>& a) {
    if (name == "step" || name == "sign" || name == "abs") switches_.push_back(a[0].v);
    if (name == "pulse" || name == "min" || name == "max")
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = i + 1; j < a.size(); ++j)
          if (name != "pulse" || i == 0) switches_.push_back(a[i].v - a[j].v);
  }

  Number call(const std::string& name, const std::vector<Number>& a) {
    const Number x = a[0];
    note_switches(name, a);
    if (a.size() == 1) {
      if (name == "sin") return sin(x);
      if (name == "cos") return cos(x);
      if (name == "tan") return tan(x);
      if (name == "asin") return {std::asin(x.v), x.d / std::sqrt(1 - x.v * x.v)};
      if (name == "acos") return acos(x);
      if (name == "atan") return {std::atan(x.v), x.d / (1 + x.v * x.v)};
      if (name == "sqrt") return sqrt(x);
      if (name == "abs") return abs(x);
      if (name == "exp") return exp(x);
      if (name == "ln") return log(x);
      if (name == "log10") return log(x) / Number(std::numbers::ln10);
      if (name == "deg") return x * Number(std::numbers::pi) / Number(180.0);
      if (name == "floor") return Number(std::floor(x.v));
      if (name == "ceil") return Number(std::ceil(x.v));
      if (name == "round") return Number(std::round(x.v));
      if (name == "sign") return Number(x.v > 0 ? 1.0 : x.v < 0 ? -1.0 : 0.0);
      if (name == "step") return step_of(x.v >= 0);
    }
    if (name == "min") return *std::min_element(a.begin(), a.end());
    if (name == "max") return *std::max_element(a.begin(), a.end());
    if (a.size() == 2) {
      if (name == "atan2") return atan2(x, a[1]);
      if (name == "hypot") return sqrt(x * x + a[1] * a[1]);
      if (name == "mod") return x - a[1] * Number(std::floor(x.v / a[1].v));
      if (name == "rnd") return Number(uniform_hash(x.v, a[1].v));
    }
    for (const auto& [table, curve] : symbols_.curves())
      if (table == name && a.size() == 1) {
        tables_.emplace_back(curve.get(), x.v);
        return {(*curve)(x.v), curve->slope(x.v) * x.d};
      }
    if (name == "pulse" && a.size() == 3) return step_of(x.v >= a[1].v && x.v < a[2].v);
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
  const Number at(t);
  RateParser parser(text, symbols, variables, {&at, 1});
  (void)parser.parse();
  return parser.switches();
}

std::vector<std::pair<const Curve*, double>> expression_tables(std::string_view text,
                                                               const SymbolTable& symbols,
                                                               const std::vector<std::string>& variables,
                                                               double t) {
  const Number at(t);
  RateParser parser(text, symbols, variables, {&at, 1});
  (void)parser.parse();
  return parser.tables();
}

double expression_rate(std::string_view text, const SymbolTable& symbols, double value,
                       const std::vector<std::string>& variables, std::span<const Number> values) {
  const Number found = RateParser(text, symbols, variables, values).parse();
  // Both ways must mean the same.
  if (!(std::abs(found.v - value) <= 1e-12 * std::max(std::abs(value), 1e-300)) || !std::isfinite(found.d))
    throw ExpressionError(fmt::format("\"{}\" has no derivative that could be found", text), 0);
  return found.d;
}

Reading read(std::string_view expression, const SymbolTable& symbols) {
  const double value = evaluate(expression, symbols);
  if (!symbols.moves()) return {value, 0};
  SymbolTable with_curves = symbols;
  const std::string code = replace_tables(expression, with_curves);
  return {value, expression_rate(code, with_curves, value)};
}

}  // namespace thud::doc
