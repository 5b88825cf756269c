#pragma once

#include "thud/dynamics/mode.hpp"

namespace thud {

/// What acts in a mode, in the order of the elements. Made before a step, so that its stages look neither at what does
/// not act nor at kinds and flags. Points into the system, the mode and the work that it was made for.
template <class L>
struct PlanOn {
  struct Action {
    KernelOn<L> act;
    const void* element;
    const void* mode;
    void* work;
    int channel;  ///< place of the first of the element's channels
  };
  std::vector<Action> actions;

  /// `power`: where the channels are.
  void run(L& load, double* power) const {
    for (const Action& a : actions) {
      load.power = power + a.channel;
      a.act(a.element, load, a.mode, a.work);
    }
  }
};

/// One of the two: on all bodies, or on the only one.
struct Plan {
  PlanOn<Load<double>> all;
  PlanOn<LoneLoad<double>> lone;
  bool is_lone = false;
};

}  // namespace thud
