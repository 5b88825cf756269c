// The points of a sweep: each design has the property it is named for, and run i is a function of i alone.
#include "thud/study/design.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace {

using namespace thud;

VariedKnob make_knob(const std::string& name, Distribution d, bool integer = false) {
  VariedKnob v;
  v.knob.name = name;
  v.knob.integer = integer;
  v.distribution = std::move(d);
  return v;
}

Distribution make_grid(double low, double high, std::int64_t count) {
  Distribution d;
  d.kind = Distribution::Kind::grid;
  d.low = low;
  d.high = high;
  d.count = count;
  return d;
}

Distribution make_list(std::vector<double> values) {
  Distribution d;
  d.kind = Distribution::Kind::list;
  d.list = std::move(values);
  return d;
}

Distribution make_uniform(double low, double high) {
  Distribution d;
  d.kind = Distribution::Kind::uniform;
  d.low = low;
  d.high = high;
  return d;
}

Distribution make_normal(double mean, double deviation) {
  Distribution d;
  d.kind = Distribution::Kind::normal;
  d.mean = mean;
  d.deviation = deviation;
  return d;
}

Study make_study(std::vector<VariedKnob> vary, Design::Kind kind, std::int64_t runs = 0,
                 std::uint64_t seed = 1) {
  Study s;
  s.vary = std::move(vary);
  s.design.kind = kind;
  s.design.runs = runs;
  s.design.seed = seed;
  return s;
}

std::vector<double> point(DesignPoints& points, std::int64_t run, std::size_t width) {
  std::vector<double> values(width);
  points.get(run, values);
  return values;
}

TEST(Design, grid_is_factorial_with_the_last_knob_fastest) {
  const Study s =
      make_study({make_knob("a", make_grid(0, 1, 3)), make_knob("b", make_list({7, 5}))}, Design::Kind::grid);
  DesignPoints points(s);
  ASSERT_EQ(points.size(), 6);
  const std::vector<std::vector<double>> expected = {{0, 7}, {0, 5}, {0.5, 7}, {0.5, 5}, {1, 7}, {1, 5}};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(point(points, i, 2), expected[i]) << i;
}

TEST(Design, a_grid_ends_exactly_at_its_ends) {
  const Distribution d = make_grid(0.1, 0.7, 36);
  EXPECT_EQ(d.value(0), 0.1);
  EXPECT_EQ(d.value(35), 0.7);
  EXPECT_EQ(make_grid(3, 3, 1).value(0), 3);
}

TEST(Design, any_order_gives_the_same_points) {
  for (const Design::Kind kind : {Design::Kind::random, Design::Kind::latin, Design::Kind::sobol}) {
    const Study s = make_study({make_knob("a", make_uniform(0, 1)), make_knob("b", make_normal(0, 1)),
                                make_knob("c", make_list({1, 2, 3}))},
                               kind, 500, 3);
    DesignPoints forward(s), jumping(s);
    std::vector<std::vector<double>> all;
    for (int i = 0; i < 500; ++i) all.push_back(point(forward, i, 3));
    for (int k = 0; k < 500; ++k) {
      const int i = (k * 377 + 11) % 500;
      EXPECT_EQ(point(jumping, i, 3), all[i]) << i;
    }
    EXPECT_EQ(point(jumping, 0, 3), all[0]);
    EXPECT_EQ(point(jumping, 1, 3), all[1]);
  }
}

// The first points of the sequence: Joe & Kuo (2008), as in every table of it.
TEST(Design, sobol_is_the_known_sequence) {
  const Study s = make_study({make_knob("a", make_uniform(0, 1)), make_knob("b", make_uniform(0, 1)),
                              make_knob("c", make_uniform(0, 1))},
                             Design::Kind::sobol, 8, 0);
  DesignPoints points(s);
  const double known[8][3] = {{0, 0, 0},
                              {0.5, 0.5, 0.5},
                              {0.75, 0.25, 0.25},
                              {0.25, 0.75, 0.75},
                              {0.375, 0.375, 0.625},
                              {0.875, 0.875, 0.125},
                              {0.625, 0.125, 0.875},
                              {0.125, 0.625, 0.375}};
  for (int i = 0; i < 8; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(point(points, i, 3)[k], known[i][k], 1e-15) << i << " " << k;
}

// 2^k points have one in each of 2^k equal intervals, in every coordinate; a digital shift keeps that.
TEST(Design, sobol_is_even_with_and_without_a_shift) {
  for (const std::uint64_t seed : {0u, 1u, 77u}) {
    const Study s = make_study({make_knob("a", make_uniform(0, 1)), make_knob("b", make_uniform(0, 1))},
                               Design::Kind::sobol, 1024, seed);
    DesignPoints points(s);
    std::set<int> a, b;
    for (int i = 0; i < 1024; ++i) {
      const auto p = point(points, i, 2);
      a.insert(static_cast<int>(p[0] * 1024));
      b.insert(static_cast<int>(p[1] * 1024));
    }
    EXPECT_EQ(a.size(), 1024u);
    EXPECT_EQ(b.size(), 1024u);
  }
}

TEST(Design, latin_hypercube_has_one_run_per_stratum_of_every_knob) {
  for (const std::int64_t n : {1, 2, 3, 17, 1000, 1024}) {
    const Study s = make_study({make_knob("a", make_uniform(0, 1)), make_knob("b", make_uniform(0, 1)),
                                make_knob("c", make_uniform(0, 1))},
                               Design::Kind::latin, n);
    DesignPoints points(s);
    for (int k = 0; k < 3; ++k) {
      std::set<std::int64_t> strata;
      for (std::int64_t i = 0; i < n; ++i)
        strata.insert(static_cast<std::int64_t>(point(points, i, 3)[k] * static_cast<double>(n)));
      EXPECT_EQ(static_cast<std::int64_t>(strata.size()), n) << k;
      EXPECT_GE(*strata.begin(), 0);
      EXPECT_LT(*strata.rbegin(), n);
    }
  }
}

TEST(Design, permutations_are_bijections_that_differ_by_key) {
  for (const std::uint64_t n : {1u, 2u, 5u, 64u, 1000u, 4097u}) {
    std::set<std::uint64_t> images;
    for (std::uint64_t i = 0; i < n; ++i) images.insert(permuted(i, n, 42));
    EXPECT_EQ(images.size(), n);
    EXPECT_LT(*images.rbegin(), n);
  }
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) same += permuted(i, 1000, 1) == permuted(i, 1000, 2);
  EXPECT_LT(same, 12);  // expected 1, and more than 11 has a probability below 1e-8
}

