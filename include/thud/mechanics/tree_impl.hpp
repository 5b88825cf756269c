#pragma once
// Templates of Tree: poses, forces on the bodies, and what is asked of single ones. The sweeps are in tree_sweeps.hpp.

#include "thud/math/dual.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

template <class T>
void Frames<T>::resize(const Tree& tree) {
  resize(static_cast<std::size_t>(tree.body_count()));
  eta.assign(tree.elastic_count(), T(0));
  eta_rate.assign(tree.elastic_count(), T(0));
  for (int i = 0; i < tree.body_count(); ++i) {
    beam[i] = tree.body(i).beam.get();
    eta_begin[i] = tree.elastic_begin(i);
  }
}

// The place on its parent that carries a body.
template <class T>
[[gnu::always_inline]] inline void Tree::find_seat(const Node& n, int i, const Frames<T>& frames,
                                                   mechanics::Seat<T>& seat) const {
  const int p = n.parent;
  Vec2<T> a = n.attach.s * frames.u[p] + n.attach.n * frames.w[p];
  if (n.on_beam) {
    const T* eta = frames.eta.data() + nodes_[p].eta;
    const T* eta_rate = frames.eta_rate.data() + nodes_[p].eta;
    const T lateral = mechanics::row_times(seats_[i].shapes, eta_rate);
    a += mechanics::row_times(seats_[i].shapes, eta) * frames.w[p];
    seat.origin_rate = lateral * frames.w[p];
    seat.centripetal = T(-2) * frames.rate[p] * lateral * frames.u[p];
  }
  seat.reach = a;
  seat.origin = frames.origin[p] + a;
  seat.origin_rate += frames.velocity(p, a);
  seat.centripetal += frames.centripetal[p] - frames.rate[p] * frames.rate[p] * a;
}

