// Resistance laws.
// Sources of truth: values by hand; closed-form solutions of vertical falls; quadratures that know only the printed law.
// Every run has two balls in the sand at once.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>

#include "thud/granular/law_rates.hpp"
#include "thud/granular/laws.hpp"
#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double g = 9.81;

// --- values by hand ----------------------------------------------------------------------------------------------

struct State {
  Part part;
  Immersed<double> immersed;
  double area = 0, speed = 0, mass = 1;
};

Resistance<double> answer(const Law& law, const State& s) {
  Flow<double> flow{&s.immersed, &s.part, 1 / s.part.width, s.area * s.speed, s.speed, s.mass, g};
  Resistance<double> out;
  std::visit(
      [&](const auto& l) {
        if constexpr (requires { l.evaluate(flow, out); }) l.evaluate(flow, out);
      },
      law);
  return out;
}

State make_link(double depth, double top, double length) {
  State s;
  s.part.kind = PartKind::segment;
  s.part.s1 = 0.3;
  s.part.width = s.part.breadth = 0.02;
  s.immersed.length = length;
  s.immersed.volume = pi / 4 * 0.02 * 0.02 * length;
  s.immersed.depth = depth;
  s.immersed.top = top;
  s.immersed.side = 0.02 * length;
  s.immersed.whole = top > 0;
  s.area = s.immersed.side;
  s.speed = 1.5;
  return s;
}

State make_ball(double depth) {
  State s;
  s.part.kind = PartKind::particle;
  s.part.width = s.part.breadth = 0.02;
  s.immersed.length = 0.02;
  s.immersed.volume = pi / 6 * 0.02 * 0.02 * 0.02;
  s.immersed.depth = depth;
  s.immersed.side = pi / 4 * 0.02 * 0.02;
  s.area = s.immersed.side;
  s.speed = 1.5;
  return s;
}

// Source of truth: Lee 2009, eqs 3.6 to 3.9, with ρ_g = 2500, η_d = 6.5, η_h = 8, η_v = 22 and 0.5, λ = 1.1, by hand:
//   link d = 0.02, ℓ = 0.1, z_T = 0.08, |v| = 1.5:
//   F_d/|v| = 6.5 · 2500 · 0.02 · 0.1 · 1.5 = 48.75
//   F_sh = 8 · 9.81 · 2500 · 0.02 · 0.08² = 25.1136
//   F_sv = 22 · 4^1.1 · 9.81 · 2500 · π/4 · 0.02² · 0.1 = 16.950585…· 4^1.1
TEST(Lee, a_link_by_hand) {
  const Resistance<double> r = answer(LeeLaw{}, make_link(0.08, 0, 0.1));
  EXPECT_NEAR(r.drag, 48.75, 1e-12);
  EXPECT_NEAR(r.shear, 25.1136, 1e-12);
  const double weight = 9.81 * 2500 * 3.14159265358979323846e-5;
  EXPECT_NEAR(weight, 0.770475598, 1e-9);
  EXPECT_NEAR(r.plunge, 22 * 4.594793419988 * weight, 1e-10);  // 4^1.1 = 4.594793419988
  EXPECT_NEAR(r.withdraw, 0.5 * 4.594793419988 * weight, 1e-11);
  EXPECT_EQ(r.spin_square, 0);  // it sticks out
}

// Ball d = 0.02, z = 0.05: F_sh = 8 · 9.81 · 2500 · 0.02² · 0.05 = 3.924, or with d z²: 8·9.81·2500·0.02·0.05² = 9.81.
TEST(Lee, a_ball_by_hand) {
  LeeLaw law;
  EXPECT_NEAR(answer(law, make_ball(0.05)).shear, 3.924, 1e-13);
  law.ball_square = true;
  EXPECT_NEAR(answer(law, make_ball(0.05)).shear, 9.81, 1e-13);
  EXPECT_NEAR(answer(law, make_ball(0.05)).drag, 6.5 * 2500 * 1e-4 * pi * 1.5, 1e-12);
  EXPECT_NEAR(answer(law, make_ball(0.05)).plunge,
              22 * std::exp(1.1 * std::log(2.5)) * 9.81 * 2500 * pi / 6 * 8e-6, 1e-12);
}

