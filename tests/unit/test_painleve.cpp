// Where friction presses a sliding contact together: Painlevé's rod.
// Sources of truth: closed forms of the slender rod (Génot & Brogliato 1999), by hand.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thud/model.hpp"

namespace thud {
namespace {

using testing::HasSubstr;
constexpr double g = 9.81;
// A rod of 1 kg and 1 m that slides on its tip, tan φ = 1/2 from the vertical: W of its tip.
constexpr double alpha = 3.4, gamma = 1.6, epsilon = 1.2;

// Slides with 1 m/s, friction 2: γ − μ ε = −0.8.
Result slide(double rate, const std::string& policy, double restitution, double mu = 2, double stop = 1e-3) {
  return parse(fmt::format(R"toml(gravity = 9.81
[[body]]
name = "rod"
shape = {{ kind = "cylinder", length = 1, diameter = 0.001, mass = 1, inertia = "slender" }}
joint = "free"
[contact]
painleve = "{}"
[[wall]]
name = "floor"
law = "stronge"
restitution = {}
friction = {}
[initial]
"rod.angle" = {:.17g}
"rod.tip.x" = 0
"rod.tip.z" = 0
"rod.tip.vx" = 1
"rod.tip.vz" = 0
"rod.rate" = {}
[stop]
time = {}
[results]
force = "max rod.tip@floor.force"
gap = "rod.tip@floor.gap at end"
)toml",
                           policy, restitution, mu, std::atan(0.5), rate, stop),
               "rod.toml")
      .run();
}

// The way of the impact: slip to its end, which compresses, then stick.
double separation(double mu, double e) {
  const double slip = 1 / (mu * alpha - epsilon), c = (gamma - mu * epsilon) * slip;
  const double stiff = gamma - epsilon * epsilon / alpha, stick = -c / stiff;
  const double work = 0.5 * c * (slip + stick);
  return std::sqrt(-2 * stiff * e * e * work);
}

const EventInfo* find(const Result& r, const std::string& kind) {
  for (const EventInfo& e : r.events())
    if (e.kind == kind) return &e;
  return nullptr;
}

TEST(Painleve, where_sliding_has_no_answer_an_impact_without_collision_stops_it) {
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const double mu : {1.4, 2.0, 5.0}) {
      SCOPED_TRACE(fmt::format("e {} mu {}", e, mu));
      const Result r = slide(0, "lift", e, mu);
      ASSERT_GE(r.impacts().size(), 1u);
      const ImpactInfo& hit = r.impacts()[0];
      EXPECT_EQ(hit.time, 0);
      EXPECT_NEAR(hit.velocity_after[0], 0, 1e-14);
      EXPECT_NEAR(hit.velocity_after[1], separation(mu, e), 1e-12);
      const EventInfo* event = find(r, "painleve");
      ASSERT_NE(event, nullptr);
      EXPECT_EQ(event->after, "jam");
      EXPECT_LT(std::abs(r.energy().residual), 1e-12);
    }
  }
  EXPECT_NEAR(separation(2, 1), 0.2245, 5e-5);  // that of stiff Hertz contacts tends to it
}

// The rod turns so fast that its tip would rise without a force: it may rise, slide on, or jam.
TEST(Painleve, where_sliding_has_two_answers_the_file_chooses) {
  const double rate = 6, rise = rate * rate * 0.5 * std::cos(std::atan(0.5)) - g;
  ASSERT_GT(rise, 0);
  const Result lift = slide(rate, "lift", 0);
  EXPECT_TRUE(lift.impacts().empty());
  EXPECT_EQ(lift["force"], 0);
  EXPECT_NEAR(lift["gap"], 0.5 * rise * 1e-6, 1e-8);
  ASSERT_NE(find(lift, "painleve"), nullptr);
  EXPECT_EQ(find(lift, "painleve")->after, "lift");

  const Result on = slide(rate, "slide", 0, 2, 1e-7);
  EXPECT_NEAR(on["force"], rise / (2 * epsilon - gamma), 1e-4);
  EXPECT_EQ(find(on, "painleve")->after, "slide");

  const Result jam = slide(rate, "jam", 0.5);
  ASSERT_GE(jam.impacts().size(), 1u);
  EXPECT_NEAR(jam.impacts()[0].velocity_after[1], separation(2, 0.5), 1e-12);

  const Result stop = slide(rate, "stop", 0);
  EXPECT_EQ(stop.stop(), "painleve");
  EXPECT_THAT(stop.reason(), HasSubstr("Painleve configuration of rod.tip@floor"));
}

// Up to the edge of what sliding can do it slides: the force grows like 1/(γ − μ ε).
TEST(Painleve, just_before_the_edge_it_slides) {
  for (const double share : {1e-2, 1e-4, 1e-6}) {
    const double mu = gamma * (1 - share) / epsilon;
    const Result r = slide(0, "stop", 0, mu, 1e-13);
    EXPECT_EQ(r.stop(), "time limit") << r.reason();
    EXPECT_NEAR(r["force"] * gamma * share / g, 1, 1e-3) << share;
  }
}

// Whatever the friction, a block rocks to rest and discs come to rest in a groove.
TEST(Rest, with_any_friction) {
  for (const double friction : {0.1, 1.0, 1.37, 1.5, 3.0, 10.0}) {
    SCOPED_TRACE(friction);
    EXPECT_EQ(load("rocking_block_to_rest").set("friction", friction).run().stop(), "rest");
    EXPECT_EQ(load("discs_in_v").set("friction", friction).run().stop(), "rest");
  }
}

// The end of infinitely many bounces is where the flights tend to, whatever carries the contact.
TEST(Settle, at_the_limit_of_the_flights) {
  Model m = load("rough_obstacle");
  const Result r = m.set("duration", 7.0).run();
  const EventInfo* end = find(r, "settle");
  ASSERT_NE(end, nullptr);
  std::vector<double> t;
  for (const ImpactInfo& i : r.impacts())
    if (i.time < end->time) t.push_back(i.time);
  ASSERT_GT(t.size(), 10u);
  const double a = t[t.size() - 3], b = t[t.size() - 2], c = t.back();
  const double aitken = c - (c - b) * (c - b) / ((c - b) - (b - a));
  EXPECT_NEAR(end->time, aitken, 1e-6);
}

}  // namespace
}  // namespace thud
