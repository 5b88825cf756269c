#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thud::svg {

using Point = std::array<double, 2>;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

/// A coordinate with at most two decimals; no "-0".
[[nodiscard]] std::string px(double x);
[[nodiscard]] std::string escape(std::string_view text);
/// The width of a text in a sans-serif face, rather too wide than too narrow.
[[nodiscard]] double text_length(std::string_view text, double size);
/// "label (unit)".
[[nodiscard]] std::string with_unit(std::string_view label, std::string_view ascii_unit);

struct Colour {
  double red = 0, green = 0, blue = 0;  ///< 0 to 1

  [[nodiscard]] std::string hex() const;
  [[nodiscard]] double lightness() const;  ///< relative luminance, 0 to 1
};
/// A perceptually uniform scale from dark blue over green to yellow (viridis), 0 ≤ t ≤ 1.
[[nodiscard]] Colour viridis(double t);
/// From blue by white to red (ColorBrewer's RdBu), 0 ≤ t ≤ 1.
[[nodiscard]] Colour blue_to_red(double t);
/// Colours that people with any colour vision tell apart (Okabe & Ito).
[[nodiscard]] Colour distinct(std::size_t k);

inline constexpr const char* ink = "#222222";
inline constexpr const char* faint = "#666666";
inline constexpr const char* grid_colour = "#e4e4e4";

struct TextLook {
  double size = 12;
  const char* anchor = "start";
  std::string fill = ink;
  bool bold = false;
  double angle = 0;  ///< degrees, clockwise, about (x, y)
};

/// Where a line goes and what it looks like: attributes as SVG has them.
class Canvas {
 public:
  Canvas(double width, double height, std::string_view title);

  double width() const { return width_; }
  double height() const { return height_; }

  void add(std::string_view element);
  void text(double x, double y, std::string_view content, const TextLook& look = {});
  void line(Point a, Point b, std::string_view look);
  void rect(const Box& box, std::string_view look);
  /// A chain of straight pieces; nothing for fewer than two points.
  void polyline(std::span<const Point> points, std::string_view look);
  /// Title and subtitle at the top left, wrapped to the width.
  void header(std::string_view title, std::string_view subtitle);

  [[nodiscard]] std::string finish() &&;

 private:
  double width_, height_;
  std::string out_;
};

/// The height that Canvas::header takes.
[[nodiscard]] double header_height(double width, std::string_view title, std::string_view subtitle);

/// A marker of about `size` pixels around a point; shapes differ with `kind`.
[[nodiscard]] std::string marker(std::size_t kind, Point at, double size, const std::string& fill);

}  // namespace thud::svg
