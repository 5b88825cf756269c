#pragma once

#include <filesystem>
#include <string>

namespace thud {

/// The text of a file of measured values. Throws InputError when it cannot be read or is larger than 256 MB.
[[nodiscard]] std::string load_capture(const std::filesystem::path& path);

}  // namespace thud
