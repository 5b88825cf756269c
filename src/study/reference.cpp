// Tables as data: reading and checking the files in reference/.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "json_node.hpp"
#include "knobs.hpp"
#include "study/reference_files.hpp"
#include "thud/base/format.hpp"
#include "thud/study/reproduce.hpp"

namespace thud {

namespace fs = std::filesystem;

namespace {

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

// What is compared by relative differences must not vanish.
double read_decimal(const JsonNode& node, const std::string& text, bool may_vanish) {
  double printed = 0;
  const char* end = text.data() + text.size();
  if (!is_plain_decimal(text) || std::from_chars(text.data(), end, printed).ptr != end)
    throw node.error(fmt::format("the text \"{}\" is not a decimal number", text));
  if (printed == 0 && !may_vanish) throw node.error("a published 0 has no relative difference");
  return printed;
}

PublishedValue read_value(const JsonNode& node, const std::string& name, bool may_vanish) {
  node.only({"value", "text", "misprint"});
  PublishedValue p{name, node.at("value").number(), node.at("text").text()};
  if (read_decimal(node, p.text, may_vanish) != p.value)
    throw node.error(fmt::format("the value {} is not what the text \"{}\" says", p.value, p.text));
  if (!node.has("misprint")) return p;
  const JsonNode misprint = node.at("misprint");
  p.correction = misprint.text();
  if (read_decimal(misprint, p.correction, may_vanish) == p.value)
    throw misprint.error(fmt::format("\"{}\" is what is printed, not its correction", p.correction));
  return p;
}

KnobSettings read_settings(const JsonNode& node) {
  KnobSettings set;
  for (const auto& [knob, value] : node.object().items()) set.emplace_back(knob, node.at(knob).text());
  return set;
}

double read_fraction(const JsonNode& node) {
  const double fraction = node.number();
  if (!(fraction > 0 && fraction < 1)) throw node.error(fmt::format("{} is not between 0 and 1", fraction));
  return fraction;
}

ReferenceRow read_published_row(const JsonNode& node, bool may_vanish) {
  node.only({"set", "expect", "expect_converged", "note"});
  ReferenceRow row;
  row.set = read_settings(node.at("set"));
  const JsonNode expect = node.at("expect");
  for (const auto& [name, value] : expect.object().items())
    row.expect.push_back(read_value(expect.at(name), name, may_vanish));
  if (row.expect.empty()) throw expect.error("is empty");
  if (node.has("expect_converged")) {
    const JsonNode converged = node.at("expect_converged");
    for (const auto& [name, value] : converged.object().items())
      row.converged.emplace_back(name, converged.at(name).number());
  }
  row.note = node.text_or_nothing("note");
  return row;
}

ReferenceRow read_own_row(const JsonNode& node) {
  node.only({"set", "group", "label", "reference", "within", "note"});
  ReferenceRow row;
  row.set = read_settings(node.at("set"));
  row.group = node.text_or_nothing("group");
  row.label = node.text_or_nothing("label");
  row.is_reference = node.truth_or_false("reference");
  if (node.has("within")) row.within = read_fraction(node.at("within"));
  row.note = node.text_or_nothing("note");
  return row;
}

void read_rows(const JsonNode& node, ReferenceTable& table) {
  for (std::size_t i = 0; i < node.array().size(); ++i) {
    const JsonNode element = node.element(i, fmt::format("row {}", i + 1));
    ReferenceRow row = table.own ? read_own_row(element)
                                 : read_published_row(element, table.comparison != Comparison::relative);
    row.set = merge_settings(table.set, row.set);
    table.rows.push_back(std::move(row));
  }
}

void read_comparison(const JsonNode& node, ReferenceTable& table) {
  const std::vector<std::string> known{"relative", "truncated", "digits", "measured"};
  const std::string how = node.has("compare") ? node.at("compare").text() : known[0];
  const auto found = std::find(known.begin(), known.end(), how);
  if (found == known.end())
    throw node.at("compare").error(
        fmt::format("\"{}\" is not {}{}", how, one_of(known), did_you_mean(how, known)));
  table.comparison = static_cast<Comparison>(found - known.begin());
  if (table.comparison == Comparison::relative)
    table.tolerance = read_fraction(node.at("tolerance"));
  else if (node.has("tolerance"))
    throw node.at("tolerance")
        .error(how == "measured"
                   ? "what cannot be judged has no tolerance"
                   : fmt::format("{} are compared exactly", how == "digits" ? how : how + " numbers"));
}

RightOptions read_right(const JsonNode& node) {
  node.only({"set", "why"});
  RightOptions right{read_settings(node.at("set")), node.at("why").text()};
  if (right.set.empty()) throw node.at("set").error("is empty");
  return right;
}

void read_published(const JsonNode& node, ReferenceTable& table) {
  table.source = node.at("source").text();
  table.derived = node.truth_or_false("derived");
  read_comparison(node, table);
  if (node.has("right")) table.right = read_right(node.at("right"));
  table.not_reproduced = node.text_or_nothing("not_reproduced");
  if (node.has("start")) {
    if (table.comparison != Comparison::measured)
      throw node.at("start").error("is of measurements only, \"compare\": \"measured\"");
    table.start = node.at("start").text();
  }
  if (node.has("without")) table.without = Counterpart{node.at("without").text(), "", {}};
  read_rows(node.at("rows"), table);
}

void check_own_rows(const JsonNode& node, const ReferenceTable& table) {
  const auto fail = [&](std::size_t r, const char* message) {
    return node.element(r, fmt::format("row {}", r + 1)).error(message);
  };
  const auto has_group = [](const ReferenceRow& row) { return !row.group.empty(); };
  const bool grouped = std::any_of(table.rows.begin(), table.rows.end(), has_group);
  const std::size_t reference = table.reference_row();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const ReferenceRow& row = table.rows[r];
    if (grouped && !has_group(row)) throw fail(r, "\"group\" is missing, and other rows have one");
    if (row.is_reference && r != reference) throw fail(r, "a row before it is the reference");
    if (table.trend != Trend::none && (row.within || row.is_reference))
      throw fail(r,
                 "\"within\" and \"reference\" in a table with a \"trend\", whose rows are held against the "
                 "one before");
    if (row.within && r == reference) throw fail(r, "\"within\" in the row that is the reference itself");
  }
}

void read_own(const JsonNode& node, ReferenceTable& table) {
  if (node.has("trend")) {
    const std::string trend = node.at("trend").text();
    if (trend != "falling" && trend != "rising")
      throw node.at("trend").error("the choices are falling and rising");
    table.trend = trend == "falling" ? Trend::falling : Trend::rising;
    table.source = node.at("source").text();
  }
  const JsonNode results = node.at("results");
  for (std::size_t i = 0; i < results.array().size(); ++i) {
    const JsonNode element = results.element(i, fmt::format("entry {}", i + 1));
    const std::string name = element.text();
    if (std::find(table.results.begin(), table.results.end(), name) != table.results.end())
      throw element.error(fmt::format("\"{}\" stands twice", name));
    table.results.push_back(name);
  }
  read_rows(node.at("rows"), table);
  check_own_rows(node.at("rows"), table);
}

// Ids go into file names, links and command lines.
bool is_id(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/';
  });
}

