#include "reader.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "scenario/reader_tree.hpp"

namespace thud::doc {

namespace {

// toml++ nests inline values up to 256 deep itself, but takes dotted keys of any length and then
// frees the resulting chain of tables recursively.
constexpr int deepest_key = 32;
constexpr int deepest_tree = 64;
constexpr std::uintmax_t largest_file = 10'000'000;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// ---- from TOML to the tree ------------------------------------------------------------------

Position to_position(const toml::source_position& p) {
  return {static_cast<int>(p.line), static_cast<int>(p.column)};
}

void convert(const toml::node& from, Node& to, const SourceText& source, int depth);

void convert_table(const toml::table& from, Node& to, const SourceText& source, int depth) {
  to.kind = ValueKind::table;
  to.children.reserve(from.size());
  for (const auto& [key, value] : from) {
    Node& child = to.children.emplace_back();
    child.name = key.str();
    child.key = to_position(key.source().begin);
    convert(value, child, source, depth + 1);
  }
  std::stable_sort(to.children.begin(), to.children.end(),
                   [](const Node& a, const Node& b) { return a.key < b.key; });
}

void convert_array(const toml::array& from, Node& to, const SourceText& source, int depth) {
  to.kind = ValueKind::array;
  to.children.reserve(from.size());
  for (const toml::node& item : from) {
    Node& child = to.children.emplace_back();
    convert(item, child, source, depth + 1);
    child.key = child.begin;
  }
}

void convert(const toml::node& from, Node& to, const SourceText& source, int depth) {
  to.source = &source;
  to.begin = to_position(from.source().begin);
  to.end = to_position(from.source().end);
  if (depth > deepest_tree)
    throw InputError({source.file, to.begin.line, to.begin.column},
                     fmt::format("tables and arrays nest deeper than {} levels", deepest_tree));
  if (const auto* table = from.as_table()) {
    convert_table(*table, to, source, depth);
  } else if (const auto* array = from.as_array()) {
    convert_array(*array, to, source, depth);
  } else if (const auto* text = from.as_string()) {
    to.kind = ValueKind::text;
    to.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    to.kind = ValueKind::integer;
    to.number = static_cast<double>(integer->get());
  } else if (const auto* real = from.as_floating_point()) {
    to.kind = ValueKind::real;
    to.number = real->get();
  } else if (const auto* flag = from.as_boolean()) {
    to.kind = ValueKind::flag;
    to.flag = flag->get();
  } else {
    to.kind = ValueKind::date;
  }
}

// ---- guarding and explaining the TOML parser --------------------------------------------------

std::vector<std::size_t> find_line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts.push_back(i + 1);
  return starts;
}

// The length of the UTF-8 character at the front (RFC 3629); 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
  const unsigned char second = byte(1);
  const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)
                  || (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

// toml++ checks this too, but by blocks, and so cannot say where.
void check_utf8(std::string_view text, const std::string& file) {
  int line = 1, column = 1;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      throw InputError({file, line, column}, "this is not text in UTF-8; a scenario is a TOML text file");
    ++column;
    if (text.front() == '\n') {
      ++line;
      column = 1;
    }
    text.remove_prefix(length);
  }
}

// Where the string or comment beginning at `at` ends; `at` itself when there is none.
std::size_t skip_string_or_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with('#')) return std::min(text.find('\n', at), text.size());
  for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
    if (!rest.starts_with(quote)) continue;
    std::size_t i = at + quote.size();
    for (; i < text.size() && !text.substr(i).starts_with(quote); ++i) {
      if (quote.size() == 1 && text[i] == '\n') break;  // unterminated: not our business
      if (quote[0] == '"' && text[i] == '\\') ++i;
    }
    return std::min(i + quote.size(), text.size());
  }
  return at;
}

void check_key_depth(std::string_view text, const std::string& file) {
  int dots = 0;
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = skip_string_or_comment(text, i);
    if (end > i) {
      line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                          text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end - 1;
      continue;
    }
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '.')
      ++dots;
    else if (std::string_view("=\n,{}[]").find(c) != std::string_view::npos)
      dots = 0;
    if (dots >= deepest_key)
      throw InputError({file, line, 1}, fmt::format("a dotted key has more than {} parts", deepest_key));
  }
}

std::string after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  return std::string(at == std::string_view::npos ? text : text.substr(at + mark.size()));
}

