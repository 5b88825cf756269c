#include "event/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thud/base/law_error.hpp"

namespace thud {

void Control::begin(std::shared_ptr<const ControlPlan> plan) {
  plan_ = std::move(plan);
  watched_.clear();
  timed_.clear();
  sampled_.clear();
  start_ = s_.t;
  next_ = std::numeric_limits<double>::infinity();
  const std::vector<Controller>& all = s_.system.of<Controller>();
  for (std::size_t c = 0; c < all.size(); ++c) all[c].begin(s_.t, s_.mode.of<Controller>()[c]);
  if (!plan_) return;
  for (const Transition& t : plan_->transitions) {
    if (plan_->is_sampled(t.controller)) continue;
    (t.after >= 0 ? timed_ : watched_).push_back(t);
  }
  for (const ControlSampling& s : plan_->sampled) {
    sampled_.push_back({&s, 0, std::vector<double>(s.memory, 0.0), {}, {}});
    sampled_.back().before.assign(plan_->transitions.size(), 0.0);
  }
  for (std::size_t c = 0; c < all.size(); ++c) switch_contacts(static_cast<int>(c), -1, all[c].start);
  plan_next();
}

// Contacts of the state that is left are on again; what lies inside by then cannot be put out.
void Control::switch_contacts(int controller, int from, int to) {
  if (!plan_ || plan_->off.empty()) return;
  const auto& of = plan_->off[controller];
  std::vector<ContactMode>& modes = s_.mode.of<ContactForce>();
  if (from >= 0)
    for (int k : of[from]) modes[k].off = false;
  for (int k : of[to]) modes[k].off = true;
  if (from < 0) return;
  for (int k : of[from]) {
    if (modes[k].off) continue;
    const ContactForce& contact = s_.system.contacts()[k];
    Touching<double> w;
    measure(contact, s_.system.tree(), s_.system.walls(), s_.work.frames, s_.y.data(), w);
    if (w.gap < -s_.scales().touching())
      throw LawError(fmt::format("{} is {:.3g} m inside when controller \"{}\" lets it touch again",
                                 contact.name, -w.gap, s_.system.of<Controller>()[controller].label));
  }
}

void Control::plan_next() {
  next_ = std::numeric_limits<double>::infinity();
  for (const Transition& t : timed_)
    if (is_watched(t)) next_ = std::min(next_, s_.mode.of<Controller>()[t.controller].since + t.after);
  for (const Sampled& one : sampled_) {
    next_ = std::min(next_, one.time(start_));
    if (!one.pending.empty()) next_ = std::min(next_, one.pending.front().time);
  }
}

void Control::go(const Transition& t, std::vector<Event>& events) {
  ControlMode& m = s_.mode.of<Controller>()[t.controller];
  events.push_back({s_.t, EventKind::state, switch_of<Controller>(t.controller),
                    static_cast<std::int8_t>(m.state), static_cast<std::int8_t>(t.to)});
  switch_contacts(t.controller, m.state, t.to);
  s_.system.of<Controller>()[t.controller].enter(t.to, s_.t, m);
  plan_next();
}

bool Control::pass(std::vector<Event>& events) {
  bool changed = false;
  for (const Transition& t : timed_)
    if (is_watched(t) && is_due(s_.mode.of<Controller>()[t.controller].since + t.after)) {
      go(t, events);
      changed = true;
    }
  for (Sampled& one : sampled_) {
    if (is_due(one.time(start_))) changed = take_tick(one, events) || changed;
    changed = release_pending(one) || changed;
  }
  plan_next();
  return changed;
}

double Control::value(const Transition& t) const {
  return observe_finite(s_.system, t.when.what, s_.t, s_.y.data(), s_.work) - t.when.target;
}

// One of the ways out of the state, in the order of the file.
bool Control::take_transitions(Sampled& one, std::vector<Event>& events) {
  bool gone = false;
  const int here = state_of(one.what->controller);
  const double since = s_.mode.of<Controller>()[one.what->controller].since;
  for (std::size_t k = 0; k < plan_->transitions.size(); ++k) {
    const Transition& t = plan_->transitions[k];
    if (t.controller != one.what->controller) continue;
    if (t.after >= 0) {
      if (!gone && t.from == here && is_due(since + t.after)) go(t, events), gone = true;
      continue;
    }
    const double x = value(t), last = one.tick > 0 ? one.before[k] : x;
    one.before[k] = x;
    if (gone || t.from != here) continue;
    const bool rises = x > 0 && (t.at_once || last <= 0), falls = x < 0 && (t.at_once || last >= 0);
    if ((t.when.direction >= 0 && rises) || (t.when.direction <= 0 && falls)) go(t, events), gone = true;
  }
  return gone;
}

bool Control::take_tick(Sampled& one, std::vector<Event>& events) {
  const ControlSampling& what = *one.what;
  const Instant now(s_.system, s_.t, s_.y.data(), s_.work);
  const bool gone = take_transitions(one, events);
  const Controller& controller = s_.system.of<Controller>()[what.controller];
  std::vector<double> values(controller.outputs.size(), 0.0);
  if (what.own) {
    what.own(now, values, one.memory);
  } else {
    const auto& outputs = what.outputs[state_of(what.controller)];
    for (std::size_t k = 0; k < outputs.size(); ++k) values[k] = outputs[k](now);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw LawError(fmt::format("output \"{}\" of controller \"{}\" is not a finite number",
                                 controller.outputs[k], controller.label));
  ++one.tick;
  one.pending.push_back({s_.t + what.delay, std::move(values)});
  return gone;
}

bool Control::release_pending(Sampled& one) {
  bool changed = false;
  std::vector<double>& held = s_.mode.of<Controller>()[one.what->controller].held;
  while (!one.pending.empty() && is_due(one.pending.front().time)) {
    changed = changed || held != one.pending.front().values;
    held = std::move(one.pending.front().values);
    one.pending.pop_front();
  }
  return changed;
}

}  // namespace thud
