#include "lanes/express.hpp"

#include <algorithm>
#include <cmath>

namespace thud::lanes {

namespace {
constexpr int on_board = 8 * width;
constexpr double powers_of_ten[] = {1, 10, 100, 1000, 10000};
}  // namespace

Express::Express(const Kernel& kernel, std::unique_ptr<Itinerary> itinerary)
    : plan_(std::move(itinerary)),
      b_(kernel) {
  const Program& s = plan_->start;
  start_rows_.assign(static_cast<std::size_t>(s.rows) * width, 0.0);
  for (std::size_t k = 0; k < s.fixed.size(); ++k)
    std::fill_n(start_rows_.begin() + static_cast<std::ptrdiff_t>((s.fixed_begin + k) * width), width,
                s.fixed[k]);
  kernel.carry_out(s.once, start_rows_.data());
  for (int k = 0; k < on_board; ++k) {
    passengers_.push_back(std::make_unique<Passenger>());
    passengers_.back()->reports.resize(plan_->report_at.size());
    idle_.push_back(k);
  }
  std::size_t most = 0;
  for (const Itinerary::ModeProgram& m : plan_->programs) {
    std::vector<Follow> lane;
    for (const std::int32_t c : m.shape->program.varying) lane.push_back(m.constants[c]);
    lane_constants_.push_back(std::move(lane));
    most = std::max(most, m.shape->program.guards.size());
    int index[2];
    for (const bool steps : {true, false})
      index[steps ? 0 : 1] = static_cast<int>(&queue_of(m.shape, steps) - queues_.data());
    queue_of_mode_.emplace_back(index[0], index[1]);
  }
  early_.resize((most + RIDE_CONDITIONS) * width);
  late_.resize(early_.size());
  const RidePlan& plan = plan_->plan;
  for (int i = 0; i < plan.coordinates; ++i)
    pose_scales_.insert(pose_scales_.end(), width, plan.error_size / plan.pose_size[i]);
}

Express::Queue& Express::queue_of(Shape* shape, bool steps) {
  for (Queue& q : queues_)
    if (q.shape == shape && q.steps == steps) return q;
  return queues_.emplace_back(Queue{shape, steps, {}});
}

// The next points, up to a pack of them: their starts.
void Express::board(std::int64_t first, int count, const Fill& fill) {
  const Program& s = plan_->start;
  double* rows = start_rows_.data();
  double values[RIDE_KNOBS];
  for (int l = 0; l < width; ++l) {
    if (l < count) fill(first + l, {values, static_cast<std::size_t>(plan_->knobs)});
    for (int k = 0; k < plan_->knobs; ++k) rows[k * width + l] = values[k];
    rows[s.fits_row * width + l] = 1;
  }
  b_.kernel.carry_out(s.lean, rows);
  const int n = plan_->plan.coordinates;
  for (int l = 0; l < count; ++l) {
    const int who = idle_.back();
    idle_.pop_back();
    Passenger& p = *passengers_[who];
    p.index = first + l;
    const auto at = [&](int i) { return rows[s.lean_rates[i] * width + l]; };
    for (int i = 0; i < 2 * n; ++i) p.ride.y[i] = at(i);
    for (int k = 0; k < plan_->numbers; ++k) p.numbers[k] = at(2 * n + 2 + k);
    ride_begin(&plan_->plan, &p.ride, at(2 * n), at(2 * n + 1));
    if (rows[s.fits_row * width + l] != 1) ride_leave(&p.ride);
    queue_up(who);
  }
}

void Express::queue_up(int who) {
  const Ride& r = passengers_[who]->ride;
  if (r.phase == phase_end) {
    done_.push_back(who);
    return;
  }
  if (r.phase == phase_help) {
    stuck_.push_back(who);
    return;
  }
  const bool steps = r.phase == phase_step || r.phase == phase_again;
  const auto [for_steps, for_looks] = queue_of_mode_[steps ? r.mode : r.at_mode];
  queues_[steps ? for_steps : for_looks].waiting.push_back(who);
}

void Express::take_members(Queue& queue) {
  const auto count = std::min<std::size_t>(width, queue.waiting.size());
  members_.assign(queue.waiting.end() - static_cast<std::ptrdiff_t>(count), queue.waiting.end());
  queue.waiting.resize(queue.waiting.size() - count);
}

// States and constants of the members into rows; lanes without a member follow the last. `at`: what is to be evaluated,
// instead of where they are.
void Express::load(Shape& shape, bool at) {
  const Program& p = shape.program;
  double* rows = shape.rows.data();
  const int count = static_cast<int>(members_.size());
  b_.make_room(p, 2 * plan_->plan.coordinates);
  for (int l = 0; l < width; ++l) {
    const Passenger& who = *passengers_[members_[std::min(l, count - 1)]];
    const Ride& r = who.ride;
    if (at) {
      for (int i = 0; i < b_.total; ++i) rows[i * width + l] = r.at[i];
      rows[p.time_row() * width + l] = r.at_time;
    } else {
      b_.t[l] = r.t;
      b_.h[l] = r.trial;
      for (int i = 0; i < b_.total; ++i) {
        b_.y[i * width + l] = r.y[i];
        b_.k[i * width + l] = r.slope[i];
      }
      rows[p.time_row() * width + l] = r.t;
    }
    const std::vector<Follow>& constants = lane_constants_[at ? r.at_mode : r.mode];
    for (std::size_t c = 0; c < constants.size(); ++c)
      rows[(p.first_constant() + static_cast<int>(c)) * width + l] = constants[c].at(who.numbers);
    rows[p.fits_row * width + l] = 1;
  }
  b_.kernel.carry_out(p.once, rows);
}

void Express::step(Queue& queue) {
  Shape& shape = *queue.shape;
  const Program& p = shape.program;
  const RidePlan& plan = plan_->plan;
  take_members(queue);
  load(shape, false);
  const double* rows = shape.rows.data();
  b_.run_stages(shape, true, [&](int stage) {
    double* to = stage == 7 ? early_.data() : late_.data();
    for (const auto* list : {&p.probe_guards, &p.probe_conditions})
      for (const std::uint16_t row : *list) to = std::copy_n(rows + row * width, width, to);
  });
  b_.find_errors();
  const int n = plan.coordinates, count = static_cast<int>(members_.size());
  struct alignas(64) Lanes {
    double speed_scale[width], rate_scale[width], last[width], stricter[width];
    double error[width], log_error[width], growth[width], quiet[width], product[width];
  } x;
  for (int l = 0; l < width; ++l) {
    const Ride& r = passengers_[members_[std::min(l, count - 1)]]->ride;
    x.speed_scale[l] = r.speed_scale;
    x.rate_scale[l] = r.rate_scale;
    x.last[l] = r.last_log_error;
    x.stricter[l] = powers_of_ten[r.strictness];
    x.quiet[l] = 1;
    for (int c = 0; c < plan.conditions; ++c) starts_[c * width + l] = r.value[c];
  }
  for (int i = 0; i < n; ++i) {
    scales_[i] = pose_scales_.data() + i * width;
    scales_[n + i] = plan.angles >> i & 1 ? x.rate_scale : x.speed_scale;
  }
  b_.kernel.errors(2 * n, b_.e5.data(), b_.e3.data(), scales_, b_.h, x.error);
  for (int l = 0; l < width; ++l) x.error[l] *= x.stricter[l];
  b_.kernel.grow(x.error, x.last, x.log_error, x.growth);
  for (std::size_t k = 0; k < p.guards.size(); ++k) {
    b_.kernel.require_positive(rows + p.guards[k] * width, x.quiet);
    b_.kernel.require_positive(early_.data() + k * width, x.quiet);
    b_.kernel.require_positive(late_.data() + k * width, x.quiet);
  }
  for (int c = 0; c < plan.conditions; ++c) {
    for (int l = 0; l < width; ++l) x.product[l] = starts_[c * width + l] * rows[p.conditions[c] * width + l];
    b_.kernel.require_positive(x.product, x.quiet);
  }
  const double* slope = b_.k.data() + static_cast<std::ptrdiff_t>(Pair::stages) * b_.total * width;
  for (int l = 0; l < count; ++l) {
    Ride& r = passengers_[members_[l]]->ride;
    ride_judge(&plan, plan_->modes.data(), &r, x.error[l], x.log_error[l], x.growth[l], x.quiet[l] == 1,
               {rows + l, slope + l, early_.data() + l, late_.data() + l}, {&p, rows + l});
    queue_up(members_[l]);
  }
  steps_ += count;
}

void Express::look(Queue& queue) {
  Shape& shape = *queue.shape;
  const Program& p = shape.program;
  take_members(queue);
  load(shape, true);
  double* rows = shape.rows.data();
  bool any_report = false;
  for (const int who : members_) any_report = any_report || passengers_[who]->ride.phase == phase_report;
  if (any_report) {
    b_.kernel.carry_out(p.report, rows);
    for (int l = 0; l < static_cast<int>(members_.size()); ++l)
      if (passengers_[members_[l]]->ride.phase == phase_report) report(l, shape);
  }
  b_.kernel.carry_out(p.full, rows);
  for (int l = 0; l < static_cast<int>(members_.size()); ++l) {
    Ride& r = passengers_[members_[l]]->ride;
    if (r.phase == phase_report)
      ride_reported(&plan_->plan, &r);
    else if (r.phase != phase_end)
      ride_look(&plan_->plan, plan_->modes.data(), &r, {&p, rows + l});
    queue_up(members_[l]);
  }
}

// What is asked of an instant: of a condition, and at the end of the end.
void Express::report(int lane, Shape& shape) {
  Passenger& who = *passengers_[members_[lane]];
  Ride& r = who.ride;
  const Program& p = shape.program;
  if (shape.rows[p.fits_row * width + lane] != 1) return ride_leave(&r);
  for (std::size_t k = 0; k < plan_->report_at.size(); ++k) {
    const int at = plan_->report_at[k];
    if (at >= 0 ? r.report >> at & 1 : r.report_status != ride_goes)
      who.reports[k] = shape.rows[p.reports[k] * width + lane];
  }
}

bool Express::run(std::int64_t count, const Fill& fill, const Take& take, const Help& help,
                  const std::atomic<bool>* cancel) {
  std::int64_t next = 0;
  bool goes_on = true;
  int riding = 0;
  while (goes_on && (next < count || riding > 0)) {
    if (cancel && cancel->load(std::memory_order_relaxed)) goes_on = false;
    Queue* fullest = nullptr;
    for (Queue& q : queues_)
      if (!fullest || q.waiting.size() > fullest->waiting.size()) fullest = &q;
    if (fullest->waiting.size() < width && next < count && static_cast<int>(idle_.size()) >= width) {
      const int more = static_cast<int>(std::min<std::int64_t>(width, count - next));
      board(next, more, fill);
      next += more;
      riding += more;
    } else if (!fullest->waiting.empty()) {
      fullest->steps ? step(*fullest) : look(*fullest);
    }
    for (const int who : stuck_) {
      help(passengers_[who]->index, passengers_[who]->ride);
      queue_up(who);
    }
    stuck_.clear();
    for (const int who : done_) {
      const Passenger& p = *passengers_[who];
      const Ride& r = p.ride;
      Arrival a;
      a.status = r.status;
      a.stopped_by = r.stopped_by;
      a.time = r.t;
      a.residual = r.status == ride_left ? 0 : ride_residual(&plan_->plan, &r, r.energy);
      a.steps = r.steps;
      a.found = r.found;
      a.hit_times = r.hit_time;
      a.reports = p.reports.data();
      goes_on = take(p.index, a) && goes_on;
      idle_.push_back(who);
      --riding;
    }
    done_.clear();
  }
  for (Queue& q : queues_) {
    idle_.insert(idle_.end(), q.waiting.begin(), q.waiting.end());
    q.waiting.clear();
  }
  return goes_on;
}

}  // namespace thud::lanes
