// Random impacts of rigid and elastic bodies at one to four contacts. Source of truth: the kinetic energy of the tree
// before and after, which knows nothing of impact laws.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../unit/contact_systems.hpp"

namespace thud {
namespace {

using namespace test;

// Bodies at a random pose, with walls laid against random points of them: everything touches at t = 0.
class Maker {
 public:
  explicit Maker(unsigned seed) : rng_(seed) {}

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng_); }
  int whole(int a, int b) { return std::uniform_int_distribution<int>(a, b)(rng_); }

  void make(RestitutionLaw law, int contacts) {
    const int trees = whole(1, 2);
    for (int i = 0; i < trees; ++i) add_tree();
    system = std::make_unique<System>(Tree(bodies_), Vec{0, 0});
    const int n = system->dof_count();
    for (int i = 0; i < n; ++i) {
      const double frequency = system->tree().dof_frequency(i);
      q.push_back(frequency > 0 ? 0 : uniform(-1, 1));
      v.push_back(frequency > 0 ? uniform(-0.1, 0.1) : uniform(-1, 1));
    }
    Frames<double> frames;
    frames.resize(system->tree());
    system->tree().kinematics(q.data(), v.data(), frames);
    system->set_correlation(whole(0, 2) ? uniform(0, 0.9) : 0.0);
    for (int k = 0; k < contacts; ++k) {
      Feature f;
      f.body = whole(0, system->tree().body_count() - 1);
      f.name = "f" + std::to_string(k);
      const Body& b = system->tree().body(f.body);
      f.point = b.beam ? BodyPoint{uniform(b.beam->start(), b.beam->end()), 0}
                       : BodyPoint{uniform(-0.3, 0.3), uniform(-0.2, 0.2)};
      f.radius = whole(0, 1) ? uniform(0, 0.1) : 0.0;
      Plane plane = Plane::make({0, 0}, uniform(-3, 3));
      plane.point = frames.position(f.body, f.point) + f.radius * plane.normal;
      const int wall = system->add_wall({"w", plane});
      system->add_contact(against(wall, f, rough(whole(0, 4) ? uniform(0, 1.5) : 0.0, uniform(0, 1), law)));
    }
  }

  std::unique_ptr<System> system;
  std::vector<double> q, v;

 private:
  void add_tree() {
    const int links = whole(1, 3), first = static_cast<int>(bodies_.size());
    const bool free = whole(0, 2) > 0;
    for (int k = 0; k < links; ++k) {
      Body b = whole(0, 1) ? elastic(k == 0 && free) : rigid();
      b.name = "b" + std::to_string(bodies_.size());
      b.free = k == 0 && free;
      if (k > 0) {
        b.parent = first + k - 1;
        const ElasticBeam* beam = bodies_.back().beam.get();
        b.attach = {beam ? beam->end() : 0.3, 0};
      }
      if (b.free) {  // the origin of a free body is its mass centre
        if (!b.beam) b.center = {};
      }
      bodies_.push_back(b);
    }
  }
  Body rigid() {
    Body b;
    b.mass = uniform(0.2, 3);
    b.center = {uniform(0, 0.3), uniform(-0.1, 0.1)};
    b.inertia = b.mass * uniform(0.002, 0.05);
    return b;
  }
  Body elastic(bool free) {
    BeamData d;
    d.length = uniform(0.2, 0.6);
    d.mass_per_length = uniform(0.3, 3);
    d.rigidity = uniform(1, 50);
    const double start = free ? -d.length / 2 : 0;
    auto beam = std::make_shared<ElasticBeam>(
        make_mode_basis(free ? Support::free : Support::pinned, d, whole(1, 6)), start);
    Body b;
    b.mass = d.mass_per_length * d.length;
    b.center = {start + d.length / 2, 0};
    b.inertia = b.mass * d.length * d.length / 12;
    b.beam = std::move(beam);
    return b;
  }

  std::mt19937 rng_;
  std::vector<Body> bodies_;
};

Outcome strike(const Maker& m) {
  Solver solver(*m.system);
  SolverOptions options;
  options.time_limit = 1e-12;
  options.stop_at_rest = false;
  return solver.run(m.q, m.v, {}, options);
}

// ½ (v⁻ + v⁺)·p of the contacts against the kinetic energy of the whole tree.
void check(const ImpactRecord& r, unsigned seed) {
  ASSERT_TRUE(r.result.solved) << seed;
  const double size = std::max(r.energy_before, r.energy_after);
  // Impulses may be far larger than what they change, where W is nearly singular.
  double terms = size;
  const int n = 2 * r.problem.count;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      terms += std::abs(r.result.impulse[i] * r.problem.matrix[i * n + j] * r.result.impulse[j]);
  ASSERT_NEAR(r.result.energy_change, r.energy_after - r.energy_before, 1e-11 * terms)
      << seed << " " << r.result.name << " " << r.result.note;
  for (int i = 0; i < r.problem.count; ++i) {
    ASSERT_GE(r.result.velocity[2 * i + 1], -1e-9) << seed;
    ASSERT_GE(r.result.impulse[2 * i + 1], -1e-12 * size) << seed;
    ASSERT_LE(std::abs(r.result.impulse[2 * i]),
              r.problem.friction[i] * r.result.impulse[2 * i + 1] + 1e-9 * size)
        << seed;
  }
}

