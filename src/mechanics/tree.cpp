#include "thud/mechanics/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace thud {

template <class P>
TreeOf<P>::TreeOf(std::vector<BodyOf<P>> bodies) : bodies_(std::move(bodies)) {
  nodes_.resize(bodies_.size());
  shapes_.resize(bodies_.size());
  for (int i = 0; i < body_count(); ++i) {
    const BodyOf<P>& b = bodies_[i];
    Node& n = nodes_[i];
    if (b.parent >= i)
      throw std::invalid_argument(fmt::format("body \"{}\" comes before its parent", b.name));
    if (!(value_of(b.mass) >= 0) || !(value_of(b.inertia) >= 0))
      throw std::invalid_argument(
          fmt::format("body \"{}\": mass {} kg and inertia {} kg m2 must not be negative", b.name,
                      value_of(b.mass), value_of(b.inertia)));
    n.parent = b.parent < 0 ? -1 : b.parent;
    n.mass = b.mass;
    n.turn = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
    n.first = {b.mass * b.center.s, b.mass * b.center.n};
    n.attach = b.attach;
    n.anchor = b.anchor;
    read_joint(i);
    number_coordinates(i);
  }
  std::vector<char> visited(bodies_.size(), 0);
  for (int i = body_count() - 1; i >= 0; --i) {
    const int p = nodes_[i].parent;
    if (p < 0) continue;
    nodes_[i].opens = !visited[p];
    visited[p] = 1;
  }
  check_inertia();
  fill_flex();
  find_alone();
}

template <class P>
void TreeOf<P>::read_joint(int i) {
  BodyOf<P>& b = bodies_[i];
  Node& n = nodes_[i];
  n.joint = b.joint.kind;
  if (n.joint == JointKind::pin && n.parent < 0 && b.free) n.joint = JointKind::free;
  if (!(value_of(b.joint.inertia) >= 0)
      || (!is_zero(b.joint.inertia) && n.joint != JointKind::pin && n.joint != JointKind::slider))
    throw std::invalid_argument(fmt::format(
        "body \"{}\": the inertia in its joint ({}) must not be negative, and belongs into a pin or "
        "a slider",
        b.name, value_of(b.joint.inertia)));
  if (!is_zero(b.joint.inertia)) add_rotor(i);
  if (n.joint == JointKind::free && n.parent >= 0)
    throw std::invalid_argument(
        fmt::format("body \"{}\" is free and cannot be carried by \"{}\"", b.name, bodies_[n.parent].name));
  n.turns =
      mechanics::with_joint(n.joint, [](auto joint) { return mechanics::turns_with_seat<decltype(joint)>; });
  n.hands = n.turns || n.joint == JointKind::geared;
  if (b.free && n.turns)
    throw std::invalid_argument(fmt::format("body \"{}\" is free and has a joint: one of them only", b.name));
  if (n.joint == JointKind::free) b.free = true;
  if (!n.turns) return;
  if (!std::isfinite(value_of(b.joint.angle)) || !std::isfinite(value_of(b.joint.direction)))
    throw std::invalid_argument(
        fmt::format("body \"{}\": the angles of its joint ({}, {} rad) must be finite", b.name,
                    value_of(b.joint.direction), value_of(b.joint.angle)));
  // The frame of a beam must be the one that the joint holds.
  if (b.beam && (b.beam->basis().support() != Support::clamped || value_of(b.beam->start()) < 0))
    throw std::invalid_argument(fmt::format(
        "body \"{}\": on a slider or a weld its beam must be clamped, and start at the joint or beyond",
        b.name));
  using portable::cos, portable::sin;
  const P own = b.joint.angle, line = b.joint.direction - own;
  shapes_[i] = {cos(own), sin(own), cos(line), sin(line), own};
  if (n.parent < 0) return;
  shapes_[i].ahead += shapes_[n.parent].ahead;
  n.angle = nodes_[n.parent].angle;
}

// On the ground the inertia of a pin is one with that of the body.
template <class P>
void TreeOf<P>::add_rotor(int i) {
  const BodyOf<P>& b = bodies_[i];
  Node& n = nodes_[i];
  const bool pin = n.joint == JointKind::pin;
  if (pin && b.beam && b.beam->basis().support() != Support::clamped)
    throw std::invalid_argument(
        fmt::format("body \"{}\": where its joint has an inertia its beam must be clamped to it", b.name));
  if (pin && n.parent < 0) {
    n.turn += b.joint.inertia;
    return;
  }
  n.rotor = b.joint.inertia;
  has_gears_ = true;
  if (pin) n.joint = JointKind::geared;
}

