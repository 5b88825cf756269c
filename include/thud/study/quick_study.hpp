#pragma once

#include <string>
#include <vector>

#include "thud/study/study.hpp"

namespace thud {

/// A sweep without a study file: a grid over knobs of a scenario, each given as "speed=1:3:0.1" (both ends and the step) or
/// "speed=1,2,5". Bare numbers are in SI, as with --set. `outputs`: results and observables, none: all results. One knob
/// brings a curve of every output, two a map. Throws InputError, with "--vary ..." as its place.
[[nodiscard]] Study make_quick_study(const std::string& scenario, const std::vector<std::string>& vary,
                                     const std::vector<std::string>& outputs = {},
                                     const KnobSettings& set = {});

}  // namespace thud
