#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lanes/itinerary.hpp"

namespace thud::lanes {

/// The texts of lane_math.h and ride.h, which devices compile, and of what surrounds them there.
std::string_view lane_math_text();
std::string_view ride_text();
std::string_view device_main_text();

/// An itinerary for a device: the OpenCL C text of its programs with what it calls, and its tables.
struct DeviceProgram {
  std::string text;
  std::vector<char> plan, modes;  ///< RidePlan and RideModes as the text has them
  std::vector<double> follows;    ///< per mode and lane constant: number, offset, factor
  int conditions = 0, reports = 0, knobs = 0;

  /// Numbers per run that come back: time, residual, times of conditions, reports.
  int results() const { return 2 + conditions + reports; }
};
DeviceProgram make_device_program(const Itinerary& itinerary);

}  // namespace thud::lanes
