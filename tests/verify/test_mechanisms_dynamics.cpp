// Accelerations of random mechanisms of all joints, loops and elements, all through their runs.
// Source of truth: masses, forces and constraints written down from the coordinates alone, with exact derivatives by dual
// numbers, and one dense system of equations (KKT) for accelerations and reactions. What expressions of drives are worth is
// taken from the engine; tests of drives have that.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdlib>

#include "random_mechanisms.hpp"
#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"
#include "unit/joint_models.hpp"

namespace thud {
namespace {

using Vec3 = Eigen::Vector3d;

// A number that the coordinates give, with its row and the second derivative at v̇ = 0.
struct Measure {
  double value = 0;
  VectorXd row;
  double rate = 0, bias = 0;
};

template <class F>
Measure measure_of(const std::vector<double>& q, const std::vector<double>& v, F&& f) {
  const auto n = static_cast<Eigen::Index>(q.size());
  Measure out;
  out.row = VectorXd(n);
  for (std::size_t k = 0; k < q.size(); ++k) {
    std::vector<Dual<double>> moved(q.begin(), q.end());
    moved[k].d = 1;
    const Dual<double> x = f(moved);
    out.value = x.v;
    out.row[static_cast<Eigen::Index>(k)] = x.d;
    out.rate += x.d * v[k];
  }
  using DD = Dual<Dual<double>>;
  std::vector<DD> path(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) path[k] = DD{{q[k], v[k]}, {v[k], 0.0}};
  out.bias = f(path).d.d;
  return out;
}

class Brute {
 public:
  Brute(const System& system, double t, const double* y, const Mode& mode)
      : system_(system),
        tree_(system.tree()),
        mode_(mode),
        n_(tree_.dof_count()),
        q_(y, y + n_),
        v_(y + n_, y + 2 * n_),
        mass_(MatrixXd::Zero(n_, n_)),
        force_(VectorXd::Zero(n_)) {
    system.prepare(work_);
    evaluate(t, y);
    stop_drift();
    std::vector<double> clean(y, y + system.state_size());
    std::copy(v_.begin(), v_.end(), clean.begin() + n_);
    evaluate(t, clean.data());
  }

  /// Greatest difference to the engine's, in parts of the greatest acceleration and of what rounding does to it.
  double difference() {
    add_all();
    const auto m = static_cast<Eigen::Index>(held_.size());
    MatrixXd kkt = MatrixXd::Zero(n_ + m, n_ + m);
    VectorXd right(n_ + m);
    kkt.topLeftCorner(n_, n_) = mass_;
    right.head(n_) = force_;
    for (Eigen::Index k = 0; k < m; ++k) {
      kkt.block(0, n_ + k, n_, 1) = -held_[static_cast<std::size_t>(k)].row;
      kkt.block(n_ + k, 0, 1, n_) = held_[static_cast<std::size_t>(k)].row.transpose();
      right[n_ + k] = -held_[static_cast<std::size_t>(k)].bias;
    }
    // Redundant reactions have no answer of their own, accelerations have.
    const VectorXd found = kkt.completeOrthogonalDecomposition().solve(right);
    const VectorXd engine = Eigen::Map<const VectorXd>(work_.acceleration.data(), n_);
    double size = 1;
    for (int i = 0; i < n_; ++i) size = std::max({size, std::abs(found[i]), v_[i] * v_[i]});
    return (found.head(n_) - engine).cwiseAbs().maxCoeff() / size / std::max(1.0, condition(kkt) / usual);
  }

 private:
  void evaluate(double t, const double* y) {
    std::vector<double> slope(static_cast<std::size_t>(system_.state_size()));
    system_.evaluate(t, y, mode_, work_, slope.data());
  }
  void add_all() {
    mass_.setZero();
    force_.setZero();
    held_.clear();
    add_masses();
    add_ties();
    add_joints();
    add_drives();
    add_loops();
    add_contacts();
  }
  // What is held stands still only to the tolerance of the run; the engine takes it for still.
  void stop_drift() {
    add_all();
    MatrixXd rows(static_cast<Eigen::Index>(held_.size()), n_);
    VectorXd rates(rows.rows());
    for (Eigen::Index k = 0; k < rows.rows(); ++k) {
      rows.row(k) = held_[static_cast<std::size_t>(k)].row.transpose();
      rates[k] = held_[static_cast<std::size_t>(k)].rate;
    }
    if (held_.empty()) return;
    const VectorXd drift = rows.completeOrthogonalDecomposition().solve(rates);
    ASSERT_LT(drift.cwiseAbs().maxCoeff(), 1e-5);
    for (int i = 0; i < n_; ++i) v_[i] -= drift[i];
  }

