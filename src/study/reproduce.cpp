#include "thud/study/reproduce.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>

#include "knobs.hpp"

namespace thud {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::differs: return "differs";
    case Verdict::not_reached: return "not reached";
    case Verdict::not_judged: return "not judged";
  }
  return "";
}

namespace {

int decimals_of(const std::string& text) {
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point) - 1;
}

bool same_when_cut_off(double computed, const PublishedValue& p) {
  const double scale = std::pow(10.0, decimals_of(p.target_text()));
  return std::trunc(computed * scale) == std::round(p.target() * scale);
}

// Through the text: a product with a power of ten would round twice.
bool same_when_rounded(double computed, const PublishedValue& p) {
  const std::string rounded = fmt::format("{:.{}f}", computed, decimals_of(p.target_text()));
  return std::strtod(rounded.c_str(), nullptr) == p.target();
}

bool agrees(const ReferenceTable& table, const ComparedValue& c) {
  switch (table.comparison) {
    case Comparison::relative: return std::abs(c.relative_difference) <= table.tolerance;
    case Comparison::truncated: return same_when_cut_off(*c.computed, c.published);
    case Comparison::digits: return same_when_rounded(*c.computed, c.published);
  }
  return false;
}

double relative(double difference, const PublishedValue& p) {
  return p.target() == 0 ? 0.0 : difference / std::abs(p.target());
}

void compare(const ReferenceTable& table, const ResultValue& result, ComparedValue& c) {
  c.unit = result.unit;
  c.computed = result.value;
  if (!c.computed) return;
  c.difference = *c.computed - c.published.target();
  c.relative_difference = relative(c.difference, c.published);
  c.verdict = agrees(table, c) ? Verdict::ok : Verdict::differs;
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

void compare_own_table(ReproducedTable& t) {
  if (!t.table.own) return;
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

/// A run to make: a row of a table as it stands, or with the right options; and what came of it.
struct Task {
  std::size_t table, row;
  bool is_right = false;
  std::optional<RunResult> result{};
  std::exception_ptr error{};
};

std::vector<Task> make_tasks(const std::vector<ReferenceTable>& tables) {
  std::vector<Task> tasks;
  for (std::size_t t = 0; t < tables.size(); ++t)
    for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
      tasks.push_back({t, r});
      if (tables[t].right) tasks.push_back({t, r, true});
    }
  return tasks;
}

RunResult run_row(const ReferenceTable& table, const ReferenceRow& row, bool is_right,
                  const RunRequest& request) {
  const KnobSettings set = is_right ? merge_settings(row.set, table.right->set) : row.set;
  const Scenario scenario = load_scenario(table.scenario, set);
  for (const PublishedValue& p : row.expect) (void)find_result(scenario, p.result);
  for (const auto& [name, value] : row.converged) (void)find_result(scenario, name);
  for (const std::string& name : table.results) (void)find_result(scenario, name);
  return run(scenario, request);
}

void take_over(const ReferenceTable& table, const Task& task, ReproducedRow& row) {
  const RunResult& result = *task.result;
  if (task.is_right) {
    for (ComparedValue& v : row.values) add_right(*result.find(v.published.result), v);
    row.right_reason = result.reason;
    row.right_energy_residual = result.outcome.energy.residual;
    return;
  }
  for (ComparedValue& v : row.values) compare(table, *result.find(v.published.result), v);
  for (OwnValue& v : row.own) {
    v.unit = result.find(v.result)->unit;
    v.computed = result.find(v.result)->value;
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
      t.worst_difference = std::max(t.worst_difference, std::abs(v.relative_difference));
    }
    t.failed += std::any_of(row.own.begin(), row.own.end(), has_failed);
  }
  t.total = t.table.value_count();
  t.runs = t.table.own ? static_cast<int>(t.rows.size()) : 0;
}

Reproduction assemble(const std::vector<ReferenceTable>& tables, const std::vector<Task>& tasks) {
  Reproduction out;
  for (const ReferenceTable& table : tables) {
    out.tables.push_back({table, {}});
    for (const ReferenceRow& row : table.rows) out.tables.back().rows.push_back(blank_row(table, row));
  }
  for (const Task& task : tasks)
    if (task.result) take_over(tables[task.table], task, out.tables[task.table].rows[task.row]);
  for (ReproducedTable& t : out.tables) {
    compare_own_table(t);
    sum_up(t);
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
                                             task.is_right ? " with \"right\"" : "", e.what()));
    }
  }
}

void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& work) {
  const int processors = tbb::info::default_concurrency();
  if (jobs <= 0) jobs = processors;
  // Without this, more threads than processors would be cut down to the processors.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(jobs, processors)));
  tbb::task_arena arena(jobs);
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, work); });
}

}  // namespace

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
      task.result = run_row(table, table.rows[task.row], task.is_right, request);
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