// Source of truth: Albert's pressure summed over the rod, 2 ∫ z dz over the immersed depths, by 20000 slabs;
// the midpoint rule is exact for a linear integrand.
TEST(Lee, shear_of_a_swallowed_link_is_the_summed_pressure) {
  const LeeLaw law;
  for (double top : {0.0, 0.01, 0.05, 0.0799}) {
    const double bottom = 0.08;
    double sum = 0;
    for (int k = 0; k < 20000; ++k)
      sum += 2 * (top + (bottom - top) * (k + 0.5) / 20000) * (bottom - top) / 20000;
    EXPECT_NEAR(answer(law, make_link(bottom, top, 0.1)).shear, 8 * g * 2500 * 0.02 * sum, 1e-10);
  }
}

TEST(Lee, skin_friction_adds_to_shear) {
  LeeLaw law;
  const Resistance<double> plain = answer(law, make_link(0.08, 0.01, 0.1));
  law.friction = 0.4;
  const Resistance<double> rough = answer(law, make_link(0.08, 0.01, 0.1));
  EXPECT_NEAR(rough.shear, plain.shear + 0.4 * plain.plunge, 1e-12);
  EXPECT_EQ(rough.plunge, plain.plunge);
}

// Source of truth: drag spread evenly over a link that turns about its middle: ∫ η_d ρ b |s ω|² |s| ds
// = 2 η_d ρ b ω² (ℓ/2)⁴/4 = η_d ρ b ℓ⁴/32 ω².
TEST(Lee, moment_on_a_swallowed_link_is_the_spread_drag) {
  double sum = 0;
  for (int k = 0; k < 20000; ++k) {
    const double s = -0.05 + 0.1 * (k + 0.5) / 20000;
    sum += 6.5 * 2500 * 0.02 * s * s * std::abs(s) * 0.1 / 20000;
  }
  EXPECT_NEAR(answer(LeeLaw{}, make_link(0.08, 0.01, 0.1)).spin_square, sum, 1e-8 * sum);
}

// Source of truth: the printed forms; two parts each.
TEST(ScalarLaws, values_as_printed) {
  for (const State& s : {make_link(0.08, 0.01, 0.1), make_ball(0.03)}) {
    State heavy = s;
    heavy.mass = 0.7;
    const double v = s.speed, z = s.immersed.depth;
    Resistance<double> r = answer(BinghamLaw{3, 2, 0.5}, s);
    EXPECT_DOUBLE_EQ(r.plunge + r.drag * v, 3 + 2 * v);
    EXPECT_DOUBLE_EQ(r.shear, 1.5);
    r = answer(PonceletLaw{3, 2, 0.5}, s);
    EXPECT_DOUBLE_EQ(r.plunge + r.drag * v, 3 + 2 * v * v);
    EXPECT_DOUBLE_EQ(r.withdraw, 3);
    r = answer(AllenLaw{2, 5, 3, 0.5}, s);
    EXPECT_DOUBLE_EQ(r.plunge + r.drag * v, 2 * v * v + 5 * v + 3);
    r = answer(LohseLaw{40, 0.25}, s);
    EXPECT_DOUBLE_EQ(r.plunge, 40 * z);
    EXPECT_DOUBLE_EQ(r.shear, 10 * z);
    EXPECT_EQ(r.drag, 0);
    r = answer(KatsuragiLaw{40, 0.08, 1}, heavy);
    EXPECT_DOUBLE_EQ(r.plunge + r.drag * v, 40 * z + 0.7 * v * v / 0.08);
  }
}

// Source of truth: the cards. Lee, Lohse and the static part of Katsuragi vanish at the surface, also a little above it,
// where the trial states of a step may be.
TEST(Limits, depth_to_zero) {
  for (double depth : {0.0, -1e-9}) {
    State s = make_link(depth, 0, 0);
    Resistance<double> r = answer(LeeLaw{}, s);
    EXPECT_EQ(r.plunge, 0);
    EXPECT_EQ(r.withdraw, 0);
    EXPECT_EQ(r.drag, 0);
    EXPECT_NEAR(r.shear, 0, 1e-13);
    for (const Law& law : {Law(LohseLaw{50, 1}), Law(KatsuragiLaw{50, 0.1, 1})}) {
      r = answer(law, make_ball(depth));
      EXPECT_EQ(r.plunge, 0);
      EXPECT_EQ(r.withdraw, 0);
      EXPECT_EQ(r.shear, 0);
    }
  }
  double last = answer(LeeLaw{}, make_link(0.01, 0, 0.01)).plunge;
  for (double z = 0.009; z > 1e-6; z *= 0.9) {  // monotone down to nothing
    const double now = answer(LeeLaw{}, make_link(z, 0, z)).plunge;
    EXPECT_LT(now, last);
    last = now;
  }
  EXPECT_LT(last, 1e-8);
}

