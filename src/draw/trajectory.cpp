#include "thud/draw/trajectory.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

constexpr double finest_rate = 1e6;      // automatic sampling begins with 1 µs
constexpr std::size_t most_rows = 5000;  // and thins out to a tenth of this when it has so many
constexpr std::size_t most_jumps = 2000;

bool same_mode(const Mode& a, const Mode& b) { return a.elements == b.elements; }

// The mode just before an impact: nothing touches yet.
Mode untouched(Mode mode) {
  for (ContactMode& c : mode.of<ContactForce>()) c = {};
  std::erase_if(mode.stuck, [](const SwitchRef& s) { return s.type == type_of<ContactForce>; });
  return mode;
}

}  // namespace

TrajectoryRecorder::TrajectoryRecorder(const System& system, Sampling sampling, std::size_t max_bytes)
    : system_(system),
      sampling_(sampling),
      width_(static_cast<std::size_t>(system.state_size())) {
  limit_ = std::max<std::size_t>(100, max_bytes / (sizeof(Row) + width_ * sizeof(double)));
  if (sampling_.kind == Sampling::Kind::automatic) {
    limit_ = std::min(limit_, most_rows);
    per_second_ = finest_rate;
  } else if (sampling_.kind == Sampling::Kind::uniform) {
    const double rate = std::round(1 / sampling_.interval);
    if (rate >= 1 && rate < 1e15 && 1 / rate == sampling_.interval) per_second_ = rate;
  }
  for (const Contact& c : system.contacts()) watches_jumps_ = watches_jumps_ || !c.law.compliant;
  if (sampling_.kind == Sampling::Kind::uniform) watches_jumps_ = false;
}

void TrajectoryRecorder::begin_at(const std::vector<double>& q, const std::vector<double>& v) {
  if (!watches_jumps_) return;
  last_.assign(width_, 0.0);
  std::copy(q.begin(), q.end(), last_.begin());
  std::copy(v.begin(), v.end(), last_.begin() + static_cast<std::ptrdiff_t>(q.size()));
}

// Divided by a whole number, so that the third sample of 0.1 s lies at 0.3 and not at 0.30000000000000004.
double TrajectoryRecorder::sample_time(long k) const {
  const auto n = static_cast<double>(k);
  return start_ + (per_second_ > 0 ? n / per_second_ : n * sampling_.interval);
}

const std::shared_ptr<const Mode>& TrajectoryRecorder::current_mode(const Mode& mode) {
  if (!mode_ || !same_mode(*mode_, mode)) mode_ = std::make_shared<const Mode>(mode);
  return mode_;
}

void TrajectoryRecorder::record(StepView& step, double t) {
  if (rows_.size() >= limit_) {
    truncated_ = true;
    return;
  }
  rows_.push_back({t, current_mode(step.mode())});
  states_.resize(rows_.size() * width_);
  step.state(t, states_.data() + (rows_.size() - 1) * width_);
}

void TrajectoryRecorder::on_step(StepView& step) {
  if (truncated_) return;
  if (!started_) {
    started_ = true;
    start_ = step.begin();
  }
  if (watches_jumps_) note_jump(step);
  if (sampling_.kind == Sampling::Kind::steps)
    record_step(step);
  else
    record_samples(step);
}

// Closed contacts are kept closed with small corrections, which are no impacts: hence the millionth.
bool TrajectoryRecorder::differ(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<std::size_t>(system_.dof_count());
  double change = 0;
  for (std::size_t i = n; i < 2 * n; ++i) {
    fastest_ = std::max({fastest_, std::abs(a[i]), std::abs(b[i])});
    change = std::max(change, std::abs(a[i] - b[i]));
  }
  return change > 1e-6 * fastest_;
}

// Velocities that are not those at the end of the last step: there was an impact.
void TrajectoryRecorder::note_jump(StepView& step) {
  now_.resize(width_);
  step.state(step.begin(), now_.data());
  if (!last_.empty() && differ(last_, now_)) {
    if (sampling_.kind == Sampling::Kind::steps) {
      if (rows_.empty()) {  // at the start
        rows_.push_back({step.begin(), std::make_shared<const Mode>(untouched(step.mode()))});
        states_.insert(states_.end(), last_.begin(), last_.end());
      }
      record(step, step.begin());
    } else if (jumps_.size() < most_jumps) {
      const Row before{step.begin(),
                       last_mode_ ? last_mode_ : std::make_shared<const Mode>(untouched(step.mode()))};
      jumps_.push_back(before);
      jumps_.push_back({step.begin(), current_mode(step.mode())});
      jump_states_.insert(jump_states_.end(), last_.begin(), last_.end());
      jump_states_.insert(jump_states_.end(), now_.begin(), now_.end());
    }
  }
  last_.resize(width_);
  step.state(step.end(), last_.data());
  last_mode_ = current_mode(step.mode());
}

void TrajectoryRecorder::record_step(StepView& step) {
  if (rows_.empty() || !same_mode(*rows_.back().mode, step.mode())) record(step, step.begin());
  if (!truncated_) record(step, step.end());
}

void TrajectoryRecorder::record_samples(StepView& step) {
  for (double t = sample_time(next_); t <= step.end() && !truncated_; t = sample_time(next_)) {
    if (rows_.size() >= limit_ && sampling_.kind == Sampling::Kind::automatic) {
      thin_out();
      continue;
    }
    record(step, t);
    ++next_;
  }
}

