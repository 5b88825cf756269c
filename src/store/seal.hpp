#pragma once

#include <filesystem>

namespace thud {

/// Adds a last line with length and checksum to a file that is complete. HDF5 does not mind what follows its own end.
/// Throws OutputError.
void seal_file(const std::filesystem::path& path);

/// Throws std::runtime_error with the reason when a file is not as it was sealed. Done before a library that trusts its
/// input reads it.
void check_seal(const std::filesystem::path& path);

}  // namespace thud
