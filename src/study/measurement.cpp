#include "thud/study/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "scenario/units.hpp"
#include "thud/base/error.hpp"
#include "thud/base/format.hpp"

namespace thud {

std::size_t Measurement::count() const {
  std::size_t n = 0;
  for (const MeasuredColumn& c : columns)
    for (double x : c.value) n += std::isfinite(x) ? 1 : 0;
  return n;
}

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr std::uintmax_t most_bytes = 256u << 20;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

struct Cell {
  std::string text;
  int column;  // where its content begins, in characters from 1
};

// ---- lines into cells ------------------------------------------------------------------------------------------

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  // The next line that is neither empty nor a comment.
  std::optional<std::vector<Cell>> next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of("\n\r", at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      const bool both = text_.substr(end, 2) == "\r\n";
      at_ = end + (both ? 2 : 1);
      ++line_;
      const std::string_view content = trimmed(line);
      if (content.empty() || content.starts_with('#')) continue;
      if (separator_ == '\0') separator_ = find_separator(line);
      return split(line);
    }
    return std::nullopt;
  }

  int line() const { return line_; }
  char separator() const { return separator_; }
  InputError error(int column, const std::string& message) const { return {{file_, line_, column}, message}; }

 private:
  static char find_separator(std::string_view header) {
    for (char c : {',', ';', '\t'})
      if (header.find(c) != std::string_view::npos) return c;
    return ',';
  }

  std::vector<Cell> split(std::string_view line) const {
    std::vector<Cell> cells;
    std::size_t at = 0;
    for (bool more = true; more;) {
      const std::size_t begin = std::min(line.find_first_not_of(" ", at), line.size());
      std::size_t end = 0;
      if (begin < line.size() && line[begin] == '"')
        cells.push_back(quoted(line, begin, end));
      else
        cells.push_back(plain(line, at, end));
      more = end < line.size();
      at = end + 1;
    }
    return cells;
  }

  static int column_of(std::string_view line, std::size_t offset) {
    return static_cast<int>(text_width(line.substr(0, offset))) + 1;
  }

  Cell plain(std::string_view line, std::size_t at, std::size_t& end) const {
    end = std::min(line.find(separator_, at), line.size());
    const std::string_view cell = line.substr(at, end - at);
    const std::string_view content = trimmed(cell);
    const std::size_t lead = content.empty() ? 0 : static_cast<std::size_t>(content.data() - cell.data());
    return {std::string(content), column_of(line, at + lead)};
  }

  // As RFC 4180 has it, but within a line: "" is a quote.
  Cell quoted(std::string_view line, std::size_t begin, std::size_t& end) const {
    std::string out;
    std::size_t i = begin + 1;
    for (;; ++i) {
      if (i >= line.size()) throw error(column_of(line, begin), "a quote that is not closed on its line");
      if (line[i] != '"')
        out += line[i];
      else if (i + 1 < line.size() && line[i + 1] == '"')
        out += line[++i];
      else
        break;
    }
    end = std::min(line.find(separator_, i + 1), line.size());
    if (!trimmed(line.substr(i + 1, end - i - 1)).empty())
      throw error(column_of(line, i + 1), "there is text behind the closing quote");
    return {std::string(trimmed(out)), column_of(line, begin + 1)};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 0;
  char separator_ = '\0';
};

// ---- headings into observables ---------------------------------------------------------------------------------

struct Heading {
  std::string name;
  std::optional<std::string> unit;
};

// "link.tip.z [mm]" or "link.tip.z (mm)"
Heading read_heading(std::string_view text) {
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    const auto at = text.find(open);
    if (at == std::string_view::npos || !text.ends_with(close)) continue;
    return {std::string(trimmed(text.substr(0, at))),
            std::string(trimmed(text.substr(at + 1, text.size() - at - 2)))};
  }
  return {std::string(text), std::nullopt};
}

struct Target {
  enum class Kind { time, observable, ignored } kind = Kind::ignored;
  std::size_t column = 0;  // in the measurement
  double factor = 1;
};

class HeaderReader {
 public:
  HeaderReader(const CsvReader& csv, const std::vector<NamedObservable>& observables,
               const MeasurementRules& rules, Measurement& out)
      : csv_(csv),
        observables_(observables),
        rules_(rules),
        out_(out) {}

  std::vector<Target> read(const std::vector<Cell>& cells) {
    std::vector<Target> targets;
    for (const Cell& cell : cells) targets.push_back(read(cell));
    if (!has_time_)
      throw csv_.error(cells.front().column,
                       "the first line must name the columns, and one of them must be \"time\", as in "
                       "\"time [s], link.tip.z [mm]\"");
    if (out_.columns.empty()) throw csv_.error(cells.front().column, "there is no column besides the time");
    return targets;
  }

 private:
  Target read(const Cell& cell) {
    Heading heading = read_heading(cell.text);
    for (const std::string& name : rules_.ignore)
      if (name == heading.name || name == cell.text) return {};
    for (const auto& [from, to] : rules_.rename)
      if (from == heading.name || from == cell.text) heading.name = to;
    if (heading.name.empty()) throw csv_.error(cell.column, "a column without a name");
    if (heading.name == "time" || heading.name == "t") {
      if (std::exchange(has_time_, true)) throw csv_.error(cell.column, "there is a time column already");
      return {Target::Kind::time, 0, factor(cell, heading, "s")};
    }
    for (const MeasuredColumn& c : out_.columns)
      if (c.what.name == heading.name)
        throw csv_.error(cell.column, fmt::format("there is a column \"{}\" already", heading.name));
    const NamedObservable& o = find(cell, heading.name);
    out_.columns.push_back({o, {}});
    return {Target::Kind::observable, out_.columns.size() - 1, factor(cell, heading, o.unit)};
  }

