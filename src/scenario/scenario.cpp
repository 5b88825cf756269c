#include "thud/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "scenario/assembly.hpp"
#include "scenario/build.hpp"
#include "scenario/contacts.hpp"
#include "scenario/controllers.hpp"
#include "scenario/initial.hpp"
#include "scenario/own_parts.hpp"
#include "scenario/parameters.hpp"
#include "scenario/rules.hpp"
#include "scenario/strike.hpp"
#include "thud/beam/strike.hpp"
#include "thud/scenario/observable_hint.hpp"
#include "thud/scenario/rates.hpp"
#include "thud/scenario/request.hpp"

namespace thud {

namespace fs = std::filesystem;
using doc::Dimension;
using doc::Range;
using doc::Table;

const NamedObservable* Scenario::find_observable(std::string_view wanted) const {
  for (const NamedObservable& o : observables)
    if (o.name == wanted) return &o;
  return nullptr;
}

Knob doc::make_knob(const doc::Parameter& p) {
  Knob k;
  k.name = p.name;
  k.value = p.value;
  k.default_value = p.default_value;
  k.unit = p.unit;
  if (p.range) k.range = {p.range->min, p.range->max};
  k.about = p.about;
  k.integer = p.integer;
  k.choices = p.choices;
  k.text = p.text_value;
  k.default_text = p.default_text;
  return k;
}

namespace {

void read_solver(const Table& root, SolverOptions& options) {
  const auto t = root.table_or_none("solver");
  if (!t) return;
  options.method = *find_method(t->choice_or("method", "auto", method_names()));
  options.tolerance =
      t->number_or("tolerance", options.tolerance, Dimension::none, Range{1e-14, 1e-2, false, false});
  options.step = t->number_or("step", options.step, Dimension::time, Range::positive());
  options.newmark_beta = t->number_or("beta", options.newmark_beta, Dimension::none, Range::between(0, 1));
  options.newmark_gamma =
      t->number_or("gamma", options.newmark_gamma, Dimension::none, Range::between(0.5, 2));
  options.spectral_radius =
      t->number_or("spectral_radius", options.spectral_radius, Dimension::none, Range::between(0, 1));
  options.max_step = t->number_or("max_step", options.max_step, Dimension::time, Range::positive());
  t->finish();
}

// Of every beam by itself, and with its hub free to turn.
void add_frequencies(const System& system, std::vector<NamedConstant>& out) {
  for (int i = 0; i < system.tree().body_count(); ++i) {
    const Body& b = system.tree().body(i);
    if (!b.beam) continue;
    // Always six, so that a file may ask for them whatever the number of modes is.
    const auto add = [&](const char* name, const std::vector<double>& all) {
      for (std::size_t k = 0; k < 6; ++k)
        out.push_back({fmt::format("{}.{}{}", b.name, name, k + 1),
                       k < all.size() ? std::optional(all[k]) : std::nullopt, "rad/s"});
    };
    std::vector<double> own;
    for (int k = 0; k < b.beam->size(); ++k) own.push_back(b.beam->frequency(k));
    add("frequency", own);
    const bool on_hub = system.tree().joint_kind(i) == JointKind::pin && b.parent < 0;
    if (!on_hub || b.beam->basis().support() != Support::clamped) continue;
    add("hub_frequency",
        frequencies_on_hub(*b.beam, b.inertia + b.joint.inertia
                                        + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n)));
  }
}

void read_output(const Table& root, Scenario& s) {
  const auto t = root.table_or_none("output");
  if (!t) return;
  s.plot = t->texts_or("plot");
  for (const std::string& name : s.plot) {
    if (s.find_observable(name)) continue;
    try {
      s.observables.push_back(find_quantity(s, name));  // an expression: a column like others
    } catch (const InputError& e) {
      throw t->error("plot", e.message());
    }
  }
  s.sample = t->number_or("sample", 0, Dimension::time, Range::positive());
  t->finish();
}

}  // namespace

Scenario doc::build_scenario(const doc::Document& document, const KnobSettings& set, const OwnParts& own) {
  Scenario s;
  s.file = document.file();
  s.text = document.text();
  s.name = fs::path(s.file).stem().string();
  const doc::Parameters parameters = doc::read_parameters(document, set);
  for (const doc::Parameter& p : parameters.list) s.knobs.push_back(doc::make_knob(p));
  const Table root = document.root(&scenario_spec()).with_symbols(parameters.symbols);
  root.allow("parameters");
  root.allow("define");
  for (const char* key : {"include", "replace", "attached"}) root.allow(key);  // read with the document
  s.title = root.text_or("title", s.name);
  s.about = root.text_or("about", "");

  doc::BuiltOf<double> built = doc::build_system<double>(root, own);
  s.system = std::move(built.system);
  s.points = std::move(built.points);
  for (auto& [body, part] : built.parts) s.parts.push_back({body, part});
  s.notes = std::move(built.notes);
  s.observables = list_observables(*s.system, s.points);
  read_solver(root, s.options);
  add_frequencies(*s.system, s.constants);
  doc::read_initial(root, s);
  doc::read_strike(root, s);
  doc::check_start(root, s);
  doc::read_rules(root, s);
  doc::read_control_plan(root, own, s);
  read_output(root, s);
  root.finish();
  doc::add_own_parts(own, s);
  return s;
}

