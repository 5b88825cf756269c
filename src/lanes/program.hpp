#pragma once

#include <cstdint>
#include <vector>

#include "lanes/recording.hpp"

namespace thud::lanes {

/// Runs that go through a program together.
inline constexpr int width = 16;

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
  Code full;         ///< everything
  int fits_row = 0;  ///< 1 where all comparisons went as they were recorded; set to 1 before

  std::vector<std::uint16_t> lean_rates;                                     ///< where `lean` leaves dy/dt
  std::vector<std::uint16_t> rates, guards, conditions, distances, closing;  ///< where `full` leaves them
  std::uint16_t kinetic = 0, energy = 0;

  int time_row() const { return state_size; }
  int first_constant() const { return state_size + 1; }
};

/// `varying`: per constant of the recording, whether it differs from lane to lane.
Program make_program(const Recording& recording, const std::vector<char>& varying);

}  // namespace thud::lanes
