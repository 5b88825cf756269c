// The sections [fit] and [data] of a study, and the files they speak of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "study/capture_rules.hpp"
#include "study/fit_model.hpp"
#include "study/study_file.hpp"
#include "thud/study/fit.hpp"

namespace thud {

namespace fs = std::filesystem;
using doc::Dimension;
using doc::Parameter;
using doc::Range;
using doc::Table;

namespace {

const std::vector<std::string> reserved_keys = {"from", "to", "start", "capture"};

std::string show_in(const Parameter& knob, double x) {
  return knob.unit.empty() ? doc::show(x) : doc::show(doc::from_si(x, knob.unit)) + " " + knob.unit;
}

const Knob& knob_of(const Scenario& scenario, const std::string& name) {
  return *std::find_if(scenario.knobs.begin(), scenario.knobs.end(),
                       [&](const Knob& k) { return k.name == name; });
}

class FitReader {
 public:
  FitReader(const OpenStudy& open, FitStudy& out) : open_(open), out_(out) {}

  void read() {
    const auto t = open_.root.table_or_none("fit");
    if (!t)
      throw InputError({open_.study.file, 0, 0},
                       "the study has no [fit] section to say which knobs are to be fitted");
    read_knobs(*t);
    read_initial(*t);
    read_data(*t);
    read_loss(*t);
    read_intervals(*t);
    if (const auto nuisance = t->table_or_none("nuisance")) read_nuisance(*nuisance, out_);
    out_.keep_outliers = t->choice_or("outliers", "drop", {"drop", "keep"}) == "keep";
    read_noise(*t);
    out_.starts = t->integer_or("starts", 1, Range::between(1, 10000));
    if (t->has("seed"))
      out_.seed = static_cast<std::uint64_t>(read_count(*t, "seed", 0, std::int64_t{1} << 53));
    out_.iterations = t->integer_or("iterations", 100, Range::between(1, 100000));
    check_starts(*t);
    t->finish();
  }

 private:
  // A knob with { start, range }, or with nothing at all.
  FitKnob read_fit_knob(const Table& table, const std::string& name, const Parameter& knob) const {
    if (knob.is_text() || knob.integer)
      throw InputError(table.place_of_key(name),
                       fmt::format("knob \"{}\" cannot be fitted: it takes {} only", name,
                                   knob.is_text() ? "certain texts" : "whole numbers"));
    constexpr double infinite = std::numeric_limits<double>::infinity();
    FitKnob f{knob_of(open_.scenario, name), knob.value, -infinite, infinite, table.place_of(name)};
    if (knob.range) f.low = knob.range->min, f.high = knob.range->max;
    if (table.kind_of(name) != doc::ValueKind::table) return f;
    const Table t = table.table(name);
    if (const auto range = t.pair("range", quantity_of(knob))) {
      if (!((*range)[0] < (*range)[1]))
        throw t.error("range", fmt::format("the lower bound comes first: {}", t.written("range")));
      const double slack = 1e-12 * std::max(std::abs((*range)[0]), std::abs((*range)[1]));
      if ((*range)[0] < f.low - slack || (*range)[1] > f.high + slack)
        throw t.error("range", fmt::format("goes beyond the range of the knob itself, {} to {}",
                                           show_in(knob, f.low), show_in(knob, f.high)));
      f.low = std::max<double>(f.low, (*range)[0]);
      f.high = std::min<double>(f.high, (*range)[1]);
    }
    const bool has_start = t.has("start");
    if (has_start) f.start = read_knob_value(t, "start", knob);
    if (f.start < f.low || f.start > f.high)
      throw InputError(has_start ? t.place_of("start") : t.place(),
                       fmt::format("knob \"{}\" starts at {}, outside the range of {} to {}{}", name,
                                   show_in(knob, f.start), show_in(knob, f.low), show_in(knob, f.high),
                                   has_start ? "" : "; give start = ..."));
    t.finish();
    return f;
  }

  void refuse_set(const Table& table, const std::string& name, const char* what) const {
    for (const auto& [set, value] : open_.study.set)
      if (set == name)
        throw InputError(
            table.place_of_key(name),
            fmt::format("knob \"{}\" is {} and also set to {}: it can do one of the two", name, what, value));
  }

