// The mechanics of trees with elastic beams, without sand.
// Sources of truth: point masses on the deformed axes (Gauss points, so that sums over them are exact integrals) whose
// positions alone are differentiated; conservation laws; closed forms of beam vibration and statics.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "beam_bodies.hpp"
#include "thud/dynamics/observable.hpp"
#include "thud/dynamics/system.hpp"
#include "thud/event/solver.hpp"
#include "thud/mechanics/tree.hpp"
#include "thud/scenario/run.hpp"

namespace thud {
namespace {

using Real = long double;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;

// --- bodies ------------------------------------------------------------------------------------------------------

/// A free beam in the frame of its mass centre.
Body make_free_beam(const BeamBasis& basis) {
  Body b = make_beam_body(std::make_shared<ElasticBeam>(basis, -basis.data().length / 2), {});
  b.free = true;
  return b;
}

/// A hub so heavy that it is as good as a wall: what is clamped to it is a cantilever.
Rigid make_wall() { return {1, {0, 0}, 1e12}; }

// --- brute force -------------------------------------------------------------------------------------------------

/// A point that moves with a body: s u + (n + Σ shapes η) ŵ from its origin; turns with q + Σ slopes η.
struct Point {
  int body = 0;
  BodyPoint at{};
  std::vector<double> shapes, slopes;
};

Point make_point(const Tree& tree, int body, BodyPoint at) {
  Point p{body, at, {}, {}};
  const ElasticBeam* beam = tree.body(body).beam.get();
  if (!beam || at.s < beam->start()) return p;
  for (int k = 0; k < beam->size(); ++k) {
    p.shapes.push_back(beam->basis().value(k, at.s - beam->start()));
    p.slopes.push_back(beam->basis().value(k, at.s - beam->start(), 1));
  }
  return p;
}

struct Place2 {
  Real x = 0, z = 0;
};

/// Position from the coordinates alone.
Place2 locate(const Tree& tree, const std::vector<Real>& q, Point p) {
  Place2 out;
  for (;;) {
    const Real a = q[tree.angle_dof(p.body)];
    Real n = p.at.n;
    for (std::size_t k = 0; k < p.shapes.size(); ++k) n += p.shapes[k] * q[tree.elastic_dof(p.body) + k];
    out.x += p.at.s * std::sin(a) + n * std::cos(a);
    out.z += p.at.s * std::cos(a) - n * std::sin(a);
    const Body& b = tree.body(p.body);
    if (b.parent < 0) {
      out.x += b.free ? q[tree.translation_dof(p.body)] : Real(b.anchor.x);
      out.z += b.free ? q[tree.translation_dof(p.body) + 1] : Real(b.anchor.z);
      return out;
    }
    p = make_point(tree, b.parent, b.attach);
  }
}

std::vector<Real> widen(const std::vector<double>& x) { return {x.begin(), x.end()}; }

/// Positions are sinusoidal in every angle and linear in the other coordinates: differences over a quarter turn, or over
/// one unit, are the derivatives, exact to rounding.
MatrixXd jacobian_of(const Tree& tree, const std::vector<double>& q, const Point& p) {
  const int n = tree.dof_count();
  MatrixXd j(2, n);
  std::vector<Real> moved = widen(q);
  for (int k = 0; k < n; ++k) {
    const Real step = tree.is_angle(k) ? std::numbers::pi_v<Real> / 2 : Real(1), kept = moved[k];
    moved[k] = kept + step;
    const Place2 b = locate(tree, moved, p);
    moved[k] = kept - step;
    const Place2 a = locate(tree, moved, p);
    moved[k] = kept;
    j(0, k) = static_cast<double>((b.x - a.x) / 2);
    j(1, k) = static_cast<double>((b.z - a.z) / 2);
  }
  return j;
}

/// Second derivative by central differences of order 8 in long double, h = 2e-3: with rates up to 8 rad/s the
/// truncation is (8h)⁸/3150 < 1e-17 of 8² and the rounding 1e-19/h² < 1e-13.
template <class Path>
Eigen::Vector2d second_derivative(const Path& path) {
  constexpr Real h = 2e-3L;
  constexpr std::array<Real, 5> c = {-205.0L / 72, 8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
  const Place2 o = path(Real(0));
  Real x = c[0] * o.x, z = c[0] * o.z;
  for (int k = 1; k <= 4; ++k) {
    const Place2 a = path(-k * h), b = path(k * h);
    x += c[k] * (a.x + b.x);
    z += c[k] * (a.z + b.z);
  }
  return {static_cast<double>(x / (h * h)), static_cast<double>(z / (h * h))};
}

/// J̇ v: the acceleration when v̇ = 0.
Eigen::Vector2d bias_of(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v,
                        const Point& p, const std::vector<double>& a = {}) {
  return second_derivative([&](Real t) {
    std::vector<Real> moved = widen(q);
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += t * (v[k] + (a.empty() ? 0 : t * a[k] / 2));
    return locate(tree, moved, p);
  });
}

/// ∂(turning rate)/∂v of the axis at a point.
VectorXd turning_row(const Tree& tree, const Point& p) {
  VectorXd row = VectorXd::Zero(tree.dof_count());
  row[tree.angle_dof(p.body)] = 1;
  for (std::size_t k = 0; k < p.slopes.size(); ++k) row[tree.elastic_dof(p.body) + k] = p.slopes[k];
  return row;
}

struct Mass {
  double mass;
  Point point;
  double inertia = 0;
};

/// A tree and, apart from it, the masses it is made of.
struct Model {
  std::vector<Rigid> rigid;
  std::vector<bool> cubic;
  std::unique_ptr<Tree> tree;

  std::vector<Mass> masses(int body) const {
    std::vector<Mass> out;
    const Body& b = tree->body(body);
    const Rigid& r = rigid[body];
    if (r.mass > 0 || r.inertia > 0) out.push_back({r.mass, {body, r.center, {}, {}}, r.inertia});
    if (!b.beam) return out;
    const BeamData& d = b.beam->basis().data();
    integrate_beam(b.beam->basis(), cubic[body], [&](double x, double weight) {
      out.push_back({d.mass_per_length * weight, make_point(*tree, body, {b.beam->start() + x, 0}), 0});
    });
    out.push_back({d.tip_mass, make_point(*tree, body, {b.beam->end(), 0}), d.tip_inertia});
    return out;
  }
};

struct Brute {
  MatrixXd mass;
  VectorXd inertia_terms, weight;  // Σ Jᵀ m J̇v, Σ Jᵀ m
  double kinetic = 0, potential = 0;
  Eigen::Vector2d momentum = Eigen::Vector2d::Zero();
  double spin = 0;
};

Brute brute_force(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                  Vec gravity = {}) {
  const Tree& tree = *model.tree;
  const int n = tree.dof_count();
  const VectorXd rate = Eigen::Map<const VectorXd>(v.data(), n);
  Brute out{MatrixXd::Zero(n, n), VectorXd::Zero(n), VectorXd::Zero(n)};
  for (int i = 0; i < tree.body_count(); ++i)
    for (const Mass& m : model.masses(i)) {
      const MatrixXd j = jacobian_of(tree, q, m.point);
      const VectorXd turning = turning_row(tree, m.point);
      const Eigen::Vector2d speed = j * rate;
      const Place2 at = locate(tree, widen(q), m.point);
      out.mass += m.mass * j.transpose() * j + m.inertia * turning * turning.transpose();
      out.inertia_terms += m.mass * j.transpose() * bias_of(tree, q, v, m.point);
      out.weight += m.mass * j.transpose() * Eigen::Vector2d(gravity.x, gravity.z);
      out.potential -= m.mass * (gravity.x * double(at.x) + gravity.z * double(at.z));
      const double spin = turning.dot(rate);
      out.kinetic += 0.5 * m.mass * speed.squaredNorm() + 0.5 * m.inertia * spin * spin;
      out.momentum += m.mass * speed;
      out.spin += m.mass * (double(at.z) * speed[0] - double(at.x) * speed[1]) + m.inertia * spin;
    }
  return out;
}

/// −∂/∂η of ½ ∫EI w″² dx, by quadrature of the second derivatives.
VectorXd strain_forces(const Model& model, const std::vector<double>& q, double& energy) {
  const Tree& tree = *model.tree;
  VectorXd out = VectorXd::Zero(tree.dof_count());
  energy = 0;
  for (int i = 0; i < tree.body_count(); ++i) {
    const ElasticBeam* beam = tree.body(i).beam.get();
    if (!beam) continue;
    const double rigidity = beam->basis().data().rigidity;
    integrate_beam(beam->basis(), model.cubic[i], [&](double x, double weight) {
      double curvature = 0;
      for (int k = 0; k < beam->size(); ++k)
        curvature += beam->basis().value(k, x, 2) * q[tree.elastic_dof(i) + k];
      for (int k = 0; k < beam->size(); ++k)
        out[tree.elastic_dof(i) + k] -= weight * rigidity * curvature * beam->basis().value(k, x, 2);
      energy += 0.5 * weight * rigidity * curvature * curvature;
    });
  }
  return out;
}

// --- random trees ------------------------------------------------------------------------------------------------

/// 1 to 5 bodies, beams and rigid ones: free, pinned to ground and to each other, in mid-beam, at ends, slightly beyond
/// the end, on rigid parts, with lateral offsets; rigid parts before the clamp; tip masses and inertias.
Model random_model(Draw& draw, int count) {
  Model model;
  std::vector<Body> bodies;
  for (int i = 0; i < count; ++i) {
    const int parent = draw.coin(0.8) ? draw.integer(-1, i - 1) : -1;
    const bool free = parent < 0 && draw.coin();
    Rigid rigid;
    bool cubic = false;
    Body b;
    if (draw.coin(0.7)) {
      const bool behind = draw.coin(0.4);
      if (behind) rigid = {draw.in(0.1, 1), {draw.in(-0.1, 0.2), draw.in(-0.1, 0.1)}, draw.in(0, 0.02)};
      const Support support = behind || draw.coin(0.3) ? Support::clamped
                            : free && draw.coin(0.7)   ? Support::free
                                                       : Support::pinned;
      const double start = behind ? draw.in(0, 0.3) : 0;
      auto beam = random_beam(draw, support, start, cubic);
      b = make_beam_body(beam, rigid);
      if (free) {  // the origin is the undeformed mass centre
        const double c = b.center.s;
        rigid.center = {rigid.center.s - c, 0};
        b = make_beam_body(std::make_shared<ElasticBeam>(beam->basis(), start - c), rigid);
      }
    } else {
      rigid = {draw.in(0.1, 2), {draw.in(0.1, 0.5), draw.in(-0.1, 0.1)}, draw.coin() ? draw.in(0, 0.1) : 0.0};
      if (free) rigid.center = {}, rigid.inertia += 0.01;
      b.mass = rigid.mass, b.center = rigid.center, b.inertia = rigid.inertia;
    }
    b.name = "b" + std::to_string(i);
    b.parent = parent;
    b.free = free;
    b.anchor = {draw.in(-1, 1), draw.in(-1, 1)};
    if (parent >= 0) {
      const ElasticBeam* on = bodies[parent].beam.get();
      if (!on)
        b.attach = {draw.in(-0.5, 0.5), draw.in(-0.2, 0.2)};
      else if (draw.coin(0.4))
        b.attach.s = on->end();
      else
        b.attach.s = on->start() + on->length() * draw.in(draw.coin(0.2) ? -0.3 : 0, 1.1);
      if (on && draw.coin()) b.attach.n = draw.in(-0.2, 0.2);
    }
    bodies.push_back(b);
    model.rigid.push_back(rigid);
    model.cubic.push_back(cubic);
  }
  model.tree = std::make_unique<Tree>(bodies);
  return model;
}

/// Deflections of a tenth of the length and rates for which centrifugal and Coriolis terms matter.
void random_state(Draw& draw, const Tree& tree, std::vector<double>& q, std::vector<double>& v) {
  q.assign(tree.dof_count(), 0);
  v = q;
  for (int k = 0; k < tree.dof_count(); ++k) {
    const bool elastic = tree.dof_frequency(k) > 0;
    q[k] = elastic ? draw.in(-0.05, 0.05) : draw.in(-3, 3);
    v[k] = elastic ? draw.in(-1, 1) : draw.in(-4, 4);
  }
}

Frames<double> frames_of(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v) {
  Frames<double> f;
  f.resize(tree);
  tree.kinematics(q.data(), v.data(), f);
  return f;
}

Point random_point(Draw& draw, const Tree& tree, int body) {
  const ElasticBeam* beam = tree.body(body).beam.get();
  BodyPoint at{draw.in(-0.3, 0.3), draw.in(-0.1, 0.1)};
  if (beam) at.s = beam->start() + beam->length() * draw.in(-0.05, 1.05);
  return make_point(tree, body, at);
}

// --- random trees against brute force ----------------------------------------------------------------------------

// Source of truth: M = Σ m JᵀJ + Σ I, h = Σ m Jᵀ J̇v over the masses. Compared as residuals of M v̇ + h = Q, which do
// not feel the condition of M. Tolerance: shapes and their moments are good to 1e-13 (basis.hpp); 1e-11 of the sizes.
RC_GTEST_PROP(ElasticTrees, forward_dynamics_agrees_with_point_masses, ()) {
  Draw draw(*rc::gen::arbitrary<unsigned>());
  const Model model = random_model(draw, *rc::gen::inRange(1, 6));
  const Tree& tree = *model.tree;
  const int n = tree.dof_count();
  std::vector<double> q, v;
  random_state(draw, tree, q, v);
  const Frames<double> frames = frames_of(tree, q, v);
  Wrenches<double> wrenches;
  wrenches.resize(tree.body_count(), tree.elastic_count());
  wrenches.clear();
  VectorXd generalised = VectorXd::Zero(n);
  for (int i = 0; i < tree.body_count(); ++i) {
    const Vec force{draw.in(-5, 5), draw.in(-5, 5)};
    wrenches.force[i] = force;
    wrenches.moment[i] = draw.in(-2, 2);
    generalised += jacobian_of(tree, q, {i, {0, 0}, {}, {}}).transpose() * Eigen::Vector2d(force.x, force.z);
    generalised[tree.angle_dof(i)] += wrenches.moment[i];
    for (int k = 0; tree.body(i).beam && k < tree.body(i).beam->size(); ++k) {
      const double f = draw.in(-5, 5);
      wrenches.elastic[tree.elastic_begin(i) + k] = f;
      generalised[tree.elastic_dof(i) + k] += f;
    }
  }
  MassFactor<double> factor;
  tree.prepare(factor);
  std::vector<double> vdot(n);
  tree.forward_dynamics(frames, wrenches, factor, vdot.data());
  const Brute brute = brute_force(model, q, v);
  const VectorXd a = Eigen::Map<const VectorXd>(vdot.data(), n);
  const VectorXd residual = brute.mass * a + brute.inertia_terms - generalised;
  const double size = 1 + generalised.norm() + brute.inertia_terms.norm() + brute.mass.norm() * a.norm();
  RC_ASSERT(residual.norm() < 1e-11 * size);

  // M⁻¹ by itself
  std::vector<double> x(n);
  for (double& value : x) value = draw.in(-1, 1);
  const VectorXd b = Eigen::Map<const VectorXd>(x.data(), n);
  tree.solve(factor, x.data());
  const VectorXd back = brute.mass * Eigen::Map<const VectorXd>(x.data(), n) - b;
  RC_ASSERT(back.norm() < 1e-11 * (1 + brute.mass.norm() * Eigen::Map<const VectorXd>(x.data(), n).norm()));
}

/// Everything that System adds, from first principles: weight, strain, material damping, torques, joint damping, air.
VectorXd outer_forces(const Model& model, const System& system, const std::vector<double>& q,
                      const std::vector<double>& v, const std::vector<double>& ratio) {
  const Tree& tree = *model.tree;
  const int n = tree.dof_count();
  const VectorXd rate = Eigen::Map<const VectorXd>(v.data(), n);
  double energy = 0;
  VectorXd out = strain_forces(model, q, energy);
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    MatrixXd center = MatrixXd::Zero(2, n);
    for (const Mass& m : model.masses(i)) center += (m.mass / b.mass) * jacobian_of(tree, q, m.point);
    const Eigen::Vector2d gravity(system.gravity().x, system.gravity().z), speed = center * rate;
    double air = 0;
    for (const AirDrag& a : system.of<AirDrag>())
      if (a.body == i) air = a.k;
    out += b.mass * center.transpose() * gravity - air * speed.norm() * center.transpose() * speed;
    VectorXd joint = VectorXd::Zero(n);
    if (!b.free) {
      joint += turning_row(tree, make_point(tree, i, {0, 0}));
      if (b.parent >= 0) joint -= turning_row(tree, make_point(tree, b.parent, b.attach));
    }
    const JointForces& forces = system.joint(i);
    out += joint * ((forces.torque ? forces.torque(0.3) : 0.0) - forces.damping * joint.dot(rate));
    for (int k = 0; b.beam && k < b.beam->size(); ++k) {
      const BeamData& d = b.beam->basis().data();
      const double root = b.beam->basis().root(k);
      const double omega = root * root / (d.length * d.length) * std::sqrt(d.rigidity / d.mass_per_length);
      out[tree.elastic_dof(i) + k] -=
          2 * ratio[i] * omega * d.mass_per_length * d.length * v[tree.elastic_dof(i) + k];
    }
  }
  return out;
}

/// The same tree with one damping ratio per beam and all weight distributed.
Model with_damping(const Model& model, const std::vector<double>& ratio) {
  Model out{model.rigid, model.cubic, {}};
  std::vector<Body> bodies = model.tree->bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].beam) continue;
    auto beam = std::make_shared<ElasticBeam>(bodies[i].beam->basis(), bodies[i].beam->start());
    beam->set_damping_ratios({ratio[i]});
    bodies[i].beam = beam;
  }
  out.tree = std::make_unique<Tree>(bodies);
  return out;
}

