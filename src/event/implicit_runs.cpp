#include "event/run.hpp"
#include "step/newmark.hpp"
#include "step/radau.hpp"

namespace thud {

std::unique_ptr<AnyRun> make_implicit_run(Method method, const System& system, ModeSelector& selector,
                                          Work<double>& work) {
  switch (method) {
    case Method::radau5: return std::make_unique<Run<RadauMethod>>(system, selector, work);
    case Method::newmark:
    case Method::generalised_alpha: return std::make_unique<Run<NewmarkMethod>>(system, selector, work);
    default: return nullptr;
  }
}

}  // namespace thud
