// Figures of publications that are not curves against time.
#pragma once

#include "thud/study/paper_figures.hpp"

namespace thud {

/// An error of a figure's data, with its place.
[[nodiscard]] InputError figure_error(const PaperFigure& figure, const std::string& message);
/// A scenario of a figure with settings.
[[nodiscard]] Scenario load_figure_scenario(const PaperFigure& figure, const KnobSettings& set);
/// The table of a figure, by its id.
[[nodiscard]] const ReferenceTable& find_figure_table(const PaperFigure& figure,
                                                      const std::vector<ReferenceTable>& tables);

/// Results against a knob, with the numbers of the figure's table as points.
void check_curves(const PaperFigure& figure, const std::vector<ReferenceTable>& tables);
[[nodiscard]] DrawnFigure draw_curves(const PaperFigure& figure, const std::vector<ReferenceTable>& tables,
                                      const RunRequest& request);

/// Impulse planes of single impacts.
void check_planes(const PaperFigure& figure);
[[nodiscard]] DrawnFigure draw_planes(const PaperFigure& figure, const RunRequest& request);

}  // namespace thud