// Source of truth: as above, with forces from their definitions. Tolerance: the second derivative of a shape carries
// 1e-13/h² with cells of h = L/18 and more: 1e-10 of the strain forces.
RC_GTEST_PROP(ElasticTrees, motion_under_all_outer_forces, ()) {
  Draw draw(*rc::gen::arbitrary<unsigned>());
  const int count = *rc::gen::inRange(1, 5);
  std::vector<double> ratio;
  for (int i = 0; i < count; ++i) ratio.push_back(draw.coin(0.3) ? 0 : draw.in(0, 0.3));
  const Model model = with_damping(random_model(draw, count), ratio);
  const Tree& tree = *model.tree;
  const int n = tree.dof_count();
  System system(tree, {draw.in(-3, 3), g});
  for (int i = 0; i < count; ++i) {
    if (draw.coin()) system.set_air_drag(i, draw.in(0, 0.2));
    if (tree.body(i).free || draw.coin()) continue;
    JointForces forces;
    forces.damping = draw.in(0, 0.2);
    const double drive = draw.in(-1, 1);
    if (draw.coin()) forces.torque = [drive](double t) { return drive * (1 + t); };
    system.set_joint(i, forces);
  }
  std::vector<double> y, v;
  random_state(draw, tree, y, v);
  const std::vector<double> q = y;
  y.insert(y.end(), v.begin(), v.end());
  y.resize(system.state_size());
  Work<double> work;
  system.prepare(work);
  std::vector<double> slope(system.state_size());
  const Mode mode = system.make_mode();
  system.evaluate(0.3, y.data(), mode, work, slope.data());
  const VectorXd a = Eigen::Map<const VectorXd>(slope.data() + n, n);
  const Brute brute = brute_force(model, q, v);
  const VectorXd forces = outer_forces(model, system, q, v, ratio);
  const VectorXd residual = brute.mass * a + brute.inertia_terms - forces;
  const double size = 1 + forces.norm() + brute.inertia_terms.norm() + brute.mass.norm() * a.norm();
  RC_ASSERT(residual.norm() < 1e-10 * size);

  // What goes into the channels is the power of these forces.
  double power = 0;
  for (const Channel c : system.channels()) power += work.power[static_cast<int>(c)];
  double strain = 0;
  const VectorXd conservative =
      strain_forces(model, q, strain) + brute_force(model, q, v, system.gravity()).weight;
  const double expected = (forces - conservative).dot(Eigen::Map<const VectorXd>(v.data(), n));
  RC_ASSERT(std::abs(power - expected) < 1e-10 * (1 + forces.norm() * 4));
}

