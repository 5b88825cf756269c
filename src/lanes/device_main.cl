// A device's part of many runs at once: every work item makes one run after the other, an evaluation of its mode at a time, so
// that neighbours go along with each other whatever they are about. Follows generated text: sizes, lane_math.h, Look and its
// readers, ride.h, start_of, evaluate, and the stages of a step.

static double step_error(__global const RidePlan* p, const Ride* r, const double* k) {
  const int n = RIDE_MOVING / 2;
  double sum5 = 0, sum3 = 0;
  for (int i = 0; i < 2 * n; ++i) {
    const int turns = p->angles >> (i < n ? i : i - n) & 1;
    const double scale = i < n ? p->error_size / p->pose_size[i] : turns ? r->rate_scale : r->speed_scale;
    const double a = error_5(k, i) * scale, b = error_3(k, i) * scale;
    sum5 += a * a;
    sum3 += b * b;
  }
  const double denominator = (sum5 + 0.01 * sum3) * (2 * n);
  if (!(denominator < lane_infinity())) return lane_infinity();
  return denominator == 0 ? 0.0 : r->trial * sum5 / sqrt(denominator);
}

__kernel void make_runs(__global const RidePlan* plan, __global const RideMode* modes, __global const double* follows,
                        __global const double* knobs, __global double* results,
                        __global int* states, __global int* next, int count) {
  Ride r;
  Look e;
  double k[13 * RIDE_STATES], early[RIDE_GUARDS + RIDE_CONDITIONS], late[RIDE_GUARDS + RIDE_CONDITIONS];
  double constants[RIDE_CONSTANTS], numbers[RIDE_NUMBERS], reports[RIDE_REPORTS], at[RIDE_STATES];
  int run = -1, stage = 1, constants_of = -1;
  r.phase = phase_end;
  for (;;) {
    if (r.phase == phase_end || r.phase == phase_help) {
      if (run >= 0) {
        __global double* out = results + (size_t)run * RIDE_RESULTS;
        __global int* state = states + (size_t)run * 4;
        const int status = r.phase == phase_help ? ride_left : r.status;
        int found = 0;
        for (int c = 0; c < plan->conditions; ++c) {
          found |= r.found[c] << c;
          out[2 + c] = r.hit_time[c];
        }
        for (int i = 0; i < RIDE_REPORT_COUNT; ++i) out[2 + plan->conditions + i] = reports[i];
        out[0] = r.t;
        out[1] = status == ride_left ? 0.0 : ride_residual(plan, &r, r.energy);
        state[0] = status;
        state[1] = r.stopped_by;
        state[2] = found;
        state[3] = r.steps;
      }
      run = atomic_inc(next);
      if (run >= count) return;
      double start[RIDE_START];
      const int fits = start_of(knobs + (size_t)run * RIDE_KNOBS, start);
      const int n2 = RIDE_MOVING;
      for (int i = 0; i < n2; ++i) r.y[i] = start[i];
      for (int i = 0; i < RIDE_NUMBER_COUNT; ++i) numbers[i] = start[n2 + 2 + i];
      for (int i = 0; i < RIDE_REPORT_COUNT; ++i) reports[i] = 0;
      ride_begin(plan, &r, start[n2], start[n2 + 1]);
      if (!fits) ride_leave(&r);
      stage = 1;
      constants_of = -1;
      continue;
    }
    const int steps = r.phase == phase_step || r.phase == phase_again;
    const int mode = steps ? r.mode : r.at_mode;
    if (!is_on_device(mode)) {
      ride_leave(&r);
      continue;
    }
    if (mode != constants_of) {
      for (int c = 0; c < RIDE_CONSTANT_COUNT; ++c) {
        __global const double* f = follows + 3 * ((size_t)mode * RIDE_CONSTANT_COUNT + c);
        const int number = (int)f[0];
        constants[c] = number < 0 ? f[1] : f[1] == 0 && f[2] == 1 ? numbers[number] : f[1] + f[2] * numbers[number];
      }
      constants_of = mode;
    }
    double t;
    if (steps) {
      if (stage == 1)
        for (int i = 0; i < RIDE_STATES; ++i) k[i] = r.slope[i];
      stage_state(stage, r.trial, r.y, k, at);
      t = r.t + (stage == 7 ? 4.0 / 13 : stage == 9 ? 0.6 : 1.0) * r.trial;
    } else {
      for (int i = 0; i < RIDE_STATES; ++i) at[i] = r.at[i];
      t = r.at_time;
    }
    if (!steps || stage == 1) e.fits = 1;
    evaluate(mode, at, t, constants, r.phase == phase_report, &e, reports, r.report, r.report_status);
    if (!steps) {
      if (r.phase != phase_report)
        ride_look(plan, modes, &r, &e);
      else if (e.fits)
        ride_reported(plan, &r);
      else
        ride_leave(&r);
      continue;
    }
    for (int i = 0; i < RIDE_STATES; ++i) k[stage * RIDE_STATES + i] = e.rate[i];
    if (stage == 7 || stage == 9) {
      const int guards = modes[mode].guards;
      double* to = stage == 7 ? early : late;
      for (int g = 0; g < guards; ++g) to[g] = e.guard[g];
      for (int c = 0; c < plan->conditions; ++c) to[guards + c] = e.condition[c];
    }
    if (++stage <= 12) continue;
    stage = 1;
    double error = step_error(plan, &r, k), log_error;
    for (int i = 0; i < r.strictness; ++i) error *= 10;
    const double growth = lane_growth(error, r.last_log_error, &log_error);
    const Step s = {at, e.rate, early, late};
    ride_judge(plan, modes, &r, error, log_error, growth, 0, &s, &e);
  }
}
