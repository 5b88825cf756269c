#include "step/exact.hpp"
#include "step/stepper_of.hpp"

namespace thud {

std::unique_ptr<AnyStepper> make_exact_stepper(Method method) {
  if (method != Method::exact) return nullptr;
  return std::make_unique<StepperOf<ExactMethod>>();
}

}  // namespace thud
