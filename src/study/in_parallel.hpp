#pragma once

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

namespace thud {

/// work(0) to work(count − 1), by `jobs` threads; 0: one per processor. They begin in order: when it is cancelled, those
/// that are done are the first ones, but for a few.
inline void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& work) {
  const int processors = tbb::info::default_concurrency();
  if (jobs <= 0) jobs = processors;
  // Without this, more threads than processors would be cut down to the processors.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(jobs, processors)));
  std::atomic<std::size_t> next = 0;
  const auto take = [&](int) {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  if (jobs == 1) return take(0);
  tbb::task_arena arena(jobs);
  arena.execute([&] { tbb::parallel_for(0, jobs, take); });
}

}  // namespace thud
