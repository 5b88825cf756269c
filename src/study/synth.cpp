#include "thud/study/synth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "scenario/build.hpp"
#include "study/knobs.hpp"
#include "study/sampler.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/knob_text.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/store/file.hpp"
#include "thud/study/fit.hpp"

namespace thud {

namespace {

constexpr std::size_t most_frames = 10'000'000;

// The same numbers on every machine, which std::normal_distribution does not promise.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}
  double operator()() {
    const double u = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * u);
  }

 private:
  std::mt19937_64 random_;
};

bool is_declared(const NamedPoint& p) {
  return !p.name.ends_with(".start") && !p.name.ends_with(".tip") && !p.name.ends_with(".root");
}

std::vector<NamedObservable> find_columns(const Scenario& s, const std::vector<std::string>& names) {
  std::vector<std::string> wanted = names;
  if (wanted.empty())
    for (const NamedPoint& p : s.points)
      if (is_declared(p)) wanted.insert(wanted.end(), {p.name + ".x", p.name + ".z"});
  if (wanted.empty())
    throw InputError(
        {s.file, 0, 0},
        "the scenario declares no [points] to measure; give --observables link.tip.x,link.tip.z");
  std::vector<NamedObservable> out;
  for (const std::string& name : wanted) {
    const NamedObservable* o = s.find_observable(name);
    if (!o) {
      std::vector<std::string> known;
      for (const NamedObservable& k : s.observables) known.push_back(k.name);
      throw InputError(
          {"--observables " + name, 0, 0},
          fmt::format("there is no observable \"{}\"{} (thud run {} --list-observables shows them all)", name,
                      did_you_mean(name, known), s.name));
    }
    for (const NamedObservable& other : out)
      if (other.name == name) throw InputError({"--observables " + name, 0, 0}, "is there twice");
    out.push_back(*o);
  }
  return out;
}

struct Column {
  std::string unit;  // in the file
  double factor;     // file value = SI value · factor
  double noise;      // SI
  int decimals;      // −1: as many as it takes
};

Column make_column(const NamedObservable& o, const SynthOptions& options) {
  Column c{o.unit, 1, 0, -1};
  if (o.unit == "m") c = {"mm", 1e3, 0, -1};
  if (o.unit == "rad") c = {"deg", 180 / std::numbers::pi, 0, -1};
  for (const auto& [unit, deviation] : options.noise)
    if (unit.empty() || unit == o.unit) c.noise = deviation;
  // Digits far below the noise mean nothing.
  if (c.noise > 0)
    c.decimals = std::clamp(3 - static_cast<int>(std::floor(portable::log10(c.noise * c.factor))), 0, 15);
  return c;
}

std::string show_value(double x, int decimals) {
  return decimals < 0 ? fmt::format("{}", x + 0.0) : fmt::format("{:.{}f}", x, decimals);
}

std::string make_header(const Scenario& s, const SynthOptions& options, double end,
                        const std::vector<NamedObservable>& columns, const std::vector<Column>& shown) {
  const TextStyle plain{.unicode = false};
  std::string out =
      fmt::format("# Synthetic measurements made by thud {} from scenario {}\n", THUD_VERSION, s.name);
  std::string knobs;
  for (const Knob& k : s.knobs)
    knobs += fmt::format("{}{} = {}", knobs.empty() ? "" : ", ", k.name, show_knob(k, plain));
  if (!knobs.empty()) out += "# " + knobs + "\n";
  out += fmt::format("# {} frames/s, seed {}, run of {}\n", show_number(options.rate), options.seed,
                     show_quantity(end, "s", plain));
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (shown[k].noise > 0)
      out += fmt::format("# {}: normal noise of {} {}\n", columns[k].name,
                         show_number(shown[k].noise * shown[k].factor), shown[k].unit);
    else
      out += fmt::format("# {}: without noise\n", columns[k].name);
  out += "time [s]";
  for (std::size_t k = 0; k < columns.size(); ++k)
    out += ", " + columns[k].name + (shown[k].unit.empty() ? "" : " [" + shown[k].unit + "]");
  return out + "\n";
}

}  // namespace

