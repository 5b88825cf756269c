// The right-hand side of a mode: bodies, sand and joints together.
// Sources of truth: the energy balance, central differences, the second law (sand only takes), statics by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "thud/dynamics/observable.hpp"
#include "thud/dynamics/system.hpp"

namespace thud {
namespace {

constexpr double g = 9.81;

Part make_part(PartKind kind, double s0, double s1, double width) {
  Part p;
  p.kind = kind;
  p.s0 = s0;
  p.s1 = s1;
  p.width = width;
  p.breadth = 0.8 * width;
  return p;
}

/// A free block that carries a link and a disc, and a ball on a pinned arm: four contacts of every kind of shape.
System make_system(const Law& law, AreaRule area, double slope, bool joints) {
  std::vector<Body> b(4);
  b[0].name = "block", b[0].free = true, b[0].mass = 0.8, b[0].inertia = 0.004;
  b[1].name = "link", b[1].parent = 0, b[1].attach = {0.05, 0.01}, b[1].mass = 0.3, b[1].center = {0.1, 0};
  b[1].inertia = 0.001;
  b[2].name = "disc", b[2].parent = 1, b[2].attach = {0.2, 0}, b[2].mass = 0.2, b[2].center = {0.06, 0};
  b[2].inertia = 0.0005;
  b[3].name = "ball", b[3].anchor = {1, -0.2}, b[3].mass = 0.4, b[3].center = {0.3, 0};
  System system(Tree(b), {1.0, 9.6});
  Bed bed;
  bed.law = law;
  bed.area = area;
  bed.plane = Plane::make({0, 0}, slope);
  const int sand = system.add_bed(bed);
  system.add_piece(0, sand, make_part(PartKind::block, -0.06, 0.06, 0.05));
  system.add_piece(1, sand, make_part(PartKind::segment, 0, 0.2, 0.02));
  system.add_piece(2, sand, make_part(PartKind::disc, 0.06, 0.06, 0.07));
  system.add_piece(3, sand, make_part(PartKind::ball, 0.3, 0.3, 0.05));
  if (joints) {
    JointForces j;
    j.damping = 0.02;
    j.friction_positive = 0.1;
    j.friction_negative = 0.05;
    system.set_joint(1, j);
    j.torque = [](double t) { return 0.3 * std::cos(t); };
    system.set_joint(3, j);
    for (int i = 0; i < 4; ++i) system.set_air_drag(i, 0.01 * (i + 1));
  }
  return system;
}

std::vector<std::pair<std::string, Law>> laws() {
  LeeLaw rough;
  rough.friction = 0.4;
  return {{"lee", LeeLaw{}},
          {"rough", rough},
          {"bingham", BinghamLaw{3, 2, 0.5}},
          {"poncelet", PonceletLaw{3, 2, 0.5}},
          {"allen", AllenLaw{2, 1, 3, 0.5}},
          {"lohse", LohseLaw{50, 0.5}},
          {"katsuragi", KatsuragiLaw{50, 0.1, 0.5}}};
}

struct Evaluated {
  Work<double> work;
  std::vector<double> rate;
};

Evaluated evaluate(const System& system, const std::vector<double>& y, const Mode& mode) {
  Evaluated e;
  system.prepare(e.work);
  e.rate.assign(system.state_size(), 0.0);
  system.evaluate(0.3, y.data(), mode, e.work, e.rate.data());
  return e;
}

int sign(double x) { return x < 0 ? -1 : 1; }

/// The mode that a state without any zero is in: signs of everything.
Mode mode_at(const System& system, const std::vector<double>& y) {
  Mode mode = system.make_mode();
  Frames<double> f;
  f.resize(system.tree().body_count());
  system.tree().kinematics(y.data(), y.data() + system.dof_count(), f);
  for (std::size_t k = 0; k < system.pieces().size(); ++k) {
    const SandPiece& p = system.pieces()[k];
    SandMode& m = mode.of<SandPiece>()[k];
    Levels<double> lv;
    levels(p.part, p.body, f, system.beds()[p.bed].plane, lv);
    m.immersion.regime = 0;
    for (int i = 0; i < lv.count; ++i)
      if (lv.value[i] > 0) m.immersion.regime |= static_cast<std::uint8_t>(1u << i);
    m.immersion.deepest = lv.value[1] > lv.value[0] ? 1 : -1;
    if (p.part.kind == PartKind::block)
      m.immersion.deepest =
          static_cast<std::int8_t>(std::max_element(lv.value.begin(), lv.value.end()) - lv.value.begin());
  }
  for (std::size_t k = 0; k < system.of<JointFriction>().size(); ++k) {
    const int i = system.of<JointFriction>()[k].body, parent = system.tree().body(i).parent;
    mode.of<JointFriction>()[k].slip =
        static_cast<std::int8_t>(sign(f.rate[i] - (parent >= 0 ? f.rate[parent] : 0)));
  }
  const Evaluated e = evaluate(system, y, mode);
  for (std::size_t k = 0; k < mode.of<SandPiece>().size(); ++k) {
    const SandWork<double>& w = e.work.of<SandPiece>()[k];
    SandMode& m = mode.of<SandPiece>()[k];
    if (!w.is_immersed) continue;
    m.cross = static_cast<std::int8_t>(sign(w.cross));
    m.along = static_cast<std::int8_t>(sign(w.along));
    m.normal = static_cast<std::int8_t>(sign(w.normal_rate));
    m.shear = static_cast<std::int8_t>(sign(w.shear_rate));
    m.spin = static_cast<std::int8_t>(sign(f.rate[system.pieces()[k].body]));
  }
  return mode;
}

std::vector<double> random_state(const System& system, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<double> y(system.state_size(), 0.0);
  for (int i = 0; i < system.dof_count(); ++i) {
    y[i] = system.tree().is_angle(i) ? 3 * unit(random) : 0.25 * unit(random);
    y[system.dof_count() + i] = system.tree().is_angle(i) ? 8 * unit(random) : 2 * unit(random);
  }
  return y;
}

double energy(const System& system, const double* y) {
  Frames<double> f;
  f.resize(system.tree().body_count());
  system.tree().kinematics(y, y + system.dof_count(), f);
  return system.tree().kinetic_energy(f) + system.tree().potential_energy(f, system.gravity());
}

template <class Check>
void for_random_states(bool joints, const Check& check) {
  std::mt19937 random(7);
  for (const auto& [name, law] : laws())
    for (AreaRule area : {AreaRule::side, AreaRule::side_or_end, AreaRule::silhouette, AreaRule::full})
      for (double slope : {0.0, 0.3}) {
        const System system = make_system(law, area, slope, joints);
        for (int trial = 0; trial < 10; ++trial) {
          SCOPED_TRACE(name + " area " + std::to_string(static_cast<int>(area)) + " trial "
                       + std::to_string(trial));
          const std::vector<double> y = random_state(system, random);
          check(system, y, mode_at(system, y));
        }
      }
}

// Every law, every channel but the torque: power ≤ 0.
TEST(Energy, sand_air_and_joints_only_take) {
  int immersed = 0;
  for_random_states(true, [&](const System& system, const std::vector<double>& y, const Mode& mode) {
    const Evaluated e = evaluate(system, y, mode);
    for (int c = 0; c < channel_count; ++c)
      if (!supplies(static_cast<Channel>(c))) {
        EXPECT_LE(e.work.power[c], 0) << channel_name(static_cast<Channel>(c));
      }
    for (const auto& w : e.work.of<SandPiece>()) immersed += w.is_immersed;
  });
  EXPECT_GT(immersed, 500);
}

// d(E_kin + E_pot)/dt along the motion is the power of all channels. Central difference with h = 1e-6 along the straight
// line (v, v̇): rounding 1e-16 E/h ≈ 1e-9 W, truncation h²/6 of a third derivative that reaches 1e6 of the powers at
// most (accelerations of 1e3 of them per second squared): 1e-6 of the sum of the powers.
TEST(Energy, rate_of_energy_is_the_power_of_the_channels) {
  for_random_states(true, [&](const System& system, const std::vector<double>& y, const Mode& mode) {
    const Evaluated e = evaluate(system, y, mode);
    const double h = 1e-6;
    std::vector<double> a = y, b = y;
    for (std::size_t i = 0; i < y.size(); ++i) a[i] -= h * e.rate[i], b[i] += h * e.rate[i];
    const double measured = (energy(system, b.data()) - energy(system, a.data())) / (2 * h);
    double power = 0, size = 1;
    for (double p : e.work.power) power += p, size += std::abs(p);
    EXPECT_NEAR(measured, power, 1e-6 * size);
    for (Channel c : system.channels())
      EXPECT_NEAR(std::abs(e.rate[system.channel_slot(c)]), std::abs(e.work.power[static_cast<int>(c)]),
                  1e-12 * size);
  });
}

// Sources agree: the planned evaluation of the inner stages is the same function, but for the order of rounding.
TEST(Evaluation, planned_is_the_same_function) {
  for_random_states(true, [&](const System& system, const std::vector<double>& y, const Mode& mode) {
    const Evaluated e = evaluate(system, y, mode);
    Work<double> work;
    system.prepare(work);
    std::vector<double> rate(system.state_size(), 0.0);
    Plan plan;
    system.make_plan(mode, work, plan);
    system.evaluate_planned(0.3, y.data(), mode, plan, work, rate.data());
    for (int i = 0; i < 2 * system.dof_count(); ++i)
      EXPECT_NEAR(rate[i], e.rate[i], 1e-12 * (1 + std::abs(e.rate[i])));
  });
}

// On dual numbers the right-hand side gives its derivative along a direction. Central differences with h = 1e-7 in the
// fixed mode: rounding 1e-16 · |v̇|/h ≈ 1e-9 |v̇|, truncation below: 1e-5 of the size of the accelerations and rates.
TEST(Evaluation, dual_numbers_differentiate_the_right_hand_side) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  for_random_states(true, [&](const System& system, const std::vector<double>& y, const Mode& mode) {
    const std::size_t n = y.size();
    std::vector<double> direction(n, 0.0), a = y, b = y;
    const double h = 1e-7;
    for (int i = 0; i < 2 * system.dof_count(); ++i) {
      direction[i] = unit(random);
      a[i] -= h * direction[i], b[i] += h * direction[i];
    }
    std::vector<Dual<double>> x(n), rate(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = {y[i], direction[i]};
    Work<Dual<double>> work;
    system.prepare(work);
    system.evaluate(0.3, x.data(), mode, work, rate.data());
    const Evaluated low = evaluate(system, a, mode), high = evaluate(system, b, mode),
                    here = evaluate(system, y, mode);
    double size = 1;
    for (int i = 0; i < 2 * system.dof_count(); ++i)
      size = std::max({size, std::abs(here.rate[i]), std::abs(high.rate[i] - low.rate[i]) / (2 * h)});
    for (int i = 0; i < 2 * system.dof_count(); ++i) {
      EXPECT_NEAR(rate[i].v, here.rate[i], 1e-10 * size);
      EXPECT_NEAR(rate[i].d, (high.rate[i] - low.rate[i]) / (2 * h), 1e-5 * size);
    }
  });
}

// Statics by hand: two balls held on a slope. Held forces carry the weight: λ_n = −m g cos β, λ_t = −m g sin β.
TEST(Held, forces_carry_the_weight) {
  std::vector<Body> b(2);
  b[0].name = "a", b[0].free = true, b[0].mass = 0.3, b[0].inertia = 1e-4;
  b[1].name = "b", b[1].free = true, b[1].mass = 0.7, b[1].inertia = 1e-4;
  System system(Tree(b), {0, g});
  Bed bed;
  const double slope = 0.35;
  bed.plane = Plane::make({0, 0}, slope);
  bed.law = BinghamLaw{20, 1, 0.8};
  const int sand = system.add_bed(bed);
  for (int i = 0; i < 2; ++i) system.add_piece(i, sand, make_part(PartKind::particle, 0, 0, 0.02));
  std::vector<double> y(system.state_size(), 0.0);
  y[1] = 0.1, y[3] = 0.5, y[4] = 0.4;
  Mode mode = mode_at(system, y);
  for (SandMode& m : mode.of<SandPiece>()) m.normal = m.shear = slip::stuck;
  system.list_stuck(mode);
  EXPECT_EQ(mode.stuck.size(), 4u);
  const Evaluated e = evaluate(system, y, mode);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(e.work.of<SandPiece>()[k].normal_force, -b[k].mass * g * std::cos(slope), 1e-9);
    EXPECT_NEAR(e.work.of<SandPiece>()[k].shear_force, -b[k].mass * g * std::sin(slope), 1e-9);
  }
  // accelerations: the documented ridge of 1e-12, times (width of the strongest/weakest)² and g
  for (double a : e.work.acceleration) EXPECT_NEAR(a, 0, 1e-10);
}

// A link that turns while its E is held: γ̇ = 0 although E moves along the link. γ by differences along the motion.
TEST(Held, centroid_stays_while_the_link_turns) {
  std::vector<Body> b(2);
  for (int i = 0; i < 2; ++i) {
    b[i].name = "link" + std::to_string(i), b[i].free = true, b[i].mass = 0.3, b[i].inertia = 0.001;
  }
  System system(Tree(b), {0, g});
  const int sand = system.add_bed(Bed{});
  for (int i = 0; i < 2; ++i) system.add_piece(i, sand, make_part(PartKind::segment, -0.1, 0.1, 0.02));
  std::vector<double> y(system.state_size(), 0.0);
  const int n = system.dof_count();
  y[1] = -0.03, y[2] = 0.4, y[3] = 1, y[4] = -0.05, y[5] = -0.7;
  y[n + 2] = 2, y[n + 5] = -3;
  Mode mode = mode_at(system, y);
  const Evaluated before = evaluate(system, y, mode);
  for (int k = 0; k < 2; ++k) {  // lets v_E vanish
    y[n + 3 * k] -= before.work.of<SandPiece>()[k].velocity.x;
    y[n + 3 * k + 1] -= before.work.of<SandPiece>()[k].velocity.z;
  }
  mode = mode_at(system, y);
  for (SandMode& m : mode.of<SandPiece>()) m.normal = m.shear = slip::stuck;
  system.list_stuck(mode);
  const Evaluated e = evaluate(system, y, mode);
  const double h = 1e-6;
  std::vector<double> next = y, last = y;
  for (std::size_t i = 0; i < y.size(); ++i) next[i] += h * e.rate[i], last[i] -= h * e.rate[i];
  const Evaluated after = evaluate(system, next, mode), past = evaluate(system, last, mode);
  for (int k = 0; k < 2; ++k) {
    // the size of γ̇ without the hold is g; central differences leave 1e-10/h = 1e-6 of it at most
    EXPECT_NEAR(
        (after.work.of<SandPiece>()[k].velocity.x - past.work.of<SandPiece>()[k].velocity.x) / (2 * h), 0,
        1e-6);
    EXPECT_NEAR(
        (after.work.of<SandPiece>()[k].velocity.z - past.work.of<SandPiece>()[k].velocity.z) / (2 * h), 0,
        1e-6);
  }
}

// Guards: all positive inside the mode that the signs of a state give.
TEST(Guards, are_positive_inside_a_mode) {
  for_random_states(true, [&](const System& system, const std::vector<double>& y, const Mode& mode) {
    if (system.beds()[0].area == AreaRule::side_or_end)
      return;  // its "aligned" guard watches for an exact zero
    const Evaluated e = evaluate(system, y, mode);
    int count = 0;
    system.guards(mode, e.work, Scales{}, [&](double value, double, GuardId id) {
      EXPECT_GT(value, 0) << static_cast<int>(id.code) << " of " << id.index;
      ++count;
    });
    EXPECT_GT(count, 4);
  });
}

}  // namespace
}  // namespace thud
