#pragma once

#include <array>
#include <cstdint>
#include <numbers>
#include <vector>

#include "thud/math/dual.hpp"
#include "thud/math/vec2.hpp"
#include "thud/mechanics/body.hpp"

namespace thud {

/// What the sand sees of a body: straight parts, balls, discs and blocks. A body may have several.
enum class PartKind : std::uint8_t {
  segment,   ///< a cylinder along the body's axis, thin enough to be its axis for the depth
  particle,  ///< a ball as the papers treat it: all in or all out with its centre
  ball,      ///< a ball with its immersed cap
  disc,      ///< a disc that turns in the plane of motion
  block,     ///< a rectangle
  beam,      ///< a cylinder along the beam of its body, which bends
  polygon,   ///< straight faces from corner to corner; laws that act at one point do not take it
};

/// Geometry of one part in the frame of its body.
template <class P>
struct PartOf {
  PartKind kind = PartKind::segment;
  P s0{};       ///< segment, block: start along the axis; ball, disc: the centre [m]
  P s1{};       ///< segment, block: end along the axis [m]
  P n{};        ///< lateral offset of the axis or the centre [m]
  P width{};    ///< size across, in the plane of motion [m]
  P breadth{};  ///< size out of the plane [m]
  P section{};  ///< beam: area of its section [m²]
  /// Beam: immersed length and area as if it were straight from its deformed tip on (Lee 2009, eqs 5.37–5.43).
  bool straight = false;
  bool cubic = false;  ///< particle: a cube instead of a ball, V = d³ and A = d² (Lee 2009, §3.4)
  std::vector<BodyPointOf<P>> corners{};  ///< polygon
  bool open = false;                      ///< polygon: thin plates, from the first corner to the last

  P length() const { return s1 - s0; }
  bool is_round() const {
    return kind == PartKind::particle || kind == PartKind::ball || kind == PartKind::disc;
  }
  /// Area of an end face [m²].
  P end_area() const {
    if (kind == PartKind::beam && value_of(section) > 0) return section;
    return kind == PartKind::block ? width * breadth : std::numbers::pi / 4 * width * width;
  }
  int level_count() const {
    switch (kind) {
      case PartKind::segment: return 2;
      case PartKind::particle: return 1;
      case PartKind::block: return 4;
      default: return 3;
    }
  }
  /// Levels that follow a point of the part.
  int point_level_count() const {
    switch (kind) {
      case PartKind::segment:
      case PartKind::beam: return 2;
      case PartKind::block: return 4;
      default: return 1;
    }
  }
};
using Part = PartOf<double>;

/// A plane surface. Depth is measured along the inward normal.
template <class P>
struct PlaneOf {
  Vec2<P> point{};
  Vec2<P> normal{P(0), P(1)};
  Vec2<P> tangent{P(1), P(0)};

  /// Surface through `point` that falls by `slope` [rad] towards +x.
  static PlaneOf make(Vec2<P> point, P slope) {
    using portable::cos, portable::sin;
    const P s = sin(slope), c = cos(slope);
    return {point, {-s, c}, {c, s}};
  }
  template <class T>
  T depth(Vec2<T> p) const {
    return (p.x - point.x) * normal.x + (p.z - point.z) * normal.z;
  }
};
using Plane = PlaneOf<double>;

/// Which side of its switches a part is on. Bit k of `regime` says that level k is positive.
struct Immersion {
  std::uint8_t regime = 0;
  std::int8_t deepest = 1;  ///< segment: +1 the end s1, −1 the end s0; block: corner 0..3
};

/// The immersed part of a part, for one fixed Immersion. All formulas are smooth in the pose.
template <class T>
struct Immersed {
  Vec2<T> arm{};  ///< from the body's origin to E, the centroid of the immersed part
  T length{};     ///< ℓ [m]
  T volume{};     ///< V [m³]
  T depth{};      ///< z_T, depth of the deepest point [m]
  T top{};        ///< z_top, depth of the shallowest immersed point [m]
  T side{};       ///< frontal area for motion across the axis; round parts: for any motion [m²]
  bool whole{};   ///< nothing sticks out
  T at{};         ///< beam: place of E along it, from its start
};

/// Depths whose signs decide the regime: the ends of a segment, the centre of a particle,
/// h, h − r, h − 2r of a ball or disc (h: depth of its lowest point), the corners of a block,
/// the ends of a beam and −DepthProfile::simplicity (positive: it dips in or sticks out between its ends).
template <class T>
struct Levels {
  std::array<T, 4> value{};
  int count = 0;
};

inline constexpr std::array<std::array<int, 2>, 4> block_corner = {{{0, -1}, {0, 1}, {1, 1}, {1, -1}}};

template <class P>
BodyPointOf<P> corner_point(const PartOf<P>& part, int k) {
  return {block_corner[k][0] ? part.s1 : part.s0, part.n + 0.5 * part.width * block_corner[k][1]};
}

/// The point of the body whose depth a level follows.
template <class P>
BodyPointOf<P> level_point(const PartOf<P>& part, int level) {
  if (part.kind == PartKind::block) return corner_point(part, level);
  const bool second = level == 1 && (part.kind == PartKind::segment || part.kind == PartKind::beam);
  return {second ? part.s1 : part.s0, part.n};
}

}  // namespace thud
