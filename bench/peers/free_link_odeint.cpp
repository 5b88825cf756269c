#include "free_link_odeint.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "free_link_equations.hpp"

namespace thud::peers {

namespace odeint = boost::numeric::odeint;

namespace {

using Link = FreeLink<double>;
using State = Link::State;

constexpr double first_step = 1e-5;       // [s]; a thousandth of the fall
constexpr double longest_fall = 1.0;      // [s]; a fall takes hundredths
constexpr double root_tolerance = 1e-13;  // [s]

}  // namespace

PeerResult solve_free_link_odeint(double angle, double speed, double tolerance) {
  Link link;
  auto stepper = odeint::make_dense_output(tolerance, tolerance, odeint::runge_kutta_dopri5<State>());
  stepper.initialize(Link::calc_initial_state(angle, speed), 0.0, first_step);

  PeerResult result;
  double before = speed;
  double after = speed;
  while (after > 0.0 && stepper.current_time() < longest_fall) {
    before = after;
    stepper.do_step(std::ref(link));
    after = Link::calc_tip_velocity(stepper.current_state());
    ++result.steps;
  }
  result.evaluations = link.evaluations();
  if (!(after <= 0.0)) {
    result.stop_time = std::numeric_limits<double>::quiet_NaN();
    return result;
  }

  State y;
  const auto tip_velocity = [&](double t) {
    stepper.calc_state(t, y);
    return Link::calc_tip_velocity(y);
  };
  const auto close_enough = [](double a, double b) { return std::abs(b - a) <= root_tolerance; };
  std::uintmax_t iterations = 60;
  const auto [low, high] = boost::math::tools::toms748_solve(
      tip_velocity, stepper.previous_time(), stepper.current_time(), before, after, close_enough, iterations);
  result.stop_time = 0.5 * (low + high);
  return result;
}

}  // namespace thud::peers
