#include "free_link_reference.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "free_link_equations.hpp"

namespace thud::peers {

namespace odeint = boost::numeric::odeint;

namespace {

using Real = long double;
using Link = FreeLink<Real>;
using State = Link::State;
using Signs = Link::Signs;

constexpr Real first_step = 1e-12L;      // [s]
constexpr Real largest_step = 1e-4L;     // [s]
constexpr Real growth = 0.125L;          // step over elapsed time
constexpr Real longest_fall = 1.0L;      // [s]
constexpr Real root_tolerance = 1e-19L;  // [s]

// One fall: a piecewise smooth flow and the four functions that bound its pieces.
class Fall {
 public:
  enum Guard { stop, corner, reversal_x, reversal_z };
  static constexpr std::array guards{stop, corner, reversal_x, reversal_z};

  Fall(double angle, double speed) : y_(Link::calc_initial_state(angle, speed)) {}

  const State& state() const { return y_; }
  long evaluations() const { return link_.evaluations(); }

  // Positive inside the current piece, negative beyond its end.
  Real calc_guard(Guard guard, const State& y) const {
    const auto i = Link::calc_immersion(y);
    switch (guard) {
      case stop: return Link::calc_tip_velocity(y);
      case corner: return signs_.cross * i.cross;
      case reversal_x: return signs_.v_Ex * i.v_Ex;
      case reversal_z: return signs_.v_Ez * i.v_Ez;
    }
    return 0;
  }

  // The state a step of h from here would reach with the present signs.
  State calc_step(Real h) {
    State end;
    const auto flow = [this](const State& y, State& dydt, Real) { link_.calc_held(y, signs_, dydt); };
    stepper_.do_step(flow, y_, Real{0}, end, h);
    return end;
  }

  // The step on which the guard is zero, given that it is negative after h.
  Real calc_step_to(Guard guard, Real h) {
    const auto value = [&](Real s) { return calc_guard(guard, calc_step(s)); };
    const Real at_start = calc_guard(guard, y_);
    if (at_start <= 0) return 0;
    const auto close_enough = [](Real a, Real b) { return std::abs(b - a) <= root_tolerance; };
    std::uintmax_t iterations = 100;
    const auto [low, high] =
        boost::math::tools::toms748_solve(value, Real{0}, h, at_start, value(h), close_enough, iterations);
    return (low + high) / 2;
  }

  void move_to(const State& y) { y_ = y; }

  void flip(Guard guard) {
    if (guard == corner) signs_.cross = -signs_.cross;
    if (guard == reversal_x) signs_.v_Ex = -signs_.v_Ex;
    if (guard == reversal_z) signs_.v_Ez = -signs_.v_Ez;
  }

 private:
  Link link_;
  odeint::runge_kutta_fehlberg78<State, Real> stepper_;
  State y_;
  Signs signs_;
};

}  // namespace

ReferenceRun run_free_link_reference(double angle, double speed, int refinement) {
  Fall fall(angle, speed);
  ReferenceRun run;
  run.stop_time = std::numeric_limits<double>::quiet_NaN();

  Real t = 0;
  bool stopped = false;
  while (!stopped && t < longest_fall) {
    Real h = std::clamp(growth * t, first_step, largest_step) / refinement;
    State end = fall.calc_step(h);

    // The earliest guard that the step has crossed, if any, cuts it short.
    bool crossed = false;
    Fall::Guard first = Fall::stop;
    Real cut = h;
    for (const Fall::Guard guard : Fall::guards) {
      if (!(fall.calc_guard(guard, end) < 0)) continue;
      const Real s = fall.calc_step_to(guard, h);
      if (crossed && s >= cut) continue;
      crossed = true;
      first = guard;
      cut = s;
    }
    if (crossed) {
      h = cut;
      end = fall.calc_step(h);
      stopped = first == Fall::stop;
      run.corners += first == Fall::corner;
      run.reversals += first == Fall::reversal_x || first == Fall::reversal_z;
    }
    fall.move_to(end);
    fall.flip(first);
    t += h;
    ++run.steps;
  }
  run.evaluations = fall.evaluations();
  if (stopped) run.stop_time = static_cast<double>(t);
  const auto i = Link::calc_immersion(fall.state());
  run.v_Ex = static_cast<double>(i.v_Ex);
  run.v_Ez = static_cast<double>(i.v_Ez);
  run.immersed_length = static_cast<double>(i.immersed_length);
  return run;
}

double free_link_reference(double angle, double speed) {
  return run_free_link_reference(angle, speed).stop_time;
}

}  // namespace thud::peers
