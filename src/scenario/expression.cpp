#include "expression.hpp"

#include "scenario/curve.hpp"
#include "scenario/formula.hpp"
#include "thud/base/error.hpp"
#include "thud/math/portable.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <numbers>
#include <unordered_map>

namespace thud::doc {
namespace {

constexpr std::size_t longest_expression = 2000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

// Bytes to characters: a byte that continues a UTF-8 sequence does not count.
std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

[[noreturn]] void fail(const std::string& message, std::string_view text, std::size_t byte) {
  throw ExpressionError(message, count_characters(text.substr(0, byte)));
}

// ---- the functions --------------------------------------------------------------------------

double smallest(const double* values, int count) { return *std::min_element(values, values + count); }
double largest(const double* values, int count) { return *std::max_element(values, values + count); }
double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }
double floored_mod(double a, double b) { return a - b * std::floor(a / b); }
double unit_step(double x) { return x >= 0.0 ? 1.0 : 0.0; }
double unit_pulse(double t, double from, double to) { return t >= from && t < to ? 1.0 : 0.0; }
/// Whole powers that are usual are products, as muParser makes them of variables.
double raised(double x, double p) {
  const double square = x * x;
  return p == 2 ? square : p == 3 ? square * x : p == 4 ? square * x * x : portable::pow(x, p);
}
double radians_of(double degrees) { return degrees * std::numbers::pi / 180.0; }

struct Function1 {
  const char* name;
  double (*function)(double);
};
struct Function2 {
  const char* name;
  double (*function)(double, double);
};

const std::vector<Function1>& functions_of_one() {
  static const std::vector<Function1> functions{
      {"sin", [](double x) { return portable::sin(x); }},
      {"cos", [](double x) { return portable::cos(x); }},
      {"tan", [](double x) { return portable::tan(x); }},
      {"asin", [](double x) { return portable::asin(x); }},
      {"acos", [](double x) { return portable::acos(x); }},
      {"atan", [](double x) { return portable::atan(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"abs", [](double x) { return std::abs(x); }},
      {"exp", [](double x) { return portable::exp(x); }},
      {"ln", [](double x) { return portable::log(x); }},
      {"log10", [](double x) { return portable::log10(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"round", [](double x) { return std::round(x); }},
      {"sign", sign_of},
      {"step", unit_step},
      {"deg", radians_of},
  };
  return functions;
}

const std::vector<Function2>& functions_of_two() {
  static const std::vector<Function2> functions{
      {"atan2", [](double y, double x) { return portable::atan2(y, x); }},
      {"hypot", [](double x, double y) { return portable::hypot(x, y); }},
      {"mod", floored_mod},
      {"rnd", uniform_hash},
  };
  return functions;
}

/// What stands for ^ where muParser reads it: its own ^ asks the C library, whose powers differ between machines.
constexpr char own_power = '#';

void give_text(mu::Parser& parser, std::string text) {
  std::replace(text.begin(), text.end(), '^', own_power);
  parser.SetExpr(text);
}

void define_language(mu::Parser& parser) {
  parser.ClearFun();
  parser.ClearConst();
  parser.DefineConst("pi", std::numbers::pi);
  for (const auto& [name, function] : functions_of_one()) parser.DefineFun(name, function);
  for (const auto& [name, function] : functions_of_two()) parser.DefineFun(name, function);
  parser.DefineFun("min", smallest);
  parser.DefineFun("max", largest);
  parser.DefineFun("pulse", unit_pulse);
  parser.DefineOprt({own_power}, raised, mu::prPOW, mu::oaRIGHT);
}

// ---- errors ---------------------------------------------------------------------------------

std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return 0;
}

std::vector<std::string> join(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A word we know nothing of; names of functions are offered too: "sinn(x)", "squrt(2)".
[[noreturn]] void fail_unknown(std::string_view text, const std::string& word, const SymbolTable& symbols,
                               const std::vector<std::string>& variables) {
  const std::vector<std::string> mine = join(symbols.names(), variables);
  std::vector<std::string> candidates = mine;
  for (const std::string& name : reserved_names())
    if (name != "t") candidates.push_back(name);
  std::string hint = did_you_mean(word, candidates);
  const auto& reserved = reserved_names();
  if (word != "t" && std::find(reserved.begin(), reserved.end(), word) != reserved.end())
    fail(fmt::format("\"{0}\" is a function in \"{1}\"; write {0}(...)", word, text), text,
         find_word(text, word));
  if (symbols.find_text(word))
    hint = fmt::format("; it is a text: write ${} in a string", word);
  else if (hint.empty() && word == "t")
    hint = "; nothing varies with time here";
  else if (hint.empty())
    hint = mine.empty() ? "; no parameter is defined here"
                        : fmt::format("; known here: {}", fmt::join(mine, ", "));
  fail(fmt::format("unknown name \"{}\" in \"{}\"{}", word, text, hint), text, find_word(text, word));
}

std::string leading_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  return std::string(text.substr(0, end));
}

// A whole word or number, else one character (all bytes of it).
std::string token_at(std::string_view text) {
  std::string word = leading_word(text);
  if (!word.empty()) return word;
  std::size_t end = text.empty() ? 0 : 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return std::string(text.substr(0, end));
}

std::string describe(const mu::ParserError& error, std::string_view text, std::size_t at) {
  const std::string token = token_at(text.substr(at));
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF: return "something is missing at the end";
    case mu::ecMISSING_PARENS: return "a closing parenthesis is missing";
    case mu::ecUNEXPECTED_PARENS: return fmt::format("unexpected parenthesis \"{}\"", token);
    case mu::ecTOO_MANY_PARAMS: return "too many arguments for a function";
    case mu::ecTOO_FEW_PARAMS: return "too few arguments for a function";
    case mu::ecUNEXPECTED_ARG_SEP: return "unexpected comma (decimals follow a point)";
    case mu::ecMISPLACED_COLON: return "\":\" without \"?\"";
    case mu::ecMISSING_ELSE_CLAUSE: return "\"?\" needs \":\" and a second value";
    case mu::ecUNASSIGNABLE_TOKEN: return fmt::format("unexpected \"{}\"", token);
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_FUN:
      return fmt::format("unexpected \"{}\"; an operator such as * is missing before it", token);
    default: return fmt::format("unexpected \"{}\"", token);
  }
}

std::size_t position_of(const mu::ParserError& error, std::string_view text) {
  if (error.GetCode() == mu::ecMISSING_ELSE_CLAUSE) return std::min(text.find('?'), text.size());
  if (error.GetCode() == mu::ecMISPLACED_COLON) return std::min(text.find(':'), text.size());
  const int position = error.GetPos();
  if (position < 0) return 0;
  auto at = std::min(static_cast<std::size_t>(position), text.size());
  // muParser points behind some tokens and before others; we always point at the token.
  std::string token = error.GetToken();
  std::replace(token.begin(), token.end(), own_power, '^');
  if (!token.empty() && text.substr(at, token.size()) != token && at >= token.size()
      && text.substr(at - token.size(), token.size()) == token)
    at -= token.size();
  return at;
}

// muParser would accept both: an assignment, and a list of which only the last value counts.
void check_text(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw ExpressionError("the formula is empty", 0);
  if (text.size() > longest_expression)
    throw ExpressionError(fmt::format("the formula is longer than {} characters", longest_expression), 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') fail("the formula contains a zero byte", text, i);
    if (text[i] == '"') fail("a text cannot be part of a formula", text, i);
    if (text[i] == own_power) fail(fmt::format("unexpected \"{}\" in \"{}\"", own_power, text), text, i);
    if (text[i] != '=') continue;
    const bool doubled = i + 1 < text.size() && text[i + 1] == '=';
    const bool compared = i > 0 && (text[i - 1] == '<' || text[i - 1] == '>' || text[i - 1] == '!');
    if (doubled)
      ++i;
    else if (!compared)
      fail(fmt::format("unexpected \"=\" in \"{}\"; equality is written ==", text), text, i);
  }
}

// ---- compiling ------------------------------------------------------------------------------

// What muParser's factory needs to hand out a name; addresses in a deque stay put.
struct Binding {
  const SymbolTable* symbols;
  std::deque<double>* storage;
  std::string unknown;  // the first name nobody knows
};

double value_of_curve(void* curve, double x) { return (*static_cast<const Curve*>(curve))(x); }

double* bind_name(const char* name, void* user) {
  auto& binding = *static_cast<Binding*>(user);
  const auto value = binding.symbols->find(name);
  if (!value && binding.unknown.empty()) binding.unknown = name;
  return &binding.storage->emplace_back(value.value_or(0.0));
}

}  // namespace

struct TimeExpression::Compiled {
  Compiled(std::string_view expression, const SymbolTable& names, std::vector<std::string> free)
      : text(expression),
        symbols(names),
        code(replace_tables(text, symbols)),
        variables(std::move(free)),
        values(variables.size()) {
    check_text(code);
    define_language(parser);
    for (const auto& [name, curve] : symbols.curves())
      parser.DefineFunUserData(name, value_of_curve, const_cast<Curve*>(curve.get()));
    for (std::size_t i = 0; i < variables.size(); ++i) parser.DefineVar(variables[i], &values[i]);
    Binding binding{&symbols, &constants, {}};
    parser.SetVarFactory(bind_name, &binding);
    compile(binding);
    parser.SetVarFactory(nullptr, nullptr);  // the binding ends here
  }
  Compiled(const Compiled& other) : Compiled(other.text, other.symbols, other.variables) {}
  Compiled& operator=(const Compiled&) = delete;

  void compile(Binding& binding) {
    try {
      give_text(parser, code);
      int count = 0;
      parser.Eval(count);  // compiles; the value at zero is of no interest
      if (is_identifier(binding.unknown)) fail_unknown(text, binding.unknown, symbols, variables);
      if (!binding.unknown.empty())  // "1e": neither a number nor a name
        fail(fmt::format("unexpected \"{}\" in \"{}\"", binding.unknown, text), text,
             find_word(text, binding.unknown));
      if (count != 1)
        fail(fmt::format("\"{}\" is a list; one value is expected (decimals follow a point)", text), text,
             text.find(','));
    } catch (const mu::ParserError& error) {
      if (is_identifier(binding.unknown)) fail_unknown(text, binding.unknown, symbols, variables);
      const std::size_t at = position_of(error, text);
      const std::string word = leading_word(std::string_view(text).substr(at));
      // A word before "(" is a function we do not have.
      if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && !word.empty() && is_letter(word[0]))
        fail_unknown(text, word, symbols, variables);
      fail(fmt::format("{} in \"{}\"", describe(error, text, at), text), text, at);
    }
  }

  std::string text;
  SymbolTable symbols;
  std::string code;  // the text without tables
  std::vector<std::string> variables;
  std::vector<double> values;
  std::deque<double> constants;
  mu::Parser parser;
};

TimeExpression::TimeExpression(std::string_view expression, const SymbolTable& symbols,
                               std::vector<std::string> variables)
    : compiled_(std::make_unique<Compiled>(expression, symbols, std::move(variables))) {}

TimeExpression::TimeExpression(const TimeExpression& other)
    : compiled_(other.compiled_ ? std::make_unique<Compiled>(*other.compiled_) : nullptr) {}

TimeExpression& TimeExpression::operator=(const TimeExpression& other) {
  if (this != &other) *this = TimeExpression(other);
  return *this;
}

TimeExpression::TimeExpression(TimeExpression&&) noexcept = default;
TimeExpression& TimeExpression::operator=(TimeExpression&&) noexcept = default;
TimeExpression::~TimeExpression() = default;

double TimeExpression::operator()(double t) const { return (*this)(std::span(&t, 1)); }

double TimeExpression::operator()(std::span<const double> values) const {
  Compiled& self = *compiled_;
  std::copy_n(values.begin(), std::min(values.size(), self.values.size()), self.values.begin());
  const double result = self.parser.Eval();
  if (std::isfinite(result)) return result;
  std::string where;
  for (std::size_t i = 0; i < self.variables.size(); ++i)
    where += fmt::format("{} {} = {:.6g}", i == 0 ? " at" : ",", self.variables[i], self.values[i]);
  throw ExpressionError(fmt::format("\"{}\" is not a finite number{} (a division by zero, or a "
                                    "root of a negative number?)",
                                    self.text, where),
                        0);
}

Dual<double> TimeExpression::rate_at(Dual<double> t) const {
  const double value = (*this)(t.v);
  if (!compiled_->symbols.moves() && t.d == 0) return {value, 0};
  return {value, expression_rate(compiled_->code, compiled_->symbols, value, compiled_->variables, {&t, 1})};
}

const std::string& TimeExpression::text() const { return compiled_->text; }
const std::string& TimeExpression::code() const { return compiled_->code; }
const SymbolTable& TimeExpression::symbols() const { return compiled_->symbols; }
const std::vector<std::string>& TimeExpression::variables() const { return compiled_->variables; }

std::vector<double> TimeExpression::edges() const {
  const auto at = [&](double t) {
    return expression_switches(compiled_->code, compiled_->symbols, compiled_->variables, t);
  };
  constexpr double t0 = 0.3, t1 = 1.7, t2 = 5.1;
  std::vector<double> out;
  try {
    const std::vector<double> x0 = at(t0), x1 = at(t1), x2 = at(t2);
    for (std::size_t k = 0; k < x0.size(); ++k) {
      const double rate = (x1[k] - x0[k]) / (t1 - t0),
                   size = std::abs(x0[k]) + std::abs(x1[k]) + std::abs(x2[k]);
      if (!(std::abs(rate) > 1e-12 * size)) continue;
      if (!(std::abs(x2[k] - x0[k] - rate * (t2 - t0)) <= 1e-12 * size)) continue;  // not linear
      double t = t0 - x0[k] / rate;
      t -= at(t)[k] / rate;  // without the rounding of the way there
      if (std::isfinite(t)) out.push_back(t);
    }
    add_rows(out);
  } catch (const ExpressionError&) {
    return {};  // what no sides are known of
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void TimeExpression::add_rows(std::vector<double>& out) const {
  if (compiled_->symbols.curves().empty()) return;
  const auto at = [&](double t) {
    return expression_tables(compiled_->code, compiled_->symbols, compiled_->variables, t);
  };
  constexpr double t0 = 0.3, t1 = 1.7, t2 = 5.1;
  const auto x0 = at(t0), x1 = at(t1), x2 = at(t2);
  for (std::size_t k = 0; k < x0.size(); ++k) {
    const double rate = (x1[k].second - x0[k].second) / (t1 - t0),
                 size = std::abs(x0[k].second) + std::abs(x1[k].second) + std::abs(x2[k].second);
    if (!(std::abs(rate) > 1e-12 * size)) continue;
    if (!(std::abs(x2[k].second - x0[k].second - rate * (t2 - t0)) <= 1e-12 * size)) continue;  // not linear
    for (const double knot : x0[k].first->knots()) {
      double t = t0 + (knot - x0[k].second) / rate;
      t -= (at(t)[k].second - knot) / rate;
      if (std::isfinite(t)) out.push_back(t);
    }
  }
}

bool TimeExpression::varies() const {
  const std::vector<std::string> words = words_in(compiled_->text);
  const auto is_variable = [&](const std::string& word) {
    const std::vector<std::string>& free = compiled_->variables;
    return std::find(free.begin(), free.end(), word) != free.end();
  };
  if (std::none_of(words.begin(), words.end(), is_variable)) return false;
  return varies_in_time(*this).value_or(true);
}

namespace {

// An expression that has been found to be right, ready for other values of its names: compiling one takes a hundred
// times as long as evaluating it, and a scenario is built over and over in a sweep.
class Remembered {
 public:
  Remembered(const std::string& text, const SymbolTable& symbols) {
    define_language(parser_);
    for (const std::string& word : words_in(text))
      if (symbols.find(word)) names_.push_back(word);
    values_.resize(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) parser_.DefineVar(names_[i], &values_[i]);
    give_text(parser_, text);
  }
  Remembered(const Remembered&) = delete;
  Remembered& operator=(const Remembered&) = delete;

  // None where a name is missing or the value is not finite: the slow way says what is wrong.
  std::optional<double> evaluate(const SymbolTable& symbols) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto value = symbols.find(names_[i]);
      if (!value) return std::nullopt;
      values_[i] = *value;
    }
    const double result = parser_.Eval();
    return std::isfinite(result) ? std::optional(result) : std::nullopt;
  }

 private:
  mu::Parser parser_;
  std::vector<std::string> names_;
  std::vector<double> values_;
};

}  // namespace

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    // A dotted name such as link.angle is that of an observable, and none of its words a symbol.
    bool dotted = false;
    const auto goes_on = [&](std::size_t at) {
      return text[at] == '.' && at + 1 < text.size() && is_letter(text[at + 1]) && end > i
          && is_letter(text[i]);
    };
    while (end < text.size() && (is_word(text[end]) || goes_on(end))) dotted = text[end++] == '.' || dotted;
    if (end > i && is_letter(text[i]) && !dotted) {
      std::string word(text.substr(i, end - i));
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    }
    i = std::max(end, i + 1);
  }
  return words;
}

