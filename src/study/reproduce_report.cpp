// How a reproduction is shown: for the terminal, as JSON, as a page of the documentation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "thud/study/reproduce.hpp"

namespace thud {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t page_width = 96;

/// A table of texts: what terminal and page have in common.
struct Grid {
  struct Column {
    std::string name, unit;
    bool is_number = true;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> lines;
  std::string fixed;  ///< "angle1 = 30 deg, angle2 = 75 deg": knobs that are the same in all rows
};

std::string setting_of(const ReferenceRow& row, const std::string& knob) {
  for (const auto& [name, value] : row.set)
    if (name == knob) return value;
  return "";
}

std::string unit_of(const std::string& setting) {
  const std::size_t space = setting.find(' ');
  return space == std::string::npos ? "" : setting.substr(space + 1);
}

std::string number_of(const std::string& setting) { return setting.substr(0, setting.find(' ')); }

struct Knobs {
  std::vector<Grid::Column> varying;
  std::string fixed;
};

Knobs sort_knobs(const std::vector<ReferenceRow>& rows) {
  std::vector<std::string> names;
  for (const ReferenceRow& row : rows)
    for (const auto& [name, value] : row.set)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  Knobs knobs;
  for (const std::string& name : names) {
    const std::string first = setting_of(rows[0], name);
    bool same_value = true, same_unit = true;
    for (const ReferenceRow& row : rows) {
      const std::string value = setting_of(row, name);
      same_value = same_value && value == first;
      same_unit = same_unit && unit_of(value) == unit_of(first);
    }
    if (same_value && rows.size() > 1)
      knobs.fixed += fmt::format("{}{} = {}", knobs.fixed.empty() ? "" : ", ", name, first);
    else
      knobs.varying.push_back({name, same_unit ? unit_of(first) : "", same_unit});
  }
  return knobs;
}

// Differences are taken of the number as shown, so that a page can be checked by hand and does not depend on
// digits that it does not show.
struct Shown {
  std::string computed = "-", difference = "-", relative = "-";
};

std::string seven_digits(double value) { return fmt::format("{:#.7g}", value); }

double relative_as_shown(const ComparedValue& v) {
  const double shown = std::strtod(seven_digits(*v.computed).c_str(), nullptr);
  return (shown - v.published.value) / std::abs(v.published.value);
}

std::string percent(double fraction) { return fmt::format("{:.4f} %", 100 * fraction); }
// No "-0.0000 %".
std::string signed_percent(double fraction) {
  return std::abs(fraction) < 0.5e-6 ? percent(0) : fmt::format("{:+.4f} %", 100 * fraction);
}

Shown show(const ComparedValue& v, Comparison comparison) {
  if (!v.computed) return {};
  const double relative = relative_as_shown(v);
  const double difference = relative * std::abs(v.published.value);
  // A number cut off after a few decimals has no relative difference worth telling.
  return {seven_digits(*v.computed), difference == 0 ? "0" : fmt::format("{:+.1e}", difference),
          comparison == Comparison::truncated ? "-" : signed_percent(relative)};
}

double worst_as_shown(const ReproducedTable& t) {
  double worst = 0;
  for (const ReproducedRow& row : t.rows)
    for (const ComparedValue& v : row.values)
      if (v.computed) worst = std::max(worst, std::abs(relative_as_shown(v)));
  return worst;
}

Grid make_grid(const ReproducedTable& t) {
  const Knobs knobs = sort_knobs(t.table.rows);
  Grid grid;
  grid.fixed = knobs.fixed;
  grid.columns = knobs.varying;
  const std::vector<Grid::Column> rest{{"result", "", false}, {"unit", "", false}, {"published", ""},
                                       {"computed", ""},      {"difference", ""},  {"relative", ""},
                                       {"verdict", "", false}};
  grid.columns.insert(grid.columns.end(), rest.begin(), rest.end());
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    std::vector<std::string> inputs;
    for (const Grid::Column& c : knobs.varying) {
      const std::string setting = setting_of(t.table.rows[r], c.name);
      inputs.push_back(c.is_number ? number_of(setting) : setting);
    }
    for (const ComparedValue& v : t.rows[r].values) {
      const Shown s = show(v, t.table.comparison);
      std::vector<std::string> line = inputs;
      for (const std::string& cell : {v.published.result, v.unit, v.published.text, s.computed, s.difference,
                                      s.relative, std::string(verdict_name(v.verdict))})
        line.push_back(cell);
      grid.lines.push_back(std::move(line));
    }
  }
  return grid;
}

// "rate1 -1 rad/s, rate2 -1 rad/s": names a row by what varies.
std::string row_name(const ReproducedTable& t, std::size_t r) {
  std::string name;
  for (const Grid::Column& c : sort_knobs(t.table.rows).varying)
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", c.name, setting_of(t.table.rows[r], c.name));
  return name;
}

// Notes of rows, and why a row did not get where it should.
std::vector<std::string> row_notes(const ReproducedTable& t) {
  std::vector<std::string> notes;
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const std::string& note = t.table.rows[r].note;
    if (!note.empty()) notes.push_back(fmt::format("{}: {}", row_name(t, r), note));
    const auto missed = [](const ComparedValue& v) { return v.verdict == Verdict::not_reached; };
    if (std::any_of(t.rows[r].values.begin(), t.rows[r].values.end(), missed))
      notes.push_back(fmt::format("{}: {}", row_name(t, r), t.rows[r].reason));
  }
  return notes;
}

