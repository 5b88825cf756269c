#include "study/study_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "scenario/build.hpp"
#include "study/knobs.hpp"
#include "thud/scenario/request.hpp"

namespace thud {

namespace fs = std::filesystem;
using doc::Dimension;
using doc::Parameter;
using doc::Range;
using doc::Table;

// ---- the public part --------------------------------------------------------------------------------------------

std::int64_t Distribution::size() const {
  switch (kind) {
    case Kind::grid: return count;
    case Kind::list: return static_cast<std::int64_t>(list.size());
    default: return 0;
  }
}

double Distribution::value(std::int64_t i) const {
  if (kind == Kind::list) return list[static_cast<std::size_t>(i)];
  if (i == count - 1 && count > 1) return high;
  return count == 1 ? low : low + (high - low) * (static_cast<double>(i) / static_cast<double>(count - 1));
}

std::vector<std::string> Study::varied_names() const {
  std::vector<std::string> names;
  for (const VariedKnob& v : vary) names.push_back(v.knob.name);
  return names;
}

const VariedKnob* Study::find_varied(std::string_view wanted) const {
  for (const VariedKnob& v : vary)
    if (v.knob.name == wanted) return &v;
  return nullptr;
}

Study load_study(const std::string& name_or_path, const KnobSettings& set) {
  return read_study(name_or_path, {}, set);
}

// ---- values of knobs ---------------------------------------------------------------------------------------------

const Parameter& find_knob(const doc::Parameters& knobs, const std::string& name, const Table& table,
                           const std::string& key) {
  if (const Parameter* knob = knobs.find(name)) return *knob;
  const std::vector<std::string> known = knobs.names();
  if (known.empty()) throw InputError(table.place_of_key(key), "the scenario has no knobs");
  throw InputError(table.place_of_key(key), fmt::format("the scenario has no knob \"{}\"{} (knobs: {})", name,
                                                        did_you_mean(name, known), fmt::join(known, ", ")));
}

doc::Quantity quantity_of(const Parameter& knob) { return {knob.dimension, {}, knob.bare_unit}; }

std::int64_t read_count(const Table& table, const std::string& key, std::int64_t least, std::int64_t most) {
  const double x = table.number(key, doc::Quantity{Dimension::none, {}, {}});
  if (x != std::round(x))
    throw table.error(key, fmt::format("must be a whole number; it is {}", table.written(key)));
  if (x < static_cast<double>(least) || x > static_cast<double>(most))
    throw table.error(
        key, fmt::format("must be a whole number from {} to {}; it is {}", least, most, table.written(key)));
  return static_cast<std::int64_t>(x);
}

namespace {

std::string show_bound(const Parameter& knob, double x) {
  return knob.unit.empty() ? doc::show(x) : doc::show(doc::from_si(x, knob.unit)) + " " + knob.unit;
}

// Conversions may end an ulp outside a bound.
bool is_allowed(const Parameter& knob, double x) {
  if (!knob.range) return true;
  const double slack = 1e-12 * std::max(std::abs(knob.range->min), std::abs(knob.range->max));
  return x >= knob.range->min - slack && x <= knob.range->max + slack;
}

void check_value(const Parameter& knob, double x, const Table& table, const std::string& key) {
  if (knob.integer && std::abs(x - std::round(x)) > 1e-9)
    throw table.error(
        key, fmt::format("knob \"{}\" takes whole numbers only; {} is none", knob.name, doc::show(x)));
  if (!is_allowed(knob, x))
    throw table.error(key, fmt::format("knob \"{}\" must be between {} and {}; {} is not", knob.name,
                                       show_bound(knob, knob.range->min), show_bound(knob, knob.range->max),
                                       show_bound(knob, x)));
}

double index_of_choice(const Parameter& knob, const std::string& text, const Table& table,
                       const std::string& key) {
  const auto found = std::find(knob.choices.begin(), knob.choices.end(), text);
  if (found == knob.choices.end())
    throw table.error(key, fmt::format("knob \"{}\" must be {}; it is \"{}\"{}", knob.name,
                                       one_of(knob.choices), text, did_you_mean(text, knob.choices)));
  return static_cast<double>(found - knob.choices.begin());
}

}  // namespace

double read_knob_value(const Table& table, const std::string& key, const Parameter& knob) {
  if (knob.is_text()) return index_of_choice(knob, table.text(key), table, key);
  const double x = table.number(key, quantity_of(knob));
  check_value(knob, x, table, key);
  return knob.integer ? std::round(x) : x;
}

// ---- sections ----------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t most_values = 1'000'000'000, most_runs = 1'000'000'000'000;

doc::Document find_study(const std::string& name) {
  std::error_code ec;
  const bool looks_like_path = name.find('/') != std::string::npos || name.ends_with(".toml");
  if (looks_like_path || fs::is_regular_file(name, ec)) return doc::load_document(name);
  const fs::path folder = fs::path(data_folder()) / "studies";
  const fs::path path = folder / (name + ".toml");
  if (fs::is_regular_file(path, ec)) return doc::load_document(path);
  std::vector<std::string> known;
  for (const auto& file : fs::directory_iterator(folder, ec))
    if (file.path().extension() == ".toml") known.push_back(file.path().stem().string());
  std::sort(known.begin(), known.end());
  throw InputError({}, fmt::format("there is no study \"{}\"{} ({}give the path of a file)", name,
                                   did_you_mean(name, known),
                                   known.empty() ? "" : "in the library: " + one_of(known) + "; or "));
}

// A path in the file counts from where the file lies.
std::string resolve_scenario(const Table& root, const std::string& file) {
  const std::string name = root.text("scenario");
  if (name.empty()) throw root.error("scenario", "must name a scenario of the library or a file");
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".toml");
  if (!is_path || fs::path(name).is_absolute()) return name;
  const fs::path folder = fs::path(file).parent_path();
  // Never without a slash, lest it be taken for a name of the library.
  return ((folder.empty() ? fs::path(".") : folder) / name).string();
}