double evaluate(std::string_view expression, const SymbolTable& symbols) {
  constexpr std::size_t most = 1000;
  thread_local std::unordered_map<std::string, std::unique_ptr<Remembered>> known;
  const std::string text(expression);
  if (const auto found = known.find(text); found != known.end())
    if (const auto value = found->second->evaluate(symbols)) return *value;
  const double value = TimeExpression(expression, symbols, {})(std::span<const double>{});
  if (text.find("interp") != std::string::npos) return value;
  if (known.size() >= most) known.clear();
  known.emplace(text, std::make_unique<Remembered>(text, symbols));
  return value;
}

double uniform_hash(double seed, double index) {
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  };
  // Beyond ±9e15 a double no longer tells whole numbers apart, and the cast must not overflow.
  const auto whole = [](double x) {
    const double safe = std::isfinite(x) ? std::clamp(std::round(x), -9e15, 9e15) : 0.0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(safe));
  };
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  const std::uint64_t stream = mix(whole(seed) + golden);
  const std::uint64_t bits = mix(stream + (whole(index) + 1) * golden);
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

FunctionOfOne function_of_one(std::string_view name) {
  for (const Function1& f : functions_of_one())
    if (f.name == name) return f.function;
  return nullptr;
}

FunctionOfTwo function_of_two(std::string_view name) {
  for (const Function2& f : functions_of_two())
    if (f.name == name) return f.function;
  return nullptr;
}

