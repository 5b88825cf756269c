#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thud/dynamics/system.hpp"

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
  resistance,  // on a body by the sand
  reaction,    // force on a body by the joint that carries it
  joint_torque,  // moment on a body in its joint, of a slider force along its line: applied + friction + damping
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
  element,         // of an element, which knows what
  stored_energy,   // in all elements of a type
  along,           // velocity of a mass centre along `direction`
  own,             // a function of the user
  travel,          // of a slider
  travel_rate,
  joint_angle,  // in a pin, against what carries the body
  joint_rate,
};

enum class Component : std::uint8_t { none, x, z, size };

class Instant;
/// An observable of the user's own.
using ObservableFunction = std::function<double(const Instant&)>;

struct Observable {
  Quantity quantity = Quantity::time;
  Component component = Component::none;
  int body = 0;
  BodyPoint point{};
  int bed = 0;
  Channel channel{};
  bool center = false;                            ///< the mass centre instead of `point`
  int mode = 0;                                   ///< of a beam, from 0
  SwitchRef element{};                            ///< and which of its observables
  Vec direction{};                                ///< with the scale of the result in it
  std::shared_ptr<const ObservableFunction> own;  ///< of Quantity::own
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

/// Whether it looks at accelerations, or at forces of held switches.
bool needs_forces(const Observable& what);

/// The same, for what must be a number: throws LawError where an observable of the user's own is not finite.
double observe_finite(const System& system, const Observable& what, double t, const double* y,
                      const Work<double>& work);

/// An instant of a run, as observables of the user's own see it.
class Instant {
 public:
  Instant(const System& system, double t, const double* y, const Work<double>& work)
      : system_(system),
        time_(t),
        y_(y),
        work_(work) {}

  const System& system() const { return system_; }
  double time() const { return time_; }
  std::span<const double> q() const { return {y_, size()}; }           ///< coordinates
  std::span<const double> v() const { return {y_ + size(), size()}; }  ///< velocities
  std::span<const double> acceleration() const { return work_.acceleration; }
  double angle(int body) const { return system_.tree().angle(body, y_); }  ///< [rad]
  double rate(int body) const { return work_.frames.rate[body]; }          ///< [rad/s]
  /// Of a point of a body [m], [m/s].
  Vec position(int body, BodyPoint point) const {
    return work_.frames.origin[body] + work_.frames.arm(body, point);
  }
  Vec velocity(int body, BodyPoint point) const { return work_.frames.velocity(body, point); }
  /// Any other observable at this instant.
  double observe(const Observable& what) const { return thud::observe(system_, what, time_, y_, work_); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(system_.dof_count()); }

  const System& system_;
  double time_;
  const double* y_;
  const Work<double>& work_;
};

/// An observable from a function. Stops and extremes need numbers: where one of these is not finite, the run fails.
/// Throws std::invalid_argument for an empty function.
Observable make_observable(ObservableFunction function);

/// Every observable of a system with the given named points.
std::vector<NamedObservable> list_observables(const System& system, const std::vector<NamedPoint>& points);

}  // namespace thud
