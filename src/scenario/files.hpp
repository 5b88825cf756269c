#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "scenario/curve.hpp"

namespace thud::doc {

/// The files that the text of a scenario names, by their paths relative to it: those that it carries itself, and those on
/// the disk. Texts that came without a folder, from a program or over the network, can name the former only.
class Files {
 public:
  /// No folder: nothing is read from the disk.
  explicit Files(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// A file that the scenario carries.
  void attach(const std::string& name, std::string text);
  [[nodiscard]] bool is_attached(const std::string& name) const;
  /// Throws std::invalid_argument, with the reason.
  [[nodiscard]] std::string read(const std::string& name);
  /// A table, read once. Throws std::invalid_argument.
  [[nodiscard]] std::shared_ptr<const Curve> curve(const std::string& name, const std::string& column);

  /// The path to show for a name.
  [[nodiscard]] std::string shown(const std::string& name) const;
  /// What was read from the disk, as a scenario would carry it: [[attached]] tables.
  [[nodiscard]] std::string as_attached() const;

 private:
  std::string read_locked(const std::string& name);

  const std::optional<std::filesystem::path> folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> attached_, read_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Curve>> curves_;
};

/// A name in the text of a file in `folder` (relative to the scenario), as Files knows it.
[[nodiscard]] std::string file_name(const std::string& folder, const std::string& written);

}  // namespace thud::doc