const std::vector<std::string>& reserved_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"pi", "t", "min", "max", "pulse", "interp"};
    for (const auto& f : functions_of_one()) all.emplace_back(f.name);
    for (const auto& f : functions_of_two()) all.emplace_back(f.name);
    return all;
  }();
  return names;
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name.front()) && std::all_of(name.begin(), name.end(), is_word);
}

// ---- SymbolTable ----------------------------------------------------------------------------

namespace {

template <class Pairs, class Value>
void set_in(Pairs& pairs, const std::string& name, Value value) {
  for (auto& [known, stored] : pairs) {
    if (known != name) continue;
    stored = std::move(value);
    return;
  }
  pairs.emplace_back(name, std::move(value));
}

template <class Pairs>
auto find_in(const Pairs& pairs, std::string_view name)
    -> std::optional<typename Pairs::value_type::second_type> {
  for (const auto& [known, stored] : pairs)
    if (known == name) return stored;
  return std::nullopt;
}

template <class Pairs>
std::vector<std::string> names_of(std::vector<std::string> outer, const Pairs& pairs) {
  for (const auto& [name, stored] : pairs)
    if (std::find(outer.begin(), outer.end(), name) == outer.end()) outer.push_back(name);
  return outer;
}

}  // namespace

void SymbolTable::set(const std::string& name, double value) { set(name, Reading{value, 0}); }

