#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thud {

/// What a text for people may use.
struct TextStyle {
  bool unicode = true;
  bool colour = false;
  int width = 80;

  /// Wraps text in an ANSI colour or weight: "bold", "dim", "red", "green", "yellow", "blue", "cyan".
  [[nodiscard]] std::string paint(std::string_view kind, std::string_view text) const;
  /// The unit as people write it: "m/s²" for "m/s2", "µs" for "us".
  [[nodiscard]] std::string unit(std::string_view ascii) const;
};

/// A unit that suits the size of a value.
struct ShownUnit {
  double factor = 1;  ///< shown = SI value · factor
  std::string unit;   ///< in ASCII
};

/// mm for small lengths, ms for short times, deg for angles, ...; the SI unit where that reads well.
[[nodiscard]] ShownUnit suit_unit(double size, std::string_view si_unit);

/// Six significant digits unless told otherwise; no "-0".
[[nodiscard]] std::string show_number(double x, int digits = 6);
/// The number that a text begins with, with a point whatever the locale; 0 where there is none.
[[nodiscard]] double leading_number(std::string_view text);
/// A value in a unit that suits it, "41.2312 ms".
[[nodiscard]] std::string show_quantity(double x, std::string_view si_unit, const TextStyle& style,
                                        int digits = 6);

/// Control characters but line breaks and tabs as "\\x1b": what files and names hold commands no terminal.
[[nodiscard]] std::string without_controls(std::string_view text);
/// The first of them, as it is written there; "" when there is none.
[[nodiscard]] std::string first_control(std::string_view text);

/// Number of characters of UTF-8 text.
[[nodiscard]] std::size_t text_width(std::string_view text);
/// Filled with blanks up to a width.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);
/// Cut to a width, ending in "…" or "..." when something was cut.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width, const TextStyle& style);
/// Broken between words into lines of at most `width`, each after `indent` blanks; ends with a line break.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t indent, std::size_t width);
/// The same for items that are not to be broken, with a separator between them.
[[nodiscard]] std::string join_wrapped(const std::vector<std::string>& items, std::string_view separator,
                                       std::size_t indent, std::size_t width);
/// A line that begins with `left` and goes on with `text` (dim), wrapped under where it began.
[[nodiscard]] std::string hang(const std::string& left, std::string_view text, const TextStyle& style);

}  // namespace thud
