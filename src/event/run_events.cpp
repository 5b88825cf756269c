// What a run does at an event: goes there, lets the state jump, selects the next mode.

#include <fmt/format.h>

#include <cmath>

#include "event/event_log.hpp"
#include "event/rest.hpp"
#include "event/run.hpp"

namespace thud {

namespace {
// The error of the continuous extension vanishes like (1 − θ)⁴ at the end of a step; beyond this point it is far below
// that of the step itself, and the step need not be repeated.
constexpr double near_end = 0.96;
}  // namespace

// ---- to the crossing ----------------------------------------------------------------------------------------------------

// Repeats the step up to the crossing, corrects it, and handles the event. False when the run ended.
bool Run::go_to(const Crossing& crossing, double h) {
  const double short_h = crossing.theta * h;
  const bool flow = crossing.guard >= 0 && locator_.guard_id(crossing).role == GuardRole::flow;
  if (short_h > event_time_tolerance) {
    if (!step_to(crossing, h)) return false;
    if (flow) {  // nothing but the side of the drag changes, and it is zero here
      before_ = s_.mode;
      flip_side(locator_.guard_id(crossing));
      log_changes(before_);
      ++out_.stats.events;
      return true;
    }
  } else {
    go_past(short_h);
  }
  std::size_t elements = 0;
  s_.system.each([&]<class E>(const E&, int) { elements += E::switches.size() > 1; });
  if (repeats_ > 40 + 8 * static_cast<int>(elements)) {
    fail(why_undecided(crossing));
    return false;
  }
  if (short_h <= event_time_tolerance && crossing.guard >= 0 && repeats_ > 1
      && flip_side(locator_.guard_id(crossing))) {
    s_.evaluate_here(s_.stepper->slope_at_start());
    return true;
  }
  if (crossing.condition >= 0) {
    meet(crossing.condition);
    if (control_changed_ && !done_) change_mode();
    return !done_;
  }
  return pass_guard(locator_.guard_id(crossing));
}

// A guard is at zero, and `work` holds an evaluation of the state: the next mode. False when the run ended.
bool Run::pass_guard(const GuardId& id) {
  if (id.role == GuardRole::painleve) {
    Mode mode = s_.mode;
    const int contact = id.index;
    const bool answered = selector_.select(s_.t, s_.y.data(), s_.scales(), look_ahead(), mode, s_.work,
                                           s_.stepper->slope_at_start());
    // With the others it may have forces, and slides on; where it is alone they grow without bound.
    if (answered && selector_.two_answers() < 0 && mode == s_.mode && repeats_ < 3
        && s_.work.of<ContactForce>()[contact].normal_force < 1e3 * s_.scales().force) {
      s_.answered.push_back(contact);
      start_anew();
      return true;
    }
    if (!jam(contact, selector_.pulls())) return false;
  }
  const Mode before = s_.mode;
  change_mode();
  if (!done_) end_chatter(id, before);
  return !done_;
}

// One guard of a switch fires again and again, and the selection finds that nothing has changed: the motion itself shows on
// which side the switch is, or that it is on neither.
void Run::end_chatter(const GuardId& id, const Mode& before) {
  const bool of_switch =
      id.code == guard::slip || id.code == guard::bound_lower || id.code == guard::bound_upper;
  const SwitchRef which{id.type, static_cast<std::uint8_t>(id.sub), id.index};
  const bool again = of_switch && which == chatter_.which && (chatter_.forced || s_.mode == before)
                  && s_.t - chatter_.last < Chatter::interval * s_.scales().time;
  chatter_.last = s_.t;
  chatter_.which = of_switch ? which : SwitchRef{};
  chatter_.count = again ? chatter_.count + 1 : 0;
  chatter_.forced = chatter_.count >= Chatter::most;
  if (!chatter_.forced) return;
  std::int8_t& state = s_.system.switch_state(which, s_.mode);
  const Mode selected = s_.mode;
  const std::int8_t side = id.code == guard::bound_lower ? slip::forward
                         : id.code == guard::bound_upper ? slip::backward
                         : state > 0                     ? slip::backward
                                                         : slip::forward;
  switch (chatter_.count % 3) {
    case 0: state = side; break;
    case 1: state = id.code == guard::slip ? slip::stuck : static_cast<std::int8_t>(2 * side); break;
    default: state = slip::idle; break;
  }
  s_.system.list_stuck(s_.mode);
  start_anew();
  s_.evaluate_here(s_.stepper->slope_at_start());
  log_changes(selected);
}

std::string Run::why_undecided(const Crossing& crossing) const {
  std::string drive;
  if (crossing.guard >= 0) {
    const GuardId id = locator_.guard_id(crossing);
    ElementTypes::at(id.type, [&]<class E>() {
      if constexpr (requires(const E& e) { e.drive_text(id, s_.mode.of<E>()[0]); })
        drive = s_.system.of<E>()[id.index].drive_text(id, s_.mode.of<E>()[id.index]);
    });
  }
  if (drive.empty()) return fmt::format("the contact state could not be decided at t = {:.12g} s", s_.t);
  return fmt::format(
      "\"{}\" switches to and fro without end at t = {:.9g} s: what turns a motion back wherever it goes is "
      "friction "
      "(friction in a joint or contact), or wants a sampled controller",
      drive, s_.t);
}

// A step that ends at the crossing, accepted. False when it failed.
bool Run::step_to(const Crossing& crossing, double h) {
  AnyStepper& stepper = *s_.stepper;
  const double short_h = crossing.theta * h;
  const bool flow = crossing.guard >= 0 && locator_.guard_id(crossing).role == GuardRole::flow;
  const bool by_secants = stepper.is.may_fail && !stepper.is.adaptive;
  s_.taken = short_h;
  if (stepper.is.order == 8 && crossing.theta > near_end
      && !s_.system.tracks_distance()) {  // |v| has a corner there
    stepper.dense(crossing.theta, s_.y.data(), s_.sampled.data());
    std::copy(s_.sampled.begin(), s_.sampled.end(), stepper.next());
  } else {
    s_.dense_ready = false;
    stepper.step(s_.f, nullptr, s_.t, s_.y.data(), short_h);
    if (stepper.is.adaptive && !stepper.converged()) {  // try again from here with less
      ++out_.stats.rejected;
      h_ = 0.5 * short_h;
      return false;
    }
  }
  stepper.finish(s_.f, s_.t, short_h);
  if (by_secants) step_again(crossing, h);
  if (!flow && !by_secants) correct(crossing);
  s_.f.work_is_at_end = true;
  accept();
  return !done_;
}

// The crossing is at once: go past it by less than any time that matters.
void Run::go_past(double h) {
  const double past = h + event_time_tolerance;
  const double* slope = s_.stepper->slope_at_start();
  for (int i = 0; i < s_.total; ++i) s_.y[i] += past * slope[i];
  s_.t += past;
  s_.taken = 0;
  start_anew();
  s_.evaluate_here(s_.stepper->slope_at_start());
  ++repeats_;
}

// The step ends near the crossing; a Newton step of second order on the state removes the rest. The residual is
// checked, and the correction repeated if it is not small.
void Run::correct(const Crossing& crossing) {
  double* y = s_.stepper->next();
  double* slope = s_.stepper->slope_at_end();
  double here = locator_.value_of(crossing, s_.t + s_.taken, y);
  for (int pass = 0; pass < 4 && here != 0; ++pass) {
    const double probe = 1e-7 * std::max(s_.taken, 1e-3 * s_.scales().time);
    for (int i = 0; i < s_.total; ++i) s_.sampled[i] = y[i] + probe * slope[i];
    s_.f.full(s_.t + s_.taken + probe, s_.sampled.data(), s_.sampled_slope.data());
    const double rate =
        (locator_.value_of(crossing, s_.t + s_.taken + probe, s_.sampled.data()) - here) / probe;
    const double dt = rate != 0 ? -here / rate : 0;
    const bool usable = std::isfinite(dt) && std::abs(dt) < 0.1 * s_.taken;
    if (usable) {
      for (int i = 0; i < s_.total; ++i)
        y[i] += dt * (slope[i] + 0.5 * dt / probe * (s_.sampled_slope[i] - slope[i]));
      s_.taken += dt;
    }
    s_.f.full(s_.t + s_.taken, y, slope);
    if (!usable) return;
    here = locator_.value_of(crossing, s_.t + s_.taken, y);
    if (std::abs(here) < event_time_tolerance * std::abs(rate)) return;
  }
}

// The same for implicit steps far longer than the fastest vibration, where a state must not be extrapolated: the length
// of the step is corrected by secants, and the step repeated.
void Run::step_again(const Crossing& crossing, double longest) {
  AnyStepper& stepper = *s_.stepper;
  double before_h = 0, before = locator_.start_value_of(crossing);
  double here = locator_.value_of(crossing, s_.t + s_.taken, stepper.next());
  for (int pass = 0; pass < 12 && here != 0 && before != here; ++pass) {
    const double next = s_.taken - here * (s_.taken - before_h) / (here - before);
    if (!(next > 0 && next <= longest) || std::abs(next - s_.taken) < event_time_tolerance) return;
    before_h = s_.taken;
    before = here;
    s_.taken = next;
    stepper.step(s_.f, nullptr, s_.t, s_.y.data(), s_.taken);
    stepper.finish(s_.f, s_.t, s_.taken);
    here = locator_.value_of(crossing, s_.t + s_.taken, stepper.next());
  }
}

// The motion itself shows that the side of a drag corner was guessed wrong where the flow starts: take the other.
bool Run::flip_side(const GuardId& id) {
  start_anew();
  const bool flipped = ElementTypes::at(id.type, [&]<class E>() {
    if constexpr (requires(typename E::Mode & m) { E::flip(id, m); })
      return E::flip(id, s_.mode.of<E>()[id.index]);
    else
      return false;
  });
  if (flipped) return true;
  if (repeats_ <= 12) return false;
  if (id.code == guard::bound_lower || id.code == guard::bound_upper) return carry_switch(id);
  if (id.code != guard::slip) return false;
  turn_switch({id.type, static_cast<std::uint8_t>(id.sub), id.index});
  return true;
}

// Where more is held than can move, what each of them bears is rounding beyond its bound: one stays at its bound, and the
// others hold it.
bool Run::carry_switch(const GuardId& id) {
  std::int8_t& state =
      s_.system.switch_state({id.type, static_cast<std::uint8_t>(id.sub), id.index}, s_.mode);
  if (state != slip::stuck) return false;
  state = id.code == guard::bound_lower ? slip::carried_forward : slip::carried_backward;
  s_.system.list_stuck(s_.mode);
  return true;
}

// A last resort where the box problem and the motion disagree: the states of the switch in turn.
void Run::turn_switch(SwitchRef which) {
  std::int8_t& state = s_.system.switch_state(which, s_.mode);
  if (repeats_ % 2 == 0)
    state = slip::stuck;
  else
    state = state == slip::forward ? slip::backward : slip::forward;
  s_.system.list_stuck(s_.mode);
}

// ---- the next mode ------------------------------------------------------------------------------------------------------

void Run::change_mode() {
  do {
    control_changed_ = false;
    change_mode_once();
  } while (control_changed_ && !done_);
}

void Run::change_mode_once() {
  const Mode before = s_.mode;
  s_.answered.clear();
  const bool bottom = mark_bottom();
  update_clamps();
  const StoredEnergies stored(s_.system, s_.work);
  const std::vector<double> state = state_if_wanted();
  const bool struck = strike();
  if (!select()) return;
  stored.book_loss(s_.system, s_.work, s_.y.data());
  if (struck) keep_around(state, before);
  ++out_.stats.events;
  out_.stats.evaluations += 4;
  start_anew();
  locator_.note_approaches();
  conditions_.forget_past();
  log_changes(before);
  if (!options_.events_wanted.empty()) check_all_found();
  if (done_) return;
  if (s_.stepper->is.adaptive) {
    h_ = entered(before) ? first_step() : std::max(0.5 * h_, std::min(h_, first_step()));
    h_ = std::min(h_, longest_first_step(s_.system, before, s_.mode, step_state(), s_.work));
  }
  if (struck) {
    if (s_.stepper->is.adaptive)
      h_ = std::min(
          h_, Conditions::overshoot * collider_.next_flight(s_.y.data(), s_.mode, s_.scales(), s_.work));
    meet_jumped();
    check_all_found();
    if (done_) return;
  }
  meet_reached(std::max(1e-9, 10 * options_.tolerance));
  if (done_) return;
  if (bottom) return finish(StopReason::bottom);
  if (is_resting()) return finish(StopReason::rest);
  if (options_.stop_at_rest && creeps(s_)) try_to_settle();
}

// Impacts of the contacts that touch and approach; the work holds an evaluation of the state.
bool Run::strike() {
  if (!collider_.has_rigid_contacts()) return false;
  collider_.separate(s_.y.data(), s_.scales(), s_.work);
  return collider_.strike(s_.t, s_.y.data(), s_.mode, s_.scales(), s_.work, out_);
}

// The consistent mode of the state, after bounces that are at their end have been closed. False when the run ended.
bool Run::select() {
  double* slope = s_.stepper->slope_at_start();
  for (int round = 0; round < 8; ++round) {
    if (!selector_.select(s_.t, s_.y.data(), s_.scales(), look_ahead(), s_.mode, s_.work, slope)) {
      if (selector_.jammed() < 0) {
        fail(fmt::format("no consistent forces were found at t = {:.12g} s", s_.t));
        return false;
      }
      if (!jam(selector_.jammed(), selector_.pulls())) return false;
      continue;
    }
    if (selector_.two_answers() >= 0)
      push_painleve(selector_.two_answers(), s_.system.contacts()[selector_.two_answers()].law.painleve);
    if (!collider_.has_rigid_contacts()) return true;
    const auto closings = collider_.close_short_bounces(s_.t, s_.y.data(), s_.mode, s_.scales(), s_.work);
    if (closings.empty()) return true;
    closings_.insert(closings_.end(), closings.begin(), closings.end());
  }
  return true;
}

// Friction presses a sliding contact together: it stops at once. False when the run ended.
bool Run::jam(int contact, const std::vector<double>& pulls) {
  const long impacts = out_.impact_count;
  constexpr int often = 6, most = 12;
  const bool stops = s_.system.contacts()[contact].law.painleve == Painleve::stop || ++jams_ > most;
  if (stops
      || !(jams_ > often ? collider_.hold_creep(contact, s_.y.data(), s_.scales(), s_.work)
                         : collider_.jam(s_.t, contact, pulls, s_.y.data(), s_.scales(), s_.work, out_))) {
    stop_at_painleve(contact);
    return false;
  }
  if (out_.impact_count > impacts) push_painleve(contact, Painleve::jam);
  s_.evaluate_here(s_.stepper->slope_at_start());
  return true;
}

void Run::push_painleve(int contact, Painleve answer) {
  push_event(EventKind::painleve, switch_of<ContactForce>(contact));
  out_.events.back().after = static_cast<std::int8_t>(answer);
}

void Run::stop_at_painleve(int contact) {
  const Contact& c = s_.system.contacts()[contact];
  out_.message = fmt::format(
      "Painleve configuration of {} at t = {:.9g} s: with a friction of {:g} no force keeps this contact "
      "closed while "
      "it slides; rigid bodies with Coulomb friction have no answer here (less friction, or model = "
      "\"hertz\", has)",
      c.name, s_.t, c.law.friction);
  finish(StopReason::painleve);
}

// How far ahead the next mode is decided. Where one distance leads nowhere, others are tried in turn.
double Run::look_ahead() const {
  static constexpr double factors[] = {1, 0.1, 10, 0.01, 100, 3};
  return 1e-6 * std::min(1.0, 10 * s_.scales().time) * factors[repeats_ % 6];
}

// A force has begun that is not smooth at its start.
bool Run::entered(const Mode& before) const {
  bool any = false;
  s_.system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.starts_rough(before.of<E>()[k], s_.mode.of<E>()[k]); })
      any = any || e.starts_rough(before.of<E>()[k], s_.mode.of<E>()[k]);
  });
  return any;
}

