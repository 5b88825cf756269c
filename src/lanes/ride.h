// A run that needs nobody's help: what it does between evaluations of its mode, from its start to its end. In the common part
// of C++ and OpenCL C, so that lanes of a processor and threads of a graphics card do the same, bit by bit.
//
// What the engine of single runs (event/run.cpp) does, with the same rules and tolerances, as far as it needs no solver:
// steps and their control, crossings, sides of the drag, conditions, changes between modes that are known, rest. Whatever is
// beyond that ends with ride_left: the engine makes the run, from its start.
//
// Whoever includes it defines before:
//   RIDE_STATES, RIDE_GUARDS, RIDE_CONDITIONS, RIDE_APPROACHES, RIDE_NEXT, RIDE_STARTS    how many there are at most
//   ride_states(plan), ride_coordinates(plan)     RidePlan::states, RidePlan::coordinates, or the same known beforehand
//   RideLook      an evaluation, read by look_rate, look_guard, look_condition, look_distance, look_closing, look_kinetic,
//                 look_energy, look_fits
//   RideStep      a step, read by step_next, step_slope, step_early, step_late (guards, then conditions, at two stages)

enum RideStatus {
  ride_goes,
  ride_condition,  // stopped by a condition
  ride_all_found,
  ride_rest,
  ride_time_limit,
  ride_left  // to the engine
};

// What is wanted next: a step of length `trial`, or an evaluation at `at`, `at_time` in `at_mode`.
enum RidePhase {
  phase_step,
  phase_again,    // a step up to a crossing
  phase_probe,    // evaluation a moment after the crossing
  phase_check,    // evaluation where it was corrected to
  phase_try,      // evaluation in a mode that may come next
  phase_ahead,    // the same a moment later
  phase_farther,  // the same once more
  phase_report,   // evaluation for results
  phase_help,     // no mode that is known to follow holds: the engine's selector may find one
  phase_helped,   // evaluation in the mode that it found
  phase_end
};

typedef struct {
  int states, coordinates, conditions, starts, channels;
  int angles;       // a bit per coordinate
  int watch_turns;  // no body may turn far in a step
  int stop_at_rest, stop_when_all_found;
  int stops_first;  // no result asks for forces: a stop may come before a switch of the same instant
  long max_steps;
  double length, mass, gravity, tolerance, start_time, time_limit, max_step, first_step, account_bound,
      error_size;
  int start[RIDE_STARTS];  // modes
  int slot[RIDE_STATES];   // of the channels of the account
  int direction[RIDE_CONDITIONS], stops[RIDE_CONDITIONS], reports[RIDE_CONDITIONS];
  double target[RIDE_CONDITIONS];
  double pose_size[RIDE_STATES];  // of coordinates
} RidePlan;

typedef struct {
  int guards, approaches, nexts;
  int next[RIDE_NEXT];               // modes that may follow
  int starts_rough[RIDE_NEXT];       // a force begins that is not smooth
  int next_guard[RIDE_NEXT];         // it follows at this guard only, which stops what it holds; −1: at any
  int flip[RIDE_GUARDS];             // the mode with another side of the drag; −1: the guard is another
  double tolerance[RIDE_GUARDS][6];  // 1, speed, rate, force, moment, reach
} RideMode;

typedef struct {
  // where it is
  double t, h, last_log_error;
  double y[RIDE_STATES], slope[RIDE_STATES];
  double guard[RIDE_GUARDS], small[RIDE_GUARDS];  // at the beginning of a step, and their tolerances
  int mode, status, phase;
  int steps, rejected, strictness, strictest, shortened, is_last;
  // its sizes
  double speed, rate, force, moment, time, reach;
  double speed_scale, rate_scale;  // of errors
  double initial_energy, energy_size, energy;
  // conditions
  double value[RIDE_CONDITIONS], size[RIDE_CONDITIONS], hit_time[RIDE_CONDITIONS];
  double past_t[RIDE_CONDITIONS][3], past_x[RIDE_CONDITIONS][3];
  int sign[RIDE_CONDITIONS], found[RIDE_CONDITIONS], past[RIDE_CONDITIONS];
  int stopped_by;
  // what approaches
  double distance[RIDE_APPROACHES], closing[RIDE_APPROACHES];
  int knows_distance;
  // the step at hand
  double trial;
  // a crossing: guard, or RIDE_GUARDS + condition
  int suspect, attempts, passes, stays;  // stays: changes of the mode without a step
  long tied;                             // others at the same instant, a bit each
  double here, crossing_rate, probe, whole;
  // an evaluation that is wanted
  double at[RIDE_STATES], at_slope[RIDE_STATES], at_time;
  int at_mode, candidate, rough;  // rough: a force begins with the mode that is not smooth
  int report, report_status;      // conditions of this instant, a bit each, and how the run goes on
} Ride;

