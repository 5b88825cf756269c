#include "thud/mechanics/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace thud {

Tree::Tree(std::vector<Body> bodies) : bodies_(std::move(bodies)) {
  nodes_.resize(bodies_.size());
  shapes_.resize(bodies_.size());
  for (int i = 0; i < body_count(); ++i) {
    const Body& b = bodies_[i];
    Node& n = nodes_[i];
    if (b.parent >= i)
      throw std::invalid_argument(fmt::format("body \"{}\" comes before its parent", b.name));
    if (!(b.mass >= 0) || !(b.inertia >= 0))
      throw std::invalid_argument(fmt::format(
          "body \"{}\": mass {} kg and inertia {} kg m2 must not be negative", b.name, b.mass, b.inertia));
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

void Tree::read_joint(int i) {
  Body& b = bodies_[i];
  Node& n = nodes_[i];
  n.joint = b.joint.kind;
  if (n.joint == JointKind::pin && n.parent < 0 && b.free) n.joint = JointKind::free;
  if (n.joint == JointKind::free && n.parent >= 0)
    throw std::invalid_argument(
        fmt::format("body \"{}\" is free and cannot be carried by \"{}\"", b.name, bodies_[n.parent].name));
  n.turns =
      mechanics::with_joint(n.joint, [](auto joint) { return mechanics::turns_with_seat<decltype(joint)>; });
  if (b.free && n.turns)
    throw std::invalid_argument(fmt::format("body \"{}\" is free and has a joint: one of them only", b.name));
  if (n.joint == JointKind::free) b.free = true;
  if (!n.turns) return;
  if (!std::isfinite(b.joint.angle) || !std::isfinite(b.joint.direction))
    throw std::invalid_argument(
        fmt::format("body \"{}\": the angles of its joint ({}, {} rad) must be finite", b.name,
                    b.joint.direction, b.joint.angle));
  // The frame of a beam must be the one that the joint holds.
  if (b.beam && (b.beam->basis().support() != Support::clamped || b.beam->start() < 0))
    throw std::invalid_argument(fmt::format(
        "body \"{}\": on a slider or a weld its beam must be clamped, and start at the joint or beyond",
        b.name));
  const double own = b.joint.angle, line = b.joint.direction - own;
  shapes_[i] = {std::cos(own), std::sin(own), std::cos(line), std::sin(line), own};
  if (n.parent < 0) return;
  shapes_[i].ahead += shapes_[n.parent].ahead;
  n.angle = nodes_[n.parent].angle;
}

void Tree::number_coordinates(int i) {
  const Body& b = bodies_[i];
  Node& n = nodes_[i];
  n.dof = dof_count_;
  mechanics::with_joint(n.joint, [&](auto joint) {
    for (const mechanics::Coordinate& c : joint.coordinates) {
      if (c.is_angle) n.angle = dof_count_;
      dofs_.push_back({fmt::format("{}.{}", b.name, c.name), c.is_angle, 0});
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
void Tree::check_inertia() const {
  std::vector<double> mass(bodies_.size()), turn(bodies_.size());
  std::vector<BodyPoint> first(bodies_.size());
  for (int i = body_count() - 1; i >= 0; --i) {
    const Node& n = nodes_[i];
    mass[i] += n.mass;
    turn[i] += n.turn;
    first[i].s += n.first.s, first[i].n += n.first.n;
    if (!n.turns && !(turn[i] > 0))
      throw std::invalid_argument(
          fmt::format("body \"{}\" has no inertia about its joint: its angle cannot move", bodies_[i].name));
    if (n.joint == JointKind::slider && !(mass[i] > 0))
      throw std::invalid_argument(
          fmt::format("body \"{}\" has no mass: it cannot move along its slider", bodies_[i].name));
    if (n.parent < 0) continue;
    const BodyPoint at = n.attach;
    const int p = n.parent;
    mass[p] += mass[i];
    turn[p] += mass[i] * (at.s * at.s + at.n * at.n);
    first[p].s += mass[i] * at.s, first[p].n += mass[i] * at.n;
    if (!n.turns) continue;
    const mechanics::JointShape& shape = shapes_[i];
    const BodyPoint own{shape.cosine * first[i].s - shape.sine * first[i].n,
                        shape.sine * first[i].s + shape.cosine * first[i].n};
    turn[p] += turn[i] + 2 * (own.s * at.s + own.n * at.n);
    first[p].s += own.s, first[p].n += own.n;
  }
}

void Tree::fill_flex() {
  flex_.resize(bodies_.size());
  seats_.resize(bodies_.size());
  std::vector<std::vector<mechanics::FlexSeat*>> seats(bodies_.size());
  for (int i = 0; i < body_count(); ++i) {
    if (bodies_[i].beam) flex_[i] = mechanics::Flex(bodies_[i]);
    const int p = nodes_[i].parent;
    if (p < 0 || !bodies_[p].beam) continue;
    if (bodies_[p].linear)
      throw std::invalid_argument(
          fmt::format("body \"{}\" is linear: nothing can be joined to it", bodies_[p].name));
    const ElasticBeam& beam = *bodies_[p].beam;
    mechanics::FlexSeat& at = seats_[i];
    at.shapes.assign(beam.size(), 0.0);
    at.slopes.assign(beam.size(), 0.0);
    const double x = bodies_[i].attach.s - beam.start();
    if (x >= 0) beam.shapes_at(x, at.shapes.data(), at.slopes.data());
    at.turns = nodes_[i].turns;
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

void Tree::find_alone() {
  all_alone_ = true;
  for (int i = 0; i < body_count(); ++i) {
    Node& n = nodes_[i];
    n.alone = n.parent < 0 && !n.carries && n.elastic < 0
           && (n.joint == JointKind::pin || (n.joint == JointKind::free && n.first.s == 0 && n.first.n == 0));
    all_alone_ = all_alone_ && n.alone;
  }
}

double Tree::total_mass() const {
  double m = 0;
  for (const auto& b : bodies_) m += b.mass;
  return m;
}

void Tree::add_point_force(const Frames<double>& frames, int body, BodyPoint point, Vec f,
                           double* generalised) const {
  const ElasticBeam* beam = bodies_[body].beam.get();
  const Vec arm = frames.arm(body, point);
  if (!beam || point.s < beam->start())
    return add_point_force(frames, body, arm, f, generalised, static_cast<const double*>(nullptr));
  std::vector<double> shapes(beam->size()), slopes(beam->size());
  beam->shapes_at(point.s - beam->start(), shapes.data(), slopes.data());
  add_point_force(frames, body, arm, f, generalised, shapes.data());
}

// v̇ as the motion of a frame, but for the centripetal part.
mechanics::Motion<double> Tree::motion(const Frames<double>& frames, const double* vdot, int i) const {
  const Node& n = nodes_[i];
  mechanics::Motion<double> m;
  if (n.parent >= 0) {
    mechanics::BodyFactor<double> b;
    b.reach = frames.reach[i];
    if (n.joint == JointKind::slider) b.offset = frames.travel[i] * line_of(frames, i);
    m = seat_motion<true>(n, i, b, frames.w[n.parent], motion(frames, vdot, n.parent), vdot);
  }
  mechanics::with_joint(n.joint, [&](auto joint) { joint.move(line_of(frames, i), vdot + n.dof, m); });
  return m;
}

Vec Tree::acceleration(const Frames<double>& frames, const double* vdot, int body, BodyPoint point) const {
  const Vec r = frames.arm(body, point);
  const double rate = frames.rate[body];
  const mechanics::Motion<double> m = motion(frames, vdot, body);
  const Vec a = m.move + frames.centripetal[body] + m.turn * turned(r) - rate * rate * r;
  const ElasticBeam* beam = bodies_[body].beam.get();
  if (!beam || point.s < beam->start()) return a;
  double w, slope;
  beam->deflect(point.s - beam->start(), vdot + nodes_[body].elastic, w, slope);
  return a + w * frames.w[body] - 2 * rate * frames.deflection_rate(body, point.s) * frames.u[body];
}

Vec Tree::center_acceleration(const Frames<double>& frames, const double* vdot, int body) const {
  const Body& b = bodies_[body];
  const Vec r = center_arm(frames, body);
  const double rate = frames.rate[body];
  const mechanics::Motion<double> m = motion(frames, vdot, body);
  const Vec a = m.move + frames.centripetal[body] + m.turn * turned(r) - rate * rate * r;
  if (!b.beam) return a;
  const double lateral = mechanics::row_times(b.beam->mean(), vdot + nodes_[body].elastic) / b.mass;
  const double lateral_rate =
      mechanics::row_times(b.beam->mean(), frames.eta_rate.data() + nodes_[body].eta) / b.mass;
  return a + lateral * frames.w[body] - 2 * rate * lateral_rate * frames.u[body];
}

double Tree::kinetic_energy(const Frames<double>& frames) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) e += kinetic_energy(frames, i);
  return e;
}

double Tree::kinetic_energy(const Frames<double>& frames, int i) const {
  const Body& b = bodies_[i];
  const double rate = frames.rate[i];
  if (!b.beam) {
    const Vec v = frames.velocity(i, b.center);
    return 0.5 * (b.mass * dot(v, v) + b.inertia * rate * rate);
  }
  // About the moving origin: the cross term is the momentum relative to the frame's origin.
  const Vec v = frames.origin_rate[i];
  const Vec relative = center_velocity(frames, i) - v;
  const double* eta = frames.eta.data() + nodes_[i].eta;
  const double* eta_rate = frames.eta_rate.data() + nodes_[i].eta;
  double square = 0, square_rate = 0;
  for (int k = 0; k < b.beam->size(); ++k)
    square += b.linear ? 0 : eta[k] * eta[k], square_rate += eta_rate[k] * eta_rate[k];
  const double m = b.beam->modal_mass(), turn = frames.slope(i, b.beam->end());
  if (!b.linear)
    square -= b.beam->basis().data().tip_inertia / m * turn
            * turn;  // the tip turns with the tangent, see mechanics::Flex::swing
  const double about = b.inertia + b.mass * (b.center.s * b.center.s + b.center.n * b.center.n);
  return 0.5 * b.mass * dot(v, v) + b.mass * dot(v, relative) + 0.5 * rate * rate * (about + m * square)
       + rate * mechanics::row_times(b.beam->first(), eta_rate) + 0.5 * m * square_rate;
}

double Tree::potential_energy(const Frames<double>& frames, Vec gravity) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) {
    const Body& b = bodies_[i];
    e -= (b.mass - b.weightless) * dot(gravity, frames.origin[i]) + dot(gravity, weight_moment(frames, i));
  }
  return e;
}

double Tree::strain_energy(const Frames<double>& frames) const {
  double e = 0;
  for (int i = 0; i < body_count(); ++i) {
    const ElasticBeam* beam = bodies_[i].beam.get();
    for (int k = 0; beam && k < beam->size(); ++k) {
      const double eta = frames.eta[nodes_[i].eta + k];
      e += 0.5 * beam->stiffness()[k] * eta * eta;
    }
  }
  return e;
}

}  // namespace thud
