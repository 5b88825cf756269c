#include "scenario/result_formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "scenario/formula_units.hpp"
#include "thud/base/error.hpp"
#include "thud/math/portable.hpp"

namespace thud::doc {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_in_name(char c) { return is_word(c) || c == '.' || c == '@'; }

}  // namespace

class ResultFormulaParser {
 public:
  ResultFormulaParser(ResultFormula& formula, std::string_view text,
                      std::span<const ResultFormula::Name> names, const SymbolTable& symbols,
                      const char* what)
      : formula_(formula),
        text_(text),
        names_(names),
        symbols_(symbols),
        what_(what) {}

  void parse() {
    constexpr std::size_t longest = 2000;
    if (text_.size() > longest)
      throw ExpressionError(fmt::format("the formula is longer than {} characters", longest), 0);
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos)
      throw ExpressionError("the formula is empty", 0);
    const Value out = choice();
    skip();
    if (at_ < text_.size()) fail_unexpected();
    formula_.unit_ = out.unit.text;
  }

 private:
  using Code = ResultFormula::Code;
  // A part of the formula: its unit, and its number where it is one.
  struct Value {
    FormulaUnit unit;
    std::optional<double> number;
  };

  // ---- text ----

  [[noreturn]] void fail(const std::string& message, std::size_t at) const {
    throw ExpressionError(fmt::format("{} in \"{}\"", message, text_), at);
  }
  [[noreturn]] void fail_unexpected() {
    skip();
    if (at_ >= text_.size()) fail("something is missing at the end", at_);
    std::size_t end = at_ + 1;
    if (is_word(text_[at_]))
      while (end < text_.size() && is_in_name(text_[end])) ++end;
    const std::string token(text_.substr(at_, end - at_));
    if (token == "=") fail("unexpected \"=\"; equality is written ==,", at_);
    fail(fmt::format("unexpected \"{}\"{}", token,
                     is_word(token[0]) ? "; an operator such as * is missing before it," : ""),
         at_);
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
  void need(std::string_view word) {
    if (take(word)) return;
    skip();
    if (word == ")" && at_ >= text_.size()) fail("a closing parenthesis is missing", at_);
    fail_unexpected();
  }

  // ---- the machine ----

  void put(ResultFormula::Step step, int takes) {
    formula_.steps_.push_back(step);
    height_ += 1 - takes;
    formula_.depth_ = std::max(formula_.depth_, static_cast<std::size_t>(height_));
  }

  // ---- units ----

  // The unit of what is one or the other: they must be the same as far as is known.
  FormulaUnit joined(const FormulaUnit& a, const FormulaUnit& b, std::size_t at, const char* what) const {
    if (a.is_hard() && b.is_hard() && a.powers != b.powers)
      fail(fmt::format("{} joins {} and {}, which do not measure the same,", what, a.text, b.text), at);
    if (a.is_hard()) return a;
    if (b.is_hard()) return b;
    if (a.is_known() && b.is_known())
      return a.powers == b.powers ? a : FormulaUnit{FormulaUnit::Kind::unknown};
    if (a.is_known()) return a;
    if (b.is_known()) return b;
    return a.kind == FormulaUnit::Kind::unknown ? a : b;
  }
  void need_plain(const FormulaUnit& u, const std::string& function, std::size_t at, bool angle) const {
    if (!u.is_hard() || (angle && u.powers == UnitPowers{0, 0, 0, 1})) return;
    fail(fmt::format("{} takes {}, not {},", function, angle ? "an angle" : "a plain number", u.text), at);
  }

  // ---- the grammar, loosest first ----

  Value choice() {
    if (++nested_ > 100) fail("parentheses nest too deep", at_);
    const Value condition = either();
    if (!take("?")) return --nested_, condition;
    const std::size_t at = at_;
    const Value yes = choice();
    if (!take(":")) fail("\"?\" needs \":\" and a second value", at);
    const Value no = choice();
    put({Code::choose}, 3);
    --nested_;
    return {joined(yes.unit, no.unit, at, "a choice"), {}};
  }
  Value either() {
    Value a = both();
    while (take("||")) {
      both();
      put({Code::either}, 2);
      a = {};
    }
    return a;
  }
  Value both() {
    Value a = comparison();
    while (take("&&")) {
      comparison();
      put({Code::both}, 2);
      a = {};
    }
    return a;
  }
  Value comparison() {
    static constexpr std::pair<std::string_view, Code> all[] = {
        {"<=", Code::less_equal}, {">=", Code::greater_equal}, {"==", Code::equal},
        {"!=", Code::not_equal},  {"<", Code::less},           {">", Code::greater}};
    Value a = sum();
    for (bool more = true; more;) {
      more = false;
      for (const auto& [sign, code] : all) {
        if (!take(sign)) continue;
        const std::size_t at = at_ - sign.size();
        const Value b = sum();
        (void)joined(a.unit, b.unit, at, "a comparison");
        put({code}, 2);
        a = {};
        more = true;
        break;
      }
    }
    return a;
  }
  Value sum() {
    Value a = term();
    for (;;) {
      const bool plus = take("+");
      if (!plus && !take("-")) return a;
      const std::size_t at = at_ - 1;
      const Value b = term();
      put({plus ? Code::add : Code::subtract}, 2);
      a = {joined(a.unit, b.unit, at, plus ? "a sum" : "a difference"), {}};
    }
  }
  Value term() {
    Value a = signed_power();
    for (;;) {
      const bool times = take("*");
      if (!times && !take("/")) return a;
      const Value b = signed_power();
      put({times ? Code::multiply : Code::divide}, 2);
      a = {product(a.unit, b.unit, times ? 1 : -1), {}};
    }
  }
  // A sign binds less than ^: -2^2 is -4.
  Value signed_power() {
    if (take("+")) return signed_power();
    if (!take("-")) return power();
    Value a = signed_power();
    put({Code::negate}, 1);
    if (a.number) a.number = -*a.number;
    return a;
  }
  Value power() {
    const Value base = primary();
    if (!take("^")) return base;
    const std::size_t at = at_;
    skip();
    const bool has_sign = at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+');
    const Value exponent = has_sign ? signed_power() : power();
    need_plain(exponent.unit, "an exponent", at, false);
    put({Code::raise}, 2);
    if (exponent.number) return {scaled(base.unit, *exponent.number), {}};
    return {base.unit.is_known() ? FormulaUnit{FormulaUnit::Kind::unknown} : base.unit, {}};
  }

  Value primary() {
    skip();
    if (at_ >= text_.size()) fail_unexpected();
    if (take("(")) {
      const Value inside = choice();
      need(")");
      return inside;
    }
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (!is_word(c)) fail_unexpected();
    return named();
  }
  Value number() {
    double x = 0;
    const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
    if (status != std::errc{}) fail_unexpected();
    at_ = static_cast<std::size_t>(end - text_.data());
    put({Code::number, 0, x}, 0);
    return {{}, x};
  }

  // The longest name that stands here: names may hold what else would be operators.
  std::optional<std::size_t> find_name() {
    const std::string_view rest = text_.substr(at_);
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const std::string_view name = names_[k].name;
      const bool stands =
          rest.starts_with(name) && (rest.size() == name.size() || !is_in_name(rest[name.size()]));
      if (stands && (!best || name.size() > names_[*best].name.size())) best = k;
    }
    if (best) at_ += names_[*best].name.size();
    return best;
  }
  Value named() {
    const std::size_t begin = at_;
    if (const auto k = find_name()) {
      auto& used = formula_.used_;
      const auto place = std::find(used.begin(), used.end(), *k) - used.begin();
      if (place == static_cast<std::ptrdiff_t>(used.size())) used.push_back(*k);
      put({Code::variable, static_cast<int>(place)}, 0);
      return {unit_from(names_[*k].unit), {}};
    }
    std::size_t end = at_;
    while (end < text_.size() && is_in_name(text_[end])) ++end;
    const std::string name(text_.substr(begin, end - begin));
    at_ = end;
    if (take("(")) return call(name, begin);
    if (name == "pi") {
      put({Code::number, 0, std::numbers::pi}, 0);
      return {};
    }
    if (const auto value = symbols_.find(name)) {
      put({Code::number, 0, *value}, 0);
      return {{FormulaUnit::Kind::unknown}, {}};
    }
    fail_unknown(name, begin);
  }
  [[noreturn]] void fail_unknown(const std::string& name, std::size_t at) const {
    std::vector<std::string> known = symbols_.names();
    for (const ResultFormula::Name& n : names_) known.emplace_back(n.name);
    for (const std::string& f : reserved_names())
      if (f != "t") known.push_back(f);
    const std::string where = name == text_ ? "" : fmt::format(" in \"{}\"", text_);
    throw ExpressionError(
        fmt::format("there is no {} \"{}\"{}{}", what_, name, where, did_you_mean(name, known)), at);
  }

  Value call(const std::string& name, std::size_t at) {
    std::vector<Value> a{choice()};
    while (take(",")) a.push_back(choice());
    need(")");
    const auto arguments = [&](std::size_t count) {
      if (a.size() != count)
        fail(fmt::format("{} takes {} argument{}, not {},", name, count, count == 1 ? "" : "s", a.size()),
             at);
    };
    const int count = static_cast<int>(a.size());
    FormulaUnit unit = a[0].unit;
    if (name == "min" || name == "max" || name == "pulse") {
      for (const Value& v : a) unit = joined(unit, v.unit, at, name.c_str());
      if (name == "pulse") arguments(3), unit = {};
      put({name == "min" ? Code::least : name == "max" ? Code::greatest : Code::pulse, count}, count);
      return {unit, {}};
    }
    if (const FunctionOfOne f = function_of_one(name)) {
      arguments(1);
      put({Code::one, 1, 0, f}, 1);
      return {unit_of_one(name, unit, at), {}};
    }
    if (const FunctionOfTwo f = function_of_two(name)) {
      arguments(2);
      if (name != "rnd") unit = joined(unit, a[1].unit, at, name.c_str());
      if (name == "atan2") unit = known_unit({0, 0, 0, 1}, false);
      if (name == "rnd") unit = {};
      put({Code::two, 2, 0, nullptr, f}, 2);
      return {unit, {}};
    }
    fail_unknown(name, at);
  }
  FormulaUnit unit_of_one(const std::string& name, const FormulaUnit& u, std::size_t at) const {
    const auto is = [&](std::initializer_list<const char*> list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (is({"sin", "cos", "tan"})) return need_plain(u, name, at, true), FormulaUnit{};
    if (is({"exp", "ln", "log10"})) return need_plain(u, name, at, false), FormulaUnit{};
    if (is({"asin", "acos", "atan"})) return need_plain(u, name, at, false), known_unit({0, 0, 0, 1}, false);
    if (name == "deg") return need_plain(u, name, at, false), known_unit({0, 0, 0, 1}, false);
    if (is({"sign", "step"})) return {};
    if (name == "sqrt") return scaled(u, 0.5);
    return u;  // abs, floor, ceil, round
  }

  ResultFormula& formula_;
  std::string_view text_;
  std::span<const ResultFormula::Name> names_;
  const SymbolTable& symbols_;
  const char* what_;
  std::size_t at_ = 0;
  int height_ = 0, nested_ = 0;
};

