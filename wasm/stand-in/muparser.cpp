#include "muParser.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace mu {

namespace {

enum class Op { land, lor, lt, gt, le, ge, ne, eq, add, sub, mul, div };

double apply(Op op, double x, double y) {
  switch (op) {
    case Op::land: return x != 0 && y != 0;
    case Op::lor: return x != 0 || y != 0;
    case Op::lt: return x < y;
    case Op::gt: return x > y;
    case Op::le: return x <= y;
    case Op::ge: return x >= y;
    case Op::ne: return x != y;
    case Op::eq: return x == y;
    case Op::add: return x + y;
    case Op::sub: return x - y;
    case Op::mul: return x * y;
    case Op::div: return x / y;
  }
  return 0;
}

}  // namespace

struct Node {
  enum class Kind { value, variable, line, power, operation, function, choice };

  Kind kind = Kind::value;
  const double* place = nullptr;  // of a variable, a line or a power
  double factor = 0, offset = 0;  // place · factor + offset; a value has its offset alone
  int exponent = 0;
  Op op{};
  const Parser::Function* function = nullptr;
  std::vector<std::unique_ptr<Node>> parts;

  double value() const {
    switch (kind) {
      case Kind::value: return offset;
      case Kind::variable: return *place;
      case Kind::line: return *place * factor + offset;
      case Kind::power: {
        const double x = *place;
        return exponent == 2 ? x * x : exponent == 3 ? x * x * x : x * x * x * x;
      }
      case Kind::operation: return apply(op, parts[0]->value(), parts[1]->value());
      case Kind::choice: return parts[0]->value() != 0 ? parts[1]->value() : parts[2]->value();
      case Kind::function: break;
    }
    constexpr std::size_t few = 8;
    double some[few];
    std::vector<double> many(parts.size() > few ? parts.size() : 0);
    double* arguments = many.empty() ? some : many.data();
    for (std::size_t i = 0; i < parts.size(); ++i) arguments[i] = parts[i]->value();
    return function->call(arguments, static_cast<int>(parts.size()));
  }
};

namespace {

using Kind = Node::Kind;
using NodePointer = std::unique_ptr<Node>;

NodePointer make_value(double x) {
  auto node = std::make_unique<Node>();
  node->offset = x;
  return node;
}

bool is_linear(const Node& n) {
  return n.kind == Kind::value || n.kind == Kind::variable || n.kind == Kind::line;
}

// a ± b where both are lines of one variable, or one is a value.
bool fold_sum(Node& a, const Node& b, double sign) {
  const bool both = a.place && b.place;
  if (!is_linear(a) || !is_linear(b) || (both && a.place != b.place)) return false;
  a.kind = Kind::line;
  a.place = a.place ? a.place : b.place;
  a.offset += sign * b.offset;
  a.factor += sign * b.factor;
  return true;
}

bool fold_product(Node& a, const Node& b) {
  if (a.kind == Kind::variable && b.kind == Kind::variable && a.place == b.place) {
    a.kind = Kind::power;
    a.exponent = 2;
    return true;
  }
  if (!is_linear(a) || !is_linear(b) || (a.place && b.place)) return false;
  if (a.kind == Kind::variable || b.kind == Kind::variable) {
    a.factor = a.offset + b.offset;
    a.offset = 0;
  } else if (b.kind == Kind::value) {
    a.factor *= b.offset;
    a.offset *= b.offset;
  } else {
    a.factor = b.factor * a.offset;
    a.offset = b.offset * a.offset;
  }
  a.kind = Kind::line;
  a.place = a.place ? a.place : b.place;
  return true;
}

bool fold_power(Node& a, const Node& b) {
  if (a.kind != Kind::variable || b.kind != Kind::value) return false;
  const double p = b.offset;
  if (p == 0) a = Node{.offset = 1, .parts = {}};
  if (p == 2 || p == 3 || p == 4) {
    a.kind = Kind::power;
    a.exponent = static_cast<int>(p);
  }
  return p == 0 || p == 1 || p == 2 || p == 3 || p == 4;
}

bool fold(Op op, Node& a, const Node& b) {
  if (a.kind == Kind::value && b.kind == Kind::value) {
    a.offset = apply(op, a.offset, b.offset);
    return true;
  }
  if (op == Op::add || op == Op::sub) return fold_sum(a, b, op == Op::sub ? -1 : 1);
  if (op == Op::mul) return fold_product(a, b);
  if (op == Op::div && a.kind == Kind::line && b.kind == Kind::value && b.offset != 0) {
    a.factor /= b.offset;
    a.offset /= b.offset;
    return true;
  }
  return false;
}

NodePointer join(Op op, NodePointer a, NodePointer b) {
  if (fold(op, *a, *b)) return a;
  auto node = std::make_unique<Node>();
  node->kind = Kind::operation;
  node->op = op;
  node->parts.push_back(std::move(a));
  node->parts.push_back(std::move(b));
  return node;
}

}  // namespace

