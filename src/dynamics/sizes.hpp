#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "thud/dynamics/system.hpp"

namespace thud {

/// Sizes of a system at the start of a run: against them errors are measured, and small is told from zero.
struct Sizes {
  Scales scales;
  std::vector<double> absolute;  ///< per coordinate, then per velocity
  double slowest_bending = 0;    ///< lowest frequency of the beams [rad/s], 0 without any
  double indentation = 0;        ///< of the stiffest compliant contact [m], infinite without any
};

/// `work` must hold an evaluation of the start.
void measure_sizes(const System& system, const Work<double>& work, Sizes& out);

/// How fast things are and how far from the origin, of a state whose frames are known.
template <class T>
struct MotionSizes {
  T speed, rate, reach;

  /// The speed that errors are measured against.
  T overall(double length, double gravity) const {
    using std::max;
    return max(max(speed, rate * length), T(std::sqrt(gravity * length)));
  }
};
template <class T>
MotionSizes<T> measure_motion(const System& system, const Frames<T>& frames, double length) {
  using std::abs, std::max;
  const Tree& tree = system.tree();
  MotionSizes<T> s{T(0), T(0), T(length)};
  for (int i = 0; i < tree.body_count(); ++i) {
    s.speed = max(s.speed, norm(tree.center_velocity(frames, i)));
    s.rate = max(s.rate, abs(frames.rate[i]));
  }
  for (const Vec2<T>& origin : frames.origin) s.reach = max(s.reach, norm(origin));
  return s;
}
/// The size of the bodies, and gravity as sizes are measured with it.
double measure_length(const System& system);
double measure_gravity(const System& system);

/// The longest step that the elements want: in the mode, and into a mode that has just begun.
/// How fast the direction of what is slow in sand changes [1/s].
double turning_rate(const System& system, const Mode& mode, const Work<double>& work);

double longest_step(const System& system, const Mode& mode, const StepState& state, const Work<double>& work);
double longest_first_step(const System& system, const Mode& before, const Mode& mode, const StepState& state,
                          const Work<double>& work);

}  // namespace thud
