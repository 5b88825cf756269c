#pragma once
// Trees with joints of all types, and the same mechanics from positions alone: written down from the coordinates,
// differentiated by dual numbers, with point masses on the deformed axes (Gauss points).

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "beam_bodies.hpp"
#include "thud/math/dual.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// --- positions from coordinates ------------------------------------------------------------------------------------

template <class T>
struct Pose {
  T x{}, z{}, angle{};
};

/// What moves with a body at (s, n): shapes and slopes of its beam there, where it is one of the beam.
struct Point {
  int body = 0;
  BodyPoint at{};
  std::vector<double> shapes, slopes;
};

inline Point make_point(const Tree& tree, int body, BodyPoint at) {
  Point p{body, at, {}, {}};
  const ElasticBeam* beam = tree.body(body).beam.get();
  if (!beam || at.s < beam->start()) return p;
  for (int k = 0; k < beam->size(); ++k) {
    p.shapes.push_back(beam->basis().value(k, at.s - beam->start()));
    p.slopes.push_back(beam->basis().value(k, at.s - beam->start(), 1));
  }
  return p;
}

template <class T>
Pose<T> frame_of(const Tree& tree, const std::vector<T>& q, int body);

template <class T>
Pose<T> pose_of(const Tree& tree, const std::vector<T>& q, const Point& p) {
  using std::cos, std::sin;
  const Pose<T> f = frame_of(tree, q, p.body);
  T n = T(p.at.n), turn = f.angle;
  for (std::size_t k = 0; k < p.shapes.size(); ++k) {
    n += p.shapes[k] * q[tree.elastic_dof(p.body) + k];
    turn += p.slopes[k] * q[tree.elastic_dof(p.body) + k];
  }
  const T s = sin(f.angle), c = cos(f.angle);
  return {f.x + p.at.s * s + n * c, f.z + p.at.s * c - n * s, turn};
}

template <class T>
Pose<T> frame_of(const Tree& tree, const std::vector<T>& q, int body) {
  using std::cos, std::sin;
  const Body& b = tree.body(body);
  const T* own = q.data() + tree.joint_dof(body);
  if (b.free) return {own[0], own[1], own[2]};
  Pose<T> seat{T(b.anchor.x), T(b.anchor.z), T(0)};
  if (b.parent >= 0) seat = pose_of(tree, q, make_point(tree, b.parent, b.attach));
  switch (b.joint.kind) {
    case JointKind::weld: return {seat.x, seat.z, seat.angle + b.joint.angle};
    case JointKind::slider: {
      const T line = seat.angle + b.joint.direction;
      return {seat.x + own[0] * sin(line), seat.z + own[0] * cos(line), seat.angle + b.joint.angle};
    }
    default: return {seat.x, seat.z, own[0]};
  }
}

/// Rows of x, z and angle: exact derivatives by each coordinate.
inline MatrixXd jacobian_of(const Tree& tree, const std::vector<double>& q, const Point& p) {
  const int n = tree.dof_count();
  MatrixXd j(3, n);
  for (int k = 0; k < n; ++k) {
    std::vector<Dual<double>> moved(q.begin(), q.end());
    moved[k].d = 1;
    const Pose<Dual<double>> at = pose_of(tree, moved, p);
    j.col(k) << at.x.d, at.z.d, at.angle.d;
  }
  return j;
}

/// Second derivative along q + v t + a t²/2 at t = 0.
inline Eigen::Vector3d second_of(const Tree& tree, const std::vector<double>& q, const std::vector<double>& v,
                                 const std::vector<double>& a, const Point& p) {
  using DD = Dual<Dual<double>>;
  std::vector<DD> path(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) path[k] = DD{{q[k], v[k]}, {v[k], a[k]}};
  const Pose<DD> at = pose_of(tree, path, p);
  return {at.x.d.d, at.z.d.d, at.angle.d.d};
}

// --- random trees ----------------------------------------------------------------------------------------------------

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

inline Model make_model(std::vector<Body> bodies) {
  Model model;
  for (const Body& b : bodies) model.rigid.push_back({b.mass, b.center, b.inertia});
  model.cubic.assign(bodies.size(), false);
  model.tree = std::make_unique<Tree>(std::move(bodies));
  return model;
}

