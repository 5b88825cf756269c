#include "serve/library.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "thud/scenario/scenario.hpp"

namespace thud::serve {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string text_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

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
    if (!find(s.name)) list_.push_back({s.name, s.title, s.about, s.text, file, 0});
  }
  for (const LibraryEntry& e : list_library())
    if (!find(e.name)) list_.push_back({e.name, e.title, e.about, complete_text(e.path), {}, 0});
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
  OrderedJson scenarios = OrderedJson::array();
  for (const ServedScenario& s : list_) {
    OrderedJson entry = {{"name", s.name}, {"title", s.title}, {"about", s.about}};
    if (!s.file.empty()) entry["own"] = true;
    scenarios.push_back(entry);
  }
  return text_of({{"scenarios", scenarios}});
}

std::string Library::versions_json() const {
  OrderedJson out = OrderedJson::object();
  for (const ServedScenario& s : list_)
    if (!s.file.empty()) out[s.name] = s.version;
  return text_of(out);
}

Library Library::with_new(const std::string& file) const {
  Library out = *this;
  for (ServedScenario& s : out.list_) {
    if (s.file != file) continue;
    ++s.version;
    try {
      const Scenario fresh = load_scenario(file);
      s.title = fresh.title, s.about = fresh.about, s.text = fresh.text;
    } catch (const InputError&) {
      s.text = read_text(file);
    }
  }
  return out;
}

FileWatch::FileWatch(const std::vector<std::string>& files) {
  for (const std::string& file : files) seen_.push_back(stamp(file));
}

FileWatch::Stamp FileWatch::stamp(const std::string& file) {
  std::error_code gone;
  Stamp out{file, std::filesystem::last_write_time(file, gone), 0};
  out.size = std::filesystem::file_size(file, gone);
  return out;
}

std::vector<std::string> FileWatch::changed() {
  std::vector<std::string> out;
  for (Stamp& old : seen_) {
    std::error_code gone;
    // While an editor replaces it, there is no such file.
    if (!std::filesystem::is_regular_file(old.file, gone)) continue;
    const Stamp now = stamp(old.file);
    if (now.time == old.time && now.size == old.size) continue;
    old = now;
    out.push_back(now.file);
  }
  return out;
}

}  // namespace thud::serve
