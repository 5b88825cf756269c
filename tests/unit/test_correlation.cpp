// Several contacts: the impulse correlation method.
// Sources of truth: the closed forms of Gharib & Hurmuzlu 2010, Housner 1963, the single contact, a march written
// here, and the energy balance.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "contact/impact_parts.hpp"
#include "thud/contact/impact.hpp"
#include "unit/impact_oracles.hpp"

namespace thud {
namespace {

using oracle::make_balls;
using oracle::make_impact;
using oracle::RockingBlock;
using oracle::ThreeBalls;

constexpr double degree = M_PI / 180;

struct Draw {
  explicit Draw(unsigned seed) : generator(seed) {}
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  }
  int among(int n) { return static_cast<int>((*this)(0, n)); }
  std::mt19937_64 generator;
};

ImpactProblem draw_impact(Draw& draw, int contacts, int freedoms) {
  Eigen::MatrixXd j(2 * contacts, freedoms), m = Eigen::MatrixXd::Zero(freedoms, freedoms);
  Eigen::VectorXd rates(freedoms);
  for (int a = 0; a < freedoms; ++a) {
    m(a, a) = draw(0.3, 3);
    rates[a] = draw(-1, 1);
    for (int b = 0; b < 2 * contacts; ++b) j(b, a) = draw(-1, 1);
  }
  ImpactProblem p = make_impact(j, m, rates);
  for (int i = 0; i < contacts; ++i) {
    p.friction[i] = draw.among(4) == 0 ? 0 : draw(0, 2);
    p.restitution[i] = draw.among(6) == 0 ? 0 : draw(0, 1);
  }
  p.correlation = draw.among(4) == 0 ? 0 : draw(0, 1);
  return p;
}

double unit(const ImpactProblem& p, int row) {
  return std::sqrt(std::max(p.matrix[static_cast<std::size_t>(row) * (2 * p.count + 1)], 0.0));
}

double speed_of(const ImpactProblem& p) {
  double speed = 0;
  for (int k = 0; k < 2 * p.count; ++k)
    if (unit(p, k) > 0) speed = std::max(speed, std::abs(p.velocity[k]) / unit(p, k));
  return speed;
}

// What must hold for every result.
void expect_sound(const ImpactProblem& p, const ImpactResult& r) {
  ASSERT_TRUE(r.solved) << r.note;
  const int rows = 2 * p.count;
  const double speed = speed_of(p);
  double work = 0, rounding = 1e-300;
  for (int i = 0; i < p.count; ++i) {
    ASSERT_LE(std::abs(r.impulse[2 * i]), p.friction[i] * r.impulse[2 * i + 1] * (1 + 1e-10) + 1e-300);
    double terms = speed * unit(p, 2 * i + 1);
    for (int l = 0; l < rows; ++l)
      terms += 1e-3 * std::abs(p.matrix[(2 * i + 1) * rows + l] * r.impulse[l]);  // their rounding
    ASSERT_GE(r.velocity[2 * i + 1], -1e-10 * terms);
    ASSERT_LE(r.work_friction[i], 1e-13 * r.energy_scale);
    if (!r.endless) {  // a plastic closing takes from one contact what it gives another
      ASSERT_LE(r.work_normal[i], 1e-13 * r.energy_scale);
    }
    work += r.work_normal[i] + r.work_friction[i];
    // Velocities below 1e-12 of the fastest count as zero on the way.
    for (int k = 2 * i; k < 2 * i + 2; ++k) rounding += 1e-11 * speed * unit(p, k) * std::abs(r.impulse[k]);
  }
  ASSERT_FALSE(r.gains()) << r.energy_change << ' ' << r.energy_scale;
  ASSERT_NEAR(work, r.energy_change, rounding);
  for (int k = 0; k < rows; ++k) {
    double v = p.velocity[k], sum = speed * unit(p, k);
    for (int l = 0; l < rows; ++l) {
      v += p.matrix[k * rows + l] * r.impulse[l];
      sum += std::abs(p.matrix[k * rows + l] * r.impulse[l]);
    }
    ASSERT_NEAR(r.velocity[k], v, 1e-10 * sum + 1e-300) << k;
  }
}

// ---- oracles ----

TEST(ImpactOracles, three_balls_keep_their_laws) {
  // Momentum, and eq 8 for the work at both contacts, from the impulses alone.
  Draw draw(1);
  for (int i = 0; i < 500; ++i) {
    ThreeBalls b{draw(0.2, 3), draw(0.2, 3), draw(0.2, 3), 1, 0, 0, draw(0, 1), draw(0, 1), draw(0, 0.9)};
    if (i % 2 == 0) b.v3 = -draw(0, 0.5);
    if (!b.is_valid()) continue;
    EXPECT_NEAR(b.m1 * b.v1_after() + b.m2 * b.v2_after() + b.m3 * b.v3_after(),
                b.m1 * b.v1 + b.m2 * b.v2 + b.m3 * b.v3, 1e-12);
    const double t12 = b.tau12(), w0 = b.v2 - b.v3, w1 = w0 + ((1 - b.alpha) / b.m2 - b.alpha / b.m3) * t12;
    const double m = b.m2 * b.m3 / (b.m2 + b.m3), after = b.v2_after() - b.v3_after();
    const double compression = 0.5 * (w0 + w1) * b.alpha * t12 + 0.5 * m * w1 * w1;
    EXPECT_NEAR(0.5 * m * after * after, b.e23 * b.e23 * compression, 1e-12);
  }
}

TEST(ImpactOracles, rocking_block_keeps_its_laws) {
  // Velocities from the impulses by W alone, and eq 67 for the work at O2.
  for (double theta : {0.0, 5.0, 10.0, 15.0, 17.5, 20.0, 22.5})
    for (bool mirrored : {false, true}) {
      RockingBlock b;
      b.make_rectangle();
      b.theta1 = theta * degree;
      if (mirrored) b = b.mirrored();
      const RockingBlock::After a = b.after();
      const ImpactProblem p = b.problem();
      EXPECT_NEAR(p.velocity[1], -2 * b.b * b.omega0 * std::cos(b.theta1), 1e-15);
      EXPECT_NEAR(p.velocity[3], 0, 1e-15);
      EXPECT_NEAR(a.v1, p.velocity[1] + p.matrix[5] * a.tau1 + p.matrix[7] * a.tau2, 1e-13) << theta;
      EXPECT_NEAR(a.v2, p.velocity[3] + p.matrix[13] * a.tau1 + p.matrix[15] * a.tau2, 1e-13) << theta;
      EXPECT_NEAR(p.matrix[13], b.pull(), 1e-12);
      if (!b.is_simultaneous()) continue;
      const double v2 = (p.matrix[13] + b.alpha * p.matrix[15]) * a.tau1;
      const double compression = -0.5 * v2 * b.alpha * a.tau1 + 0.5 * v2 * v2 / p.matrix[15];
      EXPECT_NEAR(0.5 * a.v2 * a.v2 / p.matrix[15], b.e2 * b.e2 * compression, 1e-14) << theta;
    }
}

// ---- three balls ----

TEST(Correlation, three_balls) {
  Draw draw(2);
  int checked = 0, touching = 0;
  for (int i = 0; i < 20000; ++i) {
    ThreeBalls b{draw(0.2, 3), draw(0.2, 3), draw(0.2, 3), 1, 0, 0, draw(0, 1), draw(0, 1), draw(0, 0.9)};
    if (i % 2 == 0) b.v3 = -draw(0, 0.7);
    if (!b.is_valid()) continue;
    const ImpactResult r = solve_impact(b.problem());
    ASSERT_NEAR(r.impulse[1], b.tau12(), 1e-10);
    ASSERT_NEAR(r.impulse[3], b.tau23(), 1e-10);
    ASSERT_NEAR(r.velocity[1], b.v2_after() - b.v1_after(), 1e-10);
    ASSERT_NEAR(r.velocity[3], b.v3_after() - b.v2_after(), 1e-10);
    ASSERT_EQ(r.limited, 0);
    ASSERT_FALSE(r.endless);
    ++checked;
    touching += b.v2 == b.v3;
  }
  EXPECT_GT(checked, 2000);
  EXPECT_GT(touching, 500);
}

TEST(Correlation, three_balls_whose_second_pair_parts_first) {
  // α τ₁₂ᶠ > τ₂₃ᶜ, where eqs 11–19 fail. The second pair goes through its whole cycle, at the rate α, while the first
  // one is still closed: by hand for masses 1, v = 1, 0, −0.5, e = 1/2, α = 0.9.
  const double alpha = 0.9, e = 0.5;
  ThreeBalls b{1, 1, 1, 1, 0, -0.5, e, e, alpha};
  ASSERT_GT(alpha * b.tau12(), b.tau23_compression());
  const double g1 = 2 - alpha, g2 = 2 * alpha - 1;  // opening of the pairs per impulse of the first
  const double end2 = (1 + e) * 0.5 / g2;           // second pair has given back its energy
  const double end1 = (1 + e) * 1 / g1;
  ASSERT_LT(end2, end1);
  const double c1 = 1 / g1, work = 0.5 * c1;  // compression of the first pair ends before
  ASSERT_LT(c1, end2);
  const double v1 = g1 * (end2 - c1), left = e * e * work - 0.5 * v1 * (end2 - c1);
  const double more = (-v1 + std::sqrt(v1 * v1 + 4 * left)) / 2;  // opens by 2 per impulse from here on
  const ImpactResult r = solve_impact(b.problem());
  EXPECT_NEAR(r.impulse[1], end2 + more, 1e-14);
  EXPECT_EQ(r.turns, 2);  // the first pair pushes ball 2 after ball 3 again
  int spent = 0;
  for (const ImpactPoint& c : r.path) {
    if (c.corner == ImpactCorner::spent && c.contact == 1) ++spent;
    if (c.corner == ImpactCorner::end && c.leader == 0) {
      EXPECT_NEAR(c.impulse[3], alpha * end2, 1e-14);
    }
  }
  EXPECT_EQ(spent, 1);
}

TEST(Correlation, second_pair_in_restitution_leads_next) {
  // As above, but the first pair ends while the second one gives back its energy: it then finishes alone.
  const double alpha = 0.7, e1 = 0.2, e2 = 0.9;
  ThreeBalls b{1, 1, 1, 1, 0, -0.3, e1, e2, alpha};
  const double g1 = 2 - alpha, g2 = 2 * alpha - 1, end1 = (1 + e1) / g1, c2 = 0.3 / g2;
  ASSERT_LT(c2, end1);
  const double v2 = g2 * (end1 - c2), left = alpha * (e2 * e2 * 0.5 * 0.3 * c2 - 0.5 * v2 * (end1 - c2));
  ASSERT_GT(left, 0);
  const ImpactResult r = solve_impact(b.problem());
  const double more = (-v2 + std::sqrt(v2 * v2 + 4 * left)) / 2;
  EXPECT_NEAR(r.path[0].leader, 0, 0);
  EXPECT_NEAR(r.path.back().impulse[3], r.impulse[3], 0);
  EXPECT_GE(r.turns, 2);
  // After the second turn.
  double second = 0;
  int ends = 0;
  for (const ImpactPoint& c : r.path)
    if (c.corner == ImpactCorner::end && ++ends == 2) second = c.impulse[3];
  EXPECT_NEAR(second, alpha * end1 + more, 1e-14);
}

TEST(Correlation, the_fastest_approach_leads) {
  // Ours; the paper leads with the first pair.
  const ImpactResult first = solve_impact(ThreeBalls{1, 1, 1, 1, 0, -0.5, 1, 1, 0}.problem());
  EXPECT_EQ(first.path.front().leader, 0);
  const ImpactResult second = solve_impact(ThreeBalls{1, 1, 1, 1, 0, -2, 1, 1, 0}.problem());
  EXPECT_EQ(second.path[1].leader, 1);
  const ImpactResult tie = solve_impact(ThreeBalls{1, 1, 1, 1, 0, -1, 1, 1, 0}.problem());
  EXPECT_EQ(tie.path[1].leader, 0);
}

// ---- who leads, and α contact by contact ----

TEST(CorrelationLeader, the_first_leads_as_in_the_paper) {
  // Eqs 11–19 for any v₁ > v₂ > v₃, with contact 1–2 in the lead, whichever pair approaches faster.
  Draw draw(7);
  int checked = 0, other_is_faster = 0;
  for (int i = 0; i < 20000; ++i) {
    ThreeBalls b{draw(0.2, 3), draw(0.2, 3), draw(0.2, 3), 1, draw(-0.5, 0.9), 0,
                 draw(0, 1),   draw(0, 1),   draw(0, 0.9)};
    b.v3 = b.v2 - draw(0.01, 2);
    if (b.alpha * b.tau12() > b.tau23_compression() || b.v2_after() < b.v1_after()) continue;
    ImpactProblem p = b.problem();
    p.leader = LeaderRule::first;
    const ImpactResult r = solve_impact(p);
    ASSERT_EQ(r.path.front().contact, 0);
    ASSERT_NEAR(r.impulse[1], b.tau12(), 1e-10);
    ASSERT_NEAR(r.impulse[3], b.tau23(), 1e-10);
    ++checked;
    other_is_faster += !b.is_valid();
  }
  EXPECT_GT(checked, 2000);
  EXPECT_GT(other_is_faster, 500);
}

TEST(CorrelationLeader, makes_a_difference) {
  // By the paper's equations, evaluated by hand to four digits; the other rule lets the second pair begin.
  const ThreeBalls b{0.46, 2.6, 0.97, 1, 0.54, 0, 0.9, 0.9, 0.02};
  ImpactProblem p = b.problem();
  const auto velocities = [&](const ImpactResult& r) {
    return std::array{b.v1 - r.impulse[1] / b.m1, b.v2 + (r.impulse[1] - r.impulse[3]) / b.m2,
                      b.v3 + r.impulse[3] / b.m3};
  };
  p.leader = LeaderRule::first;
  const auto paper = velocities(solve_impact(p));
  p.leader = LeaderRule::fastest;
  const auto fastest = velocities(solve_impact(p));
  const std::array wanted{0.2551, 0.3252, 0.9290}, other{-0.1897, 0.4702, 0.7513};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(paper[k], wanted[k], 5e-5);
    EXPECT_NEAR(fastest[k], other[k], 5e-5);
  }
}

