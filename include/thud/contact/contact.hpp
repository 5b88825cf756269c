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
template <class P>
struct WallOf {
  std::string name;
  PlaneOf<P> plane;
};
using Wall = WallOf<double>;

/// What happens at a contact.
template <class P>
struct ContactLawOf {
  P friction{};                        ///< μ
  P restitution{};                     ///< e
  std::function<P(P)> restitution_at;  ///< e of the speed of approach [m/s]; empty: `restitution`
  RestitutionLaw law = RestitutionLaw::stronge;
  ImpulseLaw impulse;              ///< the user's own law of a single contact; impacts of several keep to e
  std::optional<P> correlation{};  ///< α of this contact where it is not that of the system

  /// Compliant instead of rigid: F = k δⁿ (1 + d δ̇), not below 0 (Hertz; Hunt & Crossley 1975).
  bool compliant = false;
  P stiffness{};        ///< k [N/mⁿ]
  P exponent = P(1.5);  ///< n
  P damping{};          ///< d [s/m]

  P restitution_of(P speed) const { return restitution_at ? restitution_at(speed) : restitution; }
};
using ContactLaw = ContactLawOf<double>;

/// A round or sharp feature of a body: a circle about a point of it, a corner when the radius is zero.
template <class P>
struct FeatureOf {
  std::string name;
  int body = 0;
  BodyPointOf<P> point{};
  P radius{};
};
using Feature = FeatureOf<double>;

/// A pair that may touch: a feature against a wall, or against a feature of another body.
template <class P>
struct ContactOf {
  std::string name;
  FeatureOf<P> a;
  int wall = -1;  ///< −1: against `b`
  FeatureOf<P> b{};
  ContactLawOf<P> law;
};
using Contact = ContactOf<double>;

}  // namespace thud