namespace {

bool looks_like_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml");
}

fs::path program_folder() {
  std::error_code ec;
  const fs::path exe = fs::read_symlink("/proc/self/exe", ec);
  return ec ? fs::path() : exe.parent_path();
}

std::string& chosen_data_folder() {
  static std::string folder;
  return folder;
}

// Path of the header values.hpp, as the program that uses the library was compiled with it.
std::string& noted_header() {
  static std::string path;
  return path;
}

// What was installed together with that header, or the source tree it lies in.
std::string data_beside_header() {
  const fs::path root = fs::path(noted_header()).parent_path().parent_path().parent_path().parent_path();
  std::error_code ec;
  for (const fs::path& folder : {root / "share" / "thud", root})
    if (!noted_header().empty() && fs::exists(folder / "scenarios", ec))
      return fs::weakly_canonical(folder).string();
  return {};
}

}  // namespace

void set_data_folder(std::string folder) { chosen_data_folder() = std::move(folder); }

namespace detail {
void note_header(const char* path);  // declared for users of the library only
void note_header(const char* path) { noted_header() = path; }
}  // namespace detail

std::string data_folder() {
  if (const char* env = std::getenv("THUD_DATA")) return env;
  if (!chosen_data_folder().empty()) return chosen_data_folder();
  const fs::path beside = program_folder() / ".." / "share" / "thud";
  std::error_code ec;
  if (fs::exists(beside / "scenarios", ec)) return fs::weakly_canonical(beside).string();
  const std::string with_header = data_beside_header();
  return with_header.empty() ? "share/thud" : with_header;
}

namespace {

std::vector<LibraryEntry> list_scenarios(const fs::path& folder) {
  std::vector<LibraryEntry> out;
  std::error_code ec;
  for (const auto& file : fs::directory_iterator(folder, ec)) {
    if (file.path().extension() != ".toml") continue;
    LibraryEntry e;
    e.name = file.path().stem().string();
    e.path = file.path().string();
    try {
      const doc::Document d = doc::load_document(file.path());
      e.title = d.root().raw_text("title");
      if (d.root().has("about")) e.about = d.root().raw_text("about");
    } catch (const InputError&) {
      e.title = "(cannot be read)";
    }
    out.push_back(std::move(e));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

}  // namespace

std::vector<LibraryEntry> list_library() { return list_scenarios(fs::path(data_folder()) / "scenarios"); }

std::vector<LibraryEntry> list_templates() {
  return list_scenarios(fs::path(data_folder()) / "scenarios" / "templates");
}

doc::Document doc::find_document(const std::string& name) {
  std::error_code ec;
  fs::path path = name;
  if (!looks_like_path(name) && !fs::is_regular_file(path, ec)) {
    path = fs::path(data_folder()) / "scenarios" / (name + ".toml");
    if (!fs::exists(path, ec)) {
      if (fs::is_directory(name, ec)) return doc::load_document(name);  // refuses it with its reason
      std::vector<std::string> known;
      for (const LibraryEntry& e : list_library()) known.push_back(e.name);
      if (known.empty())
        throw InputError({},
                         fmt::format("there is no file \"{}\", and no scenario library in {} (THUD_DATA may "
                                     "name its folder)",
                                     name, data_folder()));
      throw InputError(
          {}, fmt::format("there is no scenario \"{}\"{} (in the library: {}; or give the path of a file)",
                          name, did_you_mean(name, known), one_of(known)));
    }
  }
  return doc::load_document(path).with_parts(path.parent_path());
}

Scenario load_scenario(const std::string& name, const KnobSettings& set) {
  return doc::build_scenario(doc::find_document(name), set);
}

std::unique_ptr<SystemOf<Dual<double>>> load_system_with_rates(const std::string& name,
                                                               const KnobSettings& set,
                                                               const std::string& knob) {
  const doc::Document document = doc::find_document(name);
  const doc::Parameters parameters = doc::read_parameters(document, set, knob);
  const doc::Parameter* p = parameters.find(knob);
  if (!p)
    throw InputError({},
                     fmt::format("there is no knob \"{}\"{}", knob, did_you_mean(knob, parameters.names())));
  if (p->is_text() || p->integer)
    throw InputError(p->place, fmt::format("the knob \"{}\" is a {}: there are no derivatives by it", knob,
                                           p->is_text() ? "text" : "whole number"));
  const Table root = document.root(&doc::scenario_spec()).with_symbols(parameters.symbols);
  return doc::build_system<Dual<double>>(root, {}).system;
}

Scenario parse_scenario(const std::string& text, const std::string& file, const KnobSettings& set,
                        const std::atomic<bool>* cancel) {
  return doc::build_scenario(doc::Document::parse(text, file, cancel).with_parts({}), set);
}

}  // namespace thud
