// Published tables as data: reading and checking the files in reference/.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "thud/study/reproduce.hpp"

namespace thud {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

const char* kind_of(const Json& j) {
  if (j.is_object()) return "an object";
  if (j.is_array()) return "an array";
  if (j.is_string()) return "a text";
  if (j.is_number()) return "a number";
  return j.is_boolean() ? "a truth value" : "nothing";
}

/// A JSON value and how one gets to it: `table "lee2009/4.1" > row 3 > "expect"`.
class Node {
 public:
  Node(const Json& json, const std::string& file, std::string path)
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

  bool has(const char* key) const { return object().contains(key); }
  Node at(const std::string& key) const {
    const auto found = object().find(key);
    if (found == json_.end()) throw error(fmt::format("\"{}\" is missing", key));
    return {*found, file_, below(fmt::format("\"{}\"", key))};
  }
  Node element(std::size_t i, const std::string& name) const { return {json_[i], file_, below(name)}; }
  std::string text_or_nothing(const char* key) const { return has(key) ? at(key).text() : std::string{}; }

  void only(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : object().items())
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw error(fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, known)));
  }
  void name(std::string path) { path_ = std::move(path); }

 private:
  InputError wrong_kind(const char* expected) const {
    return error(fmt::format("expected {}, found {}", expected, kind_of(json_)));
  }
  std::string below(const std::string& name) const { return path_.empty() ? name : path_ + " > " + name; }

  const Json& json_;
  const std::string& file_;
  std::string path_;
};

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

bool is_plain_decimal(const std::string& text) {
  std::size_t i = text.starts_with('-') ? 1 : 0, digits = 0, points = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.')
      ++points;
    else if (text[i] >= '0' && text[i] <= '9')
      ++digits;
    else
      return false;
  }
  return digits > 0 && points <= 1;
}

PublishedValue read_value(const Node& node, const std::string& name) {
  node.only({"value", "text"});
  PublishedValue p{name, node.at("value").number(), node.at("text").text()};
  double printed = 0;
  const char* end = p.text.data() + p.text.size();
  if (!is_plain_decimal(p.text) || std::from_chars(p.text.data(), end, printed).ptr != end)
    throw node.error(fmt::format("the text \"{}\" is not a decimal number", p.text));
  if (printed != p.value)
    throw node.error(fmt::format("the value {} is not what the text \"{}\" says", p.value, p.text));
  if (p.value == 0) throw node.error("a published 0 has no relative difference");
  return p;
}

ReferenceRow read_row(const Node& node) {
  node.only({"set", "expect", "expect_converged", "note"});
  ReferenceRow row;
  const Node set = node.at("set");
  for (const auto& [knob, value] : set.object().items()) row.set.emplace_back(knob, set.at(knob).text());
  const Node expect = node.at("expect");
  for (const auto& [name, value] : expect.object().items())
    row.expect.push_back(read_value(expect.at(name), name));
  if (row.expect.empty()) throw expect.error("is empty");
  if (node.has("expect_converged")) {
    const Node converged = node.at("expect_converged");
    for (const auto& [name, value] : converged.object().items())
      row.converged.emplace_back(name, converged.at(name).number());
  }
  row.note = node.text_or_nothing("note");
  return row;
}

void read_comparison(const Node& node, ReferenceTable& table) {
  const std::string how = node.has("compare") ? node.at("compare").text() : "relative";
  const std::vector<std::string> known{"relative", "truncated"};
  if (std::find(known.begin(), known.end(), how) == known.end())
    throw node.at("compare").error(
        fmt::format("\"{}\" is not {}{}", how, one_of(known), did_you_mean(how, known)));
  if (how == "truncated") {
    table.comparison = Comparison::truncated;
    if (node.has("tolerance")) throw node.at("tolerance").error("truncated numbers are compared exactly");
    return;
  }
  table.tolerance = node.at("tolerance").number();
  if (!(table.tolerance > 0 && table.tolerance < 1))
    throw node.at("tolerance").error(fmt::format("{} is not between 0 and 1", table.tolerance));
}

