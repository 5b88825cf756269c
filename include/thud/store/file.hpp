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

/// The name of a file that is not finished: nothing is left under it unless it was kept, also when a signal ends the
/// program (remove_temporary_files).
class TemporaryName {
 public:
  TemporaryName() = default;
  explicit TemporaryName(std::filesystem::path path);
  ~TemporaryName() { remove(); }
  TemporaryName(TemporaryName&& other) noexcept;
  TemporaryName& operator=(TemporaryName&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }
  void remove() noexcept;
  /// Renames the file. False when that failed (errno).
  [[nodiscard]] bool keep_as(const std::filesystem::path& name);

 private:
  void forget() noexcept;

  std::filesystem::path path_;
  int slot_ = -1;  // in the list that signals see
};

/// Removes what this process was about to write. May be called in a signal handler that ends the program.
void remove_temporary_files() noexcept;

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

  std::filesystem::path path_;
  TemporaryName temporary_;
  std::FILE* file_ = nullptr;
};

/// Writes a whole file at once. Throws OutputError.
void write_file(const std::filesystem::path& path, std::string_view text);

/// Makes a folder and its parents where they are missing. Throws OutputError.
void make_folder(const std::filesystem::path& path);

}  // namespace thud
