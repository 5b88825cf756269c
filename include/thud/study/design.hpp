#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "thud/study/study.hpp"

namespace thud {

/// The points at which a sweep runs its scenario.
///
/// What the knobs are in run i is a function of the study and of i alone, so that any part of a sweep can be computed
/// anywhere and in any order. Nothing is tabulated: memory does not grow with the number of runs.
///
///   grid     full factorial, the last knob fastest
///   random   u from a hash of (seed, run, knob)
///   latin    u = (π(run) + v)/runs with a permutation π per knob (four-round Feistel network with cycle walking), so
///            that every knob has exactly one run in each of `runs` equally likely strata
///   sobol    the sequence of Boost.Random (Joe & Kuo 2008) from its zero point on, every coordinate XORed with a hash
///            of (seed, knob) (a digital shift, which keeps its evenness); seed 0 is the plain sequence
///
/// u in (0, 1) becomes a value by the inverse of the knob's distribution; grids and lists give each of their values
/// the same share, knobs that take whole numbers are rounded.
///
/// One per thread: the Sobol sequence keeps its place.
class DesignPoints {
 public:
  /// Throws InputError when the study varies nothing, has no number of runs or too many.
  explicit DesignPoints(const Study& study);
  ~DesignPoints();
  DesignPoints(DesignPoints&&) noexcept;
  DesignPoints& operator=(DesignPoints&&) noexcept;

  /// The number of runs.
  std::int64_t size() const { return size_; }
  /// The values of the varied knobs in a run, in SI, one per knob.
  void get(std::int64_t run, std::span<double> values);

 private:
  struct Sequence;

  double unit_value(std::int64_t run, std::size_t knob);

  std::vector<VariedKnob> vary_;
  Design design_;
  std::int64_t size_ = 0;
  std::unique_ptr<Sequence> sequence_;
};

/// What a hash of these numbers says: 64 bits without visible pattern.
[[nodiscard]] std::uint64_t hash_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b);

/// Where a permutation of 0 … count−1, one of many chosen by `key`, sends i.
[[nodiscard]] std::uint64_t permuted(std::uint64_t i, std::uint64_t count, std::uint64_t key);

}  // namespace thud