TEST(CorrelationLeader, the_first_leads_alone) {
  // A tie: the fastest lead together, the first does not share the lead.
  ImpactProblem p = ThreeBalls{1, 1, 1, 1, 0, -1, 1, 1, 0}.problem();
  EXPECT_EQ(solve_impact(p).turns, 1);
  p.leader = LeaderRule::first;
  const ImpactResult r = solve_impact(p);
  EXPECT_GT(r.turns, 1);
  EXPECT_EQ(r.path[1].impulse[3], 0);
}

TEST(CorrelationPerContact, shares_multiply_along_the_row) {
  // Four balls that all approach each other: 1, α₂, α₂α₃ of the leader's impulse, up to the first corner.
  ImpactProblem p = make_balls(Eigen::Vector4d(1, 2, 1, 3), Eigen::Vector4d(2, 1, 0.9, 0.85));
  p.restitution = {0.5, 0.5, 0.5};
  p.correlation_at = {0.9, 0.01, 0.3};
  const ImpactResult r = solve_impact(p);
  const ImpactPoint& corner = r.path[1];
  ASSERT_EQ(corner.leader, 0);
  EXPECT_NEAR(corner.impulse[3], 0.01 * corner.impulse[1], 1e-15);
  EXPECT_NEAR(corner.impulse[5], 0.003 * corner.impulse[1], 1e-15);
}

