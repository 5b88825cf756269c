#include "thud/scenario/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenario/runner.hpp"

namespace thud {

const ResultValue* RunResult::find(std::string_view name) const {
  for (const ResultValue& r : results)
    if (r.name == name) return &r;
  return nullptr;
}

RunResult run(const Scenario& scenario, const RunRequest& request) {
  Runner runner(scenario);
  runner.run(request);
  RunResult out;
  for (std::size_t k = 0; k < scenario.results.size(); ++k) {
    const ResultSpec& r = scenario.results[k];
    out.results.push_back({r.name, runner.result(k), r.unit, r.rule});
  }
  for (const NamedObservable& o : scenario.observables)
    if (const auto value = runner.at_end(o.observable)) out.final_values.push_back(*value);
  out.reached = runner.reached(&out.reason);
  const auto broken = std::find_if_not(out.final_values.begin(), out.final_values.end(),
                                       [](double x) { return std::isfinite(x); });
  if (broken != out.final_values.end() && out.reached) {
    const auto k = static_cast<std::size_t>(broken - out.final_values.begin());
    out.reached = false;
    out.reason =
        fmt::format("{} is no number in the end: sizes in this mechanism are too far apart to compute with",
                    scenario.observables[k].name);
  }
  out.outcome = runner.take_outcome();
  return out;
}

}  // namespace thud
