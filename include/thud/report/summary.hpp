#pragma once

#include <string>
#include <utility>
#include <vector>

#include "thud/base/format.hpp"
#include "thud/draw/trajectory.hpp"
#include "thud/scenario/knob_text.hpp"
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

}  // namespace thud