// ---- start ------------------------------------------------------------------------------------------------------------

LANE_FN void ride_leave(Ride* r) {
  r->status = ride_left;
  r->phase = phase_end;
}

LANE_FN void ride_finish(Ride* r, int status) {
  r->report = 0;
  r->report_status = status;
  r->phase = phase_report;
  for (int i = 0; i < RIDE_STATES; ++i) r->at[i] = r->y[i];
  r->at_time = r->t;
  r->at_mode = r->mode;
}

LANE_FN double ride_first_step(LANE_CONSTANT RidePlan* p, const Ride* r) {
  return lane_least(p->max_step, p->first_step * r->time);
}

LANE_FN void ride_try(Ride* r, int mode) {
  for (int i = 0; i < RIDE_STATES; ++i) r->at[i] = r->y[i];
  r->at_time = r->t;
  r->at_mode = mode;
  r->phase = phase_try;
}

// The state has been set; speed and reach are those of the start.
LANE_FN void ride_begin(LANE_CONSTANT RidePlan* p, Ride* r, double speed, double reach) {
  r->t = p->start_time;
  r->speed = speed;
  r->reach = reach;
  r->rate = speed / p->length;
  r->force = p->mass * (p->gravity + speed * speed / p->length);
  r->moment = r->force * p->length;
  r->time = p->length / speed;
  r->speed_scale = p->error_size / r->speed;
  r->rate_scale = p->error_size / r->rate;
  r->last_log_error = 0;
  r->mode = -1;
  r->status = ride_goes;
  r->steps = r->rejected = r->strictness = r->shortened = r->is_last = 0;
  r->strictest = 4;
  r->stays = 0;
  r->knows_distance = 0;
  r->stopped_by = -1;
  r->candidate = 0;
  for (int c = 0; c < p->conditions; ++c) {
    r->found[c] = r->past[c] = 0;
    r->hit_time[c] = 0;
  }
  for (int i = 2 * ride_coordinates(p); i < ride_states(p); ++i) r->y[i] = 0;
  ride_try(r, p->start[0]);
}

LANE_FN void ride_set_tolerances(LANE_CONSTANT RideMode* m, Ride* r) {
  for (int k = 0; k < m->guards; ++k) {
    LANE_CONSTANT double* a = m->tolerance[k];
    r->small[k] =
        a[0] + a[1] * r->speed + a[2] * r->rate + a[3] * r->force + a[4] * r->moment + a[5] * r->reach;
  }
}

LANE_FN void ride_start_conditions(LANE_CONSTANT RidePlan* p, Ride* r, RideLook e) {
  for (int c = 0; c < p->conditions; ++c) {
    const double x = look_condition(e, c);
    r->value[c] = x;
    r->size[c] = lane_most(lane_abs(x), lane_abs(p->target[c]));
    r->sign[c] = x > 0 ? 1 : x < 0 ? -1 : 0;
  }
}

// ---- conditions -------------------------------------------------------------------------------------------------------

LANE_FN int ride_crosses(LANE_CONSTANT RidePlan* p, const Ride* r, int c, double x) {
  if (r->found[c]) return 0;
  if (r->sign[c] < 0 && x > 0) return p->direction[c] >= 0;
  if (r->sign[c] > 0 && x < 0) return p->direction[c] <= 0;
  return 0;
}

LANE_FN int ride_found_all(LANE_CONSTANT RidePlan* p, const Ride* r) {
  if (!p->stop_when_all_found) return 0;
  for (int c = 0; c < p->conditions; ++c)
    if (!r->found[c]) return 0;
  return 1;
}