TEST(RandomImpacts, poisson_stronge_and_correlation_never_gain) {
  long impacts = 0, several = 0, elastic = 0;
  for (unsigned seed = 1; impacts < 21'000; ++seed) {
    Maker m(seed);
    m.make(seed % 2 ? RestitutionLaw::poisson : RestitutionLaw::stronge, 1 + static_cast<int>(seed % 4));
    const Outcome out = strike(m);
    for (const ImpactRecord& r : out.impacts) {
      if (r.time > 0) continue;
      check(r, seed);
      if (HasFatalFailure()) return;
      ASSERT_LE(r.energy_after, r.energy_before * (1 + 1e-11)) << seed;
      ++impacts;
      several += r.problem.count > 1;
      elastic += m.system->tree().has_beams();
    }
  }
  EXPECT_GT(several, 8'000);
  EXPECT_GT(elastic, 8'000);
}

TEST(RandomImpacts, newton_gains_and_says_so) {
  int gains = 0, impacts = 0;
  for (unsigned seed = 1; seed < 6'000; ++seed) {
    Maker m(seed);
    m.make(RestitutionLaw::newton, 1);
    const Outcome out = strike(m);
    for (const ImpactRecord& r : out.impacts) {
      if (r.time > 0) continue;
      check(r, seed);
      if (HasFatalFailure()) return;
      ++impacts;
      const bool gained = r.energy_after > r.energy_before * (1 + 1e-9);
      gains += gained;
      if (gained) {
        EXPECT_TRUE(r.result.gains()) << seed;
        EXPECT_NE(r.result.note.find("gains energy"), std::string::npos) << r.result.note;
      }
    }
  }
  EXPECT_GT(impacts, 2'000);
  EXPECT_GT(gains, 10);
}

// Impulses in joints follow from the linear momenta; what each body turns by is the check: about its mass centre
//   I Δω = r_joint × P − Σ r_child × P_child + Σ r_contact × p.
void check_joints(const Maker& m, const Outcome& outcome, unsigned seed) {
  const Tree& tree = m.system->tree();
  Frames<double> before, after;
  before.resize(tree), after.resize(tree);
  const ImpactStates& around = outcome.around.at(0);
  const int n = tree.dof_count();
  tree.kinematics(around.before.data(), around.before.data() + n, before);
  tree.kinematics(around.after.data(), around.after.data() + n, after);
  std::vector<Vec> joint(tree.body_count());
  std::vector<double> turning(tree.body_count(), 0.0), size(tree.body_count(), 1e-9);
  const auto add = [&](int body, Vec at, Vec p) {
    const Vec arm = at - before.origin[body] - tree.center_arm(before, body);
    turning[body] += moment(arm, p);
    size[body] += norm(arm) * norm(p);
  };
  for (const ImpactRecord& r : outcome.impacts)
    for (int i = 0; i < tree.body_count(); ++i) joint[i] += r.joints[i];
  for (const ImpactRecord& r : outcome.impacts)
    for (std::size_t k = 0; k < r.contacts.size(); ++k) {
      const Contact& c = m.system->contacts()[r.contacts[k]];
      const Vec normal = -m.system->walls()[c.wall].plane.normal, tangent{-normal.z, normal.x};
      add(c.a.body, before.position(c.a.body, c.a.point) - c.a.radius * normal,
          r.result.impulse[2 * k] * tangent + r.result.impulse[2 * k + 1] * normal);
    }
  for (int i = 0; i < tree.body_count(); ++i) {
    const Body& b = tree.body(i);
    if (b.free) continue;
    add(i, before.origin[i], joint[i]);
    if (b.parent >= 0) add(b.parent, before.origin[i], -joint[i]);
  }
  for (int i = 0; i < tree.body_count(); ++i) {
    if (tree.body(i).beam) continue;
    ASSERT_NEAR(tree.body(i).inertia * (after.rate[i] - before.rate[i]), turning[i], 1e-9 * size[i])
        << seed << " body " << i;
  }
}

TEST(RandomImpacts, joints_pass_on_what_every_body_needs) {
  int checked = 0, jointed = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Maker m(seed);
    m.make(RestitutionLaw::stronge, 1 + static_cast<int>(seed % 4));
    Solver solver(*m.system);
    SolverOptions options;
    options.time_limit = 1e-12;
    options.stop_at_rest = false;
    options.impacts_wanted = 1;
    const Outcome outcome = solver.run(m.q, m.v, {}, options);
    if (outcome.around.empty()) continue;
    // A contact whose bounces are too short to follow is closed, which changes velocities beside the impacts.
    const auto& touches = outcome.around[0].mode_after.of<ContactForce>();
    if (std::any_of(touches.begin(), touches.end(), [](const auto& c) { return c.touch == Touch::closed; }))
      continue;
    check_joints(m, outcome, seed);
    ++checked;
    for (int i = 0; i < m.system->tree().body_count(); ++i) {
      const double size = norm(outcome.impacts[0].joints[i]);
      if (m.system->tree().body(i).free) {
        EXPECT_EQ(size, 0) << seed;
      } else {
        jointed += size > 1e-6;
      }
    }
  }
  EXPECT_GT(checked, 1500);
  EXPECT_GT(jointed, 1500);
}

}  // namespace
}  // namespace thud
