#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "thud/base/error.hpp"

namespace thud {

/// Text without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);

struct Cell {
  std::string text;
  int column;  ///< where its content begins, in characters from 1
};

/// A line that is neither empty nor a comment.
struct TextLine {
  std::string_view text;
  int number = 0;
};

/// Goes through a text line by line; line ends of all kinds, comments behind a hash, a mark of byte order.
class LineReader {
 public:
  explicit LineReader(std::string_view text);
  std::optional<TextLine> next();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 0;
};

/// A line into cells. Cells may be quoted as RFC 4180 has it, within a line. A blank as separator stands for any number
/// of them. Throws InputError.
[[nodiscard]] std::vector<Cell> split_line(const TextLine& line, char separator, const std::string& file);

/// A heading taken for the coordinate of a marker: "M1 X", "M1_x", "M1.X", "M1:X", "M1X".
struct MarkerHeading {
  std::string marker;
  int axis = -1;         ///< 0 to 2; −1: it is none
  bool is_sure = false;  ///< else, as in "index", the last letter may belong to a word
};
[[nodiscard]] MarkerHeading split_marker(const std::string& heading);

/// The number that a cell holds; none when it holds something else. `decimal` is '.' or ','.
[[nodiscard]] std::optional<double> read_number(std::string_view text, char decimal);

/// Empty, or nan.
[[nodiscard]] bool is_gap(std::string_view text);

/// Whether a number, as it stands in the file, says that something was not seen: one of the declared, or one beyond all
/// measurement.
[[nodiscard]] bool is_code(double value, const std::vector<double>& declared);

}  // namespace thud
