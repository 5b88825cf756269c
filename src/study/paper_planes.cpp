// Figures of publications: impulse planes of single impacts, side by side.
#include <fmt/format.h>

#include "draw/svg.hpp"
#include "paper_kinds.hpp"
#include "thud/base/format.hpp"
#include "thud/draw/impact_plane.hpp"

namespace thud {

namespace {

constexpr double width = 1600, gap = 16, foot = 24;
constexpr int columns = 2;

// The size that a picture says it has.
std::array<double, 2> size_of(const std::string& picture) {
  const auto number = [&](const char* key) {
    const std::size_t at = picture.find(key);
    return at == std::string::npos
             ? 0.0
             : leading_number(std::string_view(picture).substr(at + std::string_view(key).size()));
  };
  return {number(" width=\""), number(" height=\"")};
}

// A whole picture as a part of another one.
std::string placed(const std::string& picture, double left, double top, double wide, double high) {
  const auto [w, h] = size_of(picture);
  const std::size_t body = picture.find('>', picture.find("<svg"));
  const std::size_t end = picture.rfind("</svg>");
  return fmt::format("<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" {}>{}</svg>",
                     svg::px(left), svg::px(top), svg::px(wide), svg::px(high), svg::px(w), svg::px(h),
                     "font-family=\"Helvetica, Arial, sans-serif\"",
                     picture.substr(body + 1, end - body - 1));
}

std::string lay_out(const PaperFigure& figure, const std::vector<std::string>& planes) {
  const std::string subtitle = fmt::format("{}, redrawn with thud. {}", figure.source, figure.note);
  const double each = (width - gap * (columns + 1)) / columns;
  double high = 0;
  for (const std::string& picture : planes) {
    const auto [w, h] = size_of(picture);
    high = std::max(high, h * each / w);
  }
  const double top = svg::header_height(width, figure.title, subtitle) + gap, line = high + gap;
  const auto rows = (planes.size() + columns - 1) / columns;
  svg::Canvas canvas(width, top + static_cast<double>(rows) * line + foot, figure.title);
  canvas.header(figure.title, subtitle);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const double x = gap + static_cast<double>(k % columns) * (each + gap);
    const double y = top + static_cast<double>(k / columns) * line;
    const auto [w, h] = size_of(planes[k]);
    canvas.add(placed(planes[k], x, y, each, h * each / w));
  }
  return std::move(canvas).finish();
}

}  // namespace

void check_planes(const PaperFigure& figure) {
  for (const PaperImpact& impact : figure.impacts) {
    const Scenario s = load_figure_scenario(figure, impact.set);
    if (s.system->contacts().empty())
      throw figure_error(figure, fmt::format("nothing touches in scenario \"{}\"", figure.scenario));
  }
}

DrawnFigure draw_planes(const PaperFigure& figure, const RunRequest& request) {
  DrawnFigure out;
  std::vector<std::string> planes;
  for (const PaperImpact& wanted : figure.impacts) {
    const Scenario s = load_figure_scenario(figure, wanted.set);
    const RunResult result = run(s, request);
    if (result.outcome.reason == StopReason::cancelled) return out.cancelled = true, out;
    const auto i = static_cast<std::size_t>(wanted.number) - 1;
    if (i >= result.outcome.impacts.size()) {
      out.failed.push_back(fmt::format("{}: there is no impact {}", wanted.label, wanted.number));
      continue;
    }
    const ImpactRecord& impact = result.outcome.impacts[i];
    if (impact.result.name != wanted.name)
      out.failed.push_back(fmt::format("{}: impact {} is \"{}\", not \"{}\"", wanted.label, wanted.number,
                                       impact.result.name, wanted.name));
    planes.push_back(
        make_impact_svg(s, impact, wanted.number, fmt::format("{} {}", wanted.label, impact.result.name)));
  }
  out.svg = lay_out(figure, planes);
  return out;
}

}  // namespace thud
