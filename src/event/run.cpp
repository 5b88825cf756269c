// A run from its start to its end: steps, what is met on the way, and the account.

#include "event/run.hpp"
#include "event/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "event/rest.hpp"
#include "thud/math/portable.hpp"

namespace thud {

namespace {
// What a step may err by, in tolerances. Measured: with it the error of a whole run stays well below the tolerance.
constexpr double error_slack = 8;
// The error estimate of the implicit steps is less cautious.
constexpr double stiff_share = 0.01;
}  // namespace

void Run::start(AnyStepper& stepper, const std::vector<double>& q, const std::vector<double>& v,
                const std::vector<Condition>& conditions, const SolverOptions& options,
                StepObserver* observer) {
  s_.stepper = own_stepper_ = &stepper;
  options_ = options;
  observer_ = observer;
  stepper.set_options(options);
  lawful_ = true;
  guarded([&] { begin_run(q, v, conditions); });
}

void Run::go_on() {
  guarded([&] { advance(); });
}

Outcome Run::take_outcome() {
  if (lawful_) guarded([&] { close(); });
  out_.stats.evaluations += s_.f.evaluations;
  return std::move(out_);
}

void Run::fail_by(const LawError& error) {
  fail(fmt::format("{} (t = {:.6g} s)", error.what(), s_.t));
  out_.time = s_.t;
  out_.state.clear();  // there is none that could be evaluated
  lawful_ = false;
}

void Run::state(double t, double* y) {
  if (!s_.dense_ready) s_.make_dense();
  s_.stepper->dense(s_.dense_h > 0 ? (t - s_.t) / s_.dense_h : 0, s_.y.data(), y);
  if (closure_.exists()) closure_.keep_sample(s_.f.inside(t), y, s_.mode, s_.scales());
}

// ---- start and end ----------------------------------------------------------------------------------------------------

void Run::begin_run(const std::vector<double>& q, const std::vector<double>& v,
                    const std::vector<Condition>& conditions) {
  out_ = {};
  done_ = false;
  repeats_ = jams_ = tiny_ = strictness_ = stiff_steps_ = refused_ = 0;
  strictest_ = 4;
  chatter_ = {};
  s_.answered.clear();
  collider_.forget();
  last_log_error_ = 0;
  closings_.clear();
  out_.hits.resize(conditions.size());  // a run that fails at once has met none
  s_.f.evaluations = 0;
  s_.taken = 0;
  s_.t = options_.start_time;
  std::fill(s_.y.begin(), s_.y.end(), 0.0);
  std::copy(q.begin(), q.end(), s_.y.begin());
  std::copy(v.begin(), v.end(), s_.y.begin() + s_.n);
  const double span = options_.time_limit - s_.t;
  find_edges();
  s_.system.reset(s_.mode);
  control_.begin(options_.control);
  rounds_ = 0;
  control_changed_ = false;
  out_.events.reserve(8);
  set_scales();
  if (closure_.exists()) {
    if (std::string fault = closure_.start(s_.t, s_.y.data(), s_.scales(), s_.work); !fault.empty())
      return fail(std::move(fault));
    if (closure_.keep(s_.t, s_.y.data(), s_.scales(), s_.work)) s_.evaluate_here(s_.sampled_slope.data());
  }
  if (!s_.stepper->is.adaptive && options_.step > 0.1 * span)
    return fail(fmt::format("a step of {:.3g} s is too long for a run of {:.3g} s", options_.step, span));
  out_.energy.initial = s_.energy();
  const double stored = s_.system.stored_energy(s_.work);
  energy_size_ = s_.system.tree().kinetic_energy(s_.work.frames);
  if (!std::isfinite(out_.energy.initial) || !std::isfinite(s_.scales().moment))
    return fail("the numbers of the start are too large to compute with");
  if (const int k = collider_.find_overlap(s_.work, s_.scales()); k >= 0)
    return fail(fmt::format("{} starts {:.3g} {} inside", s_.system.contacts()[k].name,
                            -s_.work.of<ContactForce>()[k].gap, s_.system.contacts()[k].turns ? "rad" : "m"));
  conditions_.start(conditions, out_.hits, control_.watched());
  watch_transitions();
  const std::vector<double> state = state_if_wanted();
  clamp_what_rests();
  const Mode before = s_.mode;
  const bool struck = strike();
  if (!starts_as_before()) {
    if (!select()) return;
    start_mode_ = s_.mode;
    has_start_mode_ = true;
  }
  out_.energy.initial += s_.system.stored_energy(s_.work) - stored;  // what acts is known only now
  out_.stats.evaluations += 4;
  control_changed_ = false;
  start_anew();
  locator_.note_approaches();
  if (struck) {
    keep_around(state, before);
    meet_jumped();
    check_all_found();
  }
  if (done_) return;
  has_ranges_ = has_ranges(s_.system);
  if (has_ranges_) note_ranges(s_.system, s_.work.frames, s_.t, out_.out_of_range);
  h_ = first_step();
  if (struck && s_.stepper->is.adaptive)
    h_ = std::min(h_,
                  Conditions::overshoot * collider_.next_flight(s_.y.data(), s_.mode, s_.scales(), s_.work));
  if (is_resting()) finish(StopReason::rest);
}

// Runs of a sweep mostly start in the same mode. Where all its guards hold clearly, or will in a moment, nothing has to be
// selected. With rigid contacts more than one mode may hold.
bool Run::starts_as_before() {
  if (!has_start_mode_ || !s_.system.contacts().empty() || closure_.exists()
      || !s_.system.of<Controller>().empty() || !s_.system.of<SpreadSand>().empty()
      || !s_.system.of<LeeSpread>().empty())
    return false;
  constexpr double clear = 100;  // tolerances
  std::swap(s_.mode, start_mode_);
  double* slope = s_.stepper->slope_at_start();
  s_.evaluate_here(slope);
  bool holds = true;
  std::vector<double>& here = guards_here_;
  here.clear();
  bool all_clear = true;
  s_.system.guards(s_.mode, s_.work, s_.scales(), [&](double value, double tolerance, const GuardId&) {
    holds = holds && value >= -tolerance;
    all_clear = all_clear && value > clear * tolerance;
    here.push_back(value);
  });
  if (holds
      && !all_clear) {  // forces may begin at zero, so that only the slope a moment later shows where it goes
    const double ahead = first_step();
    const double* by = slope;
    for (int round = 0; round < 2; ++round, by = s_.sampled_slope.data()) {
      for (int i = 0; i < s_.total; ++i) s_.sampled[i] = s_.y[i] + ahead * by[i];
      s_.f.full(s_.t + ahead, s_.sampled.data(), s_.sampled_slope.data());
    }
    std::size_t k = 0;
    s_.system.guards(s_.mode, s_.work, s_.scales(), [&](double value, double tolerance, const GuardId&) {
      holds = holds && value > clear * tolerance && (here[k] > clear * tolerance || value > here[k]);
      ++k;
    });
    if (holds) s_.evaluate_here(slope);
  }
  std::swap(s_.mode, start_mode_);
  if (holds)
    s_.mode = start_mode_;
  else
    s_.system.evaluate(s_.t, s_.y.data(), s_.mode, s_.work, s_.sampled_slope.data());
  return holds;
}

void Run::finish(StopReason reason) {
  if (reason == StopReason::rest) {  // what stands still has reached every rate of zero
    meet_reached(1e-5);
    if (done_ || control_changed_) return;  // or it goes on
    push_event(EventKind::rest, {});
  }
  out_.reason = reason;
  done_ = true;
}

void Run::fail(std::string message) {
  out_.reason = StopReason::failed;
  out_.message = std::move(message);
  done_ = true;
}

void Run::close() {
  out_.time = s_.t;
  out_.state = s_.y;
  out_.mode = s_.mode;
  s_.system.evaluate(s_.t, s_.y.data(), s_.mode, s_.work, s_.sampled_slope.data());
  EnergyAccount& account = out_.energy;
  account.final = s_.energy();
  for (Channel c : s_.system.channels()) {
    const double work = s_.y[s_.system.channel_slot(c)];
    account.lost.push_back(supplies(c) ? 0.0 : -work);
    if (supplies(c)) account.supplied += work;
  }
  account.residual = find_residual(account.final);
}

// What the account does not explain, of what was exchanged.
double Run::find_residual(double energy) const {
  double residual = out_.energy.initial - energy - out_.energy.settled;
  // What stands still exchanges nothing but roundings.
  double exchanged = std::max(
      {energy_size_, std::abs(energy - out_.energy.initial), 1e-4 * s_.scales().force * s_.scales().length});
  for (Channel c : s_.system.channels()) {
    const double work = s_.y[s_.system.channel_slot(c)];
    residual += work;
    exchanged = std::max(exchanged, std::abs(work));
  }
  return exchanged > 0 ? residual / exchanged : 0.0;
}

// Errors of steps that are small each may gather, as in vibrations that nothing damps: the account shows it long before it
// matters, and steps become more accurate from then on. Not where it was an event that erred.
void Run::watch_account(double energy) {
  static constexpr double levels[] = {1.5e-9, 2.5e-9, 3.5e-9, 4.5e-9};
  // Who asks for less accuracy gets less.
  const double bound =
      (std::isfinite(s_.sizes.indentation) ? 10 : 1) * std::max(1.0, options_.tolerance / 1e-9);
  const double residual = std::abs(find_residual(energy)) / bound;
  const int most = std::min(strictest_, s_.stepper->is.order == 8 ? 4 : 2);
  while (strictness_ < most && residual > levels[strictness_]) ++strictness_;
}

// ---- one step ---------------------------------------------------------------------------------------------------------

void Run::advance() {
  if (!propose_step()) return;
  if (try_step(proposed_)) conclude_step();
}

// The length of the next step; false when something else was done instead, or the run has ended.
bool Run::propose_step() {
  if (options_.cancel && options_.cancel->load(std::memory_order_relaxed))
    return finish(StopReason::cancelled), false;
  if (out_.stats.steps + out_.stats.rejected > options_.max_steps)
    return fail(fmt::format("gave up after {} steps", options_.max_steps)), false;
  if (control_changed_) return change_mode(), false;
  const double left = options_.time_limit - s_.t;
  double h = next_step();
  if (!closings_.empty()) {
    const double wait = closings_.front().end - s_.t;
    if (!(wait > event_time_tolerance)) return end_closing(), false;
    h = std::min(h, wait);
  }
  if (edge_ < edges_.size()) {
    const double wait = edges_[edge_] - s_.t;
    if (!(wait > event_time_tolerance)) return pass_edge(), false;
    h = std::min(h, wait);
  }
  if (control_.next() < options_.time_limit) {
    const double wait = control_.next() - s_.t;
    if (!(wait > event_time_tolerance)) return pass_control(), false;
    h = std::min(h, wait);
  }
  is_last_ = h >= left;
  if (is_last_) h = left;
  if (!(h > 0)) return finish(StopReason::time_limit), false;
  proposed_ = h;
  return true;
}

// False when the run ends here: on the way to an instant that no step reaches.
bool Run::is_long_enough(double h) {
  if (h > 1e-13 * std::max(s_.scales().time, std::abs(s_.t)))
    tiny_ = 0;
  else if (++tiny_ > 1000)
    return stop_at_tiny_steps(h), false;
  return true;
}

// What a step that was tried has led to: an event, or its end.
void Run::conclude_step() {
  const double h = proposed_;
  if (!is_long_enough(h)) return;
  const Crossing crossing = locator_.find(h);
  if (crossing.exists()) {
    go_to(crossing, h);
    return;
  }
  s_.taken = h;
  accept();
  if (done_) return;
  if (is_last_) return finish(StopReason::time_limit);
  if (stiff_stepper_) watch_stiffness(h);
  if (options_.stop_at_rest && creeps(s_)) try_to_settle();
}

// ---- edges of what is prescribed in time --------------------------------------------------------------------------------

namespace {
// What lies this near to an edge is on its other side, as far as rounding can tell.
double just_off(double edge) { return 4e-16 * (2 * std::abs(edge) + 1e-6); }
}  // namespace

// Instants at which a torque or force may jump: no step goes over one, so that none is missed, however short. Nor over two
// pieces of one that is smooth.
void Run::find_edges() {
  Timing timing;
  s_.system.each([&]<class E>(const E& e, int) {
    if constexpr (requires { e.timing(0.0, 0.0, timing); }) e.timing(s_.t, options_.time_limit, timing);
  });
  timing.sort();
  std::erase_if(timing.edges, [&](double t) { return !(t > s_.t && t < options_.time_limit); });
  edges_ = std::move(timing.edges);
  pieces_ = std::move(timing.pieces);
  options_.max_step = std::min(options_.max_step, timing.longest);
  edge_ = piece_ = 0;
  set_window();
}

double Run::longest_piece() {
  while (piece_ < pieces_.size() && pieces_[piece_] <= s_.t) ++piece_;
  return piece_ + 1 < pieces_.size() ? pieces_[piece_ + 1] - s_.t : std::numeric_limits<double>::infinity();
}

void Run::set_window() {
  constexpr double far = std::numeric_limits<double>::infinity();
  const double from = edge_ > 0 ? edges_[edge_ - 1] : -far;
  const double to = edge_ < edges_.size() ? edges_[edge_] : far;
  s_.f.set_window(edge_ > 0 ? from + just_off(from) : from, std::isfinite(to) ? to - just_off(to) : to);
}

void Run::pass_edge() {
  const double edge = edges_[edge_++], before = s_.t;
  s_.t = std::max(s_.t, edge + just_off(edge));
  set_window();
  s_.evaluate_here(s_.sampled_slope.data());
  for (int i = 0; i < s_.total; ++i) s_.y[i] += (s_.t - before) * s_.sampled_slope[i];
  if (closure_.exists()) jolt();
  change_mode();
}

// Where a prescribed rate jumps, an impulse takes the bodies along: work of the motion.
void Run::jolt() {
  const Tree& tree = s_.system.tree();
  s_.evaluate_here(s_.sampled_slope.data());
  const double before = tree.kinetic_energy(s_.work.frames);
  if (!closure_.keep(s_.f.inside(s_.t), s_.y.data(), s_.scales(), s_.work)) return;
  s_.evaluate_here(s_.sampled_slope.data());
  if (const int slot = s_.system.channel_slot(channel_of<PrescribedMotion>()); slot >= 0)
    s_.y[slot] += tree.kinetic_energy(s_.work.frames) - before;
}

// ---- controllers --------------------------------------------------------------------------------------------------------

// A tick, or a state that has lasted long enough.
void Run::pass_control() {
  if (++rounds_ > 1000)
    return fail(fmt::format("controllers change their states without end at t = {:.9g} s", s_.t));
  s_.evaluate_here(s_.sampled_slope.data());
  if (!control_.pass(out_.events)) return;
  watch_transitions();
  change_mode();
}

// Of all ways out of states those of the present ones are waited for. One that need not be crossed may be open already.
void Run::watch_transitions() {
  const std::vector<Transition>& all = control_.watched();
  for (std::size_t k = 0; k < all.size(); ++k) conditions_.watch(k, control_.is_watched(all[k]));
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].at_once || !control_.is_watched(all[k])) continue;
    const double x = conditions_.value(conditions_.wanted() + k, s_.t, s_.y.data());
    if (all[k].when.direction > 0 ? x > 0 : x < 0) return transit(k);
  }
}

