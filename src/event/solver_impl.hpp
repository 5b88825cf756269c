#pragma once

#include <chrono>
#include <map>
#include <memory>

#include "event/run.hpp"
#include "thud/event/solver.hpp"

namespace thud {

struct Solver::Impl {
  explicit Impl(const System& s) : system(s), selector(s), run(s, selector, work) { system.prepare(work); }

  AnyStepper& stepper(Method method) {
    std::unique_ptr<AnyStepper>& kept = steppers[method];
    if (!kept) {
      kept = make_stepper(method);
      kept->prepare(system);
    }
    return *kept;
  }

  const System& system;
  ModeSelector selector;
  Work<double> work;
  Run run;
  std::map<Method, std::unique_ptr<AnyStepper>> steppers;
  Method method = Method::automatic;  // of the run at hand
  std::chrono::steady_clock::time_point started;
};

}  // namespace thud
