// Many held rows by a sweep over the bodies, against dense algebra.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "thud/mechanics/held.hpp"

namespace thud {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Draw {
  std::mt19937 engine;
  double real(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine); }
  int whole(int a, int b) { return std::uniform_int_distribution<int>(a, b)(engine); }
};

Tree random_tree(Draw& draw, int bodies) {
  std::vector<Body> list;
  for (int i = 0; i < bodies; ++i) {
    Body b;
    b.name = "b" + std::to_string(i);
    b.parent = i == 0 ? -1 : draw.whole(std::max(0, i - 3), i - 1);
    b.free = i == 0 && draw.whole(0, 1) == 1;
    b.attach = {draw.real(-1, 1), draw.real(-0.2, 0.2)};
    b.mass = std::exp(draw.real(-2, 2));
    b.center = {draw.real(-0.5, 0.5), draw.real(-0.2, 0.2)};
    b.inertia = b.mass * draw.real(0.02, 0.2);
    list.push_back(b);
  }
  return Tree(list);
}

struct Case {
  Tree tree;
  Frames<double> frames;
  std::vector<HeldRow<double>> rows;
  Matrix jacobian, mass;
  Vector vdot;
};

// The row of the Jacobian that a held row stands for.
Vector generalised(const Tree& tree, const Frames<double>& frames, const HeldRow<double>& row) {
  Vector out = Vector::Zero(tree.dof_count());
  if (row.joint) {
    tree.add_joint_moment(row.body, 1.0, out.data());
    return out;
  }
  tree.add_point_force(frames, row.body, Vec{}, row.move, out.data());
  tree.add_moment(row.body, row.turn, out.data());
  return out;
}

Case make_case(unsigned seed, int bodies, int rows, bool twice) {
  Draw draw{std::mt19937(seed)};
  Case c{random_tree(draw, bodies), {}, {}, {}, {}, {}};
  const int n = c.tree.dof_count();
  std::vector<double> q(n), v(n);
  for (double& x : q) x = draw.real(-3, 3);
  for (double& x : v) x = draw.real(-3, 3);
  c.frames.resize(c.tree);
  c.tree.kinematics(q.data(), v.data(), c.frames);
  MassFactor<double> factor;
  c.tree.prepare(factor);
  c.tree.factor(c.frames, factor);
  c.mass = Matrix::Identity(n, n);
  for (int i = 0; i < n; ++i) c.tree.multiply(factor, c.mass.col(i).data());
  for (int k = 0; k < rows; ++k) {
    HeldRow<double> r;
    r.body = draw.whole(0, bodies - 1);
    r.joint = draw.whole(0, 2) == 0 && !(r.body == 0 && c.tree.body(0).free);
    r.turn = draw.real(-1, 1);
    if (draw.whole(0, 3) > 0) r.move = {draw.real(-1, 1), draw.real(-1, 1)};
    r.weight = std::exp(draw.real(-2, 2));
    c.rows.push_back(r);
    if (twice && k == 0) {  // the same once more, with another strength
      r.weight *= 3;
      c.rows.push_back(r);
    }
  }
  c.jacobian.resize(static_cast<long>(c.rows.size()), n);
  for (std::size_t k = 0; k < c.rows.size(); ++k)
    c.jacobian.row(static_cast<long>(k)) = generalised(c.tree, c.frames, c.rows[k]);
  c.vdot = Vector::NullaryExpr(n, [&] { return draw.real(-5, 5); });
  const Vector possible = c.jacobian * Vector::NullaryExpr(n, [&] { return draw.real(-5, 5); });
  for (std::size_t k = 0; k < c.rows.size(); ++k) c.rows[k].wanted = possible[static_cast<long>(k)];
  return c;
}

// M (v̇' − v̇) = Jᵀ λ and J v̇' = wanted; of dependent rows the forces of least Σ (λ/weight)².
// False: nearly dependent rows were not solved, and said so.
bool check(unsigned seed, int bodies, int rows, bool twice) {
  Case c = make_case(seed, bodies, rows, twice);
  HeldSweep<double> sweep;
  sweep.prepare(c.tree);
  Vector after = c.vdot;
  if (!sweep.solve(c.frames, c.rows, after.data())) {
    EXPECT_EQ(after, c.vdot) << seed;
    return false;
  }
  const long k = c.jacobian.rows();
  Vector force(k), wanted(k), weight(k);
  for (long a = 0; a < k; ++a) {
    force[a] = c.rows[a].force;
    wanted[a] = c.rows[a].wanted;
    weight[a] = c.rows[a].weight;
  }
  const Matrix scaled = weight.asDiagonal() * c.jacobian;
  const Matrix gram = scaled * c.mass.ldlt().solve(scaled.transpose());
  const Vector missing = weight.asDiagonal() * (wanted - c.jacobian * c.vdot);
  Eigen::CompleteOrthogonalDecomposition<Matrix> least;
  least.setThreshold(1e-11);
  const Vector exact = weight.asDiagonal() * least.compute(gram).solve(missing);
  const Vector moved = c.vdot + c.mass.ldlt().solve(c.jacobian.transpose() * exact);
  EXPECT_LT((after - moved).norm(), 1e-9 * (1 + moved.norm())) << seed;
  EXPECT_LT((c.jacobian * after - wanted).norm(), 1e-10 * (1 + wanted.norm())) << seed;
  EXPECT_LT((force - exact).norm(), 1e-6 * (1 + exact.norm())) << seed;  // dependent rows: by rounding over ε
  return true;
}

int count_solved(unsigned seeds, int bodies, int rows, bool twice) {
  int solved = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) solved += check(seed, bodies, rows, twice);
  return solved;
}

TEST(HeldSweep, is_dense_algebra) { EXPECT_GE(count_solved(400, 8, 4, false), 390); }

TEST(HeldSweep, dependent_rows_share_by_their_strength) { EXPECT_GE(count_solved(200, 6, 2, true), 195); }

TEST(HeldSweep, many_bodies) { EXPECT_GE(count_solved(40, 40, 12, false), 32); }

TEST(HeldSweep, what_cannot_be_met_is_told) {
  Case c = make_case(3, 4, 1, false);
  c.rows.push_back(c.rows[0]);
  c.rows[1].wanted += 1;  // two values of the same row
  HeldSweep<double> sweep;
  sweep.prepare(c.tree);
  Vector after = c.vdot;
  EXPECT_FALSE(sweep.solve(c.frames, c.rows, after.data()));
  EXPECT_EQ(after, c.vdot);
}

}  // namespace
}  // namespace thud