const std::vector<std::string> published_keys{
    "id",    "title", "source",  "scenario",       "own",  "set",  "compare", "without", "tolerance",
    "right", "rules", "derived", "not_reproduced", "note", "rows", "start"};
const std::vector<std::string> own_keys{"id",      "title", "scenario", "own", "set",
                                        "results", "rules", "note",     "rows"};
const std::vector<std::string> trend_keys{"id",      "title", "source", "scenario", "own",  "set",
                                          "results", "trend", "note",   "rows",     "rules"};

// Tables that stand beside another one may be in different files.
void find_counterparts(std::vector<ReferenceTable>& tables) {
  std::vector<std::string> known;
  for (const ReferenceTable& t : tables) known.push_back(t.id);
  for (ReferenceTable& t : tables) {
    if (!t.without) continue;
    const auto found = std::find(known.begin(), known.end(), t.without->id);
    const auto fail = [&](const std::string& why) {
      return InputError({t.file}, fmt::format("table \"{}\" > without: {}", t.id, why));
    };
    if (found == known.end())
      throw fail(
          fmt::format("there is no table \"{}\"{}", t.without->id, did_you_mean(t.without->id, known)));
    const ReferenceTable& other = tables[static_cast<std::size_t>(found - known.begin())];
    if (other.rows.size() != t.rows.size())
      throw fail(
          fmt::format("table \"{}\" has {} rows, this one {}", other.id, other.rows.size(), t.rows.size()));
    t.without->scenario = other.scenario;
    t.without->rows = other.rows;
  }
}

