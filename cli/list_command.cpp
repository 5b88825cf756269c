#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/report/summary.hpp"

namespace thud::cli {

namespace {

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
  return out + "\nRun one with: thud run NAME      Tell more of it: thud check NAME\n";
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

void add_list(CLI::App& app, int& exit_code, const char* name, const char* about,
              std::string (*make)(const TextStyle&)) {
  CLI::App* c = app.add_subcommand(name, about);
  const auto ascii = std::make_shared<bool>(false);
  c->add_flag("--ascii", *ascii, "plain characters only");
  c->callback([ascii, make, &exit_code] {
    print(make(style_of_output(*ascii)));
    exit_code = 0;
  });
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_list_command(CLI::App& app, int& exit_code) {
  add_list(app, exit_code, "list", "show the scenario library", list_scenarios);
}

void add_laws_command(CLI::App& app, int& exit_code) {
  add_list(app, exit_code, "laws", "show media and resistance laws with their coefficients", list_laws);
}
