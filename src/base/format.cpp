#include "thud/base/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace thud {

namespace {

struct Suit {
  std::string_view si;
  double from;  // smallest size for this unit
  double factor;
  const char* unit;
};

constexpr std::array suits{
    Suit{"s", 0.9995, 1, "s"},
    Suit{"s", 0.9995e-3, 1e3, "ms"},
    Suit{"s", 0, 1e6, "us"},
    Suit{"m", 0.9995, 1, "m"},
    Suit{"m", 0.9995e-4, 1e3, "mm"},
    Suit{"m", 0, 1e6, "um"},
    Suit{"m/s", 0.01, 1, "m/s"},
    Suit{"m/s", 0, 1e3, "mm/s"},
    Suit{"rad", 0, 180 / std::numbers::pi, "deg"},
    Suit{"N", 0.9995e4, 1e-3, "kN"},
    Suit{"N", 0.0995, 1, "N"},
    Suit{"N", 0, 1e3, "mN"},
    Suit{"Pa", 0.9995e6, 1e-6, "MPa"},
    Suit{"Pa", 0.9995e3, 1e-3, "kPa"},
    Suit{"N m", 0.0995, 1, "N m"},
    Suit{"N m", 0, 1e3, "mN m"},
    Suit{"J", 0.9995e4, 1e-3, "kJ"},
    Suit{"J", 0.9995, 1, "J"},
    Suit{"J", 0.9995e-4, 1e3, "mJ"},
    Suit{"J", 0, 1e6, "uJ"},
    Suit{"kg", 0.9995, 1, "kg"},
    Suit{"kg", 0, 1e3, "g"},
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Where the character number n begins.
std::size_t offset_of(std::string_view text, std::size_t n) {
  std::size_t i = 0;
  for (; i < text.size(); ++i)
    if (!is_continuation(text[i]) && n-- == 0) break;
  return i;
}

}  // namespace

std::string TextStyle::paint(std::string_view kind, std::string_view text) const {
  if (!colour || text.empty()) return std::string(text);
  const char* code = kind == "bold"   ? "1"
                   : kind == "dim"    ? "2"
                   : kind == "red"    ? "31"
                   : kind == "green"  ? "32"
                   : kind == "yellow" ? "33"
                   : kind == "blue"   ? "34"
                                      : "36";
  const std::size_t end = text.find_last_not_of('\n') + 1;  // colour ends before the line does
  return fmt::format("\x1b[{}m{}\x1b[0m{}", code, text.substr(0, end), text.substr(end));
}

std::string TextStyle::unit(std::string_view ascii) const {
  std::string text(ascii);
  if (!unicode) return text;
  if (text == "us" || text == "um" || text == "uJ") text = "µ" + text.substr(1);
  if (text == "deg") return "°";
  for (const char* base : {"m", "s"}) {
    text = replaced(text, std::string(base) + "^2", std::string(base) + "²");
    text = replaced(text, std::string(base) + "2", std::string(base) + "²");
    text = replaced(text, std::string(base) + "^3", std::string(base) + "³");
    text = replaced(text, std::string(base) + "3", std::string(base) + "³");
  }
  return text;
}

ShownUnit suit_unit(double size, std::string_view si_unit) {
  const double x = std::abs(size);
  for (const Suit& s : suits) {
    if (s.si != si_unit) continue;
    if (x >= s.from && (x > 0 || s.factor == 1 || s.si == "rad")) return {s.factor, s.unit};
    if (!(x > 0) && s.factor == 1) return {1, s.unit};
  }
  return {1, std::string(si_unit)};
}

std::string show_number(double x, int digits) { return fmt::format("{:.{}g}", x + 0.0, digits); }

std::string show_quantity(double x, std::string_view si_unit, const TextStyle& style, int digits) {
  const ShownUnit u = suit_unit(x, si_unit);
  const std::string number = show_number(x * u.factor, digits), unit = style.unit(u.unit);
  if (unit.empty()) return number;
  return number + (unit == "°" ? "" : " ") + unit;
}

double leading_number(std::string_view text) {
  double x = 0;
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}

namespace {

// How many bytes at the front are a control character that text has no use for.
std::size_t control_at(std::string_view text) {
  const auto c = static_cast<unsigned char>(text.front());
  const bool ends_line = c == '\n' || (c == '\r' && text.substr(1).starts_with('\n'));
  if (c < 0x20) return c == '\t' || ends_line ? 0 : 1;
  if (c == 0x7f) return 1;
  const bool is_high = c == 0xc2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xa0;
  return is_high ? 2 : 0;
}

std::string control_text(std::string_view control) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(control.back()));
}

}  // namespace

std::string first_control(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1))
    if (const std::size_t n = control_at(text)) return control_text(text.substr(0, n));
  return {};
}

std::string without_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = control_at(text);
    if (n > 0)
      out += control_text(text.substr(0, n));
    else
      out += text.front();
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  std::size_t n = 0;
  for (char c : text) n += !is_continuation(c);
  return n;
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t n = text_width(text);
  return std::string(text) + std::string(n < width ? width - n : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t n = text_width(text);
  return std::string(n < width ? width - n : 0, ' ') + std::string(text);
}

std::string shorten(std::string_view text, std::size_t width, const TextStyle& style) {
  if (text_width(text) <= width) return std::string(text);
  const std::string mark = style.unicode ? "…" : "...";
  const std::size_t kept = width > text_width(mark) ? width - text_width(mark) : 0;
  return std::string(text.substr(0, offset_of(text, kept))) + mark;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t width) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n\t"), text.size());
    const std::string_view word = text.substr(0, end);
    if (word.starts_with('%') && !words.empty())
      words.back().append(" ").append(word);  // stays with its number
    else if (!word.empty())
      words.emplace_back(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return join_wrapped(words, " ", indent, width);
}

std::string join_wrapped(const std::vector<std::string>& items, std::string_view separator,
                         std::size_t indent, std::size_t width) {
  std::string out, line;
  // A separator that ends a line loses its blanks.
  const std::string ending(separator.substr(0, separator.find_last_not_of(' ') + 1));
  for (const std::string& item : items) {
    const std::size_t length =
        text_width(line) + text_width(separator) + text_width(item) + text_width(ending);
    if (!line.empty() && indent + length > width) {
      out += std::string(indent, ' ') + line + ending + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : std::string(separator)) + item;
  }
  return line.empty() ? out : out + std::string(indent, ' ') + line + "\n";
}

std::string hang(const std::string& left, std::string_view text, const TextStyle& style) {
  const std::size_t indent = text_width(left), width = static_cast<std::size_t>(style.width);
  // Where little room is left, a long line is easier to read than many short ones.
  std::string lines = wrap(text, indent, std::max(width, indent + 24));
  if (lines.empty()) {
    std::string line = left;
    while (line.ends_with(' ')) line.pop_back();
    return line + "\n";
  }
  lines.erase(0, indent);
  lines.pop_back();
  return left + style.paint("dim", lines) + "\n";
}

}  // namespace thud
