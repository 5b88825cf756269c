// Sobol indices against functions whose indices are known in closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "study/quasi_random.hpp"
#include "thud/study/sobol.hpp"

namespace {

using namespace thud;
using std::numbers::pi;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Exact {
  std::vector<double> first, total;
};

// y = sin x₁ + a sin² x₂ + b x₃⁴ sin x₁, x uniform over (−π, π), a = 7, b = 0.1 (Ishigami & Homma 1990):
//   V₁ = (1 + b π⁴/5)²/2, V₂ = a²/8, V₁₃ = b² π⁸ (1/18 − 1/50), V = V₁ + V₂ + V₁₃.
double ishigami(double u1, double u2, double u3) {
  const double x1 = pi * (2 * u1 - 1), x2 = pi * (2 * u2 - 1), x3 = pi * (2 * u3 - 1);
  return std::sin(x1) + 7 * std::pow(std::sin(x2), 2) + 0.1 * std::pow(x3, 4) * std::sin(x1);
}
Exact exact_ishigami() {
  const double p4 = std::pow(pi, 4), v1 = std::pow(1 + 0.1 * p4 / 5, 2) / 2, v2 = 49.0 / 8;
  const double v13 = 0.01 * p4 * p4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  return {{v1 / v, v2 / v, 0}, {(v1 + v13) / v, v2 / v, v13 / v}};
}

SobolModel model_of(double (*f)(double, double, double)) {
  return [f](std::span<const double> u, std::span<double> y) {
    y[0] = f(u[0], u[1], u[2]);
    return true;
  };
}

void expect_near(const SobolOutput& o, const Exact& exact, double tolerance) {
  ASSERT_TRUE(o.varies);
  for (std::size_t i = 0; i < exact.first.size(); ++i) {
    EXPECT_NEAR(o.first[i].value, exact.first[i], tolerance) << "S" << i + 1;
    EXPECT_NEAR(o.total[i].value, exact.total[i], tolerance) << "T" << i + 1;
    EXPECT_LE(o.first[i].low, o.first[i].value);
    EXPECT_GE(o.first[i].high, o.first[i].value);
    EXPECT_LE(o.total[i].low, o.total[i].value);
    EXPECT_GE(o.total[i].high, o.total[i].value);
  }
}

TEST(Ishigami, closed_form_as_published) {
  const Exact e = exact_ishigami();
  EXPECT_THAT(e.first, ::testing::ElementsAre(::testing::DoubleNear(0.3139, 5e-5),
                                              ::testing::DoubleNear(0.4424, 5e-5), 0));
  EXPECT_THAT(e.total,
              ::testing::ElementsAre(::testing::DoubleNear(0.5576, 5e-5), ::testing::DoubleNear(0.4424, 5e-5),
                                     ::testing::DoubleNear(0.2437, 5e-5)));
}

// A summand b(c − a)/V or (a − c)²/2V has a standard deviation of about 0.9 here (measured): four standard errors of
// 4096 independent samples are 0.06. The sequence does far better: the worst of the indices of 100 seeds is off by 0.0036.
TEST(Ishigami, indices_within_a_fraction_of_the_error_of_independent_samples) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SobolOptions o;
    o.seed = seed;
    o.bootstrap = 200;
    const SobolIndices s = sobol_indices(3, 1, 4096, model_of(ishigami), o);
    EXPECT_EQ(s.samples, 4096);
    EXPECT_EQ(s.runs, 4096 * 5);
    EXPECT_EQ(s.failed, 0);
    EXPECT_FALSE(s.cancelled);
    expect_near(s.outputs[0], exact_ishigami(), 0.008);
    EXPECT_NEAR(s.outputs[0].mean, 3.5, 0.02);  // a/2
    EXPECT_NEAR(s.outputs[0].variance, 13.8446, 0.2);
    EXPECT_NEAR(s.outputs[0].first_sum.value, exact_ishigami().first[0] + exact_ishigami().first[1], 0.03);
  }
}

// An even sequence behind a hash is as good as independent numbers: for these the intervals are made.
double scattered(double u) { return unit_number(hash_of(std::bit_cast<std::uint64_t>(u), 0, 0)); }

struct Coverage {
  int inside = 0, all = 0;
  double share() const { return static_cast<double>(inside) / all; }
};

