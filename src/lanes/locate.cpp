// Crossings inside steps, located for many runs at once, as Locator and Run::step_to do it for one.

#include <algorithm>
#include <cmath>

#include "lanes/stage_terms.hpp"
#include "lanes/team.hpp"

namespace thud::lanes {

namespace {
// See Run::step_to.
constexpr double near_end = 0.96;
constexpr double event_tolerance = event_time_tolerance;
constexpr int most_suspects = Rider::most_suspects;
}  // namespace

// Where a lane stands: the crossing lies between a and b.
struct Team::Search {
  double a = 0, b = 1, theta = 1;
  double at_a[most_suspects], at_b[most_suspects];
  bool live[most_suspects];  // crossed at b
  int kept = 0;              // times that the same end stayed: Anderson and Bjorck
  int first = -1;            // which suspect it is
  bool done = false, alone = false, from_zero = false, fine = false;
  double taken = 0, here = 0;
  bool corrected = false;
};

void Team::locate_together(Shape& shape, const std::vector<Rider*>& members) {
  const int count = static_cast<int>(members.size());
  load(shape, members);
  // The slopes of the step that was tried, and its end.
  for (int l = 0; l < width; ++l) {
    const Rider& r = *members[std::min(l, count - 1)];
    const double *stages = r.trial_stages(), *end = r.trial_end();
    for (int i = 0; i < (Pair::stages + 1) * total_; ++i) k_[i * width + l] = stages[i];
    for (int i = 0; i < total_; ++i) next_[i * width + l] = end[i];
  }
  std::vector<Search> searches(count);
  find_roots(shape, members, searches);
  step_to_roots(shape, members, searches);
  correct(shape, members, searches);
  ++counts_.batches;
  const Program& p = shape.program;
  for (int l = 0; l < count; ++l) {
    const Search& s = searches[l];
    // What was found must hold where the run arrives, as everything recorded does.
    const bool alone = s.alone || shape.rows[p.fits_row * width + l] != 1
                    || members[l]->missed_something(s.taken, shape.rows.data() + l);
    ++(alone ? counts_.located_alone : counts_.located);
    if (alone)
      members[l]->locate_alone();
    else
      members[l]->arrive(members[l]->suspects()[s.first], s.taken, next_.data() + l, slope_.data() + l,
                         shape.rows.data() + l);
  }
}

// The continuous extension, as Stepper::make_dense.
void Team::make_dense(Shape& shape) {
  for (int s = Pair::stages + 1; s < Pair::dense_stages; ++s) evaluate(shape, s, Pair::c[s], false);
  const std::size_t size = y_.size();
  dense_.resize(7 * size);
  double* d = dense_.data();
  const double *f0 = k_.data(), *f1 = k_.data() + Pair::stages * size;
  for (std::size_t i = 0; i < size; ++i) {
    const double delta = next_[i] - y_[i], h = h_[i % width];
    d[i] = delta;
    d[size + i] = h * f0[i] - delta;
    d[2 * size + i] = 2 * delta - h * (f0[i] + f1[i]);
  }
  for (int term = 0; term < 4; ++term) {
    const std::vector<Term>& terms = dense_terms(term);
    kernel_.combine(terms.data(), static_cast<int>(terms.size()), total_, k_.data(), total_, h_, nullptr,
                    d + (3 + term) * size);
  }
}

// The state at θ of every lane into the rows.
void Team::read_dense(Shape& shape, const double* theta) {
  const std::size_t size = y_.size();
  double* rows = shape.rows.data();
  for (std::size_t i = 0; i < size; ++i) {
    const double x = theta[i % width], rest = 1 - x;
    double sum = dense_[6 * size + i] * x;
    for (int k = 5; k >= 0; --k) sum = (sum + dense_[k * size + i]) * (k % 2 == 0 ? x : rest);
    rows[i] = y_[i] + sum;
  }
  for (int l = 0; l < width; ++l) rows[shape.program.time_row() * width + l] = t_[l] + theta[l] * h_[l];
}

namespace {

double value_of(const Program& p, const double* rows, int lane, const Rider::Suspect& s) {
  return rows[(s.guard >= 0 ? p.guards[s.guard] : p.conditions[s.condition]) * width + lane];
}

}  // namespace

// Instants that differ by less than that are one; see Locator::first_crossing.
double Team::accuracy_of(const Search& s, const Rider& rider) {
  return s.fine ? 5e-12 * rider.time_scale() : rider.root_accuracy();
}

// A guard that starts at zero must first have risen, as in Locator::guard_root.
void Team::rise_from_zero(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const int count = static_cast<int>(members.size());
  std::vector<char> risen(count, 0), fallen(count, 0);
  double theta[width];
  for (double x = 1e-4; x < 1; x *= 4) {
    std::fill_n(theta, width, x);
    read_dense(shape, theta);
    kernel_.carry_out(shape.program.full, shape.rows.data());
    for (int l = 0; l < count; ++l) {
      Search& s = searches[l];
      if (!s.from_zero || s.done || fallen[l]) continue;
      const Rider::Suspect& what = members[l]->suspects()[0];
      const double value = value_of(shape.program, shape.rows.data(), l, what);
      if (value > members[l]->suspect_tolerance(what)) {
        s.a = x, s.at_a[0] = value, risen[l] = 1;
      } else if (risen[l]) {
        s.b = x, s.at_b[0] = value, fallen[l] = 1;
      }
    }
  }
  for (int l = 0; l < count; ++l)
    if (searches[l].from_zero && !(risen[l] && searches[l].at_b[0] < 0))
      searches[l].alone = searches[l].done = true;
}

void Team::find_roots(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const Program& p = shape.program;
  const double* rows = shape.rows.data();
  const int count = static_cast<int>(members.size());
  // Values at both ends.
  double theta[width];
  std::fill_n(theta, width, 1.0);
  kernel_.carry_out(p.full, shape.rows.data());
  const auto note = [&](double Search::*, double(Search::*values)[most_suspects]) {
    for (int l = 0; l < count; ++l)
      for (std::size_t k = 0; k < members[l]->suspects().size(); ++k)
        (searches[l].*values)[k] = value_of(p, rows, l, members[l]->suspects()[k]);
  };
  note(&Search::a, &Search::at_a);
  make_dense(shape);
  std::copy(next_.begin(), next_.end(), shape.rows.begin());
  for (int l = 0; l < width; ++l) shape.rows[p.time_row() * width + l] = t_[l] + h_[l];
  kernel_.carry_out(p.full, shape.rows.data());
  note(&Search::b, &Search::at_b);
  bool any_from_zero = false;
  for (int l = 0; l < count; ++l) {
    Search& s = searches[l];
    for (std::size_t k = 0; k < members[l]->suspects().size(); ++k) {
      const Rider::Suspect& what = members[l]->suspects()[k];
      s.live[k] = true;
      if (what.guard >= 0 ? !(s.at_b[k] < 0) : !(s.at_a[k] * s.at_b[k] < 0)) s.alone = s.done = true;
      if (what.guard >= 0 && !(s.at_a[k] > members[l]->suspect_tolerance(what))) s.from_zero = true;
    }
    s.alone = s.done = s.alone || (s.from_zero && members[l]->suspects().size() > 1);
    any_from_zero = any_from_zero || (s.from_zero && !s.done);
  }
  if (any_from_zero) rise_from_zero(shape, members, searches);
  for (int round = 0; round < 60; ++round) {
    bool any = false;
    for (int l = 0; l < count; ++l) {
      Search& s = searches[l];
      if (s.done) continue;
      double next = s.b;
      for (std::size_t k = 0; k < members[l]->suspects().size(); ++k)
        if (s.live[k]) {
          const double x = s.a + (s.b - s.a) * s.at_a[k] / (s.at_a[k] - s.at_b[k]);
          if (s.first < 0 || x < next) next = x, s.first = static_cast<int>(k);
        }
      next = std::clamp(next, s.a, s.b);
      const double accuracy = accuracy_of(s, *members[l]) / h_[l];
      // Close to an end: a little beyond it, so that the bracket closes.
      if (next - s.a < 0.25 * accuracy) next = std::min(s.a + 0.25 * accuracy, s.b);
      if (s.b - next < 0.25 * accuracy) next = std::max(s.b - 0.25 * accuracy, s.a);
      if (round > 30) next = 0.5 * (s.a + s.b);
      theta[l] = s.theta = next;
      any = true;
    }
    if (!any) break;
    for (int l = count; l < width; ++l) theta[l] = theta[count - 1];
    read_dense(shape, theta);
    kernel_.carry_out(p.full, shape.rows.data());
    for (int l = 0; l < count; ++l) {
      Search& s = searches[l];
      if (s.done) continue;
      const std::size_t suspects = members[l]->suspects().size();
      double value[most_suspects];
      bool crossed = false;
      for (std::size_t k = 0; k < suspects; ++k) {
        value[k] = value_of(p, rows, l, members[l]->suspects()[k]);
        crossed = crossed || (s.live[k] && (value[k] > 0) != (s.at_a[k] > 0));
      }
      // Anderson and Bjorck: where one end stays, its value is taken smaller.
      for (std::size_t k = 0; k < suspects; ++k) {
        if (!s.live[k]) continue;
        if (crossed && s.kept < 0) {
          const double m = 1 - value[k] / s.at_b[k];
          s.at_a[k] *= m > 0 ? m : 0.5;
        }
        if (!crossed && s.kept > 0) {
          const double m = 1 - value[k] / s.at_a[k];
          s.at_b[k] *= m > 0 ? m : 0.5;
        }
      }
      s.kept = crossed ? -1 : 1;
      s.first = -1;
      if (crossed) {
        s.b = s.theta;
        for (std::size_t k = 0; k < suspects; ++k) {
          if (!s.live[k]) continue;
          s.live[k] = (value[k] > 0) != (s.at_a[k] > 0);
          s.at_b[k] = value[k];
        }
      } else {
        s.a = s.theta;
        for (std::size_t k = 0; k < suspects; ++k) s.at_a[k] = value[k];
      }
      const auto live = std::count(s.live, s.live + suspects, true);
      if (!s.fine && live > 1 && (s.b - s.a) * h_[l] < members[l]->root_accuracy()) {
        s.fine = true;  // several nearly at once: their order is told more finely
      } else if ((s.b - s.a) * h_[l] < accuracy_of(s, *members[l])) {
        s.done = true;
        s.theta = 0.5 * (s.a + s.b);
        for (std::size_t k = 0; k < suspects; ++k)
          if (s.live[k]
              && (s.first < 0 || members[l]->rank_of(static_cast<int>(k)) < members[l]->rank_of(s.first)))
            s.first = static_cast<int>(k);
      }
    }
  }
  for (int l = 0; l < count; ++l) {
    Search& s = searches[l];
    s.alone = s.alone || !s.done || s.first < 0 || !(s.theta * h_[l] > 1e-8 * members[l]->time_scale());
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
    whole[l] = h_[l];
    repeats = repeats || !(theta[l] > near_end) || members[m]->tracks_distance();
  }
  read_dense(shape, theta);
  probe_.assign(shape.rows.begin(), shape.rows.begin() + static_cast<std::ptrdiff_t>(y_.size()));
  for (int l = 0; l < width; ++l) h_[l] = theta[l] * whole[l];
  if (repeats) {
    run_stages(shape, nullptr);
    for (int l = 0; l < width; ++l) {
      const bool from_extension = theta[l] > near_end && !members[std::min(l, count - 1)]->tracks_distance();
      for (int i = 0; i < total_ && !from_extension; ++i) probe_[i * width + l] = shape.rows[i * width + l];
    }
  }
  next_ = probe_;
}

// Newton's steps of second order on the state, as Run::correct.
void Team::correct(Shape& shape, const std::vector<Rider*>& members, std::vector<Search>& searches) {
  const Program& p = shape.program;
  const int count = static_cast<int>(members.size());
  double* rows = shape.rows.data();
  const std::size_t size = y_.size();
  slope_.resize(size);
  double at[width];
  const auto evaluate_at = [&](const std::vector<double>& state) {
    std::copy(state.begin(), state.end(), rows);
    for (int l = 0; l < width; ++l) rows[p.time_row() * width + l] = at[l];
    kernel_.carry_out(p.full, rows);
  };
  for (int l = 0; l < width; ++l) at[l] = t_[l] + h_[l];
  for (int l = 0; l < count; ++l) searches[l].taken = h_[l];
  evaluate_at(next_);
  const auto keep_slope = [&] {
    for (int i = 0; i < total_; ++i)
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
      at[l] = t_[l] + searches[m].taken + probe[l];
    }
    probe_.resize(size);
    for (std::size_t i = 0; i < size; ++i) probe_[i] = next_[i] + probe[i % width] * slope_[i];
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
      for (int i = 0; i < total_; ++i) {
        const double slope = slope_[i * width + l];
        next_[i * width + l] += dt * (slope + 0.5 * dt / probe[l] * (rows[p.rates[i] * width + l] - slope));
      }
      s.taken += dt;
    }
    for (int l = 0; l < width; ++l) at[l] = t_[l] + searches[std::min(l, count - 1)].taken;
    evaluate_at(next_);
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
