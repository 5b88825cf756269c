#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "documents.hpp"
#include "thud/report/summary.hpp"
#include "thud/scenario/catalogue.hpp"

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

std::string list_laws(const TextStyle& style) {
  std::string out = style.paint("bold", "Media") + "  (medium = \"...\" in [bed])\n";
  for (const Medium& m : media()) {
    out += fmt::format("  {}\n", m.name) + wrap(m.about, 4, 80);
    out += show_coefficients(m.law, style);
  }
  out += "\n" + style.paint("bold", "Laws") + "  (law = \"...\" in [bed], with their coefficients)\n";
  for (const LawEntry* e : law_table()) {
    out += fmt::format("  {}: {}\n", e->card.name, e->card.about);
    out += explain_coefficients(e->card, style);
  }
  return out;
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
  add_list(app, exit_code,
           {"laws", "show media and resistance laws with their coefficients", list_laws, make_laws_json});
}
