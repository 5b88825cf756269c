#pragma once

#include <functional>
#include <vector>

#include "lanes/traced.hpp"
#include "thud/event/control.hpp"
#include "thud/event/solver.hpp"

namespace thud::lanes {

/// Everything that a run looks at in a mode, as a straight-line program: dy/dt, guards, conditions, what approaches, and the
/// kinetic energy. Inputs are the state y, then the time.
struct Recording {
  std::vector<Node> nodes;
  std::vector<double> constants;
  std::vector<Assumption> assumptions;
  std::size_t assumptions_of_rates = 0, assumptions_of_looks = 0;  ///< the first of them
  int state_size = 0;

  std::vector<std::int32_t> rates;               ///< dy/dt
  std::vector<std::int32_t> guards;              ///< in the order of System::guards
  std::vector<std::int32_t> conditions;          ///< less their targets
  std::vector<std::int32_t> distances, closing;  ///< of what approaches, and their rates
  std::int32_t kinetic = -1, energy = -1;        ///< kinetic, and all that is stored
  std::vector<std::int32_t> reports;             ///< observables that results ask for

  std::vector<GuardId> ids;
  std::vector<char> is_rough;  ///< per guard: its tolerance follows from the state
  bool is_usable = false;      ///< false: the mode has something that is not written down

  /// The same computation, but for the values of its constants.
  bool has_shape_of(const Recording& other) const;
};

/// Records modes of a system. One per thread.
class Tracer {
 public:
  /// `y` is a state of the mode: comparisons of values go the way they go there.
  Recording record(const System& system, const Mode& mode, double t, const double* y, const Scales& scales,
                   const std::vector<Condition>& conditions, const std::vector<Observable>& reports = {});
  /// The system last recorded has changed, or is gone.
  void forget() { prepared_ = nullptr; }

 private:
  const System* prepared_ = nullptr;
  Work<Traced> work_;
};

/// Where runs start, from their knobs: coordinates, velocities, and numbers of beds that follow the knobs. False where it is
/// not so simple.
struct TracedStart {
  std::vector<Traced> q, v, numbers;
};
using StartRule = std::function<bool(const std::vector<Traced>& knobs, TracedStart& out)>;
/// The same as a program: its inputs are the knobs, its rates coordinates, velocities, speed and reach (Scales), numbers.
Recording record_start(const System& system, const std::vector<double>& knobs, const StartRule& rule);

/// Whether everything that acts in a system can be written down at all: nothing that follows the time, a controller, or a
/// function of the user's.
bool can_be_recorded(const System& system, const std::vector<Condition>& conditions);

}  // namespace thud::lanes
