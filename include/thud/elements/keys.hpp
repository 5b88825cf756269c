#pragma once
// How elements tell what scenario files call their parameters. An element with a table of its own has
//
//   static constexpr const char* table = "spring";          [[spring]]
//   static constexpr const char* table_about = "…";         for the reference
//   template <class Keys> void keys(Keys& k);               one call per key, in the order of the reference
//
// and whoever reads files, writes the JSON Schema or the reference visits `keys` with a visitor of its own:
//
//   k.name(label)                                      name = "…"; by default the table's name and its number
//   k.place("from", place, about)                      a named point, "leg.tip", or [x, z] in the world
//   k.joint("joint", body, about)                      the name of a body: the joint that carries it
//   k.number("stiffness", x, "N/m", Admits::…, about)  required
//   k.number_or("damping", x, "N s/m", Admits::…, about)   or as it is
//   k.joint_number("stiffness", x, "N m/rad", "N/m", …)    after k.joint: in a pin, and in a slider; _or likewise
//   k.choice("frame", which, {"world", "body"}, about)     or as it is
//   k.number_unless("force", "stiffness", x, …)        required where the other key is not given, refused where it is
//   k.function("x", f, "N", about)                     a number, or an expression of t and of the state; or none
//   k.curve("force", f, "x", "N", about)               an expression of the variable that is named; or none
//   k.path("position", f, "rad", "m", about)           required, after k.joint: an expression of t with two derivatives

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "thud/math/timing.hpp"
#include "thud/math/vec2.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

enum class Admits { anything, non_negative, positive };

/// A point of a body, or of the world.
template <class P>
struct AttachmentOf {
  std::string name;  ///< as it is written
  int body = -1;     ///< −1: the world
  BodyPointOf<P> point{};
  Vec2<P> world{};

  template <class T>
  Vec2<T> arm(const Frames<T, P>& f) const {
    return body < 0 ? Vec2<T>{} : f.arm(body, point);
  }
  template <class T>
  Vec2<T> position(const Frames<T, P>& f) const {
    return body < 0 ? Vec2<T>{T(world.x), T(world.z)} : f.position(body, point);
  }
  template <class T>
  Vec2<T> velocity(const Frames<T, P>& f) const {
    return body < 0 ? Vec2<T>{} : f.velocity(body, point);
  }
};
using Attachment = AttachmentOf<double>;

template <class P>
struct DriveOf;

/// A quantity that is prescribed in time, or by an expression of the state.
template <class P>
struct TimeFunctionOf {
  std::function<P(double)> f;  ///< empty: zero
  bool varies = false;
  TimingFunction timing{};                    ///< where it jumps and how fast it changes; empty: nobody knows
  std::shared_ptr<const DriveOf<P>> drive{};  ///< in the place of f, where it depends on the state

  P operator()(double t) const { return f ? f(t) : P(0); }
  void tell_timing(double from, double to, Timing& out) const { add_timing(timing, varies, from, to, out); }
};
using TimeFunction = TimeFunctionOf<double>;

/// A position that is prescribed in time, with its first two derivatives.
template <class P>
struct PathFunctionOf {
  std::function<std::array<P, 3>(double)> f;  ///< empty: zero
  bool varies = false;
  TimingFunction timing{};  ///< where its derivatives may jump

  std::array<P, 3> operator()(double t) const { return f ? f(t) : std::array<P, 3>{}; }
  void tell_timing(double from, double to, Timing& out) const { add_timing(timing, varies, from, to, out); }
  TimeFunctionOf<P> value() const {
    return {[g = f](double t) { return g ? g(t)[0] : P(0); }, varies, timing};
  }
};
using PathFunction = PathFunctionOf<double>;

/// Whether it will differ from its value now, by more than rounding of `size`, until `end`: what stands still may be moved.
template <class P>
bool changes(const TimeFunctionOf<P>& f, double now, double end, double size);

}  // namespace thud
