// What of a body is under the surface.
// Source of truth: fine numerical integration of each shape over 20000 slabs, knowing nothing of the formulas.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "thud/granular/immersion.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {
namespace {

constexpr int slabs = 20000;
constexpr double pi = std::numbers::pi;

/// A body in a pose.
Frames<double> pose(double x, double z, double angle) {
  Frames<double> f;
  f.resize(1);
  f.u[0] = {std::sin(angle), std::cos(angle)};
  f.w[0] = {std::cos(angle), -std::sin(angle)};
  f.origin[0] = {x, z};
  return f;
}

Immersion mode_of(const Part& part, const Levels<double>& lv) {
  Immersion m;
  m.regime = 0;
  for (int k = 0; k < lv.count; ++k)
    if (lv.value[k] > 0) m.regime |= static_cast<std::uint8_t>(1u << k);
  if (part.kind == PartKind::block)
    m.deepest =
        static_cast<std::int8_t>(std::max_element(lv.value.begin(), lv.value.end()) - lv.value.begin());
  else
    m.deepest = lv.value[1] >= lv.value[0] ? 1 : -1;
  return m;
}

/// By the library; `found` is false when nothing is under the surface.
Immersed<double> measure(const Part& part, const Frames<double>& f, const Plane& plane, bool* found) {
  Levels<double> lv;
  levels(part, 0, f, plane, lv);
  const Immersion m = mode_of(part, lv);
  Immersed<double> out;
  *found = is_immersed(part, m.regime);
  if (*found) immerse(part, m, 0, f, plane, lv, out);
  return out;
}

/// By summing slabs.
struct Summed {
  double volume = 0, depth = 0, top = 0, widest = 0;
  Vec centroid{};  // world
};

/// Round parts: slices parallel to the surface at c = −r cos φ from the centre, φ from the lowest point upwards,
/// so that the integrand is smooth. Midpoint rule, error (π/20000)²/24 ≈ 1e-9 of the whole.
Summed sum_round(const Part& part, const Frames<double>& f, const Plane& plane) {
  const double r = part.width / 2, center = plane.depth(f.position(0, {part.s0, part.n}));
  const double last = center >= r ? pi : std::acos(-center / r);  // depth center + r cos φ = 0
  Summed out;
  double first = 0;
  for (int k = 0; k < slabs; ++k) {
    const double phi = last * (k + 0.5) / slabs, down = r * std::cos(phi), half = r * std::sin(phi);
    const double face = part.kind == PartKind::ball ? pi * half * half : 2 * half * part.breadth;
    const double piece = face * half * last / slabs;  // |d(down)/dφ| = r sin φ = half
    out.volume += piece;
    first += piece * down;
    out.widest = std::max(out.widest, face);
  }
  const double edge = r * std::sin(std::min(last, pi / 2));
  out.widest = std::max(out.widest, part.kind == PartKind::ball ? pi * edge * edge : 2 * edge * part.breadth);
  out.depth = center + r;
  out.top = std::max(0.0, center - r);
  const double down = first / out.volume;
  const Vec c = f.position(0, {part.s0, part.n});
  out.centroid = c + down * plane.normal;
  return out;
}

/// Segments and blocks: slabs across the direction that the surface cuts, the other extent in closed form.
/// The integrand is continuous with two kinks: error 2 (1/20000)² ≈ 5e-9 of the whole.
Summed sum_straight(const Part& part, const Frames<double>& f, const Plane& plane) {
  const bool block = part.kind == PartKind::block;
  const double dip = dot(plane.normal, f.u[0]), roll = dot(plane.normal, f.w[0]);
  const double origin = plane.depth(f.origin[0]);
  const double half = block ? part.width / 2 : 0;
  const double across = block ? part.breadth : pi / 4 * part.width * part.width;
  Summed out;
  double first_s = 0, first_n = 0;
  const auto interval = [](double a, double rate, double lo, double hi) {  // where a + rate x > 0
    if (rate > 0) lo = std::max(lo, -a / rate);
    if (rate < 0) hi = std::min(hi, -a / rate);
    if (rate == 0 && a <= 0) hi = lo;
    return std::pair{lo, std::max(lo, hi)};
  };
  if (!block) {
    const auto [lo, hi] = interval(origin + part.n * roll, dip, part.s0, part.s1);
    out.volume = across * (hi - lo);
    first_s = out.volume * (lo + hi) / 2;
    first_n = out.volume * part.n;
  } else if (std::abs(dip) > std::abs(roll)) {
    for (int k = 0; k < slabs; ++k) {
      const double n = part.n - half + part.width * (k + 0.5) / slabs;
      const auto [lo, hi] = interval(origin + n * roll, dip, part.s0, part.s1);
      const double piece = across * (hi - lo) * part.width / slabs;
      out.volume += piece, first_s += piece * (lo + hi) / 2, first_n += piece * n;
    }
  } else {
    for (int k = 0; k < slabs; ++k) {
      const double s = part.s0 + part.length() * (k + 0.5) / slabs;
      const auto [lo, hi] = interval(origin + s * dip, roll, part.n - half, part.n + half);
      const double piece = across * (hi - lo) * part.length() / slabs;
      out.volume += piece, first_s += piece * s, first_n += piece * (lo + hi) / 2;
    }
  }
  double deepest = -1e300, highest = 1e300;
  for (double s : {part.s0, part.s1})
    for (double n : {part.n - half, part.n + half}) {
      const double d = plane.depth(f.position(0, {s, n}));
      deepest = std::max(deepest, d), highest = std::min(highest, d);
    }
  out.depth = deepest;
  out.top = std::max(0.0, highest);
  out.centroid = f.position(0, {first_s / out.volume, first_n / out.volume});
  return out;
}

void expect_match(const Part& part, const Frames<double>& f, const Plane& plane, const char* name) {
  SCOPED_TRACE(name);
  bool found = false;
  const Immersed<double> got = measure(part, f, plane, &found);
  ASSERT_TRUE(found);
  const Summed want = part.is_round() ? sum_round(part, f, plane) : sum_straight(part, f, plane);
  const double size = part.is_round() ? part.width : part.length();
  const double whole = part.kind == PartKind::ball  ? pi / 6 * std::pow(part.width, 3)
                     : part.kind == PartKind::disc  ? pi / 4 * part.width * part.width * part.breadth
                     : part.kind == PartKind::block ? part.width * part.length() * part.breadth
                                                    : pi / 4 * part.width * part.width * part.length();
  // 1e-8: the error of the sums (above). Centroid: that error divided by the share under the surface (> 1e-3).
  EXPECT_NEAR(got.volume, want.volume, 1e-8 * whole);
  EXPECT_NEAR(f.origin[0].x + got.arm.x, want.centroid.x, 1e-8 * size * whole / want.volume);
  EXPECT_NEAR(f.origin[0].z + got.arm.z, want.centroid.z, 1e-8 * size * whole / want.volume);
  EXPECT_NEAR(got.depth, want.depth, 1e-14);
  EXPECT_NEAR(got.top, want.top, 1e-14);
  EXPECT_EQ(got.whole, want.top > 0);
  if (part.is_round()) {
    EXPECT_NEAR(got.side, want.widest, 1e-7 * part.width * part.width);
  } else {
    EXPECT_NEAR(got.length * part.end_area(), got.volume, 1e-18);
  }
}

Part make_part(PartKind kind) {
  Part p;
  p.kind = kind;
  p.width = 0.03;
  p.breadth = kind == PartKind::segment || kind == PartKind::ball ? 0.03 : 0.02;
  if (kind == PartKind::segment) p.s0 = -0.05, p.s1 = 0.1, p.n = 0.004, p.width = 0.008, p.breadth = 0.008;
  if (kind == PartKind::block) p.s0 = -0.02, p.s1 = 0.07, p.n = -0.006;
  if (p.is_round()) p.s0 = p.s1 = 0.02, p.n = 0.005;
  return p;
}

struct NamedPlane {
  const char* name;
  Plane plane;
};
std::vector<NamedPlane> planes() {
  return {{"level", Plane::make({0, 0.01}, 0)},
          {"falling", Plane::make({0.02, -0.01}, 0.3)},
          {"rising", Plane::make({0, 0}, -0.6)}};
}

/// Puts the body so that the given body point is `depth` under the surface.
Frames<double> placed(const Plane& plane, double angle, BodyPoint p, double depth) {
  Frames<double> f = pose(0.013, 0, angle);
  const double now = plane.depth(f.position(0, p));
  f.origin[0] += (depth - now) * plane.normal;
  return f;
}

TEST(Ball, every_depth_on_every_slope) {
  const Part part = make_part(PartKind::ball);
  for (const NamedPlane& p : planes())
    for (double center : {-0.0148, -0.01, -0.001, 0.0, 0.004, 0.0149, 0.0151, 0.2})
      for (double angle : {0.0, 1.0, 3.0})
        expect_match(part, placed(p.plane, angle, {part.s0, part.n}, center), p.plane, p.name);
}

TEST(Disc, every_depth_on_every_slope) {
  const Part part = make_part(PartKind::disc);
  for (const NamedPlane& p : planes())
    for (double center : {-0.0145, -0.01, -0.001, 0.0, 0.004, 0.0149, 0.0151, 0.2})
      for (double angle : {0.0, 1.0, 3.0})
        expect_match(part, placed(p.plane, angle, {part.s0, part.n}, center), p.plane, p.name);
}

TEST(Segment, tip_first) {
  const Part part = make_part(PartKind::segment);
  for (const NamedPlane& p : planes())
    for (double angle : {-0.8, 0.0, 0.5, 0.9})
      expect_match(part, placed(p.plane, angle, {part.s1, part.n}, 0.03), p.plane, p.name);
}

TEST(Segment, upside_down) {
  const Part part = make_part(PartKind::segment);
  for (const NamedPlane& p : planes())
    for (double angle : {2.4, 3.14159, 3.9})
      expect_match(part, placed(p.plane, angle, {part.s0, part.n}, 0.03), p.plane, p.name);
}

TEST(Segment, both_ends_under) {
  const Part part = make_part(PartKind::segment);
  for (const NamedPlane& p : planes())
    for (double angle : {-2.0, 0.0, 0.7, 2.0, 3.0})
      expect_match(part, placed(p.plane, angle, {0.025, part.n}, 0.2), p.plane, p.name);
}

TEST(Segment, parallel_to_the_surface) {
  const Part part = make_part(PartKind::segment);
  for (const NamedPlane& p : planes()) {
    const double along = std::atan2(p.plane.tangent.x, p.plane.tangent.z);
    for (double angle : {along, along + 1e-9, along - 1e-9, along + pi})
      expect_match(part, placed(p.plane, angle, {0.025, part.n}, 0.01), p.plane, p.name);
  }
}

TEST(Block, every_pose_and_depth) {
  const Part part = make_part(PartKind::block);
  for (const NamedPlane& p : planes())
    for (double angle : {-3.0, -2.2, -pi / 2, -0.9, -0.1, 0.0, 0.4, pi / 4, 1.2, pi / 2, 2.0, pi, 3.6})
      for (double center : {-0.01, 0.0, 0.003, 0.02, 0.2})
        expect_match(part, placed(p.plane, angle, {0.025, part.n}, center), p.plane, p.name);
}

// Source of truth: docs/theory/sand.md: all in or all out with its centre.
TEST(Particle, is_in_with_its_center) {
  Part part = make_part(PartKind::particle);
  const Plane plane = Plane::make({0, 0}, 0.2);
  bool found = true;
  (void)measure(part, placed(plane, 0.4, {part.s0, part.n}, -1e-9), plane, &found);
  EXPECT_FALSE(found);
  const Immersed<double> in = measure(part, placed(plane, 0.4, {part.s0, part.n}, 0.007), plane, &found);
  EXPECT_TRUE(found);
  EXPECT_NEAR(in.volume, pi / 6 * std::pow(0.03, 3), 1e-18);
  EXPECT_NEAR(in.side, pi / 4 * 0.03 * 0.03, 1e-18);
  EXPECT_NEAR(in.depth, 0.007, 1e-16);
}

// Source of truth: the immersed body is a continuous function of the pose. A body is moved and turned through all its
// regimes; each change is bisected to 1e-15 of the way, and nothing may jump there.
// Tolerance: over 1e-15 m nothing changes but by rounding, times at most 1/(u·n) < 1e5 for the centroid of a part that
// is nearly parallel to the surface: 1e-10. The half chord of a disc grows like √h: √(2r · 1e-15) < 1e-8 of the width.
TEST(Continuity, across_every_change_of_regime) {
  for (PartKind kind : {PartKind::segment, PartKind::ball, PartKind::disc, PartKind::block}) {
    const Part part = make_part(kind);
    const Plane plane = Plane::make({0, 0}, 0.2);
    const auto at = [](double way, double start) { return pose(0, -0.15 + way, start + 9 * way); };
    const auto regime_at = [&](double way, double start) {
      Levels<double> lv;
      levels(part, 0, at(way, start), plane, lv);
      const Immersion m = mode_of(part, lv);
      return part.is_round() ? m.regime * 8 : m.regime * 8 + m.deepest;
    };
    for (double start : {0.2, 1.3, 2.6, 4.4}) {
      int changes = 0;
      for (int k = 0; k < 300; ++k) {
        double low = k * 1e-3, high = (k + 1) * 1e-3;
        if (regime_at(low, start) == regime_at(high, start)) continue;
        while (high - low > 1e-15) {
          const double middle = (low + high) / 2;
          if (middle <= low || middle >= high) break;
          (regime_at(middle, start) == regime_at(low, start) ? low : high) = middle;
        }
        bool before = false, after = false;
        const Immersed<double> a = measure(part, at(low, start), plane, &before);
        const Immersed<double> b = measure(part, at(high, start), plane, &after);
        if (!before && !after) continue;  // only the deepest end changed, in the air
        ++changes;
        EXPECT_NEAR(b.volume, a.volume, 1e-10);
        EXPECT_NEAR(b.depth, a.depth, 1e-12);
        EXPECT_NEAR(b.top, a.top, 1e-12);
        EXPECT_NEAR(b.side, a.side, 1e-9);
        if (!before || !after) continue;
        EXPECT_NEAR(b.arm.x, a.arm.x, 1e-10) << static_cast<int>(kind) << " " << start << " " << low;
        EXPECT_NEAR(b.arm.z, a.arm.z, 1e-10);
      }
      EXPECT_GE(changes, part.kind == PartKind::block ? 4 : 2);
    }
  }
}

// Source of truth: exact rates. The templates on dual numbers against central differences (h = 1e-6: 1e-9 relative).
TEST(Rates, dual_numbers_differentiate_every_shape) {
  for (PartKind kind : {PartKind::segment, PartKind::ball, PartKind::disc, PartKind::block}) {
    const Part part = make_part(kind);
    const Plane plane = Plane::make({0, 0}, 0.2);
    const auto at = [&](double t) { return pose(0.1 * t, -0.02 + 0.3 * t, 0.4 + 0.9 * t); };
    Frames<Dual<double>> f;
    f.resize(1);
    const Dual<double> angle(0.4, 0.9);
    f.u[0] = {sin(angle), cos(angle)};
    f.w[0] = {cos(angle), -sin(angle)};
    f.origin[0] = {Dual<double>(0.0, 0.1), Dual<double>(-0.02, 0.3)};
    Levels<double> lv;
    levels(part, 0, at(0), plane, lv);
    Levels<Dual<double>> moving;
    levels(part, 0, f, plane, moving);
    Immersed<Dual<double>> im;
    const Immersion m = mode_of(part, lv);
    ASSERT_TRUE(is_immersed(part, m.regime));
    immerse(part, m, 0, f, plane, moving, im);
    bool found = false;
    const double h = 1e-6;
    const Immersed<double> a = measure(part, at(-h), plane, &found), b = measure(part, at(h), plane, &found);
    EXPECT_NEAR(im.volume.d, (b.volume - a.volume) / (2 * h), 1e-10);
    EXPECT_NEAR(im.depth.d, (b.depth - a.depth) / (2 * h), 1e-9);
    EXPECT_NEAR(im.side.d, (b.side - a.side) / (2 * h), 1e-9);
    EXPECT_NEAR(im.arm.x.d, (b.arm.x - a.arm.x) / (2 * h), 1e-8);
    EXPECT_NEAR(im.arm.z.d, (b.arm.z - a.arm.z) / (2 * h), 1e-8);
  }
}

}  // namespace
}  // namespace thud
