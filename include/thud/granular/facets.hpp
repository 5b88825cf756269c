#pragma once
// Forces on the outline of a body from a stress on every element of it. Vectors are in the frame of the bed: x along its
// surface, z down into it (stress.hpp).

#include <numbers>

#include "thud/granular/graded.hpp"
#include "thud/granular/stress.hpp"
#include "thud/math/portable.hpp"

namespace thud {

/// A straight piece of an outline, from a to b; outside is on its left for who goes from a to b and sees x to the right
/// and z up: polygons run clockwise then. Position and velocity are linear along it.
template <class T>
struct FacetOf {
  Vec2<T> a, b;       ///< ends
  Vec2<T> va, vb;     ///< their velocities
  T breadth;          ///< out of the plane [m]
  bool thin = false;  ///< a plate: it has two faces, and the one that leads counts
};

/// A circle that turns.
template <class T>
struct RimOf {
  Vec2<T> center, velocity;
  T rate, radius, breadth;
};

/// What a stress does to a facet: forces at its ends with the same work as the stress for every motion of them.
template <class T>
struct FacetLoad {
  Vec2<T> at_a{}, at_b{};
  T area{};      ///< that leads under the surface [m²]
  T power{};     ///< of the static part
  T inertial{};  ///< power of the part ∝ v²

  Vec2<T> force() const { return at_a + at_b; }
};

/// What it does to a circle: the force, and its moment about the centre.
template <class T>
struct RimLoad {
  Vec2<T> force{};
  T moment{};
  T area{}, power{}, inertial{};
};

namespace detail {

template <class T>
struct Span {
  T from = T(0), to = T(1);
  bool is_empty() const { return !(to > from); }
};

/// Keeps where f(x) = f₀ + x (f₁ − f₀) is positive, or no more than `slack` below zero.
template <class T>
void clip(Span<T>& span, T f0, T f1, double slack) {
  const auto at = [&](T x) { return value_of(f0) + value_of(x) * value_of(f1 - f0); };
  const bool begins = at(span.from) >= -slack, ends = at(span.to) >= -slack;
  if (begins && ends) return;
  if (!begins && !ends) return void(span.to = span.from);
  const T zero = f0 / (f0 - f1);
  (begins ? span.to : span.from) = zero;
}

/// part(from, to) on both sides of the zero of f, where it is inside.
template <class T, class Part>
void split(const Span<T>& span, T f0, T f1, Part&& part) {
  const double a = value_of(f0 + span.from * (f1 - f0)), b = value_of(f0 + span.to * (f1 - f0));
  if (!(a * b < 0)) return part(span.from, span.to, a + b);
  const T zero = f0 / (f0 - f1);
  part(span.from, zero, a);
  part(zero, span.to, b);
}

}  // namespace detail

/// Below a level of a bed: what a sum is cut to. Which ends of a facet are below is known, so that nothing jumps while one is
/// at the level to rounding.
template <class T>
struct Below {
  T level{};
  bool a = true, b = true;
  /// The weight `rise` ((z − from)/range)², where there is one.
  T rise{}, from{}, range{};
  bool rises = false;

