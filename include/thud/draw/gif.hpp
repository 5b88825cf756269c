#pragma once

#include <span>
#include <string>

#include "thud/draw/raster.hpp"

namespace thud {

/// An animated GIF that goes on for ever: one palette for all frames, and of every frame what has changed.
///
/// By hand: of the libraries that Debian has for it, giflib leaves to its user all but the hundred bytes of LZW.
class GifWriter {
 public:
  /// The palette holds the most frequent colours of `samples`, at five bits a channel.
  explicit GifWriter(std::span<const Pixels> samples);

  /// Shown for so many hundredths of a second. Throws std::invalid_argument for a frame of another size.
  void add(const Pixels& frame, int hundredths);
  [[nodiscard]] std::string finish() &&;

 private:
  struct Part {
    int x = 0, y = 0, width = 1, height = 1;
  };
  std::uint8_t index_of(std::uint32_t rgb);
  Part changed(const std::vector<std::uint8_t>& now) const;
  void put16(int value);
  void put_compressed(const std::vector<std::uint8_t>& data);

  int width_, height_;
  std::vector<std::uint32_t> palette_;
  std::vector<int> nearest_;  // of all colours of five bits a channel; -1: not yet known
  std::vector<std::uint8_t> last_;
  std::string out_;
};

}  // namespace thud
