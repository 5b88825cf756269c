#include "study/chunk.hpp"

#include <boost/crc.hpp>
#include <cstring>
#include <stdexcept>

namespace thud {

namespace {

constexpr std::uint32_t mark = 0x4b4e4843;  // "CHNK"
constexpr std::int64_t last_run = std::int64_t{1} << 53;
constexpr std::size_t most_bytes = std::size_t{1} << 30;

struct Head {
  std::uint32_t mark, checksum;  // the checksum is of everything after it
  std::uint64_t size;            // of the whole
  std::int64_t first;
  std::uint32_t count, width;
  double seconds;
};
static_assert(sizeof(Head) == chunk_head);

std::uint32_t checksum_of(std::string_view bytes) {
  boost::crc_32_type crc;
  constexpr std::size_t skipped = 2 * sizeof(std::uint32_t);
  crc.process_bytes(bytes.data() + skipped, bytes.size() - skipped);
  return crc.checksum();
}

template <class T>
void put(std::string& out, const T* data, std::size_t count) {
  out.append(reinterpret_cast<const char*>(data), count * sizeof(T));
}

template <class T>
void take(std::string_view& in, T* data, std::size_t count) {
  if (in.size() / sizeof(T) < count)
    throw std::runtime_error("a chunk of a sweep does not hold what it says");
  if (count > 0) std::memcpy(data, in.data(), count * sizeof(T));
  in.remove_prefix(count * sizeof(T));
}

}  // namespace

std::string encode(const SweepChunk& chunk) {
  Head head{mark,
            0,
            0,
            chunk.first,
            static_cast<std::uint32_t>(chunk.status.size()),
            static_cast<std::uint32_t>(chunk.width),
            chunk.seconds};
  std::string out;
  out.reserve(sizeof head + chunk.outputs.size() * sizeof(double) + chunk.status.size() + 64);
  put(out, &head, 1);
  put(out, chunk.outputs.data(), chunk.outputs.size());
  put(out, chunk.status.data(), chunk.status.size());
  for (const auto& [run, text] : chunk.messages) {
    const std::uint32_t numbers[] = {run, static_cast<std::uint32_t>(text.size())};
    put(out, numbers, 2);
    put(out, text.data(), text.size());
  }
  head.size = out.size();
  std::memcpy(out.data(), &head, sizeof head);
  head.checksum = checksum_of(out);
  std::memcpy(out.data(), &head, sizeof head);
  return out;
}

std::size_t announced_size(std::string_view bytes) {
  if (bytes.size() < sizeof(Head)) return 0;
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  const bool sound = head.mark == mark && head.size >= sizeof head && head.size <= most_bytes
                  && head.count > 0 && head.first >= 0 && head.first <= last_run;
  return sound ? head.size : 0;
}

std::size_t encoded_size(std::string_view bytes) {
  const std::size_t size = announced_size(bytes);
  if (size == 0 || size > bytes.size()) return 0;
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return checksum_of(bytes.substr(0, size)) == head.checksum ? size : 0;
}

SweepChunk decode(std::string_view bytes) {
  Head head;
  take(bytes, &head, 1);
  bytes = bytes.substr(0, head.size - sizeof head);
  SweepChunk chunk;
  chunk.first = head.first;
  chunk.width = head.width;
  chunk.seconds = head.seconds;
  const std::size_t outputs = std::size_t{head.count} * head.width;
  if (outputs / head.count != head.width || bytes.size() / sizeof(double) < outputs)
    throw std::runtime_error("a chunk of a sweep is shorter than it says");
  chunk.outputs.resize(outputs);
  chunk.status.resize(std::min<std::size_t>(head.count, bytes.size()));
  take(bytes, chunk.outputs.data(), outputs);
  take(bytes, chunk.status.data(), head.count);
  for (const SweepStatus s : chunk.status)
    if (s > SweepStatus::failed)
      throw std::runtime_error("a chunk of a sweep has a status that there is none");
  while (!bytes.empty()) {
    std::uint32_t numbers[2];
    take(bytes, numbers, 2);
    if (numbers[0] >= head.count) throw std::runtime_error("a chunk of a sweep has a message of no run");
    chunk.messages.emplace_back(numbers[0], std::string(numbers[1] <= bytes.size() ? numbers[1] : 0, '\0'));
    take(bytes, chunk.messages.back().second.data(), numbers[1]);
  }
  return chunk;
}

}  // namespace thud
