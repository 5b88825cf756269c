// Thud's sand in somebody else's program: Boost.Odeint integrates the equations of a ball that the user wrote, and thud
// gives the force of the sand. The answer is that of thud's own solver.
//
// Sample output:
//
//              stops sinking after  at a depth of
//   theirs            27.095760 ms   14.035400 mm
//   thud              27.095760 ms   14.035400 mm
// Sample end

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "thud/dynamics/sand_probe.hpp"
#include "thud/thud.hpp"

using State = std::array<double, 4>;  // x, z, vx, vz of the ball; z points down

int main() {
  const double diameter = 0.0254, gravity = 9.81;
  const double mass = 7700 * std::numbers::pi / 6 * std::pow(diameter, 3);

  thud::Body ball;
  ball.mass = mass;
  ball.inertia = mass * diameter * diameter / 10;
  thud::Part shape;
  shape.kind = thud::PartKind::particle;
  shape.width = shape.breadth = diameter;
  thud::LeeLaw sand;
  sand.plunging.eta = 21;
  thud::Bed bed;
  bed.law = sand;
  thud::SandProbe probe(bed, ball, {shape}, {0, gravity});

  const auto motion = [&](const State& y, State& rate, double) {
    const thud::SandProbe::Answer sand_does = probe.at({y[0], y[1]}, 0, {y[2], y[3]}, 0);
    rate = {y[2], y[3], sand_does.force.x / mass, gravity + sand_does.force.z / mass};
  };

  namespace odeint = boost::numeric::odeint;
  auto stepper = odeint::make_dense_output(1e-12, 1e-12, odeint::runge_kutta_dopri5<State>());
  stepper.initialize(State{0, 1e-15, 0, 2}, 0, 1e-6);
  while (stepper.current_state()[3] > 0) stepper.do_step(motion);
  double from = stepper.previous_time(), to = stepper.current_time();  // vz falls through zero between these
  State y{};
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (from + to);
    stepper.calc_state(middle, y);
    (y[3] > 0 ? from : to) = middle;
  }

  const thud::Result run = thud::load("sphere").set("angle", "90 deg").set("speed", 2.0).run();
  std::printf("           stops sinking after  at a depth of\n");
  std::printf("theirs     %16.6f ms  %10.6f mm\n", 1e3 * to, 1e3 * y[1]);
  std::printf("thud       %16.6f ms  %10.6f mm\n", 1e3 * run["t_z"], 1e3 * run["z_T"]);
}