// A controller goes on to another state; whoever calls selects the mode anew.
void Run::transit(std::size_t k) {
  if (++rounds_ > 1000)
    return fail(fmt::format("controllers change their states without end at t = {:.9g} s", s_.t));
  conditions_.pass(conditions_.wanted() + k);
  control_.go(control_.watched()[k], out_.events);
  control_changed_ = true;
  watch_transitions();
}

void Run::set_scales() {
  s_.mode.stuck.clear();
  s_.system.evaluate(s_.t, s_.y.data(), s_.mode, s_.work, s_.sampled_slope.data());
  measure_sizes(s_.system, s_.work, s_.sizes);
  const std::vector<double>& absolute = s_.sizes.absolute;
  const int n = s_.n;
  // In a compliant contact the error of a step counts in full: its force is not smooth at both ends.
  const double slack = std::isfinite(s_.sizes.indentation) ? 0.5 : error_slack;
  scale_.resize(2 * n);
  for (int i = 0; i < 2 * n; ++i) scale_[i] = 1 / (slack * options_.tolerance * absolute[i]);
  if (!s_.stepper->is.wants_scale) return;
  // The motion is what is asked for: of a bending mode its share in it, not how fast it rings.
  for (int i = 0; i < n; ++i) {
    const double frequency = s_.system.tree().dof_frequency(i);
    if (!(frequency > 0)) continue;
    scale_[i] = 1 / (error_slack * options_.tolerance * 0.1 * s_.scales().length);
    scale_[n + i] = std::min(scale_[n + i], scale_[i] / frequency);
  }
  // The stages are solved so well that what has come to rest is seen to rest.
  std::vector<double> scale = scale_;
  for (int i = 0; i < 2 * n; ++i) scale[i] = std::max(scale[i], 1 / (2e-6 * absolute[i]));
  s_.stepper->set_scale(scale.data());
}