template <class T>
[[gnu::always_inline]] inline Frame<T> Tree::place(int i, const T* q, const T* v, Frames<T>& out) const {
  const Node& n = nodes_[i];
  mechanics::Seat<T> seat{};
  const Frame<T> f = mechanics::with_joint(n.joint, [&](auto joint) {
    mechanics::Axis<T> axis{};
    if constexpr (!mechanics::turns_with_seat<decltype(joint)>) axis = mechanics::axis_at(q[n.angle]);
    if constexpr (joint.has_seat) {
      if (n.parent >= 0) {
        find_seat(n, i, out, seat);
        out.reach[i] = seat.reach;
        out.centripetal[i] = seat.centripetal;  // roots have none
      } else {
        seat.origin = {T(n.anchor.x), T(n.anchor.z)};
      }
    }
    return joint.place(seat, axis, q, v, n.dof);
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

template <class T>
void Tree::kinematics(const T* q, const T* v, Frames<T>& out) const {
  for (int i = 0; i < body_count(); ++i) place(i, q, v, out);
}

template <class T>
void Tree::add_point_force(const Frames<T>& frames, int body, Vec2<T> arm, Vec2<T> f, T* generalised,
                           const T* shapes) const {
  if (shapes) {
    const T lateral = dot(frames.w[body], f);
    for (int k = 0; k < flex_[body].count(); ++k)
      generalised[nodes_[body].elastic + k] += shapes[k] * lateral;
  }
  add_load(frames, body, {moment(arm, f), f}, generalised);
}

template <class T>
void Tree::add_load(const Frames<T>& frames, int i, mechanics::Load<T> load, T* generalised) const {
  for (;;) {
    const Node& n = nodes_[i];
    const bool turns = mechanics::with_joint(n.joint, [&](auto joint) {
      joint.project(load, generalised + n.dof);
      return mechanics::turns_with_seat<decltype(joint)>;
    });
    if (n.parent < 0) return;
    if (n.on_beam) add_to_beam(i, frames.w[n.parent], load, generalised + nodes_[n.parent].elastic);
    load.moment =
        turns ? load.moment + moment(frames.reach[i], load.force) : moment(frames.reach[i], load.force);
    i = n.parent;
  }
}

// Generalised force of a load handed to an elastic parent, on its elastic coordinates.
template <class T, class X>
[[gnu::always_inline]] inline void Tree::add_to_beam(int i, Vec2<T> side, const mechanics::Load<X>& load,
                                                     X* elastic) const {
  const std::vector<double>& shapes = seats_[i].shapes;
  mechanics::add_times(shapes.data(), dot(side, load.force), elastic, static_cast<int>(shapes.size()));
}

template <class T>
T Tree::joint_rate(const Frames<T>& frames, int i) const {
  const Node& n = nodes_[i];
  T rate = frames.rate[i];
  if (n.elastic >= 0) rate += mechanics::row_times(flex_[i].own_slope(), frames.eta_rate.data() + n.eta);
  if (n.parent < 0) return rate;
  rate -= frames.rate[n.parent];
  if (n.on_beam)
    rate -= mechanics::row_times(seats_[i].slopes, frames.eta_rate.data() + nodes_[n.parent].eta);
  return rate;
}

template <class T>
T Tree::joint_position(const Frames<T>& frames, const T* q, int i) const {
  const Node& n = nodes_[i];
  T angle = q[n.angle];
  if (n.elastic >= 0) angle += mechanics::row_times(flex_[i].own_slope(), frames.eta.data() + n.eta);
  if (n.parent < 0) return angle;
  angle -= q[nodes_[n.parent].angle];
  if (n.on_beam) angle -= mechanics::row_times(seats_[i].slopes, frames.eta.data() + nodes_[n.parent].eta);
  return angle;
}

template <class T>
void Tree::add_joint_moment(int i, T moment, T* generalised) const {
  const Node& n = nodes_[i];
  generalised[n.angle] += moment;
  for (int k = 0; k < flex_[i].count(); ++k) generalised[n.elastic + k] += flex_[i].own_slope()[k] * moment;
  if (n.parent < 0) return;
  const Node& p = nodes_[n.parent];
  generalised[p.angle] -= moment;
  for (int k = 0; k < flex_[n.parent].count(); ++k)
    generalised[p.elastic + k] -= seats_[i].slopes[k] * moment;
}

template <class T>
void Tree::add_joint_moment(int i, T moment, Wrenches<T>& wrenches) const {
  const Node& n = nodes_[i];
  wrenches.moment[i] += moment;
  for (int k = 0; k < flex_[i].count(); ++k) wrenches.elastic[n.eta + k] += flex_[i].own_slope()[k] * moment;
  if (n.parent < 0) return;
  wrenches.moment[n.parent] -= moment;
  for (int k = 0; k < flex_[n.parent].count(); ++k)
    wrenches.elastic[nodes_[n.parent].eta + k] -= seats_[i].slopes[k] * moment;
}

template <class T>
Vec2<T> Tree::center_arm(const Frames<T>& frames, int i) const {
  const Body& b = bodies_[i];
  Vec2<T> arm = b.center.s * frames.u[i] + b.center.n * frames.w[i];
  if (b.beam)
    arm += (mechanics::row_times(b.beam->mean(), frames.eta.data() + nodes_[i].eta) * (1 / b.mass))
         * frames.w[i];
  return arm;
}

template <class T>
Vec2<T> Tree::center_velocity(const Frames<T>& frames, int i) const {
  const Body& b = bodies_[i];
  Vec2<T> v = frames.velocity(i, center_arm(frames, i));
  if (b.beam)
    v += (mechanics::row_times(b.beam->mean(), frames.eta_rate.data() + nodes_[i].eta) * (1 / b.mass))
       * frames.w[i];
  return v;
}

template <class T>
Vec2<T> Tree::weight_moment(const Frames<T>& frames, int i) const {
  const Body& b = bodies_[i];
  Vec2<T> r = (b.mass * b.center.s - b.weightless * b.weightless_at) * frames.u[i]
            + (b.mass * b.center.n) * frames.w[i];
  if (b.beam) r += mechanics::row_times(b.beam->weight(), frames.eta.data() + nodes_[i].eta) * frames.w[i];
  return r;
}

}  // namespace thud

#include "thud/mechanics/tree_sweeps.hpp"
