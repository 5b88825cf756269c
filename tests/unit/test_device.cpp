// Runs on an OpenCL device against the same in lanes of this processor: the same bits, since both are compiled from one text.
// Without a graphics card OpenCL on the processor (PoCL) stands for one.

#include <gtest/gtest.h>

#include <random>

#include "thud/base/error.hpp"
#include "thud/lanes/device.hpp"
#include "thud/scenario/family.hpp"

namespace thud {
namespace {

using Ranges = std::vector<std::pair<double, double>>;

struct Swept {
  std::vector<double> out;
  ScenarioFamily::StepCounts counts;
  std::string notice;
};

Swept sweep(const std::string& scenario, const std::vector<std::string>& knobs, const Ranges& ranges,
            int count, bool until_rest, const std::string& device) {
  ScenarioFamily family(scenario, {}, knobs, {"end.time", "energy.residual", "end.reason"});
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::vector<double>> points(count);
  for (auto& p : points)
    for (const auto& [from, to] : ranges) p.push_back(from + (to - from) * unit(random));
  RunRequest request;
  request.until_rest = until_rest;
  request.device = device;
  Swept s;
  s.out.assign(3 * points.size(), 0.0);
  EXPECT_TRUE(family.run_many(
      count,
      [&](std::int64_t i, std::span<double> values) {
        std::copy(points[i].begin(), points[i].end(), values.begin());
      },
      [&](std::int64_t i, const FamilyRun&, const double* x) {
        std::copy_n(x, 3, s.out.begin() + 3 * i);
        return true;
      },
      request));
  s.counts = family.step_counts();
  s.notice = family.device_notice();
  return s;
}

bool has_device() {
  for (const ComputeDevice& d : list_devices().devices)
    if (d.has_doubles) return true;
  return false;
}

TEST(Device, same_bits_as_lanes) {
  if (!has_device()) GTEST_SKIP() << list_devices().missing;
  const Ranges ranges = {{0.45, 1.05}, {1, 2.5}};
  const Swept here = sweep("free_link", {"angle", "speed"}, ranges, 300, false, "");
  const Swept there = sweep("free_link", {"angle", "speed"}, ranges, 300, false, "opencl");
  EXPECT_EQ(there.notice, "");
  EXPECT_EQ(here.out, there.out);
  EXPECT_GT(there.counts.device, 0);
  EXPECT_EQ(there.counts.device, there.counts.lanes);
}

// Modes that a device does not have, and decisions of the selector, are left to the processor.
TEST(Device, same_bits_to_rest) {
  if (!has_device()) GTEST_SKIP() << list_devices().missing;
  const Ranges ranges = {{0.35, 0.7}, {1.05, 1.4}};
  const Swept here = sweep("double_pendulum", {"angle1", "angle2"}, ranges, 60, true, "");
  const Swept there = sweep("double_pendulum", {"angle1", "angle2"}, ranges, 60, true, "opencl");
  EXPECT_EQ(there.notice, "");
  EXPECT_EQ(here.out, there.out);
}

TEST(Device, what_is_not_for_devices_is_run_all_the_same) {
  if (!has_device()) GTEST_SKIP() << list_devices().missing;
  const Ranges ranges = {{2.2, 2.3}};
  const Swept here = sweep("rough_obstacle", {"angle1"}, ranges, 4, false, "");
  const Swept there = sweep("rough_obstacle", {"angle1"}, ranges, 4, false, "opencl");
  EXPECT_EQ(here.out, there.out);
  EXPECT_EQ(there.counts.device, 0);
}

TEST(Device, names_are_checked) {
  EXPECT_EQ(checked_device("", "--device "), "");
  EXPECT_EQ(checked_device("cpu", "--device cpu"), "");
  EXPECT_NO_THROW((void)checked_device("auto", "--device auto"));
  EXPECT_THROW((void)checked_device("99", "--device 99"), InputError);
  try {
    (void)checked_device("gpi", "--device gpi");
    ADD_FAILURE() << "it was taken";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("--device gpi"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace thud
