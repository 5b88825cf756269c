#include "thud/study/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "knobs.hpp"
#include "study/in_parallel.hpp"
#include "thud/base/format.hpp"
#include "thud/math/portable.hpp"
#include "thud/scenario/quantity.hpp"

namespace thud {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::differs: return "differs";
    case Verdict::not_reached: return "not reached";
    case Verdict::not_judged: return "not judged";
    case Verdict::not_reproduced: return "not reproduced";
    case Verdict::measured: return "measured";
    case Verdict::not_run: return "not run";
  }
  return "";
}

namespace {

int decimals_of(const std::string& text) {
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point) - 1;
}

bool same_when_cut_off(double computed, const PublishedValue& p) {
  const double scale = portable::pow(10.0, decimals_of(p.target_text()));
  return std::trunc(computed * scale) == std::round(p.target() * scale);
}

// Through the text: a product with a power of ten would round twice.
bool same_when_rounded(double computed, const PublishedValue& p) {
  const std::string rounded = fmt::format("{:.{}f}", computed, decimals_of(p.target_text()));
  return leading_number(rounded) == p.target();
}

bool agrees(const ReferenceTable& table, const ComparedValue& c) {
  switch (table.comparison) {
    case Comparison::relative: return std::abs(c.relative_difference) <= table.tolerance;
    case Comparison::truncated: return same_when_cut_off(*c.computed, c.published);
    case Comparison::digits: return same_when_rounded(*c.computed, c.published);
    case Comparison::measured: break;
  }
  return false;
}

double relative(double difference, const PublishedValue& p) {
  return p.target() == 0 ? 0.0 : difference / std::abs(p.target());
}

void compare(const ReferenceTable& table, const ResultValue& result, ComparedValue& c) {
  c.unit = result.unit;
  c.computed = result.value;
  c.verdict = Verdict::not_reached;
  if (!c.computed) return;
  if (table.comparison == Comparison::measured) {
    c.verdict = Verdict::measured;
    return;
  }
  c.difference = *c.computed - c.published.target();
  c.relative_difference = relative(c.difference, c.published);
  c.verdict = agrees(table, c) ? Verdict::ok : Verdict::differs;
}

// After all runs: what needs two of them, and what is known beforehand.
void judge_further(const ReferenceTable& table, ComparedValue& c) {
  if (c.verdict != Verdict::ok) return;
  if (!table.not_reproduced.empty()) {
    c.verdict = Verdict::not_reproduced;
  } else if (table.without && !c.effect_published) {
    c.verdict = Verdict::not_run;
  } else if (table.without && c.has_unprintable_effect()) {
    c.verdict = Verdict::not_reproduced;
    c.reason = "the printed effect is one unit of its last digit, and cannot be met or missed.";
  } else if (table.without && !c.meets_effect()) {
    c.verdict = Verdict::differs;
  }
}

// The counterpart has the same results.
void add_effect(const ReferenceRow& counterpart, const RunResult& result, ComparedValue& c) {
  const auto same = [&](const PublishedValue& p) { return p.result == c.published.result; };
  const auto printed = std::find_if(counterpart.expect.begin(), counterpart.expect.end(), same);
  const ResultValue* ours = result.find(c.published.result);
  if (printed == counterpart.expect.end() || !ours) return;
  c.effect_published = c.published.target() - printed->target();
  if (c.computed && ours->value) c.effect_computed = *c.computed - *ours->value;
}

void add_right(const ResultValue& result, ComparedValue& c) {
  c.right = result.value;
  if (c.right) c.right_relative_difference = relative(*c.right - c.published.target(), c.published);
}

// Without a reference nothing can be said; its own row then tells what happened.
void compare_own(const ReferenceRow& row, const OwnValue& reference, OwnValue& v) {
  if (!v.computed) return;
  v.verdict = Verdict::not_judged;
  if (!reference.computed) return;
  v.difference = *v.computed - *reference.computed;
  v.relative_difference = *v.difference == 0 ? 0 : *v.difference / std::abs(*reference.computed);
  if (row.within)
    v.verdict = std::abs(*v.relative_difference) <= *row.within ? Verdict::ok : Verdict::differs;
}

// Against the row before, in the same group.
void follow_trend(ReproducedTable& t) {
  for (std::size_t r = 0; r < t.rows.size(); ++r)
    for (std::size_t i = 0; i < t.rows[r].own.size(); ++i) {
      OwnValue& v = t.rows[r].own[i];
      if (!v.computed) continue;
      v.verdict = Verdict::not_judged;
      if (r == 0 || t.table.rows[r].group != t.table.rows[r - 1].group) continue;
      const std::optional<double>& last = t.rows[r - 1].own[i].computed;
      if (!last) continue;
      v.difference = *v.computed - *last;
      v.relative_difference = *v.difference / std::abs(*last);
      const double wanted = t.table.trend == Trend::falling ? -*v.difference : *v.difference;
      v.verdict = wanted > 0 ? Verdict::ok : Verdict::differs;
    }
}

