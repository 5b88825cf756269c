#pragma once

#include <string>
#include <vector>

#include "thud/draw/figures.hpp"
#include "thud/study/sweep_file.hpp"

namespace thud {

/// Throws InputError for a plot that cannot be drawn from the study's design.
void check_plots(const Study& study);

/// The data of a plot, read back from the results of a sweep.
[[nodiscard]] HeatMap make_heat_map(const Study& study, const StudyPlot& plot, const SweepFile& results);
[[nodiscard]] CurveFamily make_curve_family(const Study& study, const StudyPlot& plot,
                                            const SweepFile& results);

/// Draws all plots of a study into a folder and returns the files.
std::vector<std::string> write_plots(const Study& study, const SweepFile& results, const std::string& folder);

}  // namespace thud
