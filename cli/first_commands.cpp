// The program of `make first`: what a first run needs, and a word about the rest.
#include "command_list.hpp"
#include "study_text.hpp"
#include "thud/base/error.hpp"

void add_run_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_laws_command(CLI::App& app, int& exit_code);
void add_new_command(CLI::App& app, int& exit_code);

void add_commands(CLI::App& app, int& exit_code) {
  add_run_command(app, exit_code);
  add_check_command(app, exit_code);
  add_list_command(app, exit_code);
  add_laws_command(app, exit_code);
  add_new_command(app, exit_code);
}

std::string why_absent(const std::string& command) {
  for (const char* known : {"modes", "reproduce", "sweep", "sensitivity", "devices", "capture", "fit",
                            "compare", "synth", "serve", "import", "schema", "manual", "completion"})
    if (command == known)
      return "this is the program of `make first`, without \"" + command + "\"; `make` builds the whole one";
  return {};
}

namespace thud::cli {

std::string make_study_text(const std::string& path, const KnobSettings&, const TextStyle&) {
  throw InputError(
      {path, 0, 0},
      "is a study; this is the program of `make first`, and `make` builds the one that reads it");
}
std::string make_study_json(const std::string& path, const KnobSettings& set) {
  return make_study_text(path, set, {});
}

}  // namespace thud::cli