// Source of truth: virtual power with positions and tangents; accelerations along q(t) = q + v t + v̇ t²/2 by
// numerical differentiation, truncation (8h)⁸ |v̇|⁴ … < 1e-9 here; energies as sums over the masses.
RC_GTEST_PROP(ElasticTrees, points_joints_centers_and_energies, ()) {
  Draw draw(*rc::gen::arbitrary<unsigned>());
  const Model model = random_model(draw, *rc::gen::inRange(1, 6));
  const Tree& tree = *model.tree;
  const int n = tree.dof_count();
  std::vector<double> q, v, a(n);
  random_state(draw, tree, q, v);
  for (double& x : a) x = draw.in(-5, 5);
  const VectorXd rate = Eigen::Map<const VectorXd>(v.data(), n);
  const Frames<double> f = frames_of(tree, q, v);
  for (int i = 0; i < tree.body_count(); ++i) {
    const Point p = random_point(draw, tree, i);
    const MatrixXd j = jacobian_of(tree, q, p);
    const Vec force{draw.in(-1, 1), draw.in(-1, 1)};
    std::vector<double> generalised(n, 0.0);
    tree.add_point_force(f, i, p.at, force, generalised.data());
    const VectorXd expected = j.transpose() * Eigen::Vector2d(force.x, force.z);
    RC_ASSERT((Eigen::Map<const VectorXd>(generalised.data(), n) - expected).norm() < 1e-12);
    const Place2 place = locate(tree, widen(q), p);
    const Vec position = f.position(i, p.at), speed = f.velocity(i, p.at);
    RC_ASSERT(std::hypot(position.x - double(place.x), position.z - double(place.z)) < 1e-12);
    RC_ASSERT((j * rate - Eigen::Vector2d(speed.x, speed.z)).norm() < 1e-11);
    const Vec acceleration = tree.acceleration(f, a.data(), i, p.at);
    RC_ASSERT((bias_of(tree, q, v, p, a) - Eigen::Vector2d(acceleration.x, acceleration.z)).norm() < 1e-8);

    Eigen::Vector2d arm = Eigen::Vector2d::Zero(), center_rate = arm, center_acceleration = arm;
    const double mass = tree.body(i).mass;
    for (const Mass& m : model.masses(i)) {
      const Place2 at = locate(tree, widen(q), m.point);
      arm += m.mass / mass * Eigen::Vector2d(double(at.x) - f.origin[i].x, double(at.z) - f.origin[i].z);
      center_rate += m.mass / mass * jacobian_of(tree, q, m.point) * rate;
      center_acceleration += m.mass / mass * bias_of(tree, q, v, m.point, a);
    }
    const Vec c = tree.center_arm(f, i), cv = tree.center_velocity(f, i),
              ca = tree.center_acceleration(f, a.data(), i);
    RC_ASSERT((arm - Eigen::Vector2d(c.x, c.z)).norm() < 1e-12);
    RC_ASSERT((center_rate - Eigen::Vector2d(cv.x, cv.z)).norm() < 1e-11);
    RC_ASSERT((center_acceleration - Eigen::Vector2d(ca.x, ca.z)).norm() < 1e-8);

    if (tree.body(i).free) continue;
    VectorXd joint = turning_row(tree, make_point(tree, i, {0, 0}));
    if (tree.body(i).parent >= 0)
      joint -= turning_row(tree, make_point(tree, tree.body(i).parent, tree.body(i).attach));
    RC_ASSERT(std::abs(tree.joint_rate(f, i) - joint.dot(rate)) < 1e-11);
    std::vector<double> row(n, 0.0);
    tree.add_joint_moment(i, 1.7, row.data());
    RC_ASSERT((Eigen::Map<const VectorXd>(row.data(), n) - 1.7 * joint).norm() < 1e-11);
  }
  const Vec gravity{1.5, 9};
  const Brute brute = brute_force(model, q, v, gravity);
  RC_ASSERT(std::abs(tree.kinetic_energy(f) - brute.kinetic) < 1e-12 * (1 + brute.kinetic));
  bool midspan = false;  // has a potential of its own, below
  for (const Body& b : tree.bodies()) midspan = midspan || (b.beam && b.beam->weight() != b.beam->mean());
  if (!midspan)
    RC_ASSERT(std::abs(tree.potential_energy(f, gravity) - brute.potential)
              < 1e-11 * (1 + std::abs(brute.potential)));
  double strain = 0;
  (void)strain_forces(model, q, strain);
  RC_ASSERT(std::abs(tree.strain_energy(f) - strain) < 1e-9 * (1 + strain));
}

