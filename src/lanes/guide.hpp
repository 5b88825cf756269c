#pragma once

#include <vector>

#include "dynamics/selector.hpp"
#include "lanes/itinerary.hpp"

namespace thud::lanes {

/// Selects the next mode of a ride with the engine's selector, where none that is known to follow holds.
class Guide {
 public:
  explicit Guide(const System& system) : system_(system), selector_(system), slope_(system.state_size()) {
    system.prepare(work_);
  }
  /// The system must be as the ride's knobs have it.
  void help(const Itinerary& itinerary, Ride& ride);

 private:
  const System& system_;
  ModeSelector selector_;
  Work<double> work_;
  std::vector<double> slope_;
};

}  // namespace thud::lanes
