#include "step/stepper_of.hpp"

namespace thud {

std::unique_ptr<AnyStepper> make_explicit_stepper(Method method) {
  switch (method) {
    case Method::dop853: return std::make_unique<StepperOf<Dop853Method>>();
    case Method::dopri5: return std::make_unique<StepperOf<Dopri5Method>>();
    case Method::rk4: return std::make_unique<StepperOf<Rk4Method>>();
    case Method::euler: return std::make_unique<StepperOf<EulerMethod>>();
    default: return nullptr;
  }
}

std::unique_ptr<AnyStepper> make_stepper(Method method) {
  for (const auto make : {make_explicit_stepper, make_implicit_stepper, make_exact_stepper})
    if (auto made = make(method)) return made;
  return nullptr;
}

}  // namespace thud
