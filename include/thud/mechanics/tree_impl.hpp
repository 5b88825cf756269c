#pragma once
// Templates of Tree: poses, forces on the bodies, and what is asked of single ones. The sweeps are in tree_sweeps.hpp.

#include "thud/math/dual.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

template <class T, class P>
void Frames<T, P>::resize(const TreeOf<P>& tree) {
  resize(static_cast<std::size_t>(tree.body_count()));
  eta.assign(tree.elastic_count(), T(0));
  eta_rate.assign(tree.elastic_count(), T(0));
  for (int i = 0; i < tree.body_count(); ++i) {
    beam[i] = tree.body(i).beam.get();
    eta_begin[i] = tree.elastic_begin(i);
  }
}

// The place on its parent that carries a body.
template <class P>
template <bool Turns, class T>
[[gnu::always_inline]] inline void TreeOf<P>::find_seat(const Node& n, int i, const Frames<T, P>& frames,
                                                        mechanics::Seat<T>& seat) const {
  const int p = n.parent;
  Vec2<T> a = n.attach.s * frames.u[p] + n.attach.n * frames.w[p];
  if constexpr (Turns) {
    seat.axis = {frames.u[p], frames.w[p]};
    seat.rate = frames.rate[p];
  }
  if (n.on_beam) {
    const T* eta = frames.eta.data() + nodes_[p].eta;
    const T* eta_rate = frames.eta_rate.data() + nodes_[p].eta;
    const T lateral = mechanics::row_times(seats_[i].shapes, eta_rate);
    a += mechanics::row_times(seats_[i].shapes, eta) * frames.w[p];
    seat.origin_rate = lateral * frames.w[p];
    seat.centripetal = T(-2) * frames.rate[p] * lateral * frames.u[p];
    if constexpr (Turns) {
      using portable::cos, portable::sin;
      const T slope = mechanics::row_times(seats_[i].slopes, eta);
      seat.axis = mechanics::rotated(seat.axis, cos(slope), sin(slope));
      seat.rate += mechanics::row_times(seats_[i].slopes, eta_rate);
    }
  }
  seat.reach = a;
  seat.origin = frames.origin[p] + a;
  seat.origin_rate += frames.velocity(p, a);
  seat.centripetal += frames.centripetal[p] - frames.rate[p] * frames.rate[p] * a;
}

template <class P>
template <class T>
[[gnu::always_inline]] inline Frame<T> TreeOf<P>::place(int i, const T* q, const T* v,
                                                        Frames<T, P>& out) const {
  const Node& n = nodes_[i];
  const Frame<T> f = mechanics::with_joint(n.joint, [&](auto joint) {
    constexpr bool turns = mechanics::turns_with_seat<decltype(joint)>;
    mechanics::Seat<T> seat{};
    mechanics::Axis<T> axis{};
    if constexpr (!turns) axis = mechanics::axis_at(q[n.angle]);
    if constexpr (joint.has_seat) {
      if (n.parent >= 0) {
        find_seat<turns>(n, i, out, seat);
      } else {
        seat.origin = {T(n.anchor.x), T(n.anchor.z)};
        if constexpr (turns) seat.axis = {{T(0), T(1)}, {T(1), T(0)}};
      }
    }
    const Frame<T> own = joint.place(shapes_[i], seat, axis, q, v, n.dof);
    if constexpr (joint.has_seat)
      if (n.parent >= 0) {
        out.reach[i] = seat.reach;
        out.centripetal[i] = seat.centripetal;  // roots have none
      }
    if constexpr (joint.has_line) {
      out.travel[i] = seat.travel;
      out.travel_rate[i] = seat.travel_rate;
    }
    return own;
  });
  out.u[i] = f.u;
  out.w[i] = f.w;
  out.rate[i] = f.rate;
  out.origin[i] = f.origin;
  out.origin_rate[i] = f.origin_rate;
  if (n.elastic >= 0) {
    for (int k = 0; k < flex_[i].count(); ++k) {
      out.eta[n.eta + k] = q[n.elastic + k];
      out.eta_rate[n.eta + k] = v[n.elastic + k];
    }
  }
  return f;
}