void compare_own_table(ReproducedTable& t) {
  if (!t.table.own) return;
  if (t.table.trend != Trend::none) return follow_trend(t);
  const std::vector<OwnValue> reference = t.rows[t.table.reference_row()].own;
  for (std::size_t r = 0; r < t.rows.size(); ++r)
    for (std::size_t i = 0; i < reference.size(); ++i)
      compare_own(t.table.rows[r], reference[i], t.rows[r].own[i]);
}

const ResultSpec& find_result(const Scenario& scenario, const std::string& name) {
  std::vector<std::string> known;
  for (const ResultSpec& r : scenario.results) {
    if (r.name == name) return r;
    known.push_back(r.name);
  }
  throw InputError({}, fmt::format("scenario \"{}\" has no result \"{}\"{}", scenario.name, name,
                                   did_you_mean(name, known)));
}

// A row that has not been run.
ReproducedRow blank_row(const ReferenceTable& table, const ReferenceRow& row) {
  ReproducedRow out;
  for (const PublishedValue& p : row.expect) out.values.push_back({p, "", std::nullopt});
  for (const std::string& name : table.results) out.own.push_back({name, "", {}, {}, {}});
  if (table.right) out.right_reason = "not run";
  return out;
}

/// A run to make: a row of a table as it stands, with the right options, or of its counterpart; and what came of it.
struct Task {
  enum Kind : std::uint8_t { plain, right, without };
  std::size_t table, row;
  Kind kind = plain;
  std::optional<RunResult> result{};
  std::optional<double> start{};  ///< start_position
  std::exception_ptr error{};
};

std::vector<Task> make_tasks(const std::vector<ReferenceTable>& tables) {
  std::vector<Task> tasks;
  for (std::size_t t = 0; t < tables.size(); ++t)
    for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
      tasks.push_back({t, r});
      if (tables[t].right) tasks.push_back({t, r, Task::right});
      if (tables[t].without) tasks.push_back({t, r, Task::without});
    }
  return tasks;
}

RunResult run_row(const ReferenceTable& table, Task& task, const RunRequest& request) {
  const std::size_t r = task.row;
  if (task.kind == Task::without) {
    if (r >= table.without->rows.size())
      throw InputError({}, fmt::format("table \"{}\" has no such row", table.without->id));
    return run(load_scenario(table.without->scenario, table.without->rows[r].set), request);
  }
  const ReferenceRow& row = table.rows[r];
  const KnobSettings set = task.kind == Task::right ? merge_settings(row.set, table.right->set) : row.set;
  Scenario scenario = load_scenario(table.scenario, set);
  for (const auto& [name, rule] : table.rules) add_result(scenario, name, rule);
  for (const PublishedValue& p : row.expect) (void)find_result(scenario, p.result);
  for (const auto& [name, value] : row.converged) (void)find_result(scenario, name);
  for (const std::string& name : table.results) (void)find_result(scenario, name);
  task.start = start_position(table, scenario);
  return run(scenario, request);
}

void take_over(const ReferenceTable& table, const Task& task, ReproducedRow& row) {
  const RunResult& result = *task.result;
  if (task.kind == Task::without) {  // comes after the plain run
    for (ComparedValue& v : row.values) add_effect(table.without->rows[task.row], result, v);
    return;
  }
  if (task.kind == Task::right) {
    for (ComparedValue& v : row.values) add_right(*result.find(v.published.result), v);
    row.right_reason = result.reason;
    row.right_energy_residual = result.outcome.energy.residual;
    return;
  }
  for (ComparedValue& v : row.values) {
    compare(table, *result.find(v.published.result), v);
    v.start = task.start;
  }
  for (OwnValue& v : row.own) {
    v.unit = result.find(v.result)->unit;
    v.computed = result.find(v.result)->value;
    v.verdict = Verdict::not_reached;
  }
  row.stop = result.outcome.reason;
  row.reason = result.reason;
  row.energy_residual = result.outcome.energy.residual;
}

bool has_failed(const OwnValue& v) {
  return v.verdict == Verdict::not_reached || v.verdict == Verdict::differs;
}

void sum_up(ReproducedTable& t) {
  for (const ReproducedRow& row : t.rows) {
    for (const double residual : {row.energy_residual, row.right_energy_residual})
      t.worst_residual = std::max(t.worst_residual, std::abs(residual));
    for (const ComparedValue& v : row.values) {
      t.ok += v.verdict == Verdict::ok;
      t.misprinted += v.verdict == Verdict::ok && v.is_misprint();
      t.not_reproduced += v.verdict == Verdict::not_reproduced;
      t.not_run += v.verdict == Verdict::not_run;
      t.worst_difference = std::max(t.worst_difference, std::abs(v.relative_difference));
    }
    t.failed += std::any_of(row.own.begin(), row.own.end(), has_failed);
    t.not_run += !row.own.empty() && row.own[0].verdict == Verdict::not_run;
  }
  t.total = t.table.value_count();
  if (t.table.comparison == Comparison::measured) std::swap(t.measured, t.total);
  t.runs = t.table.own ? static_cast<int>(t.rows.size()) : 0;
}

