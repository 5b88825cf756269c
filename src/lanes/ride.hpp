#pragma once
// Runs that need nobody's help (ride.h), in lanes of this processor.

#include "lanes/lane_math.h"
#include "lanes/program.hpp"

#define RIDE_STATES 24
#define RIDE_GUARDS 40
#define RIDE_CONDITIONS 8
#define RIDE_APPROACHES 16
#define RIDE_NEXT 12
#define RIDE_STARTS 6
#define RIDE_KNOBS 64
#define RIDE_NUMBERS 24
#define ride_states(p) ((p)->states)
#define ride_coordinates(p) ((p)->coordinates)

namespace thud::lanes {

/// One lane of the rows of a program, evaluated in full.
struct RideLook {
  const Program* program;
  const double* rows;

  double at(std::uint16_t row) const { return rows[row * width]; }
};
inline double look_rate(RideLook e, int i) { return e.at(e.program->rates[i]); }
inline double look_guard(RideLook e, int k) { return e.at(e.program->guards[k]); }
inline double look_condition(RideLook e, int c) { return e.at(e.program->conditions[c]); }
inline double look_distance(RideLook e, int k) { return e.at(e.program->distances[k]); }
inline double look_closing(RideLook e, int k) { return e.at(e.program->closing[k]); }
inline double look_kinetic(RideLook e) { return e.at(e.program->kinetic); }
inline double look_energy(RideLook e) { return e.at(e.program->energy); }
inline int look_fits(RideLook e) { return e.rows[e.program->fits_row * width] == 1; }

/// One lane of a step.
struct RideStep {
  const double *next, *slope, *early, *late;
};
inline double step_next(RideStep s, int i) { return s.next[i * width]; }
inline double step_slope(RideStep s, int i) { return s.slope[i * width]; }
inline double step_early(RideStep s, int k) { return s.early[k * width]; }
inline double step_late(RideStep s, int k) { return s.late[k * width]; }

#undef LANE_FN
#define LANE_FN [[maybe_unused]] static inline
#include "lanes/ride.h"

}  // namespace thud::lanes