template <class P>
template <class T>
void TreeOf<P>::kinematics(const T* q, const T* v, Frames<T, P>& out) const {
  for (int i = 0; i < body_count(); ++i) place(i, q, v, out);
}

template <class P>
template <class T>
[[gnu::always_inline]] inline LoneFrames<T, P> TreeOf<P>::place_lone(const T* q, const T* v) const {
  const Node& n = nodes_[0];
  const mechanics::Axis<T> axis = mechanics::axis_at(q[n.angle]);
  mechanics::Seat<T> seat{};
  seat.origin = {T(n.anchor.x), T(n.anchor.z)};
  const Frame<T> f = n.joint == JointKind::pin
                       ? mechanics::PinJoint::place(shapes_[0], seat, axis, q, v, n.dof)
                       : mechanics::FreeJoint::place(shapes_[0], seat, axis, q, v, n.dof);
  return {{f.u}, {f.w}, {f.origin}, {f.origin_rate}, {f.rate}};
}

template <class P>
template <class T>
void TreeOf<P>::add_point_force(const Frames<T, P>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised,
                                const T* shapes) const {
  if (shapes) {
    const T lateral = dot(frames.w[body], f);
    for (int k = 0; k < flex_[body].count(); ++k)
      generalised[nodes_[body].elastic + k] += shapes[k] * lateral;
  }
  add_load(frames, body, {moment(arm, f), f}, generalised);
}

template <class P>
template <class T>
Vec2<T> TreeOf<P>::line_of(const Frames<T, P>& frames, int i) const {
  const mechanics::JointShapeOf<P>& shape = shapes_[i];
  return shape.along * frames.u[i] + shape.across * frames.w[i];
}

template <class P>
template <class T>
void TreeOf<P>::add_load(const Frames<T, P>& frames, int i, mechanics::Load<T> load, T* generalised) const {
  for (;; i = nodes_[i].parent) {
    const Node& n = nodes_[i];
    const bool done = mechanics::with_joint(n.joint, [&](auto joint) {
      Vec2<T> line{};
      if constexpr (joint.has_line) line = line_of(frames, i);
      joint.project(line, load, generalised + n.dof);
      if (n.parent < 0) return true;
      if (n.on_beam)
        add_to_beam<mechanics::turns_with_seat<decltype(joint)>>(
            i, frames.w[n.parent], frames.travel[i] * line, load, generalised + nodes_[n.parent].elastic);
      const T twist = moment(frames.reach[i], load.force);
      load.moment = mechanics::turns_with_seat<decltype(joint)> ? load.moment + twist : twist;
      return false;
    });
    if (done) return;
  }
}

// Generalised force of a load handed to an elastic parent, on its elastic coordinates.
template <class P>
template <bool Moment, class T, class X>
[[gnu::always_inline]] inline void TreeOf<P>::add_to_beam(int i, Vec2<T> side,
                                                          [[maybe_unused]] Vec2<T> offset,
                                                          const mechanics::Load<X>& load, X* elastic) const {
  const mechanics::FlexSeatOf<P>& at = seats_[i];
  const int count = static_cast<int>(at.shapes.size());
  mechanics::add_times(at.shapes.data(), dot(side, load.force), elastic, count);
  if constexpr (Moment)
    mechanics::add_times(at.slopes.data(), load.moment + moment(offset, load.force), elastic, count);
}

template <class P>
template <class T>
T TreeOf<P>::turning(int i, const T* x) const {
  T sum{};
  while (nodes_[i].turns) {
    const Node& n = nodes_[i];
    if (n.parent < 0) return sum;
    if (n.on_beam) sum += mechanics::row_times(seats_[i].slopes, x + nodes_[n.parent].elastic);
    i = n.parent;
  }
  return sum + x[nodes_[i].angle];
}

