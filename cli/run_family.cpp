// Figures and reports, of one run or of several beside each other.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "console.hpp"
#include "pictures.hpp"
#include "run_arguments.hpp"
#include "thud/report/html.hpp"
#include "thud/report/summary.hpp"
#include "thud/store/file.hpp"

namespace thud::cli {

void check_pictures_of(const RunArguments& a, const Scenario& s) {
  if (!a.vary.empty() && !a.wants_figure() && a.report.empty())
    throw option_error("--vary", a.vary.front(),
                       "shows several runs together: give --svg FILE, --png FILE or --report FILE too");
  if (!a.wants_figure() && a.poses != StillOptions{}.poses)
    throw option_error("--poses", std::to_string(a.poses),
                       "is for figures: give --svg FILE or --png FILE too");
  check_pictures(a.png, a.gif);
  if (!a.wants_figure()) return;
  check_still_plots(find_observables(s, a.plot.empty() ? s.plot : a.plot, "--plot"), !a.plot.empty());
  if (!a.svg.empty()) check_still_file(a.svg);
}

StillOptions still_options(const RunArguments& a, const Scenario& s) {
  StillOptions options;
  options.poses = a.poses;
  for (const NamedObservable& o : find_observables(s, a.plot.empty() ? s.plot : a.plot, "--plot"))
    options.plots.push_back(o.name);
  return options;
}

std::string write_still(const RunArguments& a, std::span<const StillRun> runs, const StillOptions& options) {
  if (!a.wants_figure()) return {};
  const std::string figure = time_figure(make_still(runs, options));
  std::string written;
  if (!a.svg.empty()) {
    write_file(a.svg, figure);
    written += fmt::format("Wrote {}\n", a.svg);
  }
  if (!a.png.empty()) {
    write_png(a.png, figure);
    written += fmt::format("Wrote {}\n", a.png);
  }
  return written;
}

namespace {

/// Runs of several scenarios, with what figures and reports are made of.
struct Runs {
  std::vector<RunResult> results;
  std::vector<std::unique_ptr<TrajectoryRecorder>> recorders;
  std::vector<std::unique_ptr<FrameRecorder>> frames;
  bool is_interrupted = false;
};

Runs run_each(const RunArguments& a, const std::vector<Scenario>& scenarios,
              const std::vector<RunRequest>& requests) {
  Runs out;
  for (std::size_t k = 0; k < scenarios.size() && !out.is_interrupted; ++k) {
    const System& system = *scenarios[k].system;
    out.recorders.push_back(std::make_unique<TrajectoryRecorder>(system));
    out.frames.push_back(std::make_unique<FrameRecorder>(system));
    Both both(out.recorders.back().get(), a.report.empty() ? nullptr : out.frames.back().get());
    out.results.push_back(run_with_progress(scenarios[k], requests[k], &both, a.quiet));
    const Outcome& outcome = out.results.back().outcome;
    out.recorders.back()->finish(outcome);
    if (!a.report.empty()) out.frames.back()->finish(outcome);
    out.is_interrupted = outcome.reason == StopReason::cancelled;
  }
  return out;
}

std::string write_report(const RunArguments& a, const std::vector<Scenario>& scenarios, const Runs& runs,
                         const std::vector<std::string>& labels) {
  if (a.report.empty()) return {};
  std::vector<ReportRun> list;
  for (std::size_t k = 0; k < scenarios.size(); ++k)
    list.push_back({labels[k], scenarios[k], runs.results[k], *runs.frames[k]});
  write_file(a.report, make_runs_report(list));
  return fmt::format("Report in {}\n", a.report);
}

// Complains of those that did not reach what was asked; the status to exit with.
int status_of(const Runs& runs, const std::vector<std::string>& labels) {
  int status = 0;
  for (std::size_t k = 0; k < runs.results.size(); ++k) {
    if (runs.results[k].reached) continue;
    status = 1;
    complain(fmt::format("{}: {}", labels[k], runs.results[k].reason));
  }
  return status;
}

// "speed 1.26 m/s"
std::string name_of_run(const Scenario& s, const std::vector<std::string>& varied) {
  const std::string values = name_by_knobs(s, varied);
  return varied.size() == 1 ? varied.front() + " " + values : values;
}

// Options that one run alone can answer.
void refuse_single(const RunArguments& a, const std::string& when) {
  const std::vector<std::pair<const char*, bool>> given{
      {"--events", a.events}, {"--impact-plane", !a.impact_plane.empty()}, {"--gif", !a.gif.empty()}};
  for (const auto& [option, is_given] : given)
    if (is_given) throw option_error(option, "", "is for a single run, " + when);
}

}  // namespace

int run_family(const RunArguments& a, const Scenario& base, const TextStyle& style) {
  refuse_single(a, "without --vary");
  const KnobSettings fixed = read_settings(a.set);
  const std::vector<Variant> variants = read_variants(a.vary, a.files.front(), base, fixed);
  StillOptions options = still_options(a, base);
  for (const auto& [name, value] : variants.front().set) options.varied.push_back(name);
  std::vector<Scenario> scenarios;
  std::vector<RunRequest> requests;
  std::vector<std::string> labels, names;
  for (const Variant& v : variants) {
    const Scenario& s = scenarios.emplace_back(load_variant(a.files.front(), fixed, v));
    (void)find_observables(s, options.plots, "--plot");
    requests.push_back(read_request(a, s));
    labels.push_back(name_of_run(s, options.varied));
    names.push_back(fmt::format("{}, {}", base.name, name_by_knobs(s, options.varied)));
  }
  const Runs runs = run_each(a, scenarios, requests);
  if (runs.is_interrupted) return complain("interrupted"), 1;
  std::vector<StillRun> drawn;
  for (std::size_t k = 0; k < scenarios.size(); ++k)
    drawn.push_back({scenarios[k], runs.results[k], *runs.recorders[k]});
  const std::string written = write_still(a, drawn, options) + write_report(a, scenarios, runs, labels);
  if (a.wants_text())
    print(make_family_table(scenarios, runs.results, options.varied, style) + "\n" + written);
  return status_of(runs, names);
}

int run_several(const RunArguments& a, const TextStyle& style) {
  constexpr std::size_t most = 12;
  const std::string when = "and there are several scenarios";
  if (a.files.size() > most)
    throw option_error(a.files.back(), "", fmt::format("a report has room for {} scenarios", most));
  if (a.report.empty())
    throw option_error(a.files[1], "", "a second scenario is for a report of both: give --report FILE too");
  refuse_single(a, when);
  const std::vector<std::pair<const char*, bool>> given{{"--vary", !a.vary.empty()},
                                                        {"--json", a.json},
                                                        {"--live", a.live},
                                                        {"--out", !a.out.empty()},
                                                        {"--svg", !a.svg.empty()},
                                                        {"--png", !a.png.empty()},
                                                        {"--plot", !a.plot.empty()},
                                                        {"--sample", !a.sample.empty()},
                                                        {"--steps", a.steps},
                                                        {"--columns", !a.columns.empty()},
                                                        {"--impact", !a.impact.empty()},
                                                        {"--poses", a.poses != StillOptions{}.poses},
                                                        {"--list-knobs", a.list_knobs},
                                                        {"--list-observables", a.list_observables}};
  for (const auto& [option, is_given] : given)
    if (is_given) throw option_error(option, "", "is for a single scenario, " + when);
  for (auto file = a.files.begin(); file != a.files.end(); ++file)
    if (std::find(a.files.begin(), file, *file) != file) throw option_error(*file, "", "is given twice");
  check_report_file(a.report);
  std::vector<Scenario> scenarios;
  std::vector<RunRequest> requests;
  std::vector<std::string> labels;
  for (const std::string& file : a.files) {
    const Scenario& s = scenarios.emplace_back(load_scenario(file, read_settings(a.set)));
    requests.push_back(read_request(a, s));
    const bool is_known = std::find(labels.begin(), labels.end(), s.name) != labels.end();
    labels.push_back(is_known ? file : s.name);
  }
  const Runs runs = run_each(a, scenarios, requests);
  if (runs.is_interrupted) return complain("interrupted"), 1;
  std::string text;
  for (std::size_t k = 0; k < scenarios.size(); ++k)
    text += fmt::format("{}  {}\n", style.paint("bold", labels[k]),
                        show_quantity(runs.results[k].outcome.time, "s", style));
  text += "\n" + write_report(a, scenarios, runs, labels);
  if (a.wants_text()) print(text);
  return status_of(runs, labels);
}

}  // namespace thud::cli