std::string agreement(const ReproducedTable& t) {
  if (t.table.comparison == Comparison::truncated)
    return fmt::format("{} of {} in the printed digits", t.ok, t.total);
  return fmt::format("{} of {} within {:g} %", t.ok, t.total, 100 * t.table.tolerance);
}

std::string wrap(const std::string& text, const std::string& indent) {
  std::string out = indent;
  std::size_t column = indent.size();
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::size_t length = end - i;
    if (column > indent.size() && column + 1 + length > page_width) {
      out += '\n' + indent;
      column = indent.size();
    } else if (column > indent.size()) {
      out += ' ';
      ++column;
    }
    out.append(text, i, length);
    column += length;
    i = end + 1;
  }
  return out + '\n';
}

std::string pad(const std::string& text, std::size_t width, bool to_the_right) {
  return to_the_right ? fmt::format("{:>{}}", text, width) : fmt::format("{:<{}}", text, width);
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string grid_text(const Grid& grid) {
  const std::size_t n = grid.columns.size();
  std::vector<std::size_t> width(n);
  bool has_units = false;
  for (std::size_t c = 0; c < n; ++c) {
    width[c] = std::max(grid.columns[c].name.size(), grid.columns[c].unit.size());
    has_units = has_units || !grid.columns[c].unit.empty();
    for (const auto& line : grid.lines) width[c] = std::max(width[c], line[c].size());
  }
  std::string out;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < n; ++c) line += "  " + pad(cell(c), width[c], grid.columns[c].is_number);
    out += without_trailing_spaces(line) + '\n';
  };
  add_line([&](std::size_t c) { return grid.columns[c].name; });
  if (has_units) add_line([&](std::size_t c) { return grid.columns[c].unit; });
  for (const auto& line : grid.lines) add_line([&](std::size_t c) { return line[c]; });
  return out;
}

std::string table_text(const ReproducedTable& t) {
  const Grid grid = make_grid(t);
  std::string out = fmt::format("{}  {}\n", t.table.id, t.table.title);
  out += wrap(fmt::format("{}; scenario {}{}{}", t.table.source, t.table.scenario,
                          grid.fixed.empty() ? "" : " with ", grid.fixed),
              "  ");
  out += '\n' + grid_text(grid) + '\n';
  for (const std::string& note : row_notes(t)) out += wrap("* " + note, "  ");
  if (!t.table.note.empty()) out += wrap(t.table.note, "  ");
  return out + '\n';
}

std::string summary_text(const Reproduction& all) {
  std::size_t id_width = 5, agreement_width = 0;
  for (const ReproducedTable& t : all.tables) {
    id_width = std::max(id_width, t.table.id.size());
    agreement_width = std::max(agreement_width, agreement(t).size());
  }
  std::string out;
  for (const ReproducedTable& t : all.tables) {
    const std::string worst =
        t.table.comparison == Comparison::truncated ? "" : "worst " + percent(worst_as_shown(t));
    out += fmt::format("{:<{}}  {:<{}}  {:<14}  energy residual {:.0e}\n", t.table.id, id_width, agreement(t),
                       agreement_width, worst, t.worst_residual);
  }
  if (all.tables.size() > 1) out += fmt::format("{:<{}}  {} of {}\n", "total", id_width, all.ok, all.total);
  if (all.cancelled) out += "interrupted\n";
  return out;
}

Json settings_json(const KnobSettings& set) {
  Json out = Json::object();
  for (const auto& [name, value] : set) out[name] = value;
  return out;
}

Json row_json(const ReferenceRow& reference, const ReproducedRow& row) {
  Json values = Json::array();
  for (const ComparedValue& v : row.values) {
    Json j{{"result", v.published.result},
           {"unit", v.unit},
           {"published", v.published.value},
           {"published_text", v.published.text}};
    j["computed"] = v.computed ? Json(*v.computed) : Json();
    j["difference"] = v.computed ? Json(v.difference) : Json();
    j["relative_difference"] = v.computed ? Json(v.relative_difference) : Json();
    j["verdict"] = verdict_name(v.verdict);
    values.push_back(std::move(j));
  }
  Json out{{"set", settings_json(reference.set)},
           {"values", std::move(values)},
           {"stop", stop_reason_name(row.stop)},
           {"reason", row.reason},
           {"energy_residual", row.energy_residual}};
  if (!reference.note.empty()) out["note"] = reference.note;
  return out;
}

Json table_head(const ReferenceTable& t) {
  Json out{{"id", t.id}, {"title", t.title}, {"source", t.source}, {"scenario", t.scenario}};
  if (t.comparison == Comparison::truncated) {
    out["compare"] = "truncated";
  } else {
    out["compare"] = "relative";
    out["tolerance"] = t.tolerance;
  }
  if (!t.note.empty()) out["note"] = t.note;
  return out;
}