TEST(CorrelationPerContact, equal_ones_are_the_common_one) {
  Draw draw(8);
  for (int i = 0; i < 300; ++i) {
    ImpactProblem common = draw_impact(draw, 2 + draw.among(3), 6);
    ImpactProblem own = common;
    own.correlation = 0;
    own.correlation_at.assign(own.count, common.correlation);
    EXPECT_EQ(solve_impact(own).impulse, solve_impact(common).impulse);
  }
}

TEST(CorrelationPerContact, never_gains) {
  Draw draw(9);
  for (int i = 0; i < 2000; ++i) {
    ImpactProblem p = draw_impact(draw, 2 + draw.among(3), 7);
    for (int k = 0; k < p.count; ++k) p.correlation_at.push_back(draw(0, 1));
    if (i % 2 == 0) p.leader = LeaderRule::first;
    expect_sound(p, solve_impact(p));
  }
}

TEST(Correlation, newtons_cradle) {
  for (int balls : {2, 3, 5, 9}) {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(balls);
    v[0] = 2;
    ImpactProblem p = make_balls(Eigen::VectorXd::Constant(balls, 0.5), v);
    p.restitution.assign(balls - 1, 1.0);
    const ImpactResult r = solve_impact(p);
    // One ball leaves with all of the velocity, so every contact has passed on the same impulse.
    for (int i = 0; i + 1 < balls; ++i) {
      EXPECT_DOUBLE_EQ(r.impulse[2 * i + 1], 1.0);
      EXPECT_NEAR(r.velocity[2 * i + 1], i + 2 == balls ? 2 : 0, 1e-15);
    }
    EXPECT_NEAR(r.energy_change, 0, 1e-15);
    EXPECT_FALSE(r.endless);
  }
}

