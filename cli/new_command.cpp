#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "commands.hpp"
#include "console.hpp"
#include "thud/scenario/catalogue.hpp"

namespace thud::cli {

namespace {

struct NewArguments {
  std::string kind, file;
  bool force = false;
};

std::vector<LibraryEntry> templates() {
  std::vector<LibraryEntry> all = list_templates();
  if (all.empty())
    throw InputError({data_folder(), 0, 0}, "there are no templates here; THUD_DATA may name their folder");
  return all;
}

std::string list_kinds() {
  std::string out;
  for (const LibraryEntry& e : templates()) out += fmt::format("{}  {}\n", pad_right(e.name, 12), e.title);
  out += "\nStudies\n";
  for (const StudyEntry& e : list_study_templates())
    out += fmt::format("{}  {}\n", pad_right(e.name, 12), e.title);
  return out + "\nWrite one to begin with: thud new KIND -o FILE.toml\n";
}

// The file of a kind, and the command that runs it.
std::pair<std::string, std::string> find_kind(const std::string& kind) {
  std::vector<std::string> known;
  for (LibraryEntry& e : templates()) {
    if (e.name == kind) return {e.path, "run"};
    known.push_back(e.name);
  }
  for (StudyEntry& e : list_study_templates()) {
    if (e.name == kind) return {e.path, e.commands.back()};
    known.push_back(e.name);
  }
  throw InputError({}, fmt::format("there is no kind \"{}\"{}; the kinds are {}", kind,
                                   did_you_mean(kind, known), one_of(known)));
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError({path, 0, 0}, "cannot be read");
  return text.str();
}

int make_new(const NewArguments& a) {
  if (a.kind.empty()) {
    if (!a.file.empty() || a.force) throw InputError({}, "a kind is missing; thud new lists the kinds");
    print(list_kinds());
    return 0;
  }
  const auto [path, command] = find_kind(a.kind);
  write_scenario(a.file.empty() ? a.kind + ".toml" : a.file, text_of(path), a.force, command);
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_new_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("new", "write a commented scenario or study to begin with");
  const auto a = std::make_shared<NewArguments>();
  c->add_option("KIND", a->kind, "what it is about; without it the kinds are listed");
  c->add_option("-o,--out", a->file, "where to write it (default KIND.toml; - is standard output)")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() ? "is empty" : std::string(); });
  c->add_flag("--force", a->force, "overwrite a file that exists");
  c->footer(
      "Examples:\n"
      "  thud new\n"
      "  thud new pendulum\n"
      "  thud new sweep -o map.toml && thud sweep map.toml\n"
      "  thud new free-link -o probe.toml && thud run probe.toml");
  c->callback([a, &exit_code] { exit_code = make_new(*a); });
}
