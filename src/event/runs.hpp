#pragma once

#include <memory>

#include "thud/event/solver.hpp"

namespace thud {

class ModeSelector;

/// A run of a system with some method, made when first used and kept for the next.
class AnyRun : public StepView {
 public:
  virtual Outcome run(const std::vector<double>& q, const std::vector<double>& v,
                      const std::vector<Condition>& conditions, const SolverOptions& options,
                      StepObserver* observer) = 0;
};

/// One for each family of methods, each compiled by itself. Null when the method is not of the family.
std::unique_ptr<AnyRun> make_explicit_run(Method method, const System& system, ModeSelector& selector,
                                          Work<double>& work);
std::unique_ptr<AnyRun> make_implicit_run(Method method, const System& system, ModeSelector& selector,
                                          Work<double>& work);
std::unique_ptr<AnyRun> make_exact_run(Method method, const System& system, ModeSelector& selector,
                                       Work<double>& work);

}  // namespace thud