// ---- the limit of α ----

TEST(Correlation, is_cut_back_to_what_keeps_a_resting_contact_closed) {
  // Eq 73 for balls: α ≤ −G₂₁/G₂₂ = 1/2. Beyond it the answer does not change any more.
  const ImpactResult limit = solve_impact(ThreeBalls{1, 1, 1, 1, 0, 0, 0.6, 0.8, 0.5}.problem());
  EXPECT_EQ(limit.limited, 0);
  const ImpactResult beyond = solve_impact(ThreeBalls{1, 1, 1, 1, 0, 0, 0.6, 0.8, 0.8}.problem());
  EXPECT_DOUBLE_EQ(beyond.limited, 0.8);
  EXPECT_THAT(beyond.note, ::testing::HasSubstr("0.5"));
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(limit.impulse[k], beyond.impulse[k], 1e-14);
    EXPECT_NEAR(limit.velocity[k], beyond.velocity[k], 1e-14);
  }
  EXPECT_EQ(beyond.velocity[3], 0);
  const ImpactResult below = solve_impact(ThreeBalls{1, 1, 1, 1, 0, 0, 0.6, 0.8, 0.5 - 1e-9}.problem());
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(limit.impulse[k], below.impulse[k], 1e-4);  // √ of the distance
}

// ---- rocking block ----

