#include "study/fit_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thud {

FitAxis axis_of(const NamedObservable& what) {
  if (what.unit == "m" && what.name.ends_with(".x")) return FitAxis::x;
  if (what.unit == "m" && what.name.ends_with(".z")) return FitAxis::z;
  if (what.unit == "rad") return FitAxis::angle;
  return FitAxis::none;
}

FitAxis axis_named(const std::string& name) {
  for (std::size_t a = 0; a < fit_axis_names.size(); ++a)
    if (name == fit_axis_names[a]) return static_cast<FitAxis>(a);
  return FitAxis::none;
}

namespace {

using Kind = FitParameter::Kind;

double typical_size(const FitKnob& knob, double start) {
  if (start != 0) return std::abs(start);
  if (std::isfinite(knob.high - knob.low)) return 0.1 * (knob.high - knob.low);
  return 1;
}

}  // namespace

FitParameter make_parameter(const FitKnob& knob, int file, std::size_t slot, double start) {
  const double size = typical_size(knob, start);
  return {Kind::knob, knob.knob, file, slot, FitAxis::none, start, knob.low, knob.high, size};
}

// Without a bound, a start may be two frames off, a clock a tenth and a scale a half; an offset may be anything.
FitParameter make_parameter(const NuisanceKnob& n, int file, const Measurement& m) {
  const FitAxis axis = axis_named(n.axis);
  const bool is_angle = axis == FitAxis::angle;
  Knob knob;
  const auto make = [&](Kind kind, double stated, double usual, double size) {
    const double within = n.within.value_or(usual);
    return FitParameter{kind, knob, file, 0, axis, stated, stated - within, stated + within, size};
  };
  switch (n.kind) {
    case NuisanceKnob::Kind::start:
      knob.name = "start";
      knob.unit = "ms";
      knob.about = "what the clock shows when the run starts";
      return make(Kind::start, m.start, 2 * m.frame(), std::max(m.frame(), 1e-6));
    case NuisanceKnob::Kind::clock:
      knob.name = "clock";
      knob.about = "seconds by the clock of the file for one";
      return make(Kind::clock, 1, 0.1, 1);
    case NuisanceKnob::Kind::offset:
      knob.name = "offset." + n.axis;
      knob.unit = is_angle ? "deg" : "mm";
      knob.about = "where the origin is seen";
      return make(Kind::offset, 0, std::numeric_limits<double>::infinity(), is_angle ? 1e-2 : 1e-3);
    case NuisanceKnob::Kind::scale: break;
  }
  knob.name = "scale." + n.axis;
  knob.about = "measured per true";
  return make(Kind::scale, 1, 0.5, 1);
}

}  // namespace thud
