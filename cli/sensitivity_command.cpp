// thud sensitivity: which knob matters for which output.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "progress.hpp"
#include "thud/study/sensitivity.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::string study, svg;
  std::vector<std::string> set;
  bool json = false, ascii = false;
  int jobs = 0;
  std::int64_t runs = 0;
};

std::string in_words(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

Sensitivity find_with_progress(const SensitivityStudy& study, int jobs) {
  const Interrupt interrupt;
  StatusLine line;
  SensitivityOptions options;
  options.jobs = jobs;
  options.cancel = Interrupt::flag();
  options.progress = [&](std::int64_t done, std::int64_t total) {
    const double left = line.seconds() * static_cast<double>(total - done)
                      / static_cast<double>(std::max<std::int64_t>(done, 1));
    line.show(fmt::format("{} of {} runs, {} left", done, total, in_words(left)));
  };
  return find_sensitivity(study, options);
}

std::string what_failed(const Arguments& a, const Sensitivity& s) {
  if (s.indices.cancelled)
    return fmt::format("interrupted after {} of {} samples{}", s.indices.samples, s.study.samples,
                       a.svg.empty() ? "" : "; no picture was written");
  return "too few runs have a value: there are no indices";
}

int sensitivity(const Arguments& a) {
  SensitivityStudy study = load_sensitivity(a.study, read_settings(a.set));
  if (a.runs > 0) study.samples = samples_for_runs(study, a.runs);
  const std::unique_ptr<AtomicFile> picture = open_picture(a.svg, {a.study});
  const Sensitivity result = find_with_progress(study, a.jobs);
  const bool is_whole = !result.indices.cancelled && result.has_results();
  // Of what was interrupted at once there is nothing to tell.
  if (a.json || result.indices.samples > 0)
    print(a.json ? to_json(result) : to_text(result, style_of_output(a.ascii)));
  if (picture && !result.indices.cancelled) {
    picture->write(to_svg(result));
    picture->commit();
  }
  if (!is_whole) complain(what_failed(a, result));
  return is_whole ? 0 : 1;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_sensitivity_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("sensitivity", "find which knob matters for which output (Sobol indices)");
  const auto a = std::make_shared<Arguments>();
  c->add_option("STUDY", a->study, "a study file, or the name of one of the library")->required();
  add_set_option(*c, a->set, "set a knob that stays, over the file; may be repeated");
  c->add_option("--runs", a->runs, "make at most so many runs, instead of what the file says")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000'000}).description(""));
  add_jobs_option(*c, a->jobs);
  c->add_option("--svg", a->svg, "also write a bar chart")->type_name("FILE");
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->footer(
      "Examples:\n"
      "  thud sensitivity sensitivity_compound_pendulum\n"
      "  thud sensitivity my_study.toml --runs 2000 --svg indices.svg\n"
      "  thud sensitivity my_study.toml --json | jq '.outputs[0].summary'");
  c->callback([a, &exit_code] { exit_code = sensitivity(*a); });
}
