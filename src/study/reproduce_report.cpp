// How a reproduction is shown: for the terminal, and as a page of the documentation.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reproduce_count.hpp"
#include "reproduce_grid.hpp"
#include "thud/base/format.hpp"
#include "thud/study/reproduce.hpp"

namespace thud {

namespace {

constexpr std::size_t page_width = 96;

std::string paragraph(const std::string& text, std::size_t indent = 2) {
  return wrap(text, indent, page_width);
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
    width[c] = std::max(text_width(grid.columns[c].name), text_width(grid.columns[c].unit));
    has_units = has_units || !grid.columns[c].unit.empty();
    for (const auto& line : grid.lines) width[c] = std::max(width[c], text_width(line[c]));
  }
  // Two spaces apart, or one where a terminal would break the lines.
  constexpr std::size_t terminal = 100;
  const std::string gap(std::accumulate(width.begin(), width.end(), 2 * n) > terminal ? 1 : 2, ' ');
  std::string out;
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (std::size_t c = 0; c < n; ++c)
      line += gap + (grid.columns[c].is_number ? pad_left : pad_right)(cell(c), width[c]);
    out += without_trailing_spaces(line) + '\n';
  };
  add_line([&](std::size_t c) { return grid.columns[c].name; });
  if (has_units) add_line([&](std::size_t c) { return grid.columns[c].unit; });
  for (const auto& line : grid.lines) add_line([&](std::size_t c) { return line[c]; });
  return out;
}

std::string table_text(const ReproducedTable& t) {
  const std::string fixed = fixed_settings(t.table);
  std::string out = fmt::format("{}  {}\n", t.table.id, t.table.title);
  out += paragraph(fmt::format("{}; scenario {}{}{}", origin(t.table), t.table.scenario,
                               fixed.empty() ? "" : " with ", fixed));
  for (const Grid& grid : make_grids(t)) {
    out += '\n';
    if (!grid.heading.empty()) out += paragraph(grid.heading);
    out += grid_text(grid);
  }
  out += '\n';
  for (const std::string& note : row_notes(t)) out += paragraph("* " + note);
  if (!t.table.not_reproduced.empty()) out += paragraph("Not reproduced: " + t.table.not_reproduced);
  for (const std::string& note : {t.table.note, column_note(t)})
    if (!note.empty()) out += paragraph(note);
  return out + '\n';
}

// "131 of 131 published, 20 of 20 derived, 7 runs of our own": what there is.
std::string total_text(const Reproduction& all) {
  std::string out;
  const auto add = [&](bool there_is, const std::string& what) {
    if (there_is) out += (out.empty() ? "" : ", ") + what;
  };
  const bool alone = all.derived_total == 0;
  add(all.total > 0, fmt::format("{} of {}{}", all.ok, all.total, alone ? "" : " published"));
  add(all.measured > 0, fmt::format("{} of measurements", all.measured));
  add(all.derived_total > 0, fmt::format("{} of {} derived", all.derived_ok, all.derived_total));
  add(all.runs > 0, own_runs(all.runs, all.failed));
  return out;
}

// "lee2009/4.1 9, lee2009/4.2 9": where the numbers of a group stand.
std::string list_entries(const CountGroup& group) {
  std::string out;
  for (const CountGroup::Entry& e : group.entries)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", e.id, e.count);
  return out;
}

// Published numbers only; empty groups too, since a zero is a result.
std::string count_text(const Reproduction& all) {
  if (all.total + all.measured == 0) return "";
  std::string out = "\n";
  for (const CountGroup& g : count_groups(all)) {
    out += fmt::format("{:>4} {}{}\n", g.count, g.name, g.count > 0 ? ", " + g.about : "");
    if (g.count == 0) continue;
    const bool has_rows =
        std::any_of(g.entries.begin(), g.entries.end(), [](const auto& e) { return !e.rows.empty(); });
    if (!has_rows) {
      out += paragraph(list_entries(g), 7);
      continue;
    }
    for (const CountGroup::Entry& e : g.entries) {
      out += paragraph(fmt::format("{} ({}): {}", e.id, e.count, e.about), 7);
      for (const std::string& row : e.rows) out += paragraph("* " + row, 9);
    }
  }
  return out;
}

