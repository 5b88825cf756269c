#pragma once
// What of the resistance acts where along a body: for pictures, and for those who want to see a law at work.

#include <vector>

#include "thud/elements/lee_spread.hpp"
#include "thud/elements/spread_sand.hpp"

namespace thud {

/// A stretch of an outline that feels a stress: straight from a to b, an arc around a, or a flat end, where a = b.
struct StressStretch {
  int body = 0, bed = 0;
  bool round = false;
  BodyPoint a{}, b{};
  double radius = 0;
  double half = 0;  ///< of the thickness that is drawn around a straight one [m]
  int cells = 1;    ///< parts of equal length in which the stress is told
  int part = 0;     ///< which face or cylinder of the element
};

/// The stress on one cell: its mean, as the force on what the cell covers.
struct StressCell {
  Vec at{};         ///< the middle, in the world
  Vec force{};      ///< on the body [N]
  double area = 0;  ///< along the stretch times the breadth [m²]; of Lee's laws that is the diameter

  Vec stress() const { return (1 / area) * force; }
};

/// The stress along a stretch at an instant.
struct StressNow {
  /// What of it is under the surface and, of a rim, leads: shares of the way from a to b, or angles from straight down in the
  /// world, turning towards x.
  double from = 0, to = 0;
  std::vector<StressCell>
      cells;  ///< equal parts of that, from the first to the last; none: nothing is known, or nothing acts
};

/// The stretches of a body, with about `cells` cells in all.
[[nodiscard]] std::vector<StressStretch> list_stretches(const SpreadSand& e, int cells);
[[nodiscard]] std::vector<StressStretch> list_stretches(const LeeSpread& e, int cells);

/// The stress on one of the stretches: the law summed over each cell. The cells of all stretches together give the resistance
/// of what moves. Of what the sand holds only the resultant is known: many distributions have it.
[[nodiscard]] StressNow find_stress(const SpreadSand& e, const StressStretch& stretch, const Scene& scene,
                                    const Frames<double>& frames, const SpreadWork<double>& work);
[[nodiscard]] StressNow find_stress(const LeeSpread& e, const StressStretch& stretch, const Scene& scene,
                                    const Frames<double>& frames, const LineWork<double>& work);

/// put(cell) for every cell of a body.
template <class E, class W, class Put>
void for_each_stress(const E& e, const Scene& scene, const Frames<double>& frames, const W& work, int cells,
                     Put&& put) {
  for (const StressStretch& stretch : list_stretches(e, cells))
    for (const StressCell& cell : find_stress(e, stretch, scene, frames, work).cells) put(cell);
}

}  // namespace thud
