#include "step/newmark.hpp"
#include "step/radau.hpp"
#include "step/stepper_of.hpp"

namespace thud {

std::unique_ptr<AnyStepper> make_implicit_stepper(Method method) {
  switch (method) {
    case Method::radau5: return std::make_unique<StepperOf<RadauMethod>>();
    case Method::newmark:
    case Method::generalised_alpha: return std::make_unique<StepperOf<NewmarkMethod>>();
    default: return nullptr;
  }
}

}  // namespace thud
