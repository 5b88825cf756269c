#include "draw/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"

namespace thud::svg {

namespace {

constexpr double margin = 18, title_size = 15, subtitle_size = 12;

std::vector<std::string> wrapped(std::string_view text, double width, double size) {
  const double mean_letter = 0.56 * size;
  std::vector<std::string> lines;
  const auto columns = static_cast<std::size_t>(std::max(8.0, (width - 2 * margin) / mean_letter));
  std::string all = wrap(text, 0, columns);
  while (!all.empty()) {
    const std::size_t end = all.find('\n');
    lines.push_back(shorten(all.substr(0, end), columns, TextStyle{}));
    all.erase(0, end == std::string::npos ? all.size() : end + 1);
  }
  return lines;
}

double channel(double c) { return c <= 0.04045 ? c / 12.92 : portable::pow((c + 0.055) / 1.055, 2.4); }

Colour from_hex(unsigned rgb) {
  return {((rgb >> 16) & 255) / 255.0, ((rgb >> 8) & 255) / 255.0, (rgb & 255) / 255.0};
}

}  // namespace

std::string px(double x) {
  std::string text = fmt::format("{:.2f}", x);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;  // XML has no other control characters
    }
  return out;
}

double text_length(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
    ems += std::string_view("iljtf.,:;|!'()[] ").find(c) != std::string_view::npos ? 0.34
         : std::string_view("mwMW%@").find(c) != std::string_view::npos            ? 0.92
                                                                                   : 0.6;
  }
  return ems * size;
}

std::string with_unit(std::string_view label, std::string_view ascii_unit) {
  if (ascii_unit.empty()) return std::string(label);
  return fmt::format("{}{}({})", label, label.empty() ? "" : " ", TextStyle{}.unit(ascii_unit));
}

std::string Colour::hex() const {
  const auto byte = [](double c) { return std::clamp(static_cast<int>(std::lround(255 * c)), 0, 255); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(red), byte(green), byte(blue));
}

double Colour::lightness() const {
  return 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
}

namespace {
Colour between(const std::array<unsigned, 9>& stops, double t) {
  const double s = std::clamp(t, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(s), stops.size() - 2);
  const Colour a = from_hex(stops[k]), b = from_hex(stops[k + 1]);
  const double u = s - static_cast<double>(k);
  return {std::lerp(a.red, b.red, u), std::lerp(a.green, b.green, u), std::lerp(a.blue, b.blue, u)};
}
}  // namespace

Colour viridis(double t) {
  return between({0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725},
                 t);
}

Colour blue_to_red(double t) {
  return between({0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b},
                 t);
}

Colour distinct(std::size_t k) {
  static constexpr std::array<unsigned, 7> colours{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                                   0x56b4e9, 0xe69f00, 0x222222};
  return from_hex(colours[k % colours.size()]);
}

Canvas::Canvas(double width, double height, std::string_view title) : width_(width), height_(height) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n",
      px(width), px(height));
  if (!title.empty()) out_ += fmt::format("<title>{}</title>\n", escape(title));
  rect({0, 0, width, height}, "fill=\"#ffffff\"");
}

void Canvas::add(std::string_view element) { (out_ += element) += '\n'; }

void Canvas::text(double x, double y, std::string_view content, const TextLook& look) {
  std::string turn;
  if (look.angle != 0) turn = fmt::format(" transform=\"rotate({} {} {})\"", px(look.angle), px(x), px(y));
  add(fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}{}{}>{}</text>", px(x), px(y), px(look.size),
      look.fill,
      look.anchor == std::string_view("start") ? "" : fmt::format(" text-anchor=\"{}\"", look.anchor),
      look.bold ? " font-weight=\"600\"" : "", turn, escape(content)));
}

void Canvas::line(Point a, Point b, std::string_view look) {
  add(fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>", px(a[0]), px(a[1]), px(b[0]),
                  px(b[1]), look));
}

void Canvas::rect(const Box& b, std::string_view look) {
  add(fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>", px(b.left), px(b.top),
                  px(b.width()), px(b.height()), look));
}

void Canvas::polyline(std::span<const Point> points, std::string_view look) {
  if (points.size() < 2) return;
  std::string list, last;
  for (const Point& p : points) {
    std::string corner = px(p[0]) + "," + px(p[1]);
    if (corner == last) continue;
    list += (list.empty() ? "" : " ") + corner;
    last = std::move(corner);
  }
  if (list.find(' ') == std::string::npos) return;
  add(fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>", list, look));
}

void Canvas::header(std::string_view title, std::string_view subtitle) {
  double y = 8;
  for (const std::string& l : wrapped(title, width_, title_size))
    text(margin, y += title_size + 5, l, {.size = title_size, .bold = true});
  for (const std::string& l : wrapped(subtitle, width_, subtitle_size))
    text(margin, y += subtitle_size + 5, l, {.size = subtitle_size, .fill = faint});
}

double header_height(double width, std::string_view title, std::string_view subtitle) {
  return 8 + static_cast<double>(wrapped(title, width, title_size).size()) * (title_size + 5)
       + static_cast<double>(wrapped(subtitle, width, subtitle_size).size()) * (subtitle_size + 5);
}

std::string Canvas::finish() && { return std::move(out_) + "</svg>\n"; }

std::string marker(std::size_t kind, Point at, double size, const std::string& fill) {
  const double r = size / 2, x = at[0], y = at[1];
  const std::string look = fmt::format("fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"0.7\"", fill);
  const auto shape = [&](std::initializer_list<Point> corners) {
    std::string d;
    for (const Point& c : corners)
      d += fmt::format("{}{} {}", d.empty() ? "M" : "L", px(x + r * c[0]), px(y + r * c[1]));
    return fmt::format("<path d=\"{}Z\" {}/>", d, look);
  };
  switch (kind % 5) {
    case 0: return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>", px(x), px(y), px(r), look);
    case 1: return shape({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case 2: return shape({{0, -1.15}, {1.1, 0.85}, {-1.1, 0.85}});
    case 3: return shape({{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}});
    default: return shape({{0, 1.15}, {1.1, -0.85}, {-1.1, -0.85}});
  }
}

}  // namespace thud::svg
