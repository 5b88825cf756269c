#include "thud/scenario/family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenario/build.hpp"

namespace thud {

namespace {

enum class Source : std::uint8_t { result, observable, time, reason, residual };

struct Read {
  Source source;
  std::size_t index;
};

}  // namespace

struct ScenarioFamily::Impl {
  doc::Document document;
  KnobSettings fixed;
  Scenario base, current;
  std::vector<Knob> knobs;
  std::vector<FamilyOutput> outputs;
  std::vector<Read> reads;

  KnobSettings settings(std::span<const double> values) const {
    KnobSettings set = fixed;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const Knob& knob = knobs[k];
      std::string text = fmt::format("{:.17g}", values[k]);
      if (!knob.choices.empty()) {
        const double index = values[k];
        if (!(index >= 0 && index < static_cast<double>(knob.choices.size())))
          throw InputError({}, fmt::format("knob \"{}\" has no choice number {}", knob.name, index));
        text = knob.choices[static_cast<std::size_t>(index)];
      }
      set.emplace_back(knob.name, std::move(text));
    }
    return set;
  }

  void find_knobs(const std::vector<std::string>& varied) {
    std::vector<std::string> known;
    for (const Knob& k : base.knobs) known.push_back(k.name);
    for (const std::string& name : varied) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end())
        throw InputError({}, fmt::format("scenario \"{}\" has no knob \"{}\"{} (knobs: {})", base.name, name,
                                         did_you_mean(name, known), one_of(known)));
      knobs.push_back(base.knobs[static_cast<std::size_t>(found - known.begin())]);
    }
  }

  void find_outputs(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto result = std::find_if(base.results.begin(), base.results.end(),
                                       [&](const ResultSpec& r) { return r.name == name; });
      if (result != base.results.end()) {
        outputs.push_back({name, result->unit, result->rule});
        reads.push_back({Source::result, static_cast<std::size_t>(result - base.results.begin())});
      } else if (name == "end.time") {
        outputs.push_back({name, "s", "time at the end of the run"});
        reads.push_back({Source::time, 0});
      } else if (name == "end.reason") {
        outputs.push_back(
            {name, "", "why the run ended: 0 condition, 1 results, 2 rest, 3 time limit, 4 bottom"});
        reads.push_back({Source::reason, 0});
      } else if (name == "energy.residual") {
        outputs.push_back({name, "", "what the energy account misses, over the energy exchanged"});
        reads.push_back({Source::residual, 0});
      } else if (const NamedObservable* o = base.find_observable(name)) {
        outputs.push_back({name, o->unit, o->about + ", at the end of the run"});
        reads.push_back({Source::observable, static_cast<std::size_t>(o - base.observables.data())});
      } else {
        std::vector<std::string> known = {"end.time", "end.reason", "energy.residual"};
        for (const ResultSpec& r : base.results) known.push_back(r.name);
        for (const NamedObservable& k : base.observables) known.push_back(k.name);
        throw InputError({}, fmt::format("scenario \"{}\" has no result or observable \"{}\"{}", base.name,
                                         name, did_you_mean(name, known)));
      }
    }
  }

  double read(const Read& r, const RunResult& result) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    switch (r.source) {
      case Source::result: return result.results[r.index].value.value_or(none);
      case Source::observable:
        return r.index < result.final_values.size() ? result.final_values[r.index] : none;
      case Source::time: return result.outcome.time;
      case Source::reason: return static_cast<double>(result.outcome.reason);
      case Source::residual: return result.outcome.energy.residual;
    }
    return none;
  }
};

ScenarioFamily::ScenarioFamily(const std::string& name_or_path, const KnobSettings& fixed,
                               std::vector<std::string> varied, std::vector<std::string> outputs) {
  doc::Document document = doc::find_document(name_or_path);
  Scenario base = doc::build_scenario(document, fixed);
  impl_ = std::make_unique<Impl>(Impl{std::move(document), fixed, std::move(base), {}, {}, {}, {}});
  impl_->find_knobs(varied);
  impl_->find_outputs(outputs);
}

ScenarioFamily::~ScenarioFamily() = default;
ScenarioFamily::ScenarioFamily(ScenarioFamily&&) noexcept = default;
ScenarioFamily& ScenarioFamily::operator=(ScenarioFamily&&) noexcept = default;

const Scenario& ScenarioFamily::base() const { return impl_->base; }
const std::vector<Knob>& ScenarioFamily::knobs() const { return impl_->knobs; }
const std::vector<FamilyOutput>& ScenarioFamily::outputs() const { return impl_->outputs; }

const Scenario& ScenarioFamily::at(std::span<const double> values) {
  impl_->current = doc::build_scenario(impl_->document, impl_->settings(values));
  return impl_->current;
}

FamilyRun ScenarioFamily::run(std::span<const double> values, double* out, const RunRequest& request) {
  FamilyRun report;
  std::fill(out, out + impl_->outputs.size(), std::numeric_limits<double>::quiet_NaN());
  try {
    const RunResult result = thud::run(at(values), request);
    for (std::size_t k = 0; k < impl_->reads.size(); ++k) out[k] = impl_->read(impl_->reads[k], result);
    report.reason = result.outcome.reason;
    report.reached = result.reached;
    if (!result.reached) report.message = result.reason;
  } catch (const InputError& e) {
    report.message = e.what();
  }
  return report;
}

}  // namespace thud
