// Loops and prescribed motions as constraints of a system.
// Sources of truth: dense KKT equations with the masses of joint_models.hpp, gaps written down from the coordinates, their
// first and second derivatives by dual numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "joint_models.hpp"
#include "thud/dynamics/system.hpp"
#include "thud/event/solver.hpp"

namespace thud {
namespace {

// The gap of a condition, from the coordinates alone.
template <class T>
T gap_of(const Tree& tree, const Loop& l, int sub, const std::vector<T>& q) {
  using std::cos, std::sin;
  const auto turn_in_joint = [&](int body) {
    const Body& b = tree.body(body);
    if (b.joint.kind == JointKind::slider) return q[tree.joint_dof(body)];
    T turn = frame_of(tree, q, body).angle;
    if (b.parent >= 0) turn -= pose_of(tree, q, make_point(tree, b.parent, b.attach)).angle;
    return turn;
  };
  if (l.kind == Loop::gear) return turn_in_joint(l.joint_b) - l.ratio * turn_in_joint(l.joint_a);
  const auto place = [&](const Attachment& at, bool of_frame) {
    if (at.body < 0) return Pose<T>{T(at.world.x), T(at.world.z), T(0)};
    return pose_of(tree, q,
                   of_frame ? Point{at.body, at.point, {}, {}} : make_point(tree, at.body, at.point));
  };
  const Pose<T> a = place(l.a, false), b = place(l.b, l.kind == Loop::line);
  if (l.kind == Loop::pin) return sub == 0 ? a.x - b.x : a.z - b.z;
  const T line = b.angle + l.direction;  // its direction is (sin, cos), across it (cos, −sin)
  return (a.x - b.x) * cos(line) - (a.z - b.z) * sin(line);
}

struct Dense {
  MatrixXd rows;
  VectorXd bias;
};

Dense dense_rows(const Tree& tree, const std::vector<Loop>& loops, const std::vector<double>& q,
                 const std::vector<double>& v) {
  using D = Dual<double>;
  const int n = tree.dof_count();
  Dense out{MatrixXd(0, n), VectorXd(0)};
  for (const Loop& l : loops)
    for (int sub = 0; sub < l.constraint_count(); ++sub) {
      const auto k = out.rows.rows();
      out.rows.conservativeResize(k + 1, n);
      out.bias.conservativeResize(k + 1);
      for (int i = 0; i < n; ++i) {
        std::vector<D> moved(q.begin(), q.end());
        moved[i].d = 1;
        out.rows(k, i) = gap_of(tree, l, sub, moved).d;
      }
      std::vector<Dual<D>> path(q.size());
      for (std::size_t i = 0; i < q.size(); ++i) path[i] = Dual<D>{{q[i], v[i]}, {v[i], 0.0}};
      out.bias[k] = gap_of(tree, l, sub, path).d.d;
    }
  return out;
}

Attachment random_place(Draw& draw, const Tree& tree, int body) {
  Attachment at;
  at.body = body;
  if (body < 0) {
    at.world = {draw.in(-1, 1), draw.in(-1, 1)};
    return at;
  }
  at.name = tree.body(body).name;
  const ElasticBeam* beam = tree.body(body).beam.get();
  at.point = beam ? BodyPoint{beam->start() + draw.in(0, 1) * beam->length(), 0}
                  : BodyPoint{draw.in(-0.5, 0.5), draw.in(-0.3, 0.3)};
  return at;
}

Loop random_loop(Draw& draw, const Tree& tree) {
  Loop l;
  l.label = "loop";
  l.kind = draw.integer(0, tree.has_beams() ? 1 : 2);
  std::vector<int> moving;
  for (int i = 0; i < tree.body_count(); ++i)
    if (!tree.body(i).free && tree.joint_kind(i) != JointKind::weld) moving.push_back(i);
  if (moving.size() < 2 && l.kind == Loop::gear) l.kind = Loop::pin;
  if (l.kind == Loop::gear) {
    const int first = draw.integer(0, static_cast<int>(moving.size()) - 1);
    const int other = draw.integer(1, static_cast<int>(moving.size()) - 1);
    l.joint_a = moving[first];
    l.joint_b = moving[(first + other) % moving.size()];
    l.ratio = draw.in(-4, 4);
    return l;
  }
  const int first = draw.integer(0, tree.body_count() - 1);
  int second = draw.integer(-1, tree.body_count() - 1);
  if (second == first) second = -1;
  l.a = random_place(draw, tree, first);
  l.b = random_place(draw, tree, second);
  l.direction = draw.in(-3, 3);
  return l;
}

// M (v̇ − v̇₀) = Jᵀλ, J v̇ = −J̇v; v̇₀ without loops.
TEST(Loops, random_mechanisms_accelerate_as_the_dense_equations_say) {
  int checked = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Draw draw(seed);
    const Model model = random_model(draw, draw.integer(2, 6), seed % 3 == 2 ? 0.5 : 0);
    const Tree& tree = *model.tree;
    const int n = tree.dof_count();
    if (n == 0) continue;
    System open(tree, {0, 9.81}), closed(tree, {0, 9.81});
    std::vector<Loop> loops;
    for (int k = draw.integer(1, 3); k > 0; --k) loops.push_back(random_loop(draw, tree));
    for (const Loop& l : loops) closed.add(l);
    std::vector<double> q, v;
    random_state(draw, tree, q, v);
    const Dense dense = dense_rows(tree, loops, q, v);
    const MatrixXd mass = brute_force(model, q, v).mass;
    const MatrixXd gram = dense.rows * mass.ldlt().solve(dense.rows.transpose());
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
    const VectorXd size = eigen.eigenvalues();
    const double least = 1e-5 * std::max(size[size.size() - 1], 1 / tree.total_mass());
    if (!(size[0] > least)) continue;  // nearly dependent, or not to be moved: the digits are not there
    const auto evaluate = [&](const System& s, Work<double>& work) {
      s.prepare(work);
      std::vector<double> y(s.state_size()), slope(s.state_size());
      std::copy(q.begin(), q.end(), y.begin());
      std::copy(v.begin(), v.end(), y.begin() + n);
      s.evaluate(0, y.data(), s.make_mode(), work, slope.data());
      return map(std::vector<double>(slope.begin() + n, slope.begin() + 2 * n));
    };
    Work<double> without, with;
    const VectorXd free = evaluate(open, without), found = evaluate(closed, with);
    const VectorXd lambda = gram.ldlt().solve(-(dense.rows * free + dense.bias));
    const VectorXd expected = free + mass.ldlt().solve(dense.rows.transpose() * lambda);
    const double scale = expected.lpNorm<Eigen::Infinity>() + free.lpNorm<Eigen::Infinity>();
    EXPECT_LT((found - expected).lpNorm<Eigen::Infinity>(), 1e-10 * scale);
    for (Eigen::Index c = 0; c < lambda.size(); ++c)
      EXPECT_NEAR(with.constrained.force[c], lambda[c], 1e-9 * lambda.lpNorm<Eigen::Infinity>());
    // Gaps and their rates, as the run keeps them at zero.
    std::size_t at = 0;
    for (const Loop& l : loops)
      for (int sub = 0; sub < l.constraint_count(); ++sub, ++at) {
        const SwitchRef c = closed.constraints()[at];
        EXPECT_NEAR(closed.constraint_gap(c, 0, q.data(), with.frames), gap_of(tree, l, sub, q), 1e-12);
        EXPECT_NEAR(closed.constraint_rate(c, 0, with.frames),
                    dense.rows.row(static_cast<Eigen::Index>(at)).dot(map(v)),
                    1e-11 * (1 + map(v).norm()) * 10);
      }
    ++checked;
  }
  EXPECT_GT(checked, 300);
}

// A rod between two pins: along itself it can be held by either, and neither equation may blow up.
TEST(Loops, hold_what_cannot_move) {
  Body b;
  b.name = "rod", b.mass = 2, b.center = {0.5, 0}, b.inertia = 0.1;
  System s(Tree({b}), {0, 9.81});
  Loop l;
  l.label = "end", l.a = {"rod.tip", 0, {1, 0}, {}}, l.b = {"", -1, {}, {1, 0}};
  s.add(l);
  Work<double> work;
  s.prepare(work);
  std::vector<double> y = {std::acos(-1) / 2, 0}, slope(y.size());
  s.evaluate(0, y.data(), s.make_mode(), work, slope.data());
  EXPECT_THAT(work.constrained.kept, ::testing::ElementsAre(0, 1));
  EXPECT_NEAR(slope[1], 0, 1e-14);
  EXPECT_EQ(work.of<Loop>()[0].force[0], 0);
  EXPECT_NEAR(work.of<Loop>()[0].force[1], -9.81, 1e-12);
}

// With duals the same code gives derivatives of the constrained accelerations: those of small differences.
TEST(Loops, derivatives_go_through_them) {
  Draw draw(7);
  const Model model = random_model(draw, 4, 0);
  System s(*model.tree, {0, 9.81});
  Loop l;
  l.kind = Loop::line;
  l.a = random_place(draw, *model.tree, 2);
  l.b = random_place(draw, *model.tree, 0);
  l.direction = 0.4;
  s.add(l);
  const int n = s.dof_count();
  std::vector<double> q, v;
  random_state(draw, *model.tree, q, v);
  const auto accelerations = [&]<class T>(std::vector<T> at) {
    Work<T> work;
    s.prepare(work);
    std::vector<T> y(at), slope(s.state_size());
    y.resize(s.state_size());
    for (int i = 0; i < n; ++i) y[n + i] = T(v[i]);
    s.evaluate(0, y.data(), s.make_mode(), work, slope.data());
    return std::vector<T>(slope.begin() + n, slope.begin() + 2 * n);
  };
  for (int j = 0; j < n; ++j) {
    std::vector<Dual<double>> moved(q.begin(), q.end());
    moved[j].d = 1;
    const auto exact = accelerations(moved);
    const double h = 1e-5;
    auto up = q, down = q;
    up[j] += h, down[j] -= h;
    const auto more = accelerations(up), less = accelerations(down);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(exact[i].d, (more[i] - less[i]) / (2 * h), 1e-5 * (1 + std::abs(exact[i].d))) << i << j;
  }
}

// Two pins at the same place: the second follows from the first, and takes no force.
TEST(Loops, redundant_ones_take_no_force) {
  Body b;
  b.name = "rod", b.mass = 2, b.center = {0.5, 0}, b.inertia = 0.1;
  Body c = b;
  c.name = "strut", c.anchor = {1, 0};
  System s(Tree({b, c}), {0, 9.81});
  Loop l;
  l.label = "first", l.a = {"rod.tip", 0, {1, 0}, {}}, l.b = {"strut.tip", 1, {1, 0}, {}};
  s.add(l);
  l.label = "again";
  s.add(l);
  const double q = std::asin(0.5);
  Work<double> work;
  s.prepare(work);
  std::vector<double> y = {q, -q, 0, 0}, slope(y.size());
  s.evaluate(0, y.data(), s.make_mode(), work, slope.data());
  EXPECT_THAT(work.constrained.kept, ::testing::ElementsAre(1, 1, 0, 0));
  EXPECT_NEAR(slope[2], 0, 1e-14);  // a rigid triangle
  EXPECT_NEAR(slope[3], 0, 1e-14);
  // Each rod carries half its weight at the top; sideways, about its foot: F h = m g/2 · w/2.
  EXPECT_NEAR(work.of<Loop>()[0].force[1], 0, 1e-12);
  EXPECT_NEAR(std::abs(work.of<Loop>()[0].force[0]), 2 * 9.81 * 0.25 / std::cos(q), 1e-12);
  EXPECT_EQ(work.of<Loop>()[1].force[0], 0);
}

}  // namespace
}  // namespace thud
