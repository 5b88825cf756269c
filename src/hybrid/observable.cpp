#include "thud/hybrid/observable.hpp"

#include <fmt/format.h>

namespace thud {

namespace {

double pick(Vec v, Component c) {
  switch (c) {
    case Component::x: return v.x;
    case Component::z: return v.z;
    default: return norm(v);
  }
}

// Force of the sand on a body: drag, static part, or both.
Vec sand_force(const System& system, const Observable& what, const Work<double>& work) {
  Vec sum{};
  for (std::size_t k = 0; k < system.pieces().size(); ++k) {
    const Piece& p = system.pieces()[k];
    const PieceWork<double>& w = work.piece[k];
    if (p.body != what.body || !w.is_immersed) continue;
    const Plane& plane = system.beds()[p.bed].plane;
    if (what.quantity != Quantity::static_force) sum -= w.resistance.drag * w.velocity;
    if (what.quantity != Quantity::drag_force)
      sum += w.normal_force * plane.normal + w.shear_force * plane.tangent;
  }
  return sum;
}

// Force on a body from the joint that carries it: what its subtree needs beyond gravity, air and sand.
Vec joint_reaction(const System& system, int body, const Work<double>& work) {
  const Tree& tree = system.tree();
  std::vector<char> beyond(tree.body_count(), 0);
  beyond[body] = 1;
  Vec sum{};
  for (int i = body; i < tree.body_count(); ++i) {
    const RigidBody& b = tree.body(i);
    if (i != body && (b.parent < 0 || !beyond[b.parent])) continue;
    beyond[i] = 1;
    const Vec arm = work.frames.arm(i, b.center);
    const Vec a = tree.acceleration(work.frames, work.acceleration.data(), i, arm);
    sum += b.mass * (a - system.gravity());
    const Vec v = work.frames.velocity(i, arm);
    sum += system.air_drag(i) * norm(v) * v;
    Observable force;
    force.quantity = Quantity::resistance;
    force.body = i;
    sum -= sand_force(system, force, work);
  }
  return sum;
}

double joint_moment(const System& system, int body, const Work<double>& work) {
  const JointForces& j = system.joint(body);
  const int p = system.tree().body(body).parent;
  const double rate = work.frames.rate[body] - (p >= 0 ? work.frames.rate[p] : 0.0);
  return (j.torque ? work.applied_torque[body] : 0.0) + (j.has_friction() ? work.joint_moment[body] : 0.0)
       - j.damping * rate;
}

// The deepest immersed piece of a body in a bed, −1 if none.
int deepest_piece(const System& system, const Observable& what, const Work<double>& work) {
  int best = -1;
  for (int k = 0; k < static_cast<int>(system.pieces().size()); ++k) {
    const Piece& p = system.pieces()[k];
    if (p.body != what.body || p.bed != what.bed || !work.piece[k].is_immersed) continue;
    if (best < 0 || work.piece[k].immersed.depth > work.piece[best].immersed.depth) best = k;
  }
  return best;
}

double observe_sand(const System& system, const Observable& what, const Work<double>& work) {
  const int k = deepest_piece(system, what, work);
  if (k < 0) return 0;
  const PieceWork<double>& w = work.piece[k];
  switch (what.quantity) {
    case Quantity::immersed_depth: return w.immersed.depth;
    case Quantity::immersed_length: return w.immersed.length;
    case Quantity::sand_position: return pick(work.frames.origin[what.body] + w.immersed.arm, what.component);
    default: return pick(w.velocity, what.component);
  }
}

}  // namespace

double observe(const System& system, const Observable& what, double t, const double* y,
               const Work<double>& work) {
  const Frames<double>& f = work.frames;
  const Tree& tree = system.tree();
  switch (what.quantity) {
    case Quantity::time: return t;
    case Quantity::angle: return y[tree.angle_dof(what.body)];
    case Quantity::rate: return f.rate[what.body];
    case Quantity::angular_acceleration: return work.acceleration[tree.angle_dof(what.body)];
    case Quantity::position: return pick(f.position(what.body, what.point), what.component);
    case Quantity::velocity: return pick(f.velocity(what.body, f.arm(what.body, what.point)), what.component);
    case Quantity::acceleration:
      return pick(tree.acceleration(f, work.acceleration.data(), what.body, f.arm(what.body, what.point)),
                  what.component);
    case Quantity::depth: return system.beds()[what.bed].plane.depth(f.position(what.body, what.point));
    case Quantity::immersed_depth:
    case Quantity::immersed_length:
    case Quantity::sand_position:
    case Quantity::sand_velocity: return observe_sand(system, what, work);
    case Quantity::drag_force:
    case Quantity::static_force:
    case Quantity::resistance: return pick(sand_force(system, what, work), what.component);
    case Quantity::reaction: return pick(joint_reaction(system, what.body, work), what.component);
    case Quantity::joint_torque: return joint_moment(system, what.body, work);
    case Quantity::kinetic: return tree.kinetic_energy(f);
    case Quantity::potential: return tree.potential_energy(f, system.gravity());
    case Quantity::total_energy: return tree.kinetic_energy(f) + tree.potential_energy(f, system.gravity());
    case Quantity::work: {
      const int slot = system.channel_slot(what.channel);
      const double sign = what.channel == Channel::torque ? 1 : -1;
      return slot >= 0 ? sign * y[slot] : 0;
    }
    case Quantity::distance: {
      const int slot = system.distance_slot(what.body);
      return slot >= 0 ? y[slot] : 0;
    }
  }
  return 0;
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

  void add_point(const std::string& prefix, int body, BodyPoint point, const std::string& of,
                 bool acceleration) {
    Observable o;
    o.body = body;
    o.point = point;
    o.quantity = Quantity::position;
    add_vector(prefix + ".", o, "m", "position of " + of, false);
    o.quantity = Quantity::velocity;
    add_vector(prefix + ".v", o, "m/s", "velocity of " + of, true);
    o.quantity = Quantity::acceleration;
    if (acceleration) add_vector(prefix + ".a", o, "m/s2", "acceleration of " + of, true);
    o.quantity = Quantity::depth;
    o.component = Component::none;
    for (std::size_t b = 0; b < system_.beds().size(); ++b) {
      o.bed = static_cast<int>(b);
      const std::string bed = b == 0 ? "" : "." + system_.beds()[b].name;
      add(prefix + ".depth" + bed, o, "m",
          "depth of " + of + " below the surface of " + system_.beds()[b].name);
    }
  }

  void add_body(int i) {
    const RigidBody& b = system_.tree().body(i);
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
    o.quantity = Quantity::distance;
    if (system_.tracks_distance()) add(n + ".distance", o, "m", "path length of the mass centre of " + n);
    if (!b.free) {
      o.quantity = Quantity::reaction;
      add_vector(n + ".joint.f", o, "N", "force on " + n + " in its joint", true);
      o.quantity = Quantity::joint_torque;
      o.component = Component::none;
      add(n + ".joint.torque", o, "N m", "moment on " + n + " in its joint");
    }
    add_sand(i, n);
  }

  void add_sand(int i, const std::string& n) {
    bool any = false;
    std::vector<char> in_bed(system_.beds().size(), 0);
    for (const Piece& p : system_.pieces())
      if (p.body == i) any = true, in_bed[p.bed] = 1;
    if (!any) return;
    Observable o;
    o.body = i;
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

  void add_energy() {
    Observable o;
    o.quantity = Quantity::kinetic;
    add("energy.kinetic", o, "J", "kinetic energy");
    o.quantity = Quantity::potential;
    add("energy.potential", o, "J", "potential energy of gravity");
    o.quantity = Quantity::total_energy;
    add("energy.total", o, "J", "kinetic and potential energy");
    o.quantity = Quantity::work;
    for (Channel c : system_.channels()) {
      o.channel = c;
      if (c == Channel::torque)
        add("energy.supplied.torque", o, "J", "work of the joint torques");
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
  for (const NamedPoint& p : points) lister.add_point(p.name, p.body, p.point, p.name, true);
  lister.add_energy();
  return out;
}

}  // namespace thud
