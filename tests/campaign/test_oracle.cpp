// The enumeration of contact modes against closed forms, and the decisions of the program against the enumeration.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "campaign/oracle.hpp"
#include "campaign/scenarios.hpp"
#include "thud/scenario/run.hpp"

namespace thud::campaign {
namespace {

TEST(Oracle, nonnegative_least_squares) {
  // Lawson & Hanson: where the free answer (1, −1) has a negative part, the nearest is on the axis.
  const Eigen::VectorXd x =
      solve_nonnegative(Eigen::Matrix2d{{1, 0.5}, {0.5, 1}}, Eigen::Vector2d(0.5, -0.5));
  EXPECT_NEAR(x[0], 0.2, 1e-12);
  EXPECT_EQ(x[1], 0);
}

Decisions of(const std::string& text) {
  const Scenario s = parse_scenario(text, "oracle.toml", {});
  std::vector<double> y(s.system->state_size());
  std::copy(s.q.begin(), s.q.end(), y.begin());
  std::copy(s.v.begin(), s.v.end(), y.begin() + s.system->dof_count());
  Mode mode;
  s.system->reset(mode);
  return enumerate_modes(*s.system, 0, y, mode);
}

std::string rod(double angle, double friction, double rate) {
  return "[[body]]\nname = \"rod\"\nshape = { kind = \"given\", mass = 1, center = 0.5, inertia = "
         "0.08333333333333333, length = 1, "
         "diameter = 1e-3 }\njoint = \"free\"\n[[wall]]\ntouches = [\"rod.tip\"]\nfriction = "
       + std::to_string(friction) + fmt::format("\n[initial]\n\"rod.angle\" = {:.17g}", angle)
       + "\n\"rod.tip.x\" = 0\n\"rod.tip.z\" = 0\n\"rod.tip.vx\" = 1\n\"rod.tip.vz\" = 0\n\"rod.rate\" = "
       + std::to_string(rate) + "\n";
}

// The classical rod (Génot & Brogliato 1999). With θ from the horizontal and m = l/2·2 = 1: sliding has
//   g̈ = b + p N,   p = 1 + 3 cos θ (cos θ − μ sin θ),   b = θ̇² sin θ/2 − g,
// one mode where p > 0; p < 0: none where b < 0, two where b > 0. The side of θ on which friction jams is tried on both.
TEST(Oracle, the_rod_of_painleve_has_none_one_or_two_modes) {
  const double g = 9.81;
  int none = 0, one = 0, two = 0;
  for (const double theta : {0.5, 0.9, 1.107, 1.3})
    for (const double friction : {0.3, 1.0, 2.0, 3.0})
      for (const double rate : {0.0, 3.0, 6.0})
        for (const int side : {1, -1}) {
          const double p = 1 + 3 * std::cos(theta) * (std::cos(theta) - side * friction * std::sin(theta));
          const double b = 0.5 * rate * rate * std::sin(theta) - g;
          if (std::abs(p) < 1e-3 || std::abs(b) < 1e-3) continue;
          const Decisions d = of(rod(side * (1.5707963267948966 - theta), friction, rate));
          ASSERT_TRUE(d.why_not.empty()) << d.why_not;
          const std::size_t expected = p > 0 ? 1 : b < 0 ? 0 : 2;
          EXPECT_EQ(d.consistent.size(), expected)
              << theta << " " << friction << " " << rate << " " << side << ": " << d.text();
          (expected == 0 ? none : expected == 1 ? one : two)++;
          if (expected == 1 && b < 0) {
            EXPECT_NEAR(d.consistent[0].normal[0], -b / p, 1e-4 * -b / p);
          }
        }
  EXPECT_GT(none, 3);
  EXPECT_GT(one, 20);
  EXPECT_GT(two, 3);
}

// A block that rests on a slope: it sticks up to tan(slope) = μ, where redundant friction of two corners is one answer.
TEST(Oracle, a_block_on_a_slope_sticks_up_to_its_friction) {
  for (const double slope : {0.2, 0.4}) {
    const double h = 0.05, x = h * std::sin(slope), z = -h * std::cos(slope);
    const Decisions d =
        of("[[body]]\nname = \"block\"\nshape = { kind = \"block\", length = 0.1, width = 0.2, mass = 1 "
           "}\njoint = \"free\"\n"
           "[[wall]]\nfriction = 0.3\nslope = "
           + fmt::format("{:.17g}", slope) + "\n[initial]\n\"block.angle\" = "
           + fmt::format("{:.17g}\n\"block.x\" = {:.17g}\n\"block.z\" = {:.17g}\n", -slope, x, z));
    ASSERT_EQ(d.closed.size(), 2u) << d.why_not;
    ASSERT_FALSE(d.consistent.empty());
    const double a = d.consistent[0].acceleration.head(2).norm();
    EXPECT_NEAR(a, slope < 0.291 ? 0 : 9.81 * (std::sin(slope) - 0.3 * std::cos(slope)), 1e-6) << d.text();
  }
}

/// Compares what the program computes with at the start of every step.
class Comparison : public StepObserver {
 public:
  explicit Comparison(const System& system)
      : system_(system),
        y_(system.state_size()),
        slope_(system.state_size()) {
    system.prepare(work_);
  }
  void on_step(StepView& step) override {
    if (compared >= 25 || step.mode() == last_) return;
    last_ = step.mode();
    step.state(step.begin(), y_.data());
    const Decisions d = enumerate_modes(system_, step.begin(), y_, last_, 3);
    if (!d.why_not.empty()) return;
    system_.evaluate(step.begin(), y_.data(), last_, work_, slope_.data());
    const int n = system_.dof_count();
    const Eigen::Map<const Eigen::VectorXd> ours(slope_.data() + n, n);
    double off = HUGE_VAL;
    for (const Decisions::Mode& m : d.consistent)
      off = std::min(off, (m.acceleration - ours).norm() / (9.81 + ours.norm()));
    ++compared;
    several += d.closed.size() > 1;
    worst = std::max(worst, off);
    if (off > 1e-4) where += fmt::format("t = {:.9g}: off by {:.2g}, {}\n", step.begin(), off, d.text());
  }
  int compared = 0, several = 0;
  double worst = 0;
  std::string where;

 private:
  const System& system_;
  Work<double> work_;
  std::vector<double> y_, slope_;
  Mode last_;
};

// Not yet held: of 48 runs it differs in a few instants of piles-loose 10 and 12 (perhaps a contact that flies by less than
// 1e-8 m and is taken for closed here), blocks 11 and wall-chains 6 (redundant contacts; not explained).
TEST(Oracle, DISABLED_the_program_decides_for_a_mode_that_is_consistent) {
  int compared = 0, several = 0;
  for (const char* name : {"blocks", "piles-loose", "piles-grid", "wall-chains"})
    for (const ScenarioClass& c : classes()) {
      if (c.name != name) continue;
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Scenario s = parse_scenario(c.make(seed), "campaign.toml", {});
        Comparison comparison(*s.system);
        RunRequest request;
        request.observer = &comparison;
        request.time_limit = 2;
        (void)run(s, request);
        compared += comparison.compared, several += comparison.several;
        EXPECT_EQ(comparison.where, "") << name << " " << seed;
      }
    }
  EXPECT_GT(compared, 300);
  EXPECT_GT(several, 50);
  std::printf("%d decisions, %d of them with several contacts\n", compared, several);
}

}  // namespace
}  // namespace thud::campaign