TEST(Table, every_coefficient_can_be_set_and_read) {
  for (const LawEntry* e : law_table()) {
    Law law = e->prototype;
    EXPECT_EQ(law_card(law).name, e->card.name);
    double x = 1.25;
    for (const Coefficient& c : e->card.coefficients) c.set(law, x += 1);
    x = 1.25;
    for (const Coefficient& c : e->card.coefficients)
      EXPECT_EQ(c.get(law), x += 1) << e->card.name << " " << c.key;
  }
}

// --- closed forms ------------------------------------------------------------------------------------------------

struct Ball {
  double mass, speed;
};
struct Stop {
  double time, depth;
};

std::string two_balls(const std::string& bed, Ball a, Ball b) {
  return fmt::format(R"(
gravity = 9.81
[[body]]
name = "a"
shape = {{ kind = "sphere", diameter = 0.02, mass = {} }}
joint = "free"
[[body]]
name = "b"
shape = {{ kind = "sphere", diameter = 0.03, mass = {} }}
joint = "free"
[bed]
{}
[initial]
"a.x" = 0
"a.z" = 0
"a.vz" = {}
"b.x" = 1
"b.z" = 0
"b.vz" = {}
[stop]
when = "results"
[results]
ta = "time when a.vz falls through 0"
za = "a.depth at ta"
tb = "time when b.vz falls through 0"
zb = "b.depth at tb"
)",
                     a.mass, b.mass, bed, a.speed, b.speed);
}

// Two balls against the reference. Tolerance: a run at 1e-9 stays below 1e-9 of its sizes (docs/theory/solver.md), here
// speeds up to V = 3 m/s and the way V t. v passes zero with a deceleration of at least 10 m/s² in all these cases, so
// the time of the stop is good to 1e-9 V/10 = 3e-10 s; the depth does not feel that, as v = 0 there.
void expect_stops(const std::string& bed, Ball a, Ball b, const std::function<Stop(Ball)>& reference) {
  SCOPED_TRACE(bed);
  const Scenario s = parse_scenario(two_balls(bed, a, b), "two_balls.toml");
  const RunResult r = run(s);
  ASSERT_TRUE(r.reached) << r.reason;
  const auto value = [&](const char* name) { return r.find(name)->value.value_or(-1); };
  const Stop at = reference(a), bt = reference(b);
  EXPECT_NEAR(value("ta"), at.time, 3e-10);
  EXPECT_NEAR(value("za"), at.depth, 1e-9 * at.depth);
  EXPECT_NEAR(value("tb"), bt.time, 3e-10);
  EXPECT_NEAR(value("zb"), bt.depth, 1e-9 * bt.depth);
  EXPECT_LT(std::abs(r.outcome.energy.residual), 1e-8);
}

// Source of truth: v̇ = −a − βv, a = F0/m − g, β = b/m:  t = ln(1 + βv₀/a)/β,  z = (v₀ − a t)/β.
TEST(Bingham, stops_by_the_closed_form) {
  const double f0 = 6, viscous = 1.2;
  expect_stops(fmt::format("law = \"bingham\"\nF0 = {}\nb = {}", f0, viscous), {0.05, 2}, {0.3, 1.1},
               [&](Ball ball) {
                 const double a = f0 / ball.mass - g, beta = viscous / ball.mass;
                 const double t = std::log1p(beta * ball.speed / a) / beta;
                 return Stop{t, (ball.speed - a * t) / beta};
               });
}

// Source of truth: v̇ = −a − γv²:  t = atan(v₀ √(γ/a))/√(aγ),  z = ln(1 + γv₀²/a)/(2γ).
TEST(Poncelet, stops_by_the_closed_form) {
  const double f0 = 6, c = 1.7;
  expect_stops(fmt::format("law = \"poncelet\"\nF0 = {}\nc = {}", f0, c), {0.05, 3}, {0.3, 1.1},
               [&](Ball ball) {
                 const double a = f0 / ball.mass - g, gamma = c / ball.mass;
                 return Stop{std::atan(ball.speed * std::sqrt(gamma / a)) / std::sqrt(a * gamma),
                             std::log1p(gamma * ball.speed * ball.speed / a) / (2 * gamma)};
               });
}

