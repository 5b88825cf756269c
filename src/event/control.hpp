#pragma once

#include <deque>
#include <memory>

#include "event/run_state.hpp"

namespace thud {

/// The controllers of a run: in which states they are, and what is due when.
class Control {
 public:
  explicit Control(RunState& state) : s_(state) {}

  /// All controllers into their first states.
  void begin(std::shared_ptr<const ControlPlan> plan);
  /// The next instant at which something is due; infinity without controllers.
  double next() const { return next_; }
  /// Does what is due now. The work holds an evaluation of the state. True when forces may have changed.
  bool pass(std::vector<Event>& events);

  /// The transitions that conditions bring about, of controllers that are not sampled.
  const std::vector<Transition>& watched() const { return watched_; }
  bool is_watched(const Transition& t) const { return state_of(t.controller) == t.from; }
  void go(const Transition& t, std::vector<Event>& events);

 private:
  struct Pending {
    double time;
    std::vector<double> values;
  };
  struct Sampled {
    const ControlSampling* what;
    long tick = 0;
    std::vector<double> memory, before;  // before: values of its transitions' conditions at the last tick
    std::deque<Pending> pending;
    double time(double start) const { return start + static_cast<double>(tick) * what->period; }
  };

  int state_of(int controller) const { return s_.mode.of<Controller>()[controller].state; }
  bool is_due(double t) const { return !(t - s_.t > event_time_tolerance); }
  bool take_tick(Sampled& one, std::vector<Event>& events);
  bool take_transitions(Sampled& one, std::vector<Event>& events);
  bool release_pending(Sampled& one);
  double value(const Transition& t) const;
  void switch_contacts(int controller, int from, int to);
  void plan_next();

  RunState& s_;
  std::shared_ptr<const ControlPlan> plan_;
  std::vector<Transition> watched_, timed_;
  std::vector<Sampled> sampled_;
  double start_ = 0, next_ = std::numeric_limits<double>::infinity();
};

}  // namespace thud
