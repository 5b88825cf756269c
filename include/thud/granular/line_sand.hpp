#pragma once
// Lee's laws spread along the axis of a link. Vectors are in the frame of the bed: x along its surface, z down into it.

#include <algorithm>
#include <array>
#include <utility>

#include "thud/granular/facets.hpp"
#include "thud/granular/laws.hpp"

namespace thud {

/// A straight piece of the axis of a link, from a to b.
template <class T>
struct LineOf {
  Vec2<T> a, b;          ///< ends
  Vec2<T> va, vb;        ///< their velocities
  T width, breadth;      ///< across the axis, in the plane and out of it [m]
  T section;             ///< area of the cross-section [m²]
  T face_a{}, face_b{};  ///< what of it is bare at the ends [m²]
};

/// Which shares of the resistance are wanted.
struct LineShares {
  bool drag = true, vertical = true, horizontal = true;
};

/// What the sand does to it: forces at its ends with the same work for every motion of them, and the power of each share.
template <class T>
struct LineLoad {
  Vec2<T> at_a{}, at_b{};
  T drag{}, vertical{}, horizontal{};  ///< powers
  T length{};                          ///< immersed [m]

  Vec2<T> force() const { return at_a + at_b; }
};

namespace detail {

/// ∫ (1 + λ) (z/l)^λ dx and ∫ (1 + λ) (z/l)^λ x dx from `from` to `to`, with z = za + x (zb − za) ≥ 0.
template <class T, class P>
std::pair<T, T> depth_integrals(T za, T zb, T from, T to, T width, P lambda) {
  const T dip = zb - za, first = za + from * dip, last = za + to * dip;
  const double low = std::min(value_of(first), value_of(last)),
               high = std::max(value_of(first), value_of(last));
  T sum{}, times{};
  if (!(high > 0)) return {sum, times};
  if (low > 0.6 * high) {  // nearly level: a division by the difference of depths would lose digits
    gauss(gauss8, from, to, [&](T x, T weight) {
      const T density = weight * (P(1) + lambda) * depth_power(T((za + x * dip) / width), lambda);
      sum += density;
      times += x * density;
    });
    return {sum, times};
  }
  // With y = z/l: ∫ (1 + λ) y^λ dy = y^(1+λ), ∫ (1 + λ) y^(1+λ) dy = y^(2+λ) (1 + λ)/(2 + λ), and x = (y l − za)/dip.
  const T per = width / dip, y0 = first / width, y1 = last / width;
  const T p0 = y0 * depth_power(y0, lambda), p1 = y1 * depth_power(y1, lambda);
  const P ratio = (P(1) + lambda) / (P(2) + lambda);
  sum = per * (p1 - p0);
  // about `from`, where the difference is not small against its terms
  times = per * per * (ratio * (y1 * p1 - y0 * p0) - y0 * (p1 - p0)) + from * sum;
  return {sum, times};
}

/// The same integrals with the weight of `below`, which is where z^λ is smooth but for z = 0.
template <class T, class P>
std::pair<T, T> depth_integrals(T za, T zb, T from, T to, T width, P lambda, const Below<T>& below) {
  T sum{}, times{};
  const T dip = zb - za;
  Singularity<T> surface;
  if (!is_zero(dip)) surface = {-za / dip, 1e-12};
  graded(from, to, surface, 1e300, [&](T x, T weight) {
    const T z = za + x * dip;
    const T density = weight * (P(1) + lambda) * depth_power(T(z / width), lambda) * below.weight(z);
    sum += density;
    times += x * density;
  });
  return {sum, times};
}

/// The zeros of linear functions inside a span, in order, and its ends.
template <class T>
struct Cuts {
  std::array<T, 5> at;
  int count = 1;

