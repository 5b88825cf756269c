#pragma once

#include <string>
#include <vector>

#include "thud/math/vec2.hpp"

namespace thud {

/// A point of a body in the body's own frame: s along its axis u = (sin q, cos q), n along w = (cos q, −sin q).
struct BodyPoint {
  double s = 0;
  double n = 0;
};

/// One rigid body of a tree. Its frame has its origin at the joint that carries it
/// (at the mass centre for a free body); all points below are given in that frame.
struct RigidBody {
  std::string name;
  int parent = -1;     ///< index of the body it is pinned to; −1: pinned to ground, or free
  bool free = false;   ///< root with two translations of its own
  Vec anchor{};        ///< pinned to ground: where [m]
  BodyPoint attach{};  ///< pinned to a body: the point on the parent [m]
  double mass = 0;     ///< [kg]
  BodyPoint center{};  ///< mass centre [m]
  double inertia = 0;  ///< about the mass centre [kg m²]
};

/// Pose and velocity of every body frame, filled by Tree::kinematics.
template <class T>
struct Frames {
  std::vector<Vec2<T>> u, w;         ///< axis and lateral unit vectors
  std::vector<Vec2<T>> origin;       ///< position of the frame's origin
  std::vector<Vec2<T>> origin_rate;  ///< its velocity
  std::vector<Vec2<T>> centripetal;  ///< its acceleration when v̇ = 0
  std::vector<T> rate;               ///< q̇ of the body

  void resize(std::size_t bodies) {
    u.resize(bodies), w.resize(bodies), origin.resize(bodies), origin_rate.resize(bodies);
    centripetal.resize(bodies), rate.resize(bodies);
  }
  /// World vector from the frame's origin to a body point.
  Vec2<T> arm(int body, BodyPoint p) const { return p.s * u[body] + p.n * w[body]; }
  Vec2<T> position(int body, BodyPoint p) const { return origin[body] + arm(body, p); }
  Vec2<T> velocity(int body, Vec2<T> arm_) const { return origin_rate[body] + rate[body] * turned(arm_); }
};

/// The frame of one body by value.
template <class T>
struct Frame {
  Vec2<T> u, w, origin, origin_rate;
  T rate;
};

/// Forces on the bodies: resultant and moment about each frame's origin.
template <class T>
struct Wrenches {
  std::vector<Vec2<T>> force;
  std::vector<T> moment;

  void resize(std::size_t bodies) { force.resize(bodies), moment.resize(bodies); }
  void clear() {
    for (auto& f : force) f = {};
    for (auto& m : moment) m = T(0);
  }
  /// Adds a force acting at `arm` from the body's origin.
  void add(int body, Vec2<T> arm, Vec2<T> f) {
    force[body] += f;
    moment[body] += thud::moment(arm, f);
  }
};

/// Scratch memory of the forward dynamics: the factored mass matrix. One per thread; made by Tree::prepare.
template <class T>
struct MassFactor {
  std::vector<T> h;  ///< n × n, row-major; Lᵀ D L in the lower triangle
  std::vector<T> inverse_diagonal;
};

/// A planar forest of rigid bodies with absolute angles.
///
///   M(q) v̇ + h(q, v) = Q
///
/// Coordinates: for a free root its mass centre (x, z), then one **absolute** angle per body.
/// With absolute angles the inertia of everything beyond a joint acts at the joint as a point mass, so that
///   M_ii = I_i + m_i|c_i|² + Σ m_sub |a|²,   M_ji = turned(a_j)·turned(B_i) for j above i, 0 on other branches,
/// where B_i = m_i c_i + Σ m_sub a is constant in the body's frame. Factored as Lᵀ D L from the leaves to the
/// roots there is no fill-in (Featherstone 2008, ch. 8), so a tree costs O(n depth²), a bundle of links O(n).
class Tree {
 public:
  /// Bodies in an order where parents come first. Throws std::invalid_argument on a bad mass or parent.
  explicit Tree(std::vector<RigidBody> bodies);

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int dof_count() const { return dof_count_; }
  const RigidBody& body(int i) const { return bodies_[i]; }
  const std::vector<RigidBody>& bodies() const { return bodies_; }
  int angle_dof(int body) const { return angle_dof_[body]; }
  /// First of the two translations of a free root, −1 for other bodies.
  int translation_dof(int body) const { return translation_dof_[body]; }
  /// True when the degree of freedom is an angle.
  bool is_angle(int dof) const { return dof_is_angle_[dof]; }
  double total_mass() const;
  std::string dof_name(int dof) const;

  /// Poses and velocities of all frames.
  template <class T>
  void kinematics(const T* q, const T* v, Frames<T>& out) const;

  /// The same for one body, whose parent must have been done; also returned by value.
  template <class T>
  Frame<T> place(int body, const T* q, const T* v, Frames<T>& out) const;

  /// v̇ under the given wrenches (used up as scratch). Leaves the factored mass matrix in `factor` for solve().
  template <class T>
  void forward_dynamics(const Frames<T>& frames, Wrenches<T>& wrenches, MassFactor<T>& factor, T* vdot) const;

  /// Generalised force of the wrenches, less the inertia terms h(q, v). The wrenches are used up as scratch.
  template <class T>
  void reduce(const Frames<T>& frames, Wrenches<T>& wrenches, T* generalised) const;

  /// Generalised force of one force acting at `arm` from the origin of `body` (Jᵀ f), added to `generalised`.
  template <class T>
  void add_point_force(const Frames<T>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised) const;

  /// Sizes the factor and fills what does not change with the pose.
  template <class T>
  void prepare(MassFactor<T>& out) const;

  /// Builds and factors the mass matrix at the pose.
  template <class T>
  void factor(const Frames<T>& frames, MassFactor<T>& out) const;

  /// x ← M⁻¹ x.
  template <class T>
  void solve(const MassFactor<T>& factor, T* x) const;

  /// Acceleration of a point at `arm` from the body's origin when the coordinates accelerate with v̇.
  template <class T>
  Vec2<T> acceleration(const Frames<T>& frames, const T* vdot, int body, Vec2<T> arm) const;

  double kinetic_energy(const Frames<double>& frames) const;
  double potential_energy(const Frames<double>& frames, Vec gravity) const;

 private:
  void find_alone();

  std::vector<RigidBody> bodies_;
  std::vector<int> angle_dof_, translation_dof_;
  std::vector<int> dof_parent_;
  std::vector<bool> dof_is_angle_;
  std::vector<double> subtree_mass_, diagonal_;
  std::vector<BodyPoint> first_moment_;  // B_i
  std::vector<char> alone_;  // a tree of one body about its mass centre or pin: constant, diagonal M
  std::vector<char> dof_alone_;
  bool all_alone_ = false;
  int dof_count_ = 0;
};

}  // namespace thud

#include "thud/mechanics/tree_impl.hpp"
