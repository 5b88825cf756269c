#pragma once

#include <vector>

#include "thud/mechanics/body.hpp"

namespace thud {

template <class P>
class TreeOf;
using Tree = TreeOf<double>;

/// Pose and velocity of every body frame, filled by Tree::kinematics. P: scalar of the parameters.
template <class T, class P = double>
struct Frames {
  std::vector<Vec2<T>> u, w;                  ///< axis and lateral unit vectors
  std::vector<Vec2<T>> origin;                ///< position of the frame's origin
  std::vector<Vec2<T>> origin_rate;           ///< its velocity
  std::vector<Vec2<T>> centripetal;           ///< its acceleration when v̇ = 0
  std::vector<Vec2<T>> reach;                 ///< to it from the parent's origin, where there is a parent
  std::vector<T> rate;                        ///< of the body's angle
  std::vector<T> travel, travel_rate;         ///< of a slider
  std::vector<const ElasticBeamOf<P>*> beam;  ///< null for rigid bodies
  std::vector<T> eta, eta_rate;               ///< elastic coordinates of all bodies, one after the other
  std::vector<int> eta_begin;                 ///< where those of a body begin

  /// For rigid bodies only.
  void resize(std::size_t bodies) {
    u.resize(bodies), w.resize(bodies), origin.resize(bodies), origin_rate.resize(bodies);
    reach.resize(bodies), rate.resize(bodies), travel.resize(bodies), travel_rate.resize(bodies);
    centripetal.assign(bodies, {});  // that of a root is not written again
    beam.assign(bodies, nullptr), eta_begin.assign(bodies, 0);
  }
  void resize(const TreeOf<P>& tree);

  /// Lateral deflection of the axis at s, its slope, and their rates; zero on rigid parts.
  T deflection(int body, P s) const { return deflect(body, s, eta, false); }
  T deflection_rate(int body, P s) const { return deflect(body, s, eta_rate, false); }
  T slope(int body, P s) const { return deflect(body, s, eta, true); }
  T slope_rate(int body, P s) const { return deflect(body, s, eta_rate, true); }

  /// World vector from the frame's origin to a body point.
  [[gnu::always_inline]] Vec2<T> arm(int body, BodyPointOf<P> p) const {
    if (!beam[body]) return p.s * u[body] + p.n * w[body];
    return p.s * u[body] + (p.n + deflection(body, p.s)) * w[body];
  }
  Vec2<T> position(int body, BodyPointOf<P> p) const { return origin[body] + arm(body, p); }
  /// Velocity of a body point.
  Vec2<T> velocity(int body, BodyPointOf<P> p) const {
    const Vec2<T> v = velocity(body, arm(body, p));
    return beam[body] ? v + deflection_rate(body, p.s) * w[body] : v;
  }
  /// Velocity of what turns with the frame at `arm_`.
  Vec2<T> velocity(int body, Vec2<T> arm_) const { return origin_rate[body] + rate[body] * turned(arm_); }

 private:
  T deflect(int body, P s, const std::vector<T>& coordinates, bool want_slope) const {
    const ElasticBeamOf<P>* b = beam[body];
    if (!b || s < b->start()) return T(0);
    T value, tangent;
    b->deflect(s - b->start(), coordinates.data() + eta_begin[body], value, tangent);
    return want_slope ? tangent : value;
  }
};

/// The frame of one body by value.
template <class T>
struct Frame {
  Vec2<T> u, w, origin, origin_rate;
  T rate;
};

/// A list of one, kept in place.
template <class X>
struct One {
  X value{};
  X& operator[](int) { return value; }
  const X& operator[](int) const { return value; }
};

/// Frames of the only body of a tree, a rigid one: the same for those who ask, but in registers.
template <class T, class P = double>
struct LoneFrames {
  One<Vec2<T>> u, w, origin, origin_rate;
  One<T> rate;

  Vec2<T> arm(int, BodyPointOf<P> p) const { return p.s * u.value + p.n * w.value; }
  Vec2<T> position(int body, BodyPointOf<P> p) const { return origin.value + arm(body, p); }
};
/// Forces on it.
template <class T>
struct LoneWrenches {
  One<Vec2<T>> force;
  One<T> moment;
};

/// Forces on the bodies: resultant and moment about each frame's origin.
template <class T>
struct Wrenches {
  std::vector<Vec2<T>> force;
  std::vector<T> moment;
  std::vector<T> elastic;  ///< on the elastic coordinates, one body after the other

  void resize(std::size_t bodies, std::size_t elastic_coordinates = 0) {
    force.resize(bodies), moment.resize(bodies), elastic.resize(elastic_coordinates);
  }
  void clear() {
    for (auto& f : force) f = {};
    for (auto& m : moment) m = T(0);
    for (auto& e : elastic) e = T(0);
  }
  /// Adds a force acting at `arm` from the body's origin.
  void add(int body, Vec2<T> arm, Vec2<T> f) {
    force[body] += f;
    moment[body] += thud::moment(arm, f);
  }
};

}  // namespace thud
