// Several contacts all at once: Newton's and Poisson's law as complementarity problems.
// Sources of truth: closed forms of balls and blocks, the conditions of the laws themselves, the energy theorem of
// Glocker 1995 (Poisson with one restitution never gains), differences for the rates.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "thud/scenario/run.hpp"
#include "unit/impact_oracles.hpp"

namespace thud {
namespace {

using oracle::make_balls;
using oracle::make_impact;

constexpr RestitutionLaw both[] = {RestitutionLaw::newton, RestitutionLaw::poisson};

// A ball strikes two that touch: with all contacts at once the two go on together,
//   v = (1 − 2e, 1 + e, 1 + e)/3   for equal masses, under both laws.
TEST(AtOnce, a_ball_strikes_two_that_touch) {
  for (const RestitutionLaw law : both)
    for (const double e : {0.0, 0.3, 1.0}) {
      ImpactProblem p = make_balls(Eigen::Vector3d::Ones(), Eigen::Vector3d(1, 0, 0));
      p.law = law;
      p.restitution = {e, e};
      const ImpactResult r = solve_impact(p);
      ASSERT_TRUE(r.solved);
      EXPECT_NEAR(1 - r.impulse[1], (1 - 2 * e) / 3, 1e-14);
      EXPECT_NEAR(r.impulse[1] - r.impulse[3], (1 + e) / 3, 1e-14);
      EXPECT_NEAR(r.impulse[3], (1 + e) / 3, 1e-14);
    }
}

// Two restitutions tell the laws apart. Contact A rests, B strikes with 1, W_AB < 0: compression ends with p = W⁻¹(0, 1).
//   newton   c⁺ = (0, e_B)
//   poisson  e_A > e_B: c⁺ = (W_AA p_A (e_A − e_B), e_B + W_AB p_A (e_A − e_B));   e_A ≤ e_B: c⁺_A = 0,
//            p_A grows to −W_AB e_B p_B/W_AA.
TEST(AtOnce, two_restitutions_tell_newton_from_poisson) {
  const double a = 2, b = 3, c = -1, det = a * b - c * c, pa = -c / det, pb = a / det;
  for (const auto& [ea, eb] : {std::pair{0.8, 0.3}, {0.2, 0.9}, {0.5, 0.5}})
    for (const RestitutionLaw law : both) {
      ImpactProblem p;
      p.resize(2);
      p.matrix = {1, 0, 0, 0, 0, a, 0, c, 0, 0, 1, 0, 0, c, 0, b};
      p.velocity = {0, 0, 0, -1};
      p.restitution = {ea, eb};
      p.law = law;
      const ImpactResult r = solve_impact(p);
      ASSERT_TRUE(r.solved);
      if (law == RestitutionLaw::newton) {
        EXPECT_NEAR(r.velocity[1], 0, 1e-15);
        EXPECT_NEAR(r.velocity[3], eb, 1e-15);
      } else if (ea > eb) {
        EXPECT_NEAR(r.velocity[1], a * pa * (ea - eb), 1e-15);
        EXPECT_NEAR(r.velocity[3], eb + c * pa * (ea - eb), 1e-15);
      } else {
        EXPECT_NEAR(r.velocity[1], 0, 1e-15);
        EXPECT_NEAR(r.impulse[1], pa - c * eb * pb / a, 1e-15);
      }
    }
}

// A block lands flat while it moves sideways: both corners get impulses whose moment balances that of friction, and it
// bounces level. Friction slides: vx = 1 − μ(1 + e). The law of the file decides; by impulse correlation it tumbles.
TEST(AtOnce, a_block_that_lands_flat_stays_level) {
  const auto after = [](const std::string& law) {
    const RunResult r = run(parse_scenario(R"toml([[body]]
name = "block"
shape = { kind = "block", length = 0.2, width = 0.2, mass = 1 }
joint = "free"
[contact]
restitution = 0.5
friction = 0.3
law = ")toml" + law + R"toml("
[[wall]]
name = "floor"
[initial]
"block.angle" = 0
"block.x" = 0
"block.z" = -0.3
"block.vx" = 1
"block.vz" = 1
[stop]
time = 0.2
[results]
vx = "block.vx after impact 1"
vz = "block.vz after impact 1"
turn = "block.rate after impact 1"
before = "block.vz before impact 1"
)toml",
                                           "flat.toml", {}));
    std::array<double, 4> out{};
    for (std::size_t k = 0; k < 4; ++k) out[k] = r.results[k].value.value_or(NAN);
    return out;
  };
  for (const char* law : {"newton", "poisson"}) {
    const auto [vx, vz, turn, before] = after(law);
    EXPECT_NEAR(vz, -0.5 * before, 1e-12) << law;
    EXPECT_NEAR(vx, 1 - 0.3 * 1.5 * before, 1e-12) << law;
    EXPECT_NEAR(turn, 0, 1e-11) << law;
  }
  EXPECT_GT(std::abs(after("stronge")[2]), 0.1);
}

// Nothing that a file says is ignored without a word.
TEST(AtOnce, a_correlation_that_no_contact_uses_is_told) {
  const auto notes = [](const std::string& more) {
    return parse_scenario(
               "[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", diameter = 0.1, mass = 1 }\njoint = "
               "\"free\"\n"
               "[contact]\n"
                   + more + "[[wall]]\n[initial]\n\"ball.z\" = -1\n[stop]\ntime = 1\n",
               "ball.toml", {})
        .notes;
  };
  const auto has = [](const std::vector<std::string>& all, const std::string& what) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& n) { return n.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(has(notes("law = \"newton\"\ncorrelation = 0.1\n"), "\"correlation\" is not used"));
  EXPECT_TRUE(has(notes("law = \"poisson\"\nleader = \"first\"\n"), "\"leader\" is not used"));
  EXPECT_FALSE(has(notes("correlation = 0.1\nleader = \"first\"\n"), "is not used"));
  EXPECT_FALSE(has(notes("law = \"newton\"\n"), "is not used"));
}

