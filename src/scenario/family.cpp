#include "scenario/family_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenario/beds.hpp"
#include "scenario/contacts.hpp"
#include "scenario/parameters.hpp"
#include "thud/math/portable.hpp"

namespace thud {

using namespace family;

namespace {

constexpr std::size_t missing = std::numeric_limits<std::size_t>::max();

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool share(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& x) { return contains(b, x); });
}

// Which parts of a scenario change with the knobs, by the words in their texts: too many rather than too few.
struct Dependence {
  std::vector<std::string> derived;  // [define]d names, in their order
  bool beds = false, initial = false, other = false;

  Dependence(const doc::Table& root, const std::vector<std::string>& varied) {
    const std::vector<std::string> places = {"parameters", "define", "title", "about", "attached"};
    std::vector<std::string> moving = varied;
    if (const auto parameters = root.table_or_none("parameters"))
      for (const std::string& key : parameters->keys())
        if (!contains(varied, key) && share(parameters->words_below(key), varied)) other = true;
    if (const auto define = root.table_or_none("define"))
      for (const std::string& key : define->keys())
        if (share(define->words_below(key), moving)) derived.push_back(key), moving.push_back(key);
    if (contains(root.keys(), "strike")) other = true;  // it changes the start after [initial]
    for (const std::string& key : root.keys()) {
      if (contains(places, key) || !share(root.words_below(key), moving)) continue;
      (key == "bed" ? beds : key == "initial" ? initial : other) = true;
    }
  }
};

}  // namespace

KnobSettings ScenarioFamily::Impl::settings(std::span<const double> values) const {
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

void ScenarioFamily::Impl::find_knobs(const std::vector<std::string>& varied) {
  std::vector<std::string> known;
  for (const Knob& k : base.knobs) known.push_back(k.name);
  for (const std::string& name : varied) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw InputError({}, fmt::format("scenario \"{}\" has no knob \"{}\"{} (knobs: {})", base.name, name,
                                       did_you_mean(name, known), one_of(known)));
    knob_index.push_back(static_cast<std::size_t>(found - known.begin()));
    knobs.push_back(base.knobs[knob_index.back()]);
  }
}

void ScenarioFamily::Impl::find_outputs(const std::vector<std::string>& names) {
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
          {name, "",
           "why the run ended: 0 condition, 1 results, 2 rest, 3 time limit, 4 bottom, 5 no answer of a "
           "sliding contact (Painleve), 7 failed"});
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
  // The path length is integrated only where somebody reads it; what own observables read is not known.
  tracks_distance = !own.observables.empty();
  const auto is_distance = [](const Observable& o) { return o.quantity == Quantity::distance; };
  for (const Read& r : reads)
    if (r.source == Source::observable && is_distance(base.observables[r.index].observable))
      tracks_distance = true;
  for (const ResultSpec& r : base.results) tracks_distance = tracks_distance || is_distance(r.what);
  for (const Condition& c : base.conditions) tracks_distance = tracks_distance || is_distance(c.what);
  // Inside an expression.
  const auto names_distance = [](const std::string& text) {
    return text.find(".distance") != std::string::npos;
  };
  for (const ResultSpec& r : base.results) tracks_distance = tracks_distance || names_distance(r.rule);
  for (const std::string& text : base.condition_text)
    tracks_distance = tracks_distance || names_distance(text);
}

// Compiles what the varied knobs change, so that turning them reads no text.
void ScenarioFamily::Impl::prepare_quick_way() {
  std::vector<std::string> varied;
  for (const Knob& k : knobs) {
    varied.push_back(k.name);
    if (!k.choices.empty()) return;
  }
  if (!base.system->constraints().empty()) return;  // closing loops takes what the file says besides
  const doc::Table plain = document.root();
  const Dependence depends(plain, varied);
  if (depends.other) return;
  beds_change = depends.beds;
  const doc::Parameters parameters = doc::read_parameters(document, fixed);
  symbols = parameters.symbols;
  root = plain.with_symbols(symbols);
  moving = varied;
  moving.insert(moving.end(), depends.derived.begin(), depends.derived.end());
  moving_values.assign(moving.size(), 0.0);

  if (const auto define = root->table_or_none("define"))
    for (std::size_t k = varied.size(); k < moving.size(); ++k) {
      if (define->kind_of(moving[k]) != doc::ValueKind::text) return;
      derived.push_back({k, compile(define->raw_text(moving[k]), symbols)});
    }
  if (const auto t = root->table_or_none("initial"))  // which observables are set must not change
    for (const std::string& key : t->keys()) {
      const bool fixed_key = key.find('{') == std::string::npos || !share(doc::words_in(key), moving);
      if (!fixed_key || (key == "repeat" && share(t->words_below(key), moving))) return;
    }
  entries = doc::read_initial_entries(*root, base);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const doc::InitialEntry& e = entries[k];
    if (e.table.kind_of(e.key) != doc::ValueKind::text) continue;
    const std::string text = e.table.raw_text(e.key);
    if (text.empty() || text.front() != '=' || !share(doc::words_in(text), moving)) continue;
    starts.push_back({k, compile(text, e.table.symbols())});
  }
  for (const Body& b : base.system->tree().bodies()) body_names.push_back(b.name);
  if (beds_change && compile_beds()) beds_change = false;
  quick = true;
}

