#include "reproduce_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knobs.hpp"
#include "thud/base/format.hpp"

namespace thud {

namespace {

using Column = Grid::Column;
using Rows = std::vector<const ReferenceRow*>;

std::string unit_of(const std::string& setting) {
  const std::size_t space = setting.find(' ');
  return space == std::string::npos ? "" : setting.substr(space + 1);
}

std::string number_of(const std::string& setting) { return setting.substr(0, setting.find(' ')); }

std::string settings_text(const KnobSettings& set) {
  std::string out;
  for (const auto& [name, value] : set) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out;
}

struct Knobs {
  std::vector<Column> varying;
  KnobSettings fixed;
};

// A single row has nothing to vary against: what is fixed in it are the common settings.
Knobs sort_knobs(const Rows& rows, const KnobSettings& common) {
  std::vector<std::string> names;
  for (const ReferenceRow* row : rows)
    for (const auto& [name, value] : row->set)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  Knobs knobs;
  for (const std::string& name : names) {
    const std::string first = setting_of(rows[0]->set, name);
    bool same_value = true, same_unit = true;
    for (const ReferenceRow* row : rows) {
      const std::string value = setting_of(row->set, name);
      same_value = same_value && value == first;
      same_unit = same_unit && unit_of(value) == unit_of(first);
    }
    if (same_value && (rows.size() > 1 || !setting_of(common, name).empty()))
      knobs.fixed.emplace_back(name, first);
    else
      knobs.varying.push_back({name, same_unit ? unit_of(first) : "", same_unit});
  }
  return knobs;
}

Knobs knobs_of(const ReferenceTable& table) {
  Rows rows;
  for (const ReferenceRow& row : table.rows) rows.push_back(&row);
  return sort_knobs(rows, table.set);
}

// Those of the rows with the same group; `fixed` without what is fixed in the whole table.
Knobs knobs_of_group(const ReferenceTable& table, const std::string& group) {
  const KnobSettings common = knobs_of(table).fixed;
  Rows rows;
  for (const ReferenceRow& row : table.rows)
    if (row.group == group) rows.push_back(&row);
  Knobs knobs = sort_knobs(rows, common);
  std::erase_if(knobs.fixed, [&](const auto& setting) { return !setting_of(common, setting.first).empty(); });
  return knobs;
}

std::vector<std::string> groups_of(const ReferenceTable& table) {
  std::vector<std::string> groups;
  for (const ReferenceRow& row : table.rows)
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
  return groups;
}

// Differences are taken of the number as shown, so that a page can be checked by hand and does not depend on
// digits that it does not show.
std::string seven_digits(double value) { return fmt::format("{:#.7g}", value); }

double number_in(const std::string& shown) { return leading_number(shown); }

// Beside a number with more digits as many of them; beside a count a count.
std::string like(const std::string& text, double value) {
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  if (decimals == 0 && value == std::round(value)) return fmt::format("{:.0f}", value);
  const auto first = std::find_if(text.begin(), text.end(), [](char c) { return c >= '1' && c <= '9'; });
  const auto digits = std::count_if(first, text.end(), [](char c) { return c != '.'; });
  if (digits < 8 && decimals < 8) return seven_digits(value);
  const std::string shown = fmt::format("{:.{}f}", value, decimals);
  return number_in(shown) == 0 ? fmt::format("{:.{}f}", 0.0, decimals) : shown;  // no "-0.00"
}

std::string percent(double fraction) { return fmt::format("{:.4f} %", 100 * fraction); }
// No "-0.0000 %".
std::string signed_percent(double fraction) {
  return std::abs(fraction) < 0.5e-6 ? percent(0) : fmt::format("{:+.4f} %", 100 * fraction);
}

struct Differences {
  std::string absolute = "-", relative = "-";
};

Differences show_differences(const std::string& shown, const std::optional<double>& reference) {
  if (shown == "-" || !reference) return {};
  const double difference = number_in(shown) - *reference;
  return {difference == 0 ? "0" : fmt::format("{:+.1e}", difference),
          *reference == 0 ? "-" : signed_percent(difference / std::abs(*reference))};
}

std::vector<std::string> knob_cells(const ReferenceRow& row, const std::vector<Column>& varying) {
  std::vector<std::string> cells;
  for (const Column& c : varying) {
    const std::string setting = setting_of(row.set, c.name);
    cells.push_back(c.is_number ? number_of(setting) : setting);
  }
  return cells;
}

// --- published numbers ---

// Derived numbers have as many digits as are compared.
bool has_relative(const ReferenceTable& table) {
  return !table.derived || table.comparison == Comparison::relative;
}

// With right options there is no room for the absolute difference on a terminal.
std::vector<Column> published_columns(const ReferenceTable& table) {
  std::vector<Column> columns = knobs_of(table).varying;
  if (table.comparison == Comparison::measured) {
    for (const Column& c : {Column{"result", "", false}, Column{"unit", "", false}, Column{"gamma", "%"},
                            Column{"simulated", ""}, Column{"measured, if less", ""}, Column{"if more", ""}})
      columns.push_back(c);
    return columns;
  }
  const char* given = table.derived ? "derived" : "published";
  for (const Column& c :
       {Column{"result", "", false}, Column{"unit", "", false}, Column{given, ""}, Column{"computed", ""}})
    columns.push_back(c);
  if (!table.right) columns.push_back({"difference", ""});
  if (has_relative(table)) columns.push_back({"relative", ""});
  columns.push_back({"verdict", "", false});
  if (!table.right) return columns;
  columns.push_back({"right", ""});
  columns.push_back({"vs published", ""});
  return columns;
}

// The relative error is of a measured position that is not printed: the two that it leaves possible.
std::vector<std::string> measured_cells(const ComparedValue& v) {
  std::vector<std::string> cells{v.published.result, v.unit, v.published.text, "-", "-", "-"};
  if (!v.computed) return cells;
  const std::string simulated = seven_digits(*v.computed);
  const auto implied = implied_measurements(number_in(simulated), v.published.value / 100);
  cells[3] = simulated;
  for (std::size_t k = 0; k < 2; ++k)
    cells[4 + k] =
        is_possible_measurement(implied[k], *v.computed, v.start) ? fmt::format("{:#.4g}", implied[k]) : "no";
  return cells;
}

std::vector<std::string> published_cells(const ReferenceTable& table, const ComparedValue& v) {
  if (table.comparison == Comparison::measured) return measured_cells(v);
  const std::string computed = v.computed ? like(v.published.target_text(), *v.computed) : "-";
  Differences d = show_differences(computed, v.published.target());
  // A number with a few decimals has no relative difference worth telling.
  if (table.comparison != Comparison::relative) d.relative = "-";
  std::vector<std::string> cells{v.published.result, v.unit, v.published.text, computed};
  if (!table.right) cells.push_back(d.absolute);
  if (has_relative(table)) cells.push_back(d.relative);
  cells.push_back(verdict_name(v.verdict));
  if (!v.published.correction.empty()) cells.back() += ", misprint";
  if (!table.right) return cells;
  const std::string right = v.right ? like(v.published.target_text(), *v.right) : "-";
  cells.push_back(right);
  cells.push_back(show_differences(right, v.published.target()).relative);
  return cells;
}

Grid published_grid(const ReproducedTable& t) {
  Grid grid{"", published_columns(t.table), {}};
  const std::vector<Column> varying = knobs_of(t.table).varying;
  for (std::size_t r = 0; r < t.rows.size(); ++r)
    for (const ComparedValue& v : t.rows[r].values) {
      grid.lines.push_back(knob_cells(t.table.rows[r], varying));
      for (std::string& cell : published_cells(t.table, v)) grid.lines.back().push_back(std::move(cell));
    }
  return grid;
}

const char* effect_verdict(const ComparedValue& v) {
  if (v.verdict == Verdict::not_run) return "not run";
  if (v.has_unprintable_effect()) return "below the print";
  return v.meets_effect() ? "met" : "not met";
}

// What the numbers are about: how they differ from those of the counterpart.
Grid effect_grid(const ReproducedTable& t) {
  Grid grid{fmt::format("The effect: difference to {}", t.table.without->id), knobs_of(t.table).varying, {}};
  for (const Column& c :
       {Column{"result", "", false}, Column{"unit", "", false}, Column{"printed effect", ""},
        Column{"our effect", ""}, Column{"verdict", "", false}})
    grid.columns.push_back(c);
  const std::vector<Column> varying = knobs_of(t.table).varying;
  const auto show = [](const std::optional<double>& x) { return x ? fmt::format("{:+.1e}", *x) : "-"; };
  for (std::size_t r = 0; r < t.rows.size(); ++r)
    for (const ComparedValue& v : t.rows[r].values) {
      grid.lines.push_back(knob_cells(t.table.rows[r], varying));
      for (std::string cell : {v.published.result, v.unit, show(v.effect_published), show(v.effect_computed),
                               std::string(effect_verdict(v))})
        grid.lines.back().push_back(std::move(cell));
    }
  return grid;
}

// --- runs of our own ---

/// The rows of a group of a table of our own, and which columns they need.
struct Group {
  std::string name;
  Knobs knobs;
  bool has_labels = false, has_bounds = false;
};

Group group_of(const ReferenceTable& table, const std::string& name) {
  Group group{name, knobs_of_group(table, name)};
  for (const ReferenceRow& row : table.rows) {
    if (row.group != name) continue;
    group.has_labels = group.has_labels || !row.label.empty();
    group.has_bounds = group.has_bounds || row.within;
  }
  return group;
}

std::vector<Column> own_columns(const Group& group) {
  std::vector<Column> columns;
  if (group.has_labels) columns.push_back({"run", "", false});
  columns.insert(columns.end(), group.knobs.varying.begin(), group.knobs.varying.end());
  for (const Column& c : {Column{"result", "", false}, Column{"unit", "", false}, Column{"computed", ""},
                          Column{"difference", ""}, Column{"relative", ""}})
    columns.push_back(c);
  if (group.has_bounds) columns.push_back({"within", ""});
  columns.push_back({"verdict", "", false});
  return columns;
}

// Where a trend is judged: the difference to the row before.
Differences trend_differences(const OwnValue& v) {
  if (!v.difference) return {};
  return {*v.difference == 0 ? "0" : fmt::format("{:+.1e}", *v.difference),
          fmt::format("{:+.1f} %", 100 * *v.relative_difference)};
}

std::string own_verdict(const OwnValue& v, bool is_reference) {
  if (v.verdict != Verdict::not_judged) return verdict_name(v.verdict);
  return is_reference ? "reference" : "";
}

std::vector<std::string> own_cells(const ReproducedTable& t, const Group& group, std::size_t r,
                                   std::size_t i) {
  const std::size_t reference = t.table.reference_row();
  const OwnValue& v = t.rows[r].own[i];
  const std::string shown = v.computed ? seven_digits(*v.computed) : "-";
  std::optional<double> to = t.rows[reference].own[i].computed;
  if (to) to = number_in(seven_digits(*to));
  const bool has_trend = t.table.trend != Trend::none;
  const Differences d = has_trend      ? trend_differences(v)
                      : r == reference ? Differences{}
                                       : show_differences(shown, to);
  std::vector<std::string> cells{v.result, v.unit, shown, d.absolute, d.relative};
  const std::optional<double>& within = t.table.rows[r].within;
  if (group.has_bounds) cells.push_back(within ? fmt::format("{:g} %", 100 * *within) : "");
  cells.push_back(own_verdict(v, r == reference && !has_trend));
  return cells;
}

Grid own_grid(const ReproducedTable& t, const Group& group) {
  Grid grid{group.name, own_columns(group), {}};
  if (!group.name.empty() && !group.knobs.fixed.empty())
    grid.heading += " (" + settings_text(group.knobs.fixed) + ")";
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const ReferenceRow& row = t.table.rows[r];
    if (row.group != group.name) continue;
    for (std::size_t i = 0; i < t.rows[r].own.size(); ++i) {
      std::vector<std::string> line;
      if (group.has_labels) line.push_back(row.label);
      for (std::string& cell : knob_cells(row, group.knobs.varying)) line.push_back(std::move(cell));
      for (std::string& cell : own_cells(t, group, r, i)) line.push_back(std::move(cell));
      grid.lines.push_back(std::move(line));
    }
  }
  return grid;
}

// "" where both positions that γ leaves are possible.
std::string impossible_note(const ComparedValue& v) {
  if (v.verdict != Verdict::measured) return "";
  for (const double q : implied_measurements(*v.computed, v.published.value / 100))
    if (!is_possible_measurement(q, *v.computed, v.start))
      return fmt::format(
          "{} cannot have been measured as {:#.4g} {}, beyond {:#.5g} {} at the impact: it would have left "
          "the sand. The other one is meant.",
          v.published.result, q, v.unit, *v.start, v.unit);
  return "";
}

bool any_missed(const ReproducedRow& row) {
  const auto missed = [](const auto& v) { return v.verdict == Verdict::not_reached; };
  return std::any_of(row.values.begin(), row.values.end(), missed)
      || std::any_of(row.own.begin(), row.own.end(), missed);
}

}  // namespace