bool Run::mark_bottom() {
  bool stop = false;
  const Scene scene = s_.system.scene();
  s_.system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.reach_bottom(scene, s_.work.of<E>()[k], s_.scales(), s_.mode.of<E>()[k]); })
      if (e.reach_bottom(scene, s_.work.of<E>()[k], s_.scales(), s_.mode.of<E>()[k])) {
        stop = stop || e.stops_at_bottom(scene);
        push_event(EventKind::bottom, switch_of<E>(k));
      }
  });
  return stop;
}

// Infinitely many bounces have ended by now.
void Run::end_closing() {
  push_event(EventKind::settle, switch_of<ContactForce>(closings_.front().contact));
  closings_.erase(closings_.begin());
  check_all_found();
  if (!done_ && closings_.empty() && is_resting()) finish(StopReason::rest);
}

void Run::log_changes(const Mode& before) {
  thud::log_changes(s_.system, s_.t, before, s_.mode, out_.events);
}

// ---- joints with a rule for sticking --------------------------------------------------------------------------------------

void Run::clamp_what_rests() {
  const Scene scene = s_.system.scene();
  s_.system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires {
                    e.clamp_at_start(scene, s_.work.frames, s_.work.of<E>()[k], s_.mode.of<E>()[k]);
                  })
      e.clamp_at_start(scene, s_.work.frames, s_.work.of<E>()[k], s_.mode.of<E>()[k]);
  });
  s_.system.list_stuck(s_.mode);
}