TEST(Correlation, rocking_block) {
  // θ₁ of the experiments; both sets: impact at O1, and impact at O2 (the mirror).
  int simultaneous = 0;
  for (double theta : {0.0, 5.0, 10.0, 15.0, 17.5, 20.0, 22.5})
    for (bool mirrored : {false, true}) {
      RockingBlock b;
      b.make_rectangle();
      b.theta1 = theta * degree;
      b.omega0 = 1.7;
      if (mirrored) b = b.mirrored();
      const RockingBlock::After a = b.after();
      const ImpactResult r = solve_impact(b.problem());
      EXPECT_GE(a.v1, 0);
      EXPECT_NEAR(r.impulse[1], a.tau1, 1e-10) << theta;
      EXPECT_NEAR(r.impulse[3], a.tau2, 1e-10) << theta;
      EXPECT_NEAR(r.velocity[1], a.v1, 1e-10) << theta;
      EXPECT_NEAR(r.velocity[3], a.v2, 1e-10) << theta;
      EXPECT_EQ(r.turns, b.is_simultaneous() ? 2 : 1);
      EXPECT_EQ(b.is_simultaneous(), theta < 17);
      EXPECT_EQ(r.limited, 0);
      simultaneous += b.is_simultaneous();
    }
  EXPECT_EQ(simultaneous, 8);
}

TEST(Correlation, rocking_block_on_two_inclines) {
  Draw draw(4);
  int checked = 0;
  for (int i = 0; i < 3000; ++i) {
    RockingBlock b;
    b.h = draw(0.02, 0.3);
    b.make_rectangle();
    b.theta1 = draw(-0.4, 0.4), b.theta2 = draw(-0.4, 0.4);
    b.e1 = draw(0, 1), b.e2 = draw(0, 1);
    const ImpactProblem p = b.problem();
    b.alpha = b.is_simultaneous() ? draw(0, 1) * std::min(1.0, -p.matrix[13] / p.matrix[15]) : draw(0, 0.9);
    const RockingBlock::After a = b.after();
    if (a.v1 < 1e-9 || a.v2 < 1e-9) continue;
    const ImpactResult r = solve_impact(b.problem());
    ASSERT_NEAR(r.impulse[1], a.tau1, 1e-10 * a.tau1) << i;
    ASSERT_NEAR(r.impulse[3], a.tau2, 1e-10 * a.tau1) << i;
    ASSERT_NEAR(r.velocity[1], a.v1, 1e-10) << i;
    ASSERT_NEAR(r.velocity[3], a.v2, 1e-10) << i;
    ++checked;
  }
  EXPECT_GT(checked, 1000);
}

TEST(Correlation, transition_angle) {
  RockingBlock b;
  b.make_rectangle();
  EXPECT_NEAR(b.transition() / degree, 17, 1e-4);
  for (double alpha : {0.0, 1e-6}) {
    b.alpha = alpha;
    b.theta1 = b.transition() - 1e-4;
    EXPECT_EQ(solve_impact(b.problem()).turns, 2);
    b.theta1 = b.transition() + 1e-4;
    const ImpactResult r = solve_impact(b.problem());
    EXPECT_EQ(r.turns, 1);
    EXPECT_EQ(r.impulse[3], 0);
  }
  // α = 0.01 is beyond its limit between 16.1° and 17°.
  b.alpha = 0.01;
  for (double theta : {16.2, 16.6, 16.99}) {
    b.theta1 = theta * degree;
    const ImpactResult r = solve_impact(b.problem());
    EXPECT_DOUBLE_EQ(r.limited, 0.01) << theta;
    EXPECT_EQ(r.velocity[3], 0);
    EXPECT_FALSE(r.gains());
  }
  for (double theta : {16.0, 17.01}) {
    b.theta1 = theta * degree;
    EXPECT_EQ(solve_impact(b.problem()).limited, 0) << theta;
  }
}

TEST(Correlation, housner) {
  // The corner that lands sticks and does not bounce; the other is free to lift.
  for (double slender : {1.5, 3.0, 8.0}) {
    RockingBlock b;
    b.h = slender * b.b;
    b.make_rectangle();
    b.e1 = b.e2 = b.alpha = 0;
    ImpactProblem p = b.problem();
    p.friction = {1e6, 1e6};
    const ImpactResult r = solve_impact(p);
    const double omega = b.omega0 + (b.h * r.impulse[0] - b.b * r.impulse[1]) / b.inertia;
    EXPECT_NEAR(omega / b.omega0, oracle::housner_ratio(b.b, b.h), 1e-12);
    EXPECT_EQ(r.velocity[0], 0);
    EXPECT_EQ(r.velocity[1], 0);
    EXPECT_NEAR(r.velocity[3], 2 * b.b * omega, 1e-12);
    EXPECT_EQ(r.impulse[3], 0);
    EXPECT_EQ(r.turns, 1);
  }
}

// ---- endless turns ----

