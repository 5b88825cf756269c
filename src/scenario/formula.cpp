#include "scenario/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numbers>

#include "math/timing_parts.hpp"
#include "thud/base/error.hpp"

namespace thud::doc {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word that begins at `at`, with what is joined to it by dots and @.
std::size_t end_of_dotted(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size()
         && (in_word(text[end]) || text[end] == '@'
             || (text[end] == '.' && end + 1 < text.size() && begins_name(text[end + 1]))))
    ++end;
  return end;
}

bool is_dotted(std::string_view word) { return word.find_first_of(".@") != std::string_view::npos; }

// Calls f(begin) for every place at which a word begins.
template <class F>
void each_word(std::string_view text, F&& f) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"' || text[i] == '\'') {  // the name of a file
      i = std::min(text.find(text[i], i + 1), text.size() - 1) + 1;
    } else if (!in_word(text[i])) {
      ++i;
    } else if (!begins_name(text[i])) {  // a number, with its exponent
      while (i < text.size() && (in_word(text[i]) || text[i] == '.')) ++i;
    } else {
      i = f(i);
    }
  }
}

}  // namespace

bool has_signals(std::string_view text) {
  bool any = false;
  each_word(text, [&](std::size_t at) {
    const std::size_t end = end_of_dotted(text, at);
    any = any || is_dotted(text.substr(at, end - at));
    return end;
  });
  return any;
}

std::string SignalText::as_written(std::string message) const {
  for (std::size_t k = 0; k < names.size(); ++k)
    for (std::size_t at = message.find(variables[k + 1]); at != std::string::npos;
         at = message.find(variables[k + 1], at + names[k].size()))
      message.replace(at, names[k].size(), names[k]);
  return message;
}

SignalText mark_signals(std::string_view text, const std::vector<std::string>& known,
                        const SymbolTable& symbols, const std::string& besides) {
  SignalText out{std::string(text), {"t"}, {}, {}};
  const auto is_taken = [&](const std::string& name) {
    const auto& reserved = reserved_names();
    return symbols.find(name)
        || std::find(out.variables.begin(), out.variables.end(), name) != out.variables.end()
        || std::find(reserved.begin(), reserved.end(), name) != reserved.end();
  };
  each_word(text, [&](std::size_t at) {
    const std::size_t end = end_of_dotted(text, at);
    // The longest known name that begins here; names may have hyphens.
    int which = -1;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const std::string& name = known[k];
      const std::size_t after = at + name.size();
      if (text.substr(at, name.size()) != name || (after < text.size() && in_word(text[after]))) continue;
      if (after < end || (which >= 0 && known[which].size() >= name.size())) continue;
      which = static_cast<int>(k);
    }
    if (which < 0) {
      if (!is_dotted(text.substr(at, end - at))) return end;
      const std::string word(text.substr(at, end - at));
      throw ExpressionError(fmt::format("there is no \"{}\" that an expression could follow{}{}", word,
                                        did_you_mean(word, known), besides),
                            at);
    }
    const std::string& name = known[which];
    const auto met = std::find(out.names.begin(), out.names.end(), name);
    std::string variable;
    if (met != out.names.end()) {
      variable = out.variables[met - out.names.begin() + 1];
    } else {
      variable = name;
      for (char& c : variable)
        if (!in_word(c)) c = '_';
      for (char c = 'a'; is_taken(variable) && c <= 'z'; ++c) variable.front() = c;
      out.variables.push_back(variable);
      out.signals.push_back(which);
      out.names.push_back(name);
    }
    out.text.replace(at, name.size(), variable);
    return at + name.size();
  });
  return out;
}

namespace {

// Text to nodes. The text has been compiled before (TimeExpression): what is wrong with it has been said.
template <class P>
class Compiler {
 public:
  using F = FormulaOf<P>;
  using Op = typename F::Op;

  Compiler(const SignalText& text, const SymbolTable& symbols, Sides sides)
      : text_(text.text),
        whole_(text),
        symbols_(symbols),
        sides_(sides) {
    out_.input_count = static_cast<int>(text.variables.size());
    if (out_.input_count > F::most_inputs)
      fail(fmt::format("more than {} signals in an expression", F::most_inputs - 1));
  }

  F compile() {
    int last = choice();
    skip();
    if (at_ != text_.size()) fail("this cannot be followed");
    if (last + 1 != static_cast<int>(out_.nodes.size()) || out_.nodes.empty())
      last = put(Op::add, last, constant(P(0)));  // the value is the last node
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw ExpressionError(fmt::format("{} in \"{}\"", why, whole_.as_written(std::string(text_))), at_);
  }

