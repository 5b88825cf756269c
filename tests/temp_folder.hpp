#pragma once
// Files of a test: a folder that is gone at its end, and what a file holds.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace thud::test {

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class TempFolder {
 public:
  /// `name` tells in the folder of temporary files whose it is.
  explicit TempFolder(const std::string& name) {
    std::string pattern = (std::filesystem::temp_directory_path() / ("thud-" + name + "-XXXXXX")).string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ec;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ec);  // tests take them away
    std::filesystem::remove_all(path_, ec);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace thud::test
