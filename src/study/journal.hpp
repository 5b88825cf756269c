#pragma once

#include <chrono>
#include <filesystem>

#include "study/chunk.hpp"

namespace thud {

/// What a sweep is: two sweeps with the same identity have the same results.
struct SweepIdentity {
  std::string version;          ///< of the program
  std::string settings;         ///< what comes on top of the files, a line each
  std::string study, scenario;  ///< texts of the files

  bool operator==(const SweepIdentity&) const = default;
};

[[nodiscard]] SweepIdentity identity_of(const Study& study);
[[nodiscard]] std::string encode(const SweepIdentity& identity);
/// Where two identities differ, for a person: "study, line 7: ..."; "" when they do not.
[[nodiscard]] std::string describe_difference(const SweepIdentity& before, const SweepIdentity& now);

/// The unfinished results of a sweep, on disk: chunks in the order in which they were finished, each with a checksum.
/// What has been appended survives the end of the program, however it ends; a chunk that was being written then is
/// recognised and dropped. Only one program at a time has a journal open.
class Journal {
 public:
  /// Starts one. Throws InputError when it cannot be made, OutputError when it cannot be written.
  static Journal create(const std::filesystem::path& path, const SweepIdentity& identity);
  /// Opens one that was left. Throws InputError when it is not a journal or not of this sweep.
  static Journal open(const std::filesystem::path& path, const SweepIdentity& identity);
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) = delete;

  /// Adds an encoded chunk. Throws OutputError; what was there before is kept.
  void append(std::string_view encoded, RunRange runs);
  /// Makes sure that everything is on the disk.
  void sync();
  /// Deletes it.
  void remove();

  [[nodiscard]] std::int64_t done() const { return done_; }
  /// Bytes of a torn or damaged end that were dropped when it was opened.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }
  /// The runs of 0 … size−1 that are not there, in order.
  [[nodiscard]] std::vector<RunRange> missing(std::int64_t size);
  /// Calls sink(chunk) for all chunks in the order of their runs.
  void read(const std::function<void(const SweepChunk&)>& sink);
  [[nodiscard]] std::int64_t bytes() const { return end_; }

 private:
  struct Record {
    RunRange runs;
    std::int64_t offset;
    std::size_t size;
  };

  Journal(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  void write(std::string_view bytes);
  void scan();
  void sort();

  std::filesystem::path path_;
  int file_ = -1;
  std::vector<Record> records_;
  std::int64_t end_ = 0, done_ = 0, dropped_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace thud
