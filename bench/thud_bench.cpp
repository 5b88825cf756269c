// The free link to its stop and a sweep of them, beside the same job with written-out equations on Boost.Odeint and
// on SUNDIALS, in one run. Times are shown as ratios only: they are measured in turn, round by round, and the medians
// of the rounds are compared.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "free_link_study.hpp"
#include "peers/free_link_cvode.hpp"
#include "peers/free_link_odeint.hpp"
#include "peers/free_link_reference.hpp"
#include "thud/scenario/family.hpp"
#include "thud/study/design.hpp"
#include "thud/study/sweep.hpp"

namespace {

using thud::peers::PeerResult;

constexpr double degree = std::numbers::pi / 180;

struct Job {
  double angle, speed;
};

// Points that fill the grid 25-60 deg x 1-2.5 m/s evenly (an additive recurrence).
std::vector<Job> make_jobs(int count) {
  std::vector<Job> jobs(count);
  for (int i = 0; i < count; ++i) {
    const double a = std::fmod(0.7548776662466927 * (i + 1), 1.0),
                 b = std::fmod(0.5698402909980532 * (i + 1), 1.0);
    jobs[i] = {(25 + 35 * a) * degree, 1 + 1.5 * b};
  }
  return jobs;
}

// The library scenario through the general engine; only its initial state is set per run.
class Engine {
 public:
  Engine() : Engine(thud::load_scenario("free_link")) {}
  explicit Engine(thud::Scenario s) : scenario_(without_distance(std::move(s))), solver_(*scenario_.system) {}

  PeerResult run(Job job, double tolerance) {
    constexpr double half = 0.1524 / 2;
    q_ = {-half * std::sin(job.angle), -half * std::cos(job.angle), job.angle};
    v_ = {0, job.speed, 0};
    thud::SolverOptions options = scenario_.options;
    options.tolerance = tolerance;
    const thud::Outcome out = solver_.run(q_, v_, scenario_.conditions, options);
    return {out.time, out.stats.evaluations, out.stats.steps};
  }

 private:
  static thud::Scenario without_distance(thud::Scenario s) {
    s.system->track_distance(false);  // the path length is nobody's job here; the energy account stays on
    return s;
  }

  thud::Scenario scenario_;
  thud::Solver solver_;
  std::vector<double> q_, v_;
};

struct Contender {
  std::string name;
  std::function<PeerResult(Job)> run;
  std::vector<double> seconds;  // per round
  double worst = 0;
  double evaluations = 0;
};

double time_jobs(const Contender& c, const std::vector<Job>& jobs, std::size_t from, std::size_t to,
                 double& sum) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = from; i < to; ++i) sum += c.run(jobs[i]).stop_time;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure_errors(std::vector<Contender>& contenders, int points) {
  const std::vector<Job> jobs = make_jobs(points);
  for (const Job& job : jobs) {
    const double exact = thud::peers::free_link_reference(job.angle, job.speed);
    for (Contender& c : contenders) {
      const PeerResult r = c.run(job);
      c.worst = std::max(c.worst, std::abs(r.stop_time - exact));
      c.evaluations += static_cast<double>(r.evaluations) / points;
    }
  }
}

// Rounds of a few hundred runs each, the contenders taking turns.
void measure_times(std::vector<Contender>& contenders, int runs) {
  const std::vector<Job> jobs = make_jobs(runs);
  const std::size_t round = 500;
  double sum = 0;
  for (Contender& c : contenders)
    time_jobs(c, jobs, 0, std::min<std::size_t>(round, jobs.size()), sum);  // warm up
  for (std::size_t from = 0; from < jobs.size(); from += round)
    for (Contender& c : contenders)
      c.seconds.push_back(time_jobs(c, jobs, from, std::min(from + round, jobs.size()), sum));
  if (!(sum > 0)) fmt::print("nothing was computed\n");
}

void show(const char* title, const std::vector<Contender>& contenders) {
  const double ours = median(contenders.front().seconds);
  fmt::print("\n{}\n  {:<46}{:>10}{:>14}{:>16}\n", title, "", "time", "evaluations", "worst error");
  for (const Contender& c : contenders)
    fmt::print("  {:<46}{:>9.2f}x{:>14.1f}{:>14.1e} s\n", c.name, median(c.seconds) / ours, c.evaluations,
               c.worst);
}

// ---- what a sweep costs beyond its runs ---------------------------------------------------------------------------

struct Variant {
  const char* name;
  std::function<void()> run;
  std::vector<double> seconds;
};

