#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace thud {

enum class Method : std::uint8_t {
  automatic,  ///< dop853 at tolerances tighter than 1e-6 and for beams, radau5 for stiff ones, dopri5 otherwise
  dop853,     ///< order 8, adaptive
  dopri5,     ///< order 5, adaptive
  rk4,        ///< order 4, fixed step
  euler,      ///< order 1, fixed step
  radau5,     ///< order 5, adaptive and implicit: for stiff beams when only the motion is wanted
  newmark,    ///< order 2, fixed step, implicit (Newmark 1959)
  generalised_alpha,  ///< order 2, fixed step, implicit, with damping of high frequencies (Chung & Hulbert 1993)
  exact,              ///< matrix exponentials where a mode is linear, dop853 where it is not
};

/// "auto", "dop853", …, in the order of Method: as scenario files and the command line have them.
const std::vector<std::string>& method_names();
bool has_fixed_step(Method method);

/// How steps are taken.
struct StepOptions {
  Method method = Method::automatic;
  double tolerance = 1e-9;  ///< relative; absolute tolerances follow from the sizes of the system
  double step = 0;          ///< of the fixed-step methods [s]; 0: see default_step()
  double newmark_beta = 0.25, newmark_gamma = 0.5;
  double spectral_radius = 0.9;  ///< of generalised_alpha at infinite frequency, 0 to 1
  double max_step = std::numeric_limits<double>::infinity();
  double start_time = 0;
  double time_limit = 10;  ///< [s]
};

}  // namespace thud
