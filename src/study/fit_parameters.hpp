#pragma once

#include <array>
#include <string>

#include "thud/study/fit.hpp"

namespace thud {

/// The axes that a measurement can have laid otherwise than the scenario.
enum class FitAxis : std::uint8_t { x, z, angle, none };
inline constexpr std::array<const char*, 3> fit_axis_names = {"x", "z", "angle"};
[[nodiscard]] FitAxis axis_of(const NamedObservable& what);

/// A parameter of the fit: a knob of all files, a local knob of one, or a property of its clock or axes.
struct FitParameter {
  enum class Kind : std::uint8_t { knob, start, clock, offset, scale };
  Kind kind;
  Knob knob;
  int file;          // −1: all
  std::size_t slot;  // of a knob: where its value goes among the varied knobs
  FitAxis axis;      // of an offset or a scale
  double start, low, high;
  double size;  // typical, for scaling

  bool concerns(std::size_t f) const { return file < 0 || static_cast<std::size_t>(file) == f; }
  bool needs_runs() const { return kind == Kind::knob || kind == Kind::start || kind == Kind::clock; }
};

/// Of a knob of all files (`file` −1) or of one.
[[nodiscard]] FitParameter make_parameter(const FitKnob& knob, int file, std::size_t slot, double start);
/// Of the clock or an axis of a file.
[[nodiscard]] FitParameter make_parameter(const NuisanceKnob& nuisance, int file,
                                          const Measurement& measured);
[[nodiscard]] FitAxis axis_named(const std::string& name);

}  // namespace thud