void SymbolTable::set(const std::string& name, Reading reading) {
  moves_ = moves_ || reading.rate != 0;
  set_in(numbers_, name, reading);
}

double SymbolTable::rate(std::string_view name) const {
  if (const auto own = find_in(numbers_, name)) return own->rate;
  return parent_ ? parent_->rate(name) : 0.0;
}

void SymbolTable::set_text(const std::string& name, std::string text) {
  set_in(texts_, name, std::move(text));
}

std::optional<double> SymbolTable::find(std::string_view name) const {
  if (const auto own = find_in(numbers_, name)) return own->value;
  return parent_ ? parent_->find(name) : std::nullopt;
}

std::optional<std::string> SymbolTable::find_text(std::string_view name) const {
  if (auto text = find_in(texts_, name)) return text;
  return parent_ ? parent_->find_text(name) : std::nullopt;
}

std::vector<std::string> SymbolTable::names() const {
  return names_of(parent_ ? parent_->names() : std::vector<std::string>{}, numbers_);
}

std::vector<std::string> SymbolTable::text_names() const {
  return names_of(parent_ ? parent_->text_names() : std::vector<std::string>{}, texts_);
}

SymbolTable SymbolTable::child() const {
  SymbolTable inner;
  inner.parent_ = std::make_shared<const SymbolTable>(*this);
  inner.moves_ = moves_;
  inner.files_ = files_;
  inner.folder_ = folder_;
  return inner;
}

