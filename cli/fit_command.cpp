// thud fit: knobs from measured trajectories, with their uncertainties.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "progress.hpp"
#include "thud/report/html.hpp"
#include "thud/study/fit.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::string study, svg, report;
  std::vector<std::string> data, set;
  int jobs = 0;
  bool json = false, ascii = false;
};

FitResult fit_with_progress(const FitStudy& study, const std::vector<FitData>& data, int jobs) {
  const Interrupt interrupt;
  StatusLine line;
  return fit(study, data, shown_fit(jobs, line));
}

void write_pictures(const std::string& folder, const FitResult& result) {
  for (const auto& [name, svg] : make_fit_pictures(result))
    write_file(std::filesystem::path(folder) / name, svg);
}

int run_fit(const Arguments& a) {
  const FitStudy study = load_fit_study(a.study, read_settings(a.set));
  const std::vector<FitData> data = load_fit_data(study, a.data);
  if (!a.svg.empty()) {
    try {
      make_folder(a.svg);
    } catch (const OutputError& e) {
      throw InputError({"--svg " + a.svg, 0, 0}, e.what());
    }
  }
  check_report_file(a.report);
  const FitResult result = fit_with_progress(study, data, a.jobs);
  print(a.json ? to_json(result) : to_text(result, style_of_output(a.ascii)));
  if (!a.svg.empty()) write_pictures(a.svg, result);
  if (!a.report.empty() && !result.cancelled) write_file(a.report, make_fit_report(study, result));
  if (result.is_sound()) return 0;
  complain(!result.converged          ? result.message
           : !result.failures.empty() ? result.failures.front()
                                      : "the data do not determine every knob");
  return 1;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_fit_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("fit", "fit knobs of a scenario to measured trajectories");
  const auto a = std::make_shared<Arguments>();
  c->add_option("STUDY", a->study, "a study file with a [fit] section, or the name of one in the library")
      ->required();
  add_data_option(*c, a->data, "the study's");
  add_set_option(*c, a->set, "set a knob that is not fitted; may be repeated");
  c->add_option("--svg", a->svg, "write pictures there: fitted curves and residuals")->type_name("DIR");
  add_report_option(*c, a->report);
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  add_jobs_option(*c, a->jobs);
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->footer(
      "Examples:\n"
      "  thud synth fit_free_link --out captures/\n"
      "  thud fit fit_free_link --data captures/*.csv --svg pictures\n"
      "\n"
      "Exit status: 0 fitted; 1 not settled, at a bound, not determined by the data,\n"
      "or far from them; 2 bad input.");
  c->callback([a, &exit_code] { exit_code = run_fit(*a); });
}
