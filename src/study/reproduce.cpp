#include "thud/study/reproduce.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <exception>

namespace thud {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::differs: return "differs";
    case Verdict::not_reached: return "not reached";
  }
  return "";
}

namespace {

bool same_when_cut_off(double computed, const PublishedValue& p) {
  const std::size_t point = p.text.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : p.text.size() - point - 1;
  const double scale = std::pow(10.0, static_cast<double>(decimals));
  return std::trunc(computed * scale) == std::round(p.value * scale);
}

ComparedValue compare(const ReferenceTable& table, const PublishedValue& published,
                      const ResultValue& result) {
  ComparedValue c{published, result.unit, result.value};
  if (!c.computed) return c;
  c.difference = *c.computed - published.value;
  c.relative_difference = c.difference / std::abs(published.value);
  const bool agrees = table.comparison == Comparison::truncated
                        ? same_when_cut_off(*c.computed, published)
                        : std::abs(c.relative_difference) <= table.tolerance;
  c.verdict = agrees ? Verdict::ok : Verdict::differs;
  return c;
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

ReproducedRow reproduce_row(const ReferenceTable& table, const ReferenceRow& row, const RunRequest& request) {
  const Scenario scenario = load_scenario(table.scenario, row.set);
  for (const PublishedValue& p : row.expect) (void)find_result(scenario, p.result);
  for (const auto& [name, value] : row.converged) (void)find_result(scenario, name);
  const RunResult run_result = run(scenario, request);
  ReproducedRow out;
  for (const PublishedValue& p : row.expect)
    out.values.push_back(compare(table, p, *run_result.find(p.result)));
  out.stop = run_result.outcome.reason;
  out.reason = run_result.reason;
  out.energy_residual = run_result.outcome.energy.residual;
  return out;
}

// A row that has not been run.
ReproducedRow blank_row(const ReferenceRow& row) {
  ReproducedRow out;
  for (const PublishedValue& p : row.expect) out.values.push_back({p, "", std::nullopt});
  out.stop = StopReason::cancelled;
  out.reason = "not run";
  return out;
}

void sum_up(Reproduction& all) {
  for (ReproducedTable& t : all.tables) {
    for (const ReproducedRow& row : t.rows) {
      t.worst_residual = std::max(t.worst_residual, std::abs(row.energy_residual));
      for (const ComparedValue& v : row.values) {
        t.ok += v.verdict == Verdict::ok;
        t.worst_difference = std::max(t.worst_difference, std::abs(v.relative_difference));
      }
    }
    t.total = t.table.value_count();
    all.ok += t.ok;
    all.total += t.total;
  }
}

struct Task {
  std::size_t table, row;
  std::exception_ptr error;
};

// Of several wrong rows the first is reported, whichever thread met its own first.
void rethrow_first(const std::vector<Task>& tasks, const std::vector<ReferenceTable>& tables) {
  for (const Task& task : tasks) {
    if (!task.error) continue;
    try {
      std::rethrow_exception(task.error);
    } catch (const InputError& e) {
      const ReferenceTable& t = tables[task.table];
      throw InputError({t.file}, fmt::format("table \"{}\" > row {}: {}", t.id, task.row + 1, e.what()));
    }
  }
}

}  // namespace

Reproduction reproduce(const std::vector<ReferenceTable>& tables, const ReproduceOptions& options) {
  Reproduction out;
  std::vector<Task> tasks;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    out.tables.push_back({tables[t], {}});
    for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
      out.tables[t].rows.push_back(blank_row(tables[t].rows[r]));
      tasks.push_back({t, r, nullptr});
    }
  }

  RunRequest request = options.request;
  request.observer = nullptr;  // it would be called from several runs at once
  const std::atomic<bool>* cancel = request.cancel;
  const int total = static_cast<int>(tasks.size());
  std::atomic<int> done = 0;
  const auto work = [&](std::size_t i) {
    Task& task = tasks[i];
    if (cancel && *cancel) return;
    const ReferenceTable& table = tables[task.table];
    try {
      out.tables[task.table].rows[task.row] = reproduce_row(table, table.rows[task.row], request);
    } catch (...) {
      task.error = std::current_exception();
    }
    const int count = ++done;
    if (options.progress) options.progress(count, total);
  };

  const int processors = tbb::info::default_concurrency();
  const int jobs = options.jobs > 0 ? options.jobs : processors;
  // Without this, more threads than processors would be cut down to the processors.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(jobs, processors)));
  tbb::task_arena arena(jobs);
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, tasks.size(), work); });

  rethrow_first(tasks, tables);
  out.cancelled = cancel && *cancel;
  sum_up(out);
  return out;
}

}  // namespace thud
