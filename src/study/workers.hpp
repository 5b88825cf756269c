#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "study/chunk.hpp"
#include "thud/study/sweep.hpp"

namespace thud {

/// Threads that compute chunks of a sweep.
class WorkerPool {
 public:
  WorkerPool(const Study& study, int threads, const std::atomic<bool>* cancel);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  void submit(RunRange runs);
  /// A finished chunk, or none when the time is over. After a cancel chunks may be shorter than asked, or empty.
  /// Throws what a worker threw.
  std::optional<SweepChunk> take(std::chrono::milliseconds wait);
  /// Steps made so far in lanes, and by single runs.
  std::int64_t lane_steps() const { return lane_steps_; }
  std::int64_t single_steps() const { return single_steps_; }
  /// Of those in lanes, on a device; how long it computed, and what went wrong there.
  std::int64_t device_steps() const { return device_steps_; }
  double device_seconds() const;
  std::string device_notice() const;
  /// Chunks that were submitted and not yet taken.
  int outstanding() const { return outstanding_; }

 private:
  void work();
  void work_until_stopped();

  const Study& study_;
  const std::atomic<bool>* cancel_;
  mutable std::mutex mutex_;
  std::condition_variable todo_changed_, done_changed_;
  std::deque<RunRange> todo_;
  std::deque<SweepChunk> done_;
  std::exception_ptr error_;
  bool stop_ = false;
  int outstanding_ = 0;
  std::atomic<bool> abandon_ = false;
  std::atomic<std::int64_t> lane_steps_ = 0, single_steps_ = 0, device_steps_ = 0;
  double device_seconds_ = 0;
  std::string device_notice_;
  std::vector<std::thread> threads_;
};

/// Hands out the runs that are still to be made, in pieces that take about the same time.
class RunQueue {
 public:
  RunQueue(std::vector<RunRange> missing, int workers, bool for_device = false);

  std::int64_t left() const { return left_; }
  void set_workers(int workers) { workers_ = workers; }
  /// The next piece; empty when all are out.
  RunRange next();
  /// Learns from a finished chunk how long runs take.
  void learn(std::int64_t runs, double seconds);

 private:
  std::vector<RunRange> missing_;
  std::size_t at_ = 0;
  std::int64_t left_ = 0;
  int workers_;
  bool for_device_;
  double seconds_per_run_ = 0;
};

}  // namespace thud
