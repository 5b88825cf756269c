#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thud/contact/impact.hpp"
#include "thud/granular/immersion.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

/// A rigid rough plane; its normal points into it.
struct Wall {
  std::string name;
  Plane plane;
};

/// What happens at a contact.
struct ContactLaw {
  double friction = 0;                           ///< μ
  double restitution = 0;                        ///< e
  std::function<double(double)> restitution_at;  ///< e of the speed of approach [m/s]; empty: `restitution`
  RestitutionLaw law = RestitutionLaw::stronge;
  ImpulseLaw impulse;  ///< the user's own law of a single contact; impacts of several keep to e
  std::optional<double> correlation{};  ///< α of this contact where it is not that of the system

  /// Compliant instead of rigid: F = k δⁿ (1 + d δ̇), not below 0 (Hertz; Hunt & Crossley 1975).
  bool compliant = false;
  double stiffness = 0;   ///< k [N/mⁿ]
  double exponent = 1.5;  ///< n
  double damping = 0;     ///< d [s/m]

  double restitution_of(double speed) const { return restitution_at ? restitution_at(speed) : restitution; }
};

/// A round or sharp feature of a body: a circle about a point of it, a corner when the radius is zero.
struct Feature {
  std::string name;
  int body = 0;
  BodyPoint point{};
  double radius = 0;
};

/// A pair that may touch: a feature against a wall, or against a feature of another body.
struct Contact {
  std::string name;
  Feature a;
  int wall = -1;  ///< −1: against `b`
  Feature b{};
  ContactLaw law;
};

}  // namespace thud
