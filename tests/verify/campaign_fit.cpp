// How often the intervals of fits hold the truth: many sets of synthetic measurements, three experiments.
//
//   campaign_fit [SETS] [--case NAME] [--fit "intervals = ..."] [--first SEED]
//
// Prints, for every knob, how often its 95 % interval holds the truth, and the same for the linearised interval. Takes
// minutes, so it is no test; `make campaign-fit` runs it. docs/theory/fits.md shows what it found.
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <boost/math/distributions/students_t.hpp>
#include <cstdlib>
#include <map>

#include "verify/fit_case.hpp"

namespace {

using namespace thud;
using namespace thud::test;

struct Count {
  int sets = 0, hits = 0, linear = 0, below = 0, above = 0, at_bound = 0, without = 0;
};

bool holds_linearly(const FitEstimate& e, double truth, long degrees) {
  if (!e.error) return false;
  const boost::math::students_t law(static_cast<double>(degrees));
  return std::abs(e.value - truth) <= boost::math::quantile(boost::math::complement(law, 0.025)) * *e.error;
}

double truth_of(const FitCase& c, const FitEstimate& e, const std::vector<FitData>& data) {
  for (std::size_t k = 0; k < c.study.knobs.size(); ++k)
    if (e.file.empty() && e.knob.name == c.study.knobs[k].knob.name) return sand_truth[k];
  if (e.nuisance) return e.knob.name.starts_with("scale") ? 1 : 0;
  for (const FitData& d : data)
    for (std::size_t k = 0; k < c.study.initial.size(); ++k)
      if (d.name == e.file && c.study.initial[k].fit.knob.name == e.knob.name) return d.local[k];
  return NAN;
}

void run_campaign(const Experiment& experiment, int sets, std::uint64_t first) {
  const FitCase c(experiment.study, experiment.scenario);
  std::vector<FitResult> results(static_cast<std::size_t>(sets));
  std::vector<FitData> sample = c.measure({});
  tbb::parallel_for(0, sets, [&](int k) {
    SynthOptions options;
    options.seed = first + static_cast<std::uint64_t>(k);
    results[static_cast<std::size_t>(k)] =
        fit(c.study, c.measure(options), {.jobs = 1, .cancel = nullptr, .progress = {}});
  });
  std::vector<Count> counts(results[0].estimates.size());
  int unsettled = 0;
  std::map<std::string, int> failures;
  for (const FitResult& r : results) {
    unsettled += r.converged ? 0 : 1;
    for (const std::string& text : r.failures) ++failures[text.substr(0, 60)];
    for (const std::string& text : r.undetermined) ++failures[text.substr(0, 60)];
    for (const std::string& text : r.warnings) ++failures[text.substr(0, 60)];
    for (std::size_t k = 0; k < r.estimates.size(); ++k) {
      const FitEstimate& e = r.estimates[k];
      const double truth = truth_of(c, e, sample);
      ++counts[k].sets;
      counts[k].hits += holds(e, truth) ? 1 : 0;
      counts[k].linear += holds_linearly(e, truth, r.degrees) ? 1 : 0;
      counts[k].at_bound += e.status == FitEstimate::Status::at_bound ? 1 : 0;
      counts[k].without += !e.interval && !e.limit ? 1 : 0;
      if (e.interval) counts[k].below += e.interval->second < truth ? 1 : 0;
      if (e.interval) counts[k].above += e.interval->first > truth ? 1 : 0;
    }
  }
  fmt::print("{}, {} sets, {} values each{}\n", experiment.name, sets, results[0].values,
             unsettled > 0 ? fmt::format(", {} did not settle", unsettled) : "");
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const Count& n = counts[k];
    fmt::print(
        "  {:<16} {:>5} held ({:.1f} %), {} too low, {} too high; linearised {:.1f} %; at a bound {}, none "
        "{}\n",
        results[0].estimates[k].name(), n.hits, 100.0 * n.hits / n.sets, n.below, n.above,
        100.0 * n.linear / n.sets, n.at_bound, n.without);
  }
  for (const auto& [text, n] : failures) fmt::print("  {:>5} x {}\n", n, text);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int sets = 200;
  std::string only, more;
  std::uint64_t first = 1;
  for (int k = 1; k < argc; ++k) {
    const std::string a = argv[k];
    if (a == "--case" && k + 1 < argc)
      only = argv[++k];
    else if (a == "--fit" && k + 1 < argc)
      more = std::string(argv[++k]) + "\n";
    else if (a == "--first" && k + 1 < argc)
      first = std::strtoull(argv[++k], nullptr, 10);
    else
      sets = std::max(1, std::atoi(argv[k]));
  }
  for (const Experiment& e : {free_link(more), compound_pendulum(more), double_pendulum(more)})
    if (only.empty() || e.name.starts_with(only)) run_campaign(e, sets, first);
}