Coverage coverage(double (*f)(double, double, double), const Exact& exact) {
  Coverage c;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SobolOptions o;
    o.seed = seed;
    o.bootstrap = 300;
    o.confidence = 0.9;
    const SobolOutput out = sobol_indices(3, 1, 512, model_of(f), o).outputs[0];
    const auto count = [&](const SobolIndex& i, double x) { ++c.all, c.inside += i.low <= x && x <= i.high; };
    for (std::size_t i = 0; i < 3; ++i)
      count(out.first[i], exact.first[i]), count(out.total[i], exact.total[i]);
  }
  return c;
}

// 60 studies with 6 indices each, about 3 of which are independent of each other: the share has a standard deviation
// of √(0.9 · 0.1/180) = 0.022. Percentile intervals fall short by a few per cent at 512 samples.
TEST(Ishigami, intervals_hold_the_truth_as_often_as_they_say_for_independent_samples) {
  const Coverage c = coverage(
      [](double a, double b, double d) { return ishigami(scattered(a), scattered(b), scattered(d)); },
      exact_ishigami());
  EXPECT_GT(c.share(), 0.9 - 0.022 * 3 - 0.02);
  EXPECT_LT(c.share(), 0.9 + 0.022 * 3);
}

TEST(Ishigami, intervals_hold_the_truth_more_often_for_the_sequence) {
  EXPECT_GT(coverage(ishigami, exact_ishigami()).share(), 0.95);
}

// g = Π (|4 x_i − 2| + a_i)/(1 + a_i) (Sobol' 1993): V_i = 1/(3(1 + a_i)²), V = Π(1 + V_i) − 1,
// S_i = V_i/V, T_i = V_i Π_{j≠i}(1 + V_j)/V.
TEST(GFunction, indices_of_six_knobs) {
  const std::vector<double> a{0, 0.5, 3, 9, 99, 99};
  Exact e;
  double product = 1;
  for (const double k : a) product *= 1 + 1 / (3 * (1 + k) * (1 + k));
  for (const double k : a) {
    const double v = 1 / (3 * (1 + k) * (1 + k));
    e.first.push_back(v / (product - 1));
    e.total.push_back(v * product / (1 + v) / (product - 1));
  }
  const SobolModel g = [&](std::span<const double> u, std::span<double> y) {
    y[0] = 1;
    for (std::size_t i = 0; i < a.size(); ++i) y[0] *= (std::abs(4 * u[i] - 2) + a[i]) / (1 + a[i]);
    return true;
  };
  SobolOptions o;
  o.bootstrap = 100;
  expect_near(sobol_indices(6, 1, 8192, g, o).outputs[0], e, 0.02);
}

// y = Σ c_i x_i: S_i = T_i = c_i²/Σ c². A large mean must not spoil it.
TEST(Linear, knobs_add_up) {
  const std::vector<double> c{3, 2, 1, 0};
  const SobolModel linear = [&](std::span<const double> u, std::span<double> y) {
    y[0] = 1e6;
    for (std::size_t i = 0; i < c.size(); ++i) y[0] += c[i] * u[i];
    return true;
  };
  const Exact e{{9.0 / 14, 4.0 / 14, 1.0 / 14, 0}, {9.0 / 14, 4.0 / 14, 1.0 / 14, 0}};
  const SobolOutput o = sobol_indices(4, 1, 4096, linear).outputs[0];
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(o.first[i].value, e.first[i], 0.01);
    EXPECT_NEAR(o.total[i].value, e.total[i], 0.01);
  }
  EXPECT_NEAR(o.first_sum.value, 1, 0.01);
  EXPECT_EQ(o.total[3].value, 0);  // never stepped on
}

TEST(Sobol, a_constant_has_no_indices) {
  const SobolModel model = [](std::span<const double> u, std::span<double> y) {
    y[0] = 0.1;
    y[1] = u[0];
    y[2] = 0.1 + 1e-17 * u[0];
    return true;
  };
  const SobolIndices s = sobol_indices(2, 3, 64, model);
  for (const std::size_t k : {0u, 2u}) {
    EXPECT_FALSE(s.outputs[k].varies);
    EXPECT_EQ(s.outputs[k].used, 64);
    EXPECT_TRUE(std::isnan(s.outputs[k].first[0].value));
    EXPECT_NEAR(s.outputs[k].mean, 0.1, 1e-15);
  }
  EXPECT_TRUE(s.outputs[1].varies);
}