  static constexpr double usual =
      1e5;  // condition beyond which rounding alone is more than 1e-10: a toggle position is near
  static double condition(MatrixXd kkt) {
    for (int pass = 0; pass < 3; ++pass)  // as well scaled as it can be
      for (Eigen::Index k = 0; k < kkt.rows(); ++k) {
        const double most = std::sqrt(kkt.row(k).cwiseAbs().maxCoeff());
        if (most > 0) kkt.row(k) /= most, kkt.col(k) /= most;
      }
    const VectorXd singular = kkt.jacobiSvd().singularValues();
    double least = singular[0];
    for (const double s : singular)
      if (s > 1e-13 * singular[0]) least = s;  // redundant rows have none
    return singular[0] / least;
  }

  // ---- what the coordinates give ----
  template <class T>
  T in_joint(const std::vector<T>& q, int body) const {
    const Body& b = tree_.body(body);
    if (b.joint.kind == JointKind::slider) return q[tree_.joint_dof(body)];
    const T own = frame_of(tree_, q, body).angle;
    return b.parent >= 0 ? own - frame_of(tree_, q, b.parent).angle : own;
  }
  template <class T>
  Pose<T> place(const std::vector<T>& q, int body, BodyPoint at, Vec world) const {
    if (body < 0) return {T(world.x), T(world.z), T(0)};
    return pose_of(tree_, q, make_point(tree_, body, at));
  }
  Measure joint(int body) const {
    return measure_of(q_, v_, [&](const auto& q) { return in_joint(q, body); });
  }
  Measure distance(int a, BodyPoint pa, Vec wa, int b, BodyPoint pb, Vec wb) const {
    return measure_of(q_, v_, [&](const auto& q) {
      using std::sqrt;
      const auto x = place(q, a, pa, wa), z = place(q, b, pb, wb);
      return sqrt((x.x - z.x) * (x.x - z.x) + (x.z - z.z) * (x.z - z.z));
    });
  }
  Measure distance(const Attachment& a, const Attachment& b) const {
    return distance(a.body, a.point, a.world, b.body, b.point, b.world);
  }

  // What has only begun to slip has no rate to go by.
  static bool slips(std::int8_t state, double rate) {
    return slip::is_slipping(state) && std::abs(rate) > 1e-8;
  }