class Reader {
 public:
  explicit Reader(Parser& parser) : parser_(parser), text_(parser.text_) {}

  std::vector<NodePointer> read() {
    std::vector<NodePointer> out;
    do out.push_back(choice());
    while (take(","));
    skip();
    if (at_ != text_.size()) refuse_more();
    return out;
  }

 private:
  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  bool take(std::string_view mark) {
    skip();
    if (text_.substr(at_, mark.size()) != mark) return false;
    at_ += mark.size();
    return true;
  }
  [[noreturn]] void refuse(EErrorCodes code) const {
    throw ParserError(code, static_cast<int>(at_), std::string(text_.substr(at_, 1)));
  }
  // What cannot follow a value.
  [[noreturn]] void refuse_more() const {
    const char c = peek();
    if (c == '(' || c == ')') refuse(ecUNEXPECTED_PARENS);
    if (c == ':') refuse(ecMISPLACED_COLON);
    if (c == ',') refuse(ecUNEXPECTED_ARG_SEP);
    if (is_digit(c) || c == '.') refuse(ecUNEXPECTED_VAL);
    if (is_name(c)) refuse(ecUNEXPECTED_VAR);
    refuse(ecUNASSIGNABLE_TOKEN);
  }

  NodePointer choice() {
    NodePointer condition = either();
    skip();
    if (peek() != '?') return condition;
    ++at_;
    auto node = std::make_unique<Node>();
    node->kind = Kind::choice;
    node->parts.push_back(std::move(condition));
    node->parts.push_back(choice());
    if (!take(":")) {
      if (at_ != text_.size() && peek() != ')' && peek() != ',') refuse_more();
      refuse(ecMISSING_ELSE_CLAUSE);
    }
    node->parts.push_back(choice());
    return node;
  }
  NodePointer either() {
    NodePointer a = both();
    while (take("||")) a = join(Op::lor, std::move(a), both());
    return a;
  }
  NodePointer both() {
    NodePointer a = comparison();
    while (take("&&")) a = join(Op::land, std::move(a), comparison());
    return a;
  }
  NodePointer comparison() {
    static constexpr std::pair<std::string_view, Op> marks[] = {
        {"<=", Op::le}, {">=", Op::ge}, {"!=", Op::ne}, {"==", Op::eq}, {"<", Op::lt}, {">", Op::gt}};
    NodePointer a = sum();
    for (;;) {
      std::optional<Op> op;
      for (const auto& [mark, meaning] : marks)
        if (!op && take(mark)) op = meaning;
      if (!op) return a;
      a = join(*op, std::move(a), sum());
    }
  }
  NodePointer sum() {
    NodePointer a = product();
    for (;;) {
      if (take("+"))
        a = join(Op::add, std::move(a), product());
      else if (take("-"))
        a = join(Op::sub, std::move(a), product());
      else
        return a;
    }
  }
  NodePointer product() {
    NodePointer a = signed_power();
    for (;;) {
      if (take("*"))
        a = join(Op::mul, std::move(a), signed_power());
      else if (take("/"))
        a = join(Op::div, std::move(a), signed_power());
      else
        return a;
    }
  }
  // A sign binds less than ^: -2^2 is -4.
  NodePointer signed_power() {
    if (take("+")) return signed_power();
    if (!take("-")) return power();
    NodePointer inner = signed_power();
    if (inner->kind == Kind::value) return make_value(-inner->offset);
    static const Parser::Function minus{1, true, [](const double* a, int) { return -a[0]; }};
    auto node = std::make_unique<Node>();
    node->kind = Kind::function;
    node->function = &minus;
    node->parts.push_back(std::move(inner));
    return node;
  }
  NodePointer power() {
    NodePointer base = primary();
    if (!take(parser_.power_mark_)) return base;
    skip();
    NodePointer exponent = peek() == '-' || peek() == '+' ? signed_power() : power();
    if (base->kind == Kind::value && exponent->kind == Kind::value) {
      const double both[] = {base->offset, exponent->offset};
      return make_value(parser_.power_.call(both, 2));
    }
    if (fold_power(*base, *exponent)) return base;
    auto node = std::make_unique<Node>();
    node->kind = Kind::function;
    node->function = &parser_.power_;
    node->parts.push_back(std::move(base));
    node->parts.push_back(std::move(exponent));
    return node;
  }