TEST(Sobol, the_same_numbers_for_any_number_of_threads) {
  const SobolModel model = [](std::span<const double> u, std::span<double> y) {
    y[0] = ishigami(u[0], u[1], u[2]);
    y[1] = u[0] > 0.97 ? nan : u[0] * u[1];
    return u[2] < 0.99;
  };
  SobolOptions o;
  o.bootstrap = 50;
  o.jobs = 1;
  const SobolIndices one = sobol_indices(3, 2, 512, model, o);
  for (const int jobs : {2, 5}) {
    o.jobs = jobs;
    const SobolIndices many = sobol_indices(3, 2, 512, model, o);
    EXPECT_EQ(one.failed, many.failed);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(one.outputs[k].variance, many.outputs[k].variance);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(one.outputs[k].first[i].value, many.outputs[k].first[i].value);
        EXPECT_EQ(one.outputs[k].first[i].low, many.outputs[k].first[i].low);
        EXPECT_EQ(one.outputs[k].total[i].value, many.outputs[k].total[i].value);
        EXPECT_EQ(one.outputs[k].total[i].high, many.outputs[k].total[i].high);
      }
    }
  }
  o.seed = 2;
  EXPECT_NE(one.outputs[0].first[0].value, sobol_indices(3, 2, 512, model, o).outputs[0].first[0].value);
}

// Left out are whole samples, so that what is left is an even sample of the part that has values: there u₀ < 0.8, and
// y = u₀ + u₁ has S₀ = 0.64/1.64.
TEST(Sobol, samples_with_failed_runs_are_left_out_for_all_knobs) {
  const SobolModel model = [](std::span<const double> u, std::span<double> y) {
    y[0] = u[0] + u[1];
    y[1] = u[0] < 0.8 ? y[0] : nan;
    return true;
  };
  const SobolIndices s = sobol_indices(2, 2, 4096, model);
  EXPECT_EQ(s.outputs[0].used, 4096);
  // Both u₀ of A and u₀ of B must be below 0.8.
  EXPECT_NEAR(static_cast<double>(s.outputs[1].used) / 4096, 0.64, 0.02);
  // Runs in A, B, A with u₀ of B and A with u₁ of B: a fifth each.
  EXPECT_NEAR(static_cast<double>(s.failed) / static_cast<double>(s.runs), 0.2, 0.01);
  EXPECT_NEAR(s.outputs[0].first[0].value, 0.5, 0.01);
  for (const auto* indices : {&s.outputs[1].first, &s.outputs[1].total}) {
    EXPECT_NEAR((*indices)[0].value, 0.64 / 1.64, 0.02);
    EXPECT_NEAR((*indices)[1].value, 1 / 1.64, 0.02);
  }
}

TEST(Sobol, nothing_but_failures) {
  const SobolIndices s = sobol_indices(1, 1, 32, [](auto, auto) { return false; });
  EXPECT_EQ(s.outputs[0].used, 0);
  EXPECT_FALSE(s.outputs[0].varies);
  EXPECT_EQ(s.failed, 96);
}

TEST(Sobol, cancelling_keeps_the_samples_that_are_done) {
  std::atomic<bool> cancel = false;
  std::atomic<int> calls = 0;
  const SobolModel model = [&](std::span<const double> u, std::span<double> y) {
    y[0] = u[0] + u[1] * u[1];
    if (++calls == 400) cancel = true;
    return true;
  };
  SobolOptions o;
  o.cancel = &cancel;
  const SobolIndices s = sobol_indices(2, 1, 4096, model, o);
  EXPECT_TRUE(s.cancelled);
  EXPECT_GE(s.samples, 90);
  EXPECT_LE(s.samples, 101);
  EXPECT_TRUE(s.outputs[0].varies);
}

TEST(Sobol, refuses_senseless_requests) {
  const SobolModel model = [](auto, auto) { return true; };
  EXPECT_THROW((void)sobol_indices(0, 1, 16, model), std::invalid_argument);
  EXPECT_THROW((void)sobol_indices(1, 0, 16, model), std::invalid_argument);
  SobolOptions o;
  o.confidence = 1;
  EXPECT_THROW((void)sobol_indices(1, 1, 16, model, o), std::invalid_argument);
}

// 2^m points of the sequence lie one in each interval of length 2^−m, shifted or not.
TEST(ShiftedSobol, is_even_in_every_coordinate) {
  for (const std::uint64_t seed : {0u, 7u}) {
    ShiftedSobol sequence(12, seed);
    std::vector<std::vector<int>> hits(12, std::vector<int>(256));
    std::vector<double> u(12);
    for (int j = 0; j < 256; ++j) {
      sequence.next(u);
      for (std::size_t k = 0; k < 12; ++k) {
        ASSERT_TRUE(u[k] > 0 && u[k] < 1);
        ++hits[k][static_cast<std::size_t>(u[k] * 256)];
      }
    }
    for (const auto& h : hits) EXPECT_THAT(h, ::testing::Each(1));
  }
}

}  // namespace
