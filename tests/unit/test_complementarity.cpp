// Source of truth: the conditions of the problem themselves, checked on every answer; closed forms of one contact.

#include "thud/solve/complementarity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "solve/mode_search.hpp"

namespace thud {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Largest violation of the conditions, relative to the offsets and in units of A_ii = 1.
double violation(const ForceProblem& p, const ForceSolution& s) {
  double worst = 0, scale = 1e-300;
  for (int i = 0; i < p.size; ++i)
    scale = std::max(scale, std::abs(p.offset[i]) / std::sqrt(p.matrix[i * p.size + i]));
  for (int i = 0; i < p.size; ++i) {
    const double unit = std::sqrt(p.matrix[i * p.size + i]);
    const double lower = p.normal[i] < 0 ? p.lower[i] : -p.friction[i] * s.force[p.normal[i]];
    const double upper = p.normal[i] < 0 ? p.upper[i] : -lower;
    double r = p.offset[i];
    for (int j = 0; j < p.size; ++j) r += p.matrix[i * p.size + j] * s.force[j];
    EXPECT_NEAR(r, s.rate[i], 1e-9 * (1 + std::abs(r)));
    worst = std::max({worst, (lower - s.force[i]) * unit, (s.force[i] - upper) * unit});
    const double above = (s.force[i] - lower) * unit, below = (upper - s.force[i]) * unit;
    if (r > 0) worst = std::max(worst, std::min(r / unit, above));
    if (r < 0) worst = std::max(worst, std::min(-r / unit, below));
  }
  return worst / scale;
}

// J M⁻¹ Jᵀ of `rows` random rows with `freedoms` columns.
std::vector<double> random_gram(std::mt19937& rng, int rows, int freedoms) {
  std::normal_distribution<double> g;
  std::vector<double> j(static_cast<std::size_t>(rows) * freedoms), w(static_cast<std::size_t>(rows) * rows);
  for (double& x : j) x = g(rng);
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < rows; ++b)
      for (int k = 0; k < freedoms; ++k) w[a * rows + b] += j[a * freedoms + k] * j[b * freedoms + k];
  return w;
}

TEST(Forces, one_contact_that_presses_sticks_or_opens) {
  // A block on the floor: W = I/m, weight m g down, a push P sideways; μ = 0.5 sticks up to P = 0.5 m g.
  for (double push : {0.3, -0.49, 0.51, -2.0}) {
    ForceProblem p;
    p.resize(2);
    p.matrix = {1, 0, 0, 1};
    p.offset = {-9.81, push * 9.81};
    p.upper[0] = infinite;
    p.normal[1] = 0;
    p.friction[1] = 0.5;
    const ForceSolution s = solve_forces(p);
    ASSERT_TRUE(s.solved);
    EXPECT_NEAR(s.force[0], 9.81, 1e-12);
    EXPECT_NEAR(s.force[1], -9.81 * std::clamp(push, -0.5, 0.5), 1e-12);
    EXPECT_EQ(s.state[1] == BoundState::inside, std::abs(push) < 0.5);
    p.offset[0] = 1;
    const ForceSolution open = solve_forces(p);
    ASSERT_TRUE(open.solved);
    EXPECT_EQ(open.force[0], 0);
    EXPECT_EQ(open.force[1], 0);
  }
}

TEST(Forces, random_contacts_that_stick_also_dependent_ones) {
  std::mt19937 rng(4);
  std::uniform_real_distribution<double> u(0, 1);
  int unsolved = 0;
  for (int k = 0; k < 20'000; ++k) {
    const int contacts = 1 + static_cast<int>(rng() % 4), boxes = static_cast<int>(rng() % 3);
    const int rows = 2 * contacts + boxes, freedoms = 2 + static_cast<int>(rng() % 8);
    ForceProblem p;
    p.resize(rows);
    p.matrix = random_gram(rng, rows, freedoms);
    // Accelerations that free motion could have: b in the range of J.
    const double size = std::pow(10.0, 6 * u(rng) - 3);
    for (int i = 0; i < rows; ++i) {
      double b = 0;
      for (int j = 0; j < rows; ++j) b += p.matrix[i * rows + j] * std::sin(1.7 * j + k);
      p.offset[i] = size * b;
    }
    for (int c = 0; c < contacts; ++c) {
      p.upper[c] = infinite;
      p.normal[contacts + c] = c;
      p.friction[contacts + c] = u(rng) < 0.2 ? 0.0 : 1.2 * u(rng);
    }
    for (int i = 2 * contacts; i < rows; ++i) p.lower[i] = -size * u(rng), p.upper[i] = size * u(rng);
    const ForceSolution s = solve_forces(p);
    if (!s.solved) {
      ++unsolved;
      continue;
    }
    ASSERT_LT(violation(p, s), 1e-8) << k;
  }
  EXPECT_EQ(unsolved, 0);
}

// The search alone, without Lemke's method: it finds answers, and they keep all conditions.
TEST(Forces, the_search_of_modes_finds_what_exists) {
  std::mt19937 rng(14);
  std::uniform_real_distribution<double> u(0, 1);
  int found = 0;
  constexpr int problems = 300;
  for (int k = 0; k < problems; ++k) {
    const int contacts = 1 + static_cast<int>(rng() % 4), rows = 2 * contacts;
    ForceProblem p;
    p.resize(rows);
    p.matrix = random_gram(rng, rows, 2 + static_cast<int>(rng() % 8));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) p.offset[i] += p.matrix[i * rows + j] * std::sin(1.7 * j + k);
    for (int c = 0; c < contacts; ++c) {
      p.upper[c] = infinite;
      p.normal[contacts + c] = c;
      p.friction[contacts + c] = 1.2 * u(rng);
    }
    ForceSolution s = solve_forces(p);
    ASSERT_TRUE(s.solved);
    if (!search_modes(p, s)) continue;
    ++found;
    ASSERT_LT(violation(p, s), 1e-7) << k;
  }
  EXPECT_GE(found, problems * 98 / 100);  // solutions exist for all of these (friction that only sticks)
}

TEST(Forces, boxes_agree_with_the_convex_problem) {
  std::mt19937 rng(9);
  std::uniform_real_distribution<double> u(0, 1);
  for (int k = 0; k < 5'000; ++k) {
    const int rows = 1 + static_cast<int>(rng() % 6);
    ForceProblem p;
    p.resize(rows);
    BoxQp q;
    q.resize(rows);
    p.matrix = q.matrix = random_gram(rng, rows, rows + 1);
    for (int i = 0; i < rows; ++i) {
      p.offset[i] = q.offset[i] = 4 * u(rng) - 2;
      p.lower[i] = q.lower[i] = -u(rng);
      p.upper[i] = q.upper[i] = u(rng);
    }
    const ForceSolution s = solve_forces(p);
    const BoxQpSolution t = solve_box_qp(q);
    ASSERT_TRUE(s.solved && t.converged);
    for (int i = 0; i < rows; ++i) ASSERT_NEAR(s.force[i], t.force[i], 1e-8) << k;
  }
}

TEST(Forces, a_sliding_rod_of_painleve_has_no_answer) {
  // Sliding friction in the column of the normal force: γ − μ|ε| < 0, and the rod is pressed on.
  ForceProblem p;
  p.resize(1);
  p.matrix = {-0.2};
  p.offset = {-1};
  p.upper[0] = infinite;
  EXPECT_FALSE(solve_forces(p).solved);
}

}  // namespace
}  // namespace thud
