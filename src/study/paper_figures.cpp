// Figures of publications: runs, curves, files.
#include "thud/study/paper_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/json_format.hpp"
#include "draw/svg.hpp"
#include "json_node.hpp"
#include "paper_kinds.hpp"
#include "study/in_parallel.hpp"
#include "thud/draw/stills.hpp"
#include "thud/store/file.hpp"

namespace thud {

namespace fs = std::filesystem;

InputError figure_error(const PaperFigure& figure, const std::string& message) {
  return {{figure.file}, fmt::format("figure \"{}\": {}", figure.id, message)};
}

Scenario load_figure_scenario(const PaperFigure& figure, const KnobSettings& set) {
  try {
    Scenario scenario = load_scenario(figure.scenario, set);
    for (const auto& [name, rule] : figure.rules) add_result(scenario, name, rule);
    return scenario;
  } catch (const InputError& e) {
    throw figure_error(figure, e.what());
  }
}

const ReferenceTable& find_figure_table(const PaperFigure& figure,
                                        const std::vector<ReferenceTable>& tables) {
  for (const ReferenceTable& t : tables)
    if (t.id == figure.table) return t;
  throw figure_error(figure, fmt::format("there is no table \"{}\"", figure.table));
}

namespace {

const NamedObservable& find_panel_observable(const PaperFigure& figure, const Scenario& scenario,
                                             const std::string& name) {
  if (const NamedObservable* found = scenario.find_observable(name)) return *found;
  std::vector<std::string> known;
  for (const NamedObservable& o : scenario.observables) known.push_back(o.name);
  throw figure_error(figure, fmt::format("scenario \"{}\" has no observable \"{}\"{}", scenario.name, name,
                                         did_you_mean(name, known)));
}

// The row of the figure's table with the settings of a run.
const ReferenceRow& find_row(const PaperFigure& figure, const ReferenceTable& table, std::size_t run) {
  const KnobSettings& set = figure.runs[run];
  for (const ReferenceRow& row : table.rows)
    if (std::all_of(row.set.begin(), row.set.end(),
                    [&](const auto& s) { return std::find(set.begin(), set.end(), s) != set.end(); }))
      return row;
  throw figure_error(figure,
                     fmt::format("no row of table \"{}\" has the settings of run {}", table.id, run + 1));
}

double published_value(const PaperFigure& figure, const std::vector<ReferenceTable>& tables, std::size_t run,
                       const std::string& result) {
  const ReferenceTable& table = find_figure_table(figure, tables);
  std::vector<std::string> known;
  for (const PublishedValue& p : find_row(figure, table, run).expect) {
    if (p.result == result) return p.target();
    known.push_back(p.result);
  }
  throw figure_error(figure, fmt::format("table \"{}\" has no result \"{}\"{}", table.id, result,
                                         did_you_mean(result, known)));
}

Scenario load_run(const PaperFigure& figure, std::size_t run) {
  return load_figure_scenario(figure, figure.runs[run]);
}

// The end of the run, at both positions that the relative error leaves possible.
void add_measured(const StillRun& run, std::size_t curve, const std::string& result, double percent,
                  const std::optional<double>& start, TimePanel& panel) {
  const std::optional<double>& simulated = run.result.find(result)->value;
  if (!simulated) return;
  for (const double q : implied_measurements(*simulated, percent / 100))
    if (is_possible_measurement(q, *simulated, start))
      panel.points.push_back({curve, run.result.outcome.time, q});
}

TimePanel make_panel(const PaperFigure& figure, const PaperPanel& spec, const std::vector<StillRun>& runs,
                     const std::vector<ReferenceTable>& tables) {
  TimePanel panel;
  panel.label = spec.label.empty() ? spec.observable : spec.label;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const NamedObservable& what = find_panel_observable(figure, runs[k].scenario, spec.observable);
    panel.unit = what.unit;
    panel.curves.push_back(make_time_curve(runs[k], what));
    panel.curves.back().held = find_held(runs[k].result.outcome);
    if (!spec.published.empty())
      panel.points.push_back({k, published_value(figure, tables, k, spec.published), 0});
    if (!spec.measured.empty())
      add_measured(runs[k], k, spec.measured, published_value(figure, tables, k, spec.measured),
                   start_position(find_figure_table(figure, tables), runs[k].scenario), panel);
  }
  return panel;
}

TimeFigure make_time_figure(const PaperFigure& figure, const std::vector<StillRun>& runs,
                            const std::vector<ReferenceTable>& tables) {
  TimeFigure out;
  out.title = figure.title;
  out.subtitle = fmt::format("{}, redrawn with thud", figure.source);
  out.note = figure.note;
  out.held_name = "a component of velocity is held at zero";
  const auto is_measured = [](const PaperPanel& p) { return !p.measured.empty(); };
  out.points_name = std::any_of(figure.panels.begin(), figure.panels.end(), is_measured)
                      ? "measured end, one of the two by the printed γ"
                      : "published stopping time";
  // A heading stands for all knobs, which then go along with the first.
  std::vector<std::string> named = figure.varied;
  if (!figure.by.empty()) named.resize(1);
  out.by = !figure.by.empty() ? figure.by : named.size() == 1 ? named.front() : "";
  for (const StillRun& run : runs) out.names.push_back(name_by_knobs(run.scenario, named));
  for (const PaperPanel& spec : figure.panels) out.panels.push_back(make_panel(figure, spec, runs, tables));
  return out;
}

// A contact sheet of the figures that lie in the folder.
std::string make_index(const std::vector<PaperFigure>& all, const fs::path& folder) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Figures redrawn with "
      "thud</title>\n"
      "<style>body{font:15px/1.4 Helvetica,Arial,sans-serif;color:#222;background:#fff;max-width:1500px;"
      "margin:2em auto;padding:0 "
      "1em}main{display:grid;grid-template-columns:repeat(auto-fill,minmax(420px,1fr));"
      "gap:1.5em}figure{margin:0;border:1px solid #ddd;padding:.6em}img{width:100%}figcaption{color:#666}"
      "</style></head>\n<body><h1>Figures redrawn with thud</h1>\n<main>\n";
  std::error_code ec;
  for (const PaperFigure& f : all) {
    if (!fs::exists(folder / f.file_name(), ec)) continue;
    out += fmt::format(
        "<figure id=\"{0}\"><a href=\"{1}\"><img src=\"{1}\" alt=\"{2}\" loading=\"lazy\"></a>"
        "<figcaption>{3}: {2}</figcaption></figure>\n",
        svg::escape(f.id), svg::escape(f.file_name()), svg::escape(f.title), svg::escape(f.source));
  }
  return out + "</main></body></html>\n";
}

}  // namespace

