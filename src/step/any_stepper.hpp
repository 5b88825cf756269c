#pragma once

#include <memory>

#include "step/right_hand_side.hpp"
#include "thud/step/options.hpp"

namespace thud {

/// Looks at the guards after some inner stages of a step.
class StepProbe {
 public:
  virtual ~StepProbe() = default;
  virtual void look() = 0;
};

/// A method of integration, called once or a few times per step: the run does not know which it is.
class AnyStepper {
 public:
  struct Traits {
    int order = 0, error_order = 0;
    bool adaptive = false;        ///< chooses its own steps
    bool may_fail = false;        ///< solves equations, see converged()
    bool wants_scale = false;     ///< goes by the allowed errors itself
    bool finishes_first = false;  ///< its error estimate needs the slope at the end
    int looks = 0;  ///< at guards on the way through a step; 0: a few, and none in between is asked for
  };
  explicit AnyStepper(Traits traits) : is(traits) {}
  virtual ~AnyStepper() = default;

  const Traits is;

  virtual void prepare(const System& system) = 0;
  virtual void set_options(const StepOptions&) {}
  virtual void set_scale(const double*) {}
  /// The right-hand side is another function from here on, or the state has jumped.
  virtual void forget() {}
  /// A step near h for which little has to be computed.
  virtual double suitable(double h, const double*) const { return h; }

  /// From y, whose slope stands in slope_at_start(), into next().
  virtual void step(RightHandSide& f, StepProbe* probe, double t, const double* y, double h) = 0;
  /// Slope at the end.
  virtual void finish(RightHandSide& f, double t, double h) = 0;
  /// Scaled error of the last step; ≤ 1 is good.
  virtual double error(const double* scale, double h) = 0;
  virtual bool converged() const { return true; }
  /// False when the step must be done again in another way.
  virtual bool fits() const { return true; }

  virtual double* slope_at_start() = 0;
  virtual double* slope_at_end() = 0;
  virtual double* next() = 0;
  /// The slopes of all stages, one after the other; null where there is nothing of the kind.
  virtual double* stages() { return nullptr; }

  /// The continuous extension of the last finished step, at θ from 0 to 1.
  virtual void make_dense(RightHandSide& f, double t, const double* y, double h) = 0;
  virtual void dense(double theta, const double* y, double* out) = 0;
};

/// One for each family of methods, each compiled by itself; null when the method is not of the family.
std::unique_ptr<AnyStepper> make_explicit_stepper(Method method);
std::unique_ptr<AnyStepper> make_implicit_stepper(Method method);
std::unique_ptr<AnyStepper> make_exact_stepper(Method method);
std::unique_ptr<AnyStepper> make_stepper(Method method);

}  // namespace thud