ReferenceTable read_table(JsonNode node, const std::string& file) {
  ReferenceTable table;
  table.file = file;
  table.id = node.at("id").text();
  if (!is_id(table.id))
    throw node.at("id").error(
        fmt::format("\"{}\" has characters other than a-z, 0-9, '.', '-', '_', '/'", table.id));
  node.name(fmt::format("table \"{}\"", table.id));
  table.own = node.truth_or_false("own");
  node.only(!table.own ? published_keys : node.has("trend") ? trend_keys : own_keys);
  table.title = node.at("title").text();
  table.scenario = node.at("scenario").text();
  if (node.has("set")) table.set = read_settings(node.at("set"));
  if (node.has("rules")) table.rules = read_settings(node.at("rules"));
  table.note = node.text_or_nothing("note");
  table.own ? read_own(node, table) : read_published(node, table);
  return table;
}

void refuse_repeated_ids(const std::vector<ReferenceTable>& tables) {
  refuse_repeated(
      tables, [](const ReferenceTable& t) { return t.id; }, "table");
}

}  // namespace

double PublishedValue::target() const { return correction.empty() ? value : leading_number(correction); }

int ReferenceTable::value_count() const {
  int n = 0;
  for (const ReferenceRow& row : rows) n += static_cast<int>(row.expect.size());
  return n;
}

std::size_t ReferenceTable::reference_row() const {
  const auto marked =
      std::find_if(rows.begin(), rows.end(), [](const ReferenceRow& row) { return row.is_reference; });
  return marked == rows.end() ? rows.size() - 1 : static_cast<std::size_t>(marked - rows.begin());
}

std::vector<ReferenceTable> parse_reference(const std::string& text, const std::string& file) {
  const Json json = parse_json(text, file);
  const JsonNode root(json, file, "");
  root.only({"about", "tables"});
  const JsonNode list = root.at("tables");
  std::vector<ReferenceTable> tables;
  for (std::size_t i = 0; i < list.array().size(); ++i)
    tables.push_back(read_table(list.element(i, fmt::format("table {}", i + 1)), file));
  refuse_repeated_ids(tables);
  return tables;
}

std::vector<ReferenceTable> load_reference() {
  const fs::path folder = fs::path(data_folder()) / "reference";
  const std::vector<fs::path> files = list_json_files(folder);
  if (files.empty()) throw InputError({folder.string()}, "no reference tables here");
  std::vector<ReferenceTable> tables;
  for (const fs::path& path : files)
    for (ReferenceTable& t : parse_reference(read_reference_file(path), path.string()))
      tables.push_back(std::move(t));
  refuse_repeated_ids(tables);
  find_counterparts(tables);
  const auto by_id = [](const ReferenceTable& a, const ReferenceTable& b) { return a.id < b.id; };
  std::sort(tables.begin(), tables.end(), by_id);
  return tables;
}

bool begins_id(const std::string& begin, const std::string& id) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (begin.empty() || !id.starts_with(begin)) return false;
  return id.size() == begin.size() || !is_digit(begin.back()) || !is_digit(id[begin.size()]);
}

std::vector<ReferenceTable> select_tables(const std::vector<ReferenceTable>& all,
                                          const std::vector<std::string>& ids) {
  return select_by_ids(all, ids, "table");
}

}  // namespace thud
