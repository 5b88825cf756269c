#include "event/locator.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

namespace thud {

namespace {

// Of crossings at the same instant a switch goes first, since it decides how the motion goes on, then a condition,
// then the side of the drag.
int rank_of(const GuardId& id) { return id.role == GuardRole::flow ? 2 : 0; }
constexpr int condition_rank = 1;

template <class F>
double lowest(F&& f, double from, double to, int bits) {
  return boost::math::tools::brent_find_minima(std::forward<F>(f), from, to, bits).first;
}

}  // namespace

// ---- looking at guards ------------------------------------------------------------------------------------------------

void Locator::begin_step() {
  has_probe_violation_ = false;
  s_.dense_ready = false;
  looked_.clear();
}

void Locator::look() {
  std::size_t index = 0;
  const bool keep = s_.stepper->is.looks > 0;
  if (keep) looked_.emplace_back();
  s_.system.guards(s_.mode, s_.work, s_.scales(), [&](double value, double tolerance, const GuardId& id) {
    if (keep) looked_.back().push_back(value);
    if (!(value >= -tolerance) && !s_.is_answered(id)) {
      if (!has_probe_violation_) probe_hit_.assign(256, 0);
      has_probe_violation_ = true;
      if (index >= probe_hit_.size()) probe_hit_.resize(index + 256, 0);
      probe_hit_[index] = 1;
    }
    ++index;
  });
}

void Locator::end_step() { has_violation_ = any_violation(); }

bool Locator::any_violation() const {
  bool violated = false;
  s_.system.guards(s_.mode, s_.work, s_.scales(), [&](double value, double tolerance, const GuardId& id) {
    violated = violated || (!(value >= -tolerance) && !s_.is_answered(id));
  });
  return violated;
}

void Locator::list_guards(std::vector<Guard>& out) const {
  out.clear();
  s_.system.guards(s_.mode, s_.work, s_.scales(), [&](double value, double tolerance, const GuardId& id) {
    out.push_back({s_.is_answered(id) ? 1.0 : value, tolerance, id});
  });
}

// Guard k of the list, whatever it is.
double Locator::guard_at(int k, double theta) {
  s_.sample(theta);
  return value_of({theta, k, -1}, 0, nullptr);
}

double Locator::value_of(const Crossing& c, double t, const double* y) const {
  if (c.condition >= 0) return conditions_.value(c.condition, t, y);
  int index = 0;
  double value = 0;
  s_.system.guards(s_.mode, s_.work, s_.scales(), [&](double v, double, const GuardId&) {
    if (index++ == c.guard) value = v;
  });
  return value;
}

double Locator::start_value_of(const Crossing& c) const {
  if (c.condition >= 0) return conditions_.start_value(c.condition);
  return c.guard < static_cast<int>(start_.size()) ? start_[c.guard].value : 0.0;
}

// A guard was violated inside the step but not at its end: an even number of crossings, or a false alarm.
bool Locator::has_hidden_crossing() const {
  if (!has_probe_violation_) return false;
  for (std::size_t k = 0; k < end_.size() && k < probe_hit_.size(); ++k)
    if (probe_hit_[k] && !end_[k].is_violated()) return true;
  return false;
}

// ---- the first crossing -----------------------------------------------------------------------------------------------

Crossing Locator::find(double h) {
  Crossing found;
  if (has_violation_ || has_probe_violation_ || conditions_.any_crosses(s_.t + h, s_.stepper->next()))
    found = locate(h);
  if (s_.stepper->is.looks > 0) found = earlier_graze(found, h);
  return earlier_touch(found, h);
}

Crossing Locator::locate(double h) {
  s_.trial = h;
  s_.taken = 0;
  note_end(s_.t + h, s_.stepper->next());
  s_.make_dense();
  double end = 1;
  if (has_hidden_crossing() || (s_.stepper->is.looks > 0 && has_probe_violation_))
    end = first_violated_sample();
  if (end > 1) return {};  // a false alarm of the inner stages
  if (!has_violation_ && end == 1) return order(end);
  return between(end);
}

// Guards and conditions of the state in `work`, as the end of the stretch that is looked at.
void Locator::note_end(double t, const double* y) {
  list_guards(end_);
  conditions_.note_end(t, y);
}

// The first crossing before `end`, where the end values were taken.
Crossing Locator::between(double end) {
  s_.evaluate_here(s_.sampled_slope.data());
  list_guards(start_);
  conditions_.note_start(s_.t, s_.y.data());
  return order(end);
}

Crossing Locator::order(double end) {
  root_accuracy_ = 1e-8 * s_.scales().time;
  Crossing first = first_crossing(end);
  if (crowded_) {  // several nearly at once: tell their order
    root_accuracy_ = 1e-13 * s_.scales().time;
    first = first_crossing(end);
  }
  return first;
}

Crossing Locator::first_crossing(double end) {
  Crossing first;
  int first_rank = 9;
  crowded_ = false;
  const double time = s_.scales().time;
  const double same = root_accuracy_ < 1e-10 * time ? 1e-11 * time : 4 * root_accuracy_;
  const auto offer = [&](Crossing c, int rank) {
    const double apart = (c.theta - first.theta) * s_.trial;
    if (first.exists() && std::abs(apart) < same) {
      crowded_ = true;
      if (rank < first_rank) first = c, first_rank = rank;
    } else if (apart < 0) {
      first = c;
      first_rank = rank;
    }
  };
  for (int k : earliest_guards(end)) offer({guard_root(k, end), k, -1}, rank_of(end_[k].id));
  for (std::size_t c = 0; c < conditions_.size(); ++c)
    if (conditions_.crosses_at_end(c))
      offer({condition_root(c, end), -1, static_cast<int>(c)}, condition_rank);
  return first;
}

// The violated guards among which the first is, in their order. Of many, the root of the one that seems to be first is
// found, and those that are still positive just after it are left out.
std::vector<int> Locator::earliest_guards(double end) {
  constexpr std::size_t few = 6;  // with fewer, finding all roots costs less than the look in between
  std::vector<int> violated;
  for (std::size_t k = 0; k < end_.size(); ++k)
    if (end_[k].is_violated()) violated.push_back(static_cast<int>(k));
  if (violated.size() < few || start_.size() != end_.size()) return violated;
  const auto guess = [&](int k) {
    const double a = start_[k].value, b = end_[k].value;
    return a <= end_[k].tolerance ? 2.0 : a / (a - b);
  };
  const int front =
      *std::min_element(violated.begin(), violated.end(), [&](int a, int b) { return guess(a) < guess(b); });
  if (guess(front) > 1) return violated;
  const double after = guard_root(front, end) + 8 * root_accuracy_ / s_.trial;
  if (!(after < end)) return violated;
  s_.sample(after);
  list_guards(probe_);
  if (probe_.size() != end_.size()) return violated;
  std::erase_if(violated, [&](int k) {
    return k != front && probe_[k].value > 0 && start_[k].value > end_[k].tolerance;
  });
  return violated;
}

// Looks for the first sample with a violated guard; 2 when there is none. Leaves the end values at that sample.
double Locator::first_violated_sample() {
  constexpr int samples = 16;
  for (int i = 1; i < samples; ++i) {
    const double theta = static_cast<double>(i) / samples;
    const double t = s_.sample(theta);
    if (!any_violation()) continue;
    note_end(t, s_.sampled.data());
    return theta;
  }
  bool any_condition = false;
  for (std::size_t c = 0; c < conditions_.size(); ++c)
    any_condition = any_condition || conditions_.crosses_at_end(c);
  return has_violation_ || any_condition ? 1.0 : 2.0;
}

// ---- roots ------------------------------------------------------------------------------------------------------------

// Where guard k, negative at `end`, goes through zero. A guard that starts at zero must first have risen.
double Locator::guard_root(int k, double end) {
  double start = 0, value_start = start_[k].value, value_end = end_[k].value;
  const GuardId id = end_[k].id;
  if (value_start <= end_[k].tolerance) {
    bool risen = false;
    for (double theta = 1e-4; theta < end; theta *= 4) {
      const double value = s_.guard_at(id, theta);
      if (value > end_[k].tolerance) {
        start = theta, value_start = value, risen = true;
      } else if (risen) {
        end = theta, value_end = value;
        break;
      }
    }
    if (!risen) return 0;
  }
  if (value_start <= 0) return start;
  if (value_end >= 0) return end;
  return root([&](double theta) { return s_.guard_at(id, theta); }, start, value_start, end, value_end);
}

double Locator::condition_root(std::size_t c, double end) {
  const bool by_forces = needs_forces(conditions_[c].what);
  const auto value = [&](double theta) {
    const double t = by_forces ? s_.sample(theta) : s_.sample_motion(theta);
    return conditions_.value(c, t, s_.sampled.data());
  };
  const double value_start = conditions_.start_value(c), value_end = conditions_.end_value(c);
  if (value_start == 0 || (value_start > 0) == (value_end > 0)) return 0;  // passed at the last event
  return root(value, 0.0, value_start, end, value_end);
}

// To the accuracy that the correction of the repeated step can make good.
template <class F>
double Locator::root(F&& f, double a, double fa, double b, double fb) const {
  std::uintmax_t iterations = 60;
  const auto close_enough = [&](double x, double z) { return std::abs(z - x) * s_.trial < root_accuracy_; };
  const auto bracket = boost::math::tools::toms748_solve(f, a, b, fa, fb, close_enough, iterations);
  return 0.5 * (bracket.first + bracket.second);
}

// ---- what comes and goes within a step --------------------------------------------------------------------------------

// Guards that go through zero and back between two looks: where a parabola through three of them comes near zero, the
// lowest point is sought.
Crossing Locator::earlier_graze(Crossing first, double h) {
  const int looks = s_.stepper->is.looks;
  if (static_cast<int>(looked_.size()) != looks - 1) return first;
  std::vector<double> end;  // the work is there only when nothing was found yet
  if (s_.f.work_is_at_end)
    s_.system.guards(s_.mode, s_.work, s_.scales(),
                     [&](double v, double, const GuardId&) { end.push_back(v); });
  looked_.insert(looked_.begin(), std::move(looked_at_end_));
  looked_.push_back(end);
  looked_at_end_ = std::move(end);
  const std::size_t count = looked_[1].size();
  for (std::size_t k = 0; k < count; ++k)
    for (int j = 1; j < looks; ++j) {
      if (looked_[j - 1].size() != count || looked_[j + 1].size() != count) continue;
      const double a = looked_[j - 1][k], b = looked_[j][k], c = looked_[j + 1][k];
      const double bend = a - 2 * b + c, tilt = 0.5 * (c - a), begin = (j - 1.0) / looks;
      if (begin > first.theta || !(a > 0 && b > 0 && c > 0) || b > a || b > c || !(bend > 0)) continue;
      if (b - 0.5 * tilt * tilt / bend > 4 * bend) continue;  // the parabola itself may be off by a few bends
      s_.look_into(h);
      const auto value = [&](double theta) { return guard_at(static_cast<int>(k), theta); };
      const double theta = lowest(value, begin, (j + 1.0) / looks, 20);
      if (!(value(theta) < 0) || !any_violation()) continue;
      note_end(s_.span(theta), s_.sampled.data());
      const Crossing found = between(theta);
      if (found.theta < first.theta) first = found;
    }
  return first;
}

void Locator::note_approaches() {
  approach_.clear();
  each_approach(s_, [&](double, double rate) { approach_.push_back(rate); });
}

// What comes near and parts again within the step, before anything else that was found in it: free flight makes steps long
// enough for a tip to dip into the sand and out, and for bodies to pass through each other's corners.
Crossing Locator::earlier_touch(Crossing first, double h) {
  if (std::none_of(approach_.begin(), approach_.end(), [](double rate) { return rate < 0; })) return first;
  for (int pass = 0; pass < 8; ++pass) {
    const Crossing found = find_touch(std::min(first.theta, 1.0), h);
    if (!(found.theta < first.theta)) break;
    first = found;
  }
  return first;
}

Crossing Locator::find_touch(double end, double h) {
  if (end < 1 || !s_.f.work_is_at_end) s_.sample_motion(end);
  Crossing first;
  bool inside = false;
  std::vector<int> turning;
  int index = 0;
  each_approach(s_, [&](double distance, double rate) {
    inside = inside || (end < 1 && distance < -1e-10 * s_.scales().length);
    if (index < static_cast<int>(approach_.size()) && approach_[index] < 0 && rate > 0)
      turning.push_back(index);
    ++index;
  });
  const auto look_from = [&](double theta) {
    note_end(s_.sample(theta), s_.sampled.data());
    const Crossing found = between(theta);
    if (found.theta < first.theta) first = found;
  };
  if (inside) look_from(end);
  if (turning.empty()) return first;
  s_.look_into(h);
  for (int wanted : turning) {
    const auto distance = [&](double theta) {
      s_.sample_motion(theta);
      int at = 0;
      double value = 0;
      each_approach(s_, [&](double d, double) {
        if (at++ == wanted) value = d;
      });
      return value;
    };
    const double theta = lowest(distance, 0.0, end, 26);
    if (distance(theta) < -s_.scales().small_gap()) look_from(theta);
  }
  return first;
}

}  // namespace thud
