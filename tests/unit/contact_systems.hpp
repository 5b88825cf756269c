#pragma once
// Small systems with walls and contacts, built in code: shared by the tests of contact.

#include <cmath>
#include <memory>
#include <numbers>

#include "thud/event/solver.hpp"

namespace thud::test {

inline constexpr double gravity = 9.81;

inline Body free_body(const char* name, double mass, double inertia) {
  Body b;
  b.name = name;
  b.free = true;
  b.mass = mass;
  b.inertia = inertia;
  return b;
}

/// A disc of radius r, uniform.
inline Body disc(const char* name, double mass, double r) { return free_body(name, mass, mass * r * r / 2); }

/// A contact of a feature with a wall.
inline Contact against(int wall, Feature a, ContactLaw law) {
  Contact c;
  c.name = a.name + "@wall" + std::to_string(wall + 1);
  c.a = std::move(a);
  c.wall = wall;
  c.law = std::move(law);
  return c;
}

inline Contact between(Feature a, Feature b, ContactLaw law) {
  Contact c;
  c.name = a.name + "@" + b.name;
  c.a = std::move(a);
  c.b = std::move(b);
  c.law = std::move(law);
  return c;
}

inline ContactLaw rough(double friction, double restitution, RestitutionLaw law = RestitutionLaw::stronge) {
  ContactLaw out;
  out.friction = friction;
  out.restitution = restitution;
  out.law = law;
  return out;
}

inline Wall floor_at(double z, double slope = 0) { return {"floor", Plane::make({0, z}, slope)}; }

/// The double pendulum over an obstacle of Sypniewska-Kamińska et al. 2015, with the set of constants of errata.md.
inline std::unique_ptr<System> rough_obstacle(ContactLaw law) {
  Body one, two;
  one.name = "arm1";
  one.mass = 3;
  one.center = {0.25, 0};
  one.inertia = 0.0625;
  two.name = "arm2";
  two.parent = 0;
  two.attach = {0.5, 0};
  two.mass = 2.4;
  two.center = {0.34, 0};
  two.inertia = 0.04805333333333333;
  auto system = std::make_unique<System>(Tree({one, two}), Vec{0, gravity});
  const int wall = system->add_wall({"obstacle", Plane::make({0, 0.8}, 0)});
  system->add_contact(against(wall, {"disc", 1, {0.44, 0}, 0.04}, std::move(law)));
  return system;
}

/// Times of the events of a kind.
inline std::vector<double> times(const Outcome& o, EventKind kind) {
  std::vector<double> out;
  for (const Event& e : o.events)
    if (e.kind == kind) out.push_back(e.time);
  return out;
}

}  // namespace thud::test
