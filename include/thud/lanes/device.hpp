#pragma once

#include <string>
#include <vector>

namespace thud {

/// Where many runs at once can be made besides the processor itself.
struct ComputeDevice {
  std::string name, platform, version;
  bool is_gpu = false;
  bool has_doubles = true;
  int units = 0;
  double memory = 0;  ///< [bytes]
};

/// What there is, and what is missing.
struct ComputeDevices {
  std::vector<ComputeDevice> devices;  ///< in the order of their numbers, from 1
  std::string missing;                 ///< why there are none, or ""
};
[[nodiscard]] ComputeDevices list_devices();

/// Checks what was asked for: "cpu" (or ""), "gpu", "auto", "opencl", or the number of a device. "auto" becomes "gpu" or
/// "cpu". Throws InputError with `place` for what is not there.
[[nodiscard]] std::string checked_device(const std::string& asked, const std::string& place);

}  // namespace thud