doc::Document open_scenario(const Table& root, const std::string& name) {
  try {
    return doc::find_document(name);
  } catch (const InputError& e) {
    if (e.place().line > 0) throw;
    throw root.error("scenario", e.what());
  }
}

KnobSettings read_set(const Table& root, const doc::Parameters& knobs) {
  KnobSettings out;
  const auto t = root.table_or_none("set");
  if (!t) return out;
  for (const std::string& name : t->keys()) {
    const Parameter& knob = find_knob(knobs, name, *t, name);
    const double x = read_knob_value(*t, name, knob);
    out.emplace_back(name,
                     knob.is_text() ? knob.choices[static_cast<std::size_t>(x)] : fmt::format("{:.17g}", x));
  }
  t->finish();
  return out;
}

Distribution read_grid(const Table& t, const Parameter& knob) {
  Distribution d;
  d.kind = Distribution::Kind::grid;
  const auto ends = t.pair("grid", quantity_of(knob));
  d.low = (*ends)[0];
  d.high = (*ends)[1];
  check_value(knob, d.low, t, "grid");
  check_value(knob, d.high, t, "grid");
  d.count = read_count(t, "count", 1, most_values);
  if (d.count == 1 && d.low != d.high)
    throw t.error("count", "a grid of one value needs two equal ends; or write list = [...]");
  if (knob.integer && d.count > 1
      && std::fmod(std::round(d.high - d.low), static_cast<double>(d.count - 1)) != 0)
    throw t.error("count", fmt::format("knob \"{}\" takes whole numbers only, and the grid would have others",
                                       knob.name));
  return d;
}

Distribution read_list(const Table& t, const Parameter& knob) {
  Distribution d;
  d.kind = Distribution::Kind::list;
  if (knob.is_text()) {
    for (const std::string& text : t.texts_or("list"))
      d.list.push_back(index_of_choice(knob, text, t, "list"));
  } else {
    d.list = *t.numbers("list", quantity_of(knob));
    for (const double x : d.list) check_value(knob, x, t, "list");
  }
  if (d.list.empty()) throw t.error("list", "must hold at least one value");
  return d;
}

