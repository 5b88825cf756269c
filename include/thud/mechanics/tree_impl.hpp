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
template <bool Turns, class T>
[[gnu::always_inline]] inline void Tree::find_seat(const Node& n, int i, const Frames<T>& frames,
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
      using std::cos, std::sin;
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

template <class T>
[[gnu::always_inline]] inline Frame<T> Tree::place(int i, const T* q, const T* v, Frames<T>& out) const {
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
Vec2<T> Tree::line_of(const Frames<T>& frames, int i) const {
  const mechanics::JointShape& shape = shapes_[i];
  return shape.along * frames.u[i] + shape.across * frames.w[i];
}

template <class T>
void Tree::add_load(const Frames<T>& frames, int i, mechanics::Load<T> load, T* generalised) const {
  for (;; i = nodes_[i].parent) {
    const Node& n = nodes_[i];
    const bool done = mechanics::with_joint(n.joint, [&](auto joint) {
      Vec2<T> line{};
      if constexpr (joint.has_line) line = line_of(frames, i);
      joint.project(line, load, generalised + n.dof);
      if (n.parent < 0) return true;
      if (n.on_beam)
        add_to_beam<decltype(joint)>(i, frames.w[n.parent], frames.travel[i] * line, load,
                                     generalised + nodes_[n.parent].elastic);
      const T twist = moment(frames.reach[i], load.force);
      load.moment = mechanics::turns_with_seat<decltype(joint)> ? load.moment + twist : twist;
      return false;
    });
    if (done) return;
  }
}

// Generalised force of a load handed to an elastic parent, on its elastic coordinates.
template <class Joint, class T, class X>
[[gnu::always_inline]] inline void Tree::add_to_beam(int i, Vec2<T> side, [[maybe_unused]] Vec2<T> offset,
                                                     const mechanics::Load<X>& load, X* elastic) const {
  const mechanics::FlexSeat& at = seats_[i];
  const int count = static_cast<int>(at.shapes.size());
  mechanics::add_times(at.shapes.data(), dot(side, load.force), elastic, count);
  if constexpr (mechanics::turns_with_seat<Joint>)
    mechanics::add_times(at.slopes.data(), load.moment + moment(offset, load.force), elastic, count);
}

template <class T>
T Tree::turning(int i, const T* x) const {
  T sum{};
  while (nodes_[i].turns) {
    const Node& n = nodes_[i];
    if (n.parent < 0) return sum;
    if (n.on_beam) sum += mechanics::row_times(seats_[i].slopes, x + nodes_[n.parent].elastic);
    i = n.parent;
  }
  return sum + x[nodes_[i].angle];
}

template <class T>
void Tree::add_moment(int i, T moment, T* generalised) const {
  while (nodes_[i].turns) {
    if (nodes_[i].parent < 0) return;
    add_seat_moment(i, moment, generalised);
    i = nodes_[i].parent;
  }
  generalised[nodes_[i].angle] += moment;
}

// On the elastic coordinates of the parent alone.
template <class T>
void Tree::add_seat_moment(int i, T moment, T* generalised) const {
  const mechanics::FlexSeat& at = seats_[i];
  if (nodes_[i].on_beam)
    mechanics::add_times(at.slopes.data(), moment, generalised + nodes_[nodes_[i].parent].elastic,
                         static_cast<int>(at.slopes.size()));
}

template <class T>
T Tree::joint_rate(const Frames<T>& frames, int i) const {
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

template <class T>
T Tree::joint_position(const Frames<T>& frames, const T* q, int i) const {
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

template <class T>
void Tree::add_joint_moment(int i, T moment, T* generalised) const {
  const Node& n = nodes_[i];
  if (n.joint == JointKind::slider) generalised[n.dof] += moment;
  if (n.turns) return;
  generalised[n.angle] += moment;
  for (int k = 0; k < flex_[i].count(); ++k) generalised[n.elastic + k] += flex_[i].own_slope()[k] * moment;
  if (n.parent < 0) return;
  add_seat_moment(i, -moment, generalised);
  add_moment(n.parent, -moment, generalised);
}

template <class T>
void Tree::add_joint_moment(const Frames<T>& frames, int i, T moment, Wrenches<T>& wrenches) const {
  const Node& n = nodes_[i];
  if (n.joint == JointKind::slider) {
    const Vec2<T> line = line_of(frames, i), force = moment * line;
    wrenches.force[i] += force;
    if (n.parent < 0) return;
    wrenches.add(n.parent, frames.reach[i], -force);
    if (n.on_beam)
      add_to_beam<mechanics::SliderJoint>(i, frames.w[n.parent], frames.travel[i] * line,
                                          mechanics::Load<T>{T(0), -force},
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
