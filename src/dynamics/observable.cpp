#include "thud/dynamics/observable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dynamics/observe.hpp"
#include "thud/base/law_error.hpp"

namespace thud {

// Of the basis; beyond it, of the characteristic equation.
double detail::root_of(const BeamBasis& basis, int mode) {
  if (mode < basis.size()) return basis.root(mode);
  const BeamData& d = basis.data();
  const double mass = d.mass_per_length * d.length;
  return beam_root(basis.support(), mode + 1, d.tip_mass / mass,
                   d.tip_inertia / (mass * d.length * d.length));
}

bool needs_forces(const Observable& what) {
  switch (what.quantity) {
    case Quantity::angular_acceleration:
    case Quantity::acceleration:
    case Quantity::static_force:
    case Quantity::resistance:
    case Quantity::reaction:
    case Quantity::joint_torque:
    case Quantity::element:
    case Quantity::own: return true;
    default: return false;
  }
}

double observe(const System& system, const Observable& what, double t, const double* y,
               const Work<double>& work) {
  if (what.quantity == Quantity::own) return (*what.own)(Instant(system, t, y, work));
  return detail::observe_state(system, what, t, y, work);
}

double observe_finite(const System& system, const Observable& what, double t, const double* y,
                      const Work<double>& work) {
  const double x = observe(system, what, t, y, work);
  if (what.quantity == Quantity::own && !std::isfinite(x))
    throw LawError(fmt::format("an observable of your own is {}, where a number is needed", x));
  return x;
}

Observable make_observable(ObservableFunction function) {
  if (!function) throw std::invalid_argument("an observable needs a function");
  Observable out;
  out.quantity = Quantity::own;
  out.own = std::make_shared<const ObservableFunction>(std::move(function));
  return out;
}

namespace {

class Lister {
 public:
  Lister(const System& system, std::vector<NamedObservable>& out) : system_(system), out_(out) {}

  void add(std::string name, Observable what, const char* unit, std::string about) {
    out_.push_back({std::move(name), what, unit, std::move(about)});
  }

  void add_vector(const std::string& name, Observable what, const char* unit, const std::string& about,
                  bool size) {
    what.component = Component::x;
    add(name + "x", what, unit, about + ", to the right");
    what.component = Component::z;
    add(name + "z", what, unit, about + ", downwards");
    what.component = Component::size;
    if (size) add(name.back() == '.' ? name + "size" : name, what, unit, about + ", magnitude");
  }

  void add_point(const std::string& prefix, int body, BodyPoint point, const std::string& of, bool center) {
    Observable o;
    o.body = body;
    o.point = point;
    o.center = center;
    o.quantity = Quantity::position;
    add_vector(prefix + ".", o, "m", "position of " + of, false);
    o.quantity = Quantity::velocity;
    add_vector(prefix + ".v", o, "m/s", "velocity of " + of, true);
    o.quantity = Quantity::acceleration;
    add_vector(prefix + ".a", o, "m/s2", "acceleration of " + of, true);
    o.quantity = Quantity::depth;
    o.component = Component::none;
    for (std::size_t b = 0; b < system_.beds().size(); ++b) {
      o.bed = static_cast<int>(b);
      const std::string bed = b == 0 ? "" : "." + system_.beds()[b].name;
      add(prefix + ".depth" + bed, o, "m",
          "depth of " + of + " below the surface of " + system_.beds()[b].name);
    }
    const ElasticBeam* beam = system_.tree().body(body).beam.get();
    if (!beam || center || point.s < beam->start() - 1e-12 * beam->length()) return;
    o.quantity = Quantity::deflection;
    add(prefix + ".deflection", o, "m", "deflection at " + of);
    o.quantity = Quantity::deflection_slope;
    add(prefix + ".slope", o, "rad", "slope of the bent axis at " + of);
    o.quantity = Quantity::bending_moment;
    add(prefix + ".moment", o, "N m", "bending moment E I w'' at " + of);
  }

  void add_modes(int body, const std::string& n) {
    Observable o;
    o.body = body;
    const int size = system_.tree().body(body).beam->size();
    for (int k = 0; k < std::max(size, 4); ++k) {
      const std::string name = fmt::format("{}.mode{}", n, k + 1);
      const std::string of = fmt::format("bending shape {} of {}", k + 1, n);
      o.mode = k;
      o.quantity = Quantity::elastic_root;
      add(name + ".root", o, "", "root lambda of " + of);
      if (k >= size) continue;
      o.quantity = Quantity::elastic_coordinate;
      add(name, o, "m", "amplitude of " + of);
      o.quantity = Quantity::elastic_rate;
      add(name + ".rate", o, "m/s", "rate of the amplitude of " + of);
    }
  }

  void add_body(int i) {
    const Body& b = system_.tree().body(i);
    const std::string& n = b.name;
    Observable o;
    o.body = i;
    o.quantity = Quantity::angle;
    add(n + ".angle", o, "rad", "angle of " + n + " from the downward vertical");
    o.quantity = Quantity::rate;
    add(n + ".rate", o, "rad/s", "angular velocity of " + n);
    o.quantity = Quantity::angular_acceleration;
    add(n + ".alpha", o, "rad/s2", "angular acceleration of " + n);
    add_point(n, i, b.center, "the mass centre of " + n, true);
    if (b.beam) add_modes(i, n);
    o.quantity = Quantity::distance;
    if (system_.tracks_distance()) add(n + ".distance", o, "m", "path length of the mass centre of " + n);
    if (!b.free) add_joint(i, n);
    add_sand(i, n);
  }