void measure_sweep(Engine& engine, int runs) {
  std::string pattern = (std::filesystem::temp_directory_path() / "thud-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const thud::Study study = make_free_link_study(folder, runs);
  thud::ScenarioFamily family(study.scenario, study.set, study.varied_names(), study.outputs);
  thud::DesignPoints points(study);
  double sum = 0, x[2], out = 0;
  const auto each = [&](const auto& f) {
    for (int i = 0; i < runs; ++i) points.get(i, x), f();
  };
  const auto sweep = [&](int jobs) {
    thud::SweepOptions options;
    options.out = (folder / "bench.h5").string();
    options.jobs = jobs;
    sum += static_cast<double>(thud::run_sweep(study, options).done);
  };
  std::vector<Variant> variants = {
      {"the engine alone", [&] { each([&] {
                                   sum += engine.run({x[0], x[1]}, 1e-9).stop_time;
                                 }); }, {}},
      {"ScenarioFamily::run", [&] { each([&] { (void)family.run(x, &out), sum += out; }); }, {}},
      {"sweep to an HDF5 file, 1 thread", [&] { sweep(1); }, {}},
      {"sweep to an HDF5 file, 2 threads", [&] { sweep(2); }, {}}};
  for (int round = 0; round < 7; ++round)
    for (Variant& v : variants) v.seconds.push_back(time_of(v.run));
  fmt::print("\nA sweep of {} links against the engine on the same jobs\n", runs);
  for (const Variant& v : variants)
    fmt::print("  {:<46}{:>9.2f}x\n", v.name, median(v.seconds) / median(variants.front().seconds));
  fmt::print("  {:<46}{:>9.2f}x\n", "2 threads are faster than 1 by",
             median(variants[2].seconds) / median(variants[3].seconds));
  std::filesystem::remove_all(folder);
  if (!(sum > 0)) fmt::print("nothing was computed\n");
}

// ---- one law at a point and along the axis --------------------------------------------------------------------------

thud::Scenario make_link(const char* law) {
  return thud::parse_scenario(fmt::format(R"([[body]]
name  = "link"
shape = {{ kind = "cylinder", length = "152.4 mm", diameter = "6.35 mm", density = 7700 }}
joint = "free"
[bed]
law = "{}"
[initial]
"link.angle" = "32 deg"
"link.tip.x" = 0
"link.tip.z" = 0
"link.vz"    = 1.26
[stop]
when = "link.tip.vz falls through 0"
)",
                                          law),
                              "bench.toml");
}

void measure_spread(int runs) {
  Engine lumped(make_link("lee2009")), spread(make_link("lee-spread"));
  std::vector<Contender> laws = {
      {"lee2009, at one point", [&](Job j) { return lumped.run(j, 1e-9); }, {}},
      {"lee-spread, along the axis", [&](Job j) { return spread.run(j, 1e-9); }, {}}};
  measure_times(laws, runs);
  fmt::print("\nThe free link to its stop under Lee's law, lumped and spread (at most 3x is wanted)\n");
  for (const Contender& c : laws)
    fmt::print("  {:<46}{:>9.2f}x\n", c.name, median(c.seconds) / median(laws.front().seconds));
}

}  // namespace

int main(int argc, char** argv) {
  const int sweep = argc > 1 ? std::max(1000, std::atoi(argv[1])) : 100000;
  Engine engine;
  const auto with_thud = [&](double tolerance) {
    return [&engine, tolerance](Job j) { return engine.run(j, tolerance); };
  };
  const auto with_odeint = [](double tolerance) {
    return [tolerance](Job j) { return thud::peers::solve_free_link_odeint(j.angle, j.speed, tolerance); };
  };
  const auto with_cvode = [](double tolerance) {
    return [tolerance](Job j) { return thud::peers::solve_free_link_cvode(j.angle, j.speed, tolerance); };
  };
  const std::string cvode =
      fmt::format("SUNDIALS {} CVODE (Adams), Debian's build", thud::peers::get_sundials_version());

  fmt::print(
      "The free link of Lee 2009 to its stop: thud runs the library scenario through its general engine,\n"
      "the peers integrate equations written out for this one link. Times relative to thud, one thread.\n");

  std::vector<Contender> same = {{"thud, tolerance 1e-9", with_thud(1e-9), {}},
                                 {"Boost.Odeint dopri5 + dense output, 1e-9", with_odeint(1e-9), {}},
                                 {cvode + ", 1e-9", with_cvode(1e-9), {}}};
  measure_errors(same, 2000);
  measure_times(same, 5000);
  show("Single runs at the same tolerance, 2000 points of 25-60 deg x 1-2.5 m/s", same);

  std::vector<Contender> accurate = {{"thud, tolerance 1e-9", with_thud(1e-9), {}},
                                     {"Boost.Odeint dopri5 + dense output, 5e-12", with_odeint(5e-12), {}},
                                     {cvode + ", 1e-11", with_cvode(1e-11), {}}};
  measure_errors(accurate, 2000);
  measure_times(accurate, 3000);
  show("Single runs at tolerances of about the same accuracy", accurate);

  std::vector<Contender> swept = {{"thud", with_thud(1e-9), {}},
                                  {"Boost.Odeint dopri5 + dense output", with_odeint(1e-9), {}}};
  measure_errors(swept, 200);
  measure_times(swept, sweep);
  show(fmt::format("Sweep of {} links, tolerance 1e-9 (CVODE as above: it scales linearly)", sweep).c_str(),
       swept);
  measure_spread(5000);
  measure_sweep(engine, std::min(sweep, 20000));
  return 0;
}
