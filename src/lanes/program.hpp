#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "lanes/recording.hpp"

namespace thud::lanes {

/// Runs that go through a program together.
inline constexpr int width = 32;

/// Rows of numbers, placed so that packs do not lie across cache lines.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};
using Rows = std::vector<double, AlignedAllocator<double>>;

/// One operation on rows of `width` numbers.
struct Instruction {
  Op op;
  std::uint16_t to, a, b, c;
};

/// Operations in order, on numbered rows.
using Code = std::vector<Instruction>;

/// A recording made ready to be carried out: constants folded, equal terms merged, what nobody reads left out.
///
/// Rows: the state and the time; constants that differ from lane to lane; constants that are the same in all; what is
/// computed. Several pieces of code share them.
struct Program {
  int state_size = 0;
  int rows = 0;

  int lane_constants = 0;             ///< rows after the inputs, in the order of `varying`
  std::vector<std::int32_t> varying;  ///< which constants of the recording they are
  int fixed_begin = 0;
  std::vector<double> fixed;

  Code once;         ///< what follows from the constants of a lane alone
  Code lean;         ///< dy/dt only
  Code probe;        ///< dy/dt, guards and conditions
  Code full;         ///< everything but reports
  Code report;       ///< reports only
  int fits_row = 0;  ///< 1 where all comparisons went as they were recorded; set to 1 before

  std::vector<std::uint16_t> lean_rates;                                     ///< where `lean` leaves dy/dt
  std::vector<std::uint16_t> probe_rates, probe_guards, probe_conditions;    ///< where `probe` leaves them
  std::vector<std::uint16_t> rates, guards, conditions, distances, closing;  ///< where `full` leaves them
  std::uint16_t kinetic = 0, energy = 0;
  std::vector<std::uint16_t> reports;  ///< where `report` leaves them

  int time_row() const { return state_size; }
  int first_constant() const { return state_size + 1; }
};

/// `varying`: per constant of the recording, whether it differs from lane to lane.
Program make_program(const Recording& recording, const std::vector<char>& varying);

}  // namespace thud::lanes
