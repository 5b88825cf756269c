// Which part of a bent beam is under the surface.
// Source of truth: 20000 points of the deformed axis from the values of the shapes, refined by bisection where they
// change sides, knowing nothing of turning points and regimes.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "thud/granular/immersion.hpp"
#include "thud/mechanics/tree.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double length = 0.4;
constexpr int samples = 20000;

struct Shape {
  Support support;
  int modes, elements;
};

std::shared_ptr<ElasticBeam> make_beam(const Shape& shape, double start) {
  const BeamData data{length, 0.6, 8, 0, 0};
  return std::make_shared<ElasticBeam>(
      shape.elements > 0 ? make_element_basis(shape.support, data, shape.elements, shape.modes)
                         : make_mode_basis(shape.support, data, shape.modes),
      start);
}

/// One body with a beam, its part, a pose and a bend.
struct Bent {
  std::shared_ptr<ElasticBeam> beam;
  Part part;
  Plane plane;
  Vec origin{};
  double angle = 0;
  std::vector<double> eta;

  Bent(const Shape& shape, Plane plane_, bool straight = false)
      : beam(make_beam(shape, 0.07)),
        plane(plane_),
        eta(beam->size(), 0.0) {
    part.kind = PartKind::beam;
    part.s0 = beam->start();
    part.s1 = beam->end();
    part.width = part.breadth = 0.006;
    part.straight = straight;
  }

  /// The frames of this pose, which moves with the given rates.
  template <class T>
  Frames<T> frames(Vec rate = {}, double turning = 0, const std::vector<double>& bending = {}) const {
    const auto make = [](double value, [[maybe_unused]] double derivative) {
      if constexpr (std::is_same_v<T, double>)
        return value;
      else
        return T(value, derivative);
    };
    using std::sin, std::cos;
    Frames<T> f;
    f.resize(1);
    const T a = make(angle, turning);
    f.u[0] = {sin(a), cos(a)};
    f.w[0] = {cos(a), -sin(a)};
    f.origin[0] = {make(origin.x, rate.x), make(origin.z, rate.z)};
    f.beam[0] = beam.get();
    for (std::size_t k = 0; k < eta.size(); ++k)
      f.eta.push_back(make(eta[k], bending.empty() ? 0.0 : bending[k]));
    f.eta_rate.assign(eta.size(), T(0));
    return f;
  }

  double deflection(double x) const {
    double w = 0;
    for (std::size_t k = 0; k < eta.size(); ++k) w += eta[k] * beam->basis().value(static_cast<int>(k), x);
    return w;
  }
  Vec place(double x) const {
    const double s = beam->start() + x, w = deflection(x), sine = std::sin(angle), cosine = std::cos(angle);
    return {origin.x + s * sine + w * cosine, origin.z + s * cosine - w * sine};
  }
  double depth(double x) const { return plane.depth(place(x)); }

  /// Puts the point x of the axis `down` under the surface.
  void sink(double x, double down) { origin += (down - depth(x)) * plane.normal; }
};

// --- by the library ----------------------------------------------------------------------------------------------

Immersion mode_of(const Levels<double>& lv) {
  Immersion m;
  m.regime = 0;
  for (int k = 0; k < lv.count; ++k)
    if (lv.value[k] > 0) m.regime |= static_cast<std::uint8_t>(1u << k);
  m.deepest = lv.value[1] >= lv.value[0] ? 1 : -1;
  return m;
}

Immersion mode_of(const Bent& b) {
  Levels<double> lv;
  levels(b.part, 0, b.frames<double>(), b.plane, lv);
  return mode_of(lv);
}

template <class T>
Immersed<T> measure(const Bent& b, Immersion mode, const Frames<T>& f) {
  Levels<T> lv;
  levels(b.part, 0, f, b.plane, lv);
  Immersed<T> out;
  immerse(b.part, mode, 0, f, b.plane, lv, out);
  return out;
}

