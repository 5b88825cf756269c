#pragma once

#include <string>
#include <vector>

#include "thud/mechanics/flex.hpp"
#include "thud/mechanics/frames.hpp"
#include "thud/mechanics/joint.hpp"

namespace thud {

/// Room for the sweeps over a tree with right-hand sides of scalar X.
template <class X>
struct SweepRoom {
  struct Stop {
    mechanics::Load<X> load;
    mechanics::Motion<X> motion;
    bool active = false, reached = false;  ///< on the way up; on the way down
  };
  std::vector<Stop> stops;  ///< one per body
  std::vector<X> elastic;
};

/// Scratch memory of the forward dynamics: the factored mass matrix. One per thread; made by Tree::prepare.
template <class T>
struct MassFactor {
  std::vector<T> inverse_diagonal;
  std::vector<mechanics::BodyFactor<T>> body;
  std::vector<T> flex;                             ///< the blocks of elastic bodies that carry others
  std::vector<mechanics::Articulated<T>> carried;  ///< what a body feels of those on it
  std::vector<mechanics::Articulated<T>> added;    ///< what it takes along that is no body; empty: nothing
  mutable SweepRoom<T> room;
};

/// A planar forest of bodies with absolute angles.
///
///   M(q) v̇ + h(q, v) = Q
///
/// Coordinates: of every body those of its joint (an **absolute** angle for a pin), then, where it carries a beam, the
/// elastic coordinates η. Solved by articulated bodies (Featherstone 2008, ch. 7): from the leaves to the roots every
/// body with all that hangs on it is reduced to the inertia and the force that the seat of its joint feels, from the
/// roots to the leaves the accelerations follow. So M is never made; it is factored as Lᵀ D L with an L that is stored
/// body by body, and everything costs O(n). With r = s u + (n + w) ŵ over the mass of one body,
///
///   ∫ r dm                                first moment; rigid: constant in the body's frame
///   ∫ |r|² dm = J₀ + ∫ w² dm              inertia about the origin
///   centripetal of the origin − q̇² r − 2 q̇ ẇ u      acceleration of a mass element at v̇ = 0
///
/// A pin hands on a force only, so that what it carries acts on its seat like a mass of 2 × 2.
template <class P>
class TreeOf {
 public:
  /// Bodies in an order where parents come first. Throws std::invalid_argument on a bad mass or parent.
  explicit TreeOf(std::vector<BodyOf<P>> bodies);

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int dof_count() const { return dof_count_; }
  const BodyOf<P>& body(int i) const { return bodies_[i]; }
  const std::vector<BodyOf<P>>& bodies() const { return bodies_; }
  /// The coordinate that turns a body: its own, or, behind sliders and welds, that of a body which carries it; −1: none.
  int angle_dof(int body) const { return nodes_[body].angle; }
  /// First of the coordinates of the joint that carries a body (a weld has none).
  int joint_dof(int body) const { return nodes_[body].dof; }
  JointKind joint_kind(int body) const {
    const JointKind kind = nodes_[body].joint;
    return kind == JointKind::geared ? JointKind::pin : kind;
  }
  /// Absolute angle of a body; and its rate, or its acceleration from v̇, in the same way.
  template <class T>
  T angle(int body, const T* q) const {
    return turning(body, q) + shapes_[body].ahead;
  }
  template <class T>
  T angle_rate(int body, const T* v) const {
    return turning(body, v);
  }
  /// First of the elastic coordinates of a body with a beam, −1 for rigid bodies.
  int elastic_dof(int body) const { return nodes_[body].elastic; }
  bool has_beams() const { return elastic_count_ > 0; }
  /// Elastic coordinates of all bodies.
  int elastic_count() const { return elastic_count_; }
  /// Where those of a body begin among the elastic coordinates of all.
  int elastic_begin(int body) const { return nodes_[body].eta; }
  /// √(k/m) of an elastic coordinate, 0 for the others [rad/s].
  P dof_frequency(int dof) const { return dofs_[dof].frequency; }
  /// First of the two translations of a free root, −1 for other bodies.
  int translation_dof(int body) const {
    return nodes_[body].joint == JointKind::free ? nodes_[body].dof : -1;
  }
  /// True when the degree of freedom is an angle.
  bool is_angle(int dof) const { return dofs_[dof].is_angle; }
  P total_mass() const;
  const std::string& dof_name(int dof) const { return dofs_[dof].name; }

  /// Poses and velocities of all frames.
  template <class T>
  void kinematics(const T* q, const T* v, Frames<T, P>& out) const;

  /// The same for one body, whose parent must have been done; also returned by value.
  template <class T>
  Frame<T> place(int body, const T* q, const T* v, Frames<T, P>& out) const;

