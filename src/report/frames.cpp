#include "thud/report/frames.hpp"

#include <algorithm>
#include <cstring>

namespace thud {

namespace {

constexpr std::size_t most_rows = 16384;
constexpr std::size_t most_corners = 4096;

}  // namespace

FrameRecorder::FrameRecorder(const System& system, std::size_t frames)
    : system_(system),
      wanted_(std::max<std::size_t>(frames, 2)),
      width_(static_cast<std::size_t>(system.state_size())),
      here_(width_) {}

void FrameRecorder::add(double time, double place, bool corner, const double* state) {
  rows_.push_back({time, place, corner, mode_});
  states_.insert(states_.end(), state, state + width_);
  corners_ += corner ? 1 : 0;
}

// At the beginning of a step, with the state there in `here_`.
bool FrameRecorder::is_corner(const Mode& mode) const {
  if (rows_.empty() || corners_ >= most_corners) return false;
  const double* last = states_.data() + states_.size() - width_;
  const bool jumps = stride_ == 1 && std::memcmp(last, here_.data(), width_ * sizeof(double)) != 0;
  return jumps || mode_->elements != mode.elements;
}

void FrameRecorder::on_step(StepView& step) {
  const bool skipped = steps_ % stride_ != 0;
  step.state(step.begin(), here_.data());
  const bool corner = is_corner(step.mode());
  if (corner) rows_.back().corner = true;
  mode_ = std::make_shared<const Mode>(step.mode());
  if (corner || rows_.empty()) add(step.begin(), static_cast<double>(steps_), corner, here_.data());
  const int count = skipped ? (corner ? 1 : 0) : per_step_;
  const double length = step.end() - step.begin();
  for (int k = 1; k <= count; ++k) {
    const double share = static_cast<double>(k) / count;
    const double t = k == count ? step.end() : step.begin() + share * length;
    step.state(t, here_.data());
    add(t, static_cast<double>(steps_) + share, false, here_.data());
  }
  ++steps_;
  if (rows_.size() >= most_rows) thin_out();
}

// Keeps corners and every other row between them.
void FrameRecorder::thin_out() {
  if (corners_ >= most_corners)
    for (Row& r : rows_) r.corner = false;
  std::size_t kept = 0;
  bool keep = true;
  for (std::size_t r = 0; r < rows_.size(); ++r, keep = !keep) {
    if (!keep && !rows_[r].corner && r + 1 < rows_.size()) continue;
    if (kept != r) {
      rows_[kept] = std::move(rows_[r]);
      std::copy_n(states_.begin() + static_cast<std::ptrdiff_t>(r * width_), width_,
                  states_.begin() + static_cast<std::ptrdiff_t>(kept * width_));
    }
    ++kept;
  }
  rows_.resize(kept);
  states_.resize(kept * width_);
  if (per_step_ > 1)
    per_step_ /= 2;
  else
    stride_ *= 2;
}

void FrameRecorder::finish(const Outcome& outcome) {
  chosen_.clear();
  if (outcome.state.size() == width_) {
    if (!rows_.empty() && rows_.back().time >= outcome.time && !rows_.back().corner) {
      rows_.pop_back();
      states_.resize(states_.size() - width_);
    }
    mode_ = std::make_shared<const Mode>(outcome.mode);
    add(outcome.time, static_cast<double>(steps_), false, outcome.state.data());
  }
  if (rows_.empty()) return;
  const double span = rows_.back().time - rows_.front().time;
  const double per_time = span > 0 ? 1 / span : 0, per_step = 1 / std::max(1.0, rows_.back().step);
  const double gap = 2.0 / static_cast<double>(wanted_);
  const auto measure = [&](const Row& r) {
    return (r.time - rows_.front().time) * per_time + r.step * per_step;
  };
  const bool keep_corners = corners_ <= wanted_ / 2;
  double next = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const bool is_last = r + 1 == rows_.size();
    if (!is_last && !(keep_corners && rows_[r].corner) && measure(rows_[r]) < next) continue;
    chosen_.push_back(r);
    next = measure(rows_[r]) + gap;
  }
}

void FrameRecorder::read(const std::function<void(double, const double*, const Work<double>&)>& sink) const {
  Work<double> work;
  system_.prepare(work);
  std::vector<double> slope(width_);
  for (const std::size_t r : chosen_) {
    const double* state = states_.data() + r * width_;
    system_.evaluate(rows_[r].time, state, *rows_[r].mode, work, slope.data());
    sink(rows_[r].time, state, work);
  }
}

}  // namespace thud
