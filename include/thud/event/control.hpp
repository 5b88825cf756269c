#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "thud/dynamics/observable.hpp"

namespace thud {

/// An observable passing a value: a stop, the instant of a result, or what takes a controller from state to state.
struct Condition {
  Observable what;
  double target = 0;
  int direction = 0;   ///< +1 rising, −1 falling, 0 either
  bool stops = false;  ///< ends the run
};

/// A way from one state of a controller to another.
struct Transition {
  int controller = 0, from = 0, to = 0;
  double after = -1;     ///< time in the state [s]; negative: when a condition is met
  Condition when{};      ///< located like every other event
  bool at_once = false;  ///< also where it is beyond its target already
};

/// What a controller of the user's own does at a tick: fills the outputs. `memory` is its own from tick to tick of a run,
/// and zero at the first.
using ControlFunction =
    std::function<void(const Instant&, std::span<double> outputs, std::span<double> memory)>;

/// A controller that looks at the motion from time to time, and holds its outputs in between.
struct ControlSampling {
  int controller = 0;
  double period = 0, delay = 0;                          ///< [s]
  std::vector<std::vector<ObservableFunction>> outputs;  ///< of every state
  ControlFunction own{};                                 ///< in the place of these
  int memory = 0;
};

/// What the controllers of a system do in a run.
struct ControlPlan {
  std::vector<Transition> transitions;
  std::vector<ControlSampling> sampled;
  /// Contacts that nothing touches in, by controller and state: a foot that may swing through the ground.
  std::vector<std::vector<std::vector<int>>> off{};

  bool is_sampled(int controller) const {
    for (const ControlSampling& s : sampled)
      if (s.controller == controller) return true;
    return false;
  }
};

}  // namespace thud