StepState Run::step_state() {
  return {s_.system.scene(), s_.scales(), s_.system.tree().total_mass(), s_.y.data() + s_.n,
          s_.stepper->slope_at_start() + s_.n};
}

double Run::first_step() const {
  if (!s_.stepper->is.adaptive) return options_.step;
  // Cautious: resistance grows like z^2.1 from the surface, which no order of the method sees.
  return std::min(options_.max_step, portable::pow(options_.tolerance, 1.0 / 5) * 0.3 * s_.scales().time);
}

double Run::next_step() {
  double h = options_.step;
  if (s_.stepper->is.adaptive) {
    h = std::min(
        {h_, options_.max_step, quarter_turn(), longest_step(s_.system, s_.mode, step_state(), s_.work)});
    if (piece_ < pieces_.size()) h = std::min(h, longest_piece());
    if (s_.stepper->is.order == 8) h = step_to_expected(h);
  }
  return s_.stepper->suitable(h, s_.y.data());
}

// No body turns so far in one step that its ends could pass through the sand unseen.
// Where a motion is prescribed, what it costs is a quadrature that the control of errors does not see: steps are shorter.
double Run::quarter_turn() const {
  bool any = false;
  ElementTypes::each([&]<class E>() { any = any || (Approaching<E> && !s_.system.of<E>().empty()); });
  const bool driven = !s_.system.of<PrescribedMotion>().empty();
  if (!any && !driven) return HUGE_VAL;
  double fastest = 1e-300;
  for (int i = 0; i < s_.n; ++i)
    if (s_.system.tree().is_angle(i)) fastest = std::max(fastest, std::abs(s_.y[s_.n + i]));
  return (driven ? 0.3 : 1.5) / fastest;
}