// --- free motion -------------------------------------------------------------------------------------------------

struct Invariants {
  double energy;
  Eigen::Vector2d momentum;
  double spin;
};

Invariants invariants_of(const Model& model, const double* y) {
  const int n = model.tree->dof_count();
  const std::vector<double> q(y, y + n), v(y + n, y + 2 * n);
  const Brute b = brute_force(model, q, v);
  double strain = 0;
  (void)strain_forces(model, q, strain);
  return {b.kinetic + strain, b.momentum, b.spin};
}

void expect_conserved(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                      double time, double turns) {
  const System system(*model.tree, {0, 0});
  SolverOptions options;
  options.tolerance = 1e-12;
  options.time_limit = time;
  options.stop_at_rest = false;
  Solver solver(system);
  const Outcome out = solver.run(q, v, {}, options);
  ASSERT_EQ(out.reason, StopReason::time_limit) << out.message;
  std::vector<double> y(q);
  y.insert(y.end(), v.begin(), v.end());
  const Invariants before = invariants_of(model, y.data()), after = invariants_of(model, out.state.data());
  EXPECT_GT(std::abs(out.state[model.tree->angle_dof(0)] - q[model.tree->angle_dof(0)]), 2 * pi * turns);
  EXPECT_NEAR(after.energy, before.energy, 1e-9 * before.energy);
  EXPECT_NEAR(after.momentum[0], before.momentum[0], 1e-9);
  EXPECT_NEAR(after.momentum[1], before.momentum[1], 1e-9);
  EXPECT_NEAR(after.spin, before.spin, 1e-9 * (1 + std::abs(before.spin)));
  EXPECT_LT(std::abs(out.energy.residual), 1e-9);
}