  NodePointer primary() {
    skip();
    if (at_ == text_.size()) refuse(ecUNEXPECTED_EOF);
    const char c = peek();
    if (c == '(') {
      ++at_;
      NodePointer inside = choice();
      close(ecUNEXPECTED_ARG_SEP);
      return inside;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_name(c)) return named();
    if (c == ')') refuse(ecUNEXPECTED_PARENS);
    if (c == ',') refuse(ecUNEXPECTED_ARG_SEP);
    constexpr std::string_view operators = "+-*/<>=!&|?:";
    refuse(operators.find(c) != std::string_view::npos || parser_.power_mark_[0] == c ? ecUNEXPECTED_OPERATOR
                                                                                      : ecUNASSIGNABLE_TOKEN);
  }
  void close(EErrorCodes at_comma) {
    if (take(")")) return;
    if (at_ == text_.size()) refuse(ecMISSING_PARENS);
    if (peek() == ',') refuse(at_comma);
    refuse_more();
  }

  NodePointer number() {
    double x = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
    if (error != std::errc{}) refuse(ecUNASSIGNABLE_TOKEN);
    const auto stop = static_cast<std::size_t>(end - text_.data());
    // "1e": neither a number nor a name.
    if (stop < text_.size() && (text_[stop] == 'e' || text_[stop] == 'E')) return named();
    at_ = stop;
    return make_value(x);
  }

  NodePointer named() {
    std::size_t end = at_;
    while (end < text_.size() && is_name(text_[end])) ++end;
    const std::string name(text_.substr(at_, end - at_));
    if (const auto f = parser_.functions_.find(name);
        f != parser_.functions_.end() && end < text_.size() && text_[end] == '(') {
      at_ = end + 1;
      return call(f->second);
    }
    at_ = end;
    if (const auto known = parser_.constants_.find(name); known != parser_.constants_.end())
      return make_value(known->second);
    auto node = std::make_unique<Node>();
    node->kind = Kind::variable;
    node->factor = 1;
    if (const auto known = parser_.variables_.find(name); known != parser_.variables_.end()) {
      node->place = known->second;
    } else if (parser_.factory_) {
      double* place = parser_.factory_(name.c_str(), parser_.user_);
      parser_.variables_[name] = place;
      node->place = place;
    } else {
      at_ -= name.size();
      refuse(ecUNASSIGNABLE_TOKEN);
    }
    return node;
  }

  NodePointer call(const Parser::Function& f) {
    auto node = std::make_unique<Node>();
    node->kind = Kind::function;
    node->function = &f;
    skip();
    if (peek() == ')') refuse(ecTOO_FEW_PARAMS);
    do {
      if (f.arguments > 0 && static_cast<int>(node->parts.size()) == f.arguments) refuse(ecTOO_MANY_PARAMS);
      node->parts.push_back(choice());
    } while (take(","));
    close(ecUNEXPECTED_ARG_SEP);
    if (f.arguments > 0 && static_cast<int>(node->parts.size()) < f.arguments) refuse(ecTOO_FEW_PARAMS);
    bool is_constant = f.folds;
    for (const NodePointer& p : node->parts) is_constant = is_constant && p->kind == Kind::value;
    return is_constant ? make_value(node->value()) : std::move(node);
  }

  Parser& parser_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Parser::Parser() = default;
Parser::~Parser() = default;

void Parser::SetExpr(const std::string& text) {
  text_ = text;
  values_.clear();
}

double Parser::Eval(int& count) {
  if (values_.empty()) values_ = Reader(*this).read();
  count = static_cast<int>(values_.size());
  return values_.back()->value();
}

double Parser::Eval() {
  int count = 0;
  return Eval(count);
}

}  // namespace mu
