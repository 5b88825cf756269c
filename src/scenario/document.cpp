// From the text of a TOML file to the tree of its values.

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "scenario/reader_tree.hpp"
#include "thud/base/format.hpp"

namespace thud::doc {

namespace {

// toml++ nests inline values up to 256 deep itself, but takes dotted keys of any length and then
// frees the resulting chain of tables recursively.
constexpr int deepest_key = 32;
constexpr int deepest_tree = 64;
constexpr std::size_t most_keys = 10'000;
constexpr std::uintmax_t largest_file = 10'000'000;

// ---- from TOML to the tree ------------------------------------------------------------------

Position to_position(const toml::source_position& p) {
  return {static_cast<int>(p.line), static_cast<int>(p.column)};
}

void convert(const toml::node& from, Node& to, const SourceText& source, int depth);

// Titles and names go to terminals.
void check_controls(const std::string& text, const Node& at, const SourceText& source) {
  const std::string control = first_control(text);
  if (!control.empty())
    throw InputError({source.file, at.begin.line, at.begin.column},
                     fmt::format("a text holds the control character {}, which no text may", control));
}

void convert_table(const toml::table& from, Node& to, const SourceText& source, int depth) {
  to.kind = ValueKind::table;
  if (from.size() > most_keys)
    throw InputError({source.file, to.begin.line, to.begin.column},
                     fmt::format("a table has {} keys; {} are the most", from.size(), most_keys));
  to.children.reserve(from.size());
  for (const auto& [key, value] : from) {
    Node& child = to.children.emplace_back();
    child.name = key.str();
    child.key = child.begin = to_position(key.source().begin);
    check_controls(child.name, child, source);
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
    check_controls(to.text, to, source);
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

Document Document::parse(std::string text, std::string file, const std::atomic<bool>* cancel) {
  auto data = std::make_shared<Data>();
  data->cancel = cancel;
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

}  // namespace thud::doc
