#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "commands.hpp"
#include "console.hpp"
#include "documents.hpp"
#include "pictures.hpp"
#include "thud/draw/figures.hpp"
#include "thud/granular/laws.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/catalogue.hpp"
#include "thud/store/file.hpp"

namespace thud::cli {

namespace {

std::string list_the_studies(const TextStyle& style) {
  std::string out;
  for (const StudyEntry& e : list_studies()) {
    out += fmt::format("{}  {}\n", style.paint("bold", pad_right(e.name, 22)), e.title);
    out += style.paint("dim", wrap(fmt::format("{} of {}", fmt::join(e.commands, ", "), e.scenario), 24, 80));
  }
  return out.empty()
           ? out
           : "\n" + style.paint("bold", "Studies") + "  (thud sweep NAME, fit, sensitivity)\n" + out;
}

std::string list_scenarios(const TextStyle& style) {
  const std::vector<LibraryEntry> library = list_library();
  if (library.empty())
    throw InputError({data_folder(), 0, 0},
                     "there is no scenario library here; THUD_DATA may name its folder");
  std::string out;
  for (const LibraryEntry& e : library) {
    out += fmt::format("{}  {}\n", style.paint("bold", pad_right(e.name, 22)), e.title);
    try {
      const Scenario s = load_scenario(e.path);
      std::vector<std::string> knobs;
      for (const Knob& k : s.knobs) knobs.push_back(k.name + " " + show_knob(k, style));
      out += style.paint("dim", join_wrapped(knobs, ", ", 24, 80));
    } catch (const InputError& error) {
      out += wrap(error.what(), 24, 80);
    }
  }
  out += "\nRun one with: thud run NAME      Tell more of it: thud check NAME\n";
  return out + list_the_studies(style);
}

std::string explain_coefficients(const LawCard& law, const TextStyle& style) {
  std::string out;
  for (const Coefficient& c : law.coefficients)
    out += hang(fmt::format("    {}  {}  ", pad_right(c.key, 11), pad_right(style.unit(c.unit), 8)), c.about,
                style);
  return out;
}

std::string show_coefficients(const Law& law, const TextStyle& style) {
  std::vector<std::string> items;
  for (const Coefficient& c : law_card(law).coefficients)
    items.push_back(fmt::format("{} {}{}{}", c.key, show_number(c.get(law)), c.unit.empty() ? "" : " ",
                                style.unit(c.unit)));
  return style.paint("dim", join_wrapped(items, ", ", 4, 80));
}

std::string show_range(const CalibratedRange& range, const TextStyle& style) {
  if (range.is_empty()) return "";
  std::vector<std::string> items;
  if (std::isfinite(range.fastest))
    items.push_back(fmt::format("speeds up to {} m/s", show_number(range.fastest)));
  if (std::isfinite(range.deepest))
    items.push_back(fmt::format("depths up to {} mm", show_number(1e3 * range.deepest)));
  if (std::isfinite(range.thickest))
    items.push_back(fmt::format("sizes of {} to {} mm", show_number(1e3 * range.thinnest),
                                show_number(1e3 * range.thickest)));
  return style.paint("dim",
                     wrap(fmt::format("calibrated: {} ({})", fmt::join(items, ", "), range.source), 4, 80));
}

std::string list_laws(const TextStyle& style) {
  std::string out = style.paint("bold", "Media") + "  (medium = \"...\" in [bed])\n";
  for (const Medium& m : media()) {
    out += fmt::format("  {}\n", m.name) + wrap(m.about, 4, 80);
    out += wrap(fmt::format("source: {}", m.source), 4, 80);
    out += show_coefficients(m.law, style) + show_range(m.range, style);
  }
  out += "\n" + style.paint("bold", "Laws") + "  (law = \"...\" in [bed], with their coefficients)\n";
  for (const LawEntry* e : law_table()) {
    out += fmt::format("  {}: {}\n", e->card.name, e->card.about);
    out += explain_coefficients(e->card, style) + show_range(e->card.range, style);
  }
  return out;
}

// ---- thud laws NAME: one of them, and what it does by the angles ----

struct NamedLaw {
  std::string name, about;
  Law law;
};

NamedLaw find_law(const std::string& name) {
  std::vector<std::string> known;
  for (const Medium& m : media()) {
    if (m.name == name) return {name, m.about, m.law};
    known.emplace_back(m.name);
  }
  for (const LawEntry* e : law_table()) {
    if (e->card.name == name) return {name, e->card.about, e->prototype};
    known.push_back(e->card.name);
  }
  throw InputError({name, 0, 0},
                   fmt::format("there is no medium and no law of this name{} (thud laws lists them)",
                               did_you_mean(name, known)));
}

RftLaw stress_in(const NamedLaw& named) {
  if (const auto* dynamic = std::get_if<DrftLaw>(&named.law)) return *dynamic;
  if (const auto* plain = std::get_if<RftLaw>(&named.law)) return *plain;
  throw InputError({named.name, 0, 0},
                   fmt::format("the law {} gives no stress by angles to draw; rft and drft do, and the media "
                               "of these",
                               law_card(named.law).name));
}

std::string draw_stress(const NamedLaw& named) {
  const RftLaw law = stress_in(named);
  MapRow row{.title = fmt::format("Stress per depth: {}", named.name), .subtitle = named.about, .maps = {}};
  constexpr int nodes = 41;
  std::vector<double> angles;
  for (int k = 0; k < nodes; ++k)
    angles.push_back(std::numbers::pi * (static_cast<double>(k) / (nodes - 1) - 0.5));
  for (const bool up : {true, false}) {
    HeatMap map;
    map.title = up ? "α_z, along the normal: up where positive" : "α_x, along the surface";
    map.x = {"γ, direction of motion (90°: straight down)", "deg", 180 / std::numbers::pi};
    map.y = {"β, attack angle (0: flat)", "deg", 180 / std::numbers::pi};
    map.z = {up ? "α_z" : "α_x", "N/cm³"};
    map.diverging = true;
    map.x_values = map.y_values = angles;
    for (const double beta : angles)
      for (const double gamma : angles) {
        const Vec stress = rft_stress(law, beta, gamma);
        map.z_values.push_back(up ? stress.z : stress.x);
      }
    row.maps.push_back(std::move(map));
  }
  return map_row(row);
}

std::string describe_law(const NamedLaw& named, const TextStyle& style) {
  std::string out = style.paint("bold", named.name) + "\n" + wrap(named.about, 4, 80);
  for (const Medium& m : media())
    if (m.name == named.name)
      out += wrap(fmt::format("law {}; source: {}", law_card(m.law).name, m.source), 4, 80);
  out += show_coefficients(named.law, style);
  CalibratedRange range = law_card(named.law).range;
  for (const Medium& m : media())
    if (m.name == named.name) range = m.range;
  return out + show_range(range, style);
}

struct List {
  const char *name, *about;
  std::string (*make)(const TextStyle&);
  std::string (*make_json)();
  std::string (*make_names)() = nullptr;
};

std::string list_names() {
  std::string out;
  for (const LibraryEntry& e : list_library()) out += e.name + "\n";
  for (const StudyEntry& e : list_studies()) out += e.name + "\n";
  return out;
}

void add_list(CLI::App& app, int& exit_code, const List& list) {
  struct Arguments {
    bool ascii = false, json = false, names = false;
  };
  CLI::App* c = app.add_subcommand(list.name, list.about);
  const auto a = std::make_shared<Arguments>();
  CLI::Option* json = c->add_flag("--json", a->json, "print one JSON document and nothing else");
  if (list.make_names) c->add_flag("--names", a->names, "names alone, a line each")->excludes(json);
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->callback([a, list, &exit_code] {
    print(a->json ? list.make_json() : a->names ? list.make_names() : list.make(style_of_output(a->ascii)));
    exit_code = 0;
  });
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_list_command(CLI::App& app, int& exit_code) {
  add_list(app, exit_code,
           {"list", "show the library: scenarios and studies", list_scenarios, make_list_json, list_names});
}

void add_laws_command(CLI::App& app, int& exit_code) {
  struct Arguments {
    bool ascii = false, json = false;
    std::string name, svg, png;
  };
  CLI::App* c = app.add_subcommand("laws", "show media and resistance laws with their coefficients");
  const auto a = std::make_shared<Arguments>();
  CLI::Option* name = c->add_option("name", a->name, "one medium or law alone");
  c->add_option(
       "--svg", a->svg,
       "draw its stress by attack angle and direction of motion, as papers on resistive force theory do")
      ->type_name("FILE")
      ->needs(name);
  c->add_option("--png", a->png, "the same figure in pixels")->type_name("FILE")->needs(name);
  c->add_flag("--json", a->json, "print one JSON document and nothing else")->excludes(name);
  c->add_flag("--ascii", a->ascii, "plain characters only");
  c->footer(
      "Examples:\n"
      "  thud laws\n"
      "  thud laws poppy-close --svg poppy.svg");
  c->callback([a, &exit_code] {
    exit_code = 0;
    if (a->json) return print(make_laws_json());
    if (a->name.empty()) return print(list_laws(style_of_output(a->ascii)));
    const NamedLaw named = find_law(a->name);
    std::string text = describe_law(named, style_of_output(a->ascii));
    check_pictures(a->png, "");
    if (!a->svg.empty() || !a->png.empty()) {
      const std::string figure = draw_stress(named);
      if (!a->svg.empty()) thud::write_file(a->svg, figure);
      if (!a->png.empty()) write_png(a->png, figure);
    }
    for (const std::string& file : {a->svg, a->png})
      if (!file.empty()) text += fmt::format("\nWrote {}\n", file);
    print(text);
  });
}