  void add_joint(int i, const std::string& n) {
    Observable o;
    o.body = i;
    const JointKind kind = system_.tree().joint_kind(i);
    if (kind == JointKind::slider) {
      o.quantity = Quantity::travel;
      add(n + ".travel", o, "m", "travel of " + n + " along its slider");
      o.quantity = Quantity::travel_rate;
      add(n + ".travel.rate", o, "m/s", "speed of " + n + " along its slider");
    }
    if (kind == JointKind::pin) {
      o.quantity = Quantity::joint_angle;
      add(n + ".joint.angle", o, "rad", "angle of " + n + " against what carries it");
      o.quantity = Quantity::joint_rate;
      add(n + ".joint.rate", o, "rad/s", "rate in the joint of " + n);
    }
    o.quantity = Quantity::reaction;
    add_vector(n + ".joint.f", o, "N", "force on " + n + " in its joint", true);
    o.quantity = Quantity::joint_torque;
    o.component = Component::none;
    if (kind == JointKind::slider)
      add(n + ".joint.force", o, "N",
          "force on " + n + " along its slider: drive, friction, damping, springs");
    else if (kind == JointKind::pin)
      add(n + ".joint.torque", o, "N m", "moment on " + n + " in its joint");
  }

  void add_sand(int i, const std::string& n) {
    bool any = false;
    std::vector<char> in_bed(system_.beds().size(), 0);
    for (const SandPiece& p : system_.pieces())
      if (p.body == i) any = true, in_bed[p.bed] = 1;
    Observable o;
    o.body = i;
    o.quantity = Quantity::resistance;
    const auto feels = [&](const auto& e) { return e.body == i; };
    const auto& plates = system_.of<SpreadSand>();
    const auto& axes = system_.of<LeeSpread>();
    if (!any
        && (std::any_of(plates.begin(), plates.end(), feels) || std::any_of(axes.begin(), axes.end(), feels)))
      add_vector(n + ".resistance.", o, "N", "resistance F_R on " + n, true);
    if (!any) return;
    for (std::size_t b = 0; b < in_bed.size(); ++b) {
      if (!in_bed[b]) continue;
      o.bed = static_cast<int>(b);
      const std::string prefix = n + ".sand" + (b == 0 ? "" : "." + system_.beds()[b].name);
      o.quantity = Quantity::immersed_depth;
      o.component = Component::none;
      add(prefix + ".depth", o, "m", "z_T, depth of the deepest immersed point of " + n);
      o.quantity = Quantity::immersed_length;
      add(prefix + ".length", o, "m", "immersed length of " + n);
      o.quantity = Quantity::sand_position;
      add_vector(prefix + ".", o, "m", "position of E, the centroid of the immersed part of " + n, false);
      o.quantity = Quantity::sand_velocity;
      add_vector(prefix + ".v", o, "m/s", "velocity of E of " + n, true);
    }
    o.quantity = Quantity::drag_force;
    add_vector(n + ".drag.", o, "N", "drag F_d on " + n, true);
    o.quantity = Quantity::static_force;
    add_vector(n + ".static.", o, "N", "static resistance F_s on " + n, true);
    o.quantity = Quantity::resistance;
    add_vector(n + ".resistance.", o, "N", "resistance F_R on " + n, true);
  }

  // What elements tell of themselves.
  void add_elements() {
    const Scene scene = system_.scene();
    system_.each([&]<class E>(const E& e, int k) {
      const auto put = [&](int code, std::string name, const char* unit, std::string about) {
        Observable o;
        o.quantity = Quantity::element;
        o.element = switch_of<E>(k, code);
        add(std::move(name), o, unit, std::move(about));
      };
      if constexpr (requires { e.observables(scene, put); }) e.observables(scene, put);
    });
  }

  void add_energy() {
    Observable o;
    o.quantity = Quantity::kinetic;
    add("energy.kinetic", o, "J", "kinetic energy");
    o.quantity = Quantity::potential;
    add("energy.potential", o, "J", "potential energy of gravity");
    o.quantity = Quantity::total_energy;
    add("energy.total", o, "J", "kinetic, potential and strain energy");
    o.quantity = Quantity::strain;
    if (system_.tree().has_beams()) add("energy.strain", o, "J", "strain energy of the beams");
    o.quantity = Quantity::stored_energy;
    ElementTypes::each([&]<class E>() {
      if constexpr (requires { E::store; }) {
        const bool any = std::any_of(system_.of<E>().begin(), system_.of<E>().end(), [](const E& e) {
          if constexpr (requires { e.stores(); }) return e.stores();
          return true;
        });
        o.element = switch_of<E>(0);
        if (any) add(fmt::format("energy.{}", E::store), o, "J", E::store_about);
      }
    });
    o.quantity = Quantity::work;
    for (Channel c : system_.channels()) {
      o.channel = c;
      if (supplies(c))
        add(fmt::format("energy.supplied.{}", channel_name(c)), o, "J",
            fmt::format("work of {}", channel_name(c)));
      else
        add(fmt::format("energy.loss.{}", channel_name(c)), o, "J",
            fmt::format("energy taken by {}", channel_name(c)));
    }
  }

 private:
  const System& system_;
  std::vector<NamedObservable>& out_;
};

}  // namespace

std::vector<NamedObservable> list_observables(const System& system, const std::vector<NamedPoint>& points) {
  std::vector<NamedObservable> out;
  Lister lister(system, out);
  lister.add("time", {}, "s", "time since the start");
  for (int i = 0; i < system.tree().body_count(); ++i) lister.add_body(i);
  for (const NamedPoint& p : points) lister.add_point(p.name, p.body, p.point, p.name, false);
  lister.add_elements();
  lister.add_energy();
  return out;
}

}  // namespace thud
