#include "study/capture_file.hpp"

#include <fstream>
#include <sstream>

#include "thud/base/error.hpp"

namespace thud {

std::string load_capture(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t most_bytes = 256u << 20;
  const Place place{path.string(), 0, 0};
  std::error_code ec;
  if (!fs::exists(path, ec)) throw InputError(place, "there is no such file");
  if (fs::is_directory(path, ec)) throw InputError(place, "is a folder; a file of measured values is wanted");
  if (const auto size = fs::file_size(path, ec); !ec && size > most_bytes)
    throw InputError(place, "is larger than 256 MB");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(place, "cannot be read");
  return text.str();
}

}  // namespace thud