Immersed<double> measure(const Bent& b, Immersion mode) { return measure(b, mode, b.frames<double>()); }

// --- by sampling -------------------------------------------------------------------------------------------------

struct Sampled {
  double length = 0, at = 0, deepest = -1e300, highest = 1e300;
  int crossings = 0;
  bool start = false, end = false;
  double nearest = 1e300;  ///< least |depth| at a turning point: how clear the regime is
};

/// Largest depth near a sample by golden section (sign +1), or the smallest (−1).
double extreme(const Bent& b, double low, double high, double sign) {
  constexpr double ratio = 0.6180339887498949;
  for (int i = 0; i < 60; ++i) {
    const double p = high - ratio * (high - low), q = low + ratio * (high - low);
    (sign * b.depth(p) > sign * b.depth(q) ? high : low) = sign * b.depth(p) > sign * b.depth(q) ? q : p;
  }
  return b.depth((low + high) / 2);
}

Sampled sample(const Bent& b) {
  Sampled out;
  std::vector<double> d(samples + 1);
  const double h = length / samples;
  for (int i = 0; i <= samples; ++i) d[i] = b.depth(h * i);
  out.start = d.front() > 0;
  out.end = d.back() > 0;
  double from = 0, moment = 0;
  const auto close = [&](double to) {
    out.length += to - from;
    moment += 0.5 * (to * to - from * from);
  };
  for (int i = 0; i <= samples; ++i) {
    out.deepest = std::max(out.deepest, d[i]);
    out.highest = std::min(out.highest, d[i]);
    if (i > 0 && i < samples && (d[i] - d[i - 1]) * (d[i + 1] - d[i]) <= 0) {
      const double turn = extreme(b, h * (i - 1), h * (i + 1), d[i] >= d[i - 1] ? 1 : -1);
      out.deepest = std::max(out.deepest, turn);
      out.highest = std::min(out.highest, turn);
      out.nearest = std::min(out.nearest, std::abs(turn));
    }
    if (i == 0 || (d[i] > 0) == (d[i - 1] > 0)) continue;
    double low = h * (i - 1), high = h * i;
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      ((b.depth(middle) > 0) == (d[i - 1] > 0) ? low : high) = middle;
    }
    ++out.crossings;
    d[i] > 0 ? void(from = low) : close(low);
  }
  if (out.end) close(length);
  out.at = out.length > 0 ? moment / out.length : 0;
  return out;
}

/// Bits of the ends; bit 2 when the ends alone do not tell: all, none, or one side of one point.
int regime_of(const Sampled& s) {
  const bool simple = s.crossings == (s.start != s.end ? 1 : 0);
  return (s.start ? 1 : 0) | (s.end ? 2 : 0) | (simple ? 0 : 4);
}

// --- poses -------------------------------------------------------------------------------------------------------

std::vector<Shape> shapes() {
  return {{Support::free, 1, 0},   {Support::free, 4, 0},    {Support::pinned, 1, 0},
          {Support::pinned, 3, 0}, {Support::clamped, 1, 0}, {Support::clamped, 5, 0},
          {Support::free, 6, 3},   {Support::pinned, 4, 2},  {Support::clamped, 8, 4},
          {Support::clamped, 2, 1}};
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  bool coin(double share) { return in(0, 1) < share; }

 private:
  std::mt19937 random_;
};

/// A bend of a tenth of the length, often nearly parallel to the surface and close to it.
Bent random_bent(Draw& draw, const Shape& shape) {
  Bent b(shape,
         Plane::make({draw.in(-0.1, 0.1), draw.in(-0.1, 0.1)}, draw.coin(0.3) ? 0 : draw.in(-0.7, 0.7)));
  const double size = draw.in(0, 0.1) * length;
  for (std::size_t k = 0; k < b.eta.size(); ++k) b.eta[k] = size * draw.in(-1, 1) / (1 + double(k));
  const double along = std::atan2(b.plane.tangent.x, b.plane.tangent.z);
  b.angle = draw.coin(0.3) ? draw.in(-pi, pi) : along + draw.in(-0.15, 0.15) + (draw.coin(0.5) ? pi : 0);
  b.sink(draw.in(0, length), draw.in(-0.1, 0.1) * (draw.coin(0.5) ? 0.1 : 1));
  return b;
}