  const NamedObservable& find(const Cell& cell, const std::string& name) const {
    std::vector<std::string> known;
    for (const NamedObservable& o : observables_) {
      if (o.name == name) return o;
      known.push_back(o.name);
    }
    throw csv_.error(cell.column, fmt::format("the scenario has no observable \"{}\"{} (thud run SCENARIO "
                                              "--list-observables shows them all)",
                                              name, did_you_mean(name, known)));
  }

  double factor(const Cell& cell, const Heading& heading, const std::string& si) const {
    if (!heading.unit || *heading.unit == si) return 1;
    try {
      return doc::to_si(1, *heading.unit, si.empty() ? doc::Dimension::none : doc::dimension_of(si));
    } catch (const std::invalid_argument& e) {
      throw csv_.error(cell.column, fmt::format("column \"{}\": {}", heading.name, e.what()));
    }
  }

  const CsvReader& csv_;
  const std::vector<NamedObservable>& observables_;
  const MeasurementRules& rules_;
  Measurement& out_;
  bool has_time_ = false;
};

// ---- cells into values -----------------------------------------------------------------------------------------

double read_cell(const CsvReader& csv, const Cell& cell, const std::string& name) {
  if (cell.text.empty() || lower(cell.text) == "nan") return gap;
  const char* begin = cell.text.data() + (cell.text.starts_with('+') ? 1 : 0);
  const char* end = cell.text.data() + cell.text.size();
  double value = 0;
  const auto [rest, status] = std::from_chars(begin, end, value);
  if (rest == end && begin != end && status == std::errc{} && std::isfinite(value)) return value;
  std::string hint;
  if (csv.separator() != ',' && cell.text.find(',') != std::string::npos)
    hint = "; decimals are written with a point";
  throw csv.error(cell.column,
                  fmt::format("\"{}\" in column \"{}\" is not a number{}", cell.text, name, hint));
}

void check_width(const CsvReader& csv, const std::vector<Cell>& cells, std::size_t wanted) {
  if (cells.size() == wanted) return;
  const Cell& at = cells.size() > wanted ? cells[wanted] : cells.back();
  throw csv.error(at.column, fmt::format("{} value{}, but the first line names {} columns", cells.size(),
                                         cells.size() == 1 ? "" : "s", wanted));
}

// Conversions of units may end an ulp away.
bool is_before(double a, double b) { return a < b - 1e-12 * std::max(1.0, std::abs(b)); }

struct Row {
  double time = gap;
  int column = 0;  // where the time stands
  std::vector<double> values;
};

Row read_row(const CsvReader& csv, const std::vector<Cell>& cells, const std::vector<Target>& targets,
             const std::vector<MeasuredColumn>& columns) {
  check_width(csv, cells, targets.size());
  Row row;
  row.values.resize(columns.size());
  for (std::size_t k = 0; k < targets.size(); ++k) {
    const Target& target = targets[k];
    if (target.kind == Target::Kind::ignored) continue;
    if (target.kind == Target::Kind::time) {
      row.column = cells[k].column;
      row.time = read_cell(csv, cells[k], "time") * target.factor;
    } else {
      row.values[target.column] = read_cell(csv, cells[k], columns[target.column].what.name) * target.factor;
    }
  }
  if (!std::isfinite(row.time)) throw csv.error(row.column, "this row has no time");
  return row;
}

void check_start(const CsvReader& csv, const Row& row, double start) {
  if (!is_before(row.time, start)) return;
  throw csv.error(row.column,
                  fmt::format("the time {} s lies before the start of the run at {} s; from = ... under "
                              "[data] leaves such rows out, start = ... moves the start",
                              show_number(row.time, 9), show_number(start, 9)));
}

}  // namespace

Measurement read_measurement(std::string_view text, const std::string& file,
                             const std::vector<NamedObservable>& observables, const MeasurementRules& rules) {
  CsvReader csv(text, file);
  Measurement out;
  out.file = file;
  const auto header = csv.next();
  if (!header) throw InputError({file, 0, 0}, "there is nothing in this file");
  const std::vector<Target> targets = HeaderReader(csv, observables, rules, out).read(*header);
  double last = -HUGE_VAL;
  while (const auto cells = csv.next()) {
    const Row row = read_row(csv, *cells, targets, out.columns);
    if (row.time < last)
      throw csv.error(row.column, fmt::format("the time goes back, from {} s to {} s", show_number(last, 9),
                                              show_number(row.time, 9)));
    last = row.time;
    if (is_before(row.time, rules.from) || is_before(rules.to, row.time)) {
      ++out.left_out;
      continue;
    }
    check_start(csv, row, rules.start);
    out.time.push_back(std::max(0.0, row.time - rules.start));
    for (std::size_t c = 0; c < row.values.size(); ++c) out.columns[c].value.push_back(row.values[c]);
  }
  if (out.count() == 0)
    throw InputError({file, 0, 0}, out.left_out > 0 ? "no measured value lies between the wanted times"
                                                    : "there is not one measured value in this file");
  return out;
}

Measurement load_measurement(const std::filesystem::path& path,
                             const std::vector<NamedObservable>& observables, const MeasurementRules& rules) {
  namespace fs = std::filesystem;
  const Place place{path.string(), 0, 0};
  std::error_code ec;
  if (!fs::exists(path, ec)) throw InputError(place, "there is no such file");
  if (fs::is_directory(path, ec)) throw InputError(place, "is a folder; a file of measured values is wanted");
  if (const auto size = fs::file_size(path, ec); !ec && size > most_bytes)
    throw InputError(place, "is larger than 256 MB");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(place, "cannot be read");
  return read_measurement(text.str(), path.string(), observables, rules);
}

}  // namespace thud