template <class P>
void TreeOf<P>::number_coordinates(int i) {
  const BodyOf<P>& b = bodies_[i];
  Node& n = nodes_[i];
  n.dof = dof_count_;
  mechanics::with_joint(n.joint, [&](auto joint) {
    for (const mechanics::Coordinate& c : joint.coordinates) {
      if (c.is_angle) n.angle = dof_count_;
      dofs_.push_back({fmt::format("{}.{}", b.name, c.name), c.is_angle, P(0)});
      ++dof_count_;
    }
  });
  n.eta = elastic_count_;
  if (b.beam) {
    n.elastic = dof_count_;
    for (int k = 0; k < b.beam->size(); ++k)
      dofs_.push_back({fmt::format("{}.mode{}", b.name, k + 1), false, b.beam->frequency(k)});
    dof_count_ += b.beam->size();
    elastic_count_ += b.beam->size();
  }
  n.end = dof_count_;
  if (n.parent < 0) return;
  nodes_[n.parent].carries = true;
  n.on_beam = nodes_[n.parent].elastic >= 0;
}

// Every coordinate must have something to move. A pin hands on a point mass, other joints the whole body (sliders: at
// zero travel).
template <class P>
void TreeOf<P>::check_inertia() const {
  std::vector<P> mass(bodies_.size()), turn(bodies_.size());
  std::vector<BodyPointOf<P>> first(bodies_.size());
  for (int i = body_count() - 1; i >= 0; --i) {
    const Node& n = nodes_[i];
    mass[i] += n.mass;
    turn[i] += n.turn;
    first[i].s += n.first.s, first[i].n += n.first.n;
    if (!n.turns && !(value_of(turn[i] + n.rotor) > 0))
      throw std::invalid_argument(
          fmt::format("body \"{}\" has no inertia about its joint: its angle cannot move", bodies_[i].name));
    if (n.joint == JointKind::slider && !(value_of(mass[i] + n.rotor) > 0))
      throw std::invalid_argument(
          fmt::format("body \"{}\" has no mass: it cannot move along its slider", bodies_[i].name));
    if (n.parent < 0) continue;
    const BodyPointOf<P> at = n.attach;
    const int p = n.parent;
    mass[p] += mass[i];
    turn[p] += mass[i] * (at.s * at.s + at.n * at.n);
    first[p].s += mass[i] * at.s, first[p].n += mass[i] * at.n;
    if (!n.turns) continue;
    const mechanics::JointShapeOf<P>& shape = shapes_[i];
    const BodyPointOf<P> own{shape.cosine * first[i].s - shape.sine * first[i].n,
                             shape.sine * first[i].s + shape.cosine * first[i].n};
    turn[p] += turn[i] + 2 * (own.s * at.s + own.n * at.n);
    first[p].s += own.s, first[p].n += own.n;
  }
}

template <class P>
void TreeOf<P>::fill_flex() {
  flex_.resize(bodies_.size());
  seats_.resize(bodies_.size());
  std::vector<std::vector<mechanics::FlexSeatOf<P>*>> seats(bodies_.size());
  for (int i = 0; i < body_count(); ++i) {
    if (bodies_[i].beam) flex_[i] = mechanics::FlexOf<P>(bodies_[i]);
    const int p = nodes_[i].parent;
    if (p < 0 || !bodies_[p].beam) continue;
    if (bodies_[p].linear)
      throw std::invalid_argument(
          fmt::format("body \"{}\" is linear: nothing can be joined to it", bodies_[p].name));
    const ElasticBeamOf<P>& beam = *bodies_[p].beam;
    mechanics::FlexSeatOf<P>& at = seats_[i];
    at.shapes.assign(beam.size(), P(0));
    at.slopes.assign(beam.size(), P(0));
    const P x = bodies_[i].attach.s - beam.start();
    if (value_of(x) >= 0) beam.shapes_at(x, at.shapes.data(), at.slopes.data());
    at.turns = nodes_[i].hands;
    seats[p].push_back(&at);
  }
  for (int i = 0; i < body_count(); ++i) {
    if (!bodies_[i].beam) continue;
    flex_[i].seat(seats[i]);
    nodes_[i].block = static_cast<int>(block_count_);
    block_count_ += flex_[i].block_size();
    room_size_ = std::max(room_size_, flex_[i].room());
  }
}

template <class P>
void TreeOf<P>::find_alone() {
  all_alone_ = true;
  for (int i = 0; i < body_count(); ++i) {
    Node& n = nodes_[i];
    n.alone = n.parent < 0 && !n.carries && n.elastic < 0
           && (n.joint == JointKind::pin
               || (n.joint == JointKind::free && is_zero(n.first.s) && is_zero(n.first.n)));
    all_alone_ = all_alone_ && n.alone;
  }
}

template <class P>
P TreeOf<P>::total_mass() const {
  P m{};
  for (const auto& b : bodies_) m += b.mass;
  return m;
}

template class TreeOf<double>;
THUD_WITH_DUALS(template class TreeOf<Dual<double>>;)

}  // namespace thud