void Run::update_clamps() {
  const Scene scene = s_.system.scene();
  const Tree& tree = s_.system.tree();
  bool any = false;
  s_.system.each([&]<class E>(const E& e, int k) {
    if constexpr (requires { e.update_clamp(scene, s_.work.frames, s_.mode.of<E>()[k]); }) {
      any = any || e.rule.is_on();
      if (!e.update_clamp(scene, s_.work.frames, s_.mode.of<E>()[k])) return;
      const double kinetic = tree.kinetic_energy(s_.work.frames);
      s_.y[s_.n + tree.joint_dof(e.body)] = 0;
      s_.system.list_stuck(s_.mode);
      s_.evaluate_here(s_.sampled_slope.data());
      s_.y[s_.system.channel_slot(channel_of<E>())] += tree.kinetic_energy(s_.work.frames) - kinetic;
    }
  });
  if (any) s_.system.list_stuck(s_.mode);
}

// ---- states around impacts ------------------------------------------------------------------------------------------------

std::vector<double> Run::state_if_wanted() const {
  return static_cast<int>(out_.around.size()) < options_.impacts_wanted ? s_.y : std::vector<double>{};
}

// The states around the impacts of this instant, once the mode after them is known.
void Run::keep_around(const std::vector<double>& state, const Mode& mode) {
  while (static_cast<long>(out_.around.size()) < std::min<long>(out_.impact_count, options_.impacts_wanted))
    out_.around.push_back({state, s_.y, mode, s_.mode});
}

}  // namespace thud
