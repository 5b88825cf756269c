// Tables in formulas: interp(x, "file.csv", "column").

#include <fmt/format.h>

#include <cctype>

#include "scenario/expression.hpp"
#include "scenario/files.hpp"

namespace thud::doc {

void SymbolTable::set_files(std::shared_ptr<Files> files, std::string folder) {
  files_ = std::move(files);
  folder_ = std::move(folder);
}

void SymbolTable::add_curve(std::string name, std::shared_ptr<const Curve> curve) {
  curves_.emplace_back(std::move(name), std::move(curve));
}

namespace {

constexpr std::string_view word = "interp";

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

bool stands_at(std::string_view text, std::size_t at) {
  if (at > 0 && is_name(text[at - 1])) return false;
  const std::size_t open = skip_blanks(text, at + word.size());
  return open < text.size() && text[open] == '(';
}

// A text in quotes at a place, which moves behind it.
bool take_text(std::string_view text, std::size_t& at, std::string& out) {
  at = skip_blanks(text, at);
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return false;
  const std::size_t end = text.find(text[at], at + 1);
  if (end == std::string_view::npos) return false;
  out = std::string(text.substr(at + 1, end - at - 1));
  at = skip_blanks(text, end + 1);
  return true;
}

// The comma behind the first argument; the end of the text where there is none.
std::size_t first_comma(std::string_view text, std::size_t at) {
  int open = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++open;
    if (text[at] == ')' && --open == 0) break;
    if (text[at] == ',' && open == 1) return at;
  }
  return text.size();
}

bool read_call(std::string_view text, TableCall& call) {
  call.comma = first_comma(text, call.begin + word.size());
  if (call.comma == text.size()) return false;
  std::size_t at = call.comma + 1;
  if (!take_text(text, at, call.file)) return false;
  if (at < text.size() && text[at] == ',' && !take_text(text, ++at, call.column)) return false;
  call.close = at;
  return at < text.size() && text[at] == ')' && !call.file.empty();
}

}  // namespace

std::vector<TableCall> table_calls(std::string_view text) {
  std::vector<TableCall> out;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    TableCall call{at, 0, 0, {}, {}};
    if (stands_at(text, at) && read_call(text, call)) out.push_back(std::move(call));
  }
  return out;
}

std::string replace_tables(std::string_view text, SymbolTable& symbols) {
  std::string code(text);
  if (text.find(word) == std::string_view::npos) return code;
  for (const TableCall& call : table_calls(text)) {
    const std::string name = fmt::format("_tb{:03}", symbols.curves().size());  // as long as the word
    try {
      if (!symbols.files()) throw std::invalid_argument("files cannot be named here");
      symbols.add_curve(name, symbols.files()->curve(file_name(symbols.folder(), call.file), call.column));
    } catch (const std::invalid_argument& e) {
      throw ExpressionError(e.what(), call.begin);
    }
    code.replace(call.begin, word.size(), name);
    code.replace(call.comma, call.close - call.comma, call.close - call.comma, ' ');
  }
  for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1))
    if (stands_at(code, at))
      throw ExpressionError(
          fmt::format("interp takes an argument and a file, interp(t, \"file.csv\") or interp(t, "
                      "\"file.csv\", \"column\"), in \"{}\"",
                      text),
          at);
  return code;
}

}  // namespace thud::doc
