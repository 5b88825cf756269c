#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thud/study/sweep.hpp"

namespace thud {

/// Runs that follow each other.
struct RunRange {
  std::int64_t first = 0, count = 0;

  std::int64_t end() const { return first + count; }
};

/// What came of some runs of a sweep that follow each other.
struct SweepChunk {
  std::int64_t first = 0;
  std::size_t width = 0;            ///< number of outputs
  std::vector<double> outputs;      ///< run by run
  std::vector<SweepStatus> status;  ///< one per run
  std::vector<std::pair<std::uint32_t, std::string>>
      messages;        ///< of runs of this chunk, counted from its first
  double seconds = 0;  ///< time it took to compute

  std::int64_t count() const { return static_cast<std::int64_t>(status.size()); }
};

/// A chunk as bytes with a checksum, for files and for other machines.
[[nodiscard]] std::string encode(const SweepChunk& chunk);

/// How many bytes the encoded chunk at the start of `bytes` takes; 0 when there is none, or not the whole of it, or it
/// is damaged.
[[nodiscard]] std::size_t encoded_size(std::string_view bytes);
/// The inverse of encode(). The bytes must have passed encoded_size(); throws std::runtime_error where they do not hold what
/// their head says, which no encode() makes.
[[nodiscard]] SweepChunk decode(std::string_view bytes);

/// Bytes at the start of an encoded chunk that tell its size, and the size they tell (0: not the start of a chunk).
inline constexpr std::size_t chunk_head = 40;
[[nodiscard]] std::size_t announced_size(std::string_view head);

}  // namespace thud
