#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "thud/contact/relation.hpp"
#include "thud/granular/laws.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

/// When a joint that has turned sticks, after Chapnik, Heppler & Aplevich (1991), §IV: it is clamped when its rate and the
/// kinetic energy of the bending of its beam are below thresholds at the same time, and let go when the moment of the
/// bent beam leaves the band of static friction. Off: Coulomb's rule alone, which needs no thresholds.
struct ClampRule {
  double rate = 0;             ///< |q̇| below which it may be clamped [rad/s]; 0: no such rule
  double energy = 0;           ///< ½ Σ m η̇² of the beam below which it may be clamped [J]
  double static_positive = 0;  ///< moment that holds it against positive turning [N m]
  double static_negative = 0;  ///< and against negative turning [N m]

  bool is_on() const { return rate > 0; }
  bool is_given() const { return energy > 0; }  ///< it may be turned off all the same
};

/// Forces in the joint that carries a body.
struct JointForces {
  double damping = 0;                    ///< viscous moment per relative rate [N m s/rad]
  double friction_positive = 0;          ///< Coulomb moment against positive relative rate [N m]
  double friction_negative = 0;          ///< Coulomb moment against negative relative rate [N m]
  std::function<double(double)> torque;  ///< T(t) on the body, −T(t) on what carries it [N m]; empty: none

  ClampRule clamp{};

  bool has_friction() const { return friction_positive > 0 || friction_negative > 0 || clamp.is_on(); }
};

/// One part of a body against one bed.
struct Piece {
  int body = 0;
  int bed = 0;
  Part part;
  // Kept ready for the right-hand side.
  double inverse_width = 0, end_area = 0, mass = 0;
};

/// Where work goes: the lines of the energy account.
enum class Channel : std::uint8_t {
  drag,
  static_normal,
  static_shear,
  spin,
  air,
  damping,
  joint_friction,
  material,          // damping inside beams
  contact_friction,  // on walls and between bodies that stay in contact
  contact_damping,   // of compliant contacts
  impact,
  torque
};
inline constexpr int channel_count = 12;
const char* channel_name(Channel channel);

/// State of a set-valued force (docs/theory/switches.md).
namespace slip {
inline constexpr std::int8_t forward = 1, backward = -1;  ///< γ > 0, γ < 0
inline constexpr std::int8_t stuck = 0;                   ///< γ = 0, the force follows from γ̇ = 0
/// γ = 0 because others hold it, with the force at its bound.
inline constexpr std::int8_t carried_forward = 2, carried_backward = -2;
/// γ = 0 because others hold it, without a force of its own.
inline constexpr std::int8_t idle = 3;
inline bool is_slipping(std::int8_t s) { return s == forward || s == backward; }
/// The force that the state fixes, for bounds [−lower, upper].
template <class T>
T fixed_force(std::int8_t s, T lower, T upper) {
  return s == stuck || s == idle ? T(0) : (s > 0 ? -lower : upper);
}
inline int sign(std::int8_t s) { return s > 0 ? 1 : -1; }
}  // namespace slip

/// Every sign, absolute value and clip of one piece, fixed while a mode lasts.
struct PieceMode {
  Immersion immersion;
  std::int8_t cross = 1;     ///< sign of u × v_E; 0: moving along its own axis (AreaRule::side_or_end)
  std::int8_t along = 1;     ///< sign of u · v_E
  std::int8_t end_area = 0;  ///< AreaRule::floor: 1 when the end face is the larger area
  std::int8_t normal = 1, shear = 1, spin = 1;  ///< slip states
  bool at_bottom = false;

  friend bool operator==(const PieceMode& a, const PieceMode& b) {
    return a.immersion.regime == b.immersion.regime && a.immersion.deepest == b.immersion.deepest
        && a.cross == b.cross && a.along == b.along && a.end_area == b.end_area && a.normal == b.normal
        && a.shear == b.shear && a.spin == b.spin && a.at_bottom == b.at_bottom;
  }
};

/// What a contact does. Rigid ones are open or closed; compliant ones open, pressed, or slack: still indented, with the
/// force cut off at zero.
enum class Touch : std::uint8_t { open, closed, pressed, slack };

struct ContactMode {
  Touch touch = Touch::open;
  std::int8_t normal = 0;  ///< closed: slip::stuck, or slip::idle when others keep it closed
  std::int8_t slip = 1;    ///< slip state of its friction

  friend bool operator==(const ContactMode&, const ContactMode&) = default;
};

