#pragma once

#include <memory>
#include <string>

#include "thud/beam/beam.hpp"
#include "thud/math/vec2.hpp"

namespace thud {

/// A point of a body in the body's own frame: s along its axis u = (sin q, cos q), n along w = (cos q, −sin q).
struct BodyPoint {
  double s = 0;
  double n = 0;
};

/// One body of a tree, rigid or with an elastic beam. Its frame has its origin at the joint that carries it
/// (at the undeformed mass centre for a free body); all points below are given in that frame.
/// Mass, centre and inertia are those of the whole body, a beam undeformed and with its tip mass.
struct Body {
  std::string name;
  int parent = -1;           ///< index of the body it is pinned to; −1: pinned to ground, or free
  bool free = false;         ///< root with two translations of its own
  Vec anchor{};              ///< pinned to ground: where [m]
  BodyPoint attach{};        ///< pinned to a body: the point on the parent [m]
  double mass = 0;           ///< [kg]
  BodyPoint center{};        ///< mass centre [m]
  double inertia = 0;        ///< about the mass centre [kg m²]
  double weightless = 0;     ///< the part of the mass that gravity is not to act on [kg]
  double weightless_at = 0;  ///< s of its centre [m]
  std::shared_ptr<const ElasticBeam> beam;  ///< empty: rigid
  bool linear = false;  ///< first order in the deflection: of a beam on the ground with nothing on it
};

}  // namespace thud
