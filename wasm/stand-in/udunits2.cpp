#include "udunits2.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct KnownUnit {
  const char* word;
  bool is_symbol;
  double scale;
  const char* powers;
  bool plain;
};
struct KnownPrefix {
  const char* word;
  bool is_symbol;
  double value;
};
#include "unit_table.inc"

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Names in any case, symbols as they are.
struct Words {
  std::map<std::string, ut_unit, std::less<>> names, symbols;

  Words() {
    for (const KnownUnit& known : known_units) {
      ut_unit unit{known.scale, {}, known.plain};
      std::istringstream powers(known.powers);
      std::string base;
      for (int power = 0; powers >> base >> power;) unit.powers[base] = power;
      if (known.is_symbol)
        symbols.emplace(known.word, unit);
      else
        names.emplace(lower(known.word), unit);
    }
  }

  const ut_unit* find(std::string_view word) const {
    if (const auto found = names.find(lower(word)); found != names.end()) return &found->second;
    const auto found = symbols.find(word);
    return found == symbols.end() ? nullptr : &found->second;
  }
};

Words& words() {
  static Words all;
  return all;
}

// The longest prefix that a word begins with.
const KnownPrefix* find_prefix(std::string_view word, bool is_symbol) {
  const KnownPrefix* best = nullptr;
  for (const KnownPrefix& p : known_prefixes) {
    const std::string_view mark = p.word;
    const bool fits = p.is_symbol == is_symbol
                   && (is_symbol ? word.starts_with(mark) : lower(word.substr(0, mark.size())) == mark);
    if (fits && (!best || mark.size() > std::string_view(best->word).size())) best = &p;
  }
  return best;
}

std::optional<ut_unit> find_unit(std::string_view word) {
  double factor = 1;
  bool symbol_seen = false;
  while (!word.empty()) {
    if (const ut_unit* unit = words().find(word)) {
      ut_unit out = *unit;
      out.scale *= factor;
      if (factor != 1 && !out.plain) return std::nullopt;
      return out;
    }
    const KnownPrefix* prefix = find_prefix(word, false);
    if (!prefix && !symbol_seen) {
      prefix = find_prefix(word, true);
      symbol_seen = true;
    }
    if (!prefix) return std::nullopt;
    factor *= prefix->value;
    word.remove_prefix(std::string_view(prefix->word).size());
  }
  return std::nullopt;
}

ut_unit raised(const ut_unit& unit, int power) {
  ut_unit out{std::pow(unit.scale, power), {}, unit.plain || power == 1};
  for (const auto& [base, p] : unit.powers)
    if (p * power != 0) out.powers[base] = p * power;
  return out;
}

ut_unit times(const ut_unit& a, const ut_unit& b, int sign) {
  ut_unit out{sign > 0 ? a.scale * b.scale : a.scale / b.scale, a.powers, a.plain && b.plain};
  for (const auto& [base, p] : b.powers)
    if ((out.powers[base] += sign * p) == 0) out.powers.erase(base);
  return out;
}