constexpr double slack = 1e-9;  // regimes closer than this to a change are not told apart by the samples

// Tolerance: crossings by bisection and extremes by golden section are good to 1e-15 of the length, but for rounding
// of the depth, 1e-16, divided by the slope at the crossing, which can be as small as √(depth of the turn · curvature):
// √(1e-9 · 1) ≈ 3e-5 with `slack`: 1e-11. Depths at turns: rounding.
TEST(BentBeam, random_bends_agree_with_sampling) {
  Draw draw(1);
  std::array<int, 8> seen{};
  int several = 0;
  for (const Shape& shape : shapes())
    for (int trial = 0; trial < 60; ++trial) {
      const Bent b = random_bent(draw, shape);
      const Sampled want = sample(b);
      if (want.nearest < slack) continue;
      const Immersion mode = mode_of(b);
      const std::string name = "modes " + std::to_string(shape.modes) + " trial " + std::to_string(trial);
      ASSERT_EQ(int(mode.regime), regime_of(want)) << name;
      ++seen[mode.regime];
      several += want.crossings > 2;
      if (mode.regime == 0) continue;
      const Immersed<double> got = measure(b, mode);
      EXPECT_NEAR(got.length, want.length, 1e-11) << name;
      EXPECT_NEAR(got.at, want.at, 1e-11 * length / want.length + 1e-13) << name;
      EXPECT_NEAR(got.depth, want.deepest, 1e-14) << name;
      EXPECT_EQ(got.whole, want.highest > 0) << name;
      EXPECT_NEAR(got.top, std::max(0.0, want.highest), 1e-14) << name;
      const Vec e = b.place(got.at);
      EXPECT_NEAR(b.origin.x + got.arm.x, e.x, 1e-14) << name;
      EXPECT_NEAR(b.origin.z + got.arm.z, e.z, 1e-14) << name;
      EXPECT_NEAR(got.volume, pi / 4 * 0.006 * 0.006 * want.length, 1e-15) << name;
      EXPECT_NEAR(got.side, 0.006 * want.length, 1e-13) << name;
    }
  for (int regime = 0; regime < 8; ++regime) EXPECT_GE(seen[regime], 5) << "regime " << regime;
  EXPECT_GE(several, 5);
}

// Regimes by name, with one mode: the free beam is bent by 2 cm up or down in the middle.
TEST(BentBeam, belly_in_and_belly_out) {
  for (double slope : {0.0, 0.4}) {
    Bent b({Support::free, 1, 0}, Plane::make({0.01, 0.02}, slope));
    b.angle = std::atan2(b.plane.tangent.x, b.plane.tangent.z);
    for (double bend : {0.02, -0.02}) {
      b.eta[0] = bend;
      const double belly = b.depth(length / 2) - b.depth(0);
      const bool hangs = belly > 0;
      b.sink(length / 2, hangs ? 0.004 : -0.004);
      const Immersion mode = mode_of(b);
      EXPECT_EQ(int(mode.regime), hangs ? 4 : 7);
      const Sampled want = sample(b);
      const Immersed<double> got = measure(b, mode);
      EXPECT_NEAR(got.length, want.length, 1e-12);
      EXPECT_NEAR(got.at, length / 2, 1e-12);  // symmetric either way
      EXPECT_NEAR(got.depth, hangs ? 0.004 : want.deepest, 1e-14);
      EXPECT_FALSE(got.whole);
    }
  }
}

