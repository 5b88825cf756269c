#pragma once
// The sweeps of Tree over its bodies: articulated inertias and forces up, accelerations down.

#include "thud/mechanics/tree_impl.hpp"

namespace thud {

template <class P>
template <class T>
void TreeOf<P>::prepare(MassFactor<T>& out) const {
  const auto bodies = static_cast<std::size_t>(body_count());
  out.inverse_diagonal.assign(dof_count_, T(0));
  out.body.assign(bodies, {});
  out.flex.assign(block_count_, T(0));
  out.carried.assign(bodies, {});
  out.room.stops.assign(bodies, {});
  out.room.elastic.assign(room_size_, T(0));
  for (int i = 0; i < body_count(); ++i) {
    const Node& n = nodes_[i];
    for (int k = 0; k < flex_[i].count(); ++k)
      out.inverse_diagonal[n.elastic + k] = T(flex_[i].inverse_mass());
    out.body[i].rotor = T(n.rotor);
    if (!n.alone) continue;
    mechanics::with_joint(n.joint, [&](auto joint) {
      mechanics::Articulated<T> a{T(n.turn), {}, T(n.mass), T(0), T(n.mass)};
      joint.eliminate(a, out.body[i], out.inverse_diagonal.data() + n.dof);
    });
  }
}

template <class P>
template <bool Elastic, class T>
[[gnu::always_inline]] inline void TreeOf<P>::find_first_moment(const Frames<T, P>& frames, int i,
                                                                mechanics::BodyFactor<T>& b) const {
  const Node& n = nodes_[i];
  b.first = n.first.s * frames.u[i] + n.first.n * frames.w[i];
  if constexpr (Elastic)
    if (n.elastic >= 0) {
      const mechanics::Bending<T> bent = flex_[i].bend(frames.eta.data() + n.eta);
      b.first += bent.deflection * frames.w[i];
      b.turning = bent.turning;
    }
}

// What acts on a body, less the inertia of the body at v̇ = 0. The forces on its elastic coordinates go into x.
template <class P>
template <bool Elastic, class T>
[[gnu::always_inline]] inline mechanics::Load<T> TreeOf<P>::net_load(const Frames<T, P>& frames, int i,
                                                                     const Wrenches<T>& wrenches,
                                                                     [[maybe_unused]] T* x,
                                                                     mechanics::BodyFactor<T>& out) const {
  const Node& n = nodes_[i];
  const T spin = frames.rate[i];
  mechanics::Load<T> load{wrenches.moment[i], wrenches.force[i]};
  Vec2<T> first = n.first.s * frames.u[i] + n.first.n * frames.w[i];
  if constexpr (Elastic)
    if (n.elastic >= 0) {
      const T lateral = dot(frames.w[i], frames.centripetal[i]);
      const mechanics::Bending<T> bent =
          flex_[i].force(frames.eta.data() + n.eta, frames.eta_rate.data() + n.eta, spin, lateral,
                         wrenches.elastic.data() + n.eta, x + n.elastic);
      first += bent.deflection * frames.w[i];
      out.turning = bent.turning;
      load.moment -= T(2) * spin * bent.exchange;
      load.force += T(2) * spin * bent.drift * frames.u[i];
    }
  out.first = first;
  load.force += spin * spin * first;
  if (n.parent >= 0) {  // roots have no centripetal acceleration
    const Vec2<T> c = frames.centripetal[i];
    load.moment -= moment(first, c);
    load.force -= n.mass * c;
  }
  return load;
}

template <class P>
template <bool Elastic, bool Moment, class T>
[[gnu::always_inline]] inline void TreeOf<P>::hand_load(const Node& n, int i, const Frames<T, P>& frames,
                                                        [[maybe_unused]] Vec2<T> offset,
                                                        const mechanics::Load<T>& load,
                                                        Wrenches<T>& wrenches) const {
  if constexpr (Elastic)
    if (n.on_beam)
      add_to_beam<Moment>(i, frames.w[n.parent], offset, load,
                          wrenches.elastic.data() + nodes_[n.parent].eta);
  wrenches.add(n.parent, frames.reach[i], load.force);
  if constexpr (Moment) wrenches.moment[n.parent] += load.moment;
}

template <class P>
template <class T>
void TreeOf<P>::reduce(const Frames<T, P>& frames, Wrenches<T>& wrenches, T* generalised) const {
  mechanics::BodyFactor<T> unused;
  for (int i = body_count() - 1; i >= 0; --i) {
    const Node& n = nodes_[i];
    const mechanics::Load<T> load = net_load<true>(frames, i, wrenches, generalised, unused);
    mechanics::with_joint(n.joint, [&](auto joint) {
      for (int k = 0; k < joint.size; ++k) generalised[n.dof + k] = T(0);
      Vec2<T> line{};
      if constexpr (joint.has_line) line = line_of(frames, i);
      joint.project(line, load, generalised + n.dof);
      if (n.parent >= 0)
        hand_load<true, mechanics::turns_with_seat<decltype(joint)>>(n, i, frames, frames.travel[i] * line,
                                                                     load, wrenches);
    });
  }
}

// Hands what the seat of a joint feels to the parent.
template <class P>
template <bool Elastic, class Joint, class T>
[[gnu::always_inline]] inline void TreeOf<P>::hand_inertia(const Node& n, int i,
                                                           const mechanics::Articulated<T>& a,
                                                           MassFactor<T>& f) const {
  const mechanics::BodyFactor<T>& b = f.body[i];
  const Vec2<T> swing = turned(b.reach);
  mechanics::Articulated<T> out = a;
  out.cross = a.push(swing);
  out.turn = dot(swing, out.cross);
  if constexpr (mechanics::hands_on_moments<Joint>) {
    out.turn += a.turn + T(2) * dot(a.cross, swing);
    out.cross += a.cross;
  }
  mechanics::Articulated<T>& sum = f.carried[n.parent];
  n.opens ? sum = out : sum += out;
  if constexpr (Elastic)
    if (n.on_beam)
      flex_[n.parent].add(seats_[i], a, b.reach, b.offset, f.body[n.parent].side,
                          f.flex.data() + nodes_[n.parent].block);
}

// From the leaves to the roots: articulated inertias, and, where wanted, the forces with them.
template <class P>
template <bool Forces, bool Elastic, class T>
void TreeOf<P>::climb(const Frames<T, P>& frames, [[maybe_unused]] Wrenches<T>* wrenches, MassFactor<T>& f,
                      [[maybe_unused]] T* x) const {
  if constexpr (Elastic)
    for (int i = 0; i < body_count(); ++i) {
      if (nodes_[i].elastic < 0) continue;
      f.body[i].side = frames.w[i];
      if (nodes_[i].carries) flex_[i].begin(frames.w[i], f.flex.data() + nodes_[i].block);
    }
  for (int i = body_count() - 1; i >= 0; --i) {
    const Node& n = nodes_[i];
    mechanics::BodyFactor<T>& b = f.body[i];
    mechanics::Load<T> load;
    if constexpr (Forces)
      load = net_load<Elastic>(frames, i, *wrenches, x, b);
    else
      find_first_moment<Elastic>(frames, i, b);
    mechanics::Articulated<T> a{T(n.turn), turned(b.first), T(n.mass), T(0), T(n.mass)};
    if (n.carries) a += f.carried[i];
    if (!f.added.empty()) a += f.added[i];
    if constexpr (Elastic)
      if (n.elastic >= 0) {
        a.turn += b.turning;
        flex_[i].eliminate(b.side, f.flex.data() + n.block, a);
        if constexpr (Forces)
          flex_[i].lift(b.side, f.flex.data() + n.block, load, x + n.elastic, f.room.elastic.data());
      }
    mechanics::with_joint(n.joint, [&](auto joint) {
      if constexpr (joint.has_line) {
        b.line = line_of(frames, i);
        b.offset = frames.travel[i] * b.line;
      }
      if (!n.alone) joint.eliminate(a, b, f.inverse_diagonal.data() + n.dof);
      if constexpr (Forces) {
        for (int k = 0; k < joint.size; ++k) x[n.dof + k] = T(0);
        joint.lift(b, load, x + n.dof);
      }
      if (n.parent < 0) return;
      b.reach = frames.reach[i];
      hand_inertia<Elastic, decltype(joint)>(n, i, a, f);
      if constexpr (Forces)
        hand_load<Elastic, mechanics::hands_on_moments<decltype(joint)>>(n, i, frames, b.offset, load,
                                                                         *wrenches);
    });
  }
}

template <class P>
template <class T>
void TreeOf<P>::factor(const Frames<T, P>& frames, MassFactor<T>& out) const {
  if (all_alone_) return;
  has_beams() ? climb<false, true, T>(frames, nullptr, out, nullptr)
              : climb<false, false, T>(frames, nullptr, out, nullptr);
}

template <class P>
template <class T>
void TreeOf<P>::lift_forces(const Frames<T, P>& frames, Wrenches<T>& wrenches, MassFactor<T>& mass,
                            T* x) const {
  has_beams() ? climb<true, true>(frames, &wrenches, mass, x)
              : climb<true, false>(frames, &wrenches, mass, x);
}

template <class P>
template <class T>
void TreeOf<P>::forward_articulated(const Frames<T, P>& frames, Wrenches<T>& wrenches, MassFactor<T>& mass,
                                    T* vdot) const {
  lift_forces(frames, wrenches, mass, vdot);
  lower(mass, vdot);
}

// M is diagonal, and there are no centripetal terms.
template <class P>
template <class T>
[[gnu::always_inline]] inline void TreeOf<P>::accelerate_alone(int i, Vec2<T> force, T moment,
                                                               const MassFactor<T>& mass, T* vdot) const {
  const int at = nodes_[i].dof;
  const T* inverse = mass.inverse_diagonal.data() + at;
  if (nodes_[i].joint == JointKind::pin) {
    vdot[at] = inverse[0] * moment;
    return;
  }
  vdot[at] = inverse[0] * force.x;
  vdot[at + 1] = inverse[1] * force.z;
  vdot[at + 2] = inverse[2] * moment;
}

template <class P>
template <class T>
[[gnu::always_inline]] inline void TreeOf<P>::forward_dynamics(const Frames<T, P>& frames,
                                                               Wrenches<T>& wrenches, MassFactor<T>& mass,
                                                               T* vdot) const {
  if (!all_alone_) return forward_articulated(frames, wrenches, mass, vdot);
  for (int i = 0; i < body_count(); ++i)
    accelerate_alone(i, wrenches.force[i], wrenches.moment[i], mass, vdot);
}

template <class P>
template <class X>
[[gnu::always_inline]] inline bool TreeOf<P>::is_touched(const Node& n, const X* x) const {
  for (int k = n.dof; k < n.end; ++k)
    if (!is_zero(x[k])) return true;
  return false;
}

// x ← L⁻ᵀ x. Bodies that nothing acts on are left out: the row of a point force touches the way to the root only.
template <class P>
template <bool Elastic, class T, class X>
void TreeOf<P>::sweep_up(const MassFactor<T>& f, X* x, SweepRoom<X>& room) const {
  const Node* nodes = nodes_.data();
  const mechanics::BodyFactor<T>* bodies = f.body.data();
  typename SweepRoom<X>::Stop* stops = room.stops.data();
  for (int i = body_count() - 1; i >= 0; --i) {
    const Node& n = nodes[i];
    const mechanics::BodyFactor<T>& b = bodies[i];
    mechanics::Load<X> load{};
    if (stops[i].active)
      load = stops[i].load;
    else if (!is_touched(n, x))
      continue;
    stops[i].active = true;
    if constexpr (Elastic)
      if (n.elastic >= 0)
        flex_[i].lift(b.side, f.flex.data() + n.block, load, x + n.elastic, room.elastic.data());
    mechanics::with_joint(n.joint, [&](auto joint) {
      joint.lift(b, load, x + n.dof);
      if (n.parent < 0) return;
      if constexpr (Elastic)
        if (n.on_beam)
          add_to_beam<mechanics::hands_on_moments<decltype(joint)>>(i, bodies[n.parent].side, b.offset, load,
                                                                    x + nodes[n.parent].elastic);
      X twist = moment(b.reach, load.force);
      if constexpr (mechanics::hands_on_moments<decltype(joint)>) twist += load.moment;
      auto& below = stops[n.parent];
      if (below.active) {
        below.load.moment += twist;
        below.load.force += load.force;
      } else {
        below.load = {twist, load.force};
        below.active = true;
      }
    });
  }
}

// x ← L⁻¹ D⁻¹ x. Trees that nothing acts on are left out where the sweep is sparse.
template <class P>
template <bool Elastic, bool Sparse, class T, class X>
void TreeOf<P>::sweep_down(const MassFactor<T>& f, X* x, SweepRoom<X>& room) const {
  const Node* nodes = nodes_.data();
  const mechanics::BodyFactor<T>* bodies = f.body.data();
  const T* inverse = f.inverse_diagonal.data();
  typename SweepRoom<X>::Stop* stops = room.stops.data();
  const int count = body_count();
  for (int i = 0; i < count; ++i) {
    const Node& n = nodes[i];
    const mechanics::BodyFactor<T>& b = bodies[i];
    if constexpr (Sparse) {
      stops[i].reached = n.parent < 0 ? stops[i].active : stops[n.parent].reached;
      stops[i].active = false;  // for the next time
      if (!stops[i].reached) continue;
    }
    mechanics::Motion<X> m{};
    if (n.parent >= 0) m = seat_motion<Elastic>(n, i, b, bodies[n.parent].side, stops[n.parent].motion, x);
    mechanics::with_joint(n.joint, [&](auto joint) { joint.lower(b, inverse + n.dof, m, x + n.dof); });
    if (n.carries) stops[i].motion = m;
    if constexpr (Elastic)
      if (n.elastic >= 0)
        flex_[i].lower(b.side, f.flex.data() + n.block, m, x + n.elastic, room.elastic.data());
  }
}

// How the seat of a joint moves with the parent.
template <class P>
template <bool Elastic, class T, class X>
[[gnu::always_inline]] inline mechanics::Motion<X> TreeOf<P>::seat_motion(const Node& n, int i,
                                                                          const mechanics::BodyFactor<T>& b,
                                                                          [[maybe_unused]] Vec2<T> side,
                                                                          const mechanics::Motion<X>& m,
                                                                          [[maybe_unused]] const X* x) const {
  mechanics::Motion<X> out{m.turn, m.move + m.turn * turned(b.reach)};
  if constexpr (Elastic)
    if (n.on_beam) {
      const X* elastic = x + nodes_[n.parent].elastic;
      out.move += mechanics::row_times(seats_[i].shapes, elastic) * side;
      if (n.hands) {
        const X slope = mechanics::row_times(seats_[i].slopes, elastic);
        out.turn += slope;
        out.move += slope * turned(b.offset);
      }
    }
  return out;
}

template <class P>
template <class T>
void TreeOf<P>::solve(const MassFactor<T>& factor, T* x) const {
  if (all_alone_) return lower(factor, x);
  if (has_beams()) {
    sweep_up<true>(factor, x, factor.room);
    sweep_down<true, true>(factor, x, factor.room);
  } else {
    sweep_up<false>(factor, x, factor.room);
    sweep_down<false, true>(factor, x, factor.room);
  }
}

template <class P>
template <class T>
void TreeOf<P>::solve_many(const MassFactor<T>& factor, T* x, int count) const {
  for (int r = 0; r < count; ++r) solve(factor, x + static_cast<std::ptrdiff_t>(r) * dof_count_);
}

template <class P>
template <class T>
void TreeOf<P>::lift(const MassFactor<T>& factor, T* x) const {
  if (all_alone_) return;
  has_beams() ? sweep_up<true>(factor, x, factor.room) : sweep_up<false>(factor, x, factor.room);
  for (auto& stop : factor.room.stops) stop.active = false;
}

template <class P>
template <class T>
void TreeOf<P>::lower(const MassFactor<T>& factor, T* x) const {
  if (all_alone_) {
    for (int i = 0; i < dof_count_; ++i) x[i] *= factor.inverse_diagonal[i];
    return;
  }
  has_beams() ? sweep_down<true, false>(factor, x, factor.room)
              : sweep_down<false, false>(factor, x, factor.room);
}

template <class P>
template <class T>
T TreeOf<P>::half_product(const MassFactor<T>& factor, const T* a, const T* b) const {
  T sum{};
  for (int i = 0; i < dof_count_; ++i) sum += a[i] * factor.inverse_diagonal[i] * b[i];
  return sum;
}

template <class P>
template <class T>
void TreeOf<P>::multiply(const MassFactor<T>& f, T* x) const {
  if (all_alone_) {
    for (int i = 0; i < dof_count_; ++i) x[i] = x[i] / f.inverse_diagonal[i];
    return;
  }
  auto& stops = f.room.stops;
  std::vector<T> geared(has_gears_ ? nodes_.size() : 0);  // what the inertia of the joint takes
  for (int i = 0; i < body_count(); ++i) {
    const Node& n = nodes_[i];
    mechanics::Motion<T>& m = stops[i].motion;
    m = {};
    if (n.parent >= 0)
      m = seat_motion<true>(n, i, f.body[i], f.body[n.parent].side, stops[n.parent].motion, x);
    if (!is_zero(n.rotor)) geared[i] = n.rotor * (n.turns ? x[n.dof] : x[n.dof] - m.turn);
    mechanics::with_joint(n.joint, [&](auto joint) { joint.move(f.body[i].line, x + n.dof, m); });
  }
  // From accelerations to the forces they take.
  for (int i = 0; i < body_count(); ++i) {
    const Node& n = nodes_[i];
    const mechanics::BodyFactor<T>& b = f.body[i];
    const mechanics::Motion<T>& m = stops[i].motion;
    const Vec2<T> cross = turned(b.first);
    mechanics::Load<T>& load = stops[i].load;
    load.moment = (T(n.turn) + b.turning) * m.turn + dot(cross, m.move);
    load.force = m.turn * cross + n.mass * m.move;
    if (!f.added.empty()) {
      load.moment += f.added[i].turn * m.turn + dot(f.added[i].cross, m.move);
      load.force += m.turn * f.added[i].cross + f.added[i].push(m.move);
    }
    mechanics::with_joint(n.joint, [&](auto joint) {
      for (int k = 0; k < joint.size; ++k) x[n.dof + k] = T(0);
    });
    if (n.elastic >= 0) flex_[i].multiply(b.side, m, load, x + n.elastic);
  }
  for (int i = body_count() - 1; i >= 0; --i) {
    const Node& n = nodes_[i];
    const mechanics::BodyFactor<T>& b = f.body[i];
    const mechanics::Load<T>& load = stops[i].load;
    mechanics::with_joint(n.joint, [&](auto joint) {
      joint.project(b.line, load, x + n.dof);
      if (!is_zero(n.rotor)) x[n.dof] += geared[i];
      if (n.parent < 0) return;
      if (!is_zero(n.rotor) && !n.turns) {
        stops[n.parent].load.moment -= geared[i];
        add_seat_moment(i, -geared[i], x);
      }
      if (n.on_beam)
        add_to_beam<mechanics::turns_with_seat<decltype(joint)>>(i, f.body[n.parent].side, b.offset, load,
                                                                 x + nodes_[n.parent].elastic);
      mechanics::Load<T>& sum = stops[n.parent].load;
      sum.force += load.force;
      sum.moment += moment(b.reach, load.force);
      if constexpr (mechanics::turns_with_seat<decltype(joint)>) sum.moment += load.moment;
    });
  }
}

}  // namespace thud
