// Stresses on outlines.
// Sources of truth: closed forms (a plate, a polynomial), the formulas of Li, Zhang & Goldman (2013) written with angles,
// a table of wheels computed by another program, and sums over many small elements that know of no cut.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thud/granular/facets.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;

/// As the paper prints it.
Vec printed(const RftCoefficients& k, double beta, double gamma) {
  if (gamma > pi) gamma -= 2 * pi;
  if (std::abs(gamma) > pi / 2) {
    const Vec m = printed(k, -beta, std::remainder(pi - gamma, 2 * pi));
    return {-m.x, m.z};
  }
  return {k.c11 * std::cos(2 * beta + gamma) + k.c01 * std::cos(gamma) + k.cm11 * std::cos(-2 * beta + gamma)
              + k.d10 * std::sin(2 * beta),
          k.a00 + k.a10 * std::cos(2 * beta) + k.b11 * std::sin(2 * beta + gamma) + k.b01 * std::sin(gamma)
              + k.bm11 * std::sin(-2 * beta + gamma)};
}

struct Draw {
  std::mt19937_64 engine{17};
  double operator()(double from, double to) { return std::uniform_real_distribution<>(from, to)(engine); }
};

const RftCoefficients sets[] = {rft_generic, rft_poppy_loose, rft_poppy_close};

TEST(Rft, IsWhatThePaperPrints) {
  Draw draw;
  for (const RftCoefficients& set : sets)
    for (int k = 0; k < 20000; ++k) {
      const double beta = draw(-pi / 2, pi / 2), gamma = draw(-pi, pi);
      const Vec mine = rft_stress(RftLaw{1, set}, beta, gamma), theirs = printed(set, beta, gamma);
      ASSERT_NEAR(mine.x, theirs.x, 2e-15) << beta << ' ' << gamma;
      ASSERT_NEAR(mine.z, theirs.z, 2e-15) << beta << ' ' << gamma;
    }
}

// ζ of the three media is their own α_z(0, π/2). The generic set sums to 1.000 by its printed digits.
TEST(Rft, ScaleIsTheStressOnAFlatPlate) {
  EXPECT_NEAR(rft_stress(RftLaw{}, 0, pi / 2).z, 1.000, 1e-12);
  EXPECT_NEAR(rft_stress(RftLaw{1, rft_poppy_loose}, 0, pi / 2).z, 0.254, 1e-12);
  EXPECT_NEAR(rft_stress(RftLaw{1, rft_poppy_close}, 0, pi / 2).z, 0.464, 1e-12);
}

// A million directions and orientations: the force always takes energy. Its least share is 0.054 of the generic scale,
// found on a fine grid, for the generic set.
TEST(Rft, DissipatesForEveryAttackAndDirection) {
  Draw draw;
  double most[3] = {-1, -1, -1};
  for (int k = 0; k < 1000000; ++k) {
    const double beta = draw(-pi / 2, pi / 2), gamma = draw(-pi, pi);
    const Vec v{-std::cos(gamma), std::sin(gamma)};
    for (int set = 0; set < 3; ++set) {
      const Vec a = rft_stress(RftLaw{1, sets[set]}, beta, gamma);
      most[set] = std::max(most[set], a.x * v.x - a.z * v.z);
    }
  }
  EXPECT_NEAR(most[0], -0.0540, 1e-4);
  EXPECT_LT(most[1], -0.005);
  EXPECT_LT(most[2], -0.005);
}

TEST(Rft, IsContinuousWhereTheMotionTurns) {
  for (double beta : {-1.2, -0.3, 0.0, 0.7})
    for (double gamma : {pi / 2, -pi / 2}) {
      const Vec a = rft_stress(RftLaw{}, beta, gamma - 1e-9), b = rft_stress(RftLaw{}, beta, gamma + 1e-9);
      EXPECT_NEAR(a.x, b.x, 1e-8);
      EXPECT_NEAR(a.z, b.z, 1e-8);
    }
}

/// A plate of length L and breadth b, both ends at one depth, moving with v. Its outside is below.
FacetOf<double> level(double z, double length, double breadth, Vec v, bool thin = false) {
  return {{length, z}, {0, z}, v, v, breadth, thin};
}

