#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace thud {

/// Something could not be written; what() names it and the reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that appears under its name all at once, or not at all.
///
/// Writes go to a temporary file in the same folder; commit() renames it. Without commit() whatever lay under the name
/// before stays as it was. Something that is not a regular file (a pipe, a terminal) is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  [[noreturn]] void fail(int error);
  void discard() noexcept;

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes a whole file at once. Throws OutputError.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Makes a folder and its parents where they are missing. Throws OutputError.
void make_folder(const std::filesystem::path& path);

}  // namespace thud
