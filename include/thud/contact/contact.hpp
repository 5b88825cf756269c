#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thud/contact/impact.hpp"
#include "thud/granular/immersion.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

/// A rigid rough plane; its normal points into it. One that is carried by a body is given as if the origin of the body was
/// that of the world and its axis pointed down.
template <class P>
struct WallOf {
  std::string name;
  PlaneOf<P> plane;
  int on = -1;  ///< the rigid body that carries it; −1: it stands still
};
using Wall = WallOf<double>;

/// What a sliding contact does where friction presses it together (Painlevé): with two answers, or with none, where all
/// but `stop` end the slip by an impact without collision.
enum class Painleve : std::uint8_t {
  lift,   ///< opens
  slide,  ///< slides on, under the force that keeps it closed
  jam,    ///< an impact without collision
  stop,   ///< the run ends
};
const char* painleve_name(Painleve policy);

/// What happens at a contact.
template <class P>
struct ContactLawOf {
  P friction{};                        ///< μ
  P restitution{};                     ///< e
  std::function<P(P)> restitution_at;  ///< e of the speed of approach [m/s]; empty: `restitution`
  RestitutionLaw law = RestitutionLaw::stronge;
  ImpulseLaw impulse;              ///< the user's own law of a single contact; impacts of several keep to e
  std::optional<P> correlation{};  ///< α of this contact where it is not that of the system
  Painleve painleve = Painleve::lift;

  /// Compliant instead of rigid: F = k δⁿ (1 + d δ̇), not below 0 (Hertz; Hunt & Crossley 1975).
  bool compliant = false;
  P stiffness{};        ///< k [N/mⁿ]
  P exponent = P(1.5);  ///< n
  P damping{};          ///< d [s/m]
  bool linear = false;  ///< F = k δ + c δ̇ instead, not below 0; c is `damping`

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

/// What a contact is against, where that is no wall.
namespace facing {
inline constexpr int feature = -1;  ///< the feature `b` of another body
inline constexpr int stop = -2;     ///< a stop in the joint that carries the body of `a`
inline constexpr int distance =
    -3;  ///< points `a` and `b` whose distance is limited: a rope, a strut that is used up
}  // namespace facing

/// A pair that may touch: a feature against a wall, or against a feature of another body. Stops and ropes are the same
/// without friction: what they bound is never negative, and their force only pushes it back.
template <class P>
struct ContactOf {
  std::string name;
  FeatureOf<P> a;
  int wall = facing::feature;  ///< number of the wall, or one of `facing`
  bool rides = false;          ///< the wall is carried by the body of b
  FeatureOf<P> b{};            ///< body −1: a point of the world
  ContactLawOf<P> law;
  // Of stops and distances:
  P limit{};           ///< of the angle or travel in the joint [rad or m], or of the distance [m]
  int sense = 1;       ///< 1: not below the limit; −1: not above
  bool turns = false;  ///< the gap is an angle, and the force a moment
  Vec2<P> anchor{};    ///< the point of the world that b is

  /// Whether its force acts on a second body, at b.
  bool has_other() const { return wall < 0 ? wall != facing::stop && b.body >= 0 : rides; }
};
using Contact = ContactOf<double>;

}  // namespace thud