// A condition is met: what is asked of its instant is read there.
LANE_FN void ride_meet(LANE_CONSTANT RidePlan* p, Ride* r, int c) {
  r->found[c] = 1;
  r->hit_time[c] = r->t;
  const int stops = p->stops[c];
  if (stops) r->stopped_by = c;
  const int status = stops ? ride_condition : ride_found_all(p, r) ? ride_all_found : ride_goes;
  if (status == ride_goes && !p->reports[c]) return;
  if (r->phase != phase_report) ride_finish(r, status);
  r->report |= 1 << c;
  r->report_status = status;
}

// Time to just after the next condition, extrapolated from three steps.
LANE_FN double ride_expected(LANE_CONSTANT RidePlan* p, const Ride* r, double far) {
  double first = far;
  for (int c = 0; c < p->conditions; ++c) {
    if (r->past[c] < 3) continue;
    const double *t = r->past_t[c], *x = r->past_x[c];
    const double a = r->t - t[1], b = t[1] - t[0];
    const double s1 = (x[2] - x[1]) / a, s0 = (x[1] - x[0]) / b;
    const double bend = (s1 - s0) / (a + b), slope = s1 + bend * a;
    double dt = -x[2] / slope;
    for (int i = 0; i < 3; ++i) dt = -x[2] / (slope + bend * dt);
    if (dt > 0 && dt * 1.02 < first) first = dt * 1.02;
  }
  return first;
}

// ---- steps ------------------------------------------------------------------------------------------------------------

LANE_FN void ride_propose(LANE_CONSTANT RidePlan* p, Ride* r) {
  r->phase = phase_step;
  if (r->steps + r->rejected > p->max_steps) {
    ride_leave(r);
    return;
  }
  double h = lane_least(r->h, p->max_step);
  if (p->watch_turns) {
    double fastest = 1e-300;
    for (int i = 0; i < ride_coordinates(p); ++i)
      if (p->angles >> i & 1) fastest = lane_most(fastest, lane_abs(r->y[ride_coordinates(p) + i]));
    h = lane_least(h, 1.5 / fastest);
  }
  const double expected = ride_expected(p, r, h);
  const int shorten = expected < h && expected > 0.2 * h && !r->shortened;
  r->shortened = shorten;
  if (shorten) h = expected;
  const double left = p->time_limit - r->t;
  r->is_last = h >= left;
  if (r->is_last) h = left;
  r->trial = h;
  if (!(h > 1e-13 * lane_most(r->time, lane_abs(r->t)))) ride_leave(r);
}

LANE_FN void ride_reject(Ride* r, double error) {
  ++r->rejected;
  const double h = r->trial;
  r->h = h * (error < lane_infinity() ? lane_most(0.2, 0.9 * lane_exp(-0.125 * lane_log(error))) : 0.2);
  if (r->strictness > 0 && r->h < 1e-8 * r->time) {  // more than roundings allow
    r->strictest = --r->strictness;
    r->h = h;
  }
  if (r->h < 1e-15 * lane_most(r->time, lane_abs(r->t))) ride_leave(r);
}

LANE_FN double ride_residual(LANE_CONSTANT RidePlan* p, const Ride* r, double energy) {
  double residual = r->initial_energy - energy;
  double exchanged =
      lane_most(lane_most(r->energy_size, lane_abs(energy - r->initial_energy)), 1e-4 * r->force * p->length);
  for (int c = 0; c < p->channels; ++c) {
    const double work = r->y[p->slot[c]];
    residual += work;
    exchanged = lane_most(exchanged, lane_abs(work));
  }
  return exchanged > 0 ? residual / exchanged : 0.0;
}

LANE_FN int ride_is_slow(LANE_CONSTANT RidePlan* p, const Ride* r, double share) {
  for (int i = 0; i < ride_coordinates(p); ++i) {
    const double size = p->angles >> i & 1 ? r->rate : r->speed;
    if (lane_abs(r->y[ride_coordinates(p) + i]) > share * size) return 0;
  }
  return 1;
}

