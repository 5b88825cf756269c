#include "study/workers.hpp"

#include <algorithm>

#include "thud/scenario/family.hpp"
#include "thud/study/design.hpp"

namespace thud {

namespace {

using Clock = std::chrono::steady_clock;

SweepStatus status_of(const FamilyRun& run) {
  if (run.reached) return SweepStatus::reached;
  switch (run.reason) {
    case StopReason::rest: return SweepStatus::rest;
    case StopReason::time_limit: return SweepStatus::time_limit;
    case StopReason::bottom: return SweepStatus::bottom;
    default: return SweepStatus::failed;
  }
}

// Of `--set angle=3: parameter ... must ...` what follows the colon: nobody set anything here.
std::string without_setting(const std::string& message) {
  const auto colon = message.starts_with("--set ") ? message.find(": ") : std::string::npos;
  return colon == std::string::npos ? message : message.substr(colon + 2);
}

ScenarioFamily make_family(const Study& study) {
  if (!study.scenario.empty())
    return ScenarioFamily(study.scenario, study.set, study.varied_names(), study.outputs);
  return ScenarioFamily::parse(study.scenario_text, study.file, study.set, study.varied_names(),
                               study.outputs, study.own);
}

// What one thread needs to compute runs.
class Worker {
 public:
  Worker(const Study& study, const std::atomic<bool>* cancel, const std::atomic<bool>& abandon)
      : family_(make_family(study)),
        points_(study),
        request_(study.request),
        abandon_(abandon) {
    request_.cancel = cancel;
  }

  SweepChunk compute(RunRange runs) {
    const auto start = Clock::now();
    SweepChunk chunk;
    chunk.first = runs.first;
    chunk.width = family_.outputs().size();
    chunk.outputs.resize(static_cast<std::size_t>(runs.count) * chunk.width);
    chunk.status.resize(static_cast<std::size_t>(runs.count));
    std::vector<char> is_done(static_cast<std::size_t>(runs.count), 0);
    const auto point = [&](std::int64_t i, std::span<double> values) {
      points_.get(chunk.first + i, values);
    };
    const auto take = [&](std::int64_t i, const FamilyRun& run, const double* out) {
      const auto at = static_cast<std::size_t>(i);
      std::copy_n(out, chunk.width, chunk.outputs.begin() + static_cast<std::ptrdiff_t>(at * chunk.width));
      chunk.status[at] = status_of(run);
      if (!run.reached)
        chunk.messages.emplace_back(static_cast<std::uint32_t>(i), without_setting(run.message));
      is_done[at] = 1;
      return !abandon_;
    };
    (void)family_.run_many(runs.count, point, take, request_);
    // When it was cancelled, those before the first that is missing.
    const std::int64_t done = std::find(is_done.begin(), is_done.end(), 0) - is_done.begin();
    std::erase_if(chunk.messages, [&](const auto& m) { return m.first >= done; });
    std::sort(chunk.messages.begin(), chunk.messages.end());
    chunk.outputs.resize(static_cast<std::size_t>(done) * chunk.width);
    chunk.status.resize(static_cast<std::size_t>(done));
    chunk.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return chunk;
  }

  const ScenarioFamily& family() const { return family_; }

 private:
  ScenarioFamily family_;
  DesignPoints points_;
  RunRequest request_;
  const std::atomic<bool>& abandon_;
};

}  // namespace

WorkerPool::WorkerPool(const Study& study, int threads, const std::atomic<bool>* cancel)
    : study_(study),
      cancel_(cancel) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  abandon_ = true;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  todo_changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

double WorkerPool::device_seconds() const {
  const std::lock_guard lock(mutex_);
  return device_seconds_;
}

std::string WorkerPool::device_notice() const {
  const std::lock_guard lock(mutex_);
  return device_notice_;
}

void WorkerPool::submit(RunRange runs) {
  {
    const std::lock_guard lock(mutex_);
    todo_.push_back(runs);
  }
  ++outstanding_;
  todo_changed_.notify_one();
}

std::optional<SweepChunk> WorkerPool::take(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  done_changed_.wait_for(lock, wait, [&] { return !done_.empty() || error_; });
  if (error_) std::rethrow_exception(error_);
  if (done_.empty()) return std::nullopt;
  SweepChunk chunk = std::move(done_.front());
  done_.pop_front();
  --outstanding_;
  return chunk;
}

void WorkerPool::work() {
  try {
    work_until_stopped();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    done_changed_.notify_all();
  }
}

void WorkerPool::work_until_stopped() {
  Worker worker(study_, cancel_, abandon_);
  std::unique_lock lock(mutex_);
  while (true) {
    todo_changed_.wait(lock, [&] { return stop_ || !todo_.empty(); });
    if (stop_) return;
    const RunRange runs = todo_.front();
    todo_.pop_front();
    lock.unlock();
    const ScenarioFamily& family = worker.family();
    const ScenarioFamily::StepCounts before = family.step_counts();
    const double device_before = family.device_seconds();
    SweepChunk chunk = worker.compute(runs);
    const ScenarioFamily::StepCounts after = family.step_counts();
    lane_steps_ += after.lanes - before.lanes;
    single_steps_ += after.single - before.single;
    device_steps_ += after.device - before.device;
    lock.lock();
    device_seconds_ += family.device_seconds() - device_before;
    if (device_notice_.empty()) device_notice_ = family.device_notice();
    done_.push_back(std::move(chunk));
    done_changed_.notify_one();
  }
}

// ---- RunQueue ----------------------------------------------------------------------------------------------------

RunQueue::RunQueue(std::vector<RunRange> missing, int workers, bool for_device)
    : missing_(std::move(missing)),
      workers_(workers),
      for_device_(for_device) {
  for (const RunRange& r : missing_) left_ += r.count;
}

RunRange RunQueue::next() {
  while (at_ < missing_.size() && missing_[at_].count == 0) ++at_;
  if (at_ == missing_.size()) return {};
  // A device wants many at once.
  const std::int64_t most = for_device_ ? 1 << 22 : 4096, first_guess = for_device_ ? 1 << 16 : 8;
  const double wanted_seconds = for_device_ ? 0.3 : 0.04;
  std::int64_t count = first_guess;
  if (seconds_per_run_ > 0)
    count = static_cast<std::int64_t>(std::min(static_cast<double>(most), wanted_seconds / seconds_per_run_));
  count =
      std::min(count, left_ / (2 * workers_));  // smaller pieces towards the end, so that all end together
  RunRange& from = missing_[at_];
  count = std::clamp<std::int64_t>(count, 1, from.count);
  const RunRange piece{from.first, count};
  from.first += count;
  from.count -= count;
  left_ -= count;
  return piece;
}

void RunQueue::learn(std::int64_t runs, double seconds) {
  if (runs == 0) return;
  const double each = std::max(seconds / static_cast<double>(runs), 1e-9);
  seconds_per_run_ = seconds_per_run_ > 0 ? 0.7 * seconds_per_run_ + 0.3 * each : each;
}

}  // namespace thud