std::string row_name(const ReferenceTable& table, std::size_t r) {
  const ReferenceRow& row = table.rows[r];
  if (!row.label.empty()) return row.label;
  std::string name;
  for (const Column& c : knobs_of_group(table, row.group).varying)
    name += fmt::format("{}{} {}", name.empty() ? "" : ", ", c.name, setting_of(row.set, c.name));
  return name;
}

std::string shown_like(const std::string& printed, double value) { return like(printed, value); }

std::vector<Grid> make_grids(const ReproducedTable& t) {
  std::vector<Grid> grids;
  if (!t.table.own) {
    grids.push_back(published_grid(t));
    if (t.table.without) grids.push_back(effect_grid(t));
    return grids;
  }
  for (const std::string& name : groups_of(t.table)) grids.push_back(own_grid(t, group_of(t.table, name)));
  return grids;
}

std::string origin(const ReferenceTable& table) {
  if (table.trend != Trend::none) return table.source + ", where the text tells a trend; runs of our own";
  return table.own ? "Runs of our own" : table.source;
}

std::string fixed_settings(const ReferenceTable& table) { return settings_text(knobs_of(table).fixed); }

std::vector<std::string> row_notes(const ReproducedTable& t) {
  std::vector<std::string> notes;
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const ReproducedRow& row = t.rows[r];
    const std::string name = row_name(t.table, r);
    const auto add = [&](const std::string& note) {
      notes.push_back(name.empty() ? note : name + ": " + note);
    };
    if (!t.table.rows[r].note.empty()) add(t.table.rows[r].note);
    for (const ComparedValue& v : row.values)
      if (!v.published.correction.empty())
        add(fmt::format("{} is printed {}, a misprint for {}", v.published.result, v.published.text,
                        v.published.correction));
    for (const ComparedValue& v : row.values)
      if (!v.reason.empty()) add(fmt::format("{} is not reproduced: {}", v.published.result, v.reason));
    for (const ComparedValue& v : row.values)
      if (const std::string note = impossible_note(v); !note.empty()) add(note);
    if (any_missed(row)) add(row.reason);
    const auto no_right = [](const ComparedValue& v) { return !v.right && v.verdict != Verdict::not_run; };
    if (t.table.right && std::any_of(row.values.begin(), row.values.end(), no_right))
      add("with the right options: " + row.right_reason);
  }
  return notes;
}

