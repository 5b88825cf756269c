// Crossings inside steps, located for many runs at once, as Locator and Run::step_to do it for one.

#include <algorithm>
#include <cmath>

#include "lanes/root_search.hpp"
#include "lanes/stage_terms.hpp"
#include "lanes/team.hpp"

namespace thud::lanes {

namespace {
// See Run::step_to.
constexpr double near_end = 0.96;
constexpr double event_tolerance = event_time_tolerance;

// Of a guard or condition, in a lane.
double value_of(const Program& p, const double* rows, int lane, const Rider::Suspect& s) {
  return rows[(s.guard >= 0 ? p.guards[s.guard] : p.conditions[s.condition]) * width + lane];
}
}  // namespace

// Where a lane stands.
struct Team::Search {
  RootSearch root;
  double theta = 1;
  int first = -1;          // which of the suspects is crossed first
  bool done = false;       // with the root
  bool alone = false;      // it is not for lanes
  bool from_zero = false;  // its guard starts there
  bool fine = false;       // several cross nearly at once: their order is told more finely
  double taken = 0, here = 0;
  bool corrected = false;

  void give_up() { alone = done = true; }
};

void Team::locate_together(Shape& shape, const std::vector<Rider*>& members) {
  const int count = static_cast<int>(members.size());
  load(shape, members);
  // The slopes of the step that was tried, and its end.
  for (int l = 0; l < width; ++l) {
    const Rider& r = *members[std::min(l, count - 1)];
    const double *stages = r.trial_stages(), *end = r.trial_end();
    for (int i = 0; i < (Pair::stages + 1) * b_.total; ++i) b_.k[i * width + l] = stages[i];
    for (int i = 0; i < b_.total; ++i) b_.next[i * width + l] = end[i];
  }
  std::vector<Search> searches(count);
  find_roots(shape, members, searches);
  step_to_roots(shape, members, searches);
  correct(shape, members, searches);
  const Program& p = shape.program;
  for (int l = 0; l < count; ++l) {
    const Search& s = searches[l];
    // What was found must hold where the run arrives, as everything recorded does.
    const bool alone = s.alone || shape.rows[p.fits_row * width + l] != 1
                    || members[l]->missed_something(s.taken, shape.rows.data() + l);
    if (alone)
      members[l]->locate_alone();
    else
      members[l]->arrive(members[l]->suspects()[s.first], s.taken, b_.next.data() + l, slope_.data() + l,
                         shape.rows.data() + l);
  }
}

// The continuous extension, as Stepper::make_dense.
void Team::make_dense(Shape& shape) {
  for (int s = Pair::stages + 1; s < Pair::dense_stages; ++s)
    b_.evaluate(shape, s, Pair::c[s], Batch::Depth::lean);
  const std::size_t size = b_.y.size();
  dense_.resize(7 * size);
  double* d = dense_.data();
  const double *f0 = b_.k.data(), *f1 = b_.k.data() + Pair::stages * size;
  for (std::size_t i = 0; i < size; ++i) {
    const double delta = b_.next[i] - b_.y[i], h = b_.h[i % width];
    d[i] = delta;
    d[size + i] = h * f0[i] - delta;
    d[2 * size + i] = 2 * delta - h * (f0[i] + f1[i]);
  }
  for (int term = 0; term < 4; ++term) {
    const std::vector<Term>& terms = dense_terms(term);
    b_.kernel.combine(terms.data(), static_cast<int>(terms.size()), b_.total, b_.k.data(), b_.total, b_.h,
                      nullptr, d + (3 + term) * size);
  }
}

// The state at θ of every lane into the rows.
void Team::read_dense(Shape& shape, const double* theta) {
  const std::size_t size = b_.y.size();
  double* rows = shape.rows.data();
  for (std::size_t i = 0; i < size; ++i) {
    const double x = theta[i % width], rest = 1 - x;
    double sum = dense_[6 * size + i] * x;
    for (int k = 5; k >= 0; --k) sum = (sum + dense_[k * size + i]) * (k % 2 == 0 ? x : rest);
    rows[i] = b_.y[i] + sum;
  }
  for (int l = 0; l < width; ++l) rows[shape.program.time_row() * width + l] = b_.t[l] + theta[l] * b_.h[l];
}

// Instants that differ by less than that are one; see Locator::first_crossing.
double Team::accuracy_of(const Search& s, const Rider& rider) {
  return s.fine ? 5e-12 * rider.time_scale() : rider.root_accuracy();
}

// Values at both ends of the step; decides which searches are for lanes.
void Team::begin_search(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const Program& p = shape.program;
  const int count = static_cast<int>(members.size());
  double start[width][RootSearch::most], end[width][RootSearch::most];
  const auto note = [&](double(*values)[RootSearch::most]) {
    b_.kernel.carry_out(p.full, shape.rows.data());
    for (int l = 0; l < count; ++l)
      for (std::size_t k = 0; k < members[l]->suspects().size(); ++k)
        values[l][k] = value_of(p, shape.rows.data(), l, members[l]->suspects()[k]);
  };
  note(start);
  make_dense(shape);
  std::copy(b_.next.begin(), b_.next.end(), shape.rows.begin());
  for (int l = 0; l < width; ++l) shape.rows[p.time_row() * width + l] = b_.t[l] + b_.h[l];
  note(end);
  for (int l = 0; l < count; ++l) {
    Search& s = searches[l];
    const std::vector<Rider::Suspect>& suspects = members[l]->suspects();
    for (std::size_t k = 0; k < suspects.size(); ++k) {
      const bool guard = suspects[k].guard >= 0;
      if (guard ? !(end[l][k] < 0) : !(start[l][k] * end[l][k] < 0)) s.give_up();
      s.from_zero = s.from_zero || (guard && !(start[l][k] > members[l]->suspect_tolerance(suspects[k])));
    }
    if (s.from_zero && suspects.size() > 1) s.give_up();
    s.root.start(static_cast<int>(suspects.size()), start[l], end[l]);
  }
}

// A guard that starts at zero must first have risen, as in Locator::guard_root.
void Team::rise_from_zero(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const int count = static_cast<int>(members.size());
  struct Rise {
    double up = 0, at_up = 0, down = 1, at_down = 0;
    bool risen = false, fallen = false;
  };
  std::vector<Rise> rises(count);
  double theta[width];
  for (double x = 1e-4; x < 4; x *= 4) {
    std::fill_n(theta, width, std::min(x, 1.0));
    read_dense(shape, theta);
    b_.kernel.carry_out(shape.program.full, shape.rows.data());
    for (int l = 0; l < count; ++l) {
      Rise& r = rises[l];
      if (!searches[l].from_zero || searches[l].done || r.fallen) continue;
      const Rider::Suspect& what = members[l]->suspects()[0];
      const double value = value_of(shape.program, shape.rows.data(), l, what);
      if (value > members[l]->suspect_tolerance(what))
        r.up = theta[l], r.at_up = value, r.risen = true;
      else if (r.risen)
        r.down = theta[l], r.at_down = value, r.fallen = true;
    }
  }
  for (int l = 0; l < count; ++l) {
    if (!searches[l].from_zero || searches[l].done) continue;
    if (rises[l].fallen && rises[l].at_down < 0)
      searches[l].root.narrow(rises[l].up, rises[l].at_up, rises[l].down, rises[l].at_down);
    else
      searches[l].give_up();
  }
}

// A search after its bracket has shrunk.
void Team::look_at(Search& s, const Rider& rider, double h) {
  const bool several = s.root.crossed_count() > 1;
  if (several && !s.fine && s.root.width() * h < rider.root_accuracy()) s.fine = true;
  if (!(s.root.width() * h < accuracy_of(s, rider))) return;
  s.done = true;
  s.theta = s.root.middle();
  for (int k = 0; k < static_cast<int>(rider.suspects().size()); ++k)
    if (s.root.is_crossed(k) && (s.first < 0 || rider.rank_of(k) < rider.rank_of(s.first))) s.first = k;
}

void Team::find_roots(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const int count = static_cast<int>(members.size());
  begin_search(shape, members, searches);
  if (std::any_of(searches.begin(), searches.end(), [](const Search& s) { return s.from_zero && !s.done; }))
    rise_from_zero(shape, members, searches);
  double theta[width];
  std::fill_n(theta, width, 1.0);
  const auto is_done = [](const Search& s) { return s.done; };
  for (int round = 0; round < 60 && !std::all_of(searches.begin(), searches.end(), is_done); ++round) {
    for (int l = 0; l < count; ++l)
      if (!searches[l].done)
        theta[l] = searches[l].root.propose(accuracy_of(searches[l], *members[l]) / b_.h[l]);
    read_dense(shape, theta);
    b_.kernel.carry_out(shape.program.full, shape.rows.data());
    for (int l = 0; l < count; ++l) {
      if (searches[l].done) continue;
      double value[RootSearch::most];
      for (std::size_t k = 0; k < members[l]->suspects().size(); ++k)
        value[k] = value_of(shape.program, shape.rows.data(), l, members[l]->suspects()[k]);
      searches[l].root.take(value);
      look_at(searches[l], *members[l], b_.h[l]);
    }
  }
  for (int l = 0; l < count; ++l) {
    Search& s = searches[l];
    // What is crossed at once is left to the run itself.
    if (!s.done || s.first < 0 || !(s.theta * b_.h[l] > 1e-8 * members[l]->time_scale())) s.give_up();
    if (s.alone) s.theta = 1, s.first = -1;
  }
}

// The step again, up to the crossing; near the end of the step that was tried the continuous extension is good enough.
void Team::step_to_roots(Shape& shape, const std::vector<Rider*>& members,
                         const std::vector<Search>& searches) {
  const int count = static_cast<int>(members.size());
  double theta[width], whole[width];
  bool repeats = false;
  for (int l = 0; l < width; ++l) {
    const int m = std::min(l, count - 1);
    theta[l] = searches[m].theta;
    whole[l] = b_.h[l];
    repeats = repeats || !(theta[l] > near_end) || members[m]->tracks_distance();
  }
  read_dense(shape, theta);
  probe_.assign(shape.rows.begin(), shape.rows.begin() + static_cast<std::ptrdiff_t>(b_.y.size()));
  for (int l = 0; l < width; ++l) b_.h[l] = theta[l] * whole[l];
  if (repeats) {
    b_.run_stages(shape, false, [](int) {});
    for (int l = 0; l < width; ++l) {
      const bool from_extension = theta[l] > near_end && !members[std::min(l, count - 1)]->tracks_distance();
      for (int i = 0; i < b_.total && !from_extension; ++i) probe_[i * width + l] = shape.rows[i * width + l];
    }
  }
  b_.next = probe_;
}

// Newton's steps of second order on the state, as Run::correct.
void Team::correct(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const Program& p = shape.program;
  const int count = static_cast<int>(members.size());
  double* rows = shape.rows.data();
  const std::size_t size = b_.y.size();
  slope_.resize(size);
  double at[width];
  const auto evaluate_at = [&](const Rows& state) {
    std::copy(state.begin(), state.end(), rows);
    for (int l = 0; l < width; ++l) rows[p.time_row() * width + l] = at[l];
    b_.kernel.carry_out(p.full, rows);
  };
  for (int l = 0; l < width; ++l) at[l] = b_.t[l] + b_.h[l];
  for (int l = 0; l < count; ++l) searches[l].taken = b_.h[l];
  evaluate_at(b_.next);
  const auto keep_slope = [&] {
    for (int i = 0; i < b_.total; ++i)
      std::copy_n(rows + p.rates[i] * width, width, slope_.begin() + i * width);
  };
  keep_slope();
  bool any = false;
  for (int l = 0; l < count; ++l) {
    Search& s = searches[l];
    s.corrected = s.alone || members[l]->is_flow(members[l]->suspects()[s.first]);
    if (s.corrected) continue;
    s.here = value_of(p, rows, l, members[l]->suspects()[s.first]);
    s.corrected = s.here == 0;
    any = any || !s.corrected;
  }
  for (int pass = 0; pass < 4 && any; ++pass) {
    double probe[width];
    for (int l = 0; l < width; ++l) {
      const int m = std::min(l, count - 1);
      probe[l] = 1e-7 * std::max(searches[m].taken, 1e-3 * members[m]->time_scale());
      at[l] = b_.t[l] + searches[m].taken + probe[l];
    }
    probe_.resize(size);
    for (std::size_t i = 0; i < size; ++i) probe_[i] = b_.next[i] + probe[i % width] * slope_[i];
    evaluate_at(probe_);
    double rate[width] = {};
    any = false;
    for (int l = 0; l < count; ++l) {
      Search& s = searches[l];
      if (s.corrected) continue;
      rate[l] = (value_of(p, rows, l, members[l]->suspects()[s.first]) - s.here) / probe[l];
      const double dt = rate[l] != 0 ? -s.here / rate[l] : 0;
      if (!(std::isfinite(dt) && std::abs(dt) < 0.1 * s.taken)) {
        s.corrected = true;
        continue;
      }
      for (int i = 0; i < b_.total; ++i) {
        const double slope = slope_[i * width + l];
        b_.next[i * width + l] += dt * (slope + 0.5 * dt / probe[l] * (rows[p.rates[i] * width + l] - slope));
      }
      s.taken += dt;
    }
    for (int l = 0; l < width; ++l) at[l] = b_.t[l] + searches[std::min(l, count - 1)].taken;
    evaluate_at(b_.next);
    keep_slope();
    for (int l = 0; l < count; ++l) {
      Search& s = searches[l];
      if (s.corrected) continue;
      s.here = value_of(p, rows, l, members[l]->suspects()[s.first]);
      s.corrected = std::abs(s.here) < event_tolerance * std::abs(rate[l]) || s.here == 0;
      any = any || !s.corrected;
    }
  }
}

}  // namespace thud::lanes
