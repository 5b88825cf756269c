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
      std::string knobs;
      for (const Knob& k : s.knobs) knobs += (knobs.empty() ? "" : ", ") + k.name + " " + show_knob(k, style);
      out += style.paint("dim", wrap(knobs, 24, 80));
    } catch (const InputError& error) {
      out += wrap(error.what(), 24, 80);
    }
  }
  return out + "\nRun one with: thud run NAME      Tell more of it: thud check NAME\n";
}

void add_coefficients(const LawEntry& entry, const Law& law, bool about, const TextStyle& style,
                      std::string& out) {
  std::string line;
  for (const Coefficient& c : entry.coefficients) {
    const std::string unit = style.unit(c.unit);
    if (about)
      out += fmt::format("    {}  {}  {}\n", pad_right(c.key, 11), pad_right(unit, 8),
                         style.paint("dim", c.about));
    else
      line += fmt::format("{}{} {}{}{}", line.empty() ? "" : ", ", c.key, show_number(c.get(law)),
                          unit.empty() ? "" : " ", unit);
  }
  if (!about) out += style.paint("dim", wrap(line, 4, 80));
}

std::string list_laws(const TextStyle& style) {
  std::string out = style.paint("bold", "Media") + "  (medium = \"...\" in [bed])\n";
  for (const Medium& m : media()) {
    out += fmt::format("  {}\n", m.name) + wrap(m.about, 4, 80);
    add_coefficients(law_entry(m.law), m.law, false, style, out);
  }
  out += "\n" + style.paint("bold", "Laws") + "  (law = \"...\" in [bed], with their coefficients)\n";
  for (const LawEntry& e : law_table()) {
    out += fmt::format("  {}: {}\n", e.name, e.about);
    add_coefficients(e, e.prototype, true, style, out);
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
