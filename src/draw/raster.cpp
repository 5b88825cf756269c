// SVG to pixels, by librsvg and cairo.
#include "thud/draw/raster.hpp"

#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

namespace thud {

namespace {

// As librsvg and cairo declare them; what they point to is theirs.
struct RsvgRectangle {
  double x, y, width, height;
};
using PngSink = int (*)(void*, const unsigned char*, unsigned);
constexpr int rgb24 = 1;  // CAIRO_FORMAT_RGB24

}  // namespace

struct SvgRaster::Functions {
  void* (*new_from_data)(const std::uint8_t*, std::size_t, void**) = nullptr;
  int (*render_document)(void*, void*, const RsvgRectangle*, void**) = nullptr;
  void (*object_unref)(void*) = nullptr;
  void* (*surface_create)(int, int, int) = nullptr;
  void (*surface_flush)(void*) = nullptr;
  void (*surface_destroy)(void*) = nullptr;
  unsigned char* (*surface_data)(void*) = nullptr;
  int (*surface_stride)(void*) = nullptr;
  int (*surface_status)(void*) = nullptr;
  int (*write_png)(void*, PngSink, void*) = nullptr;
  void* (*create)(void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  void (*set_colour)(void*, double, double, double) = nullptr;
  void (*paint)(void*) = nullptr;

  Functions() {
    void* library = nullptr;
    for (const char* name : {"librsvg-2.so.2", "librsvg-2.2.dylib"})
      if (!library) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      throw RasterMissing("pixels are drawn by librsvg, which is not installed (Debian: librsvg2-2)");
    // A library is asked for what it depends on, too: cairo and GObject.
    const auto find = [&](auto*& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (!function) throw RasterMissing(std::string("librsvg is too old: it has no ") + name);
    };
    find(new_from_data, "rsvg_handle_new_from_data");
    find(render_document, "rsvg_handle_render_document");
    find(object_unref, "g_object_unref");
    find(surface_create, "cairo_image_surface_create");
    find(surface_flush, "cairo_surface_flush");
    find(surface_destroy, "cairo_surface_destroy");
    find(surface_data, "cairo_image_surface_get_data");
    find(surface_stride, "cairo_image_surface_get_stride");
    find(surface_status, "cairo_surface_status");
    find(write_png, "cairo_surface_write_to_png_stream");
    find(create, "cairo_create");
    find(destroy, "cairo_destroy");
    find(set_colour, "cairo_set_source_rgb");
    find(paint, "cairo_paint");
  }

  using Held = std::unique_ptr<void, void (*)(void*)>;

  Held draw(const std::string& svg, int width, int height) const {
    Held surface(surface_create(rgb24, width, height), surface_destroy);
    if (surface_status(surface.get()) != 0) throw std::runtime_error("the picture is too large");
    const Held handle(new_from_data(reinterpret_cast<const std::uint8_t*>(svg.data()), svg.size(), nullptr),
                      [](void*) {});
    if (!handle) throw std::runtime_error("librsvg cannot read the drawing");
    void* pen = create(surface.get());
    // A drawing that is not as high as a whole number of pixels leaves a part of one open.
    set_colour(pen, 1, 1, 1);
    paint(pen);
    const RsvgRectangle page{0, 0, static_cast<double>(width), static_cast<double>(height)};
    const int ok = render_document(handle.get(), pen, &page, nullptr);
    destroy(pen);
    object_unref(handle.get());
    if (!ok) throw std::runtime_error("librsvg cannot draw the picture");
    surface_flush(surface.get());
    return surface;
  }

  static const Functions& get() {
    static const Functions found;
    return found;
  }
};

SvgRaster::SvgRaster() : f_(Functions::get()) {}

Pixels SvgRaster::pixels(const std::string& svg, double width, double height, double scale) const {
  Pixels out{static_cast<int>(std::lround(width * scale)), static_cast<int>(std::lround(height * scale)), {}};
  const auto surface = f_.draw(svg, out.width, out.height);
  const unsigned char* data = f_.surface_data(surface.get());
  const int stride = f_.surface_stride(surface.get());
  out.rgb.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
  for (int y = 0; y < out.height; ++y)
    std::memcpy(out.rgb.data() + static_cast<std::ptrdiff_t>(y) * out.width,
                data + static_cast<std::ptrdiff_t>(y) * stride, 4 * static_cast<std::size_t>(out.width));
  for (std::uint32_t& p : out.rgb) p &= 0xFFFFFF;
  return out;
}

std::string SvgRaster::png(const std::string& svg, double width, double height, double scale) const {
  const auto surface = f_.draw(svg, static_cast<int>(std::lround(width * scale)),
                               static_cast<int>(std::lround(height * scale)));
  std::string out;
  const PngSink sink = [](void* text, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
    return 0;
  };
  if (f_.write_png(surface.get(), sink, &out) != 0) throw std::runtime_error("cairo cannot write the PNG");
  return out;
}

std::pair<double, double> svg_size(const std::string& svg) {
  std::pair<double, double> out{0, 0};
  const auto at = svg.find("viewBox=\"0 0 ");
  if (at == std::string::npos
      || std::sscanf(svg.c_str() + at, "viewBox=\"0 0 %lf %lf\"", &out.first, &out.second) != 2)
    throw std::logic_error("a drawing without a size");
  return out;
}

}  // namespace thud
