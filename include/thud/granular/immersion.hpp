#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "thud/granular/bent.hpp"
#include "thud/granular/part.hpp"
#include "thud/math/dual.hpp"
#include "thud/math/portable.hpp"
#include "thud/math/vec2.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

/// Depth along the beam of a body.
template <class P, class T>
DepthLine<T, P> depth_line(int body, const Frames<T, P>& f, const PlaneOf<P>& plane) {
  const ElasticBeamOf<P>& beam = *f.beam[body];
  const T dip = dot(plane.normal, f.u[body]);
  return {beam, plane.depth(f.origin[body]) + beam.start() * dip, dip, dot(plane.normal, f.w[body]),
          f.eta.data() + f.eta_begin[body]};
}

template <class P, class T>
void beam_levels(const PartOf<P>& part, const DepthLine<T, P>& line, const DepthProfile& profile,
                 Levels<T>& out) {
  if constexpr (std::is_same_v<T, double>) {
    out.value[0] = profile.first().depth;
    out.value[1] = profile.last().depth;
    out.value[2] = part.straight ? -line.beam.length() : -profile.simplicity();
  } else {  // at a turning point the depth does not feel that it moves along the beam
    T slope;
    out.value[0] = line.depth(0.0, slope);
    out.value[1] = line.depth(line.beam.length(), slope);
    const DepthProfile::Decisive d = profile.decisive();
    out.value[2] =
        part.straight || d.sign == 0 ? T(-line.beam.length()) : T(-d.sign) * line.depth(d.x, slope);
  }
  out.count = 3;
}

/// F: Frames, or LoneFrames of a rigid body.
template <class P, class T, class F>
void levels(const PartOf<P>& part, int body, const F& f, const PlaneOf<P>& plane, Levels<T>& out) {
  switch (part.kind) {
    case PartKind::segment: {
      const T along = dot(plane.normal, f.u[body]);
      const T base = plane.depth(f.position(body, {part.s0, part.n}));
      out.value[0] = base;
      out.value[1] = base + part.length() * along;
      out.count = 2;
      return;
    }
    case PartKind::particle:
      out.value[0] = plane.depth(f.position(body, {part.s0, part.n}));
      out.count = 1;
      return;
    case PartKind::ball:
    case PartKind::disc: {
      const P r = 0.5 * part.width;
      const T h = plane.depth(f.position(body, {part.s0, part.n})) + r;
      out.value = {h, h - r, h - 2 * r, T(0)};
      out.count = 3;
      return;
    }
    case PartKind::polygon: return;  // laws that act at one point do not take it
    case PartKind::block:
      for (int k = 0; k < 4; ++k) out.value[k] = plane.depth(f.position(body, corner_point(part, k)));
      out.count = 4;
      return;
    case PartKind::beam:
      if constexpr (requires { f.eta; }) {
        const DepthLine<T, P> line = depth_line(body, f, plane);
        beam_levels(part, line, line.profile(), out);
      }
      return;
  }
}

template <class P>
bool is_immersed(const PartOf<P>& part, std::uint8_t regime) {
  return part.is_round() ? (regime & 1) != 0 : regime != 0;
}
template <class P>
bool is_whole(const PartOf<P>& part, std::uint8_t regime) {
  switch (part.kind) {
    case PartKind::segment:
    case PartKind::beam: return regime == 3;
    case PartKind::particle: return regime == 1;
    case PartKind::block: return regime == 15;
    default: return regime == 7;
  }
}