// Whether the cubic through distances and rates at both ends of a step stays far from zero.
LANE_FN int ride_stays_away(double d0, double r0, double d1, double r1, double h) {
  const double straight = lane_least(d0, d1);
  if (!(straight > 0)) return 0;
  double least = straight;
  for (int i = 1; i < 16; ++i) {
    const double x = i / 16.0, y = 1 - x;
    least = lane_least(least,
                       y * y * (1 + 2 * x) * d0 + x * x * (3 - 2 * x) * d1 + h * x * y * (y * r0 - x * r1));
  }
  return least > 0.5 * straight;
}

LANE_FN int ride_may_have_touched(LANE_CONSTANT RideMode* m, const Ride* r, double h, RideLook e) {
  for (int k = 0; k < m->approaches; ++k) {
    const double closing = look_closing(e, k);
    if (!(r->closing[k] < 0 && closing > 0)) continue;
    if (!r->knows_distance
        || !ride_stays_away(r->distance[k], r->closing[k], look_distance(e, k), closing, h))
      return 1;
  }
  return 0;
}

LANE_FN void ride_note_approaches(LANE_CONSTANT RideMode* m, Ride* r, RideLook e) {
  for (int k = 0; k < m->approaches; ++k) {
    r->distance[k] = look_distance(e, k);
    r->closing[k] = look_closing(e, k);
  }
  r->knows_distance = 1;
}

// The run is at the end of a step or at a crossing, `h` later; state and slope have been set.
LANE_FN void ride_accept(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* m, Ride* r, double h,
                         RideLook e) {
  ++r->steps;
  r->t += h;
  if (h > 1e-9 * r->time) r->stays = 0;
  for (int c = 0; c < p->conditions; ++c) {
    const double x = look_condition(e, c);
    r->value[c] = x;
    r->size[c] = lane_most(r->size[c], lane_abs(x));
    double *t = r->past_t[c], *v = r->past_x[c];
    t[0] = t[1], t[1] = t[2], t[2] = r->t;
    v[0] = v[1], v[1] = v[2], v[2] = x;
    r->past[c] = r->found[c] ? 0 : r->past[c] + 1;
    if (lane_abs(x) > 1e-12 * r->size[c] && !ride_crosses(p, r, c, x)) r->sign[c] = x > 0 ? 1 : -1;
  }
  ride_note_approaches(m, r, e);
  for (int k = 0; k < m->guards; ++k) r->guard[k] = look_guard(e, k);
  r->energy_size = lane_most(r->energy_size, look_kinetic(e));
  r->energy = look_energy(e);
  // Errors that gather: steps become more accurate (Run::watch_account).
  const double residual = lane_abs(ride_residual(p, r, r->energy)) / p->account_bound;
  while (r->strictness < r->strictest && residual > 1e-9 * (1.5 + r->strictness)) ++r->strictness;
}

// ---- crossings --------------------------------------------------------------------------------------------------------

// Where a function goes from above zero to below it, from its values at 0, at two stages, and at 1; −1: it does not show.
LANE_FN double ride_guess(double start, double early, double late, double end, double small) {
  double x[4], f[4];
  int n = 0;
  if (start > small) x[n] = 0, f[n++] = start;
  if (n > 0 || early > small) x[n] = 4.0 / 13, f[n++] = early;
  if (n > 0 || late > small) x[n] = 0.6, f[n++] = late;
  if (n == 0 || !(end < 0)) return -1;
  x[n] = 1, f[n++] = end;
  // Newton's polynomial.
  double d[4];
  for (int i = 0; i < n; ++i) d[i] = f[i];
  for (int k = 1; k < n; ++k)
    for (int i = n - 1; i >= k; --i) d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - k]);
  int b = 1;
  while (!(f[b] < 0)) ++b;
  double left = x[b - 1], right = x[b], at_left = f[b - 1], at_right = f[b];
  if (!(at_left > 0)) return -1;
  double place = left;
  for (int round = 0; round < 12; ++round) {
    place = left + (right - left) * (at_left / (at_left - at_right));
    double v = d[n - 1];
    for (int i = n - 2; i >= 0; --i) v = d[i] + (place - x[i]) * v;
    if (lane_abs(v) < 1e-7 * lane_abs(end)) break;
    if (v > 0) {
      left = place, at_left = v, at_right *= 0.5;
    } else {
      right = place, at_right = v, at_left *= 0.5;
    }
  }
  return place;
}