struct Draw {
  explicit Draw(unsigned seed) : generator(seed) {}
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  }
  int among(int n) { return static_cast<int>((*this)(0, n)); }
  std::mt19937_64 generator;
};

ImpactProblem draw_impact(Draw& draw, RestitutionLaw law, bool redundant = false) {
  const int contacts = 2 + draw.among(4), freedoms = redundant ? 3 : 2 * contacts + draw.among(4);
  Eigen::MatrixXd j(2 * contacts, freedoms), m = Eigen::MatrixXd::Zero(freedoms, freedoms);
  Eigen::VectorXd rates(freedoms);
  for (int a = 0; a < freedoms; ++a) {
    m(a, a) = draw(0.3, 3);
    rates[a] = draw(-1, 1);
    for (int b = 0; b < 2 * contacts; ++b) j(b, a) = draw(-1, 1);
  }
  ImpactProblem p = make_impact(j, m, rates);
  p.law = law;
  const double e = draw(0, 1);
  for (int i = 0; i < contacts; ++i) {
    p.friction[i] = draw.among(4) == 0 ? 0 : draw(0, 2);
    p.restitution[i] = law == RestitutionLaw::newton ? draw(0, 1) : e;
  }
  return p;
}

// 0 ≤ F ⊥ c⁺ + e max(0, −c⁻)·(−1) ≥ 0, |T| ≤ μF, T = ∓μF where s⁺ ≷ 0.
TEST(AtOnce, newtons_conditions_hold_for_random_impacts) {
  Draw draw(1);
  int struck = 0;
  for (int k = 0; k < 2000; ++k) {
    const ImpactProblem p = draw_impact(draw, RestitutionLaw::newton);
    const ImpactResult r = solve_impact(p);
    ASSERT_TRUE(r.solved);
    if (r.name == "none") continue;
    ASSERT_EQ(r.name, "newton, all at once") << k << " " << r.note;
    ++struck;
    double size = 0;
    for (const double x : r.impulse) size = std::max(size, std::abs(x));
    for (int i = 0; i < p.count; ++i) {
      const double f = r.impulse[2 * i + 1], t = r.impulse[2 * i], s = r.velocity[2 * i];
      const double left = r.velocity[2 * i + 1] + p.restitution[i] * std::min(p.velocity[2 * i + 1], 0.0);
      const double small = 1e-9 * (1 + size);
      ASSERT_GE(f, -small);
      ASSERT_GE(left, -small);
      ASSERT_LT(std::min(f, left), small);
      ASSERT_LE(std::abs(t), p.friction[i] * f + small);
      if (std::abs(s) > small) {
        ASSERT_NEAR(t, -std::copysign(p.friction[i] * f, s), small);
      }
    }
  }
  EXPECT_GT(struck, 1000);
}