Distribution read_uniform(const Table& t, const Parameter& knob) {
  Distribution d;
  d.kind = Distribution::Kind::uniform;
  const auto ends = t.pair("uniform", quantity_of(knob));
  d.low = (*ends)[0];
  d.high = (*ends)[1];
  if (!(d.low < d.high))
    throw t.error("uniform", fmt::format("the lower bound comes first: {}", t.written("uniform")));
  check_value(knob, d.low, t, "uniform");
  check_value(knob, d.high, t, "uniform");
  return d;
}

Distribution read_normal(const Table& t, const Parameter& knob) {
  Distribution d;
  d.kind = Distribution::Kind::normal;
  const Table n = t.table("normal");
  d.mean = n.number("mean", quantity_of(knob));
  check_value(knob, d.mean, n, "mean");
  d.deviation = n.number("deviation", quantity_of(knob));
  if (!(d.deviation > 0))
    throw n.error("deviation", fmt::format("must be positive; it is {}", n.written("deviation")));
  n.finish();
  return d;
}

Distribution read_distribution(const Table& vary, const std::string& name, const Parameter& knob) {
  const std::vector<std::string> kinds = {"grid", "list", "uniform", "normal"};
  if (vary.kind_of(name) != doc::ValueKind::table)
    throw vary.error(name, fmt::format("must say how the knob changes: {} = {{ list = [...] }}, or with {} "
                                       "(a knob that stays belongs under [set])",
                                       name, one_of({"grid", "uniform", "normal"})));
  const Table t = vary.table(name);
  std::vector<std::string> given;
  for (const std::string& kind : kinds)
    if (t.has(kind)) given.push_back(kind);
  t.allow("count");
  if (given.size() != 1) {
    t.finish();  // a misspelt kind is the likeliest reason
    throw vary.error(name, fmt::format("must have one of {}", one_of(kinds)));
  }
  const std::string& kind = given.front();
  if (kind != "grid" && t.has("count")) throw t.error("count", "goes with grid only");
  if (kind != "list" && knob.is_text())
    throw t.error(kind, fmt::format("knob \"{}\" is a text: list = [...] is the way to change it", name));
  const Distribution d = kind == "grid"    ? read_grid(t, knob)
                       : kind == "list"    ? read_list(t, knob)
                       : kind == "uniform" ? read_uniform(t, knob)
                                           : read_normal(t, knob);
  t.finish();
  return d;
}

void read_vary(const Table& root, const doc::Parameters& knobs, Study& s) {
  const auto t = root.table_or_none("vary");
  if (!t) return;
  for (const std::string& name : t->keys()) {
    const Parameter& knob = find_knob(knobs, name, *t, name);
    for (const auto& setting : s.set)
      if (setting.first == name)
        throw InputError(t->place_of_key(name), fmt::format("knob \"{}\" is also set to stay at {}: it can "
                                                            "do one of the two",
                                                            name, setting.second));
    s.vary.push_back({make_knob(knob), read_distribution(*t, name, knob), t->place_of(name)});
  }
  t->finish();
}

Design read_design(const Table& root, const Study& s) {
  Design d;
  const bool drawn = std::any_of(s.vary.begin(), s.vary.end(),
                                 [](const VariedKnob& v) { return v.distribution.size() == 0; });
  d.kind = drawn ? Design::Kind::random : Design::Kind::grid;
  d.place = root.place_of("vary");
  const auto t = root.table_or_none("design");
  if (!t) return d;
  d.place = t->place();
  const std::vector<std::string> kinds = {"grid", "random", "latin", "sobol"};
  if (t->has("kind")) {
    const std::string kind = t->choice("kind", kinds);
    d.kind = static_cast<Design::Kind>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    if (d.kind == Design::Kind::grid && drawn)
      throw t->error("kind", "a grid needs grid = [...] or list = [...] for every knob");
  }
  if (t->has("runs")) {
    d.runs = read_count(*t, "runs", 1, most_runs);
    if (d.kind == Design::Kind::grid) throw t->error("runs", "a grid has as many runs as it has points");
  }
  if (t->has("seed")) d.seed = static_cast<std::uint64_t>(read_count(*t, "seed", 0, std::int64_t{1} << 53));
  t->finish();
  return d;
}

