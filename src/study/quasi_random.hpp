#pragma once

#include <boost/random/sobol.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "thud/study/design.hpp"

namespace thud {

/// 64 random bits as a number in (0, 1).
[[nodiscard]] inline double unit_number(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

/// The Sobol sequence in 0 < u < 1, from its first point (the origin, which Boost leaves out) on, under a random
/// digital shift: every bit of a coordinate is turned or not, which keeps the evenness of the sequence.
class ShiftedSobol {
 public:
  ShiftedSobol(std::size_t dimension, std::uint64_t seed) : sequence_(dimension), shift_(dimension) {
    for (std::size_t k = 0; k < dimension; ++k) shift_[k] = hash_of(seed, k, 3);
  }

  void next(std::span<double> u) {
    for (std::size_t k = 0; k < shift_.size(); ++k)
      u[k] = unit_number((is_first_ ? 0 : sequence_()) ^ shift_[k]);
    is_first_ = false;
  }

 private:
  boost::random::sobol sequence_;
  std::vector<std::uint64_t> shift_;
  bool is_first_ = true;
};

}  // namespace thud