// Shortens a step to end just after an expected crossing, but not twice in a row: the guess was wrong then.
double Run::step_to_expected(double h) {
  const double expected = conditions_.expected(s_.t, h);
  const bool shorten = expected < h && expected > 0.2 * h && !shortened_;
  shortened_ = shorten;
  return shorten ? expected : h;
}

// Steps by h into next(); false when the step was rejected (a smaller one is set).
bool Run::try_step(double h) {
  AnyStepper& stepper = *s_.stepper;
  locator_.begin_step();
  stepper.step(s_.f, &locator_, s_.t, s_.y.data(), h);
  if (stepper.is.adaptive) {
    if (stepper.is.finishes_first) stepper.finish(s_.f, s_.t, h);
    const double error = portable::pow(10.0, strictness_) * stepper.error(scale_.data(), h);
    if (!(error <= 1)) return reject(error, h), false;
    learn_from(error, h);
  } else if (!stepper.converged()) {
    fail(fmt::format(
        "the equations of the step at t = {:.9g} s have no solution near; a shorter step may help", s_.t));
    return false;
  }
  refused_ = 0;
  if (!stepper.is.finishes_first) stepper.finish(s_.f, s_.t, h);
  if (!stepper.is.adaptive && !is_sane(stepper.next())) {
    fail(fmt::format("the motion grew without bound by t = {:.6g} s: a step of {:.3g} s is too long for it",
                     s_.t + h, h));
    return false;
  }
  if (!stepper.fits()) {
    ++out_.stats.rejected;
    h_ = std::min(h, first_step());
    return false;
  }
  s_.f.work_is_at_end = true;
  locator_.end_step();
  return true;
}