// ---- texts with holes -----------------------------------------------------------------------

long long whole_number(double value) {
  const double nearest = std::round(value);
  if (!(std::abs(nearest) < 9e15) || std::abs(value - nearest) > 1e-9)
    throw ExpressionError(fmt::format("{:.10g} is not a whole number", value), 0);
  return static_cast<long long>(nearest);
}

namespace {

std::string filled_hole(std::string_view text, std::size_t open, std::size_t close,
                        const SymbolTable& symbols) {
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  const std::size_t before = count_characters(text.substr(0, open + 1));
  double value = 0.0;
  try {
    value = evaluate(inside, symbols);
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.message(), before + error.offset());
  }
  try {
    return std::to_string(whole_number(value));
  } catch (const ExpressionError& error) {
    throw ExpressionError(fmt::format("{{{}}}: {}", inside, error.message()), before);
  }
}

}  // namespace

std::string fill(std::string_view text, const SymbolTable& symbols) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool doubled = i + 1 < text.size() && text[i + 1] == c;
    if (c != '{' && c != '}')
      result += c;
    else if (doubled)
      result += text[i++];
    else if (c == '}')
      fail(fmt::format("\"}}\" without \"{{\" in \"{}\"", text), text, i);
    else {
      const std::size_t close = text.find('}', i);
      if (close == std::string_view::npos)
        fail(fmt::format("\"{{\" without \"}}\" in \"{}\"", text), text, i);
      result += filled_hole(text, i, close, symbols);
      i = close;
    }
  }
  return result;
}

