#pragma once
// The elements: everything that exerts force. **A new one is a file like those below, and its line in ElementTypes.**
//
// An element is a struct of parameters, a template on their scalar P (double, or dual numbers where a knob is turned),
// with
//
//   Scalar            = P
//   Mode              what is discrete about it (NoMode), default-constructible, comparable
//   Work<T>           what an evaluation finds out (NoWork), with any scalar T
//   channels          its lines in the energy account
//   switches          its set-valued forces
//   apply<Lean>(load, mode, work)   its forces, added to load; smooth while the mode lasts. Lean: `work` is not read
//
// and, where it applies, with any of
//
//   stored(work), store             energy kept, and its name: energy.NAME
//   uses(channel, scene)            whether it can feed a channel
//   prepare(scene, work)            memory, once
//   kernel<Load>(scene, mode)       a quicker apply<true> for a mode, null where it does nothing (see Kernel)
//   acts_on_lone(scene)             true: apply, and kernel<Load>, also take a LoneLoad
//   force_on(body, …), joint_moment(body, …)      what it does to a body, for reactions in joints
//   acts_in_modes                   = true: part of small vibrations (thud modes); or left_out_of_modes, in words
//   subject() or name(scene)        what reports and the event log call it
//   ties, force_size, stores        bodies that it couples; how large its force is; whether it stores energy at all
//   state, force, rate, bounds, add_row, bias, is_active, class_of   of its switches
//   plain_bias(sub, frames, work, out)            bias without dual numbers; false where it takes them
//   guards(…, sink), flip, log, approaches, starts_rough             events
//   settle_touch, settle_geometry, settle_flow, …                    selection of the next mode
//   length(scene), longest_step                     sizes
//   drive_text(guard, mode)         the expression that a guard is of, for messages
//   timing(from, to, out), is_to_change, inputs_at  of what is prescribed in time: instants that steps end at; whether more is to come
//   observables(lister), observe(code, …)         what can be read off it
//   constraint_count, gap, closing, add_constraint_row, constraint_bias, take_reaction   conditions that always hold (loop.hpp)
//   take_acceleration(scene, frames, vdot, work)     after the accelerations: forces of inertia that it carries along
//   clash(other, tree), misfit(tree)                 what two of them cannot both do; what of its body does not fit, in words
//   attach(tree)                    called once when it is added
//   table, table_about, keys(visitor), fault()    how scenario files write it, see keys.hpp
//   companion()                     a contact that files add with it
//
// The engine walks over the lists below and knows none of them by name.

#include <tuple>
#include <utility>

#include "thud/elements/added_mass.hpp"
#include "thud/elements/air_drag.hpp"
#include "thud/elements/beam.hpp"
#include "thud/elements/contact.hpp"
#include "thud/elements/controller.hpp"
#include "thud/elements/damper.hpp"
#include "thud/elements/joint_forces.hpp"
#include "thud/elements/joint_friction.hpp"
#include "thud/elements/joint_spring.hpp"
#include "thud/elements/lee_spread.hpp"
#include "thud/elements/loop.hpp"
#include "thud/elements/point_force.hpp"
#include "thud/elements/prescribed_motion.hpp"
#include "thud/elements/sand.hpp"
#include "thud/elements/spread_sand.hpp"
#include "thud/elements/spring.hpp"
#include "thud/elements/strut.hpp"

namespace thud {

/// A list of types, walked over at compile time.
template <class... E>
struct TypeList {
  static constexpr int count = sizeof...(E);
  template <int I>
  using At = std::tuple_element_t<I, std::tuple<E...>>;
  /// One vector per type.
  template <template <class> class Of>
  using Vectors = std::tuple<std::vector<Of<E>>...>;

  template <class X>
  static constexpr int index() {
    int at = -1, i = 0;
    ((std::is_same_v<X, E> ? void(at = i) : void(), ++i), ...);
    return at;
  }
  /// f.operator()<E>() for every type in turn.
  template <class F>
  [[gnu::always_inline]] static constexpr void each(F&& f) {
    (f.template operator()<E>(), ...);
  }
  /// f.operator()<E>() for the type of that number.
  template <class F, int I = 0>
  static decltype(auto) at(int type, F&& f) {
    if constexpr (I + 1 == count) {
      return f.template operator()<At<I>>();
    } else {
      if (type == I) return f.template operator()<At<I>>();
      return at<F, I + 1>(type, std::forward<F>(f));
    }
  }
};

/// In the order of the lines of the energy account.
template <class P>
using ElementTypesOf = TypeList<SandPieceOf<P>, SpreadSandOf<P>, LeeSpreadOf<P>, AddedMassOf<P>, AirDragOf<P>,
                                JointDampingOf<P>, JointFrictionOf<P>, BeamStrainOf<P>, ContactForceOf<P>,
                                JointTorqueOf<P>, SpringOf<P>, JointSpringOf<P>, PointForceOf<P>,
                                ControllerOf<P>, DamperOf<P>, StrutOf<P>, LoopOf<P>, PrescribedMotionOf<P>>;
using ElementTypes = ElementTypesOf<double>;

/// The number of a type, whatever the scalar of its parameters.
template <class E>
inline constexpr int type_of = ElementTypesOf<typename E::Scalar>::template index<E>();

/// Elements with conditions that always hold.
template <class E>
concept Constraining = requires(const E& e) {
  e.constraint_count();
};

// ---- the energy account -----------------------------------------------------------------------------------------------

/// A line of the energy account, of all types together.
enum class Channel : std::uint8_t {};

namespace detail {
constexpr int channels_before(int type) {
  int sum = 0, at = 0;
  ElementTypes::each([&]<class X>() {
    if (at++ < type) sum += static_cast<int>(X::channels.size());
  });
  return sum;
}
}  // namespace detail

inline constexpr int channel_count = detail::channels_before(ElementTypes::count);
template <class E>
constexpr Channel channel_of(int own = 0) {
  return static_cast<Channel>(detail::channels_before(type_of<E>) + own);
}
ChannelInfo channel_info(Channel channel);
inline const char* channel_name(Channel channel) { return channel_info(channel).name; }
inline bool supplies(Channel channel) { return channel_info(channel).supplies; }

/// The switch `sub` of element `index`.
template <class E>
SwitchRef switch_of(int index, int sub = 0) {
  return {static_cast<std::uint8_t>(type_of<E>), static_cast<std::uint8_t>(sub), index};
}

}  // namespace thud
