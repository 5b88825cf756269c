#include "reproduce_count.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reproduce_grid.hpp"

namespace thud {

namespace {

// "angle 22 deg, rate -1.75 rad/s: t_s"
std::string place_of(const ReproducedTable& t, std::size_t r, const ComparedValue& v) {
  const std::string name = row_name(t.table, r);
  return name.empty() ? v.published.result : name + ": " + v.published.result;
}

std::string ours(const ComparedValue& v) {
  return v.computed ? shown_like(v.published.target_text(), *v.computed) : "not reached";
}

// Calls f(row, value) for the values that `is_wanted` takes.
template <class Is, class F>
int each_value(const ReproducedTable& t, Is&& is_wanted, F&& f) {
  int count = 0;
  for (std::size_t r = 0; r < t.rows.size(); ++r)
    for (const ComparedValue& v : t.rows[r].values)
      if (is_wanted(v)) ++count, f(r, v);
  return count;
}

bool is_reproduced(const ComparedValue& v) { return v.verdict == Verdict::ok && !v.is_misprint(); }
bool is_corrected(const ComparedValue& v) { return v.verdict == Verdict::ok && v.is_misprint(); }
bool is_measured(const ComparedValue& v) { return v.verdict == Verdict::measured; }
bool is_left_out(const ComparedValue& v) { return v.verdict == Verdict::not_run; }
bool is_missed(const ComparedValue& v) {
  return !is_reproduced(v) && !is_corrected(v) && !is_measured(v) && !is_left_out(v);
}

// Of the table, or of single numbers.
std::string why_missed(const ReproducedTable& t) {
  if (!t.table.not_reproduced.empty()) return t.table.not_reproduced;
  std::string reason;
  each_value(t, is_missed, [&](std::size_t, const ComparedValue& v) {
    const std::string own = v.reason.empty() ? "unexpectedly" : v.reason;
    if (reason.find(own) == std::string::npos) reason += (reason.empty() ? "" : " ") + own;
  });
  return reason;
}

template <class Is, class About, class Row>
CountGroup collect(const Reproduction& all, std::string name, std::string about, Is&& is_wanted,
                   About&& about_table, Row&& row) {
  CountGroup group{std::move(name), std::move(about), 0, {}};
  for (const ReproducedTable& t : all.tables) {
    if (t.table.own || t.table.derived) continue;
    CountGroup::Entry entry;
    entry.count = each_value(t, is_wanted, [&](std::size_t r, const ComparedValue& v) {
      if (std::string text = row(t, r, v); !text.empty()) entry.rows.push_back(std::move(text));
    });
    if (entry.count == 0) continue;
    entry.id = t.table.id;
    entry.about = about_table(t);
    group.count += entry.count;
    group.entries.push_back(std::move(entry));
  }
  return group;
}

std::string no_row(const ReproducedTable&, std::size_t, const ComparedValue&) { return ""; }

std::string how_closely(const ReproducedTable& t) {
  if (t.table.comparison != Comparison::relative) return "in the printed digits";
  return fmt::format("within {:g} %{}", 100 * t.table.tolerance, t.table.without ? ", and the effect" : "");
}

}  // namespace

std::vector<CountGroup> count_groups(const Reproduction& all) {
  std::vector<CountGroup> out;
  out.push_back(collect(all, "reproduced", "all rows of these tables but those below", is_reproduced,
                        how_closely, no_row));
  out.push_back(collect(all, "misprinted", "what should be printed is reproduced", is_corrected, how_closely,
                        [](const ReproducedTable& t, std::size_t r, const ComparedValue& v) {
                          return fmt::format("{} is printed {}, ours is {}", place_of(t, r, v),
                                             v.published.text, ours(v));
                        }));
  out.push_back(collect(all, "not reproduced", "and why", is_missed, why_missed,
                        [](const ReproducedTable& t, std::size_t r, const ComparedValue& v) {
                          return fmt::format("{} is printed {}, ours is {}", place_of(t, r, v),
                                             v.published.text, ours(v));
                        }));
  CountGroup measured = collect(
      all, "measured", "of curves that are not printed: they cannot be checked", is_measured,
      [](const ReproducedTable&) {
        return std::string("relative errors of simulations against measurements");
      },
      no_row);
  if (measured.count > 0) out.push_back(std::move(measured));
  CountGroup left_out = collect(
      all, "not run", "interrupted before", is_left_out, [](const ReproducedTable&) { return std::string(); },
      no_row);
  if (left_out.count > 0) out.push_back(std::move(left_out));
  return out;
}

std::string count_line(const Reproduction& all) {
  std::string out;
  for (const CountGroup& g : count_groups(all))
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", g.count, g.name);
  return out;
}

}  // namespace thud