TEST(Facet, FlatPlateStraightDown) {
  const double length = 0.04, breadth = 0.025, z = 0.031, zeta = 0.33;
  const FacetLoad<double> load = load_facet(RftLaw{zeta, {}}, level(z, length, breadth, {0, 0.2}));
  const double expected = zeta * 1e6 * length * breadth * z;
  EXPECT_NEAR(load.force().z, -expected, 1e-13 * expected);
  EXPECT_NEAR(load.force().x, 0, 1e-13 * expected);
  EXPECT_NEAR(load.area, length * breadth, 1e-18);
  EXPECT_NEAR(load.power, -0.2 * expected, 1e-13 * expected);
  // It is not pushed while it retreats, but for a plate, whose other face leads.
  EXPECT_EQ(load_facet(RftLaw{}, level(z, length, breadth, {0.01, -0.2})).force().z, 0);
  EXPECT_GT(load_facet(RftLaw{}, level(z, length, breadth, {0, -0.2}, true)).force().z, 0);
  EXPECT_EQ(load_facet(RftLaw{}, level(-z, length, breadth, {0, 0.2})).force().z, 0);
}

TEST(Facet, InertialPartOfAFlatPlate) {
  DrftLaw law;
  law.lambda = 1.1;
  const FacetLoad<double> load = load_facet(law, level(0.02, 0.05, 0.03, {0, 0.7}));
  const double area = 0.05 * 0.03, inertial = 1.1 * 638 * area * 0.7 * 0.7;
  EXPECT_NEAR(load.force().z, -(1e6 * area * 0.02 + inertial), 1e-12 * 30);
  EXPECT_NEAR(load.inertial, -inertial * 0.7, 1e-12);
  // It depends on the area: half of the plate, half of the force.
  const FacetLoad<double> half = load_facet(law, level(0.02, 0.025, 0.03, {0, 0.7}));
  EXPECT_NEAR(half.force().z, 0.5 * load.force().z, 1e-12 * 30);
}

// A plate that falls flat follows Katsuragi & Durian's equation with k = ζ 10⁶ A and m/d₁ = λ ρ A, whose depth is in closed
// form (docs/theory/sand.md): v² there is zero. Energy is summed over the depth with Gauss's rule, the exact v²(z) inside.
TEST(Facet, PlateDroppedFlatStopsWhereKatsuragiAndDurianSay) {
  DrftLaw law;
  law.zeta = 0.254;
  const double mass = 0.2, g = 9.81, area = 0.05 * 0.03, v0 = 1.5;
  const double k = law.zeta * 1e6 * area, d1 = mass / (law.inertia() * area);
  const double a = g * d1 + k * d1 * d1 / (2 * mass);
  const auto square = [&](double z) { return (v0 * v0 - a) * std::exp(-2 * z / d1) + a - k * d1 / mass * z; };
  // where it stops, by Lambert's W₀ on its defining equation
  const double c = (2 * mass * v0 * v0 / (k * d1 * d1) - 2 * mass * g / (k * d1) - 1)
                 * std::exp(-1 - 2 * mass * g / (k * d1));
  double w = std::log1p(std::max(c, 0.0));
  for (int i = 0; i < 60; ++i) w -= (w * std::exp(w) - c) / (std::exp(w) * (w + 1));
  const double depth = mass * g / k + d1 / 2 + d1 / 2 * w;
  ASSERT_NEAR(square(depth), 0, 1e-12);
  double lost = 0;
  for (int i = 0; i < 200; ++i)
    gauss(gauss8, depth * i / 200, depth * (i + 1) / 200, [&](double z, double weight) {
      const double v = std::sqrt(std::max(square(z), 0.0));
      if (v > 0) lost -= weight * load_facet(law, level(z, 0.05, 0.03, {0, v})).force().z;
    });
  const double given = mass * (g * depth + v0 * v0 / 2);
  EXPECT_NEAR(lost, given, 1e-9 * given);
}

/// By summing small elements that know of no cut; the error is that of the elements which are cut, 1/count.
template <class Law>
FacetLoad<double> summed(const Law& law, const FacetOf<double>& f, int count) {
  FacetLoad<double> out;
  const Vec along = f.b - f.a;
  const double length = norm(along);
  const Vec normal = (1 / length) * Vec{along.z, -along.x};
  for (int k = 0; k < count; ++k) {
    const double x = (k + 0.5) / count, z = f.a.z + x * along.z;
    const Vec v = f.va + x * (f.vb - f.va);
    const double vn = dot(normal, v);
    if (z <= 0 || (vn < 0 && !f.thin)) continue;
    const double beta = std::atan2(-normal.x, normal.z), gamma = std::atan2(v.z, -v.x);
    const Vec a = printed(law.alpha, beta, gamma);
    const double da = length * f.breadth / count;
    Vec force = (law.zeta * 1e6 * z * da) * Vec{a.x, -a.z};
    if constexpr (Law::has_inertia) force -= (law.inertia() * vn * std::abs(vn) * da) * normal;
    out.at_a += (1 - x) * force;
    out.at_b += x * force;
    out.area += da;
  }
  return out;
}