// Proportional-integral control: the estimate of an order-8 pair jumps, and chasing it costs rejected steps.
void Run::learn_from(double error, double h) {
  const double log_error = portable::log(std::max(error, 1e-12));
  const double growth =
      0.9 * portable::exp(0.04 * std::max(last_log_error_, -9.0) - log_error / s_.stepper->is.error_order);
  last_log_error_ = log_error;
  h_ = h * std::clamp(growth, 0.3, 6.0);
}

// What is slow in sand turns within a time as small as its speed. Where the motion lasts longer than that its direction is
// the one that the forces leave it, and explicit steps are at the limit of their stability.
void Run::watch_stiffness(double h) {
  constexpr double fast = 0.4, slow = 0.1;
  constexpr int often = 12;
  const bool stiff = s_.stepper == stiff_stepper_;
  const double turns = h * turning_rate(s_.system, s_.mode, s_.work);
  const bool other = stiff ? turns < slow : turns > fast;
  stiff_steps_ = other ? stiff_steps_ + 1 : std::min(0, stiff_steps_);
  if (stiff_steps_ < often) return;
  use_stiff(!stiff);
}

void Run::use_stiff(bool stiff) {
  s_.stepper = stiff ? stiff_stepper_ : own_stepper_;
  stiff_steps_ = refused_ = 0;
  last_log_error_ = 0;
  for (double& x : scale_) x *= stiff ? 1 / stiff_share : stiff_share;
  if (stiff) s_.stepper->set_scale(scale_.data());
  start_anew();
  s_.evaluate_here(s_.stepper->slope_at_start());
}

