#pragma once
// The forces of a piece of sand: most of the time of a run goes here.

#include "thud/elements/sand.hpp"

namespace thud {

template <class P>
template <class T>
void SandPieceOf<P>::prepare(const SceneOf<P>& s, Work<T>& w) const {
  if (part.kind != PartKind::beam) return;
  const int count = s.tree.body(body).beam->size();
  w.shapes.assign(count, T(0));
  w.slopes.assign(count, T(0));
}

template <class P>
template <class Case, class T>
[[gnu::always_inline]] inline T SandPieceOf<P>::area_speed(Case known, const Mode& m, T side,
                                                           Vec2<T> velocity, T cross, T along) const {
  if (known.kind() != PartKind::segment && part.is_round()) return side * norm(velocity);
  const T across = m.cross * cross;  // |u × v_E|
  switch (known.kind() == PartKind::block ? AreaRule::silhouette : known.area()) {
    case AreaRule::side: return side * across;
    case AreaRule::side_or_end: return m.cross == 0 ? end_area * (m.along * along) : side * across;
    case AreaRule::silhouette: return side * across + end_area * (m.along * along);
    case AreaRule::floor: return m.end_area ? end_area * norm(velocity) : side * across;
    case AreaRule::full: return side * norm(velocity);
  }
  return T(0);
}

namespace detail {
/// What is known of a part before it is evaluated: nothing,
struct AnyPart {
  PartKind kind_;
  std::uint8_t regime_;
  AreaRule area_;