std::string anchor(const std::string& id) {
  std::string out = id;
  std::replace(out.begin(), out.end(), '/', '-');
  return out;
}

// The residual itself lies in the last digits of a run; a page shows only that it is small.
std::string residual_bound(double residual) {
  return residual < 1e-8 ? "below 1e-8" : fmt::format("{:.0e}", residual);
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c);
    out += " |";
  }
  return out + "\n";
}

std::string grid_markdown(const Grid& grid) {
  std::vector<std::string> names, rules;
  for (const Grid::Column& c : grid.columns) {
    names.push_back(c.unit.empty() ? c.name : fmt::format("{} [{}]", c.name, c.unit));
    rules.push_back(c.is_number ? "---:" : "---");
  }
  std::string out = markdown_row(names) + markdown_row(rules);
  for (const auto& line : grid.lines) out += markdown_row(line);
  return out;
}

std::string table_markdown(const ReproducedTable& t) {
  const Grid grid = make_grid(t);
  std::string out =
      fmt::format("<a id=\"{}\"></a>\n\n## {}: {}\n\n", anchor(t.table.id), t.table.id, t.table.title);
  out += fmt::format("{}. Scenario `{}`{}.\n\n", t.table.source, t.table.scenario,
                     grid.fixed.empty() ? "" : " with " + grid.fixed);
  if (!t.table.note.empty()) out += t.table.note + "\n\n";
  out += grid_markdown(grid) + "\n";
  for (const std::string& note : row_notes(t)) out += "* " + note + "\n";
  if (!row_notes(t).empty()) out += "\n";
  out += agreement(t);
  if (t.table.comparison == Comparison::relative)
    out += fmt::format("; worst relative difference {}", percent(worst_as_shown(t)));
  return out + fmt::format("; energy residual {}.\n", residual_bound(t.worst_residual));
}

constexpr const char* markdown_intro =
    R"(# Published results, and ours

This page is written by `thud reproduce --markdown docs/results.md`; a test keeps it current.

Each table is data in `reference/`: a scenario of the library, the settings of its knobs row by row, and the numbers
as the source prints them. Each row is run and its results are held against them. `difference` is computed less
published, `relative` the same over the published number; `ok` means within the tolerance of the table. Where a source
cuts its numbers off after a few decimals, ours are cut off in the same way and must then be equal. `energy residual` is
what is left of the energy account at the end of a run, relative to the largest energy exchanged.

The notes say which variant of the model the numbers belong to, where that is not the one the source describes.

)";

std::string summary_markdown(const Reproduction& all) {
  std::string out = markdown_row({"table", "what", "scenario", "agreement", "worst"});
  out += markdown_row({"---", "---", "---", "---", "---:"});
  for (const ReproducedTable& t : all.tables)
    out += markdown_row({fmt::format("[{}](#{})", t.table.id, anchor(t.table.id)), t.table.title,
                         "`" + t.table.scenario + "`", agreement(t),
                         t.table.comparison == Comparison::relative ? percent(worst_as_shown(t)) : ""});
  return out + fmt::format("\n{} of {} published numbers are reproduced.\n", all.ok, all.total);
}

}  // namespace

std::string to_text(const Reproduction& all) {
  std::string out;
  for (const ReproducedTable& t : all.tables) out += table_text(t);
  return out + summary_text(all);
}

std::string to_json(const Reproduction& all) {
  Json tables = Json::array();
  for (const ReproducedTable& t : all.tables) {
    Json j = table_head(t.table);
    j["rows"] = Json::array();
    for (std::size_t r = 0; r < t.rows.size(); ++r) j["rows"].push_back(row_json(t.table.rows[r], t.rows[r]));
    j["ok"] = t.ok;
    j["total"] = t.total;
    j["worst_relative_difference"] = t.worst_difference;
    j["worst_energy_residual"] = t.worst_residual;
    tables.push_back(std::move(j));
  }
  Json out{{"tables", std::move(tables)}, {"ok", all.ok}, {"total", all.total}};
  if (all.cancelled) out["cancelled"] = true;
  return out.dump(2) + "\n";
}

std::string to_markdown(const Reproduction& all) {
  std::string out = markdown_intro + summary_markdown(all);
  for (const ReproducedTable& t : all.tables) out += "\n" + table_markdown(t);
  return out;
}

std::string list_text(const std::vector<ReferenceTable>& tables) {
  std::size_t width = 0;
  for (const ReferenceTable& t : tables) width = std::max(width, t.id.size());
  std::string out;
  for (const ReferenceTable& t : tables)
    out += fmt::format("{:<{}}  {:>3} values  {}\n", t.id, width, t.value_count(), t.title);
  return out;
}

std::string list_json(const std::vector<ReferenceTable>& tables) {
  Json list = Json::array();
  for (const ReferenceTable& t : tables) {
    Json j = table_head(t);
    j["values"] = t.value_count();
    list.push_back(std::move(j));
  }
  return Json{{"tables", std::move(list)}}.dump(2) + "\n";
}

}  // namespace thud
