// GIF 89a (CompuServe, 1990), with LZW after Welch 1984.
#include "thud/draw/gif.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace thud {

namespace {

constexpr std::size_t gif_colours = 255, five_bits = 32768;
constexpr std::uint8_t unchanged = 255;  // what is below shows through

std::size_t in_five_bits(std::uint32_t rgb) {
  return ((rgb >> 9) & 0x7C00) | ((rgb >> 6) & 0x03E0) | ((rgb >> 3) & 0x001F);
}

std::uint32_t from_five_bits(std::size_t key) {
  const auto channel = [](std::size_t v) { return static_cast<std::uint32_t>((v << 3) | (v >> 2)); };
  return (channel((key >> 10) & 31) << 16) | (channel((key >> 5) & 31) << 8) | channel(key & 31);
}

std::vector<std::uint32_t> frequent_colours(std::span<const Pixels> samples) {
  std::vector<std::size_t> count(five_bits), order(five_bits);
  for (const Pixels& p : samples)
    for (const std::uint32_t rgb : p.rgb) ++count[in_five_bits(rgb)];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return count[a] > count[b]; });
  std::vector<std::uint32_t> out;
  for (std::size_t k = 0; k < gif_colours && count[order[k]] > 0; ++k)
    out.push_back(from_five_bits(order[k]));
  return out;
}

int square(int x) { return x * x; }

}  // namespace

GifWriter::GifWriter(std::span<const Pixels> samples)
    : width_(samples.front().width),
      height_(samples.front().height),
      palette_(frequent_colours(samples)),
      nearest_(five_bits, -1) {
  out_ = "GIF89a";
  put16(width_), put16(height_);
  out_ += std::string("\xF7\0\0", 3);  // a palette of 256
  for (std::size_t k = 0; k <= gif_colours; ++k) {
    const std::uint32_t c = k < palette_.size() ? palette_[k] : 0;
    for (const int shift : {16, 8, 0}) out_ += static_cast<char>((c >> shift) & 255);
  }
  out_ += std::string("\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);  // for ever
}

void GifWriter::put16(int value) {
  out_ += static_cast<char>(value & 255);
  out_ += static_cast<char>((value >> 8) & 255);
}

std::uint8_t GifWriter::index_of(std::uint32_t rgb) {
  int& found = nearest_[in_five_bits(rgb)];
  if (found >= 0) return static_cast<std::uint8_t>(found);
  const auto channel = [](std::uint32_t c, int shift) { return static_cast<int>((c >> shift) & 255); };
  int least = std::numeric_limits<int>::max();
  for (std::size_t k = 0; k < palette_.size(); ++k) {
    int off = 0;
    for (const int shift : {16, 8, 0}) off += square(channel(palette_[k], shift) - channel(rgb, shift));
    if (off < least) least = off, found = static_cast<int>(k);
  }
  return static_cast<std::uint8_t>(found);
}

GifWriter::Part GifWriter::changed(const std::vector<std::uint8_t>& now) const {
  if (last_.empty()) return {0, 0, width_, height_};
  int left = width_, right = -1, top = height_, bottom = -1;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == last_[i]) continue;
    const int x = static_cast<int>(i) % width_, y = static_cast<int>(i) / width_;
    left = std::min(left, x), right = std::max(right, x);
    top = std::min(top, y), bottom = y;
  }
  return right < 0 ? Part{} : Part{left, top, right - left + 1, bottom - top + 1};
}

void GifWriter::add(const Pixels& frame, int hundredths) {
  if (frame.width != width_ || frame.height != height_)
    throw std::invalid_argument("GifWriter: frames differ in size");
  std::vector<std::uint8_t> now;
  now.reserve(frame.rgb.size());
  for (const std::uint32_t rgb : frame.rgb) now.push_back(index_of(rgb));
  const Part p = changed(now);
  std::vector<std::uint8_t> part;
  for (int y = p.y; y < p.y + p.height; ++y) {
    const std::size_t from = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
    for (int x = p.x; x < p.x + p.width; ++x) {
      const std::size_t i = from + static_cast<std::size_t>(x);
      part.push_back(!last_.empty() && now[i] == last_[i] ? unchanged : now[i]);
    }
  }
  last_ = std::move(now);
  out_ += "\x21\xF9\x04\x05";  // stays below what follows
  put16(hundredths);
  out_ += static_cast<char>(unchanged);
  out_ += std::string("\0\x2C", 2);
  put16(p.x), put16(p.y), put16(p.width), put16(p.height);
  out_ += '\0';
  put_compressed(part);
}

// Codes of 9 to 12 bits, in blocks of 255 bytes.
void GifWriter::put_compressed(const std::vector<std::uint8_t>& data) {
  constexpr int clear = 256, end = 257, first = 258, full = 4096;
  std::vector<std::int16_t> table(static_cast<std::size_t>(full) * 256, -1);
  std::string bytes;
  std::uint32_t buffer = 0;
  int held = 0, next = first, size = 9;
  const auto put = [&](int code, int bits) {
    buffer |= static_cast<std::uint32_t>(code) << held;
    for (held += bits; held >= 8; held -= 8, buffer >>= 8) bytes += static_cast<char>(buffer & 255);
  };
  put(clear, size);
  int prefix = data.front();
  for (std::size_t i = 1; i < data.size(); ++i) {
    std::int16_t& longer = table[static_cast<std::size_t>(prefix) * 256 + data[i]];
    if (longer >= 0) {
      prefix = longer;
      continue;
    }
    put(prefix, size);
    if (next == full) {
      put(clear, size);
      std::fill(table.begin(), table.end(), std::int16_t{-1});
      next = first, size = 9;
    } else {
      if (next == 1 << size) ++size;
      longer = static_cast<std::int16_t>(next++);
    }
    prefix = data[i];
  }
  put(prefix, size);
  put(end, size);
  put(0, 7);
  out_ += '\x08';
  for (std::size_t at = 0; at < bytes.size(); at += 255) {
    const std::size_t count = std::min<std::size_t>(255, bytes.size() - at);
    out_ += static_cast<char>(count);
    out_.append(bytes, at, count);
  }
  out_ += '\0';
}

std::string GifWriter::finish() && { return std::move(out_) + '\x3B'; }

}  // namespace thud