// Bounds are five standard errors of the moments of 100 000 draws.
TEST(Design, random_draws_have_the_moments_of_their_distributions) {
  constexpr int n = 100000;
  const Study s = make_study({make_knob("a", make_uniform(2, 4)), make_knob("b", make_normal(-1, 0.5))},
                             Design::Kind::random, n, 5);
  DesignPoints points(s);
  double sum[2] = {}, square[2] = {}, product = 0;
  for (int i = 0; i < n; ++i) {
    const auto p = point(points, i, 2);
    EXPECT_TRUE(p[0] > 2 && p[0] < 4);
    const double x[2] = {p[0] - 3, p[1] + 1};
    for (int k = 0; k < 2; ++k) sum[k] += x[k] / n, square[k] += x[k] * x[k] / n;
    product += x[0] * x[1] / n;
  }
  const double root = std::sqrt(double{n});
  EXPECT_NEAR(sum[0], 0, 5 * std::sqrt(1.0 / 3) / root);
  EXPECT_NEAR(sum[1], 0, 5 * 0.5 / root);
  EXPECT_NEAR(square[0], 1.0 / 3, 5 * std::sqrt(4.0 / 45) / root);
  EXPECT_NEAR(square[1], 0.25, 5 * std::sqrt(2.0) * 0.25 / root);
  EXPECT_NEAR(product, 0, 5 * std::sqrt(1.0 / 3) * 0.5 / root);
}

TEST(Design, seeds_differ) {
  for (const Design::Kind kind : {Design::Kind::random, Design::Kind::latin, Design::Kind::sobol}) {
    DesignPoints a(make_study({make_knob("a", make_uniform(0, 1))}, kind, 100, 1));
    DesignPoints b(make_study({make_knob("a", make_uniform(0, 1))}, kind, 100, 2));
    EXPECT_NE(point(a, 50, 1), point(b, 50, 1));
  }
}

TEST(Design, whole_numbers_and_lists_get_equal_shares) {
  const Study s = make_study({make_knob("n", make_uniform(1, 4), true), make_knob("l", make_list({10, 20})),
                              make_knob("m", make_normal(5, 1), true)},
                             Design::Kind::latin, 400);
  DesignPoints points(s);
  std::map<double, int> n, l;
  for (int i = 0; i < 400; ++i) {
    const auto p = point(points, i, 3);
    ++n[p[0]];
    ++l[p[1]];
    EXPECT_EQ(p[2], std::round(p[2]));
  }
  EXPECT_THAT(n, ::testing::ElementsAre(std::pair(1.0, 100), std::pair(2.0, 100), std::pair(3.0, 100),
                                        std::pair(4.0, 100)));
  EXPECT_THAT(l, ::testing::ElementsAre(std::pair(10.0, 200), std::pair(20.0, 200)));
}

TEST(Design, far_runs_of_long_designs_are_reached_at_once) {
  for (const Design::Kind kind : {Design::Kind::random, Design::Kind::latin, Design::Kind::sobol}) {
    DesignPoints points(make_study({make_knob("a", make_uniform(0, 1))}, kind, 1'000'000'000'000));
    const double x = point(points, 999'999'999'999, 1)[0];
    EXPECT_TRUE(x > 0 && x < 1);
  }
}

TEST(Design, refuses_what_is_empty_or_endless) {
  EXPECT_THROW(DesignPoints(make_study({}, Design::Kind::grid)), InputError);
  EXPECT_THROW(DesignPoints(make_study({make_knob("a", make_uniform(0, 1))}, Design::Kind::random, 0)),
               InputError);
  EXPECT_THROW(DesignPoints(make_study({make_knob("a", make_grid(0, 1, 1'000'000'000)),
                                        make_knob("b", make_grid(0, 1, 1'000'000'000))},
                                       Design::Kind::grid)),
               InputError);
}

}  // namespace