TEST(Facet, CutsAgreeWithASumOfSmallElements) {
  Draw draw;
  DrftLaw law;
  law.zeta = 0.5;
  int cut = 0;
  for (int k = 0; k < 300; ++k) {
    FacetOf<double> f{{draw(-1, 1), draw(-0.6, 1)}, {draw(-1, 1), draw(-0.6, 1)}, {}, {}, 0.1, k % 3 == 0};
    const double rate = draw(-2, 2);
    const Vec v{draw(-1, 1), draw(-1, 1)};
    f.va = v + rate * turned(f.a), f.vb = v + rate * turned(f.b);
    const FacetLoad<double> mine = load_facet(law, f), theirs = summed(law, f, 20000);
    if (mine.area > 0 && mine.area < 0.0999 * norm(f.b - f.a)) ++cut;
    const double size = 5e5 * 0.1 * norm(f.b - f.a);
    for (int c = 0; c < 4; ++c) {
      const double a = c == 0 ? mine.at_a.x : c == 1 ? mine.at_a.z : c == 2 ? mine.at_b.x : mine.at_b.z;
      const double b = c == 0 ? theirs.at_a.x
                     : c == 1 ? theirs.at_a.z
                     : c == 2 ? theirs.at_b.x
                              : theirs.at_b.z;
      ASSERT_NEAR(a, b, 1.5e-4 * size) << k;
    }
  }
  EXPECT_GT(cut, 100);
}

// Any cut of a facet gives the same: to the rounding of sums, and 1e-12 of the rule near a point that stands still.
TEST(Facet, DoesNotDependOnHowItIsCut) {
  Draw draw;
  DrftLaw law;
  for (int k = 0; k < 200; ++k) {
    FacetOf<double> f{{draw(-1, 1), draw(-0.6, 1)}, {draw(-1, 1), draw(-0.6, 1)}, {}, {}, 0.1, k % 2 == 0};
    // every fourth turns about a point on or next to it
    const double x = draw(0, 1), rate = draw(-2, 2);
    const Vec still = f.a + x * (f.b - f.a) + (k % 8 == 0 ? 0 : std::pow(10, draw(-12, -1))) * Vec{1, 0.3};
    const Vec v = k % 4 == 0 ? -rate * turned(still) : Vec{draw(-1, 1), draw(-1, 1)};
    f.va = v + rate * turned(f.a), f.vb = v + rate * turned(f.b);
    const FacetLoad<double> whole = load_facet(law, f);
    Vec force{};
    double turning = 0;
    for (int i = 0; i < 64; ++i) {
      FacetOf<double> part = f;
      part.a = f.a + (i / 64.0) * (f.b - f.a), part.b = f.a + ((i + 1) / 64.0) * (f.b - f.a);
      part.va = v + rate * turned(part.a), part.vb = v + rate * turned(part.b);
      const FacetLoad<double> load = load_facet(law, part);
      force += load.force();
      turning += moment(part.a, load.at_a) + moment(part.b, load.at_b);
    }
    const double size = 1e6 * 0.1 * norm(f.b - f.a);
    ASSERT_NEAR(force.x, whole.force().x, 3e-12 * size) << k;
    ASSERT_NEAR(force.z, whole.force().z, 3e-12 * size) << k;
    ASSERT_NEAR(turning, moment(f.a, whole.at_a) + moment(f.b, whole.at_b), 3e-12 * size) << k;
  }
}

