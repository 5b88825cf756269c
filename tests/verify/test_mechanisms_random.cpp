// Random mechanisms of all joints, loops and elements, as files: whatever happens in them, every joule is accounted for and no
// run fails. THUD_MECHANISMS=10000 makes it a campaign.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "random_mechanisms.hpp"
#include "thud/base/error.hpp"
#include "thud/scenario/run.hpp"
#include "thud/scenario/scenario.hpp"

namespace thud {
namespace {

TEST(RandomMechanisms, every_joule_is_accounted_for) {
  const char* wanted = std::getenv("THUD_MECHANISMS");
  const int count = wanted ? std::atoi(wanted) : 300;
  int ran = 0, failed = 0, loops = 0;
  double worst = 0;
  const char* only = std::getenv("THUD_MECHANISM");  // one of them, shown
  for (int seed = only ? std::atoi(only) : 1; seed <= (only ? std::atoi(only) : count); ++seed) {
    const std::string text = MechanismMaker(static_cast<unsigned>(seed)).make();
    if (only) std::printf("%s", text.c_str());
    try {
      const Scenario s = parse_scenario(text, "random.toml", {});
      const RunResult r = run(s);
      ++ran;
      loops += text.find("[[loop]]") != std::string::npos;
      const double residual = std::abs(r.outcome.energy.residual);
      worst = std::max(worst, residual);
      if (r.outcome.reason == StopReason::failed) ++failed;
      EXPECT_NE(r.outcome.reason, StopReason::failed) << "seed " << seed << ": " << r.outcome.message;
      EXPECT_LT(residual, 1e-8) << "seed " << seed;
    } catch (const InputError& e) {
      // A strut between bodies that are welded together, or pinned at the same place.
      if (std::string(e.what()).find("cannot come nearer") != std::string::npos) continue;
      ADD_FAILURE() << "seed " << seed << ": " << e.what() << "\n" << text;
    }
  }
  std::printf("%d of %d mechanisms ran, %d with loops, %d failed, worst residual %.1e\n", ran, count, loops,
              failed, worst);
}

}  // namespace
}  // namespace thud