std::string make_synthetic_csv(const Scenario& scenario, const SynthOptions& options) {
  const std::vector<NamedObservable> columns = find_columns(scenario, options.observables);
  std::vector<Column> shown;
  std::vector<Observable> what;
  for (const NamedObservable& o : columns) {
    shown.push_back(make_column(o, options));
    what.push_back(o.observable);
  }
  RunRequest request = options.request;
  if (options.until > 0) request.time_limit = options.until;
  const RunResult first = run(scenario, request);
  const StopReason reason = first.outcome.reason;
  if (reason == StopReason::failed || reason == StopReason::cancelled)
    throw OutputError(fmt::format("{} cannot be measured: {}", scenario.name, first.reason));
  const double end = options.until > 0 ? options.until : first.outcome.time;
  const double frames = std::floor(end * options.rate * (1 + 1e-12)) + 1;
  if (!(frames <= static_cast<double>(most_frames)))
    throw InputError({scenario.name, 0, 0}, fmt::format("{:.3g} frames are too many", frames));
  std::vector<double> time;
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames); ++i)
    time.push_back(static_cast<double>(i) / options.rate);
  Sampler sampler(*scenario.system, time, what);
  request.observer = &sampler;
  sampler.finish(run(scenario, request).outcome);

  Normal normal(options.seed);
  std::string out = make_header(scenario, options, end, columns, shown);
  for (std::size_t i = 0; i < time.size(); ++i) {
    out += fmt::format("{}", options.start + time[i]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double noise = shown[c].noise > 0 ? shown[c].noise * normal() : 0;
      out += ", " + show_value((sampler.at(i, c) + noise) * shown[c].factor, shown[c].decimals);
    }
    out += "\n";
  }
  return out;
}

namespace {

namespace fs = std::filesystem;

bool is_study(const std::string& name) {
  std::error_code ec;
  const bool is_path =
      name.find('/') != std::string::npos || name.ends_with(".toml") || fs::is_regular_file(name, ec);
  if (!is_path) return fs::is_regular_file(fs::path(data_folder()) / "studies" / (name + ".toml"), ec);
  return doc::load_document(name).root().has("scenario");
}

std::string setting_text(const Knob& knob, double value) {
  return knob.choices.empty() ? fmt::format("{:.17g}", value) : knob.choices[static_cast<std::size_t>(value)];
}

SynthSource make_source(const FitStudy& fit, const FitFile& file, const KnobSettings& set) {
  SynthSource source{file.name, fit.study.scenario, fit.study.set, fit.study.request, file.rules.start};
  for (const auto& [name, value] : file.values)
    for (const LocalKnob& k : fit.initial)
      if (k.fit.knob.name == name) source.set.emplace_back(name, setting_text(k.fit.knob, value));
  source.set = merge_settings(std::move(source.set), set);
  return source;
}

}  // namespace

std::string SynthSource::file_name() const {
  return file.empty() ? fs::path(scenario).stem().string() + ".csv" : fs::path(file).filename().string();
}

std::string make_synthetic_csv(const SynthSource& source, SynthOptions options) {
  options.request = source.request;
  options.start = source.start;
  return make_synthetic_csv(load_scenario(source.scenario, source.set), options);
}

std::vector<SynthSource> find_synth_sources(const std::string& study_or_scenario, const KnobSettings& set) {
  if (!is_study(study_or_scenario)) return {{"", study_or_scenario, set, {}, 0}};
  const Study study = load_study(study_or_scenario);
  if (!doc::load_document(study.file).root().has("fit"))
    return {{"", study.scenario, merge_settings(study.set, set), study.request, 0}};
  // The truth is the scenario's: knobs that the study would fit may be set here.
  const FitStudy fit = load_fit_study(study_or_scenario);
  std::vector<SynthSource> out;
  for (const FitFile& file : fit.files) out.push_back(make_source(fit, file, set));
  return out;
}

}  // namespace thud
