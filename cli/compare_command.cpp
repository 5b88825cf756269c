// thud compare: several laws on the same captures, ranked.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "progress.hpp"
#include "thud/study/compare.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::vector<std::string> studies, data;
  std::string svg;
  int jobs = 0;
  bool json = false, ascii = false;
};

Comparison compare_with_progress(const std::vector<RivalFit>& rivals, int jobs) {
  const Interrupt interrupt;
  StatusLine line;
  return compare_fits(rivals, shown_fit(jobs, line));
}

int run_compare(const Arguments& a) {
  if (a.studies.size() < 2) throw InputError({"", 0, 0}, "at least two studies are wanted, one for each law");
  std::vector<RivalFit> rivals;
  for (const std::string& name : a.studies) {
    RivalFit r{load_fit_study(name), {}};
    r.data = load_fit_data(r.study, a.data);
    rivals.push_back(std::move(r));
  }
  std::vector<std::string> inputs = a.data;
  inputs.insert(inputs.end(), a.studies.begin(), a.studies.end());
  const std::unique_ptr<AtomicFile> picture = open_picture(a.svg, inputs);
  const Comparison c = compare_with_progress(rivals, a.jobs);
  if (Interrupt::flag()->load()) {
    complain("interrupted");
    return 1;
  }
  print(a.json ? to_json(c) : to_text(c, style_of_output(a.ascii)));
  if (picture) {
    picture->write(make_comparison_picture(c));
    picture->commit();
  }
  if (c.laws[0].is_settled() && c.laws[0].fit.failures.empty()) return 0;
  complain(c.warnings.empty() ? "no law could be fitted" : c.warnings.front());
  return 1;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_compare_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("compare", "fit several laws to the same measurements and rank them");
  const auto a = std::make_shared<Arguments>();
  c->add_option("STUDY", a->studies, "studies with a [fit] section, one for each law")->required();
  add_data_option(*c, a->data, "the studies'");
  c->add_option("--svg", a->svg, "write a picture of the ranking there")->type_name("FILE.svg");
  c->add_flag("--json", a->json, "print one JSON document and nothing else");
  add_jobs_option(*c, a->jobs);
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->footer(
      "Ranks by Akaike's criterion; prints the Bayesian one and how well each file is\n"
      "foretold by a fit to the others.\n"
      "\n"
      "Examples:\n"
      "  thud compare poncelet.toml bingham.toml allen.toml --data captures/*.csv \\\n"
      "               --svg ranking.svg\n"
      "\n"
      "Exit status: 0 ranked, 1 the best law is no good fit, 2 bad input.");
  c->callback([a, &exit_code] { exit_code = run_compare(*a); });
}
