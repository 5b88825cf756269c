#include "thud/report/trajectory.hpp"

#include <algorithm>
#include <cmath>

namespace thud {

namespace {

constexpr double finest_rate = 1e6;      // automatic sampling begins with 1 µs
constexpr std::size_t most_rows = 5000;  // and thins out to a tenth of this when it has so many

bool same_mode(const Mode& a, const Mode& b) { return a.piece == b.piece && a.joint == b.joint; }

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
  if (sampling_.kind == Sampling::Kind::steps)
    record_step(step);
  else
    record_samples(step);
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
  const bool both_sides = sampling_.kind == Sampling::Kind::steps && !rows_.empty()
                       && !same_mode(*rows_.back().mode, outcome.mode);
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
  for_each(stride(), [&](std::size_t) { ++n; });
  return n;
}

// The rows of a stride, and always the end.
template <class F>
void TrajectoryRecorder::for_each(std::size_t stride, F&& f) const {
  const std::size_t regular = rows_.size() - (ended_ ? 1 : 0);
  for (std::size_t r = 0; r < regular; r += stride) f(r);
  if (ended_) f(rows_.size() - 1);
}

void TrajectoryRecorder::go_to(std::size_t row, Work<double>& work, std::vector<double>& slope) const {
  system_.evaluate(rows_[row].time, states_.data() + row * width_, *rows_[row].mode, work, slope.data());
}

void TrajectoryRecorder::read(const std::vector<NamedObservable>& columns,
                              const std::function<void(double, const std::vector<double>&)>& sink) const {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> slope(width_), values(columns.size());
  for_each(stride(), [&](std::size_t r) {
    go_to(r, work, slope);
    for (std::size_t c = 0; c < columns.size(); ++c)
      values[c] = observe(system_, columns[c].observable, rows_[r].time, states_.data() + r * width_, work);
    sink(rows_[r].time, values);
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
  for_each(stride(), [&](std::size_t r) { sink(rows_[r].time, states_.data() + r * width_); });
}

std::vector<Peak> TrajectoryRecorder::peaks(const std::vector<Observable>& what) const {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> slope(width_);
  std::vector<Peak> best(what.size(), {0, -HUGE_VAL});
  for_each(1, [&](std::size_t r) {
    go_to(r, work, slope);
    for (std::size_t k = 0; k < what.size(); ++k) {
      const double x = observe(system_, what[k], rows_[r].time, states_.data() + r * width_, work);
      if (x > best[k].value) best[k] = {rows_[r].time, x};
    }
  });
  return best;
}

}  // namespace thud