// Source of truth: the integrals t = ∫ m dv/R, z = ∫ m v dv/R over the speeds, R = A v² + B v + C − m g,
// by Simpson's rule with 20000 intervals (error below 1e-15 for these smooth integrands).
TEST(Allen, stops_by_quadrature_over_the_speed) {
  const double square = 1.7, linear = 0.9, constant = 6;
  expect_stops(fmt::format("law = \"allen\"\nA = {}\nB = {}\nC = {}", square, linear, constant), {0.05, 3},
               {0.3, 1.1}, [&](Ball ball) {
                 const int n = 20000;
                 Stop out{0, 0};
                 for (int k = 0; k <= n; ++k) {
                   const double v = ball.speed * k / n, weight = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
                   const double r = square * v * v + linear * v + constant - ball.mass * g;
                   out.time += weight * ball.mass / r * ball.speed / (3.0 * n);
                   out.depth += weight * ball.mass * v / r * ball.speed / (3.0 * n);
                 }
                 return out;
               });
}

// Source of truth: part of a harmonic oscillation about A = m g/k: ω = √(k/m), stop at A + √(A² + v₀²/ω²),
// ω t = π − atan(v₀/(A ω)).
TEST(Lohse, stops_after_part_of_an_oscillation) {
  const double k = 60;
  for (double v0 : {0.0, 0.3, 2.5})
    expect_stops(fmt::format("law = \"lohse\"\nk = {}", k), {0.05, v0}, {0.3, 1.1}, [&](Ball ball) {
      const double omega = std::sqrt(k / ball.mass), mean = ball.mass * g / k;
      return Stop{(pi - std::atan2(ball.speed, mean * omega)) / omega,
                  mean + std::hypot(mean, ball.speed / omega)};
    });
}

double lambert_w0(double c) {  // Newton, from above
  double w = c > 1 ? std::log(c) : c < -0.2 ? -0.5 : c / (1 + std::abs(c));
  for (int i = 0; i < 100; ++i) w -= (w * std::exp(w) - c) / (std::exp(w) * (1 + w));
  return w;
}

double katsuragi_depth(double m, double v0, double k, double d1) {
  const double c =
      (2 * m * v0 * v0 / (k * d1 * d1) - 2 * m * g / (k * d1) - 1) * std::exp(-1 - 2 * m * g / (k * d1));
  return m * g / k + d1 / 2 * (1 + lambert_w0(c));
}

// Source of truth: the closed form of docs/theory/sand.md, and a value computed elsewhere to 14 digits.
TEST(Katsuragi, closed_form_reproduces_its_own_data) {
  EXPECT_NEAR(katsuragi_depth(0.05, 2, 20, 0.08), 0.07402740505401, 1e-14);
  for (double v0 : {0.5, 2.0, 8.0}) {  // v² = 0 at the depth it gives
    const double m = 0.05, k = 20, d1 = 0.08, z = katsuragi_depth(m, v0, k, d1),
                 a = g * d1 + k * d1 * d1 / (2 * m);
    EXPECT_NEAR((v0 * v0 - a) * std::exp(-2 * z / d1) + a - k * d1 / m * z, 0, 1e-13);
  }
}

TEST(Katsuragi, stops_at_the_depth_of_lambert_w) {
  struct Row {
    double v0, k, d1;
  };
  for (const Row& row :
       {Row{0.5, 20, 0.08}, Row{2, 20, 0.08}, Row{5, 100, 0.05}, Row{8, 40, 0.1}, Row{1, 5, 0.3}}) {
    const std::string bed = fmt::format("law = \"katsuragi\"\nk = {}\nd1 = {}", row.k, row.d1);
    const Scenario s = parse_scenario(two_balls(bed, {0.05, row.v0}, {0.12, 1.3}), "k.toml");
    const RunResult r = run(s);
    ASSERT_TRUE(r.reached) << r.reason;
    EXPECT_NEAR(*r.find("za")->value, katsuragi_depth(0.05, row.v0, row.k, row.d1), 1e-10);
    EXPECT_NEAR(*r.find("zb")->value, katsuragi_depth(0.12, 1.3, row.k, row.d1), 1e-10);
  }
}