template <class P>
template <class T>
void TreeOf<P>::add_moment(int i, T moment, T* generalised) const {
  while (nodes_[i].turns) {
    if (nodes_[i].parent < 0) return;
    add_seat_moment(i, moment, generalised);
    i = nodes_[i].parent;
  }
  generalised[nodes_[i].angle] += moment;
}

// On the elastic coordinates of the parent alone.
template <class P>
template <class T>
void TreeOf<P>::add_seat_moment(int i, T moment, T* generalised) const {
  const mechanics::FlexSeatOf<P>& at = seats_[i];
  if (nodes_[i].on_beam)
    mechanics::add_times(at.slopes.data(), moment, generalised + nodes_[nodes_[i].parent].elastic,
                         static_cast<int>(at.slopes.size()));
}

template <class P>
template <class T>
T TreeOf<P>::joint_rate(const Frames<T, P>& frames, int i) const {
  const Node& n = nodes_[i];
  if (n.joint == JointKind::slider) return frames.travel_rate[i];
  if (n.joint == JointKind::weld) return T(0);
  T rate = frames.rate[i];
  if (n.elastic >= 0) rate += mechanics::row_times(flex_[i].own_slope(), frames.eta_rate.data() + n.eta);
  if (n.parent < 0) return rate;
  rate -= frames.rate[n.parent];
  if (n.on_beam)
    rate -= mechanics::row_times(seats_[i].slopes, frames.eta_rate.data() + nodes_[n.parent].eta);
  return rate;
}

template <class P>
template <class T>
T TreeOf<P>::joint_position(const Frames<T, P>& frames, const T* q, int i) const {
  const Node& n = nodes_[i];
  if (n.joint == JointKind::slider) return frames.travel[i];
  if (n.joint == JointKind::weld) return T(0);
  T position = angle(i, q);
  if (n.elastic >= 0) position += mechanics::row_times(flex_[i].own_slope(), frames.eta.data() + n.eta);
  if (n.parent < 0) return position;
  position -= angle(n.parent, q);
  if (n.on_beam) position -= mechanics::row_times(seats_[i].slopes, frames.eta.data() + nodes_[n.parent].eta);
  return position;
}

template <class P>
template <class T>
void TreeOf<P>::add_joint_moment(int i, T moment, T* generalised) const {
  const Node& n = nodes_[i];
  if (n.joint == JointKind::slider) generalised[n.dof] += moment;
  if (n.turns) return;
  generalised[n.angle] += moment;
  for (int k = 0; k < flex_[i].count(); ++k) generalised[n.elastic + k] += flex_[i].own_slope()[k] * moment;
  if (n.parent < 0) return;
  add_seat_moment(i, -moment, generalised);
  add_moment(n.parent, -moment, generalised);
}

template <class P>
template <class T>
void TreeOf<P>::add_joint_moment(const Frames<T, P>& frames, int i, T moment, Wrenches<T>& wrenches) const {
  const Node& n = nodes_[i];
  if (n.joint == JointKind::slider) {
    const Vec2<T> line = line_of(frames, i), force = moment * line;
    wrenches.force[i] += force;
    if (n.parent < 0) return;
    wrenches.add(n.parent, frames.reach[i], -force);
    if (n.on_beam)
      add_to_beam<true>(i, frames.w[n.parent], frames.travel[i] * line, mechanics::Load<T>{T(0), -force},
                        wrenches.elastic.data() + nodes_[n.parent].eta);
  }
  if (n.turns) return;
  wrenches.moment[i] += moment;
  for (int k = 0; k < flex_[i].count(); ++k) wrenches.elastic[n.eta + k] += flex_[i].own_slope()[k] * moment;
  if (n.parent < 0) return;
  wrenches.moment[n.parent] -= moment;
  for (int k = 0; k < flex_[n.parent].count(); ++k)
    wrenches.elastic[nodes_[n.parent].eta + k] -= seats_[i].slopes[k] * moment;
}