// True when all that changes of the beds are numbers that can be set one by one.
bool ScenarioFamily::Impl::compile_beds() {
  int bed = 0;
  for (const doc::Table& t : root->tables("bed")) {
    const std::string& name = base.system->beds()[bed].name;
    const bool is_own =
        std::any_of(own.laws.begin(), own.laws.end(), [&](const auto& l) { return l.first == name; });
    for (const std::string& key : t.keys()) {
      if (!share(t.words_below(key), moving)) continue;
      const std::string text = t.kind_of(key) == doc::ValueKind::text ? t.raw_text(key) : "";
      const Coefficient* coefficient = nullptr;
      for (const Coefficient& c : law_card(base.system->beds()[bed].law).coefficients)
        if (key == c.key && !is_own) coefficient = &c;
      if (!base.system->beds()[bed].layers.empty()) return false;  // they may follow it
      if (text.empty() || text.front() != '=' || (!coefficient && key != "surface" && key != "slope"))
        return false;
      bed_numbers.push_back({bed, key, coefficient, compile(text, symbols)});
    }
    ++bed;
  }
  return true;
}

bool ScenarioFamily::Impl::turn_beds() {
  for (const BedFormula& f : bed_numbers) {
    const double x = f.expression(moving_values);
    Bed bed = current.system->beds()[f.bed];
    if (f.coefficient) {
      if (!(f.coefficient->positive ? x > 0 : f.coefficient->any_sign || x >= 0)) return false;
      f.coefficient->set(bed.law, x);
    } else {
      const Plane& p = bed.plane;
      const double slope = f.key == "slope" ? x : portable::atan2(p.tangent.z, p.tangent.x);
      if (std::abs(slope) > 1.5) return false;
      bed.plane = Plane::make({0, f.key == "surface" ? x : p.point.z}, slope);
    }
    current.system->set_bed(f.bed, std::move(bed));
  }
  return true;
}

void ScenarioFamily::Impl::rebuild(std::span<const double> values) {
#ifdef THUD_WITH_LANES
  journey.reset();
#endif
  runner.reset();
  initial.reset();
  current = doc::build_scenario(document, settings(values), own);
  current.system->track_distance(tracks_distance);
  is_current = true;
  // With other knobs there may be other bodies: what is asked for goes by its name.
  for (std::size_t k = 0; k < reads.size(); ++k) {
    if (reads[k].source != Source::observable) continue;
    const NamedObservable* o = current.find_observable(outputs[k].name);
    reads[k].index = o ? static_cast<std::size_t>(o - current.observables.data()) : missing;
  }
}

// False where a value is refused: the slow way says why.
bool ScenarioFamily::Impl::turn_quickly(std::span<const double> values) {
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    const Knob& knob = knobs[k];
    if (!std::isfinite(values[k])) return false;
    if (knob.range && !(values[k] >= knob.range->first && values[k] <= knob.range->second)) return false;
    if (knob.integer && values[k] != std::round(values[k])) return false;
    moving_values[k] = values[k];
    current.knobs[knob_index[k]].value = values[k];
  }
  try {
    for (const Formula& f : derived) moving_values[f.place] = f.expression(moving_values);
    if (beds_change) {
      for (std::size_t k = 0; k < moving.size(); ++k) symbols.set(moving[k], moving_values[k]);
      const auto beds = doc::read_beds<double>(document.root().with_symbols(symbols), body_names, own);
      const int before = current.system->state_size();
      for (std::size_t k = 0; k < beds.size(); ++k) current.system->set_bed(static_cast<int>(k), beds[k].bed);
      if (current.system->state_size() != before) runner.reset();
    }
    if (!turn_beds()) return false;
    for (const Formula& f : starts) entries[f.place].value = f.expression(moving_values);
    if (!initial) initial.emplace(current);
    initial->solve(entries, current.q, current.v);
    doc::check_start(*root, current);
  } catch (const doc::ExpressionError&) {
    return false;
  } catch (const InputError&) {
    return false;
  }
  return true;
}

double ScenarioFamily::Impl::read(const Read& r, Runner& from) {
  switch (r.source) {
    case Source::result: return from.result(r.index).value_or(none);
    case Source::observable:
      return r.index == missing ? none : from.at_end(current.observables[r.index].observable).value_or(none);
    case Source::time: return from.outcome().time;
    case Source::reason: return static_cast<double>(from.outcome().reason);
    case Source::residual: return from.outcome().energy.residual;
  }
  return none;
}

ScenarioFamily::ScenarioFamily(const std::string& name_or_path, const KnobSettings& fixed,
                               std::vector<std::string> varied, std::vector<std::string> outputs)
    : impl_(Impl::make(doc::find_document(name_or_path), fixed, varied, outputs)) {}

