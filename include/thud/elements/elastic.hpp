#pragma once

#include "thud/elements/curve.hpp"
#include "thud/elements/element.hpp"

namespace thud {

struct ElasticMode {
  bool acts = true;       ///< one-way: on the side where it does
  std::int8_t piece = 0;  ///< of the expression

  friend bool operator==(const ElasticMode&, const ElasticMode&) = default;
};

/// The elastic force of a spring over its deflection x.
///
///   N = N₀ + k x,   or   N = N₀ + f(x);      U = ∫ N dx from 0
///
/// One-way it is so on one side of x = 0 only, and nothing on the other: "pull" for x > 0, "push" for x < 0. A preload N₀
/// begins with a jump then, which is an event like the corners of f.
template <class P>
struct ElasticOf {
  P stiffness{}, preload{};
  CurveOf<P> curve;
  int one_way = 0;  ///< 0: no, 1: pull, 2: push

  bool is_plain() const { return one_way == 0 && !curve.is_given() && is_zero(preload); }
  int side() const { return one_way == 1 ? 1 : -1; }

  /// Force and stored energy where it is not plain.
  template <bool Lean, class T>
  void find(const ElasticMode& m, T x, T& force, T& stored) const {
    force = stored = T(0);
    if (!m.acts) return;
    if (curve.is_given()) {
      force = curve.at(x, m.piece);
      if constexpr (!Lean) stored = curve.integral(x);
    } else {
      force = stiffness * x;
      stored = 0.5 * stiffness * x * x;
    }
    force += preload;
    stored += preload * x;
  }

  enum Guard : std::uint8_t { g_side = guard::first_own, g_corner };
  /// `small`: what x is not told from zero by.
  template <class T, class Sink>
  void guards(const ElasticMode& m, T x, double small, Sink&& sink) const {
    if (one_way != 0) sink((m.acts ? side() : -side()) * x, small, GuardRole::change, g_side, 0);
    if (m.acts)
      curve.ends(x, m.piece, [&](T inside, int end) {
        sink(inside, small, GuardRole::change, g_corner, static_cast<std::int16_t>(end));
      });
  }
  /// True when the mode has changed.
  bool settle(double now, double later, double small, ElasticMode& m) const {
    const ElasticMode before = m;
    if (one_way != 0) m.acts = side() * (std::abs(now) > small ? now : later - now) > 0;
    if (curve.is_given()) m.piece = static_cast<std::int8_t>(curve.piece_at(now, later, small));
    return !(m == before);
  }
  template <class Log>
  void log(const ElasticMode& before, const ElasticMode& after, Log&& log) const {
    if (before.acts != after.acts) log.push(after.acts ? EventKind::touch : EventKind::lift);
  }
};

}  // namespace thud