  // ---- text ----
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  // ---- nodes ----
  int put(Op op, int a = -1, int b = -1, int c = -1, int index = -1) {
    if (out_.nodes.size() + 2 >= F::most_nodes) fail("too long an expression of the state");
    out_.nodes.push_back({op, a, b, c, index});
    std::uint32_t depends = op == Op::input ? 1u << index : 0u;
    for (const int k : {a, b, c})
      if (k >= 0) depends |= depends_[k];
    depends_.push_back(depends);
    return static_cast<int>(out_.nodes.size()) - 1;
  }
  int constant(P x) {
    out_.constants.push_back(x);
    return put(Op::constant, -1, -1, -1, static_cast<int>(out_.constants.size()) - 1);
  }
  int minus(int a, int b) { return put(Op::subtract, a, b); }

  // 1 where the node is not negative. What the time alone decides is no switch: see timing.hpp.
  int side(int node) {
    if (sides_ == Sides::of_value || (depends_[node] & ~1u) == 0) return put(Op::side, node);
    if (out_.switch_count >= F::most_switches)
      fail(fmt::format("more than {} corners and jumps", F::most_switches));
    return put(Op::side, node, -1, -1, out_.switch_count++);
  }
  // floor, ceil, round and mod jump again and again.
  void check_steps(int node, const std::string& name) {
    if (sides_ == Sides::of_mode && (depends_[node] & ~1u) != 0)
      fail(fmt::format("{}() of what moves jumps where no step could end; a sampled controller may use it",
                       name));
  }

  // ---- grammar ----
  int choice() {
    const int condition = either();
    if (!take("?")) return condition;
    const int yes = choice();
    if (!take(":")) fail("\":\" is missing");
    return put(Op::choose, condition, yes, choice());
  }
  int either() {
    int a = both();
    while (take("||")) a = put(Op::either, a, both());
    return a;
  }
  int both() {
    int a = comparison();
    while (take("&&")) a = put(Op::both, a, comparison());
    return a;
  }
  int comparison() {
    int a = sum();
    for (;;) {
      if (take("<=")) {
        a = side(minus(sum(), a));
      } else if (take(">=")) {
        a = side(minus(a, sum()));
      } else if (take("==") || take("!=")) {
        const bool equal = text_[at_ - 2] == '=';
        const int b = sum();
        if (sides_ == Sides::of_mode && ((depends_[a] | depends_[b]) & ~1u) != 0)
          fail("\"==\" and \"!=\" hold for no time at all; write <= or >=");
        const int up = side(minus(a, b)), down = side(minus(b, a));
        a = put(Op::both, up, down);
        if (!equal) a = put(Op::no, a);
      } else if (take("<")) {
        a = put(Op::no, side(minus(a, sum())));
      } else if (take(">")) {
        const int b = sum();
        a = put(Op::no, side(minus(b, a)));
      } else {
        return a;
      }
    }
  }
  int sum() {
    int a = product();
    for (;;) {
      if (take("+"))
        a = put(Op::add, a, product());
      else if (take("-"))
        a = put(Op::subtract, a, product());
      else
        return a;
    }
  }
  int product() {
    int a = signed_power();
    for (;;) {
      if (take("*"))
        a = put(Op::multiply, a, signed_power());
      else if (take("/"))
        a = put(Op::divide, a, signed_power());
      else
        return a;
    }
  }
  int signed_power() {  // a sign binds less than ^
    if (take("-")) return put(Op::negate, signed_power());
    if (take("+")) return signed_power();
    const int base = primary();
    if (!take("^")) return base;
    skip();
    const bool is_signed = at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+');
    return put(Op::power, base, is_signed ? signed_power() : power());
  }
  int power() {
    const int base = primary();
    return take("^") ? put(Op::power, base, signed_power()) : base;
  }
  int primary() {
    if (take("(")) {
      const int inside = choice();
      if (!take(")")) fail("\")\" is missing");
      return inside;
    }
    skip();
    if (at_ < text_.size() && !begins_name(text_[at_])) {
      double x = 0;
      const auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
      if (status != std::errc{}) fail("this cannot be followed");
      at_ = static_cast<std::size_t>(end - text_.data());
      return constant(P(x));
    }
    std::size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    const std::string name(text_.substr(at_, end - at_));
    at_ = end;
    if (take("(")) {
      std::vector<int> arguments{choice()};
      while (take(",")) arguments.push_back(choice());
      if (!take(")")) fail("\")\" is missing");
      return call(name, arguments);
    }
    for (std::size_t k = 0; k < whole_.variables.size(); ++k)
      if (whole_.variables[k] == name) return put(Op::input, -1, -1, -1, static_cast<int>(k));
    if (const auto value = symbols_.find(name))
      return constant(static_cast<P>(Reading{*value, symbols_.rate(name)}));
    if (name == "pi") return constant(P(std::numbers::pi));
    fail(fmt::format("unknown name \"{}\"", name));
  }