RunRequest read_request(const Table& root) {
  RunRequest r;
  const auto t = root.table_or_none("run");
  if (!t) return r;
  r.until_rest = t->flag_or("until_rest", false);
  r.time_limit = t->number_or_none("time_limit", Dimension::time, Range::positive());
  r.tolerance = t->number_or_none("tolerance", Dimension::none, Range{1e-14, 1e-2, false, false});
  if (t->has("method")) r.method = find_method(t->choice("method", method_names()));
  r.step = t->number_or_none("step", Dimension::time, Range::positive());
  t->finish();
  return r;
}

std::vector<std::string> read_outputs(const Table& root, const Scenario& scenario) {
  std::vector<std::string> all;
  for (const ResultSpec& r : scenario.results) all.push_back(r.name);
  const std::vector<std::string> names = root.texts_or("outputs", all);
  std::vector<std::string> known = all;
  for (const char* name : {"end.time", "end.reason", "energy.residual"}) known.emplace_back(name);
  for (const NamedObservable& o : scenario.observables) known.push_back(o.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(known.begin(), known.end(), names[i]) == known.end())
      throw root.error("outputs", fmt::format("scenario \"{}\" has no result or observable \"{}\"{}",
                                              scenario.name, names[i], did_you_mean(names[i], known)));
    if (std::find(names.begin(), names.begin() + static_cast<long>(i), names[i])
        != names.begin() + static_cast<long>(i))
      throw root.error("outputs", fmt::format("names \"{}\" twice", names[i]));
  }
  return names;
}

std::vector<StudyPlot> read_plots(const Table& root, const Study& s) {
  std::vector<std::string> columns = s.varied_names();
  columns.insert(columns.end(), s.outputs.begin(), s.outputs.end());
  std::vector<StudyPlot> plots;
  for (const Table& t : root.tables("plot")) {
    StudyPlot p;
    p.place = t.place();
    const auto column = [&](const char* key) {
      const std::string name = t.text(key);
      if (std::find(columns.begin(), columns.end(), name) != columns.end()) return name;
      throw t.error(key, fmt::format("the study has no column \"{}\"{} (columns: {})", name,
                                     did_you_mean(name, columns), fmt::join(columns, ", ")));
    };
    const bool is_map = t.choice("kind", {"map", "curves"}) == "map";
    p.kind = is_map ? StudyPlot::Kind::map : StudyPlot::Kind::curves;
    p.title = t.text_or("title", s.title);
    p.x = column("x");
    p.y = column("y");
    if (is_map) p.z = column("z");
    if (!is_map && t.has("by")) p.by = column("by");
    t.finish();
    plots.push_back(std::move(p));
  }
  return plots;
}

}  // namespace

Study read_study(const std::string& name_or_path, const std::function<void(const OpenStudy&)>& own_sections,
                 const KnobSettings& set) {
  const doc::Document document = find_study(name_or_path);
  const Table root = document.root();
  Study s;
  s.file = document.file();
  s.name = fs::path(s.file).stem().string();
  s.text = document.text();
  s.title = root.text_or("title", s.name);
  s.about = root.text_or("about", "");
  s.scenario = resolve_scenario(root, s.file);
  const doc::Document scenario_document = open_scenario(root, s.scenario);
  s.scenario_text = scenario_document.text();
  s.set = merge_settings(read_set(root, doc::read_parameters(scenario_document)), set);
  const Scenario scenario = doc::build_scenario(scenario_document, s.set);
  const doc::Parameters knobs = doc::read_parameters(scenario_document, s.set);
  read_vary(root, knobs, s);
  s.outputs = read_outputs(root, scenario);
  for (const std::string& name : s.outputs)
    if (s.find_varied(name))
      throw root.error("outputs", fmt::format("\"{}\" is a knob that is varied", name));
  s.design = read_design(root, s);
  s.request = read_request(root);
  s.plots = read_plots(root, s);
  if (own_sections) own_sections({root, s, scenario, knobs});
  for (const char* section : {"fit", "data", "sensitivity"}) root.allow(section);
  root.finish();
  return s;
}

}  // namespace thud
