#pragma once

#include <vector>

#include "lanes/shapes.hpp"
#include "lanes/stage_terms.hpp"

namespace thud::lanes {

/// A step of up to `width` runs at once: states, slopes of its stages, and the error of its end, each a row per coordinate.
struct Batch {
  explicit Batch(const Kernel& k) : kernel(k) {}

  /// Room for a program, whose first `moving_` states are integrated with a control of their error.
  void make_room(const Program& program, int moving_);
  /// A stage: the state into the rows of the program, the program, its slopes. c: where in the step it is.
  enum class Depth { lean, probe, full };
  void evaluate(Shape& shape, int stage, double c, Depth depth);
  /// All stages; the state at the end is in the rows, and what the program tells of it. probe(s) is called after the stages
  /// 7 and 9 where `probes` is set: guards and conditions are known there.
  template <class Probe>
  void run_stages(Shape& shape, bool probes, Probe&& probe) {
    for (int s = 1; s < Pair::stages; ++s) {
      const bool looks = probes && (s == 7 || s == 9);
      evaluate(shape, s, Pair::c[s], looks ? Depth::probe : Depth::lean);
      if (looks) probe(s);
    }
    evaluate(shape, Pair::stages, 1, Depth::full);
  }
  /// The two error estimates into e5 and e3.
  void find_errors();

  const Kernel& kernel;
  int total = 0, moving = 0;
  Rows y, k, next, e5, e3;
  alignas(64) double t[width] = {};
  alignas(64) double h[width] = {};
};

}  // namespace thud::lanes