TEST(Correlation, turns_end_or_not) {
  // Two contacts with G = (1, −g; −g, 1): turns end if g < (√e₁ + √e₂)/√((1 + e₁)(1 + e₂)).
  for (double e1 : {0.05, 0.3, 0.8})
    for (double e2 : {0.02, 0.3}) {
      const double border = (std::sqrt(e1) + std::sqrt(e2)) / std::sqrt((1 + e1) * (1 + e2));
      for (double side : {e1 * e2 < 0.01 ? 0.7 : 0.98, 1.02}) {
        const double g = border * side;
        if (g >= 1) continue;
        ImpactProblem p;
        p.resize(2);
        p.matrix = {1, 0, 0, 0, 0, 1, 0, -g, 0, 0, 1, 0, 0, -g, 0, 1};
        p.velocity = {0, -1, 0, 0};
        p.restitution = {e1, e2};
        const ImpactResult r = solve_impact(p);
        EXPECT_EQ(r.endless, side > 1) << e1 << ' ' << e2 << ' ' << r.turns;
        EXPECT_FALSE(r.gains());
        if (!r.endless) continue;
        EXPECT_THAT(r.note, ::testing::HasSubstr("(√e1 + √e2)"));
        EXPECT_NEAR(r.velocity[1], 0, 1e-11);
        EXPECT_NEAR(r.velocity[3], 0, 1e-11);
        // Both are closed in the end, whatever the way: Gp = −v.
        EXPECT_NEAR(r.impulse[1], 1 / (1 - g * g), 1e-10);
        EXPECT_NEAR(r.impulse[3], g / (1 - g * g), 1e-10);
      }
    }
}

// ---- any contacts ----

TEST(Correlation, one_contact_is_stronges) {
  Draw draw(6);
  for (int i = 0; i < 5000; ++i) {
    const ImpactProblem p = draw_impact(draw, 1, 3);
    const ImpactResult a = solve_impact(p), b = impact_parts::solve_correlated(p);
    const double size = std::max(1.0, a.impulse[1]);
    for (int k = 0; k < 2; ++k) {
      ASSERT_NEAR(a.impulse[k], b.impulse[k], 1e-10 * size) << i << a.name;
      ASSERT_NEAR(a.velocity[k], b.velocity[k], 1e-10 * size);
    }
    ASSERT_NEAR(a.work_normal[0], b.work_normal[0], 1e-10 * size);
    ASSERT_NEAR(a.work_friction[0], b.work_friction[0], 1e-10 * size);
    ASSERT_EQ(a.jam, b.jam) << i;
  }
}

TEST(Correlation, independent_contacts_are_solved_apart) {
  Draw draw(7);
  for (int i = 0; i < 500; ++i) {
    ImpactProblem one = draw_impact(draw, 1, 3), two = draw_impact(draw, 2, 5), p;
    one.law = two.law = p.law = RestitutionLaw::poisson;
    p.resize(3);  // contacts 0 and 2 are `two`, contact 1 is `one`
    p.correlation = one.correlation = two.correlation;
    const int place[] = {0, 1, 4, 5};
    for (int a = 0; a < 4; ++a) {
      p.velocity[place[a]] = two.velocity[a];
      for (int b = 0; b < 4; ++b) p.matrix[place[a] * 6 + place[b]] = two.matrix[a * 4 + b];
    }
    for (int a = 0; a < 2; ++a) {
      p.velocity[2 + a] = one.velocity[a];
      for (int b = 0; b < 2; ++b) p.matrix[(2 + a) * 6 + 2 + b] = one.matrix[a * 2 + b];
    }
    p.friction = {two.friction[0], one.friction[0], two.friction[1]};
    p.restitution = {two.restitution[0], one.restitution[0], two.restitution[1]};
    const ImpactResult whole = solve_impact(p), first = solve_impact(two), second = solve_impact(one);
    for (int a = 0; a < 4; ++a) ASSERT_EQ(whole.impulse[place[a]], first.impulse[a]);
    for (int a = 0; a < 2; ++a) ASSERT_EQ(whole.velocity[2 + a], second.velocity[a]);
    ASSERT_NEAR(whole.energy_change, first.energy_change + second.energy_change, 1e-10);
    ASSERT_EQ(whole.path.size(), first.path.size() + second.path.size());
    if (!whole.path.empty()) {
      ASSERT_EQ(whole.path.back().impulse, whole.impulse);
    }
  }
}

TEST(Correlation, never_gains_energy) {
  Draw draw(9);
  int endless = 0, limited = 0, several = 0, capped = 0;
  for (int i = 0; i < 24000; ++i) {
    const int contacts = 2 + draw.among(3);
    const int freedoms = 1 + draw.among(2 * contacts + 2);  // fewer than rows: W is singular
    ImpactProblem p = draw_impact(draw, contacts, freedoms);
    const ImpactResult r = solve_impact(p);
    expect_sound(p, r);
    if (HasFailure()) {
      ADD_FAILURE() << "at " << i << ": " << contacts << " contacts, " << freedoms << " freedoms, " << r.name;
      return;
    }
    endless += r.endless;
    limited += r.limited > 0;
    several += r.turns > 1;
    capped += r.turns >= 10000;
  }
  EXPECT_GT(endless, 100);
  EXPECT_GT(limited, 100);
  EXPECT_LT(capped, 200);
  EXPECT_GT(several, 5000);
}