/// Any joint on any body or on the ground: in mid-beam, at ends, on rigid parts, with lateral offsets and mass off the
/// axis. `share`: of elastic bodies.
inline Model random_model(Draw& draw, int count, double share) {
  Model model;
  std::vector<Body> bodies;
  for (int i = 0; i < count; ++i) {
    const int parent = draw.coin(0.8) ? draw.integer(-1, i - 1) : -1;
    const int kind = draw.integer(i == 0 ? 0 : -1, 3);
    Rigid rigid{draw.in(0.1, 2), {draw.in(0.1, 0.5), draw.in(-0.2, 0.2)}, draw.in(0.001, 0.1)};
    bool cubic = false;
    Body b;
    if (draw.coin(share)) {
      const bool pinned = kind <= 0 && draw.coin();
      auto beam = random_beam(draw, pinned ? Support::pinned : Support::clamped,
                              pinned || draw.coin() ? 0 : draw.in(0, 0.3), cubic);
      if (pinned) rigid = {};
      b = make_beam_body(beam, rigid);
    } else {
      b.mass = rigid.mass, b.center = rigid.center, b.inertia = rigid.inertia;
    }
    b.name = "b" + std::to_string(i);
    b.parent = parent;
    b.free = parent < 0 && kind == 1;
    b.anchor = {draw.in(-1, 1), draw.in(-1, 1)};
    if (kind == 2) b.joint = Joint::slider(draw.in(-3, 3), draw.in(-3, 3));
    if (kind == 3) b.joint = Joint::weld(draw.in(-3, 3));
    const bool moves = !b.free && b.joint.kind != JointKind::weld;
    const bool loose = b.beam && b.beam->basis().support() == Support::pinned;
    if (moves && !loose && (i + count) % 3 == 0) b.joint.inertia = 0.04 * (i + 1);  // what a gear reflects
    if (parent >= 0) {
      const ElasticBeam* on = bodies[parent].beam.get();
      b.attach = {draw.in(-0.5, 0.5), draw.in(-0.2, 0.2)};
      if (on) b.attach.s = draw.coin(0.4) ? on->end() : on->start() + on->length() * draw.in(-0.2, 1.1);
    }
    bodies.push_back(b);
    model.rigid.push_back(rigid);
    model.cubic.push_back(cubic);
  }
  model.tree = std::make_unique<Tree>(bodies);
  return model;
}

/// Trees of all kinds, half of them rigid throughout; each check names the one it fails for.
template <class Check>
void for_random_models(int most, const Check& check) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const Model model = random_model(draw, draw.integer(1, most), seed % 2 ? 0.5 : 0);
    check(draw, model);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

inline void random_state(Draw& draw, const Tree& tree, std::vector<double>& q, std::vector<double>& v) {
  q.assign(tree.dof_count(), 0);
  v = q;
  for (int k = 0; k < tree.dof_count(); ++k) {
    const bool elastic = tree.dof_frequency(k) > 0;
    q[k] = elastic ? draw.in(-0.05, 0.05) : draw.in(-3, 3);
    v[k] = elastic ? draw.in(-1, 1) : draw.in(-4, 4);
  }
}

template <class T>
struct Evaluated {
  Frames<T> frames;
  Wrenches<T> wrenches;
  MassFactor<T> factor;

  Evaluated(const Tree& tree, const std::vector<T>& q, const std::vector<T>& v) {
    frames.resize(tree);
    tree.kinematics(q.data(), v.data(), frames);
    wrenches.resize(tree.body_count(), tree.elastic_count());
    wrenches.clear();
    tree.prepare(factor);
  }
};

/// The rate in the joint that carries a body: its gradient by the velocities.
inline VectorXd joint_row(const Tree& tree, const std::vector<double>& q, int i) {
  const Body& b = tree.body(i);
  VectorXd row = VectorXd::Zero(tree.dof_count());
  if (b.joint.kind == JointKind::slider) {
    row[tree.joint_dof(i)] = 1;
  } else if (b.joint.kind == JointKind::pin && !b.free) {
    row += jacobian_of(tree, q, make_point(tree, i, {0, 0})).row(2).transpose();
    if (b.parent >= 0) row -= jacobian_of(tree, q, make_point(tree, b.parent, b.attach)).row(2).transpose();
  }
  return row;
}

struct Brute {
  MatrixXd mass;
  VectorXd inertia_terms;
};

inline Brute brute_force(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  const Tree& tree = *model.tree;
  const int n = tree.dof_count();
  const std::vector<double> zero(n, 0.0);
  Brute out{MatrixXd::Zero(n, n), VectorXd::Zero(n)};
  for (int i = 0; i < tree.body_count(); ++i)
    for (const Mass& m : model.masses(i)) {
      const MatrixXd j = jacobian_of(tree, q, m.point);
      const Eigen::Vector3d weight(m.mass, m.mass, m.inertia);
      out.mass += j.transpose() * weight.asDiagonal() * j;
      out.inertia_terms += j.transpose() * weight.asDiagonal() * second_of(tree, q, v, zero, m.point);
    }
  for (int i = 0; i < tree.body_count(); ++i) {
    const VectorXd row = joint_row(tree, q, i);
    out.mass +=
        tree.body(i).joint.inertia * row * row.transpose();  // linear in the coordinates: nothing else
  }
  return out;
}

inline VectorXd map(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<long>(x.size()));
}

}  // namespace thud