// Rates by dual numbers against differences, in poses with all cuts; central differences are good to about 1e-7 here.
TEST(Facet, RatesFollowTheCuts) {
  using D = Dual<double>;
  const auto at = [](auto t) {
    using T = decltype(t);
    using std::cos, std::sin;
    const Vec2<T> a{T(0.1), T(-0.2) + t}, b{T(0.4) + t * t, T(0.7)};
    const T rate = T(1.3) + t;
    const Vec2<T> v{T(-0.35), T(0.2) - t};
    return load_facet(RftLawOf<double>{},
                      FacetOf<T>{a, b, v + rate * turned(a), v + rate * turned(b), T(0.1), false});
  };
  const FacetLoad<D> rates = at(D(0.05, 1.0));
  const double h = 1e-6;
  const FacetLoad<double> up = at(0.05 + h), down = at(0.05 - h);
  EXPECT_NEAR(rates.at_a.x.d, (up.at_a.x - down.at_a.x) / (2 * h), 1e-2);
  EXPECT_NEAR(rates.at_a.z.d, (up.at_a.z - down.at_a.z) / (2 * h), 1e-2);
  EXPECT_NEAR(rates.at_b.z.d, (up.at_b.z - down.at_b.z) / (2 * h), 1e-2);
  EXPECT_GT(std::abs(rates.at_b.z.d), 1e3);
}

struct WheelRow {
  double load, slip, sinkage, drawbar, torque;
};
// Forced-slip wheel, computed by another program: generic set, ζ = 3.05, r = 0.13 m, breadth 1.23 r, ω = 0.5 rad/s.
constexpr WheelRow wheels[] = {{80, -0.7, 9.4802, -26.576, -1.7630},
                               {80, 0, 6.2047, -4.713, 0.5870},
                               {80, 0.3, 8.8971, 11.368, 3.0760},
                               {130, 0.5, 13.3795, 22.248, 5.9721},
                               {190, 0, 11.1196, -15.039, 1.8460}};

RimLoad<double> wheel(double sinkage, double slip) {
  const double r = 0.13, rate = 0.5;
  RftLaw law;
  law.zeta = 3.05;
  // It rolls to +x: its lowest point moves back, with −ω in our sense of turning.
  return load_rim(law, RimOf<double>{{0, sinkage - r}, {(1 - slip) * rate * r, 0}, -rate, r, 1.23 * r});
}

TEST(Rim, WheelTable) {
  for (const WheelRow& row : wheels) {
    double low = 0, high = 0.06;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (-wheel(middle, row.slip).force.z < row.load ? low : high) = middle;
    }
    const RimLoad<double> load = wheel(low, row.slip);
    EXPECT_NEAR(1e3 * low, row.sinkage, 1e-4 * row.sinkage) << row.load << ' ' << row.slip;
    EXPECT_NEAR(load.force.x, row.drawbar, 1e-4 * std::abs(row.drawbar)) << row.load << ' ' << row.slip;
    EXPECT_NEAR(load.moment, row.torque, 1e-4 * std::abs(row.torque)) << row.load << ' ' << row.slip;
    EXPECT_LT(load.power, 0);
  }
}

// A circle is the limit of its polygons. The facet at which the leading part ends turns, and leads in part where the rim
// does not: no more than the 2π/n of one facet at depths below 1.3.
TEST(Rim, IsTheLimitOfPolygons) {
  Draw draw;
  DrftLaw law;
  for (int k = 0; k < 60; ++k) {
    const RimOf<double> rim{{0.1, draw(-0.5, 0.8)}, {draw(-1, 1), draw(-1, 1)}, draw(-3, 3), 0.5, 0.2};
    const int n = 20000;
    Vec force{};
    double turning = 0;
    const auto corner = [&](int i) {
      const double angle = 2 * pi * i / n;
      return 0.5 * Vec{std::sin(angle), std::cos(angle)};
    };
    for (int i = 0; i < n; ++i) {
      const Vec a = corner(i + 1), b = corner(i);
      const FacetLoad<double> load =
          load_facet(law, FacetOf<double>{rim.center + a, rim.center + b, rim.velocity + rim.rate * turned(a),
                                          rim.velocity + rim.rate * turned(b), 0.2, false});
      force += load.force();
      turning += moment(a, load.at_a) + moment(b, load.at_b);
    }
    const RimLoad<double> mine = load_rim(law, rim);
    const double size = 1e6 * 0.2 * 0.5;
    ASSERT_NEAR(mine.force.x, force.x, 2 * pi / n * size) << k;
    ASSERT_NEAR(mine.force.z, force.z, 2 * pi / n * size) << k;
    ASSERT_NEAR(mine.moment, turning, 2 * pi / n * size) << k;
  }
}

}  // namespace
}  // namespace thud
