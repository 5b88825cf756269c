#include "event/run.hpp"
#include "step/exact.hpp"

namespace thud {

std::unique_ptr<AnyRun> make_exact_run(Method method, const System& system, ModeSelector& selector,
                                       Work<double>& work) {
  if (method != Method::exact) return nullptr;
  return std::make_unique<Run<ExactMethod>>(system, selector, work);
}

}  // namespace thud
