#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "thud/import/import.hpp"

namespace thud::cli {

namespace {

struct Arguments {
  std::string model, file;
  ImportOptions options;
  bool force = false;
};

int import_file(const Arguments& a) {
  const ImportedModel made = import_model(a.model, a.options);
  const std::string file = a.file.empty() ? std::filesystem::path(a.model).stem().string() + ".toml" : a.file;
  std::error_code ec;
  if (std::filesystem::equivalent(file, a.model, ec))
    throw InputError({file, 0, 0}, "is the model itself; -o FILE writes another");
  write_scenario(file, made.text, a.force);
  for (const ImportNote& n : made.notes) {
    const std::string place = to_string(n.place);
    complain(place.empty() ? n.text : place + ": " + n.text);
  }
  return 0;
}

}  // namespace

}  // namespace thud::cli

using namespace thud::cli;

void add_import_command(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("import", "make a scenario of a URDF or MJCF model");
  const auto a = std::make_shared<Arguments>();
  c->add_option("MODEL", a->model, "a URDF or MJCF (MuJoCo XML) file of a mechanism that moves in a plane")
      ->required();
  c->add_option("-o,--out", a->file,
                "where to write it (default: name of the model, .toml; - is standard output)")
      ->type_name("FILE")
      ->check([](const std::string& text) { return text.empty() ? "is empty" : std::string(); });
  c->add_flag("--force", a->force, "overwrite a file that exists");
  c->add_option("--base", a->options.base,
                "root link of a URDF model: free, fixed, or auto: fixed if it has no mass or is called world "
                "(default auto)")
      ->type_name("KIND");
  c->add_option("--floor", a->options.floor, "add a floor at this height, in m of the model")
      ->type_name("HEIGHT");
  c->footer(
      "What cannot be taken over as it is in the model is told on standard error,\n"
      "and in comments at the top of the scenario.\n"
      "\n"
      "Examples:\n"
      "  thud import hopper.xml\n"
      "  thud import leg.urdf --floor 0 -o leg.toml && thud run leg.toml");
  c->callback([a, &exit_code] { exit_code = import_file(*a); });
}
