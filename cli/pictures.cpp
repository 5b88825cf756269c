#include "pictures.hpp"

#include "thud/base/error.hpp"
#include "thud/draw/raster.hpp"
#include "thud/store/file.hpp"

namespace thud::cli {

namespace {

void check(const std::string& option, const std::string& file) {
  if (file.empty()) return;
  const Place place{option + " " + file, 0, 0};
  try {
    const AtomicFile probe(file);
    (void)SvgRaster();
  } catch (const OutputError& e) {
    throw InputError(place, e.what());
  } catch (const RasterMissing& e) {
    throw InputError(place, e.what());
  }
}

}  // namespace

void check_pictures(const std::string& png, const std::string& gif) {
  check("--png", png);
  check("--gif", gif);
}

void write_png(const std::string& file, const std::string& svg) {
  const auto [width, height] = svg_size(svg);
  write_file(file, SvgRaster().png(svg, width, height, 2));
}

void write_gif(const std::string& file, const Film& film) { write_file(file, make_gif(film)); }

}  // namespace thud::cli
