// JSON that is read strictly: everything that is not as expected is refused with its place.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "thud/base/error.hpp"

namespace thud {

using Json = nlohmann::ordered_json;

/// A JSON value and how one gets to it: `table "lee2009/4.1" > row 3 > "expect"`.
class JsonNode {
 public:
  JsonNode(const Json& json, const std::string& file, std::string path)
      : json_(json),
        file_(file),
        path_(std::move(path)) {}

  InputError error(const std::string& message) const {
    return {{file_}, path_.empty() ? message : path_ + ": " + message};
  }

  const Json& object() const {
    if (!json_.is_object()) throw wrong_kind("an object");
    return json_;
  }
  const Json& array() const {
    if (!json_.is_array()) throw wrong_kind("an array");
    if (json_.empty()) throw error("is empty");
    return json_;
  }
  std::string text() const {
    if (!json_.is_string()) throw wrong_kind("a text");
    auto s = json_.get<std::string>();
    if (s.empty()) throw error("is empty");
    return s;
  }
  double number() const {
    if (!json_.is_number()) throw wrong_kind("a number");
    return json_.get<double>();
  }
  bool truth() const {
    if (!json_.is_boolean()) throw wrong_kind("a truth value");
    return json_.get<bool>();
  }

  bool has(const char* key) const { return object().contains(key); }
  JsonNode at(const std::string& key) const {
    const auto found = object().find(key);
    if (found == json_.end()) throw error(fmt::format("\"{}\" is missing", key));
    return {*found, file_, below(fmt::format("\"{}\"", key))};
  }
  JsonNode element(std::size_t i, const std::string& name) const { return {json_[i], file_, below(name)}; }
  std::string text_or_nothing(const char* key) const { return has(key) ? at(key).text() : std::string{}; }
  bool truth_or_false(const char* key) const { return has(key) && at(key).truth(); }

  void only(const std::vector<std::string>& known) const;
  void name(std::string path) { path_ = std::move(path); }

 private:
  InputError wrong_kind(const char* expected) const;
  std::string below(const std::string& name) const { return path_.empty() ? name : path_ + " > " + name; }

  const Json& json_;
  const std::string& file_;
  std::string path_;
};

/// Throws InputError with line and column; refuses an object with two equal keys.
[[nodiscard]] Json parse_json(const std::string& text, const std::string& file);

}  // namespace thud