enum class SwitchKind : std::uint8_t { normal, shear, contact_normal, contact_shear, spin, joint };
struct SwitchRef {
  SwitchKind kind;
  int index;  ///< piece, contact, or body for a joint
};

/// A mode of the whole system: inside it the right-hand side is smooth.
struct Mode {
  std::vector<PieceMode> piece;
  std::vector<std::int8_t> joint;  ///< slip state of the joint friction, per body
  std::vector<char> clamped;       ///< by its ClampRule, per body
  std::vector<ContactMode> contact;
  std::vector<SwitchRef> stuck;  ///< the switches that are held, in a fixed order
};

/// What a piece does at one instant.
template <class T>
struct PieceWork {
  bool is_immersed = false;
  Levels<T> levels;
  Immersed<T> immersed;
  Vec2<T> velocity{};             ///< v_E
  T cross{}, along{};             ///< u × v_E, u · v_E
  T turn{};                       ///< rate of rotation at E
  std::vector<T> shapes, slopes;  ///< of a beam at E
  Resistance<T> resistance;
  T normal_rate{}, shear_rate{};                   ///< γ of the switches
  T normal_force{}, shear_force{}, spin_moment{};  ///< λ of the switches
};

/// Scratch memory and the result of one evaluation. One per thread.
template <class T>
struct Work {
  Frames<T> frames;
  Wrenches<T> wrenches;
  MassFactor<T> factor;
  std::vector<T> acceleration;  ///< v̇
  std::vector<PieceWork<T>> piece;
  std::vector<Touching<T>> contact;
  std::vector<T> joint_moment;  ///< λ of the joint friction, per body
  std::vector<char> clamped;    ///< as the mode has it
  std::vector<T> applied_torque;
  std::array<T, channel_count> power{};
  // held switches
  std::vector<T> jacobian, applied, gram, hold, hold_bias;
  std::vector<T> drive;   ///< like `applied`, with the sliding friction that a normal force brings along
  std::vector<T> unheld;  ///< v̇ without the forces that hold
  Frames<Dual<T>> moving;
  std::vector<Dual<T>> moving_q, moving_v;
};

/// Identifies a guard: what would change if it went through zero.
enum class GuardKind : std::uint8_t {
  level,
  deepest,
  cross,
  along,
  end_area,
  aligned,
  bottom,
  slip,
  bound_upper,
  bound_lower,
  carried,
  gap,      // an open contact closes, or an indented one opens
  slack,    // the force of a compliant contact goes through zero
  clamp,    // a joint is slow enough to be clamped, or is torn loose
  painleve  // sliding: more normal force would close the contact faster
};
struct GuardId {
  GuardKind kind = GuardKind::level;
  SwitchKind which = SwitchKind::normal;
  std::int16_t sub = 0;
  int index = 0;
};

/// Sizes of things in a run, to tell small from zero.
struct Scales {
  double length = 1, speed = 1, rate = 1, force = 1, moment = 1, time = 1;
  double reach = 1;  ///< how far from the origin things are: positions are known to its rounding

  /// Rigid contacts closer than this touch.
  double touching() const { return std::max(1e-10 * length, 1e-12 * reach); }
  /// What cannot be told from a gap of zero.
  double small_gap() const { return 1e-13 * length + 1e-15 * reach; }
};

/// Solves (G + ridge) x = x in place, G symmetric k × k (lower triangle given): a Cholesky factorisation.
template <class T>
void solve_hold(T* g, T* x, int k, double ridge) {
  using std::sqrt;
  for (int c = 0; c < k; ++c) {
    T pivot = g[c * k + c] + ridge;
    for (int j = 0; j < c; ++j) pivot -= g[c * k + j] * g[c * k + j];
    const T root = sqrt(pivot > T(0.01 * ridge) ? pivot : T(0.01 * ridge));
    g[c * k + c] = root;
    for (int i = c + 1; i < k; ++i) {
      for (int j = 0; j < c; ++j) g[i * k + c] -= g[i * k + j] * g[c * k + j];
      g[i * k + c] = g[i * k + c] / root;
    }
  }
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= g[i * k + j] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) x[i] -= g[j * k + i] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
}

