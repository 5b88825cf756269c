#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thud/hybrid/system.hpp"

namespace thud {

/// What can be read off a state: the columns of a trajectory, the subjects of stops and results.
enum class Quantity : std::uint8_t {
  time,
  angle,
  rate,
  angular_acceleration,  // of a body
  position,
  velocity,
  acceleration,  // of a point of a body
  depth,         // of a point below the surface of a bed
  immersed_depth,
  immersed_length,  // z_T and ℓ of a body in a bed
  sand_position,
  sand_velocity,  // E and v_E
  drag_force,
  static_force,
  resistance,    // on a body by the sand
  reaction,      // force on a body by the joint that carries it
  joint_torque,  // moment on a body in its joint: applied + friction + damping
  kinetic,
  potential,
  total_energy,
  work,
  distance,  // ∫|v_C|dt of a body
  strain,    // strain energy of all beams
  elastic_coordinate,
  elastic_rate,  // η_k of a beam and its rate
  elastic_root,  // λ_k of its basis
  deflection,    // w of the axis at a point of a beam
  deflection_slope,
  bending_moment,  // E I w″ there
  contact_gap,
  contact_rate,      // ġ
  contact_slip,      // tangential velocity
  contact_force,     // normal force on the first body
  contact_friction,  // along the tangent
  contact_energy,    // stored in all compliant contacts
  along,             // velocity of a mass centre along `direction`
};

enum class Component : std::uint8_t { none, x, z, size };

struct Observable {
  Quantity quantity = Quantity::time;
  Component component = Component::none;
  int body = 0;
  BodyPoint point{};
  int bed = 0;
  Channel channel = Channel::drag;
  bool center = false;  ///< the mass centre instead of `point`
  int mode = 0;         ///< of a beam, from 0
  int contact = 0;
  Vec direction{};  ///< with the scale of the result in it
};

/// An observable with its name, unit and meaning.
struct NamedObservable {
  std::string name;
  Observable observable;
  std::string unit;
  std::string about;
};

/// A named point of a body.
struct NamedPoint {
  std::string name;
  int body = 0;
  BodyPoint point{};
};

/// Value at the state last evaluated into `work`.
double observe(const System& system, const Observable& what, double t, const double* y,
               const Work<double>& work);

/// Every observable of a system with the given named points.
std::vector<NamedObservable> list_observables(const System& system, const std::vector<NamedPoint>& points);

}  // namespace thud