TEST(Correlation, never_gains_energy_with_resting_contacts) {
  Draw draw(10);
  int limited = 0;
  for (int i = 0; i < 12000; ++i) {
    const int contacts = 2 + draw.among(3), freedoms = 2 * contacts + 1;
    ImpactProblem p = draw_impact(draw, contacts, freedoms);
    for (int j = 0; j < contacts; ++j) {
      if (draw.among(2)) p.velocity[2 * j + 1] = 0;
      if (draw.among(2)) p.velocity[2 * j] = 0;
    }
    const ImpactResult r = solve_impact(p);
    expect_sound(p, r);
    if (HasFailure()) {
      ADD_FAILURE() << "at " << i << ": " << contacts << " contacts, " << freedoms << " freedoms, " << r.name;
      return;
    }
    limited += r.limited > 0;
  }
  EXPECT_GT(limited, 500);
}

TEST(Correlation, scales_and_mirrors) {
  Draw draw(12);
  for (int i = 0; i < 2000; ++i) {
    const int contacts = 2 + draw.among(3), rows = 2 * contacts;
    const ImpactProblem p = draw_impact(draw, contacts, rows + 1);
    const ImpactResult r = solve_impact(p);
    double largest = 0;
    for (double x : r.impulse) largest = std::max(largest, std::abs(x));
    ImpactProblem mirror = p;
    for (int a = 0; a < rows; a += 2) {
      mirror.velocity[a] *= -1;
      for (int b = 0; b < rows; ++b) mirror.matrix[a * rows + b] *= -1, mirror.matrix[b * rows + a] *= -1;
    }
    const ImpactResult m = solve_impact(mirror);
    for (int a = 0; a < rows; ++a)
      ASSERT_NEAR(m.impulse[a], a % 2 ? r.impulse[a] : -r.impulse[a], 1e-9 * largest) << i << r.name;
    for (double w : {1e-9, 1e9}) {
      ImpactProblem scaled = p;
      for (double& x : scaled.matrix) x *= w;
      for (double& x : scaled.velocity) x *= 1e-4;
      const ImpactResult s = solve_impact(scaled);
      for (int a = 0; a < rows; ++a) ASSERT_NEAR(s.impulse[a] * w * 1e4, r.impulse[a], 1e-8 * largest) << i;
      if (r.turns < 30) {
        ASSERT_EQ(s.turns, r.turns);
      }
    }
  }
}

// ---- march ----

// The same rules in small steps: friction and the impulses of contacts that rest by projected sweeps over the
// velocities after the step. Nothing is located, nothing is solved exactly.
class March {
 public:
  March(const ImpactProblem& problem, double step)
      : p(problem),
        n(problem.count),
        v(problem.velocity),
        impulse(2 * n, 0.0),
        stored(n, 0.0) {
    speed = speed_of(p);
    dx = step * speed;
  }

  bool run() {
    for (turns = 0; turns < 40; ++turns) {
      int leader = -1;
      double most = 20 * dx;  // approaches that are lost in the steps
      for (int j = 0; j < n; ++j)
        if (-v[2 * j + 1] / unit(p, 2 * j + 1) > most) leader = j, most = -v[2 * j + 1] / unit(p, 2 * j + 1);
      if (leader < 0)
        for (int j = 0; j < n; ++j)
          if (stored[j] > 20 * dx * speed) leader = j;
      if (leader < 0) return true;
      if (!turn(leader)) return false;
    }
    return false;
  }

  const ImpactProblem& p;
  int n, turns = 0;
  std::vector<double> v, impulse, stored;
  double speed = 0, dx = 0;

