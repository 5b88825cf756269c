// Joints of all types in one tree: pins, free roots, sliders and welds, on rigid bodies and on beams.
// Source of truth: joint_models.hpp, which knows positions and masses only.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "joint_models.hpp"

namespace thud {
namespace {

// --- random trees against brute force ---------------------------------------------------------------------------------

// Source of truth: M = Σ Jᵀ m J, h = Σ Jᵀ m J̇v over the masses. Compared as residuals of M v̇ + h = Q, which do not feel
// the condition of M. Tolerance: shapes and their moments are good to 1e-13 (basis.hpp); 1e-10 of the sizes.
TEST(Joints, forward_dynamics_agrees_with_point_masses) {
  for_random_models(6, [](Draw& draw, const Model& model) {
    const Tree& tree = *model.tree;
    const int n = tree.dof_count();
    std::vector<double> q, v;
    random_state(draw, tree, q, v);
    Evaluated<double> e(tree, q, v);
    VectorXd generalised = VectorXd::Zero(n);
    for (int i = 0; i < tree.body_count(); ++i) {
      const Eigen::Vector3d f(draw.in(-5, 5), draw.in(-5, 5), draw.in(-2, 2));
      e.wrenches.force[i] = {f[0], f[1]};
      e.wrenches.moment[i] = f[2];
      generalised += jacobian_of(tree, q, {i, {0, 0}, {}, {}}).transpose() * f;
      for (int k = 0; tree.body(i).beam && k < tree.body(i).beam->size(); ++k) {
        const double push = draw.in(-5, 5);
        e.wrenches.elastic[tree.elastic_begin(i) + k] = push;
        generalised[tree.elastic_dof(i) + k] += push;
      }
    }
    const Brute brute = brute_force(model, q, v);
    Wrenches<double> copy = e.wrenches;
    std::vector<double> reduced(n);
    tree.reduce(e.frames, copy, reduced.data());
    const double load = 1 + generalised.norm() + brute.inertia_terms.norm();
    ASSERT_TRUE((map(reduced) - generalised + brute.inertia_terms).norm() < 1e-10 * load);
    std::vector<double> vdot(n);
    tree.forward_dynamics(e.frames, e.wrenches, e.factor, vdot.data());
    const VectorXd residual = brute.mass * map(vdot) + brute.inertia_terms - generalised;
    ASSERT_TRUE(residual.norm() < 1e-10 * (load + brute.mass.norm() * map(vdot).norm()));

    // M and M⁻¹ by themselves, in halves, and for rows with zeros
    const int rows = n;
    std::vector<double> x(static_cast<std::size_t>(rows) * n, 0.0);
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < n; ++k)
        if (k == r || draw.coin(0.2)) x[r * n + k] = draw.in(-1, 1);
    const std::vector<double> given = x;
    tree.factor(e.frames, e.factor);
    tree.solve_many(e.factor, x.data(), rows);
    std::vector<double> lifted = given;
    for (int r = 0; r < rows; ++r) tree.lift(e.factor, lifted.data() + static_cast<long>(r) * n);
    for (int r = 0; r < rows; ++r) {
      const VectorXd b = Eigen::Map<const VectorXd>(given.data() + static_cast<long>(r) * n, n);
      const VectorXd y = Eigen::Map<const VectorXd>(x.data() + static_cast<long>(r) * n, n);
      const double size = 1 + brute.mass.norm() * y.norm();
      ASSERT_TRUE((brute.mass * y - b).norm() < 1e-10 * size);
      std::vector<double> back(y.data(), y.data() + n);
      tree.multiply(e.factor, back.data());
      ASSERT_TRUE((brute.mass * y - map(back)).norm() < 1e-10 * size);
      double product = 0;
      for (int k = 0; k < n; ++k) product += x[k] * given[r * n + k];
      const double half =
          tree.half_product(e.factor, lifted.data(), lifted.data() + static_cast<long>(r) * n);
      ASSERT_TRUE(std::abs(product - half) < 1e-9 * (1 + map(x).norm() * b.norm()));
    }
    tree.lower(e.factor, lifted.data());
    ASSERT_TRUE(
        (Eigen::Map<const VectorXd>(lifted.data(), n) - Eigen::Map<const VectorXd>(x.data(), n)).norm()
        < 1e-9 * (1 + Eigen::Map<const VectorXd>(x.data(), n).norm()));
  });
}

// Source of truth: derivatives of positions and angles; virtual power; sums over the masses.
TEST(Joints, points_angles_and_energies) {
  for_random_models(6, [](Draw& draw, const Model& model) {
    const Tree& tree = *model.tree;
    const int n = tree.dof_count();
    std::vector<double> q, v, a(n);
    random_state(draw, tree, q, v);
    for (double& x : a) x = draw.in(-5, 5);
    const Evaluated<double> e(tree, q, v);
    const Frames<double>& f = e.frames;
    const VectorXd rate = map(v);
    double kinetic = 0, potential = 0;
    const Vec gravity{1.5, 9.0};
    for (int i = 0; i < tree.body_count(); ++i) {
      BodyPoint at{draw.in(-0.3, 0.3), draw.in(-0.1, 0.1)};
      if (const ElasticBeam* beam = tree.body(i).beam.get())
        at.s = beam->start() + beam->length() * draw.in(-0.05, 1.05);
      const Point p = make_point(tree, i, at);
      const MatrixXd j = jacobian_of(tree, q, p), frame = jacobian_of(tree, q, {i, {0, 0}, {}, {}});
      const Pose<double> pose = pose_of(tree, q, p);
      const Vec position = f.position(i, at), speed = f.velocity(i, at);
      ASSERT_TRUE(std::hypot(position.x - pose.x, position.z - pose.z) < 1e-12);
      ASSERT_TRUE((j.topRows(2) * rate - Eigen::Vector2d(speed.x, speed.z)).norm() < 1e-11);
      ASSERT_TRUE(std::abs(f.rate[i] - frame.row(2).dot(rate)) < 1e-11);
      ASSERT_TRUE(std::abs(tree.angle(i, q.data()) - frame_of(tree, q, i).angle) < 1e-12);
      ASSERT_TRUE(std::abs(tree.angle_rate(i, v.data()) - f.rate[i]) < 1e-11);
      const Vec acceleration = tree.acceleration(f, a.data(), i, at);
      const Eigen::Vector3d second = second_of(tree, q, v, a, p);
      ASSERT_TRUE((second.head(2) - Eigen::Vector2d(acceleration.x, acceleration.z)).norm()
                  < 1e-10 * (1 + second.norm()));

      const Vec force{draw.in(-1, 1), draw.in(-1, 1)};
      std::vector<double> row(n, 0.0), turning(n, 0.0);
      tree.add_point_force(f, i, at, force, row.data());
      ASSERT_TRUE((map(row) - j.topRows(2).transpose() * Eigen::Vector2d(force.x, force.z)).norm() < 1e-11);
      tree.add_moment(i, 1.3, turning.data());
      ASSERT_TRUE((map(turning) - 1.3 * frame.row(2).transpose()).norm() < 1e-12);
      if (const int dof = tree.angle_dof(i); dof >= 0)
        ASSERT_TRUE(std::abs(turning[dof] - 1.3) < 1e-12);
      else
        ASSERT_TRUE(tree.body(i).joint.kind != JointKind::pin);

      const double between = joint_row(tree, q, i).dot(rate);
      kinetic += 0.5 * tree.body(i).joint.inertia * between * between;
      Eigen::Vector2d arm = Eigen::Vector2d::Zero(), center_rate = arm, center_second = arm;
      for (const Mass& m : model.masses(i)) {
        const Pose<double> here = pose_of(tree, q, m.point);
        const Eigen::Vector3d motion = jacobian_of(tree, q, m.point) * rate;
        kinetic += 0.5 * m.mass * motion.head(2).squaredNorm() + 0.5 * m.inertia * motion[2] * motion[2];
        potential -= m.mass * (gravity.x * here.x + gravity.z * here.z);
        const double share = m.mass / tree.body(i).mass;
        arm += share * Eigen::Vector2d(here.x - f.origin[i].x, here.z - f.origin[i].z);
        center_rate += share * motion.head(2);
        center_second += share * second_of(tree, q, v, a, m.point).head(2);
      }
      const Vec c = tree.center_arm(f, i), cv = tree.center_velocity(f, i),
                ca = tree.center_acceleration(f, a.data(), i);
      ASSERT_TRUE((arm - Eigen::Vector2d(c.x, c.z)).norm() < 1e-11);
      ASSERT_TRUE((center_rate - Eigen::Vector2d(cv.x, cv.z)).norm() < 1e-10);
      ASSERT_TRUE((center_second - Eigen::Vector2d(ca.x, ca.z)).norm() < 1e-10 * (1 + center_second.norm()));
    }
    ASSERT_TRUE(std::abs(tree.kinetic_energy(f) - kinetic) < 1e-10 * (1 + kinetic));
    bool distributed = true;
    for (const Body& b : tree.bodies())
      for (int k = 0; b.beam && k < b.beam->size(); ++k)
        distributed = distributed && std::abs(b.beam->weight()[k] - b.beam->mean()[k]) < 1e-12;
    if (distributed) {
      ASSERT_TRUE(std::abs(tree.potential_energy(f, gravity) - potential)
                  < 1e-10 * (1 + std::abs(potential)));
    }
  });
}

// Source of truth: the rate in a joint is the difference of the tangents' rates for a pin, the rate of the travel for a
// slider; its row is its gradient, and as wrenches on both sides it makes the same generalised force.
TEST(Joints, rates_and_rows) {
  for_random_models(6, [](Draw& draw, const Model& model) {
    const Tree& tree = *model.tree;
    const int n = tree.dof_count();
    std::vector<double> q, v;
    random_state(draw, tree, q, v);
    const Evaluated<double> moving(tree, q, v);
    Evaluated<double> still(tree, q, std::vector<double>(n, 0.0));
    for (int i = 0; i < tree.body_count(); ++i) {
      const Body& b = tree.body(i);
      if (b.free) continue;  // has no joint
      const VectorXd row = joint_row(tree, q, i);
      ASSERT_TRUE(std::abs(tree.joint_rate(moving.frames, i) - row.dot(map(v))) < 1e-11);
      const auto position = [&](double t) {
        std::vector<double> at = q;
        for (int k = 0; k < n; ++k) at[k] += t * v[k];
        return tree.joint_position(Evaluated<double>(tree, at, v).frames, at.data(), i);
      };  // linear in the coordinates
      ASSERT_TRUE(std::abs(position(1) - position(0) - row.dot(map(v))) < 1e-11);
      std::vector<double> found(n, 0.0);
      tree.add_joint_moment(i, 1.7, found.data());
      ASSERT_TRUE((map(found) - 1.7 * row).norm() < 1e-12);
      still.wrenches.clear();
      tree.add_joint_moment(still.frames, i, 1.7, still.wrenches);
      tree.reduce(still.frames, still.wrenches, found.data());
      ASSERT_TRUE((map(found) - 1.7 * row).norm() < 1e-10);
    }
  });
}

// Source of truth: central differences in q and v, h = 1e-5: truncation h² of third derivatives (below 1e5 of the size
// here), rounding 1e-16/h. The second derivative along the same line in the same way from first ones.
TEST(Joints, dual_numbers_differentiate_forward_dynamics) {
  for_random_models(4, [](Draw& draw, const Model& model) {
    const Tree& tree = *model.tree;
    const int n = tree.dof_count();
    if (n == 0) return;
    std::vector<double> q, v, dq(n), dv(n);
    random_state(draw, tree, q, v);
    for (int k = 0; k < n; ++k) {
      const double size = tree.dof_frequency(k) > 0 ? 0.02 : 1;
      dq[k] = draw.in(-size, size), dv[k] = draw.in(-size, size);
    }
    const auto accelerate = [&](auto t) {
      using T = decltype(t);
      std::vector<T> x(n), y(n), out(n);
      for (int k = 0; k < n; ++k) x[k] = T(q[k]) + t * dq[k], y[k] = T(v[k]) + t * dv[k];
      Evaluated<T> e(tree, x, y);
      for (int i = 0; i < tree.body_count(); ++i) {
        e.wrenches.force[i] = {T(0.3 * i), T(1)};
        e.wrenches.moment[i] = T(0.2);
      }
      for (T& f : e.wrenches.elastic) f = T(0.5);
      tree.forward_dynamics(e.frames, e.wrenches, e.factor, out.data());
      return out;
    };
    using D = Dual<double>;
    const double h = 1e-5;
    const std::vector<double> low = accelerate(-h), high = accelerate(h), here = accelerate(0.0);
    const std::vector<D> first = accelerate(D(0, 1)), first_low = accelerate(D(-h, 1)),
                         first_high = accelerate(D(h, 1));
    const std::vector<Dual<D>> both = accelerate(Dual<D>(D(0, 1), D(1, 0)));
    double size = 1, second_size = 1;
    for (int k = 0; k < n; ++k) {
      size = std::max({size, std::abs(here[k]), std::abs(first[k].d)});
      second_size = std::max(second_size, std::abs(both[k].d.d));
    }
    for (int k = 0; k < n; ++k) {
      ASSERT_TRUE(std::abs(first[k].v - here[k]) <= 1e-9 * size);
      ASSERT_TRUE(std::abs(first[k].d - (high[k] - low[k]) / (2 * h)) < 1e-4 * std::max(size, second_size));
      ASSERT_TRUE(std::abs(both[k].d.v - first[k].d) <= 1e-9 * size);
      ASSERT_TRUE(std::abs(both[k].d.d - (first_high[k].d - first_low[k].d) / (2 * h))
                  < 1e-2 * std::max(size, second_size));
    }
  });
}

}  // namespace
}  // namespace thud