// Keeps every tenth row.
void TrajectoryRecorder::thin_out() {
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); r += 10, ++kept) {
    rows_[kept] = rows_[r];
    std::copy_n(states_.begin() + static_cast<std::ptrdiff_t>(r * width_), width_,
                states_.begin() + static_cast<std::ptrdiff_t>(kept * width_));
  }
  rows_.resize(kept);
  states_.resize(kept * width_);
  next_ = static_cast<long>(kept);
  per_second_ /= 10;
  if (per_second_ < 1) {
    sampling_.interval = 1 / per_second_;
    per_second_ = 0;
  }
}

void TrajectoryRecorder::finish(const Outcome& outcome) {
  if (truncated_ || outcome.state.empty()) return;
  ended_ = true;
  const bool jumped = watches_jumps_ && !last_.empty() && differ(last_, outcome.state);
  const bool both_sides = sampling_.kind == Sampling::Kind::steps && !rows_.empty()
                       && (jumped || !same_mode(*rows_.back().mode, outcome.mode));
  if (jumped && sampling_.kind != Sampling::Kind::steps) {
    jumps_.push_back(
        {outcome.time, last_mode_ ? last_mode_ : std::make_shared<const Mode>(untouched(outcome.mode))});
    jump_states_.insert(jump_states_.end(), last_.begin(), last_.end());
  }
  if (!rows_.empty() && rows_.back().time >= outcome.time && !both_sides) {
    rows_.pop_back();
    states_.resize(rows_.size() * width_);
  }
  rows_.push_back({outcome.time, current_mode(outcome.mode)});
  states_.insert(states_.end(), outcome.state.begin(), outcome.state.end());
}

std::size_t TrajectoryRecorder::stride() const {
  if (sampling_.kind != Sampling::Kind::automatic) return 1;
  return rows_.size() <= limit_ / 5 ? 1 : rows_.size() <= limit_ / 2 ? 2 : 5;
}

std::size_t TrajectoryRecorder::row_count() const {
  std::size_t n = 0;
  for_each(stride(), [&](const Row&, const double*) { ++n; });
  return n;
}

// The rows of a stride and always the end, and the jumps between them.
template <class F>
void TrajectoryRecorder::for_each(std::size_t stride, F&& f) const {
  const std::size_t regular = rows_.size() - (ended_ ? 1 : 0);
  const std::size_t count = regular > 0 ? (regular - 1) / stride + 1 : 0;
  std::size_t j = 0;
  const auto jumps_before = [&](double time) {
    for (; j < jumps_.size() && jumps_[j].time < time; ++j) f(jumps_[j], jump_states_.data() + j * width_);
  };
  const auto row = [&](std::size_t r) {
    const bool is_last = r + 1 == rows_.size();
    jumps_before(is_last ? std::nextafter(rows_[r].time, HUGE_VAL) : rows_[r].time);
    // A sample at the instant of an impact is one of its sides.
    if (j < jumps_.size() && jumps_[j].time == rows_[r].time) return;
    f(rows_[r], states_.data() + r * width_);
  };
  for (std::size_t k = 0; k < count; ++k) row(k * stride);
  if (ended_) row(rows_.size() - 1);
}

void TrajectoryRecorder::go_to(const Row& row, const double* state, Work<double>& work,
                               std::vector<double>& slope) const {
  system_.evaluate(row.time, state, *row.mode, work, slope.data());
}

void TrajectoryRecorder::read(const std::vector<NamedObservable>& columns,
                              const std::function<void(double, const std::vector<double>&)>& sink) const {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> slope(width_), values(columns.size());
  for_each(stride(), [&](const Row& row, const double* state) {
    go_to(row, state, work, slope);
    for (std::size_t c = 0; c < columns.size(); ++c)
      values[c] = observe(system_, columns[c].observable, row.time, state, work);
    sink(row.time, values);
  });
}

Trajectory TrajectoryRecorder::table(const std::vector<NamedObservable>& columns) const {
  Trajectory out;
  out.columns = columns;
  read(columns, [&](double t, const std::vector<double>& values) {
    out.time.push_back(t);
    out.values.insert(out.values.end(), values.begin(), values.end());
  });
  return out;
}

void TrajectoryRecorder::read_states(const std::function<void(double, const double*)>& sink) const {
  for_each(stride(), [&](const Row& row, const double* state) { sink(row.time, state); });
}

void TrajectoryRecorder::read_work(const std::vector<std::size_t>& rows,
                                   const std::function<void(double, const Work<double>&)>& sink) const {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> slope(width_);
  std::size_t row_number = 0, next = 0;
  for_each(stride(), [&](const Row& row, const double* state) {
    if (next < rows.size() && rows[next] == row_number++) {
      go_to(row, state, work, slope);
      sink(row.time, work);
      ++next;
    }
  });
}

std::vector<Peak> TrajectoryRecorder::peaks(const std::vector<Observable>& what) const {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> slope(width_);
  std::vector<Peak> best(what.size(), {0, -HUGE_VAL});
  for_each(1, [&](const Row& row, const double* state) {
    go_to(row, state, work, slope);
    for (std::size_t k = 0; k < what.size(); ++k) {
      const double x = observe(system_, what[k], row.time, state, work);
      if (x > best[k].value) best[k] = {row.time, x};
    }
  });
  return best;
}

}  // namespace thud