/// A model of bodies whose mass is all in beams and the given rigid parts.
Model make_model(const std::vector<Body>& bodies, const std::vector<Rigid>& rigid, bool cubic) {
  return {rigid, std::vector<bool>(bodies.size(), cubic), std::make_unique<Tree>(bodies)};
}

// Source of truth: conservation without outer forces, sums over the masses. The first frequency is 5 times the spin,
// vibrations reach a tenth of the length. Tolerance: 1e-12 per step of the solver, thousands of steps: 1e-9.
TEST(FreeMotion, spinning_and_vibrating_beam) {
  BeamData d{0.5, 0.4, 0.3, 0, 0};
  for (const double tip : {0.0, 0.15})
    for (const int elements : {0, 3}) {
      d.tip_mass = tip;
      d.tip_inertia = tip * 0.01;
      const BeamBasis basis = make_basis(Support::free, d, 3, elements);
      // the mass centre of the undeformed beam with its tip
      const double center = (0.2 * 0.25 + tip * 0.5) / (0.2 + tip);
      Body b = make_beam_body(std::make_shared<ElasticBeam>(basis, -center), {});
      b.free = true;
      const double spin = basis.frequency(0) / 5;
      expect_conserved(make_model({b}, {{}}, elements > 0), {0.1, -0.2, 0.4, 0.02, -0.005, 0.001},
                       {0.5, -0.3, spin, -0.5, 0.3, -0.1}, 8 * 2 * pi / spin, 5);
    }
}

