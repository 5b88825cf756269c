#pragma once
// Observables of a state, templated on its scalar.

#include <vector>

#include "thud/dynamics/observable.hpp"

namespace thud::detail {

template <class T>
T pick(Vec2<T> v, Component c) {
  switch (c) {
    case Component::x: return v.x;
    case Component::z: return v.z;
    default: return norm(v);
  }
}

// Force of the sand on a body: drag, static part, or both.
template <class T>
Vec2<T> sand_force(const System& system, const Observable& what, const Work<T>& work) {
  Vec2<T> sum{};
  const Scene scene = system.scene();
  for (std::size_t k = 0; k < system.pieces().size(); ++k) {
    const SandPiece& p = system.pieces()[k];
    const SandWork<T>& w = work.template of<SandPiece>()[k];
    if (p.body != what.body) continue;
    if (what.quantity != Quantity::static_force) sum += p.drag_force(w);
    if (what.quantity != Quantity::drag_force) sum += p.static_force(scene, w);
  }
  if (what.quantity == Quantity::resistance)
    system.each([&]<class E>(const E& e, int k) {
      if constexpr (std::is_same_v<E, SpreadSand> || std::is_same_v<E, LeeSpread>)
        sum += e.force_on(what.body, scene, work.frames, work.template of<E>()[k]);
    });
  return sum;
}

// Force on a body from the joint that carries it: what its subtree needs beyond gravity and all elements.
template <class T>
Vec2<T> joint_reaction(const System& system, int body, const Work<T>& work) {
  const Tree& tree = system.tree();
  std::vector<char> beyond(tree.body_count(), 0);
  beyond[body] = 1;
  Vec2<T> sum{};
  for (int i = body; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    if (i != body && (b.parent < 0 || !beyond[b.parent])) continue;
    beyond[i] = 1;
    const Vec2<T> a = tree.center_acceleration(work.frames, work.acceleration.data(), i);
    const Vec weight = (b.mass - b.weightless) * system.gravity();
    sum += b.mass * a - Vec2<T>{T(weight.x), T(weight.z)} - system.element_force(i, work);
  }
  return sum;
}

// The deepest immersed piece of a body in a bed, −1 if none.
template <class T>
int deepest_piece(const System& system, const Observable& what, const Work<T>& work) {
  int best = -1;
  const auto& pieces = work.template of<SandPiece>();
  for (int k = 0; k < static_cast<int>(system.pieces().size()); ++k) {
    const SandPiece& p = system.pieces()[k];
    if (p.body != what.body || p.bed != what.bed || !pieces[k].is_immersed) continue;
    if (best < 0 || pieces[k].immersed.depth > pieces[best].immersed.depth) best = k;
  }
  return best;
}

template <class T>
T observe_sand(const System& system, const Observable& what, const Work<T>& work) {
  const int k = deepest_piece(system, what, work);
  if (k < 0) return T(0);
  const SandWork<T>& w = work.template of<SandPiece>()[k];
  switch (what.quantity) {
    case Quantity::immersed_depth: return w.immersed.depth;
    case Quantity::immersed_length: return w.immersed.length;
    case Quantity::sand_position: return pick(work.frames.origin[what.body] + w.immersed.arm, what.component);
    default: return pick(w.velocity, what.component);
  }
}

template <class T>
T bending_moment(const ElasticBeam& beam, const T* eta, double x) {
  T curvature{};
  for (int k = 0; k < beam.size(); ++k) curvature += beam.basis().value(k, x, 2) * eta[k];
  return beam.basis().data().rigidity * curvature;
}

// Of the basis; beyond it, of the characteristic equation.
double root_of(const BeamBasis& basis, int mode);

template <class T>
T observe_beam(const Tree& tree, const Observable& what, const Frames<T>& f) {
  const ElasticBeam* beam = tree.body(what.body).beam.get();
  if (!beam) return T(0);
  const int begin = tree.elastic_begin(what.body);
  switch (what.quantity) {
    case Quantity::elastic_coordinate: return f.eta[begin + what.mode];
    case Quantity::elastic_rate: return f.eta_rate[begin + what.mode];
    case Quantity::elastic_root: return T(root_of(beam->basis(), what.mode));
    case Quantity::deflection: return f.deflection(what.body, what.point.s);
    case Quantity::deflection_slope: return f.slope(what.body, what.point.s);
    default: return bending_moment(*beam, f.eta.data() + begin, what.point.s - beam->start());
  }
}

template <class T>
T observe_element(const System& system, const Observable& what, const Work<T>& work) {
  return ElementTypes::at(what.element.type, [&]<class E>() -> T {
    const E& e = system.of<E>()[what.element.index];
    const auto& w = work.template of<E>()[what.element.index];
    if constexpr (requires { e.observe(0, system.scene(), work.frames, w); })
      return e.observe(what.element.sub, system.scene(), work.frames, w);
    return T(0);
  });
}

template <class T>
Vec2<T> observe_point(const Tree& tree, const Observable& what, const Work<T>& work) {
  const Frames<T>& f = work.frames;
  const int b = what.body;
  switch (what.quantity) {
    case Quantity::velocity: return what.center ? tree.center_velocity(f, b) : f.velocity(b, what.point);
    case Quantity::acceleration:
      return what.center ? tree.center_acceleration(f, work.acceleration.data(), b)
                         : tree.acceleration(f, work.acceleration.data(), b, what.point);
    default: return f.origin[b] + (what.center ? tree.center_arm(f, b) : f.arm(b, what.point));
  }
}

/// Value at the state last evaluated into `work`; but for Quantity::own, which only plain numbers have.
template <class T>
T observe_state(const System& system, const Observable& what, T t, const T* y, const Work<T>& work) {
  const Frames<T>& f = work.frames;
  const Tree& tree = system.tree();
  switch (what.quantity) {
    case Quantity::time: return t;
    case Quantity::angle: return tree.angle(what.body, y);
    case Quantity::rate: return f.rate[what.body];
    case Quantity::angular_acceleration: return tree.angle_rate(what.body, work.acceleration.data());
    case Quantity::travel: return f.travel[what.body];
    case Quantity::travel_rate: return f.travel_rate[what.body];
    case Quantity::joint_angle: return tree.joint_position(f, y, what.body);
    case Quantity::joint_rate: return tree.joint_rate(f, what.body);
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration: return pick(observe_point(tree, what, work), what.component);
    case Quantity::depth: return system.beds()[what.bed].plane.depth(observe_point(tree, what, work));
    case Quantity::immersed_depth:
    case Quantity::immersed_length:
    case Quantity::sand_position:
    case Quantity::sand_velocity: return observe_sand(system, what, work);
    case Quantity::drag_force:
    case Quantity::static_force:
    case Quantity::resistance: return pick(sand_force(system, what, work), what.component);
    case Quantity::reaction: return pick(joint_reaction(system, what.body, work), what.component);
    case Quantity::joint_torque: return system.joint_moment(what.body, work);
    case Quantity::kinetic: return tree.kinetic_energy(f);
    case Quantity::potential: return tree.potential_energy(f, system.gravity());
    case Quantity::strain: return tree.strain_energy(f);
    case Quantity::along: return dot(what.direction, system.tree().center_velocity(work.frames, what.body));
    case Quantity::stored_energy:
      return ElementTypes::at(what.element.type,
                              [&]<class E>() { return system.template stored_energy_of<E>(work); });
    case Quantity::total_energy:
      return tree.kinetic_energy(f) + tree.potential_energy(f, system.gravity()) + tree.strain_energy(f)
           + system.stored_energy(work);
    case Quantity::element: return observe_element(system, what, work);
    case Quantity::elastic_coordinate:
    case Quantity::elastic_rate:
    case Quantity::elastic_root:
    case Quantity::deflection:
    case Quantity::deflection_slope:
    case Quantity::bending_moment: return observe_beam(tree, what, f);
    case Quantity::work: {
      const int slot = system.channel_slot(what.channel);
      const double sign = supplies(what.channel) ? 1 : -1;
      return slot >= 0 ? sign * y[slot] : T(0);
    }
    case Quantity::distance: {
      const int slot = system.distance_slot(what.body);
      return slot >= 0 ? y[slot] : T(0);
    }
    case Quantity::own: break;
  }
  return T(0);
}

}  // namespace thud::detail