ResultFormula::ResultFormula(std::string_view text, std::span<const Name> names, const SymbolTable& symbols,
                             const char* what) {
  ResultFormulaParser(*this, text, names, symbols, what).parse();
}

double ResultFormula::operator()(std::span<const double> values) const {
  constexpr std::size_t small = 16;
  double few[small];
  std::vector<double> many(depth_ > small ? depth_ : 0);
  double* const bottom = depth_ > small ? many.data() : few;
  double* top = bottom;  // behind the last
  const auto truth = [](bool x) { return x ? 1.0 : 0.0; };
  for (const Step& s : steps_) {
    if (s.code == Code::number || s.code == Code::variable) {
      *top++ = s.code == Code::number ? s.value : values[static_cast<std::size_t>(s.count)];
      continue;
    }
    const int takes = s.code == Code::negate || s.code == Code::one ? 1
                    : s.code == Code::choose                        ? 3
                    : s.count > 0                                   ? s.count
                                                                    : 2;
    double* const a = top - takes;
    top = a + 1;
    switch (s.code) {
      case Code::negate: *a = -*a; break;
      case Code::add: *a = a[0] + a[1]; break;
      case Code::subtract: *a = a[0] - a[1]; break;
      case Code::multiply: *a = a[0] * a[1]; break;
      case Code::divide: *a = a[0] / a[1]; break;
      case Code::raise: *a = portable::pow(a[0], a[1]); break;
      case Code::less: *a = truth(a[0] < a[1]); break;
      case Code::less_equal: *a = truth(a[0] <= a[1]); break;
      case Code::greater: *a = truth(a[0] > a[1]); break;
      case Code::greater_equal: *a = truth(a[0] >= a[1]); break;
      case Code::equal: *a = truth(a[0] == a[1]); break;
      case Code::not_equal: *a = truth(a[0] != a[1]); break;
      case Code::both: *a = truth(a[0] != 0 && a[1] != 0); break;
      case Code::either: *a = truth(a[0] != 0 || a[1] != 0); break;
      case Code::choose: *a = a[0] != 0 ? a[1] : a[2]; break;
      case Code::one: *a = s.one(a[0]); break;
      case Code::two: *a = s.two(a[0], a[1]); break;
      case Code::least: *a = *std::min_element(a, a + takes); break;
      case Code::greatest: *a = *std::max_element(a, a + takes); break;
      case Code::pulse: *a = truth(a[0] >= a[1] && a[0] < a[2]); break;
      case Code::number:
      case Code::variable: break;
    }
  }
  return bottom[0];
}

}  // namespace thud::doc
