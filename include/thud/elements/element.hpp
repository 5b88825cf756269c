#pragma once
// What elements and the engine say to each other. elements/all.hpp tells what an element is.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "thud/contact/contact.hpp"
#include "thud/elements/tolerances.hpp"
#include "thud/granular/laws.hpp"
#include "thud/math/dual_math.hpp"
#include "thud/mechanics/held.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

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

/// A line of the energy account.
struct ChannelInfo {
  const char* name;       ///< "drag": the observable energy.loss.drag, or energy.supplied.torque
  bool supplies = false;  ///< counted as work put in, not as a loss
};

/// What bounds the force of a switch.
enum class SwitchClass : std::uint8_t {
  box,       ///< bounds that the state fixes
  normal,    ///< it only presses: one side of a complementarity problem
  friction,  ///< bounded by the normal switch of the same element
  hull,      ///< all of an element together: out of the convex hull of what motions could meet
};

/// One set-valued force of an element.
struct SwitchInfo {
  const char* name;  ///< ": vertical", after the name of the element
  int channel;       ///< among the element's own: where its work is booked
  bool turns;        ///< γ is an angular velocity and λ a moment
  SwitchClass what = SwitchClass::box;
};

/// Switches of class hull that are held together: the first of them, and how many.
struct HullInfo {
  int first, count;
  bool has_zero = true;  ///< no force is one of its forces
};

/// A switch of the system: element `index` of a type, and which of its switches.
struct SwitchRef {
  std::uint8_t type = 0, sub = 0;
  int index = 0;

  friend bool operator==(const SwitchRef&, const SwitchRef&) = default;
};

/// What the run does when a guard goes through zero.
enum class GuardRole : std::uint8_t {
  change,    ///< selects the next mode
  flow,      ///< only a side of the drag changes, where it is zero: the element flips it
  painleve,  ///< rigid bodies with Coulomb friction have no answer beyond
};
/// Identifies a guard: whose it is, and the element's own number for it.
struct GuardId {
  GuardRole role = GuardRole::change;
  std::uint8_t type = 0, code = 0;
  std::int16_t sub = 0;
  int index = 0;

  friend bool operator==(const GuardId&, const GuardId&) = default;
};

/// Codes of the guards that switches have, whatever the element: sub is the switch. An element's own begin after them;
/// they may look at the motion and at what `apply` finds out, not at the forces of held switches.
namespace guard {
inline constexpr std::uint8_t slip = 0, bound_upper = 1, bound_lower = 2, carried = 3, margin = 4,
                              first_own = 5;
}
/// Whether a guard looks at the forces of held switches.
inline bool needs_forces(const GuardId& id) {
  return id.code == guard::bound_upper || id.code == guard::bound_lower || id.code == guard::margin
      || id.role == GuardRole::painleve;
}

enum class EventKind : std::uint8_t {
  enter,
  leave,
  submerge,
  emerge,   // levels of a part against the surface
  deepest,  // another end or corner is now the deepest
  flow,     // the drag changes its side: u × v_E or u · v_E through zero
  stick,
  release,
  reverse,
  carry,  // switches
  bottom,
  impact,    // of contacts; index: place in Outcome::impacts
  settle,    // infinitely many impacts have ended: the contact is closed
  touch,     // a contact closes without an impact, or a compliant one is indented
  lift,      // a closed contact opens
  painleve,  // sliding has no answer, or two
  clamp,     // a joint, by its ClampRule
  unclamp,
  state,  // of a controller
  condition,
  rest,
  start,
  used_up,  // a crush strut
};

template <class P>
struct ControllerOf;
struct ControlMode;

/// What everything acts in.
template <class P>
struct SceneOf {
  const TreeOf<P>& tree;
  Vec2<P> gravity;
  P gravity_size;
  const std::vector<BedOf<P>>& beds;
  const std::vector<WallOf<P>>& walls;
  const std::vector<ControllerOf<P>>* controllers = nullptr;
};
using Scene = SceneOf<double>;