  void read_knobs(const Table& fit) {
    const Table t = fit.table("knobs");
    for (const std::string& name : t.keys()) {
      const Parameter& knob = find_knob(open_.knobs, name, t, name);
      refuse_set(t, name, "fitted");
      if (t.kind_of(name) != doc::ValueKind::table)
        throw t.error(
            name,
            fmt::format("must be a table: {} = {{}}, or {} = {{ start = ..., range = [...] }}", name, name));
      out_.knobs.push_back(read_fit_knob(t, name, knob));
    }
    t.finish();
  }

  bool is_shared(const std::string& name) const {
    return std::any_of(out_.knobs.begin(), out_.knobs.end(),
                       [&](const FitKnob& k) { return k.knob.name == name; });
  }
  LocalKnob* find_local(const std::string& name) const {
    for (LocalKnob& k : out_.initial)
      if (k.fit.knob.name == name) return &k;
    return nullptr;
  }

  void read_initial(const Table& fit) {
    if (const auto t = fit.table_or_none("initial")) {
      for (const std::string& name : t->keys()) {
        const Parameter& knob = find_knob(open_.knobs, name, *t, name);
        if (is_shared(name))
          throw InputError(t->place_of_key(name),
                           fmt::format("knob \"{}\" is fitted for all files together already", name));
        LocalKnob local;
        if (t->kind_of(name) == doc::ValueKind::table) {
          local.free = true;
        } else {
          local.free = t->choice(name, {"free", "given"}) == "free";
          local.required = !local.free;
        }
        if (local.free)
          local.fit = read_fit_knob(*t, name, knob);
        else
          local.fit.knob = knob_of(open_.scenario, name), local.fit.start = knob.value;
        out_.initial.push_back(std::move(local));
      }
      t->finish();
    }
    if (out_.knobs.empty()
        && std::none_of(out_.initial.begin(), out_.initial.end(), [](const LocalKnob& k) { return k.free; }))
      throw fit.error("knobs", "names no knob, so there is nothing to fit");
  }

  void read_data(const Table& fit) {
    std::vector<std::pair<std::string, std::string>> rename;
    if (const auto t = fit.table_or_none("rename")) {
      for (const std::string& heading : t->keys()) rename.emplace_back(heading, read_observable(*t, heading));
      t->finish();
    }
    const std::vector<std::string> ignore = fit.texts_or("ignore");
    common_.rename = rename;
    common_.ignore = ignore;
    if (const auto t = fit.table_or_none("capture"))
      read_capture_rules(*t, open_.scenario.observables, common_);
    if (const auto t = open_.root.table_or_none("data")) {
      for (const std::string& name : t->keys()) out_.files.push_back(read_file(*t, name));
      t->finish();
    }
    if (out_.files.empty()) out_.files.push_back({"", {}, common_, {}});  // stands for every file
  }

  std::string read_observable(const Table& t, const std::string& key) const {
    const std::string name = t.text(key);
    if (name == "time" || open_.scenario.find_observable(name)) return name;
    std::vector<std::string> known;
    for (const NamedObservable& o : open_.scenario.observables) known.push_back(o.name);
    throw t.error(key,
                  fmt::format("the scenario has no observable \"{}\"{}", name, did_you_mean(name, known)));
  }