std::string_view first_quoted(std::string_view text) {
  const auto open = text.find('\'');
  const auto close = text.find('\'', open + 1);
  if (open == std::string_view::npos || close == std::string_view::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

struct Slip {
  std::string_view said;  // in the words of toml++
  std::string_view advice;
  bool instead = false;  // of those words; otherwise behind them
};

// toml++ says what it saw; we add what to do about it, for the slips everybody makes.
// The first match counts.
constexpr std::array slips{
    Slip{"could not determine value type",
         "this is not a value; text and numbers with a unit need quotes: \"...\"", true},
    Slip{"expected a comment or whitespace, saw '\"'", "one value per key; several go in [ , ]"},
    Slip{"expected a comment or whitespace", "a number with a unit needs quotes, e.g. \"5 mm\""},
    Slip{"end-of-file", "the file ends too early: something is not closed or missing", true},
    Slip{"could not be interpreted as a value", "the number is too large or badly written"},
    Slip{"not representable", "the number is too large or badly written"},
    Slip{"leading zeroes", "a number must not begin with a needless 0", true},
    Slip{"expected decimal digit, saw '.'", "a decimal point needs digits on both sides", true},
    Slip{"expected decimal digit, saw '\\n'", "a decimal point needs digits on both sides", true},
    Slip{"expected decimal digit", "a number with a unit needs quotes, e.g. \"5 mm\""},
    Slip{"expected key or closing '}', saw '\\n'",
         "a table in braces stays on one line and has no comma at its end", true},
    Slip{"expected 'true'", "write true or false in small letters"},
    Slip{"expected 'false'", "write true or false in small letters"},
};

std::string explain(std::string_view description, char at_place) {
  const auto says = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
  const std::string plain =
      says("Error while parsing ") ? after(description, ": ") : std::string(description);
  if (says("control characters other than TAB") && (at_place == '\n' || at_place == '\r'))
    return "the quote that closes this text is missing";
  if (says("cannot redefine existing") && !first_quoted(plain).empty())
    return fmt::format("\"{}\" is given twice", first_quoted(plain));
  for (const Slip& slip : slips)
    if (says(slip.said))
      return slip.instead ? std::string(slip.advice) : fmt::format("{}; {}", plain, slip.advice);
  return plain;
}

// What follows a position in the text.
std::string_view text_from(std::string_view text, const std::vector<std::size_t>& line_starts, Position p) {
  if (p.line < 1 || static_cast<std::size_t>(p.line) > line_starts.size()) return {};
  std::string_view rest = text.substr(line_starts[static_cast<std::size_t>(p.line) - 1]);
  if (p.line == 1 && rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  for (int c = 1; c < p.column && !rest.empty(); ++c)
    rest.remove_prefix(std::max<std::size_t>(1, character_length(rest)));
  return rest;
}

InputError from_parse_error(const toml::parse_error& error, const std::string& file, std::string_view text,
                            const std::vector<std::size_t>& line_starts) {
  Position at = to_position(error.source().begin);
  const std::string_view rest = text_from(text, line_starts, at);
  const std::string message = explain(error.description(), rest.empty() ? '\0' : rest.front());
  // toml++ notices a repeated key only behind its "="; we point at the key.
  if (message.ends_with("is given twice")) {
    const std::string_view line = text_from(text, line_starts, {at.line, 1});
    const auto indent = line.find_first_not_of(" \t");
    if (indent != std::string_view::npos
        && line.substr(indent).starts_with(first_quoted(error.description())))
      at.column = static_cast<int>(indent) + 1;
  }
  return InputError({file, at.line, at.column}, message);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void parse_tree(SourceText& source, Node& root) {
  source.line_starts = find_line_starts(source.text);
  check_utf8(source.text, source.file);
  check_key_depth(source.text, source.file);
  try {
    const toml::table table = toml::parse(std::string_view(source.text));
    if (table.empty())
      throw InputError({source.file, 0, 0}, "the file is empty; a scenario needs at least one table");
    convert(table, root, source, 0);
  } catch (const toml::parse_error& error) {
    throw from_parse_error(error, source.file, source.text, source.line_starts);
  }
}

Document Document::parse(std::string text, std::string file) {
  auto data = std::make_shared<Data>();
  data->main.file = std::move(file);
  data->main.text = std::move(text);
  parse_tree(data->main, data->root);
  return Document(std::move(data));
}

Document Document::with_parts(std::optional<std::filesystem::path> folder) && {
  data_->files = std::make_shared<Files>(std::move(folder));
  merge_parts(data_->root, data_->parts, *data_->files);
  read_tables_below(data_->root, *data_->files);
  return std::move(*this);
}

Table Document::root(const TableSpec* description) const {
  SymbolTable symbols;
  symbols.set_files(data_->files);
  return Table(*this, data_->root, "", std::make_shared<const SymbolTable>(std::move(symbols)), description);
}

const std::string& Document::file() const { return data_->main.file; }
const std::shared_ptr<Files>& Document::files() const { return data_->files; }

std::string Document::text() const {
  return data_->files ? data_->main.text + data_->files->as_attached() : data_->main.text;
}

// ---- files ----------------------------------------------------------------------------------

namespace {

std::vector<std::string> toml_files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (std::filesystem::directory_iterator it(folder, ignored), end; !ignored && it != end;
       it.increment(ignored))
    if (it->path().extension() == ".toml") names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void fail_missing_file(const std::filesystem::path& path) {
  const std::string shown = path.string();
  const auto folder = path.parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw InputError({shown, 0, 0}, fmt::format("no such file: there is no folder \"{}\"", folder.string()));
  const auto neighbours = toml_files_in(folder.empty() ? "." : folder);
  std::string near = suggest(path.filename().string(), neighbours);
  if (near.empty() && path.extension() != ".toml")
    near = suggest(path.filename().string() + ".toml", neighbours);
  throw InputError({shown, 0, 0}, near.empty() ? "no such file"
                                               : fmt::format("no such file; did you mean \"{}\"?",
                                                             (folder / near).string()));
}

}  // namespace

Document load_document(const std::filesystem::path& path) {
  const std::string shown = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail_missing_file(path);
  if (std::filesystem::is_directory(status)) {
    const auto names = toml_files_in(path);
    throw InputError({shown, 0, 0}, "this is a folder, not a scenario file"
                                        + (names.empty() ? std::string{}
                                                         : fmt::format("; it holds e.g. \"{}\"",
                                                                       (path / names.front()).string())));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError({shown, 0, 0}, "the file cannot be opened for reading");
  // Read with a limit rather than trust a size: the path may be a pipe.
  std::string text(largest_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw InputError({shown, 0, 0}, "the file cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest_file)
    throw InputError({shown, 0, 0}, "the file is larger than 10 MB; that is no scenario");
  text.shrink_to_fit();
  return Document::parse(std::move(text), shown);
}

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

const Node* Table::ask(std::string_view key) const {
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
