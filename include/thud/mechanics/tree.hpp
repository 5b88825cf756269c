#pragma once

#include <memory>
#include <string>
#include <vector>

#include "thud/beam/beam.hpp"
#include "thud/math/vec2.hpp"

namespace thud {

class Tree;

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

/// Pose and velocity of every body frame, filled by Tree::kinematics.
template <class T>
struct Frames {
  std::vector<Vec2<T>> u, w;             ///< axis and lateral unit vectors
  std::vector<Vec2<T>> origin;           ///< position of the frame's origin
  std::vector<Vec2<T>> origin_rate;      ///< its velocity
  std::vector<Vec2<T>> centripetal;      ///< its acceleration when v̇ = 0
  std::vector<T> rate;                   ///< q̇ of the body
  std::vector<const ElasticBeam*> beam;  ///< null for rigid bodies
  std::vector<T> eta, eta_rate;          ///< elastic coordinates of all bodies, one after the other
  std::vector<int> eta_begin;            ///< where those of a body begin

  /// For rigid bodies only.
  void resize(std::size_t bodies) {
    u.resize(bodies), w.resize(bodies), origin.resize(bodies), origin_rate.resize(bodies);
    centripetal.resize(bodies), rate.resize(bodies);
    beam.assign(bodies, nullptr), eta_begin.assign(bodies, 0);
  }
  void resize(const Tree& tree);

  /// Lateral deflection of the axis at s, its slope, and their rates; zero on rigid parts.
  T deflection(int body, double s) const { return deflect(body, s, eta, false); }
  T deflection_rate(int body, double s) const { return deflect(body, s, eta_rate, false); }
  T slope(int body, double s) const { return deflect(body, s, eta, true); }
  T slope_rate(int body, double s) const { return deflect(body, s, eta_rate, true); }

  /// World vector from the frame's origin to a body point.
  Vec2<T> arm(int body, BodyPoint p) const {
    if (!beam[body]) return p.s * u[body] + p.n * w[body];
    return p.s * u[body] + (p.n + deflection(body, p.s)) * w[body];
  }
  Vec2<T> position(int body, BodyPoint p) const { return origin[body] + arm(body, p); }
  /// Velocity of a body point.
  Vec2<T> velocity(int body, BodyPoint p) const {
    const Vec2<T> v = velocity(body, arm(body, p));
    return beam[body] ? v + deflection_rate(body, p.s) * w[body] : v;
  }
  /// Velocity of what turns with the frame at `arm_`.
  Vec2<T> velocity(int body, Vec2<T> arm_) const { return origin_rate[body] + rate[body] * turned(arm_); }