// Ids go into file names, links and command lines.
bool is_id(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/';
  });
}

ReferenceTable read_table(Node node, const std::string& file) {
  ReferenceTable table;
  table.file = file;
  table.id = node.at("id").text();
  if (!is_id(table.id))
    throw node.at("id").error(
        fmt::format("\"{}\" has characters other than a-z, 0-9, '.', '-', '_', '/'", table.id));
  node.name(fmt::format("table \"{}\"", table.id));
  node.only({"id", "title", "source", "scenario", "compare", "tolerance", "note", "rows"});
  table.title = node.at("title").text();
  table.source = node.at("source").text();
  table.scenario = node.at("scenario").text();
  read_comparison(node, table);
  table.note = node.text_or_nothing("note");
  const Node rows = node.at("rows");
  for (std::size_t i = 0; i < rows.array().size(); ++i)
    table.rows.push_back(read_row(rows.element(i, fmt::format("row {}", i + 1))));
  return table;
}

void refuse_repeated_ids(const std::vector<ReferenceTable>& tables) {
  std::set<std::string> seen;
  for (const ReferenceTable& t : tables)
    if (!seen.insert(t.id).second)
      throw InputError({t.file}, fmt::format("there is another table \"{}\"", t.id));
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw InputError({path.string()}, "cannot be read");
  return text;
}

}  // namespace

int ReferenceTable::value_count() const {
  int n = 0;
  for (const ReferenceRow& row : rows) n += static_cast<int>(row.expect.size());
  return n;
}

std::vector<ReferenceTable> parse_reference(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  const Node root(json, file, "");
  root.only({"about", "tables"});
  const Node list = root.at("tables");
  std::vector<ReferenceTable> tables;
  for (std::size_t i = 0; i < list.array().size(); ++i)
    tables.push_back(read_table(list.element(i, fmt::format("table {}", i + 1)), file));
  refuse_repeated_ids(tables);
  return tables;
}

std::vector<ReferenceTable> load_reference() {
  const fs::path folder = fs::path(data_folder()) / "reference";
  std::vector<fs::path> files;
  std::error_code ec;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ec))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (files.empty()) throw InputError({folder.string()}, "no reference tables here");
  std::sort(files.begin(), files.end());
  std::vector<ReferenceTable> tables;
  for (const fs::path& path : files)
    for (ReferenceTable& t : parse_reference(read_file(path), path.string())) tables.push_back(std::move(t));
  refuse_repeated_ids(tables);
  return tables;
}

std::vector<ReferenceTable> select_tables(const std::vector<ReferenceTable>& all,
                                          const std::vector<std::string>& ids) {
  if (ids.empty()) return all;
  std::vector<std::string> known;
  for (const ReferenceTable& t : all) known.push_back(t.id);
  std::vector<bool> wanted(all.size(), false);
  for (const std::string& id : ids) {
    const bool exact = std::find(known.begin(), known.end(), id) != known.end();
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (id.empty() || !(exact ? known[i] == id : known[i].starts_with(id))) continue;
      wanted[i] = found = true;
    }
    if (found) continue;
    // "4.1" for "lee2009/4.1" is further off than a misspelling, but clear.
    const auto inside = std::find_if(known.begin(), known.end(), [&](const std::string& k) {
      return !id.empty() && k.ends_with("/" + id);
    });
    const std::string hint =
        inside != known.end() ? fmt::format("; did you mean \"{}\"?", *inside) : did_you_mean(id, known);
    throw InputError({}, fmt::format("there is no table \"{}\"{}", id,
                                     hint.empty() ? "; `thud reproduce --list` shows them" : hint));
  }
  std::vector<ReferenceTable> selected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (wanted[i]) selected.push_back(all[i]);
  return selected;
}

}  // namespace thud
