// Lee's laws spread along the axis of a link.
// Sources of truth: the lumped law, which a straight link must meet when it does not turn, and sums over many small
// elements that know of no cut and no closed form.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "thud/granular/line_sand.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi, g = 9.81, width = 0.0064;

LineOf<double> line(Vec a, Vec b, Vec v, double rate) {
  return {a, b, v + rate * turned(a), v + rate * turned(b), width, width, pi / 4 * width * width};
}

/// The lumped law on the same link, moved with v.
struct Lumped {
  Vec force;
  Vec at;  ///< E
};
Lumped lumped(const LeeLaw& law, Vec a, Vec b, Vec v) {
  Part part;
  part.s1 = norm(b - a), part.width = part.breadth = width;
  const Vec u = (1 / part.s1) * (b - a);
  Levels<double> lv{{a.z, b.z}, 2};
  Immersion mode;
  mode.regime = static_cast<std::uint8_t>((a.z > 0 ? 1 : 0) | (b.z > 0 ? 2 : 0));
  mode.deepest = b.z > a.z ? 1 : -1;
  Immersed<double> im;
  im.whole = mode.regime == 3;
  detail::immerse_segment(part, part.end_area(), mode, u, Vec{}, u.z, lv, im);
  Flow<double> flow{&im, &part, 1 / width, im.side * std::abs(u.x * v.z - u.z * v.x), 0, 1, g, true, true};
  Resistance<double> r;
  law.evaluate(flow, r);
  const Vec force = -r.drag * v + Vec{v.x > 0 ? -r.shear : r.shear, v.z > 0 ? -r.plunge : r.withdraw};
  return {force, a + im.arm};
}

struct Draw {
  std::mt19937_64 engine{17};
  double operator()(double from, double to) { return std::uniform_real_distribution<>(from, to)(engine); }
};

// Of links that stick out, by any velocity and with skin friction; of swallowed ones drag and shear, since the lumped
// static resistance takes the depth of the deepest point for all of them.
TEST(LineSand, AStraightLinkMeetsLeesTotal) {
  Draw draw;
  for (int k = 0; k < 2000; ++k) {
    LeeLaw law;
    law.friction = k % 2 ? 0.3 : 0;
    const Vec a{draw(-0.1, 0.1), draw(-0.2, -0.01)}, b{draw(-0.1, 0.1), draw(0.001, 0.1)};
    const Vec v{draw(-2, 2), draw(-2, 2)};
    const bool other = k % 3 == 0;
    const LineLoad<double> mine = load_line(law, g, line(other ? b : a, other ? a : b, v, 0));
    const Lumped theirs = lumped(law, a, b, v);
    const double size = norm(theirs.force);
    ASSERT_NEAR(mine.force().x, theirs.force.x, 1e-13 * size) << k;
    ASSERT_NEAR(mine.force().z, theirs.force.z, 1e-13 * size) << k;
    ASSERT_NEAR(mine.drag + mine.vertical + mine.horizontal, dot(theirs.force, v), 1e-12 * size) << k;
    ASSERT_LE(mine.drag, 0);
    ASSERT_LE(mine.vertical, 0);
    ASSERT_LE(mine.horizontal, 0);
  }
}

// Its moment about E is that of the static resistance, which grows with depth. Vertical at 5°, z_T deep, λ = 1.1:
// the centre of (z/l)^λ is (1 + λ)/(2 + λ) of the way down, E half of it.
TEST(LineSand, ATiltedLinkFeelsAMoment) {
  const LeeLaw law;
  const double tilt = 5 * pi / 180, depth = 0.03, length = 0.15;
  const Vec u{std::sin(tilt), std::cos(tilt)};
  const Vec b{0, depth}, a = b - length * u;
  const LineLoad<double> load = load_line(law, g, line(a, b, {0, 1e-9}, 0));
  const double total = -load.force().z;
  const Vec e = b - (0.5 * depth / u.z) * u;
  const double about_e = moment(a - e, load.at_a) + moment(b - e, load.at_b);
  EXPECT_NEAR(std::abs(about_e), total * (2.1 / 3.1 - 0.5) * depth * std::tan(tilt), 1e-12 * total);
  EXPECT_NEAR(total, lumped(law, a, b, {0, 1e-9}).force.z * -1, 1e-12 * total);
}

LineLoad<double> summed(const LeeLaw& law, const LineOf<double>& l, int count) {
  LineLoad<double> out;
  const Vec along = l.b - l.a;
  const double length = norm(along), ds = length / count;
  const Vec u = (1 / length) * along;
  for (int k = 0; k < count; ++k) {
    const double x = (k + 0.5) / count, z = l.a.z + x * along.z;
    if (z <= 0) continue;
    const Vec v = l.va + x * (l.vb - l.va);
    const double head = g * law.density * l.section * ds;
    const double plunge =
        (1 + law.plunging.lambda) * law.plunging.eta * std::pow(z / l.width, law.plunging.lambda) * head;
    const double up = (1 + law.withdrawing.lambda) * law.withdrawing.eta
                    * std::pow(z / l.width, law.withdrawing.lambda) * head;
    Vec force = (-law.eta_d * law.density * l.width * ds * std::abs(u.x * v.z - u.z * v.x)) * v;
    force.z += v.z > 0 ? -plunge : up;
    const double shear =
        2 * law.eta_h * g * law.density * l.breadth * z * std::abs(u.z) * ds + law.friction * plunge;
    force.x += v.x > 0 ? -shear : shear;
    out.at_a += (1 - x) * force;
    out.at_b += x * force;
  }
  return out;
}