Reproduction assemble(const std::vector<ReferenceTable>& tables, const std::vector<Task>& tasks) {
  Reproduction out;
  for (const ReferenceTable& table : tables) {
    out.tables.push_back({table, {}});
    for (const ReferenceRow& row : table.rows) out.tables.back().rows.push_back(blank_row(table, row));
  }
  for (const Task& task : tasks)
    if (task.result && task.result->outcome.reason != StopReason::cancelled)
      take_over(tables[task.table], task, out.tables[task.table].rows[task.row]);
  for (ReproducedTable& t : out.tables) {
    compare_own_table(t);
    for (ReproducedRow& row : t.rows)
      for (ComparedValue& v : row.values) judge_further(t.table, v);
    sum_up(t);
    out.misprinted += t.misprinted;
    out.not_reproduced += t.not_reproduced;
    out.measured += t.measured;
    if (!t.table.own && !t.table.derived) out.not_run += t.not_run;
    (t.table.derived ? out.derived_ok : out.ok) += t.ok;
    (t.table.derived ? out.derived_total : out.total) += t.total;
    out.runs += t.runs;
    out.failed += t.failed;
  }
  return out;
}

// Of several wrong rows the first is reported, whichever thread met its own first.
void rethrow_first(const std::vector<Task>& tasks, const std::vector<ReferenceTable>& tables) {
  for (const Task& task : tasks) {
    if (!task.error) continue;
    try {
      std::rethrow_exception(task.error);
    } catch (const InputError& e) {
      const ReferenceTable& t = tables[task.table];
      throw InputError({t.file}, fmt::format("table \"{}\" > row {}{}: {}", t.id, task.row + 1,
                                             task.kind == Task::right     ? " with \"right\""
                                             : task.kind == Task::without ? " of \"without\""
                                                                          : "",
                                             e.what()));
    }
  }
}

}  // namespace

bool ComparedValue::meets_effect() const {
  if (!effect_published || !effect_computed) return false;
  const double size = std::abs(*effect_published);
  return std::abs(*effect_computed - *effect_published) < size && std::abs(difference) < size;
}

bool ComparedValue::has_unprintable_effect() const {
  const double unit = portable::pow(10.0, -decimals_of(published.target_text()));
  return effect_published && std::abs(*effect_published) < 1.5 * unit;
}

std::array<double, 2> implied_measurements(double simulated, double gamma) {
  return {simulated / (1 + gamma), simulated / (1 - gamma)};
}

bool is_possible_measurement(double measured, double simulated, const std::optional<double>& start) {
  return !start || (measured - *start) * (simulated - *start) > 0;
}

std::optional<double> start_position(const ReferenceTable& table, const Scenario& scenario) {
  if (table.start.empty()) return std::nullopt;
  std::vector<std::string> known;
  for (const Knob& k : scenario.knobs) {
    if (!k.choices.empty()) continue;
    known.push_back(k.name);
    if (k.name != table.start) continue;
    for (const PublishedValue& p : table.rows.front().expect)
      if (const ResultSpec& r = find_result(scenario, p.result); si_unit_of(k.unit) != r.unit)
        throw InputError({}, fmt::format("\"start\": knob \"{}\" [{}] is not of the kind of \"{}\" [{}]",
                                         k.name, si_unit_of(k.unit), r.name, r.unit));
    return k.value;
  }
  throw InputError({}, fmt::format("\"start\": scenario \"{}\" has no knob \"{}\" that is a number{}",
                                   scenario.name, table.start, did_you_mean(table.start, known)));
}

Reproduction reproduce(const std::vector<ReferenceTable>& tables, const ReproduceOptions& options) {
  std::vector<Task> tasks = make_tasks(tables);
  RunRequest request = options.request;
  request.observer = nullptr;  // it would be called from several runs at once
  const std::atomic<bool>* cancel = request.cancel;
  const int total = static_cast<int>(tasks.size());
  std::atomic<int> done = 0;
  in_parallel(options.jobs, tasks.size(), [&](std::size_t i) {
    Task& task = tasks[i];
    if (cancel && *cancel) return;
    const ReferenceTable& table = tables[task.table];
    try {
      task.result = run_row(table, task, request);
    } catch (...) {
      task.error = std::current_exception();
    }
    const int count = ++done;
    if (options.progress) options.progress(count, total);
  });

  rethrow_first(tasks, tables);
  Reproduction out = assemble(tables, tasks);
  out.cancelled = cancel && *cancel;
  return out;
}

}  // namespace thud