  // ---- masses and forces ----
  void add_masses() {
    const std::vector<double> still(q_.size(), 0.0);
    for (int i = 0; i < tree_.body_count(); ++i) {
      const Body& b = tree_.body(i);
      const Point center = make_point(tree_, i, b.center);
      const MatrixXd j = jacobian_of(tree_, q_, center);
      const Vec3 turning = second_of(tree_, q_, v_, still, center);
      const Vec3 inertia{b.mass, b.mass, b.inertia};
      mass_ += j.transpose() * inertia.asDiagonal() * j;
      const Vec3 weight{b.mass * system_.gravity().x, b.mass * system_.gravity().z, 0};
      force_ += j.transpose() * (weight - inertia.cwiseProduct(turning));
      if (b.free || !(b.joint.inertia > 0)) continue;
      const Measure m = joint(i);
      mass_ += b.joint.inertia * m.row * m.row.transpose();
      force_ -= b.joint.inertia * m.bias * m.row;
    }
  }
  void add_ties() {
    for (const Spring& s : system_.of<Spring>()) {
      const Measure l = distance(s.from, s.to);
      force_ -= (s.stiffness * (l.value - s.rest) + s.damping * l.rate) * l.row;
    }
    for (const Damper& d : system_.of<Damper>()) {
      const Measure l = distance(d.from, d.to);
      force_ -= d.damping * l.rate * l.row;
    }
    for (std::size_t k = 0; k < system_.of<Strut>().size(); ++k) {
      const Strut& s = system_.of<Strut>()[k];
      const StrutMode& m = mode_.of<Strut>()[k];
      if (m.phase != StrutMode::firm) continue;
      const Measure l = distance(s.from, s.to);
      if (m.slip == slip::stuck)
        held_.push_back(l);
      else if (slips(m.slip, l.rate) ? l.rate < 0 : m.slip < 0)
        force_ += s.plateau * l.row;
    }
  }
  void add_joints() {
    for (const JointSpring& s : system_.of<JointSpring>()) {
      const Measure m = joint(s.body);
      force_ -= s.stiffness * (m.value - s.rest) * m.row;
    }
    for (const JointDamping& d : system_.of<JointDamping>()) {
      const Measure m = joint(d.body);
      force_ -= d.coefficient * m.rate * m.row;
    }
    for (std::size_t k = 0; k < system_.of<JointFriction>().size(); ++k) {
      const JointFriction& f = system_.of<JointFriction>()[k];
      const std::int8_t state = mode_.of<JointFriction>()[k].slip;
      const Measure m = joint(f.body);
      if (state == slip::stuck)
        held_.push_back(m);
      else if (state != slip::idle)  // idle: others hold it
        force_ += ((slips(state, m.rate) ? m.rate > 0 : state > 0) ? -f.positive : f.negative) * m.row;
    }
  }
  void add_drives() {
    for (std::size_t k = 0; k < system_.of<JointTorque>().size(); ++k)
      force_ += work_.of<JointTorque>()[k].moment * joint(system_.of<JointTorque>()[k].body).row;
    for (std::size_t k = 0; k < system_.of<PointForce>().size(); ++k) {
      const PointForce& f = system_.of<PointForce>()[k];
      const MatrixXd j = jacobian_of(tree_, q_, make_point(tree_, f.at.body, f.at.point));
      const Vec push = work_.of<PointForce>()[k].force;
      force_ += j.transpose() * Vec3{push.x, push.z, 0};
    }
  }
  void add_loops() {
    for (const Loop& l : system_.of<Loop>())
      for (const bool vertical : {false, true})
        held_.push_back(measure_of(q_, v_, [&](const auto& q) {
          const auto a = place(q, l.a.body, l.a.point, l.a.world),
                     b = place(q, l.b.body, l.b.point, l.b.world);
          return vertical ? a.z - b.z : a.x - b.x;
        }));
  }
  void add_contacts() {
    for (std::size_t k = 0; k < system_.contacts().size(); ++k) {
      const ContactForce& c = system_.contacts()[k];
      const ContactMode& m = mode_.of<ContactForce>()[k];
      if (m.touch == Touch::open || m.touch == Touch::slack) continue;
      if (m.touch == Touch::closed && m.normal == slip::idle) continue;  // others keep it closed
      const Measure x = c.wall == facing::stop
                          ? joint(c.a.body)
                          : distance(c.a.body, c.a.point, {}, c.b.body, c.b.point, c.anchor);
      if (m.touch == Touch::closed)
        held_.push_back(x);
      else  // soft
        force_ += c.sense
                * (-c.law.stiffness * c.sense * (x.value - c.limit) - c.law.damping * c.sense * x.rate)
                * x.row;
    }
  }

  const System& system_;
  const Tree& tree_;
  const Mode& mode_;
  int n_;
  std::vector<double> q_, v_;
  Work<double> work_;
  MatrixXd mass_;
  VectorXd force_;
  std::vector<Measure> held_;
};

class Comparer : public StepObserver {
 public:
  explicit Comparer(const System& system)
      : system_(system),
        y_(static_cast<std::size_t>(system.state_size())) {}

  void on_step(StepView& step) override {
    if (steps_++ % 5 != 0) return;
    const double t = 0.5 * (step.begin() + step.end());
    step.state(t, y_.data());
    Brute brute(system_, t, y_.data(), step.mode());
    const double off = brute.difference();
    ++compared;
    if (off > worst) worst = off, at = t;
  }
  double worst = 0, at = 0;
  long compared = 0;

 private:
  const System& system_;
  std::vector<double> y_;
  long steps_ = 0;
};

TEST(RandomMechanisms, move_as_the_equations_say) {
  const char* wanted = std::getenv("THUD_MECHANISMS");
  const int count = wanted ? std::atoi(wanted) : 150;
  double worst = 0;
  long compared = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const std::string text = MechanismMaker(static_cast<unsigned>(seed)).make();
    try {
      const Scenario s = parse_scenario(text, "random.toml", {});
      Comparer comparer(*s.system);
      RunRequest request;
      request.observer = &comparer;
      (void)run(s, request);
      EXPECT_LT(comparer.worst, 1e-10) << "seed " << seed << " at t = " << comparer.at;
      worst = std::max(worst, comparer.worst);
      compared += comparer.compared;
    } catch (const InputError&) {  // the other test has that
    }
  }
  EXPECT_GT(compared, count);
  std::printf("%ld states of %d mechanisms compared, worst difference %.1e\n", compared, count, worst);
}

}  // namespace
}  // namespace thud
