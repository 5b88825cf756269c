#include "store/seal.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "thud/store/file.hpp"

namespace thud {

namespace fs = std::filesystem;

namespace {

std::string seal_of(std::uint64_t size, std::uint32_t checksum) {
  return fmt::format("\nthud checksum {:016x} {:08x}\n", size, checksum);
}

std::uint32_t checksum_of(std::istream& in, std::uint64_t size) {
  boost::crc_32_type crc;
  std::vector<char> block(1 << 16);
  while (size > 0) {
    in.read(block.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(block.size(), size)));
    if (in.gcount() == 0) break;
    crc.process_bytes(block.data(), static_cast<std::size_t>(in.gcount()));
    size -= static_cast<std::uint64_t>(in.gcount());
  }
  return crc.checksum();
}

}  // namespace

void seal_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::uint64_t size = fs::file_size(path);
  const std::string seal = seal_of(size, checksum_of(in, size));
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << seal << std::flush;
  if (!in || !out)
    throw OutputError(
        fmt::format("cannot write {}: {}", path.string(), std::generic_category().message(errno)));
}

void check_seal(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code ec;
  if (!in || !fs::is_regular_file(path, ec)) throw std::runtime_error("it cannot be read");
  const std::uint64_t whole = fs::file_size(path), length = seal_of(0, 0).size();
  if (whole < length) throw std::runtime_error("it is too short");
  const std::uint64_t size = whole - length;
  const std::string expected = seal_of(size, checksum_of(in, size));
  std::string found(length, '\0');
  in.read(found.data(), static_cast<std::streamsize>(length));
  if (!found.starts_with("\nthud checksum "))
    throw std::runtime_error(
        "it has no checksum at its end: it was cut or changed, or is of an early version");
  if (!in || found != expected)
    throw std::runtime_error("it is damaged: its checksum is not that of its content");
}

}  // namespace thud
