#include "lanes/rider.hpp"

#include <algorithm>
#include <cmath>

#include "event/rest.hpp"
#include "thud/math/portable.hpp"

namespace thud::lanes {

namespace {
constexpr int last_stage = 12;  // slope at the end of a step of the order-8 pair
// Larger mechanisms have modes by the thousand, and gain little from company.
constexpr int most_coordinates = 16;
}  // namespace

void Rider::mount(Solver& solver, int tag) {
  run_ = &solver.impl().run;
  tag_ = tag;
  waits_ = locates_ = is_second_try_ = is_misfit_ = false;
  fitting_ = nullptr;
  const RunState& s = run_->s_;
  may_ride_ = solver.impl().method == Method::dop853 && s.n <= most_coordinates && !run_->closure_.exists()
           && can_be_recorded(s.system, run_->conditions_.conditions_);
  wants_work_ = !s.system.of<Spring>().empty() || !s.system.of<JointSpring>().empty();
  for (const ContactForce& c : s.system.contacts()) wants_work_ = wants_work_ || c.law.compliant;
}

void Rider::fit(const Fitting* fitting) {
  fitting_ = fitting;
  distances_.clear();
  const RunState& s = run_->s_;
  fitted_ = s.mode;
  has_closed_ = false;
  for (const ContactMode& m : s.mode.of<ContactForce>())
    has_closed_ = has_closed_ || m.touch == Touch::closed;
  if (!fitting->shape) return;
  tolerances_.clear();
  const std::vector<char>& rough = fitting->shape->first.is_rough;
  s.system.guards(s.mode, s.work, s.scales(), [&](double, double tolerance, const GuardId&) {
    tolerances_.push_back(rough[tolerances_.size()] ? 0.0 : tolerance);
  });
}

// The mode may be another now.
void Rider::after() {
  if (!run_->done_ && fitting_ && !(run_->s_.mode == fitted_)) fitting_ = nullptr;
}

void Rider::go_alone() {
  run_->go_on();
  after();
}

bool Rider::propose() {
  bool ready = false;
  run_->guarded([&] {
    if (wants_work_) run_->s_.evaluate_here(run_->s_.sampled_slope.data());
    ready = run_->propose_step();
  });
  if (!ready) after();
  return ready;
}

void Rider::take(const Step& step) {
  Run& r = *run_;
  r.out_.stats.evaluations += last_stage;
  if (!step.fits
      && !is_second_try_) {  // a comparison went the other way: recorded anew where the step begins
    is_second_try_ = is_misfit_ = true;
    return;
  }
  if (!step.fits) return step_alone();  // it changes within the step
  waits_ = is_second_try_ = false;
  r.guarded([&] {
    const double error = portable::pow(10.0, r.strictness_) * step.error;
    if (!(error <= 1)) return r.reject(error, r.proposed_);
    r.learn_from(error, r.proposed_);
    if (needs_a_look(step)) return keep_trial(step);
    const double h = r.proposed_;
    if (!r.is_long_enough(h)) return;
    accept(h, step.next, step.stages + last_stage * r.s_.total * width, step.rows);
    if (r.done_) return;
    if (r.is_last_) return r.finish(StopReason::time_limit);
    if (r.options_.stop_at_rest && creeps(r.s_)) {
      is_touched_ = true;
      r.s_.evaluate_here(r.s_.sampled_slope.data());
      r.try_to_settle();
    }
  });
  if (!locates_ && is_touched_) after();
  is_touched_ = false;
}

void Rider::step_alone() {
  waits_ = is_second_try_ = false;
  run_->guarded([&] {
    if (run_->try_step(run_->proposed_)) run_->conclude_step();
  });
  after();
}

void Rider::fit_again(const Fitting* fitting) {
  const bool same = fitting->shape == fitting_->shape;
  is_misfit_ = false;
  fit(fitting);
  if (same || !fitting->shape) step_alone();
}

namespace {

// What comes near and goes away again in a step: whether the cubic through distances and rates at its ends stays far from
// zero, by more than it could be off.
bool stays_away(double d0, double r0, double d1, double r1, double h) {
  const double straight = std::min(d0, d1);
  if (!(straight > 0)) return false;
  double least = straight;
  for (int i = 1; i < 16; ++i) {
    const double x = i / 16.0, y = 1 - x;
    least =
        std::min(least, y * y * (1 + 2 * x) * d0 + x * x * (3 - 2 * x) * d1 + h * x * y * (y * r0 - x * r1));
  }
  return least > 0.5 * straight;
}

}  // namespace

// Whether a guard, a condition or something that approaches asks for a closer look; lists what may have been crossed.
bool Rider::needs_a_look(const Step& step) {
  const Program& p = fitting_->shape->program;
  const auto at = [&](std::uint16_t row) { return step.rows[row * width]; };
  suspects_.clear();
  probed_ = *step.probed;
  bool simple = !run_->observer_ && run_->s_.answered.empty();
  for (std::size_t k = 0; k < p.guards.size(); ++k) {
    const bool violated = !(at(p.guards[k]) >= -tolerances_[k]);
    if (violated) suspects_.push_back({static_cast<int>(k), -1});
    if (!probed_.empty() && probed_[k] && !violated) simple = false;  // crossed twice, or never
    if (violated && fitting_->shape->first.is_rough[k]) simple = false;
  }
  for (std::size_t c = 0; c < p.conditions.size(); ++c)
    if (run_->conditions_.crosses(c, at(p.conditions[c]))) suspects_.push_back({-1, static_cast<int>(c)});
  const bool parts = may_have_touched(run_->proposed_, step.rows);
  const bool quiet = suspects_.empty() && probed_.empty() && !parts && !run_->observer_;
  if (quiet) return false;
  is_simple_ = simple && !parts && !suspects_.empty() && suspects_.size() <= most_suspects;
  return true;
}

// Whether something may have come near and parted again on the way to where the rows were evaluated, `h` later.
bool Rider::may_have_touched(double h, const double* rows) const {
  const Program& p = fitting_->shape->program;
  const std::vector<double>& before = run_->locator_.approach_;
  for (std::size_t k = 0; k < p.closing.size() && k < before.size(); ++k) {
    const double rate = rows[p.closing[k] * width];
    if (!(before[k] < 0 && rate > 0)) continue;
    if (k >= distances_.size()
        || !stays_away(distances_[k], before[k], rows[p.distances[k] * width], rate, h))
      return true;
  }
  return false;
}

// The same before a crossing: also what is inside already.
bool Rider::missed_something(double taken, const double* rows) const {
  const Program& p = fitting_->shape->program;
  for (const std::uint16_t row : p.distances)
    if (rows[row * width] < -1e-10 * run_->s_.scales().length) return true;
  return may_have_touched(taken, rows);
}

void Rider::accept(double h, const double* next, const double* slope_at_end, const double* rows) {
  Run& r = *run_;
  RunState& s = r.s_;
  const Program& p = fitting_->shape->program;
  ++r.out_.stats.steps;
  for (std::size_t c = 0; c < p.conditions.size(); ++c)
    r.conditions_.accept_value(c, s.t + h, rows[p.conditions[c] * width]);
  std::vector<double>& approach = r.locator_.approach_;
  approach.resize(p.closing.size());
  for (std::size_t k = 0; k < p.closing.size(); ++k) approach[k] = rows[p.closing[k] * width];
  distances_.resize(p.distances.size());
  for (std::size_t k = 0; k < p.distances.size(); ++k) distances_[k] = rows[p.distances[k] * width];
  double* slope = s.stepper->slope_at_start();
  for (int i = 0; i < s.total; ++i) {
    s.y[i] = next[i * width];
    slope[i] = slope_at_end[i * width];
  }
  s.taken = h;
  s.t += h;
  if (has_closed_ || s.system.tree().has_beams()) {
    s.evaluate_here(s.sampled_slope.data());
    if (has_closed_ && r.collider_.keep_closed(s.y.data(), s.mode, s.scales(), s.work))
      s.evaluate_here(slope);
    if (s.system.tree().has_beams()) r.note_beams();
  }
  if (h > 1e-9 * s.scales().time) r.repeats_ = r.jams_ = r.rounds_ = 0;
  r.energy_size_ = std::max(r.energy_size_, rows[p.kinetic * width]);
  r.watch_account(rows[p.energy * width]);
}

// Puts the step where a run keeps its own; whoever locates crossings goes on from there.
void Rider::keep_trial(const Step& step) {
  RunState& s = run_->s_;
  double* stages = s.stepper->stages();
  for (int i = 0; i < (last_stage + 1) * s.total; ++i) stages[i] = step.stages[i * width];
  for (int i = 0; i < s.total; ++i) s.stepper->next()[i] = step.next[i * width];
  if (is_simple_)
    locates_ = true;
  else
    conclude_alone();
}

void Rider::conclude_alone() {
  is_touched_ = true;
  Run& r = *run_;
  RunState& s = r.s_;
  AnyStepper& stepper = *s.stepper;
  r.locator_.begin_step();
  s.f.begin_step();
  s.f.full(s.t + r.proposed_, stepper.next(), stepper.slope_at_end());
  s.f.work_is_at_end = true;
  if (!probed_.empty()) {
    r.locator_.has_probe_violation_ = true;
    r.locator_.probe_hit_.assign(std::max<std::size_t>(256, probed_.size()), 0);
    std::copy(probed_.begin(), probed_.end(), r.locator_.probe_hit_.begin());
  }
  r.locator_.end_step();
  r.conclude_step();
}

void Rider::locate_alone() {
  locates_ = false;
  run_->guarded([&] { conclude_alone(); });
  after();
}

bool Rider::is_flow(const Suspect& s) const {
  return s.guard >= 0 && fitting_->shape->first.ids[s.guard].role == GuardRole::flow;
}

// As Run::go_to, once the step to the crossing has been made.
void Rider::arrive(const Suspect& what, double taken, const double* next, const double* slope,
                   const double* rows) {
  Run& r = *run_;
  RunState& s = r.s_;
  locates_ = false;
  r.tiny_ = 0;
  const GuardId id = what.guard >= 0 ? fitting_->shape->first.ids[what.guard] : GuardId{};
  r.guarded([&] {
    accept(taken, next, slope, rows);
    if (r.done_) return;
    if (what.condition >= 0) return r.meet(what.condition);
    if (id.role == GuardRole::flow) {
      r.before_ = s.mode;
      r.flip_side(id);
      r.log_changes(r.before_);
      ++r.out_.stats.events;
      return;
    }
    s.evaluate_here(s.stepper->slope_at_start());
    (void)r.pass_guard(id);
  });
  after();
}

}  // namespace thud::lanes
