#include "thud/scenario/run.hpp"

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
  out.outcome = runner.take_outcome();
  return out;
}

}  // namespace thud
