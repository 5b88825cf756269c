// One contact: Routh's impulse plane.
// Sources of truth: closed forms of single cases, an impulse march written here, and the energy balance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "thud/contact/impact.hpp"
#include "unit/impact_oracles.hpp"

namespace thud {
namespace {

using oracle::make_contact;

constexpr RestitutionLaw laws[] = {RestitutionLaw::newton, RestitutionLaw::poisson, RestitutionLaw::stronge};

struct Draw {
  explicit Draw(unsigned seed) : generator(seed) {}
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  }
  std::mt19937_64 generator;
};

// W with |ε| ≤ most √(αγ).
ImpactProblem draw_contact(Draw& draw, double most, RestitutionLaw law) {
  const double alpha = draw(0.2, 3), gamma = draw(0.2, 3);
  return make_contact(alpha, draw(-most, most) * std::sqrt(alpha * gamma), gamma, draw(-2, 2), draw(-2, -0.1),
                      draw(0, 2), draw(0, 1), law);
}

double size_of(const ImpactProblem& p) { return std::hypot(p.velocity[0], p.velocity[1]); }

// What must hold for every result.
void expect_sound(const ImpactProblem& p, const ImpactResult& r) {
  ASSERT_TRUE(r.solved) << r.note;
  const int rows = 2 * p.count;
  double speed = 0;
  for (int k = 0; k < rows; ++k)
    speed = std::max(speed, std::abs(p.velocity[k]) / std::sqrt(std::max(p.matrix[k * rows + k], 1e-300)));
  double work = 0;
  for (int i = 0; i < p.count; ++i) {
    EXPECT_LE(std::abs(r.impulse[2 * i]), p.friction[i] * r.impulse[2 * i + 1] * (1 + 1e-10) + 1e-300);
    EXPECT_GE(r.velocity[2 * i + 1], -1e-10 * speed * std::sqrt(p.matrix[(2 * i + 1) * (rows + 1)]));
    EXPECT_LE(r.work_friction[i], 1e-13 * r.energy_scale);
    work += r.work_normal[i] + r.work_friction[i];
  }
  EXPECT_NEAR(work, r.energy_change, 1e-11 * r.energy_scale + 1e-300);
  for (int k = 0; k < rows; ++k) {
    double v = p.velocity[k], sum = std::abs(v);
    for (int l = 0; l < rows; ++l) {
      v += p.matrix[k * rows + l] * r.impulse[l];
      sum += std::abs(p.matrix[k * rows + l] * r.impulse[l]);
    }
    EXPECT_NEAR(r.velocity[k], v, 1e-11 * sum + 1e-300) << k;
  }
}

TEST(Routh, slip_closed_form) {
  // Slip to the end: c rises by γ − μσε per impulse, in both phases, so all laws agree.
  for (double side : {1.0, -1.0})
    for (RestitutionLaw law : laws) {
      const double alpha = 1.2, epsilon = 0.3, gamma = 0.9, mu = 0.2, e = 0.7, s = 5 * side, c = -1;
      const ImpactResult r = solve_impact(make_contact(alpha, epsilon, gamma, s, c, mu, e, law));
      const double f = -(1 + e) * c / (gamma - mu * side * epsilon);
      EXPECT_NEAR(r.impulse[1], f, 1e-14);
      EXPECT_NEAR(r.impulse[0], -mu * side * f, 1e-14);
      EXPECT_NEAR(r.velocity[0], s + (epsilon - mu * side * alpha) * f, 1e-14);
      EXPECT_NEAR(r.velocity[1], -e * c, 1e-14);
      EXPECT_EQ(r.name, "slip");
      ASSERT_EQ(r.path.size(), 3u);
      EXPECT_EQ(r.path[1].corner, ImpactCorner::compression);
      EXPECT_NEAR(r.path[1].impulse[1], f / (1 + e), 1e-14);
    }
}

TEST(Routh, frictionless) {
  for (RestitutionLaw law : laws) {
    const ImpactResult r = solve_impact(make_contact(2, -0.8, 1.5, 0.3, -2, 0, 0.6, law));
    EXPECT_DOUBLE_EQ(r.impulse[0], 0);
    EXPECT_NEAR(r.impulse[1], 1.6 * 2 / 1.5, 1e-14);
    EXPECT_NEAR(r.velocity[1], 1.2, 1e-14);
    EXPECT_NEAR(r.energy_change, -0.5 * (1 - 0.36) * 4 / 1.5, 1e-14);
    EXPECT_EQ(r.name, "frictionless");
  }
}

TEST(Routh, opening_contact_is_left_alone) {
  for (double c : {0.0, 1.0}) {
    const ImpactResult r = solve_impact(make_contact(1, 0.2, 1, 0.5, c, 0.3, 0.5));
    EXPECT_EQ(r.name, "none");
    EXPECT_TRUE(r.path.empty());
    EXPECT_EQ(r.impulse, (std::vector<double>{0, 0}));
    EXPECT_EQ(r.velocity, (std::vector<double>{0.5, c}));
  }
}

TEST(Routh, stick_closed_form) {
  // Slip vanishes at F₁ = s₀/(μα − ε) in compression; then c rises by γ − ε²/α. Stronge's end by hand.
  const double alpha = 1, epsilon = 0.25, gamma = 1.5, mu = 0.8, e = 0.5, s = 0.2, c = -1;
  const double f1 = s / (mu * alpha - epsilon), slope1 = gamma - mu * epsilon, c1 = c + slope1 * f1;
  const double slope2 = gamma - epsilon * epsilon / alpha, fc = f1 - c1 / slope2;
  ASSERT_LT(c1, 0);
  const double compression = 0.5 * (c + c1) * f1 - 0.5 * c1 * c1 / slope2;
  const double ends[] = {fc - e * c / slope2, (1 + e) * fc, fc + e * std::sqrt(-2 * compression / slope2)};
  for (int i = 0; i < 3; ++i) {
    const ImpactResult r = solve_impact(make_contact(alpha, epsilon, gamma, s, c, mu, e, laws[i]));
    EXPECT_NEAR(r.impulse[1], ends[i], 1e-14) << i;
    EXPECT_NEAR(r.impulse[0], -mu * f1 - epsilon / alpha * (ends[i] - f1), 1e-14);
    EXPECT_EQ(r.velocity[0], 0);
    EXPECT_NEAR(r.velocity[1], slope2 * (ends[i] - fc), 1e-14);
    EXPECT_EQ(r.name, "slip-stick in compression");
  }
}

TEST(Routh, critical_friction_divides_stick_and_reversal) {
  const double alpha = 1.3, epsilon = -0.6, gamma = 1.1, critical = 0.6 / 1.3;
  const ImpactResult above =
      solve_impact(make_contact(alpha, epsilon, gamma, 0.1, -1, critical * (1 + 1e-9), 0.5));
  const ImpactResult below =
      solve_impact(make_contact(alpha, epsilon, gamma, 0.1, -1, critical * (1 - 1e-9), 0.5));
  EXPECT_EQ(above.name, "slip-stick in compression");
  EXPECT_EQ(below.name, "reversal in compression");
  EXPECT_EQ(above.velocity[0], 0);
  EXPECT_LT(below.velocity[0], 0);
  EXPECT_NEAR(below.velocity[0], 0, 1e-8);
  EXPECT_NEAR(above.impulse[0], below.impulse[0], 1e-8);
  EXPECT_NEAR(above.impulse[1], below.impulse[1], 1e-8);
}

TEST(Routh, from_rest) {
  const ImpactResult stick = solve_impact(make_contact(1, 0.4, 1, 0, -1, 0.5, 0.5));
  EXPECT_EQ(stick.name, "stick");
  EXPECT_EQ(stick.velocity[0], 0);
  EXPECT_NEAR(stick.impulse[1], 1.5 / (1 - 0.16), 1e-14);
  for (double side : {1.0, -1.0}) {
    const ImpactResult slip = solve_impact(make_contact(1, 0.4 * side, 1, 0, -1, 0.3, 0.5));
    EXPECT_EQ(slip.name, "slip from rest");
    EXPECT_NEAR(slip.impulse[1], 1.5 / (1 - 0.3 * 0.4), 1e-14);
    EXPECT_NEAR(slip.velocity[0], side * 0.1 * slip.impulse[1], 1e-14);
  }
}

TEST(Routh, jam_of_a_sliding_rod) {
  // Painlevé's rod of length 2 under 55°, tip sliding towards its foot: γ < μ ε. Compression ends in sticking only.
  const double angle = 55 * M_PI / 180, x = std::cos(angle), y = std::sin(angle), inertia = 1.0 / 3;
  const double alpha = 1 + y * y / inertia, gamma = 1 + x * x / inertia, epsilon = x * y / inertia;
  const double mu = 1.6, s = 0.3, c = -0.5;
  ASSERT_LT(gamma, mu * epsilon);
  const double f1 = s / (mu * alpha - epsilon), c1 = c + (gamma - mu * epsilon) * f1;
  EXPECT_LT(c1, c);  // it is drawn in
  const double slope = gamma - epsilon * epsilon / alpha, fc = f1 - c1 / slope;
  const ImpactResult r =
      solve_impact(make_contact(alpha, epsilon, gamma, s, c, mu, 0.5, RestitutionLaw::poisson));
  EXPECT_TRUE(r.jam);
  EXPECT_EQ(r.name, "slip-stick in compression, jam");
  EXPECT_NEAR(r.impulse[1], 1.5 * fc, 1e-13);
  EXPECT_EQ(r.velocity[0], 0);
  // Sliding the other way does not jam.
  EXPECT_FALSE(solve_impact(make_contact(alpha, epsilon, gamma, -s, c, mu, 0.5)).jam);
}

TEST(Routh, newton_can_gain_energy) {
  // Kane & Levinson 1985: friction that turns round while the point sticks or slips back gives Newton's law too much.
  // By hand: the slip vanishes at F = 0.5/1.9 with c = −0.5; then c rises by 0.19 per impulse to 0.9.
  const ImpactProblem newton = make_contact(1, -0.9, 1, 0.5, -1, 1, 0.9, RestitutionLaw::newton);
  ImpactProblem other = newton;
  const ImpactResult r = solve_impact(newton);
  ASSERT_TRUE(r.solved);
  EXPECT_TRUE(r.gains()) << r.energy_change << ' ' << r.name;
  EXPECT_THAT(r.note, ::testing::HasSubstr("gains energy"));
  const double f1 = 0.5 / 1.9, f2 = 1.4 / 0.19;
  EXPECT_NEAR(r.energy_change, 0.5 * (0.5 * (0.9 * f2 - f1) - 0.1 * (f1 + f2)), 1e-13);
  EXPECT_NEAR(r.velocity[1], 0.9, 1e-15);
  for (RestitutionLaw law : {RestitutionLaw::poisson, RestitutionLaw::stronge}) {
    other.law = law;
    EXPECT_FALSE(solve_impact(other).gains());
    EXPECT_TRUE(solve_impact(other).note.empty());
  }
}

// Steps of the normal impulse; friction does what it can against the slip of each step.
struct Marched {
  double t = 0, f = 0, s = 0, c = 0;
};
Marched march(const ImpactProblem& p, double step) {
  const double alpha = p.matrix[0], epsilon = p.matrix[1], gamma = p.matrix[3], mu = p.friction[0],
               e = p.restitution[0];
  Marched m{0, 0, p.velocity[0], p.velocity[1]};
  const double df = step * std::abs(m.c) / gamma;
  double compressed = 0, restored = 0, fc = -1;
  for (int i = 0; i < 100000000; ++i) {
    const double dt = std::clamp(-(m.s + epsilon * df) / alpha, -mu * df, mu * df);
    const double before = m.c;
    m.s += alpha * dt + epsilon * df;
    m.c += epsilon * dt + gamma * df;
    m.t += dt;
    m.f += df;
    (m.c < 0 ? compressed : restored) += 0.5 * (before + m.c) * df;
    if (m.c < 0) continue;
    if (fc < 0) fc = m.f;
    if (p.law == RestitutionLaw::newton && m.c >= -e * p.velocity[1]) break;
    if (p.law == RestitutionLaw::poisson && m.f >= (1 + e) * fc) break;
    if (p.law == RestitutionLaw::stronge && restored >= -e * e * compressed) break;
  }
  return m;
}

TEST(Routh, agrees_with_a_march) {
  // The march is off by the length of its step, in each of its ends; sensitive W (|ε| up to 0.95 √αγ) multiply it.
  constexpr double step = 3e-4;
  std::set<std::string> names;
  for (RestitutionLaw law : laws) {
    Draw draw(11);
    for (int i = 0; i < 3000; ++i) {
      const ImpactProblem p = draw_contact(draw, 0.95, law);
      const ImpactResult r = solve_impact(p);
      const Marched m = march(p, step);
      const double size = 20 * step * (1 + r.impulse[1]) * (1 + size_of(p));
      ASSERT_NEAR(r.impulse[0], m.t, 2 * size) << r.name << i;
      ASSERT_NEAR(r.impulse[1], m.f, size) << r.name << i;
      ASSERT_NEAR(r.velocity[0], m.s, 2 * size) << r.name << i;
      ASSERT_NEAR(r.velocity[1], m.c, size) << r.name << i;
      names.insert(r.name);
    }
  }
  for (const char* name : {"slip", "slip-stick in compression", "slip-stick in restitution",
                           "reversal in compression", "reversal in restitution"})
    EXPECT_TRUE(names.count(name)) << name;
}

TEST(Routh, never_gains_energy) {
  int newton_gains = 0, jams = 0;
  for (RestitutionLaw law : laws) {
    Draw draw(5);
    for (int i = 0; i < 20000; ++i) {
      const ImpactProblem p = draw_contact(draw, 1, law);
      const ImpactResult r = solve_impact(p);
      expect_sound(p, r);
      if (HasFailure()) return;
      jams += r.jam;
      if (law != RestitutionLaw::newton) {
        ASSERT_FALSE(r.gains()) << i;
      } else {
        newton_gains += r.gains();
      }
    }
  }
  EXPECT_GT(newton_gains, 100);
  EXPECT_GT(jams, 100);
}

TEST(Routh, corners_lie_on_the_way) {
  Draw draw(8);
  for (int i = 0; i < 2000; ++i) {
    const ImpactProblem p = draw_contact(draw, 0.95, laws[i % 3]);
    const ImpactResult r = solve_impact(p);
    ASSERT_GE(r.path.size(), 3u);
    EXPECT_EQ(r.path.front().corner, ImpactCorner::start);
    EXPECT_EQ(r.path.back().corner, ImpactCorner::end);
    EXPECT_EQ(r.path.back().impulse, r.impulse);
    EXPECT_EQ(r.path.back().velocity, r.velocity);
    for (std::size_t k = 0; k < r.path.size(); ++k) {
      const ImpactPoint& a = r.path[k];
      EXPECT_NEAR(a.velocity[0], p.velocity[0] + p.matrix[0] * a.impulse[0] + p.matrix[1] * a.impulse[1],
                  1e-12);
      EXPECT_NEAR(a.velocity[1], p.velocity[1] + p.matrix[2] * a.impulse[0] + p.matrix[3] * a.impulse[1],
                  1e-12);
      if (k > 0) {
        EXPECT_GE(a.impulse[1], r.path[k - 1].impulse[1]);
      }
    }
  }
}

TEST(Routh, slip_that_vanishes_at_greatest_compression) {
  // α = γ = 1, ε = 0, μ = 1, s₀ = −c₀: both vanish at F = 1.
  for (RestitutionLaw law : laws) {
    const ImpactResult r = solve_impact(make_contact(1, 0, 1, 1, -1, 1, 0.5, law));
    EXPECT_DOUBLE_EQ(r.impulse[1], 1.5);
    EXPECT_DOUBLE_EQ(r.impulse[0], -1);
    EXPECT_EQ(r.velocity[0], 0);
    EXPECT_DOUBLE_EQ(r.velocity[1], 0.5);
    EXPECT_EQ(r.name, "slip-stick in compression");
  }
}

TEST(Routh, slip_that_vanishes_at_the_end) {
  const ImpactResult r = solve_impact(make_contact(1, 0, 1, 1.5, -1, 1, 0.5));
  EXPECT_DOUBLE_EQ(r.impulse[1], 1.5);
  EXPECT_EQ(r.velocity[0], 0);
  EXPECT_EQ(r.name, "slip-stick in restitution");
}

TEST(Routh, plastic_and_rough_limits) {
  for (RestitutionLaw law : laws) {
    const ImpactResult plastic = solve_impact(make_contact(1, 0.3, 1, 1, -1, 0.4, 0, law));
    EXPECT_NEAR(plastic.velocity[1], 0, 1e-15);
    // Without end, friction stops the slip at once: T = −s/α, and the rest as from rest. Off by 1e-12 (see `rough`).
    for (double mu : {1e13, std::numeric_limits<double>::infinity()}) {
      const ImpactResult rough = solve_impact(make_contact(2, 0.3, 1, 1, -1, mu, 0.5, law));
      EXPECT_EQ(rough.velocity[0], 0);
      const double restitution = law == RestitutionLaw::newton ? 0.5 : 0.5 * 1.15;
      EXPECT_NEAR(rough.impulse[1], (1.15 + restitution) / (1 - 0.045), 1e-11);
      EXPECT_FALSE(std::isnan(rough.impulse[0]));
    }
  }
}

TEST(Routh, singular_matrices) {
  // Pinned along the tangent: the slip cannot change.
  const ImpactResult pinned = solve_impact(make_contact(0, 0, 1, 0.5, -1, 0.3, 0.5));
  EXPECT_TRUE(pinned.solved);
  EXPECT_DOUBLE_EQ(pinned.velocity[0], 0.5);
  EXPECT_DOUBLE_EQ(pinned.impulse[1], 1.5);
  EXPECT_TRUE(solve_impact(make_contact(0, 0, 1, 0, -1, 0.3, 0.5)).solved);
  // Nothing moves along the normal.
  EXPECT_FALSE(solve_impact(make_contact(1, 0, 0, 0.5, -1, 0.3, 0.5)).solved);
  // One freedom: the point moves along a line only, so slip and approach vanish together.
  Draw draw(3);
  int held = 0;
  for (int i = 0; i < 5000; ++i) {
    const double x = draw(-1, 1), y = draw(0.1, 1), q = -draw(0.1, 2);
    const double mu = draw(0, 2);
    for (RestitutionLaw law : laws) {
      const ImpactProblem p = make_contact(x * x, x * y, y * y, x * q, y * q, mu, draw(0, 1), law);
      const ImpactResult r = solve_impact(p);
      if (!r.solved) continue;
      expect_sound(p, r);
      if (law != RestitutionLaw::newton) {
        ASSERT_FALSE(r.gains());
      }
      held += !r.note.empty();
      if (HasFailure()) {
        ADD_FAILURE() << x << ' ' << y << ' ' << q << ' ' << mu << ' ' << r.name;
        return;
      }
    }
  }
  EXPECT_GT(held, 10);
}

TEST(Routh, scales_and_mirrors) {
  Draw draw(21);
  for (int i = 0; i < 3000; ++i) {
    const ImpactProblem p = draw_contact(draw, 0.95, laws[i % 3]);
    const ImpactResult r = solve_impact(p);
    ImpactProblem mirror = p;
    mirror.matrix[1] = -p.matrix[1];
    mirror.matrix[2] = -p.matrix[2];
    mirror.velocity[0] = -p.velocity[0];
    const ImpactResult m = solve_impact(mirror);
    EXPECT_EQ(m.impulse[0], -r.impulse[0]);
    EXPECT_EQ(m.impulse[1], r.impulse[1]);
    EXPECT_EQ(m.velocity[0], -r.velocity[0]);
    EXPECT_EQ(m.name, r.name);
    for (double w : {1e-9, 1e9}) {
      ImpactProblem scaled = p;
      for (double& x : scaled.matrix) x *= w;
      for (double& x : scaled.velocity) x *= 1e-4;
      const ImpactResult s = solve_impact(scaled);
      EXPECT_EQ(s.name, r.name);
      for (int k = 0; k < 2; ++k) {
        EXPECT_NEAR(s.impulse[k] * w * 1e4, r.impulse[k], 1e-11 * r.impulse[1]);
        EXPECT_NEAR(s.velocity[k] * 1e4, r.velocity[k], 1e-11 * size_of(p));
      }
    }
  }
}

TEST(Routh, bad_numbers_are_reported) {
  const ImpactResult r = solve_impact(make_contact(1, NAN, 1, 0, -1, 0.3, 0.5));
  EXPECT_FALSE(r.solved);
  EXPECT_FALSE(r.note.empty());
}

}  // namespace
}  // namespace thud