// Ends at the surface up to rounding: both regimes that meet there give the same.
TEST(BentBeam, ends_exactly_at_the_surface) {
  for (const Shape& shape : shapes()) {
    Bent b(shape, Plane::make({0, 0}, 0));
    b.angle = 0.3;
    Frames<double> f = b.frames<double>();
    f.origin[0].z = -(b.beam->start() * f.u[0].z);  // start at depth 0, end 0.38 m under
    Levels<double> lv;
    levels(b.part, 0, f, b.plane, lv);
    EXPECT_NEAR(lv.value[0], 0, 1e-16);
    Immersion mode = mode_of(lv);
    EXPECT_TRUE(mode.regime == 2 || mode.regime == 3);
    for (std::uint8_t regime : {std::uint8_t(2), std::uint8_t(3)}) {
      mode.regime = regime;
      Immersed<double> out;
      immerse(b.part, mode, 0, f, b.plane, lv, out);
      EXPECT_NEAR(out.length, length, 1e-15);
      EXPECT_NEAR(out.at, length / 2, 1e-15);
    }
    f.origin[0].z = -(b.beam->end() * f.u[0].z);
    levels(b.part, 0, f, b.plane, lv);
    mode = mode_of(lv);
    EXPECT_TRUE(mode.regime == 0 || mode.regime == 2);
    mode.regime = 2;
    Immersed<double> out;
    immerse(b.part, mode, 0, f, b.plane, lv, out);
    EXPECT_NEAR(out.length, 0, 1e-15);
    EXPECT_NEAR(out.at, length, 1e-15);
    EXPECT_NEAR(out.depth, 0, 1e-15);
  }
}

/// A smooth motion through many regimes.
struct Motion {
  Bent b;
  Vec origin, rate;
  double angle, turning;
  std::vector<double> eta, phase, frequency;

  Motion(Draw& draw, const Shape& shape)
      : b(random_bent(draw, shape)),
        origin(b.origin),
        rate{draw.in(-0.1, 0.1), draw.in(-0.1, 0.1)},
        angle(b.angle),
        turning(draw.in(-0.6, 0.6)),
        eta(b.eta) {
    for (std::size_t k = 0; k < eta.size(); ++k) {
      phase.push_back(draw.in(0, 6));
      frequency.push_back(draw.in(3, 12));
    }
  }
  const Bent& at(double t) {
    b.origin = origin + t * rate;
    b.angle = angle + turning * t;
    for (std::size_t k = 0; k < eta.size(); ++k) b.eta[k] = eta[k] * std::cos(phase[k] + frequency[k] * t);
    return b;
  }
  std::vector<double> bending(double t) const {
    std::vector<double> out;
    for (std::size_t k = 0; k < eta.size(); ++k)
      out.push_back(-eta[k] * frequency[k] * std::sin(phase[k] + frequency[k] * t));
    return out;
  }
  int regime(double t) {
    const Immersion m = mode_of(at(t));
    return m.regime ? m.regime * 4 + m.deepest + 1 : 0;
  }
};

/// The two sides of a change of regime in [low, high], as close as numbers are.
void bisect(Motion& motion, double& low, double& high) {
  const int before = motion.regime(low);
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (motion.regime(middle) == before ? low : high) = middle;
  }
}

