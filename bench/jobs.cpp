// One job of the engine, run a given number of times: what bench/instructions counts.
//
//   thud_jobs NAME RUNS        without arguments: the names
//
// Only solving is repeated; reading the scenario is done once.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "thud/scenario/scenario.hpp"

namespace {

struct Job {
  const char* name;
  const char* scenario;
  thud::KnobSettings set;
  bool to_rest = false;
  bool only_evaluates = false;  ///< dy/dt at the start, a thousand times per run
};

const std::vector<Job> jobs = {
    {"free_link", "free_link", {}},
    {"rough_obstacle", "rough_obstacle", {}},
    {"elastic_4", "elastic_free_link", {{"modes", "4"}}},
    {"elastic_16", "elastic_free_link", {{"modes", "16"}}},
    {"elastic_32", "elastic_free_link", {{"modes", "32"}}},
    {"chain_40_to_rest", "n_link_chain", {{"links", "40"}}, true},
    {"discs_in_v", "discs_in_v", {}},
    {"newtons_cradle", "newtons_cradle", {}},
    // what must not become slower
    {"double_pendulum", "double_pendulum", {}},
    {"two_link_chain_to_rest", "two_link_chain", {}, true},
    {"biped_drop_to_rest", "biped_drop", {}, true},
    {"flexible_arm", "flexible_arm", {}},
    {"rocking_block_to_rest", "rocking_block_to_rest", {}},
    {"compound_pendulum_to_rest", "compound_pendulum", {}, true},
    {"sphere", "sphere", {}},
    // how the cost grows with the number of links
    {"evaluation_10", "n_link_chain", {{"links", "10"}}, false, true},
    {"evaluation_60", "n_link_chain", {{"links", "60"}}, false, true},
};

void evaluate(const thud::Scenario& s, int runs) {
  thud::Work<double> work;
  s.system->prepare(work);
  const thud::Mode mode = s.system->make_mode();
  std::vector<double> y(s.system->state_size()), slope(y.size());
  std::copy(s.q.begin(), s.q.end(), y.begin());
  std::copy(s.v.begin(), s.v.end(), y.begin() + s.system->dof_count());
  for (int i = 0; i < 1000 * runs; ++i) s.system->evaluate(0, y.data(), mode, work, slope.data());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    for (const Job& job : jobs) std::printf("%s\n", job.name);
    return argc == 1 ? 0 : 2;
  }
  for (const Job& job : jobs) {
    if (argv[1] != std::string(job.name)) continue;
    thud::Scenario s = thud::load_scenario(job.scenario, job.set);
    s.system->track_distance(false);
    if (job.to_rest) {
      s.options.stop_when_all_found = false;
      s.options.stop_at_rest = true;
      for (thud::Condition& c : s.conditions) c.stops = false;
    }
    if (job.only_evaluates) return evaluate(s, std::atoi(argv[2])), 0;
    thud::Solver solver(*s.system);
    double time = 0;
    long steps = 0, evaluations = 0;
    for (int i = std::atoi(argv[2]); i > 0; --i) {
      const thud::Outcome out = solver.run(s.q, s.v, s.conditions, s.options);
      time = out.time, steps = out.stats.steps, evaluations = out.stats.evaluations;
    }
    std::printf("%.12g s, %ld steps, %ld evaluations\n", time, steps, evaluations);
    return 0;
  }
  std::fprintf(stderr, "thud_jobs: there is no job \"%s\"\n", argv[1]);
  return 2;
}
