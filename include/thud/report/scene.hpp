#pragma once

#include <string>
#include <vector>

#include "thud/report/frames.hpp"
#include "thud/scenario/run.hpp"

namespace thud {

/// What the page draws and lists before anything moves: bodies with their outlines, beds, knobs, observables and the
/// text of the scenario (docs/guide/web-api.md). The same scenario gives the same bytes.
[[nodiscard]] std::string make_scene_json(const Scenario& scenario);

/// What the page plays: poses, elastic shapes and forces of every frame, events, energy, results and the named
/// observables as columns. No wall times, so the same run gives the same bytes.
[[nodiscard]] std::string make_frames_json(const Scenario& scenario, const RunResult& run,
                                           const FrameRecorder& frames,
                                           const std::vector<NamedObservable>& columns);

/// All observables where that makes at most `most_values` numbers; else first those that the scenario plots, then the
/// others in their order.
[[nodiscard]] std::vector<NamedObservable> choose_columns(const Scenario& scenario, std::size_t frames,
                                                          std::size_t most_values = 600'000);

}  // namespace thud
