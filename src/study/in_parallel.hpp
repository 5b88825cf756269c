#pragma once

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <functional>

namespace thud {

/// work(0) to work(count − 1), by `jobs` threads; 0: one per processor. One alone goes through them in order.
inline void in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& work) {
  const int processors = tbb::info::default_concurrency();
  if (jobs <= 0) jobs = processors;
  if (jobs == 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  // Without this, more threads than processors would be cut down to the processors.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::max(jobs, processors)));
  tbb::task_arena arena(jobs);
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, work); });
}

}  // namespace thud