  /// Every body is a tree of its own with a constant, diagonal M.
  bool all_alone() const { return all_alone_; }
  /// A tree of one rigid body that turns about its mass centre or a fixed pin: a constant, diagonal M.
  bool is_lone() const { return all_alone_ && body_count() == 1; }
  /// A body may take an inertia along that is not its own (MassFactor::added): M is not constant then.
  void couple(int body) { nodes_[body].alone = all_alone_ = false; }
  /// Kinematics and dynamics of such a body.
  template <class T>
  LoneFrames<T, P> place_lone(const T* q, const T* v) const;
  /// `rates`: of y = (q, v).
  template <class T>
  void find_lone_rates(const LoneWrenches<T>& wrenches, const MassFactor<T>& factor, const T* y,
                       T* rates) const {
    accelerate_alone(0, wrenches.force.value, wrenches.moment.value, factor, rates + dof_count_);
    rates[0] = y[dof_count_];
    if (dof_count_ == 1) return;
    rates[1] = y[4];
    rates[2] = y[5];
  }

  /// v̇ under the given wrenches (used up as scratch). Leaves the factored mass matrix in `factor` for solve().
  template <class T>
  void forward_dynamics(const Frames<T, P>& frames, Wrenches<T>& wrenches, MassFactor<T>& factor,
                        T* vdot) const;

  /// Generalised force of the wrenches, less the inertia terms h(q, v). The wrenches are used up as scratch.
  template <class T>
  void reduce(const Frames<T, P>& frames, Wrenches<T>& wrenches, T* generalised) const;

  /// Generalised force of one force acting at `arm` from the origin of `body` (Jᵀ f), added to `generalised`.
  /// `shapes`: Ψ_k of the point, when it is one of a beam.
  template <class T>
  void add_point_force(const Frames<T, P>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised,
                       const T* shapes = nullptr) const;
  /// The same at a body point.
  template <class T>
  void add_point_force(const Frames<T, P>& frames, int body, BodyPointOf<P> point, Vec2<T> f,
                       T* generalised) const;

  /// Generalised force of a moment on a body.
  template <class T>
  void add_moment(int body, T moment, T* generalised) const;

  /// Relative rate in the joint that carries a body: of the tangents that meet there; of the travel of a slider.
  template <class T>
  T joint_rate(const Frames<T, P>& frames, int body) const;
  /// The angle in it, or the travel, of which joint_rate is the rate.
  template <class T>
  T joint_position(const Frames<T, P>& frames, const T* q, int body) const;
  /// Its row of the Jacobian, times a moment (of a slider: a force), added to `generalised`.
  template <class T>
  void add_joint_moment(int body, T moment, T* generalised) const;
  /// The same as wrenches on both bodies.
  template <class T>
  void add_joint_moment(const Frames<T, P>& frames, int body, T moment, Wrenches<T>& wrenches) const;

  /// Sizes the factor and fills what does not change with the pose.
  template <class T>
  void prepare(MassFactor<T>& out) const;

  /// Factors the mass matrix at the pose.
  template <class T>
  void factor(const Frames<T, P>& frames, MassFactor<T>& out) const;

  /// x ← M⁻¹ x. The room in `factor` is used: not from two threads at once.
  template <class T>
  void solve(const MassFactor<T>& factor, T* x) const;
  /// The same for `count` rows of dof_count() each. Rows of point forces and joint moments cost the way to the root
  /// going up, and nothing in other trees.
  template <class T>
  void solve_many(const MassFactor<T>& factor, T* x, int count) const;

  /// Halves of solve, M = Lᵀ D L: lift is x ← L⁻ᵀ x, lower is x ← L⁻¹ D⁻¹ x. For lifted a and b half_product is
  /// aᵀ M⁻¹ b, so that J M⁻¹ Jᵀ takes lifted rows only; and any sum of lifted ones can be lowered at once.
  template <class T>
  void lift(const MassFactor<T>& factor, T* x) const;
  template <class T>
  void lower(const MassFactor<T>& factor, T* x) const;
  template <class T>
  T half_product(const MassFactor<T>& factor, const T* a, const T* b) const;
  /// Factors as forward_dynamics does, and lifts the forces: lower() makes v̇ of them.
  template <class T>
  void lift_forces(const Frames<T, P>& frames, Wrenches<T>& wrenches, MassFactor<T>& factor, T* x) const;

  /// x ← M x at the pose of the factor.
  template <class T>
  void multiply(const MassFactor<T>& factor, T* x) const;

  /// Acceleration of a point of a body when the coordinates accelerate with v̇.
  template <class T>
  Vec2<T> acceleration(const Frames<T, P>& frames, const T* vdot, int body, BodyPointOf<P> point) const;

  /// The mass centre, a beam's deflection included: from the origin, its velocity and acceleration.
  template <class T>
  Vec2<T> center_arm(const Frames<T, P>& frames, int body) const;
  template <class T>
  Vec2<T> center_velocity(const Frames<T, P>& frames, int body) const;
  template <class T>
  Vec2<T> center_acceleration(const Frames<T, P>& frames, const T* vdot, int body) const;
  /// Where the weight of a body acts (see BeamGravity): from the origin, times its mass.
  template <class T>
  Vec2<T> weight_moment(const Frames<T, P>& frames, int body) const;

