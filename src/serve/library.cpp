#include "serve/library.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "thud/scenario/scenario.hpp"

namespace thud::serve {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// As the server can read it again: with the files that it names.
std::string complete_text(const std::string& path) {
  std::string text = read_text(path);
  const bool names_files =
      text.find("include") != std::string::npos || text.find("interp") != std::string::npos;
  return names_files ? load_scenario(path).text : text;
}

}  // namespace

Library::Library(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const Scenario s = load_scenario(file);
    if (!find(s.name)) list_.push_back({s.name, s.title, s.about, s.text});
  }
  for (const LibraryEntry& e : list_library())
    if (!find(e.name)) list_.push_back({e.name, e.title, e.about, complete_text(e.path)});
}

const ServedScenario* Library::find(const std::string& name) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const ServedScenario& s) { return s.name == name; });
  return found == list_.end() ? nullptr : &*found;
}

std::string ServedScenario::json() const {
  return text_of({{"name", name}, {"title", title}, {"about", about}, {"text", text}});
}

std::string Library::json() const {
  Json scenarios = Json::array();
  for (const ServedScenario& s : list_)
    scenarios.push_back({{"name", s.name}, {"title", s.title}, {"about", s.about}});
  return text_of({{"scenarios", scenarios}});
}

}  // namespace thud::serve
