#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lanes/device_text.hpp"
#include "thud/lanes/device.hpp"

namespace thud::lanes {

/// A device that is lost, or has no room, or does not take the text. The message is for people.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs of an itinerary on an OpenCL device. One per thread; those of one process share what is compiled.
class DeviceRuns {
 public:
  /// `device`: as the command line names it, see find_device. Throws DeviceError.
  DeviceRuns(const std::string& device, const Itinerary& itinerary);
  ~DeviceRuns();

  /// Makes so many runs from their knobs. Afterwards, per run: DeviceProgram::results() numbers, and status, condition that
  /// stopped it, bits of the conditions found, steps. Throws DeviceError.
  void run(const std::vector<double>& knobs, int count, std::vector<double>& results,
           std::vector<int>& states);
  const DeviceProgram& program() const;
  double kernel_seconds() const;  ///< so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thud::lanes
