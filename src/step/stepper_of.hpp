#pragma once

#include "step/any_stepper.hpp"
#include "step/stepper.hpp"

namespace thud {

/// Puts a Stepper<Method> behind AnyStepper. What only some steppers have is asked for when they have it.
template <class Method>
class StepperOf final : public AnyStepper {
  using S = Stepper<Method>;
  static constexpr bool may_fail_ = requires(S & s) { s.converged(); };
  static constexpr bool wants_scale_ = requires(S & s) { s.set_scale(nullptr); };

  static constexpr Traits traits() {
    Traits t;
    t.order = Method::order;
    t.adaptive = Method::adaptive;
    t.may_fail = may_fail_;
    t.wants_scale = wants_scale_;
    t.finishes_first = Method::order == 5;
    if constexpr (requires { Method::error_order; }) t.error_order = Method::error_order;
    if constexpr (requires { S::looks; }) t.looks = S::looks;
    return t;
  }

 public:
  StepperOf() : AnyStepper(traits()) {}

  void prepare(const System& system) override {
    s_.resize(2 * system.dof_count(), system.state_size());
    if constexpr (requires { s_.set_frequencies(system); }) s_.set_frequencies(system);
  }
  void set_options(const StepOptions& o) override {
    if constexpr (requires { s_.set_options(o); }) s_.set_options(o);
  }
  void set_scale(const double* scale) override {
    if constexpr (wants_scale_) s_.set_scale(scale);
  }
  void forget() override {
    if constexpr (requires { s_.forget_jacobian(); }) s_.forget_jacobian();
  }
  double suitable(double h, const double* y) const override {
    if constexpr (requires { s_.suitable(h, y); }) return s_.suitable(h, y);
    return h;
  }
  void step(RightHandSide& f, StepProbe* probe, double t, const double* y, double h) override {
    f.begin_step();
    s_.step(
        f,
        [probe] {
          if (probe) probe->look();
        },
        t, y, h);
  }
  void finish(RightHandSide& f, double t, double h) override { s_.finish(f, t, h); }
  double error(const double* scale, double h) override { return s_.error(scale, h); }
  bool converged() const override {
    if constexpr (may_fail_) return s_.converged();
    return true;
  }
  bool fits() const override {
    if constexpr (requires { s_.fits(); }) return s_.fits();
    return true;
  }
  double* slope_at_start() override { return s_.slope(0); }
  double* slope_at_end() override { return s_.slope(S::last); }
  double* next() override { return s_.next(); }
  double* stages() override {
    if constexpr (may_fail_)
      return nullptr;
    else
      return s_.slope(0);
  }
  void make_dense(RightHandSide& f, double t, const double* y, double h) override {
    f.begin_step();
    s_.make_dense(f, t, y, h);
  }
  void dense(double theta, const double* y, double* out) override { s_.dense(theta, y, out); }

 private:
  S s_;
};

}  // namespace thud