  int call(const std::string& name, const std::vector<int>& a) {
    static const std::vector<std::pair<const char*, Op>> plain = {
        {"sin", Op::sin},   {"cos", Op::cos},   {"tan", Op::tan},     {"asin", Op::asin},
        {"acos", Op::acos}, {"atan", Op::atan}, {"atan2", Op::atan2}, {"sqrt", Op::sqrt},
        {"exp", Op::exp},   {"ln", Op::ln},     {"log10", Op::log10}, {"hypot", Op::hypot}};
    for (const auto& [known, op] : plain)
      if (name == known) return put(op, a[0], a.size() > 1 ? a[1] : -1);
    if (name == "deg") return put(Op::multiply, a[0], constant(P(std::numbers::pi / 180)));
    if (name == "abs") return put(Op::choose, side(a[0]), a[0], put(Op::negate, a[0]));
    if (name == "step") return side(a[0]);
    if (name == "sign") {
      const int yes = side(a[0]);
      return put(Op::choose, yes, constant(P(1)), constant(P(-1)));
    }
    if (name == "min" || name == "max") {
      int best = a[0];
      for (std::size_t k = 1; k < a.size(); ++k) {
        const int is_first = side(name == "min" ? minus(a[k], best) : minus(best, a[k]));
        best = put(Op::choose, is_first, best, a[k]);
      }
      return best;
    }
    if (name == "pulse") {
      const int begun = side(minus(a[0], a[1])), over = side(minus(a[0], a[2]));
      return put(Op::both, begun, put(Op::no, over));
    }
    if (name == "floor" || name == "ceil" || name == "round") {
      check_steps(a[0], name);
      return put(name == "floor" ? Op::floor : name == "ceil" ? Op::ceil : Op::round, a[0]);
    }
    if (name == "mod") {
      const int quotient = put(Op::divide, a[0], a[1]);  // jumps where it is a whole number: see timing.hpp
      check_steps(quotient, name);
      return put(Op::modulo, a[0], a[1], quotient);
    }
    fail(fmt::format("{}() cannot be used in an expression of the state", name));
  }

  std::string_view text_;
  const SignalText& whole_;
  const SymbolTable& symbols_;
  Sides sides_;
  std::size_t at_ = 0;
  F out_;
  std::vector<std::uint32_t> depends_;  // of every node: on which inputs
};

}  // namespace

template <class P>
FormulaOf<P> compile_formula(const SignalText& text, const SymbolTable& symbols, Sides sides) {
  try {
    const TimeExpression checked(text.text, symbols, text.variables);
    (void)checked;
  } catch (const ExpressionError& e) {
    throw ExpressionError(text.as_written(e.message()), e.offset());
  }
  return Compiler<P>(text, symbols, sides).compile();
}

std::optional<bool> varies_in_time(const TimeExpression& e) {
  constexpr double long_time = 1e9;  // [s]
  try {
    const SignalText text{e.text(), e.variables(), {}, {}};
    return !is_constant(Compiler<double>(text, e.symbols(), Sides::of_mode).compile(), 0, long_time);
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

TimingFunction timing_of(const TimeExpression& e, double share) {
  return [e, share](double from, double to) {
    try {
      const SignalText text{e.text(), e.variables(), {}, {}};
      return thud::timing_of(Compiler<double>(text, e.symbols(), Sides::of_mode).compile(), from, to, share);
    } catch (const ExpressionError&) {  // tables, and random numbers
      return Timing{e.edges(), {}, (to - from) / 1000};
    }
  };
}

template FormulaOf<double> compile_formula(const SignalText&, const SymbolTable&, Sides);
THUD_WITH_DUALS(template FormulaOf<Dual<double>> compile_formula(const SignalText&, const SymbolTable&,
                                                                 Sides);)

}  // namespace thud::doc