  PartKind kind() const { return kind_; }
  std::uint8_t regime() const { return regime_; }
  AreaRule area() const { return area_; }
};
/// that it is straight, as nearly every part is,
struct Segment : AnyPart {
  static constexpr PartKind kind() { return PartKind::segment; }
};
/// and which of its ends are under.
template <std::uint8_t Regime, AreaRule Area>
struct SegmentIn {
  static constexpr PartKind kind() { return PartKind::segment; }
  static constexpr std::uint8_t regime() { return Regime; }
  static constexpr AreaRule area() { return Area; }
};
}  // namespace detail

template <class P>
template <bool Lean, class T, class F, class W>
[[gnu::always_inline]] inline void SandPieceOf<P>::apply(LoadOn<T, P, F, W>& load, const Mode& m,
                                                         Work<T>& w) const {
  const BedOf<P>& b = load.scene.beds[bed];
  const auto* lee = std::get_if<LeeLawOf<P>>(&b.law);
  const detail::AnyPart known{part.kind, m.immersion.regime, b.area};
  if (lee && part.kind == PartKind::segment)  // the common case, without the dispatch
    return act<Lean>(
        detail::Segment{known}, b, load, m, w,
        [&](Flow<T, P>& flow, Vec2<T>, T, T, T, T, Resistance<T>& r) { lee->evaluate(flow, r); });
  act<Lean>(known, b, load, m, w,
            [&](Flow<T, P>& flow, Vec2<T> velocity, T cross, T along, T normal_rate, T shear_rate,
                Resistance<T>& r) {
              std::visit(
                  [&](const auto& law) {
                    using L = std::decay_t<decltype(law)>;
                    if constexpr (is_spread_law<L>) {
                      return;  // spread_sand.hpp, lee_spread.hpp
                    } else if constexpr (std::is_same_v<L, OwnLaw>) {
                      flow.speed = norm(velocity);
                      flow.cross = cross;
                      flow.along = along;
                      flow.normal_rate = normal_rate;
                      flow.shear_rate = shear_rate;
                    } else if constexpr (L::needs_speed) {
                      flow.speed = norm(velocity);
                    }
                    if constexpr (!is_spread_law<L>) law.evaluate(flow, r);
                  },
                  b.law);
            });
}

template <class P>
template <std::uint8_t Regime, AreaRule Area, class L>
void SandPieceOf<P>::segment_kernel(const void* piece, L& load, const void* mode, void* work) {
  const SandPieceOf& self = *static_cast<const SandPieceOf*>(piece);
  if (self.part.kind != PartKind::segment) __builtin_unreachable();  // it was chosen for that
  const BedOf<P>& b = load.scene.beds[self.bed];
  const LeeLawOf<P>& lee = *std::get_if<LeeLawOf<P>>(&b.law);
  self.template act<true>(detail::SegmentIn<Regime, Area>{}, b, load, *static_cast<const Mode*>(mode),
                          *static_cast<Work<double>*>(work),
                          [&](Flow<double>& flow, Vec2<double>, double, double, double, double,
                              Resistance<double>& r) { lee.evaluate(flow, r); });
}

template <class P>
template <class L>
KernelOn<L> SandPieceOf<P>::kernel(const SceneOf<P>& s, const Mode& m) const {
  if (!is_immersed(m)) return nullptr;
  const BedOf<P>& b = s.beds[bed];
  if (part.kind != PartKind::segment || !std::holds_alternative<LeeLawOf<P>>(b.law))
    return apply_kernel<SandPieceOf, true, L>;
  const auto with = [&]<AreaRule Area>() -> KernelOn<L> {
    switch (m.immersion.regime) {
      case 1: return segment_kernel<1, Area, L>;
      case 2: return segment_kernel<2, Area, L>;
      default: return segment_kernel<3, Area, L>;
    }
  };
  switch (b.area) {
    case AreaRule::silhouette: return with.template operator()<AreaRule::silhouette>();
    case AreaRule::side_or_end: return with.template operator()<AreaRule::side_or_end>();
    default: return apply_kernel<SandPieceOf, true, L>;
  }
}

// Velocity of E where the beam is bent; turns its axis, and adds the rate of its slope.
template <class P>
template <class T>
Vec2<T> SandPieceOf<P>::bend(const Load<T, P>& load, const Immersed<T>& im, Work<T>& w, Vec2<T>& axis,
                             T& rate) const {
  const Frames<T, P>& frames = load.frames;
  const ElasticBeamOf<P>& elastic = *load.scene.tree.body(body).beam;
  elastic.shapes_at(im.at, w.shapes.data(), w.slopes.data());
  const int begin = load.scene.tree.elastic_begin(body);
  T lateral{}, tangent{};
  for (int j = 0; j < elastic.size(); ++j) {
    lateral += w.shapes[j] * frames.eta_rate[begin + j];
    rate += w.slopes[j] * frames.eta_rate[begin + j];
    tangent += w.slopes[j] * frames.eta[begin + j];
  }
  const Vec2<T> velocity = frames.velocity(body, im.arm) + lateral * frames.w[body];
  if (!part.straight) {  // the axis where it is
    const Vec2<T> bent = axis + tangent * frames.w[body];
    axis = (T(1) / norm(bent)) * bent;
  }
  return velocity;
}

// Everything is computed in locals, and written to the work at the end where it is wanted: most of the time goes here.
template <class P>
template <bool Lean, class Case, class ApplyLaw, class L, class T>
[[gnu::always_inline]] inline void SandPieceOf<P>::act(Case known, const BedOf<P>& b, L& load, const Mode& m,
                                                       Work<T>& w, ApplyLaw&& apply_law) const {
  const PartKind kind = known.kind();
  const PlaneOf<P>& plane = b.plane;
  const auto& frames = load.frames;
  constexpr bool may_bend = requires { frames.eta; };
  const bool bends = may_bend && kind == PartKind::beam;
  const Vec2<T> lateral_axis = frames.w[body];
  Vec2<T> u = frames.u[body];
  Levels<T> lv;
  const T dip = dot(plane.normal, u);
  const bool immersed = kind == PartKind::segment ? known.regime() != 0 : is_immersed(m);
  Immersed<T> im;
  if (bends) {
    if (Lean && !immersed) return;
    if constexpr (may_bend) survey(part, m.immersion, body, frames, plane, lv, im);
  } else if (kind == PartKind::segment) {
    const T base = plane.depth(frames.origin[body]) + part.n * dot(plane.normal, lateral_axis);
    lv.value[0] = base + part.s0 * dip;
    lv.value[1] = base + part.s1 * dip;
    lv.count = 2;
  } else {
    levels(part, body, frames, plane, lv);
  }
  if constexpr (!Lean) {
    w.levels = lv;
    w.is_immersed = immersed;
  }
  if (!immersed) return;

  T rate = frames.rate[body];
  Vec2<T> velocity;
  if (bends) {
    if constexpr (may_bend) velocity = bend(load, im, w, u, rate);
  } else {
    if (kind == PartKind::segment) {
      im.whole = known.regime() == 3;
      detail::immerse_segment(part, end_area, {known.regime(), m.immersion.deepest}, u, lateral_axis, dip, lv,
                              im);
    } else {
      immerse(part, m.immersion, body, frames, plane, lv, im);
    }
    velocity = frames.origin_rate[body] + rate * turned(im.arm);
  }
  const T cross = u.x * velocity.z - u.z * velocity.x, along = dot(u, velocity);
  const T normal_rate = dot(plane.normal, velocity), shear_rate = dot(plane.tangent, velocity);

  const bool spins =
      im.whole && b.rotation == RotationRule::whole && (kind == PartKind::segment || !part.is_round());
  const bool both = spins || m.normal == slip::stuck;
  Flow<T, P> flow{&im,
                  &part,
                  inverse_width,
                  area_speed(known, m, im.side, velocity, cross, along),
                  T(0),
                  mass,
                  load.scene.gravity_size,
                  both || m.normal > 0,
                  both || m.normal < 0};
  Resistance<T> r;
  apply_law(flow, velocity, cross, along, normal_rate, shear_rate, r);
  if (b.rises()) {
    const T factor = b.bottom_factor(im.depth);
    r.plunge = factor * r.plunge;
    r.withdraw = factor * r.withdraw;
    r.shear = factor * r.shear;
  }

  const T normal_force = slip::fixed_force(m.normal, r.plunge, r.withdraw);
  const T shear_force = slip::fixed_force(m.shear, r.shear, r.shear);
  const Vec2<T> force = normal_force * plane.normal + shear_force * plane.tangent - r.drag * velocity;
  T moment_about_e{};
  if (spins) {
    // Uniform pressure over the length, one half plunging while the other withdraws: bound F ℓ/4. Grows from zero as
    // the upper end goes under, so that nothing jumps when a link is swallowed.
    const T pressed = 0.5 * (r.plunge + r.withdraw) * dot(plane.tangent, u);
    const T sheared = r.shear * dot(plane.normal, u);
    const T cover = im.depth > T(0) ? im.top / im.depth : T(0);
    r.spin_bound = 0.25 * cover * im.length * norm(Vec2<T>{pressed, sheared});
    const T turning = slip::fixed_force(m.spin, r.spin_bound, r.spin_bound);
    moment_about_e = turning - cover * (r.spin_linear + r.spin_square * slip::sign(m.spin) * rate) * rate;
    if constexpr (!Lean) w.spin_moment = turning;
    load.power[rotation] += moment_about_e * rate;
  }
  load.wrenches.force[body] += force;
  load.wrenches.moment[body] += moment(im.arm, force) + moment_about_e;
  if constexpr (may_bend)
    if (bends) {
      const T lateral = dot(lateral_axis, force);
      T* q = load.wrenches.elastic.data() + load.scene.tree.elastic_begin(body);
      for (std::size_t j = 0; j < w.shapes.size(); ++j)
        q[j] += w.shapes[j] * lateral + w.slopes[j] * moment_about_e;
    }
  load.power[drag] -= r.drag * dot(velocity, velocity);
  load.power[static_normal] += normal_force * normal_rate;
  load.power[static_shear] += shear_force * shear_rate;
  if constexpr (Lean) return;
  w.immersed = im;
  w.velocity = velocity;
  w.cross = cross;
  w.along = along;
  w.turn = rate;
  w.normal_rate = normal_rate;
  w.shear_rate = shear_rate;
  w.resistance = r;
  w.normal_force = normal_force;
  w.shear_force = shear_force;
}

}  // namespace thud
