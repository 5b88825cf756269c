#pragma once
// What `thud run` was asked, and the parts of it that several files need.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "still.hpp"
#include "thud/scenario/request.hpp"

namespace thud::cli {

struct RunArguments {
  std::vector<std::string> files;
  std::vector<std::string> set, columns, plot, vary;
  std::string out, report, until, time, tolerance, method, step, sample, svg, png, gif, impact, impact_plane;
  int poses = StillOptions{}.poses;
  bool json = false, steps = false, events = false, no_plot = false, ascii = false, quiet = false;
  bool list_observables = false, list_knobs = false, live = false;

  bool wants_text() const { return !json && !quiet; }
  bool wants_figure() const { return !svg.empty() || !png.empty(); }
};

[[nodiscard]] InputError option_error(const std::string& option, const std::string& value,
                                      const std::string& message);

/// A duration after an option; nothing where it was not given.
[[nodiscard]] std::optional<double> read_time(const char* option, const std::string& text);
[[nodiscard]] RunRequest read_request(const RunArguments& a, const Scenario& scenario);

/// Names, or patterns such as "link.*".
[[nodiscard]] std::vector<NamedObservable> find_observables(const Scenario& scenario,
                                                            const std::vector<std::string>& wanted,
                                                            const char* option);

[[nodiscard]] RunResult run_with_progress(const Scenario& scenario, RunRequest request,
                                          StepObserver* recorder, bool quiet);

// ---- figures and reports of one run or several (run_family.cpp) ----

/// Throws InputError for pictures that cannot be drawn, before anything is run.
void check_pictures_of(const RunArguments& a, const Scenario& scenario);
[[nodiscard]] StillOptions still_options(const RunArguments& a, const Scenario& scenario);
/// Writes the figure as it is asked for, and says so.
std::string write_still(const RunArguments& a, std::span<const StillRun> runs, const StillOptions& options);

/// Runs that differ in a knob. Returns the status to exit with.
int run_family(const RunArguments& a, const Scenario& base, const TextStyle& style);
/// Runs of several scenarios, for one report.
int run_several(const RunArguments& a, const TextStyle& style);

}  // namespace thud::cli
