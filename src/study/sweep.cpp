#include "thud/study/sweep.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <tbb/info.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "study/crew.hpp"
#include "study/sweep_summary.hpp"
#include "study/sweep_writer.hpp"
#include "thud/store/file.hpp"

namespace thud {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const char* status_name(SweepStatus status) {
  switch (status) {
    case SweepStatus::reached: return "reached";
    case SweepStatus::rest: return "rest";
    case SweepStatus::time_limit: return "time limit";
    case SweepStatus::bottom: return "bottom";
    case SweepStatus::failed: return "failed";
  }
  return "";
}

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check_place(const Study& study, const std::string& path, const char* option) {
  const Place at{fmt::format("{} {}", option, path)};
  std::error_code ec;
  for (const std::string& input : {study.file, study.scenario})
    if (fs::equivalent(path, input, ec)) throw InputError(at, "is read by the study; it would be replaced");
  if (path.empty() || fs::path(path).filename().empty() || fs::is_directory(path, ec))
    throw InputError(at, "is a folder; the name of a file is needed");
  if (fs::exists(path, ec) && !fs::is_regular_file(path, ec))
    throw InputError(at, "is not a regular file, and is not replaced");
  const fs::path folder = fs::path(path).parent_path().empty() ? "." : fs::path(path).parent_path();
  if (!fs::is_directory(folder, ec))
    throw InputError(at, fmt::format("there is no folder {}", folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError(at, fmt::format("nothing can be written to {}: {}", folder.string(),
                                     std::generic_category().message(errno)));
}

// ---- computing ---------------------------------------------------------------------------------------------------

// Computes the runs that a journal lacks, with threads of our own and with a crew.
class Leader {
 public:
  Leader(const Study& study, const SweepOptions& options, Journal& journal, std::int64_t size)
      : options_(options),
        journal_(journal),
        size_(size),
        pool_(study, count_jobs(options), &stop_),
        crew_(options.machines, identity_of(study)),
        queue_(journal.missing(size), pool_.threads(), !study.request.device.empty()) {}

  ~Leader() { stop_ = true; }  // after an error nobody waits for runs that are under way
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

  // False when it was interrupted.
  bool run() {
    while (true) {
      check_cancel();
      if (!stop_) feed();
      const bool waits_for_crew = crew_.outstanding() > 0 && !(stop_ && seconds_since(stopped_) > 0.5);
      if (pool_.outstanding() == 0 && !waits_for_crew && (stop_ || queue_.left() == 0)) break;
      collect();
      report();
    }
    workers_ = pool_.threads() + crew_.threads();
    return journal_.done() == size_;
  }
  int workers() const { return workers_; }
  void count_steps(SweepReport& report) const {
    report.lane_steps = pool_.lane_steps();
    report.single_steps = pool_.single_steps();
    report.device_steps = pool_.device_steps();
    report.device_seconds = pool_.device_seconds();
    if (const std::string notice = pool_.device_notice(); !notice.empty())
      report.notice += (report.notice.empty() ? "" : "; ") + notice + "; the processor made the runs";
  }

 private:
  static int count_jobs(const SweepOptions& options) {
    if (options.jobs > 0) return options.jobs;
    return options.machines ? 1 : tbb::info::default_concurrency();
  }

  void check_cancel() {
    if (stop_ || !((options_.cancel && *options_.cancel) || crew_.was_interrupted())) return;
    stop_ = true;
    stopped_ = Clock::now();
    crew_.cancel();
  }

  void feed() {
    queue_.set_workers(pool_.threads() + crew_.threads());
    while (pool_.outstanding() < 2 * pool_.threads() && queue_.left() > 0) pool_.submit(queue_.next());
    crew_.feed(queue_);
  }

  // Messages do not wake us, so with a crew we look often.
  void collect() {
    while (const auto bytes = crew_.take()) {
      const SweepChunk chunk = decode(*bytes);
      keep(chunk, *bytes);
    }
    if (const auto chunk = pool_.take(std::chrono::milliseconds(crew_.is_empty() ? 100 : 1)))
      if (chunk->count() > 0) keep(*chunk, encode(*chunk));
  }

  void keep(const SweepChunk& chunk, std::string_view bytes) {
    journal_.append(bytes, {chunk.first, chunk.count()});
    queue_.learn(chunk.count(), chunk.seconds);
  }

  void report() {
    const double now = seconds_since(started_);
    if (!options_.progress || now - shown_at_ < 0.1) return;
    const double lately = static_cast<double>(journal_.done() - shown_done_) / (now - shown_at_);
    rate_ = rate_ > 0 ? 0.9 * rate_ + 0.1 * lately : lately;
    shown_at_ = now;
    shown_done_ = journal_.done();
    options_.progress({journal_.done(), size_, rate_, now});
  }

  const SweepOptions& options_;
  Journal& journal_;
  std::int64_t size_;
  std::atomic<bool> stop_ = false;
  WorkerPool pool_;
  Crew crew_;
  RunQueue queue_;
  int workers_ = 0;
  Clock::time_point started_ = Clock::now(), stopped_{};
  double shown_at_ = 0, rate_ = 0;
  std::int64_t shown_done_ = journal_.done();
};

// ---- before and after --------------------------------------------------------------------------------------------

void check_journal(const SweepOptions& options, const std::string& path) {
  std::error_code ec;
  if (options.resume || options.restart || !fs::exists(path, ec)) return;
  throw InputError({},
                   fmt::format("{} holds the results of a sweep that was not finished: --resume goes on with "
                               "it, --restart throws it away",
                               path));
}

// The finished file of the same sweep, if that is what lies under the name; another one is not gone on with.
bool is_complete(const SweepOptions& options, const SweepIdentity& identity, std::int64_t size) {
  std::error_code ec;
  if (!fs::exists(options.out, ec)) return false;
  const auto refuse = [&](const std::string& why) {
    throw InputError(
        {"--resume"},
        fmt::format("{} {}; without --resume it is replaced when the new one is done", options.out, why));
  };
  try {
    const SweepFile file(options.out);
    const SweepIdentity found{file.text("thud_version"), file.text("settings"), file.text("study"),
                              file.text("scenario")};
    if (found != identity || file.runs() != size) refuse("holds no unfinished sweep of this study");
  } catch (const InputError& e) {
    if (e.place().file == "--resume") throw;
    refuse(e.message());
  }
  return true;
}

void check_room(const SweepOptions& options, std::int64_t runs, std::size_t columns, const Journal& journal) {
  struct statvfs disk {};
  const fs::path folder = fs::absolute(options.out).parent_path();
  if (::statvfs(folder.c_str(), &disk) != 0) return;
  const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  const double needed = static_cast<double>(runs) * (8 * static_cast<double>(columns) + 1) + 1e5;
  if (free < needed)
    throw OutputError(fmt::format(
        "{} needs {:.3g} MB and there are {:.3g} MB free. All results are kept in {}.part ({:.3g} MB): make "
        "room and finish with --resume",
        options.out, needed / 1e6, free / 1e6, options.out, static_cast<double>(journal.bytes()) / 1e6));
}

void sync_file(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

// The HDF5 file appears under its name when it is whole.
void finish(const Study& study, const SweepOptions& options, const SweepIdentity& identity,
            const std::vector<SweepColumn>& columns, DesignPoints& points, Journal& journal) {
  journal.sync();
  check_room(options, points.size(), columns.size(), journal);
  // Whose journal it is, his is the name: what lies there was left by a program that was killed, or planted.
  ::unlink((options.out + ".tmp").c_str());
  TemporaryName temporary(options.out + ".tmp");
  try {
    write_sweep_file(temporary.path(), study, identity, columns, points, journal);
    sync_file(temporary.path());
    if (!temporary.keep_as(options.out))
      throw OutputError(
          fmt::format("cannot write {}: {}", options.out, std::generic_category().message(errno)));
  } catch (const OutputError& e) {
    throw OutputError(
        fmt::format("{}; all runs are kept in {}.part: --resume finishes it", e.what(), options.out));
  }
}

void write_csv(const SweepFile& file, const std::string& path) {
  AtomicFile csv(path);
  write_sweep_csv(file, [&](std::string_view text) { csv.write(text); });
  csv.commit();
}

// What a report says about the results themselves.
void describe_results(const SweepOptions& options, SweepReport& report) {
  const SweepFile file(options.out);
  summarise(file, report);
  if (!options.csv.empty()) write_csv(file, options.csv);
}

Journal open_journal(const SweepOptions& options, const std::string& path, const SweepIdentity& identity,
                     SweepReport& report) {
  std::error_code ec;
  if (!options.resume || options.restart || !fs::exists(path, ec)) return Journal::create(path, identity);
  Journal journal = Journal::open(path, identity);
  if (journal.dropped() > 0)
    report.notice = fmt::format("the end of {} was torn or damaged; its last {} bytes are computed again",
                                path, journal.dropped());
  return journal;
}

}  // namespace

SweepReport run_sweep(const Study& study, const SweepOptions& options) {
  const auto start = Clock::now();
  check_place(study, options.out, "--out");
  if (!options.csv.empty()) check_place(study, options.csv, "--csv");
  if (!options.csv.empty()
      && fs::path(options.csv).lexically_normal() == fs::path(options.out).lexically_normal())
    throw InputError({"--csv " + options.csv},
                     "is the file of the results already; give it a name of its own");
  const ScenarioFamily family(study.scenario, study.set, study.varied_names(), study.outputs);
  DesignPoints points(study);
  const SweepIdentity identity = identity_of(study);
  const std::vector<SweepColumn> columns = columns_of(study, family.outputs());
  SweepReport report;
  report.runs = points.size();
  report.out = options.out;
  report.journal = options.out + ".part";
  std::error_code ec;
  check_journal(options, report.journal);
  if (options.resume && !fs::exists(report.journal, ec) && is_complete(options, identity, points.size())) {
    report.done = report.runs;
    report.already_complete = true;
    describe_results(options, report);
    return report;
  }
  Journal journal = open_journal(options, report.journal, identity, report);
  const std::int64_t before = journal.done();
  Leader leader(study, options, journal, points.size());
  try {
    report.cancelled = !leader.run();
    journal.sync();
  } catch (const OutputError& e) {
    throw OutputError(fmt::format("{}; {} of {} runs are kept: --resume goes on with them", e.what(),
                                  journal.done(), report.runs));
  }
  report.done = journal.done();
  report.computed = report.done - before;
  report.workers = leader.workers();
  leader.count_steps(report);
  report.seconds = seconds_since(start);
  if (report.cancelled) return report;
  finish(study, options, identity, columns, points, journal);
  journal.remove();
  describe_results(options, report);
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace thud