  detail::Span<T> span(T za, T zb) const {
    if (a && b) return {};
    if (!a && !b) return {T(0), T(0)};
    const double f0 = value_of(za - level), f1 = value_of(zb - level);
    if ((a ? f0 : f1) <= 0) return {T(0), T(0)};  // trial states of a step may be a little beyond
    if ((a ? f1 : f0) >= 0) return {};
    const T zero = (za - level) / (za - zb);
    return a ? detail::Span<T>{T(0), zero} : detail::Span<T>{zero, T(1)};
  }
  T weight(T z) const {
    const T in = (z - from) / range;
    return rise * (in * in);
  }
};

/// What is slower than this fraction across a facet moves along it, and leads.
inline constexpr double grazing = 1e-12;

/// The stress of a law summed over what of a facet is under the surface, or below a level, and leads. The sum is cut there:
/// in between everything is smooth.
template <class Law, class T>
FacetLoad<T> load_facet(const Law& law, const FacetOf<T>& f, const Below<T>* below = nullptr) {
  FacetLoad<T> out;
  detail::Span<T> span;
  if (below)
    span = below->span(f.a.z, f.b.z);
  else
    detail::clip(span, f.a.z, f.b.z, 0.0);
  if (span.is_empty()) return out;
  const Vec2<T> along = f.b - f.a, turning = f.vb - f.va;
  const T length = norm(along);
  if (!(length > T(0))) return out;
  Vec2<T> normal = (T(1) / length) * Vec2<T>{along.z, -along.x};
  const T na = dot(normal, f.va), nb = dot(normal, f.vb);
  const double speed = std::max(value_of(norm(f.va)), value_of(norm(f.vb)));
  if (!(speed > 0)) return out;
  if (!f.thin) detail::clip(span, na, nb, grazing * speed);
  if (span.is_empty()) return out;

  const T square = dot(turning, turning);
  Singularity<T> still;
  if (value_of(square) > 1e-24 * speed * speed) {
    still.at = -dot(f.va, turning) / square;
    still.off = std::abs(value_of(moment(f.va, turning))) / value_of(square);
  }
  const T size = f.breadth * length;
  const RftElement<T> stress = law.element(normal);
  graded(span.from, span.to, still, 1e300, [&](T x, T weight) {
    const Vec2<T> v = f.va + x * turning;
    const T depth = f.a.z + x * along.z;
    T pressure = size * weight * depth;
    if (below && below->rises) pressure *= below->weight(depth);
    const Vec2<T> force = pressure * stress(v);
    out.at_a += (T(1) - x) * force;
    out.at_b += x * force;
  });
  out.area = size * (span.to - span.from);
  out.power = dot(out.at_a, f.va) + dot(out.at_b, f.vb);
  if constexpr (Law::has_inertia) {
    // Of a plate the face that leads: the sign of ν·v.
    detail::split(span, na, nb, [&](T from, T to, double side) {
      const T k = (side > 0 ? -1.0 : 1.0) * size * law.inertia();
      gauss(gauss4, from, to, [&](T x, T weight) {
        const T vn = na + x * (nb - na);
        const Vec2<T> force = (k * weight * vn * vn) * normal;
        out.at_a += (T(1) - x) * force;
        out.at_b += x * force;
      });
    });
    out.inertial = dot(out.at_a, f.va) + dot(out.at_b, f.vb) - out.power;
  }
  return out;
}

namespace detail {

/// x plus the multiple of 2π that brings it nearest to `to`.
template <class T>
T wound(T x, double to) {
  constexpr double turn = 2 * std::numbers::pi;
  return x + turn * std::round((to - value_of(x)) / turn);
}

/// What of a circle is under the surface, as angles from straight down.
template <class T>
Span<T> rim_under(const RimOf<T>& rim) {
  using portable::atan2, std::sqrt;
  const T z = rim.center.z, r = rim.radius;
  if (z >= r) return {T(-std::numbers::pi), T(std::numbers::pi)};
  if (z <= -r) return {T(0), T(0)};
  const T half = atan2(sqrt((r - z) * (r + z)), -z);
  return {-half, half};
}

/// part(from, to) for what of it leads: no more than two.
template <class T, class Part>
void each_leading(const RimOf<T>& rim, const Span<T>& under, Part&& part) {
  using portable::atan2;
  const double spin = std::abs(value_of(rim.rate * rim.radius));
  if (value_of(norm(rim.velocity)) <= grazing * spin) return part(under.from, under.to);
  const T ahead = atan2(rim.velocity.x, rim.velocity.z);
  constexpr double quarter = std::numbers::pi / 2;
  for (int turn = -1; turn <= 1; ++turn) {
    const T from = ahead + (4 * turn - 1) * quarter, to = ahead + (4 * turn + 1) * quarter;
    const T first = from > under.from ? from : under.from, last = to < under.to ? to : under.to;
    if (last > first) part(first, last);
  }
}

/// Where a point of a circle would stand still.
template <class T>
Singularity<T> rim_still(const RimOf<T>& rim, double near) {
  using portable::atan2;
  const double spin = std::abs(value_of(rim.rate * rim.radius)), speed = value_of(norm(rim.velocity));
  if (!(spin > 1e-12 * speed) || !(speed > 1e-12 * spin)) return {};
  const T ahead = atan2(-rim.velocity.z, rim.velocity.x);
  return {wound(T(rim.rate > T(0) ? ahead + std::numbers::pi : ahead), near),
          std::abs(portable::log(spin / speed))};
}

}  // namespace detail

/// The same over the rim of a circle. Of `below` the level counts, not the ends.
template <class Law, class T>
RimLoad<T> load_rim(const Law& law, const RimOf<T>& rim, const Below<T>* below = nullptr) {
  using portable::cos, portable::sin;
  RimLoad<T> out;
  RimOf<T> raised = rim;
  if (below) raised.center.z -= below->level;
  const detail::Span<T> under = detail::rim_under(raised);
  const T spin = rim.rate * rim.radius, size = rim.radius * rim.breadth;
  if (under.is_empty() || !(value_of(norm(rim.velocity)) + std::abs(value_of(spin)) > 0)) return out;
  const auto add = [&](Vec2<T> e, Vec2<T> force) {
    out.force += force;
    out.moment += rim.radius * moment(e, force);
  };
  detail::each_leading(rim, under, [&](T first, T last) {
    out.area += size * (last - first);
    const Singularity<T> still = detail::rim_still(rim, 0.5 * value_of(first + last));
    graded(first, last, still, 1.0, [&](T angle, T weight) {
      const Vec2<T> e{sin(angle), cos(angle)};
      const Vec2<T> v = rim.velocity + spin * turned(e);
      const T depth = rim.center.z + rim.radius * e.z;
      T pressure = size * weight * depth;
      if (below && below->rises) pressure *= below->weight(depth);
      add(e, pressure * law.element(e)(v));
    });
  });
  out.power = dot(out.force, rim.velocity) + out.moment * rim.rate;
  if constexpr (Law::has_inertia) {
    detail::each_leading(rim, under, [&](T from, T to) {
      graded(from, to, Singularity<T>{}, 1.0, [&](T angle, T weight) {
        const Vec2<T> e{sin(angle), cos(angle)};
        const T vn = dot(e, rim.velocity);
        add(e, (-size * law.inertia() * weight * vn * vn) * e);
      });
    });
    out.inertial = dot(out.force, rim.velocity) + out.moment * rim.rate - out.power;
  }
  return out;
}

}  // namespace thud
