#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace thud::serve {

/// A scenario that the page can be asked for by name.
struct ServedScenario {
  std::string name, title, about, text;
  std::string file;  ///< of the reader's own ones
  int version = 0;   ///< how often the file has been read anew

  /// {name, title, about, text}
  std::string json() const;
};

/// What the server knows by name: no request ever opens a file.
class Library {
 public:
  /// The scenarios of these files, then those of the library. Throws InputError for a file that cannot be read.
  explicit Library(const std::vector<std::string>& files = {});
  explicit Library(std::vector<ServedScenario> list) : list_(std::move(list)) {}

  const std::vector<ServedScenario>& scenarios() const { return list_; }

  const ServedScenario* find(const std::string& name) const;
  /// {"scenarios": [{name, title, about, own}]}
  std::string json() const;
  /// {name: version} of the reader's own scenarios
  std::string versions_json() const;

  /// With a file read anew. One that cannot be run is taken as it is: running it tells what is wrong, and where.
  [[nodiscard]] Library with_new(const std::string& file) const;

 private:
  std::vector<ServedScenario> list_;
};

/// Tells which files have been written since.
class FileWatch {
 public:
  explicit FileWatch(const std::vector<std::string>& files);
  [[nodiscard]] std::vector<std::string> changed();

 private:
  struct Stamp {
    std::string file;
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
  };
  static Stamp stamp(const std::string& file);
  std::vector<Stamp> seen_;
};

}  // namespace thud::serve
