#include "study/capture_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "thud/base/format.hpp"
#include "thud/study/measurement.hpp"

namespace thud {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

LineReader::LineReader(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
}

std::optional<TextLine> LineReader::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find_first_of("\n\r", at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    const bool both = text_.substr(end, 2) == "\r\n";
    at_ = end + (both ? 2 : 1);
    ++line_;
    const std::string_view content = trimmed(line);
    if (content.empty() || content.starts_with('#')) continue;
    return TextLine{line, line_};
  }
  return std::nullopt;
}

namespace {

class Splitter {
 public:
  Splitter(const TextLine& line, char separator, const std::string& file)
      : line_(line.text),
        number_(line.number),
        separator_(separator),
        file_(file) {}

  std::vector<Cell> split() const {
    std::vector<Cell> cells;
    std::size_t at = separator_ == ' ' ? first_after_blanks(0) : 0;
    for (bool more = true; more;) {
      const std::size_t begin = std::min(line_.find_first_not_of(" ", at), line_.size());
      std::size_t end = 0;
      if (begin < line_.size() && line_[begin] == '"')
        cells.push_back(quoted(begin, end));
      else
        cells.push_back(plain(at, end));
      at = separator_ == ' ' ? first_after_blanks(end) : end + 1;
      more = separator_ == ' ' ? at < line_.size() : end < line_.size();
    }
    return cells;
  }

 private:
  std::size_t first_after_blanks(std::size_t at) const {
    return std::min(line_.find_first_not_of(" \t", at), line_.size());
  }
  std::size_t end_of_cell(std::size_t at) const { return std::min(line_.find(separator_, at), line_.size()); }
  int column_of(std::size_t offset) const {
    return static_cast<int>(text_width(line_.substr(0, offset))) + 1;
  }
  InputError error(std::size_t offset, const std::string& message) const {
    return {{file_, number_, column_of(offset)}, message};
  }

  Cell plain(std::size_t at, std::size_t& end) const {
    end = end_of_cell(at);
    const std::string_view cell = line_.substr(at, end - at);
    const std::string_view content = trimmed(cell);
    const std::size_t lead = content.empty() ? 0 : static_cast<std::size_t>(content.data() - cell.data());
    return {std::string(content), column_of(at + lead)};
  }

  // "" is a quote.
  Cell quoted(std::size_t begin, std::size_t& end) const {
    std::string out;
    std::size_t i = begin + 1;
    for (;; ++i) {
      if (i >= line_.size()) throw error(begin, "a quote that is not closed on its line");
      if (line_[i] != '"')
        out += line_[i];
      else if (i + 1 < line_.size() && line_[i + 1] == '"')
        out += line_[++i];
      else
        break;
    }
    end = end_of_cell(i + 1);
    if (!trimmed(line_.substr(i + 1, end - i - 1)).empty())
      throw error(i + 1, "there is text behind the closing quote");
    return {std::string(trimmed(out)), column_of(begin + 1)};
  }

  std::string_view line_;
  int number_;
  char separator_;
  const std::string& file_;
};

}  // namespace

std::vector<Cell> split_line(const TextLine& line, char separator, const std::string& file) {
  return Splitter(line, separator, file).split();
}

MarkerHeading split_marker(const std::string& heading) {
  constexpr std::string_view separators = " _.:-";
  if (heading.size() < 2) return {};
  const char last = static_cast<char>(heading.back() | 0x20);
  if (last < 'x' || last > 'z') return {};
  const std::string before = heading.substr(0, heading.size() - 1);
  const std::size_t end = before.find_last_not_of(separators);
  if (end == std::string::npos) return {};
  const bool is_apart = end + 1 < before.size(), is_capital = heading.back() != last;
  const bool follows_digit = std::isdigit(static_cast<unsigned char>(before.back())) != 0;
  return {before.substr(0, end + 1), last - 'x', is_apart || is_capital || follows_digit};
}

std::optional<double> read_number(std::string_view text, char decimal) {
  std::string changed;
  if (decimal == ',') {
    if (text.find('.') != std::string_view::npos) return std::nullopt;
    changed = text;
    std::replace(changed.begin(), changed.end(), ',', '.');
    text = changed;
  }
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || rest != text.data() + text.size() || status != std::errc{} || !std::isfinite(value))
    return std::nullopt;
  return value;
}

bool is_gap(std::string_view text) { return text.empty() || lower(text) == "nan"; }

// A code may have been printed with fewer digits than it was declared with.
bool is_code(double value, const std::vector<double>& declared) {
  if (std::abs(value) >= largest_measurement) return true;
  return std::any_of(declared.begin(), declared.end(),
                     [&](double code) { return std::abs(value - code) <= 1e-6 * std::abs(code); });
}

}  // namespace thud
