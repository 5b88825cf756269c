#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace thud {

/// Dots of a picture for a terminal; one cell holds 2 × 4 of them in braille, one in plain text.
class Canvas {
 public:
  Canvas(int columns, int rows, bool braille)
      : columns_(columns),
        rows_(rows),
        sub_x_(braille ? 2 : 1),
        sub_y_(braille ? 4 : 1),
        cells_(static_cast<std::size_t>(columns) * rows, 0) {}

  int width() const { return columns_ * sub_x_; }
  int height() const { return rows_ * sub_y_; }

  void set(int x, int y) {
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    static constexpr int bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cells_[(y / sub_y_) * columns_ + x / sub_x_] |= bits[y % sub_y_][x % sub_x_];
  }

  void line(int x0, int y0, int x1, int y1) {
    const int n = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= n; ++i)
      set(x0 + static_cast<int>(std::lround(static_cast<double>(x1 - x0) * i / n)),
          y0 + static_cast<int>(std::lround(static_cast<double>(y1 - y0) * i / n)));
  }

  int row_of(int y) const { return y / sub_y_; }
  int cell(int row, int column) const { return cells_[row * columns_ + column]; }

 private:
  int columns_, rows_, sub_x_, sub_y_;
  std::vector<int> cells_;
};

/// The character with these dots.
inline std::string braille(int bits) {
  const int code = 0x2800 + bits;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace thud