  template <class T>
  T kinetic_energy(const Frames<T, P>& frames) const;
  template <class T>
  T kinetic_energy(const Frames<T, P>& frames, int body) const;
  template <class T>
  T potential_energy(const Frames<T, P>& frames, Vec2<P> gravity) const;
  template <class T>
  T strain_energy(const Frames<T, P>& frames) const;

 private:
  // What the sweeps want to know of a body.
  struct alignas(64) Node {
    JointKind joint = JointKind::pin;
    bool alone = false;    // a tree of one body about its mass centre or pin: constant, diagonal M
    bool carries = false;  // other bodies
    bool opens = false;    // the first one of its parent on the way up
    bool on_beam = false;  // the parent is elastic
    bool turns = false;    // with what carries it
    bool hands = false;    // moments to what carries it
    int parent = -1;
    int dof = 0;             // first coordinate of the joint
    int end = 0;             // one past its last coordinate, elastic ones included
    int angle = -1;          // the coordinate that turns it
    int elastic = -1;        // first elastic coordinate
    int eta = 0;             // the same among all elastic coordinates
    int block = 0;           // of factors of the elastic coordinates
    P mass{}, turn{};        // turn: inertia about the origin
    P rotor{};               // of the motion in the joint, where that is relative
    BodyPointOf<P> first{};  // mass times centre
    BodyPointOf<P> attach{};
    Vec2<P> anchor{};
  };
  struct Dof {
    std::string name;
    bool is_angle;
    P frequency;
  };

  void number_coordinates(int body);
  void check_inertia() const;
  void fill_flex();
  void find_alone();
  void read_joint(int body);
  void add_rotor(int body);
  template <bool Turns, class T>
  void find_seat(const Node& n, int body, const Frames<T, P>& frames, mechanics::Seat<T>& seat) const;
  template <bool Elastic, class T>
  void find_first_moment(const Frames<T, P>& frames, int body, mechanics::BodyFactor<T>& out) const;
  template <bool Elastic, class T>
  mechanics::Load<T> net_load(const Frames<T, P>& frames, int body, const Wrenches<T>& wrenches, T* x,
                              mechanics::BodyFactor<T>& out) const;
  template <bool Elastic, bool Moment, class T>
  void hand_load(const Node& n, int body, const Frames<T, P>& frames, Vec2<T> offset,
                 const mechanics::Load<T>& load, Wrenches<T>& wrenches) const;
  template <bool Elastic, class Joint, class T>
  void hand_inertia(const Node& n, int body, const mechanics::Articulated<T>& a, MassFactor<T>& factor) const;
  template <bool Forces, bool Elastic, class T>
  void climb(const Frames<T, P>& frames, Wrenches<T>* wrenches, MassFactor<T>& factor, T* x) const;
  template <class T>
  void forward_articulated(const Frames<T, P>& frames, Wrenches<T>& wrenches, MassFactor<T>& factor,
                           T* vdot) const;
  template <class T>
  void accelerate_alone(int body, Vec2<T> force, T moment, const MassFactor<T>& factor, T* vdot) const;
  template <class T>
  void add_load(const Frames<T, P>& frames, int body, mechanics::Load<T> load, T* generalised) const;
  template <class T>
  Vec2<T> line_of(const Frames<T, P>& frames, int body) const;
  template <class T>
  T turning(int body, const T* x) const;
  template <class T>
  void add_seat_moment(int body, T moment, T* generalised) const;
  template <bool Moment, class T, class X>
  void add_to_beam(int body, Vec2<T> side, Vec2<T> offset, const mechanics::Load<X>& load, X* elastic) const;
  template <bool Elastic, class T, class X>
  mechanics::Motion<X> seat_motion(const Node& n, int body, const mechanics::BodyFactor<T>& b, Vec2<T> side,
                                   const mechanics::Motion<X>& m, const X* x) const;
  // Whether a right-hand side has anything for the coordinates of a body.
  template <class X>
  bool is_touched(const Node& n, const X* x) const;
  template <bool Elastic, class T, class X>
  void sweep_up(const MassFactor<T>& factor, X* x, SweepRoom<X>& room) const;
  template <bool Elastic, bool Sparse, class T, class X>
  void sweep_down(const MassFactor<T>& factor, X* x, SweepRoom<X>& room) const;
  template <class T>
  mechanics::Motion<T> motion(const Frames<T, P>& frames, const T* vdot, int body) const;

  std::vector<BodyOf<P>> bodies_;
  std::vector<Node> nodes_;
  std::vector<mechanics::JointShapeOf<P>> shapes_;
  std::vector<Dof> dofs_;
  std::vector<mechanics::FlexOf<P>> flex_;
  std::vector<mechanics::FlexSeatOf<P>> seats_;
  bool all_alone_ = false, has_gears_ = false;
  int dof_count_ = 0, elastic_count_ = 0;
  std::size_t block_count_ = 0, room_size_ = 0;
};
using Tree = TreeOf<double>;

}  // namespace thud

#include "thud/mechanics/tree_impl.hpp"