TEST(AtOnce, poisson_with_one_restitution_never_gains) {
  Draw draw(2);
  int struck = 0;
  for (int k = 0; k < 2000; ++k) {
    const ImpactProblem p = draw_impact(draw, RestitutionLaw::poisson, k % 2 == 0);
    const ImpactResult r = solve_impact(p);
    ASSERT_TRUE(r.solved);
    struck += r.name == "poisson, all at once";
    ASSERT_LE(r.energy_change, 1e-10 * r.energy_scale) << k;
    for (int i = 0; i < p.count; ++i) ASSERT_GE(r.velocity[2 * i + 1], -1e-9 * (1 + r.energy_scale));
  }
  EXPECT_GT(struck, 1000);
}

// Three freedoms, five contacts that close from all sides: no motion opens them all.
TEST(AtOnce, newton_for_a_wedged_body_takes_turns_and_says_so) {
  Draw draw(5);
  int wedged = 0;
  for (int k = 0; k < 500; ++k) {
    const ImpactResult r = solve_impact(draw_impact(draw, RestitutionLaw::newton, true));
    if (r.name == "newton, all at once" || r.name == "none") continue;
    ++wedged;
    ASSERT_NE(r.note.find("take turns instead"), std::string::npos) << r.name;
    for (const double v : r.velocity) ASSERT_LT(std::abs(v), 100);
  }
  EXPECT_GT(wedged, 20);
}

TEST(AtOnce, the_order_of_contacts_does_not_matter) {
  Draw draw(3);
  for (int k = 0; k < 400; ++k) {
    const ImpactProblem p = draw_impact(draw, both[k % 2]);
    std::vector<int> order(p.count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), draw.generator);
    ImpactProblem q = p;
    const int n = 2 * p.count;
    const auto from = [&](int row) { return 2 * order[row / 2] + row % 2; };
    for (int a = 0; a < n; ++a) {
      q.velocity[a] = p.velocity[from(a)];
      q.friction[a / 2] = p.friction[order[a / 2]];
      q.restitution[a / 2] = p.restitution[order[a / 2]];
      for (int b = 0; b < n; ++b) q.matrix[a * n + b] = p.matrix[from(a) * n + from(b)];
    }
    const ImpactResult r = solve_impact(p), s = solve_impact(q);
    ASSERT_TRUE(r.solved && s.solved);
    for (int a = 0; a < n; ++a)
      ASSERT_NEAR(s.velocity[a], r.velocity[from(a)], 1e-9 * (1 + r.energy_scale)) << k << " " << a;
  }
}

TEST(AtOnce, rates_follow_differences) {
  Draw draw(4);
  int compared = 0;
  for (int k = 0; k < 200; ++k) {
    const ImpactProblem p = draw_impact(draw, both[k % 2]);
    const int n = 2 * p.count;
    ImpactProblemOf<Dual<double>> d;
    d.resize(p.count);
    d.law = p.law;
    ImpactProblem q = p;
    const double h = 1e-7;
    for (int a = 0; a < n; ++a) {
      const double rate = draw(-1, 1);
      d.velocity[a] = {p.velocity[a], rate};
      q.velocity[a] += h * rate;
      for (int b = 0; b < n; ++b) d.matrix[a * n + b] = {p.matrix[a * n + b], 0};
    }
    for (int i = 0; i < p.count; ++i) {
      d.friction[i] = {p.friction[i], 0.1};
      q.friction[i] += 0.1 * h;
      d.restitution[i] = {p.restitution[i], 0};
    }
    bool all = true;
    for (int i = 0; i < p.count; ++i) all = all && p.friction[i] > 0;
    if (!all) continue;
    const ImpactResult r = solve_impact(p), s = solve_impact(q);
    const auto t = solve_impact(d);
    for (int a = 0; a < n; ++a) {
      ASSERT_NEAR(value_of(t.velocity[a]), r.velocity[a], 1e-9 * (1 + r.energy_scale));
      ASSERT_NEAR(t.velocity[a].d, (s.velocity[a] - r.velocity[a]) / h, 1e-4 * (1 + r.energy_scale)) << k;
    }
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

}  // namespace
}  // namespace thud
