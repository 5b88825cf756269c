#pragma once

#include <span>
#include <string>
#include <string_view>

#include "thud/report/frames.hpp"
#include "thud/scenario/run.hpp"
#include "thud/study/fit.hpp"
#include "thud/study/reproduce.hpp"
#include "thud/study/sweep_file.hpp"

/// Reports as one HTML file that needs nothing else, not even a network. The same results give the same bytes.
namespace thud {

[[nodiscard]] std::string make_run_report(const Scenario& scenario, const RunResult& run,
                                          const FrameRecorder& frames);

/// A run beside others. What it refers to is to live as long.
struct ReportRun {
  std::string label;
  const Scenario& scenario;
  const RunResult& result;
  const FrameRecorder& frames;
};
/// Several runs in one page: one in front, the others behind it, in its plots and beside its results.
[[nodiscard]] std::string make_runs_report(std::span<const ReportRun> runs);

/// What that report holds, as JSON.
[[nodiscard]] std::string make_run_document(const Scenario& scenario, const RunResult& run,
                                            const FrameRecorder& frames);
[[nodiscard]] std::string make_reproduce_report(const Reproduction& result);
[[nodiscard]] std::string make_sweep_report(const Study& study, const SweepReport& report,
                                            const SweepFile& results);
[[nodiscard]] std::string make_fit_report(const FitStudy& study, const FitResult& result);

/// The page with its data: a JSON document, which may hold any text.
[[nodiscard]] std::string make_page(std::string_view title, std::string_view data);
/// The same with the engine inside (thud/report/live.hpp), allowed to compile it.
[[nodiscard]] std::string make_live_page(std::string_view title, std::string_view data,
                                         std::string_view engine);

}  // namespace thud