/// Where elements find the motion and leave their forces. T: scalar of the state, P: of the parameters.
template <class T, class P, class F, class W>
struct LoadOn {
  const SceneOf<P>& scene;
  T time;
  const T* q;  ///< coordinates
  const F& frames;
  W& wrenches;
  T* power = nullptr;                          ///< of the channels of the element at hand
  char* joint_held = nullptr;                  ///< per body: its joint does not turn
  const ControlMode* control = nullptr;        ///< of the controllers of the scene
  mechanics::Articulated<T>* added = nullptr;  ///< per body: inertia that it carries along; null: none does

  /// A force at a point of a body: `arm` from its origin; `shapes`: Ψ of the point where the body is a beam.
  void push(int body, Vec2<T> arm, Vec2<T> force, const std::vector<P>& shapes = {}) {
    wrenches.add(body, arm, force);
    if (shapes.empty()) return;
    const T lateral = dot(frames.w[body], force);
    T* generalised = wrenches.elastic.data() + scene.tree.elastic_begin(body);
    for (std::size_t k = 0; k < shapes.size(); ++k) generalised[k] += shapes[k] * lateral;
  }
};

template <class T, class P = double>
using Load = LoadOn<T, P, Frames<T, P>, Wrenches<T>>;
/// The same for the only body of a system. Elements that take part in it have `acts_on_lone(scene)`, and take both.
template <class T, class P = double>
using LoneLoad = LoadOn<T, P, LoneFrames<T, P>, LoneWrenches<T>>;

/// What an element does in one mode, chosen before a step: apply<true>, with all that the mode fixes already known.
/// `element`, `mode` and `work` are of the type that it was made for.
template <class L>
using KernelOn = void (*)(const void* element, L& load, const void* mode, void* work);
using Kernel = KernelOn<Load<double>>;

/// apply of an element as a kernel.
template <class E, bool Lean, class L = Load<double>>
void apply_kernel(const void* element, L& load, const void* mode, void* work) {
  static_cast<const E*>(element)->template apply<Lean>(
      load, *static_cast<const typename E::Mode*>(mode),
      *static_cast<typename E::template Work<double>*>(work));
}

/// Ψ of a body's beam at a point of it, empty for rigid bodies.
template <class P>
std::vector<P> shapes_at(const TreeOf<P>& tree, int body, P s, bool slopes = false) {
  const ElasticBeamOf<P>* beam = tree.body(body).beam.get();
  std::vector<P> shape(beam ? beam->size() : 0), slope(shape.size());
  if (beam && s >= beam->start()) beam->shapes_at(s - beam->start(), shape.data(), slope.data());
  return slopes ? slope : shape;
}

/// What an element may go by when it limits the length of a step.
struct StepState {
  Scene scene;
  const Scales& scales;
  double mass;      ///< of all bodies
  const double* v;  ///< velocities,
  const double* a;  ///< and accelerations of all coordinates
};

/// The guards of one switch of an element: of its slip, of its bounds while it is held, or of what carries it. Rates and
/// bounds are asked of the element.
template <class Element, class Work, class Sink>
void slip_guards(const Element& e, int sub, std::int8_t state, const Work& w, const Scales& scales,
                 Sink&& sink) {
  const bool turns = Element::switches[sub].turns;
  const double small = tolerance::slip * (turns ? scales.rate : scales.speed);
  const auto at = static_cast<std::int16_t>(sub);
  if (slip::is_slipping(state)) {
    sink(state * e.rate(sub, w), small, GuardRole::change, guard::slip, at);
  } else if (state == slip::stuck) {
    using T = decltype(e.rate(sub, w));
    T lower, upper;
    e.bounds(sub, w, lower, upper);
    const T force = e.force(sub, const_cast<Work&>(w));
    const double least = tolerance::bound * roughly(lower + upper)
                       + tolerance::bound_force * (turns ? scales.moment : scales.force);
    sink(upper - force, least, GuardRole::change, guard::bound_upper, at);
    sink(force + lower, least, GuardRole::change, guard::bound_lower, at);
  } else {
    using std::abs;
    sink(tolerance::carried * small - abs(e.rate(sub, w)), 0.0, GuardRole::change, guard::carried, at);
  }
}

/// For elements without a discrete state, or without anything to remember of an evaluation.
struct NoMode {
  friend bool operator==(const NoMode&, const NoMode&) = default;
};
template <class T>
struct NoWork {};

}  // namespace thud