void Run::stop_at_tiny_steps(double h) {
  const bool driven = !s_.system.of<PrescribedMotion>().empty();
  fail(fmt::format("the step size fell to {:.3g} s at t = {:.9g} s{}{}", h, s_.t, closure_.toggle(s_.work),
                   driven ? "; is what is prescribed smooth there?" : ""));
}

void Run::reject(double error, double h) {
  ++out_.stats.rejected;
  if (s_.stepper == stiff_stepper_ && ++refused_ > 8) {  // a corner: by small steps
    h_ = h;
    use_stiff(false);
    stiff_steps_ = -50;
    return;
  }
  h_ = h
     * (std::isfinite(error) ? std::max(0.2, 0.9 * portable::pow(error, -1.0 / s_.stepper->is.error_order))
                             : 0.2);
  if (strictness_ > 0 && h_ < 1e-8 * s_.scales().time) {  // more than roundings allow
    strictest_ = --strictness_;
    h_ = h;
  }
  if (h_ < 1e-15 * std::max(s_.scales().time, std::abs(s_.t))) stop_at_tiny_steps(h_);
}

// Methods with a fixed step may blow up. What is a million million times larger than anything at the start has.
bool Run::is_sane(const double* y) const {
  for (int i = 0; i < 2 * s_.n; ++i)
    if (!(std::abs(y[i]) <= 1e12 * s_.sizes.absolute[i] + 1e12)) return false;
  return true;
}

void Run::accept() {
  AnyStepper& stepper = *s_.stepper;
  ++out_.stats.steps;
  if (observer_) observer_->on_step(*this);
  if (!s_.f.work_is_at_end)
    s_.system.evaluate(s_.t + s_.taken, stepper.next(), s_.mode, s_.work, s_.sampled_slope.data());
  conditions_.accept(s_.t + s_.taken, stepper.next());
  locator_.note_approaches();
  std::copy(stepper.next(), stepper.next() + s_.total, s_.y.begin());
  std::memcpy(stepper.slope_at_start(), stepper.slope_at_end(), sizeof(double) * s_.total);
  s_.t += s_.taken;
  if (collider_.has_rigid_contacts() && collider_.keep_closed(s_.y.data(), s_.mode, s_.scales(), s_.work))
    s_.evaluate_here(stepper.slope_at_start());
  if (closure_.exists()) keep_closed();
  if (s_.taken > 1e-9 * s_.scales().time) repeats_ = jams_ = 0;
  rounds_ = s_.taken > 1e-9 * s_.scales().time ? 0 : rounds_;
  energy_size_ = std::max(energy_size_, s_.system.tree().kinetic_energy(s_.work.frames));
  if (s_.stepper->is.adaptive) watch_account(s_.energy());
  if (s_.system.tree().has_beams()) note_beams();
  if (has_ranges_) note_ranges(s_.system, s_.work.frames, s_.t, out_.out_of_range);
}

