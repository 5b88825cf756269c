#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thud/report/format.hpp"
#include "thud/report/trajectory.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// A residual of the energy account above this is worth a warning.
inline constexpr double residual_warning = 1e-6;

struct SummaryOptions {
  bool all_events = false;
  const TrajectoryRecorder* trajectory = nullptr;  ///< for peak forces; may be missing
};

/// What a person wants to see at a glance: what stopped the run, results, peak forces, where the energy went, events.
[[nodiscard]] std::string make_summary(const Scenario& scenario, const RunResult& run, const TextStyle& style,
                                       const SummaryOptions& options = {});

/// What a user should know of a run besides its results: where it left the theory, what would be faster.
[[nodiscard]] std::vector<std::string> list_notes(const Scenario& scenario, const RunResult& run);

/// What was lost through each channel [J], in the order of System::channels(): {"drag", 0.0114}. Torques lose nothing.
[[nodiscard]] std::vector<std::pair<std::string, double>> list_channel_losses(const System& system,
                                                                              const EnergyAccount& account);

/// The value of a knob in its own unit: "32 deg", "5", "coarse".
[[nodiscard]] std::string show_knob(const Knob& knob, double value, const TextStyle& style);
[[nodiscard]] std::string show_knob(const Knob& knob, const TextStyle& style);
/// "0 to 80 deg", or the choices of a textual knob; "" when anything goes.
[[nodiscard]] std::string show_knob_range(const Knob& knob, const TextStyle& style);
/// A table of the knobs: name, value, range, meaning.
[[nodiscard]] std::string list_knobs(const Scenario& scenario, std::size_t indent, const TextStyle& style);

}  // namespace thud
