#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lanes/ride.hpp"
#include "lanes/shapes.hpp"

namespace thud::lanes {

/// A constant of a program that follows a number of a bed: offset + factor · number.
struct Follow {
  int number = -1;  ///< −1: it follows none, and is `offset`
  double offset = 0, factor = 0;

  double at(const double* numbers) const {
    if (number < 0) return offset;
    return offset == 0 && factor == 1 ? numbers[number] : offset + factor * numbers[number];
  }
};

/// Everything that whole runs of a family of scenarios need in lanes: how they start, the modes that they go through, and
/// what follows what. Made once (survey), from runs of the engine at some points; it does not depend on which runs are made
/// with it.
struct Itinerary {
  int knobs = 0, numbers = 0;  ///< numbers: of beds, that follow the knobs
  Program start;               ///< from knobs to coordinates, velocities, speed, reach, numbers
  RidePlan plan{};
  std::vector<RideMode> modes;
  std::vector<Mode> engine_modes;  ///< the same as the engine has them

  struct ModeProgram {
    Shape* shape = nullptr;
    std::vector<Follow> constants;  ///< all of its recording
  };
  std::vector<ModeProgram> programs;
  std::vector<long> steps;     ///< per mode: that scouts made in it
  std::vector<int> report_at;  ///< per report: the condition at whose instant it is read, −1: at the end
  Shapes shapes;
};

/// What survey() asks of the scenario.
struct Survey {
  const System* system = nullptr;
  std::vector<Condition> conditions;
  SolverOptions options;
  std::vector<Observable> reports;
  std::vector<int> report_at;
  std::vector<std::vector<double>> scouts;  ///< points at which the engine looks ahead

  std::function<bool(const std::vector<double>&)> turn;  ///< sets the knobs
  std::function<std::vector<double>()> numbers;          ///< of beds, as the knobs have them now
  std::function<const std::vector<double>&()> q, v;      ///< of the start
  std::function<const Outcome&(StepObserver&)> run;      ///< the engine
  std::function<Recording()> record_start;
};

/// Whether a force begins with a mode that is not smooth at its start.
bool starts_rough(const System& system, const Mode& before, const Mode& after);

/// Null where runs of this kind need more than lanes can do.
std::unique_ptr<Itinerary> survey(const Survey& of);

}  // namespace thud::lanes