 private:
  T deflect(int body, double s, const std::vector<T>& coordinates, bool want_slope) const {
    const ElasticBeam* b = beam[body];
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

/// Scratch memory of the forward dynamics: the factored mass matrix. One per thread; made by Tree::prepare.
template <class T>
struct MassFactor {
  std::vector<T> h;  ///< n × n, row-major; Lᵀ D L in the lower triangle
  std::vector<T> inverse_diagonal;
};

/// A planar forest of bodies with absolute angles.
///
///   M(q) v̇ + h(q, v) = Q
///
/// Coordinates: for a free root its origin (x, z), then for every body its **absolute** angle and, where it carries a
/// beam, the elastic coordinates η. With absolute angles the inertia of everything beyond a joint acts at the joint as
/// a point mass m_sub, so that with r = s u + (n + w) ŵ over all mass of a body and of the joints on it
///
///   B = ∫ r dm                          first moment; rigid: constant in the body's frame
///   M_θθ = ∫ |r|² dm = J₀ + 2 g·η + ηᵀ S η      g_k = Σ m_sub n Ψ_k,  S_kl = ∫ Ψ_k Ψ_l dm
///   M_θη = ∫ s Ψ_k dm                    M_ηη = S (and the rotary inertia of a tip)     both constant
///   M_ji = V_j · P_i for j above i, 0 on other branches,
///
/// where P is the momentum per rate of a coordinate (turned(B) of an angle, ŵ ∫Ψ_k dm of an elastic coordinate) and V
/// the velocity per rate at the joint that leads there (turned(arm), ŵ Ψ_k). At v̇ = 0 a mass element accelerates with
///
///   centripetal of the origin − q̇² r − 2 q̇ ẇ u        centrifugal and Coriolis terms
///
/// Factored as Lᵀ D L from the leaves to the roots there is no fill-in (Featherstone 2008, ch. 8), so a tree costs
/// O(n depth²), a bundle of links O(n); the elastic coordinates of a last link are leaves, each for itself.
class Tree {
 public:
  /// Bodies in an order where parents come first. Throws std::invalid_argument on a bad mass or parent.
  explicit Tree(std::vector<Body> bodies);

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int dof_count() const { return dof_count_; }
  const Body& body(int i) const { return bodies_[i]; }
  const std::vector<Body>& bodies() const { return bodies_; }
  int angle_dof(int body) const { return angle_dof_[body]; }
  /// First of the elastic coordinates of a body with a beam, −1 for rigid bodies.
  int elastic_dof(int body) const { return elastic_dof_[body]; }
  bool has_beams() const { return elastic_count_ > 0; }
  /// Elastic coordinates of all bodies.
  int elastic_count() const { return elastic_count_; }
  /// Where those of a body begin among the elastic coordinates of all.
  int elastic_begin(int body) const { return elastic_begin_[body]; }
  /// √(k/m) of an elastic coordinate, 0 for the others [rad/s].
  double dof_frequency(int dof) const { return dof_frequency_[dof]; }
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
  /// `shapes`: Ψ_k of the point, when it is one of a beam.
  template <class T>
  void add_point_force(const Frames<T>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised,
                       const T* shapes = nullptr) const;
  /// The same at a body point.
  void add_point_force(const Frames<double>& frames, int body, BodyPoint point, Vec f,
                       double* generalised) const;

  /// Generalised force of a moment on a body, added to `generalised`.
  template <class T>
  void add_moment(int body, T moment, T* generalised) const {
    generalised[angle_dof_[body]] += moment;
  }

  /// Relative rate in the joint that carries a body: of the tangents that meet there.
  template <class T>
  T joint_rate(const Frames<T>& frames, int body) const;
  /// The angle in it, of which joint_rate is the rate.
  template <class T>
  T joint_position(const Frames<T>& frames, const T* q, int body) const;
  /// Its row of the Jacobian, times a moment, added to `generalised`.
  template <class T>
  void add_joint_moment(int body, T moment, T* generalised) const;
  /// The same as wrenches on both bodies.
  template <class T>
  void add_joint_moment(int body, T moment, Wrenches<T>& wrenches) const;

  /// Sizes the factor and fills what does not change with the pose.
  template <class T>
  void prepare(MassFactor<T>& out) const;

  /// Builds and factors the mass matrix at the pose.
  template <class T>
  void factor(const Frames<T>& frames, MassFactor<T>& out) const;

  /// x ← M⁻¹ x.
  template <class T>
  void solve(const MassFactor<T>& factor, T* x) const;
  /// x ← M x, from the same factors.
  template <class T>
  void multiply(const MassFactor<T>& factor, T* x) const;

  /// Acceleration of a point of a body when the coordinates accelerate with v̇.
  Vec acceleration(const Frames<double>& frames, const double* vdot, int body, BodyPoint point) const;

  /// The mass centre, a beam's deflection included: from the origin, its velocity and acceleration.
  template <class T>
  Vec2<T> center_arm(const Frames<T>& frames, int body) const;
  template <class T>
  Vec2<T> center_velocity(const Frames<T>& frames, int body) const;
  Vec center_acceleration(const Frames<double>& frames, const double* vdot, int body) const;
  /// Where the weight of a body acts (see BeamGravity): from the origin, times its mass.
  template <class T>
  Vec2<T> weight_moment(const Frames<T>& frames, int body) const;

  double kinetic_energy(const Frames<double>& frames) const;
  double kinetic_energy(const Frames<double>& frames, int body) const;
  double potential_energy(const Frames<double>& frames, Vec gravity) const;
  double strain_energy(const Frames<double>& frames) const;

 private:
  // What an elastic body has besides: with the point masses of the joints on it.
  struct Flex {
    int count = 0;
    std::vector<double> mean, first;  // ∫Ψ dm, ∫sΨ dm with the joints'
    std::vector<double> offset;       // g_k
    std::vector<double> inertia;      // M_ηη, count × count
    std::vector<double> swing;        // ∫Ψ_kΨ_l dm: the same without the rotary inertia of a tip
    bool linear = false;              // no inertia of the deflection: see Body::linear
    bool diagonal = true;             // both are: no joints on it, no rotary inertia
    std::vector<double> own_slope;    // Ψ'_k at the joint that carries the body
  };
  // Ψ_k and Ψ'_k of the parent where a body is pinned to it.
  struct Attach {
    std::vector<double> shapes, slopes;
  };

  void number_coordinates();
  void find_alone();
  void fill_flex();
  Vec origin_acceleration(const Frames<double>& frames, const double* vdot, int body) const;
  // From the origin of a body's parent to the joint that carries the body.
  template <class T>
  Vec2<T> attach_arm(const Frames<T>& frames, int body) const;
  template <class T>
  Vec2<T> first_moment(const Frames<T>& frames, int body) const;
  template <class T>
  void fill_elastic_rows(const Frames<T>& frames, int body, T* h) const;
  template <class T>
  void reduce_elastic(const Frames<T>& frames, int body, const Wrenches<T>& wrenches, Vec2<T>& f,
                      T* generalised) const;
  // Writes the entries of a row with momentum `p` per rate for all coordinates above `body`.
  template <class T>
  void couple(const Frames<T>& frames, int body, Vec2<T> p, T* row) const;

  std::vector<Body> bodies_;
  std::vector<int> angle_dof_, translation_dof_;
  std::vector<int> dof_parent_;
  std::vector<bool> dof_is_angle_;
  std::vector<double> subtree_mass_, diagonal_;
  std::vector<BodyPoint> first_moment_;  // B_i
  std::vector<char> alone_;  // a tree of one body about its mass centre or pin: constant, diagonal M
  std::vector<char> dof_alone_;
  bool all_alone_ = false;
  int dof_count_ = 0;
  std::vector<int> elastic_dof_, elastic_begin_;
  std::vector<double> dof_frequency_;
  std::vector<Flex> flex_;
  std::vector<Attach> attach_;
  int elastic_count_ = 0;
};

}  // namespace thud

#include "thud/mechanics/tree_impl.hpp"