/// Solves G x = x in place for any G, k × k, by elimination with pivots.
template <class T>
void solve_general(T* g, T* x, int k, double ridge) {
  for (int c = 0; c < k; ++c) {
    int best = c;
    for (int i = c + 1; i < k; ++i)
      if (std::abs(value_of(g[i * k + c])) > std::abs(value_of(g[best * k + c]))) best = i;
    if (best != c) {
      for (int j = 0; j < k; ++j) std::swap(g[c * k + j], g[best * k + j]);
      std::swap(x[c], x[best]);
    }
    if (std::abs(value_of(g[c * k + c])) < ridge) g[c * k + c] = T(ridge);
    for (int i = c + 1; i < k; ++i) {
      const T f = g[i * k + c] / g[c * k + c];
      for (int j = c + 1; j < k; ++j) g[i * k + j] -= f * g[c * k + j];
      x[i] -= f * x[c];
    }
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) x[i] -= g[i * k + j] * x[j];
    x[i] = x[i] / g[i * k + i];
  }
}

/// A system in its surroundings: the one place where bodies, sand, walls and joints meet.
///
/// State y = (q, v, work of each channel, distances): `state_size()` numbers.
class System {
 public:
  System(Tree tree, Vec gravity);

  const Tree& tree() const { return tree_; }
  Vec gravity() const { return gravity_; }
  const std::vector<Bed>& beds() const { return beds_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const JointForces& joint(int body) const { return joints_[body]; }
  double air_drag(int body) const { return air_[body]; }
  bool has_torque() const { return has_torque_; }
  bool has_clamps() const { return has_clamps_; }
  /// Moment that holds the root of a body's bent beam, over the static friction that can: beyond ±1 it tears loose.
  double clamp_load(int body, const Work<double>& work) const;
  /// Positive while a joint with a ClampRule is too fast, or too heavily loaded, to be clamped.
  double clamp_margin(int body, const Work<double>& work) const;

  const std::vector<Wall>& walls() const { return walls_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  /// α of impacts at several contacts at once.
  double correlation() const { return correlation_; }

  /// Adds a wall; contacts say what may touch it.
  int add_wall(Wall wall);
  int add_contact(Contact contact);
  void set_contact_law(int contact, ContactLaw law);
  void set_correlation(double alpha) { correlation_ = alpha; }
  /// Adds a bed and lets the given parts of bodies feel it.
  int add_bed(Bed bed);
  /// Puts another bed in the place of one; the bodies that feel it remain.
  void set_bed(int index, Bed bed);
  void add_piece(int body, int bed, const Part& part);
  void set_joint(int body, JointForces forces);
  /// Air drag −k|v_C|v_C at the mass centre, k = ½ C_d ρ A [kg/m] (Lee 2009, §3.3).
  void set_air_drag(int body, double k);
  /// Also integrates the path length ∫|v_C|dt of every body.
  void track_distance(bool on) { track_distance_ = on; }
  bool tracks_distance() const { return track_distance_; }

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

  /// The right-hand side in a mode: fills `work` and dy/dt (whose first half is v).
  template <class T>
  void evaluate(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const;

  /// The same without filling `work` with what guards and observables read: for the inner stages of a step.
  template <class T>
  void evaluate_lean(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const;

  /// Calls sink(value, tolerance, id) for every guard of the mode; all are positive while the mode is valid.
  template <class Sink>
  void guards(const Mode& mode, const Work<double>& work, const Scales& scales, Sink&& sink) const;

  /// γ of a switch, and its row of the Jacobian (added to `row`).
  template <class T>
  T switch_rate(SwitchRef s, const Work<T>& work) const;
  template <class T>
  void add_switch_row(SwitchRef s, const Work<T>& work, T* row) const;
  /// g̈ of every contact for the accelerations in `work`, and ġ of the same instant as they are there.
  void gap_accelerations(const double* y, Work<double>& work, std::vector<double>& out) const;
  /// Row of the Jacobian of a contact, times its normal or its tangent, added to `row`.
  template <class T>
  void add_contact_row(int contact, bool tangent, const Work<T>& work, T* row) const;
  /// Energy stored in compliant contacts.
  double contact_energy(const Work<double>& work) const;
  /// Force on a body by walls and by what touches it.
  Vec contact_force(int body, const Work<double>& work) const;
  /// λ of a switch.
  template <class T>
  static T& switch_force(SwitchRef s, Work<T>& work);
  template <class T>
  static const T& switch_force(SwitchRef s, const Work<T>& work) {
    return switch_force(s, const_cast<Work<T>&>(work));
  }
  /// Where the work of a switch is booked.
  static Channel channel_of(SwitchKind kind) {
    switch (kind) {
      case SwitchKind::normal: return Channel::static_normal;
      case SwitchKind::shear: return Channel::static_shear;
      case SwitchKind::contact_normal: return Channel::impact;
      case SwitchKind::contact_shear: return Channel::contact_friction;
      case SwitchKind::spin: return Channel::spin;
      case SwitchKind::joint: break;
    }
    return Channel::joint_friction;
  }
  /// Bounds [−lower, upper] of the force of a switch.
  template <class T>
  void switch_bounds(SwitchRef s, const Work<T>& work, double& lower, double& upper) const;
  std::int8_t& switch_state(SwitchRef s, Mode& mode) const;
  /// Every switch that acts in the mode's immersion.
  void active_switches(const Mode& mode, std::vector<SwitchRef>& out) const;
  bool has_spin(int piece, const Mode& mode) const;
  std::string switch_name(SwitchRef s) const;
  std::string piece_name(int piece) const;
  /// A closed contact whose friction is at its bound.
  bool slides(int contact, const Mode& mode) const {
    const std::int8_t s = mode.contact[contact].slip;
    return contacts_[contact].law.friction > 0 && s != slip::stuck && s != slip::idle;
  }
  /// Of a contact that lasts: "sticking", or "rolling" when a circle does.
  bool rolls(int contact) const { return contacts_[contact].a.radius > 0 || contacts_[contact].b.radius > 0; }
  void list_stuck(Mode& mode) const;

 private:
  template <class T>
  void add_joint_forces(double t, const Mode& mode, Work<T>& work) const;
  template <bool Lean, bool Elastic, class T>
  void evaluate_as(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt) const;
  template <bool Lean, bool Elastic, class T>
  void add_piece_forces(int k, const PieceMode& m, const Frame<T>& f, Work<T>& work, Vec2<T>& body_force,
                        T& body_moment) const;
  template <class T>
  void add_beam_forces(int body, const Mode& mode, Work<T>& work) const;
  bool is_rigid_contact(SwitchRef s) const {
    return s.kind == SwitchKind::contact_normal
        || (s.kind == SwitchKind::contact_shear && !contacts_[s.index].law.compliant);
  }
  // Friction per normal force.
  double sliding_friction(int contact, const Mode& mode) const {
    return -slip::sign(mode.contact[contact].slip) * contacts_[contact].law.friction;
  }
  double pressing_share(int contact, const Mode& mode, const Work<double>& work) const;
  template <class T>
  void fill_drive(SwitchRef s, const Mode& mode, const T* row, const T* applied, const Work<T>& work,
                  T* drive) const;
  template <bool Lean, class T>
  void add_contact_forces(const Mode& mode, Work<T>& work) const;
  template <class T, class Sink, class Shape>
  void each_side(int contact, Vec2<T> force, const Work<T>& work, Sink&& sink, Shape&& shape) const;
  template <class T>
  void push(int contact, Vec2<T> force, Work<T>& work) const;
  template <class T>
  void choose_evaluation(double t, const T* y, const Mode& mode, Work<T>& work, T* dydt, bool lean) const;
  template <class T>
  void hold(const Mode& mode, const T* q, const T* v, Work<T>& work) const;
  template <class T>
  T hold_bias(SwitchRef s, const Mode& mode, const Work<T>& work) const;
  template <class T>
  static T area_speed(const Piece& p, AreaRule rule, const PieceMode& m, T side, Vec2<T> velocity, T cross,
                      T along);
  void assign_slots();

  Tree tree_;
  Vec gravity_;
  double gravity_size_;
  std::vector<Bed> beds_;
  std::vector<Piece> pieces_;
  std::vector<int> piece_begin_;  // pieces are kept in the order of their bodies
  // Ψ and Ψ' of the features of a contact that are points of beams.
  struct ContactShapes {
    std::vector<double> shape_a, slope_a, shape_b, slope_b;
  };
  std::vector<double> shapes_of(const Feature& f, bool slopes) const;

  std::vector<Wall> walls_;
  std::vector<Contact> contacts_;
  std::vector<ContactShapes> contact_shapes_;
  double correlation_ = 0, contact_scale_ = 1;
  std::vector<JointForces> joints_;
  std::vector<double> air_;
  std::vector<Vec> weight_;
  std::vector<BodyPoint> weight_at_;  // where it acts on rigid bodies
  bool track_distance_ = false;
  bool has_torque_ = false, has_clamps_ = false, has_damping_ = false, has_friction_ = false,
       has_air_ = false, has_material_ = false;
  std::array<int, channel_count> slot_{};
  int distance_slot_ = 0;
  std::vector<Channel> channels_;
};

}  // namespace thud

#include "thud/dynamics/system_impl.hpp"
