#include "thud/scenario/catalogue.hpp"

#include <algorithm>
#include <filesystem>

#include "scenario/reader.hpp"
#include "thud/base/error.hpp"

namespace thud {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> commands_in(const doc::Table& root) {
  std::vector<std::string> out;
  if (root.has("sensitivity")) out.emplace_back("sensitivity");
  if (root.has("fit")) out.emplace_back("fit");
  if (root.has("vary")) out.insert(out.begin(), "sweep");
  return out;
}

std::vector<StudyEntry> studies_in(const fs::path& folder) {
  std::vector<StudyEntry> out;
  std::error_code ec;
  for (const auto& file : fs::directory_iterator(folder, ec)) {
    if (file.path().extension() != ".toml") continue;
    StudyEntry e{file.path().stem().string(), file.path().string(), "(cannot be read)", "", "", {}};
    try {
      const doc::Document d = doc::load_document(file.path());
      const doc::Table root = d.root();
      e.title = root.has("title") ? root.raw_text("title") : e.name;
      if (root.has("about")) e.about = root.raw_text("about");
      if (root.has("scenario")) e.scenario = root.raw_text("scenario");
      e.commands = commands_in(root);
    } catch (const InputError&) {  // its title says so
    }
    out.push_back(std::move(e));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

// A scenario has bodies or includes them; a study names its scenario.
bool is_study(const fs::path& path) {
  try {
    const doc::Document d = doc::load_document(path);
    return d.root().has("scenario") && !d.root().has("body");
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<StudyEntry> list_studies() { return studies_in(fs::path(data_folder()) / "studies"); }

std::vector<StudyEntry> list_study_templates() {
  return studies_in(fs::path(data_folder()) / "studies" / "templates");
}

std::string find_study_file(const std::string& name) {
  std::error_code ec;
  if (name.find('/') != std::string::npos || name.ends_with(".toml") || fs::is_regular_file(name, ec))
    return fs::is_regular_file(name, ec) && is_study(name) ? name : "";
  const fs::path data = data_folder();
  if (fs::exists(data / "scenarios" / (name + ".toml"), ec)) return "";
  const fs::path path = data / "studies" / (name + ".toml");
  return fs::is_regular_file(path, ec) ? path.string() : "";
}

std::vector<std::string> commands_of_study(const std::string& path) {
  const doc::Document d = doc::load_document(path);
  return commands_in(d.root());
}

}  // namespace thud