template <class P>
template <class T>
Vec2<T> TreeOf<P>::center_arm(const Frames<T, P>& frames, int i) const {
  const BodyOf<P>& b = bodies_[i];
  Vec2<T> arm = b.center.s * frames.u[i] + b.center.n * frames.w[i];
  if (b.beam)
    arm += (mechanics::row_times(b.beam->mean(), frames.eta.data() + nodes_[i].eta) * (P(1) / b.mass))
         * frames.w[i];
  return arm;
}

template <class P>
template <class T>
Vec2<T> TreeOf<P>::center_velocity(const Frames<T, P>& frames, int i) const {
  const BodyOf<P>& b = bodies_[i];
  Vec2<T> v = frames.velocity(i, center_arm(frames, i));
  if (b.beam)
    v += (mechanics::row_times(b.beam->mean(), frames.eta_rate.data() + nodes_[i].eta) * (P(1) / b.mass))
       * frames.w[i];
  return v;
}

template <class P>
template <class T>
Vec2<T> TreeOf<P>::weight_moment(const Frames<T, P>& frames, int i) const {
  const BodyOf<P>& b = bodies_[i];
  Vec2<T> r = (b.mass * b.center.s - b.weightless * b.weightless_at) * frames.u[i]
            + (b.mass * b.center.n) * frames.w[i];
  if (b.beam) r += mechanics::row_times(b.beam->weight(), frames.eta.data() + nodes_[i].eta) * frames.w[i];
  return r;
}

template <class P>
template <class T>
void TreeOf<P>::add_point_force(const Frames<T, P>& frames, int body, BodyPointOf<P> point, Vec2<T> f,
                                T* generalised) const {
  const ElasticBeamOf<P>* beam = bodies_[body].beam.get();
  const Vec2<T> arm = frames.arm(body, point);
  if (!beam || point.s < beam->start())
    return add_point_force(frames, body, arm, f, generalised, static_cast<const T*>(nullptr));
  std::vector<T> shapes(beam->size()), slopes(beam->size());
  beam->shapes_at(T(point.s - beam->start()), shapes.data(), slopes.data());
  add_point_force(frames, body, arm, f, generalised, shapes.data());
}

// v̇ as the motion of a frame, but for the centripetal part.
template <class P>
template <class T>
mechanics::Motion<T> TreeOf<P>::motion(const Frames<T, P>& frames, const T* vdot, int i) const {
  const Node& n = nodes_[i];
  mechanics::Motion<T> m;
  if (n.parent >= 0) {
    mechanics::BodyFactor<T> b;
    b.reach = frames.reach[i];
    if (n.joint == JointKind::slider) b.offset = frames.travel[i] * line_of(frames, i);
    m = seat_motion<true>(n, i, b, frames.w[n.parent], motion(frames, vdot, n.parent), vdot);
  }
  mechanics::with_joint(n.joint, [&](auto joint) { joint.move(line_of(frames, i), vdot + n.dof, m); });
  return m;
}

template <class P>
template <class T>
Vec2<T> TreeOf<P>::acceleration(const Frames<T, P>& frames, const T* vdot, int body,
                                BodyPointOf<P> point) const {
  const Vec2<T> r = frames.arm(body, point);
  const T rate = frames.rate[body];
  const mechanics::Motion<T> m = motion(frames, vdot, body);
  const Vec2<T> a = m.move + frames.centripetal[body] + m.turn * turned(r) - rate * rate * r;
  const ElasticBeamOf<P>* beam = bodies_[body].beam.get();
  if (!beam || point.s < beam->start()) return a;
  T w, slope;
  beam->deflect(point.s - beam->start(), vdot + nodes_[body].elastic, w, slope);
  return a + w * frames.w[body] - 2 * rate * frames.deflection_rate(body, point.s) * frames.u[body];
}