LANE_FN void ride_next_candidate(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r) {
  const int starting = r->mode < 0;
  const int count = starting ? p->starts : modes[r->mode].nexts;
  ++r->candidate;
  while (!starting && r->candidate < count && modes[r->mode].next_guard[r->candidate] >= 0
         && modes[r->mode].next_guard[r->candidate] != r->suspect)
    ++r->candidate;
  if (r->candidate < count) {
    r->rough = starting ? 1 : modes[r->mode].starts_rough[r->candidate];
    ride_try(r, starting ? p->start[r->candidate] : modes[r->mode].next[r->candidate]);
  } else if (starting) {
    ride_leave(r);
  } else {
    r->phase = phase_help;
  }
}

// A guard is below zero as soon as the mode begins: the mode is another one, here and now.
LANE_FN void ride_change_here(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r, int guard) {
  const int flip = modes[r->mode].flip[guard];
  if (++r->stays > 3) {
    ride_leave(r);
  } else if (flip >= 0) {
    r->mode = flip;
    r->guard[guard] = 0;
    ride_set_tolerances(modes + flip, r);
    ride_propose(p, r);
  } else {
    r->phase = phase_help;
  }
}

// Of what is crossed at the same instant a switch goes first, then a condition, then a side of the drag.
LANE_FN int ride_rank(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* m, int suspect) {
  return suspect >= RIDE_GUARDS ? (p->stops_first && p->stops[suspect - RIDE_GUARDS] ? -1 : 1)
       : m->flip[suspect] >= 0  ? 2
                                : 0;
}

// The first of what was crossed in the step at hand; a step up to it is wanted.
LANE_FN void ride_locate(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r, RideStep s,
                         RideLook e) {
  LANE_CONSTANT RideMode* m = modes + r->mode;
  double first = 2;
  int suspect = -1;
  long tied = 0;
  for (int k = 0; k < m->guards + p->conditions; ++k) {
    const int c = k - m->guards, which = c < 0 ? k : RIDE_GUARDS + c;
    const double end = c < 0 ? look_guard(e, k) : look_condition(e, c);
    if (c < 0 ? end >= -r->small[k] : !ride_crosses(p, r, c, end)) continue;
    const double sign = c < 0 ? 1 : r->sign[c], small = c < 0 ? r->small[k] : 0;
    const double x = ride_guess(c < 0 ? r->guard[k] : sign * r->value[c], sign * step_early(s, k),
                                sign * step_late(s, k), sign * end, small);
    if (x < 0) {
      if (c < 0 && end < 0 && r->guard[k] >= -r->small[k])
        ride_change_here(p, modes, r, k);
      else
        ride_leave(r);
      return;
    }
    if (lane_abs(x - first) < 1e-5) {  // at once, as far as can be told
      if (ride_rank(p, m, which) < ride_rank(p, m, suspect)) {
        tied |= 1L << suspect;
        suspect = which;
        first = x;
      } else {
        tied |= 1L << which;
      }
    } else if (x < first) {
      first = x, suspect = which, tied = 0;
    }
  }
  r->suspect = suspect;
  r->tied = tied;
  r->trial = first * r->trial;
  r->phase = phase_again;
  // What is crossed at once is left to the engine.
  if (++r->attempts > 8 || !(r->trial > 1e-8 * r->time)) ride_leave(r);
}

// Whether something asks for a closer look at the step at hand.
LANE_FN int ride_is_crossed(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* m, Ride* r, RideStep s,
                            RideLook e, long ignored) {
  int crossed = 0;
  for (int k = 0; k < m->guards; ++k) {
    const int violated = !(look_guard(e, k) >= -r->small[k]);
    const int probed = !(step_early(s, k) >= -r->small[k]) || !(step_late(s, k) >= -r->small[k]);
    if (probed && !violated) {  // crossed twice, or never
      ride_leave(r);
      return 0;
    }
    crossed |= violated && !(ignored >> k & 1);
  }
  for (int c = 0; c < p->conditions; ++c)
    crossed |= ride_crosses(p, r, c, look_condition(e, c)) && !(ignored >> (RIDE_GUARDS + c) & 1);
  return crossed;
}

