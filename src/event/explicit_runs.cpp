#include "event/run.hpp"

namespace thud {

std::unique_ptr<AnyRun> make_explicit_run(Method method, const System& system, ModeSelector& selector,
                                          Work<double>& work) {
  switch (method) {
    case Method::dop853: return std::make_unique<Run<Dop853Method>>(system, selector, work);
    case Method::dopri5: return std::make_unique<Run<Dopri5Method>>(system, selector, work);
    case Method::rk4: return std::make_unique<Run<Rk4Method>>(system, selector, work);
    case Method::euler: return std::make_unique<Run<EulerMethod>>(system, selector, work);
    default: return nullptr;
  }
}

}  // namespace thud
