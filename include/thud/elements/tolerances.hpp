#pragma once

#include <algorithm>

namespace thud {

/// Sizes of things in a run, to tell small from zero.
struct Scales {
  double length = 1, speed = 1, rate = 1, force = 1, moment = 1, time = 1;
  double reach = 1;  ///< how far from the origin things are: positions are known to its rounding

  /// Rigid contacts closer than this touch.
  double touching() const { return std::max(1e-10 * length, 1e-12 * reach); }
  /// What cannot be told from a gap of zero.
  double small_gap() const { return 1e-13 * length + 1e-15 * reach; }
};

/// What is small, in units of Scales. One place, since what one part of the engine takes for zero another must not take
/// for something.
namespace tolerance {

// ---- guards: how far below zero a guard may be without being violated ----------------------------------------------
inline constexpr double level = 1e-13;  ///< of a length: positions are computed to a few roundings
inline constexpr double slip = 5e-10;   ///< of a speed: below what a step of tolerance 1e-9 leaves
/// Of a speed. The side of the drag does not matter while there is no flow to speak of: the force is quadratic.
inline constexpr double flow = 1e-8;
inline constexpr double bound = 1e-10;        ///< of the width of a switch's bounds
inline constexpr double bound_force = 1e-12;  ///< of a force: bounds may vanish at zero depth
inline constexpr double clamp = 1e-12;        ///< of loads and margins, which are pure numbers
inline constexpr double carried = 200;        ///< in guards of slip: what others hold may drift by rounding
inline constexpr double aligned = 10;  ///< in guards of flow: a motion along the axis may be off by that
/// Of the normal force that a unit of itself leaves with its friction; below it sliding has no answer (Painlevé).
inline constexpr double painleve = 1e-9;
/// Of a speed: what moves slower in sand that resists however slow it is stops where that can hold it,
inline constexpr double slow = 1e-8;
inline constexpr double still = 1e-11;  ///< and slower than this it has stopped.
inline constexpr double hold = 1e-8;    ///< of a load and the weight: what sand holds of it without having to
inline constexpr double drive = 1e-12;  ///< of the signals of an expression: where it switches

// ---- selection: what is decided a tiny step ahead instead of from the state ----------------------------------------
inline constexpr double undecided_length = 1e-12;  ///< of a length: a few guards' tolerances
inline constexpr double moving_length = 1e-17;     ///< of a length: the least change that is no rounding
inline constexpr double undecided_flow = 2e-8;     ///< of a speed: twice the guard of the flow
inline constexpr double moving_flow = 1e-15;       ///< of a speed
inline constexpr double held_drift = 1e-6;  ///< of a speed: what is held may have drifted by the integration
inline constexpr double free_slip = 1e-9;   ///< of a speed: what slips has stopped below it
inline constexpr double carried_slip = 1e-8;  ///< of a speed: what is only carried may come loose
inline constexpr double touch_speed = 1e-8;   ///< of a speed: a contact that closes slower does not strike

}  // namespace tolerance

}  // namespace thud
