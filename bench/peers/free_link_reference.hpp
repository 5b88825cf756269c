#pragma once

namespace thud::peers {

/// A reference run, and what it met on its way.
struct [[nodiscard]] ReferenceRun {
  double stop_time = 0.0;  ///< [s]; NaN when the tip never came to its stop
  long evaluations = 0;
  long steps = 0;
  int corners = 0;               ///< sign changes of u × v_E before the stop
  int reversals = 0;             ///< sign changes of v_Ex or v_Ez before the stop
  double v_Ex = 0.0;             ///< at the stop [m/s]
  double v_Ez = 0.0;             ///< at the stop [m/s]
  double immersed_length = 0.0;  ///< ℓ at the stop [m]
};

/// Runge–Kutta–Fehlberg of order 8 in extended precision on a fixed, graded mesh:
/// steps of 1/8 of the elapsed time, 100 µs at most. The grading is for the
/// power (z_T/d)^λ, whose derivatives are unbounded at t = 0. All signs of the law
/// are held within a step; a step ends on the corner of |u × v_E| and on a reversal
/// of v_Ex or v_Ez, located to rounding, and goes on with the sign changed.
///
/// `refinement` divides every step; two values show the convergence.
ReferenceRun run_free_link_reference(double angle, double speed, int refinement = 1);

/// Stopping time [s], accurate to about 1e-17 s; angle [rad], speed [m/s].
double free_link_reference(double angle, double speed);

}  // namespace thud::peers
