#pragma once

#include <functional>
#include <string>
#include <vector>

#include "thud/dynamics/plan.hpp"
#include "thud/solve/small_systems.hpp"

namespace thud {

/// Forces in the joint that carries a body, as scenario files have them together.
template <class P>
struct JointForcesOf {
  P damping{};                      ///< viscous moment per relative rate [N m s/rad]
  P friction_positive{};            ///< Coulomb moment against positive relative rate [N m]
  P friction_negative{};            ///< Coulomb moment against negative relative rate [N m]
  std::function<P(double)> torque;  ///< T(t) on the body, −T(t) on what carries it [N m]; empty: none
  bool torque_varies = true;        ///< with time
  TimingFunction torque_timing{};   ///< see TimeFunctionOf

  ClampRuleOf<P> clamp{};

  bool has_friction() const {
    return value_of(friction_positive) > 0 || value_of(friction_negative) > 0 || clamp.is_on();
  }
};
using JointForces = JointForcesOf<double>;

/// A system in its surroundings: a tree of bodies, and elements that act on it.
///
/// State y = (q, v, work of each channel, distances): `state_size()` numbers.
template <class P>
class SystemOf {
 public:
  using Elements = ElementTypesOf<P>;
  template <class T>
  using Work = thud::Work<T, P>;
  using Bed = BedOf<P>;
  using Wall = WallOf<P>;
  using Contact = ContactOf<P>;
  using ContactForce = ContactForceOf<P>;
  using SandPiece = SandPieceOf<P>;
  using JointForces = JointForcesOf<P>;
  using Scene = SceneOf<P>;

  SystemOf(TreeOf<P> tree, Vec2<P> gravity);

  const TreeOf<P>& tree() const { return tree_; }
  Vec2<P> gravity() const { return gravity_; }
  Scene scene() const { return {tree_, gravity_, gravity_size_, beds_, walls_, &of<ControllerOf<P>>()}; }

  // ---- elements ----

  /// All elements of a type.
  template <class E>
  const std::vector<E>& of() const {
    return std::get<type_of<E>>(elements_);
  }
  template <class E>
  int add(E element) {
    auto& list = std::get<type_of<E>>(elements_);
    if constexpr (requires { element.attach(tree_); }) element.attach(tree_);
    list.push_back(std::move(element));
    assign_slots();
    return static_cast<int>(list.size()) - 1;
  }
  /// f.operator()<E>(element, its number) for all elements of all types.
  template <class F>
  void each(F&& f) const {
    Elements::each([&]<class E>() {
      const std::vector<E>& list = of<E>();
      for (int k = 0; k < static_cast<int>(list.size()); ++k) f.template operator()<E>(list[k], k);
    });
  }

  const std::vector<Bed>& beds() const { return beds_; }
  const std::vector<SandPiece>& pieces() const { return of<SandPiece>(); }
  const std::vector<Wall>& walls() const { return walls_; }
  const std::vector<ContactForce>& contacts() const { return of<ContactForce>(); }
  const JointForces& joint(int body) const { return joints_[body]; }
  /// α of impacts at several contacts at once.
  P correlation() const { return correlation_; }
  /// Which of several contacts leads an impact.
  LeaderRule leader() const { return leader_; }

  /// Adds a bed and lets the given parts of bodies feel it.
  int add_bed(Bed bed);
  /// Puts another bed in the place of one; the bodies that feel it remain.
  void set_bed(int index, Bed bed);
  void add_piece(int body, int bed, const PartOf<P>& part);
  /// Adds a wall; contacts say what may touch it.
  int add_wall(Wall wall);
  int add_contact(Contact contact);
  void set_contact_law(int contact, ContactLawOf<P> law);
  void set_correlation(P alpha) { correlation_ = alpha; }
  void set_leader(LeaderRule rule) { leader_ = rule; }
  void set_joint(int body, JointForces forces);
  /// Air drag −k|v_C|v_C at the mass centre, k = ½ C_d ρ A [kg/m] (Lee 2009, §3.3).
  void set_air_drag(int body, P k, TimeFunctionOf<P> wind = {});
  /// Also integrates the path length ∫|v_C|dt of every body.
  void track_distance(bool on) { track_distance_ = on; }
  bool tracks_distance() const { return track_distance_; }

  // ---- state ----

  int dof_count() const { return tree_.dof_count(); }
  /// Energy channels that this system can use.
  const std::vector<Channel>& channels() const { return channels_; }
  int quadrature_count() const;
  int state_size() const { return 2 * dof_count() + quadrature_count(); }
  /// Place in y of a channel's work, −1 if it has none.
  int channel_slot(Channel c) const { return slot_[static_cast<int>(c)]; }
  int distance_slot(int body) const { return track_distance_ ? distance_slot_ + body : -1; }