namespace {

std::string text_of(const std::string& name, std::string_view text, std::size_t at,
                    const SymbolTable& symbols) {
  if (const auto value = symbols.find_text(name)) return *value;
  const std::vector<std::string> known = symbols.text_names();
  std::string hint = did_you_mean(name, known);
  if (symbols.find(name))
    hint = fmt::format("; it is a number: write \"={}\" for its value", name);
  else if (hint.empty())
    hint = known.empty() ? "; no textual parameter is defined (\"$$\" stands for a plain $)"
                         : fmt::format("; known: {}", fmt::join(known, ", "));
  fail(fmt::format("unknown text \"${}\"{}", name, hint), text, at);
}

}  // namespace

std::string substitute(std::string_view text, const SymbolTable& symbols) {
  std::string result;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::string_view rest = text.substr(i);
    const bool braced = rest.starts_with("${");
    const std::string word = leading_word(rest.substr(std::min<std::size_t>(braced ? 2 : 1, rest.size())));
    if (rest.starts_with("$$")) {
      result += '$';
      i += 2;
    } else if (rest.front() != '$' || (!braced && !is_identifier(word))) {
      result += rest.front();
      ++i;
    } else if (braced && (!is_identifier(word) || !rest.substr(2 + word.size()).starts_with('}'))) {
      fail(fmt::format("\"${{\" needs a name and \"}}\" in \"{}\"", text), text, i);
    } else {
      result += text_of(word, text, i, symbols);
      i += word.size() + (braced ? 3 : 1);
    }
  }
  return result;
}

}  // namespace thud::doc
