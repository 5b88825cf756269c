#pragma once

#include <limits>
#include <memory>

#include "step/differential.hpp"
#include "thud/dynamics/system.hpp"

namespace thud {

/// dy/dt of a system in the mode of the moment, as steppers see it.
class RightHandSide {
 public:
  RightHandSide(const System& system, const Mode& mode, Work<double>& work)
      : system_(system),
        mode_(mode),
        work_(work) {}

  /// What is prescribed in time may jump at both ends: evaluations are just inside.
  void set_window(double from, double to) {
    from_ = from;
    to_ = to;
  }
  /// Before the stages of a step: the mode may have changed.
  void begin_step() { system_.make_plan(mode_, work_, plan_); }
  /// For inner stages; `full` also fills the work with what guards and observables read.
  void operator()(double t, const double* y, double* slope) {
    ++evaluations;
    work_is_at_end = false;
    system_.evaluate_planned(inside(t), y, mode_, plan_, work_, slope);
  }
  void full(double t, const double* y, double* slope) {
    ++evaluations;
    work_is_at_end = false;
    system_.evaluate(inside(t), y, mode_, work_, slope);
  }
  /// Fills the work for guards and observables that need no forces.
  void motion(double t, const double* y) {
    ++evaluations;
    work_is_at_end = false;
    system_.evaluate_motion(inside(t), y, mode_, work_);
  }
  /// The same for guards of one element.
  void element(double t, const double* y, const GuardId& of) {
    ++evaluations;
    work_is_at_end = false;
    system_.evaluate_element(inside(t), y, mode_, of, work_);
  }
  /// Derivatives of v̇ with respect to q and v, row by row.
  void jacobian(double t, const double* y, double* by_q, double* by_v) {
    if (!differential_) differential_ = std::make_unique<Differential>(system_);
    differential_->evaluate(inside(t), y, mode_, by_q, by_v);
    evaluations += 2 * system_.dof_count();
  }
  const Mode& mode() const { return mode_; }
  const System& system() const { return system_; }

  long evaluations = 0;
  bool work_is_at_end = false;  ///< it holds an evaluation of the end of the last step

  /// A time as evaluations take it.
  double inside(double t) const { return t < from_ ? from_ : t > to_ ? to_ : t; }

 private:
  double from_ = -std::numeric_limits<double>::infinity(), to_ = std::numeric_limits<double>::infinity();
  const System& system_;
  const Mode& mode_;
  Work<double>& work_;
  Plan plan_;
  std::unique_ptr<Differential> differential_;
};

}  // namespace thud
