#include "json_node.hpp"

#include <algorithm>
#include <set>

namespace thud {

namespace {

const char* kind_of(const Json& j) {
  if (j.is_object()) return "an object";
  if (j.is_array()) return "an array";
  if (j.is_string()) return "a text";
  if (j.is_number()) return "a number";
  return j.is_boolean() ? "a truth value" : "nothing";
}

}  // namespace

InputError JsonNode::wrong_kind(const char* expected) const {
  return error(fmt::format("expected {}, found {}", expected, kind_of(json_)));
}

void JsonNode::only(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : object().items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw error(fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, known)));
}

// The library keeps the last of two equal keys and says nothing.
Json parse_json(const std::string& text, const std::string& file) {
  std::vector<std::set<std::string>> open;
  const auto callback = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      throw InputError({file}, fmt::format("key {} stands twice in one object", value.dump()));
    return true;
  };
  try {
    return Json::parse(text, callback);
  } catch (const Json::parse_error& e) {
    const std::size_t end = std::min(text.size(), e.byte > 0 ? e.byte - 1 : 0);
    const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
    const auto line = std::count(text.begin(), stop, '\n');
    const std::size_t start = text.rfind('\n', end > 0 ? end - 1 : 0);
    const std::size_t column = line == 0 ? end : end - start - 1;
    throw InputError({file, static_cast<int>(line) + 1, static_cast<int>(column) + 1}, "not valid JSON");
  }
}

}  // namespace thud