namespace detail {

// Inlined by force: nearly every part is a segment, and this runs in every evaluation.
template <class P, class T>
[[gnu::always_inline]] inline void immerse_segment(const PartOf<P>& part, P end_area, Immersion mode,
                                                   Vec2<T> u, Vec2<T> w, T dip, const Levels<T>& lv,
                                                   Immersed<T>& out) {
  const T a = lv.value[0], b = lv.value[1];
  const P full = part.length();
  T s;
  if (mode.regime == 3) {
    out.length = T(full);
    s = T(0.5 * (part.s0 + part.s1));
    out.depth = mode.deepest > 0 ? b : a;
    out.top = mode.deepest > 0 ? a : b;
  } else if (mode.regime == 2) {
    // ℓ = δ_B/(u·n), the papers' z_T/cos q; u·n = (δ_B − δ_A)/L > δ_B/L does not vanish
    out.length = b / dip;
    s = part.s1 - 0.5 * out.length;
    out.depth = b;
    out.top = T(0);
  } else {
    out.length = -a / dip;
    s = part.s0 + 0.5 * out.length;
    out.depth = a;
    out.top = T(0);
  }
  out.arm = s * u + part.n * w;
  out.volume = end_area * out.length;
  out.side = part.width * out.length;
}

template <class P, class T, class F>
void immerse_ball(const PartOf<P>& part, Immersion mode, int body, const F& f, const PlaneOf<P>& plane,
                  const Levels<T>& lv, Immersed<T>& out) {
  constexpr double pi = std::numbers::pi;
  const P r = 0.5 * part.width;
  const T h = lv.value[0];
  const bool whole = (mode.regime & 4) != 0;
  out.depth = h;
  out.top = whole ? T(h - 2 * r) : T(0);
  out.length = T(part.width);
  out.arm = f.arm(body, {part.s0, part.n});
  out.side = (mode.regime & 2) ? T(pi * r * r) : T(pi * h * (2 * r - h));
  if (whole) {
    out.volume = T(4.0 / 3 * pi * r * r * r);
  } else {  // cap of height h
    const T up = 2 * r - h;
    out.volume = pi / 3 * h * h * (3 * r - h);
    const T drop = 0.75 * up * up / (3 * r - h);
    out.arm += Vec2<T>{drop * plane.normal.x, drop * plane.normal.z};
  }
}

template <class P, class T, class F>
void immerse_disc(const PartOf<P>& part, Immersion mode, int body, const F& f, const PlaneOf<P>& plane,
                  const Levels<T>& lv, Immersed<T>& out) {
  using portable::atan2, std::sqrt;
  constexpr double pi = std::numbers::pi;
  const P r = 0.5 * part.width;
  const T h = lv.value[0];
  const bool whole = (mode.regime & 4) != 0;
  out.depth = h;
  out.top = whole ? T(h - 2 * r) : T(0);
  out.length = T(part.width);
  out.arm = f.arm(body, {part.s0, part.n});
  if (whole) {
    out.volume = T(pi * r * r * part.breadth);
    out.side = T(part.width * part.breadth);
    return;
  }
  const T chord2 = h * (2 * r - h);  // half chord, squared
  const T half = sqrt(positive_part(chord2));
  const T lever = r - h;
  const T area =
      r * r * atan2(half, lever) - lever * half;  // acos would lose half of the digits at both ends
  out.volume = part.breadth * area;
  out.side = (mode.regime & 2) ? T(part.width * part.breadth) : 2 * part.breadth * half;
  // Centroid of the segment, 2c³/(3A) below the centre; r in the limit of a thin one.
  const T drop = area > T(1e-12 * r * r) ? 2.0 / 3 * half * half * half / area : T(r);
  out.arm += Vec2<T>{drop * plane.normal.x, drop * plane.normal.z};
}

template <class P, class T, class F>
void immerse_block(const PartOf<P>& part, Immersion mode, int body, const F& f, const Levels<T>& lv,
                   Immersed<T>& out) {
  // The rectangle clipped by the surface; which corners are under is fixed, so the vertex list is too.
  std::array<Vec2<T>, 6> vertex;
  int count = 0;
  for (int k = 0; k < 4; ++k) {
    const int next = (k + 1) % 4;
    const bool under = mode.regime >> k & 1, next_under = mode.regime >> next & 1;
    const Vec2<T> here = f.arm(body, corner_point(part, k));
    if (under) vertex[count++] = here;
    if (under != next_under && count < 6) {
      const Vec2<T> there = f.arm(body, corner_point(part, next));
      vertex[count++] = here + (lv.value[k] / (lv.value[k] - lv.value[next])) * (there - here);
    }
  }
  T twice{};
  Vec2<T> first{};
  const Vec2<T> o = vertex[0];
  for (int k = 1; k + 1 < count; ++k) {
    const Vec2<T> p = vertex[k] - o, q = vertex[k + 1] - o;
    const T cross = moment(q, p);
    twice += cross;
    first += cross * (p + q);
  }
  using std::abs;
  const bool thin = abs(measured(twice)) < 1e-14 * value_of(part.width) * value_of(part.length());
  out.arm = thin ? o : o + (T(1) / (3.0 * twice)) * first;
  const T area = 0.5 * (twice < T(0) ? -twice : twice);
  out.volume = part.breadth * area;
  out.length = area / part.width;
  out.side = part.breadth * out.length;
  out.depth = lv.value[mode.deepest];
  out.top = mode.regime == 15 ? lv.value[(mode.deepest + 2) % 4] : T(0);
}

// As if the beam went on from its deformed ends along the undeformed axis: ℓ = z_T/(u·n), E at half of it.
template <class P, class T>
void immerse_straight(const PartOf<P>& part, Immersion mode, const DepthLine<T, P>& line, const Levels<T>& lv,
                      Immersed<T>& out) {
  PartOf<P> axis = part;
  axis.s0 = P(0);
  axis.s1 = line.beam.length();
  immerse_segment(axis, part.end_area(), mode, Vec2<T>{T(1), T(0)}, Vec2<T>{}, line.b, lv, out);
  out.at = out.arm.x;
}

// Where the immersed part that reaches the end of a beam begins, for a mode that knows no other. When all of the beam
// or not even its end is immersed, which happens in trial steps only, the axis goes on straight beyond its ends.
inline double end_cut(const DepthProfile& profile, double length) {
  if (!(profile.last().depth > 0)) return profile.beyond(profile.last());
  double cut = 0;
  profile.for_each_immersed([&](double from, double to) {
    if (to == length) cut = from;
  });
  return cut > 0 ? cut : profile.beyond(profile.first());
}
inline double start_cut(const DepthProfile& profile, double length) {
  if (!(profile.first().depth > 0)) return profile.beyond(profile.first());
  double cut = length;
  profile.for_each_immersed([&](double from, double to) {
    if (from == 0) cut = to;
  });
  return cut < length ? cut : profile.beyond(profile.last());
}

// The immersed part of the deformed axis. Its ends are where the axis crosses the surface: the straight line through
// an end continues it for the trial steps of the solver.
template <class P, class T>
void immerse_bent(Immersion mode, const DepthLine<T, P>& line, const DepthProfile& profile,
                  Immersed<T>& out) {
  const P whole = line.beam.length();
  const double length = value_of(whole);
  T moment{}, slope;
  const auto add = [&](T from, T to) {
    out.length += to - from;
    moment += 0.5 * (to - from) * (to + from);
  };
  out.length = T(0);
  // What is not simple is taken as it is; else one interval that reaches an end.
  if (mode.regime & 4) {
    profile.for_each_immersed([&](double from, double to) {
      add(from == 0 ? T(0) : line.lifted(from), to == length ? T(whole) : line.lifted(to));
    });
  } else if (mode.regime == 3) {
    add(T(0), T(whole));
  } else {
    const double cut = mode.regime == 2 ? end_cut(profile, length) : start_cut(profile, length);
    mode.regime == 2 ? add(line.lifted(cut), T(whole)) : add(T(0), line.lifted(cut));
  }

  // The deepest point: the end the mode names, or a turning point below it; the shallowest likewise.
  const bool ends = (mode.regime & 3) == 3;
  double deepest = ends ? (mode.deepest > 0 ? length : 0) : (mode.regime & 2) ? length : 0;
  double shallowest = length - deepest;
  double most = mode.regime & 3 ? (deepest > 0 ? profile.last() : profile.first()).depth : 0;
  double least = (shallowest > 0 ? profile.last() : profile.first()).depth;
  for (const DepthProfile::Node& n : profile.inside()) {
    if (n.depth > most) deepest = n.x, most = n.depth;
    if (n.depth < least) shallowest = n.x, least = n.depth;
  }
  const auto place = [&](double x) { return x == length ? whole : P(x); };
  out.depth = line.depth(place(deepest), slope);
  out.top = out.whole ? line.depth(place(shallowest), slope) : T(0);
  out.at = value_of(out.length) > 1e-14 * length ? moment / out.length : T(place(deepest));
}

template <class P, class T>
void immerse_beam(const PartOf<P>& part, Immersion mode, const DepthLine<T, P>& line,
                  const DepthProfile& profile, Vec2<T> u, Vec2<T> w, const Levels<T>& lv, Immersed<T>& out) {
  if (part.straight)
    immerse_straight(part, mode, line, lv, out);
  else
    immerse_bent(mode, line, profile, out);
  T deflection, slope;
  line.beam.deflect(out.at, line.eta, deflection, slope);
  out.arm = (line.beam.start() + out.at) * u + deflection * w;
  out.volume = part.end_area() * out.length;
  out.side = part.width * out.length;
}

}  // namespace detail

