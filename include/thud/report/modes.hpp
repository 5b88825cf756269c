#pragma once

#include <string>

#include "thud/base/format.hpp"
#include "thud/study/modes.hpp"

namespace thud {

struct ModesReportOptions {
  int count = 10;               ///< how many modes, from the first
  bool at_equilibrium = false;  ///< the pose was sought, and is not the initial one
  bool pictures = true;         ///< text: with pictures of the shapes
};

/// A table of frequencies, damping and kinds of motion, pictures of the shapes, and what has to be said besides.
[[nodiscard]] std::string make_modes_text(const Scenario& scenario, const ModalAnalysis& analysis,
                                          const TextStyle& style, const ModesReportOptions& options = {});

/// One JSON document; numbers in SI units.
[[nodiscard]] std::string make_modes_json(const Scenario& scenario, const ModalAnalysis& analysis,
                                          const ModesReportOptions& options = {});

/// One panel per mode: the mechanism at rest and at both extremes.
[[nodiscard]] std::string make_modes_svg(const Scenario& scenario, const ModalAnalysis& analysis,
                                         const ModesReportOptions& options = {});

/// So many significant digits, and all those before the point: "0.01234", "12346".
[[nodiscard]] std::string show_digits(double x, int digits);

/// "12.3 Hz", "grows 6.26/s", "decays 3.1/s", "0 Hz".
[[nodiscard]] std::string describe_motion(const NaturalMode& mode, int digits = 4);

}  // namespace thud