 private:
  bool turn(int leader) {
    enum { out, active, resting };
    std::vector<int> state(n, out), distance = distances(leader);
    std::vector<double> share(n);
    for (int j = 0; j < n; ++j) {
      share[j] = std::pow(p.correlation, distance[j]);
      const bool at_rest = std::abs(v[2 * j + 1]) < 1e-9 * speed;
      if (j == leader)
        state[j] = active;
      else if (at_rest && stored[j] <= 0)
        state[j] = resting;
      else if (v[2 * j + 1] < 0 || stored[j] > 0)
        state[j] = active;
    }
    const double h = dx / unit(p, 2 * leader + 1);
    std::vector<double> dp(2 * n, 0.0);
    for (int step = 0; step < 400000; ++step) {
      std::vector<double> after = v;
      for (int j = 0; j < n; ++j) {  // starts from the last step
        if (state[j] == out) dp[2 * j] = dp[2 * j + 1] = 0;
        if (state[j] == active) dp[2 * j + 1] = share[j] * h;
        for (int k = 0; k < 2; ++k) add(after, 2 * j + k, dp[2 * j + k]);
      }
      for (int sweep = 0; sweep < 500; ++sweep) {
        double change = 0;
        for (int j = 0; j < n; ++j) {
          if (state[j] == resting) change = std::max(change, project(after, dp, 2 * j + 1, 0, share[j] * h));
          const double bound = p.friction[j] * dp[2 * j + 1];
          if (state[j] != out) change = std::max(change, project(after, dp, 2 * j, -bound, bound));
        }
        if (change < 1e-10 * h) break;
      }
      for (int j = 0; j < n; ++j) {
        const double before = v[2 * j + 1], c = after[2 * j + 1];
        if (state[j] == active) {
          const double work = 0.5 * (before + c) * dp[2 * j + 1];
          stored[j] -= work < 0 ? p.restitution[j] * p.restitution[j] * work : work;
        } else if (state[j] == resting && std::abs(c) > 1e-6 * dx) {
          state[j] = c > 0 ? out : active;
        }
      }
      v = after;
      for (int a = 0; a < 2 * n; ++a) impulse[a] += dp[a];
      for (int j = 0; j < n; ++j)
        if (state[j] == active && v[2 * j + 1] >= 0 && stored[j] <= 0) {
          stored[j] = 0;
          if (j == leader) return true;
          state[j] = out;
        }
    }
    return false;
  }

  void add(std::vector<double>& velocity, int row, double amount) const {
    for (int a = 0; a < 2 * n; ++a) velocity[a] += p.matrix[a * 2 * n + row] * amount;
  }

  double project(std::vector<double>& velocity, std::vector<double>& dp, int row, double low,
                 double high) const {
    const double wish = dp[row] - velocity[row] / p.matrix[row * (2 * n + 1)];
    const double change = std::clamp(wish, low, high) - dp[row];
    dp[row] += change;
    add(velocity, row, change);
    return std::abs(change);
  }

  std::vector<int> distances(int from) const {
    std::vector<int> d(n, 1000);
    d[from] = 0;
    for (int round = 0; round < n; ++round)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k < 4; ++k)
            if (p.matrix[(2 * i + k / 2) * 2 * n + 2 * j + k % 2] != 0) d[i] = std::min(d[i], d[j] + 1);
    return d;
  }
};

// Contacts in a row: each one shares a body with the next.
ImpactProblem draw_row(Draw& draw, int contacts) {
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(2 * contacts, 3 * (contacts + 1));
  Eigen::VectorXd masses(j.cols()), rates(j.cols());
  for (int a = 0; a < j.cols(); ++a) masses[a] = draw(0.5, 2), rates[a] = draw(-1, 1);
  for (int i = 0; i < contacts; ++i)
    for (int k = 0; k < 2; ++k)
      for (int a = 0; a < 6; ++a) j(2 * i + k, 3 * i + a) = draw(-1, 1);
  return make_impact(j, masses.asDiagonal().toDenseMatrix(), rates);
}

TEST(Correlation, agrees_with_a_march) {
  // Off by the step, times what the turns make of it. A draw that lies within a step of another order of turns may
  // differ altogether: it gets finer steps, and what still differs is one in a hundred at most.
  constexpr double step = 2e-4;
  Draw draw(13);
  int checked = 0, off = 0, rough = 0;
  std::string which;
  for (int i = 0; i < 600; ++i) {
    const int contacts = 2 + i % 3;
    ImpactProblem p = i % 2 ? draw_row(draw, contacts) : draw_impact(draw, contacts, 2 * contacts + 2);
    const bool friction = i % 4 < 2;
    for (int j = 0; j < contacts; ++j) {
      p.friction[j] = friction ? draw(0, 1.2) : 0;
      p.restitution[j] = draw(0.2, 1);
      if (draw.among(3) == 0) p.velocity[2 * j + 1] = 0;
      if (draw.among(3) == 0) p.velocity[2 * j] = 0;
    }
    p.correlation = draw(0, 0.9);
    const ImpactResult r = solve_impact(p);
    if (r.turns == 0 || r.turns > 12 || r.endless) continue;
    double largest = 0, worst = 0;
    for (double x : r.impulse) largest = std::max(largest, std::abs(x));
    bool done = false;
    for (double h : {step, 0.1 * step}) {
      March m(p, h);
      if (!(done = m.run())) break;
      worst = 0;
      for (int a = 0; a < 2 * contacts; ++a) worst = std::max(worst, std::abs(r.impulse[a] - m.impulse[a]));
      if (worst <= 0.02 * largest) break;
    }
    if (!done) continue;
    ++checked;
    rough += friction;
    if (worst > 0.02 * largest) ++off, which += std::to_string(i) + " ";
  }
  EXPECT_GT(checked, 350);
  EXPECT_GT(rough, 150);
  EXPECT_LE(off, checked / 100) << which;
}

}  // namespace
}  // namespace thud