void check_figure(const PaperFigure& figure, const std::vector<ReferenceTable>& tables) {
  if (figure.kind == PaperFigure::Kind::curves) return check_curves(figure, tables);
  if (figure.kind == PaperFigure::Kind::planes) return check_planes(figure);
  for (std::size_t k = 0; k < figure.runs.size(); ++k) {
    const Scenario scenario = load_run(figure, k);
    for (const PaperPanel& p : figure.panels) {
      (void)find_panel_observable(figure, scenario, p.observable);
      if (!p.published.empty()) (void)published_value(figure, tables, k, p.published);
      if (p.measured.empty()) continue;
      (void)published_value(figure, tables, k, p.measured);
      (void)start_position(find_figure_table(figure, tables), scenario);
    }
  }
}

DrawnFigure draw_figure(const PaperFigure& figure, const std::vector<ReferenceTable>& tables,
                        const RunRequest& request) {
  if (figure.kind == PaperFigure::Kind::curves) return draw_curves(figure, tables, request);
  if (figure.kind == PaperFigure::Kind::planes) return draw_planes(figure, request);
  DrawnFigure out;
  std::vector<std::unique_ptr<Scenario>> scenarios;
  std::vector<std::unique_ptr<TrajectoryRecorder>> recorders;
  std::vector<std::unique_ptr<RunResult>> results;
  std::vector<StillRun> runs;
  for (std::size_t k = 0; k < figure.runs.size(); ++k) {
    const Scenario& scenario = *scenarios.emplace_back(std::make_unique<Scenario>(load_run(figure, k)));
    TrajectoryRecorder& recorder =
        *recorders.emplace_back(std::make_unique<TrajectoryRecorder>(*scenario.system));
    RunRequest own = request;
    own.observer = &recorder;
    own.until_rest = own.until_rest || figure.until_rest;
    const RunResult& result = *results.emplace_back(std::make_unique<RunResult>(run(scenario, own)));
    if (result.outcome.reason == StopReason::cancelled) return out.cancelled = true, out;
    recorder.finish(result.outcome);
    if (!result.reached)
      out.failed.push_back(fmt::format("{}: {}", name_by_knobs(scenario, figure.varied), result.reason));
    runs.push_back({scenario, result, recorder});
  }
  out.svg = time_figure(make_time_figure(figure, runs, tables));
  return out;
}

DrawnFigures draw_figures(const std::vector<PaperFigure>& wanted, const std::vector<PaperFigure>& all,
                          const std::vector<ReferenceTable>& tables, const fs::path& folder,
                          const DrawOptions& options) {
  for (const PaperFigure& f : wanted) check_figure(f, tables);
  try {
    make_folder(folder);
    for (const PaperFigure& f : wanted) make_folder((folder / f.file_name()).parent_path());
    const AtomicFile probe(folder / "index.html");
  } catch (const OutputError& e) {
    throw InputError({folder.string()}, e.what());
  }
  std::atomic<int> done = 0;
  std::atomic<bool> cancelled = false;
  std::vector<std::vector<std::string>> failed(wanted.size());
  in_parallel(options.jobs, wanted.size(), [&](std::size_t k) {
    if (cancelled) return;
    const PaperFigure& f = wanted[k];
    const DrawnFigure drawn = draw_figure(f, tables, options.request);
    if (drawn.cancelled) return cancelled.store(true);
    write_file(folder / f.file_name(), drawn.svg);
    failed[k] = drawn.failed;
    const int count = ++done;
    if (options.progress) options.progress(count, static_cast<int>(wanted.size()));
  });
  DrawnFigures out;
  out.drawn = done;
  out.cancelled = cancelled;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    for (const std::string& why : failed[k]) out.failed.push_back(wanted[k].id + ": " + why);
  if (out.drawn > 0) write_file(folder / "index.html", make_index(all, folder));
  return out;
}

std::string list_json(const std::vector<PaperFigure>& figures) {
  Json list = Json::array();
  for (const PaperFigure& f : figures) {
    Json panels = Json::array();
    for (const PaperPanel& p : f.panels) panels.push_back(p.result.empty() ? p.observable : p.result);
    list.push_back({{"id", f.id},
                    {"title", f.title},
                    {"source", f.source},
                    {"scenario", f.scenario},
                    {"kind", f.kind == PaperFigure::Kind::curves   ? "curves"
                             : f.kind == PaperFigure::Kind::planes ? "planes"
                                                                   : "time"},
                    {"runs", f.kind == PaperFigure::Kind::planes ? f.impacts.size() : f.runs.size()},
                    {"observables", panels},
                    {"file", f.file_name()}});
  }
  return Json{{"thud", THUD_VERSION}, {"format", json_format}, {"figures", std::move(list)}}.dump(2) + "\n";
}

}  // namespace thud