// Source of truth: for a ball w = v² obeys dw/dz = 2g − 2κw − 2c z^λ with κ = η_d ρ A/m, c = η_v g ρ V/(m d^λ); hence
//   w(z) = e^{−2κz} (v₀² + ∫₀ᶻ e^{2κs} 2(g − c s^λ) ds), and it stops where w = 0.
// The integral by Simpson with s = z x⁵, which makes s^1.1 = x^5.5 smooth enough for 1e-13.
TEST(Lee, a_ball_stops_by_quadrature_over_the_depth) {
  const std::vector<std::pair<Ball, double>> balls{{{0.06, 1.5}, 0.02}, {{0.11, 0.8}, 0.03}};
  const Scenario s =
      parse_scenario(two_balls("medium = \"play-sand\"", balls[0].first, balls[1].first), "l.toml");
  const RunResult r = run(s);
  ASSERT_TRUE(r.reached) << r.reason;
  for (int k = 0; k < 2; ++k) {
    const auto& [ball, d] = balls[k];
    const double kappa = 6.5 * 2500 * pi / 4 * d * d / ball.mass;
    const double c = 22 * g * 2500 * pi / 6 * d * d * d / (ball.mass * std::pow(d, 1.1));
    const auto w = [&, v0 = ball.speed](double z) {
      const int n = 4000;
      double sum = 0;
      for (int i = 0; i <= n; ++i) {
        const double x = double(i) / n, sd = z * std::pow(x, 5),
                     weight = i == 0 || i == n ? 1
                            : i % 2            ? 4
                                               : 2;
        sum += weight * std::exp(2 * kappa * (sd - z)) * 2 * (g - c * std::pow(sd, 1.1)) * 5 * z
             * std::pow(x, 4) / (3.0 * n);
      }
      return std::exp(-2 * kappa * z) * v0 * v0 + sum;
    };
    double lo = 0, hi = 0.3;
    while (hi - lo > 1e-15) {
      const double mid = (lo + hi) / 2;
      (w(mid) > 0 ? lo : hi) = mid;
      if (mid == lo && mid == hi) break;
      if (hi - lo < 2e-16) break;
    }
    EXPECT_NEAR(*r.find(k == 0 ? "za" : "zb")->value, lo, 1e-10);
  }
}

// Source of truth: with shear_ratio = 0 the Bingham motion along the surface is v_x = v₀ e^{−bt/m}, whatever the plunge.
TEST(Bingham, motion_along_the_surface_decays_by_itself) {
  std::string text = two_balls("law = \"bingham\"\nF0 = 6\nb = 1.2\nshear_ratio = 0", {0.05, 2}, {0.3, 1.1});
  text.replace(text.find("\"a.vz\""), 6, "\"a.vx\" = 1.7\n\"b.vx\" = -0.4\n\"a.vz\"");
  text += "ua = \"a.vx at ta\"\nub = \"b.vx at tb\"\n";
  const RunResult r = run(parse_scenario(text, "b.toml"));
  ASSERT_TRUE(r.reached) << r.reason;
  EXPECT_NEAR(*r.find("ua")->value, 1.7 * std::exp(-1.2 / 0.05 * *r.find("ta")->value), 1e-9);
  EXPECT_NEAR(*r.find("ub")->value, -0.4 * std::exp(-1.2 / 0.3 * *r.find("tb")->value), 1e-9);
}

// Source of truth: central differences, good to 1e-7 of the sum with a step of 1e-5.
TEST(Table, every_coefficient_has_its_rate) {
  const State s = make_link(0.08, 0, 0.1);
  const auto sum = [](const auto& r) {
    return r.drag + 2 * r.plunge + 3 * r.withdraw + 5 * r.shear + 7 * r.spin_linear + 11 * r.spin_square;
  };
  for (const LawEntry* e : law_table()) {
    Law law = e->prototype;
    double x = 1.25;
    for (const Coefficient& c : e->card.coefficients) c.set(law, x += 0.25);
    for (std::size_t k = 0; k < e->card.coefficients.size(); ++k) {
      const Coefficient& c = e->card.coefficients[k];
      const double h = 1e-5, here = c.get(law);
      const auto at = [&](double value) {
        Law moved = law;
        c.set(moved, value);
        return sum(answer(moved, s));
      };
      using D = Dual<double>;
      LawOf<D> lifted = with_rates(law);
      ASSERT_TRUE(set_rate(lifted, k, 1));
      Immersed<D> im;
      im.length = D(s.immersed.length), im.volume = D(s.immersed.volume), im.depth = D(s.immersed.depth);
      im.side = D(s.immersed.side);
      PartOf<D> part;
      part.s1 = D(s.part.s1), part.width = part.breadth = D(s.part.width);
      const Flow<D, D> flow{&im,       &part, D(1 / s.part.width), D(s.area * s.speed), D(s.speed),
                            D(s.mass), D(g)};
      Resistance<D> out;
      std::visit(
          [&](const auto& l) {
            if constexpr (requires { l.evaluate(flow, out); }) l.evaluate(flow, out);
          },
          lifted);
      EXPECT_DOUBLE_EQ(value_of(sum(out)), at(here)) << e->card.name;
      const double difference = (at(here + h) - at(here - h)) / (2 * h);
      EXPECT_NEAR(sum(out).d, difference, 1e-7 * (std::abs(at(here)) + std::abs(difference)))
          << e->card.name << " " << c.key;
    }
  }
}

}  // namespace
}  // namespace thud
