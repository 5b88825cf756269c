#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/study/machines.hpp"
#include "thud/study/study.hpp"

namespace thud {

/// How a run of a sweep went. Every run is a row; one that did not reach what its scenario asks for has a message too.
enum class SweepStatus : std::uint8_t {
  reached = 0,     ///< the run reached what the scenario asks for
  rest = 1,        ///< came to rest before that
  time_limit = 2,  ///< ran out of time before that
  bottom = 3,      ///< struck the bottom of a bed before that
  failed = 4,      ///< could not be computed, or the scenario refuses these values
};
[[nodiscard]] const char* status_name(SweepStatus status);

/// How far a sweep has come.
struct SweepProgress {
  std::int64_t done = 0, total = 0;
  double rate = 0;     ///< runs per second, lately
  double seconds = 0;  ///< since this call began
};

struct SweepOptions {
  std::string out;               ///< the HDF5 file; its journal is beside it, as out + ".part"
  std::string csv;               ///< a CSV file with the same columns; empty: none
  int jobs = 0;                  ///< threads; 0: one per processor, or one per process under mpirun
  bool resume = false;           ///< go on with a journal that was left
  bool restart = false;          ///< throw such a journal away
  Machines* machines = nullptr;  ///< more processes that compute; this one must be process 0 of them
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const SweepProgress&)> progress;  ///< called now and then from the calling thread
};

/// The values of one column, over the runs that have one.
struct ColumnSummary {
  std::string name, unit;  ///< SI
  std::int64_t count = 0;
  double least = 0, median = 0, largest = 0;
};

/// Runs that did not reach what was asked, for about the same reason.
struct SweepFailure {
  SweepStatus status = SweepStatus::failed;
  std::int64_t count = 0;
  std::int64_t first = 0;  ///< the first such run
  std::string message;     ///< of that run
};

struct SweepReport {
  std::int64_t runs = 0;       ///< in the whole sweep
  std::int64_t done = 0;       ///< of these, in the file or the journal
  std::int64_t computed = 0;   ///< of these, by this call
  std::int64_t unreached = 0;  ///< runs whose status is not `reached`
  double seconds = 0;
  int workers = 0;
  std::int64_t lane_steps = 0;    ///< steps that threads of this process made in lanes,
  std::int64_t single_steps = 0;  ///< and those of runs by themselves
  std::int64_t device_steps = 0;  ///< of those in lanes, on a device
  double device_seconds = 0;      ///< that it computed
  bool cancelled = false;         ///< stopped early: the journal holds what is done
  bool already_complete = false;  ///< nothing was left to do
  std::string notice;             ///< something a person should know, such as a damaged journal
  std::string out, journal;
  std::vector<ColumnSummary> columns;
  std::vector<SweepFailure> failures;

  /// Share of the steps that were made in lanes, from 0 to 1.
  double in_lanes() const {
    const auto all = static_cast<double>(lane_steps + single_steps);
    return all > 0 ? static_cast<double>(lane_steps) / all : 0;
  }
  /// The same on a device.
  double on_device() const {
    const auto all = static_cast<double>(lane_steps + single_steps);
    return all > 0 ? static_cast<double>(device_steps) / all : 0;
  }
  double rate() const { return seconds > 0 ? static_cast<double>(computed) / seconds : 0; }
};

/// Runs a study at all points of its design and leaves the results in an HDF5 file.
///
/// The same study gives the same bytes for any number of threads and machines, interrupted or not. Finished runs go to
/// a journal at once and survive the end of the program; the HDF5 file appears, whole, when all runs are done.
/// Throws InputError for bad input and OutputError when something cannot be written.
[[nodiscard]] SweepReport run_sweep(const Study& study, const SweepOptions& options);

/// What the processes other than 0 do: compute what process 0 sends until it dismisses them. Mistakes in the input are
/// left to process 0 to tell.
void serve_sweep(Machines& machines, const std::function<Study()>& load, int jobs,
                 const std::atomic<bool>* cancel);

/// Process 0 calls this when it needs the others no longer, whatever happened.
void dismiss(Machines& machines);

/// For people: runs, failures by reason, least, median and largest value of every output.
[[nodiscard]] std::string to_text(const Study& study, const SweepReport& report, const TextStyle& style);
[[nodiscard]] std::string to_json(const Study& study, const SweepReport& report);

}  // namespace thud