TEST(FreeMotion, chain_of_beam_rigid_beam) {
  const BeamData first{0.4, 0.5, 2, 0, 0}, last{0.3, 0.4, 1, 0.05, 1e-4};
  for (const int elements : {0, 2}) {
    Body a = make_free_beam(make_basis(Support::free, first, 3, elements));
    const Rigid link{0.3, {0.1, 0.02}, 0.002};
    Body b;
    b.name = "link";
    b.parent = 0;
    b.attach = {0.2, 0};
    b.mass = link.mass, b.center = link.center, b.inertia = link.inertia;
    Body c =
        make_beam_body(std::make_shared<ElasticBeam>(make_basis(Support::pinned, last, 2, elements), 0), {});
    c.parent = 1;
    c.attach = {0.2, -0.03};
    expect_conserved(make_model({a, b, c}, {{}, link, {}}, elements > 0),
                     {0.1, 0.2, 0.3, 0.01, -0.004, 0.002, 1.1, -0.4, 0.005, -0.002},
                     {0.2, -0.1, 6, 0.3, -0.2, 0.1, 4, 9, 0.2, -0.1}, 5, 3);
  }
}

// --- vibration ---------------------------------------------------------------------------------------------------

/// Time at which an elastic coordinate first falls through zero.
double first_zero(const System& system, const std::vector<double>& q, int mode, double limit) {
  Observable o;
  o.quantity = Quantity::elastic_coordinate;
  o.mode = mode;
  SolverOptions options;
  options.tolerance = 1e-12;
  options.time_limit = limit;
  options.stop_at_rest = false;
  Solver solver(system);
  const Outcome out = solver.run(q, std::vector<double>(q.size(), 0.0), {{o, 0, -1, true}}, options);
  EXPECT_EQ(out.reason, StopReason::condition) << out.message;
  return out.time;
}

// Source of truth: ω = λ² √(EI/ρA)/L² with λ from tables (Blevins 1979, table 8-1). From rest a coordinate falls through
// zero after a quarter of its period. Amplitude 1e-5 L: what couples it to the rotation is of second order, 1e-10; the
// scale of the solver's errors is that of the system (speeds of √(10⁻³ L)), 1e-12 of it is 1e-9 of this motion.
TEST(Vibration, quarter_period_from_zero_crossings) {
  struct Row {
    Support support;
    int mode;
    double root;
  };
  const std::vector<Row> rows = {
      {Support::free, 0, 4.730040744863},    {Support::free, 1, 7.853204624096},
      {Support::free, 2, 10.995607838002},   {Support::pinned, 0, 3.926602312048},
      {Support::pinned, 1, 7.068582745629},  {Support::clamped, 0, 1.875104068712},
      {Support::clamped, 1, 4.694091132974}, {Support::clamped, 2, 7.854757438238}};
  const BeamData d{0.6, 0.7, 5, 0, 0};
  for (const Row& r : rows)
    for (const int elements : {0, 16}) {
      const BeamBasis basis = make_basis(r.support, d, 3, elements);
      Body b = r.support == Support::free
                 ? make_free_beam(basis)
                 : make_beam_body(std::make_shared<ElasticBeam>(basis, 0),
                                  r.support == Support::clamped ? make_wall() : Rigid{});
      const System system(Tree({b}), {0, 0});
      std::vector<double> q(system.dof_count(), 0.0);
      q[system.tree().elastic_dof(0) + r.mode] = 1e-5 * d.length;
      const double omega =
          r.root * r.root / (d.length * d.length) * std::sqrt(d.rigidity / d.mass_per_length);
      const double measured = pi / (2 * first_zero(system, q, r.mode, 10 / omega));
      const double high =
          elements ? std::pow(r.root / elements, 4) / 1440 : 0;  // leading error of cubic elements
      EXPECT_NEAR(measured / omega, 1 + high, 1e-8 + 0.1 * high) << int(r.support) << " " << r.mode;
    }
}

/// Frequencies about the straight state, from M⁻¹ as the tree applies it and the stiffness of the beams.
std::vector<double> frequencies(const Tree& tree) {
  const int n = tree.dof_count();
  const std::vector<double> zero(n, 0.0);
  const Frames<double> f = frames_of(tree, zero, zero);
  MassFactor<double> factor;
  tree.prepare(factor);
  tree.factor(f, factor);
  MatrixXd inverse(n, n), stiffness = MatrixXd::Zero(n, n);
  for (int k = 0; k < n; ++k) {
    std::vector<double> x(n, 0.0);
    x[k] = 1;
    tree.solve(factor, x.data());
    inverse.col(k) = Eigen::Map<const VectorXd>(x.data(), n);
  }
  for (int i = 0; i < tree.body_count(); ++i)
    for (int k = 0; tree.body(i).beam && k < tree.body(i).beam->size(); ++k)
      stiffness(tree.elastic_dof(i) + k, tree.elastic_dof(i) + k) = tree.body(i).beam->stiffness()[k];
  const Eigen::LLT<MatrixXd> llt(0.5 * (inverse + inverse.transpose()));
  const MatrixXd l = llt.matrixL();
  const VectorXd square =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(l.transpose() * stiffness * l).eigenvalues();
  std::vector<double> out;
  for (int k = 0; k < n; ++k)
    if (square[k] > 1e-10 * square[n - 1]) out.push_back(std::sqrt(square[k]));
  return out;
}

