// Pictures of a fit: measured points with fitted curves, and residuals, as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "draw/frame.hpp"
#include "thud/study/fit.hpp"

namespace thud {

namespace {

using namespace svg;
using Residuals = std::vector<const FitResidual*>;

constexpr double width = 720, plot_height = 420, line_height = 17, name_size = 11.5;
constexpr std::size_t most_named = 24;

// One observable in all files against time; the files are named below.
class FitFigure {
 public:
  FitFigure(const Residuals& all, const FigureAxis& y, const Range& y_range, std::string title,
            std::string subtitle)
      : all_(all),
        time_(suit_axis("time", "s", all.front()->curve_time)),
        y_(y),
        canvas_(width, height(), title),
        frame_(make_frame(y_range, title, subtitle)) {
    canvas_.header(title, subtitle);
    frame_.draw_grid(canvas_);
  }

  void level(double y, const char* dashes) {
    const double at = frame_.y()(y * y_.factor);
    canvas_.line({frame_.box().left, at}, {frame_.box().right, at},
                 fmt::format("stroke=\"{}\" stroke-width=\"1\" stroke-dasharray=\"{}\"", faint, dashes));
  }

  void curve(std::size_t k) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < all_[k]->curve_time.size(); ++i)
      points.push_back(at(all_[k]->curve_time[i], all_[k]->curve[i]));
    canvas_.polyline(points, fmt::format("stroke=\"{}\" stroke-width=\"1.3\"", colour(k)));
  }

  void points(std::size_t k, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      canvas_.add(marker(k, at(all_[k]->time[i], values[i]), 5, colour(k)));
  }

  std::string finish(const std::vector<std::string>& names) && {
    frame_.draw_axes(canvas_, false);
    const double column = 0.5 * (width - 40);
    for (std::size_t k = 0; k < std::min(names.size(), most_named); ++k) {
      const double x = 28 + column * static_cast<double>(k % 2);
      const double y = plot_height + line_height * (static_cast<double>(k / 2) + 1);
      canvas_.add(marker(k, {x, y - 4}, 7, colour(k)));
      canvas_.text(x + 10, y, names[k], {.size = name_size});
    }
    if (names.size() > most_named)
      canvas_.text(28, height() - 8, fmt::format("and {} more", names.size() - most_named),
                   {.size = name_size});
    return std::move(canvas_).finish();
  }

 private:
  double height() const {
    const std::size_t named = std::min(all_.size(), most_named);
    const std::size_t lines = (named + 1) / 2 + (all_.size() > most_named ? 1 : 0);
    return plot_height + line_height * static_cast<double>(lines) + 12;
  }

  PlotFrame make_frame(const Range& y_range, std::string_view title, std::string_view subtitle) const {
    Range x{};
    for (const FitResidual* r : all_) x = united(x, range_of(r->curve_time, time_.factor));
    const Box outer{14, header_height(width, title, subtitle) + 14, width - 24, plot_height - 8};
    return {outer, time_, y_, padded(x, 0.01), padded(y_range, 0.04)};
  }

  static std::string colour(std::size_t k) { return distinct(k).hex(); }
  Point at(double t, double y) const { return frame_.at(t * time_.factor, y * y_.factor); }

  const Residuals& all_;
  FigureAxis time_, y_;
  Canvas canvas_;
  PlotFrame frame_;
};

std::string draw_fit(const std::string& observable, const Residuals& all) {
  std::vector<double> values;
  std::vector<std::string> names;
  for (const FitResidual* r : all) {
    values.insert(values.end(), r->curve.begin(), r->curve.end());
    values.insert(values.end(), r->measured.begin(), r->measured.end());
    names.push_back(r->file);
  }
  const FigureAxis axis = suit_axis(observable, all.front()->unit, values);
  FitFigure figure(all, axis, range_of(values, axis.factor), observable,
                   "measured (points) and fitted (curves)");
  for (std::size_t k = 0; k < all.size(); ++k) {
    figure.curve(k);
    figure.points(k, all[k]->measured);
  }
  return std::move(figure).finish(names);
}

std::string draw_residuals(const std::string& observable, const Residuals& all) {
  std::vector<double> values = {0};
  std::vector<std::vector<double>> differences;
  std::vector<std::string> names;
  double squares = 0, count = 0;
  for (const FitResidual* r : all) {
    std::vector<double>& d = differences.emplace_back();
    for (std::size_t i = 0; i < r->time.size(); ++i) d.push_back(r->measured[i] - r->fitted[i]);
    values.insert(values.end(), d.begin(), d.end());
    names.push_back(fmt::format("{}, correlation of neighbours {:+.2f}", r->file, r->lag_one));
    squares += r->rms * r->rms * static_cast<double>(r->time.size());
    count += static_cast<double>(r->time.size());
  }
  const double rms = std::sqrt(squares / std::max(count, 1.0));
  values.insert(values.end(), {-2 * rms, 2 * rms});
  const FigureAxis axis = suit_axis(observable + ", measured less fitted", all.front()->unit, values);
  FitFigure figure(all, axis, range_of(values, axis.factor), "Residuals of " + observable,
                   fmt::format("rms {}; dashed: twice that", show_quantity(rms, all.front()->unit, {}, 3)));
  figure.level(0, "none");
  figure.level(2 * rms, "5 4");
  figure.level(-2 * rms, "5 4");
  for (std::size_t k = 0; k < all.size(); ++k) figure.points(k, differences[k]);
  return std::move(figure).finish(names);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> make_fit_pictures(const FitResult& result) {
  std::vector<std::string> observables;
  for (const FitResidual& r : result.residuals)
    if (std::find(observables.begin(), observables.end(), r.observable) == observables.end())
      observables.push_back(r.observable);
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& observable : observables) {
    Residuals all;
    for (const FitResidual& r : result.residuals)
      if (r.observable == observable) all.push_back(&r);
    out.emplace_back(observable + ".fit.svg", draw_fit(observable, all));
    out.emplace_back(observable + ".residuals.svg", draw_residuals(observable, all));
  }
  return out;
}

}  // namespace thud