// The step of length `trial` has been made.
// error: scaled, and times 10 to the power of its strictness. is_quiet: no guard was below zero where it was looked at, and no
// condition has changed its sign.
LANE_FN void ride_judge(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r, double error,
                        double log_error, double growth, int is_quiet, RideStep s, RideLook e) {
  LANE_CONSTANT RideMode* m = modes + r->mode;
  if (!look_fits(e)) {
    ride_leave(r);
    return;
  }
  if (r->phase == phase_again) {
    if (ride_is_crossed(p, m, r, s, e, r->tied | 1L << r->suspect)) {  // something else comes before
      ride_locate(p, modes, r, s, e);
      return;
    }
    if (r->phase == phase_end) return;
    // A moment later, for the rate.
    r->here =
        r->suspect < RIDE_GUARDS ? look_guard(e, r->suspect) : look_condition(e, r->suspect - RIDE_GUARDS);
    r->probe = 1e-7 * lane_most(r->trial, 1e-3 * r->time);
    r->passes = 0;
    for (int i = 0; i < ride_states(p); ++i) {
      r->at_slope[i] = step_slope(s, i);
      r->at[i] = step_next(s, i) + r->probe * r->at_slope[i];
    }
    r->at_time = r->t + r->trial + r->probe;
    r->at_mode = r->mode;
    r->phase = phase_probe;
    return;
  }
  if (!(error <= 1)) {
    ride_reject(r, error);
    if (r->phase != phase_end) ride_propose(p, r);
    return;
  }
  r->last_log_error = log_error;
  r->h = r->trial * growth;
  r->attempts = 0;
  r->whole = r->trial;
  if (!is_quiet && ride_is_crossed(p, m, r, s, e, 0)) {
    ride_locate(p, modes, r, s, e);
    return;
  }
  if (r->phase == phase_end) return;
  if (ride_may_have_touched(m, r, r->trial, e)) {
    ride_leave(r);
    return;
  }
  for (int i = 0; i < ride_states(p); ++i) {
    r->y[i] = step_next(s, i);
    r->slope[i] = step_slope(s, i);
  }
  ride_accept(p, m, r, r->trial, e);
  if (r->is_last)
    ride_finish(r, ride_time_limit);
  else if (p->stop_at_rest && ride_is_slow(p, r, 1e-7))
    ride_leave(r);  // it may be settling
  else
    ride_propose(p, r);
}

// ---- evaluations between steps ------------------------------------------------------------------------------------------

LANE_FN double ride_suspect_value(const Ride* r, RideLook e) {
  return r->suspect < RIDE_GUARDS ? look_guard(e, r->suspect) : look_condition(e, r->suspect - RIDE_GUARDS);
}

// The rate of what is crossed is known: the state goes there, or the step is made again where that is too far.
LANE_FN void ride_correct(LANE_CONSTANT RidePlan* p, Ride* r, RideLook e) {
  const double rate = (ride_suspect_value(r, e) - r->here) / r->probe;
  double dt = rate != 0 ? -r->here / rate : 0;
  r->crossing_rate = rate;
  if (!(lane_abs(dt) < 0.1 * r->trial)) {
    ride_leave(r);
    return;
  }
  if (lane_abs(dt) > 1e-3 * r->whole) {
    r->trial += dt;
    r->phase = phase_again;
    if (++r->attempts > 8 || !(r->trial < r->whole)) ride_leave(r);
    return;
  }
  const double halved = 0.5 * dt / r->probe;
  for (int i = 0; i < ride_states(p); ++i) {
    const double slope = r->at_slope[i];
    const double start = r->at[i] - r->probe * slope;
    r->at[i] = start + dt * (slope + halved * (look_rate(e, i) - slope));
  }
  r->trial += dt;
  r->at_time = r->t + r->trial;
  r->phase = phase_check;
}

// The selector has found a mode; −1: none that is known.
LANE_FN void ride_take_help(Ride* r, int mode, int rough) {
  if (mode < 0) {
    ride_leave(r);
    return;
  }
  r->rough = rough;
  ride_try(r, mode);
  r->phase = phase_helped;
}