std::string column_note(const ReproducedTable& t) {
  if (t.table.right)
    return fmt::format("right: with {}. {}", settings_text(t.table.right->set), t.table.right->why);
  if (t.table.trend != Trend::none)
    return fmt::format("difference: to the row before; ok: {}, as the text says",
                       t.table.trend == Trend::falling ? "less" : "more");
  if (t.table.comparison == Comparison::measured)
    return "gamma = |q_E - q_S|/q_E is printed, the measured q_E is not; with our q_S it is one of the two "
           "in "
           "the last columns";
  if (!t.table.own || t.rows.size() < 2) return "";
  const std::size_t reference = t.table.reference_row();
  return fmt::format("difference: to the run {}{}", t.table.rows[reference].label.empty() ? "with " : "",
                     row_name(t.table, reference));
}

std::string agreement(const ReproducedTable& t) {
  const std::string left_out = t.not_run > 0 ? fmt::format(", {} not run", t.not_run) : "";
  if (t.table.own) return own_runs(t.runs, t.failed) + left_out;
  if (t.table.comparison == Comparison::measured)
    return fmt::format("{} of measurements", t.measured) + left_out;
  if (!t.table.not_reproduced.empty())
    return fmt::format("{} of {} not reproduced", t.total - t.ok - t.not_run, t.total) + left_out;
  if (t.table.comparison != Comparison::relative)
    return fmt::format("{} of {} in the {} digits", t.ok, t.total, t.table.derived ? "given" : "printed")
         + left_out;
  return fmt::format("{} of {} within {:g} %", t.ok, t.total, 100 * t.table.tolerance) + left_out;
}

std::string worst_difference(const ReproducedTable& t) {
  if (t.table.own || t.table.comparison != Comparison::relative) return "";
  double worst = 0;
  for (const ReproducedRow& row : t.rows)
    for (const ComparedValue& v : row.values)
      if (v.computed) {
        const double target = v.published.target();
        const double shown = number_in(like(v.published.target_text(), *v.computed));
        worst = std::max(worst, std::abs((shown - target) / target));
      }
  return worst < 0.1 ? percent(worst) : fmt::format("{:.3f} %", 100 * worst);
}

std::string own_runs(int runs, int failed) {
  return fmt::format("{} {} of our own{}", runs, runs == 1 ? "run" : "runs",
                     failed > 0 ? fmt::format(", {} failed", failed) : "");
}

}  // namespace thud