  FitFile read_file(const Table& data, const std::string& name) {
    FitFile file{name, {}, common_, data.place_of_key(name)};
    const Table t = data.table(name);
    file.rules.start = t.number_or("start", 0, Dimension::time);
    file.rules.from = t.number_or("from", -1e300, Dimension::time);
    file.rules.to = t.number_or("to", 1e300, Dimension::time);
    if (!(file.rules.from < file.rules.to)) throw t.error("to", "must be later than from");
    if (const auto own = t.table_or_none("capture"))
      read_capture_rules(*own, open_.scenario.observables, file.rules);
    for (const std::string& key : t.keys()) {
      if (std::find(reserved_keys.begin(), reserved_keys.end(), key) != reserved_keys.end()) continue;
      const Parameter& knob = find_knob(open_.knobs, key, t, key);
      refuse_set(t, key, "given per file");
      if (is_shared(key))
        throw InputError(
            t.place_of_key(key),
            fmt::format("knob \"{}\" is fitted for all files together; it can have no value here", key));
      LocalKnob* local = find_local(key);
      if (!local) {
        LocalKnob given;
        given.fit.knob = knob_of(open_.scenario, key);
        given.fit.start = knob.is_text() ? index_of(knob) : knob.value;
        out_.initial.push_back(given);
        local = &out_.initial.back();
      }
      const double value = read_knob_value(t, key, knob);
      if (local->free && (value < local->fit.low || value > local->fit.high))
        throw t.error(key, fmt::format("lies outside the range of the fit, {} to {}",
                                       show_in(knob, local->fit.low), show_in(knob, local->fit.high)));
      file.values.emplace_back(key, value);
    }
    t.finish();
    for (const LocalKnob& k : out_.initial)
      if (k.required && std::none_of(file.values.begin(), file.values.end(), [&](const auto& v) {
            return v.first == k.fit.knob.name;
          }))
        throw InputError(file.place,
                         fmt::format("\"{}\" gives no {}, which [fit] initial wants for every file", name,
                                     k.fit.knob.name));
    return file;
  }

  static double index_of(const Parameter& knob) {
    return static_cast<double>(std::find(knob.choices.begin(), knob.choices.end(), knob.text_value)
                               - knob.choices.begin());
  }

  void read_loss(const Table& fit) {
    const std::string loss = fit.choice_or("loss", "none", {"none", "huber", "cauchy"});
    out_.loss = loss == "huber" ? FitLoss::huber : loss == "cauchy" ? FitLoss::cauchy : FitLoss::none;
    if (out_.loss == FitLoss::none && fit.has("scale"))
      throw fit.error("scale", "goes with loss = \"huber\" or \"cauchy\"");
    // 95 % of the efficiency of plain least squares for normal noise.
    const double usual = out_.loss == FitLoss::huber ? 1.345 : 2.385;
    out_.loss_scale = fit.number_or("scale", usual, Dimension::none, Range::positive());
  }

  void read_intervals(const Table& fit) {
    const std::string kind = fit.choice_or("intervals", "profile", {"profile", "linear", "bootstrap"});
    out_.intervals = kind == "profile" ? FitIntervals::profile
                   : kind == "linear"  ? FitIntervals::linear
                                       : FitIntervals::bootstrap;
    if (fit.has("samples") && out_.intervals != FitIntervals::bootstrap)
      throw fit.error("samples", "goes with intervals = \"bootstrap\"");
    out_.samples = fit.integer_or("samples", 200, Range::between(40, 100000));
  }

  // noise = "0.1 mm", or noise = { "link.marker1.*" = "0.1 mm", "link.angle" = "0.2 deg" }
  void read_noise(const Table& fit) {
    if (!fit.has("noise")) return;
    if (fit.kind_of("noise") != doc::ValueKind::table) {
      out_.noise.push_back(read_noise_value(fit, "noise", "*"));
      return;
    }
    const Table t = fit.table("noise");
    for (const std::string& pattern : t.keys()) out_.noise.push_back(read_noise_value(t, pattern, pattern));
    if (out_.noise.empty()) throw fit.error("noise", "says nothing");
    t.finish();
  }

  static NoiseRule read_noise_value(const Table& t, const std::string& key, const std::string& pattern) {
    NoiseRule rule{pattern, t.number(key, Dimension::any, Range::positive()), "", t.place_of(key)};
    if (t.kind_of(key) != doc::ValueKind::text) return rule;
    const std::string text = t.raw_text(key);
    if (const auto unit = doc::unit_of(text); unit && !unit->empty())
      rule.unit = doc::si_unit(doc::dimension_of(*unit));
    return rule;
  }

  void check_starts(const Table& fit) const {
    if (out_.starts == 1) return;
    const auto check = [&](const FitKnob& k) {
      if (!std::isfinite(k.low) || !std::isfinite(k.high))
        throw fit.error("starts", fmt::format("several starts are drawn from the ranges of the knobs, and "
                                              "\"{}\" has none: give it range = [...]",
                                              k.knob.name));
    };
    for (const FitKnob& k : out_.knobs) check(k);
    for (const LocalKnob& k : out_.initial)
      if (k.free) check(k.fit);
  }