template <class P>
template <class T>
Vec2<T> TreeOf<P>::center_acceleration(const Frames<T, P>& frames, const T* vdot, int body) const {
  const BodyOf<P>& b = bodies_[body];
  const Vec2<T> r = center_arm(frames, body);
  const T rate = frames.rate[body];
  const mechanics::Motion<T> m = motion(frames, vdot, body);
  const Vec2<T> a = m.move + frames.centripetal[body] + m.turn * turned(r) - rate * rate * r;
  if (!b.beam) return a;
  const T lateral = mechanics::row_times(b.beam->mean(), vdot + nodes_[body].elastic) / b.mass;
  const T lateral_rate =
      mechanics::row_times(b.beam->mean(), frames.eta_rate.data() + nodes_[body].eta) / b.mass;
  return a + lateral * frames.w[body] - 2 * rate * lateral_rate * frames.u[body];
}

template <class P>
template <class T>
T TreeOf<P>::kinetic_energy(const Frames<T, P>& frames) const {
  T e{};
  for (int i = 0; i < body_count(); ++i) e += kinetic_energy(frames, i);
  return e;
}

template <class P>
template <class T>
T TreeOf<P>::kinetic_energy(const Frames<T, P>& frames, int i) const {
  const BodyOf<P>& b = bodies_[i];
  const T rate = frames.rate[i];
  T geared{};
  if (!is_zero(b.joint.inertia)) {
    const T between = joint_rate(frames, i);
    geared = 0.5 * b.joint.inertia * between * between;
  }
  if (!b.beam) {
    const Vec2<T> v = frames.velocity(i, b.center);
    return 0.5 * (b.mass * dot(v, v) + b.inertia * rate * rate) + geared;
  }
  // About the moving origin: the cross term is the momentum relative to the frame's origin.
  const Vec2<T> v = frames.origin_rate[i];
  const Vec2<T> relative = center_velocity(frames, i) - v;
  const T* eta = frames.eta.data() + nodes_[i].eta;
  const T* eta_rate = frames.eta_rate.data() + nodes_[i].eta;
  T square{}, square_rate{};
  for (int k = 0; k < b.beam->size(); ++k)
    square += b.linear ? T(0) : eta[k] * eta[k], square_rate += eta_rate[k] * eta_rate[k];
  const P m = b.beam->modal_mass();
  const T turn = frames.slope(i, b.beam->end());
  if (!b.linear)
    square -= b.beam->basis().data().tip_inertia / m * turn
            * turn;  // the tip turns with the tangent, see mechanics::Flex::swing
  const P about = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
  return 0.5 * b.mass * dot(v, v) + b.mass * dot(v, relative) + 0.5 * rate * rate * (about + m * square)
       + rate * mechanics::row_times(b.beam->first(), eta_rate) + 0.5 * m * square_rate + geared;
}

template <class P>
template <class T>
T TreeOf<P>::potential_energy(const Frames<T, P>& frames, Vec2<P> gravity) const {
  T e{};
  for (int i = 0; i < body_count(); ++i) {
    const BodyOf<P>& b = bodies_[i];
    e -= (b.mass - b.weightless) * dot(gravity, frames.origin[i]) + dot(gravity, weight_moment(frames, i));
  }
  return e;
}

template <class P>
template <class T>
T TreeOf<P>::strain_energy(const Frames<T, P>& frames) const {
  T e{};
  for (int i = 0; i < body_count(); ++i) {
    const ElasticBeamOf<P>* beam = bodies_[i].beam.get();
    for (int k = 0; beam && k < beam->size(); ++k) {
      const T eta = frames.eta[nodes_[i].eta + k];
      e += 0.5 * beam->stiffness()[k] * eta * eta;
    }
  }
  return e;
}

}  // namespace thud

#include "thud/mechanics/tree_sweeps.hpp"
