// Figures of publications: results of runs against a knob.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knobs.hpp"
#include "paper_kinds.hpp"
#include "thud/draw/figures.hpp"
#include "thud/draw/stills.hpp"

namespace thud {

namespace {

const Knob& find_knob(const PaperFigure& figure, const Scenario& s, const std::string& name) {
  std::vector<std::string> known;
  for (const Knob& k : s.knobs) {
    if (k.name == name) return k;
    known.push_back(k.name);
  }
  throw figure_error(
      figure, fmt::format("scenario \"{}\" has no knob \"{}\"{}", s.name, name, did_you_mean(name, known)));
}

double knob_value(const PaperFigure& figure, const KnobSettings& set, const std::string& name,
                  const std::string& value) {
  return find_knob(figure, load_figure_scenario(figure, merge_settings(set, {{name, value}})), name).value;
}

void need_result(const PaperFigure& figure, const Scenario& s, const std::string& name) {
  std::vector<std::string> known;
  for (const ResultSpec& r : s.results) {
    if (r.name == name) return;
    known.push_back(r.name);
  }
  throw figure_error(
      figure, fmt::format("scenario \"{}\" has no result \"{}\"{}", s.name, name, did_you_mean(name, known)));
}

// Rows of the table that belong to a run: the same in all that the run sets, but for the abscissa.
bool belongs(const ReferenceRow& row, const KnobSettings& run, const std::string& abscissa) {
  return std::all_of(row.set.begin(), row.set.end(), [&](const auto& s) {
    return s.first == abscissa || setting_of(run, s.first) == s.second;
  });
}

void add_printed(const PaperFigure& figure, const ReferenceTable& table, const KnobSettings& run,
                 const PaperPanel& panel, FigureCurve& curve) {
  for (const ReferenceRow& row : table.rows) {
    if (!belongs(row, run, figure.x.knob)) continue;
    for (const PublishedValue& p : row.expect)
      if (p.result == panel.result) {
        curve.point_x.push_back(knob_value(figure, run, figure.x.knob, setting_of(row.set, figure.x.knob)));
        curve.point_y.push_back(p.target());
      }
  }
}

std::string curve_name(const PaperFigure& figure, const Scenario& s, const PaperPanel& panel) {
  const std::string label = panel.label.empty() ? panel.result : panel.label;
  if (figure.varied.empty()) return label;
  const std::string by = name_by_knobs(s, figure.varied);
  return figure.panels.size() == 1 ? by : label + ", " + by;
}

}  // namespace

void check_curves(const PaperFigure& figure, const std::vector<ReferenceTable>& tables) {
  for (const KnobSettings& run : figure.runs) {
    const double from = knob_value(figure, run, figure.x.knob, figure.x.from);
    const double to = knob_value(figure, run, figure.x.knob, figure.x.to);
    if (!(from < to)) throw figure_error(figure, "\"from\" of \"x\" is not below \"to\"");
    const Scenario s = load_figure_scenario(figure, run);
    for (const PaperPanel& p : figure.panels) need_result(figure, s, p.result);
  }
  if (!figure.table.empty()) (void)find_figure_table(figure, tables);
}

DrawnFigure draw_curves(const PaperFigure& figure, const std::vector<ReferenceTable>& tables,
                        const RunRequest& request) {
  DrawnFigure out;
  CurveFamily family;
  family.title = figure.title;
  family.subtitle = fmt::format("{}, redrawn with thud. {}", figure.source, figure.note);
  family.by = figure.by;
  family.ordered = !figure.varied.empty();
  std::string unit;
  for (const KnobSettings& run : figure.runs) {
    const Scenario plain = load_figure_scenario(figure, run);
    family.x = knob_axis(find_knob(figure, plain, figure.x.knob));
    if (!figure.x.label.empty()) family.x.label = figure.x.label;
    const double from = knob_value(figure, run, figure.x.knob, figure.x.from);
    const double to = knob_value(figure, run, figure.x.knob, figure.x.to);
    const std::size_t first = family.curves.size();
    for (const PaperPanel& p : figure.panels) family.curves.push_back({curve_name(figure, plain, p), {}, {}});
    for (int i = 0; i < figure.x.count; ++i) {
      const double x = from + (to - from) * i / (figure.x.count - 1);
      const Scenario s =
          load_figure_scenario(figure, merge_settings(run, {{figure.x.knob, fmt::format("{}", x)}}));
      const RunResult result = thud::run(s, request);
      if (result.outcome.reason == StopReason::cancelled) return out.cancelled = true, out;
      for (std::size_t k = 0; k < figure.panels.size(); ++k) {
        const ResultValue* value = result.find(figure.panels[k].result);
        FigureCurve& curve = family.curves[first + k];
        curve.x.push_back(x);
        curve.y.push_back(value->value.value_or(std::nan("")));
        unit = value->unit;
      }
      if (!result.reached)
        out.failed.push_back(fmt::format("{} = {:g}: {}", figure.x.knob, x, result.reason));
    }
    if (figure.table.empty()) continue;
    const ReferenceTable& table = find_figure_table(figure, tables);
    family.points_name = table.derived ? "by the paper's equations" : "published";
    for (std::size_t k = 0; k < figure.panels.size(); ++k)
      add_printed(figure, table, run, figure.panels[k], family.curves[first + k]);
  }
  std::vector<double> all;
  for (const FigureCurve& c : family.curves) all.insert(all.end(), c.y.begin(), c.y.end());
  family.y = suit_axis(figure.y, unit, all);
  out.svg = curve_family(family);
  return out;
}

}  // namespace thud