  explicit Cuts(const Span<T>& span) : at{span.from} {}
  void add(const Span<T>& span, T f0, T f1) {
    const double a = value_of(f0 + span.from * (f1 - f0)), b = value_of(f0 + span.to * (f1 - f0));
    if (!(a * b < 0)) return;
    const T x = f0 / (f0 - f1);
    int k = count++;
    for (; k > 1 && at[k - 1] > x; --k) at[k] = at[k - 1];
    at[k] = x;
  }
  template <class Part>
  void each(T to, Part&& part) {
    at[count] = to;
    for (int k = 0; k < count; ++k)
      if (at[k + 1] > at[k]) part(at[k], at[k + 1]);
  }
};

/// Adds `force` · (1 − x) and · x to the ends: its sum, and the sum of x times it.
template <class T>
void add_at_ends(LineLoad<T>& load, Vec2<T> direction, T sum, T times) {
  load.at_a += (sum - times) * direction;
  load.at_b += times * direction;
}

template <class T>
int sign_of(T x) {
  return x > T(0) ? 1 : x < T(0) ? -1 : 0;
}

}  // namespace detail

/// Lee's law as densities along the axis: a straight link that is moved without turning meets what the lumped law gives,
/// and besides the moment of it; and no cut of it makes a difference.
///
///   dF_d = −η_d ρ_g d |u × v| v ds,   and −η_d ρ_g A_e |u·v| v at a bare end that leads
///   dF_n = −sgn(v_z) (1 + λ) η_v (z/l)^λ g ρ_g A ds                  ∫₀^z (1 + λ)(s/l)^λ ds/z = (z/l)^λ
///   dF_t = −sgn(v_x) (2 η_h g ρ_g b z |dz| + μ |dF_n,down|)
///
///   z  depth of the element [m]     A  section [m²]     η_v, λ by the direction in which the element moves
///
/// Where a velocity is zero along all of it that share is left out: it is a set then. Energy: every share takes.
template <class T, class P>
LineLoad<T> load_line(const LeeLawOf<P>& law, P gravity, const LineOf<T>& line, LineShares shares = {},
                      const Below<T>* below = nullptr) {
  LineLoad<T> out;
  detail::Span<T> span;
  if (below)
    span = below->span(line.a.z, line.b.z);
  else
    detail::clip(span, line.a.z, line.b.z, 0.0);
  if (span.is_empty()) return out;
  const Vec2<T> along = line.b - line.a;
  const T length = norm(along), dip = along.z < T(0) ? T(-along.z) : along.z;
  const Vec2<T> u = (T(1) / length) * along;
  const auto cross = [&](Vec2<T> v) { return u.x * v.z - u.z * v.x; };
  const T ca = cross(line.va), cb = cross(line.vb);
  const Vec2<T> turning = line.vb - line.va;
  const P weight = gravity * law.density;
  out.length = length * (span.to - span.from);

  detail::Cuts<T> cuts(span);
  cuts.add(span, line.va.x, line.vb.x);
  cuts.add(span, line.va.z, line.vb.z);
  cuts.add(span, ca, cb);
  const T pull = law.eta_d * law.density * line.width * length;
  const T head = T(weight) * line.section * length;
  const auto plunge_of = [&](T from, T to, P lambda) {
    if (below && below->rises)
      return detail::depth_integrals(line.a.z, line.b.z, from, to, line.width, lambda, *below);
    return detail::depth_integrals(line.a.z, line.b.z, from, to, line.width, lambda);
  };
  LineLoad<T> drag, normal, shear;
  cuts.each(span.to, [&](T from, T to) {
    const T middle = 0.5 * (from + to);
    const Vec2<T> v = line.va + middle * turning;
    const int side = detail::sign_of(T(ca + middle * (cb - ca)));
    const int down = shares.vertical ? detail::sign_of(v.z) : 0;
    const int right = shares.horizontal ? detail::sign_of(v.x) : 0;
    if (side != 0 && shares.drag)
      gauss(gauss2, from, to, [&](T x, T w) {  // a polynomial of the third degree
        const T c = w * pull * side * (ca + x * (cb - ca));
        detail::add_at_ends(drag, line.va + x * turning, T(-c), T(-c * x));
      });
    std::pair<T, T> plunge{};
    if (down > 0 || (right != 0 && !is_zero(law.friction))) plunge = plunge_of(from, to, law.plunging.lambda);
    if (down > 0)
      detail::add_at_ends(normal, Vec2<T>{T(0), -head * law.plunging.eta}, plunge.first, plunge.second);
    if (down < 0) {
      const auto up = plunge_of(from, to, law.withdrawing.lambda);
      detail::add_at_ends(normal, Vec2<T>{T(0), head * law.withdrawing.eta}, up.first, up.second);
    }
    if (right == 0) return;
    if (!is_zero(law.friction))
      detail::add_at_ends(shear, Vec2<T>{-right * law.friction * law.plunging.eta * head, T(0)}, plunge.first,
                          plunge.second);
    const auto add = [&](T x, T w) {
      const T depth = line.a.z + x * along.z;
      T density = 2.0 * law.eta_h * weight * line.breadth * dip * depth;
      if (below && below->rises) density *= below->weight(depth);
      detail::add_at_ends(shear, Vec2<T>{T(-right), T(0)}, T(w * density), T(w * x * density));
    };
    if (below && below->rises)
      gauss(gauss4, from, to, add);
    else
      gauss(gauss2, from, to, add);
  });
  const auto end = [&](const Vec2<T>& v, T area, T depth, T outward, Vec2<T>& at) {
    if (depth > T(0) && outward > T(0)) at += (-1.0 * law.eta_d * law.density * area * outward) * v;
  };
  if (shares.drag) {
    end(line.va, line.face_a, below ? T(below->a) : line.a.z, T(-dot(u, line.va)), drag.at_a);
    end(line.vb, line.face_b, below ? T(below->b) : line.b.z, dot(u, line.vb), drag.at_b);
  }
  out.drag = dot(drag.at_a, line.va) + dot(drag.at_b, line.vb);
  out.vertical = dot(normal.at_a, line.va) + dot(normal.at_b, line.vb);
  out.horizontal = dot(shear.at_a, line.va) + dot(shear.at_b, line.vb);
  out.at_a = drag.at_a + normal.at_a + shear.at_a;
  out.at_b = drag.at_b + normal.at_b + shear.at_b;
  return out;
}

}  // namespace thud