/// Geometry of the immersed part in a fixed regime (which must be immersed).
template <class P, class T, class F>
void immerse(const PartOf<P>& part, Immersion mode, int body, const F& f, const PlaneOf<P>& plane,
             const Levels<T>& lv, Immersed<T>& out) {
  out.whole = is_whole(part, mode.regime);
  switch (part.kind) {
    case PartKind::segment:
      detail::immerse_segment(part, part.end_area(), mode, f.u[body], f.w[body], dot(plane.normal, f.u[body]),
                              lv, out);
      return;
    case PartKind::particle: {
      const P d = part.width;
      out.arm = f.arm(body, {part.s0, part.n});
      out.length = T(d);
      out.depth = lv.value[0];
      out.top = T(0);
      out.volume = T((part.cubic ? 1 : std::numbers::pi / 6) * d * d * d);
      out.side = T((part.cubic ? 1 : std::numbers::pi / 4) * d * d);
      return;
    }
    case PartKind::ball: detail::immerse_ball(part, mode, body, f, plane, lv, out); return;
    case PartKind::disc: detail::immerse_disc(part, mode, body, f, plane, lv, out); return;
    case PartKind::block: detail::immerse_block(part, mode, body, f, lv, out); return;
    case PartKind::polygon: return;
    case PartKind::beam:
      if constexpr (requires { f.eta; }) {
        const DepthLine<T, P> line = depth_line(body, f, plane);
        detail::immerse_beam(part, mode, line, line.profile(), f.u[body], f.w[body], lv, out);
      }
      return;
  }
}

/// Both at once: the levels, and the immersed part where the regime has one. Of a beam the profile is made only once.
template <class P, class T>
void survey(const PartOf<P>& part, Immersion mode, int body, const Frames<T, P>& f, const PlaneOf<P>& plane,
            Levels<T>& lv, Immersed<T>& out) {
  const bool immersed = is_immersed(part, mode.regime);
  if (part.kind != PartKind::beam) {
    levels(part, body, f, plane, lv);
    if (immersed) immerse(part, mode, body, f, plane, lv, out);
    return;
  }
  const DepthLine<T, P> line = depth_line(body, f, plane);
  const DepthProfile profile = line.profile();
  beam_levels(part, line, profile, lv);
  if (!immersed) return;
  out.whole = is_whole(part, mode.regime);
  detail::immerse_beam(part, mode, line, profile, f.u[body], f.w[body], lv, out);
}

}  // namespace thud
