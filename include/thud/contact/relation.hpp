#pragma once

#include "thud/contact/contact.hpp"

namespace thud {

/// A contact at one instant: its gap, and how it moves.
///
///   wall:  g = −δ(P_a) − r_a              δ the depth of the centre of the feature in the wall, which may ride on b
///   pair:  g = |P_a − P_b| − r_a − r_b
///   stop:  g = ±(φ − limit)               φ the angle or travel in the joint; ġ = ±φ̇, no normal and no slip
///   rope:  g = ±(|P_a − P_b| − limit)     − for a rope: its normal points from a to b
///
/// The normal points from the wall, or from b, to a; the tangent is (−n_z, n_x), which for a wall is the tangent of its
/// plane. ġ = n·(v_a − v_b); the slip is t·(v_a − v_b) of the points that touch, so a disc that rolls has none.
template <class T>
struct Touching {
  T gap{}, gap_rate{}, slip_rate{};
  Vec2<T> normal{}, tangent{};
  Vec2<T> arm_a{}, arm_b{};         ///< from the origins of the bodies to the centres of the features
  Vec2<T> offset_a{}, offset_b{};   ///< from the centres to where they touch
  T normal_force{}, shear_force{};  ///< on a, along the normal and the tangent
  T stored{};                       ///< energy in the indentation
  bool off = false;                 ///< a controller lets nothing touch here

  /// As far as anybody can see, nothing is near.
  void hide() {
    gap = T(out_of_reach);
    gap_rate = T(0);
  }
  static constexpr double out_of_reach = 1e6;  ///< [m]
};

namespace detail {

/// Velocity of the point of a feature at `offset` from its centre, which is at `arm` from the origin of its body.
template <class P, class T>
[[gnu::always_inline]] inline Vec2<T> feature_velocity(const FeatureOf<P>& f, Vec2<T> arm, Vec2<T> offset,
                                                       const Frames<T, P>& frames) {
  Vec2<T> v = frames.velocity(f.body, arm);
  T rate = frames.rate[f.body];
  if (frames.beam[f.body]) {
    v += frames.deflection_rate(f.body, f.point.s) * frames.w[f.body];
    if (!is_zero(f.radius)) rate += frames.slope_rate(f.body, f.point.s);
  }
  return v + rate * turned(offset);
}

}  // namespace detail

/// Of stops and distances.
template <class P, class T>
void measure_bound(const ContactOf<P>& c, const TreeOf<P>& tree, const Frames<T, P>& frames, const T* q,
                   Touching<T>& out) {
  const double sense = c.sense;
  if (c.wall == facing::stop) {
    out.gap = sense * (tree.joint_position(frames, q, c.a.body) - c.limit);
    out.gap_rate = sense * tree.joint_rate(frames, c.a.body);
    return;
  }
  out.arm_a = frames.arm(c.a.body, c.a.point);
  Vec2<T> apart = frames.origin[c.a.body] + out.arm_a;
  Vec2<T> relative = detail::feature_velocity(c.a, out.arm_a, Vec2<T>{}, frames);
  if (c.b.body >= 0) {
    out.arm_b = frames.arm(c.b.body, c.b.point);
    apart = apart - frames.origin[c.b.body] - out.arm_b;
    relative = relative - detail::feature_velocity(c.b, out.arm_b, Vec2<T>{}, frames);
  } else {
    apart = apart - Vec2<T>{T(c.anchor.x), T(c.anchor.z)};
  }
  const T distance = norm(apart);
  out.gap = sense * (distance - c.limit);
  out.normal = distance > T(0) ? (T(sense) / distance) * apart : Vec2<T>{T(0), T(-1)};
  out.tangent = {-out.normal.z, out.normal.x};
  out.gap_rate = dot(out.normal, relative);
  out.slip_rate = dot(out.tangent, relative);
}

/// `q`: the coordinates; only stops ask for them.
template <class P, class T>
void measure(const ContactOf<P>& c, const TreeOf<P>& tree, const std::vector<WallOf<P>>& walls,
             const Frames<T, P>& frames, const T* q, Touching<T>& out) {
  if (c.wall < facing::feature) return measure_bound(c, tree, frames, q, out);
  out.arm_a = frames.arm(c.a.body, c.a.point);
  const Vec2<T> at = frames.origin[c.a.body] + out.arm_a;
  if (c.rides) {
    // The point of b that is touched moves along it: with it, v_b has the turning of the plane in it.
    const PlaneOf<P>& plane = walls[c.wall].plane;
    const Vec2<T> u = frames.u[c.b.body], w = frames.w[c.b.body];
    const Vec2<T> from = at - frames.origin[c.b.body];
    out.normal = -plane.normal.x * w - plane.normal.z * u;
    out.gap = dot(out.normal, from - plane.point.x * w - plane.point.z * u) - c.a.radius;
    out.arm_b = from - c.a.radius * out.normal;
  } else if (c.wall >= 0) {
    const PlaneOf<P>& plane = walls[c.wall].plane;
    out.gap = -plane.depth(at) - c.a.radius;
    out.normal = {T(-plane.normal.x), T(-plane.normal.z)};
  } else {
    out.arm_b = frames.arm(c.b.body, c.b.point);
    const Vec2<T> apart = at - frames.origin[c.b.body] - out.arm_b;
    const T distance = norm(apart);
    out.gap = distance - (c.a.radius + c.b.radius);
    out.normal = distance > T(0) ? (T(1) / distance) * apart : Vec2<T>{T(0), T(-1)};
  }
  out.tangent = {-out.normal.z, out.normal.x};
  out.offset_a = T(-c.a.radius) * out.normal;
  Vec2<T> relative = detail::feature_velocity(c.a, out.arm_a, out.offset_a, frames);
  if (c.wall < 0 || c.rides) {
    if (!c.rides) out.offset_b = T(c.b.radius) * out.normal;
    relative = relative - detail::feature_velocity(c.b, out.arm_b, out.offset_b, frames);
  }
  out.gap_rate = dot(out.normal, relative);
  out.slip_rate = dot(out.tangent, relative);
}

}  // namespace thud