// product: power, then more of them after a blank, ".", "*", "/" or "per"; power: word, number or parentheses, with an
// exponent that follows at once or after "^" or "**".
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<ut_unit> parse() {
    const std::size_t origin = find_origin();
    const std::string_view all = std::exchange(text_, text_.substr(0, origin));
    auto out = product();
    skip();
    if (at_ != text_.size()) return std::nullopt;
    if (out && origin < all.size()) out->plain = false;
    return out;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
        || static_cast<unsigned char>(c) >= 0x80;
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  // Where an origin begins: "s since 2000-01-01", "K @ 273.15".
  std::size_t find_origin() const {
    std::size_t first = text_.size();
    for (const std::string_view mark : {"@", " since ", " after ", " from ", " ref "}) {
      const std::size_t at = lower(text_).find(mark);
      const std::size_t behind =
          text_.find_first_not_of(' ', at == text_.npos ? text_.size() : at + mark.size());
      if (behind != text_.npos && (is_digit(text_[behind]) || text_[behind] == '-'))
        first = std::min(first, at);
    }
    return first;
  }
  bool take_per() {
    if (lower(text_.substr(at_, 3)) != "per" || (peek(3) != ' ' && peek(3) != '\t')) return false;
    at_ += 3;
    return true;
  }

  std::optional<ut_unit> product() {
    skip();
    auto out = power();
    while (out) {
      const std::size_t before = at_;
      skip();
      int sign = 1;
      if (peek() == '/' || (before != at_ && take_per())) {
        sign = -1;
        at_ += peek() == '/' ? 1 : 0;
      } else if (at_ == text_.size() || peek() == ')') {
        return out;
      } else if (before == at_ && (peek() == '.' || peek() == '*' || peek() == '-')) {
        ++at_;  // N.m, N*m, N-m: no blanks about it
        if (peek() == ' ' || peek() == '\t') return std::nullopt;
      }
      skip();
      const auto next = power();
      if (!next) return std::nullopt;
      out = times(*out, *next, sign);
    }
    return out;
  }

  std::optional<ut_unit> power() {
    auto out = basic();
    if (!out) return out;
    const std::size_t before = at_;
    bool is_marked = true;
    if (peek() == '^')
      ++at_;
    else if (peek() == '*' && peek(1) == '*')
      at_ += 2;
    else
      is_marked = false;
    int sign = 1;
    if (peek() == '+' || peek() == '-') sign = text_[at_++] == '-' ? -1 : 1;
    int exponent = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), exponent);
    if (error != std::errc{}) {
      at_ = before;
      return is_marked ? std::nullopt : out;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (exponent > 255) return std::nullopt;
    return raised(*out, sign * exponent);
  }

  std::optional<ut_unit> basic() {
    if (peek() == '(') {
      ++at_;
      auto inside = product();
      skip();
      if (!inside || peek() != ')') return std::nullopt;
      ++at_;
      return inside;
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      ut_unit number;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), number.scale);
      if (error != std::errc{}) return std::nullopt;
      at_ = static_cast<std::size_t>(end - text_.data());
      return number;
    }
    if (peek() == '%' || peek() == '\'' || peek() == '"') return find_unit(text_.substr(at_++, 1));
    // Digits within a word belong to it (inH2O), those at its end are an exponent.
    std::size_t end = at_;
    for (std::size_t i = at_; i < text_.size() && (is_letter(text_[i]) || (i > at_ && is_digit(text_[i])));
         ++i)
      if (is_letter(text_[i])) end = i + 1;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    return find_unit(word);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

ut_system* ut_read_xml(const char*) {
  static ut_system system;
  return &system;
}

ut_unit* ut_parse(const ut_system*, const char* text, ut_encoding) {
  const auto unit = Parser(text).parse();
  return unit ? new ut_unit(*unit) : nullptr;
}

ut_status ut_map_symbol_to_unit(const char* symbol, ut_encoding, const ut_unit* unit) {
  words().symbols.insert_or_assign(symbol, *unit);
  return UT_SUCCESS;
}

ut_status ut_accept_visitor(const ut_unit* unit, const ut_visitor* visitor, void* arg) {
  if (unit->scale != 1 || !unit->plain) {
    const ut_unit inner{1, unit->powers, true};
    return visitor->visit_galilean(unit, unit->scale, &inner, unit->plain ? 0 : 1, arg);
  }
  std::vector<ut_unit> basics;
  std::vector<int> powers;
  for (const auto& [base, power] : unit->powers) {
    basics.push_back({1, {{base, 1}}, true});
    powers.push_back(power);
  }
  std::vector<const ut_unit*> places;
  for (const ut_unit& b : basics) places.push_back(&b);
  return visitor->visit_product(unit, static_cast<int>(places.size()), places.data(), powers.data(), arg);
}

const char* ut_get_symbol(const ut_unit* unit, ut_encoding) { return unit->powers.begin()->first.c_str(); }
