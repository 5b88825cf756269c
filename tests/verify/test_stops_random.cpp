// Random mechanisms with stops, ropes, one-way springs, struts and gears, some of them over a floor: whatever happens,
// energy is accounted for, no limit is passed, and no run fails.

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "../unit/contact_systems.hpp"

namespace thud {
namespace {

using namespace test;

class Maker {
 public:
  explicit Maker(unsigned seed) : rng_(seed) {}

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng_); }
  int whole(int a, int b) { return std::uniform_int_distribution<int>(a, b)(rng_); }
  bool coin(double p = 0.5) { return uniform(0, 1) < p; }

  void make() {
    const int count = whole(1, 4);
    for (int i = 0; i < count; ++i) add_link(i);
    system = std::make_unique<System>(Tree(bodies_), Vec{0, 9.81});
    const Tree& tree = system->tree();
    system->set_correlation(coin() ? uniform(0, 0.5) : 0.0);
    frames_.resize(tree);
    tree.kinematics(q.data(), v.data(), frames_);
    for (int i = 0; i < count; ++i)
      if (coin(0.7)) add_limit(i);
    if (coin(0.4)) add_rope(whole(0, count - 1));
    if (coin(0.3)) add_spring(whole(0, count - 1));
    if (coin(0.3)) add_strut(whole(0, count - 1));
    if (coin(0.4)) add_floor();
  }

  std::unique_ptr<System> system;
  std::vector<double> q, v;

 private:
  void add_link(int i) {
    Body b;
    const double l = uniform(0.2, 0.5), m = uniform(0.3, 2);
    b.name = "link" + std::to_string(i);
    b.parent = i == 0 ? -1 : i - 1;
    b.mass = m, b.inertia = m * l * l / 12, b.center = {l / 2, 0};
    if (i > 0) b.attach = {ends_.back(), 0};
    if (coin(0.25)) b.joint = Joint::slider(uniform(-1, 1), uniform(-1, 1));
    if (coin(0.3)) b.joint.inertia = uniform(0.01, 0.2);
    ends_.push_back(l);
    bodies_.push_back(b);
    q.push_back(b.joint.kind == JointKind::slider ? uniform(-0.1, 0.1) : uniform(-2, 2));
    v.push_back(uniform(-2, 2));
  }
  Attachment tip(int i) const {
    Attachment a;
    a.body = i;
    a.point = {ends_[i], 0};
    return a;
  }
  void add_limit(int i) {
    const Tree& tree = system->tree();
    const double now = tree.joint_position(frames_, q.data(), i);
    const bool turns = tree.joint_kind(i) == JointKind::pin, soft = coin(0.25);
    const double e = coin(0.3) ? 0 : uniform(0, 0.9);
    for (const int sense : {1, -1}) {
      if (coin(0.2)) continue;
      Contact c;
      c.name = bodies_[i].name + (sense > 0 ? ".min" : ".max");
      c.wall = facing::stop;
      c.a.body = i;
      c.sense = sense;
      c.turns = turns;
      c.limit = now - sense * (coin(0.15) ? 0 : uniform(0, turns ? 1 : 0.2));
      c.law.restitution = e;
      c.law.compliant = c.law.linear = soft;
      c.law.stiffness = std::pow(10, uniform(1, 4));
      c.law.damping = coin() ? 0 : uniform(0, 5);
      system->add_contact(c);
    }
  }
  void add_rope(int i) {
    Contact c;
    c.name = "rope";
    c.wall = facing::distance;
    c.sense = -1;
    c.a = {"tip", i, {ends_[i], 0}, 0};
    c.b.body = -1;
    const Vec at = frames_.position(i, c.a.point);
    c.anchor = {at.x + uniform(-0.5, 0.5), at.z - uniform(0.2, 0.6)};
    c.limit = norm(at - c.anchor) * uniform(1, 1.3);
    c.law.restitution = coin() ? 0 : uniform(0, 0.9);
    system->add_contact(c);
  }
  void add_spring(int i) {
    Spring s;
    s.label = "spring";
    s.from.world = {uniform(-1, 1), uniform(-1, 1)};
    s.to = tip(i);
    s.stiffness = std::pow(10, uniform(1, 3));
    s.rest = uniform(0.2, 1.2);
    s.preload = coin() ? uniform(-5, 5) : 0;
    s.one_way = whole(0, 2);
    system->add(s);
  }
  void add_strut(int i) {
    Strut s;
    s.label = "strut";
    const Vec at = frames_.position(i, {ends_[i], 0});
    s.from.world = {at.x + uniform(-0.3, 0.3), at.z + uniform(0.3, 0.6)};
    s.to = tip(i);
    s.plateau = uniform(5, 100);
    s.length = norm(at - s.from.world) * uniform(0.8, 1);
    s.stroke = s.length * uniform(0.1, 0.9);
    system->add_contact(s.companion());
    system->add(s);
  }
  void add_floor() {
    double lowest = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i)
      lowest = std::max(lowest, frames_.position(static_cast<int>(i), {ends_[i], 0}).z);
    system->add_wall({"floor", Plane::make({0, lowest + uniform(0.01, 0.2)}, 0)});
    for (std::size_t i = 0; i < ends_.size(); ++i)
      system->add_contact(against(
          0, {bodies_[i].name + ".tip", static_cast<int>(i), {ends_[i], 0}, 0},
          rough(coin() ? 0 : uniform(0, 0.6), coin() ? 0 : uniform(0, 0.8), RestitutionLaw::stronge)));
  }

  std::mt19937 rng_;
  std::vector<Body> bodies_;
  std::vector<double> ends_;
  Frames<double> frames_;
};

// Empty when all is well.
std::string play(unsigned seed) {
  Maker m(seed);
  m.make();
  Solver solver(*m.system);
  SolverOptions options;
  options.time_limit = 2;
  options.tolerance = 1e-11;
  options.max_steps = 400'000;
  const Outcome out = solver.run(m.q, m.v, {}, options);
  if (out.reason == StopReason::failed) return out.message;
  if (out.reason == StopReason::painleve) return out.message;
  if (!(std::abs(out.energy.residual) < 1e-8))
    return "residual " + std::to_string(1e9 * out.energy.residual) + "e-9";
  for (const ImpactRecord& r : out.impacts)
    if (r.result.gains()) return "gains energy at t = " + std::to_string(r.time);
  Work<double> work;
  m.system->prepare(work);
  std::vector<double> slope(m.system->state_size());
  m.system->evaluate(out.time, out.state.data(), out.mode, work, slope.data());
  for (std::size_t k = 0; k < work.of<ContactForce>().size(); ++k)
    if (!m.system->contacts()[k].law.compliant && work.of<ContactForce>()[k].gap < -1e-9)
      return m.system->contacts()[k].name + " is passed by "
           + std::to_string(-work.of<ContactForce>()[k].gap);
  return {};
}

// THUD_SCENES: how many.
TEST(StopsRandom, energy_is_accounted_for_and_nothing_is_passed) {
  const char* wanted = std::getenv("THUD_SCENES");
  const unsigned count = wanted ? static_cast<unsigned>(std::atoi(wanted)) : 200;
  int bad = 0;
  for (unsigned seed = 0; seed < count; ++seed)
    if (const std::string fault = play(seed); !fault.empty()) {
      ++bad;
      ADD_FAILURE() << "seed " << seed << ": " << fault;
    }
  EXPECT_EQ(bad, 0) << "of " << count;
}

}  // namespace
}  // namespace thud
