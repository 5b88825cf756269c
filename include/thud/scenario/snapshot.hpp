#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace thud {

class Instant;
class ObservableIndex;

/// An instant of a run with the observables of its scenario by their names, for observables of one's own. It is gone
/// when the function that got it returns.
class Snapshot {
 public:
  Snapshot(const Instant& instant, const ObservableIndex& index) : instant_(instant), index_(index) {}

  double time() const;  ///< [s]
  /// Of an observable of the scenario, or an own one that was added before [SI]. Throws InputError for unknown names,
  /// with a suggestion.
  double operator[](std::string_view observable) const;
  std::span<const double> q() const;  ///< coordinates
  std::span<const double> v() const;  ///< velocities
  /// Everything else: any point of a body, the system itself (thud/dynamics/observable.hpp).
  const Instant& instant() const { return instant_; }

 private:
  const Instant& instant_;
  const ObservableIndex& index_;
};

/// An observable of one's own. Sweeps call it from several threads at once.
using SnapshotFunction = std::function<double(const Snapshot&)>;

/// What a controller of the user's own does at each tick: fills its outputs. `memory` is its own from tick to tick of a run,
/// and zero at the first tick. Sweeps call it from several threads at once.
using SnapshotController =
    std::function<void(const Snapshot&, std::span<double> outputs, std::span<double> memory)>;

/// Restitution e of the speed of approach [m/s], from 0 to 1.
using RestitutionFunction = std::function<double(double)>;

}  // namespace thud