std::string summary_text(const Reproduction& all) {
  std::size_t id_width = 5, agreement_width = 0;
  for (const ReproducedTable& t : all.tables) {
    id_width = std::max(id_width, t.table.id.size());
    agreement_width = std::max(agreement_width, agreement(t).size());
  }
  std::string out;
  for (const ReproducedTable& t : all.tables) {
    const std::string worst = worst_difference(t);
    out += fmt::format("{:<{}}  {:<{}}  {:<14}  energy residual {:.0e}\n", t.table.id, id_width, agreement(t),
                       agreement_width, worst.empty() ? "" : "worst " + worst, t.worst_residual);
  }
  if (all.tables.size() > 1) out += '\n' + paragraph("total: " + total_text(all), 0);
  if (all.cancelled) out += "interrupted\n";
  return out + count_text(all);
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
  const std::string fixed = fixed_settings(t.table);
  std::string out =
      fmt::format("<a id=\"{}\"></a>\n\n## {}: {}\n\n", anchor(t.table.id), t.table.id, t.table.title);
  out += fmt::format("{}. Scenario `{}`{}.\n\n", origin(t.table), t.table.scenario,
                     fixed.empty() ? "" : " with " + fixed);
  if (!t.table.not_reproduced.empty()) out += "**Not reproduced.** " + t.table.not_reproduced + "\n\n";
  if (!t.table.note.empty()) out += t.table.note + "\n\n";
  for (const Grid& grid : make_grids(t)) {
    if (!grid.heading.empty()) out += fmt::format("**{}**\n\n", grid.heading);
    out += grid_markdown(grid) + "\n";
  }
  for (const std::string& note : row_notes(t)) out += "* " + note + "\n";
  if (!row_notes(t).empty()) out += "\n";
  if (const std::string note = column_note(t); !note.empty()) out += note + "\n\n";
  out += agreement(t);
  if (const std::string worst = worst_difference(t); !worst.empty())
    out += fmt::format("; worst relative difference {}", worst);
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

Where a source rounds its numbers, ours are rounded to as many decimals and must then be equal. A misprint is held
against what should stand there. Where the variant of a model that reproduces a source is not the right one, `right` is
what the right options give, and `vs published` how far that is from the published number; it is not judged. Where a
source gives equations and draws curves but prints no numbers, `derived` is what its equations give, computed by other
means; these are counted apart. Tables of our own have no published numbers: their `difference` is to one of their runs.

The notes say which variant of the model the numbers belong to, where that is not the one the source describes.

A number is counted as **reproduced** when it agrees as its table says; where a table is about an effect, such as that of
elasticity, the printed effect has to be met as well. **Misprinted** are numbers for which something else should stand, and
that is reproduced. **Not reproduced** are those for which no variant of the model is known that gives them; how close ours
come is in their tables. **Measured** are relative errors against measured curves that the sources do not print: they cannot
be checked, and their tables show what they leave possible ([papers.md](guide/papers.md)).

)";

std::string table_link(const std::string& id) { return fmt::format("[{}](#{})", id, anchor(id)); }

std::string count_markdown(const Reproduction& all) {
  std::string out;
  for (const CountGroup& g : count_groups(all)) {
    out += fmt::format("\n**{} {}**{}\n\n", g.count, g.name, g.count > 0 ? ", " + g.about : "");
    for (const CountGroup::Entry& e : g.entries) {
      out += fmt::format("* {} ({}): {}\n", table_link(e.id), e.count, e.about);
      for (const std::string& row : e.rows) out += "  * " + row + "\n";
    }
  }
  return out;
}

std::string summary_markdown(const Reproduction& all) {
  std::string out = markdown_row({"table", "what", "scenario", "agreement", "worst"});
  out += markdown_row({"---", "---", "---", "---", "---:"});
  for (const ReproducedTable& t : all.tables)
    out += markdown_row({table_link(t.table.id), t.table.title, "`" + t.table.scenario + "`", agreement(t),
                         worst_difference(t)});
  out += fmt::format("\nOf {} published numbers: {}", all.total + all.measured, count_line(all));
  if (all.derived_total > 0)
    out += fmt::format("; {} of {} numbers that follow from published equations", all.derived_ok,
                       all.derived_total);
  return out + (all.runs > 0 ? "; " + own_runs(all.runs, all.failed) : "") + ".\n" + count_markdown(all);
}

}  // namespace

std::string to_text(const Reproduction& all) {
  std::string out;
  for (const ReproducedTable& t : all.tables) out += table_text(t);
  return out + summary_text(all);
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
  for (const ReferenceTable& t : tables) {
    const int count = t.own ? static_cast<int>(t.rows.size()) : t.value_count();
    const std::string what = fmt::format("{}{}", t.own ? "run" : "value", count == 1 ? "" : "s");
    out += fmt::format("{:<{}}  {:>3} {:<6}  {}\n", t.id, width, count, what, t.title);
  }
  return out;
}

}  // namespace thud
