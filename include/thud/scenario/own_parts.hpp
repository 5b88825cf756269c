#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "thud/contact/impact.hpp"
#include "thud/granular/own_law.hpp"
#include "thud/scenario/snapshot.hpp"

namespace thud {

/// An impact law of the user's own at a contact: one of the two.
struct OwnImpact {
  std::string contact;
  RestitutionFunction restitution{};
  ImpulseLaw impulse{};
};

/// An observable of the user's own.
struct OwnObservable {
  std::string name, unit, about;
  SnapshotFunction function;
};

/// A controller of the user's own, in the place of the states of a [[controller]] with a `rate`.
struct OwnController {
  std::string name;
  SnapshotController function;
  int memory = 0;  ///< how many numbers it remembers
};

/// What a user adds to a scenario, or puts in the place of what its file says.
struct OwnParts {
  /// Laws by the names of their beds. The coefficients that the file gives belong to its own law, and go with it.
  std::vector<std::pair<std::string, OwnLaw>> laws;
  std::vector<OwnImpact> impacts;
  std::vector<OwnObservable> observables;
  std::vector<OwnController> controllers;
  std::vector<std::pair<std::string, std::string>> results;  ///< names and rules, as in [results]
};

}  // namespace thud
