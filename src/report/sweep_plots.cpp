#include "thud/report/sweep_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "thud/report/summary.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/store/file.hpp"

namespace thud {

namespace {

constexpr std::int64_t most_map_points = 1'000'000, most_curve_points = 1'000'000, most_curves = 40;

bool is_grid(const Study& s) { return s.design.kind == Design::Kind::grid; }

// A knob that has several numbers as values.
const VariedKnob* axis_knob(const Study& s, const std::string& name) {
  const VariedKnob* v = s.find_varied(name);
  return v && v->knob.choices.empty() ? v : nullptr;
}

void check_map(const Study& s, const StudyPlot& p) {
  const VariedKnob *x = axis_knob(s, p.x), *y = axis_knob(s, p.y);
  if (!is_grid(s) || !x || !y || x == y)
    throw InputError(p.place, "a map needs a grid, with two knobs that are numbers for x and y");
  for (const VariedKnob& v : s.vary)
    if (&v != x && &v != y && v.distribution.size() > 1)
      throw InputError(p.place,
                       fmt::format("a map has no place for the {} values of \"{}\": set it under [set]",
                                   v.distribution.size(), v.knob.name));
  if (x->distribution.size() < 2 || y->distribution.size() < 2)
    throw InputError(p.place, "a map needs at least two values along x and along y");
  if (x->distribution.size() * y->distribution.size() > most_map_points)
    throw InputError(p.place, fmt::format("a map of more than {} points cannot be drawn", most_map_points));
}

void check_curves(const Study& s, const StudyPlot& p) {
  std::int64_t runs = is_grid(s) ? 1 : s.design.runs;
  if (is_grid(s))
    for (const VariedKnob& v : s.vary) runs *= v.distribution.size();
  if (runs > most_curve_points)
    throw InputError(p.place,
                     fmt::format("curves through more than {} points cannot be drawn", most_curve_points));
  if (p.by.empty()) return;
  const VariedKnob* by = s.find_varied(p.by);
  if (!by || by->distribution.size() == 0)
    throw InputError(p.place, "\"by\" must be a knob with grid = [...] or list = [...]");
  if (by->distribution.size() > most_curves)
    throw InputError(p.place, fmt::format("{} curves cannot be told apart: {} at most",
                                          by->distribution.size(), most_curves));
}

std::vector<double> read_column(const SweepFile& results, const std::string& name) {
  std::vector<double> values(static_cast<std::size_t>(results.runs()));
  results.read(static_cast<std::size_t>(results.find(name)), 0, values);
  return values;
}

FigureAxis axis_of(const Study& s, const SweepFile& results, const std::string& name,
                   std::span<const double> values) {
  if (const VariedKnob* v = s.find_varied(name)) return knob_axis(v->knob);
  return suit_axis(name, results.columns()[static_cast<std::size_t>(results.find(name))].unit, values);
}

std::vector<double> sorted_values(const Distribution& d) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < d.size(); ++i) values.push_back(d.value(i));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t place_in(const std::vector<double>& sorted, double x) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin());
}

FigureCurve make_curve(std::string name, std::vector<std::pair<double, double>> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  FigureCurve curve{std::move(name), {}, {}};
  for (const auto& [x, y] : points) curve.x.push_back(x), curve.y.push_back(y);
  return curve;
}

std::string name_of_value(const Knob& knob, double value) {
  TextStyle style;
  if (!knob.choices.empty()) return knob.choices[static_cast<std::size_t>(value)];
  return show_knob(knob, value, style);
}

}  // namespace

void check_plots(const Study& study) {
  for (const StudyPlot& p : study.plots)
    p.kind == StudyPlot::Kind::map ? check_map(study, p) : check_curves(study, p);
}

HeatMap make_heat_map(const Study& s, const StudyPlot& p, const SweepFile& results) {
  check_map(s, p);
  HeatMap map;
  map.title = p.title;
  map.missing = "not reached";
  map.x_values = sorted_values(s.find_varied(p.x)->distribution);
  map.y_values = sorted_values(s.find_varied(p.y)->distribution);
  map.z_values.assign(map.x_values.size() * map.y_values.size(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> x = read_column(results, p.x), y = read_column(results, p.y),
                            z = read_column(results, p.z);
  for (std::size_t i = 0; i < z.size(); ++i)
    map.z_values[place_in(map.y_values, y[i]) * map.x_values.size() + place_in(map.x_values, x[i])] = z[i];
  map.x = axis_of(s, results, p.x, map.x_values);
  map.y = axis_of(s, results, p.y, map.y_values);
  map.z = axis_of(s, results, p.z, map.z_values);
  return map;
}

CurveFamily make_curve_family(const Study& s, const StudyPlot& p, const SweepFile& results) {
  check_curves(s, p);
  CurveFamily family;
  family.title = p.title;
  const std::vector<double> x = read_column(results, p.x), y = read_column(results, p.y);
  family.x = axis_of(s, results, p.x, x);
  family.y = axis_of(s, results, p.y, y);
  std::map<double, std::vector<std::pair<double, double>>> points;
  const std::vector<double> by = p.by.empty() ? std::vector<double>(x.size()) : read_column(results, p.by);
  for (std::size_t i = 0; i < x.size(); ++i) points[by[i]].emplace_back(x[i], y[i]);
  const VariedKnob* knob = p.by.empty() ? nullptr : s.find_varied(p.by);
  if (knob) family.by = knob->knob.name;
  family.ordered = knob && knob->knob.choices.empty();
  for (auto& [value, list] : points)
    family.curves.push_back(make_curve(knob ? name_of_value(knob->knob, value) : p.y, std::move(list)));
  return family;
}

std::vector<std::string> write_plots(const Study& study, const SweepFile& results,
                                     const std::string& folder) {
  make_folder(folder);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < study.plots.size(); ++i) {
    const StudyPlot& p = study.plots[i];
    const std::string svg = p.kind == StudyPlot::Kind::map
                              ? heat_map(make_heat_map(study, p, results))
                              : curve_family(make_curve_family(study, p, results));
    const std::string path =
        (std::filesystem::path(folder) / fmt::format("{}_{}.svg", study.name, i + 1)).string();
    write_file(path, svg);
    files.push_back(path);
  }
  return files;
}

}  // namespace thud
