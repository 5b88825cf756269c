// Many runs at once: sweeps in lanes beside the same jobs with written-out equations on Boost.Odeint, and beside our own
// single runs, in one run and as ratios.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "free_link_study.hpp"
#include "peers/free_link_odeint.hpp"
#include "peers/free_link_reference.hpp"
#include "thud/scenario/family.hpp"
#include "thud/study/sweep.hpp"

namespace {

constexpr double degree = std::numbers::pi / 180;

using Points = std::vector<std::vector<double>>;

Points random_points(const std::vector<std::pair<double, double>>& ranges, int count) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  Points out(count);
  for (auto& p : out)
    for (const auto& [from, to] : ranges) p.push_back(from + (to - from) * unit(random));
  return out;
}

// Seconds of several contenders, in turns; medians.
std::vector<double> in_turns(int rounds, const std::vector<std::function<void()>>& contenders) {
  std::vector<std::vector<double>> seconds(contenders.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < contenders.size(); ++k) seconds[k].push_back(time_of(contenders[k]));
  std::vector<double> out;
  for (const auto& s : seconds) out.push_back(median(s));
  return out;
}

// The first output of every point, many at a time.
void run_many(thud::ScenarioFamily& family, const Points& points, std::vector<double>& out,
              const thud::RunRequest& request = {}) {
  out.resize(points.size());
  (void)family.run_many(
      static_cast<std::int64_t>(points.size()),
      [&](std::int64_t i, std::span<double> values) {
        std::copy(points[i].begin(), points[i].end(), values.begin());
      },
      [&](std::int64_t i, const thud::FamilyRun&, const double* x) { return out[i] = x[0], true; }, request);
}

void free_links(int runs) {
  const Points points = random_points({{25 * degree, 60 * degree}, {1, 2.5}}, runs);
  thud::ScenarioFamily family("free_link", {}, {"angle", "speed"}, {"t_z"});
  std::vector<double> out;
  double sum = 0;
  const auto seconds = in_turns(5, {[&] { run_many(family, points, out); },
                                    [&] {
                                      for (const auto& p : points)
                                        sum +=
                                            thud::peers::solve_free_link_odeint(p[0], p[1], 1e-9).stop_time;
                                    }});
  double worst = 0;
  for (int i = 0; i < std::min(runs, 2000); ++i)
    worst = std::max(worst, std::abs(out[i] - thud::peers::free_link_reference(points[i][0], points[i][1])));
  fmt::print("{} free links, one core, energy account on: {:.2f} x Odeint's speed, worst error {:.1e} s\n",
             runs, seconds[1] / seconds[0], worst);

  std::string pattern = (std::filesystem::temp_directory_path() / "thud-bench-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const thud::Study study = make_free_link_study(folder, runs);
  const auto sweep = [&](int jobs) {
    thud::SweepOptions options;
    options.out = (folder / "bench.h5").string();
    options.jobs = jobs;
    sum += static_cast<double>(thud::run_sweep(study, options).done);
  };
  const auto swept = in_turns(3, {[&] { sweep(1); }, [&] { sweep(2); }});
  fmt::print(
      "  through a sweep to HDF5: {:.2f} x Odeint's speed; two threads are faster than one by {:.2f}\n",
      seconds[1] / swept[0], swept[0] / swept[1]);
  std::filesystem::remove_all(folder);
  if (!(sum > 0)) fmt::print("nothing was computed\n");
}

void beside_single(const char* scenario, const std::vector<std::string>& knobs,
                   const std::vector<std::pair<double, double>>& ranges, int runs, bool until_rest,
                   const thud::KnobSettings& fixed = {}) {
  const Points points = random_points(ranges, runs);
  thud::ScenarioFamily together(scenario, fixed, knobs, {"end.time"}),
      alone(scenario, fixed, knobs, {"end.time"});
  thud::RunRequest request;
  request.until_rest = until_rest;
  std::vector<double> a(runs), b;
  const auto seconds = in_turns(3, {[&] {
                                      for (int i = 0; i < runs; ++i)
                                        (void)alone.run(points[i], &a[i], request);
                                    },
                                    [&] { run_many(together, points, b, request); }});
  double worst = 0;
  for (int i = 0; i < runs; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  const auto counts = together.step_counts();
  fmt::print("{:<28}{:>8.2f} x single runs, {:>6.2f} % of steps in lanes, ends apart by at most {:.1e} s\n",
             scenario, seconds[0] / seconds[1],
             100.0 * static_cast<double>(counts.lanes) / static_cast<double>(counts.lanes + counts.single),
             worst);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(100, std::atoi(argv[1])) : 100000;
  free_links(runs);
  const int few = std::max(100, runs / 50);
  beside_single("double_pendulum", {"angle1", "angle2"},
                {{20 * degree, 40 * degree}, {60 * degree, 80 * degree}}, few, true);
  beside_single("rough_obstacle", {"angle1", "rate1"}, {{125 * degree, 135 * degree}, {0.5, 0.7}}, few,
                false);
  beside_single("compound_pendulum", {"angle", "rate"}, {{10 * degree, 60 * degree}, {-5, -1}}, few, false);
  beside_single("n_link_chain", {"speed"}, {{0, 1}}, few, false, {{"links", "3"}});
  beside_single("elastic_free_link", {"angle"}, {{20 * degree, 40 * degree}}, few / 10, false);
  return 0;
}
