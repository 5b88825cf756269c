// The quick ways of the engine against the plain one, at instants of every library scenario: plans, single elements, and
// closed forms for what holds.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "thud/scenario/request.hpp"
#include "thud/scenario/run.hpp"
#include "verify/moments.hpp"

namespace thud {
namespace {

using test::Moment, test::Watcher;

struct Library : testing::TestWithParam<std::string> {
  void SetUp() override {
    scenario = load_scenario(GetParam());
    Watcher watcher(scenario.system->state_size());
    RunRequest request;
    request.observer = &watcher;
    if (GetParam() == "flexible_arm") request.time_limit = 0.05;
    (void)run(scenario, request);
    moments = std::move(watcher.moments);
    ASSERT_FALSE(moments.empty());
    scenario.system->prepare(work);
    slope.resize(scenario.system->state_size());
  }
  void evaluate(const Moment& m) {
    scenario.system->evaluate(m.time, m.y.data(), m.mode, work, slope.data());
  }

  Scenario scenario;
  std::vector<Moment> moments;
  Work<double> work;
  std::vector<double> slope;
};

// The sums are the same but for their order: some roundings of the largest rate of its kind.
TEST_P(Library, PlansGiveTheSameRates) {
  const System& system = *scenario.system;
  Work<double> other;
  system.prepare(other);
  Plan plan;
  std::vector<double> planned(slope.size());
  for (const Moment& m : moments) {
    evaluate(m);
    system.make_plan(m.mode, other, plan);
    system.evaluate_planned(m.time, m.y.data(), m.mode, plan, other, planned.data());
    double largest = 0;
    for (double x : slope) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < slope.size(); ++i)
      EXPECT_NEAR(planned[i], slope[i], 1e-12 * (std::abs(slope[i]) + 1e-2 * largest))
          << i << " at t = " << m.time;
  }
}

TEST_P(Library, SingleElementsGiveTheSameGuards) {
  const System& system = *scenario.system;
  struct Seen {
    GuardId id;
    double value;
  };
  for (const Moment& m : moments) {
    evaluate(m);
    std::vector<Seen> all;
    system.guards(m.mode, work, Scales{}, [&](double value, double, const GuardId& id) {
      EXPECT_EQ(std::count_if(all.begin(), all.end(), [&](const Seen& s) { return s.id == id; }), 0)
          << "two guards of one name";
      all.push_back({id, value});
    });
    for (const Seen& s : all) {
      EXPECT_EQ(system.guard(s.id, m.mode, work, Scales{}), s.value);
      if (needs_forces(s.id)) continue;
      Work<double> other;
      system.prepare(other);
      system.evaluate_element(m.time, m.y.data(), m.mode, s.id, other);
      EXPECT_EQ(system.guard(s.id, m.mode, other, Scales{}), s.value);
    }
  }
}

// With v̇ = 0 the closed form of a contact is the derivative of its rates on dual numbers, wherever it is.
TEST_P(Library, ClosedFormsOfContactsAreTheirDerivatives) {
  const System& system = *scenario.system;
  const int n = system.dof_count();
  Frames<Dual<double>> moving;
  moving.resize(system.tree());
  std::vector<Dual<double>> q(n), v(n);
  for (const Moment& m : moments) {
    evaluate(m);
    for (int i = 0; i < n; ++i) q[i] = {m.y[i], m.y[n + i]}, v[i] = {m.y[n + i], 0};
    system.tree().kinematics(q.data(), v.data(), moving);
    for (std::size_t k = 0; k < system.contacts().size(); ++k)
      for (int sub : {0, 1}) {
        const ContactForce& c = system.contacts()[k];
        double plain;
        if (!c.plain_bias(sub, work.frames, work.of<ContactForce>()[k], plain)) continue;
        const double exact = c.bias<double>(sub, system.scene(), m.mode.of<ContactForce>()[k], moving);
        EXPECT_NEAR(plain, exact, 1e-11 * (1 + std::abs(exact))) << c.name << " at t = " << m.time;
      }
  }
}

std::vector<std::string> library() {
  std::vector<std::string> out;
  for (const LibraryEntry& e : list_library()) out.push_back(e.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Scenarios, Library, testing::ValuesIn(library()),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace thud