  Mode make_mode() const;
  /// Makes a mode like make_mode(), in the memory of an old one.
  void reset(Mode& mode) const;
  template <class T>
  void prepare(Work<T>& work) const;

  // ---- right-hand side ----

  /// The right-hand side in a mode: fills `work` and dy/dt (whose first half is v).
  template <class T>
  void evaluate(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const;

  /// What acts in a mode, for evaluate_planned: the same without filling `work` with what guards and observables read,
  /// for the inner stages of a step.
  void make_plan(const Mode& mode, thud::Work<double>& work, Plan& plan) const;
  void evaluate_planned(double t, const double* y, const Mode& mode, const Plan& plan,
                        thud::Work<double>& work, double* dydt) const;

  /// Fills `work` only, but for the forces of held switches and accelerations: for guards that do not need them.
  template <class T>
  void evaluate_motion(double t, const T* y, const Mode& mode, Work<T>& work) const;

  /// Calls sink(value, tolerance, id) for every guard of the mode; all are positive while the mode is valid.
  template <class T, class Sink>
  void guards(const Mode& mode, const Work<T>& work, const Scales& scales, Sink&& sink) const;

  /// The value of one guard; with evaluate_element before it where it needs no forces.
  template <class T>
  T guard(const GuardId& id, const Mode& mode, const Work<T>& work, const Scales& scales) const;
  /// Fills `work` with the poses, and with what one element finds out.
  template <class T>
  void evaluate_element(double t, const T* y, const Mode& mode, const GuardId& of, Work<T>& work) const;

  /// Generalised forces of weight and of the elements that act in small vibrations, less the inertia terms. Trees for
  /// which `floating` is set fall freely: they feel no weight.
  template <class T>
  void vibration_forces(const T* q, const T* v, const std::vector<char>& floating, const Mode& mode,
                        Work<T>& work, T* generalised) const;

  // ---- switches ----

  /// γ of a switch, and its row of the Jacobian (added to `row`).
  template <class T>
  T switch_rate(SwitchRef s, const Work<T>& work) const;
  template <class T>
  void add_switch_row(SwitchRef s, const Work<T>& work, T* row) const;
  /// λ of a switch.
  template <class T>
  T& switch_force(SwitchRef s, Work<T>& work) const;
  template <class T>
  const T& switch_force(SwitchRef s, const Work<T>& work) const {
    return switch_force(s, const_cast<Work<T>&>(work));
  }
  /// Bounds [−lower, upper] of the force of a switch.
  template <class T>
  void switch_bounds(SwitchRef s, const Work<T>& work, T& lower, T& upper) const;
  SwitchClass switch_class(SwitchRef s) const;
  /// Of an element with switches that are held together (SwitchClass::hull): f(element, its number of that hull, its mode, its
  /// work).
  template <class F>
  void with_hull(SwitchRef s, Mode& mode, const Work<double>& work, F&& f) const {
    Elements::at(s.type, [&]<class E>() {
      if constexpr (requires { E::hulls; }) {
        int hull = 0;
        while (s.sub >= E::hulls[hull].first + E::hulls[hull].count) ++hull;
        f(of<E>()[s.index], hull, mode.template of<E>()[s.index], work.template of<E>()[s.index]);
      }
    });
  }
  /// γ is an angular velocity.
  bool switch_turns(SwitchRef s) const;
  /// Of a normal switch whose contact slides: friction per normal force, 0 of others. Of a friction switch: μ.
  P sliding_friction(SwitchRef s, const Mode& mode) const;
  P friction_coefficient(SwitchRef s) const;
  /// Its force is not along its row (sole.hpp).
  bool has_own_force(SwitchRef s) const;
  std::int8_t& switch_state(SwitchRef s, Mode& mode) const;
  /// Closes or opens the contact of a normal switch; nothing for others.
  void set_closed(SwitchRef s, bool closed, Mode& mode) const;
  /// Every switch that acts in the mode.
  void active_switches(const Mode& mode, std::vector<SwitchRef>& out) const;
  void list_stuck(Mode& mode) const;
  std::string switch_name(SwitchRef s) const;
  /// Of the element that a switch belongs to.
  std::string element_name(SwitchRef s) const;

  // ---- constraints: conditions of elements that always hold ----

  const std::vector<SwitchRef>& constraints() const { return constraints_; }
  /// How far one is from being met at (t, q), and its rate; its row of the Jacobian (added to `row`).
  template <class T>
  T constraint_gap(SwitchRef c, double t, const T* q, const Frames<T, P>& frames) const;
  template <class T>
  T constraint_rate(SwitchRef c, double t, const Frames<T, P>& frames) const;
  template <class T>
  void add_constraint_row(SwitchRef c, const Frames<T, P>& frames, T* row) const;
  /// Its gap at the start is kept; it is about angles; it depends on the time.
  bool keeps_offset(SwitchRef c) const;
  bool constraint_turns(SwitchRef c) const;
  bool constraint_varies(SwitchRef c) const;
  /// x ← M⁻¹ x as far as the constraints let it; `reaction`: their forces. Zero where they let nothing. `work` must hold an
  /// evaluation of the pose.
  template <class T>
  void solve(const Work<T>& work, T* x, T* reaction = nullptr) const;
  /// Forces of the constraints on each body, for these values of their forces or impulses.
  std::vector<Vec2<P>> constraint_forces(const std::vector<P>& values, const Frames<P, P>& frames) const;

  // ---- contacts ----

  /// g̈ of every contact for the accelerations in `work`, and ġ of the same instant as they are there.
  template <class T>
  void gap_accelerations(const T* y, Work<T>& work, std::vector<T>& out) const;

  // ---- sums over elements ----

  /// Energy stored in elements of all types, or of one.
  template <class T>
  T stored_energy(const Work<T>& work) const;
  template <class E, class T>
  T stored_energy_of(const Work<T>& work) const;
  /// Force on a body by all elements, and moment in its joint.
  template <class T>
  Vec2<T> element_force(int body, const Work<T>& work) const;
  template <class T>
  T joint_moment(int body, const Work<T>& work) const;

 private:
  // The same for a system of one body, in registers.
  template <bool Lean, class Act>
  void evaluate_lone(double t, const double* y, thud::Work<double>& work, double* dydt, Act&& act) const;
  template <class L>
  void make_plan_on(const Mode& mode, thud::Work<double>& work, PlanOn<L>& plan) const;
  // Weight of a rigid body, and its moment about the origin.
  template <class T>
  void find_weight(int body, Vec2<T> u, Vec2<T> w, Vec2<T>& force, T& moment) const;
  template <class E, class T, class Sink>
  void guards_of(int index, const Scene& here, const Mode& mode, const Work<T>& work, const Scales& scales,
                 Sink&& sink) const;
  // Poses, weights, and what act(load) adds.
  template <class T, class Act>
  void load_bodies(double t, const T* y, Work<T>& work, Act&& act) const;
  template <class L, class T>
  void apply_all(const Mode& mode, L& load, Work<T>& work) const;
  template <class T>
  void fill_rates(const T* y, const T* vdot, const Work<T>& work, T* dydt) const;
  template <class T>
  void add_weight(int body, Vec2<P> gravity, Work<T>& work) const;
  template <class T>
  void hold(const Mode& mode, const T* q, const T* v, Work<T>& work) const;
  template <class T>
  bool hold_by_sweep(const Mode& mode, const T* q, const T* v, Work<T>& work) const;
  template <class T>
  void set_held_force(SwitchRef s, T force, P friction, Work<T>& work) const;
  template <class T>
  void move_ahead(const T* q, const T* v, Work<T>& work) const;
  template <class T>
  T hold_bias(SwitchRef s, const Mode& mode, const T* q, const T* v, bool& moves, Work<T>& work) const;
  template <class T>
  void fill_drive(SwitchRef s, P friction, const T* row, const T* applied, const Work<T>& work, T* drive,
                  T* response) const;
  template <class T>
  T hold_scale(SwitchRef s, const Work<T>& work) const;
  template <class T>
  T pressing_share(SwitchRef normal, const Mode& mode, const Work<T>& work) const;
  // f.operator()<E>(element) for the element that has a switch.
  template <class F>
  decltype(auto) with_switch(SwitchRef s, F&& f) const;
  // The same for the element that has a constraint.
  template <class F>
  decltype(auto) with_constraint(SwitchRef c, F&& f) const;
  template <class T>
  void constrain(double t, const T* q, const T* v, Work<T>& work) const;
  template <class T>
  void take_reactions(Work<T>& work) const;
  template <class E>
  void remove_from_joint(int body);
  void assign_slots();

  TreeOf<P> tree_;
  Vec2<P> gravity_;
  P gravity_size_;
  std::vector<Bed> beds_;
  std::vector<Wall> walls_;
  template <class E>
  using Itself = E;
  typename Elements::template Vectors<Itself> elements_;
  std::vector<JointForces> joints_;
  P correlation_{};
  LeaderRule leader_ = LeaderRule::fastest;
  std::vector<Vec2<P>> weight_;
  std::vector<BodyPointOf<P>> weight_at_;  // where it acts on rigid bodies
  bool track_distance_ = false;
  std::array<int, channel_count> slot_{};
  int distance_slot_ = 0;
  std::vector<Channel> channels_;
  std::vector<SwitchRef> constraints_;
  bool may_sweep_ = false;          // HeldSweep::fits the tree
  bool is_lone_ = false;            // one body, and only elements that take a LoneLoad
  std::uint32_t types_in_use_ = 0;  // a bit for every type that has an element
};
using System = SystemOf<double>;

}  // namespace thud

#include "thud/dynamics/system_impl.hpp"