// Source of truth: a beam does not know in which frame it is described. Clamped shapes in a body that is itself free, or
// pinned, must give the free–free and pinned–free frequencies: only with all couplings of the shapes to the motion of
// the frame. Ritz: from above. Elements span the same functions with or without the clamp, so their error is that of
// any chain of N cubic elements, (λ/N)⁴/1440 to leading order. The curvature of clamped modes does not vanish at their
// start, so that they converge slowly, like 1/n³: below 2e-4 for 24 modes.
TEST(Vibration, frequencies_do_not_depend_on_the_frame) {
  const BeamData d{0.6, 0.7, 5, 0, 0};
  const double unit = std::sqrt(d.rigidity / d.mass_per_length) / (d.length * d.length);
  const auto check = [&](const Tree& tree, std::array<double, 2> roots, int elements) {
    const std::vector<double> found = frequencies(tree);
    for (int k = 0; k < 2; ++k) {
      const double excess = found[k] / (roots[k] * roots[k] * unit) - 1;
      const double law = elements ? std::pow(roots[k] / elements, 4) / 1440 : 0;
      EXPECT_GT(excess, elements ? 0.9 * law : -1e-12) << k;
      EXPECT_LT(excess, elements ? 1.05 * law : (k + 1) * 4e-4) << k;
    }
  };
  for (const int elements : {0, 12}) {
    const BeamBasis basis = make_basis(Support::clamped, d, 24, elements);
    check(Tree({make_beam_body(std::make_shared<ElasticBeam>(basis, 0), {})}),
          {3.926602312048, 7.068582745629}, elements);
    Body floating = make_beam_body(std::make_shared<ElasticBeam>(basis, -d.length / 2), {});
    floating.free = true;
    check(Tree({floating}), {4.730040744863, 7.853204624096}, elements);
  }
}

// Source of truth: a point mass pinned to the tip is a tip mass. The characteristic equation of basis.hpp with μ = 1 has
// the root 1.2479 (Blevins 1979, table 8-8); the shapes without the tip converge to it like 1/n³.
TEST(Vibration, a_body_on_the_tip_is_a_tip_mass) {
  BeamData d{0.6, 0.7, 5, 0, 0};
  const double mass = d.mass_per_length * d.length;
  const double unit = std::sqrt(d.rigidity / d.mass_per_length) / (d.length * d.length);
  Body bare =
      make_beam_body(std::make_shared<ElasticBeam>(make_mode_basis(Support::clamped, d, 20), 0), make_wall());
  Body ball;
  ball.name = "ball";
  ball.parent = 0;
  ball.attach = {d.length, 0};
  ball.mass = mass;
  ball.inertia = 1e-9;
  const double together = frequencies(Tree({bare, ball}))[0];
  d.tip_mass = mass;
  Body tipped =
      make_beam_body(std::make_shared<ElasticBeam>(make_mode_basis(Support::clamped, d, 1), 0), make_wall());
  const double by_basis = frequencies(Tree({tipped}))[0];
  EXPECT_NEAR(std::sqrt(by_basis / unit), 1.2479, 5e-5);
  EXPECT_NEAR(together / by_basis, 1, 1e-5);
  EXPECT_GE(together / by_basis, 1 - 1e-10);
}

// --- damping -----------------------------------------------------------------------------------------------------

// Source of truth: x = x₀ e^(−ζωt)(cos ω_d t + …): after a period 2π/ω_d the amplitude has fallen by e^(−2πζ/√(1−ζ²)), and
// the energy lost is in the channel of the material. Rayleigh: ζ = α/(2ω) + βω/2.
TEST(MaterialDamping, logarithmic_decrement_and_energy) {
  const BeamData d{0.5, 0.6, 4, 0, 0};
  for (const int elements : {0, 4})
    for (const bool rayleigh : {false, true})
      for (const int mode : {0, 1}) {
        const BeamBasis basis = make_basis(Support::free, d, 2, elements);
        auto beam = std::make_shared<ElasticBeam>(basis, -d.length / 2);
        const double omega = basis.frequency(mode);
        const double ratio = rayleigh ? 1.5 / (2 * omega) + 2e-4 * omega / 2 : mode == 0 ? 0.03 : 0.08;
        rayleigh ? beam->set_rayleigh_damping(1.5, 2e-4) : beam->set_damping_ratios({0.03, 0.08});
        Body b = make_beam_body(beam, {});
        b.free = true;
        const System system(Tree({b}), {0, 0});
        std::vector<double> q(system.dof_count(), 0.0);
        const double start = 0.01;
        q[3 + mode] = start;
        SolverOptions options;
        options.tolerance = 1e-12;
        options.stop_at_rest = false;
        const double periods = 5, root = std::sqrt(1 - ratio * ratio);
        options.time_limit = periods * 2 * pi / (omega * root);
        Solver solver(system);
        const Outcome out = solver.run(q, std::vector<double>(q.size(), 0.0), {}, options);
        ASSERT_EQ(out.reason, StopReason::time_limit) << out.message;
        const double decrement = std::log(start / out.state[3 + mode]) / periods;
        EXPECT_NEAR(decrement, 2 * pi * ratio / root, 1e-8);
        EXPECT_LT(std::abs(out.energy.residual), 1e-8);
        const double stiffness = basis.modal_mass() * omega * omega,
                     rate = out.state[system.dof_count() + 3 + mode];
        const double lost = 0.5 * stiffness * (start * start - out.state[3 + mode] * out.state[3 + mode])
                          - 0.5 * basis.modal_mass() * rate * rate;
        EXPECT_NEAR(-out.state[system.channel_slot(channel_of<BeamStrain>())], lost, 1e-9 * lost);
      }
}

// --- weight ------------------------------------------------------------------------------------------------------

struct Resting {
  double tip = NAN, force_x = NAN, force_z = NAN, moment = NAN;
};

