#pragma once
// Judges scenarios in processes of their own, so that one that crashes or hangs is counted and harms no other.

#include <functional>
#include <string>

#include "campaign/judge.hpp"

namespace thud::campaign {

struct Limits {
  double seconds = 15;   ///< of CPU time, for a run
  double grace = 5;      ///< more of it, until one that was told to stop is killed
  double gigabytes = 4;  ///< of memory
};

/// Judges the texts of `count` tasks, `jobs` at a time. `make` is called in the child, `done` in this process and in no
/// particular order. This process must have no other threads.
void judge_all(std::size_t count, int jobs, const Limits& limits,
               const std::function<std::string(std::size_t)>& make,
               const std::function<void(std::size_t, const Judgement&)>& done);

/// A single one.
Judgement judge_apart(const std::string& text, const Limits& limits);

}  // namespace thud::campaign
