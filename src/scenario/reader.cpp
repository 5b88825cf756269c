#include "reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "scenario/reader_tree.hpp"

namespace thud::doc {

// ---- Range ----------------------------------------------------------------------------------

bool Range::contains(double value) const {
  return (min_open ? value > min : value >= min) && (max_open ? value < max : value <= max);
}

std::string Range::describe(std::string_view unit) const {
  const std::string suffix = unit.empty() ? "" : " " + std::string(unit);
  const auto excluded = [](bool open) { return open ? " (excluded)" : ""; };
  if (std::isinf(min) && std::isinf(max)) return "";
  if (std::isinf(max)) return (min_open ? "> " : ">= ") + show(min) + suffix;
  if (std::isinf(min)) return (max_open ? "< " : "<= ") + show(max) + suffix;
  return fmt::format("between {}{} and {}{}{}", show(min), excluded(min_open), show(max), suffix,
                     excluded(max_open));
}

// ---- Table: places and messages ---------------------------------------------------------------

namespace {

std::string describe_kind(ValueKind kind) {
  switch (kind) {
    case ValueKind::absent: return "nothing";
    case ValueKind::table: return "a table";
    case ValueKind::array: return "an array";
    case ValueKind::text: return "a text";
    case ValueKind::integer:
    case ValueKind::real: return "a number";
    case ValueKind::flag: return "true or false";
    case ValueKind::date: return "a date";
  }
  return "something else";
}

std::string describe_number(const Quantity& quantity) {
  std::string result = with_article(quantity.dimension);
  const std::string range = quantity.range.describe(si_unit(quantity.dimension));
  if (!range.empty()) result += " " + range;
  return result;
}

// 32 deg → "32 deg" in quotes, 0.5 bare.
std::string quoted_example(std::string_view key, Dimension dimension) {
  const std::string value = example(dimension);
  const bool bare = value.find(' ') == std::string::npos;
  return fmt::format("{} = {}", key, bare ? value : "\"" + value + "\"");
}

}  // namespace

Table::Table(Document document, const Node& node, std::string path,
             std::shared_ptr<const SymbolTable> symbols, const TableSpec* description)
    : document_(std::move(document)),
      node_(&node),
      path_(std::move(path)),
      symbols_(std::move(symbols)),
      description_(description) {}

std::string Table::where(std::string_view key) const {
  return path_.empty() ? fmt::format("\"{}\"", key) : fmt::format("\"{}\" in {}", key, path_);
}

Place Table::place_of(const Node& node) const { return node.place(); }

Place Table::place() const {
  if (node_ == &document_.data_->root) return {document_.file(), 0, 0};
  return place_of(*node_);
}

Place Table::place_of(std::string_view key) const {
  const Node* node = node_->find(key);
  return node ? place_of(*node) : place();
}

Place Table::place_of_key(std::string_view key) const {
  const Node* node = node_->find(key);
  return node ? node->place_of_key() : place();
}

std::string Table::written(const Node& node) const {
  constexpr std::size_t longest = 60;
  const SourceText& source = *node.source;
  const std::string_view from = text_from(source.text, source.line_starts, node.begin);
  const std::string_view behind = text_from(source.text, source.line_starts, node.end);
  std::string result(from.substr(0, from.size() - std::min(from.size(), behind.size())));
  const bool several_lines = result.find_first_of("\r\n") != std::string::npos;
  if (several_lines) result.resize(result.find_first_of("\r\n"));
  if (result.size() > longest) {
    std::size_t cut = longest;
    while (cut > 0 && is_continuation(result[cut])) --cut;
    result.resize(cut);
    return result + "...";
  }
  return several_lines ? result + "..." : result;
}

std::string Table::written(std::string_view key) const {
  const Node* node = node_->find(key);
  return node ? written(*node) : "";
}

InputError Table::error(std::string_view key, std::string_view message) const {
  return InputError(place_of(key), fmt::format("{}: {}", where(key), message));
}

void Table::fail_value(std::string_view key, const Node& node, const std::string& message,
                       std::size_t offset) const {
  Place at = place_of(node);
  at.column += static_cast<int>(offset);
  throw InputError(at, fmt::format("{} {}", where(key), message));
}

void Table::fail_type(std::string_view key, const Node& node, const std::string& expected) const {
  fail_value(key, node,
             fmt::format("must be {}; it is {}: {}", expected, describe_kind(node.kind), written(node)));
}

void Table::fail_missing(std::string_view key, const std::string& what) const {
  std::vector<std::string> unread;
  for (const Node& child : node_->children)
    if (std::find(node_->asked.begin(), node_->asked.end(), child.name) == node_->asked.end())
      unread.push_back(child.name);
  const std::string near = suggest(key, unread);
  if (!near.empty())
    throw InputError(place_of_key(near),
                     fmt::format("{} is missing; is \"{}\" a misspelling of it?", where(key), near));
  throw InputError(place(), fmt::format("{} is missing; give {}", where(key), what));
}

void Table::check_cancel() const {
  const std::atomic<bool>* cancel = document_.data_->cancel;
  if (cancel && *cancel) throw Cancelled();
}

const Node* Table::ask(std::string_view key) const {
  check_cancel();
  allow(key);
  return node_->find(key);
}

const Node& Table::need(std::string_view key, const std::string& what) const {
  const Node* node = ask(key);
  if (!node) fail_missing(key, what);
  return *node;
}

void Table::allow(std::string_view key) const {
  if (description_) described(key);
  auto& asked = node_->asked;
  if (std::find(asked.begin(), asked.end(), key) == asked.end()) asked.emplace_back(key);
}

bool Table::has(std::string_view key) const { return ask(key) != nullptr; }

ValueKind Table::kind_of(std::string_view key) const {
  const Node* node = ask(key);
  return node ? node->kind : ValueKind::absent;
}

std::vector<std::string> Table::words_below(std::string_view key) const {
  std::vector<std::string> words;
  const auto collect = [&](auto&& self, const Node& node) -> void {
    for (const std::string_view text : {std::string_view(node.text), std::string_view(node.name)})
      for (std::string& word : words_in(text)) words.push_back(std::move(word));
    for (const Node& child : node.children) self(self, child);
  };
  if (const Node* node = node_->find(key))
    for (const Node& child : node->children) collect(collect, child);
  if (const Node* node = node_->find(key); node && node->children.empty()) collect(collect, *node);
  return words;
}

std::vector<std::string> Table::keys() const {
  std::vector<std::string> result;
  for (const Node& child : node_->children) result.push_back(child.name);
  return result;
}

void Table::finish() const {
  const auto& asked = node_->asked;
  for (const Node& child : node_->children) {
    if (std::find(asked.begin(), asked.end(), child.name) != asked.end()) continue;
    // Keys that are already there are no likely reading of this one.
    std::vector<std::string> free;
    for (const std::string& key : asked)
      if (!node_->find(key)) free.push_back(key);
    std::string message = fmt::format("unknown key \"{}\"{}{}{}", child.name, path_.empty() ? "" : " in ",
                                      path_, did_you_mean(child.name, free));
    if (!asked.empty()) message += fmt::format(" (known: {})", fmt::join(asked, ", "));
    throw InputError(child.place_of_key(), message);
  }
}

Table Table::with_symbols(const SymbolTable& symbols) const {
  return Table(document_, *node_, path_, std::make_shared<const SymbolTable>(symbols), description_);
}

Table Table::seen_with(const SymbolTable& symbols) const {
  return Table(document_, *node_, path_,
               std::shared_ptr<const SymbolTable>(std::shared_ptr<void>(), &symbols), description_);
}

// ---- Table: what is read is what is described -------------------------------------------------

namespace {

[[noreturn]] void fail_description(const TableSpec& table, std::string_view key, const std::string& problem) {
  throw std::logic_error(
      fmt::format("the key \"{}\" of {} {} (src/scenario/schema_tables.cpp)", key, table.title, problem));
}

}  // namespace

Table Table::variant(std::string_view kind) const {
  Table narrowed = *this;
  if (!description_) return narrowed;
  narrowed.description_ = description_->variant(kind);
  if (!narrowed.description_)
    fail_description(*description_, "kind", fmt::format("can be \"{}\", which is not described", kind));
  return narrowed;
}

const KeySpec* Table::described(std::string_view key) const {
  if (!description_) return nullptr;
  const KeySpec* spec = description_->find(key);
  if (!spec) fail_description(*description_, key, "is read but not described");
  return spec;
}

const ValueSpec* Table::described_as(std::string_view key, Form form) const {
  const KeySpec* spec = described(key);
  if (!spec) return nullptr;
  for (const ValueSpec& value : spec->values)
    if (value.form == form || (form == Form::text && value.form == Form::choice)) return &value;
  fail_description(*description_, key, "is read in a form that is not described");
}

void Table::check_described(std::string_view key, Form form, Dimension dimension, const Range& range) const {
  const ValueSpec* first = described_as(key, form);
  if (!first) return;
  for (const ValueSpec& value : described(key)->values)
    if (value.form == form && value.range == range
        && (value.dimension == dimension || value.dimension == Dimension::any))
      return;
  const auto words = [](Dimension d, const Range& r) {
    return with_article(d) + (r == Range{} ? "" : " " + r.describe(si_unit(d)));
  };
  fail_description(*description_, key,
                   fmt::format("is read as {} and described as {}", words(dimension, range),
                               words(first->dimension, first->range)));
}

void Table::check_described(std::string_view key, const std::vector<std::string>& choices) const {
  const ValueSpec* value = described_as(key, Form::choice);
  if (!value || value->all_choices().empty() || value->all_choices() == choices) return;
  fail_description(
      *description_, key,
      fmt::format("can be {}, and is described as {}", one_of(choices), one_of(value->all_choices())));
}

void Table::check_default(std::string_view key, const std::string& fallback) const {
  const KeySpec* spec = described(key);
  if (!spec) return;
  const auto value = spec->default_value();  // none: words for people, such as "the same as the width"
  if (spec->is_required() || (value && *value != fallback))
    fail_description(*description_, key,
                     fmt::format("is {} where it is not given, and described as {}", fallback,
                                 spec->is_required() ? "required" : spec->fallback));
}

// ---- Table: numbers ---------------------------------------------------------------------------

namespace {

bool is_formula(const Node& node) { return node.kind == ValueKind::text && node.text.starts_with('='); }
bool names_files(const Node& node) { return node.text.find("interp") != std::string::npos; }

}  // namespace

// `lead` characters stand between the value's place and its text: the quote, perhaps a "=".
InputError Table::expression_error(std::string_view key, const Node& node, const ExpressionError& error,
                                   int lead) const {
  Place at = place_of(node);
  const bool several_lines = node.begin.line != node.end.line;
  if (!several_lines) at.column += lead + static_cast<int>(error.offset());
  return InputError(at, fmt::format("{}: {}", where(key), error.message()));
}

// Files are named relative to the file that names them.
SymbolTable Table::symbols_for(const Node& node) const {
  SymbolTable symbols = *symbols_;
  symbols.set_files(document_.files(), node.source->folder);
  return symbols;
}

Reading Table::read_formula(std::string_view key, const Node& node) const {
  try {
    const std::string_view text = std::string_view(node.text).substr(1);
    return names_files(node) ? read(text, symbols_for(node)) : read(text, *symbols_);
  } catch (const ExpressionError& e) {
    throw expression_error(key, node, e, 2);
  }
}

Reading Table::read_unranged(std::string_view key, const Node& node, const Quantity& quantity) const {
  const Dimension dimension = quantity.dimension;
  if (is_formula(node)) return read_formula(key, node);
  try {
    switch (node.kind) {
      case ValueKind::integer:
      case ValueKind::real:
        if (!std::isfinite(node.number))
          fail_value(key, node, fmt::format("must be a finite number; it is {}", written(node)));
        return reading_of(quantity.bare_unit.empty() ? node.number
                                                     : to_si(node.number, quantity.bare_unit, dimension));
      case ValueKind::text:
        if (dimension == Dimension::any && !quantity.bare_unit.empty())
          return reading_of(parse_quantity_like(node.text, quantity.bare_unit));
        return reading_of(parse_quantity(node.text, dimension));
      default: break;
    }
  } catch (const std::invalid_argument& e) {
    throw InputError(place_of(node), fmt::format("{}: {}", where(key), e.what()));
  }
  const std::string unit = si_unit(dimension);
  fail_type(key, node,
            unit.empty() ? with_article(dimension)
                         : fmt::format("{}, i.e. a number in {} or a text such as \"{}\"",
                                       with_article(dimension), unit, example(dimension)));
}

void Table::check_range(std::string_view key, const Node& node, double value, const Range& range,
                        const char* unit) const {
  if (range.contains(value)) return;
  const bool bare = node.kind == ValueKind::integer || node.kind == ValueKind::real;
  const std::string si = std::string(show(value)) + (*unit ? " " : "") + unit;
  fail_value(key, node,
             fmt::format("must be {}; it is {}{}", range.describe(unit), written(node),
                         bare ? "" : ", that is " + si));
}

Reading Table::read_number(std::string_view key, const Node& node, const Quantity& quantity) const {
  const Reading value = read_unranged(key, node, quantity);
  if (std::abs(value.value) > largest_number)
    fail_value(key, node,
               fmt::format("must not be larger than {}; it is {}", show(largest_number), written(node)));
  check_range(key, node, value, quantity.range, si_unit(quantity.dimension));
  return value;
}

Reading Table::number(std::string_view key, const Quantity& quantity) const {
  check_described(key, Form::number, quantity.dimension, quantity.range);
  const Node& node = need(
      key, fmt::format("{}, e.g. {}", describe_number(quantity), quoted_example(key, quantity.dimension)));
  return read_number(key, node, quantity);
}

Reading Table::number(std::string_view key, Dimension dimension, Range range) const {
  return number(key, Quantity{dimension, range});
}

std::optional<Reading> Table::number_or_none(std::string_view key, Dimension dimension, Range range) const {
  return number_or_none(key, Quantity{dimension, range});
}

std::optional<Reading> Table::number_or_none(std::string_view key, const Quantity& quantity) const {
  check_described(key, Form::number, quantity.dimension, quantity.range);
  const Node* node = ask(key);
  if (!node) return std::nullopt;
  return read_number(key, *node, quantity);
}

Reading Table::number_or_reading(std::string_view key, Reading fallback, Dimension dimension,
                                 Range range) const {
  if (description_) check_default(key, show(fallback.value));
  return number_or_none(key, dimension, range).value_or(fallback);
}

std::array<Reading, 2> Table::read_pair(std::string_view key, const Node& node,
                                        const Quantity& quantity) const {
  const std::string expected = fmt::format("two numbers in brackets: {} = [..., ...]", key);
  if (node.kind != ValueKind::array) fail_type(key, node, expected);
  if (node.children.size() != 2)
    fail_value(key, node,
               fmt::format("must be {}; it has {}: {}", expected, node.children.size(), written(node)));
  return {read_number(key, node.children[0], quantity), read_number(key, node.children[1], quantity)};
}

std::optional<std::array<Reading, 2>> Table::pair(std::string_view key, const Quantity& quantity) const {
  check_described(key, Form::pair, quantity.dimension, quantity.range);
  const Node* node = ask(key);
  if (!node) return std::nullopt;
  return read_pair(key, *node, quantity);
}

std::optional<std::array<Reading, 2>> Table::pair(std::string_view key, Dimension dimension) const {
  return pair(key, Quantity{dimension});
}

std::optional<std::vector<double>> Table::numbers(std::string_view key, Dimension dimension,
                                                  Range range) const {
  return numbers(key, Quantity{dimension, range});
}

std::optional<std::vector<double>> Table::numbers(std::string_view key, const Quantity& quantity) const {
  const auto all = read_numbers(key, quantity);
  if (!all) return std::nullopt;
  return std::vector<double>(all->begin(), all->end());
}

std::optional<std::vector<Reading>> Table::readings(std::string_view key, Dimension dimension,
                                                    Range range) const {
  return read_numbers(key, Quantity{dimension, range});
}

std::optional<std::vector<Reading>> Table::read_numbers(std::string_view key,
                                                        const Quantity& quantity) const {
  check_described(key, Form::numbers, quantity.dimension, quantity.range);
  const Node* node = ask(key);
  if (!node) return std::nullopt;
  if (node->kind != ValueKind::array)
    fail_type(key, *node, fmt::format("an array of numbers: {} = [...]", key));
  std::vector<Reading> result;
  for (const Node& item : node->children) result.push_back(read_number(key, item, quantity));
  return result;
}

std::optional<std::vector<std::array<double, 2>>> Table::pairs(std::string_view key,
                                                               Dimension dimension) const {
  const Node* node = ask(key);
  if (!node) return std::nullopt;
  if (node->kind != ValueKind::array)
    fail_type(key, *node, fmt::format("an array of pairs: {} = [[..., ...], ...]", key));
  std::vector<std::array<double, 2>> result;
  for (const Node& item : node->children) {
    const std::array<Reading, 2> both = read_pair(key, item, {dimension});
    result.push_back({both[0].value, both[1].value});
  }
  return result;
}

std::vector<std::array<Reading, 2>> Table::points(std::string_view key, Dimension dimension) const {
  check_described(key, Form::pairs, dimension, {});
  const std::string expected = fmt::format("an array of pairs: {} = [[..., ...], ...]", key);
  const Node& node = need(key, expected);
  if (node.kind != ValueKind::array) fail_type(key, node, expected);
  std::vector<std::array<Reading, 2>> result;
  for (const Node& item : node.children) result.push_back(read_pair(key, item, {dimension}));
  return result;
}

std::optional<TimeExpression> Table::time_expression(std::string_view key, Dimension dimension,
                                                     const char* variable) const {
  check_described(key, Form::formula, dimension, {});
  const Node* node = ask(key);
  if (!node) return std::nullopt;
  if (!is_formula(*node))
    return TimeExpression(fmt::format("{:.17g}", read_number(key, *node, {dimension}).value), {});
  try {
    return TimeExpression(std::string_view(node->text).substr(1),
                          names_files(*node) ? symbols_for(*node) : *symbols_, {variable});
  } catch (const ExpressionError& e) {
    throw expression_error(key, *node, e, 2);
  }
}

std::optional<std::string> Table::formula_text(std::string_view key) const {
  const Node* node = ask(key);
  if (!node || !is_formula(*node)) return std::nullopt;
  return node->text.substr(1);
}

void Table::check_formula(std::string_view key, Dimension dimension) const {
  check_described(key, Form::formula, dimension, {});
}

InputError Table::error_in(std::string_view key, const ExpressionError& e) const {
  const Node* node = ask(key);
  return node ? expression_error(key, *node, e, 2) : error(key, e.message());
}

// ---- Table: whole numbers, flags, texts -------------------------------------------------------

int Table::read_integer(std::string_view key, const Node& node, const Range& range) const {
  const bool numeric = node.kind == ValueKind::integer || node.kind == ValueKind::real;
  if (node.kind == ValueKind::text && !is_formula(node))
    fail_value(key, node, fmt::format("must be a whole number without quotes; it is {}", written(node)));
  if (!numeric && !is_formula(node)) fail_type(key, node, "a whole number");
  const double value = read_unranged(key, node, {Dimension::none});
  constexpr double limit = std::numeric_limits<int>::max();
  if (std::abs(value - std::round(value)) > 1e-9)
    fail_value(key, node,
               fmt::format("must be a whole number; it is {}{}", written(node),
                           numeric ? "" : ", that is " + show(value)));
  check_range(key, node, std::round(value), range, "");
  check_range(key, node, std::round(value), Range::between(-limit, limit), "");
  return static_cast<int>(std::round(value));
}

int Table::integer(std::string_view key, Range range) const {
  check_described(key, Form::whole, Dimension::none, range);
  const std::string allowed = range.describe();
  return read_integer(key, need(key, "a whole number" + (allowed.empty() ? "" : " " + allowed)), range);
}

int Table::integer_or(std::string_view key, int fallback, Range range) const {
  check_described(key, Form::whole, Dimension::none, range);
  if (description_) check_default(key, show(fallback));
  const Node* node = ask(key);
  return node ? read_integer(key, *node, range) : fallback;
}

bool Table::flag_or(std::string_view key, bool fallback) const {
  described_as(key, Form::flag);
  if (description_) check_default(key, fallback ? "true" : "false");
  const Node* node = ask(key);
  if (!node) return fallback;
  if (node->kind != ValueKind::flag)
    fail_value(key, *node, fmt::format("must be true or false, without quotes; it is {}", written(*node)));
  return node->flag;
}

std::string Table::read_text(std::string_view key, const Node& node, bool filled) const {
  if (node.kind != ValueKind::text) fail_type(key, node, "a text in quotes");
  try {
    // Holes first: what a $name brings is not to be read as a formula.
    return substitute(filled ? fill(node.text, *symbols_) : node.text, *symbols_);
  } catch (const ExpressionError& e) {
    throw expression_error(key, node, e, 1);
  }
}

std::string Table::text(std::string_view key) const {
  described_as(key, Form::text);
  return read_text(key, need(key, fmt::format("a text: {} = \"...\"", key)), false);
}

std::string Table::text_or(std::string_view key, std::string fallback) const {
  described_as(key, Form::text);
  const Node* node = ask(key);
  return node ? read_text(key, *node, false) : std::move(fallback);
}

std::string Table::filled_text(std::string_view key) const {
  described_as(key, Form::text);
  return read_text(key, need(key, fmt::format("a text: {} = \"...\"", key)), true);
}

std::string Table::filled_text_or(std::string_view key, std::string fallback) const {
  described_as(key, Form::text);
  const Node* node = ask(key);
  return node ? read_text(key, *node, true) : std::move(fallback);
}

std::string Table::raw_text(std::string_view key) const {
  const Node& node = need(key, fmt::format("a text: {} = \"...\"", key));
  if (node.kind != ValueKind::text) fail_type(key, node, "a text in quotes");
  return node.text;
}

std::vector<std::string> Table::read_texts(std::string_view key, std::vector<std::string> fallback,
                                           bool filled) const {
  described_as(key, Form::texts);
  const Node* node = ask(key);
  if (!node) return fallback;
  if (node->kind != ValueKind::array && node->kind != ValueKind::text)
    fail_type(key, *node, "a text, or an array of texts");
  if (node->kind == ValueKind::text) return {read_text(key, *node, filled)};
  std::vector<std::string> result;
  for (const Node& item : node->children) result.push_back(read_text(key, item, filled));
  return result;
}

std::vector<std::string> Table::texts_or(std::string_view key, std::vector<std::string> fallback) const {
  return read_texts(key, std::move(fallback), false);
}

std::vector<std::string> Table::filled_texts_or(std::string_view key,
                                                std::vector<std::string> fallback) const {
  return read_texts(key, std::move(fallback), true);
}

std::string Table::read_choice(std::string_view key, const Node& node,
                               const std::vector<std::string>& allowed) const {
  if (node.kind != ValueKind::text) fail_type(key, node, one_of(allowed) + ", in quotes");
  const std::string value = read_text(key, node, false);
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  const std::string resolved = value == node.text ? "" : fmt::format(", that is \"{}\"", value);
  fail_value(key, node,
             fmt::format("must be {}; it is {}{}{}", one_of(allowed), written(node), resolved,
                         did_you_mean(value, allowed)));
}

std::string Table::choice(std::string_view key, const std::vector<std::string>& allowed) const {
  check_described(key, allowed);
  return read_choice(key, need(key, one_of(allowed)), allowed);
}

std::string Table::choice_or(std::string_view key, std::string fallback,
                             const std::vector<std::string>& allowed) const {
  check_described(key, allowed);
  check_default(key, fallback);
  const Node* node = ask(key);
  return node ? read_choice(key, *node, allowed) : std::move(fallback);
}

// ---- Table: tables ----------------------------------------------------------------------------

Table Table::sub_table(std::string_view key, const Node& node, const std::string& label) const {
  const TableSpec* below = nullptr;
  if (const KeySpec* spec = described(key))
    for (const ValueSpec& value : spec->values)
      if (value.table) below = &value.table();
  return Table(document_, node, path_.empty() ? label : path_ + " > " + label, symbols_, below);
}

std::optional<Table> Table::table_or_none(std::string_view key) const {
  described_as(key, Form::table);
  const Node* node = ask(key);
  if (!node) return std::nullopt;
  if (node->kind != ValueKind::table) fail_type(key, *node, "one table");
  return sub_table(key, *node, std::string(key));
}

Table Table::table(std::string_view key) const {
  need(key, fmt::format("a table: {} = {{ ... }}", key));
  return *table_or_none(key);
}

std::vector<Table> Table::tables(std::string_view key) const {
  described_as(key, Form::tables);
  const Node* node = ask(key);
  if (!node) return {};
  const auto label = [&](const Node& item, std::size_t index) {
    const Node* name = item.find("name");
    if (name && name->kind == ValueKind::text) return fmt::format("{} \"{}\"", key, name->text);
    return index == 0 ? std::string(key) : fmt::format("{} {}", key, index);
  };
  if (node->kind == ValueKind::table) return {sub_table(key, *node, label(*node, 0))};
  const std::string expected = fmt::format("tables: [[{}]]", key);
  if (node->kind != ValueKind::array) fail_type(key, *node, expected);
  std::vector<Table> result;
  for (const Node& item : node->children) {
    if (item.kind != ValueKind::table) fail_type(key, item, expected);
    result.push_back(sub_table(key, item, label(item, result.size() + 1)));
  }
  return result;
}

}  // namespace thud::doc