ScenarioFamily ScenarioFamily::parse(const std::string& text, const std::string& file,
                                     const KnobSettings& fixed, std::vector<std::string> varied,
                                     std::vector<std::string> outputs, const OwnParts& own,
                                     const std::atomic<bool>* cancel) {
  return ScenarioFamily(
      Impl::make(doc::Document::parse(text, file, cancel).with_parts({}), fixed, varied, outputs, own));
}

ScenarioFamily::ScenarioFamily(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ScenarioFamily::~ScenarioFamily() = default;
ScenarioFamily::ScenarioFamily(ScenarioFamily&&) noexcept = default;
ScenarioFamily& ScenarioFamily::operator=(ScenarioFamily&&) noexcept = default;

const Scenario& ScenarioFamily::base() const { return impl_->base; }
const std::vector<Knob>& ScenarioFamily::knobs() const { return impl_->knobs; }
const std::vector<FamilyOutput>& ScenarioFamily::outputs() const { return impl_->outputs; }

const Scenario& ScenarioFamily::at(std::span<const double> values) {
  impl_->set_knobs(values);
  return impl_->current;
}

// Which results are read.
std::vector<char> ScenarioFamily::Impl::asked() const {
  std::vector<char> out(current.results.size(), 0);
  for (const Read& r : reads)
    if (r.source == Source::result) out[r.index] = 1;
  return out;
}

// Turns the knobs; false where the scenario refuses the values.
bool ScenarioFamily::Impl::turn(std::span<const double> values, FamilyRun& report) {
  try {
    set_knobs(values);
    return true;
  } catch (const InputError& e) {
    report.message = e.what();
    is_current = false;
    return false;
  }
}

// Reads what a run has come to.
void ScenarioFamily::Impl::read_run(Runner& from, FamilyRun& report, double* out) {
  report.reason = from.outcome().reason;
  for (std::size_t k = 0; k < reads.size(); ++k) out[k] = read(reads[k], from);
  report.reached = from.reached(nullptr);
  if (!report.reached) from.reached(&report.message);
}

FamilyRun ScenarioFamily::Impl::run_alone(std::span<const double> values, double* out,
                                          const RunRequest& request) {
  FamilyRun report;
  std::fill(out, out + outputs.size(), none);
  if (!turn(values, report)) return report;
  if (!runner) runner = std::make_unique<Runner>(current, asked());
  counts.single += runner->run(request).stats.steps;
  read_run(*runner, report, out);
  return report;
}

bool ScenarioFamily::Impl::run_many(std::int64_t count, const FillPoint& point, const TakeRun& take,
                                    const RunRequest& request) {
  const auto is_cancelled = [&] { return request.cancel && *request.cancel; };
  std::vector<double> values(knobs.size()), out(outputs.size(), none);
  const bool together = lanes_allowed && request.lanes != "off" && !request.observer;
  std::int64_t i = 0;
  // Up to the first point that the scenario takes: from then on turning its knobs reads no text.
  for (; i < count && together && !is_current; ++i) {
    FamilyRun refused;
    point(i, values);
    if (turn(values, refused)) break;
    if (is_cancelled() || !take(i, refused, out.data())) return false;
  }
  if (together) return i == count || run_together(i, count, point, take, request);
  return run_each(i, count, point, take, request);
}

// One after the other.
bool ScenarioFamily::Impl::run_each(std::int64_t next, std::int64_t count, const FillPoint& point,
                                    const TakeRun& take, const RunRequest& request) {
  std::vector<double> values(knobs.size()), out(outputs.size());
  for (; next < count; ++next) {
    if (request.cancel && *request.cancel) return false;
    point(next, values);
    const FamilyRun run = run_alone(values, out.data(), request);
    if (run.reason == StopReason::cancelled || !take(next, run, out.data())) return false;
  }
  return true;
}

#ifndef THUD_WITH_LANES
bool ScenarioFamily::Impl::run_together(std::int64_t, std::int64_t, const FillPoint&, const TakeRun&,
                                        const RunRequest&) {
  return true;
}
#endif

FamilyRun ScenarioFamily::run(std::span<const double> values, double* out, const RunRequest& request) {
  return impl_->run_alone(values, out, request);
}

std::vector<std::string> lane_kernels() {
  std::vector<std::string> out;
#ifdef THUD_WITH_LANES
  for (const lanes::Kernel* k : lanes::usable_kernels()) out.emplace_back(k->name);
#endif
  return out;
}

void check_lanes(const std::string& lanes, const std::string& place) {
  std::vector<std::string> known = lane_kernels();
  known.insert(known.begin(), "off");
  if (lanes.empty() || contains(known, lanes)) return;
  throw InputError({place}, fmt::format("\"{}\" is no way to run lanes on this processor{} (there are: {})",
                                        lanes, did_you_mean(lanes, known), one_of(known)));
}

ScenarioFamily::StepCounts ScenarioFamily::step_counts() const { return impl_->counts; }
double ScenarioFamily::device_seconds() const { return impl_->device_seconds; }
const std::string& ScenarioFamily::device_notice() const { return impl_->device_notice; }

bool ScenarioFamily::run_many(std::int64_t count, const FillPoint& point, const TakeRun& take,
                              const RunRequest& request) {
  return impl_->run_many(count, point, take, request);
}

}  // namespace thud