  const OpenStudy& open_;
  FitStudy& out_;
  MeasurementRules common_;
};

// ---- files -----------------------------------------------------------------------------------------------------

fs::path beside(const FitStudy& study, const std::string& name) {
  return fs::path(name).is_absolute() ? fs::path(name) : fs::path(study.study.file).parent_path() / name;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code ec;
  return fs::weakly_canonical(a, ec) == fs::weakly_canonical(b, ec);
}

// The entry of [data] that speaks of a file: by its name as given, by its place, or by its last name alone.
const FitFile& entry_of(const FitStudy& study, const std::string& path) {
  if (study.files.size() == 1 && study.files[0].name.empty()) return study.files[0];
  for (const FitFile& f : study.files)
    if (f.name == path || is_same_file(beside(study, f.name), path)) return f;
  const FitFile* found = nullptr;
  std::vector<std::string> known;
  for (const FitFile& f : study.files) {
    known.push_back(f.name);
    if (fs::path(f.name).filename() != fs::path(path).filename()) continue;
    if (found)
      throw InputError({"--data " + path, 0, 0}, "[data] of the study has several files of that name");
    found = &f;
  }
  if (found) return *found;
  const std::string name = fs::path(path).filename().string();
  throw InputError({"--data " + path, 0, 0},
                   fmt::format("[data] of the study says nothing about \"{}\"{} (files: {})", name,
                               did_you_mean(name, known), fmt::join(known, ", ")));
}

std::vector<double> local_values(const FitStudy& study, const FitFile& file) {
  std::vector<double> out;
  for (const LocalKnob& k : study.initial) {
    double value = k.fit.start;
    for (const auto& [name, given] : file.values)
      if (name == k.fit.knob.name) value = given;
    if (file.name.empty() && k.required)
      throw InputError({study.study.file, 0, 0},
                       fmt::format("[fit] initial wants {} for every file, but there is no [data] to give it",
                                   k.fit.knob.name));
    out.push_back(value);
  }
  return out;
}

void check_noise(const FitStudy& study, const Measurement& m) {
  if (study.noise.empty()) return;
  for (const MeasuredColumn& c : m.columns)
    if (!find_noise(study, c.what))
      throw InputError(study.noise.back().place, fmt::format("gives no noise for {} [{}], which {} measures",
                                                             c.what.name, c.what.unit, m.file));
}

}  // namespace

FitStudy load_fit_study(const std::string& name_or_path, const KnobSettings& set) {
  FitStudy out;
  out.study = read_study(
      name_or_path,
      [&](const OpenStudy& open) {
        FitReader(open, out).read();
        for (const NamedObservable& o : open.scenario.observables) out.observables.push_back(o);
        out.scenario_title = open.scenario.title;
      },
      set);
  return out;
}

std::vector<FitData> load_fit_data(const FitStudy& study, const std::vector<std::string>& files) {
  std::vector<std::string> paths = files;
  if (paths.empty())
    for (const FitFile& f : study.files)
      if (!f.name.empty()) paths.push_back(beside(study, f.name).string());
  if (paths.empty())
    throw InputError({study.study.file, 0, 0},
                     "there are no data: give --data FILE.csv, or name the files under [data]");
  std::vector<FitData> out;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    for (std::size_t i = 0; i < k; ++i)
      if (is_same_file(paths[i], paths[k]))
        throw InputError({"--data " + paths[k], 0, 0}, "this file is given twice");
    const FitFile& file = entry_of(study, paths[k]);
    FitData d{file.name.empty() ? fs::path(paths[k]).filename().string() : file.name,
              load_measurement(paths[k], study.observables, file.rules), local_values(study, file)};
    check_noise(study, d.measurement);
    out.push_back(std::move(d));
  }
  std::size_t values = 0, free = study.knobs.size();
  for (const FitData& d : out) values += d.measurement.count();
  for (const LocalKnob& k : study.initial) free += k.free ? out.size() : 0;
  free += study.nuisance.size() * out.size();
  if (values <= free)
    throw InputError({study.study.file, 0, 0},
                     fmt::format("{} measured value{} cannot determine {} knob{} and their uncertainty",
                                 values, values == 1 ? "" : "s", free, free == 1 ? "" : "s"));
  return out;
}

}  // namespace thud
