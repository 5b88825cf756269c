#pragma once

#include <string>
#include <string_view>

#include "thud/report/frames.hpp"
#include "thud/scenario/run.hpp"

/// Pages that compute: the engine, compiled for browsers, travels inside. They need no server and no network.
namespace thud {

/// The engine as a page takes it: gzip in base64. Throws InputError with `place` where it has not been built.
[[nodiscard]] std::string read_engine(const std::string& place);

/// A report whose sliders run the scenario again, with what was asked of this run.
[[nodiscard]] std::string make_live_report(const Scenario& scenario, const RunResult& run,
                                           const FrameRecorder& frames, const RunRequest& request,
                                           std::string_view engine);
/// The playground with these scenarios, a JSON array of {name, title, about, text}.
[[nodiscard]] std::string make_live_playground(std::string_view scenarios, std::string_view engine);

}  // namespace thud
