#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// Pictures of pixels, made from SVG: what is drawn is drawn once.
namespace thud {

/// Row by row from the top left, as 0xRRGGBB.
struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint32_t> rgb;
};

/// What draws pixels is not installed; what() says what to install.
class RasterMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Draws SVG by librsvg, which is looked for when the program runs: whoever wants no pixels needs neither it nor the forty
/// packages that building against it takes. Its few functions have been the same since 2019 (2.46).
class SvgRaster {
 public:
  /// Throws RasterMissing.
  SvgRaster();

  /// At `scale` pixels for a unit of the drawing. Throws std::runtime_error for what is no SVG.
  [[nodiscard]] Pixels pixels(const std::string& svg, double width, double height, double scale) const;
  [[nodiscard]] std::string png(const std::string& svg, double width, double height, double scale) const;

 private:
  struct Functions;
  const Functions& f_;
};

/// Width and height that an SVG of ours says it has.
[[nodiscard]] std::pair<double, double> svg_size(const std::string& svg);

}  // namespace thud