// Source of truth: length, place, depth and top are continuous in the pose, through every change of regime. Both sides
// are taken 1e-12 s away, where depths have changed by 1e-13 m: within 1e-16 m of the surface rounding decides for each
// formula by itself. Where a belly touches the surface the length grows like √δ: √(8δ/κ) ≈ 3e-6 m for δ = 1e-13 m and
// curvatures κ down to 0.1/m; the ends of a nearly parallel part move by δ over its slope. Depth and top are Lipschitz.
// The place is a mean over the length: it moves by the share of what is new.
TEST(BentBeam, nothing_jumps_where_the_regime_changes) {
  Draw draw(2);
  int changes = 0;
  std::array<int, 8> entered{};
  for (const Shape& shape : shapes())
    for (int trial = 0; trial < 20; ++trial) {
      Motion motion(draw, shape);
      for (int step = 0; step < 100; ++step) {
        double low = 0.01 * step, high = 0.01 * (step + 1);
        if (motion.regime(low) == motion.regime(high)) continue;
        bisect(motion, low, high);
        low -= 1e-12, high += 1e-12;
        const Immersion before = mode_of(motion.at(low));
        const Immersed<double> a = before.regime ? measure(motion.at(low), before) : Immersed<double>{};
        const Immersion after = mode_of(motion.at(high));
        const Immersed<double> b = after.regime ? measure(motion.at(high), after) : Immersed<double>{};
        ++changes;
        ++entered[after.regime];
        EXPECT_NEAR(b.length, a.length, 1e-5) << "from " << int(before.regime) << " to " << int(after.regime);
        EXPECT_NEAR(b.depth, a.depth, 1e-11) << "from " << int(before.regime) << " to " << int(after.regime);
        EXPECT_NEAR(b.top, a.top, 1e-11);
        if (a.length > 1e-3 && b.length > 1e-3) {
          EXPECT_NEAR(b.at, a.at, 1e-5 * length / a.length);
        }
      }
    }
  EXPECT_GE(changes, 300);
  for (int regime : {0, 1, 2, 3, 4, 5, 6, 7}) EXPECT_GE(entered[regime], 5) << "regime " << regime;
}

// Source of truth: the header of Immersed: for one fixed Immersion, all formulas are smooth in the pose. The trial steps
// of the solver go past a change of regime in the old mode, and its event location interpolates there.
// Just past the change of one end the old formula must go on from where it was: in 1e-6 s nothing moves by more than
// 1e-6 times speed over slope, < 1e-3 m.
TEST(BentBeam, the_old_regime_goes_on_smoothly_past_an_end) {
  Draw draw(3);
  int changes = 0, jumps = 0;
  double worst = 0;
  for (const Shape& shape : shapes())
    for (int trial = 0; trial < 20; ++trial) {
      Motion motion(draw, shape);
      for (int step = 0; step < 100; ++step) {
        double low = 0.01 * step, high = 0.01 * (step + 1);
        if (motion.regime(low) == motion.regime(high)) continue;
        bisect(motion, low, high);
        const Immersion before = mode_of(motion.at(low)), after = mode_of(motion.at(high));
        const int changed = before.regime ^ after.regime;
        if (before.regime == 0 || (before.regime | after.regime) & 4 || (changed != 1 && changed != 2))
          continue;
        const Immersed<double> a = measure(motion.at(low), before),
                               b = measure(motion.at(high + 1e-6), before);
        const double jump = std::max(std::abs(b.length - a.length), std::abs(b.at - a.at));
        ++changes;
        jumps += jump > 1e-3;
        worst = std::max(worst, jump);
      }
    }
  EXPECT_GE(changes, 50);
  EXPECT_EQ(jumps, 0) << "of " << changes << ", by up to " << worst << " m";
}