// A moment after where it is, for the rate.
LANE_FN void ride_probe(LANE_CONSTANT RidePlan* p, Ride* r, RideLook e) {
  for (int i = 0; i < ride_states(p); ++i) {
    r->at_slope[i] = look_rate(e, i);
    r->at[i] += r->probe * r->at_slope[i];
  }
  r->at_time += r->probe;
  r->phase = phase_probe;
}

// The crossing has been reached, and what follows from it.
LANE_FN void ride_arrive(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r, RideLook e) {
  LANE_CONSTANT RideMode* m = modes + r->mode;
  for (int k = 0; k < m->approaches; ++k)
    if (look_distance(e, k) < -1e-10 * p->length) {
      ride_leave(r);
      return;
    }
  if (ride_may_have_touched(m, r, r->trial, e)) {
    ride_leave(r);
    return;
  }
  for (int k = 0; k < m->guards; ++k)  // what seemed to be at once was before
    if (k != r->suspect && look_guard(e, k) < -r->small[k]) {
      r->suspect = k;
      r->here = look_guard(e, k);
      r->passes = 0;
      if (++r->attempts > 8)
        ride_leave(r);
      else
        ride_probe(p, r, e);
      return;
    }
  for (int i = 0; i < ride_states(p); ++i) {
    r->y[i] = r->at[i];
    r->slope[i] = look_rate(e, i);
  }
  ride_accept(p, m, r, r->trial, e);
  if (r->suspect >= RIDE_GUARDS) {
    ride_meet(p, r, r->suspect - RIDE_GUARDS);
    if (r->phase != phase_report) ride_propose(p, r);
    return;
  }
  const int flip = m->flip[r->suspect];
  if (flip >= 0) {  // nothing but the side of the drag changes, and it is zero here
    r->mode = flip;
    r->guard[r->suspect] = 0;
    ride_set_tolerances(modes + flip, r);
    ride_propose(p, r);
    return;
  }
  // Of several switches at once the selector tells which hold, and stops what they hold.
  for (int k = 0; k < m->guards; ++k)
    if (k != r->suspect && m->flip[k] < 0 && (r->tied >> k & 1 || look_guard(e, k) < 1e3 * r->small[k])) {
      r->phase = phase_help;
      return;
    }
  r->candidate = -1;
  ride_next_candidate(p, modes, r);
}

LANE_FN void ride_check(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r, RideLook e) {
  if (!look_fits(e)) {
    ride_leave(r);
    return;
  }
  r->here = ride_suspect_value(r, e);
  if (++r->passes >= 4 || r->here == 0 || lane_abs(r->here) < 2e-14 * lane_abs(r->crossing_rate)) {
    ride_arrive(p, modes, r, e);
    return;
  }
  ride_probe(p, r, e);
}

// Whether all guards of a mode hold; *clear: by far.
LANE_FN int ride_holds(LANE_CONSTANT RideMode* m, const Ride* r, RideLook e, int* clear) {
  *clear = 1;
  if (!look_fits(e)) return 0;
  for (int k = 0; k < m->guards; ++k) {
    const double x = look_guard(e, k);
    if (!(x >= -r->small[k])) return 0;
    *clear = *clear && x > 100 * r->small[k];
  }
  return 1;
}