/// A level cantilever (its hinge is held by dry friction) that has come to rest under its weight, read off a scenario.
/// Rest means accelerations below 1e-7 ω √(gL): up to 1e-4 m/s² in a mode of 300 rad/s, or 3e-5 N here, and 1e-6 of the
/// deflection.
Resting hang(int modes, const std::string& more) {
  const std::string text =
      "[[body]]\nname = \"arm\"\njoint = { friction = 100 }\n"
      "shape = { kind = \"beam\", support = \"clamped\", length = 0.8, diameter = 0.01, mass = 0.5, rigidity = 20, "
      "damping = 1, modes = "
    + std::to_string(modes) + more
    + " }\n[initial]\n\"arm.angle\" = \"90 deg\"\n[stop]\nwhen = \"rest\"\ntime = 20\n[results]\n"
      "w = \"arm.tip.deflection at end\"\nx = \"arm.joint.fx at end\"\nz = \"arm.joint.fz at end\"\n"
      "m = \"arm.start.moment at end\"\n";
  const RunResult r = run(parse_scenario(text, "arm"));
  EXPECT_EQ(r.outcome.reason, StopReason::rest) << r.reason;
  return {r.find("w")->value.value(), r.find("x")->value.value(), r.find("z")->value.value(),
          r.find("m")->value.value()};
}

// Source of truth: Euler–Bernoulli statics. A uniform weight p bends a cantilever by p L⁴/(8 EI) at its tip. In modes the
// k-th share is 4 σ_k/λ_k⁵ of p L⁴/EI with σ_k → 1 and alternating sign, so n modes err by less than the next share,
// 4/λ⁵ with λ ≈ (n + ½)π. At the pin: the weight, nothing across. At 90° ŵ points up: the deflection is negative.
TEST(Weight, distributed_weight_bends_a_cantilever_as_the_closed_form) {
  const double p = 0.5 / 0.8 * g, unit = p * std::pow(0.8, 4) / 20;
  double last = 1;
  for (const int modes : {1, 2, 4, 6}) {
    const Resting r = hang(modes, "");
    const double error = std::abs(-r.tip / unit - 1.0 / 8);
    EXPECT_LT(error, 4 / std::pow((modes + 0.5) * pi, 5) * 1.05 + 1e-6) << modes;
    EXPECT_LT(error, last + 1e-6);
    last = error;
    EXPECT_NEAR(r.force_z, -0.5 * g, 3e-5);
    EXPECT_NEAR(r.force_x, 0, 3e-5);
  }
  // Elements: exact at the nodes under any load, however few.
  EXPECT_NEAR(-hang(4, ", basis = \"elements\", elements = 2").tip / unit, 1.0 / 8, 1e-6);
}

// Source of truth: a load P at mid-span bends the tip by 5 P L³/(48 EI). Elements with a node there are exact, modes
// converge like 1/λ⁴.
TEST(Weight, midspan_weight_is_a_point_load) {
  const double unit = 0.5 * g * std::pow(0.8, 3) / 20;
  EXPECT_NEAR(-hang(4, ", gravity = \"midspan\", basis = \"elements\", elements = 2").tip / unit, 5.0 / 48,
              1e-6);
  for (const int modes : {2, 4, 6}) {
    const Resting r = hang(modes, ", gravity = \"midspan\"");
    EXPECT_NEAR(-r.tip / unit, 5.0 / 48, 4 / std::pow((modes + 0.5) * pi, 4)) << modes;
    EXPECT_NEAR(r.force_z, -0.5 * g, 3e-5);
  }
}

// Source of truth: at the clamp E I w″ = p L²/2; modes converge like the sum of 4/λ_k³ all of one sign, < 4/(2(nπ)²).
TEST(Weight, bending_moment_at_the_clamp) {
  const double moment = 0.5 * g * 0.8 / 2;
  const Resting r = hang(6, "");
  EXPECT_NEAR(std::abs(r.moment) / moment, 1, 2 * 4 / (2 * std::pow(6 * pi, 2)));
}

// Source of truth: the guide: a part with weight = "no" has mass, but gravity does not act on it.
TEST(Weight, a_beam_without_weight_does_not_bend) {
  const Resting r = hang(2, ", weight = \"no\"");
  EXPECT_NEAR(r.tip, 0, 1e-9);
  EXPECT_NEAR(r.force_z, 0, 3e-5);
}

const char* const bed_and_stop = "[bed]\nmedium = \"play-sand\"\n[stop]\ntime = 1\n";

// Source of truth: geometry. The section of a beam given by thickness and width is a rectangle, to the sand as well.
TEST(BeamInput, sand_sees_the_rectangular_section) {
  const Scenario s = parse_scenario(std::string("[[body]]\nname = \"strip\"\njoint = \"free\"\nshape = { "
                                                "kind = \"beam\", length = 0.3, thickness = "
                                                "0.002, width = 0.03, density = 2700, rigidity = 1 }\n")
                                        + bed_and_stop,
                                    "strip");
  EXPECT_NEAR(s.system->pieces()[0].end_area, 0.002 * 0.03, 1e-12);
}

// Source of truth: mechanics. A beam that starts beyond its joint is carried by a rigid arm, to which it is clamped; a
// second hinge at its start is not what the file says.
TEST(BeamInput, a_beam_that_starts_beyond_its_joint_is_clamped) {
  const Scenario s = parse_scenario(std::string("[[body]]\nname = \"rod\"\njoint = \"pin\"\nshape = { kind = "
                                                "\"beam\", at = 0.1, length = 0.3, diameter "
                                                "= 0.01, density = 2700, rigidity = 1 }\n")
                                        + bed_and_stop,
                                    "rod");
  EXPECT_EQ(s.system->tree().body(0).beam->basis().support(), Support::clamped);
}

}  // namespace
}  // namespace thud