// Source of truth: central differences of the library's own values in plain numbers, h = 1e-6, in every regime:
// truncation h² p‴/6. Crossings move with speed over slope, their third derivatives grow like slope⁻⁵; only bellies
// deeper than 1e-4 m and crossings slower than 20 m/s are compared: 1e-6 of the rate.
TEST(BentBeam, dual_numbers_differentiate_every_regime) {
  Draw draw(4);
  std::array<int, 8> seen{};
  const double h = 1e-6;
  for (const Shape& shape : shapes())
    for (int trial = 0; trial < 200; ++trial) {
      Motion motion(draw, shape);
      const double t = 0.3;
      const Immersion mode = mode_of(motion.at(t));
      if (mode.regime == 0 || seen[mode.regime] > 40) continue;
      if (sample(motion.at(t)).nearest < 1e-4) continue;
      const int here = motion.regime(t);
      if (motion.regime(t - 3 * h) != here || motion.regime(t + 3 * h) != here) continue;
      const auto dual = motion.at(t).frames<Dual<double>>(motion.rate, motion.turning, motion.bending(t));
      const Immersed<Dual<double>> im = measure(motion.at(t), mode, dual);
      const Immersed<double> a = measure(motion.at(t - h), mode), b = measure(motion.at(t + h), mode);
      const Immersed<double> c = measure(motion.at(t), mode);
      if (std::abs(b.length - a.length) / (2 * h) > 20) continue;
      ++seen[mode.regime];
      const auto expect_rate = [&](Dual<double> x, double low, double high, const char* name) {
        const double rate = (high - low) / (2 * h);
        EXPECT_NEAR(x.d, rate, 1e-6 * (1 + std::abs(rate))) << name << " in regime " << int(mode.regime);
      };
      EXPECT_NEAR(im.length.v, c.length, 1e-13);
      expect_rate(im.length, a.length, b.length, "length");
      expect_rate(im.at, a.at, b.at, "place");
      expect_rate(im.depth, a.depth, b.depth, "depth");
      expect_rate(im.top, a.top, b.top, "top");
      expect_rate(im.arm.x, a.arm.x, b.arm.x, "arm x");
      expect_rate(im.arm.z, a.arm.z, b.arm.z, "arm z");
    }
  for (int regime = 1; regime < 8; ++regime) EXPECT_GE(seen[regime], 5) << "regime " << regime;
}

// Source of truth: Lee 2009, eqs 5.37–5.43: ℓ = z_T/(u·n) with z_T the depth of the deformed tip, E at ℓ/2 from the tip
// along the beam, deflected as the beam is there. Mirrored for the start; the whole length when both ends are in.
TEST(StraightRule, follows_the_formulas_of_the_paper) {
  Draw draw(5);
  std::array<int, 4> seen{};
  for (const Shape& shape : shapes())
    for (int trial = 0; trial < 40; ++trial) {
      Bent b(shape, Plane::make({0.02, -0.01}, draw.in(-0.5, 0.5)), true);
      for (double& e : b.eta) e = 0.01 * draw.in(-1, 1);
      b.angle = draw.in(-pi, pi);
      b.sink(draw.in(0, length), draw.in(-0.2, 0.2));
      const Immersion mode = mode_of(b);
      ASSERT_LT(mode.regime, 4);
      ++seen[mode.regime];
      if (mode.regime == 0) continue;
      const double dip = b.plane.normal.x * std::sin(b.angle) + b.plane.normal.z * std::cos(b.angle);
      const double tip = b.depth(length), start = b.depth(0);
      EXPECT_EQ(int(mode.regime), (start > 0 ? 1 : 0) + (tip > 0 ? 2 : 0));
      const Immersed<double> got = measure(b, mode);
      const double want = mode.regime == 3 ? length : mode.regime == 2 ? tip / dip : -start / dip;
      const double at = mode.regime == 3 ? length / 2 : mode.regime == 2 ? length - want / 2 : want / 2;
      EXPECT_NEAR(got.length, want, 1e-13 * std::max(1.0, std::abs(want)));
      EXPECT_NEAR(got.at, at, 1e-13 * std::max(1.0, std::abs(want)));
      EXPECT_NEAR(got.depth, mode.regime == 3 ? std::max(tip, start) : mode.regime == 2 ? tip : start, 1e-15);
      if (at < 0 || at > length) continue;  // almost parallel to the surface: the formula leaves the beam
      const Vec e = b.place(at);
      EXPECT_NEAR(b.origin.x + got.arm.x, e.x, 1e-13);
      EXPECT_NEAR(b.origin.z + got.arm.z, e.z, 1e-13);
    }
  for (int regime : {0, 1, 2, 3}) EXPECT_GE(seen[regime], 5) << "regime " << regime;
}

}  // namespace
}  // namespace thud