// The mode at hand is taken: the run begins, or goes on in it. The evaluation is that of the state.
LANE_FN void ride_enter(LANE_CONSTANT RidePlan* p, Ride* r) {
  const double first = ride_first_step(p, r);
  if (r->mode < 0) {
    r->h = first;
  } else {
    for (int c = 0; c < p->conditions; ++c) r->past[c] = 0;
    r->h = r->rough ? first : lane_most(0.5 * r->h, lane_least(r->h, first));
  }
  const int begins = r->mode < 0;
  r->mode = r->at_mode;
  // Conditions that the motion reaches and stays at.
  const int rests = p->stop_at_rest && ride_is_slow(p, r, 1e-8);
  int still = rests;
  for (int i = 0; i < ride_coordinates(p); ++i) {
    const double size = p->angles >> i & 1 ? r->rate : r->speed;
    still = still && lane_abs(r->slope[ride_coordinates(p) + i]) <= size * 1e-7 / r->time;
  }
  if (begins) {
    if (rests)
      ride_leave(r);
    else
      ride_propose(p, r);
    return;
  }
  if (!still && p->stop_at_rest && ride_is_slow(p, r, 1e-7)) {  // it may be settling
    ride_leave(r);
    return;
  }
  const double share = still ? 1e-5 : lane_most(1e-9, 10 * p->tolerance);
  r->phase = phase_step;
  for (int c = 0; c < p->conditions; ++c) {
    const int approached = r->sign[c] != 0 && (p->direction[c] == 0 || r->sign[c] == -p->direction[c]);
    if (r->found[c] || !approached || !(lane_abs(r->value[c]) <= share * r->size[c])) continue;
    ride_meet(p, r, c);
    if (r->phase == phase_report && r->report_status != ride_goes) return;
  }
  if (still && r->phase == phase_report)
    r->report_status = ride_rest;
  else if (still)
    ride_finish(r, ride_rest);
  else if (r->phase != phase_report)
    ride_propose(p, r);
}

LANE_FN void ride_settle_in(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* m, Ride* r, RideLook e) {
  for (int k = 0; k < m->guards; ++k) r->guard[k] = look_guard(e, k);
  for (int i = 0; i < ride_states(p); ++i) r->slope[i] = look_rate(e, i);
  ride_note_approaches(m, r, e);
}

// An evaluation that was wanted has been made. Phases: all but those of steps; after phase_report whoever reads the
// results calls ride_reported.
LANE_FN void ride_look(LANE_CONSTANT RidePlan* p, LANE_CONSTANT RideMode* modes, Ride* r, RideLook e) {
  if (r->phase == phase_probe) {
    ride_correct(p, r, e);
    return;
  }
  if (r->phase == phase_check) {
    ride_check(p, modes, r, e);
    return;
  }
  LANE_CONSTANT RideMode* m = modes + r->at_mode;
  const double ahead = ride_first_step(p, r);
  int clear;
  if (r->phase == phase_try) {
    ride_set_tolerances(m, r);
    if (r->mode < 0 && r->candidate == 0) {
      r->initial_energy = r->energy = look_energy(e);
      r->energy_size = look_kinetic(e);
      ride_start_conditions(p, r, e);
      if (!(lane_abs(r->initial_energy) < 1e300 && r->moment < 1e300)) {
        ride_leave(r);
        return;
      }
    }
    const int holds = ride_holds(m, r, e, &clear);
    if (!holds) {
      ride_next_candidate(p, modes, r);
      return;
    }
    ride_settle_in(p, m, r, e);
    if (clear && r->mode < 0) {  // elsewhere what has just been held may let go at once
      ride_enter(p, r);
      return;
    }
    for (int i = 0; i < ride_states(p); ++i) r->at[i] = r->y[i] + ahead * r->slope[i];
    r->at_time = r->t + ahead;
    r->phase = phase_ahead;
    return;
  }
  if (r->phase == phase_helped) {
    ride_set_tolerances(m, r);
    ride_settle_in(p, m, r, e);
    if (look_fits(e))
      ride_enter(p, r);
    else
      ride_leave(r);
    return;
  }
  if (r->phase == phase_ahead) {
    for (int i = 0; i < ride_states(p); ++i) r->at[i] = r->y[i] + ahead * look_rate(e, i);
    r->phase = phase_farther;
    return;
  }
  // phase_farther: forces may begin at zero, so that only a moment later shows where it goes
  int holds = look_fits(e);
  for (int k = 0; k < m->guards; ++k) {
    const double x = look_guard(e, k), small = 100 * r->small[k];
    holds = holds && x > small && (r->guard[k] > small || x > r->guard[k]);
  }
  if (holds)
    ride_enter(p, r);
  else
    ride_next_candidate(p, modes, r);
}

LANE_FN void ride_reported(LANE_CONSTANT RidePlan* p, Ride* r) {
  r->status = r->report_status;
  if (r->status == ride_goes)
    ride_propose(p, r);
  else
    r->phase = phase_end;
}