// The constraints, as the integration has let them drift.
void Run::keep_closed() {
  if (closure_.keep(s_.f.inside(s_.t), s_.y.data(), s_.scales(), s_.work))
    s_.evaluate_here(s_.stepper->slope_at_start());
  if (!closure_.fault().empty()) fail(closure_.fault());
}

void Run::note_beams() {
  const Tree& tree = s_.system.tree();
  BeamUse& use = out_.beams;
  for (int i = 0; i < tree.body_count(); ++i) {
    const ElasticBeam* beam = tree.body(i).beam.get();
    if (!beam) continue;
    double start = 0, end = 0;
    for (int k = 0; k < beam->size(); ++k) {
      const double eta = s_.work.frames.eta[tree.elastic_begin(i) + k];
      start += beam->start_shapes()[k] * eta;
      end += beam->end_shapes()[k] * eta;
    }
    const double bent = std::max(std::abs(start), std::abs(end)) / beam->length();
    const double spin = std::abs(s_.work.frames.rate[i]) / beam->frequency(0);
    if (bent > use.deflection) use.deflection = bent, use.bent = i;
    if (spin > use.spin) use.spin = spin, use.spun = i;
  }
}

// The right-hand side is another function from here on, or the state has jumped.
void Run::start_anew() {
  s_.stepper->forget();
  locator_.forget();
}

// ---- conditions and rest ------------------------------------------------------------------------------------------------

void Run::meet(int c) {
  if (static_cast<std::size_t>(c) >= conditions_.wanted()) return transit(c - conditions_.wanted());
  Hit& hit = out_.hits[c];
  hit.found = true;
  hit.time = s_.t;
  hit.state = s_.y;
  hit.mode = s_.mode;
  push_event(EventKind::condition, {0, 0, c});
  if (conditions_[c].stops) {
    out_.condition = c;
    return finish(StopReason::condition);
  }
  check_all_found();
}

// An impact makes velocities jump over values that conditions wait for.
void Run::meet_jumped() {
  conditions_.jump(s_.t, s_.y.data(), [&](int c) {
    meet(c);
    return !done_;
  });
}

// Conditions that the motion reaches and stays at: a velocity that is held from here on.
void Run::meet_reached(double share) {
  for (std::size_t c = 0; c < conditions_.size(); ++c) {
    if (conditions_.is_reached(c, s_.t, s_.y.data(), share)) meet(static_cast<int>(c));
    if (done_) return;
  }
}

void Run::check_all_found() {
  if (!options_.stop_when_all_found || done_) return;
  if (out_.impact_count < options_.impacts_wanted) return;
  for (const EventCount& e : options_.events_wanted)
    if (!time_of_event(out_.events, e)) return;
  if (conditions_.all_found()) finish(StopReason::all_found);
}

bool Run::is_resting() const {
  return options_.stop_at_rest && closings_.empty() && is_at_rest(s_)
      && !is_to_be_moved(s_, options_.time_limit);
}

// Whether the motion would stay if it stood still.
void Run::try_to_settle() {
  const std::vector<double> y = s_.y;
  const Mode mode = s_.mode;
  const double kinetic = s_.system.tree().kinetic_energy(s_.work.frames);
  for (int i = 0; i < s_.n; ++i) s_.y[s_.n + i] = 0;
  if (selector_.select(s_.t, s_.y.data(), s_.scales(), look_ahead(), s_.mode, s_.work,
                       s_.stepper->slope_at_start())
      && is_resting()) {
    log_changes(mode);
    out_.energy.settled += kinetic;
    return finish(StopReason::rest);
  }
  s_.y = y;
  s_.mode = mode;
  start_anew();
  s_.evaluate_here(s_.stepper->slope_at_start());
}

}  // namespace thud