// Turning links, cut by the surface and by all three changes of sign. The sums err by the elements that are cut.
TEST(LineSand, AgreesWithASumOfSmallElements) {
  Draw draw;
  LeeLaw law;
  law.friction = 0.2;
  law.withdrawing = {3, 1.4};
  for (int k = 0; k < 300; ++k) {
    const Vec a{draw(-0.1, 0.1), draw(-0.05, 0.1)}, b{draw(-0.1, 0.1), k % 10 ? draw(-0.05, 0.1) : a.z};
    const LineOf<double> l = line(a, b, {draw(-0.5, 0.5), draw(-0.5, 0.5)}, draw(-10, 10));
    const LineLoad<double> mine = load_line(law, g, l), theirs = summed(law, l, 40000);
    const double size = 1e-4 * (norm(theirs.at_a) + norm(theirs.at_b) + 1);
    ASSERT_NEAR(mine.at_a.x, theirs.at_a.x, size) << k;
    ASSERT_NEAR(mine.at_a.z, theirs.at_a.z, size) << k;
    ASSERT_NEAR(mine.at_b.x, theirs.at_b.x, size) << k;
    ASSERT_NEAR(mine.at_b.z, theirs.at_b.z, size) << k;
  }
}

// To the rounding of the sums.
TEST(LineSand, DoesNotDependOnHowALinkIsCut) {
  Draw draw;
  const LeeLaw law;
  for (int k = 0; k < 200; ++k) {
    const Vec a{draw(-0.1, 0.1), draw(-0.05, 0.1)}, b{draw(-0.1, 0.1), draw(-0.05, 0.1)};
    const Vec v{draw(-0.5, 0.5), draw(-0.5, 0.5)};
    const double rate = draw(-10, 10);
    LineOf<double> all = line(a, b, v, rate);
    all.face_a = all.face_b = all.section;
    const LineLoad<double> whole = load_line(law, g, all);
    for (int n : {2, 3, 8, 64}) {
      Vec force{};
      double turning = 0, power = 0;
      for (int i = 0; i < n; ++i) {
        LineOf<double> part = line(a + (double(i) / n) * (b - a), a + (double(i + 1) / n) * (b - a), v, rate);
        if (i == 0) part.face_a = part.section;
        if (i == n - 1) part.face_b = part.section;
        const LineLoad<double> load = load_line(law, g, part);
        force += load.force();
        turning += moment(part.a, load.at_a) + moment(part.b, load.at_b);
        power += load.drag + load.vertical + load.horizontal;
      }
      const double size = norm(whole.at_a) + norm(whole.at_b);
      ASSERT_NEAR(force.x, whole.force().x, 2e-12 * size) << k << ' ' << n;
      ASSERT_NEAR(force.z, whole.force().z, 2e-12 * size) << k << ' ' << n;
      ASSERT_NEAR(turning, moment(a, whole.at_a) + moment(b, whole.at_b), 1e-12 * size) << k << ' ' << n;
      ASSERT_NEAR(power, whole.drag + whole.vertical + whole.horizontal, 1e-11 * size) << k << ' ' << n;
    }
  }
}

TEST(LineSand, RatesFollowTheCuts) {
  const auto at = [](auto t) {
    using T = decltype(t);
    const LeeLaw law;
    const Vec2<T> a{T(0.01), T(-0.02) + t}, b{T(0.04) + t * t, T(0.07)}, v{T(-0.3), T(0.2) - t};
    const T rate = T(7.0) + t, w(width);
    return load_line(law, g,
                     LineOf<T>{a, b, v + rate * turned(a), v + rate * turned(b), w, w, T(pi / 4) * w * w});
  };
  const LineLoad<Dual<double>> rates = at(Dual<double>(0.005, 1.0));
  const double h = 1e-6;
  const LineLoad<double> up = at(0.005 + h), down = at(0.005 - h);
  EXPECT_NEAR(rates.at_a.x.d, (up.at_a.x - down.at_a.x) / (2 * h), 1e-4);
  EXPECT_NEAR(rates.at_a.z.d, (up.at_a.z - down.at_a.z) / (2 * h), 1e-4);
  EXPECT_NEAR(rates.at_b.x.d, (up.at_b.x - down.at_b.x) / (2 * h), 1e-4);
  EXPECT_NEAR(rates.at_b.z.d, (up.at_b.z - down.at_b.z) / (2 * h), 1e-4);
  EXPECT_GT(std::abs(rates.at_b.z.d), 1);
}

}  // namespace
}  // namespace thud
